// help(x): how a thing is called and what its documentation says. The texts
// come from the descriptors of natives and types, and from __doc__.
#include "interp/hooks/program.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "modules/builtins/builtins.h"
#include "modules/builtins/help.h"
#include "modules/importing/module.h"

// A doc string as written in a source: its later lines share an indentation.
// Each line is put `indent` columns in, without that one.
// In columns; tabs are not counted. The rule is that of PEP 257.
static size_t shared_indent(const char *doc)
{
    // The first line has no indentation of its own; blank lines do not count.
    size_t least = SIZE_MAX;
    for (const char *line = strchr(doc, '\n'); line != NULL;
         line = strchr(line + 1, '\n')) {
        size_t blanks = strspn(line + 1, " ");
        char first = line[1 + blanks];
        if (first != '\n' && first != '\0' && blanks < least) {
            least = blanks;
        }
    }
    return least == SIZE_MAX ? 0 : least;
}

// Blank lines get no indentation, so that no line ends in blanks.
static void add_doc(StrBuf *out, const char *doc, int indent)
{
    size_t shared = shared_indent(doc);
    // Blanks in front of the text, as behind """ and a line end, are left out.
    // The first line keeps what stands behind its blanks.
    const char *line = doc + strspn(doc, " \n");
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        if (length > 0) {
            strbuf_printf(out, "%*s%.*s", indent, "", (int)length, line);
        }
        strbuf_putc(out, '\n');
        line += length;
        if (*line == '\n') {
            line++;
            size_t blanks = strspn(line, " ");
            line += blanks < shared ? blanks : shared;
        }
    }
}

// For lists of members; a doc string may begin on its second line.
static void add_first_line(StrBuf *out, const char *doc)
{
    doc += strspn(doc, " \n");
    strbuf_add(out, doc, strcspn(doc, "\n"));
}

// "name=default" for one parameter of a function.
// False: an error is pending.
static bool add_param(Vm *vm, StrBuf *out, const Function *function,
                      uint32_t index)
{
    const Code *code = function->code;
    Str *name = code->local_names[index];
    strbuf_puts(out, name->text);
    Value value = VALUE_UNBOUND;
    // Keyword-only defaults are in a dict, the others in a tuple that belongs
    // to the last positional parameters.
    if (index >= code->positional_count) {
        if (function->keyword_defaults != NULL) {
            (void)dict_get(vm, function->keyword_defaults,
                           value_from_object(name), &value);
        }
    } else if (function->defaults != NULL &&
               // A default belongs to the parameter that stands as far from the
               // end as it does itself.
               code->positional_count - index <= function->defaults->count) {
        value = function->defaults->items[function->defaults->count -
                                          (code->positional_count - index)];
    }
    if (value_unbound(value) || !strbuf_ok(out)) {
        return strbuf_ok(out);
    }
    // Defaults are shown as repr() has them, which a class may define.
    Str *text = value_repr(vm, value);
    if (text == NULL) {
        return false;
    }
    strbuf_printf(out, "=%s", text->text);
    object_release(&vm->ctx, text);
    return true;
}

// "name(a, /, b=1, *args, c, **options)". Registers are in the order
// positional, keyword-only, *args, **options.
// False: an error is pending; `out` holds a part then.
static bool add_signature(Vm *vm, StrBuf *out, const Function *function)
{
    const Code *code = function->code;
    // Their registers come first; *args and **options follow.
    uint32_t named = code->positional_count + code->keyword_only_count;
    bool starred = (code->flags & CODE_VARARGS) != 0;
    strbuf_printf(out, "%s(", function->name->text);
    for (uint32_t i = 0; i < named; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        // The first keyword-only parameter stands behind *args or a bare star.
        if (i == code->positional_count) {
            strbuf_printf(out, "*%s, ",
                          starred ? code->local_names[named]->text : "");
        }
        if (!add_param(vm, out, function, i)) {
            return false;
        }
        if (i + 1 == code->positional_only_count) {
            strbuf_puts(out, ", /");
        }
    }
    // Otherwise *args stood in front of the keyword-only ones.
    if (starred && code->keyword_only_count == 0) {
        strbuf_printf(out, "%s*%s", named > 0 ? ", " : "",
                      code->local_names[named]->text);
    }
    if (code->flags & CODE_VARKEYWORDS) {
        strbuf_printf(out, "%s**%s", named > 0 || starred ? ", " : "",
                      code->local_names[named + starred]->text);
    }
    strbuf_putc(out, ')');
    return true;
}

