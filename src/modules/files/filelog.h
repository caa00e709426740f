// What a copy of the world changes of the file system, so that its parent can
// put it back: each copy finds the files as they were, and none leaves a trace.
//
// Whoever is about to change a file tells the log first. What programs that
// a copy starts change is not known here, nor what it does to unlinked files.
#ifndef DUET_MODULES_FILES_FILELOG_H
#define DUET_MODULES_FILES_FILELOG_H

#include <limits.h>

#include "base/map.h"
#include "interp/core/vm.h"

// Hangs off vm->filelog in a copy; NULL elsewhere, where nothing is kept.
typedef struct FileLog {
    int file;  // records, each behind the one before it; the parent's too
    Map known; // paths that a record since the last move tells of
} FileLog;

// The copy's log in an open, empty file, which stays the caller's.
void filelog_init(Vm *vm, FileLog *log, int file);
// The files that were open when the copy began get positions of their own, and
// those for writing are recorded. False with ERR_OS or ERR_MEMORY pending.
MUST_CHECK bool filelog_take_open(Vm *vm);

// In front of a change: what stands at the path now, `follow`: behind links.
// False with ERR_OS or ERR_MEMORY pending: the change must not be made.
MUST_CHECK bool filelog_change(Vm *vm, const char *path, bool follow);
// In front of a rename.
MUST_CHECK bool filelog_move(Vm *vm, const char *from, const char *to);
// The flags are those of open().
MUST_CHECK bool filelog_open(Vm *vm, const char *path, int flags);

// The parent's part, when the copy has ended: the newest change first. False
// with errno set: the file in `lost` could not be put back; the rest is.
MUST_CHECK bool filelog_undo(int file, char lost[PATH_MAX]);

#endif
