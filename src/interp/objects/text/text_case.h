// Case and classes of ASCII, for str and bytes. Other characters, which bytes
// do not have, are str's own affair; here they have no case and no class.
#ifndef DUET_INTERP_OBJECTS_TEXT_TEXT_CASE_H
#define DUET_INTERP_OBJECTS_TEXT_TEXT_CASE_H

#include "interp/objects/text/text_range.h"

typedef enum TextCase {
    TEXT_LOWER,
    TEXT_UPPER,
    TEXT_TITLE,      // upper case behind what is no letter
    TEXT_CAPITALIZE, // upper case at the start
    TEXT_SWAP
} TextCase;

extern const TextSet text_letters, text_digits, text_alnums, text_printables;

// out[0 .. length) = the text in that case. False: Ctrl-C.
MUST_CHECK bool text_change_case(Ctx *ctx, char *out, TextRange text,
                                 TextCase mode);
// 1: every byte is in the set, and there is one at least; 0; -1: Ctrl-C.
int text_all(Ctx *ctx, TextRange text, const TextSet *set);
// islower, isupper and istitle, for the first three modes: as text_all.
int text_in_case(Ctx *ctx, TextRange text, TextCase mode);

#endif
