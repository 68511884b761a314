# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How small `cuda-tile-reduce` makes kernels with planted faults.

    python bench/reducing.py

Prints a table for docs/reducing.md: operations and lines before and after, programs
that were checked, CPU seconds of the search.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from cuda_tile.reducer import Progress, reduce_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "reducer"))

from planted_faults import PLANTED, Planted


def row(planted: Planted) -> str:
    """What became of one kernel, as a row of the table."""
    source, last = planted.source(), list[Progress]()
    start = time.process_time()
    left = reduce_text(source.text, source.kinds, planted.is_in, watch=last.append)
    seconds = time.process_time() - start
    before, after = (source.size(text).split()[0] for text in (source.text, left))
    form = " ... ".join(planted.form).replace(".*", " ... ").replace("  ", " ").strip()
    lines = [len(text.splitlines()) for text in (source.text, left)]
    cells = (planted.kernel, f"`{form}`", before, after, *lines, last[-1].runs)
    return f"| {' | '.join(map(str, cells))} | {seconds:.1f} |"


def main() -> None:
    """Prints the table."""
    print("| kernel | form | operations | left | lines | left | programs | s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for planted in PLANTED:
        print(row(planted), flush=True)


if __name__ == "__main__":
    main()
