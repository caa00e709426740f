// What patterns and matches share: subjects, slices, positions, errors.
#include "base/utf8.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"
#include "modules/native/re_object.h"

// The text is borrowed: the caller holds the object while it searches.
// False with a TypeError pending. narrow: every character is one byte, so
// places need no counting.
bool re_subject(Vm *vm, Value string, ReSubject *subject)
{
    subject->string = string;
    if (value_is_str(string)) {
        const Str *str = value_as_str(string);
        subject->text = str->text;
        subject->length = str->length;
        subject->is_text = true;
        subject->narrow = str->count == str->length;
        return true;
    }
    if (!value_is_kind(string, KIND_BYTES)) {
        return raise_false(vm, ERR_TYPE,
                           "expected string or bytes-like object, got '%s'",
                           type_name(type_of(vm, string)));
    }
    subject->text = bytes_text(string);
    subject->length = bytes_length(string);
    subject->is_text = false;
    subject->narrow = true;
    return true;
}

// A str pattern has no meaning on bytes, nor the other way round.
// False with a TypeError pending.
bool re_subject_for(Vm *vm, const RePattern *pattern, Value string,
                    ReSubject *subject)
{
    if (!re_subject(vm, string, subject)) {
        return false;
    }
    if (pattern->is_text && !subject->is_text) {
        return raise_false(vm, ERR_TYPE,
                           "cannot use a string pattern on a "
                           "bytes-like object");
    }
    if (!pattern->is_text && subject->is_text) {
        return raise_false(vm, ERR_TYPE,
                           "cannot use a bytes pattern on a "
                           "string-like object");
    }
    return true;
}

// The whole of a plain str or bytes is that object itself.
// Owned; VALUE_FAIL: no memory. from and to lie between characters.
Value re_slice(Vm *vm, const ReSubject *subject, size_t from, size_t to)
{
    Kind kind = subject->is_text ? KIND_STR : KIND_BYTES;
    if (from == 0 && to == subject->length &&
        value_object(subject->string)->type == vm->types[kind]) {
        return value_retain(subject->string);
    }
    if (!subject->is_text) {
        return bytes_value(vm, subject->text + from, to - from);
    }
    return value_or_fail(
        subject->narrow ? str_new_ascii(vm, subject->text + from, to - from)
                        : str_new(vm, subject->text + from, to - from));
}

// A long text that is not ASCII gets an index when it is first asked
// (obj_str.c).
// A place in characters for one in bytes.
size_t re_index(Vm *vm, const ReSubject *subject, size_t offset)
{
    return subject->narrow
               ? offset
               : str_index_of(vm, value_as_str(subject->string), offset);
}

// Fields are set one by one: the run is large, and most of it need not be
// cleared.
// The run borrows pattern and subject; regex_run_free ends it. False: no
// memory.
bool re_run_begin(Vm *vm, RegexRun *run, const RePattern *pattern,
                  const ReSubject *subject)
{
    run->ctx = &vm->ctx;
    run->regex = pattern->regex;
    run->begin = run->start = subject->text;
    run->end = subject->text + subject->length;
    run->not_at = NULL;
    run->narrow = subject->narrow;
    run->whole = false;
    return regex_run_init(run);
}

// An empty match does not count where the last one ended, if that was empty
// too: the search would stay there.
// `not_at` names the one place at which an empty match is refused; a match of
// some length may begin there.
void re_run_advance(RegexRun *run)
{
    run->not_at = run->marks[0] == run->marks[1] ? run->marks[1] : NULL;
    run->start = run->marks[1];
}

// No match object is needed for findall and split.
// Owned; `none` is retained where the group took no part.
Value re_run_group(Vm *vm, const ReSubject *subject, const RegexRun *run,
                   uint32_t group, Value none)
{
    const char *from = run->marks[2 * group], *to = run->marks[2 * group + 1];
    if (from == NULL || to == NULL) {
        return value_retain(none);
    }
    return re_slice(vm, subject, (size_t)(from - subject->text),
                    (size_t)(to - subject->text));
}

// The module's own class, which is written in Duet.
// False, always. Takes `text`, which may be NULL with an error pending.
// SIZE_MAX: without a place.
bool re_raise(Vm *vm, Str *text, Value pattern, size_t position)
{
    if (text != NULL) {
        Value args[] = {str_value(text), pattern,
                        position == SIZE_MAX
                            ? VALUE_NONE
                            : value_from_small((int64_t)position)};
        Value made = library_call(vm, "re", "error", args, 3);
        if (!value_failed(made)) {
            raise_object(vm, made);
        }
    }
    object_release_null(&vm->ctx, text);
    return false;
}
