# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every example of the ODS: it parses, verifies, and prints back to itself.

`dialect/include/cuda_tile/IR/Dialect.td` defines, at `examples`, how a snippet becomes
a program. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import sys
from textwrap import dedent

from cuda_tile import ods
from cuda_tile._mlir import ir

BODY = """
cuda_tile.module @m {{
  entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    {}
    return
  }}
}}
"""


def program(snippet: str) -> str:
    """The whole program of a snippet."""
    text = dedent(snippet).strip()
    if text.startswith("cuda_tile.module"):
        return text
    if text.startswith("entry"):
        return f"cuda_tile.module @m {{ {text} }}"
    return BODY.format(text)


def complaint(text: str) -> str:
    """The error of a program, or an empty text."""
    try:
        once = str(ir.Module.parse(text))
        twice = str(ir.Module.parse(once))
    except ir.MLIRError as error:
        return str(error)
    return "" if once == twice else f"printed differently the second time:\n{twice}"


def main() -> int:
    """Runs the examples; 1 if one is wrong."""
    passed = failed = 0
    with ir.Context(), ir.Location.unknown():
        for name, op in ods.ops().items():
            for snippet in op.examples:
                wrong = complaint(program(snippet))
                passed += not wrong
                failed += bool(wrong)
                if wrong:
                    print(f"example of {name}: {wrong}\n{program(snippet)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
