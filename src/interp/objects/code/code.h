// Compiled code: what compile.c makes and vm.c runs.
//
// An instruction is 64 bits {u8 op; u8 x; u16 A; u16 B; u16 C}; inline caches
// are whole words behind it (opcode_list.h says how many). See
// docs/internals.md, "Instructions", for operands and ownership.
#ifndef DUET_INTERP_OBJECTS_CODE_CODE_H
#define DUET_INTERP_OBJECTS_CODE_CODE_H

#include "base/source.h"
#include "interp/core/vm.h"

#define INS_OP(ins) ((uint8_t)(ins))
#define INS_X(ins) ((uint8_t)((ins) >> 8))
#define INS_A(ins) ((uint16_t)((ins) >> 16))
#define INS_B(ins) ((uint16_t)((ins) >> 32))
#define INS_C(ins) ((uint16_t)((ins) >> 48))
#define INS_BI(ins) ((int16_t)((ins) >> 32))
#define INS_CI(ins) ((int16_t)((ins) >> 48))
#define INS_J(ins) ((int32_t)((ins) >> 32))

typedef enum Opcode {
#define OPCODE(id, form, cache, doc) OPCODE_##id,
#include "interp/objects/code/opcode_list.h"
#undef OPCODE
} Opcode;

// Flags in the field x of those instructions that compile_fuse.c marks; the low
// four bits keep the meaning that opcode_list.h gives. "First" and "second"
// are the operands in the order of the table there.
enum {
    INS_ITEM = 1,         // of GETITEM: the next is a GETITEM of the result
    INS_ITEM_I = 2,       // of GETITEM and GETITEMI: the next is a GETITEMI
    INS_CHAIN = 16,       // the next instruction reads the result, and nobody
                          // else: it may be handed on without a register
    INS_CHAINED = 32,     // what the one before hands on is the second operand
                          // of the two, not the first
    INS_DROP_FIRST = 64,  // the first operand is a temporary: it is emptied
    INS_DROP_SECOND = 128 // the second one likewise
};

// [start, end) in words; the exception goes to R[depth], registers from depth
// on are released. Inner handlers come first.
typedef struct Handler {
    uint32_t start, end, target, depth;
    uint32_t handled; // exceptions that the frame is handling at the `try`
} Handler;

typedef enum CodeFlag {
    CODE_GENERATOR = 1,
    CODE_VARARGS = 2,     // has *args
    CODE_VARKEYWORDS = 4, // has **kwargs
    CODE_CLASS_BODY = 8,
    CODE_MODULE = 16,
    CODE_STAGED = 32, // converted: has block instructions and twins
    CODE_LAMBDA = 64,
    CODE_COMPREHENSION = 128,
    CODE_TAKES_SELF = 512 // its first parameter is called self: a method
} CodeFlag;

enum { CAPTURE_OUTER = 0x8000 };

// Where a block's state lives.
typedef enum PlaceKind {
    STATE_LOCAL,    // register `index`
    STATE_CELL,     // the cell in register `index`
    STATE_CAPTURED, // captured cell `index`
    STATE_GLOBAL    // the global name `name`
} PlaceKind;

// Variables that the conversion made; none of them is the program's.
typedef enum HiddenKind {
    HIDDEN_NONE,
    HIDDEN_VALUE,    // an expression's value
    HIDDEN_FLAG,     // set where a jump stood (lower.h): a bool, or unbound
    HIDDEN_RETURNED, // such a flag; where it is set only `finally` still runs
    HIDDEN_RESULT    // what the function will return; unbound until a `return`
} HiddenKind;

// One step of a path: an attribute, or the item of a constant key.
typedef struct PathStep {
    Value key; // owned; an attribute's interned name
    bool item;
} PathStep;

// One variable that a block assigns, or what a path leads to from one.
typedef struct BlockPlace {
    uint8_t kind;    // PlaceKind, of the variable
    uint8_t hidden;  // HiddenKind
    bool fresh;      // a loop's turn assigns it before it may read it
    bool later;      // of a loop: something behind it mentions the variable
    uint16_t index;  // what `kind` says
    Str *name;       // the variable's, owned; NULL: an expression's value
    PathStep *steps; // of a path ("self.h", "d['k']"), owned; NULL: the
                     // variable itself
    uint32_t step_count;
} BlockPlace;

