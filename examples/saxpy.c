/* Loads saxpy.ptx, runs it over 1000 elements, reads the result back, checks it and prints what it cost.
 *
 * After make, from the root of the repository:
 *
 *     cc -Iinclude examples/saxpy.c build/libheddle.a -linih -lm -o saxpy && ./saxpy examples/saxpy.ptx */
#include <heddle.h>

#include <stdio.h>

enum { N = 1000, BLOCK = 256 };

/* Every call is one step; the first that fails ends the work, and the device says why. */
static hd_status saxpy(hd_device *dev, const char *path, float a, const float *x, float *y) {
    hd_module *mod;
    hd_kernel *kernel;
    uint64_t dx, dy;
    hd_status s;
    if ((s = hd_module_load_file(dev, path, &mod))) return s;
    if ((s = hd_module_kernel(mod, "saxpy", &kernel))) return s;
    if ((s = hd_alloc(dev, N * sizeof *x, &dx))) return s;
    if ((s = hd_alloc(dev, N * sizeof *y, &dy))) return s;
    if ((s = hd_copy_in(dev, dx, x, N * sizeof *x))) return s;
    if ((s = hd_copy_in(dev, dy, y, N * sizeof *y))) return s;

    hd_arg args[] = {hd_arg_ptr(dy), hd_arg_ptr(dx), hd_arg_f32(a), hd_arg_u32(N)};
    hd_launch launch = {.grid = {(N + BLOCK - 1) / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    if ((s = hd_run(kernel, &launch, args, 4))) return s;
    return hd_copy_out(dev, y, dy, N * sizeof *y);
}

int main(int argc, char **argv) {
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }

    hd_device *dev;
    hd_status s = hd_device_open(NULL, &dev);
    if (!s) s = saxpy(dev, argc > 1 ? argv[1] : "examples/saxpy.ptx", 2.0f, x, y);
    if (s) {
        fprintf(stderr, "%s: %s\n", hd_status_name(s), hd_error(dev));
        hd_device_close(dev);
        return 1;
    }

    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += y[i] != 2.0f * x[i] + 1.0f;
    double insts = 0, activity = 0;
    hd_stat(dev, 0, "exec.thread_insts", &insts);
    hd_stat(dev, 0, "exec.lane_activity", &activity);
    printf("saxpy: %d of %d right, %.0f thread instructions, lanes %.1f %% active\n", N - wrong, N, insts,
           100 * activity);
    hd_device_close(dev);
    return wrong != 0;
}
