// Reading images of code; code_image_write.c makes them.
//
// Invariant: what is read so far is in the Code, with its counts set, so that
// releasing a half-read one frees all of it.
#include "interp/machine/compile/code_image.h"

#include "interp/machine/compile/code_image_part.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

typedef struct ImageReader {
    Vm *vm;
    Source *source;
    const uint8_t *at; // the next byte
    Str **texts;       // text_count of them, each owned
    uint32_t text_count;
} ImageReader;

static Code *read_code(ImageReader *r);

// Seven bits a byte, low ones first, as code_image_write.c puts them.
static uint64_t get_number(ImageReader *r)
{
    uint64_t number = *r->at & 127;
    for (int shift = 7; (*r->at++ & 128) != 0; shift += 7) {
        number |= (uint64_t)(*r->at & 127) << shift;
    }
    return number;
}

static uint32_t get_count(ImageReader *r)
{
    return (uint32_t)get_number(r);
}

// The bytes themselves, borrowed from the image.
static const char *get_bytes(ImageReader *r, size_t size)
{
    const char *bytes = (const char *)r->at;
    r->at += size;
    return bytes;
}

// Owned; the text of number 0 is none.
static Str *get_text(ImageReader *r)
{
    uint32_t number = get_count(r);
    return number == 0 ? NULL : object_retain(r->texts[number - 1]);
}

// A copy of the next `size` bytes. True with NULL where there are none.
static bool get_block(ImageReader *r, size_t size, void *block)
{
    void *copy = size == 0 ? NULL : ctx_alloc(&r->vm->ctx, size);
    if (copy != NULL) {
        memcpy(copy, get_bytes(r, size), size);
    }
    memcpy(block, &copy, sizeof copy);
    return copy != NULL || size == 0;
}

// Words as put_word has written them. True with NULL where there are none.
static bool get_words(ImageReader *r, uint32_t count, Ins **words)
{
    const uint8_t *at = r->at;
    *words = count == 0 ? NULL : ctx_alloc(&r->vm->ctx, count * sizeof(Ins));
    for (uint32_t i = 0; *words != NULL && i < count; i++) {
        Ins word = 0;
        for (unsigned mask = *at++; mask != 0; mask &= mask - 1) {
            word |= (Ins)*at++ << 8 * __builtin_ctz(mask);
        }
        (*words)[i] = word;
    }
    r->at = at;
    return *words != NULL || count == 0;
}

// Names are interned as the compiler had interned them.
static bool read_texts(ImageReader *r)
{
    uint32_t count = get_count(r);
    r->texts = ctx_alloc_zero(&r->vm->ctx, (count + 1) * sizeof *r->texts);
    if (r->texts == NULL) {
        return false;
    }
    r->text_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t head = get_number(r);
        size_t length = head >> 1;
        const char *text = get_bytes(r, length);
        r->texts[i] = head & 1 ? str_intern(r->vm, text, length)
                               : str_new(r->vm, text, length);
        if (r->texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

// The array of names goes to the code at once, with NULL where none is.
static bool read_names(ImageReader *r, uint32_t count, Str ***names)
{
    if (count == 0) {
        return true;
    }
    *names = ctx_alloc_zero(&r->vm->ctx, count * sizeof **names);
    for (uint32_t i = 0; *names != NULL && i < count; i++) {
        (*names)[i] = get_text(r);
    }
    return *names != NULL;
}

static Value read_value(ImageReader *r);

// Items may be code and tuples again, as deep as the source nests them.
static Value read_tuple(ImageReader *r)
{
    uint32_t count = get_count(r);
    Tuple *tuple = tuple_new(r->vm, count);
    for (uint32_t i = 0; tuple != NULL && i < count; i++) {
        tuple->items[i] = read_value(r);
        if (value_failed(tuple->items[i])) {
            // A dying tuple releases its items; FAIL is none.
            tuple->items[i] = VALUE_UNBOUND;
            object_release(&r->vm->ctx, tuple);
            tuple = NULL;
        }
    }
    return value_or_fail(tuple);
}

// One constant, owned.
static Value read_value(ImageReader *r)
{
    Vm *vm = r->vm;
    double real;
    size_t length;
    void *made = NULL;
    switch ((ImageTag)*r->at++) {
    case IMAGE_SPECIAL: return VALUE_OF_BITS(get_number(r));
    case IMAGE_FLOAT:
        memcpy(&real, get_bytes(r, sizeof real), sizeof real);
        return float_new(vm, real);
    case IMAGE_INT:
        length = get_number(r);
        return int_parse(vm, get_bytes(r, length), length, 0);
    case IMAGE_BYTES:
        length = get_number(r);
        made = bytes_new(vm, get_bytes(r, length), length);
        break;
    case IMAGE_TEXT: made = get_text(r); break;
    case IMAGE_TUPLE: return read_tuple(r);
    case IMAGE_CODE: made = read_code(r); break;
    }
    return value_or_fail(made);
}

// Counted as they are read: those behind a failure were never there.
static bool read_constants(ImageReader *r, Code *code)
{
    uint32_t count = get_count(r);
    if (count == 0) {
        return true;
    }
    code->constants = ctx_alloc(&r->vm->ctx, count * sizeof(Value));
    if (code->constants == NULL) {
        return false;
    }
    code->constant_count = count;
    for (uint32_t i = 0; i < count; i++) {
        code->constants[i] = VALUE_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        Value value = read_value(r);
        if (value_failed(value)) {
            return false;
        }
        code->constants[i] = value;
    }
    return true;
}

// The parts that have memory of their own. A count is set before the array
// that it counts, since freeing takes it with NULL, too.
static bool read_parts(ImageReader *r, Code *code)
{
    code->word_count = get_count(r);
    if (!get_words(r, code->word_count, &code->words)) {
        return false;
    }
    code->handler_count = get_count(r);
    if (!get_block(r, code->handler_count * sizeof(Handler), &code->handlers)) {
        return false;
    }
    code->position_size = get_count(r);
    return get_block(r, code->position_size, &code->positions) &&
           get_block(r, code->captured_count * sizeof(uint16_t),
                     &code->captures) &&
           read_names(r, code->captured_count, &code->captured_names) &&
           read_names(r, code->local_count, &code->local_names) &&
           read_constants(r, code);
}

// The numbers in the order of IMAGE_NUMBERS. Owned.
static Code *read_code(ImageReader *r)
{
    Ctx *ctx = &r->vm->ctx;
    Code *code = ctx_enter(ctx) ? code_new(r->vm, r->source) : NULL;
    if (code == NULL) {
        return NULL;
    }
    code->name = get_text(r);
    code->qualname = get_text(r);
    code->doc = get_text(r);
#define NUMBER(field, type) code->field = (type)(get_number(r) - 1);
    IMAGE_NUMBERS(NUMBER)
#undef NUMBER
    if (!read_parts(r, code)) {
        object_release(ctx, code);
        code = NULL;
    }
    ctx_leave(ctx);
    return code;
}

Code *code_image_read(Vm *vm, Source *source, const char *image)
{
    ImageReader r = {vm, source, (const uint8_t *)image, NULL, 0};
    Code *code = read_texts(&r) ? read_code(&r) : NULL;
    for (uint32_t i = 0; i < r.text_count; i++) {
        object_release_null(&vm->ctx, r.texts[i]);
    }
    if (r.texts != NULL) {
        ctx_free(&vm->ctx, r.texts, (r.text_count + 1) * sizeof *r.texts);
    }
    return code;
}
