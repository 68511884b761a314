# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the tables of chips in docs/chips.md; `--write` updates them.

The page is made from the rows of python/cuda_tile/targets.py, and from the constants of
python/cuda_tile/chip_clocks.py. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from cuda_tile.chip_clocks import (
    ASSUMED_ON,
    SOURCES,
    ChipClocks,
    Constant,
    described_chips,
)
from cuda_tile.targets import PRODUCTS, Target, chip_names, find_target, target_names

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from day_constants import UNMEASURED

_MEANING = re.compile(
    r"^        ([a-z0-9_, ]+): (.*?)(?=^        [a-z]|\Z)", re.M | re.S
)
"""A line of `ChipClocks`' attributes, and those that go on with it."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "chips.md"
HEAD = """\
# Chips

<!-- made by tools/checks/chips.py --write from targets.py and chip_clocks.py -->

The chips that `--gpu` takes, and what the compiler knows of each. A new one is a row in
`python/cuda_tile/targets.py`.

## Which one is mine?

A chip is named by its compute capability, `sm_90` for 9.0; on a machine with a driver
`nvidia-smi --query-gpu=name,compute_cap --format=csv` prints it. Some products:

{products}

## Names and targets

From sm_90 on a chip has instructions that only code for that very chip may use: target
`sm_90a` (PTX ISA, ".target", architecture-specific). A cubin runs on one chip anyway,
so that a plain name is compiled for this target too, and the report says so. From
sm_100 on there are family targets, `sm_100f`: their code runs on the later chips of the
family as well, and may use what all of them have. PTX that `--emit=ptx` writes is for
the target in this table, so that it is no input for other chips unless it is a
family's.

The PTX version is the first that has the target and the instructions that are emitted
for it. LLVM 22 and ptxas 13.5 take each pair; `test/emit/test_instructions.py` compiles
every emitted instruction for every target.

{targets}

## Limits and speed

What `plan` and `place` decide with. The first two columns of shared memory are in KiB:
what one CTA may ask for, and what a multiprocessor has.

{limits}

Sources: threads, CTAs, registers and shared memory, CUDA C++ Programming Guide,
"Technical Specifications per Compute Capability"; multiply-adds (of matrix
instructions, 16-bit operands with an f32 sum, per clock and multiprocessor), NVIDIA's
architecture white papers, of sm_75, sm_86, sm_89 and sm_120 the GeForce parts; bytes
per clock and multiprocessor from the L2 cache and latency, published microbenchmarks;
bytes per clock from global memory, data sheets. `exp2` is results per clock and
multiprocessor; tensor columns are those of its tensor memory, with the kinds of
`tcgen05.mma` that the chip's own target has.

## Instructions that not every chip has

From the first chip on that PTX ISA names ("Target ISA Notes"); `a` and `f` are the
architecture-specific and the family targets.

{instructions}

What a chip cannot do at all is refused with the op, its source line, and the first chip
that can.

## Constants of the model of clocks

What `--time` and the tuner count with ([time](time.md)), beside the limits above:
clocks of a multiprocessor, bytes per clock, GHz. *Interval* is from the best to the
worst for the speed of a kernel. *Published* is a measurement or data sheet of others,
*assumed* an estimate of {assumed_on}, which a measurement on the chip would replace;
none was measured by us. The first day on a GPU measures those with a mark
(`bench/day_constants.py`).

| key | source | read |
|---|---|---|
{sources}

{clocks}
### Other chips

