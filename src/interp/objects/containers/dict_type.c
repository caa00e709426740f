// dict: the type, its operators and iterators; views are in dict_view.c.
#include "interp/hooks/note.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/dict_view.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"

// dict_clear leaves an empty dict, so that destructors of its items may still
// look at it.
static void dict_destroy(Vm *vm, Object *self)
{
    dict_clear(vm, (Dict *)self);
    object_free(vm, self, sizeof(Dict));
}

static void dict_clear_slot(Vm *vm, Object *self)
{
    dict_clear(vm, (Dict *)self);
}

// Key and value lie side by side, so each entry is visited as two values. Marks
// of removed entries are no objects.
static void dict_visit(Object *self, void (*visit)(Object *, void *),
                       void *data)
{
    Dict *dict = (Dict *)self;
    for (uint32_t i = 0; i < dict->used; i++) {
        values_visit(&dict->entries[i].key, 2, visit, data);
    }
}

// The items without braces. A __repr__ may replace the value in the dict, so a
// reference is held while it is printed.
static bool print_entries(Vm *vm, StrBuf *out, Dict *dict)
{
    Value key, value;
    bool ok = true;
    for (uint32_t at = 0, i = 0; ok && dict_next(dict, &at, &key, &value);
         i++) {
        value_retain(value);
        strbuf_puts(out, i > 0 ? ", " : "");
        ok = repr_append(vm, out, key);
        strbuf_puts(out, ": ");
        ok = ok && repr_append(vm, out, value);
        release(vm, value);
    }
    return ok;
}

static Value dict_repr(Vm *vm, Value self)
{
    // Braces are written even around "...", so the text stays readable.
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_putc(&out, '{');
    // Finds out whether this dict is being printed already, further out.
    ReprGuard guard;
    if (!repr_enter(vm, self, &guard)) {
        strbuf_puts(&out, "...");
    } else {
        bool ok = print_entries(vm, &out, value_as_dict(self));
        repr_leave(vm, &guard);
        if (!ok) {
            strbuf_free(&out);
            return VALUE_FAIL;
        }
    }
    strbuf_putc(&out, '}');
    return value_or_fail(str_from_buf(vm, &out));
}

// The same keys with equal values. 1, 0, -1.
static int dict_equal(Vm *vm, Dict *a, Dict *b)
{
    if (a->count != b->count) {
        return 0;
    }
    // __eq__ of a key or value may change either dict, so what is compared is
    // held.
    Value key, value, other;
    for (uint32_t at = 0; dict_next(a, &at, &key, &value);) {
        value_retain(key);
        value_retain(value);
        int same = ctx_poll(&vm->ctx) ? dict_get(vm, b, key, &other) : -1;
        if (same > 0) {
            value_retain(other);
            same = value_equal(vm, value, other);
            release(vm, other);
        }
        release(vm, key);
        release(vm, value);
        if (same <= 0) {
            return same;
        }
    }
    return 1;
}

// Dicts have no order: only == and != are answered. `equal` is 0 or 1 here, so
// comparing it with the operator inverts it for !=.
static Value dict_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(b, KIND_DICT)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    int equal = dict_equal(vm, value_as_dict(a), value_as_dict(b));
    return equal < 0 ? VALUE_FAIL
                     : value_from_bool(equal == (op == COMPARE_EQ));
}

// a | b takes two dicts only; the right one's values win, and a's order stays.
static Value dict_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (op != BINARY_OR || !value_is_kind(a, KIND_DICT) ||
        !value_is_kind(b, KIND_DICT)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Dict *result = dict_ask_all(vm, value_as_dict(a))
                       ? dict_copy(vm, value_as_dict(a))
                       : NULL;
    if (result != NULL && !dict_update(vm, result, b)) {
        object_release(&vm->ctx, result);
        result = NULL;
    }
    return value_or_fail(result);
}

// a |= b takes any mapping or iterable of pairs, unlike a | b.
static Value dict_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (op != BINARY_OR) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return dict_update(vm, value_as_dict(a), b) ? value_retain(a) : VALUE_FAIL;
}

