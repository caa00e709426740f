// Pattern.sub and Pattern.subn.
#include "interp/objects/text/obj_bytes.h"
#include "modules/native/re_object.h"

// One replacing of all matches in a text.
// On the C stack for one call; pattern, text and replacement are held by the
// call's arguments.
typedef struct Replacing {
    RePattern *pattern;
    ReSubject subject;
    RegexRun run;
    Value replacement;   // as given
    bool called;         // it is a function of the match
    ReTemplate template; // else, taken apart
    StrBuf out;
    size_t copied; // bytes of the subject that `out` accounts for
    size_t pieces; // as errors count them
    int64_t count; // replacements made
} Replacing;

// A piece that is not of the subject's kind, as joining them reports it.
// False, always. The message counts pieces as if they were joined at the end;
// `pieces` keeps that count without the list.
static bool fail_piece(Vm *vm, const Replacing *r, Value piece)
{
    return raise_false(vm, ERR_TYPE,
                       r->subject.is_text
                           ? "sequence item %zu: expected str instance, %s "
                             "found"
                           : "sequence item %zu: expected a bytes-like "
                             "object, %s found",
                       r->pieces, type_name(type_of(vm, piece)));
}

// What a function returned: a text, or None for nothing.
// False: an error is pending. The text is copied, so the result can be released
// at once.
static bool add_result(Vm *vm, Replacing *r, Value result)
{
    ReSubject piece;
    // None counts as no piece.
    if (value_is_none(result)) {
        return true;
    }
    if (!value_is_kind(result, r->subject.is_text ? KIND_STR : KIND_BYTES)) {
        return fail_piece(vm, r, result);
    }
    r->pieces++;
    if (!re_subject(vm, result, &piece)) {
        return false;
    }
    strbuf_add(&r->out, piece.text, piece.length);
    return true;
}

// The function may do anything; pattern and text are held by the arguments.
// The match sees the whole text as its range.
static bool add_called(Vm *vm, Replacing *r)
{
    size_t count = r->subject.is_text ? value_as_str(r->subject.string)->count
                                      : r->subject.length;
    // A new one for each: the program may keep it.
    Value match = re_match_new(vm, r->pattern, &r->subject, &r->run, 0, count);
    if (value_failed(match)) {
        return false;
    }
    Value result = vm_call(vm, r->replacement, &match, 1);
    release(vm, match);
    bool ok = !value_failed(result) && add_result(vm, r, result);
    release(vm, result);
    return ok;
}

// Straight from the run: no match object is made.
// Memory that runs out is seen once, in result_of.
static void add_expanded(Replacing *r)
{
    for (size_t i = 0; i < r->template.parts.count; i++) {
        const RePart *part = &r->template.parts.items[i];
        if (part->group == UINT32_MAX) {
            strbuf_add(&r->out,
                       strbuf_text(&r->template.literals) + part->start,
                       part->length);
            continue;
        }
        const char *from = r->run.marks[2 * part->group];
        const char *to = r->run.marks[2 * part->group + 1];
        // A group that took no part is replaced by nothing, since Python 3.5.
        if (from != NULL && to != NULL) {
            strbuf_add(&r->out, from, (size_t)(to - from));
        }
    }
}

// The text before the match that was found, then what replaces it.
// An empty match adds no text before it if it stands where the last one ended.
static bool replace_one(Vm *vm, Replacing *r)
{
    size_t start = (size_t)(r->run.marks[0] - r->subject.text);
    if (start > r->copied) {
        strbuf_add(&r->out, r->subject.text + r->copied, start - r->copied);
        r->pieces++;
    }
    // Before the call, which cannot change the text but may fail.
    r->copied = (size_t)(r->run.marks[1] - r->subject.text);
    if (r->called) {
        return strbuf_ok(&r->out) && add_called(vm, r);
    }
    // Only now: without a match any kind will do.
    if (value_is_str(r->replacement) != r->subject.is_text) {
        return fail_piece(vm, r, r->replacement);
    }
    add_expanded(r);
    return true;
}

