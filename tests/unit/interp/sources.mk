# Unit tests of interp/: one file a line, alphabetical.
unit_interp_sources =
