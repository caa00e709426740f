// Scalar programs as machine code.
//
// Each register of the program is in one place as long as it lives
// (scalar_place.h). What has no instruction here, and a turn that is
// interrupted, calls C, with all that lives at home.
//
// rbx: the homes; rbp: the interrupt flag; [rsp]: the run.
#include <string.h>

#include "backend/scalar_place.h"
#include "kernels/code_arena.h"
#include "kernels/emit_code.h"

// Programs of more instructions are interpreted.
enum { EMIT_MOST = 1024 };

typedef struct Jump {
    uint32_t at, target; // code_jump's; an instruction, or the way out
} Jump;

typedef struct ScalarEmitter {
    const ScalarProgram *program;
    const uint8_t *dtypes; // of registers
    Life life[SCALAR_MAX_REGS];
    uint32_t starts[EMIT_MOST + 1]; // of each instruction's code
    uint32_t slow[EMIT_MOST];       // a loop's jump to where it polls
    uint32_t jump_count;
    Jump jumps[EMIT_MOST * 2];
    int flags; // the condition that the instruction before left, 0: none
    MachineCode code;
} ScalarEmitter;

// An instruction on a general register and another, or a home; an opcode above
// 255 comes behind 0F.
static void general(MachineCode *code, bool wide, int opcode, int reg, int rm)
{
    code_byte(code, 0x40 | wide << 3 | (reg > 7) << 2 | (rm > 7));
    if (opcode > 255) {
        code_byte(code, 0x0F);
    }
    code_byte(code, opcode & 255);
    code_byte(code, 0xC0 | (reg & 7) << 3 | (rm & 7));
}

static void general_home(MachineCode *code, int opcode, int reg, uint16_t home)
{
    code_byte(code, 0x48 | (reg > 7) << 2);
    if (opcode > 255) {
        code_byte(code, 0x0F);
    }
    code_byte(code, opcode & 255);
    code_byte(code, 0x80 | (reg & 7) << 3 | RBX);
    code_long(code, home * 8u);
}

enum {
    LOAD = 0x8B, // also from register to register
    STORE = 0x89,
    LOAD_BYTE = 0x1B6,
    ADD_TO = 0x03,
    SUBTRACT_FROM = 0x2B,
    AND_WITH = 0x23,
    OR_WITH = 0x0B,
    COMPARE = 0x3B,
    TEST = 0x85,
    MULTIPLY_BY = 0x1AF,
    MOVE_NOT_ZERO = 0x145
};

// Between a home and a register of the processor. A bool's home has one byte
// that counts.
static void move_home(ScalarEmitter *e, uint16_t reg, int at, bool store)
{
    if (e->life[reg].floats) {
        CodePlace home = {PLACE_HOME, 0, reg};
        Vex load = {1, 2, 0, 0x7E}, keep = {1, 1, 0, 0xD6};
        code_vex(&e->code, store ? keep : load, 16, at, 0, home, -1);
    } else {
        general_home(&e->code,
                     store                       ? STORE
                     : e->dtypes[reg] == DT_BOOL ? LOAD_BYTE
                                                 : LOAD,
                     at, reg);
    }
}

// The operand in a register: its own, or `scratch`.
static int operand(ScalarEmitter *e, uint16_t reg, int scratch)
{
    if (e->life[reg].at != AT_HOME) {
        return e->life[reg].at;
    }
    move_home(e, reg, scratch, false);
    return scratch;
}

// Where a result is made.
static int result(const ScalarEmitter *e, uint16_t reg)
{
    return e->life[reg].at != AT_HOME ? e->life[reg].at
           : e->life[reg].floats      ? (int)X0
                                      : (int)RAX;
}

static void finish(ScalarEmitter *e, uint16_t reg)
{
    if (e->life[reg].at == AT_HOME) {
        move_home(e, reg, result(e, reg), true);
    }
}

static void move_general(MachineCode *code, int to, int from)
{
    if (to != from) {
        general(code, true, LOAD, to, from);
    }
}

