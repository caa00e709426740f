// Why a call traced: what its arguments have that those of the nearest trace
// have not (why_diff.c), or what else look-up compares.
#include "stager/why.h"

#include "interp/objects/protocol/protocol.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// Both traces are held, so that they can be compared when somebody asks.
void why_free(Vm *vm, Why *why)
{
    object_release_null(&vm->ctx, why->old);
    object_release_null(&vm->ctx, why->made);
    object_release_null(&vm->ctx, why->frozen);
    source_release(&vm->ctx, why->source);
    *why = (Why){0};
}

// The comparison itself waits until it is asked for: tracing stays quick.
void why_begin(Vm *vm, StagedFunction *self, const StrBuf *key, Why *why)
{
    const Concrete *old =
        self->table.newest != NULL ? self->table.newest : self->why.made;
    *why = (Why){.frozen = self->why.frozen,
                 .dropped = traces_dropped(&self->table, key)};
    // A frozen value that was found changed has been noted already.
    self->why.frozen = NULL;
    if (self->traced == 0 && value_is_kind(self->target, KIND_FUNCTION)) {
        why->staged = ++((Function *)value_object(self->target))->code->staged;
    }
    why->old = old != NULL ? object_retain((void *)old) : NULL;
    why->line = trace_program_line(vm, &why->source);
    if (why->source != NULL) {
        (void)source_retain(why->source);
    }
}

// A trace that failed leaves what was known of the last one in place.
void why_end(Vm *vm, StagedFunction *self, Why *why, Concrete *made)
{
    if (made == NULL) {
        why_free(vm, why);
        return;
    }
    why->made = object_retain(made);
    why_free(vm, &self->why);
    self->why = *why;
}

// The trace that the arguments of the last one differ least from: of those that
// are left the latest of the nearest, else the one before. Borrowed; NULL: it
// was the first. False: an error is pending.
static bool find_nearest(Vm *vm, const StagedFunction *self,
                         const Concrete **nearest)
{
    enum { LOOKED_AT = 64 };
    const Why *why = &self->why;
    uint32_t least = UINT32_MAX;
    int looked = 0;
    *nearest = why->old;
    for (const Concrete *c = self->table.newest;
         c != NULL && looked < LOOKED_AT; c = c->older, looked++) {
        uint32_t weight;
        if (c->number >= why->made->number) {
            continue;
        }
        if (!why_compare(vm, c, why->made, false, NULL, NULL, &weight)) {
            return false;
        }
        if (weight < least ||
            (weight == least && c->number > (*nearest)->number)) {
            least = weight;
            *nearest = c;
        }
    }
    return true;
}

// What look-up compares beside the arguments' parts of the key.
static const char *other_reason(const Why *why, const Concrete *nearest)
{
    const Concrete *made = why->made;
    bool looked = made->looked.length > 0 &&
                  !strbuf_equal(&made->looked, &nearest->looked);
    return looked && made->looks == LOOKS_AT_NAME
               ? "its Variables have other names, which the trace looks at: "
                 "name them alike"
           : looked
               ? "its dicts or keywords come in another order, which the trace "
                 "looks at: pass them in one order"
           : made->variables > 0 && made->variables != nearest->variables
               ? "other arguments are the same Variable now: a trace serves "
                 "one way in which they are"
           : made->outer.count > 0
               ? "it captures a symbolic tensor of the trace around it, and "
                 "that is another: pass it as an argument"
               : "its trace had been dropped";
}

// A function made anew is another cause only if its lines are others.
static void add_cause(const StagedFunction *self, StrBuf *key)
{
    if (key != NULL) {
        key->length = 0;
        strbuf_printf(key, "anew %p",
                      (void *)((Function *)value_object(self->target))->code);
    }
}

Value why_nearest_method(Vm *vm, Value *args)
{
    const StagedFunction *staged = staged_from(vm, args[1], "nearest");
    const Concrete *nearest = NULL;
    if (staged == NULL ||
        (staged->why.made != NULL && !find_nearest(vm, staged, &nearest))) {
        return VALUE_FAIL;
    }
    return nearest != NULL ? value_from_object(object_retain((void *)nearest))
                           : VALUE_NONE;
}

// In the order in which they rule one another out.
static bool add_reason(Vm *vm, const StagedFunction *self, StrBuf *out,
                       StrBuf *key)
{
    const Why *why = &self->why;
    if (why->frozen != NULL) {
        strbuf_printf(out,
                      "%s (frozen='retrace'); pass it as an argument if it "
                      "changes often\n",
                      why->frozen->text);
        return true;
    }
    if (why->dropped > 0) {
        strbuf_printf(out,
                      "trace %zu was made for these arguments and dropped "
                      "(max_traces=%zu); raise max_traces, or call with fewer "
                      "signatures\n",
                      why->dropped, self->table.limit);
        return true;
    }
    const Concrete *nearest;
    if (!find_nearest(vm, self, &nearest)) {
        return false;
    }
    if (nearest == NULL && why->staged > 1) {
        strbuf_printf(out,
                      "it was the first of this one; %u functions were staged "
                      "from the same lines, and none has the traces of "
                      "another: stage it once, outside\n",
                      why->staged);
        add_cause(self, key);
        return true;
    }
    if (nearest == NULL) {
        strbuf_puts(out, "it was the first\n");
        return true;
    }
    uint32_t weight;
    bool ok = why_compare(vm, nearest, why->made, self->options.relax, out, key,
                          &weight);
    if (ok && weight == 0) {
        strbuf_printf(out, "%s\n", other_reason(why, nearest));
    }
    return ok;
}

bool why_reason(Vm *vm, const StagedFunction *self, StrBuf *out, StrBuf *key)
{
    bool ok = add_reason(vm, self, out, key);
    if (ok && strbuf_ok(out) && out->length > 0) {
        out->text[--out->length] = '\0';
    }
    return ok && strbuf_ok(out);
}

bool why_print(Vm *vm, const StagedFunction *self, StrBuf *out, StrBuf *key)
{
    const Why *why = &self->why;
    // An entry of the prompt has line numbers of its own, so its name is told;
    // a command that called the function itself has no line.
    const char *name = why->source != NULL ? why->source->name : "";
    if (why_is_command(why)) {
        strbuf_puts(out, "by a command: ");
    } else {
        bool file = source_is_file(name);
        strbuf_printf(out, "by the call at %s%sline %u: ", file ? "" : name,
                      file ? "" : ", ", why->line);
    }
    return why_reason(vm, self, out, key);
}

// None before the first trace.
Value why_method(Vm *vm, Value *args)
{
    const StagedFunction *staged = staged_from(vm, args[1], "why");
    if (staged == NULL) {
        return VALUE_FAIL;
    }
    // Known only when a trace is done: one that is under way has no `made`
    // yet.
    const Why *why = &staged->why;
    if (why->made == NULL) {
        return VALUE_NONE;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "trace %zu of %s, ", why->made->number,
                  why->made->name->text);
    bool ok = why_print(vm, staged, &out, NULL);
    Str *text = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    return value_or_fail(text);
}
