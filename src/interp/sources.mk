# interp/: one source a line, alphabetical. Headers need no line.
interp_sources =
interp_sources += src/interp/apply.c
interp_sources += src/interp/attr.c
interp_sources += src/interp/builtins_core.c
interp_sources += src/interp/builtins_tensor.c
interp_sources += src/interp/class_native.c
interp_sources += src/interp/class_new.c
interp_sources += src/interp/class_slots.c
interp_sources += src/interp/code.c
interp_sources += src/interp/compile_call.c
interp_sources += src/interp/compile_def.c
interp_sources += src/interp/compile_expr.c
interp_sources += src/interp/compile_stmt.c
interp_sources += src/interp/compile_try.c
interp_sources += src/interp/memory.c
interp_sources += src/interp/module.c
interp_sources += src/interp/obj_descriptor.c
interp_sources += src/interp/obj_dtype.c
interp_sources += src/interp/obj_exception.c
interp_sources += src/interp/obj_instance.c
interp_sources += src/interp/obj_super.c
interp_sources += src/interp/obj_tensor.c
interp_sources += src/interp/obj_type.c
interp_sources += src/interp/obj_variable.c
interp_sources += src/interp/raise.c
interp_sources += src/interp/scope.c
interp_sources += src/interp/tensor_call.c
interp_sources += src/interp/tensor_convert.c
interp_sources += src/interp/tensor_index.c
interp_sources += src/interp/tensor_members.c
interp_sources += src/interp/tensor_operators.c
interp_sources += src/interp/traceback.c
interp_sources += src/interp/type.c

# Compiled with -Wno-pedantic, for computed goto: vm.c alone.
vm_sources =
