// Binding arguments to the parameters of a Duet function, with their errors.
//
// Parameters stand in registers in this order: positional, keyword-only,
// *args, **kwargs.
#include <stdio.h>
#include <string.h>

#include "interp/hooks/note.h"
#include "interp/machine/vm/call.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/raise_whole.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

typedef struct Binding {
    Vm *vm;
    Function *function;
    const Code *code;
    Value *window;        // the arguments, then the parameters
    uint32_t given;       // positional arguments
    Value *keywords;      // a copy of the keywords' values, owned
    Tuple *names;         // of them, or NULL
    uint32_t named_count; // positional and keyword-only parameters
    uint32_t total;       // all parameters
} Binding;

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static uint32_t default_count(const Binding *b)
{
    Tuple *defaults = b->function->defaults;
    return defaults != NULL ? (uint32_t)defaults->count : 0;
}

// For the message alone: how many keyword-only parameters have a value.
// Defaults are not filled in yet when it is asked.
static uint32_t bound_keyword_only(const Binding *b)
{
    uint32_t count = 0;
    for (uint32_t i = b->code->positional_count; i < b->named_count; i++) {
        count += !value_unbound(b->window[i]);
    }
    return count;
}

// With keyword-only arguments given, the message counts those. Always false.
static bool too_many_positional(Binding *b)
{
    uint32_t most = b->code->positional_count;
    uint32_t least = most - default_count(b);
    uint32_t keyword_only = bound_keyword_only(b);
    // Two numbers and fixed words: snprintf never cuts them.
    char takes[64], were[96] = "";
    if (least < most) {
        snprintf(takes, sizeof takes, "from %u to %u", least, most);
    } else {
        snprintf(takes, sizeof takes, "%u", most);
    }
    if (keyword_only > 0) {
        snprintf(were, sizeof were,
                 " positional argument%s (and %u keyword-only argument%s)",
                 plural(b->given), keyword_only, plural(keyword_only));
    }
    return raise_false(b->vm, ERR_TYPE,
                       "%s() takes %s positional argument%s but %u%s %s given",
                       b->function->qualname->text, takes,
                       // "from 0 to 1 positional arguments"
                       least < most ? "s" : plural(most), b->given, were,
                       b->given == 1 && keyword_only == 0 ? "was" : "were");
}

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'" of the unbound ones.
// Always false. `kind` is "positional" or "keyword-only".
static bool missing_arguments(Binding *b, uint32_t from, uint32_t to,
                              const char *kind)
{
    // Counted first: the commas depend on how many there are.
    uint32_t count = 0, seen = 0;
    for (uint32_t i = from; i < to; i++) {
        count += value_unbound(b->window[i]);
    }
    StrBuf list;
    strbuf_init(&list, &b->vm->ctx);
    for (uint32_t i = from; i < to; i++) {
        if (value_unbound(b->window[i])) {
            // "'a' and 'b'", but "'a', 'b', and 'c'".
            const char *before = seen == 0          ? ""
                                 : seen + 1 < count ? ", "
                                 : count == 2       ? " and "
                                                    : ", and ";
            strbuf_printf(&list, "%s'%s'", before,
                          b->code->local_names[i]->text);
            seen++;
        }
    }
    if (strbuf_ok(&list)) {
        raise_error(b->vm, ERR_TYPE,
                    "%s() missing %u required %s argument%s: %s",
                    b->function->qualname->text, count, kind, plural(count),
                    strbuf_text(&list));
    }
    strbuf_free(&list);
    return false;
}

// Takes the keywords' values out of the window, and the extra positional
// ones into *args.
// False: no memory.
static bool clear_behind(Binding *b, uint32_t count)
{
    uint32_t positional = b->code->positional_count;
    // Made before its place is cleared, as that may hold an argument.
    Value extra = VALUE_UNBOUND;
    if (b->code->flags & CODE_VARARGS) {
        uint32_t kept = b->given < positional ? b->given : positional;
        Tuple *tuple = tuple_from(b->vm, b->window + kept, b->given - kept);
        if (tuple == NULL) {
            return false;
        }
        extra = value_from_object(tuple);
    }
    // The keywords' values stand where parameters will be, so they move out.
    for (uint32_t i = b->given; i < count; i++) {
        b->keywords[i - b->given] = b->window[i];
        b->window[i] = VALUE_UNBOUND;
    }
    // Their values are in *args by now, or the call fails later.
    for (uint32_t i = positional; i < b->given; i++) {
        value_replace(&b->vm->ctx, &b->window[i], VALUE_UNBOUND);
    }
    // Registers of parameters behind the arguments must not look bound.
    uint32_t end = b->total > count ? b->total : count;
    for (uint32_t i = b->given; i < end; i++) {
        value_replace(&b->vm->ctx, &b->window[i], VALUE_UNBOUND);
    }
    if (!value_unbound(extra)) {
        value_replace(&b->vm->ctx, &b->window[b->named_count], extra);
    }
    return true;
}

