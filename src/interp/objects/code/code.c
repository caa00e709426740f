// Code objects and the positions of their instructions.
#include "interp/objects/code/code.h"

#include <inttypes.h>
#include <string.h>

#include "interp/core/memory.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"

// Everything behind the head starts as zero, so that code_destroy may run on
// code that the compiler gave up half-way. UINT32_MAX: no call can take the
// quick way, until the compiler says otherwise.
Code *code_new(Vm *vm, Source *source)
{
    Code *code = object_new(vm, vm->types[KIND_CODE], sizeof *code);
    if (code != NULL) {
        memset((char *)code + sizeof code->head, 0,
               sizeof *code - sizeof code->head);
        code->source = source_retain(source);
        code->plain_count = code->direct_count = UINT32_MAX;
    }
    return code;
}

// One number of `positions`: 7 bits a byte, low ones first, the top bit set on
// all but the last. Zigzag coding keeps small negative steps short.
// Moves *bytes behind it.
static int64_t get_number(const uint8_t **bytes)
{
    uint64_t bits = 0;
    int shift = 0;
    uint8_t byte;
    do {
        byte = *(*bytes)++;
        bits |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

// Positions are stored as steps, so this walks: from where it stopped last, or
// where that lies behind, from where it stopped when it last began anew, which
// is what loops come back to, or else from the start. The span of the last
// entry before `pc` counts. Before the first instruction: where the definition
// begins.
Span code_span(const Code *code, uint32_t pc)
{
    if (pc == 0) {
        return (Span){code->start, code->start};
    }
    // A memo, which nobody else sees.
    PositionMark *found = &((Code *)code)->found;
    PositionMark *again = &((Code *)code)->found_again;
    bool anew = found->word >= pc;
    if (anew) {
        *found = again->word < pc ? *again : (PositionMark){0};
    }
    // Code without instructions has no positions: the span is then empty.
    while (found->offset < code->position_size) {
        const uint8_t *bytes = code->positions + found->offset;
        int64_t word = found->word + get_number(&bytes);
        // `pc` is the word behind the instruction that is asked for.
        if (word >= pc) {
            break;
        }
        int64_t start = found->span.start + get_number(&bytes);
        found->word = (uint32_t)word;
        found->span.start = (uint32_t)start;
        found->span.end = (uint32_t)(start + get_number(&bytes));
        found->offset = (uint32_t)(bytes - code->positions);
    }
    if (anew) {
        *again = *found;
    }
    return found->span;
}

uint32_t code_next(const Code *code, uint32_t word)
{
    static const uint8_t cache_words[] = {
#define OPCODE(id, form, cache, doc) [OPCODE_##id] = cache,
#include "interp/objects/code/opcode_list.h"
#undef OPCODE
    };
    return word + 1 + cache_words[INS_OP(code->words[word])];
}

// A name may be NULL: some locals have none, and the array may be filled in
// part only.
static void release_names(Vm *vm, Str **names, uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        object_release_null(&vm->ctx, names[i]);
    }
    ctx_free(&vm->ctx, names, count * sizeof *names);
}

// Apart from block_info_free for places in an array that is not the heap's.
// The names and keys are counted by the place.
void block_places_clear(Vm *vm, BlockInfo *info)
{
    for (uint32_t i = 0; i < info->place_count; i++) {
        BlockPlace *place = &info->places[i];
        object_release_null(&vm->ctx, place->name);
        for (uint32_t j = 0; j < place->step_count; j++) {
            value_release(&vm->ctx, place->steps[j].key);
        }
        ctx_free(&vm->ctx, place->steps,
                 place->step_count * sizeof *place->steps);
    }
}

void block_info_free(Vm *vm, BlockInfo *info)
{
    block_places_clear(vm, info);
    ctx_free(&vm->ctx, info->places, info->place_count * sizeof *info->places);
}

// The infos lie in one array of the code, so they are cleared one by one and
// freed together.
static void release_blocks(Vm *vm, Code *code)
{
    for (uint32_t i = 0; i < code->block_count; i++) {
        block_info_free(vm, &code->blocks[i]);
    }
    ctx_free(&vm->ctx, code->blocks, code->block_count * sizeof *code->blocks);
}

// Any field may still be NULL: the compiler releases code when it fails, too.
static void code_destroy(Vm *vm, Object *self)
{
    Code *code = (Code *)self;
    Ctx *ctx = &vm->ctx;
    for (uint32_t i = 0; i < code->constant_count; i++) {
        value_release(ctx, code->constants[i]);
    }
    ctx_free(ctx, code->constants, code->constant_count * sizeof(Value));
    ctx_free(ctx, code->words, code->word_count * sizeof(Ins));
    ctx_free(ctx, code->handlers, code->handler_count * sizeof(Handler));
    ctx_free(ctx, code->positions, code->position_size);
    ctx_free(ctx, code->captures, code->captured_count * sizeof(uint16_t));
    release_names(vm, code->local_names, code->local_count);
    release_names(vm, code->captured_names, code->captured_count);
    release_blocks(vm, code);
    object_release_null(ctx, code->name);
    object_release_null(ctx, code->qualname);
    object_release_null(ctx, code->doc);
    object_release_null(ctx, code->converted);
    source_release(ctx, code->source);
    object_free(vm, code, sizeof *code);
}

// What programs may ask of a code object; names and meanings are Python's.

// None while the code is being made.
static Value member_name(Vm *vm, Value self)
{
    (void)vm;
    Str *name = ((Code *)value_object(self))->name;
    return name == NULL ? VALUE_NONE : str_value(object_retain(name));
}

static Value member_argcount(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(((Code *)value_object(self))->positional_count);
}

// Those in front of the slash; they count among the positional ones, too.
static Value member_posonly(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(
        ((Code *)value_object(self))->positional_only_count);
}

static Value member_kwonly(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(((Code *)value_object(self))->keyword_only_count);
}

// The line of its first decorator or of its `def`, from 1 on.
static Value member_firstline(Vm *vm, Value self)
{
    (void)vm;
    const Code *code = (Code *)value_object(self);
    if ((code->flags & CODE_MODULE) != 0 || code->source == NULL) {
        return value_from_small(1);
    }
    return value_from_small(source_place(code->source, code->start).line);
}

static Value member_filename(Vm *vm, Value self)
{
    const Code *code = (Code *)value_object(self);
    return str_value_from(vm, code->source == NULL ? "" : code->source->name);
}

// The parameters, then the other locals that have names.
// Owned: a new tuple each time.
static Value member_varnames(Vm *vm, Value self)
{
    const Code *code = (Code *)value_object(self);
    // A list first, since places without a name are left out and the count is
    // not known.
    List *names = list_new(vm, 0);
    bool ok = names != NULL;
    for (uint32_t i = 0; ok && i < code->local_count; i++) {
        ok = code->local_names[i] == NULL ||
             list_append(vm, names, str_value(code->local_names[i]));
    }
    Tuple *tuple = ok ? tuple_from(vm, names->items, names->count) : NULL;
    object_release_null(&vm->ctx, names);
    return value_or_fail(tuple);
}

// Only the bits that programs ask for (inspect), with Python's numbers.
static Value member_flags(Vm *vm, Value self)
{
    (void)vm;
    enum { CO_VARARGS = 4, CO_VARKEYWORDS = 8, CO_GENERATOR = 32 };
    uint32_t flags = ((Code *)value_object(self))->flags;
    return value_from_small((flags & CODE_VARARGS ? CO_VARARGS : 0) |
                            (flags & CODE_VARKEYWORDS ? CO_VARKEYWORDS : 0) |
                            (flags & CODE_GENERATOR ? CO_GENERATOR : 0));
}

static Value member_qualname(Vm *vm, Value self)
{
    (void)vm;
    const Code *code = (Code *)value_object(self);
    return value_retain(
        str_value(code->qualname != NULL ? code->qualname : code->name));
}

// The names that it takes from the functions around it.
// Owned: a new tuple each time.
static Value member_freevars(Vm *vm, Value self)
{
    const Code *code = (Code *)value_object(self);
    Tuple *tuple = tuple_new(vm, code->captured_count);
    for (uint32_t i = 0; tuple != NULL && i < code->captured_count; i++) {
        tuple->items[i] = value_retain(str_value(code->captured_names[i]));
    }
    return value_or_fail(tuple);
}

static Value member_nlocals(Vm *vm, Value self)
{
    (void)vm;
    const Code *code = (Code *)value_object(self);
    int64_t named = 0;
    for (uint32_t i = 0; i < code->local_count; i++) {
        named += code->local_names[i] != NULL;
    }
    return value_from_small(named);
}

static const MemberDef code_members[] = {
    {"co_qualname", member_qualname, NULL, "The same with what is around."},
    {"co_freevars", member_freevars, NULL,
     "The names of variables of functions around it."},
    {"co_nlocals", member_nlocals, NULL,
     "How many parameters and locals it has."},
    {"co_name", member_name, NULL, "The function's name."},
    {"co_argcount", member_argcount, NULL,
     "How many positional parameters it has, *args left out."},
    {"co_posonlyargcount", member_posonly, NULL,
     "How many of them are positional-only."},
    {"co_kwonlyargcount", member_kwonly, NULL,
     "How many keyword-only parameters it has."},
    {"co_varnames", member_varnames, NULL,
     "The names of its parameters and locals."},
    {"co_filename", member_filename, NULL, "The file that it stands in."},
    {"co_firstlineno", member_firstline, NULL, "The line where it starts."},
    {"co_flags", member_flags, NULL,
     "4: it has *args, 8: **kwargs, 32: it is a generator."},
    {NULL, NULL, NULL, NULL},
};

static Value code_repr(Vm *vm, Value self)
{
    Code *code = (Code *)value_object(self);
    Str *text =
        str_printf(vm, "<code object %s at %p, file \"%s\", line %" PRId64 ">",
                   code->name == NULL ? "?" : code->name->text, (void *)code,
                   code->source == NULL ? "" : code->source->name,
                   value_small(member_firstline(vm, self)));
    return value_or_fail(text);
}

const TypeDef code_type_def = {
    .name = "code",
    .kind = KIND_CODE,
    .size = sizeof(Code),
    .flags = TYPE_FINAL,
    .slots = {.destroy = code_destroy, .repr = code_repr},
    .members = code_members,
    .stored = " co_argcount co_consts co_filename co_firstlineno co_flags "
              "co_kwonlyargcount co_name co_names co_nlocals "
              "co_posonlyargcount co_qualname co_stacksize ",
};
