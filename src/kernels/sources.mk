# kernels/: one source a line, alphabetical. Headers need no line.
kernels_sources = \
	src/kernels/move.c \
	src/kernels/pool.c \
	src/kernels/tier.c \
	src/kernels/tier_portable.c

# Compiled with -mavx2 -mfma (x86-64 only); names end in _avx2.c.
kernels_avx2_sources = \
	src/kernels/tier_avx2.c

# Compiled with -mavx512{f,dq,bw,vl} -mfma; names end in _avx512.c.
kernels_avx512_sources = \
	src/kernels/tier_avx512.c
