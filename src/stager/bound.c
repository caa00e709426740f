// Binding the arguments of a call, and walking them.
//
// Invariant: a Bound holds a value for every parameter, defaults included, in
// an order that depends on the function alone.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/either.h"
#include "stager/loop_carried.h"
#include "stager/maybe.h"
#include "stager/signature.h"
#include "stager/trace.h"

// Both parts are owned; a Bound that was never filled is freed as well.
void bound_free(Vm *vm, Bound *bound)
{
    structure_free(vm, &bound->values);
    object_release_null(&vm->ctx, bound->names);
    object_release_null(&vm->ctx, bound->given);
    bound->names = bound->given = NULL;
}

// Arguments are borrowed by a call and owned by a Bound.
static bool push_all(Vm *vm, ValueVec *vec, const Value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!structure_push(vm, vec, value_retain(values[i]))) {
            return false;
        }
    }
    return true;
}

// The number of the parameter that can be given by this name, -1: none.
static int find_param(const Code *code, const Str *name)
{
    int end = code->positional_count + code->keyword_only_count;
    for (int i = code->positional_only_count; i < end; i++) {
        if (str_equal(code->local_names[i], name)) {
            return i;
        }
    }
    return -1;
}

// Where parameter `index` stands: extra positional arguments come between.
static size_t place_of(const Code *code, int index, size_t extra)
{
    return index < code->positional_count ? (size_t)index
                                          : (size_t)index + extra;
}

// A name that no parameter has goes to **kwargs, behind all others, and keeps
// its name there. False without an error: the host's own call words the misfit.
static bool bind_keywords(Vm *vm, const Code *code, const Value *values,
                          Tuple *keywords, size_t extra, Bound *out,
                          ValueVec *names)
{
    for (size_t i = 0; keywords != NULL && i < keywords->count; i++) {
        Value name = keywords->items[i];
        int index = find_param(code, value_as_str(name));
        if (index < 0) {
            if (!(code->flags & CODE_VARKEYWORDS) ||
                !structure_push(vm, &out->values, value_retain(values[i])) ||
                !structure_push(vm, names, value_retain(name))) {
                return false;
            }
            continue;
        }
        // A place that is taken was given by position as well: "multiple
        // values".
        Value *place = &out->values.items[place_of(code, index, extra)];
        if (!value_unbound(*place)) {
            return false;
        }
        *place = value_retain(values[i]);
    }
    return true;
}

// The default of a parameter by its number, borrowed; UNBOUND: it has none.
static Value default_of(const Function *function, int index)
{
    const Code *code = function->code;
    if (index >= code->positional_count) {
        return function->keyword_defaults == NULL
                   ? VALUE_UNBOUND
                   : dict_get_name(function->keyword_defaults,
                                   code->local_names[index]);
    }
    const Tuple *defaults = function->defaults;
    size_t count = defaults != NULL ? defaults->count : 0;
    // Defaults belong to the last positional parameters.
    size_t first = code->positional_count - count;
    return (size_t)index >= first ? defaults->items[(size_t)index - first]
                                  : VALUE_UNBOUND;
}

static bool lacks_spec(Vm *vm, Value v, void *data)
{
    return structure_kind(vm, v) == STRUCTURE_LEAF
               ? !value_is_kind(v, KIND_SPEC)
               : structure_each(vm, v, lacks_spec, data);
}

bool bound_holds_spec(Vm *vm, Value v)
{
    return !lacks_spec(vm, v, NULL);
}

Value bound_traced(Vm *vm, const Bound *traced, size_t place)
{
    // A call with more arguments than the traced one has places that it lacks.
    Value v = place < traced->values.count ? traced->values.items[place]
                                           : VALUE_UNBOUND;
    return value_unbound(v) || bound_holds_spec(vm, v) ? VALUE_UNBOUND : v;
}

// Puts what was not given: what the trace had, or the function's default.
static bool bind_defaults(Vm *vm, const Function *function, size_t extra,
                          const Bound *traced, Bound *out)
{
    const Code *code = function->code;
    int end = code->positional_count + code->keyword_only_count;
    for (int i = 0; i < end; i++) {
        size_t at = place_of(code, i, extra);
        Value *place = &out->values.items[at];
        if (value_unbound(*place)) {
            *place = value_retain(traced != NULL ? bound_traced(vm, traced, at)
                                                 : default_of(function, i));
        }
        if (value_unbound(*place)) {
            return false;
        }
    }
    return true;
}

