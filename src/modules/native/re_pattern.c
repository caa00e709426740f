// The type re.Pattern: searching, splitting, attributes. Replacing is in
// re_sub.c.
#include "interp/objects/classes/obj_proxy.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"
#include "modules/native/re_object.h"

// --- searching once ---

// What the methods that search work on. Borrows all but the run.
typedef struct PatternScan {
    RePattern *pattern;
    ReSubject subject;
    RegexRun run;
    size_t pos, endpos; // characters
} PatternScan;

// `at` as a place in a text of `count` characters: values beyond it are
// clipped, as slices do.
static size_t clipped(int64_t at, size_t count)
{
    return at < 0 ? 0 : (size_t)at > count ? count : (size_t)at;
}

// `range`: pos and endpos as given. They are clipped to the subject, in
// characters; then, as bytes, they are the ends of the run.
static void set_range(Vm *vm, PatternScan *scan, const int64_t range[2])
{
    const ReSubject *subject = &scan->subject;
    size_t count = subject->is_text ? value_as_str(subject->string)->count
                                    : subject->length;
    size_t from = scan->pos = clipped(range[0], count);
    size_t to = scan->endpos = clipped(range[1], count);
    if (from != 0 || to != count) {
        if (!subject->narrow) {
            from = str_offset(vm, value_as_str(subject->string), from);
            to = str_offset(vm, value_as_str(subject->string), to);
        }
        scan->run.start = subject->text + from;
        scan->run.end = subject->text + to;
    }
}

// args are self and string; `range` are pos and endpos, NULL: the method has
// none. Numbers are read before the string is looked at. False: nothing is left
// to be freed; else regex_run_free ends the run.
static bool scan_begin(Vm *vm, PatternScan *scan, Value *args, Value *range)
{
    int64_t ends[2] = {0, INT64_MAX};
    scan->pattern = value_as_pattern(args[0]);
    for (int i = 0; range != NULL && i < 2; i++) {
        if (!value_unbound(range[i]) &&
            !value_to_index(vm, range[i], &ends[i])) {
            return false;
        }
    }
    if (!re_subject_for(vm, scan->pattern, args[1], &scan->subject)) {
        return false;
    }
    if (re_run_begin(vm, &scan->run, scan->pattern, &scan->subject)) {
        set_range(vm, scan, ends);
        return true;
    }
    regex_run_free(&scan->run);
    return false;
}

static Value find_once(Vm *vm, Value *args, bool search, bool whole)
{
    PatternScan scan;
    if (!scan_begin(vm, &scan, args, args + 2)) {
        return VALUE_FAIL;
    }
    RegexRun *run = &scan.run;
    run->whole = whole;
    // Nothing, not even the empty text, is between crossed ends.
    int found = run->start > run->end ? 0
                : search              ? regex_search(run)
                                      : regex_match(run);
    Value result = found < 0    ? VALUE_FAIL
                   : found == 0 ? VALUE_NONE
                                : re_match_new(vm, scan.pattern, &scan.subject,
                                               run, scan.pos, scan.endpos);
    regex_run_free(run);
    return result;
}

// At pos only; the rest of the text may be anything. Only the three differ in
// the two flags.
static Value pattern_match(Vm *vm, Value *args)
{
    return find_once(vm, args, false, false);
}

static Value pattern_fullmatch(Vm *vm, Value *args)
{
    return find_once(vm, args, false, true);
}

static Value pattern_search(Vm *vm, Value *args)
{
    return find_once(vm, args, true, false);
}

// --- searching on ---

