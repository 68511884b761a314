//===- Device.cpp - The stand-in's device, memory, streams and events -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device with one context. Work is done when it is asked for, so streams
// have no state and synchronisation returns at once. Sources: CUDA Driver API,
// "Device Management", "Context Management", "Memory Management", "Unified
// Addressing", "Stream Management", "Event Management", "Driver Entry Point
// Access".
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

struct Event {
  std::chrono::steady_clock::time_point time;
};

namespace {

using Context = void *;

// What the launcher relies on of memory that cuMemAlloc gives.
constexpr size_t alignmentBytes = 256;

std::mutex mutex;
std::unordered_map<int, int> deviceAttributes;
std::map<Address, size_t> allocations;
int driverVersion = 0;
int contextStorage;

Context theContext() { return &contextStorage; }

template <typename T> int give(T *where, T value) {
  if (!where)
    return InvalidValue;
  *where = value;
  return Success;
}

int allocate(void **memory, size_t size) {
  if (!size)
    return InvalidValue;
  size_t rounded =
      (size + alignmentBytes - 1) / alignmentBytes * alignmentBytes;
  *memory = std::aligned_alloc(alignmentBytes, rounded);
  if (!*memory)
    return OutOfMemory;
  std::lock_guard<std::mutex> lock(mutex);
  allocations[reinterpret_cast<Address>(*memory)] = size;
  return Success;
}

int release(Address address) {
  if (!address)
    return Success;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!allocations.erase(address))
      return InvalidValue;
  }
  std::free(reinterpret_cast<void *>(address));
  return Success;
}

} // namespace

/// Sets what the device says of itself.
STANDIN_EXPORT void standinSetAttribute(int attribute, int value) {
  std::lock_guard<std::mutex> lock(mutex);
  deviceAttributes[attribute] = value;
}

/// Sets what the driver says of itself, as 13040.
STANDIN_EXPORT void standinSetVersion(int version) { driverVersion = version; }

void recordEvent(Event *event) {
  event->time = std::chrono::steady_clock::now();
}

STANDIN_EXPORT int cuInit(unsigned) { return Success; }

STANDIN_EXPORT int cuDriverGetVersion(int *version) {
  return give(version, driverVersion);
}

STANDIN_EXPORT int cuGetErrorString(int error, const char **text) {
  static const std::unordered_map<int, const char *> texts = {
      {Success, "no error"},
      {InvalidValue, "invalid argument"},
      {OutOfMemory, "out of memory"},
      {InvalidImage, "kernel image is not one of the stand-in tileiras"},
      {InvalidHandle, "invalid resource handle"},
      {NotFound, "named symbol not found"},
      {LaunchFailed, "the kernel failed"},
      {NotSupported, "not supported without a GPU"},
  };
  auto found = texts.find(error);
  *text = found == texts.end() ? nullptr : found->second;
  return *text ? Success : InvalidValue;
}

STANDIN_EXPORT int cuDeviceGet(int *device, int ordinal) {
  return ordinal ? 101 : give(device, 0);
}

STANDIN_EXPORT int cuDeviceGetCount(int *count) { return give(count, 1); }

STANDIN_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = deviceAttributes.find(attribute);
  return give(value, found == deviceAttributes.end() ? 0 : found->second);
}

STANDIN_EXPORT int cuDevicePrimaryCtxRetain(Context *context, int) {
  return give(context, theContext());
}

STANDIN_EXPORT int cuCtxSynchronize() { return Success; }
STANDIN_EXPORT int cuCtxPushCurrent_v2(Context) { return Success; }
STANDIN_EXPORT int cuCtxSetCurrent(Context) { return Success; }

STANDIN_EXPORT int cuCtxPopCurrent_v2(Context *context) {
  return context ? give(context, theContext()) : Success;
}

STANDIN_EXPORT int cuCtxGetCurrent(Context *context) {
  return give(context, theContext());
}

STANDIN_EXPORT int cuCtxGetDevice(int *device) { return give(device, 0); }

STANDIN_EXPORT int cuCtxGetDevice_v2(int *device, Context) {
  return give(device, 0);
}

STANDIN_EXPORT int cuCtxGetId(Context, Address *id) {
  return give(id, Address{1});
}

STANDIN_EXPORT int cuMemAlloc_v2(Address *address, size_t size) {
  void *memory = nullptr;
  int status = allocate(&memory, size);
  *address = reinterpret_cast<Address>(memory);
  return status;
}

STANDIN_EXPORT int cuMemAllocHost_v2(void **memory, size_t size) {
  return allocate(memory, size);
}

STANDIN_EXPORT int cuMemFree_v2(Address address) { return release(address); }

STANDIN_EXPORT int cuMemFreeHost(void *memory) {
  return release(reinterpret_cast<Address>(memory));
}

STANDIN_EXPORT int cuMemGetAddressRange_v2(Address *base, size_t *size,
                                           Address address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return NotFound;
  auto [start, bytes] = *std::prev(next);
  if (address >= start + bytes)
    return NotFound;
  if (base)
    *base = start;
  if (size)
    *size = bytes;
  return Success;
}

STANDIN_EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *from,
                                        size_t size, void *) {
  std::memcpy(reinterpret_cast<void *>(to), from, size);
  return Success;
}