static int64_t dict_length(Vm *vm, Value self)
{
    Dict *dict = value_as_dict(self);
    return dict_ask_all(vm, dict) ? (int64_t)dict->count : -1;
}

// d[key]. Only a subclass is asked for __missing__, so that the plain dict's
// failing look-up pays nothing for it.
static Value dict_get_item(Vm *vm, Value self, Value key)
{
    Value value;
    // 1, 0, -1; the value is borrowed.
    int found = dict_ask(vm, value_as_dict(self), key, &value);
    if (found > 0) {
        return value_retain(value);
    }
    if (found == 0 && value_object(self)->type != vm->types[KIND_DICT]) {
        // From the class, as all special methods; the key is handed on as it
        // is.
        Value method = value_find_method(vm, self, vm->names[NAME_MISSING]);
        if (value_failed(method)) {
            return VALUE_FAIL;
        }
        if (!value_unbound(method)) {
            value = vm_call(vm, method, &key, 1);
            release(vm, method);
            return value;
        }
    }
    return found < 0 ? VALUE_FAIL : raise_with(vm, ERR_KEY, key);
}

// d[key] = value, or `del d[key]` where the value is UNBOUND.
static bool dict_set_item(Vm *vm, Value self, Value key, Value value)
{
    if (!value_unbound(value)) {
        return dict_set(vm, value_as_dict(self), key, value);
    }
    int found = dict_remove(vm, value_as_dict(self), key);
    if (found == 0) {
        (void)raise_with(vm, ERR_KEY, key);
    }
    return found > 0;
}

// 1, 0, -1: an unhashable key is a TypeError, not "absent".
static int dict_contains(Vm *vm, Value self, Value key)
{
    Value value;
    return dict_ask(vm, value_as_dict(self), key, &value);
}

// What the iterator gives of an entry: dict_iterator has put the part there.
static inline Value entry_part(Vm *vm, Iterator *self, const DictEntry *entry)
{
    Value part = self->state[1];
    if (value_same(part, value_from_small('k'))) {
        return value_retain(entry->key);
    }
    Value value = value_retain(entry->value);
    return value_same(part, value_from_small('v'))
               ? value
               : iterator_pair(vm, self, value_retain(entry->key), value);
}

// What is said of any change to one that is walked.
static const char ordered_changed[] = "OrderedDict mutated during iteration";

// The next entry forwards or backwards; `changed` has the texts.
static Value dict_step(Vm *vm, Iterator *self, bool backwards)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Dict *dict = value_as_dict(self->state[0]);
    if (dict->count != (uint32_t)self->expected) {
        // No dict has this count: later steps fail again.
        self->expected = UINT64_MAX;
        return raise_error(vm, ERR_RUNTIME, "%s",
                           dict_is_ordered(dict)
                               ? ordered_changed
                               : "dictionary changed size during iteration");
    }
    // Backwards the place is counted from `used` as it is now; marks of removed
    // entries are passed over.
    const DictEntry *entry = NULL;
    if (!backwards && self->position < dict->first) {
        self->position = dict->first;
    }
    while (entry == NULL && self->position < dict->used) {
        uint64_t at = self->position++;
        entry = &dict->entries[backwards ? dict->used - 1 - at : at];
        entry = value_same(entry->key, VALUE_DELETED) ? NULL : entry;
    }
    if (entry == NULL) {
        // An exhausted iterator lets its dict go and stays exhausted.
        value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
        return VALUE_STOP;
    }
    // More entries than the dict had: keys went and others came.
    uint64_t given = self->expected >> 32;
    if (given == dict->count) {
        value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
        return raise_error(vm, ERR_RUNTIME, "%s",
                           dict_is_ordered(dict)
                               ? ordered_changed
                               : "dictionary keys changed during iteration");
    }
    self->expected = (given + 1) << 32 | dict->count;
    return entry_part(vm, self, entry);
}

