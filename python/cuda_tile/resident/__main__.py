# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.resident stop`: ends this user's server for this package."""

from __future__ import annotations

import os
import sys

from cuda_tile.resident import wire


def ask(word: str) -> bool:
    """Whether a server has answered `stop` or `ping`."""
    folder = wire.folder()
    if folder is None:
        return False
    try:
        connection = wire.connect(os.path.join(folder, wire.key()))
        wire.send(connection, {"module": word}, [0])
        return len(connection.recv(4)) == 4
    except OSError:
        return False


def main() -> int:
    """Ends the server, or says whether there is one."""
    word = "".join(sys.argv[1:])
    if word not in (wire.STOP, wire.PING):
        print("usage: python -m cuda_tile.resident stop | ping", file=sys.stderr)
        return 1
    answered = ask(word)
    said = {(True, wire.STOP): "stopped", (True, wire.PING): "running"}
    print(said.get((answered, word), "no server"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
