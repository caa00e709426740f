# Unit tests of interp/objects/, a file a folder of it, alphabetical.
unit_objects_sources =
unit_objects_sources += tests/unit/objects/host.c
unit_objects_sources += tests/unit/objects/test_classes.c
unit_objects_sources += tests/unit/objects/test_containers.c
unit_objects_sources += tests/unit/objects/test_errors.c
unit_objects_sources += tests/unit/objects/test_iterators.c
unit_objects_sources += tests/unit/objects/test_numbers.c
unit_objects_sources += tests/unit/objects/test_text.c
