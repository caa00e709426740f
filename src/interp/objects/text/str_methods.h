// The methods of str, in several files.
#ifndef DUET_INTERP_OBJECTS_TEXT_STR_METHODS_H
#define DUET_INTERP_OBJECTS_TEXT_STR_METHODS_H

#include "interp/objects/text/obj_str.h"

// One function per method; rows are in str_methods.c.
#define STR_METHOD(name) Value str_method_##name(Vm *, Value *)
// Case and classes: str_case.c.
STR_METHOD(lower);
STR_METHOD(upper);
STR_METHOD(title);
STR_METHOD(capitalize);
STR_METHOD(swapcase);
STR_METHOD(casefold);
STR_METHOD(isalpha);
STR_METHOD(isdigit);
STR_METHOD(isdecimal);
STR_METHOD(isnumeric);
STR_METHOD(isalnum);
STR_METHOD(isspace);
STR_METHOD(isupper);
STR_METHOD(islower);
STR_METHOD(istitle);
STR_METHOD(isascii);
STR_METHOD(isprintable);
STR_METHOD(isidentifier);
// Searching and replacing: str_search.c.
STR_METHOD(find);
STR_METHOD(rfind);
STR_METHOD(index);
STR_METHOD(rindex);
STR_METHOD(count);
STR_METHOD(startswith);
STR_METHOD(endswith);
STR_METHOD(replace);
STR_METHOD(removeprefix);
STR_METHOD(removesuffix);
// Splitting and joining: str_split.c.
STR_METHOD(split);
STR_METHOD(rsplit);
STR_METHOD(splitlines);
STR_METHOD(join);
STR_METHOD(partition);
STR_METHOD(rpartition);
// str_translate.c.
STR_METHOD(translate);
#undef STR_METHOD

extern const NativeDef str_static_methods[];

bool str_is_space(uint32_t codepoint); // as Python's str.isspace
// Adds the text with digits and white space of any script as ASCII's, and '?'
// for what is neither: what int() and float() read.
void str_plain_number(StrBuf *out, const Str *str);
// An argument that must be a Str, borrowed; NULL with a TypeError that begins
// with `words`. None is named by its type, by the other one as a value.
Str *str_argument(Vm *vm, Value v, const char *words);
Str *str_argument_given(Vm *vm, Value v, const char *words);

#endif
