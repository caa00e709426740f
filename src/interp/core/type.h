// Types: what a class is, built-in or written in Duet.
//
// A built-in type is a `static const TypeDef` beside its code and one row in
// modules/type_list.h. Its slots are C functions. A class written in Duet is a
// Type whose slots are inherited from its base, except where the class (or one
// of its bases) defines the method of that name: there stands a slot that looks
// the method up and calls it (class_slots.c). Conversely the methods that a
// built-in type shows (`list.__len__`) are made from its slots by one table,
// dunder_list.h. Slots are never NULL-checked by name: callers go through
// interp/objects/protocol/protocol.h.
#ifndef DUET_INTERP_CORE_TYPE_H
#define DUET_INTERP_CORE_TYPE_H

#include "interp/core/name.h"
#include "interp/core/value.h"
#include "parser/ast.h" // BinaryOp, UnaryOp, CompareOp

typedef struct Vm Vm;
typedef struct Str Str;
typedef struct Tuple Tuple;
typedef struct Dict Dict;

// A native function: `args` are bound to the parameters of its descriptor, in
// order; one that was not given is VALUE_UNBOUND. `*name` receives a Tuple,
// `**name` a Dict (both borrowed, like all arguments). Returns owned, or
// VALUE_FAIL.
typedef Value (*NativeFn)(Vm *vm, Value *args);

// `params` is what the signature of a Duet function would be, "self, sep=None,
// maxsplit=-1, /": it binds arguments, words the errors and feeds help().
// The default texts are for people; the function sees VALUE_UNBOUND.
typedef struct NativeDef {
    const char *name;
    const char *params;
    NativeFn function;
    const char *doc;
} NativeDef;

// A computed attribute. `set` may be NULL (read-only); its `value` is
// VALUE_UNBOUND for `del`.
typedef struct MemberDef {
    const char *name;
    Value (*get)(Vm *vm, Value self);
    bool (*set)(Vm *vm, Value self, Value value);
    const char *doc;
} MemberDef;

