# Unit tests of ops/: one file a line, alphabetical.
unit_ops_sources =
unit_ops_sources += tests/unit/ops/test_bodies.c
unit_ops_sources += tests/unit/ops/test_conv.c
unit_ops_sources += tests/unit/ops/test_op_table.c
unit_ops_sources += tests/unit/ops/test_op_walk.c
unit_ops_sources += tests/unit/ops/test_product.c