static void move_vector(MachineCode *code, int to, int from)
{
    if (to != from) {
        code_vex(code, (Vex){1, 0, 0, 0x28}, 16, to, 0, place_reg(from), -1);
    }
}

static void emit_move(ScalarEmitter *e, const ScalarOp *op)
{
    int to = result(e, op->out), from = operand(e, op->in[0], to);
    if (e->life[op->out].floats) {
        move_vector(&e->code, to, from);
    } else {
        move_general(&e->code, to, from);
    }
    finish(e, op->out);
}

static void emit_integer(ScalarEmitter *e, const ScalarOp *op, int opcode,
                         bool wide)
{
    int x = operand(e, op->in[0], RAX), y = operand(e, op->in[1], RDX);
    int to = result(e, op->out);
    move_general(&e->code, to, x);
    general(&e->code, wide, opcode, to, y);
    finish(e, op->out);
}

static void emit_float(ScalarEmitter *e, const ScalarOp *op, int opcode,
                       bool wide)
{
    int x = operand(e, op->in[0], X0), y = operand(e, op->in[1], X1);
    Vex vex = {1, wide ? 3 : 2, 0, (uint8_t)opcode};
    code_vex(&e->code, vex, 16, result(e, op->out), x, place_reg(y), -1);
    finish(e, op->out);
}

// The second factor is read where it is: two operands have registers for what
// is at home.
static void emit_fused(ScalarEmitter *e, const ScalarOp *op)
{
    int at = e->life[op->in[1]].at;
    CodePlace y =
        at != AT_HOME ? place_reg(at) : (CodePlace){PLACE_HOME, 0, op->in[1]};
    Vex vex = {2, 1, op->code == SCALAR_FUSED64, 0xB9};
    move_vector(&e->code, X0, operand(e, op->in[2], X0));
    code_vex(&e->code, vex, 16, X0, operand(e, op->in[0], X1), y, -1);
    move_vector(&e->code, result(e, op->out), X0);
    finish(e, op->out);
}

static void emit_not(ScalarEmitter *e, const ScalarOp *op)
{
    int x = operand(e, op->in[0], RAX), to = result(e, op->out);
    move_general(&e->code, to, x);
    // xor to, 1
    general(&e->code, false, 0x83, 6, to);
    code_byte(&e->code, 1);
    finish(e, op->out);
}

// The condition's bit becomes the sign that blendv looks at.
static void emit_float_select(ScalarEmitter *e, const ScalarOp *op)
{
    MachineCode *code = &e->code;
    int test = operand(e, op->in[0], RAX);
    code_vex(code, (Vex){1, 1, 0, 0x6E}, 16, X0, 0, place_reg(test), -1);
    code_vex(code, (Vex){1, 1, 0, 0x73}, 16, 6, X0, place_reg(X0), 63);
    int no = operand(e, op->in[2], X1), yes = e->life[op->in[1]].at;
    CodePlace from =
        yes != AT_HOME ? place_reg(yes) : (CodePlace){PLACE_HOME, 0, op->in[1]};
    code_vex(code, (Vex){3, 1, 0, 0x4B}, 16, result(e, op->out), no, from,
             X0 << 4);
    finish(e, op->out);
}

static void emit_select(ScalarEmitter *e, const ScalarOp *op)
{
    if (e->life[op->out].floats) {
        emit_float_select(e, op);
        return;
    }
    int test = operand(e, op->in[0], RAX);
    general(&e->code, false, TEST, test, test);
    move_general(&e->code, RDX, operand(e, op->in[2], RDX));
    int yes = operand(e, op->in[1], RAX);
    general(&e->code, true, MOVE_NOT_ZERO, RDX, yes);
    move_general(&e->code, result(e, op->out), RDX);
    finish(e, op->out);
}

