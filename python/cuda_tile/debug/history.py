# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The history of the terminal's prompt, kept from session to session."""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from pathlib import Path

KEPT_COMMANDS = 1000


def keep_history() -> None:
    """Reads the history of earlier sessions; this one's is added when it ends."""
    try:
        import readline
    except ImportError:  # Python built without it: a prompt without history
        return
    path = _path()
    with suppress(OSError):  # there is none yet, or it cannot be read
        readline.read_history_file(path)
    readline.set_history_length(KEPT_COMMANDS)
    readline.set_completer_delims(" \t\n[](),:+-*/<>=!&|")
    atexit.register(_write, path)


def _path() -> Path:
    """The file, where the XDG Base Directory Specification keeps state."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "cuda-tile" / "debugger-history"


def _write(path: Path) -> None:
    import readline

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        readline.write_history_file(path)
    except OSError:  # a home that cannot be written to: the history is lost
        return
