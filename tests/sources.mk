# The tests. Unit tests are one Criterion program a folder; what else runs is
# listed in tests/run-all, which `make check` calls.
include tests/unit/backend/sources.mk
include tests/unit/base/sources.mk
include tests/unit/graph/sources.mk
include tests/unit/interp/sources.mk
include tests/unit/kernels/sources.mk
include tests/unit/lexer/sources.mk
include tests/unit/objects/sources.mk
include tests/unit/ops/sources.mk
include tests/unit/parser/sources.mk
include tests/unit/regex/sources.mk
include tests/unit/repl/sources.mk
include tests/unit/stager/sources.mk

unit_programs =
if HAVE_CRITERION
unit_programs += tests/unit/unit_base
unit_programs += tests/unit/unit_lexer
unit_programs += tests/unit/unit_parser
unit_programs += tests/unit/unit_regex
unit_programs += tests/unit/unit_kernels
unit_programs += tests/unit/unit_ops
unit_programs += tests/unit/unit_graph
unit_programs += tests/unit/unit_backend
unit_programs += tests/unit/unit_objects
unit_programs += tests/unit/unit_interp
unit_programs += tests/unit/unit_stager
unit_programs += tests/unit/unit_repl
endif
# Types at a pseudo-terminal for tests/run-repl.
terminal_program = tests/repl/terminal
# Sends SIGINT at the right moment for tests/run-interrupt.
interrupt_program = tests/interrupt/interrupt
check_PROGRAMS = $(unit_programs) $(terminal_program) $(interrupt_program)
tests_interrupt_interrupt_SOURCES = tests/interrupt/interrupt.c
tests_repl_terminal_SOURCES = tests/repl/keys.c tests/repl/look.c \
	tests/repl/pty.c tests/repl/screen.c tests/repl/steps.c \
	tests/repl/terminal.c

# Criterion's macros use GNU extensions.
unit_cflags = $(AM_CFLAGS) $(CRITERION_CFLAGS) -Wno-pedantic
unit_libs = libduet.a $(CRITERION_LIBS)

tests_unit_unit_backend_SOURCES = $(unit_backend_sources)
tests_unit_unit_backend_CFLAGS = $(unit_cflags)
tests_unit_unit_backend_LDADD = $(unit_libs)
tests_unit_unit_base_SOURCES = $(unit_base_sources)
tests_unit_unit_base_CFLAGS = $(unit_cflags)
tests_unit_unit_base_LDADD = $(unit_libs)
tests_unit_unit_graph_SOURCES = $(unit_graph_sources)
tests_unit_unit_graph_CFLAGS = $(unit_cflags)
tests_unit_unit_graph_LDADD = $(unit_libs)
tests_unit_unit_interp_SOURCES = $(unit_interp_sources)
tests_unit_unit_interp_CFLAGS = $(unit_cflags)
tests_unit_unit_interp_LDADD = $(unit_libs)
tests_unit_unit_kernels_SOURCES = $(unit_kernels_sources)
tests_unit_unit_kernels_CFLAGS = $(unit_cflags)
tests_unit_unit_kernels_LDADD = $(unit_libs)
tests_unit_unit_lexer_SOURCES = $(unit_lexer_sources)
tests_unit_unit_lexer_CFLAGS = $(unit_cflags)
tests_unit_unit_lexer_LDADD = $(unit_libs)
tests_unit_unit_objects_SOURCES = $(unit_objects_sources)
tests_unit_unit_objects_CFLAGS = $(unit_cflags)
tests_unit_unit_objects_LDADD = $(unit_libs)
tests_unit_unit_ops_SOURCES = $(unit_ops_sources)
tests_unit_unit_ops_CFLAGS = $(unit_cflags)
tests_unit_unit_ops_LDADD = $(unit_libs)
tests_unit_unit_parser_SOURCES = $(unit_parser_sources)
tests_unit_unit_parser_CFLAGS = $(unit_cflags)
tests_unit_unit_parser_LDADD = $(unit_libs)
tests_unit_unit_regex_SOURCES = $(unit_regex_sources)
tests_unit_unit_regex_CFLAGS = $(unit_cflags)
tests_unit_unit_regex_LDADD = $(unit_libs)
tests_unit_unit_repl_SOURCES = $(unit_repl_sources)
tests_unit_unit_repl_CFLAGS = $(unit_cflags)
tests_unit_unit_repl_LDADD = $(unit_libs)
tests_unit_unit_stager_SOURCES = $(unit_stager_sources)
tests_unit_unit_stager_CFLAGS = $(unit_cflags)
tests_unit_unit_stager_LDADD = $(unit_libs)

check-local: duet$(EXEEXT)
	@srcdir=$(srcdir) $(SHELL) $(srcdir)/tests/run-all $(unit_programs)

# Random keys at the prompt, made and run by hand.
EXTRA_PROGRAMS = fuzz_prompt
fuzz_prompt_SOURCES = tests/fuzz/fuzz_prompt.c tests/repl/pty.c \
	tests/repl/screen.c

# Fuzz targets: configure with CC=clang --enable-fuzz --enable-asan, then
# `make fuzz_code fuzz_graph fuzz_ops fuzz_parser fuzz_probe` and run them on a
# folder of samples.
if FUZZ
EXTRA_PROGRAMS += fuzz_code fuzz_parser fuzz_probe fuzz_graph fuzz_ops
fuzz_code_SOURCES = tests/fuzz/fuzz_code.c
fuzz_code_LDADD = libduet.a
fuzz_code_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzz_probe_SOURCES = tests/fuzz/fuzz_probe.c
fuzz_probe_LDADD = libduet.a
fuzz_probe_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzz_parser_SOURCES = tests/fuzz/fuzz_parser.c
fuzz_parser_LDADD = libduet.a
fuzz_parser_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzz_graph_SOURCES = tests/fuzz/fuzz_graph.c
fuzz_graph_LDADD = libduet.a
fuzz_graph_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzz_ops_SOURCES = tests/fuzz/fuzz_ops.c
fuzz_ops_LDADD = libduet.a
fuzz_ops_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif

# What the runners printed (tests/run-all) and compiled (run-processors).
clean-local:
	rm -rf tests/log processors