// The direction is in the function, so that an iterator needs no field for it.
// An entry that is there, of a dict that has not changed, takes none of
// dict_step's steps but the last.
static Value step_forwards(Vm *vm, Iterator *self)
{
    if (LIKELY(value_is_object(self->state[0]))) {
        const Dict *dict = value_as_dict(self->state[0]);
        uint32_t expected = (uint32_t)self->expected;
        if (LIKELY(dict->count == expected && self->position < dict->used &&
                   self->expected >> 32 != expected)) {
            const DictEntry *entry = &dict->entries[self->position];
            if (LIKELY(!value_same(entry->key, VALUE_DELETED))) {
                self->position++;
                self->expected += (uint64_t)1 << 32;
                return entry_part(vm, self, entry);
            }
        }
    }
    return dict_step(vm, self, false);
}

static Value step_backwards(Vm *vm, Iterator *self)
{
    return dict_step(vm, self, true);
}

// state[0] is the dict (retained), state[1] the part. The low half of
// `expected` notes the size at the start: a change during the walk is an
// error. The high half counts the entries that were given.
Value dict_iterator(Vm *vm, Dict *dict, char part, bool backwards)
{
    static const char *const names[][2] = {
        {"dict_keyiterator", "dict_reversekeyiterator"},
        {"dict_valueiterator", "dict_reversevalueiterator"},
        {"dict_itemiterator", "dict_reverseitemiterator"}};
    // Each combination has a type of its own name.
    int row = part == 'k' ? 0 : part == 'v' ? 1 : 2;
    bool ordered = dict_is_ordered(dict);
    if (!dict_ask_all(vm, dict)) {
        return VALUE_FAIL;
    }
    Iterator *iterator =
        iterator_new(vm, ordered ? &iterator_plain_def : &iterator_counted_def,
                     ordered ? "odict_iterator" : names[row][backwards],
                     backwards ? step_backwards : step_forwards);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_from_object(object_retain(dict));
    iterator->state[1] = value_from_small(part);
    iterator->expected = dict->count;
    dict->walked = true;
    return value_from_object(iterator);
}

static Value dict_iter(Vm *vm, Value self)
{
    return dict_iterator(vm, value_as_dict(self), 'k', false);
}

// dict.__new__ ignores its arguments and dict.__init__ reads them, so that a
// subclass may override either. The size is the subclass's.
static Value dict_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    Dict *dict = object_new(vm, cls, cls->def->size);
    if (dict == NULL) {
        return VALUE_FAIL;
    }
    dict_init(dict);
    return value_from_object(dict);
}

// dict(mapping, **items): as update, and it empties nothing when called again.
static bool dict_init_slot(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Dict *dict = value_as_dict(self);
    if (!arguments_check(vm, "dict", args, NULL, 1)) {
        return false;
    }
    if (args->count == 1 && !dict_update(vm, dict, args->items[0])) {
        return false;
    }
    return keywords == NULL ||
           dict_update(vm, dict, value_from_object(keywords));
}

// Unhashable: a dict changes. Tracked: it may hold itself.
const TypeDef dict_type_def = {
    .name = "dict",
    .doc = "A mapping in insertion order: dict(mapping_or_pairs, **items).",
    .params = "items=(), /, **kwargs",
    .kind = KIND_DICT,
    .size = sizeof(Dict),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_GENERIC,
    .operators = "or ror ior",
    .plain = "getitem contains",
    .slots = {.destroy = dict_destroy,
              .visit = dict_visit,
              .clear = dict_clear_slot,
              .make = dict_make,
              .init = dict_init_slot,
              .repr = dict_repr,
              .compare = dict_compare,
              .binary = dict_binary,
              .inplace = dict_inplace,
              .length = dict_length,
              .get_item = dict_get_item,
              .set_item = dict_set_item,
              .contains = dict_contains,
              .iter = dict_iter},
    .methods = dict_methods,
    .class_methods = dict_class_methods,
};
