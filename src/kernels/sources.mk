# kernels/: one source a line, alphabetical. Headers need no line.
kernels_sources =

# Compiled with -mavx2 -mfma (x86-64 only); names end in _avx2.c.
kernels_avx2_sources =

# Compiled with -mavx512{f,dq,bw,vl} -mfma; names end in _avx512.c.
kernels_avx512_sources =
