// Reading from a File's buffer; file_methods.c has the methods.
#ifndef DUET_MODULES_FILES_FILE_READ_H
#define DUET_MODULES_FILES_FILE_READ_H

#include "modules/files/obj_file.h"

// `count` characters or bytes, fewer only at the end; -1: all that is left.
Value file_read(Vm *vm, File *file, int64_t count);
// One line with its end, at most `limit` characters or bytes of it (-1: all);
// empty at the end of the file.
Value file_next_line(Vm *vm, File *file, int64_t limit);
// What one call of the system gives, if nothing is left of the last one; at
// most `count` bytes. `keep`: they stay in the buffer.
Value file_read_some(Vm *vm, File *file, int64_t count, bool keep);
// Goes back to the place that the program has read up to.
MUST_CHECK bool file_forget(Vm *vm, File *file);
// The program's place in bytes; -1 with an error pending.
int64_t file_tell(Vm *vm, File *file);
bool file_at_start(const File *file);

#endif
