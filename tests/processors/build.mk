# The graph library and an example for another processor, in $(out):
#   make -f build.mk src=FOLDER out=FOLDER CC=COMPILER
# The instruction sets of x86-64 are left out.
folders = base kernels ops graph graph/passes backend
sources = $(filter-out %_avx2.c %_avx512.c,\
	$(foreach each,$(folders),$(wildcard $(src)/src/$(each)/*.c)))
objects = $(patsubst $(src)/%.c,$(out)/%.o,$(sources)) \
	$(out)/src/base/char_names.o $(out)/examples/load_graph.o
flags = -std=gnu11 -O1 -ffp-contract=off -pthread -D_GNU_SOURCE \
	-I$(src)/src -I$(src)/src/backend -MMD -MP
# Of libutf8proc, which is not here for that processor: texts alone need it.
unused = -Wl,--defsym=utf8proc_category=0 -Wl,--defsym=utf8proc_charwidth=0

$(out)/load_graph: $(objects)
	$(CC) -static $^ -o $@ $(unused) -lm -lpthread
$(out)/%.o: $(src)/%.c
	@mkdir -p $(@D)
	$(CC) $(flags) -c $< -o $@
# Made by the build.
$(out)/src/base/char_names.o: src/base/char_names.c
	@mkdir -p $(@D)
	$(CC) $(flags) -c $< -o $@
-include $(objects:.o=.d)
