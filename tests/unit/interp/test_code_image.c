// Images of code: what is read back is what was written, for the code of the
// whole library, which has a bit of everything.
#include <criterion/criterion.h>

#include "interp/machine/compile/code_image.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/embedded.h"
#include "modules/world.h"

static Vm *vm;

static void open_vm(void)
{
    vm = vm_new(0);
    cr_assert_not_null(vm);
}

static void close_vm(void)
{
    vm_free(vm);
}

TestSuite(code_image, .init = open_vm, .fini = close_vm);

static Source *source_of(const char *name, const char *text, size_t length)
{
    Source *source = source_new(&vm->ctx, name, text, length);
    cr_assert_not_null(source);
    return source;
}

// Instructions, names and constants, as DUET_DUMP=code shows them.
static void check_dumps(const Code *a, const Code *b, const char *name)
{
    StrBuf first, second;
    strbuf_init(&first, &vm->ctx);
    strbuf_init(&second, &vm->ctx);
    cr_assert(code_dump(vm, a, &first) && code_dump(vm, b, &second));
    cr_assert_str_eq(strbuf_text(&first), strbuf_text(&second), "%s", name);
    strbuf_free(&first);
    strbuf_free(&second);
}

// What the listing leaves out: places and handlers, of this code and of all
// in its constants.
static void check_places(const Code *a, const Code *b)
{
    cr_assert_eq(a->word_count, b->word_count);
    for (uint32_t pc = 0; pc <= a->word_count; pc++) {
        Span one = code_span(a, pc), other = code_span(b, pc);
        cr_assert(one.start == other.start && one.end == other.end);
    }
    cr_assert_eq(a->handler_count, b->handler_count);
    cr_assert(a->handler_count == 0 ||
              memcmp(a->handlers, b->handlers,
                     a->handler_count * sizeof(Handler)) == 0);
    cr_assert_eq(a->parameter_count, b->parameter_count);
    cr_assert_eq(a->plain_count, b->plain_count);
    cr_assert_eq(a->direct_count, b->direct_count);
    cr_assert_eq(a->start, b->start);
    for (uint32_t i = 0; i < a->constant_count; i++) {
        if (value_is_kind(a->constants[i], KIND_CODE)) {
            check_places((Code *)value_object(a->constants[i]),
                         (Code *)value_object(b->constants[i]));
        }
    }
}

// Compiles, writes, reads and compares; the code that was read, owned.
static Code *round_trip(Source *source, const char *name)
{
    Code *code = vm_compile_source(vm, source, RUN_MODULE, false);
    cr_assert_not_null(code, "%s", name);
    StrBuf image, again;
    strbuf_init(&image, &vm->ctx);
    strbuf_init(&again, &vm->ctx);
    cr_assert(code_image_write(vm, code, &image), "%s", name);
    Code *read = code_image_read(vm, source, strbuf_text(&image));
    cr_assert_not_null(read, "%s", name);
    check_dumps(code, read, name);
    check_places(code, read);
    // The image of what was read is the same image.
    cr_assert(code_image_write(vm, read, &again));
    cr_assert_eq(image.length, again.length);
    cr_assert_eq(memcmp(image.text, again.text, image.length), 0);
    object_release(&vm->ctx, code);
    strbuf_free(&image);
    strbuf_free(&again);
    return read;
}

Test(code_image, the_library_comes_back)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        const EmbeddedModule *module = &embedded_modules[i];
        char *text = module_embedded_text(&vm->ctx, module);
        cr_assert_not_null(text);
        Source *source = source_of(module->path, text, module->length);
        ctx_free(&vm->ctx, text, module->length + 1);
        source->library = true;
        Code *read = round_trip(source, module->name);
        object_release(&vm->ctx, read);
        source_release(&vm->ctx, source);
    }
}

Test(code_image, constants_of_every_kind_come_back)
{
    static const char text[] =
        "x = [None, True, ..., -7, 10 ** 3, 123456789012345678901234567890,\n"
        "     1.5, -0.0, 1e300, 'a', '', 'h\\u00e9', b'\\x00\\xff', b'',\n"
        "     (1, 'b', (2.5, None)), 4611686018427387904,\n"
        "     -1152921504606846977,\n"
        "     'a text that is so long that it is no name, and not interned']\n"
        "def f(a, /, b=1, *c, d, **e):\n"
        "    'its doc'\n"
        "    def g(): return a + d\n"
        "    return g\n"
        "r = repr(x) + repr(f(1, d=2)()) + f.__doc__\n";
    Source *source = source_of("t", text, sizeof text - 1);
    Code *read = round_trip(source, "t");
    Dict *globals = vm_main_module(vm, "t");
    cr_assert_not_null(globals);
    Value ran = vm_run_code(vm, read, globals, VALUE_UNBOUND);
    cr_assert(!value_failed(ran));
    Str *name = str_intern(vm, "r", 1);
    Value shown = dict_get_name(globals, name);
    cr_assert_str_eq(
        value_as_str(shown)->text,
        "[None, True, Ellipsis, -7, 1000, 123456789012345678901234567890, "
        "1.5, -0.0, 1e+300, 'a', '', 'h\u00e9', b'\\x00\\xff', b'', "
        "(1, 'b', (2.5, None)), 4611686018427387904, -1152921504606846977, "
        "'a text that is so long that it is no name, and not interned']"
        "3its doc");
    object_release(&vm->ctx, name);
    object_release(&vm->ctx, read);
    source_release(&vm->ctx, source);
}
