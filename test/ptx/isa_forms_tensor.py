# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of the ISA: tcgen05.

A function has one `.cta_group`, so those of pairs of CTAs are checked for another chip.
"""

from __future__ import annotations

from isa_form import Family

TENSOR_CORES = "TensorCore 5th Generation Family Instructions"
_CHIPS = {1: "sm_100a", 2: "sm_103a"}
_BASES = {"32x32b": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4}
_FLOATS = "kind::{f16 tf32 f8f6f4}"
_SCALED = (
    "kind::mxf8f6f4.block_scale{- .scale_vec::1X}",
    "kind::mxf4.block_scale{- .scale_vec::2X}",
    "kind::mxf4nvf4.block_scale{.scale_vec::2X .scale_vec::4X}",
)
_USAGE = (
    "{- .collector::a::fill .collector::a::use .collector::a::lastuse "
    ".collector::a::discard}"
)


def _moves() -> tuple[list[str], list[str]]:
    """Loads and stores of some counts; all are tried in test_tcgen05_move.py."""
    loads: list[str] = []
    stores: list[str] = []
    for shape, base in _BASES.items():
        for count in (1, 4, 32):
            vector = f"<r*{base * count}>"
            name = f"sync.aligned.{shape}.x{count}"
            loads.append(f"tcgen05.ld.{name}{{- .pack::16b}}.b32 {vector}, [%r500]")
            stores.append(f"tcgen05.st.{name}{{- .unpack::16b}}.b32 [%r500], {vector}")
    name = "sync.aligned.16x32bx2.x8"
    loads.append(f"tcgen05.ld.{name}{{- .pack::16b}}.b32 <r*8>, [%r500], 16")
    stores.append(f"tcgen05.st.{name}{{- .unpack::16b}}.b32 [%r500], 16, <r*8>")
    return loads, stores


def _copies(group: int) -> tuple[str, ...]:
    formats = "{- .b8x16.b6x16_p32 .b8x16.b4x16_p64}"
    shapes = "{128x256b 4x256b 128x128b 64x128b.warpx2::02_13 64x128b.warpx2::01_23"
    shapes += " 32x128b.warpx4}"
    return (f"tcgen05.cp.cta_group::{group}.{shapes}{formats} [%r500], l",)


def _products(group: int) -> list[str]:
    start = f"tcgen05.mma.cta_group::{group}"
    patterns: list[str] = []
    for left in ("l", "[%r501]"):
        head = f"[%r500], {left}, l, r,"
        for mask in ("", f" <r*{4 * group}>,"):
            patterns += [
                f"{start}.{_FLOATS}{_USAGE} {head}{mask} p",
                f"{start}.kind::{{f16 tf32}} {head}{mask} p, 15",
            ]
            if group == 1:
                patterns.append(f"{start}.kind::i8{_USAGE} {head}{mask} p")
        patterns += [
            f"{start}.{kind}{_USAGE} {head} [%r502], [%r503], p" for kind in _SCALED
        ]
    return patterns


def _stationary() -> tuple[str, ...]:
    usage = "{- .collector::b0::fill .collector::b3::use .collector::b2::lastuse"
    usage += " .collector::b1::discard}"
    start = f"tcgen05.mma.ws.cta_group::1.kind::{{f16 tf32 f8f6f4 i8}}{usage}"
    return tuple(
        f"{start} [%r500], {left}, l, r, p{mask}"
        for left in ("l", "[%r501]")
        for mask in ("", ", l")
    )


def _of_groups() -> list[Family]:
    """What names the CTAs that act together."""
    found: list[Family] = []
    for group, chip in _CHIPS.items():
        cta = f"cta_group::{group}"
        arrive = f"tcgen05.commit.{cta}.mbarrier::arrive::one"
        texts = {
            "alloc": (
                f"tcgen05.alloc.{cta}.sync.aligned.shared::cta.b32 [%sa], {{32 512 r}}",
                f"tcgen05.alloc.{cta}.sync.aligned.b32 [%l1], r",
            ),
            "dealloc": (f"tcgen05.dealloc.{cta}.sync.aligned.b32 r, {{32 512 r}}",),
            "relinquish_alloc_permit": (
                f"tcgen05.relinquish_alloc_permit.{cta}.sync.aligned",
            ),
            "commit": (
                f"{arrive}.b64 [%l1]",
                f"{arrive}.shared::cluster.b64 [%sa]",
                f"{arrive}.shared::cluster.multicast::cluster.b64 [%sa], h",
            ),
            "cp": _copies(group),
            "shift": (f"tcgen05.shift.{cta}.down [%r500]",),
            "mma": tuple(_products(group)),
        }
        found += [
            Family(TENSOR_CORES, f"tcgen05.{name}", patterns, chip)
            for name, patterns in texts.items()
        ]
    return found


def _plain() -> tuple[Family, ...]:
    loads, stores = _moves()
    chip = _CHIPS[1]
    return (
        Family(TENSOR_CORES, "tcgen05.ld", tuple(loads), chip),
        Family(TENSOR_CORES, "tcgen05.st", tuple(stores), chip),
        Family(
            TENSOR_CORES, "tcgen05.wait", ("tcgen05.wait::{ld st}.sync.aligned",), chip
        ),
        Family(
            TENSOR_CORES,
            "tcgen05.fence",
            ("tcgen05.fence::{before after}_thread_sync",),
            chip,
        ),
        Family(TENSOR_CORES, "tcgen05.mma.ws", _stationary(), chip),
    )


_SPARSE = "expected a dense product; '.sp' is not supported"
_REFUSED = (
    Family(
        TENSOR_CORES,
        "tcgen05.mma.sp",
        (
            "tcgen05.mma.sp.cta_group::1.kind::{f16 tf32 f8f6f4 i8} [%r500], l, l, "
            "[%r501], r, p",
        ),
        "sm_100a",
        _SPARSE,
    ),
    Family(
        TENSOR_CORES,
        "tcgen05.mma.ws.sp",
        ("tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r500], l, l, [%r501], r, p",),
        "sm_100a",
        _SPARSE,
    ),
    Family(
        TENSOR_CORES,
        "tcgen05.mma",
        ("tcgen05.mma.cta_group::1.kind::f16.ashift [%r500], [%r501], l, r, p",),
        "sm_100a",
        "expected A as it is; '.ashift' is not supported",
    ),
    Family(
        TENSOR_CORES,
        "tcgen05.ld",
        (
            "tcgen05.ld.red.sync.aligned.32x32b.x4.{min max}{- .abs}{- .NaN}.f32 "
            "<r*4>, r, [%r500]",
            "tcgen05.ld.red.sync.aligned.32x32b.x128.{min max}.{u32 s32} "
            "<r*128>, r, [%r500]",
            "tcgen05.ld.red.sync.aligned.16x32bx2.x2.max{- .abs}{- .NaN}.f32 "
            "<r*2>, r, [%r500], 16",
        ),
        "sm_103a",
    ),
)
FAMILIES = (*_of_groups(), *_plain(), *_REFUSED)
