# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels of the zoo with Triton: python make_zoo.py SPEC FILE ...

`zoo/theirs.py` calls this, with the Python of an environment that has Triton, and says
there what a SPEC is.
"""

import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "test" / "ptx" / "triton"))

from make_ptx import write_specs  # sets options before Triton is imported

from builds import Build  # isort: skip


@dataclass(frozen=True)
class Promised(Build):
    """A build that relies on what a launcher finds.

    Attributes:
        even: Whether 16 divides each parameter that is not constant.
    """

    even: tuple[bool, ...] = ()

    @property
    def attributes(self) -> dict[tuple[int], list[list[Any]]]:
        """What Triton may rely on."""
        types = enumerate(self.signature.values())
        places = [place for place, ty in types if ty != "constexpr"]
        pairs = zip(places, self.even, strict=True)
        return {(place,): [["tt.divisibility", 16]] for place, even in pairs if even}


def build(spec: str) -> Build:
    """The build of a SPEC."""
    asked = json.loads(spec)
    fn = getattr(importlib.import_module(asked["field"]), asked["function"])
    types, target = asked["types"], (asked["target"],)
    words = (fn, types, target, asked["constants"], asked["options"])
    return Promised(*words, even=tuple(asked["even"]))


if __name__ == "__main__":
    write_specs(build)
