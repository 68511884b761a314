# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of commands that can debug."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from cuda_tile.debug.target import FrontEnd


def add_debug_options(parser: ArgumentParser) -> None:
    """Adds `--debug` and `--debug-port`."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--debug",
        action="store_true",
        help="stop in kernels: a prompt in this terminal; see docs/debugging.md",
    )
    group.add_argument(
        "--debug-port",
        type=int,
        metavar="N",
        help="the same from an editor, which attaches to this port of this machine "
        "(Debug Adapter Protocol)",
    )


def front_end(words: Namespace) -> FrontEnd | None:
    """The front end that was asked for, None for none; waits for the editor."""
    if words.debug:
        from cuda_tile.debug.terminal import Terminal

        return Terminal()
    if words.debug_port is not None:
        from cuda_tile.debug.dap.server import listen

        return listen(words.debug_port)
    return None
