# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction set, one module per chapter of the PTX ISA."""

from __future__ import annotations

from cuda_tile.emulator.isa import (
    async_copy,
    atomic,
    barrier,
    cancel,
    compare,
    control,
    convert,
    floating,
    half,
    hints,
    integer,
    logic,
    matrix,
    mbarrier,
    mma,
    move,
    multimem,
    packed,
    refused,
    remote,
    stack,
    tcgen05,
    tensormap,
    video,
    warp,
    wgmma,
    wmma,
)
from cuda_tile.emulator.isa.chapter import InstructionTable

CHAPTERS = (
    integer.CHAPTER,
    floating.CHAPTER,
    packed.CHAPTER,
    half.CHAPTER,
    compare.CHAPTER,
    logic.CHAPTER,
    move.CHAPTER,
    multimem.CHAPTER,
    hints.CHAPTER,
    convert.CHAPTER,
    async_copy.CHAPTER,
    control.CHAPTER,
    barrier.CHAPTER,
    mbarrier.CHAPTER,
    warp.CHAPTER,
    atomic.CHAPTER,
    matrix.CHAPTER,
    mma.CHAPTER,
    wmma.CHAPTER,
    wgmma.CHAPTER,
    tcgen05.CHAPTER,
    tensormap.CHAPTER,
    video.CHAPTER,
    cancel.CHAPTER,
    remote.CHAPTER,
    stack.CHAPTER,
    refused.CHAPTER,
)


def instruction_table() -> InstructionTable:
    """Returns the table of all instructions the emulator knows."""
    return InstructionTable(CHAPTERS)