{others} have none of these constants: no latency, no bandwidth and no clock under
load. `--time` says so, and bounds need none. Plans are compared, there, by the
constants of the latest chip before them that has some, or those of sm_80.
"""

INSTRUCTIONS = (
    ("`mma.sync` of bf16, tf32, f64, and of f16 with K = 16", "sm_80"),
    ("arithmetic of bf16 (`fma`), `max.NaN`, `redux.sync` of integers", "sm_80"),
    ("`cp.async`, `mbarrier`", "sm_80"),
    ("conversions of 8-bit floats, `mma.sync` of them", "sm_89"),
    ("`add`, `sub`, `mul` and comparisons of bf16, `atom.add.noftz.bf16`", "sm_90"),
    ("vector `red`, `multimem`, `griddepcontrol`, clusters, TMA", "sm_90"),
    ("`wgmma`, `setmaxnreg`", "sm_90a alone"),
    ("accesses of 256 bits, packed f32 arithmetic (`fma.f32x2`)", "sm_100"),
    ("`tcgen05`, `redux.sync` of f32", "sm_100a, sm_100f"),
    ("conversions of 4- and 6-bit floats", "sm_100a, sm_120a, and `f`"),
    ("`mma.sync` of 4- and 6-bit floats, with scales", "sm_120a, sm_120f"),
)
"""Groups of instructions and their first chip."""


def table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    head = [*names]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def target_row(target: Target) -> list[object]:
    """What a name means."""
    major, minor = divmod(target.ptx_version, 10)
    return [f"`{target.name}`", f"`{target.arch}`", f"{major}.{minor}"]


def limit_row(target: Target) -> list[object]:
    """What is known of a chip."""
    return [
        target.name,
        target.shared_bytes_per_cta // 1024,
        target.shared_bytes_per_sm // 1024,
        target.threads_per_sm,
        target.ctas_per_sm,
        target.registers_per_sm,
        target.fma_per_clock,
        target.l2_bytes_per_clock,
        target.dram_bytes_per_clock,
        target.copy_latency_clocks,
        target.exp2_per_clock,
        target.tensor_columns,
        ", ".join(target.tensor_kinds),
    ]


def clock_tables() -> str:
    """The constants of each chip that has some."""
    meanings = dict(_MEANING.findall(str(ChipClocks.__doc__)))
    head = ("constant", "what", "value", "interval", "", "source")
    parts: list[str] = []
    for name, chip in described_chips().items():
        rows = [
            clock_row(field, meanings, getattr(chip, field))
            for field in ChipClocks.__dataclass_fields__
            if field != "part"
        ]
        parts.append(f"### {name}, {chip.part}\n\n{table(head, rows)}\n")
    return "\n".join(parts)


def clock_row(
    name: str, meanings: Mapping[str, str], value: Constant | int
) -> list[object]:
    """A constant, and how it is known; counts are those of data sheets."""
    what = next((m for n, m in meanings.items() if name in n.split(", ")), "")
    what = " ".join(what.split()).rstrip(".")
    if isinstance(value, int):
        source = "SHEET" if name == "multiprocessors" else "CUDA"
        return [f"`{name}`", what, value, "", "published", source]
    interval = f"{value.fast:.4g} to {value.slow:.4g}"
    interval = "" if value.fast == value.slow else interval
    mark = "" if name in UNMEASURED else "*"
    return [
        *(f"`{name}`{mark}", what, f"{value.value:.4g}", interval),
        *(value.kind, value.source),
    ]


def page() -> str:
    """The page as it should be."""
    targets = table(
        ("name", "compiled for", "PTX"),
        (target_row(find_target(name)) for name in target_names()),
    )
    products = table(
        ("chip", "for example"),
        ((f"`{chip}`", ", ".join(names)) for chip, names in PRODUCTS.items()),
    )
    limits = table(
        (
            *("chip", "shared, CTA", "shared, all", "threads", "CTAs", "registers"),
            *("multiply-adds", "L2 bytes", "DRAM bytes", "latency, clocks"),
            *("exp2", "tensor columns", "tensor kinds"),
        ),
        (limit_row(find_target(name)) for name in chip_names()),
    )
    instructions = table(("instruction", "from"), INSTRUCTIONS)
    described = described_chips()
    others = [f"`{name}`" for name in chip_names() if name not in described]
    return HEAD.format(
        products=products,
        targets=targets,
        limits=limits,
        instructions=instructions,
        assumed_on=ASSUMED_ON,
        sources="\n".join(
            f"| {key} | {title} | {day} |" for key, (title, day) in SOURCES.items()
        ),
        clocks=clock_tables(),
        others=", ".join(others),
    )


def main() -> int:
    """Compares or writes; 1 if the page is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page")
    is_writing: bool = parser.parse_args().write
    wanted = page()
    if is_writing:
        PAGE.write_text(wanted)
    elif not PAGE.is_file() or PAGE.read_text() != wanted:
        print("docs/chips.md is stale; run tools/checks/chips.py --write")
        print("0 passed, 1 failed")
        return 1
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
