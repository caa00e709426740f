// The type re.Match.
#include "base/utf8.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/native/re_object.h"

// Its string was good when the match was made. Bytes cannot change and strs
// neither, so that no error can come of it.
// Borrowed: valid as long as the match.
static ReSubject subject_of(Vm *vm, const ReMatch *match)
{
    ReSubject subject;
    (void)!re_subject(vm, match->string, &subject);
    return subject;
}

// A group that took no part in the end has two marks or none. Marks are kept as
// offsets: the text may be cut out long after the run is gone. VALUE_FAIL:
// memory is short.
// run->marks point into the subject's text. pos and endpos count characters,
// for the program to read.
Value re_match_new(Vm *vm, RePattern *pattern, const ReSubject *subject,
                   const RegexRun *run, size_t pos, size_t endpos)
{
    size_t size = sizeof(ReMatch) + run->mark_count * sizeof(size_t);
    ReMatch *match = object_new(vm, pattern->match_type, size);
    if (match == NULL) {
        return VALUE_FAIL;
    }
    match->pattern = object_retain(pattern);
    match->string = value_retain(subject->string);
    match->pos = pos;
    match->endpos = endpos;
    match->last_group = run->last_group;
    match->mark_count = (uint32_t)run->mark_count;
    for (size_t i = 0; i < run->mark_count; i += 2) {
        const char *from = run->marks[i], *to = run->marks[i + 1];
        bool took_part = from != NULL && to != NULL;
        match->marks[i] = took_part ? (size_t)(from - subject->text) : SIZE_MAX;
        match->marks[i + 1] =
            took_part ? (size_t)(to - subject->text) : SIZE_MAX;
    }
    return value_from_object(match);
}

// Its size depends on the number of groups. The pattern is counted by each of
// its matches.
static void match_destroy(Vm *vm, Object *self)
{
    ReMatch *match = (ReMatch *)self;
    size_t size = sizeof *match + match->mark_count * sizeof(size_t);
    object_release(&vm->ctx, match->pattern);
    release(vm, match->string);
    object_free(vm, match, size);
}

// --- groups ---

// Cut from the text when it is asked for: most groups never are. `none` is what
// stands for a group that took no part, retained.
static Value group_value(Vm *vm, const ReMatch *match, uint32_t group,
                         Value none)
{
    if (match->marks[2 * group] == SIZE_MAX) {
        return value_retain(none);
    }
    ReSubject subject = subject_of(vm, match);
    return re_slice(vm, &subject, match->marks[2 * group],
                    match->marks[2 * group + 1]);
}

// A group by number or name. False with IndexError.
// A bool has __index__ and counts as 0 or 1.
static bool find_group(Vm *vm, const ReMatch *match, Value key, uint32_t *group)
{
    int64_t number = -1;
    if (value_is_int(key)) {
        number = value_small(key);
        // No number at all: it can only be a name. What is not hashable raises
        // here, but not of a pattern without names.
    } else if (type_of(vm, key)->slots.index == NULL) {
        Value found;
        Dict *names = match->pattern->groups;
        int known = names->count == 0 ? 0 : dict_get(vm, names, key, &found);
        if (known < 0) {
            return false;
        }
        // An unknown name is told like a number out of range.
        number = known == 0 ? -1 : value_small(found);
    } else if (!value_to_index(vm, key, &number)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return false;
        }
        raise_clear(vm);
        number = -1;
    }
    if (number < 0 || number >= match->mark_count / 2) {
        return raise_false(vm, ERR_INDEX, "no such group");
    }
    *group = (uint32_t)number;
    return true;
}

// What m.group(key) and m[key] share.
static Value group_of_key(Vm *vm, const ReMatch *match, Value key)
{
    uint32_t group;
    return find_group(vm, match, key, &group)
               ? group_value(vm, match, group, VALUE_NONE)
               : VALUE_FAIL;
}