// "f(self, x)" without its first parameter. `from` is where the signature
// begins in the text. A lone parameter leaves "f()".
void help_drop_first(StrBuf *text, size_t from)
{
    char *open = strchr(text->text + from, '(');
    if (open == NULL) {
        return;
    }
    // Up to the comma or the closing parenthesis: `self` has no default with a
    // comma in it.
    size_t length = strcspn(open + 1, ",)");
    length += open[1 + length] == ',' ? 1 + strspn(open + 2 + length, " ") : 0;
    // A slash right behind it closes what was positional: it goes along.
    if (strncmp(open + 1 + length, "/, ", 3) == 0) {
        length += 3;
    } else if (strncmp(open + 1 + length, "/)", 2) == 0) {
        length += 1;
    }
    memmove(open + 1, open + 1 + length, strlen(open + 1 + length) + 1);
    text->length -= length;
}

// *doc is borrowed from what is described. A bound method is shown
// without the parameter that it fills.
// The caller has asked help_is_callable. A native's parameters are text
// already, in the same form.
bool help_add_callable(Vm *vm, StrBuf *out, Value v, const char **doc)
{
    *doc = NULL;
    size_t from = out->length;
    bool bound = value_is_kind(v, KIND_METHOD);
    v = bound ? ((Method *)value_object(v))->function : v;
    if (value_is_kind(v, KIND_NATIVE)) {
        const NativeDef *def = ((Native *)value_object(v))->def;
        strbuf_printf(out, "%s(%s)", def->name, def->params);
        *doc = def->doc;
    } else if (!value_is_kind(v, KIND_FUNCTION)) {
        const Type *type = type_of(vm, v);
        strbuf_printf(out, "%s(%s)", type->name->text, type->def->params);
        *doc = type->def->doc;
    } else {
        // help_is_callable let nothing else through.
        const Function *function = (Function *)value_object(v);
        *doc = value_is_str(function->doc) ? value_as_str(function->doc)->text
                                           : NULL;
        if (!add_signature(vm, out, function)) {
            return false;
        }
    }
    if (bound && strbuf_ok(out)) {
        help_drop_first(out, from);
    }
    return true;
}

// An object whose built-in type says how it is called, and that no program
// makes: `stage`.
static bool is_called_object(Value v)
{
    if (!value_is_object(v) || value_is_kind(v, KIND_TYPE)) {
        return false;
    }
    // The definition's own slots: a type inherits others.
    const TypeDef *def = type_of(NULL, v)->def;
    return value_is_kind(v, KIND_OPAQUE) && def->slots.call != NULL &&
           def->slots.make == NULL && def->params != NULL;
}

// A method may be bound to any callable: a staged function is none of these.
bool help_is_callable(Value v)
{
    if (value_is_kind(v, KIND_METHOD)) {
        v = ((const Method *)value_object(v))->function;
    }
    return value_is_kind(v, KIND_NATIVE) || value_is_kind(v, KIND_FUNCTION) ||
           is_called_object(v);
}

// The public functions of a class or module: a line each, methods as they are
// called, without `self`.
// Only what stands in the dict itself: inherited methods are those of the
// base's help.
static bool add_members(Vm *vm, StrBuf *out, const Dict *dict, bool methods)
{
    uint32_t position = 0;
    Value key, value;
    while (dict != NULL && dict_next(dict, &position, &key, &value)) {
        const char *doc;
        // Private names and special methods would drown the others.
        if (!value_is_str(key) || value_as_str(key)->text[0] == '_' ||
            !help_is_callable(value)) {
            continue;
        }
        strbuf_puts(out, "    ");
        size_t from = out->length;
        if (!help_add_callable(vm, out, value, &doc)) {
            return false;
        }
        if (methods && strbuf_ok(out)) {
            help_drop_first(out, from);
        }
        if (doc != NULL) {
            strbuf_puts(out, "  -- ");
            add_first_line(out, doc);
        }
        strbuf_putc(out, '\n');
    }
    return true;
}

// A built-in class shows how it is called, one written in Duet its base.
// A doc string of its own comes first; a built-in class has one in its
// descriptor.
static bool add_type(Vm *vm, StrBuf *out, Type *type)
{
    Value doc = type_lookup(vm, type, vm->names[NAME_DOC]);
    if (value_failed(doc)) {
        return false;
    }
    const char *text = value_is_str(doc)         ? value_as_str(doc)->text
                       : type->flags & TYPE_HEAP ? NULL
                                                 : type->def->doc;
    strbuf_printf(out, "class %s", type->name->text);
    if (!(type->flags & TYPE_HEAP) && type->def->params != NULL) {
        strbuf_printf(out, "(%s)", type->def->params);
    } else if (type->base != NULL && type->base != vm->object_type) {
        strbuf_printf(out, "(%s)", type->base->name->text);
    }
    strbuf_putc(out, '\n');
    if (text != NULL) {
        add_doc(out, text, 4);
    }
    return add_members(vm, out, type_dict(vm, type), true);
}

