// The classes of errors, made from base/error_list.h.
#include <string.h>

#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/exception_family.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/text/obj_str.h"

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

// What those say that are Duet's own; the others are Python's.
static const struct {
    ErrorKind kind;
    const char *text;
} docs[] = {
    {ERR_OP, "An operation on tensors failed; its subclasses say how."},
    {ERR_SHAPE, "Shapes do not fit one another, or not the operation. The "
                "message names them;\nreshape, expand_dims and .T bring them "
                "together."},
    {ERR_DTYPE, "Tensors of two dtypes meet, or the operation does not know "
                "the dtype: cast one\nof them."},
    {ERR_OP_INDEX, "An index lies outside of its axis."},
    {ERR_OP_DIVISION, "Division of ints by zero; floats give inf or nan."},
    {ERR_OP_OVERFLOW, "A host number is out of the range of the tensor's "
                      "dtype."},
    {ERR_OP_VALUE, "The operation cannot do this with the value: the truth of "
                   "several elements,\na negative power of an int."},
    {ERR_SIGNATURE, "A call does not fit signature= or a concrete function. "
                    "None in a spec is any\nsize; cast changes a dtype."},
    {ERR_LEAK, "A symbolic tensor was stored outside of its trace and is used "
               "after it. The\nmessage says where it was made and stored: "
               "return it, or keep it in a Variable."},
    {ERR_SYMBOLIC, "Host code asked a symbolic tensor for its value while "
                   "tracing, when there is\nnone: use the tensor's own "
                   "operation (where, maximum, cast, any)."},
    {ERR_FROZEN, "A host value that a trace has read has changed, and the "
                 "function is staged\nwith frozen='error': pass it as an "
                 "argument, or make it a Variable."},
};

static bool add_doc(Vm *vm, Type *cls, ErrorKind kind)
{
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) {
        if (docs[i].kind == kind) {
            Str *text = str_from(vm, docs[i].text);
            bool added = text != NULL &&
                         dict_set_name(vm, cls->dict, vm->names[NAME_DOC],
                                       str_value(text));
            object_release_null(&vm->ctx, text);
            return added;
        }
    }
    return true;
}

// What the class shows, at the first look-up.
static bool fill_error(Vm *vm, Type *cls)
{
    int kind = 0;
    while (vm->error_types[kind] != cls) {
        kind++;
    }
    return class_add_error_natives(vm, cls, (ErrorKind)kind) &&
           exception_fields_install(vm, (ErrorKind)kind, cls) &&
           add_doc(vm, cls, (ErrorKind)kind);
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
        if (vm->error_types[i] == NULL) {
            return false;
        }
        vm->error_types[i]->fill = fill_error;
    }
    for (int i = 0; i < ERR_COUNT; i++) {
        vm->error_overrides[i] = VALUE_UNBOUND;
    }
    exception_families_mark(vm);
    return true;
}
