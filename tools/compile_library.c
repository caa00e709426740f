// Compiles the library that is built into libduet.a and writes it as one C
// file to standard output: images of code
// (interp/machine/compile/code_image.h), in the order of embedded_modules.
//
//     compile_library
#include <stdio.h>

#include "interp/machine/compile/code_image.h"
#include "modules/importing/embedded.h"
#include "modules/world.h"

enum { BYTES_PER_LINE = 64 };

// The bytes as string literals: a compiler reads them much faster than it
// reads a list of numbers. Escapes have three digits, so that a digit behind
// one is never taken for a part of it.
static void write_bytes(size_t index, const StrBuf *image)
{
    printf("static const char image_%zu[] =", index);
    for (size_t i = 0; i < image->length; i++) {
        unsigned char byte = (unsigned char)image->text[i];
        if (i % BYTES_PER_LINE == 0) {
            fputs(i == 0 ? "\n    \"" : "\"\n    \"", stdout);
        }
        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\' ||
            byte == '?') {
            printf("\\%03o", byte);
        } else {
            putchar(byte);
        }
    }
    fputs("\";\n", stdout);
}

// False: the module does not compile, or its code has no image.
static bool compile_module(Vm *vm, size_t index)
{
    const EmbeddedModule *module = &embedded_modules[index];
    StrBuf image;
    strbuf_init(&image, &vm->ctx);
    char *text = module_embedded_text(&vm->ctx, module);
    Source *source =
        text == NULL ? NULL
                     : source_new(&vm->ctx, module->path, text, module->length);
    ctx_free(&vm->ctx, text, module->length + 1);
    if (source != NULL) {
        source->origin = SOURCE_MODULE;
        source->library = true;
    }
    Code *code = source == NULL
                     ? NULL
                     : vm_compile_source(vm, source, RUN_MODULE, false);
    bool done = code != NULL && code_image_write(vm, code, &image);
    if (done) {
        write_bytes(index, &image);
    } else {
        fprintf(stderr, "compile_library: %s: cannot be compiled\n",
                module->path);
    }
    object_release_null(&vm->ctx, code);
    source_release(&vm->ctx, source);
    strbuf_free(&image);
    return done;
}

// A module that does not compile ends the build: no program could import it.
int main(void)
{
    Vm *vm = vm_new(0);
    bool done = vm != NULL;
    printf("// Written by tools/compile_library from lib/; do not edit.\n"
           "#include \"modules/importing/embedded.h\"\n\n"
           "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n");
    for (size_t i = 0; done && i < embedded_module_count; i++) {
        done = compile_module(vm, i);
    }
    printf("\nconst char *const embedded_images[] = {\n");
    for (size_t i = 0; i < embedded_module_count; i++) {
        printf("    image_%zu,\n", i);
    }
    printf("    0};\nconst size_t embedded_image_count = %zu;\n",
           embedded_module_count);
    if (vm != NULL) {
        vm_free(vm);
    }
    return done && fflush(stdout) == 0 ? 0 : 1;
}
