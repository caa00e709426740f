// What host code is told that asks a symbolic tensor for a value.
#include "stager/advice.h"

#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "stager/autograph.h"
#include "stager/concrete.h"
#include "stager/leak.h"

// A piece of the program's text.
typedef struct ProgramPiece {
    const char *text;
    int length;
} ProgramPiece;

static ProgramPiece piece_of(const Source *source, Span span)
{
    return (ProgramPiece){source->text + span.start,
                          (int)(span.end - span.start)};
}

static const ProgramPiece no_piece = {"", 0};

// Short enough for a message, and on one line.
static bool is_short(ProgramPiece piece)
{
    return piece.length > 0 && piece.length < ADVICE_ROOM &&
           memchr(piece.text, '\n', (size_t)piece.length) == NULL;
}

static bool begins(ProgramPiece piece, const char *word)
{
    size_t size = strlen(word);
    return (size_t)piece.length >= size && memcmp(piece.text, word, size) == 0;
}

static bool has(ProgramPiece piece, const char *word)
{
    return memmem(piece.text, (size_t)piece.length, word, strlen(word)) != NULL;
}

// The innermost frame that is the program's: what the library does, its caller
// does.
static const Frame *program_frame(const Vm *vm)
{
    const Frame *frame = vm->frame;
    while (frame != NULL && frame > vm->frames &&
           frame->code->source->library) {
        frame--;
    }
    return frame;
}

// The local of the running code that holds the tensor; NULL: none does.
static const char *local_name(const Vm *vm, const Symbolic *symbolic)
{
    const Frame *frame = program_frame(vm);
    const Code *code = frame != NULL ? frame->code : NULL;
    for (uint32_t i = 0; code != NULL && i < code->local_count; i++) {
        Value v = frame->registers[i];
        const Str *name = code->local_names[i];
        if (name != NULL && name->text[0] != '.' &&
            value_is_kind(v, KIND_SYMBOLIC) &&
            value_as_symbolic(v)->owner == symbolic->owner &&
            value_as_symbolic(v)->value == symbolic->value) {
            return name->text;
        }
    }
    return NULL;
}

const char *advice_spell(const Vm *vm, const Symbolic *symbolic,
                         char room[ADVICE_ROOM])
{
    const TraceOwner *owner = (const TraceOwner *)symbolic->owner;
    const GraphNode *node = graph_value(owner->graph, symbolic->value)->node;
    const Source *source = node != NULL ? node->place.source : NULL;
    // What has leaked is called by other names where it is used.
    const char *local = owner->ended ? NULL : local_name(vm, symbolic);
    if (local != NULL) {
        return local;
    }
    if (source != NULL && !source->library) {
        ProgramPiece made = piece_of(source, node->place.span);
        if (is_short(made)) {
            snprintf(room, ADVICE_ROOM, "%.*s", made.length, made.text);
            return room;
        }
    }
    return symbolic->name != NULL ? symbolic->name->text : "?";
}

// --- who asks ---

// The instruction that asks, and its text where that is short.
typedef struct Asker {
    const Frame *frame;
    ProgramPiece text; // of length 0: none
    Opcode op;
} Asker;

static Asker asker_of(Vm *vm)
{
    const Frame *frame = program_frame(vm);
    uint32_t word = (uint32_t)(frame->pc - frame->code->words);
    ProgramPiece text =
        piece_of(frame->code->source, code_span(frame->code, word));
    return (Asker){frame, is_short(text) ? text : no_piece,
                   (Opcode)INS_OP(frame->pc[-1])};
}

const char *advice_text(Vm *vm, int *length)
{
    ProgramPiece text = asker_of(vm).text;
    *length = text.length;
    return text.text;
}

static bool is_call(Opcode op)
{
    return op == OPCODE_CALL || op == OPCODE_CALLM || op == OPCODE_CALLK ||
           op == OPCODE_CALLMK || op == OPCODE_CALLX;
}

// --- what to write instead ---

// The first row that fits; OPCODE_NOP: any instruction. `begins`: of its text.
typedef struct Cure {
    HostNeed need;
    Opcode op;
    const char *begins, *text;
} Cure;

