// The classes of errors, made from base/error_list.h.
#include <string.h>

#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/errors/exception_family.h"
#include "interp/objects/errors/exception_fields.h"

// The base classes of an error: names separated by commas.
static Tuple *error_bases(Vm *vm, const char *bases)
{
    static const char *const names[] = {
        "",
#define ERROR(id, name, list) name,
#include "base/error_list.h"
#undef ERROR
    };
    Value found[4];
    size_t count = 0;
    while (*bases != '\0' && count < 4) {
        size_t length = strcspn(bases, ",");
        // A base stands before it in the list, and so is made already.
        for (size_t i = 1; i < ERR_COUNT; i++) {
            // Most differ in the first letter: all are asked for each class.
            if (names[i][0] == bases[0] && strlen(names[i]) == length &&
                memcmp(names[i], bases, length) == 0) {
                found[count++] = value_from_object(vm->error_types[i]);
            }
        }
        bases += length + (bases[length] == ',');
    }
    return tuple_from(vm, found, count);
}

// Errors are made like classes of the program, so that they have a layout, an
// MRO and a dict like any class that derives from them.
static Type *create_error(Vm *vm, const char *name, const char *base_list)
{
    Str *text = str_intern(vm, name, strlen(name));
    Tuple *bases = text == NULL ? NULL : error_bases(vm, base_list);
    Type *cls = bases == NULL ? NULL : class_create(vm, text, bases, NULL);
    object_release_null(&vm->ctx, bases);
    object_release_null(&vm->ctx, text);
    if (cls != NULL) {
        cls->flags |= TYPE_EXCEPTION | TYPE_HAS_DICT;
    }
    return cls;
}

// The list has bases before what derives from them. No class replaces a
// built-in one at first.
bool error_types_init(Vm *vm)
{
    static const struct {
        const char *name, *bases;
    } rows[] = {
        {NULL, NULL},
#define ERROR(id, name, bases) {name, bases},
#include "base/error_list.h"
#undef ERROR
    };
    vm->error_types[ERR_BASE_EXCEPTION] =
        object_retain(vm->types[KIND_EXCEPTION]);
    // BaseException itself has a layout of its own and is in type_list.h.
    for (int i = ERR_BASE_EXCEPTION + 1; i < ERR_COUNT; i++) {
        vm->error_types[i] = create_error(vm, rows[i].name, rows[i].bases);
        if (vm->error_types[i] == NULL ||
            !class_add_error_natives(vm, vm->error_types[i], (ErrorKind)i) ||
            !exception_fields_install(vm, (ErrorKind)i, vm->error_types[i])) {
            return false;
        }
    }
    for (int i = 0; i < ERR_COUNT; i++) {
        vm->error_overrides[i] = VALUE_UNBOUND;
    }
    exception_families_mark(vm);
    return true;
}
