# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of the ISA that the emulator knows and refuses, each with the reason."""

from __future__ import annotations

from cuda_tile.emulator.isa.chapter import Chapter

CHAPTER = Chapter("Instructions that are not emulated")

_TEXTURES = "textures are not supported; read the array with ld.global"
_SURFACES = "surfaces are not supported; use ld.global and st.global"

for _opcode in ("tex", "tld4", "txq", "istypep"):
    CHAPTER.refuse(_opcode, _TEXTURES)
for _opcode in ("suld", "sust", "sured", "suq"):
    CHAPTER.refuse(_opcode, _SURFACES)
CHAPTER.refuse("vmad", "vmad is not supported; use mad and shr")
