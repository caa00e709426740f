// Containers that stand for others.
//
// A copy that a join made and what it was made of are one object in eager code,
// perhaps: a change of one of them while the program holds another would be
// lost there.
#include "stager/events.h"
#include "stager/journal.h"
#include "stager/loops.h"

uint32_t journal_count_joined(const Trace *trace, const Object *object)
{
    uint32_t count = 0;
    for (size_t i = 0; i < trace->joined.count; i++) {
        const JoinedCopy *copy = &trace->joined.items[i];
        count += (copy->made == object) + (copy->from[0] == object) +
                 (copy->from[1] == object);
    }
    return count;
}

// The line is that of a join that made one of them, or was made of it.
static bool fail_joined(Vm *vm, const Trace *trace, const Object *other,
                        const Object *container)
{
    uint32_t line = 0;
    for (size_t i = 0; i < trace->joined.count; i++) {
        const JoinedCopy *copy = &trace->joined.items[i];
        bool meant = copy->made == container || copy->made == other;
        line = meant ? copy->line : line;
    }
    return raise_false(vm, ERR_SYMBOLIC,
                       "this '%s' and another one that is still in use may be "
                       "one and the same, as a tensor decides at line %u: "
                       "change it before that line, or take a copy there",
                       type_name(container->type), (unsigned)line);
}

bool journal_add_object(Vm *vm, ObjectVec *objects, Object *object)
{
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->items[i] == object) {
            return true;
        }
    }
    return object == NULL || vec_push(&vm->ctx, objects, object);
}

bool journal_find_sources(Vm *vm, const Trace *trace, ObjectVec *objects)
{
    bool ok = true;
    for (size_t i = 0; ok && i < objects->count; i++) {
        for (size_t j = 0; ok && j < trace->joined.count; j++) {
            const JoinedCopy *copy = &trace->joined.items[j];
            ok = copy->made != objects->items[i] ||
                 copy->kind == JOINED_SHOWN ||
                 (journal_add_object(vm, objects, copy->from[0]) &&
                  journal_add_object(vm, objects, copy->from[1]));
        }
    }
    return ok;
}

// What may be one with the container in eager code: what it was made of, and
// then what was made of any of these.
static bool find_joined(Vm *vm, const Trace *trace, ObjectVec *objects)
{
    bool ok = journal_find_sources(vm, trace, objects);
    for (size_t i = 0; ok && i < objects->count; i++) {
        for (size_t j = 0; ok && j < trace->joined.count; j++) {
            const JoinedCopy *copy = &trace->joined.items[j];
            bool from = copy->from[0] == objects->items[i] ||
                        copy->from[1] == objects->items[i];
            // Of two names of a loop's state, which turns may give each other,
            // one is not the other for that.
            ok = !from || (copy->kind == JOINED_SHOWN && i > 0) ||
                 journal_add_object(vm, objects, copy->made);
        }
    }
    return ok;
}

// What stood before a loop in the places of what is shown in it.
static bool find_shown(Vm *vm, const Trace *trace, ObjectVec *objects)
{
    bool ok = true;
    for (size_t i = 0; ok && i < objects->count; i++) {
        for (size_t j = 0; ok && j < trace->joined.count; j++) {
            const JoinedCopy *copy = &trace->joined.items[j];
            ok = copy->made != objects->items[i] ||
                 copy->kind != JOINED_SHOWN ||
                 journal_add_object(vm, objects, copy->from[0]);
        }
    }
    return ok;
}

static bool is_state(const Trace *trace, const Object *object)
{
    bool is = false;
    for (size_t i = 0; i < trace->joined.count && !is; i++) {
        const JoinedCopy *copy = &trace->joined.items[i];
        is = copy->made == object && copy->kind == JOINED_STATE;
    }
    return is;
}

