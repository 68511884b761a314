# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes this checkout importable and its commands runnable in the current .venv.

Like an editable installation, but without a copy of the built extension: a path file
for the sources, one small script per entry of [project.scripts], and the programs of
`client/`.
"""

import shutil
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
    commands = Path(sys.executable).parent
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, target in project["scripts"].items():
        module, _, function = target.partition(":")
        text = SCRIPT.format(python=sys.executable, module=module, function=function)
        write_if_changed(commands / name, text, mode=0o755)
    for program in (ROOT / "build" / "client" / "bin").iterdir():
        # Under another name first: the old one may be running.
        new = shutil.copy2(program, commands / f".{program.name}")
        Path(new).replace(commands / program.name)


if __name__ == "__main__":
    main()
