# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of machine instructions, by their mnemonics.

NVIDIA lists the mnemonics (CUDA Binary Utilities, "Instruction Set Reference") but not
the units that run them. Units are those of the throughput table of the CUDA C++
Programming Guide ("Throughput of Native Arithmetic Instructions") that fit what the
mnemonic does.
"""

from __future__ import annotations

from typing import Literal, cast

from cuda_tile.machine.code import MachineInstruction

Unit = Literal[
    "f32", "f64", "half", "integer", "convert", "special", "matrix", "asynchronous",
    "shared", "global", "tensor memory", "uniform", "control", "shuffle",
]  # fmt: skip

_UNITS = """
f32: FADD FMUL FFMA FADD2 FMUL2 FFMA2 FSWZADD IMAD IMUL
f64: DADD DMUL DFMA DSETP DMNMX
half: HADD2 HMUL2 HFMA2 HSET2 HSETP2 HMNMX2
convert: F2F F2I I2F F2IP I2IP I2FP FRND POPC FLO BREV
special: MUFU
matrix: HMMA IMMA DMMA BMMA QMMA OMMA
asynchronous: HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCCP
asynchronous: UTMALDG UTMASTG UTMAREDG UBLKCP UBLKRED
shared: LDS STS LDSM STSM ATOMS SYNCS STAS
global: LDG STG LDGSTS LD ST ATOM ATOMG RED REDG LDL STL
tensor memory: LDTM STTM
shuffle: SHFL REDUX CREDUX
control: BRA BRX EXIT RET CALL BSSY BSYNC BREAK NOP BAR WARPSYNC DEPBAR LDGDEPBAR
control: MEMBAR FENCE WARPGROUP UTCBAR NANOSLEEP YIELD BPT ERRBAR CCTL CCTLL
control: WARPGROUPSET USETMAXREG UTMACMDFLUSH PMTRIG ACQBULK
"""
_UNIT_OF: dict[str, Unit] = {
    opcode: cast(Unit, unit)
    for unit, opcodes in (row.split(":") for row in _UNITS.strip().splitlines())
    for opcode in opcodes.split()
}
_EFFECTS = frozenset(
    {"STG", "STS", "ST", "STL", "RED", "REDG", "ATOM", "ATOMG", "ATOMS", "LDGSTS"}
    | {"STSM", "STAS", "BAR", "LDSM", "SHFL", "WARPGROUP", "LDTM", "STTM"}
    | {"UTMACMDFLUSH"}
)
_INTEGER_MULS = frozenset({"IMAD", "IMUL"})  # by the unit of f32
_LOADS = frozenset({"LDS", "LDG", "LD", "LDL"})
_ENDS = frozenset({"BRA", "EXIT"})


def unit_of(instruction: MachineInstruction) -> Unit:
    """The unit that runs an instruction; those of the uniform path begin with U."""
    opcode = instruction.opcode
    if opcode in _UNIT_OF:
        return _UNIT_OF[opcode]
    return "uniform" if opcode.startswith(("U", "R2UR", "LDCU")) else "integer"


def touches_memory(instruction: MachineInstruction) -> bool:
    """Whether an instruction accesses shared or global memory."""
    is_wait = instruction.opcode == "SYNCS"
    return unit_of(instruction) in ("shared", "global") and not is_wait


def computes_floats(instruction: MachineInstruction) -> bool:
    """Whether it is float arithmetic, mostly one instruction per line of PTX."""
    units = ("f32", "f64", "half", "special")
    return unit_of(instruction) in units and instruction.opcode not in _INTEGER_MULS


def loads_global(instruction: MachineInstruction) -> bool:
    """Whether it loads data from global memory to a register."""
    is_load = instruction.opcode in _LOADS and not is_spill(instruction)
    return is_load and unit_of(instruction) == "global"


def is_spill(instruction: MachineInstruction) -> bool:
    """Whether it spills a register to local memory, or reloads one."""
    return instruction.opcode in ("LDL", "STL")


def is_poll(instruction: MachineInstruction) -> bool:
    """Whether it polls an mbarrier for the end of a phase."""
    return instruction.opcode == "SYNCS" and "PHASECHK" in instruction.words


def trust(instruction: MachineInstruction, *, is_guarded: bool = False) -> int | None:
    """How surely an instruction runs as often as the PTX line that it came from.

    Args:
        instruction: The instruction.
        is_guarded: Whether that line has a guard, too: then its count has the warps of
            which no lane does it.

    Returns:
        0 for instructions with effects, which ptxas neither merges nor moves out of
        loops; 1 for loads; 2 for jumps, which it may merge. None for all others, for
        spills, which ptxas adds, and for predicated instructions, which may come from a
        branch of the PTX.
    """
    is_left_out = (
        instruction.guard and not is_guarded and instruction.opcode not in _ENDS
    )
    if is_left_out or is_spill(instruction):
        return None
    unit, opcode = unit_of(instruction), instruction.opcode
    if unit in ("matrix", "asynchronous") or opcode in _EFFECTS:
        return 0
    if opcode == "SYNCS":
        return None if is_poll(instruction) else 0
    if opcode in _LOADS:
        return 1
    return 2 if opcode in _ENDS else None
