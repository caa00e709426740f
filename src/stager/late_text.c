// Texts that wait for the values in them.
#include "stager/late_text.h"

#include "interp/core/raise.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/format.h"
#include "stager/events.h"
#include "stager/stager.h"

// A tensor's place in a text.
typedef struct LatePart {
    size_t at; // in `rest`
    Str *spec; // counted; NULL: none
    TextWay way;
    bool text; // the tensor is a text
} LatePart;

typedef struct LateText {
    Object head;
    Str *rest; // the text without what stands for tensors, counted
    VEC(LatePart) parts;
} LateText;

// A text in which a use was found.
typedef struct Found {
    size_t at;  // in the text
    size_t use; // the last one of these words
} Found;

typedef VEC(Found) FoundVec;

bool late_text_add(Vm *vm, Value tensor, Str *text, TextWay way, Str *spec)
{
    event_add(vm, vm->trace->events, EVENT_LOOK, "a text made while tracing",
              VALUE_NONE);
    if (value_is_kind(tensor, KIND_VARIABLE)) {
        return true;
    }
    Source *source;
    TextUse use = {.symbolic = tensor,
                   .text = text,
                   .spec = spec,
                   .way = way,
                   .line = trace_program_line(vm, &source)};
    // The repr() that its words are made of was none of the program's.
    if (way == TEXT_PERCENT) {
        late_text_cut(vm, vm->trace, vm->trace->texts.count - 1);
    }
    if (!vec_push(&vm->ctx, &vm->trace->texts, use)) {
        return false;
    }
    (void)value_retain(tensor);
    (void)object_retain(text);
    if (spec != NULL) {
        (void)object_retain(spec);
    }
    return true;
}

void late_text_cut(Vm *vm, Trace *trace, size_t kept)
{
    while (trace->texts.count > kept) {
        const TextUse *use = &trace->texts.items[--trace->texts.count];
        release(vm, use->symbolic);
        object_release(&vm->ctx, use->text);
        object_release_null(&vm->ctx, use->spec);
    }
    if (kept == 0) {
        vec_free(&vm->ctx, &trace->texts);
    }
}

// --- finding ---

static const TextUse *use_at(const Trace *trace, size_t i)
{
    return &trace->texts.items[i];
}

// The last use whose words stand there; the longest. SIZE_MAX: none.
static size_t match(const Trace *trace, const Str *text, size_t at)
{
    size_t found = SIZE_MAX, length = 0;
    for (size_t i = trace->texts.count; i-- > 0;) {
        const Str *words = use_at(trace, i)->text;
        if (words->length > length && words->length <= text->length - at &&
            memcmp(text->text + at, words->text, words->length) == 0) {
            found = i;
            length = words->length;
        }
    }
    return found;
}

static bool find(Vm *vm, const Str *text, FoundVec *found)
{
    const Trace *trace = vm->trace;
    for (size_t at = 0; trace->texts.count > 0 && at < text->length;) {
        size_t use = match(trace, text, at);
        if (use != SIZE_MAX && !vec_push(&vm->ctx, found, ((Found){at, use}))) {
            return false;
        }
        at += use != SIZE_MAX ? use_at(trace, use)->text->length : 1;
    }
    return true;
}

uint32_t late_text_line(Vm *vm, const Str *text)
{
    uint32_t line = 0;
    bool any = vm->trace->texts.count > 0;
    for (size_t at = 0; any && line == 0 && at < text->length; at++) {
        size_t use = match(vm->trace, text, at);
        line = use != SIZE_MAX ? use_at(vm->trace, use)->line : 0;
    }
    return line;
}

// What is typed at a breakpoint, whose trace has no events, may show the names.
bool late_text_known(Vm *vm, const Str *text)
{
    return vm->trace->events == NULL || late_text_line(vm, text) == 0 ||
           raise_false(
               vm, ERR_SYMBOLIC,
               "the text of a tensor's value is asked for, which has a name "
               "in its place while tracing; use the tensor itself, and make "
               "the text outside");
}

