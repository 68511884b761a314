# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the list of instructions in docs/emulator-isa.md; `--write` updates it.

The page is generated from the table of forms in test/ptx/isa_forms_*.py, which a test
checks against the emulator and ptxas. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/ptx"))

from isa_form import Family  # noqa: E402 - the table lies with the tests
from isa_list import FAMILIES, INSTRUCTIONS  # noqa: E402

PAGE = ROOT / "docs/emulator-isa.md"
HEAD = """\
# Instructions that the PTX emulator supports

<!-- made by tools/checks/emulator_isa.py --write from test/ptx/isa_forms_*.py -->

The instructions of the PTX ISA, by chapter, in the forms that `ptxas` accepts. `{a b}`
stands for one of several modifiers, `-` for none. A form marked *refused* is an error
at its line with this reason; malformed instructions are errors too. No instruction is
ignored.

{counts}

Values: results that the ISA defines exactly are exact, in every rounding mode.
Approximations are computed in double precision and rounded once. Where the ISA leaves
a choice: integer division by zero gives all ones, and its remainder is the dividend;
`elect` selects the lowest lane; conversions to `ue8m0` use the magnitude of a negative
source; `cvt.rs` adds its random bits directly below the last bit of the result
(for `e2m1x4`, a byte of each half of the operand, the upper one first); sums of `mma`
and `wgmma` are in single precision, in the order of NumPy's matrix product, except for
`f64`, which is fused along K. Clocks count the instructions executed by all threads.
Targets are not checked: an instruction runs whatever `.target` says.

Tensor maps are 128 bytes in a format of our own; a zero-initialised one has all fields
unset. Element strides other than 1, interleaved layouts, swizzles with atoms other than
16 bytes and 4-bit elements without padding are run-time errors of the kernel.

Tensor memory: every CTA has its own 512 columns; in adversarial mode, allocations get
random ones. Accesses must be ordered as the ISA's memory model for `tcgen05` says,
taken literally: only the pairs that it lists execute in order, so a `cp` that
    overwrites
scale factors must wait for the `mma` that reads them; between threads, both fences are
needed, or the operation must be complete and a release and an acquire must follow;
`tcgen05.commit` includes the before-fence. The registers of `tcgen05.ld` may be used at
once. One thread of a warp issues `mma`, `cp`, `shift` and `commit`. `tcgen05.shift`
moves the 32 lanes of each warp separately, `row[i] = row[i + 1]`. These are run-time
errors of the kernel: absolute addresses in a descriptor, K of 96, A in tensor memory if
    D
is folded (layouts B, E, G), scale factors with fewer than 128 rows in a CTA, a shifted
zero-column mask.
"""


def page() -> str:
    """The page as Markdown."""
    lines = [HEAD.replace("{counts}", _counts())]
    for chapter in INSTRUCTIONS:
        families = [family for family in FAMILIES if family.chapter == chapter]
        lines += [
            f"## {chapter}",
            "",
            "| instruction | checked for | forms |",
            "|---|---|---|",
        ]
        lines += [_row(family) for family in families]
        lines.append("")
    return "\n".join(lines)


def _counts() -> str:
    forms = [len(list(family.forms())) for family in FAMILIES if not family.refused]
    refused = [len(list(family.forms())) for family in FAMILIES if family.refused]
    everything = {(family.chapter, family.name) for family in FAMILIES}
    known = {(f.chapter, f.name) for f in FAMILIES if not f.refused}
    return (
        f"{len(known)} of {len(everything)} instructions are emulated, in {sum(forms)} "
        f"listed forms; {sum(refused)} forms are refused."
    )


def _row(family: Family) -> str:
    if family.refused:
        forms = f"*refused: {family.refused}*"
    else:
        mnemonics = dict.fromkeys(_mnemonic(pattern) for pattern in family.patterns)
        forms = "<br>".join(f"`{text}`" for text in mnemonics)
    name = f"`{family.name}`" if family.name != "special registers" else family.name
    return f"| {name} | {family.target} | {forms} |".replace("|p", "\\|p")


def _mnemonic(pattern: str) -> str:
    """A pattern up to its operands."""
    depth = 0
    for place, letter in enumerate(pattern):
        depth += (letter == "{") - (letter == "}")
        if letter == " " and not depth and not pattern.startswith("@"):
            if pattern.startswith("mov"):
                break
            return pattern[:place]
    return pattern


def main() -> int:
    """Compares or writes; 1 if the page is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page")
    wanted = page()
    if parser.parse_args().write:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        print(f"{PAGE.name} is stale; run tools/checks/emulator_isa.py --write")
        print("0 passed, 1 failed")
        return 1
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
