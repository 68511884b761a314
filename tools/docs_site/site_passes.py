# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each step of the compiler: its contract, and what it does to an example.

The contract is the docstring of the pass; the texts are made by compiling a kernel of
`test/kernels`, so nothing here can grow stale.
"""

from __future__ import annotations

import difflib
import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from site_sources import ROOT

import cuda_tile
from cuda_tile.pipeline import PIPELINE, PRINTERS, Pass, Step

CONTEXT_LINES = 3
LINES_SHOWN = 400
"""Of a text; of longer ones the page has the beginning and says so."""


@dataclass(frozen=True)
class Example:
    """A kernel that shows what a pass does.

    Attributes:
        file: Its name.
        gpu: The chip that it is compiled for.
        persistent: Whether a CTA serves several tile blocks.
        folder: Where the file is.
    """

    file: str
    gpu: str = "sm_90"
    persistent: bool = False
    folder: str = "test/kernels/13.4"

    @property
    def arguments(self) -> str:
        """The arguments of `cuda-tile-compile`."""
        more = " --persistent" if self.persistent else ""
        return f"{self.file} --gpu {self.gpu}{more}"


_SMALL = Example("vadd_f32_1024.tileirbc")
_PRODUCT = Example("matmul_f16_64x64x64.tileirbc")
EXAMPLES = {
    "unit_batches": Example("unit_batches.mlir", folder="test/passes"),
    "simplify": _PRODUCT,
    "split": Example("split.mlir", folder="test/passes"),
    "narrow_elements": Example("narrow_elements.mlir", folder="test/passes"),
    "combine_atomics": Example("combine_atomics.mlir", folder="test/passes"),
    "unwrap_indices": Example("unwrap_indices.mlir", folder="test/passes"),
    "pair": Example("pair.mlir", gpu="sm_100", folder="test/passes"),
    "plan": _PRODUCT,
    "load_duplication": Example("load_duplication.mlir", folder="test/passes"),
    "online_softmax": Example("online_softmax.mlir", folder="test/passes"),
    "welford": Example("welford.mlir", folder="test/passes"),
    "row_tiling": Example("row_tiling.mlir", folder="test/passes"),
    "persist": Example("matmul_f16_128x128x64.tileirbc", persistent=True),
    "place": _PRODUCT,
    "join_reductions": Example("join_reductions.mlir", folder="test/passes"),
    "stage": _PRODUCT,
    "order": Example("order.mlir", folder="tools/docs_site"),
    "ring": _PRODUCT,
    "roles": _PRODUCT,
    "skew": Example("matmul_f16_64x64x64.tileirbc", "sm_80"),
    "issue": Example("fmha_causal_f16_d64_128x64.tileirbc"),
    "count": Example("matmul_f16_64x64x64.tileirbc", "sm_80"),
    "allocate": Example("transpose_f32_64x64.tileirbc"),
    "barriers": Example("transpose_f32_64x64.tileirbc"),
    "emit": _SMALL,
    "llvm": _SMALL,
    "ptxas": _SMALL,
    "facts": _SMALL,
}
"""The kernel of each step; a test checks that the step changes it."""

LEVELS = {
    "T": "T (tiles)",
    "W": "W (tiles with layouts)",
    "P": "P (one thread)",
    "PTX": "PTX",
    "cubin": "cubin",
}


def load_example(example: Example) -> Any:
    """The module of an example, as `cuda_tile.load` gives it."""
    return cuda_tile.load(str(ROOT / example.folder / example.file))


@cache
def texts_of(example: Example) -> dict[str, str]:
    """What each step leaves of an example, by its name; `""` is the input."""
    module = load_example(example)
    made = {"": str(module)}

    def note(name: str, artifact: Any) -> None:
        made[name] = str(artifact)

    options = cuda_tile.Options(
        gpu=example.gpu, persistent=example.persistent, line_info=False
    )
    cuda_tile.compile(module, options=options, observe=note)
    return made


def before_and_after(name: str) -> tuple[str, str]:
    """The texts of the step's example before and after it."""
    example = EXAMPLES[name]
    if name == "facts":
        module = load_example(example)
        before = str(module)
        with module.context:
            PRINTERS[0].change(module.operation, cuda_tile.Options())
        return before, str(module)
    names = ["", *(step.name for step in PIPELINE)]
    texts = texts_of(example)
    return texts[names[names.index(name) - 1]], texts[name]