// The run goes on behind each match, so the text is walked once.
// `most` of 0 means all. A negative one is never reached either, since the
// loop's test is for less: nothing is replaced then.
static bool replace_all(Vm *vm, Replacing *r, int64_t most)
{
    int found = 1;
    while (found > 0 && (most == 0 || r->count < most)) {
        found = regex_search(&r->run);
        if (found > 0) {
            if (!replace_one(vm, r)) {
                return false;
            }
            r->count++;
            // Behind an empty match the next one may begin at the same place if
            // it is not empty.
            re_run_advance(&r->run);
        }
    }
    // What stands behind the last match; without any the text is not copied.
    if (r->count > 0) {
        strbuf_add(&r->out, r->subject.text + r->copied,
                   r->subject.length - r->copied);
    }
    return found >= 0 && strbuf_ok(&r->out);
}

// A function is called; a text is taken apart. Whether it is of the subject's
// kind matters only once something is replaced.
// False: an error is pending. The template is set up in any case, so that
// freeing it is safe.
static bool take_replacement(Vm *vm, Replacing *r, Value replacement)
{
    r->replacement = replacement;
    r->called = value_is_callable(vm, replacement);
    r->template = (ReTemplate){.parts = {0}};
    strbuf_init(&r->template.literals, &vm->ctx);
    if (r->called) {
        return true;
    }
    // A template has to be a key of a cache: what cannot be hashed fails as
    // that.
    uint64_t hash;
    return (value_is_str(replacement) ||
            value_is_kind(replacement, KIND_BYTES) ||
            value_hash(vm, replacement, &hash)) &&
           re_template_parse(vm, &r->template, r->pattern, replacement);
}

// Without a match the text itself is the result.
// A subclass's text comes out as plain text of the same content (re_slice).
static Value result_of(Vm *vm, Replacing *r)
{
    if (r->count == 0) {
        return re_slice(vm, &r->subject, 0, r->subject.length);
    }
    if (!strbuf_ok(&r->out)) {
        return VALUE_FAIL;
    }
    if (!r->subject.is_text) {
        return bytes_value(vm, strbuf_text(&r->out), r->out.length);
    }
    return value_or_fail(str_new(vm, strbuf_text(&r->out), r->out.length));
}

// args are self, repl, string, count; *made is how many were replaced. They
// fail in a fixed order: the count, the template, and only then the string.
// Owned; VALUE_FAIL with an error pending.
static Value substitute(Vm *vm, Value *args, int64_t *made)
{
    Replacing r;
    int64_t most = 0;
    r.pattern = value_as_pattern(args[0]);
    r.copied = r.pieces = 0;
    r.count = 0;
    if (!value_unbound(args[3]) && !value_to_index(vm, args[3], &most)) {
        return VALUE_FAIL;
    }
    // From here on all that is freed below has been set up.
    strbuf_init(&r.out, &vm->ctx);
    Value result = VALUE_FAIL;
    if (take_replacement(vm, &r, args[1]) &&
        re_subject_for(vm, r.pattern, args[2], &r.subject)) {
        if (re_run_begin(vm, &r.run, r.pattern, &r.subject) &&
            replace_all(vm, &r, most)) {
            result = result_of(vm, &r);
        }
        regex_run_free(&r.run);
    }
    strbuf_free(&r.out);
    re_template_free(vm, &r.template);
    *made = r.count;
    return result;
}

static Value pattern_sub(Vm *vm, Value *args)
{
    int64_t made;
    return substitute(vm, args, &made);
}

static Value pattern_subn(Vm *vm, Value *args)
{
    int64_t made;
    Value text = substitute(vm, args, &made);
    if (value_failed(text)) {
        return VALUE_FAIL;
    }
    Value both[] = {text, value_from_small(made)};
    Tuple *pair = tuple_from(vm, both, 2);
    release(vm, text);
    return value_or_fail(pair);
}

const NativeDef re_pattern_sub_methods[] = {
    {"sub", "self, /, repl, string, count=0", pattern_sub,
     "The text with all matches replaced, by a template or a function."},
    {"subn", "self, /, repl, string, count=0", pattern_subn,
     "(sub(...), how many were replaced)."},
    {NULL, NULL, NULL, NULL}};
