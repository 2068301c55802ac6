# heddle: one Makefile. `make` builds, `make test` tests, `make demo` shows; each installs what is missing first.
BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= gcc
WARN    := -Wall -Wextra -Wshadow -Wconversion -Werror
OPT     ?= -O2 -g
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -MMD -MP
CFLAGS  += -std=c17 $(WARN) $(OPT) -fPIC -fvisibility=hidden $(SAN)
LDFLAGS += $(SAN)
LDLIBS  := -linih -ljansson -lm

# Arithmetic executors: compiled once for every machine and once for AVX2, the same bits from both. No contraction: a
# multiply and an add round twice unless the instruction is fma.
ALU_FLAGS := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-strict-aliasing
ALU_AVX2  := -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt

SRC     := $(sort $(shell find src -name '*.c'))
ALU     := $(filter src/exec/alu%,$(SRC))
CLI     := $(filter src/cli/%,$(SRC))
LIBSRC  := $(filter-out $(ALU) $(CLI),$(SRC))
OBJ     := $(LIBSRC:%.c=$(BUILD)/obj/%.o) $(ALU:%.c=$(BUILD)/obj/%.portable.o)
ifeq ($(shell uname -m),x86_64)
OBJ     += $(ALU:%.c=$(BUILD)/obj/%.avx2.o)
endif
CLIOBJ  := $(CLI:%.c=$(BUILD)/obj/%.o)
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/*/*.c)))

.PHONY: all clean unit examples docs
all: $(BUILD)/libheddle.a $(if $(CLI),$(BUILD)/heddle)

$(BUILD)/libheddle.a: $(OBJ)
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/heddle: $(CLIOBJ) $(BUILD)/libheddle.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/obj/%.portable.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) -DALU_ISA=portable -c -o $@ $<
$(BUILD)/obj/%.avx2.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) $(ALU_AVX2) -DALU_ISA=avx2 -c -o $@ $<
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libheddle.a -lcmocka $(LDLIBS)
unit: $(UNIT)
	@for t in $(UNIT); do $$t || exit 1; done

# Programs of the library's users: the public header and the archive, nothing else of ours.
$(BUILD)/examples/%: examples/%.c $(BUILD)/libheddle.a include/heddle.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -pedantic -Werror -O2 -Iinclude $(LDFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LDLIBS)
$(BUILD)/examples/%: examples/%.cpp $(BUILD)/libheddle.a include/heddle.h
	@mkdir -p $(@D)
	$(CXX) -std=c++11 -Wall -Wextra -pedantic -Werror -O2 -Iinclude $(LDFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LDLIBS)
examples: $(BUILD)/examples/saxpy $(BUILD)/examples/count
	$(BUILD)/examples/saxpy examples/saxpy.ptx
	$(BUILD)/examples/count

$(BUILD)/gen-docs: tools/gen-docs.c $(BUILD)/libheddle.a
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
docs: $(BUILD)/gen-docs
	$(BUILD)/gen-docs options > docs/options.md
	$(BUILD)/gen-docs statistics > docs/statistics.md

clean:
	rm -rf $(BUILD)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
