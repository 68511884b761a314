// CUB's collectives of warps and blocks, and its device-wide scan.

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int kThreads = 64, kItems = 4;

// Keys with values, sorted over the block; loaded and stored through shared memory.
template <int without> __global__ void sort(const int *keys, const float *values,
                                            int *sorted_keys, float *sorted_values) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems, float>;
  using Store = cub::BlockStore<float, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } shared;
  int key[kItems];
  float value[kItems];
  Load(shared.load).Load(keys, key);
  for (int k = 0; k < kItems; ++k)
    value[k] = values[threadIdx.x * kItems + k];
  if constexpr (without != 1)
    __syncthreads();
  Sort(shared.sort).Sort(key, value);
  for (int k = 0; k < kItems; ++k)
    sorted_keys[threadIdx.x * kItems + k] = key[k];
  __syncthreads();
  Store(shared.store).Store(sorted_values, value);
}

// Each collective is used twice with one storage.
template <int without> __global__ void scans(const int *x, int *y, int *extremes) {
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Raking = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_RAKING>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Scan::TempStorage scan;
  __shared__ typename Raking::TempStorage raking;
  __shared__ typename Reduce::TempStorage reduce;
  int i = threadIdx.x, v = x[i], sum, total, before, third;
  Scan(scan).InclusiveSum(v, sum, total);
  if constexpr (without != 1)
    __syncthreads();
  Scan(scan).ExclusiveScan(v, before, -1000, cuda::maximum<int>{});
  Raking(raking).ExclusiveSum(v, third);
  int top = Reduce(reduce).Reduce(v, cuda::maximum<int>{});
  if constexpr (without != 2)
    __syncthreads();
  int bottom = Reduce(reduce).Reduce(v, cuda::minimum<int>{});
  y[i] = sum + 3 * before + 5 * third;
  if (i == 0) {
    extremes[0] = top;
    extremes[1] = total;
    extremes[2] = bottom;
  }
}

extern "C" __global__ void warps(const int *x, int *y) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reduce[kThreads / 16];
  __shared__ typename Scan::TempStorage scan[kThreads / 32];
  int i = threadIdx.x, before;
  int sum = Reduce(reduce[i / 16]).Sum(x[i]);
  Scan(scan[i / 32]).ExclusiveScan(x[i], before, -1000, cuda::maximum<int>{});
  y[2 * i] = i % 16 == 0 ? sum : 0;
  y[2 * i + 1] = before;
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts) {
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 32,
                                        cub::BLOCK_HISTO_SORT>;
  __shared__ typename Histogram::TempStorage shared;
  __shared__ unsigned bins[32];
  unsigned char mine[kItems];
  for (int k = 0; k < kItems; ++k)
    mine[k] = x[threadIdx.x * kItems + k];
  Histogram(shared).Histogram(mine, bins);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 32; bin += kThreads)
    counts[bin] = bins[bin];
}

template __global__ void sort<0>(const int *, const float *, int *, float *);
template __global__ void sort<1>(const int *, const float *, int *, float *);
template __global__ void scans<0>(const int *, int *, int *);
template __global__ void scans<1>(const int *, int *, int *);
template __global__ void scans<2>(const int *, int *, int *);
