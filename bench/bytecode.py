# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures reading and writing: Tile IR bytecode, MLIR's own bytecode, text.

    python bench/bytecode.py [--ops 1000,10000,100000] [--runs 5]

For each size, a module of one entry with a chain of additions, multiplications,
constants and reshapes is written and read in each format by the same process. Columns:
CPU seconds of the best run, megabytes of the form and operations per second. Reading
includes verification in all three formats. If the time is linear in the size, the rate
is the same in each row.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

# The repeated part of the module: four ops, one of them a constant.
STEP = """\
%c{i} = constant <f32: {i}.5> : tile<64xf32>
%a{i} = addf %x{last}, %c{i} rounding<nearest_even> : tile<64xf32>
%m{i} = mulf %a{i}, %x{last} rounding<nearest_even> : tile<64xf32>
%x{i} = negf %m{i} : tile<64xf32>
"""
OPS_PER_STEP = 4


@dataclass(frozen=True)
class Form:
    """A format of modules, with reader and writer."""

    name: str
    write: Callable[[ir.Module], bytes]
    read: Callable[[bytes, ir.Context], ir.Module]


def write_mlir(module: ir.Module) -> bytes:
    """MLIR's own bytecode."""
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    return file.getvalue()


def write_text(module: ir.Module) -> bytes:
    """Text with locations, which the other formats also store."""
    return str(module.operation.get_asm(enable_debug_info=True)).encode()


FORMS = (
    Form(
        "tile ir bytecode",
        lambda module: _cuda_tile.write_bytecode(module, "13.4"),
        lambda data, context: _cuda_tile.read_bytecode(data, "bench", context),
    ),
    Form("mlir bytecode", write_mlir, ir.Module.parse),
    Form("text", write_text, lambda data, context: ir.Module.parse(data, context)),
)


def make_module(num_ops: int, context: ir.Context) -> ir.Module:
    """A module with an entry of about `num_ops` ops and a location per op."""
    steps = "".join(
        STEP.format(i=i, last=i - 1) for i in range(1, num_ops // OPS_PER_STEP + 1)
    )
    first = "%x0 = constant <f32: 0.0> : tile<64xf32>\n"
    return ir.Module.parse(
        f"cuda_tile.module @bench {{ entry @k() {{\n{first}{steps}return }} }}",
        context,
    )


def best_seconds(action: Callable[[], object], runs: int) -> float:
    """CPU seconds of the fastest of `runs`."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def measure(num_ops: int, runs: int) -> None:
    """Prints a row per format and direction."""
    source = make_module(num_ops, ir.Context())
    for form in FORMS:
        data = form.write(source)
        # A new context, so that no format reuses attributes of another one.
        context = ir.Context()
        for direction, action in (
            ("write", lambda form=form: form.write(source)),
            ("read", lambda form=form, data=data, c=context: form.read(data, c)),
        ):
            seconds = best_seconds(action, runs)
            megabytes = len(data) / 1e6
            print(
                f"{num_ops:>8}  {form.name:<17} {direction:<6} {seconds * 1e3:>9.1f}"
                f" {megabytes:>8.2f} {megabytes / seconds:>8.1f}"
                f" {num_ops / seconds / 1e6:>8.2f}"
            )


def main() -> None:
    """Measures each size that the command line names."""
    parser = argparse.ArgumentParser(description="Speed of kernel files.")
    parser.add_argument("--ops", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    units = f"{'ms':>9} {'MB':>8} {'MB/s':>8} {'Mops/s':>8}"
    print(f"{'ops':>8}  {'form':<17} {'':<6} {units}")
    for num_ops in arguments.ops.split(","):
        measure(int(num_ops), arguments.runs)


if __name__ == "__main__":
    main()