// What findall gives for a match: the whole, the group, or all groups. The
// whole match if the pattern has no groups, the one group if it has one.
// `empty` stands for what took no part.
static Value found_item(Vm *vm, const ReSubject *subject, const RegexRun *run,
                        Value empty)
{
    uint32_t groups = (uint32_t)run->mark_count / 2 - 1;
    if (groups <= 1) {
        return re_run_group(vm, subject, run, groups, empty);
    }
    Tuple *all = tuple_new(vm, groups);
    for (uint32_t i = 0; all != NULL && i < groups; i++) {
        all->items[i] = re_run_group(vm, subject, run, i + 1, empty);
        if (value_failed(all->items[i])) {
            all->items[i] = VALUE_UNBOUND;
            object_release(&vm->ctx, all);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(all);
}

// The empty str or bytes, for groups that took no part. Owned; the groups of
// findall are texts in any case, never None.
static Value empty_of(Vm *vm, const ReSubject *subject)
{
    return subject->is_text ? value_retain(str_value(vm->empty_str))
                            : bytes_value(vm, "", 0);
}

static Value pattern_findall(Vm *vm, Value *args)
{
    PatternScan scan;
    if (!scan_begin(vm, &scan, args, args + 2)) {
        return VALUE_FAIL;
    }
    List *all = list_new(vm, 0);
    // Made once for all groups that take no part.
    Value empty = all == NULL ? VALUE_FAIL : empty_of(vm, &scan.subject);
    int found = value_failed(empty) ? -1 : 1;
    while (found > 0 && scan.run.start <= scan.run.end) {
        found = regex_search(&scan.run);
        if (found > 0) {
            Value item = found_item(vm, &scan.subject, &scan.run, empty);
            if (value_failed(item) || !list_append_owned(vm, all, item)) {
                found = -1;
            }
            re_run_advance(&scan.run);
        }
    }
    regex_run_free(&scan.run);
    release(vm, empty);
    if (found < 0) {
        object_release_null(&vm->ctx, all);
        return VALUE_FAIL;
    }
    return value_from_object(all);
}

// The iterator's state: pattern, string, pos and endpos; `position` is the byte
// to go on at, `expected` 1 + the byte where an empty match does not count. At
// the end, the string is let go. The run is set up anew for each step: between
// two of them the program may do anything.
static Value finditer_step(Vm *vm, Iterator *self)
{
    ReSubject subject;
    RegexRun run;
    if (value_unbound(self->state[1])) {
        return VALUE_STOP;
    }
    RePattern *pattern = value_as_pattern(self->state[0]);
    size_t endpos = (size_t)value_small(self->state[3]);
    if (!re_subject(vm, self->state[1], &subject)) {
        return VALUE_FAIL;
    }
    int found = -1;
    if (re_run_begin(vm, &run, pattern, &subject)) {
        size_t end = subject.narrow
                         ? endpos
                         : str_offset(vm, value_as_str(subject.string), endpos);
        run.start = subject.text + self->position;
        run.end = subject.text + end;
        // The state of the last search, put back.
        run.not_at =
            self->expected == 0 ? NULL : subject.text + (self->expected - 1);
        found = run.start > run.end ? 0 : regex_search(&run);
    }
    Value result = VALUE_FAIL;
    if (found > 0) {
        result = re_match_new(vm, pattern, &subject, &run,
                              (size_t)value_small(self->state[2]), endpos);
        re_run_advance(&run);
        self->position = (uint64_t)(run.start - subject.text);
        self->expected =
            run.not_at == NULL ? 0 : (uint64_t)(run.not_at - subject.text) + 1;
    } else if (found == 0) {
        value_replace(&vm->ctx, &self->state[1], VALUE_UNBOUND);
        result = VALUE_STOP;
    }
    regex_run_free(&run);
    return result;
}

// Lazy: each match is searched for when it is asked for. The pattern is held by
// the iterator.
static Value pattern_finditer(Vm *vm, Value *args)
{
    PatternScan scan;
    // The run says only where the first search begins; each step has its own.
    if (!scan_begin(vm, &scan, args, args + 2)) {
        return VALUE_FAIL;
    }
    const char *start = scan.run.start;
    regex_run_free(&scan.run);
    Iterator *self = iterator_new(vm, &iterator_plain_def, "callable_iterator",
                                  finditer_step);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->state[0] = value_retain(args[0]);
    self->state[1] = value_retain(args[1]);
    self->state[2] = value_from_small((int64_t)scan.pos);
    self->state[3] = value_from_small((int64_t)scan.endpos);
    self->position = (uint64_t)(start - scan.subject.text);
    return value_from_object(self);
}

// The text between the last match and this one, then its groups. Groups that
// took no part are None.
static bool add_split(Vm *vm, List *all, const ReSubject *subject,
                      const RegexRun *run, size_t last)
{
    size_t start = (size_t)(run->marks[0] - subject->text);
    Value item = re_slice(vm, subject, last, start);
    for (uint32_t i = 1; 2 * i <= run->mark_count; i++) {
        if (value_failed(item) || !list_append_owned(vm, all, item)) {
            return false;
        }
        if (2 * i < run->mark_count) {
            item = re_run_group(vm, subject, run, i, VALUE_NONE);
        }
    }
    return true;
}

// A pattern that can be empty splits between characters as well. `most` 0: as
// often as it matches.
static Value pattern_split(Vm *vm, Value *args)
{
    PatternScan scan;
    int64_t most = 0;
    if ((!value_unbound(args[2]) && !value_to_index(vm, args[2], &most)) ||
        !scan_begin(vm, &scan, args, NULL)) {
        return VALUE_FAIL;
    }
    RegexRun *run = &scan.run;
    List *all = list_new(vm, 0);
    size_t last = 0;
    // -1 also stands for the list that could not be made.
    int found = all == NULL ? -1 : 1;
    for (int64_t n = 0; found > 0 && (most == 0 || n < most); n++) {
        found = regex_search(run);
        if (found > 0) {
            found = add_split(vm, all, &scan.subject, run, last) ? 1 : -1;
            // From here on run->start is the end of this match.
            re_run_advance(run);
            last = (size_t)(run->start - scan.subject.text);
        }
    }
    regex_run_free(run);
    Value rest = found < 0
                     ? VALUE_FAIL
                     : re_slice(vm, &scan.subject, last, scan.subject.length);
    if (value_failed(rest) || !list_append_owned(vm, all, rest)) {
        object_release_null(&vm->ctx, all);
        return VALUE_FAIL;
    }
    return value_from_object(all);
}

// --- the object ---

// Nothing in a pattern can refer back to it. Matches hold their pattern, so
// none of them is left.
static void pattern_destroy(Vm *vm, Object *self)
{
    RePattern *pattern = (RePattern *)self;
    release(vm, pattern->source);
    object_release(&vm->ctx, pattern->groups);
    regex_free(&vm->ctx, pattern->regex);
    object_free(vm, pattern, sizeof *pattern);
}

// re.compile() makes them, so that each is in the cache.
static Value pattern_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls, (void)args, (void)keywords;
    return raise_error(vm, ERR_TYPE, "cannot create 're.Pattern' instances");
}

// " | "-joined names of flags, in a fixed order; the rest in hexadecimal.
static void print_flags(StrBuf *out, uint32_t flags)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } names[] = {
        {"re.TEMPLATE", REGEX_TEMPLATE}, {"re.IGNORECASE", REGEX_IGNORECASE},
        {"re.LOCALE", REGEX_LOCALE},     {"re.MULTILINE", REGEX_MULTILINE},
        {"re.DOTALL", REGEX_DOTALL},     {"re.UNICODE", REGEX_UNICODE},
        {"re.VERBOSE", REGEX_VERBOSE},   {"re.DEBUG", REGEX_DEBUG},
        {"re.ASCII", REGEX_ASCII}};
    const char *before = ", ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (flags & names[i].flag) {
            strbuf_puts(out, before);
            strbuf_puts(out, names[i].name);
            before = "|";
            flags &= ~names[i].flag;
        }
    }
    if (flags != 0) {
        strbuf_printf(out, "%s0x%x", before, flags);
    }
}