// Parameters stand in one order whatever the call looked like: positional ones,
// what *args collects, keyword-only ones by name, what **kwargs collects.
static bool bind_function(Vm *vm, const Function *function, const Value *args,
                          uint32_t given, Tuple *keywords, const Bound *traced,
                          Bound *out, ValueVec *names)
{
    const Code *code = function->code;
    uint32_t params = code->positional_count;
    // Those beyond the parameters are extra: they need *args.
    uint32_t first = given < params ? given : params;
    size_t extra = given - first;
    if (extra > 0 && !(code->flags & CODE_VARARGS)) {
        return false;
    }
    bool ok = push_all(vm, &out->values, args, first);
    // UNBOUND holds the place of what comes by keyword or by default.
    for (uint32_t i = first; ok && i < params; i++) {
        ok = structure_push(vm, &out->values, VALUE_UNBOUND);
    }
    ok = ok && push_all(vm, &out->values, args + first, extra);
    for (uint32_t i = 0; ok && i < code->keyword_only_count; i++) {
        ok = structure_push(vm, &out->values, VALUE_UNBOUND) &&
             structure_push(vm, names,
                            value_from_object(
                                object_retain(code->local_names[params + i])));
    }
    return ok &&
           bind_keywords(vm, code, args + given, keywords, extra, out, names) &&
           bind_defaults(vm, function, extra, traced, out);
}

// What **kwargs collects goes by name, whatever the order of the call: f(a=1,
// b=2) and f(b=2, a=1) are one. `names` has those of keyword-only parameters
// first, which have their order already.
static bool sort_rest(Vm *vm, const Function *function, Bound *out,
                      ValueVec *names)
{
    size_t first = function->code->keyword_only_count;
    size_t count = names->count - first;
    Value *keys = names->items + first;
    Value *values = out->values.items + out->values.count - count;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) {
        sorted = sorted && strcmp(value_as_str(keys[i - 1])->text,
                                  value_as_str(keys[i])->text) < 0;
    }
    if (sorted) {
        return true;
    }
    out->given = tuple_from(vm, keys, count);
    // Calls have few: they are put in their places one by one.
    for (size_t i = 1; i < count; i++) {
        Value key = keys[i], value = values[i];
        size_t at = i;
        for (; at > 0 && strcmp(value_as_str(keys[at - 1])->text,
                                value_as_str(key)->text) > 0;
             at--) {
            keys[at] = keys[at - 1];
            values[at] = values[at - 1];
        }
        keys[at] = key;
        values[at] = value;
    }
    return out->given != NULL;
}

// The value of **kwargs that has this name.
static Value rest_value(const Bound *bound, Value name)
{
    size_t at = bound->names->count;
    while (!value_same(bound->names->items[--at], name)) {
    }
    return bound->values.items[bound_positional(bound) + at];
}

Value bound_call(Vm *vm, Value host, const Bound *bound)
{
    const Value *values = bound->values.items;
    uint32_t count = (uint32_t)bound->values.count;
    if (bound->given == NULL) {
        return vm_call_keywords(vm, host, values, count, bound->names);
    }
    size_t rest = bound->given->count, first = bound->names->count - rest;
    ValueVec ordered = {0}, names = {0};
    bool ok = push_all(vm, &ordered, values, count - rest) &&
              push_all(vm, &names, bound->names->items, first) &&
              push_all(vm, &names, bound->given->items, rest);
    for (size_t i = 0; ok && i < rest; i++) {
        ok = structure_push(
            vm, &ordered,
            value_retain(rest_value(bound, bound->given->items[i])));
    }
    Tuple *keywords = ok ? tuple_from(vm, names.items, names.count) : NULL;
    Value result = keywords != NULL ? vm_call_keywords(vm, host, ordered.items,
                                                       count, keywords)
                                    : VALUE_FAIL;
    object_release_null(&vm->ctx, keywords);
    structure_free(vm, &ordered);
    structure_free(vm, &names);
    return result;
}

// The keyword that gives parameter `index`; -1: there is none.
static int find_keyword(const Code *code, const Tuple *names, int index)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (find_param(code, value_as_str(names->items[i])) == index) {
            return (int)i;
        }
    }
    return -1;
}

