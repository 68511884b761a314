# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts as linear maps over F2: pure integers, no MLIR. See README.md."""

from cuda_tile.layout.atoms import (
    FMA_ATOMS,
    M8N8K4,
    M8N8K16,
    M16N8K8,
    M16N8K8_F16,
    M16N8K16,
    M16N8K32,
    M16N16K32,
    MMA_ATOMS,
    AtomTypes,
    MmaAtom,
    Role,
)
from cuda_tile.layout.boxes import Box, Boxes, boxes
from cuda_tile.layout.convert import (
    ConversionKind,
    classify,
    register_map,
)
from cuda_tile.layout.coords import Coord, LayoutError
from cuda_tile.layout.descriptors import (
    OperandDescriptor,
    describe,
    panel_buffer,
)
from cuda_tile.layout.fragments import (
    atom_registers,
    coalesced,
    crop,
    padded_lanes,
    tile_mma,
)
from cuda_tile.layout.ldmatrix import (
    LdMatrix,
    LdMatrixGroup,
    ldmatrix_conflicts,
    ldmatrix_tile,
    match_ldmatrix,
    match_stmatrix,
)
from cuda_tile.layout.linear import BitMasks, LinearLayout
from cuda_tile.layout.shared import (
    OffsetColumns,
    SharedAccess,
    SharedLayout,
    bank_conflicts,
    offset_columns,
    shared_access,
    vector_width,
)
from cuda_tile.layout.shuffle import Round, Select, ShufflePlan, shuffle_plan
from cuda_tile.layout.swizzle import (
    access_cost,
    choose_swizzle,
    row_major,
    swizzled,
)
from cuda_tile.layout.wgmma import (
    WARPGROUP_WARPS,
    WgmmaAtom,
    find_wgmma,
    tile_wgmma,
    wgmma_atom,
)

__all__ = [
    "FMA_ATOMS",
    "M8N8K4",
    "M8N8K16",
    "M16N8K8",
    "M16N8K8_F16",
    "M16N8K16",
    "M16N8K32",
    "M16N16K32",
    "MMA_ATOMS",
    "WARPGROUP_WARPS",
    "AtomTypes",
    "BitMasks",
    "Box",
    "Boxes",
    "ConversionKind",
    "Coord",
    "LayoutError",
    "LdMatrix",
    "LdMatrixGroup",
    "LinearLayout",
    "MmaAtom",
    "OffsetColumns",
    "OperandDescriptor",
    "Role",
    "Round",
    "Select",
    "SharedAccess",
    "SharedLayout",
    "ShufflePlan",
    "WgmmaAtom",
    "access_cost",
    "atom_registers",
    "bank_conflicts",
    "boxes",
    "choose_swizzle",
    "classify",
    "coalesced",
    "crop",
    "describe",
    "find_wgmma",
    "ldmatrix_conflicts",
    "ldmatrix_tile",
    "match_ldmatrix",
    "match_stmatrix",
    "offset_columns",
    "padded_lanes",
    "panel_buffer",
    "register_map",
    "row_major",
    "shared_access",
    "shuffle_plan",
    "swizzled",
    "tile_mma",
    "tile_wgmma",
    "vector_width",
    "wgmma_atom",
]
