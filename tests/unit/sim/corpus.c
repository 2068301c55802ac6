/* Every input the fuzzers ever stumbled over, and the seeds they start from, once through the loader and the executor:
 * what was fixed stays fixed on machines without a fuzzer. Whether an input loads does not matter; surviving does. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"

#define LLVMFuzzerTestOneInput fuzz_ptx
#include "fuzz/ptx.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_exec
#include "fuzz/exec.c"
#undef LLVMFuzzerTestOneInput

static uint8_t *slurp(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    VEC(uint8_t) bytes = {0};
    for (int c; (c = fgetc(f)) != EOF;) VEC_PUSH(&bytes, (uint8_t)c);
    fclose(f);
    *n = bytes.n;
    return bytes.v;
}

static void replay(const char *dir, int (*fuzz)(const uint8_t *, size_t)) {
    struct dirent **names;
    int n = scandir(dir, &names, NULL, alphasort), ran = 0;
    assert_true(n >= 0);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
            size_t bytes;
            uint8_t *data = slurp(path, &bytes);
            fuzz(data, bytes);
            free(data);
            ran++;
        }
        free(names[i]);
    }
    free(names);
    assert_true(ran > 0);
}

static void loader_survives_its_corpus(void **state) {
    (void)state;
    replay("tests/fuzz/corpus/ptx", fuzz_ptx);
}

static void executor_survives_its_corpus(void **state) {
    (void)state;
    replay("tests/fuzz/corpus/exec", fuzz_exec);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loader_survives_its_corpus),
                                       cmocka_unit_test(executor_survives_its_corpus)};
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
