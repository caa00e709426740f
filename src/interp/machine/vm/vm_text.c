// The machine's stacks; compiling and running texts.
//
// The register stack is one reserved mapping whose pages the kernel clears
// when they are first touched: a fresh register reads as the int 0, which
// owns nothing.
#include <ctype.h>
#include <string.h>
#include <sys/mman.h>

#include "interp/core/memory.h"
#include "interp/machine/compile/compile_tree.h"
#include "interp/machine/compile/dump.h"
#include "interp/machine/compile/syntax_warnings.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "parser/parser.h"

enum {
    STACK_BYTES = 64 << 20,
    STACK_BYTES_LEAST = 1 << 20, // when so much cannot be reserved
    STACK_MARGIN = 4096,         // registers that C code may use at the end
    RECURSION_LIMIT = 1000,
    FRAME_COUNT = 1 << 20,
    FRAME_MOST = FRAME_COUNT - 16, // what setrecursionlimit can ask for
    C_DEPTH_LIMIT = 20000          // the C stack's size decides before that
};

// Address space only: pages take memory when they are first touched.
// NULL: the system refuses so much.
static void *reserve(size_t size)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

// Where frames would end if C took no levels. A limit beyond FRAME_MOST is
// shown to the program but not granted: memory is reserved for so many.
static Frame *granted_end(const Vm *vm)
{
    uint32_t limit = vm->recursion_limit;
    return vm->frames + (limit < FRAME_MOST ? limit : FRAME_MOST);
}

// Neither stack ever moves, so that pointers to registers and frames stay
// valid. Under a limit on address space a smaller register stack does.
// False with a MemoryError pending; vm_free gives back what there is.
bool vm_make_stacks(Vm *vm)
{
    size_t bytes = STACK_BYTES;
    while ((vm->stack = reserve(bytes)) == NULL && bytes > STACK_BYTES_LEAST) {
        bytes /= 2;
    }
    vm->frames = reserve(FRAME_COUNT * sizeof(Frame));
    if (vm->stack == NULL || vm->frames == NULL) {
        return ctx_fail_memory(&vm->ctx);
    }
    vm->stack_bytes = bytes;
    vm->stack_end = vm->stack + bytes / sizeof(Value) - STACK_MARGIN;
    vm->recursion_limit = RECURSION_LIMIT;
    vm->frames_end = granted_end(vm);
    return true;
}

void vm_free_stacks(Vm *vm)
{
    if (vm->stack != NULL) {
        munmap(vm->stack, vm->stack_bytes);
    }
    if (vm->frames != NULL) {
        munmap(vm->frames, FRAME_COUNT * sizeof(Frame));
    }
}

// Frames are compared with a pointer, so no depth is counted at a call. What
// levels of C have taken of the old limit stays taken.
void vm_set_recursion_limit(Vm *vm, uint32_t limit)
{
    ptrdiff_t taken = granted_end(vm) - vm->frames_end;
    vm->recursion_limit = limit;
    vm->frames_end = granted_end(vm) - taken;
}

uint32_t vm_recursion_depth(const Vm *vm)
{
    const Frame *next = vm->frame == NULL ? vm->frames : vm->frame + 1;
    return (uint32_t)(next - vm->frames + (granted_end(vm) - vm->frames_end));
}

// The parser knows nothing of running; the two enums stay apart.
static ParseMode parse_mode(RunMode mode)
{
    return mode == RUN_EXPRESSION ? PARSE_EXPRESSION
           : mode == RUN_MODULE   ? PARSE_MODULE
                                  : PARSE_INTERACTIVE;
}

// The SyntaxError of a text that has no tree stays pending, unless a warning
// told before it has become an error itself.
static void warn_before_error(Vm *vm, const Source *source)
{
    if (source->library || !raise_matches(vm, ERR_SYNTAX)) {
        return;
    }
    Value error = raise_take(vm);
    if (syntax_warnings_of_tokens(vm, source)) {
        value_replace(&vm->ctx, &vm->exception, error);
    } else {
        release(vm, error);
    }
}

