// The methods of dict.
#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/dict_view.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/containers/sequence.h"

// The default is UNBOUND where the call gave none; None then takes its place.
// The type's __missing__ is not asked.
static Value method_get(Vm *vm, Value *args)
{
    Value value;
    int found = dict_ask(vm, value_as_dict(args[0]), args[1], &value);
    if (found > 0) {
        return value_retain(value);
    }
    return found < 0                ? VALUE_FAIL
           : value_unbound(args[2]) ? VALUE_NONE
                                    : value_retain(args[2]);
}

// One look-up, as programs that count calls of __hash__ can tell.
static Value method_setdefault(Vm *vm, Value *args)
{
    Value value = value_unbound(args[2]) ? VALUE_NONE : args[2];
    Dict *dict = value_as_dict(args[0]);
    uint32_t count = dict->count;
    return dict_set_default(vm, dict, args[1], &value) &&
                   (dict->count != count || note_same(vm, dict, value))
               ? value_retain(value)
               : VALUE_FAIL;
}

// dict_take gives the dict's own reference away, so nothing is retained here.
static Value method_pop(Vm *vm, Value *args)
{
    Value value;
    Dict *dict = value_as_dict(args[0]);
    // Nothing is hashed for an empty one.
    int found = dict->count == 0 ? 0 : dict_take(vm, dict, args[1], &value);
    if (found > 0) {
        return value;
    }
    if (found == 0 && value_unbound(args[2])) {
        return raise_with(vm, ERR_KEY, args[1]);
    }
    return found == 0 && note_same(vm, dict, VALUE_UNBOUND)
               ? value_retain(args[2])
               : VALUE_FAIL;
}

// VALUE_FAIL, always. The text is the key of a KeyError, hence an object.
static Value popitem_empty(Vm *vm)
{
    Str *text = str_from(vm, "popitem(): dictionary is empty");
    if (text != NULL) {
        (void)raise_with(vm, ERR_KEY, str_value(text));
        object_release(&vm->ctx, text);
    }
    return VALUE_FAIL;
}

static Value method_popitem(Vm *vm, Value *args)
{
    Dict *dict = value_as_dict(args[0]);
    if (dict->count == 0) {
        return popitem_empty(vm);
    }
    // The pair is made first: without memory the dict stays as it is. Key and
    // value lie side by side, so they are the pair's items.
    Tuple *pair = tuple_from(vm, &dict_newest(dict)->key, 2);
    if (pair == NULL || !dict_drop_newest(vm, dict)) {
        object_release_null(&vm->ctx, pair);
        return VALUE_FAIL;
    }
    return value_from_object(pair);
}

// Keywords arrive as a dict of their own, maybe an empty one, and win over the
// mapping because they come last.
static Value method_update(Vm *vm, Value *args)
{
    Dict *dict = value_as_dict(args[0]);
    bool ok = (value_unbound(args[1]) || dict_update(vm, dict, args[1])) &&
              dict_update(vm, dict, args[2]);
    return value_done(ok);
}