// The keyword of **kwargs that comes next by name behind `last` (-1: the
// first); -1: there are no more.
static int next_rest(const Code *code, const Tuple *names, int last)
{
    int found = -1;
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        const Str *name = value_as_str(names->items[i]);
        bool behind =
            last < 0 ||
            strcmp(name->text, value_as_str(names->items[last])->text) > 0;
        if (behind && find_param(code, name) < 0 &&
            (found < 0 ||
             strcmp(name->text, value_as_str(names->items[found])->text) < 0)) {
            found = (int)i;
        }
    }
    return found;
}

// False: the parameter has no default.
static bool default_source(const Function *function, int index,
                           BoundSource *out)
{
    const Code *code = function->code;
    int at = -1;
    if (index >= code->positional_count) {
        out->from = BOUND_KEYWORD_DEFAULTS;
        at = function->keyword_defaults == NULL
                 ? -1
                 : dict_find_name(function->keyword_defaults,
                                  code->local_names[index]);
    } else if (function->defaults != NULL) {
        out->from = BOUND_DEFAULTS;
        at = index - (code->positional_count - (int)function->defaults->count);
    }
    out->index = (uint32_t)at;
    return at >= 0;
}

// What parameter `index` gets; false: nothing.
static bool param_source(const Function *function, int index, uint32_t given,
                         const Tuple *names, BoundSource *out)
{
    int keyword = find_keyword(function->code, names, index);
    *out = (BoundSource){BOUND_CALL, given + (uint32_t)keyword};
    return keyword >= 0 || default_source(function, index, out);
}

// Of a call with `given` arguments by position, in the order of bind_function
// and sort_rest.
static int function_sources(const Function *function, uint32_t given,
                            const Tuple *names, BoundSource *out)
{
    const Code *code = function->code;
    int params = code->positional_count, number = 0;
    for (uint32_t i = 0; i < given; i++) {
        out[number++] = (BoundSource){BOUND_CALL, i};
    }
    for (int i = number < params ? number : params;
         i < params + code->keyword_only_count; i++) {
        if (!param_source(function, i, given, names, &out[number++])) {
            return -1;
        }
    }
    for (int k = -1; (k = next_rest(code, names, k)) >= 0;) {
        out[number++] = (BoundSource){BOUND_CALL, given + (uint32_t)k};
    }
    return number;
}

int bound_sources(Value host, bool instance, uint32_t count, const Tuple *names,
                  BoundSource *out, int limit)
{
    const Function *function = value_is_kind(host, KIND_FUNCTION)
                                   ? (const Function *)value_object(host)
                                   : NULL;
    uint32_t total = count + instance, params = 0;
    if (function != NULL) {
        params = function->code->positional_count;
        params += function->code->keyword_only_count;
    }
    if (total + params > (uint32_t)limit) {
        return -1;
    }
    // Of others nobody knows the parameters: names and all go as they are.
    uint32_t named = function != NULL && names != NULL ? names->count : 0;
    int number = 0;
    if (function != NULL) {
        number = function_sources(function, total - named, names, out);
    }
    for (uint32_t i = 0; function == NULL && i < total; i++) {
        out[number++] = (BoundSource){BOUND_CALL, i};
    }
    for (int i = 0; instance && i < number; i++) {
        BoundSource *source = &out[i];
        if (source->from == BOUND_CALL && source->index-- == 0) {
            *source = (BoundSource){BOUND_INSTANCE, 0};
        }
    }
    return number;
}

// A host that is not written in the language is bound as it is called: nobody
// knows its parameters.
bool bound_make(Vm *vm, Value host, const Value *args, uint32_t count,
                Tuple *keyword_names, const Bound *traced, Bound *out)
{
    *out = (Bound){0};
    size_t keywords = keyword_names != NULL ? keyword_names->count : 0;
    bool ok;
    if (value_is_kind(host, KIND_FUNCTION)) {
        ValueVec names = {0};
        ok = bind_function(vm, (const Function *)value_object(host), args,
                           count - (uint32_t)keywords, keyword_names, traced,
                           out, &names);
        ok = ok &&
             sort_rest(vm, (const Function *)value_object(host), out, &names);
        if (ok && names.count > 0) {
            out->names = tuple_from(vm, names.items, names.count);
            ok = out->names != NULL;
        }
        structure_free(vm, &names);
    } else {
        ok = push_all(vm, &out->values, args, count);
        out->names = keywords > 0 ? object_retain(keyword_names) : NULL;
    }
    if (!ok) {
        bound_free(vm, out);
    }
    return ok;
}

