// The same library from C++: how many threads of a grid have an odd number, counted with an atomic.
#include <heddle.h>

#include <cstdio>
#include <memory>

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .u32 odd;
.visible .entry count()
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p, %r1, 0;
    @%p ret;
    atom.global.add.u32 %r2, [odd], 1;
    ret;
}
)";

int main() {
    hd_device *raw = nullptr;
    hd_status s = hd_device_open(nullptr, &raw);
    std::unique_ptr<hd_device, decltype(&hd_device_close)> dev(raw, hd_device_close);

    hd_module *mod = nullptr;
    hd_kernel *kernel = nullptr;
    uint64_t odd = 0;
    uint32_t count = 0;
    hd_launch launch{};
    launch.grid[0] = 10;
    launch.block[0] = 100;
    if (!s) s = hd_module_load(raw, "count.ptx", ptx, 0, &mod);
    if (!s) s = hd_module_kernel(mod, "count", &kernel);
    if (!s) s = hd_module_symbol(mod, "odd", &odd, nullptr);
    if (!s) s = hd_run(kernel, &launch, nullptr, 0);
    if (!s) s = hd_copy_out(raw, &count, odd, sizeof count);
    if (s) return std::fprintf(stderr, "%s: %s\n", hd_status_name(s), hd_error(raw)), 1;
    std::printf("count: %u of 1000 threads are odd\n", count);
    return count != 500;
}