// The parameter of this name among [from, to), -1: none. Names are interned as
// a rule, so the comparison of addresses mostly decides.
static int find_parameter(const Binding *b, Str *name, uint32_t from,
                          uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (b->code->local_names[i] == name ||
            str_equal(b->code->local_names[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool names_keyword(const Binding *b, const Str *name)
{
    for (size_t i = 0; i < b->names->count; i++) {
        if (str_equal(value_as_str(b->names->items[i]), name)) {
            return true;
        }
    }
    return false;
}

// Where keywords have names of positional-only parameters the message is about
// all of those, whichever keyword was met first. Always false.
static bool unexpected_keyword(Binding *b, const Str *name)
{
    StrBuf only;
    strbuf_init(&only, &b->vm->ctx);
    for (uint32_t i = 0; i < b->code->positional_only_count; i++) {
        const Str *own = b->code->local_names[i];
        if (names_keyword(b, own)) {
            strbuf_printf(&only, "%s%s", only.length > 0 ? ", " : "",
                          own->text);
        }
    }
    if (strbuf_ok(&only) && only.length > 0) {
        raise_error(b->vm, ERR_TYPE,
                    "%s() got some positional-only arguments passed as "
                    "keyword arguments: '%s'",
                    b->function->qualname->text, strbuf_text(&only));
    } else if (strbuf_ok(&only)) {
        (void)raise_whole(b->vm, ERR_TYPE,
                          "%s() got an unexpected keyword argument '%s'",
                          b->function->qualname->text, name);
    }
    strbuf_free(&only);
    return false;
}

// Positional-only names are not found here and may go to **kwargs.
// False: an error is pending.
static bool bind_keyword(Binding *b, Str *name, Value *value, Dict *rest)
{
    // The order of registers puts keyword-only parameters behind the positional
    // ones, so one search finds both.
    int at =
        find_parameter(b, name, b->code->positional_only_count, b->named_count);
    if (at < 0) {
        return rest == NULL
                   ? unexpected_keyword(b, name)
                   : dict_set(b->vm, rest, value_from_object(name), *value);
    }
    if (!value_unbound(b->window[at])) {
        return raise_false(b->vm, ERR_TYPE,
                           "%s() got multiple values for argument '%s'",
                           b->function->qualname->text, name->text);
    }
    b->window[at] = *value;
    *value = VALUE_UNBOUND;
    return true;
}

static void tell_keywords(Vm *vm, const Function *function, Dict *keywords)
{
    if (UNLIKELY(vm->trace != NULL)) {
        vm->hooks->keywords(vm, function, keywords);
    }
}

// **kwargs is the last parameter, and gets a dict even if nothing is left.
// False: an error is pending.
static bool bind_keywords(Binding *b)
{
    // NULL: the function has no **kwargs, and unknown names are errors.
    Dict *rest = NULL;
    if (b->code->flags & CODE_VARKEYWORDS) {
        rest = dict_new(b->vm);
        if (rest == NULL) {
            return false;
        }
        b->window[b->total - 1] = value_from_object(rest);
        tell_keywords(b->vm, b->function, rest);
    }
    for (size_t i = 0; b->names != NULL && i < b->names->count; i++) {
        if (!bind_keyword(b, value_as_str(b->names->items[i]), &b->keywords[i],
                          rest)) {
            return false;
        }
    }
    return true;
}

// Missing arguments are told all at once.
// False: an error is pending.
static bool fill_defaults(Binding *b)
{
    uint32_t positional = b->code->positional_count;
    uint32_t defaults = default_count(b), bare = positional - defaults;
    bool used = false;
    for (uint32_t i = 0; i < positional; i++) {
        if (value_unbound(b->window[i])) {
            if (i < bare) {
                return missing_arguments(b, 0, bare, "positional");
            }
            b->window[i] = value_retain(b->function->defaults->items[i - bare]);
            used = true;
        }
    }
    if (used && !note_read(b->vm, b->function, VALUE_NONE,
                           value_from_object(b->function->defaults))) {
        return false;
    }
    Dict *keyword_defaults = b->function->keyword_defaults;
    bool missing = false;
    for (uint32_t i = positional; i < b->named_count; i++) {
        if (value_unbound(b->window[i]) && keyword_defaults != NULL) {
            b->window[i] = value_retain(
                dict_get_name(keyword_defaults, b->code->local_names[i]));
            if (!note_read(b->vm, b->function, VALUE_TRUE,
                           value_from_object(keyword_defaults))) {
                return false;
            }
        }
        missing = missing || value_unbound(b->window[i]);
    }
    return !missing ||
           missing_arguments(b, positional, b->named_count, "keyword-only");
}

// The order of errors is fixed: unexpected and double keywords first, then too
// many arguments, then missing ones.
static bool bind(Binding *b, uint32_t count)
{
    if (!clear_behind(b, count) || !bind_keywords(b)) {
        return false;
    }
    if (b->given > b->code->positional_count &&
        !(b->code->flags & CODE_VARARGS)) {
        return too_many_positional(b);
    }
    return fill_defaults(b);
}

// Positional arguments alone, fewer than the parameters: the missing ones have
// defaults, and there is nothing else to bind. False: not so, nothing done.
// The arguments stand where their parameters are already, so only the gaps are
// filled.
static inline bool bind_defaults(Function *function, Value *window,
                                 uint32_t count)
{
    const Tuple *defaults = function->defaults;
    // plain_count is UINT32_MAX where there is more than positional parameters.
    uint32_t positional = function->code->plain_count;
    if (defaults == NULL || count >= positional || positional == UINT32_MAX ||
        count + defaults->count < positional) {
        return false;
    }
    // Defaults are aligned at the end of the positional parameters.
    const Value *end = defaults->items + defaults->count;
    for (uint32_t i = count; i < positional; i++) {
        window[i] = value_retain(end[(ptrdiff_t)i - (ptrdiff_t)positional]);
    }
    return true;
}

// Keywords and parameters that the quick way takes; the set of parameters is a
// 32-bit word.
enum { NAMED_MOST = 4, NAMED_PARAMETERS = 32 };

// Where the keyword arguments go, as a set of parameters; 0: not all names are
// those of parameters that have got nothing yet. Names are interned, so that
// an address that differs only means that the general way must look.
static uint32_t named_places(const Code *code, uint32_t given,
                             const Tuple *names, uint8_t *places)
{
    uint32_t from = code->positional_only_count, taken = 0;
    from = from < given ? given : from;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t at = from;
        while (at < code->positional_count &&
               !value_same(value_from_object(code->local_names[at]),
                           names->items[i])) {
            at++;
        }
        if (at >= code->positional_count || (taken >> at & 1)) {
            return 0;
        }
        taken |= 1u << at;
        places[i] = (uint8_t)at;
    }
    return taken;
}

// A few keywords for positional parameters, the rest given or with defaults.
// False: not so, nothing done.
static bool bind_named(Function *function, Value *window, uint32_t count,
                       const Tuple *names)
{
    const Code *code = function->code;
    uint32_t positional = code->positional_count;
    uint32_t given = count - (uint32_t)names->count;
    uint32_t defaults =
        function->defaults != NULL ? (uint32_t)function->defaults->count : 0;
    uint8_t places[NAMED_MOST];
    // Only functions without *args, keyword-only parameters and the like:
    // others take the general way.
    if (code->plain_count != positional || names->count > NAMED_MOST ||
        given > positional || positional > NAMED_PARAMETERS ||
        defaults > positional) {
        return false;
    }
    uint32_t taken = named_places(code, given, names, places);
    for (uint32_t i = given; i < positional - defaults; i++) {
        taken = taken >> i & 1 ? taken : 0; // neither given nor a default
    }
    if (taken == 0) {
        return false;
    }
    // The values are set aside first, for they stand where others may go.
    Value values[NAMED_MOST];
    memcpy(values, window + given, names->count * sizeof *values);
    for (uint32_t i = given; i < positional; i++) {
        if (!(taken >> i & 1)) {
            window[i] = value_retain(
                function->defaults->items[i - (positional - defaults)]);
        }
    }
    for (size_t i = 0; i < names->count; i++) {
        window[places[i]] = values[i];
    }
    return true;
}

bool call_bind_quick(Function *function, Value *window, uint32_t count,
                     const Tuple *keyword_names)
{
    return keyword_names == NULL
               ? bind_defaults(function, window, count)
               : keyword_names->count > 0 &&
                     bind_named(function, window, count, keyword_names);
}

static bool none_named(const Code *code, const Tuple *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const Str *name = value_as_str(names->items[i]);
        for (uint32_t at = 0; at < code->positional_count; at++) {
            if (code->local_names[at] == name ||
                str_equal(code->local_names[at], name)) {
                return false;
            }
        }
    }
    return true;
}

// The values at `window`, by their names, as a dict; NULL: failed.
static Dict *named_rest(Vm *vm, const Value *window, const Tuple *names)
{
    Dict *rest = dict_new(vm);
    for (size_t i = 0; rest != NULL && names != NULL && i < names->count; i++) {
        if (!dict_set(vm, rest, names->items[i], window[i])) {
            object_release(&vm->ctx, rest);
            rest = NULL;
        }
    }
    return rest;
}

// What a function with *args or **kwargs that hands its arguments on is called
// with: all positional parameters are given, and each name goes to **kwargs. 1:
// bound; 0: not so; -1: no memory. Unless it is bound nothing has changed.
static int bind_rest(Vm *vm, Function *function, Value *window, uint32_t count,
                     const Tuple *names)
{
    const Code *code = function->code;
    bool starred = code->flags & CODE_VARARGS;
    bool named = code->flags & CODE_VARKEYWORDS;
    uint32_t positional = code->positional_count;
    uint32_t given = count - (names != NULL ? (uint32_t)names->count : 0);
    if (!(starred || named) || code->keyword_only_count > 0 ||
        given < positional || (given > positional && !starred) ||
        (names != NULL && names->count > 0 &&
         !(named && none_named(code, names)))) {
        return 0;
    }
    Dict *rest = named ? named_rest(vm, window + given, names) : NULL;
    if (named && rest == NULL) {
        return -1;
    }
    // Moves the extra arguments, so that nothing may fail behind it.
    Tuple *extra = !starred              ? NULL
                   : given == positional ? tuple_new(vm, 0)
                                         : tuple_take(vm, window + positional,
                                                      given - positional);
    if (starred && extra == NULL) {
        object_release_null(&vm->ctx, rest);
        return -1;
    }
    for (uint32_t i = positional; i < given; i++) {
        window[i] = VALUE_UNBOUND;
    }
    for (uint32_t i = given; i < count; i++) {
        value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
    }
    if (starred) {
        window[positional++] = value_from_object(extra);
    }
    if (named) {
        window[positional] = value_from_object(rest);
        tell_keywords(vm, function, rest);
    }
    return 1;
}

// On failure the whole window is empty.
bool call_bind(Vm *vm, Function *function, Value *window, uint32_t count,
               Tuple *keyword_names)
{
    const Code *code = function->code;
    // A trace is told of the defaults that it takes.
    if (vm->trace == NULL &&
        call_bind_quick(function, window, count, keyword_names)) {
        return true;
    }
    int bound = bind_rest(vm, function, window, count, keyword_names);
    if (bound != 0) {
        for (uint32_t i = 0; bound < 0 && i < count; i++) {
            value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
        }
        return bound > 0;
    }
    uint32_t keywords =
        keyword_names != NULL ? (uint32_t)keyword_names->count : 0;
    uint32_t named =
        (uint32_t)code->positional_count + code->keyword_only_count;
    Binding b = {.vm = vm,
                 .function = function,
                 .code = code,
                 .window = window,
                 .given = count - keywords,
                 .names = keyword_names,
                 .named_count = named,
                 .total = named + !!(code->flags & CODE_VARARGS) +
                          !!(code->flags & CODE_VARKEYWORDS)};
    Value space[8];
    b.keywords =
        keywords <= 8 ? space : ctx_alloc(&vm->ctx, keywords * sizeof(Value));
    bool done = b.keywords != NULL;
    if (done) {
        for (uint32_t i = 0; i < keywords; i++) {
            b.keywords[i] = VALUE_UNBOUND;
        }
        done = bind(&b, count);
        // What bind_keyword took is UNBOUND by now.
        for (uint32_t i = 0; i < keywords; i++) {
            value_release(&vm->ctx, b.keywords[i]);
        }
        if (b.keywords != space) {
            ctx_free(&vm->ctx, b.keywords, keywords * sizeof(Value));
        }
    }
    // After a failure the window is emptied, whatever of it had moved.
    uint32_t end = b.total > count ? b.total : count;
    for (uint32_t i = 0; !done && i < end; i++) {
        value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
    }
    return done;
}
