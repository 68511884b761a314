# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a certificate: `python -m cuda_tile.certificate FILE.json KERNEL PTX`.

Compares the sums, runs the launches again and compares what it finds with what the
certificate states. The exit status is 0 if it holds, 1 if not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cuda_tile import api
from cuda_tile.certificate.certify import FORMAT, certify, sum_of
from cuda_tile.certificate.launches import read_launches
from cuda_tile.errors import CudaTileError
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.record import LaunchRecord


def check(stated: dict[str, Any], source: bytes, ptx: str) -> str:
    """Why a certificate does not hold; empty if it does.

    Args:
        stated: The certificate, as JSON has it.
        source: The kernel's file.
        ptx: The PTX.
    """
    if stated.get("format") != FORMAT:
        return f"expected a certificate of format {FORMAT}, got {stated.get('format')}"
    for name, data in (("kernel", source), ("ptx", ptx)):
        if stated["sha256"][name] != sum_of(data):
            return f"the certificate is of another {name}"
    module = api.load(source)
    entry = find_entry(module.operation, stated["kernel"])
    launches = read_launches([each["launch"] for each in stated["launches"]], entry)
    record = LaunchRecord.from_json(stated["record"])
    again = certify(
        module, source, stated["kernel"], ptx, record, launches, stated["gpu"]
    ).to_json()
    other = [key for key in again if key != "seconds" and again[key] != stated.get(key)]
    if other:
        return f"found another '{other[0]}' than the certificate states"
    return again["why"]


def main(arguments: list[str] | None = None) -> int:
    """The command.

    Args:
        arguments: Those of the command line.
    """
    parser = argparse.ArgumentParser(prog="python -m cuda_tile.certificate")
    parser.add_argument("certificate", type=Path)
    parser.add_argument("kernel", type=Path, help="the kernel file, text or bytecode")
    parser.add_argument("ptx", type=Path)
    given = parser.parse_args(arguments)
    try:
        stated = json.loads(given.certificate.read_text())
        why = check(stated, given.kernel.read_bytes(), given.ptx.read_text())
    except (CudaTileError, OSError, ValueError, KeyError) as error:
        why = str(error)
    print(f"{given.certificate}: {f'does not hold: {why}' if why else 'holds'}")
    return min(len(why), 1)


if __name__ == "__main__":
    sys.exit(main())