// The operations of a type. NULL: the type has none (and inherits from its
// base if that has). All arguments are borrowed; Values returned are owned.
typedef struct TypeSlots {
    // Frees what the object owns and its memory. May not run Duet code.
    void (*destroy)(Vm *vm, Object *self);
    // Runs the object's own code once, before it is destroyed: __del__, the
    // rest of a generator. False with an error pending, which is told and
    // forgotten. Called between two instructions (finalizing.h).
    bool (*finalize)(Vm *vm, Object *self);
    // Whether that has anything to do; NULL: it has.
    bool (*finalizes)(const Object *self);
    // Calls `visit` once for each reference that the object owns, no more:
    // the collector subtracts them from the counts. May not allocate.
    void (*visit)(Object *self, void (*visit)(Object *child, void *data),
                  void *data);
    // Drops the references that can form a cycle (collector).
    void (*clear)(Vm *vm, Object *self);
    Value (*make)(Vm *vm, Type *cls, Tuple *args, Dict *keywords); // __new__
    bool (*init)(Vm *vm, Value self, Tuple *args, Dict *keywords);
    Value (*repr)(Vm *vm, Value self); // a Str
    Value (*str)(Vm *vm, Value self);  // a Str; NULL: repr
    Value (*format)(Vm *vm, Value self, Str *spec);
    bool (*hash)(Vm *vm, Value self, uint64_t *hash); // NULL: by identity
    // LT LE EQ NE GT GE only. NULL or NOT_IMPLEMENTED: ask the other side;
    // EQ and NE then fall back to identity.
    Value (*compare)(Vm *vm, CompareOp op, Value a, Value b);
    Value (*unary)(Vm *vm, UnaryOp op, Value self); // NEG POS INVERT
    // Either operand may be of this type; VALUE_NOT_IMPLEMENTED to decline.
    Value (*binary)(Vm *vm, BinaryOp op, Value a, Value b);
    // The same for the machine, beside `binary`: operands that nobody else
    // needs any more (bits 1: a, 2: b) may be overwritten and returned.
    // UNBOUND: not by this way, and nothing has happened.
    Value (*binary_last)(Vm *vm, BinaryOp op, Value a, Value b, unsigned last);
    // In place: may change and return a (counted); NULL: binary.
    Value (*inplace)(Vm *vm, BinaryOp op, Value a, Value b);
    int (*truth)(Vm *vm, Value self); // 1, 0; -1: failed. NULL: length, else 1
    int64_t (*length)(Vm *vm, Value self); // -1: failed
    Value (*get_item)(Vm *vm, Value self, Value key);
    // value UNBOUND: del
    bool (*set_item)(Vm *vm, Value self, Value key, Value value);
    int (*contains)(Vm *vm, Value self, Value item); // 1, 0; -1: failed
    Value (*iter)(Vm *vm, Value self);
    Value (*next)(Vm *vm, Value self); // VALUE_STOP when exhausted
    Value (*call)(Vm *vm, Value self, const Value *args, uint32_t count,
                  Tuple *keyword_names); // the last ones are keywords
    // The same for the machine, beside `call`: may push a frame for what self
    // calls, so that no C stack is used. As vm_enter (vm_run.h); not asked in
    // a trace.
    int (*enter)(Vm *vm, Value *window, uint32_t count, Tuple *keyword_names);
    // The frame that `enter` pushed with FRAME_CACHED has returned `result`
    // (borrowed), which is kept under `call`. False: failed.
    bool (*keep)(Vm *vm, Value self, Value call, Value result);
    Value (*get_attr)(Vm *vm, Value self, Str *name);
    bool (*set_attr)(Vm *vm, Value self, Str *name, Value value);
    // As a class attribute read through an instance (NULL instance UNBOUND).
    Value (*get_descriptor)(Vm *vm, Value self, Value instance, Type *owner);
    bool (*set_descriptor)(Vm *vm, Value self, Value instance, Value value);
    Value (*index)(Vm *vm, Value self); // __index__: an int
    Value (*to_int)(Vm *vm, Value self);
    Value (*to_float)(Vm *vm, Value self);
    // int(), float() and bool() inside a trace, which `to` tells apart: of what
    // has no value yet a tensor. UNBOUND: the host knows the number.
    Value (*traced_cast)(Vm *vm, Value self, const Type *to);
} TypeSlots;

// Inherited by classes of the program where class_new.c says so.
typedef enum TypeFlag {
    TYPE_FINAL = 1,      // cannot be subclassed
    TYPE_TRACKED = 2,    // instances can be in cycles: GcLinks precede them
    TYPE_UNHASHABLE = 4, // "unhashable type: 'list'"
    TYPE_HEAP = 8,       // a class statement made it
    TYPE_EXCEPTION = 16, // derives from BaseException
    TYPE_HAS_DICT = 32,  // instances take any attribute: they have a __dict__
    TYPE_USER_GET_ATTR = 64, // defines __getattr__ or __getattribute__
    TYPE_JOINS = 128,        // + and * are those of a sequence
    TYPE_GENERIC = 8192,     // C[item] is a types.GenericAlias
    TYPE_BY_PLACE = 16384,   // items by place alone: no mapping for "%"
    TYPE_CALL_LIKE = 32768,  // its methods take the arguments of its call
    TYPE_ABSTRACT = 1024,    // __abstractmethods__ of its own, not empty
    TYPE_WEAK = 512,         // of a heap class: weak references can name
                             // instances
    TYPE_LIBRARY = 2048,     // a class statement of lib/ made it; not inherited
    TYPE_ORDERED = 131072,   // OrderedDict, or derived from it
    TYPE_TEXT_ALONE = 65536, // errors that are told without a traceback
    TYPE_FAMILY = 4096,      // gives its errors fields; of such a class alone
    TYPE_DICT_AHEAD = 256    // instances: an AttrPrefix stands before the
                             // collector's links, for a __dict__ or slots
                             // (memory.h)
} TypeFlag;

