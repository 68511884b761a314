//===- Launch.cpp - The stand-in's kernels, launches and graphs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel image is what the stand-in `tileiras` writes: a head of 24
// characters, "CUDATILE" and the number of bytes that follow, in decimal, and
// then the bytecode. Python prepares a launch, reading the parameters, and runs
// it, at once or when the graph is launched that holds it. Sources: CUDA Driver
// API, "Library Management", "Execution Control", "Graph Management".
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr char magic[] = "CUDATILE";
constexpr size_t headBytes = 24;

/// Reads the parameters of a launch; gives a number for the prepared launch.
using Prepare = int (*)(const char *image, size_t size, const char *entry,
                        const Extents *extents, void **parameters,
                        uint64_t *token);
/// Runs a prepared launch, or forgets it.
using ByToken = int (*)(uint64_t token);

Prepare onPrepare = nullptr;
ByToken onRun = nullptr;
ByToken onDrop = nullptr;

struct Library;

struct Kernel {
  Library *library;
  std::string name;
};

struct Library {
  std::string image;
  std::map<std::string, Kernel> kernels;
};

/// A prepared launch.
class Prepared {
public:
  explicit Prepared(uint64_t token) : token(token) {}
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;
  ~Prepared() { onDrop(token); }

  int run() const { return onRun(token); }

private:
  uint64_t token;
};

int prepare(Kernel *kernel, const Extents &extents, void **parameters,
            std::shared_ptr<Prepared> &prepared) {
  if (!kernel)
    return InvalidHandle;
  if (!onPrepare)
    return NotSupported;
  const std::string &image = kernel->library->image;
  uint64_t token = 0;
  int status = onPrepare(image.data(), image.size(), kernel->name.c_str(),
                         &extents, parameters, &token);
  if (!status)
    prepared = std::make_shared<Prepared>(token);
  return status;
}

int launch(Kernel *kernel, const Extents &extents, void **parameters) {
  std::shared_ptr<Prepared> prepared;
  int status = prepare(kernel, extents, parameters, prepared);
  return status ? status : prepared->run();
}

/// CUlaunchConfig.
struct LaunchConfig {
  Extents extents;
  unsigned sharedBytes;
  void *stream;
  void *attributes;
  unsigned attributeCount;
};

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Kernel *function;
  Extents extents;
  unsigned sharedBytes;
  void **parameters;
  void **extra;
  Kernel *kernel;
  void *context;
};

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct MemsetNode {
  Address to;
  size_t pitchBytes;
  unsigned value;
  unsigned elementBytes;
  size_t width;
  size_t height;
};

/// CUDA_MEM_ALLOC_NODE_PARAMS_v1.
struct AllocationNode {
  char pool[88]; // CUmemPoolProps
  const void *accesses;
  size_t accessCount;
  size_t sizeBytes;
  Address address;
};

/// What a graph does, in the order in which its nodes were added, which is one
/// of those that their dependencies allow.
struct Graph {
  std::vector<std::function<int()>> nodes;
  std::vector<std::shared_ptr<void>> memory;
};

int add(Graph *graph, void **node, std::function<int()> work) {
  if (!graph || !node)
    return InvalidValue;
  graph->nodes.push_back(std::move(work));
  *node = reinterpret_cast<void *>(graph->nodes.size());
  return Success;
}

int fill(const MemsetNode &node) {
  if (node.elementBytes != 1 && node.elementBytes != 2 &&
      node.elementBytes != 4)
    return InvalidValue;
  for (size_t row = 0; row != node.height; ++row) {
    char *line = reinterpret_cast<char *>(node.to) + row * node.pitchBytes;
    for (size_t column = 0; column != node.width; ++column)
      std::memcpy(line + column * node.elementBytes, &node.value,
                  node.elementBytes);
  }
  return Success;
}

} // namespace

/// Sets what a launch calls.
STANDIN_EXPORT void standinSetLaunch(Prepare prepareLaunch, ByToken runLaunch,
                                     ByToken dropLaunch) {
  onPrepare = prepareLaunch;
  onRun = runLaunch;
  onDrop = dropLaunch;
}

STANDIN_EXPORT int cuLibraryLoadData(Library **library, const char *image,
                                     int *, void **, unsigned, int *, void **,
                                     unsigned) {
  if (std::strncmp(image, magic, sizeof(magic) - 1) != 0)
    return InvalidImage;
  std::string digits(image + sizeof(magic) - 1, headBytes - sizeof(magic) + 1);
  size_t size = std::strtoull(digits.c_str(), nullptr, 10);
  *library = new Library{std::string(image + headBytes, size), {}};
  return Success;
}

STANDIN_EXPORT int cuLibraryUnload(Library *library) {
  delete library;
  return Success;
}

STANDIN_EXPORT int cuLibraryGetKernel(Kernel **kernel, Library *library,
                                      const char *name) {
  if (!library)
    return InvalidHandle;
  *kernel =
      &library->kernels.try_emplace(name, Kernel{library, name}).first->second;
  return Success;
}

