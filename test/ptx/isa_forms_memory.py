# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of PTX's data movement: loads, stores, addresses, asynchronous copies."""

from __future__ import annotations

from isa_form import Family
from isa_forms_scalar import MOVEMENT

COPY = "Data Movement and Conversion Instructions: Asynchronous Copy"
TENSOR_COPY = "Data Movement and Conversion Instructions: Tensor Copy"

_MEMORY = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
_SHORT = "b8 u16 s32 f32 b64"
_EVICT = ".L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last"
_SCOPES = ".cta .cluster .gpu .sys"
_HINT = ".L2::cache_hint"

_LOADS = (
    f"ld.{{{_MEMORY} b128}} d, [%ga]",
    f"ld.global.{{{_MEMORY} b128}} d, [%ga+16]",
    f"ld.const.{{{_MEMORY}}} d, [con+8]",
    f"ld.local.{{{_MEMORY}}} d, [loc]",
    f"ld.param{{- ::entry}}.{{{_SHORT}}} d, [arg]",
    f"ld{{.shared .shared::cta .shared::cluster}}.{{{_MEMORY} b128}} d, [%sa]",
    f"ld{{- .global}}.v2.{{{_SHORT}}} <d d>, [%ga]",
    "ld{- .global}.v4.{b8 u16 s32 f32} <d d d d>, [%ga]",
    f"ld.shared.v2.{{{_SHORT}}} <d d>, [%sa]",
    "ld.shared.v4.{b8 u16 s32 f32} <d _ d d>, [%sa+16]",
    f"ld.weak.global{{- .ca .cg .cs .lu .cv}}.{{{_SHORT}}} d, [%ga]",
    f"ld.volatile{{- .global}}.{{{_SHORT}}} d, [%ga]",
    f"ld{{.relaxed .acquire}}{{{_SCOPES}}}{{- .global}}.{{{_SHORT}}} d, [%ga]",
    f"ld{{.relaxed .acquire}}{{{_SCOPES}}}.shared.u32 d, [%sa]",
    "ld.mmio.relaxed.sys{- .global}.u32 d, [%ga]",
    f"ld.global{{{_EVICT} .L1::no_allocate}}.u32 d, [%ga]",
    f"ld.global{{- {_EVICT}}}{_HINT}{{- .L2::64B .L2::128B .L2::256B}}.u32 d, [%ga], l",
)
_NC = (
    f"ld.global{{- .ca .cg .cs}}.nc.{{{_MEMORY} b128}} d, [%ga]",
    f"ld.global.nc{{{_EVICT} .L1::no_allocate}}{{- .L2::128B}}.v4.f32 <d d d d>, [%ga]",
    f"ld.global.nc{_HINT}.L2::256B.v2.u64 <d d>, [%ga], l",
)
_STORES = (
    f"st.{{{_MEMORY} b128}} [%ga], d",
    f"st.global.{{{_MEMORY} b128}} [%ga+16], d",
    f"st.local.{{{_MEMORY}}} [loc+8], d",
    f"st{{.shared .shared::cta .shared::cluster}}.{{{_MEMORY} b128}} [%sa], d",
    f"st{{- .global}}.v2.{{{_SHORT}}} [%ga], <d d>",
    "st{- .global}.v4.{b8 u16 s32 f32} [%ga], <d d d d>",
    "st.shared.v4.{b8 u16 s32 f32} [%sa], <d d d d>",
    f"st.weak.global{{- .wb .cg .cs .wt}}.{{{_SHORT}}} [%ga], d",
    f"st.volatile{{- .global}}.{{{_SHORT}}} [%ga], d",
    f"st{{.relaxed .release}}{{{_SCOPES}}}{{- .global}}.{{{_SHORT}}} [%ga], d",
    f"st{{.relaxed .release}}{{{_SCOPES}}}.shared.u32 [%sa], d",
    "st.mmio.relaxed.sys{- .global}.u32 [%ga], d",
    f"st.global{{{_EVICT} .L1::no_allocate}}.u32 [%ga], d",
    f"st.global{{- {_EVICT}}}{_HINT}.u32 [%ga], d, l",
)

