# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what watching a kernel costs, in seconds: the figures of docs/debugging.md.

Run as a program; no test measures time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cuda_tile import api, interp
from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.interp_target import InterpTarget, Launching
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.stepping import Continue
from cuda_tile.interp.decode import value_names
from cuda_tile.ir.walk import find_entry

TRIPS = 20_000
TEXT = """
cuda_tile.module @m { entry @k(%n: tile<i32>) {
  %z = constant <i32: 0> : tile<i32>
  %o = constant <i32: 1> : tile<i32>
  %r = for %i in (%z to %n, step %o) : tile<i32> iter_values(%a = %z) -> (tile<i32>) {
    %b = addi %a, %i : tile<i32>
    %c = subi %b, %o : tile<i32>
    %d = muli %c, %o : tile<i32>
    %e = addi %d, %o : tile<i32>
    continue %e : tile<i32>
  }
  return
}}
"""


def seconds(action: Callable[[], Any]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Prints a line per kind of cost."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "k.mlir")
        path.write_text(TEXT)
        measure(api.load(path))


def measure(module: Any) -> None:
    """The lines for a kernel; its text must be there, for its names."""
    ssa = value_names(find_entry(module.operation, None))

    def target() -> InterpTarget:
        launching = Launching(interp.load(module), "k", "k", (1,), [TRIPS], ssa)
        return InterpTarget(launching, Breakpoints(), Sources())

    watched, conditional = target(), target()
    conditional.breakpoints.add("k.mlir", 6, condition=f"i == {TRIPS} and a > 7")
    run = seconds(lambda: interp.run(module, grid=1, args=[TRIPS]))
    print(f"not watched: {run:.1f} s")
    print(f"watched: {seconds(lambda: watched.resume(Continue())):.1f} s")
    print(f"a step back from the end: {seconds(lambda: watched.back('over')):.1f} s")
    asked = seconds(lambda: conditional.resume(Continue()))
    print(f"with a condition in the loop: {asked:.1f} s")


if __name__ == "__main__":
    main()
