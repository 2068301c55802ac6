# heddle: one Makefile. `make` builds, `make test` tests, `make demo` shows; each installs what is missing first.
#   make            build/heddle, build/libheddle.a, build/libheddle.so, build/cuda/lib (the CUDA library)
#   make demo       example kernels, their results and the simulator's speed
#   make test       every test; ends with "N passed, M failed"; TESTS="tests/cli/sweep.sh build/tests/mech/pdom": these
#   make test-long  every workload at size small under the mechanisms of the papers: minutes
#   make test-aarch64  operations and kernels on aarch64, under qemu
#   make test-slurm sweeps over a real Slurm, which it starts and stops: a minute
#   make asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make tsan       what uses threads of the host, under ThreadSanitizer
#   make coverage   lines and branches that tests run of what checks addresses and lengths, by gcov
#   make pgo        build-pgo: a build that gcc optimised by a profile of our own workloads
#   make fuzz       libFuzzer on the loader, the executor and the --arg parser (FUZZ_SECONDS each)
#   make bench      simulated thread-instructions per host second, and memory
#   make docs       regenerates what is generated under docs/
#   make check      both compilers with -Werror, formatting, source layout, prose (the last three: make check-style)
#   make install, make uninstall    prefix=/usr/local and the other directories below; DESTDIR
BUILD  ?= build
DESTDIR ?=
# The directory variables of the GNU coding standards; PREFIX is another name for prefix.
PREFIX ?= /usr/local
prefix       = $(PREFIX)
exec_prefix  = $(prefix)
bindir       = $(exec_prefix)/bin
libdir       = $(exec_prefix)/lib
includedir   = $(prefix)/include
datarootdir  = $(prefix)/share
mandir       = $(datarootdir)/man
pkgconfigdir = $(libdir)/pkgconfig
bashcompdir  = $(datarootdir)/bash-completion/completions
zshcompdir   = $(datarootdir)/zsh/site-functions
fishcompdir  = $(datarootdir)/fish/vendor_completions.d
ifeq ($(origin CC),default)
CC      = gcc
endif
# clang 19 warns where a constant of an enumeration is multiplied by a double, or added to another enumeration's: both are meant.
WARN   := -Wall -Wextra -Wshadow -Wconversion $(if $(findstring clang,$(CC)),-Wno-enum-float-conversion -Wno-enum-enum-conversion)
# -Werror in make check and .ci/run: another compiler's new warning must not prevent a build.
WERROR ?=
OPT    ?= -O2 -g
SAN    ?=
VERSION := $(shell sed -n 's/^\#define HD_VERSION_[A-Z]* //p' include/heddle.h | paste -sd.)
CPPFLAGS += -Iinclude -Isrc -I. -D_GNU_SOURCE -MMD -MP
CFLAGS += -std=c17 $(WARN) $(WERROR) $(OPT) -fPIC -fvisibility=hidden $(SAN)
LDFLAGS += $(SAN)
# What the library needs (heddle.pc says so too), and what the command needs besides.
LDLIBS := -linih -lm
LABLIBS := -lsqlite3 -ljansson -liberty -lzstd -lpthread $(LDLIBS)
# Before 1.0 a new minor version may change the ABI.
SOVERSION := $(basename $(VERSION))
SONAME := -Wl,-soname,libheddle.so.$(SOVERSION)

PACKAGES      := gcc libc6-dev libjansson-dev libinih-dev libsqlite3-dev libiberty-dev liblz4-dev libzstd-dev
TEST_PACKAGES := g++ libcmocka-dev pkg-config clang-19 libclc-19
# Tests that need one of these are left out where it cannot be installed.
COUNT_PACKAGES := valgrind
PAGE_PACKAGES := chromium chromium-driver python3-selenium gnuplot-nox
RISCV_PACKAGES := gcc-riscv64-linux-gnu g++-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user
SLURM_PACKAGES := slurm-wlm
AARCH64_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
AARCH64_LIBS  := libinih-dev libinih1 libjansson-dev libjansson4 libsqlite3-dev libsqlite3-0 libiberty-dev libzstd-dev libzstd1 \
    libcmocka-dev libcmocka0
