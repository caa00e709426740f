# Unit tests of base/: one file a line, alphabetical.
unit_base_sources =
