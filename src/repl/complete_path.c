// Files, and modules where the import statement would find them.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/embedded.h"
#include "modules/importing/module.h"
#include "repl/complete.h"

enum { PATH_MAX_LENGTH = 4096, MODULE_TEXT_MAX = 1 << 20 };

// `~/` at the start of a path is the home folder.
// False: the path is too long to be one. `length` bytes of `word` are the
// folder with its slash, none the current one.
static bool folder_of(const char *word, size_t length, char *out)
{
    const char *home = getenv("HOME");
    bool tilde = length >= 2 && word[0] == '~' && word[1] == '/';
    int written = snprintf(out, PATH_MAX_LENGTH, "%s%.*s",
                           tilde && home != NULL ? home : "",
                           (int)(length - tilde), word + tilde);
    if (written == 0) {
        strcpy(out, ".");
    }
    return written >= 0 && written < PATH_MAX_LENGTH;
}

// The file system may not say what an entry is, and links count as what they
// point at: then stat() is asked.
// An entry that vanished meanwhile, or a link to nothing, is no folder.
static bool is_folder(const char *folder, const struct dirent *entry)
{
    char path[PATH_MAX_LENGTH * 2];
    struct stat status;
    // The usual case costs no further call.
    if (entry->d_type == DT_DIR || entry->d_type == DT_REG) {
        return entry->d_type == DT_DIR;
    }
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// `\ ` becomes a blank, in place.
static void take_escapes(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        text += text[0] == '\\' && text[1] == ' ';
        *to++ = *text;
    }
    *to = '\0';
}

// A file's name as it is completed: with a slash behind a folder's. `out` has
// room for a name in which each byte is escaped.
// Only blanks are escaped: a command's arguments are parted by them and nothing
// else.
static void file_label(const char *name, bool folder, bool escaped, char *out)
{
    for (; *name != '\0'; name++) {
        if (escaped && *name == ' ') {
            *out++ = '\\';
        }
        *out++ = *name;
    }
    strcpy(out, folder ? "/" : "");
}

// Folders end in a slash, so that the next Tab goes on in them.
// `escaped`: blanks in the text at the cursor have a backslash, and so must
// those that are put in. A folder that cannot be read offers nothing.
void complete_files(Completion *completion, bool folders_only, bool escaped)
{
    const char *word = completion->word;
    const char *slash = strrchr(word, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - word);
    char folder[PATH_MAX_LENGTH];
    // The folder as it was typed stays in front of every candidate.
    char *head = strndup(word, length);
    char *plain = strndup(word, length);
    if (plain != NULL && escaped) {
        take_escapes(plain);
    }
    DIR *files =
        head != NULL && plain != NULL && folder_of(plain, strlen(plain), folder)
            ? opendir(folder)
            : NULL;
    struct dirent *entry;
    while (files != NULL && (entry = readdir(files)) != NULL) {
        // A name with a dot in front is shown to who types one.
        bool dots =
            strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        bool hidden = entry->d_name[0] == '.' && word[length] != '.';
        bool sub = !dots && !hidden && is_folder(folder, entry);
        if (!dots && !hidden && (sub || !folders_only)) {
            char name[sizeof entry->d_name * 2 + 2];
            file_label(entry->d_name, sub, escaped, name);
            complete_offer(completion, head, name, VALUE_UNBOUND,
                           sub ? "folder" : "");
        }
    }
    if (files != NULL) {
        closedir(files);
    }
    free(plain);
    free(head);
}

// The module's name if the file is one: `x.py`, `x.duet`, a folder.
// A folder counts without an __init__ file: it is a namespace package then.
static bool module_name(const char *folder, const struct dirent *entry,
                        char *out)
{
    const char *dot = strrchr(entry->d_name, '.');
    strcpy(out, entry->d_name);
    if (dot != NULL && (strcmp(dot, ".py") == 0 || strcmp(dot, ".duet") == 0)) {
        out[dot - entry->d_name] = '\0';
        // It is the package itself, which the folder stands for.
        return strcmp(out, "__init__") != 0;
    }
    return dot == NULL && is_folder(folder, entry);
}

// Modules in a folder of the search path; `package` with its dot stands in
// front of their names, unless they are to be `bare`.
// `package` is "" or ends in a dot.
static void offer_folder(Completion *completion, const char *root,
                         const char *package, bool bare)
{
    char folder[PATH_MAX_LENGTH];
    snprintf(folder, sizeof folder, "%s/%s", *root == '\0' ? "." : root,
             package);
    // The dots of the package are slashes here; those of the root stay.
    for (char *dot = folder + strlen(folder) - strlen(package); *dot != '\0';
         dot++) {
        *dot = *dot == '.' ? '/' : *dot;
    }
    DIR *files = opendir(folder);
    struct dirent *entry;
    while (files != NULL && (entry = readdir(files)) != NULL) {
        char name[sizeof entry->d_name];
        // Hidden files are no modules.
        if (entry->d_name[0] != '.' && module_name(folder, entry, name)) {
            complete_offer(completion, bare ? NULL : package, name,
                           VALUE_UNBOUND, "");
        }
    }
    if (files != NULL) {
        closedir(files);
    }
}

// The modules that are built into the program.
// Names with an underscore in front belong to the library itself.
static void offer_embedded(Completion *completion, const char *package,
                           bool bare)
{
    size_t length = strlen(package);
    for (size_t i = 0; i < embedded_module_count; i++) {
        const char *name = embedded_modules[i].name;
        // One level at a time: `os` and then `os.path`.
        if (strncmp(name, package, length) == 0 &&
            strchr(name + length, '.') == NULL && name[length] != '_') {
            complete_offer(completion, NULL, name + (bare ? length : 0),
                           VALUE_UNBOUND, "");
        }
    }
}

