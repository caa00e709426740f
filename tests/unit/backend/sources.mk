# Unit tests of backend/: one file a line, alphabetical.
unit_backend_sources =
unit_backend_sources += tests/unit/backend/test_duetgraph.c
unit_backend_sources += tests/unit/backend/test_equal.c
unit_backend_sources += tests/unit/backend/test_lists.c
unit_backend_sources += tests/unit/backend/test_memory.c
unit_backend_sources += tests/unit/backend/test_plan.c
unit_backend_sources += tests/unit/backend/test_scalar.c
unit_backend_sources += tests/unit/backend/test_steps.c
unit_backend_sources += tests/unit/support/random_graph.c
