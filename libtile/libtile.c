/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The child and the talk with it; python/cuda_tile/resident/host.py is the
 * other side.
 *
 * The child says that it is ready by a number. A call is its number of fields
 * and the fields, an answer a status and four fields: message, place, data,
 * launch record. A field is its size and its bytes. Numbers have eight bytes in
 * the order of the machine. */
#define _GNU_SOURCE
#include "cuda_tile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MESSAGE, PLACE, DATA, LAUNCH, FIELDS };

typedef struct {
  const void *bytes;
  size_t size;
} field;

struct cuda_tile_compiler {
  pthread_mutex_t turn;
  char *python;
  pid_t child; /* 0: not started */
  int socket;
};

struct cuda_tile_result {
  int status;
  char *fields[FIELDS];
  size_t sizes[FIELDS];
};

/* A result with a message of this library. */
static cuda_tile_result *say(int status, const char *message,
                             const char *detail) {
  cuda_tile_result *result = calloc(1, sizeof *result);
  if (!result)
    return NULL;
  result->status = status;
  if (asprintf(&result->fields[MESSAGE], "%s%s", message, detail) < 0)
    result->fields[MESSAGE] = NULL;
  return result;
}

static int send_all(int socket, const void *bytes, size_t size) {
  const char *next = bytes;
  while (size) {
    ssize_t sent = send(socket, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return -1;
    next += sent;
    size -= (size_t)sent;
  }
  return 0;
}

static int receive_all(int socket, void *bytes, size_t size) {
  char *next = bytes;
  while (size) {
    ssize_t got = recv(socket, next, size, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return -1;
    next += got;
    size -= (size_t)got;
  }
  return 0;
}

/* The child heeds signals as a program from a shell does, whatever the thread
 * that starts it blocks and ignores: `stop` ends it, and it waits for ptxas. */
static int reset_signals(posix_spawnattr_t *attributes) {
  sigset_t none, own;
  sigemptyset(&none);
  sigemptyset(&own);
  sigaddset(&own, SIGTERM);
  sigaddset(&own, SIGCHLD);
  int failed = posix_spawnattr_setsigmask(attributes, &none);
  if (!failed)
    failed = posix_spawnattr_setsigdefault(attributes, &own);
  return failed
             ? failed
             : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
}

/* The child's end of the socket is its standard input. What it prints is no
 * data of the caller's. */
static int connect_files(posix_spawn_file_actions_t *actions, int end) {
  int failed = posix_spawn_file_actions_adddup2(actions, end, STDIN_FILENO);
  return failed ? failed
                : posix_spawn_file_actions_adddup2(actions, STDERR_FILENO,
                                                   STDOUT_FILENO);
}

static int spawn(cuda_tile_compiler *c, int end) {
  char *words[] = {c->python, "-m", "cuda_tile.resident.host", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  if (!(failed = posix_spawnattr_init(&attributes))) {
    if (!(failed = connect_files(&actions, end)) &&
        !(failed = reset_signals(&attributes)))
      failed = posix_spawnp(&c->child, c->python, &actions, &attributes, words,
                            environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/* Starts the child; an errno, or 0. */
static int start(cuda_tile_compiler *c) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return errno;
  int failed = spawn(c, ends[1]);
  close(ends[1]);
  if (failed) {
    close(ends[0]);
    c->child = 0;
    return failed;
  }
  c->socket = ends[0];
  return 0;
}

/* Ends the child, and says how it has ended. */
static int stop(cuda_tile_compiler *c) {
  int status = 0;
  close(c->socket);
  kill(c->child, SIGTERM);
  while (waitpid(c->child, &status, 0) < 0 && errno == EINTR)
    ;
  c->child = 0;
  return status;
}

static int send_call(int socket, const field *fields, uint64_t count) {
  if (send_all(socket, &count, sizeof count))
    return -1;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t size = fields[i].size;
    if (send_all(socket, &size, sizeof size) ||
        send_all(socket, fields[i].bytes, fields[i].size))
      return -1;
  }
  return 0;
}

/* An answer; -1 if the child has gone, 1 without memory. */
static int receive_answer(int socket, cuda_tile_result *result) {
  uint64_t status, size;
  if (receive_all(socket, &status, sizeof status))
    return -1;
  result->status = (int)status;
  for (int i = 0; i < FIELDS; ++i) {
    if (receive_all(socket, &size, sizeof size))
      return -1;
    if (!(result->fields[i] = malloc(size + 1)))
      return 1;
    if (receive_all(socket, result->fields[i], size))
      return -1;
    result->fields[i][size] = 0;
    result->sizes[i] = size;
  }
  return 0;
}

/* Why there is no answer: a child that has not said that it is ready has no
 * package, one that has is at fault itself. */
static cuda_tile_result *ended(cuda_tile_compiler *c, int was_ready) {
  char how[64];
  int status = stop(c);
  if (WIFEXITED(status))
    snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(status));
  else
    snprintf(how, sizeof how, "signal %d", WTERMSIG(status));
  if (was_ready)
    return say(CUDA_TILE_INTERNAL, "the compiler's process ended with ", how);
  return say(CUDA_TILE_NO_COMPILER,
             "expected a Python with the package cuda_tile, which "
             "cuda_tile_create or "
             "CUDA_TILE_PYTHON names; it ended with ",
             how);
}

/* A running child that has said that it is ready; NULL, or why there is none.
 */
static cuda_tile_result *make_ready(cuda_tile_compiler *c) {
  uint64_t ready;
  if (c->child)
    return NULL;
  int failed = start(c);
  if (failed)
    return say(CUDA_TILE_NO_COMPILER,
               "cannot start the Python that cuda_tile_create or "
               "CUDA_TILE_PYTHON names: ",
               strerror(failed));
  return receive_all(c->socket, &ready, sizeof ready) ? ended(c, 0) : NULL;
}

/* The answer of a child that is ready. */
static cuda_tile_result *ask(cuda_tile_compiler *c, const field *fields,
                             int count) {
  cuda_tile_result *result = calloc(1, sizeof *result);
  if (!result)
    return NULL;
  int failed = send_call(c->socket, fields, (uint64_t)count);
  if (!failed)
    failed = receive_answer(c->socket, result);
  if (!failed)
    return result;
  cuda_tile_free(result);
  return failed < 0 ? ended(c, 1) : (stop(c), NULL);
}

static cuda_tile_result *call(cuda_tile_compiler *c, const field *fields,
                              int count) {
  pthread_mutex_lock(&c->turn);
  cuda_tile_result *result = make_ready(c);
  if (!result && c->child)
    result = ask(c, fields, count);
  pthread_mutex_unlock(&c->turn);
  return result;
}

static field text(const char *word) {
  field made = {word ? word : "", word ? strlen(word) : 0};
  return made;
}

static field bytes(const void *data, size_t size) {
  field made = {data, size};
  return made;
}

cuda_tile_compiler *cuda_tile_create(const char *python) {
  cuda_tile_compiler *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  if (!python)
    python = getenv("CUDA_TILE_PYTHON");
  c->python = strdup(python && *python ? python : "python3");
  if (!c->python || pthread_mutex_init(&c->turn, NULL)) {
    free(c->python);
    free(c);
    return NULL;
  }
  return c;
}

void cuda_tile_destroy(cuda_tile_compiler *c) {
  if (!c)
    return;
  if (c->child)
    stop(c);
  pthread_mutex_destroy(&c->turn);
  free(c->python);
  free(c);
}

cuda_tile_result *cuda_tile_version(cuda_tile_compiler *c) {
  field fields[] = {text("version")};
  return call(c, fields, 1);
}

cuda_tile_result *cuda_tile_check(cuda_tile_compiler *c, const void *kernel,
                                  size_t size, const char *name) {
  field fields[] = {text("check"), bytes(kernel, size), text(name)};
  return call(c, fields, 3);
}

cuda_tile_result *cuda_tile_disassemble(cuda_tile_compiler *c,
                                        const void *kernel, size_t size,
                                        const char *name) {
  field fields[] = {text("disassemble"), bytes(kernel, size), text(name)};
  return call(c, fields, 3);
}

cuda_tile_result *cuda_tile_compile(cuda_tile_compiler *c, const void *kernel,
                                    size_t size, const char *name,
                                    const char *gpu, const char *options) {
  field fields[] = {text("compile"), bytes(kernel, size), text(name), text(gpu),
                    text(options)};
  return call(c, fields, 5);
}

static const char *field_of(const cuda_tile_result *result, int number) {
  return result && result->fields[number] ? result->fields[number] : "";
}

int cuda_tile_status(const cuda_tile_result *result) {
  return result ? result->status : CUDA_TILE_NO_MEMORY;
}

const char *cuda_tile_message(const cuda_tile_result *result) {
  return result ? field_of(result, MESSAGE) : "out of memory";
}

const char *cuda_tile_place(const cuda_tile_result *result) {
  return field_of(result, PLACE);
}

const void *cuda_tile_data(const cuda_tile_result *result, size_t *size) {
  if (size)
    *size = result ? result->sizes[DATA] : 0;
  return field_of(result, DATA);
}

const char *cuda_tile_launch_record(const cuda_tile_result *result) {
  return field_of(result, LAUNCH);
}

void cuda_tile_free(cuda_tile_result *result) {
  if (!result)
    return;
  for (int i = 0; i < FIELDS; ++i)
    free(result->fields[i]);
  free(result);
}
