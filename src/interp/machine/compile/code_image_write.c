// Making images of code, when the program is built; code_image.c reads them.
//
// Invariant: texts are numbered in the order in which they are met, so that
// the same code always gives the same bytes.
#include "interp/machine/compile/code_image.h"
#include "interp/machine/compile/code_image_part.h"

#include "base/map.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

// An image in the making. Failures are sticky: in `codes`, or in `failed`.
typedef struct ImageWriter {
    Vm *vm;
    StrBuf codes;     // the codes so far, which go behind the texts
    VEC(Str *) texts; // borrowed from the code, each text once
    Map numbers;      // text → its number, from 1 on
    bool failed;      // an error is pending
} ImageWriter;

static void put_code(ImageWriter *w, const Code *code);

// Seven bits a byte, low ones first; the top bit says that more follow.
static void put_number(StrBuf *out, uint64_t number)
{
    for (; number > 127; number >>= 7) {
        strbuf_putc(out, (char)(number | 128));
    }
    strbuf_putc(out, (char)number);
}

static void put_bytes(ImageWriter *w, const void *bytes, size_t size)
{
    if (size > 0) {
        strbuf_add(&w->codes, bytes, size);
    }
}

// One text may stand in the code as a name, which is interned, and as a long
// constant, which is not: it is interned if any of them is.
static void put_text(ImageWriter *w, Str *text)
{
    uint64_t number = 0;
    if (text != NULL && !w->failed) {
        const uint64_t *known = map_get(&w->numbers, text->text, text->length);
        number = known != NULL ? *known : w->texts.count + 1;
        w->failed = known == NULL &&
                    (!map_put(&w->numbers, text->text, text->length, number) ||
                     !vec_push(&w->vm->ctx, &w->texts, text));
        if (!w->failed && (text->head.flags & STR_INTERNED) != 0) {
            w->texts.items[number - 1] = text;
        }
    }
    put_number(&w->codes, number);
}

static void put_value(ImageWriter *w, Value value);

static void put_tuple(ImageWriter *w, const Tuple *tuple)
{
    put_number(&w->codes, tuple->count);
    for (size_t i = 0; i < tuple->count; i++) {
        put_value(w, tuple->items[i]);
    }
}

static void put_long(ImageWriter *w, Value value)
{
    Value text = int_text(w->vm, value);
    if (value_failed(text)) {
        w->failed = true;
        return;
    }
    const Str *digits = value_as_str(text);
    put_number(&w->codes, digits->length);
    put_bytes(w, digits->text, digits->length);
    release(w->vm, text);
}

// Constants with memory of their own; what a compiler makes is one of these.
static void put_object(ImageWriter *w, Value value)
{
    const Bytes *bytes = (const Bytes *)value_object(value);
    switch (value_object(value)->kind) {
    case KIND_STR:
        strbuf_putc(&w->codes, IMAGE_TEXT);
        put_text(w, value_as_str(value));
        break;
    case KIND_INT:
        strbuf_putc(&w->codes, IMAGE_INT);
        put_long(w, value);
        break;
    case KIND_BYTES:
        strbuf_putc(&w->codes, IMAGE_BYTES);
        put_number(&w->codes, bytes->length);
        put_bytes(w, bytes->data, bytes->length);
        break;
    case KIND_TUPLE:
        strbuf_putc(&w->codes, IMAGE_TUPLE);
        put_tuple(w, (const Tuple *)value_object(value));
        break;
    case KIND_CODE:
        strbuf_putc(&w->codes, IMAGE_CODE);
        put_code(w, (const Code *)value_object(value));
        break;
    default:
        w->failed = true;
        (void)ctx_fail(&w->vm->ctx, ERR_TYPE, "a constant of type %s",
                       value_object(value)->type->name->text);
    }
}

// A float may be boxed or not; the image does not tell.
static void put_value(ImageWriter *w, Value value)
{
    if (w->failed) {
        return;
    }
    if (value_is_float(value)) {
        double real = value_float(value);
        strbuf_putc(&w->codes, IMAGE_FLOAT);
        put_bytes(w, &real, sizeof real);
    } else if (value_is_object(value)) {
        put_object(w, value);
    } else {
        strbuf_putc(&w->codes, IMAGE_SPECIAL);
        put_number(&w->codes, VALUE_BITS(value));
    }
}

// Most bytes of a word are 0: one byte tells which are not, a bit each, and
// those follow. It halves what the library's code takes in the program.
static void put_word(ImageWriter *w, Ins word)
{
    char bytes[1 + sizeof word] = {0};
    size_t length = 1;
    for (size_t i = 0; i < sizeof word; i++) {
        char byte = (char)(word >> 8 * i);
        if (byte != 0) {
            bytes[0] |= (char)(1 << i);
            bytes[length++] = byte;
        }
    }
    put_bytes(w, bytes, length);
}

// Arrays behind their counts, in the order of read_parts.
static void put_parts(ImageWriter *w, const Code *code)
{
    put_number(&w->codes, code->word_count);
    for (uint32_t i = 0; i < code->word_count; i++) {
        put_word(w, code->words[i]);
    }
    put_number(&w->codes, code->handler_count);
    put_bytes(w, code->handlers, code->handler_count * sizeof(Handler));
    put_number(&w->codes, code->position_size);
    put_bytes(w, code->positions, code->position_size);
    put_bytes(w, code->captures, code->captured_count * sizeof(uint16_t));
    for (uint32_t i = 0; i < code->captured_count; i++) {
        put_text(w, code->captured_names[i]);
    }
    for (uint32_t i = 0; i < code->local_count; i++) {
        put_text(w, code->local_names[i]);
    }
    put_number(&w->codes, code->constant_count);
    for (uint32_t i = 0; i < code->constant_count; i++) {
        put_value(w, code->constants[i]);
    }
}

static void put_code(ImageWriter *w, const Code *code)
{
    if (w->failed || !ctx_enter(&w->vm->ctx)) {
        w->failed = true;
        return;
    }
    put_text(w, code->name);
    put_text(w, code->qualname);
    put_text(w, code->doc);
#define NUMBER(field, type) put_number(&w->codes, (type)(code->field + 1));
    IMAGE_NUMBERS(NUMBER)
#undef NUMBER
    put_parts(w, code);
    ctx_leave(&w->vm->ctx);
}

static void join(ImageWriter *w, StrBuf *out)
{
    put_number(out, w->texts.count);
    for (size_t i = 0; i < w->texts.count; i++) {
        const Str *text = w->texts.items[i];
        put_number(out, (uint64_t)text->length << 1 |
                            ((text->head.flags & STR_INTERNED) != 0));
        strbuf_add(out, text->text, text->length);
    }
    strbuf_add(out, strbuf_text(&w->codes), w->codes.length);
}

// Compiled as usual, code has neither blocks nor a converted form.
bool code_image_write(Vm *vm, const Code *code, StrBuf *out)
{
    ImageWriter w = {.vm = vm};
    strbuf_init(&w.codes, &vm->ctx);
    map_init(&w.numbers, &vm->ctx);
    put_code(&w, code);
    bool done = !w.failed && strbuf_ok(&w.codes);
    if (done) {
        join(&w, out);
    }
    strbuf_free(&w.codes);
    vec_free(&vm->ctx, &w.texts);
    map_free(&w.numbers);
    return done && strbuf_ok(out);
}
