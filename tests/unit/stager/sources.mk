# Unit tests of stager/: one file a line, alphabetical.
unit_stager_sources =
unit_stager_sources += tests/unit/stager/program.c
unit_stager_sources += tests/unit/stager/test_blocks.c
unit_stager_sources += tests/unit/stager/test_era.c
unit_stager_sources += tests/unit/stager/test_events.c
unit_stager_sources += tests/unit/stager/test_merge.c
unit_stager_sources += tests/unit/stager/test_signature.c
unit_stager_sources += tests/unit/stager/test_structure.c
unit_stager_sources += tests/unit/stager/test_traces.c
