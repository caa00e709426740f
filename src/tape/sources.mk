# tape/: one source a line, alphabetical. Headers need no line.
tape_sources =
tape_sources += src/tape/obj_tape.c
tape_sources += src/tape/tape.c
tape_sources += src/tape/tape_back.c
tape_sources += src/tape/tape_rows.c
