// Cooperative groups: tiles, coalesced threads, the grid, and (sm_90) clusters.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Sums of eights, by hand and by the library, and a tile of 64 that spans two warps.
extern "C" __global__ void tiles(const int *x, int *y) {
  __shared__ cg::block_tile_memory<128> scratch;
  cg::thread_block block = cg::this_thread_block(scratch);
  auto eight = cg::tiled_partition<8>(block);
  int i = block.thread_rank(), sum = x[i];
  for (int step = eight.size() / 2; step > 0; step /= 2)
    sum += eight.shfl_down(sum, step);
  sum = eight.shfl(sum, 0);
  int top = cg::reduce(eight, x[i], cg::greater<int>());
  int before = cg::exclusive_scan(eight, x[i]);
  auto wide = cg::tiled_partition<64>(block);
  int all = cg::reduce(wide, x[i], cg::plus<int>());
  y[4 * i] = sum;
  y[4 * i + 1] = top;
  y[4 * i + 2] = before;
  y[4 * i + 3] = all;
}

// Lanes that hold a predicate take places in an array, one atomic per such set.
extern "C" __global__ void filter(const int *x, int n, int *y, int *count) {
  int i = cg::this_grid().thread_rank();
  if (i < n && x[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int start = 0;
    if (active.thread_rank() == 0)
      start = atomicAdd(count, int(active.size()));
    start = active.shfl(start, 0);
    y[start + active.thread_rank()] = x[i];
  }
  auto labels = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), i % 3);
  if (labels.thread_rank() == 0)
    atomicAdd(count + 1 + i % 3, int(labels.size()));
}

// Jacobi steps over the grid, which meets after each.
template <int without>
__global__ void jacobi(float *from, float *to, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 0; step < steps; ++step) {
    if (i > 0 && i < n - 1)
      to[i] = (from[i - 1] + from[i + 1]) * 0.5f;
    else if (i < n)
      to[i] = from[i];
    if constexpr (without != 1)
      grid.sync();
    float *kept = from;
    from = to;
    to = kept;
  }
}

template __global__ void jacobi<0>(float *, float *, int, int);
template __global__ void jacobi<1>(float *, float *, int, int);

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
// A histogram whose bins lie in the shared memory of all blocks of a cluster.
template <int without>
__global__ void __cluster_dims__(4)
    cluster_histogram(const int *x, int n, int *counts) {
  extern __shared__ int bins[];
  cg::cluster_group cluster = cg::this_cluster();
  int mine = 16, rank = cluster.block_rank();
  for (int i = threadIdx.x; i < mine; i += blockDim.x)
    bins[i] = 0;
  if constexpr (without != 1)
    cluster.sync();
  for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
    int bin = x[i] % (mine * int(cluster.num_blocks()));
    atomicAdd(cluster.map_shared_rank(bins, bin / mine) + bin % mine, 1);
  }
  if constexpr (without != 2)
    cluster.sync();
  else
    __syncthreads();
  for (int i = threadIdx.x; i < mine; i += blockDim.x)
    counts[rank * mine + i] = bins[i];
}

template __global__ void cluster_histogram<0>(const int *, int, int *);
template __global__ void cluster_histogram<1>(const int *, int, int *);
template __global__ void cluster_histogram<2>(const int *, int, int *);

// Neighbours of a ring read each other's shared memory; nobody may leave before.
template <int without>
__global__ void __cluster_dims__(4) cluster_ring(const int *x, int *y) {
  __shared__ int cell[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = threadIdx.x, rank = cluster.block_rank();
  cell[i] = x[blockIdx.x * 32 + i];
  auto token = cluster.barrier_arrive();
  if constexpr (without != 1)
    cluster.barrier_wait(std::move(token));
  const int *there = cluster.map_shared_rank(cell, (rank + 1) % 4);
  y[blockIdx.x * 32 + i] = there[31 - i];
  if constexpr (without == 1)
    cluster.barrier_wait(std::move(token));
  if constexpr (without != 2)
    cluster.sync();
}

template __global__ void cluster_ring<0>(const int *, int *);
template __global__ void cluster_ring<1>(const int *, int *);
template __global__ void cluster_ring<2>(const int *, int *);
#endif