CLANG := $(shell tools/clang-version)
FUZZ_PACKAGES := clang-$(CLANG) libclang-rt-$(CLANG)-dev
CHECK_PACKAGES := clang-$(CLANG)
# Later versions format some lines in another way, so that there is one which is right.
FORMAT_VERSION := 14
FORMAT_PACKAGES := clang-format-$(FORMAT_VERSION)
CLANG_FORMAT ?= clang-format-$(FORMAT_VERSION)

# Arithmetic executors, and what looks at all lanes of a warp: compiled once for every machine and once for AVX2, the same
# bits from both. No contraction: a multiply and an add round twice unless the instruction is fma.
ALU_FLAGS := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-strict-aliasing -Wno-pass-failed
# What base/host.h asks the host for before it uses the second build.
ALU_AVX2  := -mavx2 -mfma -mbmi -mbmi2 -mpopcnt

SRC    := $(sort $(shell find src -name '*.c'))
ALU    := $(filter src/exec/alu/% src/exec/access/find.c src/exec/access/move.c src/mem/lanes.c,$(SRC))
CLI    := $(filter src/cli/cmd/%,$(SRC))
# The rooms above the library and below the commands, and the workloads with their kernels. The library is the simulator alone.
WORK   := $(sort $(wildcard workloads/*.c workloads/*/*.c))
LAB    := $(filter-out $(CLI),$(filter $(addprefix src/,lab/% report/% page/% front/trace/% value/% script/% toolchain/% subject/% cli/%),$(SRC))) $(WORK)
# The CUDA library: the room above include/heddle.h that programs see as libcudart and libcuda.
CUDART := $(sort $(shell find runtime -name '*.c'))
LIBSRC := $(filter-out $(ALU) $(CLI) $(LAB),$(SRC))
CONFIGS := $(sort $(wildcard configs/*.ini))
OBJ    := $(LIBSRC:%.c=$(BUILD)/obj/%.o) $(ALU:%.c=$(BUILD)/obj/%.portable.o) $(BUILD)/obj/configs.o
# What the compiler makes programs for, which need not be what it runs on: make CC=aarch64-linux-gnu-gcc. Its own ar knows the format.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifeq ($(origin AR),default)
AR      := $(or $(shell $(CC) -print-prog-name=ar 2>/dev/null),ar)
endif
ifneq ($(filter x86_64%,$(MACHINE)),)
OBJ    += $(ALU:%.c=$(BUILD)/obj/%.avx2.o)
endif
# What runs for every simulated instruction: 2 % fewer instructions of the host than with -O2. Other levels stay what they are.
# No vectors of two: what they save is less than what packing them costs. Loops over lanes are in ALU, which has its own flags.
# More inlining than -O3 does by itself: 1.4 % fewer instructions of the host again.
INLINE := $(if $(findstring clang,$(CC)),,--param=max-inline-insns-auto=60)
HOT    := $(filter src/base/% src/exec/% src/mech/% src/mem/% src/cpu/% src/sm/% src/sim/gpu/%,$(SRC))
HOT_OPT := $(OPT:-O2=-O3) -fno-tree-vectorize $(INLINE)
$(HOT:%.c=$(BUILD)/obj/%.o): override OPT := $(HOT_OPT)
CUDAOBJ := $(CUDART:%.c=$(BUILD)/obj/%.o)
# The interface's own types are those of the headers that programs get.
$(CUDAOBJ): CPPFLAGS += -Icuda
CLIOBJ := $(CLI:%.c=$(BUILD)/obj/%.o)
LABOBJ := $(LAB:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/workloads.o $(BUILD)/obj/sources.o $(BUILD)/obj/page_files.o
LIB    := $(BUILD)/libheddle.a
LIBLAB := $(BUILD)/liblab.a
LIBCLI := $(BUILD)/libcli.a
LIBCUDA := $(BUILD)/libruntime.a
UNIT   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/*/*.c)))
# Headers for kernels that clang compiles (heddle run FILE.cu): beside the command, as they are when installed.
CUDA   := $(sort $(shell find cuda -type f))
# One shared object under every name by which programs ask for the runtime or the driver: they share one state.
CUDALIB := $(BUILD)/cuda/lib/libheddle-cuda.so
CUDANAMES := libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcudart.so libcuda.so.1 libcuda.so
CUDALINKS := $(addprefix $(BUILD)/cuda/lib/,$(CUDANAMES))
EXAMPLES := $(patsubst %,$(BUILD)/%,$(basename $(sort $(wildcard examples/*.c examples/*.cpp))))

# As many files at a time as there are processors, unless -j says otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
# V=1 shows whole commands.
comma := ,
ifeq ($(V),1)
run = $(2)
else
run = @printf '  %-4s %s\n' $(1) '$@' && $(2)
endif

.PHONY: all files deps test-deps demo test test-long test-aarch64 test-slurm unit asan tsan coverage pgo fuzz bench docs check-generated check check-style format install uninstall clean
# Packages first, then one make for all files: two makes building the same file at once would trip over each other.
all: deps
	@$(MAKE) --no-print-directory files
files: $(BUILD)/heddle $(BUILD)/heddle-nvcc $(LIB) $(BUILD)/libheddle.so $(CUDA:%=$(BUILD)/%) $(CUDALINKS)
deps:
	@tools/deps $(PACKAGES)
test-deps: deps
	@tools/deps $(TEST_PACKAGES)
	@tools/deps $(COUNT_PACKAGES) || echo "heddle: what launches cost the host is not tested"
	@tools/deps $(RISCV_PACKAGES) || echo "heddle: programs for RISC-V are not tested"
	@tools/deps $(PAGE_PACKAGES) || echo "heddle: pages and plots are not all tested"

$(LIB): $(OBJ)
	@rm -f $@
	$(call run,AR,$(AR) rcs $@ $^)
$(LIBCLI): $(CLIOBJ)
	@rm -f $@
	$(call run,AR,$(AR) rcs $@ $^)
$(LIBLAB): $(LABOBJ)
	@rm -f $@
	$(call run,AR,$(AR) rcs $@ $^)
$(BUILD)/libheddle.so: $(OBJ)
	$(call run,LD,$(CC) $(LDFLAGS) -shared $(SONAME) -o $@ $^ $(LDLIBS))
# What it links is inside and hidden: a program sees the CUDA interface and nothing else of ours.
$(LIBCUDA): $(CUDAOBJ)
	@rm -f $@
	$(call run,AR,$(AR) rcs $@ $^)
$(CUDALIB): $(CUDAOBJ) $(LIB) runtime/runtime/versions.map
	@mkdir -p $(@D)
	$(call run,LD,$(CC) $(LDFLAGS) -shared -Wl$(comma)-soname$(comma)libcudart.so.13 -Wl$(comma)--version-script=runtime/runtime/versions.map -Wl$(comma)--exclude-libs$(comma)ALL $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(filter %.o %.a,$^) -Wl$(comma)-Bstatic -llz4 -lzstd -linih -liberty -Wl$(comma)-Bdynamic -lm -lpthread -ldl)
$(CUDALINKS): $(CUDALIB)
	$(call run,LN,ln -sf $(notdir $<) $@)
$(BUILD)/heddle: $(CLIOBJ) $(LIBLAB) $(LIB)
	$(call run,LD,$(CC) $(LDFLAGS) -o $@ $^ $(LABLIBS))

# Objects are made anew when the compiler or its flags are others than those of the last time, which $(FLAGS) has: its time changes
# with its contents only. -Werror changes no object.
TEST_OPT := $(OPT:-O2=-O0)
FLAGS     := $(BUILD)/flags
FLAGS_NOW := $(CC) $(MACHINE) $(shell $(CC) -dumpversion 2>/dev/null): $(CPPFLAGS) $(filter-out $(WERROR),$(CFLAGS)); \
    $(HOT_OPT); $(TEST_OPT); $(ALU_FLAGS); $(ALU_AVX2)
ifneq ($(strip $(file <$(FLAGS))),$(strip $(FLAGS_NOW)))
.PHONY: $(FLAGS)
endif
$(FLAGS):
	@mkdir -p $(@D)
	@printf '%s\n' '$(strip $(FLAGS_NOW))' >$@

$(BUILD)/obj/%.portable.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) -DALU_ISA=portable -c -o $@ $<)
$(BUILD)/obj/%.avx2.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) $(ALU_AVX2) -DALU_ISA=avx2 -c -o $@ $<)
$(BUILD)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<)

# The machines of configs/ are part of the library.
$(BUILD)/obj/configs.c: $(CONFIGS) tools/embed-configs
	@mkdir -p $(@D)
	$(call run,GEN,tools/embed-configs $(CONFIGS) > $@)
$(BUILD)/obj/configs.o: $(BUILD)/obj/configs.c $(FLAGS)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<)

$(BUILD)/heddle-nvcc: tools/heddle-nvcc
	$(call run,CP,cp $< $@)
$(BUILD)/cuda/%: cuda/%
	@mkdir -p $(@D)
	$(call run,CP,cp $< $@)

# So are the kernels of workloads/ part of the command; their host code computes as IEEE says, like the kernels.
PTX    := $(sort $(wildcard workloads/*/*.ptx))
RISCV  := $(sort $(wildcard workloads/*/*.riscv workloads/*/*.riscv-O1))
$(BUILD)/obj/workloads.c: $(PTX) $(RISCV) workloads/workloads.def workloads/litmus/litmus.def tools/embed-workloads
	@mkdir -p $(@D)
	$(call run,GEN,tools/embed-workloads $(PTX) > $@)
$(BUILD)/obj/workloads.o: $(BUILD)/obj/workloads.c $(FLAGS)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<)
$(WORK:%.c=$(BUILD)/obj/%.o): CFLAGS += -ffp-contract=off

# Stored results name the sources they are of: all that decides about them, which is all but what prints.
SOURCES := $(sort $(filter-out $(addprefix src/,cli/% report/% page/% value/% script/% toolchain/% subject/% lab/cluster/% lab/results/%),$(shell find src include workloads -name '*.[ch]' -o -name '*.def' -o -name '*.ptx' -o -name '*.riscv*')))
$(BUILD)/obj/sources.c: $(SOURCES) tools/embed-sources
	@mkdir -p $(@D)
	$(call run,GEN,tools/embed-sources $(SOURCES) > $@)
$(BUILD)/obj/sources.o: $(BUILD)/obj/sources.c $(FLAGS)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<)

