// Every built-in type, one row each, made in this order by types_init:
//     TYPE(KIND, def)                  instances have KIND_<KIND>
//     SPECIAL_TYPE(field, def, base)   kept in vm-><field>; base: a Type *
// `def` is a `const TypeDef` with external linkage, beside the type's code.
// object stands first, type second. No include guard.
SPECIAL_TYPE(object_type, object_type_def, NULL)
TYPE(TYPE, type_type_def)
SPECIAL_TYPE(none_type, none_type_def, vm->object_type)
SPECIAL_TYPE(ellipsis_type, ellipsis_type_def, vm->object_type)
SPECIAL_TYPE(not_implemented_type, not_implemented_type_def, vm->object_type)
TYPE(EXCEPTION, exception_type_def)
TYPE(TRACEBACK, traceback_type_def)
TYPE(PROPERTY, property_type_def)
TYPE(CLASSMETHOD, classmethod_type_def)
TYPE(STATICMETHOD, staticmethod_type_def)
TYPE(SUPER, super_type_def)
TYPE(MEMBER, member_type_def)
TYPE(MODULE, module_type_def)
TYPE(TENSOR, tensor_type_def)
TYPE(SYMBOLIC, symbolic_type_def)
TYPE(VARIABLE, variable_type_def)
TYPE(DTYPE, dtype_type_def)
TYPE(SPEC, spec_type_def)
