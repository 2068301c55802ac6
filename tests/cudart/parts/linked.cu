// The other half of linked.cu.
static __device__ volatile int mine = 7;
__device__ int total = 100;
__device__ int twice(int x) { return 2 * x; }
__global__ static void there(int *data) { data[threadIdx.x] += mine + total; }
void add_there(int *data) { there<<<1, 32>>>(data); }