static bool same_words(const Trace *trace, size_t a, size_t b)
{
    return str_equal(use_at(trace, a)->text, use_at(trace, b)->text);
}

// Whether all uses of these words are of one tensor, in one way.
static bool is_sure(const Trace *trace, size_t use)
{
    const TextUse *own = use_at(trace, use);
    bool sure = true;
    for (size_t i = 0; sure && i < trace->texts.count; i++) {
        const TextUse *other = use_at(trace, i);
        sure = !same_words(trace, i, use) ||
               (other->way == own->way &&
                value_as_symbolic(other->symbolic)->value ==
                    value_as_symbolic(own->symbolic)->value &&
                value_as_symbolic(other->symbolic)->owner ==
                    value_as_symbolic(own->symbolic)->owner);
    }
    return sure;
}

// Whether the uses from `first` on are those of the text, in its order, made by
// one line.
static bool is_run(const Trace *trace, const FoundVec *found, size_t first)
{
    bool run = first + found->count <= trace->texts.count;
    for (size_t i = 0; run && i < found->count; i++) {
        run = same_words(trace, first + i, found->items[i].use) &&
              use_at(trace, first + i)->line == use_at(trace, first)->line;
    }
    return run;
}

// Tensors of one name have one text: which is meant, the order in which a line
// has made them tells.
static bool settle(Vm *vm, FoundVec *found)
{
    const Trace *trace = vm->trace;
    bool sure = true;
    for (size_t i = 0; sure && i < found->count; i++) {
        sure = is_sure(trace, found->items[i].use);
    }
    for (size_t first = trace->texts.count; !sure && first-- > 0;) {
        sure = is_run(trace, found, first);
        for (size_t i = 0; sure && i < found->count; i++) {
            found->items[i].use = first + i;
        }
    }
    return sure ||
           raise_false(vm, ERR_SYMBOLIC,
                       "a text holds '%s', and several tensors have that name; "
                       "assign each to a variable of its own",
                       use_at(trace, found->items[0].use)->text->text);
}

// --- packing ---

static bool add_part(Vm *vm, LateText *late, const TextUse *use, size_t at,
                     IdVec *ids)
{
    ValueId id = trace_operand(vm, vm->trace, use->symbolic);
    LatePart part = {at, use->spec, use->way, symbolic_is_text(use->symbolic)};
    if (id == VALUE_ID_NONE || !vec_push(&vm->ctx, ids, id) ||
        !vec_push(&vm->ctx, &late->parts, part)) {
        return false;
    }
    if (part.spec != NULL) {
        (void)object_retain(part.spec);
    }
    return true;
}

static bool pack(Vm *vm, LateText *late, const Str *text, const FoundVec *found,
                 IdVec *ids)
{
    StrBuf rest;
    strbuf_init(&rest, &vm->ctx);
    size_t from = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < found->count; i++) {
        const TextUse *use = use_at(vm->trace, found->items[i].use);
        size_t at = found->items[i].at;
        strbuf_add(&rest, text->text + from, at - from);
        from = at + use->text->length;
        ok = add_part(vm, late, use, rest.length, ids);
    }
    strbuf_add(&rest, text->text + from, text->length - from);
    late->rest = ok ? str_from_buf(vm, &rest) : NULL;
    if (!ok) {
        strbuf_free(&rest);
    }
    return late->rest != NULL;
}

static LateText *late_new(Vm *vm)
{
    LateText *late =
        object_new(vm, stager_of(vm)->late_text_type, sizeof *late);
    if (late != NULL) {
        *late = (LateText){.head = late->head};
    }
    return late;
}

Value late_text_alone(Vm *vm, Value symbolic, IdVec *ids)
{
    TextUse use = {.symbolic = symbolic, .way = TEXT_STR};
    LateText *late = late_new(vm);
    if (late == NULL) {
        return VALUE_FAIL;
    }
    late->rest = object_retain(vm->empty_str);
    if (!add_part(vm, late, &use, 0, ids)) {
        object_release(&vm->ctx, late);
        return VALUE_FAIL;
    }
    return value_from_object(late);
}

