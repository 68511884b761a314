# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands and programs in the pages of `PAGES`.

In a `console` block, a line `$ COMMAND` is run by the shell in a copy of the page's
folder; the lines below it are the expected output, stdout and stderr together, in which
that folder is left out of paths. `...` matches any number of lines. Times, addresses
and names of SSA values are masked; counts are not. The concatenated `python` blocks of
a page are a program that must run without an error. `--write` inserts the actual
output, and so brings counts up to date.
Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "test" / "kernels" / "13.4"
PTX = ROOT / "test" / "ptx" / "programs"
GUIDE = ROOT / "examples" / "guide"
PAGES = {
    ROOT / "README.md": KERNELS,
    ROOT / "docs" / "bindings.md": KERNELS,
    ROOT / "docs" / "bounds.md": PTX,
    ROOT / "docs" / "certificate.md": KERNELS,
    ROOT / "docs" / "compile-many.md": KERNELS,
    ROOT / "docs" / "compiler.md": KERNELS,
    ROOT / "docs" / "cutile.md": ROOT / "test" / "cutile" / "programs",
    ROOT / "docs" / "emulator.md": PTX,
    ROOT / "docs" / "exact.md": KERNELS,
    ROOT / "docs" / "from-cpp.md": ROOT / "test" / "kernels" / "tilecpp" / "src",
    ROOT / "docs" / "from-julia.md": GUIDE,
    ROOT / "docs" / "from-rust.md": GUIDE,
    ROOT / "docs" / "from-triton.md": ROOT / "test" / "ptx" / "triton",
    ROOT / "docs" / "interpreter.md": KERNELS,
    ROOT / "docs" / "launch.md": KERNELS,
    ROOT / "docs" / "report.md": KERNELS,
    ROOT / "docs" / "schedules.md": PTX,
    ROOT / "docs" / "layouts.md": GUIDE,
    ROOT / "docs" / "lines.md": KERNELS,
    ROOT / "docs" / "nvcc.md": ROOT / "test" / "ptx" / "cuda",
    ROOT / "docs" / "performance.md": GUIDE,
    ROOT / "docs" / "producers.md": KERNELS,
    ROOT / "docs" / "start.md": GUIDE,
    ROOT / "docs" / "debugging.md": ROOT / "test" / "debug" / "programs",
    ROOT / "docs" / "tuning.md": KERNELS,
    ROOT / "docs" / "tutorial-attention.md": GUIDE,
    ROOT / "docs" / "tutorial-debugging.md": GUIDE / "debugging",
    ROOT / "docs" / "tutorial-product.md": GUIDE,
    ROOT / "docs" / "writing-a-lowering.md": GUIDE,
    ROOT / "docs" / "writing-a-pass.md": GUIDE,
    ROOT / "python" / "cuda_tile" / "interp" / "README.md": KERNELS,
}
"""The pages, each with the folder in a copy of which its commands run."""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_LINES = "..."
SHOWN_LINES = 60
"""Number of lines that `--write` keeps of a longer output."""

_MASKS = (
    (re.compile(r"\b\d+\.\d+ s\b"), "0.0 s"),
    (re.compile(r"\b\d+ ms\b"), "0 ms"),
    (re.compile(r"0x[0-9a-f]+"), "0x0"),
    (re.compile(r"%[a-zA-Z0-9_#-]+"), "%value"),
)


@dataclass(frozen=True)
class Step:
    """A command and its expected output."""

    command: str
    expected: list[str]


def steps_of(block: str) -> list[Step]:
    """The commands of one console block; a trailing backslash continues a command."""
    steps: list[Step] = []
    is_open = False
    for line in block.splitlines():
        if line.startswith("$ ") or is_open:
            if is_open:
                step = steps.pop()
                steps.append(Step(f"{step.command}\n{line}", []))
            else:
                steps.append(Step(line.removeprefix("$ "), []))
            is_open = line.endswith("\\")
        elif steps:
            steps[-1].expected.append(line)
    return steps


def mask(line: str) -> str:
    """The line without values that depend on the run or the machine."""
    for pattern, replacement in _MASKS:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def matches(expected: list[str], actual: list[str]) -> bool:
    """Whether the output is as expected; `...` matches any number of lines."""
    pattern = "\n".join(
        r"(?:.*\n?)*?.*" if line == ANY_LINES else re.escape(mask(line))
        for line in expected
    )
    return re.fullmatch(pattern, "\n".join(mask(line) for line in actual)) is not None


def run(command: str, folder: Path) -> list[str]:
    """The output lines of a shell command."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return result.stdout.replace(f"{folder}/", "").splitlines()


def python_failure(program: str, folder: Path) -> list[str]:
    """The output of a Python program if it fails."""
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return [result.stderr] if result.returncode else []


def shortened(expected: list[str], actual: list[str]) -> list[str]:
    """The output for `--write`: all, or as many first lines as before, and `...`."""
    if ANY_LINES in expected and len(actual) > 1:
        keep = max(1, expected.index(ANY_LINES))
    else:
        keep = SHOWN_LINES
    return actual if len(actual) <= keep else [*actual[:keep], ANY_LINES]


def check_block(block: str, folder: Path, failures: list[str]) -> tuple[int, str]:
    """Runs one block; returns the number of its steps and the corrected block."""
    text = ""
    steps = steps_of(block)
    for step in steps:
        actual = run(step.command, folder)
        good = matches(step.expected, actual)
        shown = step.expected if good else shortened(step.expected, actual)
        text += "".join(f"{line}\n" for line in (f"$ {step.command}", *shown))
        if not good:
            wanted = "\n".join(step.expected)
            got = "\n".join(actual)
            failures.append(f"$ {step.command}\nexpected:\n{wanted}\ngot:\n{got}\n")
    return len(steps), text


def main() -> int:
    """Compares or writes; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the pages")
    parser.add_argument("pages", nargs="*", type=Path, help="by default all")
    arguments = parser.parse_args()
    chosen: list[Path] = [page.resolve() for page in arguments.pages] or list(PAGES)
    if unknown := [str(page) for page in chosen if page not in PAGES]:
        parser.error(f"expected pages with commands, got {', '.join(unknown)}")
    counts = [
        check_page(page, PAGES[page], is_writing=arguments.write) for page in chosen
    ]
    total, failed = (sum(column) for column in zip(*counts, strict=True))
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


def check_page(page: Path, inputs: Path, *, is_writing: bool) -> tuple[int, int]:
    """Runs the steps of a page; returns their number, and that of failed ones."""
    text = page.read_text()
    failures: list[str] = []
    total = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, inputs.name)
        shutil.copytree(inputs, folder)

        def checked(match: re.Match[str]) -> str:
            nonlocal total
            count, block = check_block(match[1], folder, failures)
            total += count
            return f"```console\n{block}```"

        updated = BLOCK.sub(checked, text)
        program = "\n".join(PYTHON_BLOCK.findall(text))
        if program:
            total += 1
            failures += python_failure(program, folder)
    if is_writing:
        page.write_text(updated)
        failures = []
    for failure in failures:
        print(f"{page.relative_to(ROOT)}: {failure}")
    return total, len(failures)


if __name__ == "__main__":
    sys.exit(main())
