# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tools/fuzz` with a fault planted in the compiler: `FAULT ARGUMENT...`.

`maximum`: of signed integers, the compiler takes the smaller one. `refused`: it says
that it cannot compile `negi`. `none`: as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("near_misses", "differential", "emit", "ops", "ptx", "bytecode")
FOLDERS = ("tools", "bench", "examples", *(f"test/{name}" for name in TESTS))
NEGATION = "def negi(e: Emitter, op: ir.Operation) -> None:\n"
FAULTS = {
    "none": ("", ""),
    "maximum": ('("llvm.intr.smax", ', '("llvm.intr.smin", '),
    "refused": (
        NEGATION,
        f'{NEGATION}    raise Unsupported(f"planted fault in {{op.name}} 17")\n',
    ),
}

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / name) for name in FOLDERS]
    from changed_module import change_module

    old, new = FAULTS[sys.argv.pop(1)]
    path = ROOT / "python" / "cuda_tile" / "emit" / "integer.py"
    source = path.read_text()
    assert old in source
    if new:
        imports = "from cuda_tile.errors import Unsupported\n"
        anchor = "from cuda_tile.ir"
        source = source.replace(old, new).replace(anchor, imports + anchor, 1)
        change_module("cuda_tile.emit.integer", path, source)
    from fuzzing.__main__ import main

    sys.exit(main())
