// Format specifications: [[fill]align][sign][z][#][0][width][,_][.prec][type].
#ifndef DUET_INTERP_OBJECTS_TEXT_FORMAT_H
#define DUET_INTERP_OBJECTS_TEXT_FORMAT_H

#include "interp/objects/text/obj_str.h"

// The largest width and precision: those of a C int.
enum { FORMAT_MAX = 0x7fffffff };

typedef struct FormatSpec {
    char fill[5];       // one code point; a NUL may be one
    uint8_t fill_size;  // its bytes, 1 to 4
    char align;         // '<' '>' '^' '='; 0: not given
    bool align_implied; // a leading 0 has set it, not the spec
    char sign;          // '+', '-' or ' '; 0: not given
    bool alternate;     // '#'
    bool no_minus_zero; // 'z'
    int64_t width;      // -1: not given
    char grouping;      // ',' or '_'; 0: none
    int64_t precision;  // -1: not given
    char type;          // 0: not given
} FormatSpec;

// The format slots: a Str or VALUE_FAIL.
Value format_int(Vm *vm, Value v, Str *spec);
// format(v, spec), owned; ValueError for a spec that the type does not know.
Value format_float(Vm *vm, Value v, Str *spec);
Value format_str(Vm *vm, Value v, Str *spec);
// Reads `text` into `spec`, for a value of the class of `v`; `type` is the
// letter that stands for none ('d', 's'; 0: a float's). False: raised.
MUST_CHECK bool format_parse(Vm *vm, Value v, char type, Str *text,
                             FormatSpec *spec);
// str(v), owned: the empty specification.
Value format_plainly(Vm *vm, Value v);
// Raises ValueError for a type letter that the class of `v` does not know;
// false, always.
bool format_unknown_code(Vm *vm, uint32_t letter, Value v);
// The buffer as a Str, owned; it is taken. VALUE_FAIL: it failed on the way.
Value format_finish(Vm *vm, StrBuf *out);
// Adds |d| by type e f g (E F G) n % r(epr), without sign; "inf", "nan".
void format_digits(StrBuf *out, double d, char type, int64_t precision,
                   bool alternate);
// Adds `text` (sign, prefix, digits) as the spec wants it; `group` 3 or 4.
void format_number(StrBuf *out, const FormatSpec *spec, const char *sign,
                   const char *digits, size_t length, int group);
// Adds text padded to the width; `align` if the spec has none.
void format_pad(StrBuf *out, const FormatSpec *spec, const char *text,
                size_t length, char align);
// text % args of a str or bytes, owned.
Value format_percent(Vm *vm, Value text, Value args);
// str.format; args NULL: str.format_map, keywords UNBOUND: none.
Value format_fields(Vm *vm, Str *text, Tuple *args, Value keywords);

#endif
