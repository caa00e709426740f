# Unit tests of interp/: one file a line, alphabetical.
unit_interp_sources =
unit_interp_sources += tests/unit/interp/test_code_image.c
unit_interp_sources += tests/unit/interp/test_cycles.c
unit_interp_sources += tests/unit/interp/test_lower.c
