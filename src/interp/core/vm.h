// The Vm: all state of one running Duet.
//
// There are no globals, and two Vms in one process do not meet. Its first
// member is the Ctx that the lower layers know. What makes one and runs texts
// in it stands above: modules/world.h, interp/machine/vm/vm_text.h.
#ifndef DUET_INTERP_CORE_VM_H
#define DUET_INTERP_CORE_VM_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "interp/core/cycles.h"
#include "interp/core/name.h"
#include "interp/core/type.h"

typedef struct TraceHooks TraceHooks;     // interp/hooks/tracing.h
typedef struct ProgramHooks ProgramHooks; // interp/hooks/program.h
typedef struct LibraryHooks LibraryHooks; // interp/hooks/library.h
typedef struct ModuleDef ModuleDef;       // modules/importing/module.h
typedef struct Trace Trace;               // stager/trace.h
typedef struct Display Display;           // interp/tensors/display.h
typedef struct Code Code;                 // interp/objects/code/code.h
typedef struct Function Function;
typedef struct Set Set;
typedef uint64_t Ins; // an instruction, or a word of its cache (code.h)

// One activation. Frames stand in one array; registers in one stack that
// never moves, but those of a generator in its object. R[-1] holds the function
// (or generator) that runs.
typedef struct Frame {
    const Ins *pc;    // next instruction; valid while another frame runs
    Value *registers; // R[0 .. code->register_count)
    Code *code;       // borrowed from the function in R[-1]
    Dict *globals;    // borrowed likewise
    Value *cells;     // captured cells of the function, borrowed likewise
    uint32_t flags;   // FrameFlag
    uint32_t handled; // count of handled exceptions when it was entered
    Value *top;       // FRAME_GENERATOR: where the stack is free; its registers
                      // stand in the generator. Else meaningless
} Frame;

// What is special when a frame ends; 0 for a plain call.
typedef enum FrameFlag {
    FRAME_ENTRY = 1,     // vm_run returns to C when it ends
    FRAME_GENERATOR = 2, // R[-1] is the generator, which holds the registers
    FRAME_STAGED = 4,    // runs converted code inside a trace
    FRAME_INIT = 16,     // __init__: R[-2] holds the new instance
    FRAME_OPERATOR = 32, // a method that stands for the caller's instruction
    FRAME_CACHED = 64,   // R[-2] is a Link, R[-3] the lru_cache it is for
    FRAME_FAR = 128,     // called by a generator: its window is not the
                         // caller's, and CALLFAR's register takes the result
    FRAME_NEW = 256      // __new__: R[-2] holds the call's arguments, R[-3] the
                         // class that was called
} FrameFlag;

// So many parameters of natives are filled up in the window, above the frame.
enum { NATIVE_DIRECT_MOST = 8 };

typedef VEC(Value) ValueVec;

// What a class of the program has under a name, itself or by its bases. Valid
// while the epoch is the Vm's; owns nothing. A name is kept alive by the class
// that has it, or is one of vm->names.
typedef struct LookupEntry {
    const Type *cls;
    const Str *name;
    Value found; // UNBOUND: it has not got the name
    uint64_t epoch;
} LookupEntry;

enum { LOOKUP_SLOTS = 256 };

// The words of an inline cache that another shape has since taken (vm_site.h).
typedef struct SiteEntry {
    const Str *name; // NULL: empty
    uint32_t use;    // SiteUse
    uint64_t words[3];
} SiteEntry;

enum { SITE_SLOTS = 256 };

// All fields but those that vm_new sets begin as zero bytes.
struct Vm {
    Ctx ctx;

    // Execution (vm.c, call.c).
    Value *stack, *stack_end; // reserved mapping
    Value *window_top;  // end of the windows that C code holds (vm_run.h);
                        // NULL: none
    size_t stack_bytes; // of the mapping
    Frame *frames;      // reserved likewise
    Frame *frames_end;  // no frame may stand here: the recursion limit, less
                        // the levels that C has taken (depth.h)
    Frame *frame;       // the running one, NULL: none
    uint32_t recursion_limit; // as set; vm_set_recursion_limit
    Value exception;  // raised and not yet caught, UNBOUND: none (raise.h)
    ValueVec handled; // being handled, innermost last: sys.exc_info, context

