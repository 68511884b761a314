# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpacks MLIR's Python bindings from the first part of the upstream tarball.

The part ends in the middle of a file, so reading stops as soon as everything
needed has been seen and never reaches the cut.
"""

import sys
import tarfile
from pathlib import Path

WANTED = ("mlir/lib/Bindings/", "mlir/python/")
WANTED_FILES = 171


def unpack(part: Path, tree: Path) -> int:
    """Writes the wanted files of `part` below `tree` and returns their number."""
    count = 0
    with tarfile.open(part, "r|xz") as tar:
        for member in tar:
            name = member.name.partition("/")[2]
            if not (member.isfile() and name.startswith(WANTED)):
                continue
            source = tar.extractfile(member)
            if source is None:
                continue
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read())
            count += 1
            if count == WANTED_FILES:
                break
    return count


def main() -> None:
    """Unpacks argv[1] below argv[2]; the hash was checked by the caller."""
    count = unpack(Path(sys.argv[1]), Path(sys.argv[2]))
    if count != WANTED_FILES:
        sys.exit(f"expected {WANTED_FILES} files of MLIR's bindings, got {count}")


if __name__ == "__main__":
    main()
