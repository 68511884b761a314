/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the contract of cuda_tile.h says, tried. */
#include <cuda_tile.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(holds)                                                           \
  do {                                                                         \
    if (!(holds)) {                                                            \
      fprintf(stderr, "%d: %s\n", __LINE__, #holds);                           \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static const char KERNEL[] =
    "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {\n"
    "  %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> "
    "tile<f32>, token\n"
    "  return } }\n";
static const char WRONG[] =
    "cuda_tile.module @m {\n  entry @k() { nothing } }\n";

static cuda_tile_result *compile(cuda_tile_compiler *c, const char *options) {
  return cuda_tile_compile(c, KERNEL, strlen(KERNEL), "k.mlir", "sm_90",
                           options);
}

/* The status, message and place of a result, which is freed. */
static int fails(cuda_tile_result *r, int status, const char *place,
                 const char *said) {
  int holds = cuda_tile_status(r) == status &&
              !strcmp(cuda_tile_place(r), place) &&
              strstr(cuda_tile_message(r), said);
  if (!holds)
    fprintf(stderr, "%d '%s' '%s'\n", cuda_tile_status(r), cuda_tile_place(r),
            cuda_tile_message(r));
  cuda_tile_free(r);
  return holds;
}

static void *compile_often(void *c) {
  for (int i = 0; i < 4; ++i) {
    size_t size;
    cuda_tile_result *r = compile(c, NULL);
    CHECK(cuda_tile_status(r) == CUDA_TILE_OK);
    CHECK(!memcmp(cuda_tile_data(r, &size), "\177ELF", 4) && size > 500);
    cuda_tile_free(r);
  }
  return NULL;
}

/* The child of a thread that blocks and ignores what it can ends all the same.
 */
static void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
}

int main(int count, char **words) {
  cuda_tile_compiler *c = cuda_tile_create(NULL);
  CHECK(c);
  if (count > 2) { /* a compiler that is missing, or ends */
    CHECK(fails(cuda_tile_version(c), atoi(words[1]), "", words[2]));
    cuda_tile_destroy(c);
    return 0;
  }
  cuda_tile_result *r = cuda_tile_version(c);
  CHECK(cuda_tile_status(r) == CUDA_TILE_OK &&
        strstr(cuda_tile_data(r, NULL), "ptxas"));
  cuda_tile_free(r);

  r = cuda_tile_check(c, KERNEL, strlen(KERNEL), NULL);
  size_t size = 1;
  CHECK(cuda_tile_status(r) == CUDA_TILE_OK && !*cuda_tile_message(r));
  CHECK(cuda_tile_data(r, &size) && !size && !*cuda_tile_launch_record(r));
  cuda_tile_free(r);
  CHECK(fails(cuda_tile_check(c, WRONG, strlen(WRONG), "w.mlir"),
              CUDA_TILE_REFUSED, "w.mlir:2:16", "nothing"));

  r = cuda_tile_disassemble(c, KERNEL, strlen(KERNEL), NULL);
  const char *text = cuda_tile_data(r, &size);
  CHECK(strlen(text) == size && strstr(text, "load_ptr_tko"));
  cuda_tile_free(r);

  r = compile(c, "{\"emit\": \"ptx\", \"num_warps\": 1}");
  CHECK(strstr(cuda_tile_data(r, NULL), ".reqntid 32"));
  CHECK(strstr(cuda_tile_launch_record(r), "\"kernels\""));
  cuda_tile_free(r);
  CHECK(
      fails(compile(c, "{\"abi\": 3}"), CUDA_TILE_REFUSED, "", "expected abi"));
  CHECK(fails(compile(c, "{\"wraps\": 3}"), CUDA_TILE_REFUSED, "", "wraps"));
  CHECK(fails(compile(c, "[]"), CUDA_TILE_REFUSED, "", "JSON object"));
  r = cuda_tile_compile(c, KERNEL, strlen(KERNEL), NULL, "sm_80",
                        "{\"abi\": \"tile\"}");
  CHECK(fails(r, CUDA_TILE_UNSUPPORTED, "", "sm_90 or later"));

  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    CHECK(!pthread_create(&threads[i], NULL, compile_often, c));
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);

  /* The child ends; the next call has another. */
  char command[64];
  snprintf(command, sizeof command, "pkill -KILL -P %d python", (int)getpid());
  CHECK(!system(command));
  r = compile(c, NULL);
  CHECK(fails(r, CUDA_TILE_INTERNAL, "", "signal 9"));
  compile_often(c);

  CHECK(cuda_tile_status(NULL) == CUDA_TILE_NO_MEMORY &&
        !*cuda_tile_place(NULL));
  cuda_tile_free(NULL);
  cuda_tile_destroy(NULL);
  cuda_tile_destroy(c);
  block_signals();
  c = cuda_tile_create(NULL);
  compile_often(c);
  cuda_tile_destroy(c);
  return 0;
}
