"""Layouts as linear maps over F2: pure integers, no MLIR. See README.md."""

from cuda_tile.layout.atoms import (
    FMA_ATOMS,
    M8N8K4,
    M8N8K16,
    M16N8K8,
    M16N8K8_F16,
    M16N8K16,
    M16N8K32,
    MMA_ATOMS,
    AtomTypes,
    MmaAtom,
    Role,
)
from cuda_tile.layout.convert import (
    ConversionKind,
    classify,
    register_map,
)
from cuda_tile.layout.coords import Coord, LayoutError
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

__all__ = [
    "FMA_ATOMS",
    "M8N8K4",
    "M8N8K16",
    "M16N8K8",
    "M16N8K8_F16",
    "M16N8K16",
    "M16N8K32",
    "MMA_ATOMS",
    "AtomTypes",
    "BitMasks",
    "ConversionKind",
    "Coord",
    "LayoutError",
    "LdMatrix",
    "LdMatrixGroup",
    "LinearLayout",
    "MmaAtom",
    "OffsetColumns",
    "Role",
    "Round",
    "Select",
    "SharedAccess",
    "SharedLayout",
    "ShufflePlan",
    "access_cost",
    "atom_registers",
    "bank_conflicts",
    "choose_swizzle",
    "classify",
    "coalesced",
    "crop",
    "ldmatrix_conflicts",
    "ldmatrix_tile",
    "match_ldmatrix",
    "offset_columns",
    "padded_lanes",
    "register_map",
    "row_major",
    "shared_access",
    "shuffle_plan",
    "swizzled",
    "tile_mma",
    "vector_width",
]
