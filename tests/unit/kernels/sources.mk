# Unit tests of kernels/: one file a line, alphabetical.
unit_kernels_sources =
