# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes this checkout importable and its commands runnable in the current .venv.

Like an editable installation, but without a copy of the built extension: a path file
for the sources, and one small script per entry of [project.scripts].
"""

import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = """#!{python}
import sys

from {module} import {function}

sys.exit({function}())
"""


def write_if_changed(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes `text` unless the file already has it, to keep its modification time."""
    if path.exists() and path.read_text() == text:
        return
    path.write_text(text)
    path.chmod(mode)


def main() -> None:
    """Writes the path file and the commands."""
    site_packages = Path(sysconfig.get_path("purelib"))
    write_if_changed(site_packages / "cuda_tile_checkout.pth", f"{ROOT / 'python'}\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, target in project["scripts"].items():
        module, _, function = target.partition(":")
        text = SCRIPT.format(python=sys.executable, module=module, function=function)
        write_if_changed(Path(sys.executable).parent / name, text, mode=0o755)


if __name__ == "__main__":
    main()
