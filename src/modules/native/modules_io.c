// The native half of the module io: the classes of the files that open()
// makes. What is in memory is written in Duet (lib/python/io.duet).
#include "interp/objects/classes/types.h"
#include "modules/files/obj_file.h"
#include "modules/importing/module.h"

// Each under the name that messages and repr() show.
static bool add_types(Vm *vm, Dict *dict)
{
    static const char *const names[] = {"BufferedRandom", "BufferedReader",
                                        "BufferedWriter", "FileIO"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Type *cls = type_variant(vm, &binary_file_type_def, names[i]);
        if (cls == NULL || !module_add(vm, dict, names[i],
                                       value_from_object(object_retain(cls)))) {
            return false;
        }
    }
    Type *text = type_of_kind(vm, KIND_FILE);
    return module_add(vm, dict, "TextIOWrapper",
                      value_from_object(object_retain(text)));
}

static const NativeDef functions[] = {{NULL, NULL, NULL, NULL}};

const ModuleDef io_module = {.name = "io",
                             .doc = "The classes of files.",
                             .functions = functions,
                             .init = add_types};
