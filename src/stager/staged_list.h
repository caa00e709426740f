// Staged lists: lists of the host whose length a graph decides.
//
// The List object stays, so that all names of it see one; its class and its
// kind are others as long as it is staged, and it has no items for C code that
// looks at a List's. In their place its array holds the pattern of an element
// (list_form.h) and a symbolic tensor of a list type for each place of that.
// What a list of a graph can do are its operators and methods; all else raises
// SymbolicError, which names the operation.
#ifndef DUET_STAGER_STAGED_LIST_H
#define DUET_STAGER_STAGED_LIST_H

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_iter.h"
#include "stager/list_form.h"

extern const TypeDef staged_list_type_def;

bool staged_list_is(Vm *vm, Value v);
// A list proper, or a staged one.
bool staged_list_fits(Vm *vm, Value v);

// Whether a trace runs, for what nothing can be done with the list otherwise.
// False with a LeakError of `who` pending.
MUST_CHECK bool staged_list_lives(Vm *vm, const char *who, Value self);

// The pattern, then the lists; borrowed.
static inline const Value *staged_list_parts(Value v)
{
    return value_as_list(v)->items;
}
static inline size_t staged_list_count(Value v)
{
    return value_as_list(v)->capacity;
}
// A new one of its parts, which are retained. VALUE_FAIL.
Value staged_list_new(Vm *vm, const Value *parts, size_t count);
// The object takes the items or parts of the other, a List of its own that
// nobody else holds, and gives it its own.
void staged_list_exchange(List *list, List *other);
// What a run has left of a staged list: `parts` are the pattern and eager
// lists. A List, VALUE_FAIL.
Value staged_list_unpack(Vm *vm, const Value *parts, size_t count);

// Its elements from `start` to before `stop` (None: open), `step` apart, as a
// new one; two lists, staged or not, one behind the other: `who` opens the
// error where their forms differ; itself that many times. VALUE_FAIL.
Value staged_list_slice(Vm *vm, Value self, Value start, Value stop,
                        int64_t step);
Value staged_list_joined(Vm *vm, const char *who, Value first, Value second);
Value staged_list_repeated(Vm *vm, Value self, int64_t count);
// The elements of a slice, whose step is 1, become those of `items`, which
// anything is that can be walked; UNBOUND: they go.
MUST_CHECK bool staged_list_set_slice(Vm *vm, Value self, const Slice *slice,
                                      Value items);
// The list becomes what the other (taken, may be VALUE_FAIL) is.
MUST_CHECK bool staged_list_become(Vm *vm, Value self, Value other);

// Makes the form cover the elements of a list, staged or not. As list_form_add;
// 0 where no element tells the form.
int staged_list_add_form(Vm *vm, ListForm *form, Value list);
// A staged copy of a list, staged or not, that has this form; nodes go to
// `where`. VALUE_FAIL.
Value staged_list_from(Vm *vm, const ListForm *form, GraphBlock *where,
                       Value list);
// Methods for the library. Of reads: `shape` is what is known of the elements'
// shape beside the list's type, None if nothing; of a list of tuples each place
// is stacked or joined. Indices are from 0 on. `resize` leaves elements that
// nobody wrote, which are zeros to those who read them. `split` makes it the
// rows of a tensor, or its parts of such lengths.
Value staged_list_read_method(Vm *vm, Value *args);
Value staged_list_write_method(Vm *vm, Value *args);
Value staged_list_stack_method(Vm *vm, Value *args);
Value staged_list_join_method(Vm *vm, Value *args);
Value staged_list_resize_method(Vm *vm, Value *args);
Value staged_list_split_method(Vm *vm, Value *args);
// TraceHooks.hold: a list of this trace, if its elements have one form.
int staged_list_hold(Vm *vm, Object *list);
// stage.hold_list(items, dtype, shape, size)
Value staged_list_hold_method(Vm *vm, Value *args);

// A list of the graph of up to 255 operands that have the leaf's dtype: what is
// one part of a staged list. VALUE_FAIL.
Value staged_list_make(Vm *vm, const FormLeaf *leaf, const Value *items,
                       uint32_t count);

#endif