static Value pattern_repr(Vm *vm, Value self)
{
    const RePattern *pattern = value_as_pattern(self);
    Str *shown = value_repr(vm, pattern->source);
    if (shown == NULL) {
        return VALUE_FAIL;
    }
    uint32_t flags = regex_flags(pattern->regex);
    if (pattern->is_text && (flags & (REGEX_LOCALE | REGEX_UNICODE |
                                      REGEX_ASCII)) == REGEX_UNICODE) {
        flags &= ~(uint32_t)REGEX_UNICODE;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, "re.compile(");
    strbuf_add(&out, shown->text, str_offset(vm, shown, 200));
    print_flags(&out, flags);
    strbuf_putc(&out, ')');
    object_release(&vm->ctx, shown);
    return value_or_fail(str_from_buf(vm, &out));
}

// By what was compiled, not by identity: the cache may have lost one of two.
static Value pattern_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        type_of(vm, a)->def != &re_pattern_type_def ||
        type_of(vm, b)->def != &re_pattern_type_def) {
        return VALUE_NOT_IMPLEMENTED;
    }
    const RePattern *left = value_as_pattern(a), *right = value_as_pattern(b);
    int equal = left->is_text == right->is_text &&
                        regex_flags(left->regex) == regex_flags(right->regex)
                    ? value_equal(vm, left->source, right->source)
                    : 0;
    return equal < 0 ? VALUE_FAIL
                     : value_from_bool((equal != 0) == (op == COMPARE_EQ));
}