// The values with names of their own stand at the end.
size_t bound_positional(const Bound *bound)
{
    return bound->values.count -
           (bound->names != NULL ? bound->names->count : 0);
}

// Extra positional values all have the name of the function's *args.
const char *bound_name(Value host, const Bound *bound, size_t index)
{
    size_t positional = bound_positional(bound);
    if (index >= positional) {
        return value_as_str(bound->names->items[index - positional])->text;
    }
    if (!value_is_kind(host, KIND_FUNCTION)) {
        return "arg";
    }
    const Code *code = ((const Function *)value_object(host))->code;
    size_t params = code->positional_count;
    size_t local = index < params ? index : params + code->keyword_only_count;
    return code->local_names[local]->text;
}

// An instance whose class has __tensor__ counts by what that will return, so
// that a library's own arrays share traces with tensors.
bool signature_is_tensor(Vm *vm, Value v)
{
    return value_is_tensor(v) || value_is_kind(v, KIND_SYMBOLIC) ||
           (value_is_kind(v, KIND_INSTANCE) &&
            type_has(vm, type_of(vm, v), NAME_TENSOR));
}

// Of *args each value has its number behind the name.
static void put_name(StrBuf *path, Value host, const Bound *bound, size_t index)
{
    path->length = 0;
    strbuf_puts(path, bound_name(host, bound, index));
    size_t params =
        value_is_kind(host, KIND_FUNCTION)
            ? ((const Function *)value_object(host))->code->positional_count
            : 0;
    if (index >= params && index < bound_positional(bound)) {
        strbuf_printf(path, "[%zu]", index - params);
    }
}

// The names are shared: they do not change.
bool bound_map(Vm *vm, Value host, const Bound *bound, StrBuf *path,
               LeafFn leaf, void *data, Bound *out)
{
    *out = (Bound){0};
    bool ok = true;
    for (size_t i = 0; ok && i < bound->values.count; i++) {
        if (path != NULL) {
            put_name(path, host, bound, i);
        }
        ok = structure_push(
            vm, &out->values,
            structure_map_named(vm, bound->values.items[i], path, leaf, data));
    }
    if (!ok || (path != NULL && !strbuf_ok(path))) {
        bound_free(vm, out);
        return false;
    }
    out->names = bound->names != NULL ? object_retain(bound->names) : NULL;
    out->given = bound->given != NULL ? object_retain(bound->given) : NULL;
    return true;
}

// --- choices ---

// Takes `made` in the place of a value.
static bool put_value(Vm *vm, Value *place, Value made)
{
    if (!value_failed(made)) {
        value_replace(&vm->ctx, place, made);
    }
    return !value_failed(made);
}

bool bound_show(Vm *vm, Value host, Bound *bound)
{
    bool ok = true;
    for (size_t i = 0; ok && i < bound->values.count; i++) {
        Value *v = &bound->values.items[i];
        ok = !either_is(vm, *v) ||
             put_value(
                 vm, v,
                 either_show(vm, bound_name(host, bound, i), value_retain(*v)));
    }
    return ok;
}

// As the choice that it is, or what is known of it. What holds a container that
// would be a copy there stays undecided: a change of that would be lost.
static bool shut_value(Vm *vm, Value *v)
{
    bool any;
    Value known = maybe_known(vm, *v), choice = maybe_choice(vm, *v);
    if (!value_unbound(known) || value_unbound(choice)) {
        return value_unbound(known) || put_value(vm, v, value_retain(known));
    }
    Value made = either_expand(vm, *v, vm->trace->block, NULL, NULL, &any);
    if (!value_failed(made) &&
        !value_same(either_parts(made)[0], either_parts(choice)[0]) &&
        loop_carried_shares(vm, either_parts(made)[0])) {
        release(vm, made);
        return true;
    }
    return put_value(vm, v, made);
}

bool bound_shut(Vm *vm, Bound *bound)
{
    bool ok = true;
    for (size_t i = 0; ok && vm->trace != NULL && vm->trace->undecided &&
                       i < bound->values.count;
         i++) {
        ok = shut_value(vm, &bound->values.items[i]);
    }
    return ok;
}