typedef enum BlockFlag {
    BLOCK_HAS_STOP = 1,     // a `for` that `break` or `return` may end
    BLOCK_IS_AND = 4,       // `and`, or a chain of comparisons
    BLOCK_IS_OR = 8,        // `or`
    BLOCK_TEST_ASSIGNS = 2, // a `while` whose condition assigns (a walrus)
    BLOCK_IS_LOOP = 16,
    BLOCK_IS_GUARD = 32,   // what lowering put around what stands behind a jump
    BLOCK_IS_RETURNED = 64 // its second side is come to behind a `return`
} BlockFlag;

// A staged block of converted code; the stager reads it (stager/blocks.h).
// What the block assigns is its state: it is saved, and merged at the join.
typedef struct BlockInfo {
    uint32_t start;       // word of its first instruction
    uint32_t body_target; // for: its body; others: unused
    uint32_t else_target; // if: the second side; loops: where the next turn
                          // begins (while: its condition)
    uint32_t end_target;  // the instruction that ends its last part
    uint32_t join_target; // behind the block
    uint32_t depth;       // first register of temporaries inside it
    uint32_t handled;     // exceptions that are being handled around it
    uint32_t flags;       // BlockFlag
    const char *what;     // "if", "while", … for error texts
    BlockPlace *places;
    uint32_t place_count;
    Span span;     // of the whole statement
    Span sides[2]; // if: of its two sides; start == end: none
} BlockInfo;

// A place in a code's positions.
typedef struct PositionMark {
    uint32_t offset; // in bytes, of the entry that comes next
    uint32_t word;   // of the entry before it
    Span span;       // likewise
} PositionMark;

struct Code {
    Object head;
    Str *name, *qualname;
    Str *doc; // docstring, NULL: none
    Ins *words;
    uint32_t word_count;
    uint32_t register_count;   // R[0 .. register_count)
    uint32_t local_count;      // parameters and locals; above: temporaries
    uint32_t flags;            // CodeFlag
    uint16_t positional_count; // with positional-only
    uint16_t positional_only_count;
    uint16_t keyword_only_count;
    uint16_t captured_count; // cells taken from the enclosing function
    uint32_t plain_count;    // arguments of a call that needs no binding;
                             // UINT32_MAX: every call does
    uint32_t direct_count;   // as plain_count, UINT32_MAX where a call makes no
                             // frame at once: generators
    uint32_t parameter_count; // registers that a call binds
    Value *constants;
    uint32_t constant_count;
    Str **local_names; // local_count of them; temporaries have none
    Str **captured_names;
    uint16_t *captures; // where the enclosing frame has each cell: a
                        // register, or CAPTURE_OUTER + its captured cell
    Handler *handlers;
    uint32_t handler_count;
    BlockInfo *blocks;
    uint32_t block_count;
    uint8_t *positions; // delta-coded spans per instruction
    uint32_t position_size;
    PositionMark found;       // where code_span stopped last
    PositionMark found_again; // … when it had to go back
    Source *source;           // counted
    Span span;                // of the whole definition: read again to convert
    uint32_t start;           // of it or of its first decorator's expression
    struct Code *converted;   // its staged form, once made; owned
    uint32_t staged;          // staged functions of it that were ever traced
    bool plain;               // @stage.plain: never converted
};

// Empty code of this source (retained). NULL: failed.
MUST_CHECK Code *code_new(Vm *vm, Source *source);
// Releases what its places hold, not their array.
void block_places_clear(Vm *vm, BlockInfo *info);
// Releases what the info holds, not the info itself.
void block_info_free(Vm *vm, BlockInfo *info);
// The span of the instruction before word `pc` (as a traceback wants it). Who
// asks for one instruction after another, as a trace does for its nodes, pays
// for the way between them alone.
Span code_span(const Code *code, uint32_t pc);
// The word of the next instruction: inline caches are data, and skipped.
uint32_t code_next(const Code *code, uint32_t word);

// Where the registers of a frame above the running one may begin; one more
// stands in front of it.
static inline Value *vm_next_window(Vm *vm)
{
    Value *top = vm->stack;
    const Frame *f = vm->frame;
    if (LIKELY(f != NULL)) {
        top = f->flags & FRAME_GENERATOR
                  ? f->top
                  : f->registers + f->code->register_count + NATIVE_DIRECT_MOST;
    }
    return (top < vm->window_top ? vm->window_top : top) + 1;
}

#endif
