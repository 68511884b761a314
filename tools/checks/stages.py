# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the table op x stage and fails on a gap without a reason.

The ops are those of the ODS. A gap is an op that a stage does not support; `REASONS`
lists ops that a stage does not need to support. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from cuda_tile import builder, interp, ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.emit.families import RULES as EMIT_RULES
from cuda_tile.ods import OpInfo
from cuda_tile.place.families import RULES as PLACE_RULES

ROOT = Path(__file__).resolve().parents[2]
DIALECT_TESTS = ROOT / "test" / "dialect"

_NO_WIRE = "made by the compiler, so no file holds it"
_NO_TILE = "has no tile of rank 1 or more"
_LATER = "made by place or a later pass, with its layouts"
_COMPILER = "for passes, which build it by its class"
_NESTED = "holds kernels; the driver of the stage takes it apart"
_FREE = "no operands, and a result of one type: nothing to reject"
_RUN = "its value, or what it does, is known only when the program runs"
_INEXACT = "its result is not specified to the last bit"
_LEFT = "its operands are made at run time in real programs"
_END = "ends a region: the op around it is folded"

NO_FOLD = {
    **dict.fromkeys(("math", "mma", "reduce"), _INEXACT),
    **dict.fromkeys(("atomic", "memory", "view", "multimem", "structure"), _RUN),
    **dict.fromkeys(("hint", "tileas"), _RUN),
    **dict.fromkeys(("shape", "convert"), _LEFT),
}
"""Why ops of a family without a folding test need no folding."""

TILEAS = [name for name in ods.ops() if name.startswith("tileas.")]

REASONS: dict[tuple[str, str], str] = {
    **{("module", stage): _NESTED for stage in ("interp", "place", "emit")},
    **{("entry", stage): _NESTED for stage in ("interp", "place", "emit")},
    ("global", "interp"): "the driver lays globals out before the first tile block",
    ("module", "rejects"): "MLIR's symbol tables and parser do",
    ("make_token", "rejects"): _FREE,
    ("get_num_tile_blocks", "rejects"): "its checks are those of get_tile_block_id",
    ("tileas.barrier", "rejects"): _FREE,
    ("tileas.alloc_shared", "rejects"): "its buffer type does: @buffer_...",
    ("global", "place"): _NO_TILE,
    ("global", "emit"): "the pass emit declares it, see emit/structure.py",
    ("get_global", "place"): _NO_TILE,
    ("alloca", "place"): _NO_TILE,
    ("memory_fence_alias_tko", "place"): _NO_TILE,
    ("gdc_launch_dependents_tko", "place"): _NO_TILE,
    ("gdc_wait_tko", "place"): _NO_TILE,
    ("get_tile_block_id", "place"): _NO_TILE,
    ("get_num_tile_blocks", "place"): _NO_TILE,
    ("get_index_space_shape", "place"): _NO_TILE,
    ("get_tensor_shape", "place"): _NO_TILE,
    ("make_tensor_view", "place"): _NO_TILE,
    ("make_partition_view", "place"): _NO_TILE,
    ("make_strided_view", "place"): _NO_TILE,
    ("make_gather_scatter_view", "place"): _NO_TILE,
    ("make_token", "place"): _NO_TILE,
    ("join_tokens", "place"): _NO_TILE,
    ("constant", "fold"): "it is what others fold to",
    ("loop", "fold"): _RUN,
    **{(name, "fold"): _END for name in ("break", "continue", "return", "yield")},
    **{
        (f"tileas.{name}", "rejects"): _FREE
        for name in ("await_copies", "done", "next_tile", "publish")
    },
    **{
        (f"tileas.{name}", "docs"): "its summary says it all"
        for name in ("done", "next_tile", "publish")
    },
    **{
        (name, "place"): _LATER
        for name in TILEAS
        if name not in ("tileas.tiles", "tileas.next_tile")
    },
    **{(name, "builder"): _COMPILER for name in TILEAS},
    **{(name, "bytecode"): _NO_WIRE for name in TILEAS},
}
"""Why an op may be missing from a stage."""

BUILDER_NAMES = {
    "assert": "assert_",
    "assume": "assume_div_by",
    "break": "loop_break",
    "continue": "loop_continue",
    "for": "for_loop",
    "global": "global_",
    "if": "if_generate",
    "loop": "loop_generate",
    "module": "ModuleOp",
    "return": "ret",
    "yield": "reduce",
}
"""Functions of the builder whose names differ from their ops."""


@cache
def _tests(is_invalid: bool) -> str:
    """The text of the dialect's tests, for accepted or rejected programs."""
    files = sorted(DIALECT_TESTS.glob("*.mlir"))
    chosen = [file for file in files if file.stem.endswith("_invalid") == is_invalid]
    return "\n".join(file.read_text() for file in chosen)


@cache
def _folded_ops() -> frozenset[str]:
    """Ops that are less frequent in a program after the passes of its RUN line.

    Not counted are ops without operands, which may just have become unused, and, in
    functions with branches and loops, ops outside these, which may have been dead.
    """
    found: set[str] = set()
    for file in [
        *sorted(DIALECT_TESTS.glob("*_fold.mlir")),
        DIALECT_TESTS / "interfaces.mlir",
    ]:
        text = file.read_text()
        for line in re.findall(r"// RUN: cuda-tile-opt %s (.*?) \|", text):
            for part in text.split("// -----"):
                found |= _fewer(part, _pipeline(line))
    return frozenset(found)


