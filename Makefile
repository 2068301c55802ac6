# heddle: one Makefile. `make` builds, `make test` tests, `make demo` shows; each installs what is missing first.
BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= gcc
WARN    := -Wall -Wextra -Wshadow -Wconversion -Werror
OPT     ?= -O2 -g
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -MMD -MP
CFLAGS  += -std=c17 $(WARN) $(OPT) -fPIC -fvisibility=hidden $(SAN)
LDFLAGS += $(SAN)
LDLIBS  := -ljansson -lm

# Arithmetic executors: compiled once for every machine and once for AVX2, the same bits from both. No contraction: a
# multiply and an add round twice unless the instruction is fma. A loop that stays scalar is no fault (clang: pass-failed).
ALU_FLAGS := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-strict-aliasing -Wno-pass-failed
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

.PHONY: all clean unit
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
# The operations' references: linked into the tests that use them.
REF     := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/ref/*.c)))
$(filter $(BUILD)/tests/exec/ops%,$(UNIT)): $(BUILD)/tests/%: tests/unit/%.c $(REF) $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $< $(REF) $(BUILD)/libheddle.a -lcmocka $(LDLIBS)
unit: $(UNIT)
	@for t in $(UNIT); do $$t || exit 1; done

clean:
	rm -rf $(BUILD)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
