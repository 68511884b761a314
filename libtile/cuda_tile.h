/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off: it would flow the example into one line. */
/* libtile: the compiler of CUDA Tile IR for C, and for all that can call C.
 *
 *     cuda_tile_compiler *c = cuda_tile_create(NULL);
 *     cuda_tile_result *r =
 *         cuda_tile_compile(c, data, size, "k.tileirbc", "sm_90", NULL);
 *     if (cuda_tile_status(r) != CUDA_TILE_OK)
 *       fprintf(stderr, "%s: %s\n", cuda_tile_place(r), cuda_tile_message(r));
 *
 * The compiler is in Python. A `cuda_tile_compiler` is a child process that has
 * it loaded; this library starts it at the first call and talks to it over a
 * socket. So nothing of LLVM or Python is in the caller's process, and an end
 * of the child is an error of one call: the next call starts another.
 *
 * Contract
 *   - Kernels are text or bytecode of Tile IR, as all tools read them; `name`
 *     is what messages call the file, NULL for none.
 *   - Threads may share a compiler: calls take turns. Several compilers run
 *     side by side. A fork may not use the compilers of its parent.
 *   - Signals are not touched.
 *   - Pointers of a result live until `cuda_tile_free`; texts are UTF-8 and
 *     never NULL. A result is NULL only without memory; all functions take NULL
 *     for a result.
 *   - The ABI is that of libtile.so.1: functions are added to it, none changes.
 */
/* clang-format on */
#ifndef CUDA_TILE_H
#define CUDA_TILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_TILE_API __attribute__((visibility("default")))

typedef struct cuda_tile_compiler cuda_tile_compiler;
typedef struct cuda_tile_result cuda_tile_result;

/* What a result says. Values are never changed; more may come. */
enum {
  CUDA_TILE_OK = 0,
  CUDA_TILE_REFUSED =
      1, /* the kernel or a choice is at fault: message, place */
  CUDA_TILE_UNSUPPORTED = 2, /* valid, but not supported: message, place */
  CUDA_TILE_INTERNAL = 70,   /* a fault of the compiler, or its process ended */
  CUDA_TILE_NO_COMPILER = 71, /* the child cannot be started: message */
  CUDA_TILE_NO_MEMORY = 72
};

/* A compiler, not started yet. `python` is the interpreter that has the package
 * cuda_tile; NULL for that of $CUDA_TILE_PYTHON, else "python3" of $PATH. NULL
 * only without memory. */
CUDA_TILE_API cuda_tile_compiler *cuda_tile_create(const char *python);

/* Ends the child. No call may be running. NULL does nothing. */
CUDA_TILE_API void cuda_tile_destroy(cuda_tile_compiler *compiler);

/* Data: text with the versions of compiler, LLVM, ptxas and bytecode, as JSON.
 */
CUDA_TILE_API cuda_tile_result *cuda_tile_version(cuda_tile_compiler *compiler);

/* Reads and verifies a kernel. No data. */
CUDA_TILE_API cuda_tile_result *cuda_tile_check(cuda_tile_compiler *compiler,
                                                const void *kernel, size_t size,
                                                const char *name);

/* Data: the kernel as text of Tile IR. */
CUDA_TILE_API cuda_tile_result *
cuda_tile_disassemble(cuda_tile_compiler *compiler, const void *kernel,
                      size_t size, const char *name);

/* Data: the cubin. `gpu` is a chip such as "sm_90". `options` is NULL or a JSON
 * object with fields of cuda_tile.Options such as {"abi": "tile"}; "emit":
 * "ptx" gives PTX. Warnings are in the message. */
CUDA_TILE_API cuda_tile_result *
cuda_tile_compile(cuda_tile_compiler *compiler, const void *kernel, size_t size,
                  const char *name, const char *gpu, const char *options);

/* One of the values above. */
CUDA_TILE_API int cuda_tile_status(const cuda_tile_result *result);

/* What is wrong and what to do; of a success its warnings, "" for none. */
CUDA_TILE_API const char *cuda_tile_message(const cuda_tile_result *result);

/* Where: "FILE:LINE:COLUMN", "" if no place is at fault. */
CUDA_TILE_API const char *cuda_tile_place(const cuda_tile_result *result);

/* The data and its size (`size` may be NULL); a zero byte, not counted,
 * follows. */
CUDA_TILE_API const void *cuda_tile_data(const cuda_tile_result *result,
                                         size_t *size);

/* How to launch the kernels of a compilation, as JSON (docs/launch.md); else
 * "". */
CUDA_TILE_API const char *
cuda_tile_launch_record(const cuda_tile_result *result);

/* Frees a result. NULL does nothing. */
CUDA_TILE_API void cuda_tile_free(cuda_tile_result *result);

#ifdef __cplusplus
}
#endif
#endif
