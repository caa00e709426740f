# Unit tests of ops/: one file a line, alphabetical.
unit_ops_sources =
