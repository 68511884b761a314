# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures and pages of what the compiler did; docs/report.md.

`cuda_tile.show` and the page of `cuda-tile-compile --report=html` are made here. The
rest of the package imports it only when someone looks.
"""