// Anything else: what it is, and its documentation.
// The repr can run code of the program, which help() of an instance may do.
static bool add_value(Vm *vm, StrBuf *out, Value v)
{
    // UNBOUND and None are fine: then there is no text.
    Value doc = value_find_attr(vm, v, vm->names[NAME_DOC]);
    Str *shown = value_failed(doc) ? NULL : value_repr(vm, v);
    if (shown != NULL) {
        strbuf_printf(out, "%s\n", shown->text);
        object_release(&vm->ctx, shown);
    }
    if (shown != NULL && value_is_str(doc)) {
        add_doc(out, value_as_str(doc)->text, 4);
    }
    release(vm, doc);
    return shown != NULL;
}

// What stands for a function that it holds, as a staged one does: first how
// that is called. 1: done; 0: it is none; -1: failed.
static int add_wrapped(Vm *vm, StrBuf *out, Value v)
{
    if (value_is_kind(v, KIND_TYPE) || value_is_kind(v, KIND_INSTANCE)) {
        return 0; // a program's, of which nothing is known
    }
    Value inner = value_find_attr(vm, v, vm->names[NAME_WRAPPED]);
    if (value_failed(inner) || value_unbound(inner)) {
        return value_failed(inner) ? -1 : 0;
    }
    const char *doc;
    int done = help_is_callable(inner);
    if (done > 0) {
        bool ok = help_add_callable(vm, out, inner, &doc);
        strbuf_putc(out, '\n');
        done = ok && add_value(vm, out, v) ? 1 : -1;
    }
    release(vm, inner);
    return done;
}

// False with an error pending; `out` then has a part of the text.
static bool add_help(Vm *vm, StrBuf *out, Value v)
{
    if (help_is_callable(v)) {
        const char *doc;
        bool done = help_add_callable(vm, out, v, &doc);
        strbuf_putc(out, '\n');
        if (done && doc != NULL) {
            add_doc(out, doc, 4);
        }
        return done &&
               (!is_called_object(v) ||
                add_members(vm, out, type_dict(vm, type_of(vm, v)), true));
    }
    if (value_is_kind(v, KIND_TYPE)) {
        return add_type(vm, out, (Type *)value_object(v));
    }
    int wrapped = add_wrapped(vm, out, v);
    if (wrapped != 0) {
        return wrapped > 0;
    }
    return add_value(vm, out, v) &&
           (!value_is_kind(v, KIND_MODULE) ||
            add_members(vm, out, ((Module *)value_object(v))->dict, false));
}

// The buffer's text if it was filled without an error, which it is freed of.
// Owned; NULL: an error is pending. Only what is complete is shown.
static Str *finished(Vm *vm, StrBuf *out, bool done)
{
    Str *text = done && strbuf_ok(out)
                    ? str_new(vm, strbuf_text(out), out->length)
                    : NULL;
    strbuf_free(out);
    return text;
}

// The empty text for what cannot be called, or does not say how.
Str *builtin_signature(Vm *vm, Value v)
{
    StrBuf out;
    const char *doc;
    strbuf_init(&out, &vm->ctx);
    bool done = true;
    if (help_is_callable(v)) {
        done = help_add_callable(vm, &out, v, &doc);
    } else if (value_is_kind(v, KIND_TYPE)) {
        const Type *type = (const Type *)value_object(v);
        if (!(type->flags & TYPE_HEAP) && type->def->params != NULL) {
            strbuf_printf(&out, "%s(%s)", type->name->text, type->def->params);
        }
    }
    return finished(vm, &out, done);
}

// Owned; NULL: failed. Without an argument it says how help is asked for.
Str *builtin_help_text(Vm *vm, Value v)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool done = true;
    if (value_unbound(v)) {
        strbuf_puts(&out, "Type help(x) for help about x.\n");
    } else {
        done = add_help(vm, &out, v);
    }
    return finished(vm, &out, done);
}

// Written only when it is complete: to sys.stdout, or where a program shows
// long texts in its own way, through that.
BUILTIN_BODY(help)
{
    Str *text = builtin_help_text(vm, args[0]);
    bool done =
        text != NULL && (vm->program != NULL ? vm->program->page(vm, text)
                                             : builtin_write_stdout(vm, text));
    object_release_null(&vm->ctx, text);
    return value_done(done);
}