static bool pattern_hash(Vm *vm, Value self, uint64_t *hash)
{
    const RePattern *pattern = value_as_pattern(self);
    if (!value_hash(vm, pattern->source, hash)) {
        return false;
    }
    *hash ^= (uint64_t)regex_flags(pattern->regex) << 8 ^
             regex_group_count(pattern->regex);
    return true;
}

// A pattern never changes.
static Value pattern_copy(Vm *vm, Value *args)
{
    (void)vm;
    return value_retain(args[0]);
}

// --- attributes ---

static Value get_pattern(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(value_as_pattern(self)->source);
}

static Value get_flags(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(regex_flags(value_as_pattern(self)->regex));
}

static Value get_groups(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(regex_group_count(value_as_pattern(self)->regex));
}

// Read-only, as the pattern itself looks names up in it.
// Without named groups it is a dict of the caller's own.
static Value get_group_index(Vm *vm, Value self)
{
    Dict *groups = value_as_pattern(self)->groups;
    if (groups->count != 0) {
        return proxy_new(vm, value_from_object(groups));
    }
    return value_or_fail(dict_new(vm));
}

static const NativeDef pattern_methods[] = {
    {"match", "self, /, string, pos=0, endpos=9223372036854775807",
     pattern_match, "A match at the beginning, or None."},
    {"fullmatch", "self, /, string, pos=0, endpos=9223372036854775807",
     pattern_fullmatch, "A match of the whole text, or None."},
    {"search", "self, /, string, pos=0, endpos=9223372036854775807",
     pattern_search, "The first match anywhere, or None."},
    {"findall", "self, /, string, pos=0, endpos=9223372036854775807",
     pattern_findall, "What all matches found: texts, or tuples of groups."},
    {"finditer", "self, /, string, pos=0, endpos=9223372036854775807",
     pattern_finditer, "An iterator over all matches."},
    {"split", "self, /, string, maxsplit=0", pattern_split,
     "The texts between the matches, with the groups in them."},
    {"__copy__", "self, /", pattern_copy, "The pattern itself."},
    {"__deepcopy__", "self, memo, /", pattern_copy, "The pattern itself."},
    {NULL, NULL, NULL, NULL}};

static const MemberDef pattern_members[] = {
    {"pattern", get_pattern, NULL, "What it was compiled from."},
    {"flags", get_flags, NULL, "Its flags, those set inside included."},
    {"groups", get_groups, NULL, "How many groups it has."},
    {"groupindex", get_group_index, NULL, "The numbers of named groups."},
    {NULL, NULL, NULL, NULL}};

const TypeDef re_pattern_type_def = {
    .name = "Pattern",
    .module = "re",
    .doc = "A regular expression, ready to search.",
    .kind = KIND_OPAQUE,
    .size = sizeof(RePattern),
    .flags = TYPE_FINAL | TYPE_GENERIC,
    .slots = {.destroy = pattern_destroy,
              .make = pattern_make,
              .repr = pattern_repr,
              .hash = pattern_hash,
              .compare = pattern_compare},
    .operators = "eq ne",
    .methods = pattern_methods,
    .more_methods = {re_pattern_sub_methods},
    .members = pattern_members,
    .stored = " flags groups pattern "};