// What an instruction of the list becomes.
typedef enum InstructionForm {
    FORM_CALL, // nothing: C does it
    FORM_INT,
    FORM_INT_ORDER, // opcode: the condition
    FORM_FLOAT,
    FORM_FLOAT_ORDER,  // the same, of operands in this order
    FORM_FLOAT_TURNED, // and of the second and the first
    FORM_FLOAT_EQUAL   // opcode: the comparison
} InstructionForm;
static const struct {
    uint8_t form;
    bool wide;
    int opcode;
} rows[SCALAR_COUNT] = {
#define INTEGERS(T, wide)                                                      \
    [SCALAR_ADD_##T] = {FORM_INT, wide, ADD_TO},                               \
    [SCALAR_SUBTRACT_##T] = {FORM_INT, wide, SUBTRACT_FROM},                   \
    [SCALAR_MULTIPLY_##T] = {FORM_INT, wide, MULTIPLY_BY},                     \
    [SCALAR_EQUAL_##T] = {FORM_INT_ORDER, wide, 0x84},                         \
    [SCALAR_NOT_EQUAL_##T] = {FORM_INT_ORDER, wide, 0x85},                     \
    [SCALAR_LESS_##T] = {FORM_INT_ORDER, wide, 0x8C},                          \
    [SCALAR_LESS_EQUAL_##T] = {FORM_INT_ORDER, wide, 0x8E},                    \
    [SCALAR_GREATER_##T] = {FORM_INT_ORDER, wide, 0x8F},                       \
    [SCALAR_GREATER_EQUAL_##T] = {FORM_INT_ORDER, wide, 0x8D}
#define FLOATS(T, wide)                                                        \
    [SCALAR_ADD_##T] = {FORM_FLOAT, wide, 0x58},                               \
    [SCALAR_SUBTRACT_##T] = {FORM_FLOAT, wide, 0x5C},                          \
    [SCALAR_MULTIPLY_##T] = {FORM_FLOAT, wide, 0x59},                          \
    [SCALAR_DIVIDE_##T] = {FORM_FLOAT, wide, 0x5E},                            \
    [SCALAR_SQRT_##T] = {FORM_FLOAT, wide, 0x51},                              \
    [SCALAR_EQUAL_##T] = {FORM_FLOAT_EQUAL, wide, 0},                          \
    [SCALAR_NOT_EQUAL_##T] = {FORM_FLOAT_EQUAL, wide, 4},                      \
    [SCALAR_LESS_##T] = {FORM_FLOAT_TURNED, wide, 0x87},                       \
    [SCALAR_LESS_EQUAL_##T] = {FORM_FLOAT_TURNED, wide, 0x83},                 \
    [SCALAR_GREATER_##T] = {FORM_FLOAT_ORDER, wide, 0x87},                     \
    [SCALAR_GREATER_EQUAL_##T] = {FORM_FLOAT_ORDER, wide, 0x83}
    INTEGERS(INT32, false),
    INTEGERS(INT64, true),
    FLOATS(FLOAT32, false),
    FLOATS(FLOAT64, true),
    [SCALAR_LOGICAL_AND_BOOL] = {FORM_INT, false, AND_WITH},
    [SCALAR_LOGICAL_OR_BOOL] = {FORM_INT, false, OR_WITH},
};

// A condition whose one reader is the jump that follows stays in the flags.
static void leave_flags(ScalarEmitter *e, const ScalarOp *op, int condition)
{
    uint32_t next = (uint32_t)(op + 1 - e->program->code);
    if (op[1].code == SCALAR_JUMP_FALSE && op[1].in[0] == op->out &&
        e->life[op->out].end == (int32_t)next) {
        e->flags = condition;
        return;
    }
    int to = result(e, op->out);
    general(&e->code, false, 0x100 | (condition + 0x10), 0, to);
    general(&e->code, false, LOAD_BYTE, to, to);
    finish(e, op->out);
}

static void emit_order(ScalarEmitter *e, const ScalarOp *op)
{
    bool wide = rows[op->code].wide;
    InstructionForm form = (InstructionForm)rows[op->code].form;
    if (form == FORM_INT_ORDER) {
        int x = operand(e, op->in[0], RAX), y = operand(e, op->in[1], RDX);
        general(&e->code, wide, COMPARE, x, y);
    } else {
        int x = operand(e, op->in[0], X0), y = operand(e, op->in[1], X1);
        bool turned = form == FORM_FLOAT_TURNED;
        // A NaN sets the flags as if it were below.
        code_vex(&e->code, (Vex){1, wide, 0, 0x2E}, 16, turned ? y : x, 0,
                 place_reg(turned ? x : y), -1);
    }
    leave_flags(e, op, rows[op->code].opcode);
}

static void emit_float_equal(ScalarEmitter *e, const ScalarOp *op)
{
    int x = operand(e, op->in[0], X0), y = operand(e, op->in[1], X1);
    Vex vex = {1, rows[op->code].wide ? 3 : 2, 0, 0xC2};
    code_vex(&e->code, vex, 16, X0, x, place_reg(y), rows[op->code].opcode);
    int to = result(e, op->out);
    // movd to, x0; and to, 1
    code_vex(&e->code, (Vex){1, 1, 0, 0x7E}, 16, X0, 0, place_reg(to), -1);
    general(&e->code, false, 0x83, 4, to);
    code_byte(&e->code, 1);
    finish(e, op->out);
}

static void jump(ScalarEmitter *e, uint32_t at, uint32_t target)
{
    e->jumps[e->jump_count++] = (Jump){at, target};
}

static uint32_t jump_always(MachineCode *code)
{
    code_byte(code, 0xE9);
    code_long(code, 0);
    return code->size;
}

// What lives before and after the instruction, between registers and homes.
static void move_living(ScalarEmitter *e, uint32_t at, bool store)
{
    for (uint16_t r = 0; r < e->program->reg_count; r++) {
        const Life *life = &e->life[r];
        if (life->at != AT_HOME && life->start < (int32_t)at &&
            life->end >= (int32_t)at) {
            move_home(e, r, life->at, store);
        }
    }
}

static void load_address(MachineCode *code, int reg, const void *address)
{
    code_byte(code, 0x48);
    code_byte(code, 0xB8 | reg);
    code_long(code, (uint32_t)(uintptr_t)address);
    code_long(code, (uint32_t)((uint64_t)(uintptr_t)address >> 32));
}

// scalar_call(run, op, homes); the way out if it fails.
static void emit_call(ScalarEmitter *e, const ScalarOp *op)
{
    MachineCode *code = &e->code;
    uint32_t at = (uint32_t)(op - e->program->code);
    bool (*call)(PlanRun *, const ScalarOp *, uint64_t *) = scalar_call;
    const void *address;
    memcpy(&address, &call, sizeof address);
    move_living(e, at, true);
    // mov rdi, [rsp]; call rax
    code_bytes(code, (const uint8_t[]){0x48, 0x8B, 0x3C, 0x24}, 4);
    load_address(code, RSI, op);
    move_general(code, RDX, RBX);
    load_address(code, RAX, address);
    code_bytes(code, (const uint8_t[]){0xFF, 0xD0}, 2);
    // test al, al
    code_bytes(code, (const uint8_t[]){0x84, 0xC0}, 2);
    jump(e, code_jump(code, JUMP_ZERO), e->program->code_count);
    move_living(e, at, false);
    for (uint16_t r = op->out; !scalar_is_jump(op) && r < op->out + op->count;
         r++) {
        if (e->life[r].at != AT_HOME) {
            move_home(e, r, e->life[r].at, false);
        }
    }
}

static void emit_jump(ScalarEmitter *e, const ScalarOp *op)
{
    MachineCode *code = &e->code;
    if (op->code == SCALAR_JUMP_FALSE) {
        int condition = e->flags ^ 1;
        if (e->flags == 0) {
            int test = operand(e, op->in[0], RAX);
            general(code, false, TEST, test, test);
            condition = JUMP_ZERO;
        }
        e->flags = 0;
        jump(e, code_jump(code, condition), op->target);
        return;
    }
    if (op->code == SCALAR_LOOP) {
        // cmp dword [rbp + 0], 0
        code_bytes(code, (const uint8_t[]){0x83, 0x7D, 0, 0}, 4);
        e->slow[op - e->program->code] = code_jump(code, JUMP_NOT_ZERO);
    }
    jump(e, jump_always(code), op->target);
}

static void emit_op(ScalarEmitter *e, const ScalarOp *op)
{
    bool wide = rows[op->code].wide;
    int opcode = rows[op->code].opcode;
    if (scalar_is_jump(op)) {
        emit_jump(e, op);
        return;
    }
    switch (op->code) {
    case SCALAR_MOVE: emit_move(e, op); return;
    case SCALAR_SELECT: emit_select(e, op); return;
    case SCALAR_FUSED32:
    case SCALAR_FUSED64: emit_fused(e, op); return;
    case SCALAR_LOGICAL_NOT_BOOL: emit_not(e, op); return;
    default: break;
    }
    switch ((InstructionForm)rows[op->code].form) {
    case FORM_CALL: emit_call(e, op); break;
    case FORM_INT: emit_integer(e, op, opcode, wide); break;
    case FORM_FLOAT: emit_float(e, op, opcode, wide); break;
    case FORM_FLOAT_EQUAL: emit_float_equal(e, op); break;
    case FORM_INT_ORDER:
    case FORM_FLOAT_ORDER:
    case FORM_FLOAT_TURNED: emit_order(e, op); break;
    }
}

// push rbx, rbp, r12 … r15, and the run, which rsi holds.
static const uint8_t entry[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55,
                                0x41, 0x56, 0x41, 0x57, 0x56};
// pop rcx and all these; ret
static const uint8_t way_out[] = {0x59, 0x41, 0x5F, 0x41, 0x5E, 0x41,
                                  0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3};

static void emit_all(ScalarEmitter *e)
{
    const ScalarProgram *p = e->program;
    MachineCode *code = &e->code;
    code_bytes(code, entry, sizeof entry);
    move_general(code, RBX, RDI);
    move_general(code, RBP, RDX);
    for (uint16_t r = 0; r < p->reg_count; r++) {
        if (e->life[r].start == -1 && e->life[r].at != AT_HOME) {
            move_home(e, r, e->life[r].at, false);
        }
    }
    uint32_t last = p->code_count - 1; // SCALAR_END
    for (uint32_t i = 0; i < last; i++) {
        e->starts[i] = code->size;
        emit_op(e, &p->code[i]);
    }
    e->starts[last] = code->size;
    move_living(e, last, true);
    // mov eax, 1
    code_bytes(code, (const uint8_t[]){0xB8, 1, 0, 0, 0}, 5);
    e->starts[p->code_count] = code->size;
    code_bytes(code, way_out, sizeof way_out);
    for (uint32_t i = 0; i < last; i++) {
        if (p->code[i].code == SCALAR_LOOP) {
            code_aim(code, e->slow[i], code->size);
            emit_call(e, &p->code[i]);
            jump(e, jump_always(code), p->code[i].target);
        }
    }
    for (uint32_t i = 0; i < e->jump_count; i++) {
        code_aim(code, e->jumps[i].at, e->starts[e->jumps[i].target]);
    }
}

bool scalar_emit(Ctx *ctx, ScalarProgram *program, const uint8_t *dtypes)
{
    if (ctx->kernels->tier->emits == 0 || program->code_count > EMIT_MOST) {
        return true;
    }
    ScalarEmitter *e = ctx_alloc(ctx, sizeof *e);
    if (e == NULL) {
        return false;
    }
    e->program = program;
    e->dtypes = dtypes;
    e->jump_count = 0;
    e->flags = 0;
    e->code.full = false;
    e->code.width = 32;
    e->code.size = e->code.pool_count = e->code.patch_count = 0;
    scalar_place(program, dtypes, e->life);
    emit_all(e);
    void *code = e->code.full ? NULL
                              : code_add(ctx->kernels->code, e->code.bytes,
                                         e->code.size);
    memcpy(&program->run, &code, sizeof code);
    program->size = e->code.size;
    ctx_free(ctx, e, sizeof *e);
    return true;
}

void scalar_release(Ctx *ctx, Plan *plan)
{
    for (ScalarProgram *p = plan->scalars; p != NULL; p = p->next_of_plan) {
        void *code;
        memcpy(&code, &p->run, sizeof code);
        if (code != NULL) {
            code_drop(ctx->kernels->code, code, p->size);
        }
    }
}