# What pages consist of is part of the command too: our scripts, and two libraries (src/page/vendor/README.md).
PAGE_FILES := $(sort $(wildcard src/page/js/* src/page/vendor/*.copyright src/page/vendor/*.min.js))
$(BUILD)/obj/page_files.c: $(PAGE_FILES) tools/embed-page
	@mkdir -p $(@D)
	$(call run,GEN,tools/embed-page $(PAGE_FILES) > $@.new && mv $@.new $@)
$(BUILD)/obj/page_files.o: $(BUILD)/obj/page_files.c $(FLAGS)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<)

# Tests: one cmocka program per file, and what it links beside the library: the command line, experiments, the operations'
# references, the generator of random kernels.
REF     := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/ref/*.c)))
DIFF    := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/diff/*.c)))
$(BUILD)/obj/tests/%.o: CPPFLAGS += -Itests
# Tests compute little themselves, and are as much code as the library: -O1 takes three times as long to compile.
$(BUILD)/obj/tests/unit/%.o: override OPT := $(TEST_OPT)
.SECONDARY: $(UNIT:$(BUILD)/tests/%=$(BUILD)/obj/tests/unit/%.o)
$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl$(comma)--start-group $(filter %.a,$^) -Wl$(comma)--end-group -lcmocka -Wl$(comma)--as-needed $(LABLIBS))
$(filter $(BUILD)/tests/cli/%,$(UNIT)): $(LIBCLI)
$(filter $(addprefix $(BUILD)/tests/,cli/% lab/% page/% report/% script/% subject/% toolchain/% value/% workloads/%),$(UNIT)): $(LIBLAB)
$(filter $(BUILD)/tests/runtime/%,$(UNIT)): $(LIBCUDA)
$(filter $(BUILD)/tests/runtime/%,$(UNIT)): LABLIBS += -llz4
$(filter $(BUILD)/tests/exec/ops% $(BUILD)/tests/sim/mma $(BUILD)/tests/sim/wmma,$(UNIT)): $(REF)
$(filter $(BUILD)/tests/diff/% $(BUILD)/tests/sim/timed_stats,$(UNIT)): $(DIFF)
$(BUILD)/examples/%: examples/%.c $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(CC) -Iinclude -std=c17 $(WARN) $(WERROR) $(OPT) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS))
$(BUILD)/examples/%: examples/%.cpp $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(CC:gcc=g++) -Iinclude -std=c++17 -Wall -Wextra $(WERROR) $(OPT) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS))

# Accesses at the edges of address windows always run under the sanitizers: what finds and moves their bytes is compiled once more
# for that, the rest is the library's. In builds that have a sanitizer the program is one like all others.
WINDOWS := $(BUILD)/tests/exec/windows
ifeq ($(SAN),)
WINDOWS := $(BUILD)/asan/windows
UNIT    := $(filter-out %/exec/windows,$(UNIT)) $(WINDOWS)
endif
ASAN    := -fsanitize=address,undefined -fno-sanitize-recover=all
CHECKED := $(foreach f,access/find access/move access/resolve access/atom deferred/deferred access/mem,$(filter $(BUILD)/obj/src/exec/$f.%,$(OBJ)))
CHECKED := $(patsubst $(BUILD)/obj/%,$(BUILD)/asan/%,$(CHECKED) $(BUILD)/obj/tests/unit/exec/windows.o)
$(BUILD)/asan/%.portable.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) $(ASAN) -DALU_ISA=portable -c -o $@ $<)
$(BUILD)/asan/%.avx2.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) $(ALU_FLAGS) $(ALU_AVX2) $(ASAN) -DALU_ISA=avx2 -c -o $@ $<)
$(BUILD)/asan/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call run,CC,$(CC) $(CPPFLAGS) $(CFLAGS) -O1 $(ASAN) -c -o $@ $<)
$(BUILD)/asan/windows: $(CHECKED) $(LIB)
	$(call run,LD,$(CC) $(LDFLAGS) $(ASAN) -o $@ $^ -lcmocka $(LDLIBS))

# Each is a program of its own: TESTS="tests/cli/sweep.sh build/tests/mech/pdom" runs these, of asan too. The longest come first,
# so that in the end not all wait for one of them.
LONGEST := $(addprefix $(BUILD)/tests/,sm/same diff/structured) $(addprefix tests/cli/,cu.sh sweep.sh slurm.sh)
SCRIPTS := $(sort $(wildcard tests/*.sh)) $(sort $(wildcard tests/cli/*.sh))
TESTS   := $(LONGEST) $(filter-out $(LONGEST),$(SCRIPTS) $(UNIT))
# What scripts run beside the command; kernels.sh and timed.sh repeat unit tests.
REPEATED := $(filter $(BUILD)/tests/sim/kernels% $(BUILD)/tests/sim/mops%,$(UNIT))
SCRIPTS_NEED := $(if $(filter tests/examples.sh tests/bench.sh,$(TESTS)),$(EXAMPLES) $(BUILD)/bench/bench) \
    $(if $(filter tests/kernels.sh tests/timed.sh,$(TESTS)),$(REPEATED))
test: test-deps
	@$(MAKE) --no-print-directory files $(SCRIPTS_NEED) $(filter-out %.sh,$(TESTS))
	@HEDDLE=$(BUILD)/heddle BUILD=$(BUILD) tests/run $(BUILD)/tests/log $(TESTS)
unit: $(UNIT)

# Every workload at the size of experiments, under the mechanisms the papers are about; all kernels of the random sweeps;
# ten times the accesses at the edges of windows; every instruction of RISC-V against qemu; damaged CUDA programs; traces of every
# workload replayed.
VERIFY_MECHS ?= pdom,lwm,dwf,harp,mp,dpe,dws,minpc,tesla,sympa13,tf,lorie-strong,takahashi,chap,amd,pomp,sandybridge,sbi+swi,tbc,capri,volta,mimd
LONG := $(filter $(BUILD)/tests/workloads/% $(BUILD)/tests/diff/%,$(UNIT)) $(WINDOWS)
test-long: test-deps
	@$(MAKE) --no-print-directory $(LONG) files $(BUILD)/riscv-cover
	@HEDDLE=$(BUILD)/heddle BUILD=$(BUILD) VERIFY_SIZE=small VERIFY_MECHS=$(VERIFY_MECHS) HEDDLE_DIFF_ALL=3 HEDDLE_DIFF_AUDIT=1 \
	    HEDDLE_WINDOWS=1000000 MUTANTS=1500 TEST_TIMEOUT=7200 \
	    TRACE_WORKLOADS="$$($(BUILD)/heddle list workloads | cut -d' ' -f1 | grep -v spin-lock)" \
	    tests/run $(BUILD)/tests/log-long tests/riscv/cover.sh tests/cli/trace.sh tests/mutants.sh $(LONG)
	@$(MAKE) --no-print-directory test-aarch64
	@$(MAKE) --no-print-directory test-slurm
$(BUILD)/riscv-cover: tests/riscv/cover.c $(LIB)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS))
# Operations and kernels as aarch64 computes them, under qemu. Libraries for aarch64 are unpacked beside the build.
AARCH64_DIR   := build-aarch64
AARCH64_ROOT  := $(CURDIR)/$(AARCH64_DIR)/root
AARCH64_TESTS := $(addprefix $(AARCH64_DIR)/tests/,exec/alu_smoke exec/ops_rows exec/ops_rv exec/ops_soft exec/access exec/mem exec/atom \
    front/riscv sim/kernels sim/kernels_flow sim/mops mech/pdom mech/dwf)
test-aarch64:
	@if tools/deps $(AARCH64_PACKAGES) && tools/foreign-libs arm64 $(AARCH64_ROOT) $(AARCH64_LIBS); then \
	    C_INCLUDE_PATH=$(AARCH64_ROOT)/usr/include $(MAKE) --no-print-directory BUILD=$(AARCH64_DIR) CC=aarch64-linux-gnu-gcc \
	        LDFLAGS="$(addsuffix $(AARCH64_ROOT)/usr/lib/aarch64-linux-gnu,-L -Wl$(comma)-rpath-link$(comma))" $(AARCH64_TESTS) && \
	    TEST_EMULATOR="qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$(AARCH64_ROOT)/usr/lib/aarch64-linux-gnu" \
	        TEST_TIMEOUT=7200 tests/run $(AARCH64_DIR)/tests/log $(AARCH64_TESTS); \
	else echo "heddle: programs for aarch64 are not tested"; fi
# Where Slurm cannot be installed the test says so and is skipped.
test-slurm: deps
	@tools/deps $(SLURM_PACKAGES) || echo "heddle: there is no Slurm to test with"
	@$(MAKE) --no-print-directory files
	@HEDDLE=$(BUILD)/heddle BUILD=$(BUILD) tests/run $(BUILD)/tests/log-slurm tests/slurm/run.sh
asan:
	@TEST_TIMEOUT=$${TEST_TIMEOUT:-3600} $(MAKE) --no-print-directory BUILD=build-asan OPT="-O1 -g" SAN="$(ASAN)" test

# What uses threads of the host: tests whose names say so, those of the rooms that start threads, and commands.
TSAN_UNIT := $(patsubst tests/unit/%.c,build-tsan/tests/%,$(sort $(wildcard tests/unit/*/*threads*.c \
    $(addprefix tests/unit/,base/workers.c base/ledger.c base/pages.c lab/pool.c lab/compare.c lab/sweep.c lab/store.c))))
