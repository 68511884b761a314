// Atomic operations: CUDA's own on every type, and libcu++'s with all orders and scopes.

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One row of the result per operation; all threads hit the same few cells.
extern "C" __global__ void integers(const int *x, int *cells, unsigned long long *wide,
                                    unsigned short *narrow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i], place = i % 4;
  atomicAdd(&cells[place], v);
  atomicSub(&cells[4 + place], v);
  atomicMin(&cells[8 + place], v);
  atomicMax(&cells[12 + place], v);
  atomicAnd(&cells[16 + place], v | 0xf0f0);
  atomicOr(&cells[20 + place], v);
  atomicXor(&cells[24 + place], v);
  atomicInc(reinterpret_cast<unsigned *>(&cells[28 + place]), 5u);
  atomicDec(reinterpret_cast<unsigned *>(&cells[32 + place]), 7u);
  atomicMin(reinterpret_cast<unsigned *>(&cells[36 + place]), unsigned(v));
  atomicMax(reinterpret_cast<unsigned *>(&cells[40 + place]), unsigned(v));
  atomicAdd(&wide[place], 0x100000001ull * unsigned(v));
  atomicMax(reinterpret_cast<long long *>(&wide[4 + place]), (long long)v << 33);
  atomicMin(&wide[8 + place], (unsigned long long)(unsigned)v << 33);
  atomicXor(&wide[12 + place], (unsigned long long)(unsigned)v << 17);
  // An addition modulo 2^16 made of compare-and-swap.
  unsigned short seen = *(volatile unsigned short *)&narrow[place], before;
  do {
    before = seen;
    seen = atomicCAS(&narrow[place], before, (unsigned short)(before + v));
  } while (seen != before);
}

// Sums of small integers are exact in every float type and order.
extern "C" __global__ void floats(const int *x, float *singles, double *doubles,
                                  __half *halves, __nv_bfloat16 *shorts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i], place = i % 4;
  atomicAdd(&singles[place], float(v));
  atomicAdd(&doubles[place], double(v));
  atomicAdd(&halves[place], __int2half_rn(v % 4));
  atomicAdd(&shorts[place], __int2bfloat16_rn(v % 2));
  atomicAdd(reinterpret_cast<__half2 *>(halves + 4) + place % 2,
            __halves2half2(__int2half_rn(1), __int2half_rn(v % 3)));
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float2 *>(singles + 4), make_float2(1, v));
  atomicAdd(reinterpret_cast<float4 *>(singles + 8), make_float4(v, 2, 3, -v));
#else
  atomicAdd(singles + 4, 1.0f);
  atomicAdd(singles + 5, float(v));
  float four[] = {float(v), 2, 3, float(-v)};
  for (int k = 0; k < 4; ++k)
    atomicAdd(singles + 8 + k, four[k]);
#endif
}

// libcu++: every operation, on 8 to 64 bits, in shared and global memory.
extern "C" __global__ void references(const int *x, int *cells, unsigned char *bytes,
                                      long long *wide) {
  using cuda::atomic_ref;
  using cuda::std::memory_order_acq_rel;
  using cuda::std::memory_order_acquire;
  using cuda::std::memory_order_relaxed;
  using cuda::std::memory_order_release;
  using cuda::std::memory_order_seq_cst;
  __shared__ int inner;
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
  if (threadIdx.x == 0)
    atomic_ref<int, cuda::thread_scope_block>(inner).store(0, memory_order_relaxed);
  __syncthreads();
  atomic_ref<int, cuda::thread_scope_block>(inner).fetch_add(v, memory_order_relaxed);
  atomic_ref<int>(cells[0]).fetch_add(v);
  atomic_ref<int, cuda::thread_scope_device>(cells[1]).fetch_sub(v, memory_order_release);
  atomic_ref<int, cuda::thread_scope_device>(cells[2]).fetch_max(v, memory_order_acquire);
  atomic_ref<int, cuda::thread_scope_system>(cells[3]).fetch_or(v, memory_order_acq_rel);
  atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[i % 4])
      .fetch_add(1, memory_order_relaxed);
  atomic_ref<long long, cuda::thread_scope_device> twice(wide[0]);
  long long seen = twice.load(memory_order_relaxed);
  while (!twice.compare_exchange_weak(seen, seen + 2 * v, memory_order_acq_rel,
                                      memory_order_acquire))
    ;
  atomic_ref<float, cuda::thread_scope_device> sum(reinterpret_cast<float &>(cells[5]));
  sum.fetch_add(float(v), memory_order_seq_cst);
  __syncthreads();
  if (threadIdx.x == 0)
    atomic_ref<int, cuda::thread_scope_device>(cells[4])
        .fetch_add(atomic_ref<int, cuda::thread_scope_block>(inner).exchange(0));
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
// Two 64-bit sums at once by compare-and-swap of 128 bits.
struct alignas(16) Sums {
  long long count, sum;
};

extern "C" __global__ void quads(const int *x, Sums *sums) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  Sums seen = {0, 0}, before;
  do {
    before = seen;
    seen = atomicCAS(sums, before, Sums{before.count + 1, before.sum + v});
  } while (seen.count != before.count || seen.sum != before.sum);
}
#endif

// A message from block to block: data, a flag with release, and an acquire.
template <int without>
__global__ void message(const int *x, int *data, int *flag, int *y) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = x[i] + 1;
    if constexpr (without != 1)
      __syncthreads();
    if (i == 0)
      ready.store(1, without == 2 ? cuda::std::memory_order_relaxed
                                  : cuda::std::memory_order_release);
  } else {
    if (i == 0)
      while (ready.load(without == 3 ? cuda::std::memory_order_relaxed
                                     : cuda::std::memory_order_acquire) == 0)
        ;
    if constexpr (without != 4)
      __syncthreads();
    y[i] = data[i] * 2;
  }
}

// A flag whose scope is too small for who waits.
template <int without>
__global__ void scopes(int *data, int *flag, int *y) {
  constexpr auto scope = without == 1 ? cuda::thread_scope_block : cuda::thread_scope_device;
  cuda::atomic_ref<int, scope> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 5;
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0)
      ;
    *y = *data;
  }
}

#define MESSAGE(n)                                                                   \
  template __global__ void message<n>(const int *, int *, int *, int *)
MESSAGE(0);
MESSAGE(1);
MESSAGE(2);
MESSAGE(3);
MESSAGE(4);

template __global__ void scopes<0>(int *, int *, int *);
template __global__ void scopes<1>(int *, int *, int *);
