// Reading from a File's buffer; obj_file.c has the methods.
#ifndef DUET_INTERP_FILE_READ_H
#define DUET_INTERP_FILE_READ_H

#include "interp/obj_file.h"

// `count` code points, fewer only at the end; -1: all that is left.
MUST_CHECK Str *file_read(Vm *vm, File *file, int64_t count);
// One line with its end; empty at the end of the file.
MUST_CHECK Str *file_read_line(Vm *vm, File *file);

#endif