// compile(…, "single") takes what one prompt would take: a compound statement,
// or simple ones on one line. What stands behind a compound one is told at its
// first word, anything else where the first line ends.
// False: a SyntaxError is pending.
static bool check_single(Vm *vm, Source *source, const NodeList *body)
{
    for (uint32_t i = 0; i + 1 < body->count; i++) {
        Span next = body->items[i + 1]->span;
        uint32_t at = body->items[i]->span.end;
        at += (uint32_t)strspn(source->text + at, " \t\f;)");
        uint32_t end = at + (uint32_t)strcspn(source->text + at, "\n");
        if (end >= next.start) {
            continue;
        }
        if (ast_is_compound(body->items[i])) {
            uint32_t word = next.start + 1;
            while (isalnum((unsigned char)source->text[word]) ||
                   source->text[word] == '_') {
                word++;
            }
            return ctx_fail_at(&vm->ctx, ERR_SYNTAX, source,
                               (Span){next.start, word}, "invalid syntax");
        }
        return ctx_fail_at(&vm->ctx, ERR_SYNTAX, source, (Span){at, end},
                           "multiple statements found while compiling a "
                           "single statement");
    }
    return true;
}

// The tree lives in an arena that is gone afterwards: the code holds nothing of
// it.
Code *vm_compile_source(Vm *vm, Source *source, RunMode mode,
                        bool names_in_dict)
{
    Arena arena;
    arena_init(&arena, &vm->ctx);
    Node *tree = NULL;
    Code *code = NULL;
    dump_tokens(vm, source);
    ParseStatus status =
        parse(&vm->ctx, source, parse_mode(mode), &arena, &tree);
    if (status == PARSE_INCOMPLETE) {
        // Nobody will add a line: the fault is that of a whole text.
        status = parse(&vm->ctx, source, PARSE_MODULE, &arena, &tree);
    }
    if (status == PARSE_OK) {
        dump_tree(vm, tree);
        bool whole =
            mode != RUN_SINGLE || check_single(vm, source, &tree->module.body);
        if (whole && syntax_warnings(vm, source, tree)) {
            code = compile_tree(vm, source, &arena, tree, mode, names_in_dict);
        }
    } else {
        warn_before_error(vm, source);
    }
    if (code != NULL) {
        dump_code(vm, code);
    }
    arena_destroy(&arena);
    if (code == NULL) {
        // A pending text borrows the source, which the caller may drop.
        value_replace(&vm->ctx, &vm->exception, raise_take(vm));
    }
    return code;
}

// A module body is a function that takes its namespace.
Value vm_run_code(Vm *vm, Code *code, Dict *globals, Value locals)
{
    Function *body = function_new(vm, code, globals);
    if (body == NULL) {
        return VALUE_FAIL;
    }
    globals->globals = true;
    Value space = value_unbound(locals) ? value_from_object(globals) : locals;
    Value result = vm_call(vm, value_from_object(body), &space, 1);
    object_release(&vm->ctx, body);
    return result;
}

// Finalisers that were put off while the text ran are run at its end.
Value vm_run_source(Vm *vm, Source *source, RunMode mode, Dict *globals,
                    Value locals)
{
    bool own_locals = !value_unbound(locals) &&
                      !value_same(locals, value_from_object(globals));
    Code *code = vm_compile_source(vm, source, mode, own_locals);
    Value result =
        code == NULL ? VALUE_FAIL : vm_run_code(vm, code, globals, locals);
    object_release_null(&vm->ctx, code);
    finalize_run(vm);
    return result;
}

Dict *vm_main_module(Vm *vm, const char *file)
{
    Module *module = module_new(vm, vm->names[NAME_MAIN]);
    Str *path = module != NULL ? str_from(vm, file) : NULL;
    Dict *annotations = path != NULL ? dict_new(vm) : NULL;
    bool done = annotations != NULL &&
                module_add(vm, module->dict, "__package__", VALUE_NONE) &&
                module_add(vm, module->dict, "__loader__", VALUE_NONE) &&
                module_add(vm, module->dict, "__spec__", VALUE_NONE) &&
                dict_set_name(vm, module->dict, vm->names[NAME_ANNOTATIONS],
                              value_from_object(annotations)) &&
                module_add_builtins(vm, module->dict, true) &&
                dict_set_name(vm, module->dict, vm->names[NAME_FILE],
                              value_from_object(path)) &&
                module_add(vm, module->dict, "__cached__", VALUE_NONE) &&
                dict_set_name(vm, vm->modules, vm->names[NAME_MAIN],
                              value_from_object(module));
    Dict *dict = done ? module->dict : NULL;
    object_release_null(&vm->ctx, annotations);
    object_release_null(&vm->ctx, path);
    object_release_null(&vm->ctx, module);
    return dict;
}

bool vm_place(Vm *vm, Source **source, Span *span)
{
    if (vm->frame == NULL || vm->frame->code == NULL) {
        return false;
    }
    const Code *code = vm->frame->code;
    *source = code->source;
    *span = code_span(code, (uint32_t)(vm->frame->pc - code->words));
    return true;
}