    // The object world.
    const BuiltinType *builtin_types; // the table that vm_new gives
    Type *types[KIND_COUNT];          // by kind
    Type *error_types[ERR_COUNT];     // by error kind (error_list.h)
    Type *object_type, *none_type, *bool_type, *ellipsis_type,
        *not_implemented_type, *slot_type, *native_method_type,
        *native_slot_type, *tape_type;
    Value error_overrides[ERR_COUNT]; // stage.error_class; UNBOUND: none
    Value error_subject;    // whose attribute the pending text says is missing
    Value memory_error;     // made beforehand, for when memory is short
    Set *interned;          // strings, weakly held
    Str *names[NAME_COUNT]; // name.h
    Str *empty_str;
    Str *char_strs[128]; // one-character ASCII strings
    Tuple *empty_tuple;
    uint64_t numbered_types; // how many classes got a number (class_abstract.c)
    uint64_t numbered_globals; // how many globals did (vm_names.c)
    uint64_t epoch;        // bumped by any change of a class (method caches)
    Dict *builtins;        // the built-in names
    Dict *modules;         // sys.modules
    Object *zombies;       // objects waiting to be destroyed (memory.c)
    bool destroying;       // dealloc is running
    Collector gc;          // the cycle collector (cycles.h)
    Finalizing finalizing; // dead objects whose code has yet to run
                           // (finalizing.h)
    struct ReprGuard *printing; // containers being printed (sequence.h)
    WeakTable weak_table;       // weak references by target (weakref.h)
    Map type_variants;          // types made on demand, by name (type_variant)
    VariantMemo variant_memo[VARIANT_MEMO_SLOTS]; // the last ones

    // Staging: NULL and 0 while nothing is traced.
    const TraceHooks *hooks;    // installed by the stager (apply.h)
    Trace *trace;               // the running trace; tests `vm->trace != NULL`
    Trace *aside;               // that which stage.once() set aside last
    struct Recorder *recorders; // innermost first (recorder.h)
    void (*forget)(Vm *vm, Object *object); // OBJECT_WATCHED dies: the stager's
    bool eager_only;                        // stage.eager(True), --eager
    bool check_numbers;                     // stage.check_numerics(True)
    bool long_calls;                        // no staged call may be quick
    void *stager;                           // the stager's own state
    Display *display;                       // how kinds print (display.h)
    Arena tensor_arena; // descriptors of bound ops (builtins_tensor.c)

    // The outside.
    Value stdin_file, stdout_file, stderr_file; // sys.stdin …
    bool output_lost;        // a dropped file could not write its output
    uint32_t file_count;     // File objects, the three above included
    struct FileLog *filelog; // of a copy of the world (filelog.h); else NULL
    ValueVec argv;
    const LibraryHooks *library;            // importing and files (library.h)
    const ModuleDef *const *native_modules; // those that import finds; the
                                            // last is NULL
    const ProgramHooks *program; // what the program around the Vm offers; NULL:
                                 // there is none (program.h)
    void *session;               // that program's own state

    LookupEntry lookups[LOOKUP_SLOTS]; // what classes were last asked for
    SiteEntry sites[SITE_SLOTS];       // what places found (vm_site.h)
};

// What C code calls in the machine, defined above the objects that call it
// (interp/machine/vm): tools/check-links names these and no others.

// Calls. Arguments are borrowed. `keyword_names`: the last arguments are
// keywords of these names, NULL: none.
Value vm_call(Vm *vm, Value callee, const Value *args, uint32_t count);
// The last arguments go by the names; NULL: none.
Value vm_call_keywords(Vm *vm, Value callee, const Value *args, uint32_t count,
                       Tuple *keyword_names);
// Runs the running frame, which is an entry frame, to its end. `raised`:
// begins by unwinding the pending error. Owned result, VALUE_FAIL. A yield
// returns the value with the frame still standing (obj_generator.c).
Value vm_run(Vm *vm, bool raised);
// Runs the code of dead objects that is queued (finalizing.h); nothing while an
// error is pending.
void finalize_run(Vm *vm);

#endif
