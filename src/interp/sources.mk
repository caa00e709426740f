# interp/: one source a line, alphabetical. Headers need no line.
interp_sources =

# Compiled with -Wno-pedantic, for computed goto: vm.c alone.
vm_sources =
