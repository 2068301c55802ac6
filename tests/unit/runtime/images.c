/* Images that programs load, from files and from memory: those that are right load, damaged ones end in a code. Files lie in
 * memory of just their size when they are read, images in memory end where nothing is mapped: reading past either is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/cuda.h"
#include "runtime/module/image.h"
#include "runtime/runtime/error.h"
#include "unit/runtime/fatbins.h"

/* A function of the runtime interface, whose header is for C++. */
int cudaLibraryLoadFromFile(void **library, const char *path, void *jit, void **jit_values, unsigned njit,
                            void *options, void **values, unsigned n);
int cudaLibraryUnload(void *library);
int cudaGetSymbolAddress(void **address, const void *symbol);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name, int external,
                              size_t bytes, int constant, int global);
void __heddleManaged(void *start, void *end);

static const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char other[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry l() { ret; }\n";
enum { PAGE = 4096, ROOM = 1 << 16 };

struct bytes {
    uint8_t v[ROOM];
    size_t n;
};

static void set(struct bytes *b, const void *data, size_t n) {
    assert_true(n <= sizeof b->v);
    memcpy(b->v, data, n);
    b->n = n;
}

/* ---- images ---- */

static void a_text(struct bytes *b) {
    set(b, text, sizeof text - 1);
}
static void a_fatbin(struct bytes *b, int how) {
    struct fatbin_image im;
    begin(&im);
    add(&im, PTX, 75, how, 64, text);
    set(b, im.bytes, im.n);
}
static void plain(struct bytes *b) {
    a_fatbin(b, PLAIN);
}
static void lz4(struct bytes *b) {
    a_fatbin(b, LZ4);
}
static void zstd(struct bytes *b) {
    a_fatbin(b, ZSTD);
}
static void several(struct bytes *b) {
    struct fatbin_image im;
    begin(&im);
    add(&im, ELF, 75, PLAIN, 64, "machine code");
    add(&im, PTX, 90, ZSTD, 80, other);
    add(&im, PTX, 75, LZ4, 96, text);
    set(b, im.bytes, im.n);
}
static void linked(struct bytes *b) {
    struct cu_texts t = {0};
    size_t n;
    assert_int_equal(cu_image_texts(text, sizeof text, 75, &t), CU_Success);
    assert_int_equal(cu_image_texts(other, sizeof other, 75, &t), CU_Success);
    char *packed = cu_texts_pack(&t, &n);
    assert_non_null(packed);
    set(b, packed, n);
    free(packed);
    cu_texts_free(&t);
}
static void (*const kinds[])(struct bytes *) = {a_text, plain, lz4, zstd, several, linked};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A wrapper as a program has it, around a fat binary that stays where it is. */
static void a_wrapper(struct bytes *b) {
    static struct fatbin_image im;
    begin(&im);
    add(&im, PTX, 75, PLAIN, 64, text);
    set(b, &(struct cu_wrapper){CU_WRAPPER_MAGIC, 1, im.bytes, NULL}, sizeof(struct cu_wrapper));
}

/* ---- loading ---- */

static void set_up(void) {
    CUcontext context;
    CUdevice device;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
}

static int link_file(const char *path) {
    CUlinkState s;
    void *image;
    size_t n;
    assert_int_equal(cuLinkCreate(0, NULL, NULL, &s), CUDA_SUCCESS);
    int code = (int)cuLinkAddFile(s, CU_JIT_INPUT_FATBINARY, path, 0, NULL, NULL);
    if (!code) code = (int)cuLinkComplete(s, &image, &n);
    cuLinkDestroy(s);
    return code;
}

/* Every way to load a file gives the same code. */
static int load_path(const char *path) {
    CUmodule m;
    CUlibrary l;
    void *library;
    int code = (int)cuModuleLoad(&m, path);
    if (!code) cuModuleUnload(m);
    int again = (int)cuLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0);
    if (!again) cuLibraryUnload(l);
    assert_int_equal(again, code);
    again = cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0);
    if (!again) cudaLibraryUnload(library);
    assert_int_equal(again, code);
    assert_int_equal(link_file(path), code);
    return code;
}

static int load_file(const struct bytes *b) {
    char path[] = "/tmp/heddle-image-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, b->v, b->n) == (ssize_t)b->n && !close(fd));
    int code = load_path(path);
    unlink(path);
    return code;
}

/* A copy that ends where nothing can be read. */
static void *at_the_end(const struct bytes *b, uint8_t **base) {
    *base = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(*base != MAP_FAILED && !mprotect(*base + ROOM, PAGE, PROT_NONE));
    return memcpy(*base + ROOM - b->n, b->v, b->n);
}

static int load_memory(const struct bytes *b) {
    CUmodule m;
    uint8_t *base;
    void *image = at_the_end(b, &base);
    int code = (int)cuModuleLoadData(&m, image);
    if (!code) cuModuleUnload(m);
    munmap(base, ROOM + PAGE);
    return code;
}

