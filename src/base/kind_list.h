// Every object layout: KIND(id). See base/object.h; the struct of KIND_X is
// in interp/obj_x.h unless the comment says otherwise. No include guard.
KIND(TENSOR)   // ops/tensor.h; the only kind that exists below interp
KIND(SYMBOLIC) // interp/tensors/obj_tensor.h
KIND(VARIABLE) // interp/tensors/obj_tensor.h
KIND(DTYPE)    // interp/tensors/obj_tensor.h
KIND(SPEC)     // interp/tensors/obj_tensor.h
KIND(INT)      // beyond the immediate range
KIND(FLOAT)    // beyond the immediate range
KIND(STR)
KIND(BYTES)
KIND(LIST)
KIND(TUPLE)
KIND(DICT)
KIND(SET)
KIND(FROZENSET)
KIND(RANGE)
KIND(SLICE)
KIND(ITERATOR)  // all built-in iterators, obj_iter.h
KIND(DICT_VIEW) // obj_dict.h
KIND(FUNCTION)  // obj_function.h
KIND(NATIVE)    // a C function, obj_function.h
KIND(METHOD)    // a bound method, obj_function.h
KIND(CELL)      // obj_function.h
KIND(CODE)      // code.h
KIND(GENERATOR) // obj_generator.h
KIND(TYPE)      // type.h
KIND(INSTANCE)  // obj_instance.h
KIND(PROPERTY)  // obj_descriptor.h
KIND(CLASSMETHOD)
KIND(STATICMETHOD)
KIND(SUPER)
KIND(MEMBER)    // a built-in type's attribute descriptor
KIND(EXCEPTION) // obj_exception.h
KIND(TRACEBACK) // obj_exception.h
KIND(MODULE)    // module.h
KIND(FILE)      // obj_file.h
KIND(WEAKREF)
KIND(OPAQUE) // C data with a destructor: staged functions, graphs, ...
