// Classes and instances from C: orders of bases, slots that follow a change of
// a base, shapes that instances share, classes that die.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "interp/core/cycles.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_instance.h"

#include "host.h"

TestSuite(classes, .init = host_open, .fini = host_close);

// A class of the program's by name, borrowed: the program keeps it.
static Type *class_of(const char *name)
{
    Value v = host_eval(name);
    Type *cls = value_as_type(v);
    value_release(&vm->ctx, v);
    return cls;
}

static Str *interned(const char *name)
{
    Str *made = str_intern(vm, name, strlen(name));
    cr_assert_not_null(made);
    return made;
}

Test(classes, bases_are_put_into_one_order)
{
    host_run("class A: pass\nclass B(A): pass\nclass C(A): pass\n"
             "class D(B, C): pass\n");
    Tuple *order = class_of("D")->mro;
    const char *const expected[] = {"D", "B", "C", "A", "object"};
    cr_assert_eq(order->count, 5);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(value_as_type(order->items[i]), class_of(expected[i]));
    }
}

Test(classes, bases_that_contradict_each_other_are_refused)
{
    host_run("class A: pass\nclass B(A): pass\n");
    Value bases = host_eval("(A, B)");
    cr_assert_null(class_linearize(vm, class_of("B"), value_as_tuple(bases)));
    cr_assert(host_failed(ERR_TYPE));
    cr_assert_eq(host_count(bases), 1);
    value_release(&vm->ctx, bases);
}

Test(classes, layouts_that_conflict_have_no_best_base)
{
    Value bases = host_eval("(int, str)");
    cr_assert_null(class_best_base(vm, value_as_tuple(bases)));
    cr_assert(host_failed(ERR_TYPE));
    value_release(&vm->ctx, bases);
    bases = host_eval("(Exception, object)");
    cr_assert_eq(class_best_base(vm, value_as_tuple(bases)),
                 class_of("Exception"));
    value_release(&vm->ctx, bases);
}

// What was found on an instance must not outlive a change of a base.
Test(classes, a_method_of_a_base_is_seen_at_once)
{
    host_run("class A: pass\nclass B(A): pass\nclass C(B): pass\n"
             "def length(thing): return len(thing)\n"
             "c = C()\n"
             "try: length(c)\nexcept TypeError: pass\n"
             "A.__len__ = lambda self: 3\n");
    cr_assert(host_shows(host_eval("length(c)"), "3"));
    host_run("del A.__len__\nB.__len__ = lambda self: 4\n");
    cr_assert(host_shows(host_eval("length(c)"), "4"));
    host_run("B.__len__ = None\n");
    cr_assert(host_shows(host_eval("hasattr(c, '__len__')"), "True"));
}

Test(classes, instances_of_one_history_share_a_shape)
{
    host_run("class A: pass\n");
    Type *cls = class_of("A");
    Instance *first = instance_new(vm, cls), *second = instance_new(vm, cls);
    Str *x = interned("x"), *y = interned("y");
    cr_assert_eq(first->shape, second->shape);
    cr_assert(instance_set(vm, &first->head, x, value_from_small(1)));
    cr_assert(instance_set(vm, &second->head, y, value_from_small(2)));
    cr_assert_neq(first->shape, second->shape);
    cr_assert(instance_set(vm, &first->head, y, value_from_small(3)));
    Instance *third = instance_new(vm, cls);
    cr_assert(instance_set(vm, &third->head, x, VALUE_NONE));
    cr_assert(instance_set(vm, &third->head, y, VALUE_NONE));
    cr_assert_eq(first->shape, third->shape);
    cr_assert_eq(object_shape_find(first->shape, y), 1);
    cr_assert_eq(object_shape_find(second->shape, x), -1);
    object_release(&vm->ctx, first);
    object_release(&vm->ctx, second);
    object_release(&vm->ctx, third);
    object_release(&vm->ctx, x);
    object_release(&vm->ctx, y);
}

// Beyond so many attributes an instance keeps them in a dict, in their order.
Test(classes, many_attributes_move_to_a_dict)
{
    host_run("class A: pass\n");
    Instance *self = instance_new(vm, class_of("A"));
    for (int i = 0; i <= SHAPE_MAX_SLOTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "name%d", i);
        Str *key = interned(name);
        cr_assert_not_null(self->shape);
        cr_assert(instance_set(vm, &self->head, key, value_from_small(i)));
        object_release(&vm->ctx, key);
    }
    cr_assert_null(self->shape);
    Dict *dict = instance_dict(vm, &self->head);
    cr_assert_eq(dict->count, SHAPE_MAX_SLOTS + 1);
    uint32_t position = 0;
    Value key, value;
    for (int i = 0; dict_next(dict, &position, &key, &value); i++) {
        cr_assert_eq(value_small(value), i);
    }
    object_release(&vm->ctx, self);
}

Test(classes, a_stored_value_is_counted_and_a_deleted_one_let_go)
{
    host_run("class A: pass\n");
    Instance *self = instance_new(vm, class_of("A"));
    Str *name = interned("x");
    Value list = host_eval("[]");
    cr_assert(instance_set(vm, &self->head, name, list));
    cr_assert_eq(host_count(list), 2);
    cr_assert(value_same(instance_get(vm, &self->head, name), list));
    cr_assert_eq(host_count(list), 2); // borrowed
    cr_assert(instance_set(vm, &self->head, name, VALUE_UNBOUND));
    cr_assert_eq(host_count(list), 1);
    cr_assert(value_unbound(instance_get(vm, &self->head, name)));
    object_release(&vm->ctx, name);
    object_release(&vm->ctx, self);
    value_release(&vm->ctx, list);
}

// A base lists its subclasses without keeping them.
Test(classes, a_class_that_dies_leaves_the_list_of_its_base)
{
    host_run("class Base: pass\n"
             "class Kept(Base): pass\n"
             "class Gone(Base): pass\n"
             "del Gone\n");
    (void)cycles_collect(vm, true); // a class is in a ring with its order
    cr_assert(host_shows(
        host_eval("[c.__name__ for c in Base.__subclasses__()]"), "['Kept']"));
}

Test(classes, bases_that_cannot_be_assigned_change_nothing)
{
    host_run("class A: pass\nclass B(A): pass\n");
    Type *cls = class_of("A");
    Value bases = host_eval("(B,)"); // it would derive from itself
    cr_assert_not(class_set_bases(vm, cls, bases));
    cr_assert(host_failed(ERR_TYPE));
    cr_assert_eq(cls->mro->count, 2);
    value_release(&vm->ctx, bases);
}
