// Completion looks a dotted path up without running any call.
#include "repl/complete.h"

#include <stdlib.h>
#include <string.h>

#include "interp/obj_dict.h"
#include "interp/obj_list.h"
#include "interp/obj_str.h"
#include "interp/protocol.h"
#include "repl/command.h"

// The classes of token_list.h under names of our own.
typedef enum WordClass { WORD_SPECIAL, WORD_OPERATOR, WORD_KEYWORD } WordClass;

// A row of that list; only the keywords are offered.
typedef struct Word {
    const char *text;
    WordClass class;
} Word;

static const Word words[] = {
#define TOKEN(id, text, class) {text, WORD_##class},
#include "lexer/token_list.h"
#undef TOKEN
};

// Adds path + name if it goes on from path + prefix.
// `word` is what was typed, of which the first `path_length` bytes stay as
// they are. Memory that runs out costs the one candidate.
static void offer(Session *session, TextVec *out, const char *word,
                  size_t path_length, const char *name)
{
    const char *prefix = word + path_length;
    // A name with an underscore in front is shown to who types one.
    bool hidden = name[0] == '_' && prefix[0] != '_';
    if (hidden || strncmp(name, prefix, strlen(prefix)) != 0) {
        return;
    }
    char *text = malloc(path_length + strlen(name) + 1);
    if (text == NULL) {
        return;
    }
    memcpy(text, word, path_length);
    strcpy(text + path_length, name);
    if (!vec_push(&session->vm->ctx, out, text)) {
        free(text);
    }
}

// For namespaces, which may also have keys that are no strings.
static void offer_dict(Session *session, TextVec *out, const char *word,
                       Dict *dict)
{
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key)) {
            offer(session, out, word, 0, value_as_str(key)->text);
        }
    }
}

// Keywords, then the session's names, then the built-in ones; Readline sorts
// them and drops what is there twice.
static void offer_names(Session *session, TextVec *out, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].class == WORD_KEYWORD) {
            offer(session, out, word, 0, words[i].text);
        }
    }
    offer_dict(session, out, word, session->globals);
    offer_dict(session, out, word, session->vm->builtins);
}

// The value of "a.b.c" in the first `length` bytes: owned, UNBOUND if there
// is none.
// Part by part, as the compiler would: the first is a global or a built-in
// name, the others are attributes.
static Value look_up(Session *session, const char *path, size_t length)
{
    Vm *vm = session->vm;
    Value value = VALUE_UNBOUND;
    for (bool first = true;; first = false) {
        const char *dot = memchr(path, '.', length);
        size_t part = dot == NULL ? length : (size_t)(dot - path);
        Str *name = str_intern(vm, path, part);
        if (name == NULL) {
            release(vm, value);
            return VALUE_UNBOUND;
        }
        Value next;
        if (first) {
            next = dict_get_name(session->globals, name);
            next = value_unbound(next) ? dict_get_name(vm->builtins, name)
                                       : next;
            // dict_get_name lends its value, value_find_attr gives one: from
            // here on both are owned.
            value_retain(next);
        } else {
            next = value_find_attr(vm, value, name);
        }
        object_release(&vm->ctx, name);
        release(vm, value);
        value = next;
        if (dot == NULL || value_unbound(value) || value_failed(value)) {
            return value_failed(value) ? VALUE_UNBOUND : value;
        }
        path += part + 1;
        length -= part + 1;
    }
}

// dir(value), owned, or UNBOUND.
// The built-in dir is asked, whatever the session calls by that name.
static Value names_of(Session *session, Value value)
{
    Vm *vm = session->vm;
    Str *name = str_intern(vm, "dir", 3);
    Value dir =
        name == NULL ? VALUE_UNBOUND : dict_get_name(vm->builtins, name);
    object_release_null(&vm->ctx, name);
    Value names =
        value_unbound(dir) ? dir : vm_call(vm, dir, &value, 1);
    return value_failed(names) ? VALUE_UNBOUND : names;
}

// By dir(), so that a class may say what it wants to have shown. That may run
// Duet code (`__dir__`, a property on the way); its errors are dropped.
static void offer_attributes(Session *session, TextVec *out, const char *word,
                             size_t path_length)
{
    Value value = look_up(session, word, path_length - 1);
    if (value_unbound(value)) {
        return;
    }
    Value names = names_of(session, value);
    if (value_is_kind(names, KIND_LIST)) {
        List *list = value_as_list(names);
        for (size_t i = 0; i < list->count; i++) {
            if (value_is_str(list->items[i])) {
                offer(session, out, word, path_length,
                      value_as_str(list->items[i])->text);
            }
        }
    }
    release(session->vm, names);
    release(session->vm, value);
}

// Called by Readline in the middle of an entry, so nothing may be left
// pending: it would seem to be the fault of the next entry.
void complete_word(Session *session, const char *word, TextVec *out)
{
    const char *dot = strrchr(word, '.');
    if (word[0] == '%') {
        for (size_t i = 0; command_name(i) != NULL; i++) {
            offer(session, out, word, 1, command_name(i));
        }
    } else if (dot != NULL) {
        offer_attributes(session, out, word, (size_t)(dot + 1 - word));
    } else {
        offer_names(session, out, word);
    }
    raise_clear(session->vm);
}

// Frees the texts too, unlike the prompt, whose texts Readline frees.
void complete_free(Session *session, TextVec *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->items[i]);
    }
    vec_free(&session->vm->ctx, texts);
}
