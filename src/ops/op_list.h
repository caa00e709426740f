// Every op: OP(id, descriptor). The descriptor is a `const OpDesc` beside the
// op's code in ops_*.c. To add an op: write it there, add a row here
// (docs/adding-an-op.md). No include guard.
