# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All generators by name."""

from __future__ import annotations

from collections.abc import Mapping

from fuzzing.compiled_kinds import Commands, NearMisses, Orders, Plans, Programs
from fuzzing.foreign_kind import Tileiras
from fuzzing.generator import Generator
from fuzzing.read_kinds import Bytecode, Ptx, Schedules, Text

_ALL: tuple[Generator, ...] = (
    *(Programs(), NearMisses(), Commands(), Plans(), Orders()),
    *(Schedules(), Bytecode(), Text(), Ptx()),
)
OWN = tuple(each.name for each in _ALL)
"""Those whose findings are ours to mend."""
GENERATORS: Mapping[str, Generator] = {each.name: each for each in (*_ALL, Tileiras())}
