// What is told about a value that was found (peek.c): its attributes, how it is
// called, one line in words.
//
// Invariant: as in peek.c, nothing here may run Duet code.
#include "repl/peek.h"

#include <stdlib.h>
#include <string.h>

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"
#include "modules/builtins/help.h"
#include "modules/importing/module.h"

enum { PEEK_REPR_MAX = 40 }; // bytes

typedef void Visit(Str *name, Value value, void *data);

// NULL is fine: an object without attributes of its own has no dict.
static void visit_dict(const Dict *dict, Visit *visit, void *data)
{
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict != NULL && dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key)) {
            visit(value_as_str(key), value, data);
        }
    }
}

// In the order of look-up, so that an overriding name comes first. The names of
// all classes of the MRO, some of them several times: the visitor takes the
// first.
static void visit_class(Vm *vm, const Type *type, Visit *visit, void *data)
{
    const Tuple *mro = type->mro;
    for (size_t i = 0; mro != NULL && i < mro->count; i++) {
        const Dict *dict = type_dict(vm, (Type *)value_object(mro->items[i]));
        // Without memory the names are left out.
        if (dict == NULL) {
            ctx_clear(&vm->ctx);
        }
        visit_dict(dict, visit, data);
    }
}

static void visit_own(Object *object, Visit *visit, void *data)
{
    if (object->kind != KIND_INSTANCE) {
        Dict **place = instance_dict_place(object);
        visit_dict(place == NULL ? NULL : *place, visit, data);
        return;
    }
    Instance *instance = (Instance *)object;
    if (instance->shape == NULL) {
        visit_dict(instance->dict, visit, data);
        return;
    }
    // A shape names its last attribute; the root of the tree has none.
    for (const ObjectShape *shape = instance->shape; shape->name != NULL;
         shape = shape->parent) {
        // From the last attribute to the first.
        visit(shape->name, instance->slots[shape->count - 1], data);
    }
}

// A module's type has nothing that a person looks for behind its dot, so only
// its own names are visited. What __dir__ or __getattr__ would add is not asked
// for.
void peek_attributes(Session *session, const Peek *peek, Visit *visit,
                     void *data)
{
    if (value_is_kind(peek->value, KIND_MODULE)) {
        visit_dict(((Module *)value_object(peek->value))->dict, visit, data);
        return;
    }
    if (value_is_kind(peek->value, KIND_TYPE)) {
        visit_class(session->vm, (Type *)value_object(peek->value), visit,
                    data);
    } else if (value_is_object(peek->value)) {
        visit_own(value_object(peek->value), visit, data);
    }
    if (peek->type != NULL) {
        visit_class(session->vm, peek->type, visit, data);
    }
}

// How a class is called: as its __init__, or as its descriptor says. *doc is
// borrowed from the class.
static bool class_signature(Session *session, Type *type, StrBuf *out,
                            const char **doc)
{
    Vm *vm = session->vm;
    size_t from = out->length;
    Value text = type_lookup(vm, type, vm->names[NAME_DOC]);
    bool native = (type->flags & TYPE_HEAP) == 0;
    *doc = value_is_str(text) ? value_as_str(text)->text
           : native           ? type->def->doc
                              : NULL;
    // Of a built-in type the descriptor has both.
    if (native) {
        strbuf_printf(out, "%s(%s)", type_name(type),
                      type->def->params == NULL ? "" : type->def->params);
        return strbuf_ok(out);
    }
    Value init = type_lookup(vm, type, vm->names[NAME_INIT]);
    const char *ignored;
    if (!value_is_kind(init, KIND_FUNCTION) ||
        !help_add_callable(vm, out, init, &ignored)) {
        out->length = from;
        strbuf_printf(out, "%s()", type_name(type));
        return strbuf_ok(out);
    }
    // `self` is filled by the call.
    help_drop_first(out, from);
    // The class's name stands for __init__.
    StrBuf named;
    strbuf_init(&named, out->ctx);
    strbuf_printf(&named, "%s%s", type_name(type),
                  out->text + from + strlen("__init__"));
    out->length = from;
    strbuf_puts(out, strbuf_text(&named));
    strbuf_free(&named);
    return strbuf_ok(out);
}

// A bound method is shown as it is called: without the parameter that the call
// fills by itself. False: it cannot be called, or nothing is known of its
// parameters.
bool peek_signature(Session *session, const Peek *peek, StrBuf *out,
                    const char **doc)
{
    Vm *vm = session->vm;
    bool told = false;
    size_t from = out->length;
    *doc = NULL;
    if (value_is_kind(peek->value, KIND_TYPE)) {
        told = class_signature(session, (Type *)value_object(peek->value), out,
                               doc);
    } else if (help_is_callable(peek->value)) {
        told = help_add_callable(vm, out, peek->value, doc) && strbuf_ok(out);
        // A native that is of no type takes all its parameters.
        bool whole = value_is_kind(peek->value, KIND_METHOD) ||
                     (value_is_kind(peek->value, KIND_NATIVE) &&
                      ((Native *)value_object(peek->value))->owner == NULL);
        if (told && peek->bound && !whole) {
            help_drop_first(out, from);
        }
    }
    raise_clear(vm);
    return told;
}

// A doc string may begin on its second line. What follows is for help().
static void add_first_line(StrBuf *out, const char *doc)
{
    doc += strspn(doc, " \n");
    strbuf_add(out, doc, strcspn(doc, "\n"));
}

// Plain values show themselves; for all others the type or the signature says
// more than a long repr. Reprs of the program's own classes are not asked for:
// they could run anything. One line: what stands beside a candidate in the
// list.
void peek_describe(Session *session, Value value, bool bound, StrBuf *out)
{
    Vm *vm = session->vm;
    const char *doc = NULL;
    // Of these the repr runs no code of the program.
    bool plain = value_is_str(value) || value_is_integer(value) ||
                 value_is_float(value) || value_is_none(value);
    Value inner = value_unbound(value) ? value : peek_plain_part(value);
    if (value_is_kind(value, KIND_PROPERTY)) {
        Value text = ((Property *)value_object(value))->doc;
        strbuf_puts(out, "property  ");
        doc = value_is_str(text) ? value_as_str(text)->text : NULL;
    } else if (value_is_kind(value, KIND_MEMBER)) {
        const MemberDef *def = ((Member *)value_object(value))->def;
        doc = def == NULL ? NULL : def->doc;
    } else if (plain) {
        Str *text = value_repr(vm, value);
        if (text != NULL) {
            size_t length = strlen(text->text);
            bool cut = length > PEEK_REPR_MAX;
            strbuf_add(out, text->text, cut ? PEEK_REPR_MAX : length);
            strbuf_puts(out, cut ? "..." : "");
            object_release(&vm->ctx, text);
        }
    } else if (!value_unbound(inner)) {
        Peek shown = {.value = inner,
                      .type = type_of(vm, inner),
                      .bound =
                          bound && !value_is_kind(value, KIND_STATICMETHOD)};
        if (peek_signature(session, &shown, out, &doc)) {
            strbuf_puts(out, doc == NULL ? "" : "  ");
        } else {
            strbuf_puts(out, type_name(shown.type));
        }
    }
    if (doc != NULL) {
        add_first_line(out, doc);
    }
    raise_clear(vm);
}
