// Patterns and matches: the objects of the module re, and what its files
// share. The matching itself is in regex/.
//
// Positions: the engine's are bytes, the language's are characters. A match
// keeps bytes and counts characters when it is asked; in ASCII and bytes the
// two are the same.
#ifndef DUET_MODULES_NATIVE_RE_OBJECT_H
#define DUET_MODULES_NATIVE_RE_OBJECT_H

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "regex/regex.h"

typedef struct RePattern {
    Object head;
    Value source; // the str or bytes that it was compiled from
    Regex *regex;
    Dict *groups;     // groupindex: name to number
    Type *match_type; // borrowed from the Vm
    bool is_text;
} RePattern;

typedef struct ReMatch {
    Object head;
    RePattern *pattern;
    Value string;        // as it was handed in
    size_t pos, endpos;  // characters
    uint32_t last_group; // 0: none
    uint32_t mark_count;
    size_t marks[]; // byte offsets of group g: 2 g and 2 g + 1; SIZE_MAX:
                    // the group took no part
} ReMatch;

// A str or bytes that is searched or copied from. Nothing is owned.
typedef struct ReSubject {
    Value string;
    const char *text;
    size_t length; // bytes
    bool is_text;  // a str
    bool narrow;   // every character is one byte
} ReSubject;

extern const TypeDef re_pattern_type_def, re_match_type_def;
extern const NativeDef re_pattern_sub_methods[];

// The caller knows the kind.
static inline RePattern *value_as_pattern(Value v)
{
    return (RePattern *)value_object(v);
}
static inline ReMatch *value_as_match(Value v)
{
    return (ReMatch *)value_object(v);
}

// The text of a str or bytes; TypeError for anything else.
MUST_CHECK bool re_subject(Vm *vm, Value string, ReSubject *subject);
// … that the pattern can be used on.
MUST_CHECK bool re_subject_for(Vm *vm, const RePattern *pattern, Value string,
                               ReSubject *subject);
// Bytes [from, to) of it as an object of its kind.
Value re_slice(Vm *vm, const ReSubject *subject, size_t from, size_t to);
// The characters before a byte offset.
size_t re_index(Vm *vm, const ReSubject *subject, size_t offset);
// Sets up a run over all of the subject; regex_run_free ends it in any case.
MUST_CHECK bool re_run_begin(Vm *vm, RegexRun *run, const RePattern *pattern,
                             const ReSubject *subject);
// Where a search goes on behind the match that `run` has found.
void re_run_advance(RegexRun *run);
// The match that `run` has found; pos and endpos are characters.
Value re_match_new(Vm *vm, RePattern *pattern, const ReSubject *subject,
                   const RegexRun *run, size_t pos, size_t endpos);
// Group `group` of a found run or a match, `none` (retained) if it took no
// part.
Value re_run_group(Vm *vm, const ReSubject *subject, const RegexRun *run,
                   uint32_t group, Value none);

// A replacement such as "\2-\g<name>", taken apart.
typedef struct RePart {
    size_t start, length; // of `literals`
    uint32_t group;       // UINT32_MAX: the literal
} RePart;
typedef struct ReTemplate {
    StrBuf literals;
    VEC(RePart) parts;
} ReTemplate;
// Fills in a template that the caller frees in any case.
MUST_CHECK bool re_template_parse(Vm *vm, ReTemplate *template,
                                  const RePattern *pattern, Value source);
// Also after a parse that failed.
void re_template_free(Vm *vm, ReTemplate *template);
// Appends what it gives with the groups of a match: marks as in ReMatch.
void re_template_expand(StrBuf *out, const ReTemplate *template,
                        const ReSubject *subject, const size_t *marks);
// Raises re.error(text, pattern, position); SIZE_MAX: no position. False.
bool re_raise(Vm *vm, Str *text, Value pattern, size_t position);

#endif