static const Cure cures[] = {
    {NEED_TRUTH, OPCODE_NOP, "max(",
     "maximum(a, b) of two, x.max() of one, stack(items).max() of a list"},
    {NEED_TRUTH, OPCODE_NOP, "min(",
     "minimum(a, b) of two, x.min() of one, stack(items).min() of a list"},
    {NEED_TRUTH, OPCODE_NOP, "sorted(",
     "sort(x), or sort(stack(items)) of a list"},
    {NEED_TRUTH, OPCODE_NOP, "any(",
     "x.any() of a tensor, stack([x > 0 for x in xs]).any() of others"},
    {NEED_TRUTH, OPCODE_NOP, "all(",
     "x.all() of a tensor, stack([x > 0 for x in xs]).all() of others"},
    {NEED_TRUTH, OPCODE_NOP, "filter(", "x[x > 0] for a condition x > 0"},
    {NEED_TRUTH, OPCODE_COMPARE, "",
     "(x == tensor(items)).any() for `in`, and == of tensors, not of lists"},
    {NEED_TRUTH, OPCODE_NOP, "",
     "an `if` of the staged function itself, or where(condition, a, b)"},
    {NEED_NUMBER, OPCODE_MOD, "", "stage.print, which shows values"},
    {NEED_NUMBER, OPCODE_NOP, "",
     "tensor operations, or stage.host_call for what needs the host"},
    {NEED_INDEX, OPCODE_MUL, "", "full((n,), value)"},
    {NEED_INDEX, OPCODE_GETITEM, "",
     "a tensor in place of the list (tensor or stack make one), or an `if` "
     "where its items are no tensors"},
    {NEED_INDEX, OPCODE_SETITEM, "",
     "a tensor in place of the list, and scatter_update(x, [[i]], [value])"},
    {NEED_INDEX, OPCODE_NOP, "",
     "tensor operations, or stage.host_call for what needs the host"},
    {NEED_FORMAT, OPCODE_NOP, "",
     "stage.print, which shows values, or stage.host_call to format them"},
    {NEED_HASH, OPCODE_GETITEM, "",
     "a tensor of the values, which a tensor can index, or an `if` for each "
     "key"},
    {NEED_HASH, OPCODE_NOP, "",
     "a key that is no tensor, or a list, which a staged loop may append to"},
    {NEED_ITEM, OPCODE_SETITEM, "",
     "a list, or a tensor and scatter_update(x, [[i]], [value])"},
    {NEED_ITEM, OPCODE_NOP, "", "the tensor itself, in tensor operations"},
    {NEED_TEXT, OPCODE_NOP, "",
     "each text in the branch that chooses it, or functions of `strings`"},
};

// Whatever name the program has for it.
static bool calls_range(const Asker *asker)
{
    Value callee = asker->frame->registers[INS_A(asker->frame->pc[-1])];
    return is_call(asker->op) && value_is_kind(callee, KIND_TYPE) &&
           strcmp(type_name((Type *)value_object(callee)), "range") == 0;
}

static const char *cure_for(Vm *vm, HostNeed need, const Asker *asker)
{
    if (need == NEED_TRUTH && vm->trace != NULL &&
        !autograph_wanted(vm, asker->frame->code)) {
        return "stage.cond, stage.loop or where: autograph=False keeps "
               "statements as they are";
    }
    if (need == NEED_TRUTH && asker->frame->code->flags & CODE_COMPREHENSION) {
        return "a `for` loop with `if` and append in place of the "
               "comprehension, or x[x > 0] for a condition x > 0";
    }
    if (need == NEED_TRUTH && asker->frame->code->flags & CODE_GENERATOR) {
        return "a function that appends to a list and returns it, in place of "
               "a generator, which runs on the host";
    }
    if (need == NEED_TRUTH && has(asker->text, "key=")) {
        return "a tensor of the items at the argsort(), argmax() or argmin() "
               "of the keys, as in x[abs(x).argmax()]";
    }
    if (need == NEED_INDEX && calls_range(asker)) {
        return "arange(...), a tensor, or a `for` statement over range(...), "
               "by that name";
    }
    const Cure *cure = cures;
    while (cure->need != need ||
           (cure->op != OPCODE_NOP && cure->op != asker->op) ||
           !begins(asker->text, cure->begins)) {
        cure++;
    }
    return cure->text;
}

