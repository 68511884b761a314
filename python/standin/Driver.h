//===- Driver.h - Parts of the stand-in for the CUDA driver -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that programs for CUDA load in place of the driver, on a machine
// that has none. Device memory is host memory, a launch calls back into Python.
// Numbers and structures are those of the CUDA Driver API ("Data types used by
// CUDA driver"); only what is used here is named.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_STANDIN_DRIVER_H
#define CUDA_TILE_STANDIN_DRIVER_H

#include <cstddef>
#include <cstdint>

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

/// CUresult.
enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InvalidImage = 200,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailed = 719,
  NotSupported = 801,
};

using Address = unsigned long long;
struct Event;

/// Grid and block of a launch, in the order of the driver's parameters.
struct Extents {
  unsigned grid[3];
  unsigned block[3];
};

/// The address of the function that the driver's entry `name` has here, or
/// null. Version suffixes are left out, as for cuGetProcAddress.
void *findLaunchEntry(const char *name);

/// Takes the time for an event.
void recordEvent(Event *event);

#endif // CUDA_TILE_STANDIN_DRIVER_H
