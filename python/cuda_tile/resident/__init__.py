# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server that has the compiler loaded, for commands that run once per kernel.

The commands' own programs (`client/`) start it where `CUDA_TILE_SERVER=1` asks for it.
It forks a process for each call, which runs the command as if it had been started in
the caller's place.
"""