// A trace is told before anything changes: it may refuse the store.
static Value method_clear(Vm *vm, Value *args)
{
    Dict *dict = value_as_dict(args[0]);
    if (!note_store(vm, dict, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    dict_clear(vm, dict);
    return VALUE_NONE;
}

// The type's own copy method gives a plain dict even for a subclass.
static Value method_copy(Vm *vm, Value *args)
{
    Dict *dict = value_as_dict(args[0]);
    return value_or_fail(dict_ask_all(vm, dict) ? dict_copy(vm, dict) : NULL);
}

// The views hold the dict and copy nothing, so they cost the same for any size.
static Value method_keys(Vm *vm, Value *args)
{
    return dict_view_new(vm, value_as_dict(args[0]), 'k');
}

static Value method_values(Vm *vm, Value *args)
{
    return dict_view_new(vm, value_as_dict(args[0]), 'v');
}

static Value method_items(Vm *vm, Value *args)
{
    return dict_view_new(vm, value_as_dict(args[0]), 'i');
}

static Value method_reversed(Vm *vm, Value *args)
{
    return dict_iterator(vm, value_as_dict(args[0]), 'k', true);
}

// The keys of a plain dict or of a set bring their hashes along, where they go
// into a new plain dict. 1 done, 0 not for these, -1 failed.
static int fromkeys_hashed(Vm *vm, Value result, Value keys, Value value)
{
    bool dict = type_of(vm, keys) == vm->types[KIND_DICT];
    bool set = type_of(vm, keys) == vm->types[KIND_SET] ||
               type_of(vm, keys) == vm->types[KIND_FROZENSET];
    if (type_of(vm, result) != vm->types[KIND_DICT] || !(dict || set) ||
        value_as_dict(result)->count > 0) {
        return 0;
    }
    Value key, old;
    size_t slot = 0;
    for (uint32_t at = 0;;) {
        if (dict ? !dict_next(value_as_dict(keys), &at, &key, &old)
                 : !set_next((Set *)value_object(keys), &slot, &key)) {
            return 1;
        }
        uint64_t hash = dict
                            ? value_as_dict(keys)->entries[at - 1].hash
                            : ((Set *)value_object(keys))->table[slot - 1].hash;
        value_retain(key);
        bool ok = ctx_poll(&vm->ctx) &&
                  dict_set_hashed(vm, value_as_dict(result), key, hash, value);
        release(vm, key);
        if (!ok) {
            return -1;
        }
    }
}

// A class method: the class is called without arguments, and its own
// __setitem__ is used, so that a subclass sees every key. All keys share one
// value.
static Value method_fromkeys(Vm *vm, Value *args)
{
    Value result = vm_call(vm, args[0], NULL, 0);
    Value otherwise = value_unbound(args[2]) ? VALUE_NONE : args[2];
    int done = value_failed(result)
                   ? 0
                   : fromkeys_hashed(vm, result, args[1], otherwise);
    if (done > 0) {
        return result;
    }
    Value iterator =
        value_failed(result) || done < 0 ? VALUE_FAIL : value_iter(vm, args[1]);
    bool ok = !value_failed(iterator);
    while (ok) {
        Value key = value_next(vm, iterator);
        if (value_same(key, VALUE_STOP)) {
            break;
        }
        ok = !value_failed(key) && value_set_item(vm, result, key, otherwise) &&
             ctx_poll(&vm->ctx);
        release(vm, key);
    }
    release(vm, iterator);
    if (!ok) {
        release(vm, result);
        return VALUE_FAIL;
    }
    return result;
}

// The signatures are fixed; with `<required>` the argument may be left out, and
// a missing key is then an error.
const NativeDef dict_methods[] = {
    {"get", "self, key, default=None, /", method_get,
     "The value of key, or default."},
    {"setdefault", "self, key, default=None, /", method_setdefault,
     "The value of key, which is set to default first if absent."},
    {"pop", "self, key, default=<required>, /", method_pop,
     "Removes key and returns its value, or default."},
    {"popitem", "self, /", method_popitem,
     "Removes the last item and returns it as (key, value)."},
    {"update", "self, other=(), /, **kwargs", method_update,
     "Takes over all items of a mapping or of pairs, then the keywords."},
    {"clear", "self, /", method_clear, "Removes all items."},
    {"copy", "self, /", method_copy, "A shallow copy."},
    {"keys", "self, /", method_keys, "A live view on the keys."},
    {"values", "self, /", method_values, "A live view on the values."},
    {"items", "self, /", method_items, "A live view on the pairs."},
    {"__reversed__", "self, /", method_reversed, "The keys from the end."},
    {0}};

// Called on the class or an instance; `cls` is the class either way.
const NativeDef dict_class_methods[] = {
    CLASS_GETITEM_ROW,
    {"fromkeys", "cls, iterable, value=None, /", method_fromkeys,
     "A new dict with these keys, all with the same value."},
    {0}};
