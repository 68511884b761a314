/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compile KERNEL GPU CUBIN: a C program that compiles a kernel with libtile. */
#include <cuda_tile.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    perror(name);
    exit(1);
  }
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*size + 1);
  if (!data || fread(data, 1, *size, file) != *size) {
    perror(name);
    exit(1);
  }
  fclose(file);
  return data;
}

int main(int count, char **words) {
  if (count != 4) {
    fprintf(stderr, "usage: %s KERNEL GPU CUBIN\n", words[0]);
    return 1;
  }
  size_t size, cubin_size;
  char *kernel = read_file(words[1], &size);
  cuda_tile_compiler *compiler = cuda_tile_create(NULL);
  cuda_tile_result *result = cuda_tile_compile(compiler, kernel, size, words[1],
                                               words[2], "{\"abi\": \"cuda\"}");
  int status = cuda_tile_status(result);
  if (status != CUDA_TILE_OK) {
    fprintf(stderr, "%s: error: %s\n", cuda_tile_place(result),
            cuda_tile_message(result));
  } else {
    const void *cubin = cuda_tile_data(result, &cubin_size);
    FILE *file = fopen(words[3], "wb");
    if (!file || fwrite(cubin, 1, cubin_size, file) != cubin_size ||
        fclose(file)) {
      perror(words[3]);
      status = 1;
    }
    puts(cuda_tile_launch_record(result));
  }
  cuda_tile_free(result);
  cuda_tile_destroy(compiler);
  free(kernel);
  return status;
}
