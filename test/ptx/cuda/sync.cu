// Threads, warps and blocks that wait for each other by hand. Each kernel is a template
// whose argument says which of its synchronisations is left out; 0 is the right one.

namespace {

constexpr int kThreads = 128;

__device__ unsigned warp_sum(unsigned x) {
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_xor_sync(0xffffffff, x, step);
  return x;
}

} // namespace

// A tree in shared memory, the last 32 sums by shuffles.
template <int without> __global__ void tree_sum(const unsigned *x, unsigned *sums) {
  __shared__ unsigned cells[kThreads];
  int i = threadIdx.x;
  cells[i] = x[blockIdx.x * kThreads + i];
  if constexpr (without != 1)
    __syncthreads();
  for (int half = kThreads / 2; half >= 32; half /= 2) {
    if (i < half)
      cells[i] += cells[i + half];
    if constexpr (without != 2)
      __syncthreads();
  }
  if (i < 32) {
    unsigned sum = warp_sum(cells[i]);
    if (i == 0)
      sums[blockIdx.x] = sum;
  }
}

// Lanes of a warp pass sums on through shared memory.
template <int without> __global__ void warp_scan(const unsigned *x, unsigned *y) {
  __shared__ unsigned cells[64];
  int i = threadIdx.x, lane = i % 32;
  cells[i] = x[i];
  if constexpr (without != 1)
    __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    unsigned other = lane >= step ? cells[i - step] : 0;
    if constexpr (without != 2)
      __syncwarp();
    cells[i] += other;
    if constexpr (without != 3)
      __syncwarp();
  }
  y[i] = cells[i];
}

// The block that comes last adds the sums of all.
template <int without>
__global__ void last_block(const unsigned *x, unsigned *sums,
                           unsigned *arrived, unsigned *total) {
  __shared__ unsigned parts[kThreads / 32];
  __shared__ bool is_last;
  int i = threadIdx.x;
  unsigned sum = warp_sum(x[blockIdx.x * kThreads + i]);
  if (i % 32 == 0)
    parts[i / 32] = sum;
  __syncthreads();
  if (i == 0) {
    sum = 0;
    for (unsigned part : parts)
      sum += part;
    sums[blockIdx.x] = sum;
    if constexpr (without != 1)
      __threadfence();
    unsigned ticket = atomicInc(arrived, gridDim.x - 1);
    if constexpr (without != 2)
      __threadfence();
    is_last = ticket == gridDim.x - 1;
  }
  if constexpr (without != 3)
    __syncthreads();
  if (is_last && i < 32) {
    sum = i < gridDim.x ? sums[i] : 0;
    sum = warp_sum(sum);
    if (i == 0)
      *total = sum;
  }
}

// Blocks take their number from a counter; each waits for what the one before says of
// all up to it, in plain memory beside a flag.
template <int without>
__global__ void look_back(const unsigned *x, unsigned *y, unsigned *tickets,
                          unsigned *sums, volatile int *flags) {
  __shared__ unsigned cells[kThreads];
  __shared__ unsigned number, before;
  int i = threadIdx.x;
  if (i == 0)
    number = atomicAdd(tickets, 1);
  if constexpr (without != 1)
    __syncthreads();
  unsigned block = number;
  unsigned sum = x[block * kThreads + i];
  cells[i] = sum;
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    unsigned other = i >= step ? cells[i - step] : 0;
    if constexpr (without != 2)
      __syncthreads();
    sum += other;
    cells[i] = sum;
    __syncthreads();
  }
  if (i == kThreads - 1) {
    unsigned others = 0;
    if (block > 0) {
      while (!flags[block - 1])
        __nanosleep(20);
      if constexpr (without != 3)
        __threadfence();
      others = sums[block - 1];
    }
    sums[block] = others + sum;
    if constexpr (without != 4)
      __threadfence();
    flags[block] = 1;
    before = others;
  }
  if constexpr (without != 5)
    __syncthreads();
  y[block * kThreads + i] = sum + before;
}

