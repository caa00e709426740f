// Turns the standard library into one C file on standard output.
//
//     embed SOURCE_FOLDER lib/python/math.duet lib/tensorflow/__init__.duet …
//
// The table is sorted by module name: modules/importing/embedded.h promises it.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_LINE = 20, NAME_SIZE = 256, PATH_SIZE = 4096 };

typedef struct Module {
    char name[NAME_SIZE]; // "tensorflow.keras"
    const char *path;     // "lib/tensorflow/keras.duet"
    size_t length;
    bool is_package;
} Module;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "embed: %s: %s\n", path, what);
    exit(1);
}

// "lib/a/b.duet" is a.b, "lib/a/__init__.duet" the package a; the modules that
// Python has stand in a room of their own, "lib/python/c.duet" is c.
static void name_module(Module *module, const char *path)
{
    static const char prefix[] = "lib/", python[] = "lib/python/";
    static const char suffix[] = ".duet";
    static const char package[] = ".__init__";
    size_t length = strlen(path);
    if (strncmp(path, prefix, strlen(prefix)) != 0 || length > NAME_SIZE ||
        strcmp(path + length - strlen(suffix), suffix) != 0) {
        die("expected lib/NAME.duet", path);
    }
    const char *name = path + strlen(prefix);
    if (strncmp(path, python, strlen(python)) == 0) {
        name = path + strlen(python);
    }
    length = strlen(name) - strlen(suffix);
    memcpy(module->name, name, length);
    module->name[length] = '\0';
    for (char *at = module->name; *at != '\0'; at++) {
        *at = *at == '/' ? '.' : *at;
    }
    module->path = path;
    module->is_package =
        length > strlen(package) &&
        strcmp(module->name + length - strlen(package), package) == 0;
    if (module->is_package) {
        module->name[length - strlen(package)] = '\0';
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const Module *)a)->name, ((const Module *)b)->name);
}

// Writes the file's bytes as an array; numbers, since a compiler need not
// take a string literal of more than 4095 bytes.
static void write_text(Module *module, size_t index, const char *folder)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, module->path);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        die(strerror(errno), path);
    }
    printf("static const char text_%zu[] = {", index);
    for (int byte; (byte = getc(file)) != EOF; module->length++) {
        if (module->length % BYTES_PER_LINE == 0) {
            printf("\n    ");
        }
        printf("%d,", (signed char)byte);
    }
    printf("\n    0};\n");
    if (ferror(file) != 0) {
        die("cannot be read", path);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        die("no source folder given", "usage");
    }
    size_t count = (size_t)argc - 2;
    Module *modules = calloc(count + 1, sizeof *modules);
    if (modules == NULL) {
        die("out of memory", "embed");
    }
    for (size_t i = 0; i < count; i++) {
        name_module(&modules[i], argv[i + 2]);
    }
    qsort(modules, count, sizeof *modules, compare_names);
    printf("// Written by tools/embed from lib/; do not edit.\n");
    printf("#include \"modules/importing/embedded.h\"\n\n");
    for (size_t i = 0; i < count; i++) {
        write_text(&modules[i], i, argv[1]);
    }
    printf("\nconst EmbeddedModule embedded_modules[] = {\n");
    for (size_t i = 0; i < count; i++) {
        printf("    {\"%s\", \"%s\", text_%zu, %zu, %s},\n", modules[i].name,
               modules[i].path, i, modules[i].length,
               modules[i].is_package ? "true" : "false");
    }
    printf("    {0}};\nconst size_t embedded_module_count = %zu;\n", count);
    free(modules);
    return fflush(stdout) == 0 ? 0 : 1;
}
