// Cooperative groups: blocks, tiles, coalesced threads, partitions, reductions, scans, a barrier of the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
enum { N = 128, ROWS = 16 };

template <unsigned Size> __device__ void tiles(int *out, int row) {
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    const int v = (int)threadIdx.x;
    out[row * N + v] = cg::reduce(tile, v, cg::plus<int>()) + 1000 * (int)tile.meta_group_rank();
    out[(row + 1) * N + v] = cg::inclusive_scan(tile, v) - cg::exclusive_scan(tile, v) + (int)tile.shfl(v, 1);
}
__global__ void groups(int *out) {
    cg::thread_block block = cg::this_thread_block();
    const int v = (int)block.thread_rank();
    tiles<32>(out, 0);
    tiles<4>(out, 2);
    if (v % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        const int rank = (int)some.thread_rank(); /* how many are together is the machine's business */
        out[4 * N + v] = cg::reduce(some, 1, cg::plus<int>()) == (int)some.num_threads();
        out[5 * N + v] = cg::inclusive_scan(some, 1) == rank + 1 && some.shfl(v, rank) == v &&
                         some.shfl_up(rank, 1) == (rank ? rank - 1 : 0) && cg::reduce(some, v, cg::greater<int>()) >= v;
    }
    auto warp = cg::tiled_partition<32>(block);
    cg::coalesced_group label = cg::labeled_partition(warp, v % 5), odd = cg::binary_partition(warp, v & 1);
    out[6 * N + v] = (int)(label.thread_rank() * 1000 + label.num_threads() * 10 + label.meta_group_rank());
    out[7 * N + v] = cg::reduce(odd, v, cg::plus<int>()) + (int)odd.meta_group_size();
    cg::thread_group eight = cg::tiled_partition(block, 8);
    out[8 * N + v] = (int)(eight.thread_rank() * 10 + eight.size());
    double wide = v * 0.5;
    out[9 * N + v] = (int)(2 * warp.shfl_xor(wide, 3)) + (int)(warp.ballot(v % 4 == 1) >> 16) + warp.any(v == 70);
    block.sync();
}
__global__ void rounds(int *data, int n) {
    cg::grid_group grid = cg::this_grid();
    const int i = (int)grid.thread_rank();
    for (int round = 0; round < 4; round++) {
        const int other = data[(i + 1) % n];
        grid.sync();
        data[i] += other;
        grid.sync();
    }
}

static int want(int row, int v) {
    const int warp = v / 32 * 32, four = v / 4 * 4;
    int label = 0, labels = 0, sum = 0;
    for (int i = warp; i < warp + 32; i++) {
        label += i % 5 == v % 5 && i < v, labels += i % 5 == v % 5;
        if ((i & 1) == (v & 1)) sum += i;
    }
    const int first = v % 5 - warp % 5 + (v % 5 < warp % 5 ? 5 : 0);
    switch (row) {
    case 0: return 32 * warp + 496 + 1000 * (warp / 32);
    case 1: return v + warp + 1;
    case 2: return 4 * four + 6 + 1000 * (four / 4);
    case 3: return v + four + 1;
    case 4:
    case 5: return v % 3 == 0;
    case 6: return label * 1000 + labels * 10 + first;
    case 7: return sum + 2;
    case 8: return v % 8 * 10 + 8;
    default: return (v ^ 3) + 0x2222 + (warp == 64);
    }
}

int main() {
    static int host[ROWS * N];
    int *device, wrong = 0;
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    groups<<<1, N>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int row = 0; row < 10; row++)
        for (int v = 0; v < N; v++)
            if (host[row * N + v] != want(row, v) && wrong++ < 5)
                printf("row %d thread %d: %d, not %d\n", row, v, host[row * N + v], want(row, v));
    printf("%s tiles, coalesced threads, partitions\n", wrong ? "not ok" : "ok");

    int n = 4 * 64, fine = 1, expected[256];
    for (int i = 0; i < n; i++) host[i] = expected[i] = i * i % 17;
    cudaMemcpy(device, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice);
    void *args[] = {&device, &n};
    if (cudaLaunchCooperativeKernel(rounds, dim3(4), dim3(64), args)) fine = 0;
    cudaMemcpy(host, device, (size_t)n * sizeof *host, cudaMemcpyDeviceToHost);
    for (int round = 0; round < 4; round++) {
        int next[256];
        for (int i = 0; i < n; i++) next[i] = expected[i] + expected[(i + 1) % n];
        for (int i = 0; i < n; i++) expected[i] = next[i];
    }
    for (int i = 0; i < n; i++) fine &= host[i] == expected[i];
    printf("%s a barrier of the grid\n", fine ? "ok" : "not ok");
    return wrong || !fine;
}
