/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What client and server say to each other. python/cuda_tile/resident/server.py
 * is the other side.
 *
 * The server listens at a socket in a folder of the user's (`find_server`). A
 * call is the length of its text in eight bytes in the order of the machine,
 * with which come four open files: the three streams and the working folder.
 * The text is words that each end with a zero byte:
 *
 *   the module of the command, or "ping" or "stop", which take no more words;
 *   the mask of new files, and the priority, in decimal;
 *   the processors that it may use, by numbers, with spaces between them;
 *   its limits: number, soft and hard value of each, -1 for none;
 *   the number of arguments, with the command's name;
 *   the arguments, and after them the environment as NAME=VALUE.
 *
 * The answer is the exit code in four bytes, or the number of the signal that
 * ended the command, negated. Where the socket is closed without an answer, the
 * caller runs the command itself. Where the caller closes it, the command ends.
 */
#ifndef CUDA_TILE_CLIENT_H
#define CUDA_TILE_CLIENT_H

#include <limits.h>

/* Version of these messages; callers with another one have another server. */
#define CLIENT_FORMAT "2"

/* Environment variable that asks for the server: 1 or 0. */
#define SERVER_VARIABLE "CUDA_TILE_SERVER"

/* Where there is no answer. */
enum { NO_ANSWER = INT_MIN };

/* The interpreter of the installation that this program belongs to; NULL, and
 * a message, if there is none. */
const char *find_python(void);

/* The path of the server's socket for this user, interpreter and environment;
 * NULL if the user can have none. */
const char *find_server(const char *python);

/* Starts a server in the background, unless one is on its way. */
void start_server(const char *python, const char *path);

/* Has the server run a command; its answer, or NO_ANSWER if there is none. */
int call_server(const char *path, const char *module, int argc, char **argv);

#endif