// A kernel's handle also stands for its function.
STANDIN_EXPORT int cuKernelGetFunction(Kernel **function, Kernel *kernel) {
  *function = kernel;
  return kernel ? Success : InvalidHandle;
}

STANDIN_EXPORT int cuKernelGetAttribute(int *value, int, Kernel *, int) {
  *value = 0;
  return Success;
}

STANDIN_EXPORT int cuKernelSetAttribute(int, int, Kernel *, int) {
  return Success;
}

STANDIN_EXPORT int cuLaunchKernel(Kernel *kernel, unsigned gridX,
                                  unsigned gridY, unsigned gridZ,
                                  unsigned blockX, unsigned blockY,
                                  unsigned blockZ, unsigned, void *,
                                  void **parameters, void **) {
  Extents extents{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
  return launch(kernel, extents, parameters);
}

STANDIN_EXPORT int cuLaunchKernelEx(const LaunchConfig *config, Kernel *kernel,
                                    void **parameters, void **) {
  return launch(kernel, config->extents, parameters);
}

STANDIN_EXPORT int cuGraphCreate(Graph **graph, unsigned) {
  *graph = new Graph();
  return Success;
}

STANDIN_EXPORT int cuGraphDestroy(Graph *graph) {
  delete graph;
  return Success;
}

STANDIN_EXPORT int cuGraphAddEventRecordNode(void **node, Graph *graph,
                                             const void *, size_t,
                                             Event *event) {
  return add(graph, node, [event] {
    recordEvent(event);
    return Success;
  });
}

STANDIN_EXPORT int cuGraphAddKernelNode_v2(void **node, Graph *graph,
                                           const void *, size_t,
                                           const KernelNode *work) {
  Kernel *kernel = work->function ? work->function : work->kernel;
  std::shared_ptr<Prepared> prepared;
  int status = prepare(kernel, work->extents, work->parameters, prepared);
  if (status)
    return status;
  return add(graph, node, [prepared] { return prepared->run(); });
}

STANDIN_EXPORT int cuGraphAddMemsetNode(void **node, Graph *graph, const void *,
                                        size_t, const MemsetNode *work,
                                        void *) {
  MemsetNode copy = *work;
  return add(graph, node, [copy] { return fill(copy); });
}

STANDIN_EXPORT int cuGraphAddMemAllocNode(void **node, Graph *graph,
                                          const void *, size_t,
                                          AllocationNode *work) {
  std::shared_ptr<void> memory(std::malloc(work->sizeBytes), std::free);
  if (!memory)
    return OutOfMemory;
  work->address = reinterpret_cast<Address>(memory.get());
  int status = add(graph, node, [] { return Success; });
  if (!status)
    graph->memory.push_back(memory);
  return status;
}

// The memory lives as long as the graph and its instances.
STANDIN_EXPORT int cuGraphAddMemFreeNode(void **node, Graph *graph,
                                         const void *, size_t, Address) {
  return add(graph, node, [] { return Success; });
}

STANDIN_EXPORT int cuGraphInstantiateWithFlags(Graph **instance, Graph *graph,
                                               unsigned long long) {
  if (!graph)
    return InvalidValue;
  *instance = new Graph(*graph);
  return Success;
}

STANDIN_EXPORT int cuGraphExecDestroy(Graph *instance) {
  delete instance;
  return Success;
}

STANDIN_EXPORT int cuGraphLaunch(Graph *instance, void *) {
  if (!instance)
    return InvalidHandle;
  for (auto &node : instance->nodes)
    if (int status = node())
      return status;
  return Success;
}

void *findLaunchEntry(const char *name) {
#define ENTRY(name, suffix)                                                    \
  {                                                                            \
    #name, reinterpret_cast<void *>(name##suffix)                              \
  }
  static const std::unordered_map<std::string, void *> entries = {
      ENTRY(cuLibraryLoadData, ),
      ENTRY(cuLibraryUnload, ),
      ENTRY(cuLibraryGetKernel, ),
      ENTRY(cuKernelGetFunction, ),
      ENTRY(cuKernelGetAttribute, ),
      ENTRY(cuKernelSetAttribute, ),
      ENTRY(cuLaunchKernel, ),
      ENTRY(cuLaunchKernelEx, ),
      ENTRY(cuGraphCreate, ),
      ENTRY(cuGraphDestroy, ),
      ENTRY(cuGraphAddEventRecordNode, ),
      ENTRY(cuGraphAddKernelNode, _v2),
      ENTRY(cuGraphAddMemsetNode, ),
      ENTRY(cuGraphAddMemAllocNode, ),
      ENTRY(cuGraphAddMemFreeNode, ),
      ENTRY(cuGraphInstantiateWithFlags, ),
      ENTRY(cuGraphExecDestroy, ),
      ENTRY(cuGraphLaunch, ),
  };
#undef ENTRY
  auto place = entries.find(name);
  return place == entries.end() ? nullptr : place->second;
}
