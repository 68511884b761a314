# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a wheel that runs where no LLVM is installed.

The ordinary build links the installed libMLIR and libLLVM. This tool takes the wheel
of that build and gives it a library of its own, `libCudaTileLLVM.so`: of LLVM's and
MLIR's static archives exactly what our libraries need of the two shared ones. That is
why there is still one copy of each dialect, pass and option in a process. The last
step (auditwheel) checks what remains needed of the system, glibc and libstdc++, and
names the wheel after the oldest glibc that has it.

A wheel that 3.12 or a later interpreter builds is for it and all later ones: its
bindings keep to CPython's stable ABI (abi3). nanobind needs 3.12 for that, so 3.10 and
3.11 have wheels of their own. `--python` says whose; all share a build folder: only the
bindings are compiled again, and LLVM's archives are linked anew.

`--arch aarch64` makes the wheel for another kind of machine (wheel_target.py).
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from wheel_target import DEBIAN, Target, headers_of, target_named, version_of

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BUILD = ROOT / "build" / "wheel"
REQUIREMENTS = ROOT / "tools" / "requirements.txt"
STUBS = ROOT / "build" / "python" / "cuda_tile" / "_mlir"
"""Type stubs that tools/setup made, the same for all versions of Python."""
LIBRARY = "libCudaTileLLVM.so"
STATIC = ("libz", "libzstd")
"""Archives of the system that are linked in."""
GOAL_MEGABYTES = 60
STABLE_FROM = (3, 12)
"""The first version whose stable ABI has what nanobind needs."""


