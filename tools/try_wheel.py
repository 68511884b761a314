# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
r"""Tries a wheel in a clean system, as its first user would: no LLVM, no compiler.

    tools/try_wheel trixie dist/cuda_tile_compiler-*-cp312-*.whl     (as root)
    tools/try_wheel --python python3.10 dist/cuda_tile_compiler-*-cp310-*.whl

The first makes a system of Debian's `trixie` with nothing but Python, of the wheel's
kind of machine; of another kind than this one it runs under qemu-user-static. The
second tries what no Debian has the Python for in an environment here. The wheel is
installed with its dependencies from the package index. Then the commands
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
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = "opt/cuda-tile-trial"
"""Where everything lies in the clean system."""
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
"""Debian's names of the machines that wheels are for."""
NEEDED = (
    *("README.md", "docs", "examples", "test/kernels", "tools/checks/readme.py"),
    *("test/tools/test_lsp.py", "test/ptx/programs"),
)
PAGES = (
    *("README.md", "docs/start.md", "docs/layouts.md", "docs/producers.md"),
    *("docs/report.md", "docs/emulator.md"),
)
"""Pages whose commands need nothing but the wheel."""
PACKAGES = "python3,python3-venv,ca-certificates"
FOREIGN = "cc gcc clang c++ ld nvcc ptxas tileiras llvm-config mlir-opt"
"""Programs that the clean system must not have."""


class Trial:
    """A clean system, or a folder of this one, and what was found in it.

    Args:
        system: The root of the system, or the folder.
        python: The interpreter there.
        is_clean: Whether it is a system of its own.
    """

    def __init__(self, system: Path, python: str, is_clean: bool) -> None:
        self.place = system / PLACE
        self.system = system
        self.python = python
        self.is_clean = is_clean
        self.passed = 0
        self.failed = 0

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """The result of a shell command in the system, at `PLACE`."""
        inside: list[str | Path] = ["env", "--chdir", self.place]
        path = f"{Path(self.python).parent}:/usr/bin:/bin"
        if self.is_clean:
            # With processes, and a /proc, of its own.
            inside = ["unshare", "--mount", "--pid", "--fork"]
            inside += [f"--mount-proc={self.system / 'proc'}", "chroot", self.system]
            inside += ["env", "--chdir", f"/{PLACE}"]
            path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"
        return subprocess.run(
            [*inside, "sh", "-c", command],
            env=os.environ | {"PATH": path, "HOME": "/root"},
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


def lay_out(trial: Trial, wheel: Path) -> None:
    """Copies the wheel and what is tried with it into the system, and name lookup."""
    shutil.rmtree(trial.place, ignore_errors=True)
    for name in NEEDED:
        source, target = ROOT / name, trial.place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    shutil.copy(wheel, trial.place)
    if trial.is_clean:
        for file in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
            shutil.copy(file, trial.system / file[1:])


def check_clean(trial: Trial) -> None:
    """Stops if the system has a compiler or an LLVM: it would prove nothing."""
    found = trial.run(
        f"command -v {FOREIGN}; find / -xdev -name 'lib[LM]L[VI][MR]*.so*'"
    ).stdout
    if found:
        sys.exit(f"try_wheel: error: expected no LLVM and no compiler, got\n{found}")


def machine_of(wheel: Path) -> str:
    """The kind of machine that the wheel is for, as `uname -m` prints it.

    Raises:
        SystemExit: It is for another one than Debian has a name of in `MACHINES`.
    """
    for machine in MACHINES:
        if wheel.stem.endswith(machine):
            return machine
    sys.exit(f"try_wheel: error: expected a wheel for {', '.join(MACHINES)}: {wheel}")


def clean_system(name: str, machine: str) -> Path:
    """The root of a system: a folder, or of a Debian of that name, made if missing."""
    if Path(name).is_dir():
        return Path(name).resolve()
    folder = ROOT / "build" / f"try-{name}-{machine}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        made = subprocess.run(
            [
                *("mmdebstrap", "--variant=minbase"),
                *(f"--architectures={MACHINES[machine]}", f"--include={PACKAGES}"),
                *(name, folder),
            ],
            check=False,
        )
        if made.returncode:
            sys.exit(f"try_wheel: error: mmdebstrap could not make a system of {name}")
        (folder / "complete").touch()
    return folder


def table_row(trial: Trial, wheel: Path) -> str:
    """The row of docs/install.md."""
    name = trial.must(". /etc/os-release && echo $PRETTY_NAME")
    python = trial.must(
        "v/bin/python -c 'import platform; print(platform.python_version())'"
    )
    glibc = trial.must("ldd --version | head -1").rpartition(" ")[2]
    installed = trial.must("du -sm v/lib/*/site-packages/cuda_tile | cut -f1")
    megabytes = wheel.stat().st_size / 1e6
    machine = trial.must("uname -m")
    kind = "bare" if trial.is_clean else "an environment"
    cells = [name, kind, machine, python, glibc]
    cells += [f"{megabytes:.1f} MB", f"{installed} MB"]
    return f"| {' | '.join(cells)} | {trial.passed} of {trial.passed + trial.failed} |"


def try_wheel(trial: Trial, wheel: Path) -> None:
    """Installs the wheel in the system and runs what the pages and tests say."""
    lay_out(trial, wheel)
    if trial.is_clean:
        check_clean(trial)
    trial.must(f"{trial.python} -m venv v")
    trial.must(f"v/bin/pip install -q ./{wheel.name} pytest")
    good = r"(?P<passed>\d+) passed(?:, (?P<failed>\d+) failed)?"
    for page in PAGES:
        trial.count(page, f"v/bin/python tools/checks/readme.py {page}", good)
    bad_first = r"(?:(?P<failed>\d+) failed, )?(?P<passed>\d+) passed"
    tests = "v/bin/python -m pytest -q -p no:cacheprovider test/tools/test_lsp.py"
    trial.count("language server", tests, bad_first)
    print(table_row(trial, wheel))
    print(f"{trial.passed} passed, {trial.failed} failed")


def main() -> int:
    """Tries the wheel; 1 if something failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "system", nargs="?", help="a Debian's name, or root folder of a clean system"
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", help="in an environment of this interpreter, here")
    words = parser.parse_args()
    if (words.system is None) == (words.python is None):
        parser.error("expected a system or --python")
    if words.system is not None:
        system = clean_system(words.system, machine_of(words.wheel))
        trial = Trial(system, "python3", is_clean=True)
        try_wheel(trial, words.wheel)
        return int(trial.failed > 0)
    python: str = words.python
    found = shutil.which(python)
    if found is None:
        parser.error(f"expected the interpreter {python}, got none")
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), found, is_clean=False)
        try_wheel(trial, words.wheel)
    return int(trial.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
