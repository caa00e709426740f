# kernels/: one source a line, alphabetical. Headers need no line.
kernels_sources = \
	src/kernels/code_arena.c \
	src/kernels/emit.c \
	src/kernels/emit_code.c \
	src/kernels/emit_memory.c \
	src/kernels/emit_ops.c \
	src/kernels/emit_order.c \
	src/kernels/emit_regs.c \
	src/kernels/emit_shared.c \
	src/kernels/far.c \
	src/kernels/gemm.c \
	src/kernels/loop_angle.c \
	src/kernels/loop_build.c \
	src/kernels/loop_erf.c \
	src/kernels/loop_eval.c \
	src/kernels/loop_exp.c \
	src/kernels/loop_log.c \
	src/kernels/loop_math.c \
	src/kernels/loop_pair.c \
	src/kernels/loop_run.c \
	src/kernels/move.c \
	src/kernels/pool.c \
	src/kernels/quota.c \
	src/kernels/threads.c \
	src/kernels/tier.c \
	src/kernels/tier_portable.c

# Compiled with -mavx2 -mfma (x86-64 only); names end in _avx2.c.
kernels_avx2_sources = \
	src/kernels/tier_avx2.c

# Compiled with -mavx512{f,dq,bw,vl} -mfma; names end in _avx512.c.
kernels_avx512_sources = \
	src/kernels/tier_avx512.c
