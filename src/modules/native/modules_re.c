// The native half of the module re: compiling. What is cached, and the flags
// as an enumeration, is written in Duet (lib/python/re.duet).
#include "base/utf8.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"
#include "modules/native/re_object.h"

// The characters of a pattern. NULL: failed; the caller frees `size` bytes.
// The parser of patterns reads characters by number and goes back at will,
// which UTF-8 would make slow.
static uint32_t *code_points(Vm *vm, const ReSubject *source, size_t *count,
                             size_t *size)
{
    // One too many, so that the empty pattern has some memory.
    *size = (source->length + 1) * sizeof(uint32_t);
    uint32_t *points = ctx_alloc(&vm->ctx, *size);
    *count = 0;
    for (size_t at = 0; points != NULL && at < source->length; ++*count) {
        // A byte is its own code, in bytes and in ASCII text.
        points[*count] = (unsigned char)source->text[at];
        at += source->narrow
                  ? 1
                  : utf8_decode(source->text + at, source->length - at,
                                &points[*count]);
    }
    return points;
}

// The repr of the name that a fault shows, as an error in bytes does it: with
// escapes alone.
// Owned; NULL: an error is pending.
static Str *fault_name(Vm *vm, const RegexFault *fault, const uint32_t *points,
                       bool is_text)
{
    StrBuf name;
    strbuf_init(&name, &vm->ctx);
    for (size_t i = fault->name_start; i < fault->name_end; i++) {
        strbuf_codepoint(&name, points[i]);
    }
    Str *text = str_from_buf(vm, &name);
    Str *shown = text == NULL ? NULL
                 : is_text    ? value_repr(vm, str_value(text))
                              : value_ascii(vm, str_value(text));
    object_release_null(&vm->ctx, text);
    return shown;
}

// The name stands in the middle of some texts, "group name 'n' as group 2".
// Owned; NULL: an error is pending.
static Str *fault_text(Vm *vm, const RegexFault *fault, const uint32_t *points,
                       bool is_text)
{
    const char *text = strbuf_text(&fault->text);
    // No name in it.
    if (fault->name_at == SIZE_MAX) {
        return str_new(vm, text, fault->text.length);
    }
    Str *name = fault_name(vm, fault, points, is_text);
    Str *whole = name == NULL
                     ? NULL
                     : str_printf(vm, "%.*s%s%s", (int)fault->name_at, text,
                                  name->text, text + fault->name_at);
    object_release_null(&vm->ctx, name);
    return whole;
}

// As an exception. False.
static bool raise_fault(Vm *vm, const RegexFault *fault, const uint32_t *points,
                        const ReSubject *source)
{
    switch (fault->kind) {
    case REGEX_FAULT_PATTERN:
        if (!strbuf_ok(&fault->text)) {
            return false;
        }
        // What the compiler finds has no place.
        return re_raise(vm, fault_text(vm, fault, points, source->is_text),
                        fault->position == SIZE_MAX ? VALUE_NONE
                                                    : source->string,
                        fault->position);
    case REGEX_FAULT_FLAGS:
        return raise_false(vm, ERR_VALUE, "%s", strbuf_text(&fault->text));
    case REGEX_FAULT_OVERFLOW:
        return raise_false(vm, ERR_OVERFLOW, "%s", strbuf_text(&fault->text));
    // The context's own error: memory, Ctrl-C, depth.
    default: return false;
    }
}

// groupindex. NULL: failed.
// Numbers by name, in the order of the groups.
static Dict *group_names(Vm *vm, const Regex *regex)
{
    Dict *groups = dict_new(vm);
    for (uint32_t i = 1; groups != NULL && i <= regex_group_count(regex); i++) {
        const char *text = regex_group_name(regex, i);
        // A group without a name is reached by its number alone.
        if (text == NULL) {
            continue;
        }
        Str *name = str_intern(vm, text, strlen(text));
        bool ok = name != NULL &&
                  dict_set(vm, groups, str_value(name), value_from_small(i));
        object_release_null(&vm->ctx, name);
        if (!ok) {
            object_release(&vm->ctx, groups);
            return NULL;
        }
    }
    return groups;
}

// Takes the regex, even on failure.
// The pattern holds its source, for repr() and `pattern`.
static Value pattern_new(Vm *vm, Regex *regex, const ReSubject *source)
{
    Type *cls = type_variant(vm, &re_pattern_type_def, "Pattern");
    Type *match = type_variant(vm, &re_match_type_def, "Match");
    Dict *groups = cls == NULL || match == NULL ? NULL : group_names(vm, regex);
    RePattern *pattern =
        groups == NULL ? NULL : object_new(vm, cls, sizeof *pattern);
    if (pattern == NULL) {
        object_release_null(&vm->ctx, groups);
        regex_free(&vm->ctx, regex);
        return VALUE_FAIL;
    }
    pattern->source = value_retain(source->string);
    pattern->regex = regex;
    pattern->groups = groups;
    pattern->match_type = match;
    pattern->is_text = source->is_text;
    return value_from_object(pattern);
}

// compile_pattern(source, flags): a Pattern.
// The flags were joined by the module in Duet, which also keeps what was
// compiled before.
static Value compile_pattern(Vm *vm, Value *args)
{
    ReSubject source;
    int64_t flags;
    RegexFault fault;
    size_t length, size;
    if (!value_to_index(vm, args[1], &flags) ||
        !re_subject(vm, args[0], &source)) {
        return VALUE_FAIL;
    }
    uint32_t *points = code_points(vm, &source, &length, &size);
    if (points == NULL) {
        return VALUE_FAIL;
    }
    Regex *regex = regex_compile(&vm->ctx, points, length, source.is_text,
                                 (uint32_t)flags, &fault);
    bool ok = regex != NULL || raise_fault(vm, &fault, points, &source);
    strbuf_free(&fault.text);
    ctx_free(&vm->ctx, points, size);
    return ok ? pattern_new(vm, regex, &source) : VALUE_FAIL;
}

// warnings_of(pattern): [(text, position), ...]
static Value warnings_of(Vm *vm, Value *args)
{
    size_t warnings = 0;
    const RegexWarning *all =
        regex_warnings(value_as_pattern(args[0])->regex, &warnings);
    // The module in Duet raises them as warnings, at the caller's line.
    List *list = list_new(vm, 0);
    for (size_t i = 0; list != NULL && i < warnings; i++) {
        Str *text =
            str_printf(vm, "%s at position %zu", all[i].text, all[i].position);
        if (text == NULL || !list_append_owned(vm, list, str_value(text))) {
            object_release(&vm->ctx, list);
            list = NULL;
        }
    }
    return value_or_fail(list);
}

static const NativeDef functions[] = {
    {"compile_pattern", "source, flags, /", compile_pattern,
     "A Pattern of a str or bytes."},
    {"warnings_of", "pattern, /", warnings_of,
     "What is doubtful in a Pattern, as texts."},
    {NULL, NULL, NULL, NULL}};

// The two classes, which nobody makes by calling them.
// False: an error is pending.
static bool add_types(Vm *vm, Dict *dict)
{
    Type *pattern = type_variant(vm, &re_pattern_type_def, "Pattern");
    Type *match = type_variant(vm, &re_match_type_def, "Match");
    return pattern != NULL && match != NULL &&
           module_add(vm, dict, "Pattern",
                      value_from_object(object_retain(pattern))) &&
           module_add(vm, dict, "Match",
                      value_from_object(object_retain(match)));
}

const ModuleDef re_module = {.name = "re",
                             .doc = "Regular expressions.",
                             .functions = functions,
                             .init = add_types};
