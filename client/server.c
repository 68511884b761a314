/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the interpreter and the server's socket are, and how one is started. */
#define _GNU_SOURCE
#include "client.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Variables that change what Python loads, or how it reads and writes text. */
static const char *const decisive[] = {"PYTHON", "LC_",   "LD_",
                                       "LANG=",  "HOME=", NULL};

/* FNV-1a of 64 bits, of a text with its end: keys meet no adversary, for the
 * folder is the user's own. */
static uint64_t digest(uint64_t value, const char *text) {
  do
    value = (value ^ (unsigned char)*text) * 0x100000001B3;
  while (*text++);
  return value;
}

static const uint64_t START = 0xCBF29CE484222325;

/* A program in a folder, if there is one. */
static const char *program_in(const char *folder, size_t length) {
  static char path[PATH_MAX];
  int size =
      snprintf(path, sizeof path, "%.*s/" PYTHON_NAME, (int)length, folder);
  int fits = size > 0 && (size_t)size < sizeof path;
  return fits && !access(path, X_OK) ? path : NULL;
}

static const char *beside_this_program(void) {
  static char own[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
  char *slash = size > 0 ? memrchr(own, '/', (size_t)size) : NULL;
  return slash ? program_in(own, (size_t)(slash - own)) : NULL;
}

static const char *on_path(void) {
  const char *rest = getenv("PATH");
  while (rest && *rest) {
    size_t length = strcspn(rest, ":");
    const char *found = *rest == '/' ? program_in(rest, length) : NULL;
    if (found)
      return found;
    rest += length + (rest[length] == ':');
  }
  return NULL;
}

const char *find_python(void) {
  const char *found = beside_this_program(),
             *named = getenv("CUDA_TILE_PYTHON");
  if (!found)
    found = named && *named ? named : on_path();
  if (!found)
    fputs("error: expected " PYTHON_NAME " beside this program or on PATH, got "
          "none; name the Python that has the package in CUDA_TILE_PYTHON\n",
          stderr);
  return found;
}

/* What calls must have in common to share a server, as 16 hexadecimal digits:
 * the interpreter, what decides on its start, its place among mounts and
 * processes, and its rights. 0 if that cannot be found out. */
static int make_key(const char *python, char key[17]) {
  char text[PATH_MAX];
  uint64_t value = digest(digest(START, CLIENT_FORMAT), python), variables = 0;
  for (char **each = environ; *each; ++each)
    for (const char *const *name = decisive; *name; ++name)
      if (!strncmp(*each, *name, strlen(*name)))
        variables += digest(START, *each); /* in any order */
  static const char *const places[] = {"/proc/self/ns/mnt", "/proc/self/ns/pid",
                                       "/proc/self/ns/net", "/proc/self/root"};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    ssize_t size = readlink(places[i], text, sizeof text - 1);
    if (size < 0)
      return 0;
    text[size] = 0;
    value = digest(value, text);
  }
  gid_t groups[NGROUPS_MAX];
  int count = getgroups(NGROUPS_MAX, groups);
  for (int i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "%u", groups[i]);
    value = digest(value, text);
  }
  snprintf(text, sizeof text, "%u %u %llu", getuid(), getgid(),
           (unsigned long long)variables);
  snprintf(key, 17, "%016llx", (unsigned long long)digest(value, text));
  return 1;
}

/* Whether a folder is there that belongs to the user and that nobody else may
 * enter: whoever can write there could answer for the compiler. */
static int make_own_folder(const char *path) {
  struct stat found;
  mkdir(path, 0700);
  return !lstat(path, &found) && found.st_uid == getuid() &&
         (found.st_mode & (S_IFMT | 07777)) == (S_IFDIR | 0700);
}

const char *find_server(const char *python) {
  static char path[sizeof((struct sockaddr_un *)0)->sun_path];
  char folder[sizeof path], key[17];
  const char *above = getenv("XDG_RUNTIME_DIR");
  int size =
      above && *above
          ? snprintf(folder, sizeof folder, "%s/cuda-tile", above)
          : snprintf(folder, sizeof folder, "/tmp/cuda-tile-%u", getuid());
  /* A relative name would be another one for the server. */
  if (*python != '/' || *folder != '/' || size < 0 || !make_key(python, key))
    return NULL;
  if ((size_t)size + sizeof "/.lock" + sizeof key > sizeof path ||
      !make_own_folder(folder))
    return NULL;
  snprintf(path, sizeof path, "%s/%s", folder, key);
  return path;
}

/* Whether a server has the lock of a path, from its first moment on. */
static int is_on_its_way(const char *path) {
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s.lock", path);
  int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int is_free = lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB);
  if (lock >= 0)
    close(lock);
  return !is_free;
}

/* The server in a process of its own: without the caller's files and terminal.
 */
static void become_server(const char *python, const char *path) {
  int nothing = open("/dev/null", O_RDWR);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int stream = 0; stream < 3; ++stream)
    dup2(nothing, stream);
  closefrom(3);
  if (nothing < 0 || chdir("/"))
    return;
  /* The working folder, where 3.10 looks for modules, is the root by now. */
  execl(python, python, PYTHON_MINOR >= 11 ? "-Pm" : "-m",
        "cuda_tile.resident.server", path, NULL);
}

void start_server(const char *python, const char *path) {
  if (is_on_its_way(path))
    return;
  pid_t child = fork();
  if (!child) {
    setsid();
    if (!fork())
      become_server(python, path);
    _exit(0);
  }
  if (child > 0)
    waitpid(child, NULL, 0);
}
