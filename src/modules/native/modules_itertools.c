// The native half of the module itertools: its classes and their rows.
//
// lib/python/itertools.duet has what is written in Duet.
#include "interp/objects/classes/obj_function.h"
#include "modules/importing/module.h"
#include "modules/native/itertools.h"

// ITERTOOL(name, parameters, doc): each is a class whose constructor is
// itertools_name.
#define ITERTOOLS                                                              \
    ITERTOOL(accumulate, plain, "iterable, func=None, *, initial=None",        \
             "Running sums, or running results of a function.")                \
    ITERTOOL(chain, generic, "*iterables",                                     \
             "The items of one iterable after those of another.")              \
    ITERTOOL(combinations, plain, "iterable, r",                               \
             "Every choice of r positions, in order.")                         \
    ITERTOOL(combinations_with_replacement, plain, "iterable, r",              \
             "Every choice of r positions, each any number of times.")         \
    ITERTOOL(compress, plain, "data, selectors",                               \
             "The items whose selector is true.")                              \
    ITERTOOL(count, plain, "start=0, step=1", "start, start + step, ...")      \
    ITERTOOL(cycle, plain, "iterable, /", "The items again and again.")        \
    ITERTOOL(dropwhile, plain, "predicate, iterable, /",                       \
             "All from the first item for which the predicate is false.")      \
    ITERTOOL(filterfalse, plain, "function, iterable, /",                      \
             "The items for which the function is false.")                     \
    ITERTOOL(islice, plain, "*args",                                           \
             "islice(iterable, [start,] stop [, step]): a lazy slice.")        \
    ITERTOOL(pairwise, plain, "iterable, /", "(a, b), (b, c), (c, d), ...")    \
    ITERTOOL(permutations, plain, "iterable, r=None",                          \
             "Every ordered choice of r different positions.")                 \
    ITERTOOL(product, plain, "*iterables, repeat=1",                           \
             "Every way to take one item of each iterable.")                   \
    ITERTOOL(repeat, counted, "object, times=<endless>",                       \
             "The same object, `times` times or for ever.")                    \
    ITERTOOL(starmap, plain, "function, iterable, /",                          \
             "function(*item) of each.")                                       \
    ITERTOOL(takewhile, plain, "predicate, iterable, /",                       \
             "All up to the first item for which the predicate is false.")     \
    ITERTOOL(zip_longest, plain, "*iterables, fillvalue=None",                 \
             "zip that goes on to the end of the longest.")

// A row of the list above, as static data.
typedef struct Itertool {
    NativeDef def;
    const char *type; // the name of its class
    const TypeDef *of;
} Itertool;

static const Itertool itertools[] = {
#define ITERTOOL(id, kind, params, doc)                                        \
    {{#id, params, itertools_##id, doc},                                       \
     "itertools." #id,                                                         \
     &iterator_##kind##_def},
    ITERTOOLS
#undef ITERTOOL
};

static const NativeDef from_iterable = {
    "from_iterable", "iterable, /", itertools_chain,
    "chain(*iterable), taking its iterables one by one."};

// A class that calls the constructor, as `map` is one (builtins_core.c).
// Borrowed; NULL: an error is pending. A second import in the same Vm finds the
// class made, and its maker stays.
static Type *add_class(Vm *vm, Dict *dict, const Itertool *tool)
{
    Type *cls = type_variant(vm, tool->of, tool->type);
    Native *native = cls == NULL ? NULL : native_new(vm, &tool->def, NULL);
    if (native == NULL) {
        return NULL;
    }
    iterator_set_maker(vm, cls, native);
    Value shown = value_from_object(object_retain(cls));
    return module_add(vm, dict, tool->def.name, shown) ? cls : NULL;
}

// One class for each row; two of them show their state in repr().
// False: an error is pending.
static bool itertools_init(Vm *vm, Dict *dict)
{
    for (size_t i = 0; i < sizeof itertools / sizeof *itertools; i++) {
        Type *cls = add_class(vm, dict, &itertools[i]);
        if (cls == NULL) {
            return false;
        }
        NativeFn make = itertools[i].def.function;
        cls->slots.repr = make == itertools_count    ? itertools_repr_count
                          : make == itertools_repeat ? itertools_repr_repeat
                                                     : cls->slots.repr;
        if (make == itertools_chain) {
            Dict *own = type_dict(vm, cls);
            Native *native =
                own == NULL ? NULL : native_new(vm, &from_iterable, NULL);
            if (native == NULL || !module_add(vm, own, "from_iterable",
                                              value_from_object(native))) {
                return false;
            }
        }
    }
    return true;
}

static const NativeDef functions[] = {
    {"tee", "iterable, n=2, /", itertools_tee,
     "n independent iterators over one iterable."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef itertools_module = {.name = "itertools",
                                    .doc = "Iterators on iterators.",
                                    .functions = functions,
                                    .init = itertools_init};
