# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ptxas and reads its report of registers, spills and shared memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from cuda_tile.errors import UserError
from cuda_tile.packaged import packaged
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class KernelResources:
    """The report of ptxas on one kernel.

    Attributes:
        registers: 32-bit registers per thread.
        spill_store_bytes: Bytes a thread writes to local memory for want of registers.
        spill_load_bytes: Bytes a thread reads back from there.
        stack_bytes: Local memory per thread.
        static_shared_bytes: Shared memory of fixed size per CTA.
    """

    registers: int
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0
    stack_bytes: int = 0
    static_shared_bytes: int = 0


@dataclass(frozen=True)
class Assembled:
    """A cubin and what ptxas said about it.

    Attributes:
        cubin: The ELF image.
        resources: The report of each kernel, by its name.
        warnings: Lines of warning, without the tool's prefix.
    """

    cubin: bytes
    resources: dict[str, KernelResources]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        """The report as text."""
        lines = [f"cubin of {len(self.cubin)} bytes"]
        lines += [f"{name}: {used}" for name, used in self.resources.items()]
        return "\n".join([*lines, *self.warnings])


def find_ptxas() -> Path:
    """The ptxas to use: `PTXAS`, the pinned package's, then one on `PATH`.

    Raises:
        UserError: There is none; says how to get it.
    """
    chosen = os.environ.get("PTXAS")
    if chosen:
        if not Path(chosen).is_file():
            raise UserError(f"expected PTXAS to name a ptxas program, got '{chosen}'")
        return Path(chosen)
    found = packaged_ptxas() or shutil.which("ptxas")
    if found is None:
        raise UserError(
            "expected ptxas, found none; install it with 'pip install "
            "nvidia-cuda-nvcc' or set PTXAS to the program's path"
        )
    return Path(found)


def packaged_ptxas() -> Path | None:
    """The ptxas of the pinned package."""
    return packaged("bin/ptxas")


def _foreign(ptxas: Path) -> tuple[str, ...]:
    """A warning about a ptxas from `PATH`: its cubins differ."""
    if os.environ.get("PTXAS") or ptxas == packaged_ptxas():
        return ()
    release = re.search(_RELEASE, ptxas_version())
    return (
        f"the ptxas on PATH made the cubin, {ptxas}, release "
        f"{release[1] if release else 'unknown'}; the one that this compiler is tested "
        "with is in the package nvidia-cuda-nvcc, and PTXAS chooses another",
    )


_RELEASE = r"V(\d+\.\d+\.\d+)"


def ptxas_version() -> str:
    """The version that the chosen ptxas prints, with release and build.

    Raises:
        UserError: There is none, or it does not run.
    """
    return _run([str(find_ptxas()), "--version"]).stdout.strip()


def assemble(
    ptx: str,
    gpu: str,
    opt_level: int = 3,
    *,
    line_info: bool = False,
    device_debug: bool = False,
) -> Assembled:
    """Turns PTX text into a cubin.

    Args:
        ptx: The module's text.
        gpu: Target name, `sm_90`.
        opt_level: ptxas -O level, 0 to 3.
        line_info: Whether to keep the line tables of the text.
        device_debug: Whether the text has full debug info to keep; needs level 0.

    Raises:
        UserError: ptxas refused the text; carries its words and the command.
    """
    ptxas = find_ptxas()
    with _temporary_folder() as folder:
        source, output = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [
            str(ptxas),
            "--verbose",
            "--warn-on-spills",
            f"-arch={gpu}",
            f"-O{opt_level}",
            *(["--device-debug"] if device_debug else []),
            *(["--generate-line-info"] if line_info and not device_debug else []),
            "-o",
            str(output),
            str(source),
        ]
        result = _run(command)
        said = result.stdout + result.stderr
        if result.returncode:
            raise UserError(
                f"ptxas failed with exit code {result.returncode} for {gpu}:\n{said}"
                f"command: {' '.join(command)}"
            )
        warnings = (*_foreign(ptxas), *_warnings(said))
        return Assembled(output.read_bytes(), _resources(said), warnings)


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for the files of one run of ptxas.

    Raises:
        UserError: No folder can be made.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="cuda-tile-")
    except OSError as error:
        raise UserError(
            f"expected a folder for temporary files, got: {error.strerror}; TMPDIR "
            "names one"
        ) from None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,  # our own may be a socket of the caller
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise UserError(
            f"cannot run '{command[0]}': {error.strerror}; expected a ptxas program"
        ) from None


_ENTRY = r"Compiling entry function '([^']+)'"
_STACK = r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
_USED = r"Used (\d+) registers"
_SHARED = r"(\d+) bytes smem"


def _resources(said: str) -> dict[str, KernelResources]:
    """Reads `ptxas --verbose`."""
    found: dict[str, KernelResources] = {}
    name, stack = "", (0, 0, 0)
    for line in said.splitlines():
        if entry := re.search(_ENTRY, line):
            name, stack = entry[1], (0, 0, 0)
        elif frame := re.search(_STACK, line):
            stack = (int(frame[1]), int(frame[2]), int(frame[3]))
        elif used := re.search(_USED, line):
            shared = re.search(_SHARED, line)
            found[name] = KernelResources(
                registers=int(used[1]),
                stack_bytes=stack[0],
                spill_store_bytes=stack[1],
                spill_load_bytes=stack[2],
                static_shared_bytes=int(shared[1]) if shared else 0,
            )
    return found


PERFORMANCE_LOSS = "Potential Performance Loss"
"""In lines that ptxas calls information: it ignores `setmaxnreg` (C7508), or makes
products wait for each other (C7510 and up)."""


def _warnings(said: str) -> tuple[str, ...]:
    return tuple(
        line.strip()
        for line in said.splitlines()
        if "warning" in line.lower() or PERFORMANCE_LOSS in line
    )