Value late_text_pack(Vm *vm, Str *text, IdVec *ids)
{
    FoundVec found = {0};
    bool ok = find(vm, text, &found);
    Value result = ok ? VALUE_UNBOUND : VALUE_FAIL;
    if (ok && found.count > 0) {
        LateText *late = settle(vm, &found) ? late_new(vm) : NULL;
        result = VALUE_FAIL;
        if (late != NULL) {
            ok = pack(vm, late, text, &found, ids);
            result = ok ? value_from_object(late) : VALUE_FAIL;
            if (!ok) {
                object_release(&vm->ctx, late);
            }
        }
    }
    vec_free(&vm->ctx, &found);
    return result;
}

bool late_text_is(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->late_text_type;
}

bool late_text_is_plain(Value v)
{
    const LateText *late = (const LateText *)value_object(v);
    bool plain = true;
    for (size_t i = 0; i < late->parts.count; i++) {
        const LatePart *part = &late->parts.items[i];
        plain = plain && part->way != TEXT_REPR && part->spec == NULL;
    }
    return plain;
}

bool late_text_format(Vm *vm, Value v, StrBuf *out)
{
    const LateText *late = (const LateText *)value_object(v);
    if (!late_text_is_plain(v)) {
        return raise_false(vm, ERR_SYMBOLIC,
                           "stage.print: a text says the repr() of a "
                           "tensor, or has a format spec for it; pass the "
                           "tensor itself instead");
    }
    size_t from = 0;
    for (size_t i = 0; i < late->parts.count; i++) {
        const LatePart *part = &late->parts.items[i];
        strbuf_add(out, late->rest->text + from, part->at - from);
        strbuf_putc(out, part->text ? PRINT_TEXT : PRINT_TENSOR);
        from = part->at;
    }
    strbuf_add(out, late->rest->text + from, late->rest->length - from);
    return strbuf_ok(out);
}

// --- running ---

static Str *part_text(Vm *vm, const LatePart *part, Value value)
{
    if (part->way == TEXT_PERCENT) {
        Value text = format_percent(vm, value_from_object(part->spec), value);
        return value_failed(text) ? NULL : value_as_str(text);
    }
    return part->way == TEXT_REPR ? value_repr(vm, value)
           : part->spec != NULL   ? value_format(vm, value, part->spec)
                                  : value_str(vm, value);
}

Value late_text_value(Vm *vm, Value tensor)
{
    const TensorString *string =
        *(TensorString *const *)value_as_tensor(tensor)->data;
    Str *text = str_new(vm, string->bytes, string->length);
    release(vm, tensor);
    return value_or_fail(text);
}

Value late_text_fill(Vm *vm, Value v, Tensor *const **next)
{
    const LateText *late = (const LateText *)value_object(v);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    size_t from = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < late->parts.count; i++) {
        const LatePart *part = &late->parts.items[i];
        Value value = tensor_adopt(vm, object_retain(*(*next)++));
        value = part->text ? late_text_value(vm, value) : value;
        Str *text = value_failed(value) ? NULL : part_text(vm, part, value);
        release(vm, value);
        strbuf_add(&out, late->rest->text + from, part->at - from);
        from = part->at;
        ok = text != NULL;
        if (ok) {
            strbuf_add(&out, text->text, text->length);
            object_release(&vm->ctx, text);
        }
    }
    strbuf_add(&out, late->rest->text + from, late->rest->length - from);
    Str *made = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    return value_or_fail(made);
}

static void late_text_destroy(Vm *vm, Object *object)
{
    LateText *late = (LateText *)object;
    for (size_t i = 0; i < late->parts.count; i++) {
        object_release_null(&vm->ctx, late->parts.items[i].spec);
    }
    vec_free(&vm->ctx, &late->parts);
    object_release_null(&vm->ctx, late->rest);
    object_free(vm, late, sizeof *late);
}

const TypeDef late_text_type_def = {
    .name = "late text",
    .doc = "A text that waits for the values in it.",
    .kind = KIND_OPAQUE,
    .size = sizeof(LateText),
    .flags = TYPE_FINAL,
    .slots = {.destroy = late_text_destroy},
};
