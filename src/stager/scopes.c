// Names of the program's own, noted with the sites of a trace.
#include "stager/scopes.h"

#include <string.h>

#include "export/graphdef.h"
#include "interp/core/raise.h"
#include "interp/objects/code/code.h"

// A frame of the program's starts anew: what it makes has names of its own.
static uint32_t named_of(const Graph *graph, const Code *code, uint32_t caller)
{
    return code->source->library && caller != 0
               ? graph->sites.items[caller - 1].named
               : 0;
}

const Str *scopes_name(const Vm *vm, const Graph *graph, const Frame *frame,
                       uint32_t caller)
{
    const Code *code = frame->code;
    if (!code->source->library || caller == 0 ||
        named_of(graph, code, caller) != 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (code->local_names[i] == vm->names[NAME_PLAIN_NAME]) {
            Value given = frame->registers[i];
            return value_is_str(given) && value_as_str(given)->length > 0
                       ? value_as_str(given)
                       : NULL;
        }
    }
    return NULL;
}

static size_t scope_length(const Trace *trace)
{
    return trace->scope != NULL ? strlen(trace->scope) + 1 : 0;
}

// A change of the scope has cut off all sites: the name alone may differ.
bool scopes_hold(const Trace *trace, uint32_t site, const Str *name)
{
    const GraphSite *known = &trace->graph->sites.items[site - 1];
    bool own = known->named != 0 && known->named == known->caller;
    if (!own || name == NULL) {
        return own == (name != NULL);
    }
    size_t scope = scope_length(trace), length = strlen(known->path);
    return length == scope + name->length &&
           memcmp(known->path + scope, name->text, name->length) == 0;
}

uint32_t scopes_site(Vm *vm, Trace *trace, GraphSite site, const Str *name)
{
    const Graph *graph = trace->graph;
    site.path = trace->scope;
    site.named = named_of(graph, (const Code *)site.code, site.caller);
    if (site.named != 0) {
        site.path = graph->sites.items[site.caller - 1].path;
    }
    if (name == NULL) {
        return graph_add_site(trace->graph, site);
    }
    StrBuf path;
    strbuf_init(&path, &vm->ctx);
    bool inside = trace->scope != NULL;
    strbuf_printf(&path, "%s%s%s", inside ? trace->scope : "",
                  inside ? "/" : "", name->text);
    site.path = strbuf_text(&path);
    site.named = site.caller;
    uint32_t made = strbuf_ok(&path) ? graph_add_site(trace->graph, site)
                                     : GRAPH_SITE_FAILED;
    strbuf_free(&path);
    return made;
}

// The path, with "_1", "_2", … if others have it, in whatever case of letters.
// False: no memory.
static bool make_unique(Trace *trace, const Str *path, StrBuf *made)
{
    StrBuf lower;
    strbuf_init(&lower, made->ctx);
    for (uint32_t n = 0; strbuf_ok(made); n++) {
        made->length = lower.length = 0;
        strbuf_puts(made, path->text);
        if (n > 0) {
            strbuf_printf(made, "_%u", n);
        }
        strbuf_lower(&lower, strbuf_text(made));
        if (!strbuf_ok(&lower) || map_get(&trace->scopes, strbuf_text(&lower),
                                          lower.length) == NULL) {
            break;
        }
    }
    bool ok = strbuf_ok(made) && strbuf_ok(&lower) &&
              map_put(&trace->scopes, strbuf_text(&lower), lower.length, 1);
    strbuf_free(&lower);
    return ok;
}

// Sites are looked up again: what they name is in another scope from here on.
static bool enter(Trace *trace, const Str *path)
{
    trace->sites.count = 0;
    trace->scope = NULL;
    if (path->length > 0) {
        trace->scope =
            arena_strndup(&trace->graph->arena, path->text, path->length);
    }
    return path->length == 0 || trace->scope != NULL;
}

Value scopes_method(Vm *vm, Value *args)
{
    Trace *trace = vm->trace;
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "stage.scope() takes a path");
    }
    Str *path = object_retain(value_as_str(args[1]));
    if (trace != NULL && path->length > 0 && value_same(args[2], VALUE_TRUE)) {
        StrBuf text;
        strbuf_init(&text, &vm->ctx);
        bool ok = make_unique(trace, path, &text);
        object_release(&vm->ctx, path);
        path = ok ? str_new(vm, strbuf_text(&text), text.length) : NULL;
        strbuf_free(&text);
    }
    if (path != NULL && trace != NULL && !enter(trace, path)) {
        object_release(&vm->ctx, path);
        path = NULL;
    }
    return value_or_fail(path);
}

// Whether a parameter, whose name has this length, is the function's *rest.
static bool is_rest(const Code *code, const char *name, size_t length)
{
    if (code == NULL || !(code->flags & CODE_VARARGS)) {
        return false;
    }
    const Str *rest =
        code->local_names[code->positional_count + code->keyword_only_count];
    return rest->length == length && memcmp(rest->text, name, length) == 0;
}

// Of an argument's leaf TensorFlow says the parameter alone, and numbers those
// that follow: "p[0]", "p[1]" are "p" and "p_1"; of *rest "rest_0", "rest_1".
// NULL: it is no leaf of an argument, or an error is pending.
static Str *leaf_name(Vm *vm, const Trace *trace, ValueId value)
{
    const Graph *graph = trace->graph;
    size_t i = 0, before = 0;
    while (i < graph->inputs.count && graph->inputs.items[i].value != value) {
        i++;
    }
    if (i == graph->inputs.count) {
        return NULL;
    }
    const char *name = graph->inputs.items[i].name;
    size_t length = strcspn(name, "[");
    if (name[length] == '\0') {
        return NULL;
    }
    for (size_t k = 0; k < i; k++) {
        const char *other = graph->inputs.items[k].name;
        before +=
            strcspn(other, "[") == length && memcmp(other, name, length) == 0;
    }
    bool rest = trace->base != NULL && is_rest(trace->base->code, name, length);
    return before > 0 || rest
               ? str_printf(vm, "%.*s_%zu", (int)length, name, before)
               : str_new(vm, name, length);
}

// For the library alone (lib/tensorflow): blocks that are being traced have no
// nodes yet that could be named.
Value scopes_node_name_method(Vm *vm, Value *args)
{
    const Trace *trace = vm->trace;
    if (trace == NULL || !value_is_kind(args[1], KIND_SYMBOLIC) ||
        value_as_symbolic(args[1])->owner != trace->owner ||
        trace->block != trace->graph->block) {
        return VALUE_NONE;
    }
    Str *leaf = leaf_name(vm, trace, value_as_symbolic(args[1])->value);
    if (leaf != NULL || vm_has_error(vm)) {
        return value_or_fail(leaf);
    }
    GraphDef def;
    const char *name = graphdef_value_name(
        trace->graph, value_as_symbolic(args[1])->value, &def);
    Str *text = name != NULL ? str_new(vm, name, strlen(name)) : NULL;
    graphdef_free(&def);
    if (text != NULL) {
        return str_value(text);
    }
    // What has no form in a GraphDef keeps the name that it has.
    if (vm_has_error(vm) && raise_matches(vm, ERR_VALUE)) {
        raise_clear(vm);
    }
    return vm_has_error(vm) ? VALUE_FAIL : VALUE_NONE;
}
