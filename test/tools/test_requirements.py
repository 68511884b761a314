# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tools/requirements.txt pins can be installed where README says so."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

PINS = Path(__file__).resolve().parents[2] / "tools" / "requirements.txt"
DEBIAN_12 = "3.11.2"
"""The Python of Debian 12, which `tools/setup` takes where there is no other."""


def test_all_packages_take_the_python_of_debian_12() -> None:
    lines = [line.partition("#")[0].strip() for line in PINS.read_text().splitlines()]
    pins = [Requirement(line) for line in lines if line and not line.startswith("-")]
    assert len(pins) > 50
    refused = [
        f"{pin.name} {wanted}"
        for pin in pins
        if pin.marker is None or pin.marker.evaluate()
        if (wanted := distribution(pin.name).metadata["Requires-Python"])
        and not SpecifierSet(wanted).contains(DEBIAN_12)
    ]
    assert not refused
