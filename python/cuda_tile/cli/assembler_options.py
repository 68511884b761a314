# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of `cuda-tile-as`: the options that producers know, one by one.

docs/producers.md says what becomes of each. LLVM's tools take one dash or two before a
name, so this one does too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cuda_tile.cli.failure import ArgumentParser
from cuda_tile.cli.remarks import CATEGORIES, KINDS
from cuda_tile.errors import UserError
from cuda_tile.runtime.record import ABIS
from cuda_tile.targets import chip_names, find_target, tile_abi_problem

DEFAULT_OUTPUT = "elf.o"
DEFAULT_REMARKS = "tileir_remarks.yaml"
PREVIEWS = ("simt",)


def build_parser() -> argparse.ArgumentParser:
    """The command line; what argparse finds wrong is a `UserError`."""
    parser = ArgumentParser(
        prog="cuda-tile-as",
        allow_abbrev=False,
        conflict_handler="resolve",  # producers expect another `--version`
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compiles Tile IR bytecode to a cubin, called as producers call "
        "tileiras.",
        epilog=_chips_text(),
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="file of bytecode")
    add = parser.add_argument
    add("-o", *_dashes("output-file"), metavar="FILE", default=DEFAULT_OUTPUT)
    add(*_dashes("gpu-name", "arch"), metavar="SM", help="chip, sm_90 and later")
    add(
        *("-O", *_dashes("opt-level")),
        metavar="N",
        default="3",
        help="optimisation, 0 to 3 (default)",
    )
    add(*_dashes("lineinfo"), action="store_true", help="write line tables")
    add(
        *("-g", *_dashes("device-debug")),
        action="store_true",
        help="do not optimise, write line tables; needs -O0",
    )
    add(
        *_dashes("abi"),
        choices=ABIS,
        default="tile",
        help="what the launcher does; default: tile, a block of one thread",
    )
    add(*_dashes("version"), action="store_true", help="print the build and exit")
    add(
        *_dashes("list-versions"),
        action="store_true",
        help="print the versions of bytecode that are read, and exit",
    )
    _add_remarks(parser)
    _add_foreign(parser)
    return parser


def _chips_text() -> str:
    """The chips that the default ABI serves.

    They stand as LLVM's tools list the values of an option: some producers read them.
    """
    chips = (find_target(name) for name in chip_names())
    lines = [f"    ={chip.name}" for chip in chips if tile_abi_problem(chip) is None]
    return "\n".join(["values of --gpu-name:", *lines])


def _dashes(*names: str) -> list[str]:
    """The spellings of an option, the one with two dashes first."""
    return [dashes + name for name in names for dashes in ("--", "-")]


def _add_remarks(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("remarks").add_argument
    add(*_dashes("remark-format"), choices=("command-line", "yaml"))
    add(*_dashes("remarks-output-file"), metavar="FILE", default=DEFAULT_REMARKS)
    add(*_dashes("remarks"), choices=CATEGORIES, default="none")
    for kind in KINDS:
        add(*_dashes(f"remarks-{kind}"), choices=CATEGORIES)


def _add_foreign(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("accepted with a warning, or refused").add_argument
    add(*_dashes("preview"), metavar="FEATURES", type=_previews)
    add("-l", dest="libraries", metavar="FILE", action="append", default=[])
    add(*_dashes("apply-controls"), metavar="FILE")
    add(*_dashes("sanitize"), choices=("memcheck",))
    add(*_dashes("host-arch"), choices=("x86_64", "aarch64"))
    add(*_dashes("host-os"), choices=("linux", "windows"))


def _previews(text: str) -> list[str]:
    for name in (names := text.split(",")):
        if name not in PREVIEWS:
            raise argparse.ArgumentTypeError(
                f"unknown preview feature '{name}'; known: {', '.join(PREVIEWS)}"
            )
    return names


def refuse_libraries(arguments: argparse.Namespace) -> None:
    """Refuses `-l`.

    Raises:
        UserError: It was given.
    """
    if arguments.libraries:
        raise UserError(
            f"-l {arguments.libraries[0]}: libraries of functions are not supported; "
            "compile a module that has all of its functions"
        )


def refuse_or_warn(arguments: argparse.Namespace) -> Iterator[str]:
    """Warnings for options that mean nothing here.

    Raises:
        UserError: One of them asks for what would silently be missing.
    """
    if arguments.sanitize:
        raise UserError(
            "--sanitize=memcheck: code with checks in it is not made; cuda-tile-run "
            "--on=emulator checks every access"
        )
    if arguments.apply_controls:
        raise UserError(
            "--apply-controls: the file's controls are those of another compiler; give "
            "them to ptxas with the PTX of cuda-tile-compile --abi=tile --emit=ptx"
        )
    if arguments.preview:
        names = ",".join(arguments.preview)
        yield f"--preview={names}: nothing to enable, all of the bytecode is read"
    for name in ("host_arch", "host_os"):
        if getattr(arguments, name):
            yield f"--{name.replace('_', '-')}: a cubin has no code for the host"
