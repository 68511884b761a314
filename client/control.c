/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `cuda-tile-server stop`: ends this user's server of this installation. */
#include "client.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *word = argc == 2 ? argv[1] : "", *python, *path;
  int is_stop = !strcmp(word, "stop"), answered;
  if (!is_stop && strcmp(word, "ping")) {
    fputs("usage: cuda-tile-server stop | ping\n", stderr);
    return strcmp(word, "--help") != 0;
  }
  if (!(python = find_python()))
    return 1;
  path = find_server(python);
  answered = path && call_server(path, word, argc, argv) == 0;
  puts(!answered ? "no server" : is_stop ? "stopped" : "running");
  return 0;
}
