// Files: buffered text over a descriptor; the standard streams; open().
#ifndef DUET_INTERP_OBJ_FILE_H
#define DUET_INTERP_OBJ_FILE_H

#include "interp/obj_str.h"

typedef enum FileFlag {
    FILE_READ = 1,
    FILE_WRITE = 2,
    FILE_OWNED = 4,     // closing closes the descriptor
    FILE_LINES = 8,     // flushed behind every line (a terminal)
    FILE_UNBUFFERED = 16, // flushed after every write, behind stdout
    FILE_TRANSLATE = 32,  // "\r\n" and "\r" are read as "\n"
    FILE_AFTER_CR = 64,   // the last byte read was a translated "\r"
    FILE_MID_LINE = 128   // a line with a mark in its margin is not yet ended
} FileFlag;

typedef struct File {
    Object head;
    int descriptor; // -1: closed
    uint32_t flags; // FileFlag
    Str *name;
    char mode[8];
    StrBuf out;     // written, not yet handed to the system
    StrBuf in;      // read ahead; the bytes before in_start are used up
    size_t in_start;
} File;

// `name` is retained; `flags` of FileFlag. The descriptor is taken only if
// FILE_OWNED is set and the call succeeds.
MUST_CHECK File *file_new(Vm *vm, int descriptor, Str *name, const char *mode,
                          uint32_t flags);
// Buffers the bytes. False with ERR_VALUE (closed, not for writing) or ERR_OS.
MUST_CHECK bool file_write(Vm *vm, File *file, const char *text,
                           size_t length);
// Hands everything to the system; what fails is dropped, so that closing a
// broken pipe does not fail a second time.
MUST_CHECK bool file_flush(Vm *vm, File *file);
// Makes vm->stdin_file, vm->stdout_file and vm->stderr_file.
MUST_CHECK bool files_init(Vm *vm);
void files_free(Vm *vm);

static inline File *value_as_file(Value v)
{
    return (File *)value_object(v);
}

#endif