def _home(name: str) -> Any:
    homes = {"llvm": "codegen.ptx", "ptxas": "codegen.ptxas"}
    return import_module(f"cuda_tile.{homes.get(name, f'passes.{name}')}")


def _clipped(text: str) -> str:
    lines = text.rstrip().split("\n")
    if len(lines) <= LINES_SHOWN:
        return "\n".join(lines)
    rest = len(lines) - LINES_SHOWN
    return "\n".join([*lines[:LINES_SHOWN], f"... {rest} more lines"])


def tab(title: str, language: str, text: str) -> str:
    """One of several texts that share a place on the page."""
    block = f"```{language}\n{text}\n```"
    return f'=== "{title}"\n\n' + "".join(
        f"    {line}\n" if line else "\n" for line in block.split("\n")
    )


def difference(before: str, after: str) -> str:
    """The lines that changed, with `CONTEXT_LINES` around them."""
    lines = difflib.unified_diff(
        before.split("\n"), after.split("\n"), lineterm="", n=CONTEXT_LINES
    )
    return "\n".join(list(lines)[2:])


def example_section(name: str, previous: str, language: tuple[str, str]) -> str:
    """What the step does to its example, with the command that shows the same."""
    example = EXAMPLES[name]
    before, after = before_and_after(name)
    steps = "".join(f" --print-after={step}" for step in (previous, name) if step)
    command = (
        f"cuda-tile-opt {example.file} --cuda-tile-facts"
        if name == "facts"
        else f"cuda-tile-compile {example.arguments} --no-line-info{steps} -o out.cubin"
    )
    tabs = [
        tab("Before", language[0], _clipped(before)),
        tab("After", language[1], _clipped(after)),
    ]
    if language[0] == language[1]:
        tabs.insert(0, tab("What it changes", "diff", difference(before, after)))
    return (
        f"## Before and after\n\nIn `{example.folder}`, this prints the texts below:"
        f"\n\n    {command}\n\n" + "\n".join(tabs)
    )


def page(step: Pass | Step, previous: Pass | Step | None) -> str:
    """The page of one step."""
    module = _home(step.name)
    doc = inspect.getdoc(module) or ""
    first, _, rest = doc.partition("\n\n")
    source = str(module.__file__).partition("python/cuda_tile/")[2]
    rows = [
        ("takes", f"level {LEVELS[previous.level if previous else 'T']}"),
        ("leaves", f"level {LEVELS[step.level]}"),
        ("source", f"`python/cuda_tile/{source}`"),
    ]
    if isinstance(step, Pass):
        rows.append(("flag of `cuda-tile-opt`", f"`--{step.flag}`"))
        if step.reads:
            options = ", ".join(f"`{name}`" for name in step.reads)
            where = "../docs/compiler.md#options"
            rows.append(("[options](" + where + ") that it reads", options))
    head, *others = [f"| {key} | {value} |\n" for key, value in rows]
    table = f"{head}|---|---|\n{''.join(others)}"
    languages = {"llvm": ("mlir", "ptx"), "ptxas": ("ptx", "text")}
    example = example_section(
        step.name,
        previous.name if previous else "",
        languages.get(step.name, ("mlir", "mlir")),
    )
    return f"# {step.name}\n\n{first}\n\n{table}\n{rest}\n\n{example}"


def index() -> str:
    """The page that lists the steps."""
    rows = "".join(
        f"| [{step.name}]({step.name}.md) | {LEVELS[step.level]} | {step.summary} |\n"
        for step in (*PIPELINE, *PRINTERS)
    )
    return (
        "# Passes\n\nEach step from a tile kernel to a cubin, in order, with a page "
        "that says what the step promises and shows an example before and after it. "
        "[The compiler](../docs/compiler.md) explains how they work together, "
        "[writing a pass](../docs/writing-a-pass.md) how to add your own.\n\n"
        "| step | leaves level | what it does |\n|---|---|---|\n" + rows
    )


def pages() -> dict[str, str]:
    """The pages by path on the site, in the order of the menu."""
    made = {"passes/README.md": index()}
    previous: Pass | Step | None = None
    for step in PIPELINE:
        made[f"passes/{step.name}.md"] = page(step, previous)
        previous = step
    for printer in PRINTERS:
        made[f"passes/{printer.name}.md"] = page(printer, None)
    return made