tsan: test-deps
	@$(MAKE) --no-print-directory BUILD=build-tsan OPT="-O1 -g" SAN="-fsanitize=thread" build-tsan/heddle $(TSAN_UNIT)
	@TSAN_OPTIONS="halt_on_error=1" HEDDLE=build-tsan/heddle BUILD=build-tsan \
	    tests/run build-tsan/tests/log tests/threads/runs.sh $(TSAN_UNIT)

# How much of what checks addresses and lengths the tests run, by gcov: a build without optimisation, so that branches are those of
# the source, and the tests that reach these files. COVERAGE=--missing also lists every branch that none of them takes.
COVERAGE ?=
COVERAGE_PATHS := $(addprefix src/exec/access/,find move resolve async surf) $(addprefix runtime/module/,module image fatbin) src/front/
COVERAGE_TESTS := $(patsubst tests/unit/%.c,build-coverage/tests/%,$(sort $(wildcard $(addprefix tests/unit/,exec/[!o]*.c front/*.c \
    runtime/*.c sim/api*.c sim/corpus.c sim/kernels*.c sim/unsupported.c lab/trace.c))))
coverage: test-deps
	@if [ -d build-coverage ]; then find build-coverage -name '*.gcda' -delete; fi
	@$(MAKE) --no-print-directory BUILD=build-coverage OPT="-O0 -g" ALU_FLAGS="-ffp-contract=off -fno-strict-aliasing" \
	    SAN=--coverage files $(COVERAGE_TESTS)
	@HEDDLE=build-coverage/heddle BUILD=build-coverage tests/run build-coverage/tests/log $(COVERAGE_TESTS) \
	    tests/driver.sh tests/cudart-library.sh tests/cli/accel.sh
	@tools/coverage $(COVERAGE) build-coverage $(COVERAGE_PATHS)

# Optimised by a profile of tools/pgo-train, with gcc: two builds, one after the other in the same place, since each object looks
# for the profile beside it. Code that did not run there is compiled as in any other build.
PGO := -fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile
pgo: deps
	@! $(CC) --version | grep -q clang || { echo "make pgo needs gcc, CC is $(CC)"; exit 2; }
	@rm -rf build-pgo
	@$(MAKE) --no-print-directory BUILD=build-pgo SAN="-fprofile-generate -fprofile-update=prefer-atomic" build-pgo/heddle
	@tools/pgo-train build-pgo/heddle
	@find build-pgo -type f \( -name '*.o' -o -name '*.a' -o -name heddle \) -delete
	@$(MAKE) --no-print-directory BUILD=build-pgo OPT="$(OPT) $(PGO)" files

# Fuzzing: the library built by clang with coverage, each fuzzer for FUZZ_SECONDS on its committed corpus, from FUZZ_SEED (0: a
# new one each time). New finds go to build-fuzz/, crashes are left there with the command to run them again.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 1
FUZZERS := $(patsubst tests/fuzz/%.c,build-fuzz/%,$(wildcard tests/fuzz/*.c))
fuzz: test-deps
	@tools/deps $(FUZZ_PACKAGES)
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang-$(CLANG) OPT="-O1 -g" SAN="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" $(FUZZERS)
	@tests/fuzz/run $(FUZZ_SECONDS) $(FUZZ_SEED) $(FUZZERS)
build-fuzz/%: tests/fuzz/%.c $(LIB) $(LIBCLI) $(LIBLAB) $(LIBCUDA)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer -o $@ $< $(LIBCLI) $(LIBLAB) $(LIBCUDA) $(LIB) $(LABLIBS) -llz4)

demo: all
	@tools/demo $(BUILD)

bench: all
	@$(MAKE) --no-print-directory $(BUILD)/bench/bench
	@$(BUILD)/bench/bench $(BENCH_ARGS)
# bench is several files; every other program of the folder is one.
BENCH := bench timed against case counter mechs job jobs cpu
$(BUILD)/bench/bench: $(BENCH:%=bench/%.c) $(wildcard bench/*.h) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c,$^) $(LIB) -ljansson $(LDLIBS))
$(BUILD)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS))

$(BUILD)/gen-pages: tools/gen-pages.c $(LIB)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS))
$(BUILD)/gen-sizes: tools/gen-sizes.c $(LIBLAB) $(LIB)
	$(call run,LD,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIBLAB) $(LIB) $(LABLIBS))
docs: all
	@$(MAKE) --no-print-directory $(BUILD)/gen-pages $(BUILD)/gen-sizes
	@tools/gen-docs $(BUILD)/heddle docs
check-generated: all
	@$(MAKE) --no-print-directory $(BUILD)/gen-pages $(BUILD)/gen-sizes
	@rm -rf $(BUILD)/docs && mkdir -p $(BUILD)/docs
	@tools/gen-docs $(BUILD)/heddle $(BUILD)/docs
	@for f in $(BUILD)/docs/*; do diff -u docs/$$(basename $$f) $$f || { echo "docs/$$(basename $$f) is out of date: run make docs"; exit 1; }; done
	@echo "generated files are up to date"
check: check-style
	@tools/deps $(CHECK_PACKAGES)
	@$(MAKE) --no-print-directory BUILD=build-gcc CC=gcc WERROR=-Werror files
	@$(MAKE) --no-print-directory BUILD=build-clang CC=clang-$(CLANG) WERROR=-Werror files
FORMATTED = $(SRC) $(WORK) $(CUDART) $(shell find src runtime include tests examples bench workloads/workload.h -name '*.h' -o -path 'tests/*.c' -o -path 'bench/*.c')
is_format_version = { $(CLANG_FORMAT) --version | grep -q 'version $(FORMAT_VERSION)\.' || \
    { echo "heddle: the formatting is that of clang-format $(FORMAT_VERSION), $(CLANG_FORMAT) is another version"; exit 1; }; }
check-style: test-deps
	@tools/check-rooms
	@tools/check-prose
	@if command -v $(CLANG_FORMAT) >/dev/null || tools/deps $(FORMAT_PACKAGES); then \
	    $(is_format_version) && $(CLANG_FORMAT) --dry-run --Werror $(FORMATTED); \
	else echo "heddle: the formatting is not checked: CLANG_FORMAT=... says where there is a clang-format $(FORMAT_VERSION)"; fi
format:
	@$(is_format_version)
	$(CLANG_FORMAT) -i $(FORMATTED)

install: all
	install -d $(addprefix $(DESTDIR),$(bindir) $(libdir) $(pkgconfigdir) $(includedir) $(mandir)/man1 \
	    $(bashcompdir) $(zshcompdir) $(fishcompdir))
	install -m 755 $(BUILD)/heddle tools/heddle-nvcc $(DESTDIR)$(bindir)/
	install -m 644 include/heddle.h include/heddle_spmd.h $(DESTDIR)$(includedir)/
	install -m 644 $(LIB) $(DESTDIR)$(libdir)/
	install -m 755 $(BUILD)/libheddle.so $(DESTDIR)$(libdir)/libheddle.so.$(VERSION)
	ln -sf libheddle.so.$(VERSION) $(DESTDIR)$(libdir)/libheddle.so.$(SOVERSION)
	ln -sf libheddle.so.$(SOVERSION) $(DESTDIR)$(libdir)/libheddle.so
	install -m 644 docs/heddle.1 $(DESTDIR)$(mandir)/man1/
	$(BUILD)/heddle completion bash > $(DESTDIR)$(bashcompdir)/heddle
	$(BUILD)/heddle completion zsh > $(DESTDIR)$(zshcompdir)/_heddle
	$(BUILD)/heddle completion fish > $(DESTDIR)$(fishcompdir)/heddle.fish
	install -D -m 755 $(CUDALIB) $(DESTDIR)$(libdir)/heddle/cuda/$(notdir $(CUDALIB))
	for f in $(CUDANAMES); do ln -sf $(notdir $(CUDALIB)) $(DESTDIR)$(libdir)/heddle/cuda/$$f || exit 1; done
	for f in $(CUDA); do install -D -m 644 $$f $(DESTDIR)$(datarootdir)/heddle/$$f || exit 1; done
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
	    -e 's|@version@|$(VERSION)|' tools/heddle.pc.in > $(DESTDIR)$(pkgconfigdir)/heddle.pc
uninstall:
	rm -f $(addprefix $(DESTDIR),$(bindir)/heddle $(bindir)/heddle-nvcc $(includedir)/heddle.h $(includedir)/heddle_spmd.h $(libdir)/libheddle.a $(libdir)/libheddle.so \
	    $(libdir)/libheddle.so.$(SOVERSION) $(libdir)/libheddle.so.$(VERSION) $(pkgconfigdir)/heddle.pc $(mandir)/man1/heddle.1 \
	    $(bashcompdir)/heddle $(zshcompdir)/_heddle $(fishcompdir)/heddle.fish)
	rm -rf $(DESTDIR)$(datarootdir)/heddle/cuda $(DESTDIR)$(libdir)/heddle/cuda

clean:
	rm -rf build build-aarch64 build-asan build-at build-coverage build-gcc build-clang build-fuzz build-pgo build-tsan
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
