// Slow paths: functions, classes, calls with lists of arguments, imports.
//
// What the compiler needs for one of these stands in registers side by side
// from A on, since the parts are more than an instruction has fields. They are
// taken from there, and the result goes to A.
#include "interp/hooks/library.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/obj_list.h"

// Names are interned strs among the constants; borrowed.
static Str *name_of(const Frame *f, uint32_t constant)
{
    return value_as_str(f->code->constants[constant]);
}

// Moves a register out.
static Value take(Frame *f, uint32_t reg)
{
    Value v = f->registers[reg];
    f->registers[reg] = VALUE_UNBOUND;
    return v;
}

// Cells are taken from the frame that runs: its own, or those it has captured.
bool slow_makefunc(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins);
    Code *code = (Code *)value_object(f->code->constants[INS_B(ins)]);
    Function *function = function_new(vm, code, f->globals);
    if (function == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < code->captured_count; i++) {
        uint16_t from = code->captures[i];
        Value cell = from & CAPTURE_OUTER ? f->cells[from & ~CAPTURE_OUTER]
                                          : f->registers[from];
        value_replace(&vm->ctx, &function->cells[i], value_retain(cell));
    }
    // The bits say which parts stand in the registers behind A.
    if (INS_X(ins) & 1) {
        function->defaults = value_as_tuple(take(f, a + 1));
    }
    if (INS_X(ins) & 2) {
        function->keyword_defaults = value_as_dict(take(f, a + 2));
    }
    if (INS_X(ins) & 4) {
        function->annotations = value_as_dict(take(f, a + 3));
    }
    return slow_set(vm, f, a, value_from_object(function));
}

// Puts what was taken over by the caller into the register.
static void put(Vm *vm, Value *reg, Value v)
{
    value_replace(&vm->ctx, reg, v);
}

// R[A ..]: what a class statement needs before its body runs.
bool slow_prepare(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_A(ins)];
    Prepared made;
    if (!class_prepare(vm, name_of(f, INS_B(ins)), value_as_tuple(part[0]),
                       value_as_dict(part[1]), &made)) {
        return false;
    }
    put(vm, &part[4], part[0]);
    part[0] = value_from_object(made.bases);
    put(vm, &part[3], made.meta);
    put(vm, &part[2], made.space);
    return true;
}

// The cell __class__ gets the class, for super() in its methods.
bool slow_mkclass(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_A(ins)];
    Prepared made = {
        .bases = value_as_tuple(part[0]), .space = part[2], .meta = part[3]};
    Value cls =
        class_build(vm, value_as_str(part[6]), &made, value_as_dict(part[1]),
                    value_as_tuple(part[4]), part[5]);
    if (value_failed(cls)) {
        return false;
    }
    for (uint32_t i = 1; i < 7; i++) {
        put(vm, &part[i], VALUE_UNBOUND);
    }
    return slow_set(vm, f, INS_A(ins), cls);
}

// --- imports ---

// The constant in C is the tuple of names of a `from`, or None; x is the level.
bool slow_import(Vm *vm, Frame *f, Ins ins)
{
    return slow_set(vm, f, INS_A(ins),
                    vm->library->import(vm, f->globals, name_of(f, INS_B(ins)),
                                        f->code->constants[INS_C(ins)],
                                        INS_X(ins)));
}

// The attribute of a module, or else its submodule of that name.
bool slow_importfrom(Vm *vm, Frame *f, Ins ins)
{
    return slow_set(vm, f, INS_A(ins),
                    vm->library->from(vm, f->registers[INS_B(ins)],
                                      name_of(f, INS_C(ins))));
}

// The module's register is emptied whether or not the names could be stored.
bool slow_importstar(Vm *vm, Frame *f, Ins ins)
{
    bool ok = vm->library->star(vm, f->registers[INS_A(ins)], f->globals);
    slow_drop(vm, f, INS_A(ins));
    return ok;
}
