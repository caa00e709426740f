// The families of error classes that have fields, and the places of fields
// that C code names. Shared by exception_fields.c and exception_text.c.
#ifndef DUET_INTERP_OBJECTS_ERRORS_EXCEPTION_FAMILY_H
#define DUET_INTERP_OBJECTS_ERRORS_EXCEPTION_FAMILY_H

#include "interp/objects/errors/obj_exception.h"

// Indices into Exception.fields, family by family, as in the rows of
// exception_field_list.h.
enum {
    ATTRIBUTE_NAME = 0,
    ATTRIBUTE_OBJ,
    IMPORT_MSG = 0,
    OS_ERRNO = 0,
    OS_STRERROR,
    OS_FILE,
    OS_FILE2,   // of a rename, the second one
    OS_WRITTEN, // of a BlockingIOError; without it an AttributeError
    SYNTAX_MSG = 0,
    SYNTAX_FILE,
    SYNTAX_LINE,
    SYNTAX_PRINT = 7,     // print_file_and_line, which nothing here reads
    UNICODE_ENCODING = 0, // unused by UnicodeTranslateError, which has no codec
    UNICODE_OBJECT,
    UNICODE_START,
    UNICODE_END,
    UNICODE_REASON
};

// Once, when the classes of errors have been made.
void exception_families_mark(Vm *vm);
// The kind whose class gives `self` its fields. ERR_NONE: it has none.
ErrorKind exception_family(Vm *vm, const Exception *self);
// A BlockingIOError whose third argument is a count and no file.
bool exception_counts_written(Vm *vm, const Exception *self);
// Owned; UNBOUND: not set, which programs see as None.
Value exception_family_field(Vm *vm, ErrorKind family, const Exception *self,
                             int field);

#endif