STANDIN_EXPORT int cuPointerGetAttribute(void *value, int attribute,
                                         Address address) {
  switch (attribute) {
  case 1: // CU_POINTER_ATTRIBUTE_CONTEXT
    return give(static_cast<Context *>(value), theContext());
  case 2: // CU_POINTER_ATTRIBUTE_MEMORY_TYPE: CU_MEMORYTYPE_DEVICE
    return give(static_cast<unsigned *>(value), 2U);
  case 3: // CU_POINTER_ATTRIBUTE_DEVICE_POINTER
    return give(static_cast<Address *>(value), address);
  case 9: // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    return give(static_cast<int *>(value), 0);
  default:
    return NotSupported;
  }
}

// Memory cannot be shown to another process.
STANDIN_EXPORT int cuIpcGetMemHandle(void *, Address) { return NotSupported; }
STANDIN_EXPORT int cuIpcOpenMemHandle_v2(Address *, void *, unsigned) {
  return NotSupported;
}
STANDIN_EXPORT int cuIpcCloseMemHandle(Address) { return NotSupported; }

STANDIN_EXPORT int cuStreamCreate(void **stream, unsigned) {
  return give(stream, std::malloc(1));
}

STANDIN_EXPORT int cuStreamDestroy_v2(void *stream) {
  std::free(stream);
  return Success;
}

STANDIN_EXPORT int cuStreamGetCtx(void *, Context *context) {
  return give(context, theContext());
}

STANDIN_EXPORT int cuStreamGetId(void *stream, Address *id) {
  return give(id, reinterpret_cast<Address>(stream));
}

STANDIN_EXPORT int cuStreamIsCapturing(void *, int *status) {
  return give(status, 0);
}

STANDIN_EXPORT int cuStreamSynchronize(void *) { return Success; }
STANDIN_EXPORT int cuStreamWaitEvent(void *, Event *, unsigned) {
  return Success;
}

STANDIN_EXPORT int cuEventCreate(Event **event, unsigned) {
  return give(event, new Event());
}

STANDIN_EXPORT int cuEventDestroy_v2(Event *event) {
  delete event;
  return Success;
}

STANDIN_EXPORT int cuEventQuery(Event *) { return Success; }

STANDIN_EXPORT int cuEventRecord(Event *event, void *) {
  if (!event)
    return InvalidHandle;
  recordEvent(event);
  return Success;
}

STANDIN_EXPORT int cuEventElapsedTime_v2(float *milliseconds, Event *start,
                                         Event *end) {
  if (!start || !end)
    return InvalidHandle;
  std::chrono::duration<float, std::milli> passed = end->time - start->time;
  return give(milliseconds, passed.count());
}

// Kernels of this device have no tensor maps: their launcher makes these.
STANDIN_EXPORT int cuTensorMapEncodeTiled() { return NotSupported; }

STANDIN_EXPORT int cuGetProcAddress_v2(const char *name, void **function,
                                       int version, uint64_t, int *found) {
#define ENTRY(name, suffix)                                                    \
  {                                                                            \
    #name, reinterpret_cast<void *>(name##suffix)                              \
  }
  static const std::unordered_map<std::string, void *> entries = {
      ENTRY(cuInit, ),
      ENTRY(cuDriverGetVersion, ),
      ENTRY(cuGetErrorString, ),
      ENTRY(cuDeviceGet, ),
      ENTRY(cuDeviceGetCount, ),
      ENTRY(cuDeviceGetAttribute, ),
      ENTRY(cuDevicePrimaryCtxRetain, ),
      ENTRY(cuCtxSynchronize, ),
      ENTRY(cuCtxPushCurrent, _v2),
      ENTRY(cuCtxPopCurrent, _v2),
      ENTRY(cuCtxGetCurrent, ),
      ENTRY(cuCtxSetCurrent, ),
      ENTRY(cuCtxGetDevice, ),
      ENTRY(cuCtxGetId, ),
      ENTRY(cuMemAlloc, _v2),
      ENTRY(cuMemAllocHost, _v2),
      ENTRY(cuMemFree, _v2),
      ENTRY(cuMemFreeHost, ),
      ENTRY(cuMemGetAddressRange, _v2),
      ENTRY(cuMemcpyHtoDAsync, _v2),
      ENTRY(cuPointerGetAttribute, ),
      ENTRY(cuIpcGetMemHandle, ),
      ENTRY(cuIpcOpenMemHandle, _v2),
      ENTRY(cuIpcCloseMemHandle, ),
      ENTRY(cuStreamCreate, ),
      ENTRY(cuStreamDestroy, _v2),
      ENTRY(cuStreamGetCtx, ),
      ENTRY(cuStreamGetId, ),
      ENTRY(cuStreamIsCapturing, ),
      ENTRY(cuStreamSynchronize, ),
      ENTRY(cuStreamWaitEvent, ),
      ENTRY(cuEventCreate, ),
      ENTRY(cuEventDestroy, _v2),
      ENTRY(cuEventQuery, ),
      ENTRY(cuEventRecord, ),
      ENTRY(cuEventElapsedTime, _v2),
      ENTRY(cuTensorMapEncodeTiled, ),
      ENTRY(cuGetProcAddress, _v2),
  };
#undef ENTRY
  std::string wanted = name;
  auto place = entries.find(wanted);
  *function = place == entries.end() ? findLaunchEntry(name) : place->second;
  // Since CUDA 13 this one also takes the context.
  if (wanted == "cuCtxGetDevice" && version >= 13000)
    *function = reinterpret_cast<void *>(cuCtxGetDevice_v2);
  if (found)
    *found = *function ? 0 : 1; // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  return *function ? Success : NotFound;
}
