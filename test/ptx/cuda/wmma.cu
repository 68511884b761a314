// nvcuda::wmma: one tile of a product per warp, of every element type, shape and layout.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// D = A B + C for one tile; `In` is what the arrays hold.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class Sum, class In>
__device__ void product(const In *a, int lda, const In *b, int ldb, const Sum *c, Sum *d,
                        int ldd, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::load_matrix_sync(left, a, lda);
  wmma::load_matrix_sync(right, b, ldb);
  wmma::load_matrix_sync(sum, c, ldd, layout);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d, sum, ldd, layout);
}

#define PRODUCT(name, m, n, k, type, la, lb, sum, in)                                \
  extern "C" __global__ void name(const in *a, int lda, const in *b, int ldb,        \
                                  const sum *c, sum *d, int ldd, int by_columns) {   \
    product<m, n, k, type, wmma::la, wmma::lb>(                                      \
        a, lda, b, ldb, c, d, ldd,                                                   \
        by_columns ? wmma::mem_col_major : wmma::mem_row_major);                     \
  }

PRODUCT(half_square, 16, 16, 16, half, row_major, col_major, float, half)
PRODUCT(half_wide, 8, 32, 16, half, col_major, row_major, float, half)
PRODUCT(half_tall, 32, 8, 16, half, row_major, row_major, half, half)
PRODUCT(brain_square, 16, 16, 16, __nv_bfloat16, col_major, col_major, float, __nv_bfloat16)
PRODUCT(brain_wide, 8, 32, 16, __nv_bfloat16, row_major, col_major, float, __nv_bfloat16)
PRODUCT(tensor_float, 16, 16, 8, wmma::precision::tf32, row_major, col_major, float, float)
PRODUCT(doubles, 8, 8, 4, double, row_major, col_major, double, double)
PRODUCT(bytes_square, 16, 16, 16, signed char, row_major, col_major, int, signed char)
PRODUCT(bytes_tall, 32, 8, 16, unsigned char, col_major, row_major, int, unsigned char)

// A whole product: blocks of 32x32 from tiles in shared memory, four warps, and an
// epilogue on the accumulators' elements.
template <int without>
__global__ void gemm(const half *a, const half *b, float *d, int m, int n, int k,
                     float scale) {
  constexpr int kPadded = 40;
  __shared__ half left[32][kPadded], right[32][kPadded];
  int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int step = 0; step < k; step += 32) {
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) {
      left[i / 32][i % 32] = a[(blockIdx.y * 32 + i / 32) * k + step + i % 32];
      right[i / 32][i % 32] = b[(step + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    if constexpr (without != 1)
      __syncthreads();
    for (int inner = 0; inner < 32; inner += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
      wmma::load_matrix_sync(x, &left[row][inner], kPadded);
      wmma::load_matrix_sync(y, &right[inner][column], kPadded);
      wmma::mma_sync(sum, x, y, sum);
    }
    if constexpr (without != 2)
      __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = fmaxf(sum.x[i] * scale, 0.0f);
  wmma::store_matrix_sync(d + (blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column, sum,
                          n, wmma::mem_row_major);
}

#define GEMM(n)                                                                      \
  template __global__ void gemm<n>(const half *, const half *, float *, int, int, int, \
                                   float)
GEMM(0);
GEMM(1);
GEMM(2);