// Functions of `math` and NumPy that tensors have by another name.
static const struct {
    const char *host, *own;
} aliases[] = {
    {"array", "tensor"},       {"asarray", "tensor"},
    {"concatenate", "concat"}, {"transpose", "permute_dims"},
    {"dot", "matmul"},         {"fabs", "abs"},
    {"power", "pow"},
};

// The tensor function for a name of the host's; of length 0: there is none.
static ProgramPiece own_name(ProgramPiece name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (begins(name, aliases[i].host) &&
            aliases[i].host[name.length] == '\0') {
            return (ProgramPiece){aliases[i].own, (int)strlen(aliases[i].own)};
        }
    }
    return op_find(name.text, (size_t)name.length) >= 0 ? name : no_piece;
}

// "floor(float(x))" for `math.floor(float(x))`; in `room`. False: there is no
// such tensor function.
static bool tensor_call_for(const Asker *asker, char *room, size_t size)
{
    const char *text = asker->text.text, *end = text + asker->text.length;
    const char *bracket = memchr(text, '(', (size_t)asker->text.length);
    if (!is_call(asker->op) || bracket == NULL) {
        return false;
    }
    // Of `x.sum().item()` the call is that of another name.
    int depth = 0;
    const char *at = bracket, *name = bracket;
    while (at < end && (depth += (*at == '(') - (*at == ')')) > 0) {
        at++;
    }
    while (name > text && name[-1] != '.') {
        name--;
    }
    ProgramPiece own = own_name((ProgramPiece){name, (int)(bracket - name)});
    snprintf(room, size, "%.*s%.*s", own.length, own.text, (int)(end - bracket),
             bracket);
    return own.length > 0 && name > text && at + 1 == end;
}

static const char *const nouns[] = {
    [NEED_TRUTH] = "truth",  [NEED_NUMBER] = "number", [NEED_INDEX] = "number",
    [NEED_FORMAT] = "value", [NEED_HASH] = "hash",     [NEED_ITEM] = "value",
    [NEED_TEXT] = "text",
};

// What the library made of the program's tensors is called by its op.
static bool is_unnamed(const Symbolic *symbolic, const char *spelled)
{
    const TraceOwner *owner = (const TraceOwner *)symbolic->owner;
    const GraphNode *node = graph_value(owner->graph, symbolic->value)->node;
    return node != NULL && strcmp(op_desc(node->op)->name, spelled) == 0;
}

// Where both are one text, the asker made the tensor itself.
void advice_refuse(Vm *vm, HostNeed need, Value symbolic)
{
    // A text that a tensor chooses is no key either.
    need = need == NEED_HASH && symbolic_is_text(symbolic) ? NEED_TEXT : need;
    if (need == NEED_TEXT && !symbolic_is_text(symbolic)) {
        return; // eager code has no text either
    }
    if (leak_function(value_as_symbolic(symbolic)) != NULL) {
        (void)leak_fail(vm, NULL, value_as_symbolic(symbolic));
        return;
    }
    char room[ADVICE_ROOM];
    Asker asker = asker_of(vm);
    const char *spelled = advice_spell(vm, value_as_symbolic(symbolic), room);
    ProgramPiece who = asker.text;
    bool own = (size_t)who.length == strlen(spelled) && begins(who, spelled);
    // The text of a store is its place, without the value that is stored.
    bool store = asker.op == OPCODE_DICTSET ||
                 (asker.op == OPCODE_SETITEM && need == NEED_ITEM);
    if (who.length == 0 || store ||
        (own && !is_call(asker.op) && asker.op != OPCODE_COMPARE)) {
        who = (ProgramPiece){"host code", 9};
        own = false;
    }
    own = own || is_unnamed(value_as_symbolic(symbolic), spelled);
    char call[2 * ADVICE_ROOM];
    bool number = need == NEED_NUMBER || need == NEED_ITEM;
    const char *cure = number && tensor_call_for(&asker, call, sizeof call)
                           ? call
                           : cure_for(vm, need, &asker);
    raise_error(vm, ERR_SYMBOLIC,
                "%.*s asks for the %s of %s%s%s, which is not known while "
                "tracing; use %s",
                who.length, who.text, nouns[need],
                own ? "a symbolic tensor" : "symbolic tensor '",
                own ? "" : spelled, own ? "" : "'", cure);
}
