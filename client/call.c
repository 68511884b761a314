/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call of the server. */
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

enum { STREAMS = 3, FILES };

/* A connection to a server of this user's; -1 if there is none. */
static int connect_to(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  struct ucred other;
  socklen_t size = sizeof other;
  int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  strncpy(name.sun_path, path, sizeof name.sun_path - 1);
  if (end < 0)
    return -1;
  if (!connect(end, (struct sockaddr *)&name, sizeof name) &&
      !getsockopt(end, SOL_SOCKET, SO_PEERCRED, &other, &size) &&
      other.uid == getuid())
    return end;
  close(end);
  return -1;
}

static void print_word(FILE *text, const char *word) {
  fwrite(word, 1, strlen(word) + 1, text);
}

static void print_processors(FILE *text) {
  cpu_set_t allowed;
  if (!sched_getaffinity(0, sizeof allowed, &allowed))
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &allowed))
        fprintf(text, "%d ", cpu);
  fputc(0, text);
}

static void print_limits(FILE *text) {
  struct rlimit found;
  for (int number = 0; number < RLIM_NLIMITS; ++number)
    if (!getrlimit(number, &found))
      fprintf(text, "%d %lld %lld ", number, (long long)found.rlim_cur,
              (long long)found.rlim_max);
  fputc(0, text);
}

/* All that a process has from its parent. */
static void print_call(FILE *text, const char *module, int argc, char **argv) {
  mode_t mask = umask(077);
  umask(mask);
  print_word(text, module);
  fprintf(text, "%u%c%d%c", mask, 0, getpriority(PRIO_PROCESS, 0), 0);
  print_processors(text);
  print_limits(text);
  fprintf(text, "%d%c", argc, 0);
  for (int i = 0; i < argc; ++i)
    print_word(text, argv[i]);
  for (char **each = environ; *each; ++each)
    print_word(text, *each);
}

/* Sends the length of a text with the files that go with it. */
static int send_length(int end, uint64_t size, const int files[FILES]) {
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int) * FILES)];
  } rights = {.head = {.cmsg_len = CMSG_LEN(sizeof(int) * FILES),
                       .cmsg_level = SOL_SOCKET,
                       .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&rights.head), files, sizeof(int) * FILES);
  struct iovec bytes = {&size, sizeof size};
  struct msghdr message = {.msg_iov = &bytes,
                           .msg_iovlen = 1,
                           .msg_control = &rights,
                           .msg_controllen = sizeof rights.room};
  return sendmsg(end, &message, MSG_NOSIGNAL) == sizeof size ? 0 : -1;
}

static int send_all(int end, const char *bytes, size_t size) {
  while (size) {
    ssize_t sent = send(end, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return -1;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 0;
}

static int send_call(int end, const char *bytes, size_t size) {
  int files[FILES] = {0, 1, 2, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (files[STREAMS] < 0)
    return -1;
  int failed = send_length(end, size, files) || send_all(end, bytes, size);
  close(files[STREAMS]);
  return failed ? -1 : 0;
}

static int receive_answer(int end) {
  int32_t code;
  ssize_t got;
  do
    got = recv(end, &code, sizeof code, MSG_WAITALL);
  while (got < 0 && errno == EINTR);
  return got == sizeof code ? code : NO_ANSWER;
}

int call_server(const char *path, const char *module, int argc, char **argv) {
  char *bytes = NULL;
  size_t size = 0;
  int end = connect_to(path), code = NO_ANSWER;
  FILE *text = end < 0 ? NULL : open_memstream(&bytes, &size);
  if (text) {
    print_call(text, module, argc, argv);
    if (!fclose(text) && !send_call(end, bytes, size))
      code = receive_answer(end);
  }
  free(bytes);
  if (end >= 0)
    close(end);
  return code;
}