def run(*command: str | Path, variables: Mapping[str, str] | None = None) -> str:
    """Runs a program and returns what it printed.

    Args:
        command: The program and its arguments.
        variables: Of the environment, beside those of this process.

    Raises:
        SystemExit: It failed; with what it wrote.
    """
    words = [str(word) for word in command]
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which(words[0], path=path)
    if program is None:
        sys.exit(f"wheel: error: expected {words[0]} on the PATH, got none")
    environment = os.environ | {"PATH": path} | dict(variables or {})
    for language in ("C", "CXX"):
        if shutil.which("ccache"):
            environment.setdefault(f"CMAKE_{language}_COMPILER_LAUNCHER", "ccache")
    result = subprocess.run(
        [program, *words[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"wheel: error: {words[0]} failed\n{result.stdout}{result.stderr}")
    return result.stdout


def symbols(library: Path, *flags: str, kinds: str = "") -> set[str]:
    """Names in the dynamic symbol table, without versions.

    Args:
        library: A shared library.
        flags: Which part of the table, as `nm` has it.
        kinds: Letters of `nm` to keep; empty for all.
    """
    table = run("llvm-nm-22", "-D", *flags, library)
    lines = (line.split() for line in table.splitlines())
    return {
        words[-1].split("@")[0] for words in lines if not kinds or words[-2] in kinds
    }


def needed_of(installed: list[Path], ours: list[Path]) -> set[str]:
    """What our libraries use of the installed ones.

    What both define weakly counts too: such an object (a type's identity, say) must
    exist once in a process, so the copy of the new library has to be visible.
    """
    used: set[str] = set()
    for library in ours:
        used |= symbols(library, "--undefined-only")
        used |= symbols(library, "--defined-only", kinds="VWu")
    offered: set[str] = set()
    for library in installed:
        offered |= symbols(library, "--defined-only")
    return used & offered


def static_library(name: str, target: Target) -> Path:
    """An archive of the C compiler's library path; its package if it is missing."""
    flags = target.compiler_flags
    path = Path(run("clang-22", *flags, f"-print-file-name={name}.a").strip())
    if not path.is_absolute():
        sys.exit(
            f"wheel: error: expected {name}.a, got none; "
            "apt-get install zlib1g-dev libzstd-dev"
        )
    return path


def link_bundle(folder: Path, target: Target, names: set[str], version: str) -> None:
    """Links `LIBRARY` in `folder` from the archives: `names` and what these need.

    `version` is the symbol version under which our libraries look for LLVM's symbols.
    """
    archives = target.llvm / "lib"
    script = folder / "exported"
    exported = "".join(f"{name};\n" for name in sorted(names))
    script.write_text(f"{version} {{ global:\n{exported}local: *; }};\n")
    # LLVM's own list, for the folder also has archives of tools, BOLT's say, whose
    # options would clash with MLIR's; Polly is a package of its own.
    listed = run("llvm-config-22", "--link-static", "--libfiles").split()
    names_of_llvm = [Path(archive).name for archive in listed]
    llvm = [archives / name for name in names_of_llvm if "libPolly" not in name]
    inputs = [*llvm, *sorted(archives.glob("libMLIR*.a"))]
    if len(inputs) == len(llvm):
        sys.exit(
            f"wheel: error: expected MLIR's static archives in {archives}, got none"
        )
    arguments = [
        *target.compiler_flags,
        *("-shared", "-fuse-ld=lld", "-Wl,--gc-sections", "-Wl,-O2", "-Wl,-s"),
        *("-Wl,--as-needed", "-Wl,--no-undefined", f"-Wl,-soname,{LIBRARY}"),
        *("-o", folder / LIBRARY, f"-Wl,--version-script={script}"),
        *(f"-Wl,-u,{name}" for name in sorted(names)),
        *("-Wl,--start-group", *inputs, "-Wl,--end-group"),
        *(static_library(name, target) for name in STATIC),
        *("-lpthread", "-ldl"),
    ]
    response = folder / "arguments"
    response.write_text("\n".join(str(argument) for argument in arguments))
    run("clang++-22", f"@{response}")
    script.unlink()
    response.unlink()


def bundle(tree: Path, target: Target) -> None:
    """Makes the unpacked wheel `tree` independent of the installed LLVM."""
    libraries = tree / "cuda_tile" / "_mlir" / "_mlir_libs"
    ours = sorted(libraries.rglob("*.so"))
    prefix = target.llvm / "lib"
    installed = [next(prefix.glob(f"lib{name}.so.*.*")) for name in ("LLVM", "MLIR")]
    names = needed_of(installed, ours)
    version = "LLVM_" + ".".join(installed[0].name.split(".")[2:])
    link_bundle(libraries, target, names, version)
    for library in ours:
        wanted = run("patchelf", "--print-needed", library).split()
        old = [lib.name for lib in installed if lib.name in wanted]
        for name in old[1:]:
            run("patchelf", "--remove-needed", name, library)
        # The first is libLLVM if both are there: its name also stands in the table
        # of symbol versions, which patchelf changes with it.
        if old:
            run("patchelf", "--replace-needed", old[0], LIBRARY, library)
        run("patchelf", "--set-rpath", "$ORIGIN", library)


def unpack(wheel: Path, tree: Path) -> None:
    """Unpacks a wheel; programs stay programs, which zipfile forgets."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, tree))
            if mode := entry.external_attr >> 16 & 0o777:
                path.chmod(mode)


def pack(tree: Path, wheel: Path) -> None:
    """Writes the folder as an archive; auditwheel makes the RECORD anew."""
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(tree))


def build_requirements() -> list[str]:
    """What the build imports: the part `build` of the list.

    Type stubs, for which the bindings are imported, are there already (`STUBS`).
    """
    text = REQUIREMENTS.read_text()
    lines = text.partition("# build\n")[2].partition("\n# test\n")[0].splitlines()
    return [line for line in lines if line[:1].isalpha()]


def environment_of(interpreter: str) -> Path:
    """A Python with what the build needs, in an environment of that interpreter.

    Raises:
        SystemExit: There is no such interpreter, or it has no headers.
    """
    found = shutil.which(interpreter)
    if found is None or not (headers_of(Path(found)) / "Python.h").exists():
        sys.exit(
            f"wheel: error: expected {interpreter} with its headers, got "
            f"{'no such program' if found is None else 'it without them'}; "
            "install its -dev package, or name another interpreter"
        )
    version = version_of(Path(found))
    folder = BUILD.parent / f"wheel-python-{version}"
    if not (folder / "complete").exists():
        run(found, "-m", "venv", "--clear", folder)
        python = folder / "bin" / "python"
        run(python, "-m", "pip", "install", "-q", "--no-deps", *build_requirements())
        (folder / "complete").touch()
    return folder / "bin" / "python"


def stable_settings(python: Path) -> list[str]:
    """What makes it the wheel of all later versions, too, where that can be.

    Of no earlier ones: headers of 3.13.0 name functions that 3.12 has as macros.
    """
    major, minor = map(int, version_of(python).split("."))
    if (major, minor) < STABLE_FROM:
        return ["--config-settings=cmake.define.CUDA_TILE_STABLE_ABI="]
    version = f"0x{major:02X}{minor:02X}0000"
    return [
        f"--config-settings=cmake.define.CUDA_TILE_STABLE_ABI={version}",
        f"--config-settings=wheel.py-api=cp{major}{minor}",
    ]


def compile_for(python: Path, target: Target, out: Path) -> Path:
    """The ordinary wheel for this Python, which needs the installed LLVM."""
    folder = BUILD if target.is_here else BUILD.parent / f"wheel-{target.machine}"
    # CMake keeps where it found Python, so it looks anew for another one; what does not
    # depend on Python stays as it was compiled.
    marker = folder / "built-for"
    if not marker.exists() or marker.read_text() != str(python):
        (folder / "CMakeCache.txt").unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    marker.write_text(str(python))
    run(
        *(python, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", out, f"--config-settings=build-dir={folder}"),
        f"--config-settings=cmake.define.CUDA_TILE_STUBS={STUBS}",
        *stable_settings(python),
        *(
            f"--config-settings=cmake.define.{each}"
            for each in target.definitions(python)
        ),
        variables=target.environment(python),
    )
    return next(out.glob("*.whl"))


def build(python: Path, target: Target, out: Path) -> Path:
    """The path in `out` of the wheel for this Python."""
    for name in STATIC:  # for their message, before minutes of compiling
        static_library(name, target)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        wheel = compile_for(python, target, work / "plain")
        tree = work / "tree"
        unpack(wheel, tree)
        bundle(tree, target)
        whole = work / wheel.name
        pack(tree, whole)
        done = work / "done"
        run(
            *("auditwheel", "repair", "--wheel-dir", done, whole),
            variables={"LD_LIBRARY_PATH": str(target.libraries)},
        )
        result = next(done.glob("*.whl"))
        with zipfile.ZipFile(result) as archive:
            copied = [entry for entry in archive.namelist() if ".libs/" in entry]
        if copied:
            sys.exit(f"wheel: error: expected no library of the system, got {copied}")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(result, out))


def main() -> int:
    """Builds the wheel; 1 if it is larger than the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", type=Path, default=ROOT / "dist", help="folder (dist)")
    parser.add_argument(
        "--python", help="interpreter, with headers, to build for (that of .venv)"
    )
    parser.add_argument(
        "--arch",
        choices=sorted({platform.machine(), *DEBIAN}),
        help="kind of machine to build for (this one)",
    )
    arguments = parser.parse_args()
    named = arguments.python
    python = environment_of(named) if named else Path(sys.executable)
    target = target_named(arguments.arch, BUILD.parent)
    wheel = build(python, target, arguments.o)
    megabytes = wheel.stat().st_size / 1e6
    print(f"{wheel}: {megabytes:.1f} MB (goal: below {GOAL_MEGABYTES})")
    return int(megabytes >= GOAL_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