// The descriptor of a built-in type; the strings are literals.
typedef struct TypeDef {
    const char *name;
    const char *spoken; // in messages; NULL: the name
    const char *module; // NULL: builtins
    const char *doc;
    const char *params; // of the constructor, for help()
    Kind kind;          // of its instances
    uint32_t size;      // bytes of an instance's fixed part
    uint32_t flags;     // TypeFlag
    TypeSlots slots;
    // The operator methods that the type shows, "add mul rmul iadd neg"; NULL:
    // all that its slots could mean. (The binary slot declines the others.)
    const char *operators;
    // Operations, in the words of `operators`, whose methods stand for no slot
    // all the same: vars() shows them as ordinary methods. NULL: none.
    const char *plain;
    const NativeDef *methods;         // ends with a NULL name
    const NativeDef *slot_methods;    // the same, shown as those of slots
    const NativeDef *more_methods[2]; // further tables, NULL: none
    const NativeDef *class_methods;   // NULL or ends with a NULL name
    const NativeDef *static_methods;  // NULL or ends with a NULL name
    const MemberDef *members;         // NULL or ends with a NULL name
    const char *stored; // members that count as stored, each between blanks,
                        // " start stop step "; NULL: all are computed
} TypeDef;

// A row of the table of built-in types: where the Vm keeps the Type, and where
// its base, made before; offsets into the Vm, 0: none.
typedef struct BuiltinType {
    const TypeDef *def; // NULL: the end
    size_t place, base;
} BuiltinType;

// A class, built-in or of the program. Subclasses hold their bases, never the
// other way round.
struct Type {
    Object head;
    const TypeDef *def; // of the nearest built-in base
    TypeSlots slots;    // resolved, inherited ones included
    Str *name, *qualname;
    Type *base; // the first base; NULL for object
    Tuple *bases, *mro;
    Dict *dict; // its own attributes; others read it by type_dict (types.h)
    // Puts there what a built-in type shows, when it is first asked for: few of
    // them ever are. NULL: it is there.
    bool (*fill)(Vm *vm, struct Type *cls);
    uint32_t flags;                 // TypeFlag
    uint8_t kind;                   // of its instances
    struct ObjectShape *root_shape; // of its instances without attributes
    Tuple *own_slots;               // names that its __slots__ add, mangled and
                                    // sorted; NULL: none
    uint32_t slot_count; // slots of an instance, those of bases included
    // Classes that name this one among their bases, each once, borrowed: a
    // class takes itself out when it dies. For updates of inherited slots.
    Type **subclasses;
    uint32_t subclass_count, subclass_capacity;
    // Instances are made by a frame for this __init__, or for this __new__
    // where slots.make is not object's (vm_enter.c); borrowed, valid while
    // maker_epoch is the Vm's epoch. NULL: they are made by C.
    Object *maker_function;
    uint64_t maker_epoch;
    Str *shown;      // for messages, "collections.deque"; NULL: its name
    uint64_t number; // its own, given when first asked for; 0: none yet
    Object *maker;   // a Native that calling the class runs (map, zip …);
                     // NULL: none
};

// Which variant type a name stood for last (type_variant). The name is a
// literal, so its address tells.
typedef struct VariantMemo {
    const char *name;
    Type *type; // borrowed from type_variants
} VariantMemo;

enum { VARIANT_MEMO_SLOTS = 32 };

// Behind type_of: ints, floats and the special values.
Type *type_of_immediate(Vm *vm, Value v);
// The class of any value, immediates included. Borrowed.
static inline Type *type_of(Vm *vm, Value v)
{
    return LIKELY(value_is_object(v)) ? value_object(v)->type
                                      : type_of_immediate(vm, v);
}
bool type_is_subtype(const Type *cls, const Type *base);
// Whether base decides the layout of cls, whatever the MRO says.
bool type_in_base_chain(const Type *cls, const Type *base);
// The Type of a built-in kind or an error class. Borrowed.
Type *type_of_kind(Vm *vm, Kind kind);
// The class of an error kind. Borrowed.
Type *type_of_error(Vm *vm, ErrorKind kind);
// "list", "re.Pattern": as messages name it, borrowed from the type.
const char *type_name(const Type *cls);
// The type of an argument that is of the wrong one, where the words come from
// the function's signature: those name None by its value.
const char *type_name_given(Vm *vm, Value value);
// The same without the module that a built-in type of a module has in front.
const char *type_short_name(const Type *cls);

#endif