// group(): the whole; group(k): one; group(j, k, ...): a tuple.
// Owned; an unbound slot owns nothing, so the tuple can be released at any
// time.
static Value match_group(Vm *vm, Value *args)
{
    const ReMatch *match = value_as_match(args[0]);
    const Tuple *keys = (const Tuple *)value_object(args[1]);
    if (keys->count == 0) {
        return group_value(vm, match, 0, VALUE_NONE);
    }
    if (keys->count == 1) {
        return group_of_key(vm, match, keys->items[0]);
    }
    Tuple *all = tuple_new(vm, keys->count);
    for (size_t i = 0; all != NULL && i < keys->count; i++) {
        all->items[i] = group_of_key(vm, match, keys->items[i]);
        if (value_failed(all->items[i])) {
            // The tuple is released with what it holds so far.
            all->items[i] = VALUE_UNBOUND;
            object_release(&vm->ctx, all);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(all);
}

static Value match_get_item(Vm *vm, Value self, Value key)
{
    return group_of_key(vm, value_as_match(self), key);
}

// Without the whole match, which is group 0.
// Owned. `default` stands for groups that took no part.
static Value match_groups(Vm *vm, Value *args)
{
    const ReMatch *match = value_as_match(args[0]);
    Value none = value_unbound(args[1]) ? VALUE_NONE : args[1];
    Tuple *all = tuple_new(vm, match->mark_count / 2 - 1);
    for (uint32_t i = 0; all != NULL && i < all->count; i++) {
        all->items[i] = group_value(vm, match, i + 1, none);
        if (value_failed(all->items[i])) {
            all->items[i] = VALUE_UNBOUND;
            object_release(&vm->ctx, all);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(all);
}

static Value match_groupdict(Vm *vm, Value *args)
{
    const ReMatch *match = value_as_match(args[0]);
    Value none = value_unbound(args[1]) ? VALUE_NONE : args[1];
    Dict *all = dict_new(vm);
    uint32_t position = 0;
    Value name, number;
    while (all != NULL &&
           dict_next(match->pattern->groups, &position, &name, &number)) {
        Value text =
            group_value(vm, match, (uint32_t)value_small(number), none);
        bool ok = !value_failed(text) && dict_set(vm, all, name, text);
        release(vm, text);
        if (!ok) {
            object_release(&vm->ctx, all);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(all);
}

// --- positions ---

// Mark `mark` in characters; -1: the group took no part. Counting takes time in
// the text's length unless every character is one byte.
static int64_t position_of(Vm *vm, const ReMatch *match, uint32_t mark)
{
    if (match->marks[mark] == SIZE_MAX) {
        return -1;
    }
    ReSubject subject = subject_of(vm, match);
    return (int64_t)re_index(vm, &subject, match->marks[mark]);
}

// `which`: 0 the start, 1 the end.
// args[1] is the group, 0 if it was not given.
static Value position(Vm *vm, Value *args, uint32_t which)
{
    const ReMatch *match = value_as_match(args[0]);
    uint32_t group = 0;
    if (!value_unbound(args[1]) && !find_group(vm, match, args[1], &group)) {
        return VALUE_FAIL;
    }
    return value_from_small(position_of(vm, match, 2 * group + which));
}

// -1 for a group that took no part, as for all positions.
static Value match_start(Vm *vm, Value *args)
{
    return position(vm, args, 0);
}

static Value match_end(Vm *vm, Value *args)
{
    return position(vm, args, 1);
}

// Small ints need no release if the tuple cannot be made.
static Value span_of(Vm *vm, const ReMatch *match, uint32_t group)
{
    Value ends[] = {value_from_small(position_of(vm, match, 2 * group)),
                    value_from_small(position_of(vm, match, 2 * group + 1))};
    return value_or_fail(tuple_from(vm, ends, 2));
}

static Value match_span(Vm *vm, Value *args)
{
    uint32_t group = 0;
    if (!value_unbound(args[1]) &&
        !find_group(vm, value_as_match(args[0]), args[1], &group)) {
        return VALUE_FAIL;
    }
    return span_of(vm, value_as_match(args[0]), group);
}

// A template of the other kind than the text serves as long as it has groups
// alone. False: it did.
static bool may_join(Vm *vm, const ReTemplate *template, Value source,
                     bool is_text)
{
    size_t at = 0;
    while (at < template->parts.count &&
           template->parts.items[at].group != UINT32_MAX) {
        at++;
    }
    return at == template->parts.count || value_is_str(source) == is_text ||
           raise_false(vm, ERR_TYPE,
                       is_text ? "sequence item %zu: expected str instance, "
                                 "%s found"
                               : "sequence item %zu: expected a bytes-like "
                                 "object, %s found",
                       at, type_name(type_of(vm, source)));
}

// The template is parsed anew each time: expand() is rare, sub() is not.
// Owned. re_template_parse sets the template up even where it fails.
static Value match_expand(Vm *vm, Value *args)
{
    const ReMatch *match = value_as_match(args[0]);
    ReSubject subject = subject_of(vm, match);
    ReTemplate template;
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    Value result = VALUE_FAIL;
    if (re_template_parse(vm, &template, match->pattern, args[1]) &&
        may_join(vm, &template, args[1], subject.is_text)) {
        re_template_expand(&out, &template, &subject, match->marks);
        if (!subject.is_text && strbuf_ok(&out)) {
            result = bytes_value(vm, strbuf_text(&out), out.length);
        } else if (strbuf_ok(&out)) {
            Str *text = str_new(vm, strbuf_text(&out), out.length);
            result = value_or_fail(text);
        }
    }
    strbuf_free(&out);
    re_template_free(vm, &template);
    return result;
}

// A match never changes.
static Value match_copy(Vm *vm, Value *args)
{
    (void)vm;
    return value_retain(args[0]);
}

// The matched text shows whole, however long it is. `span` comes first.
// The text is shown as its own repr has it.
static Value match_repr(Vm *vm, Value self)
{
    const ReMatch *match = value_as_match(self);
    // Group 0 always took part.
    Value whole = group_value(vm, match, 0, VALUE_NONE);
    Str *shown = value_failed(whole) ? NULL : value_repr(vm, whole);
    release(vm, whole);
    if (shown == NULL) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "<re.Match object; span=(%lld, %lld), match=",
                  (long long)position_of(vm, match, 0),
                  (long long)position_of(vm, match, 1));
    strbuf_add(&out, shown->text, utf8_offset(shown->text, shown->length, 50));
    strbuf_putc(&out, '>');
    object_release(&vm->ctx, shown);
    return value_or_fail(str_from_buf(vm, &out));
}

// --- attributes ---

static Value get_string(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(value_as_match(self)->string);
}

static Value get_re(Vm *vm, Value self)
{
    (void)vm;
    return value_from_object(object_retain(value_as_match(self)->pattern));
}

static Value get_pos(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small((int64_t)value_as_match(self)->pos);
}

static Value get_endpos(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small((int64_t)value_as_match(self)->endpos);
}

// The group whose closing parenthesis came last, not the highest number.
static Value get_last_index(Vm *vm, Value self)
{
    (void)vm;
    uint32_t group = value_as_match(self)->last_group;
    return group == 0 ? VALUE_NONE : value_from_small(group);
}

// None also if that group has no name.
static Value get_last_group(Vm *vm, Value self)
{
    const ReMatch *match = value_as_match(self);
    const char *name =
        match->last_group == 0
            ? NULL
            : regex_group_name(match->pattern->regex, match->last_group);
    Str *text = name == NULL ? NULL : str_from(vm, name);
    return name == NULL ? VALUE_NONE : (value_or_fail(text));
}

// Made anew each time; only old programs ask for it. Each group's (start, end),
// the whole first.
static Value get_regs(Vm *vm, Value self)
{
    const ReMatch *match = value_as_match(self);
    Tuple *all = tuple_new(vm, match->mark_count / 2);
    for (uint32_t i = 0; all != NULL && i < all->count; i++) {
        all->items[i] = span_of(vm, match, i);
        if (value_failed(all->items[i])) {
            all->items[i] = VALUE_UNBOUND;
            object_release(&vm->ctx, all);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(all);
}

// Matches come from patterns only. As for patterns: the class is there to be
// named, not to be called.
// VALUE_FAIL, always.
static Value match_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls, (void)args, (void)keywords;
    return raise_error(vm, ERR_TYPE, "cannot create 're.Match' instances");
}

static const NativeDef match_methods[] = {
    {"group", "self, /, *groups", match_group,
     "The text of a group, by number or name; of several, a tuple."},
    {"groups", "self, /, default=None", match_groups,
     "The texts of all groups, a tuple."},
    {"groupdict", "self, /, default=None", match_groupdict,
     "The texts of the groups that have names."},
    {"start", "self, group=0, /", match_start, "Where a group begins, or -1."},
    {"end", "self, group=0, /", match_end, "Where a group ends, or -1."},
    {"span", "self, group=0, /", match_span, "(start, end) of a group."},
    {"expand", "self, /, template", match_expand,
     "The template with its \\1 and \\g<name> replaced."},
    {"__copy__", "self, /", match_copy, "The match itself."},
    {"__deepcopy__", "self, memo, /", match_copy, "The match itself."},
    {NULL, NULL, NULL, NULL}};

static const MemberDef match_members[] = {
    {"string", get_string, NULL, "The text that was searched."},
    {"re", get_re, NULL, "The pattern."},
    {"pos", get_pos, NULL, "Where the search began."},
    {"endpos", get_endpos, NULL, "Where the search had to end."},
    {"lastindex", get_last_index, NULL, "The group that was closed last."},
    {"lastgroup", get_last_group, NULL, "Its name."},
    {"regs", get_regs, NULL, "The spans of all groups."},
    {NULL, NULL, NULL, NULL}};

const TypeDef re_match_type_def = {
    .name = "Match",
    .module = "re",
    .doc = "What a pattern found in a text: its groups and where they are.",
    .kind = KIND_OPAQUE,
    .size = sizeof(ReMatch),
    .flags = TYPE_FINAL | TYPE_GENERIC,
    .slots = {.destroy = match_destroy,
              .make = match_make,
              .repr = match_repr,
              .get_item = match_get_item},
    .methods = match_methods,
    .members = match_members,
    .stored = " endpos pos re string "};
