// A stand-in for the CUDA driver: host memory, and a log of the calls.
//
// Its one kernel adds 1 to the 16 numbers of 32 bits behind the first parameter, or does
// what STUB_KERNEL says. Environment: STUB_LOG, the file of the log; STUB_CHIP, as 90;
// STUB_DEVICES, how many there are; STUB_FAIL, a function and the error that it returns,
// as cuLaunchKernel=700.

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
  *value = attribute == 75 ? chip / 10 : attribute == 76 ? chip % 10 : -1;
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
  return 0;
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

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  CALL(cuLaunchKernel, "%p grid %u %u %u block %u %u %u shared %u %p %p %d",
       function, gx, gy, gz, bx, by, bz, shared, stream, (void *)extra,
       *(int *)parameters[1]);
  const char *kernel = setting("STUB_KERNEL", "add");
  int *numbers = *(int **)parameters[0];
  for (int i = 0; i < 16; ++i)
    numbers[i] += !strcmp(kernel, "wrong") && i == 5 ? 7 : 1;
  if (!strcmp(kernel, "outside"))
    numbers[16] = 1;
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

int cuEventDestroy_v2(void *event) {
  CALL(cuEventDestroy_v2, "%p", event);
  return 0;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == 700 ? "an illegal memory access" : "an error of the stub";
  return 0;
}
