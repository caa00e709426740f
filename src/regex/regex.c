// The way in: parses, checks what only the whole can tell, compiles.
// A Regex is complete or not there: whatever fails on the way frees the parts
// that were made.
#include "regex/regex.h"

#include <string.h>

#include "regex/rx_parser.h"
#include "regex/rx_program.h"

// Group names outlive the parser's arena.
// Group 0 is the whole match and has a name of NULL like other unnamed ones, so
// the numbers are indices. False: no memory.
static bool take_names(Ctx *ctx, Regex *regex, const RxGroupVec *groups)
{
    regex->group_count = (uint32_t)groups->count - 1;
    for (size_t i = 0; i < groups->count; i++) {
        const char *name = groups->items[i].name;
        char *copy = name == NULL ? NULL : ctx_strndup(ctx, name, strlen(name));
        if ((name != NULL && copy == NULL) ||
            !vec_push(ctx, &regex->names, copy)) {
            return false;
        }
    }
    return true;
}

// ValueError: flags that do not go together, or not with this kind of text.
// Asked after parsing, since (?a) and its like inside the pattern count as
// those that the caller gave.
static bool check_flags(RxParser *p)
{
    const char *text = NULL;
    if (p->is_text) {
        if (p->flags & REGEX_LOCALE) {
            text = "cannot use LOCALE flag with a str pattern";
        } else if ((p->flags & REGEX_ASCII) && (p->flags & REGEX_UNICODE)) {
            text = "ASCII and UNICODE flags are incompatible";
        }
    } else if (p->flags & REGEX_UNICODE) {
        text = "cannot use UNICODE flag with a bytes pattern";
    } else if ((p->flags & REGEX_LOCALE) && (p->flags & REGEX_ASCII)) {
        text = "ASCII and LOCALE flags are incompatible";
    }
    if (text != NULL) {
        p->fault->kind = REGEX_FAULT_FLAGS;
        strbuf_puts(&p->fault->text, text);
        p->failed = true;
    }
    return !p->failed;
}

// Conditions may name groups that came later; they must have come.
// The fault stands where the condition was written, not at the end where it is
// found out.
static void check_later(RxParser *p)
{
    for (size_t i = 0; !p->failed && i < p->later.count; i++) {
        const RxLater *later = &p->later.items[i];
        if (later->group >= p->groups.count) {
            rx_parser_fail(p, 0, "invalid group reference %u", later->group);
            p->fault->position = later->position;
        }
    }
}

// The whole pattern as a tree; false with the fault or an error.
static bool parse(RxParser *p, RxSeq *seq)
{
    // The entry for group 0.
    if (!vec_push(p->ctx, &p->groups, ((RxGroup){0}))) {
        return false;
    }
    // The parser always looks one token ahead.
    rx_parser_advance(p);
    *seq = rx_parse_ways(p, 0, true);
    if (p->failed || !check_flags(p)) {
        return false;
    }
    // Only a closing parenthesis too many ends the ways before the end.
    if (p->next != RX_END) {
        rx_parser_fail(p, 0, "unbalanced parenthesis");
    }
    check_later(p);
    return !p->failed;
}

// The tree is gone with the arena when the program is complete.
// The warnings are copied by value: few are kept, their number is bounded.
static bool compile(RxParser *p, Regex *regex)
{
    RxSeq seq;
    if (!parse(p, &seq)) {
        return false;
    }
    regex->is_text = p->is_text;
    regex->flags = rx_parser_flags(p);
    regex->warning_count = p->warning_count;
    memcpy(regex->warnings, p->warnings, sizeof regex->warnings);
    return take_names(p->ctx, regex, &p->groups) &&
           rx_compile(p->ctx, regex, &seq, &p->groups, p->fault);
}

// Everything of the parser lives here, so that one place frees it.
// NULL: a fault is in `fault` (the pattern is wrong), or an error is pending
// (memory, Ctrl-C). The fault's text is the caller's to free.
Regex *regex_compile(Ctx *ctx, const uint32_t *pattern, size_t count,
                     bool is_text, uint32_t flags, RegexFault *fault)
{
    *fault = (RegexFault){.name_at = SIZE_MAX, .position = SIZE_MAX};
    strbuf_init(&fault->text, ctx);
    Arena arena;
    arena_init(&arena, ctx);
    RxParser p = {.ctx = ctx,
                  .arena = &arena,
                  .text = pattern,
                  .count = count,
                  .is_text = is_text,
                  .flags = flags,
                  // SIZE_MAX: not inside a lookbehind.
                  .behind_groups = SIZE_MAX,
                  .fault = fault};
    // Zeroed, so that regex_free knows what was never made.
    Regex *regex = ctx_alloc_zero(ctx, sizeof *regex);
    if (regex != NULL && !compile(&p, regex)) {
        regex_free(ctx, regex);
        regex = NULL;
    }
    vec_free(ctx, &p.groups);
    vec_free(ctx, &p.later);
    arena_destroy(&arena);
    return regex;
}

// The counterpart of every VEC and name that compiling fills.
// Also for one that was made half-way: empty VECs free nothing.
void regex_free(Ctx *ctx, Regex *regex)
{
    for (size_t i = 0; i < regex->sets.count; i++) {
        rx_set_free(ctx, &regex->sets.items[i]);
    }
    for (size_t i = 0; i < regex->names.count; i++) {
        if (regex->names.items[i] != NULL) {
            ctx_free(ctx, regex->names.items[i],
                     strlen(regex->names.items[i]) + 1);
        }
    }
    vec_free(ctx, &regex->code);
    vec_free(ctx, &regex->sets);
    vec_free(ctx, &regex->firsts);
    vec_free(ctx, &regex->loops);
    vec_free(ctx, &regex->literals);
    vec_free(ctx, &regex->names);
    ctx_free(ctx, regex, sizeof *regex);
}

uint32_t regex_flags(const Regex *regex)
{
    return regex->flags;
}

uint32_t regex_group_count(const Regex *regex)
{
    return regex->group_count;
}

const char *regex_group_name(const Regex *regex, uint32_t group)
{
    return regex->names.items[group];
}

// Kept with the regex: the caller words and gives them.
const RegexWarning *regex_warnings(const Regex *regex, size_t *count)
{
    *count = regex->warning_count;
    return regex->warnings;
}
