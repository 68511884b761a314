# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code that ptxas made of PTX: read, cut into blocks, counted.

Only cubins that ptxas made here of PTX text are read. docs/time.md says how counts of
machine code and of the emulator are joined.
"""

from cuda_tile.machine.code import MachineCode, read_code

__all__ = ["MachineCode", "read_code"]