def _pipeline(flags: str) -> str:
    """The passes of a command line."""
    whole = re.search(r'-pass-pipeline="(.*?)"', flags)
    if whole:
        return whole[1]
    names = re.findall(r"--?([a-z-]+)", flags)
    return f"builtin.module({','.join(n for n in names if n != 'split-input-file')})"


def _fewer(text: str, pipeline: str) -> set[str]:
    """Ops that are less frequent in a function or the module after the passes."""
    with ir.Context() as context:
        _cuda_tile.register_dialect(context, load=True)
        module = ir.Module.parse(text)
        before = _counts(module)
        PassManager.parse(pipeline).run(module.operation)
        after = _counts(module)
    return {
        name
        for place, counts in before.items()
        for name, count in counts.items()
        if after[place][name] < count
    }


def _counts(module: ir.Module) -> dict[str, Counter[str]]:
    """The number of each op in each function, and in the module itself under ``."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    tile_module = module.body.operations[0]
    for function in tile_module.regions[0].blocks[0].operations:
        name = str(function.attributes["sym_name"]) if len(function.regions) else ""
        ops = _ops_in(function.operation) or [function.operation]
        has_regions = any(len(op.regions) for op in ops)
        for op in ops:
            if not name or len(op.regions) or (len(op.operands) and not has_regions):
                counts[name][op.name.removeprefix("cuda_tile.")] += 1
    return counts


def _ops_in(function: ir.Operation) -> list[ir.Operation]:
    """The ops of a function's body, including those in nested regions."""
    found: list[ir.Operation] = []
    for region in function.regions:
        for block in region.blocks:
            for view in block.operations:
                found += [view.operation, *_ops_in(view.operation)]
    return found


def has_example(op: OpInfo) -> bool:
    """Whether the ODS has an example of the op; examples.py runs it."""
    mnemonic = op.name.rpartition(".")[2]
    return any(re.search(rf"\b{mnemonic}\b", text) for text in op.examples)


def has_syntax_test(op: OpInfo) -> bool:
    """Whether an accepted program of test/dialect has the op."""
    return re.search(rf"(?<![\w@%!.]){op.name}\b", _tests(False)) is not None or (
        f"cuda_tile.{op.name} " in _tests(False)
    )


def has_verifier_test(op: OpInfo) -> bool:
    """Whether test/dialect has an invalid use, in a function named after the op."""
    mnemonic = op.name.rpartition(".")[2]
    return re.search(rf"@{mnemonic}(_\w+)?\(", _tests(True)) is not None


def has_fold_test(op: OpInfo) -> bool:
    """Whether a test has the op removed or rewritten by a pass of MLIR."""
    return op.name in _folded_ops()


def has_reference(op: OpInfo) -> bool:
    """Whether docs/reference has more than the summary of the op."""
    family = "tileas" if op.name.startswith("tileas.") else op.family
    page = ROOT / "docs" / "reference" / f"{family}.md"
    has_section = page.exists() and f"## {op.name}\n" in page.read_text()
    return bool(op.description) and has_section


STAGES: dict[str, Callable[[OpInfo], bool]] = {
    "example": has_example,
    "docs": has_reference,
    "syntax": has_syntax_test,
    "rejects": has_verifier_test,
    "fold": has_fold_test,
    "bytecode": lambda op: op.opcode is not None,
    "builder": lambda op: hasattr(builder, BUILDER_NAMES.get(op.name, op.name)),
    "interp": lambda op: op.name in interp.RULES,
    "place": lambda op: op.name in PLACE_RULES,
    "emit": lambda op: op.name in EMIT_RULES,
}
"""Each stage, with the test whether it supports an op."""


def cell(op: OpInfo, stage: str) -> str:
    """`yes`, `-` if not needed, else `GAP`."""
    has = STAGES[stage](op)
    has_reason = (op.name, stage) in REASONS
    if stage == "fold" and not has:
        in_family = op.family in NO_FOLD or op.name.startswith("tileas.")
        has_reason = has_reason or in_family
    if has and has_reason:
        return "STALE"
    if has or has_reason:
        return "yes" if has else "-"
    return "GAP"


def table() -> dict[str, dict[str, str]]:
    """The cells of every op, by op and stage."""
    return {
        name: {stage: cell(op, stage) for stage in STAGES}
        for name, op in ods.ops().items()
    }


def main() -> int:
    """Prints the table as Markdown, then each gap; 1 if there is one."""
    rows = table()
    print(f"| op | since | {' | '.join(STAGES)} |")
    print("|---" * (len(STAGES) + 2) + "|")
    for name, cells in rows.items():
        since = ods.ops()[name].since or "-"
        print(f"| {name} | {since} | {' | '.join(cells.values())} |")
    failed = 0
    for name, cells in rows.items():
        for stage, text in cells.items():
            failed += text in ("GAP", "STALE")
            if text == "GAP":
                print(f"{name}: expected stage '{stage}' to know it, or a reason")
            elif text == "STALE":
                print(f"{name}: expected no reason, since stage '{stage}' knows it")
    for name, stage in REASONS:
        if name not in rows or stage not in STAGES:
            failed += 1
            print(f"expected reasons for ops and stages there are, got {name}, {stage}")
    print(f"{sum(map(len, rows.values())) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
