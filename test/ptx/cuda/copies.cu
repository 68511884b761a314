// Asynchronous copies to shared memory: pipelines, barriers, bulk copies.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

constexpr int kTile = 64;

// Primitives: two tiles in flight, each thread reads what another one copied.
template <int without>
__global__ void primitives(const float4 *x, float4 *y, int n_tiles) {
  __shared__ float4 tiles[2][kTile];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&tiles[0][i], &x[i], sizeof(float4));
  __pipeline_commit();
  for (int tile = 0; tile < n_tiles; ++tile) {
    if (tile + 1 < n_tiles)
      __pipeline_memcpy_async(&tiles[(tile + 1) % 2][i], &x[(tile + 1) * kTile + i],
                              sizeof(float4));
    if constexpr (without != 1)
      __pipeline_commit();
    if constexpr (without != 2)
      __pipeline_wait_prior(1);
    if constexpr (without != 3)
      __syncthreads();
    float4 v = tiles[tile % 2][kTile - 1 - i];
    y[tile * kTile + i] = make_float4(v.x + v.y, v.y * v.z, v.w, v.x);
    if constexpr (without != 4)
      __syncthreads();
  }
}

// cuda::pipeline with a state in shared memory, all threads both produce and consume.
template <int without>
__global__ void block_pipeline(const int *x, int *y, int n_tiles) {
  constexpr int kStages = 3;
  __shared__ int tiles[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int ahead = 0;
  for (int tile = 0; tile < n_tiles; ++tile) {
    for (; ahead < n_tiles && ahead < tile + kStages; ++ahead) {
      if constexpr (without != 1)
        pipeline.producer_acquire();
      cuda::memcpy_async(block, tiles[ahead % kStages], x + ahead * kTile,
                         cuda::aligned_size_t<16>(sizeof(int) * kTile), pipeline);
      pipeline.producer_commit();
    }
    if constexpr (without != 2)
      pipeline.consumer_wait();
    y[tile * kTile + threadIdx.x] = 3 * tiles[tile % kStages][kTile - 1 - threadIdx.x];
    if constexpr (without != 3)
      pipeline.consumer_release();
  }
}

// One pipeline per thread: nobody else waits.
extern "C" __global__ void own_pipeline(const int *x, int *y) {
  __shared__ int cells[2][kTile];
  auto pipeline = cuda::make_pipeline();
  int i = threadIdx.x, sum = 0;
  for (int half = 0; half < 2; ++half) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&cells[half][i], &x[half * kTile + i], sizeof(int), pipeline);
    pipeline.producer_commit();
  }
  for (int half = 0; half < 2; ++half) {
    if (half == 0)
      cuda::pipeline_consumer_wait_prior<1>(pipeline);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipeline);
    sum = 10 * sum + cells[half][i];
    pipeline.consumer_release();
  }
  y[i] = sum;
}

// cuda::barrier: arrive, do something else, wait; the phases of a stencil.
template <int without>
__global__ void split_barrier(const int *x, int *y, int steps) {
  __shared__ int cells[2][kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  int i = threadIdx.x;
  if (i == 0)
    init(&meeting, kTile);
  __syncthreads();
  int mine = x[i];
  for (int step = 0; step < steps; ++step) {
    cells[step % 2][i] = mine;
    auto token = meeting.arrive();
    mine *= 2;
    if constexpr (without != 1)
      meeting.wait(std::move(token));
    mine += cells[step % 2][(i + 1) % kTile];
    if constexpr (without == 1)
      meeting.wait(std::move(token));
  }
  y[i] = mine;
}

// cooperative_groups::memcpy_async of a warp.
template <int without> __global__ void group_copy(const int *x, int *y) {
  __shared__ int cells[kTile];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int start = warp.meta_group_rank() * 32;
  cg::memcpy_async(warp, cells + start, x + start, 32 * sizeof(int));
  if constexpr (without != 1)
    cg::wait(warp);
  y[threadIdx.x] = cells[start + 31 - warp.thread_rank()];
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
// Bulk copies in and out, by one thread, with a transaction barrier.
template <int without>
__global__ void bulk(const int *x, int *y, int n_tiles) {
  __shared__ alignas(128) int cells[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  int i = threadIdx.x;
  if (i == 0) {
    init(&arrived, kTile);
    if constexpr (without != 1)
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  for (int tile = 0; tile < n_tiles; ++tile) {
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (i == 0) {
      cuda::device::memcpy_async_tx(cells, x + tile * kTile,
                                    cuda::aligned_size_t<16>(sizeof(cells)), arrived);
      token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof(cells));
    } else {
      token = arrived.arrive();
    }
    if constexpr (without != 2)
      arrived.wait(std::move(token));
    int v = cells[kTile - 1 - i];
    if constexpr (without != 3)
      __syncthreads();
    cells[i] = v * v;
    if constexpr (without != 4)
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (i == 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared,
                               y + tile * kTile, cells, sizeof(cells));
      cuda::ptx::cp_async_bulk_commit_group();
      if constexpr (without != 5)
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

#define BULK(n) template __global__ void bulk<n>(const int *, int *, int)
BULK(0);
BULK(2);
BULK(3);
BULK(4);
BULK(5);
#endif

#define PRIMITIVES(n)                                                                \
  template __global__ void primitives<n>(const float4 *, float4 *, int)
PRIMITIVES(0);
PRIMITIVES(1);
PRIMITIVES(2);
PRIMITIVES(3);
PRIMITIVES(4);

template __global__ void block_pipeline<0>(const int *, int *, int);
template __global__ void block_pipeline<1>(const int *, int *, int);
template __global__ void block_pipeline<2>(const int *, int *, int);
template __global__ void block_pipeline<3>(const int *, int *, int);

template __global__ void split_barrier<0>(const int *, int *, int);
template __global__ void split_barrier<1>(const int *, int *, int);

template __global__ void group_copy<0>(const int *, int *);
template __global__ void group_copy<1>(const int *, int *);
