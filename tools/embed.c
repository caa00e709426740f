// Turns the standard library into one C file on standard output.
//
//     embed SOURCE_FOLDER lib/python/math.duet lib/tensorflow/__init__.duet …
//
// The table is sorted by module name: modules/importing/embedded.h promises it.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pack.h"

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

// The bytes of a file, in a block of its own.
static unsigned char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || ftell(file) < 0) {
        die(strerror(errno), path);
    }
    *length = (size_t)ftell(file);
    unsigned char *bytes = malloc(*length + 1);
    rewind(file);
    if (bytes == NULL || fread(bytes, 1, *length, file) != *length) {
        die("cannot be read", path);
    }
    fclose(file);
    return bytes;
}

// Where texts of four bytes stood: the last place of each hash, and from each
// place the one before. Places count from 1.
typedef struct Places {
    size_t last[1 << 16];
    size_t *before;
} Places;

static size_t hash_of(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> 16;
}

static void note_place(Places *places, const unsigned char *text, size_t at)
{
    size_t *last = &places->last[hash_of(text + at)];
    places->before[at] = *last;
    *last = at + 1;
}

// The longest text before `at` that stands there again; its length, or 0.
static size_t find_match(const Places *places, const unsigned char *text,
                         size_t length, size_t at, size_t *back)
{
    size_t best = 0, tries = 256;
    for (size_t place = places->last[hash_of(text + at)];
         place != 0 && at + 1 - place <= PACK_BACK_MOST && tries-- > 0;
         place = places->before[place - 1]) {
        size_t same = 0;
        while (same < PACK_MOST && at + same < length &&
               text[place - 1 + same] == text[at + same]) {
            same++;
        }
        if (same > best) {
            best = same;
            *back = at + 1 - place;
        }
    }
    return best < PACK_LEAST ? 0 : best;
}

// Numbers, since a compiler need not take a string literal of more than 4095
// bytes.
static void write_byte(unsigned byte)
{
    static size_t written;
    printf(written++ % BYTES_PER_LINE == 0 ? "\n    %u," : "%u,", byte);
}

static void write_plain(const unsigned char *from, const unsigned char *end)
{
    while (from < end) {
        size_t count = (size_t)(end - from);
        count = count > PACK_PLAIN_MOST ? PACK_PLAIN_MOST : count;
        write_byte((unsigned)count - 1);
        for (; count > 0; count--) {
            write_byte(*from++);
        }
    }
}

// Writes a file packed (base/pack.h): each piece the longest match there is.
static void write_text(Module *module, size_t index, const char *folder)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, module->path);
    unsigned char *text = read_file(path, &module->length);
    Places *places = calloc(1, sizeof *places);
    if (places == NULL ||
        (places->before = calloc(module->length + 1, sizeof(size_t))) == NULL) {
        die("out of memory", path);
    }
    printf("static const unsigned char text_%zu[] = {", index);
    size_t plain = 0;
    for (size_t at = 0; at < module->length;) {
        size_t back = 0;
        bool looked = at + PACK_LEAST <= module->length;
        size_t same =
            looked ? find_match(places, text, module->length, at, &back) : 0;
        if (same > 0) {
            write_plain(text + plain, text + at);
            write_byte((unsigned)(PACK_MATCH + same - PACK_LEAST));
            write_byte(back & 255);
            write_byte((unsigned)(back >> 8));
        }
        for (size_t end = at + (same > 0 ? same : 1); at < end; at++) {
            if (at + PACK_LEAST <= module->length) {
                note_place(places, text, at);
            }
        }
        plain = same > 0 ? at : plain;
    }
    write_plain(text + plain, text + module->length);
    printf("\n    0};\n");
    free(places->before);
    free(places);
    free(text);
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
