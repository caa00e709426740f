// The form that the elements of a list have in common, where a graph is to
// hold a list whose length it decides: tensors, numbers, and tuples of these.
//
// The pattern is an element with VALUE_ELLIPSIS where tensors stand; all else
// in it is the same in every element. Each such place is a list of the graph.
#ifndef DUET_STAGER_LIST_FORM_H
#define DUET_STAGER_LIST_FORM_H

#include "base/vec.h"
#include "graph/graph.h"
#include "interp/core/vm.h"

// What is known of one place.
typedef struct FormLeaf {
    DType dtype;
    bool weak;  // numbers of the host only: gives way to a tensor's dtype
    bool mixed; // one of the host in some element
    Shape shape;
} FormLeaf;

// Zero but for the pattern, VALUE_UNBOUND: nothing was added yet.
typedef struct ListForm {
    Value pattern; // owned
    VEC(FormLeaf) leaves;
} ListForm;

// Makes the form cover one more element. 1; 0: the element has another form;
// -1: an error is pending.
int list_form_add(Vm *vm, ListForm *form, Value element);
// The same of a place that is a list in the graph already.
int list_form_add_leaf(ListForm *form, size_t index, FormLeaf leaf);
// Whether a list of that dtype, weak or not, takes the leaf of an element.
bool list_form_takes(DType dtype, bool weak, Value leaf);
void list_form_free(Vm *vm, ListForm *form);
// Whether two patterns are of one form. As list_form_add.
int list_form_same(Vm *vm, Value a, Value b);
// The leaves of an element of this pattern, owned, appended to an empty vector.
// As list_form_add.
int list_form_split(Vm *vm, Value pattern, Value element, ValueVec *leaves);
// The element that has these leaves. Owned, VALUE_FAIL.
Value list_form_join(Vm *vm, Value pattern, const Value *leaves);

#endif
