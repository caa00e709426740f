// Functions: written in Duet, native, and bound methods; cells.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_FUNCTION_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_FUNCTION_H

#include "interp/core/memory.h"
#include "interp/objects/code/code.h"

typedef struct Cell { // a variable shared by closures
    Object head;
    Value value; // UNBOUND: not assigned
} Cell;

// Owns all its parts. code, globals, name and qualname are never NULL.
struct Function {
    Object head;
    Code *code;
    Dict *globals;
    Str *name, *qualname;
    Value doc;
    Value module;           // __module__
    Tuple *defaults;        // of the last positional parameters; NULL: none
    Dict *keyword_defaults; // NULL: none
    Dict *annotations;      // NULL: none
    Dict *dict;             // other attributes; NULL: none
    uint32_t cell_count;
    Value cells[]; // Cell objects, code->captured_count of them
};

// The parameters of a native function, read from its NativeDef when it is
// first called: of the thousand that exist few ever are.
typedef struct NativeParam {
    Str *name;
    const char *default_text; // NULL: required
    uint8_t kind;             // ParamKind
} NativeParam;

// One row of a table of NativeDefs as an object; `def` is static data.
typedef struct Native {
    Object head;
    const NativeDef *def;
    NativeFn function;
    NativeParam *params;
    uint16_t param_count;
    uint16_t positional_count; // may be given by position
    uint16_t required_count;   // of these
    uint16_t flags;            // NATIVE_SIMPLE, NATIVE_READ
    // So many arguments by position, and up to direct_span more, need no
    // binding. Above any count until the parameters have been read.
    uint32_t direct_least, direct_span;
    Value self;        // a bound native (rarely), UNBOUND: none
    Type *owner;       // the type whose method it is, NULL: a function
    const char *place; // static: the type of a class or static method, the
                       // module of a function, for errors; NULL: builtins
    Str *name;
    void *data; // for the function's own use
} Native;

// Only positional parameters, no variadic ones: `count == positional_count`
// arguments can be handed over as they stand.
enum {
    NATIVE_SIMPLE = 1,
    NATIVE_READ = 2,     // the parameters are there (native_read_params)
    NATIVE_OF_CLASS = 4, // its first argument is the class, bound to it
    NATIVE_MAKES = 8,    // a __new__: `data` is the type whose it is
    NATIVE_SLOT = 16,    // stands for a slot (`__add__`, `__len__`)
    NATIVE_READS = 32,   // in ModuleDef.reads
    NATIVE_CHANGES = 64  // in ModuleDef.changes
};

typedef struct Method { // bound: self put in front of the arguments
    Object head;
    Value function, self;
} Method;

// A function of this code; its doc, name and module are set, captured cells
// are UNBOUND until the caller has put them in. Retains.
MUST_CHECK Function *function_new(Vm *vm, Code *code, Dict *globals);
MUST_CHECK Cell *cell_new(Vm *vm, Value value); // retains
// `def` is static; `owner` is the class whose method it is, NULL: none. Its
// parameters are read at the first call.
MUST_CHECK Native *native_new(Vm *vm, const NativeDef *def, Type *owner);
// The same for a method that stands for a slot of its owner.
MUST_CHECK Native *native_new_slot(Vm *vm, const NativeDef *def, Type *owner);
// Before params, the counts and NATIVE_SIMPLE mean anything.
MUST_CHECK bool native_read_params(Vm *vm, Native *self);
MUST_CHECK Method *method_new(Vm *vm, Value function, Value self); // retains
// The slot get_descriptor of what is a method in a class as a function is one:
// the machine calls it with the instance in front, and binds nothing.
Value method_bind(Vm *vm, Value self, Value instance, Type *owner);
// Bound methods of built-in types, which programs see as functions in C.
extern const TypeDef bound_native_type_def;

#endif
