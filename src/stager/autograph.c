// Converting functions when they are first called inside a trace.
//
// A source is read again once and its tree kept: a program whose every
// function is called in traces is parsed twice in all.
#include "stager/autograph.h"

#include "base/vec.h"
#include "interp/core/raise.h"
#include "stager/convert.h"
#include "stager/merge.h"
#include "stager/notes.h"
#include "stager/trace.h"

// A source that was read again, with what came of it; kept until the Vm ends.
typedef struct ReadTree {
    Source *source; // counted
    Arena *arena;   // owned; holds the tree
    Node *tree;     // NULL: it could not be read
} ReadTree;

// What stager->trees points to. Sources are few: a list will do.
struct ReadTrees {
    VEC(ReadTree) items;
};

// The source is counted, because the tree's spans point into it.
static void tree_free(Vm *vm, ReadTree *read)
{
    if (read->arena != NULL) {
        arena_destroy(read->arena);
        ctx_free(&vm->ctx, read->arena, sizeof *read->arena);
    }
    source_release(&vm->ctx, read->source);
}

// Reads the source. A text that was fine once may not be so as a file: an
// entry of the prompt, an expression of eval. Its functions stay as they are.
static ReadTree *read_again(Vm *vm, ReadTrees *trees, Source *source)
{
    Ctx *ctx = &vm->ctx;
    ReadTree read = {.source = source_retain(source)};
    read.arena = ctx_alloc(ctx, sizeof *read.arena);
    bool ok = read.arena != NULL;
    if (ok) {
        arena_init(read.arena, ctx);
        read.tree = convert_read(vm, source, read.arena);
        // A source that cannot be read is listed too, without a tree, so that
        // it is not tried again.
        ok = read.tree != NULL || raise_matches(vm, ERR_SYNTAX);
    }
    if (ok) {
        // A syntax error is no error of this call: the function runs as it is.
        raise_clear(vm);
        ok = vec_push(ctx, &trees->items, read);
    }
    if (!ok) {
        tree_free(vm, &read);
        return NULL;
    }
    return &trees->items.items[trees->items.count - 1];
}

// Newest first: a program mostly calls functions of the file that it has just
// reached.
static ReadTree *find_tree(Vm *vm, Source *source)
{
    Stager *stager = stager_of(vm);
    if (stager->trees == NULL) {
        stager->trees = ctx_alloc_zero(&vm->ctx, sizeof *stager->trees);
        if (stager->trees == NULL) {
            return NULL;
        }
    }
    for (size_t i = stager->trees->items.count; i-- > 0;) {
        if (stager->trees->items.items[i].source == source) {
            return &stager->trees->items.items[i];
        }
    }
    return read_again(vm, stager->trees, source);
}

// Marks the code as done, so that it is looked at once.
static Code *keep_plain(Code *code)
{
    code->plain = true;
    return code;
}

// --- recursion ---

enum { RECURSION_FRAMES = 8 }; // equal ones in a row that are too many

// Symbolic tensors count by type, as in signatures; all else by value or
// identity.
static bool same_argument(Value a, Value b)
{
    if (!value_is_kind(a, KIND_SYMBOLIC) || !value_is_kind(b, KIND_SYMBOLIC)) {
        return merge_same(a, b);
    }
    TensorType first = operand_type(a), second = operand_type(b);
    return first.dtype == second.dtype &&
           shape_equal(first.rank, first.dims, second.rank, second.dims);
}

// Parameters stand in the first registers. They may have been assigned since
// the call, but alike in each of the frames.
static bool same_arguments(const Frame *a, const Frame *b)
{
    bool same = true;
    for (uint32_t i = 0; same && i < a->code->parameter_count; i++) {
        same = same_argument(a->registers[i], b->registers[i]);
    }
    return same;
}

// A function that calls itself inside a block, over and over with arguments
// that look the same, decides about the end of its recursion by a tensor: the
// trace, which goes both ways, would never end.
static bool check_recursion(Vm *vm, const Code *code)
{
    const StagedBlock *inner = NULL;
    uint32_t count = 0;
    // From the innermost call outwards; blocks of one frame count once.
    for (const StagedBlock *block = vm->trace->blocks; block != NULL;
         block = block->outer) {
        if (block->frame->code != code ||
            (inner != NULL && inner->frame == block->frame)) {
            continue;
        }
        // Something changes from call to call, which may end the recursion on
        // the host.
        if (inner != NULL && !same_arguments(inner->frame, block->frame)) {
            return true;
        }
        inner = block;
        if (++count == RECURSION_FRAMES) {
            Place place = source_place(code->source, block->info->span.start);
            return raise_false(
                vm, ERR_RECURSION,
                "%s calls itself under the condition at line %u, which is a "
                "tensor: a trace goes both ways and would never end; use a "
                "loop, or a host value that ends it",
                code->name->text, (unsigned)place.line);
        }
    }
    return true;
}

// The library's own code does not depend on what its caller asked for.
bool autograph_wanted(const Vm *vm, const Code *code)
{
    return !vm->trace->as_written || code->source->library;
}

// Called for every frame that is pushed inside a trace: what was converted
// once is two tests away.
Code *autograph_convert(Vm *vm, Function *function)
{
    Code *code = function->code;
    if (!autograph_wanted(vm, code)) {
        return code;
    }
    if (!notes_enter(vm)) {
        return NULL;
    }
    // NULL is an error pending, here as below.
    if (code->converted != NULL) {
        return vm->trace->blocks == NULL || check_recursion(vm, code->converted)
                   ? code->converted
                   : NULL;
    }
    if (code->plain || !convert_wanted(code)) {
        return keep_plain(code);
    }
    ReadTree *read = find_tree(vm, code->source);
    if (read == NULL) {
        return NULL;
    }
    if (read->tree == NULL || convert_find(code, read->tree) == NULL) {
        return keep_plain(code);
    }
    code->converted = convert_code(vm, function, read->arena, read->tree);
    return code->converted;
}

// Before the Vm goes; converted code does not need the trees.
void autograph_free(Vm *vm)
{
    ReadTrees *trees = stager_of(vm)->trees;
    if (trees == NULL) {
        return;
    }
    for (size_t i = 0; i < trees->items.count; i++) {
        tree_free(vm, &trees->items.items[i]);
    }
    vec_free(&vm->ctx, &trees->items);
    ctx_free(&vm->ctx, trees, sizeof *trees);
}
