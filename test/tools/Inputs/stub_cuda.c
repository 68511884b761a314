/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A stand-in for the CUDA driver: host memory, and a log of the calls.
//
// Its one kernel adds 1 to the 16 numbers of 32 bits behind the first parameter, or does
// what STUB_KERNEL says. It has 3 multiprocessors that hold 2 CTAs each. Environment:
// STUB_LOG, the file of the log; STUB_CHIP, as 90; STUB_DEVICES, how many there are;
// STUB_FAIL, a function and the error that it returns, as cuLaunchKernelEx=700.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *setting(const char *name, const char *otherwise) {
  const char *found = getenv(name);
  return found ? found : otherwise;
}

// Writes one line of the log; gives the error that the function shall return.
#define CALL(name, ...)                                                        \
  do {                                                                         \
    FILE *log = fopen(setting("STUB_LOG", "/dev/null"), "a");                  \
    fprintf(log, #name " " __VA_ARGS__);                                       \
    fprintf(log, "\n");                                                        \
    fclose(log);                                                               \
    const char *fail = setting("STUB_FAIL", "");                               \
    size_t length = strlen(#name);                                             \
    if (!strncmp(fail, #name, length) && fail[length] == '=')                  \
      return atoi(fail + length + 1);                                          \
  } while (0)

int cuInit(unsigned flags) {
  CALL(cuInit, "%u", flags);
  return 0;
}

int cuDeviceGetCount(int *count) {
  CALL(cuDeviceGetCount, " ");
  *count = atoi(setting("STUB_DEVICES", "1"));
  return 0;
}

int cuDeviceGet(int *device, int number) {
  CALL(cuDeviceGet, "%d", number);
  *device = number;
  return 0;
}

int cuDeviceGetName(char *name, int size, int device) {
  CALL(cuDeviceGetName, "%d", device);
  snprintf(name, size, "Stub GPU");
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  CALL(cuDeviceGetAttribute, "%d %d", attribute, device);
  int chip = atoi(setting("STUB_CHIP", "90"));
  *value = attribute == 75   ? chip / 10
           : attribute == 76 ? chip % 10
           : attribute == 16 ? 3
             : attribute == 38 ? 4096
                               : -1;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALL(cuDevicePrimaryCtxRetain, "%d", device);
  *context = (void *)0x10;
  return 0;
}

int cuDevicePrimaryCtxReset_v2(int device) {
  CALL(cuDevicePrimaryCtxReset_v2, "%d", device);
  return 0;
}

int cuCtxSetCurrent(void *context) {
  CALL(cuCtxSetCurrent, "%p", context);
  return 0;
}

int cuCtxSynchronize(void) {
  CALL(cuCtxSynchronize, " ");
  return 0;
}

int cuCtxPushCurrent_v2(void *context) {
  CALL(cuCtxPushCurrent_v2, "%p", context);
  return 0;
}

int cuCtxPopCurrent_v2(void **context) {
  CALL(cuCtxPopCurrent_v2, " ");
  *context = (void *)0x10;
  return 0;
}

int cuStreamSynchronize(void *stream) {
  CALL(cuStreamSynchronize, "%p", stream);
  return 0;
}

// Knows addresses with 7 in the bits from 48 on; the ordinal, attribute 9, is in those
// from 40 on.
int cuPointerGetAttribute(int *value, int attribute, uint64_t address) {
  CALL(cuPointerGetAttribute, "%d", attribute);
  *value = attribute == 9 ? (int)(address >> 40 & 15) : -1;
  return address >> 48 == 7 ? 0 : 1;
}

int cuModuleLoadData(void **module, const char *image) {
  CALL(cuModuleLoadData, "%.3s", image + 1);
  *module = (void *)0x20;
  return 0;
}

int cuModuleUnload(void *module) {
  CALL(cuModuleUnload, "%p", module);
  return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  CALL(cuModuleGetFunction, "%p %s", module, name);
  *function = (void *)0x30;
  return 0;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  CALL(cuFuncSetAttribute, "%p %d %d", function, attribute, value);
  return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
  CALL(cuMemAlloc_v2, "%zu", size);
  *address = (uint64_t)aligned_alloc(256, (size + 255) / 256 * 256);
  return *address ? 0 : 2;
}

int cuMemFree_v2(uint64_t address) {
  CALL(cuMemFree_v2, " ");
  free((void *)address);
  return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  CALL(cuMemcpyHtoD_v2, "%zu", size);
  memcpy((void *)to, from, size);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  CALL(cuMemcpyDtoH_v2, "%zu", size);
  memcpy(to, (void *)from, size);
  return 0;
}

// CUDA Driver API, "Execution Control".
typedef struct {
  unsigned id;
  char padding[8 - sizeof(unsigned)];
  union {
    char bytes[64];
    unsigned cluster[3];
    void *align;
  } value;
} Attribute;

typedef struct {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, shared;
  void *stream;
  Attribute *attributes;
  unsigned count;
} Config;

int cuLaunchKernelEx(const Config *c, void *function, void **parameters,
                     void **extra) {
  // STUB_PARAMETERS: sizes of the parameters to log, as 8,4,128.
  char text[2048] = "";
  int number = 0;
  for (const char *size = setting("STUB_PARAMETERS", ""); *size; ++number) {
    const unsigned char *bytes = parameters[number];
    char *end;
    long count = strtol(size, &end, 10);
    strcat(text, " ");
    for (long i = 0; i < count; ++i)
      sprintf(text + strlen(text), "%02x", bytes[i]);
    size = end + (*end == ',');
  }
  for (unsigned i = 0; i < c->count; ++i)
    sprintf(text + strlen(text), " attribute %u = %u %u %u", c->attributes[i].id,
            c->attributes[i].value.cluster[0], c->attributes[i].value.cluster[1],
            c->attributes[i].value.cluster[2]);
  CALL(cuLaunchKernelEx,
       "%p grid %u %u %u block %u %u %u shared %u stream %p extra %p%s", function,
       c->gridX, c->gridY, c->gridZ, c->blockX, c->blockY, c->blockZ, c->shared,
       c->stream, (void *)extra, text);
  const char *kernel = setting("STUB_KERNEL", "add");
  if (!strcmp(kernel, "nothing"))
    return 0;
  int *numbers = *(int **)parameters[0];
  for (int i = 0; i < 16; ++i)
    numbers[i] += !strcmp(kernel, "wrong") && i == 5 ? 7 : 1;
  if (!strcmp(kernel, "outside"))
    numbers[16] = 1;
  return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *function,
                                                int threads, size_t shared) {
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, "%p %d %zu", function, threads,
       shared);
  *count = 2;
  return 0;
}

// Stands for a map by its number, in the first of its bytes.
int cuTensorMapEncodeTiled(void *map, unsigned type, uint32_t rank, void *address,
                           const uint64_t *extents, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps,
                           unsigned interleave, unsigned swizzle, unsigned l2,
                           unsigned fill) {
  static char made;
  char text[512] = "";
  for (uint32_t i = 0; i < rank; ++i)
    sprintf(text + strlen(text), " (%llu step %u box %u)",
            (unsigned long long)extents[i], steps[i], box[i]);
  for (uint32_t i = 0; i + 1 < rank; ++i)
    sprintf(text + strlen(text), " stride %llu", (unsigned long long)strides[i]);
  const char *first = (uint64_t)map % 64 ? "unaligned" : "aligned";
  unsigned long long word = *(unsigned long long *)address;
  CALL(cuTensorMapEncodeTiled,
       "%s type %u rank %u at %llx%s interleave %u swizzle %u l2 %u fill %u", first,
       type, rank, word, text, interleave, swizzle, l2, fill);
  memset(map, 0, 128);
  *(char *)map = ++made;
  return 0;
}

int cuEventCreate(void **event, unsigned flags) {
  CALL(cuEventCreate, "%u", flags);
  *event = (void *)0x40;
  return 0;
}

int cuEventRecord(void *event, void *stream) {
  CALL(cuEventRecord, "%p %p", event, stream);
  return 0;
}

int cuEventSynchronize(void *event) {
  CALL(cuEventSynchronize, "%p", event);
  return 0;
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  CALL(cuEventElapsedTime, "%p %p", start, end);
  *milliseconds = 0.0125f;
  return 0;
}

int cuMemsetD8Async(uint64_t address, unsigned char value, size_t size,
                    void *stream) {
  CALL(cuMemsetD8Async, "%d %zu %p", value, size, stream);
  memset((void *)address, value, size);
  return 0;
}

int cuEventDestroy_v2(void *event) {
  CALL(cuEventDestroy_v2, "%p", event);
  return 0;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == 700 ? "an illegal memory access" : "an error of the stub";
  return 0;
}