// From the list itself, so that a module that was never imported is offered
// too.
static void offer_native(Completion *completion)
{
#define MODULE(def)                                                            \
    extern const ModuleDef def;                                                \
    complete_offer(completion, NULL, def.name, VALUE_UNBOUND, "");
#include "modules/module_list.h"
#undef MODULE
}

// All modules below `package` ("" or a name with its dot), wherever they are.
// sys.path may hold anything; what is no str is passed over, as import does.
static void offer_package(Completion *completion, const char *package,
                          bool bare)
{
    Vm *vm = completion->session->vm;
    offer_embedded(completion, package, bare);
    Value path = module_search_path(vm);
    for (size_t i = 0;
         value_is_kind(path, KIND_LIST) && i < value_as_list(path)->count;
         i++) {
        Value folder = value_as_list(path)->items[i];
        if (value_is_str(folder)) {
            offer_folder(completion, value_as_str(folder)->text, package, bare);
        }
    }
    // What the look-up of sys.path may have raised is of no interest here.
    raise_clear(vm);
}

// Packages are opened one level at a time, as folders are.
// For `import a.b|`: what stands in front of the last dot is the package.
void complete_modules(Completion *completion)
{
    const char *word = completion->word;
    const char *dot = strrchr(word, '.');
    char *package = strndup(word, dot == NULL ? 0 : (size_t)(dot + 1 - word));
    if (package != NULL) {
        offer_package(completion, package, false);
        // Native modules lie in no package.
        if (dot == NULL) {
            offer_native(completion);
        }
    }
    free(package);
}

// For `from package import`: modules below it stand beside its names.
void complete_submodules(Completion *completion, const char *module)
{
    char package[PATH_MAX_LENGTH];
    snprintf(package, sizeof package, "%s.", module);
    // Bare: the package stands in front of `import` already.
    offer_package(completion, package, true);
}

// `def name`, `class name` and `name =` at the start of a line: what a module
// that was not imported yet will have. It is not run for that.
// Lines that are indented define nothing at the module's level.
static void offer_line(Completion *completion, const char *line)
{
    static const char *const words[] = {"def ", "class ", ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t skip = strlen(words[i]);
        const char *name = line + skip;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_");
        const char *behind = name + length + strspn(name + length, " ");
        // `name ==` compares; an annotation in front of `=` is not looked
        // through.
        bool bound =
            *words[i] != '\0' || (behind[0] == '=' && behind[1] != '=');
        if (strncmp(line, words[i], skip) == 0 && length > 0 && bound) {
            char *copy = strndup(name, length);
            if (copy != NULL) {
                complete_offer(completion, NULL, copy, VALUE_UNBOUND, "");
            }
            free(copy);
            return;
        }
    }
}

// Line by line. What a condition or a loop would define is not found; the
// text is not run.
// `text` is borrowed and stays as it is.
static void offer_text(Completion *completion, const char *text)
{
    while (text != NULL) {
        offer_line(completion, text);
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
}

// The file of a module below `root`, if it is there.
// True: the module's file was found, whatever it offered.
static bool offer_file(Completion *completion, const char *root,
                       const char *module)
{
    static const char *const ends[] = {".duet", ".py", "/__init__.duet",
                                       "/__init__.py"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[PATH_MAX_LENGTH];
        int start =
            snprintf(path, sizeof path, "%s/", *root == '\0' ? "." : root);
        snprintf(path + start, sizeof path - (size_t)start, "%s", module);
        for (char *dot = path + start; *dot != '\0'; dot++) {
            *dot = *dot == '.' ? '/' : *dot;
        }
        strncat(path, ends[i], sizeof path - strlen(path) - 1);
        // A file that is there ends the search, also if its text cannot be
        // kept.
        FILE *file = fopen(path, "re");
        // The head of a huge file is enough.
        char *text = file == NULL ? NULL : calloc(1, MODULE_TEXT_MAX);
        if (text != NULL) {
            size_t got = fread(text, 1, MODULE_TEXT_MAX - 1, file);
            text[got] = '\0';
            offer_text(completion, text);
        }
        free(text);
        if (file != NULL) {
            fclose(file);
            return true;
        }
    }
    return false;
}

// Native modules by their list, the others by the table of embedded ones.
bool complete_is_library(const char *module)
{
#define MODULE(def)                                                            \
    extern const ModuleDef def;                                                \
    if (strcmp(def.name, module) == 0) {                                       \
        return true;                                                           \
    }
#include "modules/module_list.h"
#undef MODULE
    for (size_t i = 0; i < embedded_module_count; i++) {
        if (strcmp(embedded_modules[i].name, module) == 0) {
            return true;
        }
    }
    return false;
}

// The first file on the search path is the one that import would take.
// For modules of the program's own, which are not run to learn their names.
void complete_module_names(Completion *completion, const char *module)
{
    Vm *vm = completion->session->vm;
    Value path = module_search_path(vm);
    bool found = false;
    for (size_t i = 0; !found && value_is_kind(path, KIND_LIST) &&
                       i < value_as_list(path)->count;
         i++) {
        Value folder = value_as_list(path)->items[i];
        found = value_is_str(folder) &&
                offer_file(completion, value_as_str(folder)->text, module);
    }
    raise_clear(vm);
}