_MOVE = (
    Family(
        MOVEMENT,
        "mov",
        (
            "mov.{pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64} d, d",
            "mov.b16 d, <o o>",
            "mov.b32 d, <h h>",
            "mov.b32 d, <o o o o>",
            "mov.b64 d, <r r>",
            "mov.b64 d, <h h h h>",
            "mov.b128 d, <l l>",
            "mov.b16 <o o>, d",
            "mov.b32 <h h>, d",
            "mov.b32 <h _>, d",
            "mov.b32 <o o o o>, d",
            "mov.b64 <r r>, d",
            "mov.b64 <h h h h>, d",
            "mov.b128 <l l>, d",
            "mov.{u32 b64} d, {sm loc}",
            "mov.u64 d, {con glob+8}",
            "mov.{b32 f32} d, 0f3F800000",
            "mov.f64 d, 0d3FF0000000000000",
        ),
    ),
    Family(
        "Special Registers",
        "special registers",
        (
            "mov.u32 r, %{tid ntid ctaid nctaid clusterid nclusterid}.{x y z}",
            "mov.u32 r, %{cluster_ctaid cluster_nctaid}.{x y z}",
            "mov.u32 r, %{laneid warpid nwarpid smid nsmid cluster_ctarank "
            "cluster_nctarank}",
            "mov.u32 r, %lanemask_{eq le lt ge gt}",
            "mov.u32 r, %{clock clock_hi globaltimer_lo globaltimer_hi}",
            "mov.u32 r, %{total_smem_size aggr_smem_size dynamic_smem_size}",
            "mov.u64 l, %{clock64 globaltimer gridid current_graph_exec}",
            "mov.u32 r, %pm{0 1 2 3 4 5 6 7}",
            "mov.u64 l, %pm{0 7}_64",
            "mov.u32 r, %envreg{0 1 31}",
            "mov.u32 r, %reserved_smem_offset_{begin end cap 0 1}",
            "mov.pred p, %is_explicit_cluster",
        ),
    ),
    Family(
        MOVEMENT,
        "shfl",
        ("shfl.{up down bfly idx}.b32 r, r, 1, 31",),
        "sm_90a",
        "is not in the ISA from sm_70 on",
        is_legal=False,
    ),
    Family(
        MOVEMENT,
        "shfl.sync",
        ("shfl.sync.{up down bfly idx}.b32 r{- |p}, r, {r 5}, {r 31}, {r -1}",),
    ),
    Family(
        MOVEMENT,
        "prmt",
        (
            "prmt.b32 r, r, r, {r 0x5410}",
            "prmt.b32.{f4e b4e rc8 ecl ecr rc16} r, r, r, r",
        ),
    ),
    Family(MOVEMENT, "ld", _LOADS),
    Family(
        MOVEMENT,
        "ld",
        (
            "ld.global.v8.{b32 u32 s32 f32} <d d d d d d d d>, [%ga]",
            "ld.global.v4.{b64 u64 s64 f64} <d d d d>, [%ga]",
            "ld.global.L1::evict_last.L2::evict_first.v4.b64 <d d d _>, [%ga]",
            "ld.global.nc.L2::evict_last.v8.b32 <d d d d d d d d>, [%ga]",
        ),
        "sm_100a",
    ),
    Family(MOVEMENT, "ld.global.nc", _NC),
    Family(
        MOVEMENT,
        "ldu",
        (
            f"ldu{{- .global}}.{{{_MEMORY}}} d, [%ga]",
            "ldu.global.v4.f32 <d d d d>, [%ga]",
        ),
    ),
    Family(MOVEMENT, "st", _STORES),
    Family(
        MOVEMENT,
        "st",
        (
            "st.global.v8.{b32 u32 s32 f32} [%ga], <d d d d d d d d>",
            "st.global.v4.{b64 u64 s64 f64} [%ga], <d d d d>",
            "st.global.L1::evict_last.L2::evict_first.v8.b32 [%ga], <d _ d d d d d d>",
        ),
        "sm_100a",
    ),
    Family(
        MOVEMENT,
        "st.async",
        (
            "st.async{- .weak}{- .shared::cluster}.mbarrier::complete_tx::bytes"
            ".{b32 b64 u32 u64 s32 s64 f32 f64} [%sa], d, [%sa]",
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.{b32 b64 f64} "
            "[%sa], <d d>, [%sa]",
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.{b32 f32} "
            "[%sa], <d d d d>, [%sa]",
        ),
    ),
    Family(
        MOVEMENT,
        "st.async",
        (
            "st.async.mmio.release.sys{- .global}.{b16 b32 u64 f32} [%ga], d",
            "st.async.mmio.release.sys.{b8 s8} [%ga], o",
            "st.async.release.{gpu sys}{- .global}.{b16 b32 u64 f64} [%ga], d",
        ),
        "sm_100a",
    ),
    Family(
        MOVEMENT,
        "st.bulk",
        ("st.bulk{- .weak}{- .shared::cta} [%sa], {l 64}, 0",),
        "sm_100a",
    ),
    *(
        Family(MOVEMENT, name, patterns)
        for name, patterns in {
            "multimem.ld_reduce": (
                "multimem.ld_reduce{.relaxed .acquire}{.cta .gpu .sys}.global.add.u32 "
                "r, [%ga]",
                "multimem.ld_reduce.weak{- .global}.{add.f32 add.u32 add.s32 add.u64 "
                "add.f64 min.s32 max.u64 and.b32 or.b64 xor.b32} d, [%ga]",
                "multimem.ld_reduce.weak.global.add{- .acc::f32}.{f16x2 bf16x2} r, "
                "[%ga]",
                "multimem.ld_reduce.weak.global.{add min max}.v2.{f16 bf16} <h h>, "
                "[%ga]",
                "multimem.ld_reduce.weak.global.add.v4.{f32 f16x2 bf16x2} <d d d d>, "
                "[%ga]",
            ),
            "multimem.st": (
                "multimem.st.{weak relaxed.sys release.gpu}.global.{f32 u32 b64} "
                "[%ga], d",
                "multimem.st.weak{- .global}.v4.{f32 f16x2} [%ga], <d d d d>",
                "multimem.st.weak.global.v2.f16 [%ga], <h h>",
            ),
            "multimem.red": (
                "multimem.red{.relaxed .release}{.gpu .sys}{- .global}.add.u32 "
                "[%ga], r",
                "multimem.red.relaxed.gpu.global.{add.f32 add.u64 add.f64 min.u32 "
                "max.s64 and.b64 or.b32 xor.b64 add.f16x2 add.bf16x2} [%ga], d",
                "multimem.red.relaxed.gpu.global.add.v4.{f32 f16x2} [%ga], <d d d d>",
                "multimem.red.relaxed.gpu.global.{add min max}.v2.{f16 bf16} [%ga], "
                "<h h>",
            ),
        }.items()
    ),
    Family(
        MOVEMENT,
        "prefetch",
        (
            "prefetch{- .global}{.L1 .L2} [%ga]",
            "prefetch.global{.L2::evict_last .L2::evict_normal} [%ga]",
            "prefetch.local.L1 [loc]",
            "prefetch{- .param .const}.tensormap [%tm]",
        ),
    ),
    Family(MOVEMENT, "prefetchu", ("prefetchu.L1 [%ga]",)),
    Family(
        MOVEMENT,
        "applypriority",
        ("applypriority{- .global}.L2::evict_normal [%ga], 128",),
    ),
    Family(MOVEMENT, "discard", ("discard{- .global}.L2 [%ga], 128",)),
    Family(
        MOVEMENT,
        "createpolicy",
        (
            "createpolicy.fractional{.L2::evict_last .L2::evict_normal "
            ".L2::evict_first}"
            "{- .L2::evict_unchanged}.b64 l{- ,0.5}",
            "createpolicy.fractional.L2::evict_unchanged.b64 l",
            "createpolicy.range{- .global}.L2::evict_last.L2::evict_first.b64 l, "
            "[%ga], r, r",
            "createpolicy.cvt.L2.b64 l, l",
        ),
    ),
    Family(
        MOVEMENT,
        "isspacep",
        (
            "isspacep.{const global local shared shared::cta shared::cluster param} p, "
            "l",
            "isspacep.param::entry p, l",
        ),
    ),
    Family(
        MOVEMENT,
        "cvta",
        (
            "cvta{- .to}.{const global local shared shared::cta shared::cluster "
            "param}.u64 l, l",
            "cvta.{global}.u64 l, glob",
            "cvta.shared.u64 l, sm",
        ),
    ),
    Family(
        MOVEMENT,
        "mapa",
        (
            "mapa{- .shared::cluster}.u64 l, l, r",
            "mapa.shared::cluster.u32 r, {r sm}, {r 1}",
        ),
    ),
    Family(
        MOVEMENT,
        "getctarank",
        (
            "getctarank{- .shared::cluster}.u64 r, l",
            "getctarank.shared::cluster.u32 r, {r sm}",
        ),
    ),
)

