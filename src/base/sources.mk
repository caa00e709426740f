# base/: one source a line, alphabetical. Headers need no line.
base_sources =
base_sources += src/base/arena.c
base_sources += src/base/bulk.c
base_sources += src/base/char_class.c
base_sources += src/base/char_name.c
base_sources += src/base/ctx.c
base_sources += src/base/diag.c
base_sources += src/base/digest.c
base_sources += src/base/inject.c
base_sources += src/base/map.c
base_sources += src/base/pack.c
base_sources += src/base/pages.c
base_sources += src/base/rng.c
base_sources += src/base/source.c
base_sources += src/base/strbuf.c
base_sources += src/base/utf8.c
base_sources += src/base/vec.c
