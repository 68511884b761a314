// Functions that are really called: by name, by pointer, through a virtual table and
// by themselves, with structures as arguments, and stacks that they share.

#include <alloca.h>
#include <cassert>
#include <cstdio>

namespace {

struct Triple {
  int first;
  double second;
  short third[5];
};

__device__ __noinline__ Triple turned(Triple x, int by) {
  Triple y = x;
  for (int i = 0; i < 5; ++i)
    y.third[i] = x.third[(i + by) % 5];
  y.first = -x.first;
  y.second = x.second / by;
  return y;
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negated(int x) { return -x; }

using Function = int (*)(int);
__device__ Function table[3] = {twice, square, negated};
__constant__ Function fixed = square;

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};

struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

struct Box : Shape {
  float width, height;
  __device__ Box(float w, float h) : width(w), height(h) {}
  __device__ float area() const override { return width * height; }
  __device__ int corners() const override { return 4; }
};

__device__ __noinline__ float measured(const Shape *shape) {
  return shape->area() + 1000.0f * shape->corners();
}

// A level reads what the one above has in its local array.
__device__ __noinline__ int paths(const int *above, int n) {
  if (n < 2)
    return above[n];
  int mine[4];
  for (int i = 0; i < 4; ++i)
    mine[i] = above[i] + n * i;
  int left = paths(mine, n - 1);
  mine[n & 3] += left;
  return paths(mine, n - 2) - left;
}

__device__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

__device__ void sort(int *values, int n) {
  if (n < 2)
    return;
  int pivot = values[n / 2], low = 0, high = n - 1;
  while (low <= high) {
    while (values[low] < pivot)
      ++low;
    while (values[high] > pivot)
      --high;
    if (low <= high) {
      int kept = values[low];
      values[low++] = values[high];
      values[high--] = kept;
    }
  }
  sort(values, high + 1);
  sort(values + low, n - low);
}

} // namespace

extern "C" __global__ void structures(const double *x, double *y) {
  int i = threadIdx.x;
  Triple t = {i, x[i], {1, 2, 3, 4, 5}};
  t = turned(t, i % 5 + 1);
  y[i] = t.second + t.first + t.third[i % 3];
}

extern "C" __global__ void pointers(const int *which, int *y) {
  int i = threadIdx.x;
  y[i] = table[which[i]](i) + fixed(i);
}

extern "C" __global__ void virtuals(const float *x, float *y) {
  int i = threadIdx.x;
  Circle circle(x[i]);
  Box box(x[i], 2.0f);
  const Shape *shape = i % 3 ? static_cast<Shape *>(&circle) : &box;
  y[i] = measured(shape);
}

extern "C" __global__ void recursion(const int *x, int *y) {
  int i = threadIdx.x;
  y[i] = paths(x, i % 9) * 10 + is_even(i);
}

extern "C" __global__ void quicksort(int *x, int n) { sort(x + threadIdx.x * n, n); }

extern "C" __global__ void endless(int *x) { x[0] = paths(x, 1 << 20); }

extern "C" __global__ void stacks(const int *sizes, int *y) {
  int i = threadIdx.x, n = sizes[i];
  int *cells = static_cast<int *>(alloca(n * sizeof(int)));
  for (int k = 0; k < n; ++k)
    cells[k] = k * i;
  int sum = 0;
  for (int k = n - 1; k >= 0; --k)
    sum += cells[k];
  y[i] = sum;
}

extern "C" __global__ void prints(const float *x) {
  int i = threadIdx.x;
  if (i < 2)
    printf("thread %d of %u: %f %s %lld %5.2e %c%%\n", i, blockDim.x, x[i],
           i ? "odd" : "even", 1ll << 40, x[i] / 3, 'a' + i);
}

extern "C" __global__ void asserts(const int *x) { assert(x[threadIdx.x] < 7); }
