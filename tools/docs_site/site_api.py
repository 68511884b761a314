# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the Python interface, which mkdocstrings makes of docstrings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A page.

    Attributes:
        file: Its name.
        title: Its heading.
        purpose: What a stranger finds here.
        objects: Names of modules, or of what is in them.
    """

    file: str
    title: str
    purpose: str
    objects: tuple[str, ...]


_FAMILIES = (
    "structure control constants float integer bitwise math convert shape reduce mma "
    "view memory atomic multimem hint"
)
PARTS = (
    Part(
        "compile.md",
        "Loading, compiling, running",
        "The functions of the package itself: `import cuda_tile`. They read a kernel, "
        "compile it, run it on the CPU, or launch it on a GPU.",
        (
            "cuda_tile.files.load",
            "cuda_tile.files.save",
            "cuda_tile.api.compile",
            "cuda_tile.api.Compiled",
            "cuda_tile.options.Options",
            "cuda_tile.api.lower",
            "cuda_tile.api.list_plans",
            "cuda_tile.running.run",
            "cuda_tile.api.translate",
            "cuda_tile.launcher.launch",
            "cuda_tile.timing.launched.time_of",
            "cuda_tile.timing.model.Time",
            "cuda_tile.runtime.args.array_args",
            "cuda_tile.runtime.args.list_args",
            "cuda_tile.user_passes.register_pass",
        ),
    ),
    Part(
        "errors.md",
        "Errors",
        "What the functions raise. An error says what was expected, what was found, "
        "where, and what you can do.",
        ("cuda_tile.errors",),
    ),
    Part(
        "builder.md",
        "Building kernels",
        "One function for each op of the dialect, to write kernels in Python without a "
        "front end: `from cuda_tile import builder as b`. "
        "[Building kernels](../docs/bindings.md) has complete programs.",
        (
            "cuda_tile.builder.type_makers",
            "cuda_tile.builder.values",
            *(f"cuda_tile.builder.{family}" for family in _FAMILIES.split()),
        ),
    ),
    Part(
        "pipeline.md",
        "The pipeline",
        "The steps of the compiler as objects, for programs that run some of them, "
        "look between them or add their own. "
        "[Writing a pass](../docs/writing-a-pass.md) begins with an example.",
        ("cuda_tile.pipeline", "cuda_tile.hooks", "cuda_tile.ir.walk"),
    ),
    Part(
        "layout.md",
        "Layouts",
        "Which thread holds which element of a tile, as objects with methods. "
        "[Layouts](../docs/layouts.md) explains them with pictures.",
        ("cuda_tile.layout.linear", "cuda_tile.layout.shared"),
    ),
    Part(
        "emulator.md",
        "The PTX emulator",
        "Runs PTX of any origin on NumPy arrays. "
        "[Its manual](../docs/emulator.md) says what it checks and counts.",
        ("cuda_tile.emulator",),
    ),
    Part(
        "cutile.md",
        "cuTile programs",
        "Runs, compiles and records kernels of cuTile Python inside a Python process: "
        "`from cuda_tile import cutile`. "
        "[From cuTile](../docs/cutile.md) has examples.",
        ("cuda_tile.cutile",),
    ),
    Part(
        "batch.md",
        "Many kernels",
        "Compiles many kernels in processes of their own, with limits and a cache. "
        "[Compiling many kernels](../docs/compile-many.md) is the manual.",
        ("cuda_tile.batch",),
    ),
)


def page(part: Part) -> str:
    """The text of one page."""
    blocks = "\n".join(f"::: {name}\n" for name in part.objects)
    return f"# {part.title}\n\n{part.purpose}\n\n{blocks}"


def pages() -> dict[str, str]:
    """The pages by path on the site, in the order of the menu."""
    rows = "".join(f"| [{p.title}]({p.file}) | {p.purpose} |\n" for p in PARTS)
    index = (
        "# Python interface\n\nThe package `cuda_tile` for programs that load, build, "
        "compile, run or transform kernels. Each page is made of docstrings.\n\n"
        "| page | content |\n|---|---|\n" + rows
    )
    return {"api/README.md": index, **{f"api/{p.file}": page(p) for p in PARTS}}
