# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/faults.md, a catalogue made from test/faults; `--write` updates it.

Each program is run by every judge that takes it, so that the table of kinds and judges
is computed. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "faults"))

from fault_programs import (  # noqa: E402 - a program, found by its folder
    PTX_JUDGES,
    TILE_JUDGES,
    FaultProgram,
    programs,
    verdicts,
)

PAGE = ROOT / "docs" / "faults.md"
HEAD = """\
# A catalogue of faults

<!-- made by tools/checks/faults_page.py --write from test/faults -->

For each kind of fault the smallest program that has it, what the tools say of it, and
how it is mended. The programs, with the words of their runs, are in
`test/faults`; a test compares the messages, and finds nothing in the mended programs.
`0x...` stands for an address.

- [Tile IR](#faults-of-tile-ir), run by `cuda-tile-run FILE WORDS`
  ([interpreter.md](interpreter.md))
- [PTX](#faults-of-ptx), run by `python -m cuda_tile.emulator FILE WORDS`
  ([emulator.md](emulator.md))

## Who finds what

An empty cell: the judge says nothing. `prove` judges [synchronisation](proof.md) alone:
*proved* where that is right, *unknown* where it cannot tell. A compiled kernel
may have no fault where its text has one: what the language leaves undefined has some
result then.

"""


def page(found: Sequence[FaultProgram]) -> str:
    """The whole page."""
    said = dict(verdicts(found))
    tile = [program for program in found if not program.is_ptx]
    ptx = [program for program in found if program.is_ptx]
    return (
        HEAD
        + _table(tile, said, list(TILE_JUDGES))
        + "\n"
        + _table(ptx, said, list(PTX_JUDGES))
        + "\n## Faults of Tile IR\n"
        + "".join(map(_section, tile))
        + "\n## Faults of PTX\n"
        + "".join(map(_section, ptx))
    )


def _table(
    found: Iterable[FaultProgram],
    said: dict[str, dict[str, str]],
    judges: Sequence[str],
) -> str:
    lines = [f"| kind | {' | '.join(judges)} |", f"|---|{'---|' * len(judges)}"]
    for program in found:
        cells = " | ".join(said[program.name][judge] for judge in judges)
        lines.append(f"| [{_words(program)}](#{_anchor(program)}) | {cells} |")
    return "\n".join(lines) + "\n"


def _words(program: FaultProgram) -> str:
    return program.name.replace("_", " ")


def _title(program: FaultProgram) -> str:
    return f"{_words(program).capitalize()}"


def _anchor(program: FaultProgram) -> str:
    return program.name.replace("_", "-")


def _section(program: FaultProgram) -> str:
    language = "text" if program.is_ptx else "mlir"
    changes = "\n".join(
        f"- {old.strip()}\n+ {new.strip()}" for old, new in program.changes
    )
    return f"""
### {_title(program)}

{program.fields["title"][0]}. {program.fields["what"][0]}

```{language}
{program.code}```

`{program.words}` says:

```text
{chr(10).join(program.fields["expect"])}
```

Mended by {program.fields["mend"][0]}:

```diff
{changes}
```
"""


def main() -> int:
    """The check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page")
    options = parser.parse_args()
    text = page(programs())
    if options.write:
        PAGE.write_text(text)
    is_same = PAGE.exists() and PAGE.read_text() == text
    if not is_same:
        print(f"{PAGE.relative_to(ROOT)}: run tools/checks/faults_page.py --write")
    print(f"{int(is_same)} passed, {int(not is_same)} failed")
    return int(not is_same)


if __name__ == "__main__":
    sys.exit(main())