bool journal_check_joined(Vm *vm, const Trace *trace, Object *container)
{
    if (trace->joined.count == 0) {
        return true;
    }
    ObjectVec objects = {0};
    bool ok = journal_add_object(vm, &objects, container) &&
              find_joined(vm, trace, &objects) &&
              find_shown(vm, trace, &objects);
    for (size_t i = 1; ok && i < objects.count; i++) {
        // Held by more than the trace's own records.
        ok = is_state(trace, objects.items[i]) ||
             objects.items[i]->rc <=
                 loop_count_records(trace, objects.items[i]) ||
             fail_joined(vm, trace, objects.items[i], container);
    }
    vec_free(&vm->ctx, &objects);
    return ok;
}

// Whether another copy was made of one of the two.
static bool has_other(const Trace *trace, const JoinedCopy *copy)
{
    bool found = false;
    for (size_t i = 0; i < trace->joined.count && !found; i++) {
        const JoinedCopy *other = &trace->joined.items[i];
        for (int j = 0; j < 4 && other->kind != JOINED_SHOWN; j++) {
            const Object *from = copy->from[j / 2];
            found |= from != NULL && from == other->from[j % 2] &&
                     other->made != copy->made;
        }
    }
    return found;
}

static bool add_joined(Vm *vm, JoinedCopy copy)
{
    if (vm_has_error(vm) || !vec_push(&vm->ctx, &vm->trace->joined, copy)) {
        return false;
    }
    (void)object_retain(copy.made);
    for (int i = 0; i < 2 && copy.from[i] != NULL; i++) {
        (void)object_retain(copy.from[i]);
    }
    return true;
}

bool journal_joined(Vm *vm, Value made, Value first, Value second,
                    uint32_t line)
{
    JoinedCopy copy = {.made = value_object(made), .line = line};
    // Only what can be changed can be changed behind another's back.
    Value from[2] = {first, second};
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (value_is_object(from[i]) && !value_same(from[i], made)) {
            copy.from[count++] = value_object(from[i]);
        }
    }
    if (count == 0 || value_is_kind(made, KIND_TUPLE)) {
        return true;
    }
    // What becomes two copies was one object, perhaps, for who gets both.
    if (has_other(vm->trace, &copy)) {
        event_add(vm, vm->trace->events, EVENT_OBJECT, "joined twice",
                  VALUE_NONE);
    }
    return add_joined(vm, copy);
}

bool journal_shown(Vm *vm, Object *made, Object *from, uint32_t line)
{
    return add_joined(vm, (JoinedCopy){.made = made,
                                       .from = {from},
                                       .line = line,
                                       .kind = JOINED_SHOWN});
}

bool journal_state(Vm *vm, Value made, Value from, uint32_t line)
{
    return add_joined(vm, (JoinedCopy){.made = value_object(made),
                                       .from = {value_object(from)},
                                       .line = line,
                                       .kind = JOINED_STATE});
}

// Held by more than the records.
static bool is_held(const Trace *trace, const Object *object)
{
    return object != NULL && object->rc > 1 &&
           object->rc > journal_count_joined(trace, object);
}

bool journal_tell_joined(Vm *vm, const Trace *trace)
{
    bool both = false;
    for (size_t i = 0; !both && i < trace->joined.count; i++) {
        const JoinedCopy *copy = &trace->joined.items[i];
        both = copy->kind == JOINED_COPY && is_held(trace, copy->made) &&
               (is_held(trace, copy->from[0]) || is_held(trace, copy->from[1]));
    }
    if (both) {
        event_add(vm, trace->events, EVENT_OBJECT, "joined twice", VALUE_NONE);
    }
    return !vm_has_error(vm);
}

void journal_drop_joined(Vm *vm, Trace *trace)
{
    for (size_t i = 0; i < trace->joined.count; i++) {
        JoinedCopy *copy = &trace->joined.items[i];
        object_release(&vm->ctx, copy->made);
        object_release_null(&vm->ctx, copy->from[0]);
        object_release_null(&vm->ctx, copy->from[1]);
    }
    vec_free(&vm->ctx, &trace->joined);
}
