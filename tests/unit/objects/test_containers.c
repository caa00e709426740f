// dict, list, tuple and set from C: order, tables and their widths, versions,
// who owns what when something fails, code that changes what is looked up in.
#include <criterion/criterion.h>

#include "interp/objects/containers/dict_table.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"

#include "host.h"

TestSuite(containers, .init = host_open, .fini = host_close);

static void set_small(Dict *dict, int64_t key, int64_t value)
{
    cr_assert(
        dict_set(vm, dict, value_from_small(key), value_from_small(value)));
}

// The value of an int key, -1 if there is none.
static int64_t get_small(Dict *dict, int64_t key)
{
    Value value;
    int found = dict_get(vm, dict, value_from_small(key), &value);
    cr_assert_geq(found, 0);
    return found == 1 ? value_small(value) : -1;
}

// A slot is as wide as the number of slots asks for; nothing is lost where the
// width changes, nor the order.
Test(containers, a_dict_grows_through_all_widths)
{
    Dict *dict = dict_new(vm);
    enum { COUNT = 70000 };
    for (int64_t i = 0; i < COUNT; i++) {
        set_small(dict, 2 * i + 1, i); // odd keys: never dense
        if (i == 3) {
            cr_assert_eq(dict->index_size, 0); // few need no index
        }
    }
    cr_assert_gt(dict->index_size, 65536);
    cr_assert_eq(dict_slot_width(dict->index_size), 4);
    uint32_t position = 0;
    Value key, value;
    for (int64_t i = 0; i < COUNT; i++) {
        cr_assert(dict_next(dict, &position, &key, &value));
        cr_assert_eq(value_small(key), 2 * i + 1);
        cr_assert_eq(get_small(dict, 2 * i + 1), i);
        cr_assert_eq(get_small(dict, 2 * i), -1);
    }
    cr_assert_not(dict_next(dict, &position, &key, &value));
    object_release(&vm->ctx, dict);
}

Test(containers, keys_in_order_make_a_dense_dict)
{
    Dict *dict = dict_new(vm);
    for (int64_t i = 0; i < 100; i++) {
        set_small(dict, i, i * i);
    }
    cr_assert(dict->dense);
    cr_assert_null(dict->index);
    cr_assert_eq(dict_remove(vm, dict, value_from_small(50)), 1);
    cr_assert_eq(get_small(dict, 50), -1);
    cr_assert_eq(get_small(dict, 99), 99 * 99);
    set_small(dict, 1000, 7); // out of turn
    cr_assert_not(dict->dense);
    cr_assert_eq(get_small(dict, 50), -1);
    cr_assert_eq(get_small(dict, 99), 99 * 99);
    cr_assert_eq(get_small(dict, 1000), 7);
    // An equal key of another type finds the same entry.
    Value value;
    Value key = host_eval("99.0");
    cr_assert_eq(dict_get(vm, dict, key, &value), 1);
    value_release(&vm->ctx, key);
    object_release(&vm->ctx, dict);
}

Test(containers, a_key_that_comes_back_goes_to_the_end)
{
    Dict *dict = dict_new(vm);
    for (int64_t i = 20; i > 0; i--) {
        set_small(dict, i, i);
    }
    cr_assert_eq(dict_remove(vm, dict, value_from_small(20)), 1);
    set_small(dict, 20, 0);
    cr_assert_eq(value_small(dict_newest(dict)->key), 20);
    set_small(dict, 1, 0); // an old one keeps its place
    cr_assert_eq(value_small(dict_newest(dict)->key), 20);
    object_release(&vm->ctx, dict);
}

Test(containers, the_version_tells_of_keys_alone)
{
    Dict *dict = dict_new(vm);
    set_small(dict, 5, 1);
    uint64_t version = dict->version;
    set_small(dict, 5, 2);
    cr_assert_eq(dict->version, version);
    cr_assert_eq(dict_remove(vm, dict, value_from_small(6)), 0);
    cr_assert_eq(dict->version, version);
    cr_assert_eq(dict_remove(vm, dict, value_from_small(5)), 1);
    cr_assert_neq(dict->version, version);
    object_release(&vm->ctx, dict);
}

Test(containers, the_newest_entry_is_dropped_without_a_trace)
{
    Dict *dict = dict_new(vm);
    for (int64_t i = 0; i < 300; i++) {
        set_small(dict, 7 * i + 3, i);
    }
    uint32_t used = dict->used;
    for (int64_t i = 0; i < 20; i++) {
        set_small(dict, -2 - i, i);
        cr_assert(dict_drop_newest(vm, dict));
        cr_assert_eq(dict->used, used); // its place is free again
        cr_assert_eq(get_small(dict, -2 - i), -1);
    }
    for (int64_t i = 0; i < 300; i++) {
        cr_assert_eq(get_small(dict, 7 * i + 3), i);
    }
    object_release(&vm->ctx, dict);
}

