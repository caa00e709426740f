// Files: buffered text over a descriptor; the standard streams; open().
#ifndef DUET_MODULES_FILES_OBJ_FILE_H
#define DUET_MODULES_FILES_OBJ_FILE_H

#include "interp/objects/text/obj_str.h"

typedef enum FileFlag {
    FILE_READ = 1,
    FILE_WRITE = 2,
    FILE_OWNED = 4,       // closing closes the descriptor
    FILE_LINES = 8,       // flushed behind every line (a terminal)
    FILE_UNBUFFERED = 16, // flushed after every write, behind stdout
    FILE_BINARY = 32,     // bytes in and out
    FILE_RAW = 64,        // binary, opened with buffering=0: io.FileIO
    FILE_MID_LINE = 128,  // a line with a mark in its margin is not yet ended
    FILE_UNIVERSAL = 256, // lines end with "\n", "\r" or "\r\n" …
    FILE_TRANSLATE = 512, // … and are given out with "\n"
    FILE_WHOLE = 1024,    // another encoding than strict UTF-8: read as a whole
    FILE_BOM = 2048,      // utf-8-sig
    FILE_WALKED = 4096,   // next() has read ahead: no tell()
    FILE_BORROWED = 8192  // closefd=False
} FileFlag;

// The line ends that a universal reader has met; bits of File.newlines.
enum { NEWLINE_CR = 1, NEWLINE_LF = 2, NEWLINE_CRLF = 4 };

typedef struct File {
    Object head;
    int descriptor; // -1: closed
    uint32_t flags; // FileFlag
    Value name;     // as it was given: a str, bytes or int
    char mode[8];
    Value encoding, errors; // strs, as given; UNBOUND: UTF-8, strict
    char newline[3];  // what ends a line where that is fixed; "": see flags
    uint8_t newlines; // bits of NEWLINE_*
    StrBuf out;       // written, not yet handed to the system
    StrBuf in;        // read ahead; the bytes before in_start are used up
    size_t in_start;
    size_t in_valid;    // the bytes before it are known to be UTF-8
    struct File *owner; // of a text file's `buffer`: the text file, counted,
                        // whose descriptor and bytes these are; NULL: none
} File;

// `name` is retained; `flags` of FileFlag. The descriptor is taken only if
// FILE_OWNED is set and the call succeeds.
MUST_CHECK File *file_new(Vm *vm, int descriptor, Value name, const char *mode,
                          uint32_t flags);
// Buffers the bytes. False with ERR_VALUE (closed, not for writing) or ERR_OS.
MUST_CHECK bool file_write(Vm *vm, File *file, const char *text, size_t length);
// Hands everything to the system; what fails is dropped, so that closing a
// broken pipe does not fail a second time.
MUST_CHECK bool file_flush(Vm *vm, File *file);
// Closing twice is allowed.
MUST_CHECK bool file_close(Vm *vm, File *file);
// io.UnsupportedOperation. False.
bool file_unsupported(Vm *vm, const char *text);
// ValueError if it is closed.
MUST_CHECK bool file_check_open(Vm *vm, const File *file);
// Text for a text file: encoded, line ends as the file has them.
MUST_CHECK bool file_write_text(Vm *vm, File *file, Str *text);
// Makes vm->stdin_file, vm->stdout_file and vm->stderr_file.
MUST_CHECK bool file_streams_init(Vm *vm);
void file_streams_free(Vm *vm);

// Where the descriptor and the bytes are.
static inline File *file_base(File *file)
{
    return file->owner != NULL ? file->owner : file;
}
// The caller knows the kind.
static inline File *value_as_file(Value v)
{
    return (File *)value_object(v);
}

extern const TypeDef file_type_def, binary_file_type_def;
extern const NativeDef file_text_methods[], file_binary_methods[],
    file_common_methods[];
extern const MemberDef file_text_members[], file_binary_members[];

#endif
