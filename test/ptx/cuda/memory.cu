// Where data lies: constants, globals with initial values, structures as arguments,
// dynamic shared memory; inline PTX, matrices through ldmatrix, clocks, launches.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Node {
  int value;
  const Node *next;
};

__device__ Node third = {5, nullptr};
__device__ Node second = {4, &third};
__device__ Node first = {3, &second};
__device__ float table[2][3] = {{1.5f, -2.0f, 0.25f}, {8.0f}};
__device__ unsigned long long counter = 1ull << 40;
__constant__ short weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__constant__ const char *const words[2] = {"even", "odd"};

struct Matrix {
  float *cells;
  int rows, columns;
  float scale;
};

extern "C" __global__ void globals(int *y) {
  int i = threadIdx.x;
  const Node *node = &first;
  int sum = 0;
  for (int step = 0; step < i % 4; ++step, node = node->next)
    sum = 10 * sum + node->value;
  y[i] = sum + int(4 * table[i & 1][i % 3]) + weights[i % 8] * words[i & 1][i % 3];
  atomicAdd(&counter, 1ull);
  __syncthreads();
  if (i == 0)
    y[blockDim.x] = int(counter - (1ull << 40));
}

// Arguments by value, with a pointer inside, and two arrays in dynamic shared memory.
template <int without>
__global__ void transpose(const Matrix from, Matrix to) {
  extern __shared__ char raw[];
  float *tile = reinterpret_cast<float *>(raw);
  int *rows = reinterpret_cast<int *>(raw + 32 * 33 * sizeof(float));
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    tile[k * 33 + threadIdx.x] =
        y + k < from.rows && x < from.columns
            ? from.cells[(y + k) * from.columns + x] * from.scale
            : 0.0f;
    if (threadIdx.x == 0)
      rows[k] = y + k;
  }
  if constexpr (without != 1)
    __syncthreads();
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    int row = blockIdx.x * 32 + k, column = rows[threadIdx.x];
    if (row < to.rows && column < to.columns)
      to.cells[row * to.columns + column] = tile[threadIdx.x * 33 + k];
  }
}

template __global__ void transpose<0>(const Matrix, Matrix);
template __global__ void transpose<1>(const Matrix, Matrix);

// One mma.m16n8k16 by inline PTX, its operands by ldmatrix.
extern "C" __global__ void inline_mma(const half *a, const half *b, float *d) {
  __shared__ half left[16][16], right[16][8];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32)
    left[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32)
    right[i / 8][i % 8] = b[i];
  __syncwarp();
  unsigned x[4], y[2];
  unsigned where = __cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(where));
  where = __cvta_generic_to_shared(&right[lane % 16][0]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1])
               : "r"(where));
  float sum[4] = {0, 0, 0, 0};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int k = 0; k < 4; ++k)
    d[(lane / 4 + k / 2 * 8) * 8 + lane % 4 * 2 + k % 2] = sum[k];
}

// What depends on time and place only has to go on.
extern "C" __global__ void times(const int *x, int *y) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  long long start = clock64();
  __nanosleep(100);
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  __prof_trigger(1);
  y[threadIdx.x] = x[threadIdx.x] + (clock64() >= start) + (sm < 1000);
}

extern "C" __global__ void texture(cudaTextureObject_t object, float *y) {
  y[threadIdx.x] = tex2D<float>(object, threadIdx.x, 0.5f);
}

extern "C" __global__ void surface(cudaSurfaceObject_t object, float *y) {
  y[threadIdx.x] = surf2Dread<float>(object, threadIdx.x * 4, 0);
}