Test(containers, a_removed_value_is_handed_over)
{
    Dict *dict = dict_new(vm);
    Value list = value_from_object(list_new(vm, 0)), out;
    set_small(dict, 1, 1);
    cr_assert(dict_set(vm, dict, value_from_small(2), list));
    cr_assert_eq(host_count(list), 2);
    cr_assert_eq(dict_take(vm, dict, value_from_small(2), &out), 1);
    cr_assert(value_same(out, list));
    cr_assert_eq(host_count(list), 2); // now the dict's is ours
    value_release(&vm->ctx, out);
    value_release(&vm->ctx, list);
    object_release(&vm->ctx, dict);
}

Test(containers, a_key_that_cannot_be_hashed_changes_nothing)
{
    Dict *dict = dict_new(vm);
    set_small(dict, 1, 1);
    Value key = host_eval("[]"), value;
    cr_assert_eq(dict_get(vm, dict, key, &value), -1);
    cr_assert(host_failed(ERR_TYPE));
    cr_assert_not(dict_set(vm, dict, key, VALUE_NONE));
    cr_assert(host_failed(ERR_TYPE));
    cr_assert_eq(dict->count, 1);
    cr_assert_eq(host_count(key), 1);
    value_release(&vm->ctx, key);
    object_release(&vm->ctx, dict);
}

// __eq__ of a program may empty the table that is being looked up in.
Test(containers, a_look_up_starts_again_when_the_dict_changes)
{
    host_run("class Key:\n"
             "    def __hash__(self): return 1\n"
             "    def __eq__(self, other):\n"
             "        d.clear()\n"
             "        d[5] = 'new'\n"
             "        return True\n"
             "d = {}\n"
             "for i in range(20): d[i * 100 + 1] = i\n"
             "d[Key()] = 'key'\n");
    Value held = host_eval("d"), value;
    Value key = host_eval("Key()");
    cr_assert_eq(dict_get(vm, value_as_dict(held), key, &value), 0);
    cr_assert(host_shows(held, "{5: 'new'}"));
    value_release(&vm->ctx, key);
}

Test(containers, a_copied_table_is_another_one)
{
    Dict *from = dict_new(vm), *to = dict_new(vm);
    for (int64_t i = 0; i < 40; i++) {
        set_small(from, 3 * i + 1, i);
    }
    cr_assert_eq(dict_fill(vm, to, from), 1);
    cr_assert_eq(to->count, 40);
    set_small(to, 1, 99);
    cr_assert_eq(get_small(from, 1), 0);
    cr_assert_eq(dict_remove(vm, from, value_from_small(4)), 1);
    cr_assert_eq(get_small(to, 4), 1);
    object_release(&vm->ctx, from);
    object_release(&vm->ctx, to);
}

Test(containers, a_list_takes_itself_once)
{
    Value list = host_eval("[1, 2, 3]");
    cr_assert(list_extend(vm, value_as_list(list), list));
    cr_assert(host_shows(list, "[1, 2, 3, 1, 2, 3]"));
}

// Whatever a key or a comparison does, the same items are in the list after.
Test(containers, a_sort_that_fails_loses_nothing)
{
    host_run("class Item:\n"
             "    left = 30\n"
             "    def __init__(self, n): self.n = n\n"
             "    def __lt__(self, other):\n"
             "        Item.left -= 1\n"
             "        if Item.left < 0: raise KeyError('enough')\n"
             "        return self.n < other.n\n"
             "items = [Item(i * 37 % 100) for i in range(100)]\n"
             "kept = list(items)\n");
    Value items = host_eval("items");
    cr_assert_not(list_sort(vm, value_as_list(items), VALUE_UNBOUND, false));
    cr_assert(host_failed(ERR_KEY));
    value_release(&vm->ctx, items);
    cr_assert(host_shows(
        host_eval("sorted(map(id, items)) == sorted(map(id, kept))"), "True"));
}

Test(containers, a_tuple_of_what_failed_fails_and_lets_go)
{
    Value list = value_from_object(list_new(vm, 0));
    Value items[] = {value_retain(list), VALUE_FAIL, value_retain(list)};
    raise_error(vm, ERR_VALUE, "in the middle");
    cr_assert(value_failed(tuple_of_owned(vm, items, 3)));
    cr_assert(host_failed(ERR_VALUE));
    cr_assert_eq(host_count(list), 1);
    value_release(&vm->ctx, list);
}

Test(containers, appending_takes_or_retains)
{
    List *list = list_new(vm, 0);
    Value item = value_from_object(list_new(vm, 0));
    cr_assert(list_append(vm, list, item));
    cr_assert_eq(host_count(item), 2);
    cr_assert(list_append_owned(vm, list, item));
    cr_assert_eq(host_count(item), 2); // ours is the list's now
    object_release(&vm->ctx, list);
}