_SIZES = "{- .L2::64B .L2::128B .L2::256B}"
_TX = ".mbarrier::complete_tx::bytes"
_TILE_DIMS = (
    ("1d", "<r>"),
    ("2d", "<r r>"),
    ("3d", "<r r r>"),
    ("4d", "<r r r r>"),
    ("5d", "<r r r r r>"),
)
_COPY = (
    Family(
        COPY,
        "cp.async",
        (
            f"cp.async.ca{{.shared .shared::cta}}.global{_SIZES} [%sa], [%ga], {{4 8 "
            f"16}}",
            f"cp.async.cg.shared.global{_SIZES} [%sa], [%ga], 16{{- ,r ,p}}",
            "cp.async.ca.shared.global [%sa], [%ga], {4 8 16}, {r p 0}",
            f"cp.async.{{ca cg}}.shared.global{_HINT}{_SIZES} [%sa], [%ga], 16{{- "
            f",r}}, l",
        ),
    ),
    Family(COPY, "cp.async.commit_group", ("cp.async.commit_group",)),
    Family(COPY, "cp.async.wait_group", ("cp.async.wait_group {0 3}",)),
    Family(COPY, "cp.async.wait_all", ("cp.async.wait_all",)),
    Family(
        COPY,
        "cp.async.bulk",
        (
            f"cp.async.bulk.shared::cluster.global{_TX} [%sa], [%ga], {{r 64}}, [%sa]",
            f"cp.async.bulk.shared::cluster.global{_TX}{_HINT} [%sa], [%ga], r, [%sa], "
            f"l",
            f"cp.async.bulk.shared::cluster.global{_TX}.multicast::cluster "
            "[%sa], [%ga], r, [%sa], h",
            f"cp.async.bulk.shared::cluster.global{_TX}.multicast::cluster{_HINT} "
            "[%sa], [%ga], r, [%sa], h, l",
            f"cp.async.bulk.shared::cta.global{_TX} [%sa], [%ga], r, [%sa]",
            f"cp.async.bulk.shared::cluster.shared::cta{_TX} [%sa], [%sa], r, [%sa]",
            "cp.async.bulk.global.shared::cta.bulk_group [%ga], [%sa], r",
            f"cp.async.bulk.global.shared::cta.bulk_group{_HINT} [%ga], [%sa], r, l",
        ),
    ),
    Family(
        COPY,
        "cp.async.bulk",
        (
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%ga], [%sa], r, h",
            f"cp.async.bulk.global.shared::cta.bulk_group{_HINT}.cp_mask "
            "[%ga], [%sa], r, l, h",
        ),
        "sm_100a",
    ),
    Family(
        COPY,
        "cp.reduce.async.bulk",
        (
            f"cp.reduce.async.bulk.shared::cluster.shared::cta{_TX}"
            ".{add.u32 add.s32 add.u64 min.u32 min.s32 max.u32 max.s32 inc.u32 dec.u32 "
            "and.b32 or.b32 xor.b32} [%sa], [%sa], r, [%sa]",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group."
            "{add.u32 add.s32 add.u64 add.f32 add.f64 add.noftz.f16 add.noftz.bf16 "
            "min.u32 min.s32 min.u64 min.s64 min.f16 min.bf16 max.u32 max.s32 max.u64 "
            "max.s64 max.f16 max.bf16 inc.u32 dec.u32 and.b32 and.b64 or.b32 or.b64 "
            "xor.b32 xor.b64} [%ga], [%sa], r",
            f"cp.reduce.async.bulk.global.shared::cta.bulk_group{_HINT}.add.u32 "
            "[%ga], [%sa], r, l",
        ),
    ),
    Family(
        COPY,
        "cp.async.bulk.prefetch",
        (
            "cp.async.bulk.prefetch.L2.global [%ga], {r 64}",
            f"cp.async.bulk.prefetch.L2.global{_HINT} [%ga], r, l",
        ),
    ),
    Family(COPY, "cp.async.bulk.commit_group", ("cp.async.bulk.commit_group",)),
    Family(
        COPY, "cp.async.bulk.wait_group", ("cp.async.bulk.wait_group{- .read} {0 2}",)
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.tensor",
        (
            *(
                f"cp.async.bulk.tensor.{rank}.shared::cluster.global{{- .tile}}{_TX} "
                f"[%sa], [%tm, {at}], [%sa]"
                for rank, at in _TILE_DIMS
            ),
            *(
                f"cp.async.bulk.tensor.{rank}.global.shared::cta{{- .tile}}.bulk_group "
                f"[%tm, {at}], [%sa]"
                for rank, at in _TILE_DIMS
            ),
            f"cp.async.bulk.tensor.2d.shared::cta.global{_TX} [%sa], [%tm, <r r>], "
            f"[%sa]",
            f"cp.async.bulk.tensor.2d.shared::cluster.global{_TX}{_HINT} "
            "[%sa], [%tm, <r r>], [%sa], l",
            f"cp.async.bulk.tensor.2d.shared::cluster.global{_TX}.multicast::cluster "
            "[%sa], [%tm, <r r>], [%sa], h",
            f"cp.async.bulk.tensor.2d.shared::cluster.global{_TX}.multicast::cluster"
            f"{_HINT} [%sa], [%tm, <r r>], [%sa], h, l",
            f"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group{_HINT} "
            "[%tm, <r r>], [%sa], l",
        ),
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.tensor",
        (
            f"cp.async.bulk.tensor.3d.shared::cluster.global.im2col{_TX} "
            "[%sa], [%tm, <r r r>], [%sa], <h>",
            "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
            "[%tm, <r r r>], [%sa]",
        ),
        "sm_90a",
        "im2col",
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.tensor",
        (
            f"cp.async.bulk.tensor.3d.shared::cluster.global.im2col::{{w w::128}}{_TX} "
            "[%sa], [%tm, <r r r>], [%sa], <h h>",
        ),
        "sm_100a",
        "im2col",
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.tensor",
        (
            "cp.async.bulk.tensor.2d.shared::{cluster cta}.global.tile::gather4"
            f"{_TX} [%sa], [%tm, <r r r r r>], [%sa]",
            f"cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global{_TX} "
            "[%sa], [%tm, <r r r r r>], [%sa]",
            "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
            "[%tm, <r r r r r>], [%sa]",
            "cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group "
            "[%tm, <r r r r r>], [%sa]",
            f"cp.async.bulk.tensor.2d.cta_group::{{1 2}}.shared::cluster.global{_TX} "
            "[%sa], [%tm, <r r>], [%sa]",
            f"cp.async.bulk.tensor.2d.tile.shared::cluster.global{_TX} "
            "[%sa], [%tm, <r r>], [%sa]",
        ),
        "sm_100a",
    ),
    Family(
        TENSOR_COPY,
        "cp.reduce.async.bulk.tensor",
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4"
            ".bulk_group [%tm, <r r r r r>], [%sa]",
        ),
        "sm_100a",
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.prefetch.tensor",
        (
            "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 "
            "[%tm, <r r r r r>]",
        ),
        "sm_100a",
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.tensor",
        (
            f"cp.async.bulk.tensor.2d.shared::cluster.global{_TX}.cta_group::{{1 2}} "
            "[%sa], [%tm, <r r>], [%sa]",
            f"cp.async.bulk.tensor.2d.shared::cluster.global{_TX}.multicast::cluster"
            f".cta_group::{{1 2}}{_HINT} [%sa], [%tm, <r r>], [%sa], h, l",
        ),
        "sm_100a",
    ),
    Family(
        TENSOR_COPY,
        "cp.reduce.async.bulk.tensor",
        (
            *(
                "cp.reduce.async.bulk.tensor."
                f"{rank}.global.shared::cta.{{add min max inc dec and or xor}}"
                f"{{- .tile}}.bulk_group [%tm, {at}], [%sa]"
                for rank, at in _TILE_DIMS
            ),
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
            f"{_HINT} [%tm, <r r>], [%sa], l",
        ),
    ),
    Family(
        TENSOR_COPY,
        "cp.async.bulk.prefetch.tensor",
        (
            *(
                f"cp.async.bulk.prefetch.tensor.{rank}.L2.global{{- .tile}} [%tm, {at}]"
                for rank, at in _TILE_DIMS
            ),
            f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile{_HINT} [%tm, <r r>], l",
        ),
    ),
    Family(
        TENSOR_COPY,
        "tensormap.replace",
        (
            "tensormap.replace.tile.global_address{- .global}.b1024.b64 [%ga], l",
            "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%sa], {r 2}",
            "tensormap.replace.tile.{box_dim global_dim "
            "element_stride}.global.b1024.b32 "
            "[%ga], 0, r",
            "tensormap.replace.tile.global_stride.global.b1024.b64 [%ga], 0, l",
            "tensormap.replace.tile.{elemtype interleave_layout swizzle_mode fill_mode}"
            ".global.b1024.b32 [%ga], 1",
        ),
    ),
    Family(
        TENSOR_COPY,
        "tensormap.replace",
        (
            "tensormap.replace.tile.swizzle_atomicity{.global .shared::cta}.b1024.b32 "
            "[%l1], 0",
        ),
        "sm_100a",
    ),
)

FAMILIES = (*_MOVE, *_COPY)