// Counts in shared memory, then adds them to those of all blocks.
template <int without>
__global__ void histogram(const unsigned char *x, int n, unsigned *counts) {
  __shared__ unsigned mine[64];
  for (int bin = threadIdx.x; bin < 64; bin += blockDim.x)
    mine[bin] = 0;
  if constexpr (without != 1)
    __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    if constexpr (without != 2)
      atomicAdd(&mine[x[i] % 64], 1u);
    else
      ++mine[x[i] % 64];
  }
  if constexpr (without != 3)
    __syncthreads();
  for (int bin = threadIdx.x; bin < 64; bin += blockDim.x)
    atomicAdd(&counts[bin], mine[bin]);
}

// A spin lock around plain additions; lanes of a warp also wait for each other.
template <int without> __global__ void mutex(int *lock, unsigned *value) {
  bool is_done = false;
  while (!is_done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      if constexpr (without != 1)
        __threadfence();
      *value = *value * 3 + 1;
      if constexpr (without != 2)
        __threadfence();
      atomicExch(lock, 0);
      is_done = true;
    }
  }
}

// Work from a counter, by warp.
template <int without>
__global__ void work_queue(const int *x, int n, int *next, int *y) {
  __shared__ int chunk[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  while (true) {
    if (lane == 0)
      chunk[warp] = atomicAdd(next, 32);
    if constexpr (without != 1)
      __syncwarp();
    int i = chunk[warp] + lane;
    if (i - lane >= n)
      break;
    if (i < n)
      y[i] = x[i] * x[i];
    if constexpr (without != 2)
      __syncwarp();
  }
}

// Which threads hold a predicate, over the block: barriers with a reduction.
template <int without> __global__ void votes(const int *x, int *y) {
  __shared__ int cells[kThreads];
  int i = threadIdx.x;
  cells[i] = x[i];
  if constexpr (without != 1)
    __syncthreads();
  int other = cells[kThreads - 1 - i];
  int n = __syncthreads_count(other > 0);
  int all = __syncthreads_and(other > -50), any = __syncthreads_or(other > 48);
  unsigned ballot = __ballot_sync(~0u, other & 1);
  unsigned same = __match_any_sync(~0u, other % 4);
  int agree;
  __match_all_sync(~0u, other >= 0, &agree);
  y[i] = n + 1000 * all + 2000 * any + __popc(ballot & same) + 4000 * agree;
}

template __global__ void tree_sum<0>(const unsigned *, unsigned *);
template __global__ void tree_sum<1>(const unsigned *, unsigned *);
template __global__ void tree_sum<2>(const unsigned *, unsigned *);

template __global__ void warp_scan<0>(const unsigned *, unsigned *);
template __global__ void warp_scan<1>(const unsigned *, unsigned *);
template __global__ void warp_scan<2>(const unsigned *, unsigned *);
template __global__ void warp_scan<3>(const unsigned *, unsigned *);

#define LAST_BLOCK(n)                                                            \
  template __global__ void last_block<n>(const unsigned *, unsigned *,           \
                                         unsigned *, unsigned *)
LAST_BLOCK(0);
LAST_BLOCK(1);
LAST_BLOCK(2);
LAST_BLOCK(3);

#define LOOK_BACK(n)                                                             \
  template __global__ void look_back<n>(const unsigned *, unsigned *,            \
                                        unsigned *, unsigned *, volatile int *)
LOOK_BACK(0);
LOOK_BACK(1);
LOOK_BACK(2);
LOOK_BACK(3);
LOOK_BACK(4);
LOOK_BACK(5);

#define HISTOGRAM(n)                                                             \
  template __global__ void histogram<n>(const unsigned char *, int, unsigned *)
HISTOGRAM(0);
HISTOGRAM(1);
HISTOGRAM(2);
HISTOGRAM(3);

template __global__ void mutex<0>(int *, unsigned *);
template __global__ void mutex<1>(int *, unsigned *);
template __global__ void mutex<2>(int *, unsigned *);

template __global__ void work_queue<0>(const int *, int, int *, int *);
template __global__ void work_queue<1>(const int *, int, int *, int *);
template __global__ void work_queue<2>(const int *, int, int *, int *);

template __global__ void votes<0>(const int *, int *);
template __global__ void votes<1>(const int *, int *);
