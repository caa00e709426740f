# Unit tests of backend/: one file a line, alphabetical.
unit_backend_sources =
