/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A command: the server runs it where that is asked for and possible, Python in
 * this process otherwise, with the same bytes, messages and exit code. */
#define _GNU_SOURCE
#include "client.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Python looks for no module in the working folder; 3.10 has no flag for that.
 */
#if PYTHON_MINOR >= 11
#define FLAGS "-Pc"
#define DROP_FOLDER ""
#else
#define FLAGS "-c"
#define DROP_FOLDER "del sys.path[0]; "
#endif

/* The command's name comes first: it is what messages call it. */
#define RUN_COMMAND                                                            \
  "import sys; " DROP_FOLDER "del sys.argv[0]; from " COMMAND_MODULE           \
  " import main; sys.exit(main())"

/* Names of files of the process itself, which the server's is not. */
static const char *const own_files[] = {"/dev/fd/", "/proc/self/",
                                        "/proc/thread-self/"};

static int is_asked_for(void) {
  const char *asked = getenv(SERVER_VARIABLE);
  if (!asked || !*asked || !strcmp(asked, "0"))
    return 0;
  if (!strcmp(asked, "1"))
    return 1;
  fprintf(stderr, "error: expected " SERVER_VARIABLE " of 0 or 1, got '%s'\n",
          asked);
  exit(1);
}

/* Python looks for modules from its working folder on, which the server's is
 * not, where a name in PYTHONPATH does not begin at the root. */
static int has_relative_path(void) {
  const char *rest = getenv("PYTHONPATH");
  while (rest && *rest) {
    if (*rest != '/')
      return 1;
    rest += strcspn(rest, ":");
    rest += *rest == ':';
  }
  return 0;
}

/* Whether the command reads nothing that only this process has. */
static int can_be_served(int argc, char **argv) {
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) < 0)
      return 0;
  for (int i = 1; i < argc; ++i) {
    for (size_t j = 0; j < sizeof own_files / sizeof *own_files; ++j)
      if (strstr(argv[i], own_files[j]))
        return 0;
    if (!strcmp(argv[i], "-") && isatty(0))
      return 0;
  }
  return !has_relative_path();
}

/* The server ends the command when the connection does. */
static void stop(int number) { _exit(128 + number); }

/* What the server says, NO_ANSWER if this process has to run the command. */
static int serve(const char *python, int argc, char **argv) {
  const char *path = find_server(python);
  struct sigaction before, interrupt = {.sa_handler = stop};
  if (!path)
    return NO_ANSWER;
  sigaction(SIGINT, NULL, &before);
  if (before.sa_handler != SIG_IGN)
    sigaction(SIGINT, &interrupt, NULL);
  int code = call_server(path, COMMAND_MODULE, argc, argv);
  sigaction(SIGINT, &before, NULL);
  if (code == NO_ANSWER)
    start_server(python, path);
  return code;
}

static int run_here(const char *python, int argc, char **argv) {
  char **words = calloc((size_t)argc + 4, sizeof *words);
  if (words) {
    words[0] = (char *)python;
    words[1] = FLAGS;
    words[2] = RUN_COMMAND;
    memcpy(words + 3, argv, (size_t)argc * sizeof *words);
    execv(python, words);
  }
  fprintf(stderr, "error: cannot run '%s': %m\n", python);
  return 1;
}

int main(int argc, char **argv) {
  int is_asked = is_asked_for(), code = NO_ANSWER;
  const char *python = find_python();
  if (!python || argc < 1)
    return 1;
  if (is_asked && can_be_served(argc, argv))
    code = serve(python, argc, argv);
  if (code == NO_ANSWER)
    return run_here(python, argc, argv);
  if (code < 0) { /* a signal ended the command: so it does this process */
    signal(-code, SIG_DFL);
    raise(-code);
  }
  return code;
}
