/* Devices in threads of their own: each sees its own memory, errors, output and statistics, run after run. */
#include <pthread.h>

#include "api.h"

enum { THREADS = 4, ROUNDS = 40 };

struct worker {
    pthread_t thread;
    unsigned id;
    char failure[256]; /* cmocka's assertions are for the main thread only */
    char printed[8];
};

static void take_text(void *user, const char *text, size_t n) {
    struct worker *w = user;
    snprintf(w->printed, sizeof w->printed, "%.*s", (int)n, text);
}

#define NEED(w, cond)                                                                                    \
    do {                                                                                                 \
        if (!(cond))                                                                                     \
            return (void)snprintf((w)->failure, sizeof(w)->failure, "thread %u: %s: %s", (w)->id, #cond, \
                                  hd_error(dev));                                                        \
    } while (0)

/* One life of a device: results, errors and counts that differ from thread to thread. */
static void one_round(struct worker *w, hd_device *dev) {
    hd_module *mod = NULL;
    hd_kernel *k = NULL;
    uint64_t counter = 0, out = 0;
    uint32_t base = w->id * 1000, got[4];
    double threads = 0;
    char message[128];
    hd_set_print(dev, take_text, w);
    NEED(w, !hd_module_load(dev, "api.ptx", API_PTX, 0, &mod));
    NEED(w, !hd_module_symbol(mod, "counter", &counter, NULL));
    NEED(w, !hd_copy_in(dev, counter, &base, 4));
    NEED(w, !hd_alloc(dev, 16 * (w->id + 1), &out));
    NEED(w, !hd_module_kernel(mod, "lookup", &k));
    hd_arg arg = hd_arg_ptr(out);
    hd_launch l = {.grid = {w->id + 1}, .block = {4}};
    NEED(w, !hd_run(k, &l, &arg, 1));
    NEED(w, !hd_copy_out(dev, got, out, sizeof got));
    for (uint32_t i = 0; i < 4; i++) NEED(w, got[i] == base + 10 * (i + 1));
    NEED(w, !hd_stat(dev, 1, "exec.threads", &threads));
    NEED(w, threads == 4.0 * (w->id + 1));
    snprintf(message, sizeof message, "kernel lookup takes 1 argument, %u given", w->id + 2);
    NEED(w, hd_run(k, &l, &arg, w->id + 2) == HD_INVALID);
    NEED(w, !strcmp(hd_error(dev), message));
    NEED(w, !hd_module_kernel(mod, "says", &k));
    NEED(w, !hd_run(k, &(hd_launch){0}, NULL, 0));
    NEED(w, !strcmp(w->printed, "hi\n"));
}

static void *work(void *arg) {
    struct worker *w = arg;
    for (int i = 0; i < ROUNDS && !*w->failure; i++) {
        hd_device *dev = NULL;
        if (hd_device_open(NULL, &dev))
            snprintf(w->failure, sizeof w->failure, "no device");
        else
            one_round(w, dev);
        hd_device_close(dev);
    }
    return NULL;
}

static void devices_in_threads_do_not_disturb_each_other(void **state) {
    (void)state;
    struct worker w[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        w[i].id = i;
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(w[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) assert_string_equal(w[i].failure, "");
}

/* Two devices in one thread, whose calls are interleaved. */
static void two_devices_in_one_thread_are_apart(void **state) {
    struct api *a = *state, b = {0};
    assert_int_equal(hd_device_open(NULL, &b.dev), HD_OK);
    uint64_t one = api_alloc(a, 16), two = 0;
    uint32_t v = 5;
    WORKS(b.dev, hd_alloc(b.dev, 16, &two));
    WORKS(a->dev, hd_copy_in(a->dev, one, &v, 4));
    WORKS(b.dev, hd_copy_out(b.dev, &v, two, 4));
    assert_int_equal(v, 0);
    assert_int_equal(hd_alloc(b.dev, 0, &two), HD_INVALID);
    assert_string_equal(hd_error(a->dev), "");
    hd_device_close(b.dev);
    WORKS(a->dev, hd_copy_out(a->dev, &v, one, 4));
    assert_int_equal(v, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_in_threads_do_not_disturb_each_other),
        API_TEST(two_devices_in_one_thread_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
