# The embedded standard library: one module a line, alphabetical.
lib_modules =
