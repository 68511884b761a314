# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
r"""Tries a wheel in a clean system, as its first user would: no LLVM, no compiler.

    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates \
        trixie trixie
    tools/try_wheel trixie dist/cuda_tile_compiler-*-cp313-*.whl     (as root)

The folder is the root of a system with nothing but Python. The wheel is installed there
with its dependencies from the package index, in a new environment. Then the commands
and programs of `PAGES` run and must print what the pages say (`checks/readme.py`), and
so do the tests of the language server. Nothing of the package's sources is there, so
that what runs is the wheel. Ends with a line for the table in docs/install.md, and
`N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = "opt/cuda-tile-trial"
"""Where everything lies in the clean system."""
NEEDED = (
    *("README.md", "docs", "examples", "test/kernels", "tools/checks/readme.py"),
    *("test/tools/test_lsp.py", "test/ptx/programs"),
)
PAGES = (
    *("README.md", "docs/start.md", "docs/layouts.md", "docs/producers.md"),
    *("docs/report.md", "docs/emulator.md"),
)
"""Pages whose commands need nothing but the wheel."""
FOREIGN = "cc gcc clang c++ ld nvcc ptxas tileiras llvm-config mlir-opt"
"""Programs that the clean system must not have."""


class Trial:
    """A clean system, and what was found in it."""

    def __init__(self, system: Path) -> None:
        self.system = system
        self.passed = 0
        self.failed = 0

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """The result of a shell command in the system, at `PLACE`."""
        return subprocess.run(
            # With processes, and a /proc, of its own.
            [
                *("unshare", "--mount", "--pid", "--fork"),
                *(f"--mount-proc={self.system / 'proc'}", "chroot", self.system),
                *("sh", "-c", f"cd /{PLACE} && {command}"),
            ],
            env=os.environ
            | {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME": "/root"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def must(self, command: str) -> str:
        """What a command prints that everything else needs.

        Raises:
            SystemExit: It failed.
        """
        result = self.run(command)
        if result.returncode:
            sys.exit(f"try_wheel: error: {command} failed\n{result.stdout}")
        return result.stdout.strip()

    def count(self, what: str, command: str, pattern: str) -> None:
        """Runs a check; `pattern` finds how many of its parts passed and failed."""
        result = self.run(command)
        counts = re.search(pattern, result.stdout.rstrip().rpartition("\n")[2])
        found = {} if counts is None else counts.groupdict()
        passed, failed = (int(found.get(key) or 0) for key in ("passed", "failed"))
        is_silent = result.returncode != 0 and not failed
        self.passed += passed
        self.failed += failed + is_silent
        print(f"{what}: {passed} passed, {failed + is_silent} failed", flush=True)
        if failed or is_silent:
            print(result.stdout)


def lay_out(system: Path, wheel: Path) -> None:
    """Copies the wheel and what is tried with it into the system, and name lookup."""
    place = system / PLACE
    shutil.rmtree(place, ignore_errors=True)
    for name in NEEDED:
        source, target = ROOT / name, place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    shutil.copy(wheel, place)
    for file in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
        shutil.copy(file, system / file[1:])


def check_clean(trial: Trial) -> None:
    """Stops if the system has a compiler or an LLVM: it would prove nothing."""
    found = trial.run(
        f"command -v {FOREIGN}; find / -xdev -name 'lib[LM]L[VI][MR]*.so*'"
    ).stdout
    if found:
        sys.exit(f"try_wheel: error: expected no LLVM and no compiler, got\n{found}")


def table_row(trial: Trial, wheel: Path) -> str:
    """The row of docs/install.md."""
    name = trial.must(". /etc/os-release && echo $PRETTY_NAME")
    python = trial.must(
        "python3 -c 'import platform; print(platform.python_version())'"
    )
    glibc = trial.must("ldd --version | head -1").rpartition(" ")[2]
    installed = trial.must("du -sm v/lib/*/site-packages/cuda_tile | cut -f1")
    megabytes = wheel.stat().st_size / 1e6
    machine = trial.must("uname -m")
    cells = [name, machine, python, glibc, f"{megabytes:.1f} MB", f"{installed} MB"]
    return f"| {' | '.join(cells)} | {trial.passed} of {trial.passed + trial.failed} |"


def main() -> int:
    """Tries the wheel; 1 if something failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("system", type=Path, help="root folder of a clean system")
    parser.add_argument("wheel", type=Path)
    arguments = parser.parse_args()
    wheel: Path = arguments.wheel
    trial = Trial(arguments.system)
    lay_out(trial.system, wheel)
    check_clean(trial)
    trial.must("python3 -m venv v")
    trial.must(f"v/bin/pip install -q ./{wheel.name} pytest")
    good = r"(?P<passed>\d+) passed(?:, (?P<failed>\d+) failed)?"
    for page in PAGES:
        trial.count(page, f"v/bin/python tools/checks/readme.py {page}", good)
    bad_first = r"(?:(?P<failed>\d+) failed, )?(?P<passed>\d+) passed"
    tests = "v/bin/python -m pytest -q -p no:cacheprovider test/tools/test_lsp.py"
    trial.count("language server", tests, bad_first)
    print(table_row(trial, wheel))
    print(f"{trial.passed} passed, {trial.failed} failed")
    return int(trial.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
