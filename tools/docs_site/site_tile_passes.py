# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each pass on tiles that is written in C++, with the dialect.

The contract is the description in Passes.td; the texts are made by running the pass on
a small file beside this one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

from site_passes import difference, tab
from site_sources import ROOT

import cuda_tile
from cuda_tile.cli.opt import DIALECT_PASSES
from cuda_tile.passmanager import PassManager

FOLDER = "tools/docs_site"
DEFINITIONS = ROOT / "dialect" / "include" / "cuda_tile" / "Transforms" / "Passes.td"
EXAMPLES = {
    "fold-constants": "fold_constants.mlir",
    "fuse-fma": "fuse_fma.mlir",
    "loop-split": "loop_split.mlir",
    "synthesize-debug-info-scopes": "scopes.mlir",
}
"""The file of each pass, in `FOLDER`."""
USE = """
[`cuda-tile-optimize`](../commands/cuda-tile-optimize.md) runs these passes on bytecode
as a producer would, and `cuda-tile-opt` runs them alone or before the others. The
compiler's second step, [simplify](../passes/simplify.md), runs `fold-constants`; the
others run only where somebody asks for them.
"""
_DEFINITION = re.compile(
    r'^def \w+\s*: Pass<"([\w-]+)".*?let summary = "(.*?)";.*?'
    r"let description = \[\{\n(.*?)\n  \}\];(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_OPTION = re.compile(r'Option<"\w+", "([\w-]+)", "\w+", "(.*?)",\s*"(.*?)">')


@dataclass(frozen=True)
class Definition:
    """A pass as Passes.td has it.

    Attributes:
        summary: One line.
        description: The contract, Markdown.
        options: Name, default and meaning of each.
    """

    summary: str
    description: str
    options: tuple[tuple[str, str, str], ...]


def definitions() -> dict[str, Definition]:
    """The passes by flag."""
    found = _DEFINITION.findall(DEFINITIONS.read_text())
    return {
        flag: Definition(summary, dedent(text), tuple(_OPTION.findall(rest)))
        for flag, summary, text, rest in found
    }


def before_and_after(flag: str) -> tuple[str, str]:
    """The texts of the example before and after the pass."""
    module = cuda_tile.load(str(ROOT / FOLDER / EXAMPLES[flag]))
    has_places = flag == "synthesize-debug-info-scopes"
    texts: list[str] = []
    for pipeline in ("", f"any({flag})"):
        # The pass for scopes is one of modules of the dialect.
        if has_places and pipeline:
            pipeline = f"cuda_tile.module({flag})"
        with module.context:
            PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
        text = str(module.operation.get_asm(enable_debug_info=has_places))
        texts.append(re.sub(rf"{re.escape(str(ROOT / FOLDER))}/?", "", text))
    return texts[0], texts[1]


def page(flag: str, definition: Definition) -> str:
    """The page of one pass."""
    before, after = before_and_after(flag)
    debug = " --mlir-print-debuginfo" if "debug" in flag else ""
    source = "".join(word.capitalize() for word in flag.split("-"))
    source = source.replace("Fma", "FMA")
    options = "".join(
        f"| option `{name}` | {meaning}; {default} if not given |\n"
        for name, default, meaning in definition.options
    )
    table = (
        f"| takes, leaves | level T (tiles) |\n|---|---|\n"
        f"| flag of `cuda-tile-opt` | `--{flag}` |\n"
        f"| source | `dialect/lib/Transforms/{source}.cpp` |\n{options}"
    )
    tabs = (
        tab("What it changes", "diff", difference(before, after)),
        tab("Before", "mlir", before.rstrip()),
        tab("After", "mlir", after.rstrip()),
    )
    return (
        f"# {flag}\n\n{definition.summary}.\n\n{table}\n{definition.description}\n"
        f"{USE}\n## Before and after\n\nIn `{FOLDER}`, this prints the text after it:"
        f"\n\n    cuda-tile-opt {EXAMPLES[flag]} --{flag}{debug}\n\n" + "\n".join(tabs)
    )


def index(known: dict[str, Definition]) -> str:
    """The page that lists the passes."""
    rows = "".join(
        f"| [{flag}]({flag}.md) | {known[flag].summary} |\n" for flag in DIALECT_PASSES
    )
    return (
        "# Passes on tiles, for producers\n\nPasses that take a tile kernel and leave "
        "another one: for front ends that want simpler bytecode before they hand it to "
        "a compiler. They are written in C++ with the dialect and have names of their "
        f"own.\n{USE}\n| pass | what it does |\n|---|---|\n{rows}"
    )


def pages() -> dict[str, str]:
    """The pages by path on the site, in the order of the menu."""
    known = definitions()
    made = {"tile-passes/README.md": index(known)}
    for flag in DIALECT_PASSES:
        made[f"tile-passes/{flag}.md"] = page(flag, known[flag])
    return made
