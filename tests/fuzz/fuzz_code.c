// libFuzzer target: any bytes as a program. What compiles must have an image
// (interp/machine/compile/code_image.h), and what is read back from it must be
// the same code. Nothing of it is run.
#include <stdlib.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/machine/compile/code_image.h"
#include "interp/objects/code/code.h"
#include "modules/world.h"

// A Vm takes longer to make than a text to compile: one serves all inputs.
static Vm *vm;

// Both codes as DUET_DUMP=code shows them.
static void compare(const Code *made, const Code *read)
{
    StrBuf first, second;
    strbuf_init(&first, &vm->ctx);
    strbuf_init(&second, &vm->ctx);
    if (!code_dump(vm, made, &first) || !code_dump(vm, read, &second) ||
        strcmp(strbuf_text(&first), strbuf_text(&second)) != 0) {
        abort();
    }
    strbuf_free(&first);
    strbuf_free(&second);
}

// Code with a constant that has no form in an image is left alone.
static void check_image(Source *source, const Code *code)
{
    StrBuf image;
    strbuf_init(&image, &vm->ctx);
    if (code_image_write(vm, code, &image)) {
        Code *again = code_image_read(vm, source, strbuf_text(&image));
        if (again == NULL) {
            abort();
        }
        compare(code, again);
        object_release(&vm->ctx, again);
    }
    strbuf_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vm = vm == NULL ? vm_new(0) : vm;
    if (vm == NULL) {
        abort();
    }
    Source *source = source_new(&vm->ctx, "fuzz", (const char *)data, size);
    Code *code = source == NULL
                     ? NULL // not UTF-8, a NUL byte
                     : vm_compile_source(vm, source, RUN_MODULE, false);
    if (code != NULL) {
        check_image(source, code);
    }
    object_release_null(&vm->ctx, code);
    source_release(&vm->ctx, source);
    raise_clear(vm);
    return 0;
}
