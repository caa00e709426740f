# Unit tests of kernels/: one file a line, alphabetical.
unit_kernels_sources =
unit_kernels_sources += tests/unit/kernels/test_accuracy.c
unit_kernels_sources += tests/unit/kernels/test_emit.c
unit_kernels_sources += tests/unit/kernels/test_gemm.c
unit_kernels_sources += tests/unit/kernels/test_half.c
unit_kernels_sources += tests/unit/kernels/test_pool.c
unit_kernels_sources += tests/unit/kernels/test_quota.c
unit_kernels_sources += tests/unit/kernels/test_threads.c
unit_kernels_sources += tests/unit/kernels/test_tiers.c
