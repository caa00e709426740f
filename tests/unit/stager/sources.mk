# Unit tests of stager/: one file a line, alphabetical.
unit_stager_sources =
