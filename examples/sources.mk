# Examples, each run by `make check`: one a line, alphabetical.
example_files =
