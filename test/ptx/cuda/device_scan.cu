// Makes nvcc instantiate the kernels of CUB's scan over a device, a decoupled look-back.

#include <cub/device/device_scan.cuh>

void scan(const int *x, int *sums, int n, void *scratch, size_t &scratch_bytes) {
  cub::DeviceScan::ExclusiveSum(scratch, scratch_bytes, x, sums, n);
}
