# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kind of machine that a wheel is for: this one, or another by cross compilation.

Another one needs a folder with its system's libraries and headers. mmdebstrap unpacks
Debian's packages there and runs nothing of them, so that no emulator is needed. Our
sources are then compiled by the clang of this machine. Debian's packages are those of
the distribution that this machine runs, so both wheels ask for the same glibc.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = {"aarch64": "arm64"}
"""Debian's names of the machines that wheels can be made for elsewhere."""
PACKAGES = (
    *("libmlir-22-dev", "llvm-22-dev", "mlir-22-tools", "libpython3-dev"),
    *("libstdc++-12-dev", "libc6-dev", "zlib1g-dev", "libzstd-dev"),
)
"""What the build reads of the other machine's system."""
LLVM = "usr/lib/llvm-22"


@dataclass(frozen=True)
class Target:
    """A kind of machine.

    Attributes:
        machine: Its name as `uname -m` prints it.
        system: The root of its system.
    """

    machine: str
    system: Path

    @property
    def is_here(self) -> bool:
        """Whether it is this kind of machine."""
        return self.machine == platform.machine()

    @property
    def llvm(self) -> Path:
        """Where its LLVM is installed."""
        return self.system / LLVM

    @property
    def libraries(self) -> Path:
        """Where its system's libraries lie."""
        return self.system / "usr" / "lib" / f"{self.machine}-linux-gnu"

    @property
    def compiler_flags(self) -> list[str]:
        """What tells clang to make code for it."""
        if self.is_here:
            return []
        return [f"--target={self.machine}-linux-gnu", f"--sysroot={self.system}"]

    def definitions(self, python: Path) -> list[str]:
        """CMake's variables for a build with the headers of that Python.

        CPython's headers are the same on both machines. What `configure` writes,
        pyconfig.h, differs in assembler and in `wchar_t`, of which extensions see
        nothing; Debian's own asks the compiler for the machine, and finds that of
        `PACKAGES`.

        Args:
            python: An interpreter of this machine.
        """
        if self.is_here:
            return []
        toolchain = ROOT / "cmake" / f"{self.machine.capitalize()}Toolchain.cmake"
        names = {
            "CMAKE_TOOLCHAIN_FILE": toolchain,
            "CMAKE_SYSROOT": self.system,
            "MLIR_DIR": self.llvm / "lib" / "cmake" / "mlir",
        }
        for prefix in ("Python", "Python3"):
            names |= {
                f"{prefix}_EXECUTABLE": python,
                f"{prefix}_INCLUDE_DIR": headers_of(python),
            }
        return [f"{name}={value}" for name, value in names.items()]

    def environment(self, python: Path) -> dict[str, str]:
        """Variables by which Python's tools name what they make for it.

        Args:
            python: An interpreter of this machine.
        """
        if self.is_here:
            return {}
        tag = version_of(python).replace(".", "")
        suffix = f".cpython-{tag}-{self.machine}-linux-gnu.so"
        return {
            "_PYTHON_HOST_PLATFORM": f"linux-{self.machine}",
            "SETUPTOOLS_EXT_SUFFIX": suffix,
        }


def version_of(python: Path) -> str:
    """An interpreter's version, such as 3.11."""
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.check_output([python, "-c", say], text=True).strip()


def headers_of(python: Path) -> Path:
    """The folder of an interpreter's headers."""
    say = "import sysconfig; print(sysconfig.get_path('include'))"
    return Path(subprocess.check_output([python, "-c", say], text=True).strip())


def target_named(machine: str | None, build: Path) -> Target:
    """The kind of machine of that name; its system is made in `build` if it is missing.

    Args:
        machine: As `uname -m` prints it; None for this one.
        build: The folder for what is built.

    Raises:
        SystemExit: Packages of that kind cannot be had.
    """
    if machine in (None, platform.machine()):
        return Target(platform.machine(), Path("/"))
    system = build / f"system-{machine}"
    if not (system / LLVM / "lib" / "cmake" / "mlir").exists():
        _unpack(DEBIAN[machine], system)
    return Target(machine, system.resolve())


def _unpack(architecture: str, system: Path) -> None:
    """Unpacks Debian's packages of an architecture into a new folder."""
    if shutil.which("mmdebstrap") is None:
        sys.exit(
            "wheel: error: expected mmdebstrap on the PATH, which unpacks packages of "
            "another architecture, got none; apt-get install mmdebstrap"
        )
    shutil.rmtree(system, ignore_errors=True)
    system.parent.mkdir(parents=True, exist_ok=True)
    command: Sequence[str | Path] = [
        *("mmdebstrap", "--variant=extract", f"--architectures={architecture}"),
        *(f"--include={','.join(PACKAGES)}", _suite(), system),
    ]
    if subprocess.run(command, check=False).returncode:
        sys.exit(
            f"wheel: error: mmdebstrap could not unpack packages of {architecture}"
        )


def _suite() -> str:
    """The name of the distribution that this machine runs."""
    return platform.freedesktop_os_release()["VERSION_CODENAME"]
