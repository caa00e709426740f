// What the turns of a staged `for` are called: its item is made by C code, and
// only the program's text says how the turn will name it.
#include "stager/for_names.h"

#include <string.h>

#include "interp/objects/containers/obj_list.h"

// The text of the target that is left; `end` is behind all of it.
typedef struct Target {
    const char *at, *end;
} Target;

static bool is_name(char c)
{
    return c == '_' || (c & 0x80) || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void skip_blanks(Target *target)
{
    while (target->at < target->end && *target->at == ' ') {
        target->at++;
    }
}

static bool take(Target *target, const char *set)
{
    skip_blanks(target);
    bool found = target->at < target->end && strchr(set, *target->at) != NULL;
    target->at += found;
    return found;
}

// Whether a comma comes before the bracket that ends this list of targets.
static bool is_list(const Target *target)
{
    int depth = 0;
    const char *at = target->at;
    for (; at < target->end && depth >= 0; at++) {
        depth += strchr("([", *at) != NULL;
        depth -= strchr(")]", *at) != NULL;
        if (*at == ',' && depth == 0) {
            return true;
        }
    }
    return false;
}

static bool give_name(Vm *vm, Target *target, Value item)
{
    const char *name = target->at;
    while (target->at < target->end && is_name(*target->at)) {
        target->at++;
    }
    size_t length = (size_t)(target->at - name);
    if (length == 0) {
        // An attribute, a star: what follows keeps its names.
        target->at = target->end;
    } else if (value_is_kind(item, KIND_SYMBOLIC)) {
        Str *text = str_new(vm, name, length);
        if (text == NULL) {
            return false;
        }
        Symbolic *symbolic = value_as_symbolic(item);
        object_release_null(&vm->ctx, symbolic->name);
        symbolic->name = text;
    }
    return true;
}

// One target, or several for the items of a tuple.
static bool give(Vm *vm, Target *target, Value item)
{
    bool list = is_list(target), ok = ctx_enter(&vm->ctx);
    if (!ok) {
        return false;
    }
    const Tuple *items =
        list && value_is_kind(item, KIND_TUPLE) ? value_as_tuple(item) : NULL;
    uint32_t next = 0;
    do {
        Value own = !list                                  ? item
                    : items != NULL && next < items->count ? items->items[next]
                                                           : VALUE_NONE;
        bool inner = take(target, "([");
        ok = inner ? give(vm, target, own) : give_name(vm, target, own);
        if (inner && !take(target, ")]")) {
            target->at = target->end;
        }
        next++;
    } while (ok && take(target, ","));
    ctx_leave(&vm->ctx);
    return ok;
}

bool for_names_give(Vm *vm, const GraphPlace *place, Value item)
{
    const Source *source = place->source;
    if (source == NULL || source->library) {
        return true;
    }
    size_t length;
    uint32_t line = source_place(source, place->span.start).line;
    const char *text = source_line(source, line, &length), *end = text + length;
    while (text < end && (*text == ' ' || *text == '\t')) {
        text++;
    }
    const char *in = memmem(text, (size_t)(end - text), " in ", 4);
    if (end - text < 4 || memcmp(text, "for ", 4) != 0 || in == NULL) {
        return true;
    }
    Target target = {text + 4, in};
    skip_blanks(&target);
    return give(vm, &target, item);
}
