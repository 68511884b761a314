# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server that has the compiler loaded, for commands that run once per kernel.

It starts by itself where `CUDA_TILE_SERVER=1` asks for it. `client` imports next to
nothing; `server` forks a process for each call, which runs the command as if it had
been started in the caller's place.
"""
