// What encoding (codec.c) and decoding (codec_decode.c) share: the encodings
// by their names, and the values of `errors`. Codecs are constants; nothing
// here is owned.
#ifndef DUET_INTERP_OBJECTS_TEXT_CODEC_H
#define DUET_INTERP_OBJECTS_TEXT_CODEC_H

#include "interp/core/memory.h"

// What text can be encoded as. The order counts: the first three write ASCII
// text as it is.
typedef enum CodecKind {
    CODEC_UTF8,
    CODEC_ASCII,
    CODEC_LATIN1,
    CODEC_UTF16,     // with a byte-order mark
    CODEC_UTF8_MARK, // with U+FEFF in front
    CODEC_UTF16_LE,
    CODEC_UTF16_BE,
    CODEC_UTF32,
    CODEC_UTF32_LE,
    CODEC_UTF32_BE,
    CODEC_CP1252, // this and the next by tables: codec_charmap.c
    CODEC_LATIN9,
    CODEC_ESCAPE,    // as a literal has it: codec_escape.c
    CODEC_RAW_ESCAPE // only what Latin-1 has not is escaped
} CodecKind;

// Bytes from 0x80 on that Windows' encodings give other characters than
// Latin-1 does.
#define CODEC_MAP_SIZE 32

// One name of an encoding; several rows may mean the same codec.
typedef struct Codec {
    const char *alias; // normalised: lower case, '-' for '_' and ' '
    const char *name;  // as errors name it
    CodecKind kind;
} Codec;

// The values of `errors`, in the order of codec_handler's names.
typedef enum CodecHandler {
    HANDLER_STRICT,
    HANDLER_IGNORE,
    HANDLER_REPLACE,
    HANDLER_BACKSLASH,
    HANDLER_XML,
    HANDLER_SURROGATES, // surrogateescape
    HANDLER_PASS,       // surrogatepass
    HANDLER_NAME,       // namereplace
    HANDLER_UNKNOWN     // refused when it is needed
} CodecHandler;

// The codec of an argument `encoding`; UNBOUND is UTF-8. `errors` is only
// checked to be a str. NULL with a TypeError or LookupError that names
// `function`.
MUST_CHECK const Codec *codec_find(Vm *vm, Value encoding, Value errors,
                                   const char *function);
// Only the check of both arguments.
MUST_CHECK bool codec_check_names(Vm *vm, Value encoding, Value errors,
                                  const char *function);
// With an error pending: codecs that are looked up by name wrap it, with itself
// as the cause. `doing`: "encoding" or "decoding".
void codec_wrap_error(Vm *vm, const Codec *codec, Value encoding,
                      const char *doing);
// The handler of an argument `errors`; UNBOUND is strict.
CodecHandler codec_handler(Value errors);
// What the system gave (arguments, environment, names of files) as a str: bytes
// that are no UTF-8 become U+DC80 to U+DCFF. NULL: failed.
MUST_CHECK Str *codec_from_system(Vm *vm, const char *text, size_t length);
// The way back, for a path: bytes where a str has such characters, else the
// value itself. Owned; VALUE_FAIL: failed.
Value codec_to_system(Vm *vm, Value path);
// The code point that a byte means in CODEC_CP1252 and CODEC_LATIN9; 0 where
// it means none.
uint32_t codec_map_byte(CodecKind kind, unsigned char byte);
// The byte of a code point there, -1 if it has none.
int codec_map_point(CodecKind kind, uint32_t point);
// c in CODEC_ESCAPE or (`raw`) CODEC_RAW_ESCAPE, which have every code point.
void codec_escape_point(StrBuf *out, bool raw, uint32_t c);
// Reads there what begins at `at` and appends it: the bytes it took. 0: it is
// no text; *bad bytes are at fault, and *reason says why.
size_t codec_read_escape(StrBuf *out, bool raw, const unsigned char *data,
                         size_t length, size_t at, size_t *bad,
                         const char **reason);
// Raises LookupError for a handler that is needed and not known. False.
bool codec_unknown_handler(Vm *vm, Value errors);

#endif
