// Every op: OP(id, descriptor). The descriptor is a `const OpDesc` beside the
// op's code in ops_*.c. To add an op: write it there, add a row here
// (docs/adding-an-op.md). No include guard.
OP(CONST, op_const)
OP(IF, op_if)
OP(WHILE, op_while)
OP(CALL, op_call)
OP(PRINT, op_print)
OP(HOST_CALL, op_host_call)
OP(ASSERT, op_assert)
OP(RAISE, op_raise)
OP(READ_VARIABLE, op_read_variable)
OP(ASSIGN_VARIABLE, op_assign_variable)
