# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each command of the package, made of its `--help`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor

from site_sources import ROOT

MODULES = ("cuda_tile.emulator", "cuda_tile.cutile", "cuda_tile")
"""Modules that are run as commands, `python -m MODULE`."""

PURPOSE = {
    "cuda-tile-as": "Compiles bytecode to a cubin, called as producers call their "
    "assembler `tileiras`: see [producers](../docs/producers.md).",
    "cuda-tile-compile": "Compiles one kernel or many to PTX, cubins or any level "
    "between: see [compiling many kernels](../docs/compile-many.md) and "
    "[the compiler](../docs/compiler.md).",
    "cuda-tile-debug": "Debugs kernels from an editor: see "
    "[the debugger](../docs/debugging.md).",
    "cuda-tile-judge": "Says of programs with kernels that nobody trusts whether they "
    "are right: see [judging](../docs/judging.md).",
    "cuda-tile-lsp-server": "Tells an editor about kernels in text: see "
    "[editors](../docs/editors.md).",
    "cuda-tile-opt": "Runs passes on a module and prints it, as MLIR's `mlir-opt`: "
    "see [the passes](../passes/README.md) and "
    "[writing a pass](../docs/writing-a-pass.md).",
    "cuda-tile-optimize": "Runs the default optimisations at the tile level and writes "
    "text or bytecode.",
    "cuda-tile-reduce": "Makes a kernel small that shows a fault: see "
    "[reducing](../docs/reducing.md).",
    "cuda-tile-run": "Runs a kernel on the CPU: on the "
    "[interpreter](../docs/interpreter.md), or compiled on the "
    "[emulator](../docs/emulator.md).",
    "cuda-tile-translate": "Converts a module between text, "
    "[bytecode](../dialect/docs/bytecode.md), LLVM IR and PTX.",
    "cuda-tile-tune": "Finds the plan, hints and constants with which a kernel takes "
    "the fewest clocks, without a GPU: see [tuning](../docs/tuning.md).",
    "cuda_tile.emulator": "Runs PTX of any origin: see "
    "[the emulator](../docs/emulator.md).",
    "cuda_tile.cutile": "Runs programs in cuTile Python without a GPU: see "
    "[from cuTile](../docs/cutile.md).",
    "cuda_tile": "Says where the package's files are, for builds in C and C++: see "
    "[building kernels](../docs/bindings.md).",
}
"""What each command is for, in a sentence with links."""

_OURS = re.compile(
    r"cuda-tile-.*|cudatilebc-.*|mlir-to-cudatilebc|test-cudatile-.*|bytecode-.*|W.*-hints"
    r"|fuse-fma|loop-split|fold-constants|synthesize-debug-info-scopes|gpu|load-pass|dump"
    r"|pass-pipeline|verify-diagnostics|verify-each|split-input-file|list-versions"
    r"|mlir-print-ir-(before|after)(-all)?|mlir-print-debuginfo|canonicalize|cse"
    r"|lit-test|log|pretty"
)
"""Options of the tools on MLIR's library that are ours, or needed often."""
_OPTION = re.compile(r"(?P<indent> +)--(?P<name>[\w-]+)(?P<rest>.*)")


def commands() -> list[str]:
    """The commands of pyproject.toml and `client/`, then the modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    clients = (ROOT / "client" / "CMakeLists.txt").read_text()
    in_c = re.findall(r"^add_client\((\S+)", clients, re.MULTILINE)
    return [*sorted([*project["scripts"], *in_c]), *MODULES]


def help_text(name: str) -> str:
    """What `--help` prints, in lines of at most 80 characters.

    Raises:
        RuntimeError: The command fails.
    """
    is_module = name in MODULES
    scripts = ROOT / ".venv" / "bin"
    start = [sys.executable, "-m", name] if is_module else [str(scripts / name)]
    result = subprocess.run(
        [*start, "--help"],
        env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"expected {name} --help to succeed, got {result.stderr}")
    return result.stdout


def our_part(text: str) -> str:
    """The help of a tool on MLIR's library without the options of LLVM itself.

    These are hundreds, of all of LLVM's targets and passes. Deeper options and values
    belong to the option above them.
    """
    if not text.startswith("OVERVIEW"):
        return text
    head, _, options = text.partition("OPTIONS:\n")
    kept = [head.rstrip(), "", "OPTIONS:"]
    depth: int | None = None
    for line in options.split("\n"):
        option = _OPTION.match(line)
        if option is None:
            if depth is not None and line.lstrip().startswith("="):
                kept.append(_columns(line, depth + 4))
            continue
        here = len(option["indent"])
        if depth is None or here <= depth:
            depth = here if _OURS.fullmatch(option["name"]) else None
        if depth is not None:
            kept.append(_columns(line, 2 + here - depth))
    return "\n".join(kept)


def _columns(line: str, indent: int) -> str:
    """A line of MLIR's help in narrower columns: the option, then what it does."""
    option, _, summary = line.strip().partition("  ")
    left = " " * indent + option
    return f"{left:<34} {summary.strip().removeprefix('-').strip()}"


def command_page(name: str) -> str:
    """The page of one command."""
    text = help_text(name)
    ours = our_part(text)
    shown = f"python -m {name}" if name in MODULES else name
    note = ""
    if ours != text:
        note = (
            "\nOptions that LLVM and MLIR give to every tool are left out here; "
            f"`{shown} --help` has them.\n"
        )
    return (
        f"# {shown}\n\n{PURPOSE[name]}\nBelow is what `{shown} --help` says.\n{note}\n"
        f"```text\n{ours.rstrip()}\n```\n"
    )


def pages() -> dict[str, str]:
    """The pages by path on the site, in the order of the menu."""
    names = commands()
    with ThreadPoolExecutor(2) as pool:
        texts = dict(zip(names, pool.map(command_page, names), strict=True))
    rows = [f"| [{_shown(name)}]({_file(name)}) | {PURPOSE[name]} |" for name in texts]
    index = (
        "# Commands\n\nEvery command of the package, with what it is for. Each reads "
        "kernels as text or bytecode, `-` is stdin or stdout, and `--help` prints what "
        "stands on its page.\n\n| command | what it does |\n|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )
    made = {f"commands/{_file(name)}": text for name, text in texts.items()}
    return {"commands/README.md": index, **made}


def _file(name: str) -> str:
    return f"{name.replace('.', '-').replace('_', '-')}.md"


def _shown(name: str) -> str:
    return f"python -m {name}" if name in MODULES else name
