# Unit tests of base/: one file a line, alphabetical.
unit_base_sources =
unit_base_sources += tests/unit/base/test_arena.c
unit_base_sources += tests/unit/base/test_char_name.c
unit_base_sources += tests/unit/base/test_ctx.c
unit_base_sources += tests/unit/base/test_diag.c
unit_base_sources += tests/unit/base/test_map.c
unit_base_sources += tests/unit/base/test_pack.c
unit_base_sources += tests/unit/base/test_pages.c
unit_base_sources += tests/unit/base/test_source.c
unit_base_sources += tests/unit/base/test_strbuf.c
unit_base_sources += tests/unit/base/test_vec.c
