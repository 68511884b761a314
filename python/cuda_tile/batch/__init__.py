# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles many kernels: worker processes with limits, a cache on disk, Ray.

`run.compile_all` is the way in; docs/compile-many.md describes the command.
"""
