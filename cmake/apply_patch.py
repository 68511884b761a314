# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies a unified diff to copies of files, by what stands in them.

    apply_patch.py PATCH SOURCE TARGET

For each file of the patch, TARGET/FILE becomes SOURCE/FILE with the changes. Line
numbers are not looked at: what a hunk replaces, context included, must stand in the
file exactly once. No tool is needed for it that a machine may lack.
"""

import sys
from pathlib import Path

HEADER = "+++ b/"


def apply(patch: str, source: Path, target: Path) -> None:
    """Writes the changed files below `target`."""
    for part in patch.split("\n--- a/")[1:]:
        name, _, rest = part.partition("\n")
        hunks = rest.split("\n@@ ")[1:]
        text = (source / name).read_text()
        for hunk in hunks:
            text = _changed(text, hunk.splitlines()[1:], name)
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if not (target / name).exists() or (target / name).read_text() != text:
            (target / name).write_text(text)


def _changed(text: str, lines: list[str], name: str) -> str:
    old = "".join(line[1:] + "\n" for line in lines if line[:1] in " -")
    new = "".join(line[1:] + "\n" for line in lines if line[:1] in " +")
    if text.count(old) != 1:
        sys.exit(
            f"expected this once in {name}, got it {text.count(old)} times:\n{old}"
        )
    return text.replace(old, new)


def main() -> None:
    """Applies the patch argv[1] to files below argv[2], to files below argv[3]."""
    apply(Path(sys.argv[1]).read_text(), Path(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