static void images_of_all_kinds_load_from_files_and_from_memory(void **state) {
    static struct bytes b;
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        kinds[k](&b);
        assert_int_equal(load_file(&b), CUDA_SUCCESS);
        assert_int_equal(load_memory(&b), CUDA_SUCCESS);
    }
    a_wrapper(&b);
    assert_int_equal(load_memory(&b), CUDA_SUCCESS);
}

/* What a wrapper points to is the program's; a file has nothing to point to. */
static void a_wrapper_in_a_file_is_no_image(void **state) {
    static struct bytes b;
    (void)state;
    a_wrapper(&b);
    assert_int_equal(load_file(&b), CUDA_ERROR_INVALID_IMAGE);
    set(&b, &(struct cu_wrapper){CU_WRAPPER_MAGIC, 2, (void *)16, (void *)16}, sizeof(struct cu_wrapper));
    assert_int_equal(load_file(&b), CUDA_ERROR_INVALID_IMAGE);
}

static void what_is_no_file_and_what_is_empty_is_refused(void **state) {
    static struct bytes b;
    (void)state;
    b.n = 0;
    assert_int_equal(load_file(&b), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(load_path("/tmp"), CUDA_ERROR_FILE_NOT_FOUND);
    assert_int_equal(load_path("/tmp/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
    set(&b, "\177ELF", 4);
    assert_int_equal(load_file(&b), CUDA_ERROR_INVALID_IMAGE); /* cut short */
    b.n = 64;
    assert_int_equal(load_file(&b), CUDA_ERROR_NO_BINARY_FOR_GPU);
    set(&b, "a", 2);
    assert_int_equal(load_file(&b), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(load_memory(&b), CUDA_ERROR_INVALID_IMAGE);
}

/* A text may end anywhere; of seven bytes even it is no PTX. */
static void an_image_cut_short_is_refused(void **state) {
    static struct bytes b;
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        kinds[k](&b);
        static const size_t cuts[] = {1, 2, 7, 40};
        for (size_t i = 0, whole = b.n; i < sizeof cuts / sizeof *cuts; i++) {
            b.n = i < 2 ? whole - cuts[i] : cuts[i];
            const int code = load_file(&b);
            if (kinds[k] == a_text && i != 2)
                assert_true(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_PTX);
            else
                assert_int_equal(code, CUDA_ERROR_INVALID_IMAGE);
            assert_int_equal(load_memory(&b), code);
        }
    }
}

static void pointers_of_a_wrapper_that_lead_nowhere_are_refused(void **state) {
    static struct bytes b;
    static const void *none[] = {NULL}, *wild[] = {(void *)4096, NULL};
    struct cu_wrapper cut = {CU_WRAPPER_MAGIC, 1, (void *)16, NULL};
    const struct cu_wrapper wrong[] = {{CU_WRAPPER_MAGIC, 1, NULL, NULL},
                                       {CU_WRAPPER_MAGIC, 1, (void *)UINTPTR_MAX, NULL},
                                       {CU_WRAPPER_MAGIC, 2, (void *)4096, none},
                                       {CU_WRAPPER_MAGIC, 2, NULL, wild},
                                       {CU_WRAPPER_MAGIC, 2, NULL, (void *)7}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set(&b, &wrong[i], sizeof wrong[i]);
        assert_int_equal(load_memory(&b), CUDA_ERROR_INVALID_IMAGE);
    }
    set(&b, &cut, 8);
    assert_int_equal(load_memory(&b), CUDA_ERROR_INVALID_IMAGE);
}

static void a_list_of_linked_binaries_without_an_end_is_refused(void **state) {
    static struct bytes fatbin, list, b;
    uint8_t *base, *list_base;
    (void)state;
    plain(&fatbin);
    const void *part = at_the_end(&fatbin, &base);
    set(&list, &part, sizeof part);
    const void *const *at = at_the_end(&list, &list_base);
    set(&b, &(struct cu_wrapper){CU_WRAPPER_MAGIC, 2, NULL, at}, sizeof(struct cu_wrapper));
    assert_int_equal(load_memory(&b), CUDA_ERROR_INVALID_IMAGE);
    munmap(base, ROOM + PAGE);
    munmap(list_base, ROOM + PAGE);
}

/* Registers a program whose host has a managed variable of 16 bytes and whose kernels have one of 64. */
static void a_managed_variable_is_no_larger_than_the_host_s(void **state) {
    static struct fatbin_image im;
    static char sizes[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .b8 same[16] = {1, 2};\n"
                          ".visible .global .align 4 .b8 larger[64] = {1, 2};\n";
    static char host[128], before[128];
    struct cu_wrapper w = {CU_WRAPPER_MAGIC, 1, im.bytes, NULL};
    void *address;
    (void)state;
    for (int fits = 1; fits >= 0; fits--) {
        begin(&im);
        add(&im, PTX, 75, PLAIN, 64, sizes);
        memset(host, 0, sizeof host);
        memset(host + 16, 7, sizeof host - 16);
        memcpy(before, host, sizeof host);
        void **handle = __cudaRegisterFatBinary(&w);
        __heddleManaged(host, host + 16);
        __cudaRegisterVar(handle, host, NULL, fits ? "same" : "larger", 0, 16, 0, 0);
        __cudaRegisterFatBinaryEnd(handle);
        assert_int_equal(cudaGetSymbolAddress(&address, host), fits ? CU_Success : CU_InvalidKernelImage);
        assert_memory_equal(host + 16, before + 16, sizeof host - 16);
        assert_int_equal(host[1], fits ? 2 : 0);
        __cudaUnregisterFatBinary(handle);
    }
}

/* nvcc's code has a pointer, which the module's loading sets. */
static void a_managed_variable_is_as_large_as_the_host_takes_it_for(void **state) {
    static struct fatbin_image im;
    struct cu_wrapper w = {CU_WRAPPER_MAGIC, 1, im.bytes, NULL};
    (void)state;
    for (size_t bytes = 15; bytes <= 17; bytes++) {
        void *pointer = NULL, *address;
        begin(&im);
        add(&im, PTX, 75, PLAIN, 64,
            ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 m[16];\n");
        void **handle = __cudaRegisterFatBinary(&w);
        __cudaRegisterManagedVar(handle, &pointer, NULL, "m", 0, bytes, 0, 0);
        assert_int_equal(cudaGetSymbolAddress(&address, &pointer),
                         bytes == 16 ? CU_Success : CU_InvalidKernelImage);
        assert_true((pointer != NULL) == (bytes == 16));
        __cudaUnregisterFatBinary(handle);
    }
}

/* ---- mutants ---- */

static uint64_t draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Some bytes change; often it is a whole number that does, to one that a reader may trip over. */
static void mutate(struct bytes *b, uint64_t *seed) {
    const uint64_t values[] = {0,         1,          b->n,           b->n - 1,   b->n + 1,
                               INT32_MAX, UINT32_MAX, UINT64_MAX - 7, UINT64_MAX, (uint64_t)1 << 63};
    for (uint64_t changes = 1 + draw(seed) % 3; changes--;) {
        const size_t bytes = (size_t)1 << draw(seed) % 4, at = (size_t)draw(seed) % b->n;
        uint64_t value = values[draw(seed) % (sizeof values / sizeof *values)];
        if (draw(seed) % 2) value = draw(seed);
        for (size_t i = 0; i < bytes && at + i < b->n; i++) b->v[at + i] = (uint8_t)(value >> 8 * i);
    }
    if (draw(seed) % 4 == 0) b->n = 1 + (size_t)draw(seed) % b->n;
}

static void check(const void *image, size_t bytes) {
    struct cu_texts t = {0};
    int code = cu_image_texts(image, bytes, 75, &t);
    assert_true(code == CU_Success || code == CU_InvalidKernelImage || code == CU_NoKernelImageForDevice);
    if (!code) assert_true(t.count > 0);
    for (size_t i = 0; i < t.count; i++) assert_int_equal(strlen(t.list[i].text), t.list[i].bytes);
    cu_texts_free(&t);
}

static void check_both(const struct bytes *b) {
    uint8_t *base, *exact = malloc(b->n ? b->n : 1);
    assert_non_null(exact);
    check(memcpy(exact, b->v, b->n), b->n);
    free(exact);
    check(at_the_end(b, &base), CU_UNSIZED);
    munmap(base, ROOM + PAGE);
}

static void an_image_cut_short_anywhere_is_read_no_further(void **state) {
    static struct bytes b;
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        kinds[k](&b);
        for (; b.n; b.n--) check_both(&b);
    }
}

static void mutants_are_read_no_further_than_they_are(void **state) {
    enum { EACH = 5000 };
    static struct bytes b;
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (uint64_t i = 0; i < EACH; i++) {
            uint64_t seed = k * EACH + i;
            kinds[k](&b);
            mutate(&b, &seed);
            check_both(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_of_all_kinds_load_from_files_and_from_memory),
        cmocka_unit_test(a_wrapper_in_a_file_is_no_image),
        cmocka_unit_test(what_is_no_file_and_what_is_empty_is_refused),
        cmocka_unit_test(an_image_cut_short_is_refused),
        cmocka_unit_test(pointers_of_a_wrapper_that_lead_nowhere_are_refused),
        cmocka_unit_test(a_list_of_linked_binaries_without_an_end_is_refused),
        cmocka_unit_test(a_managed_variable_is_no_larger_than_the_host_s),
        cmocka_unit_test(a_managed_variable_is_as_large_as_the_host_takes_it_for),
        cmocka_unit_test(an_image_cut_short_anywhere_is_read_no_further),
        cmocka_unit_test(mutants_are_read_no_further_than_they_are),
    };
    set_up();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
