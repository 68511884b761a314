# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of PTX's control flow, synchronisation, atomics and the rest."""

from __future__ import annotations

from isa_form import Family

CONTROL = "Control Flow Instructions"
SYNC = "Parallel Synchronization and Communication Instructions"
MBARRIER = "Parallel Synchronization and Communication Instructions: mbarrier"
STACK = "Stack Manipulation Instructions"
VIDEO = "Video Instructions"
SIMD_VIDEO = "SIMD Video Instructions"
TEXTURE = "Texture Instructions"
SURFACE = "Surface Instructions"
MISC = "Miscellaneous Instructions"

_CONTROL = (
    Family(CONTROL, "{}", ("{ add.s32 %r1, %r2, %r3; }",)),
    Family(CONTROL, "@", ("@{- !}%p1 add.s32 %r1, %r2, %r3",)),
    Family(CONTROL, "bra", ("bra{- .uni} L0", "@{- !}%p1 bra L0")),
    Family(CONTROL, "brx.idx", ("brx.idx{- .uni} r, T0",)),
    Family(
        CONTROL,
        "call",
        (
            "call{- .uni} (call_out), callee, (call_in)",
            "{ st.param{- ::func}.{b64 u64 f64} [call_in], %l1; "
            "call (call_out), callee, (call_in); "
            "ld.param{- ::func}.{b64 s64 f64} %l2, [call_out]; }",
            "call (status), vprintf, (format, values)",
            "{ C0: .callprototype (.param .align 8 .b8 _[8]) _ "
            "(.param .align 8 .b8 _[8]); mov.b64 %l1, callee; "
            "call{- .uni} (call_out), %l1, (call_in), C0; }",
            "{ C0: .calltargets callee; mov.b64 %l1, callee; "
            "call{- .uni} (call_out), %l1, (call_in), C0; }",
        ),
    ),
    Family(CONTROL, "ret", ("ret{- .uni}", "@%p1 ret")),
    Family(CONTROL, "exit", ("exit", "@%p1 exit")),
)

_SCOPE = "{- .cta .cluster .gpu .sys}"
_SEM = "{- .relaxed .acquire .release .acq_rel}"
_SPACE = "{- .global}"
_SHARED = "{.shared .shared::cta .shared::cluster}"
_OPS = (
    "{and.b32 and.b64 or.b32 or.b64 xor.b32 xor.b64 add.u32 add.s32 add.u64 add.f32 "
    "add.f64 inc.u32 dec.u32 min.u32 min.s32 min.u64 min.s64 max.u32 max.s32 max.u64 "
    "max.s64 add.noftz.f16 add.noftz.f16x2 add.noftz.bf16 add.noftz.bf16x2}"
)
_VECTORS = (
    ("v2.f32", "<d d>"),
    ("v4.f32", "<d d d d>"),
)
_HALF_VECTORS = (
    ("v2", "f16 bf16 f16x2 bf16x2", "<d d>"),
    ("v4", "f16 bf16 f16x2 bf16x2", "<d d d d>"),
    ("v8", "f16 bf16", "<d d d d d d d d>"),
)
_ATOM = (
    f"atom.global.{_OPS} d, [%ga], d",
    f"atom.shared.{_OPS} d, [%sa], d",
    f"atom{_SEM}{_SCOPE}{_SPACE}.add.u32 d, [%ga], d",
    f"atom{_SEM}{_SCOPE}{_SHARED}.exch.b32 d, [%sa], d",
    f"atom{_SPACE}.exch.{{b32 b64 b128}} d, [%ga], d",
    f"atom{_SPACE}.cas.{{b16 b32 b64 b128}} d, [%ga], d, d",
    "atom.shared.exch.{b64 b128} d, [%sa], d",
    "atom.shared.cas.{b16 b32 b64 b128} d, [%sa], d, d",
    "atom.global.add.L2::cache_hint.u32 d, [%ga], d, l",
    "atom.global.cas.b32 _, [%ga], d, d",
    *(f"atom{_SPACE}.add.{ty} {v}, [%ga], {v}" for ty, v in _VECTORS),
    *(
        f"atom.global.{vec}.{{{types}}}.{{add min max}}.noftz {v}, [%ga], {v}"
        for vec, types, v in _HALF_VECTORS
    ),
    *(
        f"atom.global.{{add min max}}.noftz.{vec}.{{{types}}} {v}, [%ga], {v}"
        for vec, types, v in _HALF_VECTORS
    ),
)
_RED = (
    f"red.global.{_OPS} [%ga], d",
    f"red.shared.{_OPS} [%sa], d",
    f"red{{- .relaxed .release}}{_SCOPE}{_SPACE}.add.u32 [%ga], d",
    f"red{{- .relaxed .release}}{_SCOPE}{_SHARED}.max.s32 [%sa], d",
    "red.global.add.L2::cache_hint.u32 [%ga], d, l",
    *(f"red{_SPACE}.add.{ty} [%ga], {v}" for ty, v in _VECTORS),
    *(
        f"red.global.{{add min max}}.noftz.{vec}.{{{types}}} [%ga], {v}"
        for vec, types, v in _HALF_VECTORS
    ),
)
_REDUX = (
    "redux.sync.{add min max}.{u32 s32} d, d, {r -1}",
    "redux.sync.{and or xor}.b32 d, d, r",
)
_RESTRICT = (
    ".acquire.sync_restrict::shared::cluster.cluster",
    ".release.sync_restrict::shared::cta.cluster",
)
_SYNC = (
    Family(
        SYNC,
        "bar",
        (
            "bar{- .cta}.sync {r 0}{- ,64}",
            "bar{- .cta}.arrive {r 3}, {r 64}",
            "bar{- .cta}.red.popc.u32 r, {r 0}, {- !}p",
            "bar{- .cta}.red.{and or}.pred p, 0, 64, {- !}p",
        ),
    ),
    Family(
        SYNC,
        "barrier",
        (
            "barrier{- .cta}.sync{- .aligned} {r 0}{- ,64}",
            "barrier{- .cta}.arrive{- .aligned} {r 3}, {r 64}",
            "barrier{- .cta}.red.popc{- .aligned}.u32 r, 0, {- !}p",
            "barrier{- .cta}.red.{and or}{- .aligned}.pred p, r, r, {- !}p",
        ),
    ),
    Family(SYNC, "bar.warp.sync", ("bar.warp.sync {r -1}",)),
    Family(
        SYNC,
        "barrier.cluster",
        (
            "barrier.cluster.arrive{- .release .relaxed}{- .aligned}",
            "barrier.cluster.wait{- .acquire}{- .aligned}",
        ),
    ),
    Family(
        SYNC,
        "membar",
        (
            "membar.{cta gl sys}",
            "membar.proxy.{alias async}",
        ),
    ),
    Family(
        SYNC,
        "fence",
        (
            "fence{- .sc .acq_rel .acquire .release}{.cta .cluster .gpu .sys}",
            f"fence{{{' '.join(_RESTRICT)}}}",
            "fence.mbarrier_init.release.cluster",
            "fence.proxy.{alias async async.global async.shared::cta "
            "async.shared::cluster}",
            f"fence.proxy.async::generic{{{' '.join(_RESTRICT)}}}",
            "fence.proxy.tensormap::generic.release{.cta .cluster .gpu .sys}",
            "fence.proxy.tensormap::generic.acquire{.cta .cluster .gpu .sys} [%ga], "
            "128",
        ),
    ),
    Family(SYNC, "atom", _ATOM),
    Family(SYNC, "red", _RED),
    Family(
        SYNC,
        "red.async",
        (
            "red.async.relaxed.cluster{- .shared::cluster}.mbarrier::complete_tx::bytes"
            ".{inc.u32 dec.u32 min.u32 max.u32 add.u32 min.s32 max.s32 add.s32 and.b32 "
            "or.b32 xor.b32 add.u64} [%sa], d, [%sa]",
        ),
    ),
    Family(
        SYNC,
        "red.async",
        (
            "red.async.mmio.release.sys{- .global}.add.{u32 s32 u64} [%ga], d",
            "red.async.release.{gpu sys}{- .global}.{add.u32 min.s32 inc.u32 xor.b32} "
            "[%ga], d",
        ),
        "sm_100a",
    ),
    Family(
        SYNC,
        "vote",
        ("vote.{all any uni}.pred p, p", "vote.ballot.b32 r, p"),
        "sm_90a",
        "is not in the ISA from sm_70 on",
        is_legal=False,
    ),
    Family(
        SYNC,
        "vote.sync",
        (
            "vote.sync.{all any uni}.pred p, {- !}p, {r -1}",
            "vote.sync.ballot.b32 r, {- !}p, r",
        ),
    ),
    Family(
        SYNC,
        "match.sync",
        (
            "match.any.sync.{b32 b64} r, d, r",
            "match.all.sync.{b32 b64} r{- |p}, d, {r -1}",
        ),
    ),
    Family(SYNC, "activemask", ("activemask.b32 r",)),
    Family(SYNC, "redux.sync", _REDUX),
    Family(
        SYNC,
        "redux.sync",
        ("redux.sync.{min max}{- .abs}{- .NaN}.f32 r, r, r",),
        "sm_100a",
    ),
    Family(SYNC, "griddepcontrol", ("griddepcontrol.{launch_dependents wait}",)),
    Family(SYNC, "elect.sync", ("elect.sync {r _}|p, {r -1}",)),
)

_ANY = "{.shared .shared::cta}.b64"
_ORDER = "{- .release.cta .release.cluster .relaxed.cta .relaxed.cluster}"
_WAIT_ORDER = "{- .acquire.cta .acquire.cluster .relaxed.cta .relaxed.cluster}"
_MBARRIER = (
    Family(MBARRIER, "mbarrier.init", (f"mbarrier.init{_ANY} [%sa], {{r 4}}",)),
    Family(MBARRIER, "mbarrier.inval", (f"mbarrier.inval{_ANY} [%sa]",)),
    *(
        Family(
            MBARRIER,
            f"mbarrier.{name}",
            (
                f"mbarrier.{name}{{- .relaxed.cta .relaxed.cluster}}"
                "{.shared .shared::cta .shared::cluster}.b64 [%sa], {r 64}",
            ),
        )
        for name in ("expect_tx", "complete_tx")
    ),
    *(
        Family(
            MBARRIER,
            f"mbarrier.{name}",
            (
                f"mbarrier.{name}{_ORDER}{_ANY} {{l _}}, [%sa]{{- ,r ,2}}",
                f"mbarrier.{name}{_ORDER}.shared::cluster.b64 _, [%sa]{{- ,r}}",
                f"mbarrier.{name}.expect_tx{_ORDER}{_ANY} {{l _}}, [%sa], r",
                f"mbarrier.{name}.expect_tx{_ORDER}.shared::cluster.b64 _, [%sa], r",
                f"mbarrier.{name}.noComplete{{- .release.cta}}{_ANY} l, [%sa], r",
            ),
        )
        for name in ("arrive", "arrive_drop")
    ),
    Family(
        MBARRIER,
        "cp.async.mbarrier.arrive",
        (f"cp.async.mbarrier.arrive{{- .noinc}}{_ANY} [%sa]",),
    ),
    *(
        Family(
            MBARRIER,
            f"mbarrier.{name}",
            (
                f"mbarrier.{name}{_WAIT_ORDER}{_ANY} p, [%sa], l{more}",
                f"mbarrier.{name}.parity{_WAIT_ORDER}{_ANY} p, [%sa], {{r 0}}{more}",
            ),
        )
        for name, more in (("test_wait", ""), ("try_wait", "{- ,r}"))
    ),
    Family(MBARRIER, "mbarrier.pending_count", ("mbarrier.pending_count.b64 r, l",)),
    Family(
        SYNC,
        "tensormap.cp_fenceproxy",
        (
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
            ".sync.aligned [%ga], [%sa], 128",
        ),
    ),
    Family(
        SYNC,
        "clusterlaunchcontrol.try_cancel",
        (
            "clusterlaunchcontrol.try_cancel.async{- "
            ".shared::cta}.mbarrier::complete_tx::bytes"
            "{- .multicast::cluster::all}.b128 [%sa], [%sa]",
        ),
        "sm_100a",
    ),
    Family(
        SYNC,
        "clusterlaunchcontrol.query_cancel",
        (
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q",
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 <r*4>, q",
            "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
            "<r r r _>, q",
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::{x y z}.b32.b128 r, q",
        ),
        "sm_100a",
    ),
)

_PARTS = ((2, "{h0 h10}", "{h10 h03}"), (4, "{b3 b20 b3210}", "{b3210 b0474}"))
_MISC = (
    Family(STACK, "alloca", ("alloca.u64 l, {l 32}{- ,16}",)),
    Family(STACK, "stacksave", ("stacksave.u64 l",)),
    Family(STACK, "stackrestore", ("stackrestore.u64 l",)),
    *(
        Family(
            VIDEO,
            name,
            (
                f"{name}.{{u32 s32}}.{{u32 s32}}.{{u32 s32}}{{- .sat}} r, r, r",
                f"{name}.u32.u32.s32{{- .sat}}{{.add .min .max}} r, r, r, r",
                f"{name}.s32.u32.s32 %r1{{.b0 .b3 .h1}}, %r2{{.b1 .h0}}, "
                "%r3{- .b2 .h1}, r",
            ),
        )
        for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
    ),
    *(
        Family(
            VIDEO,
            name,
            (
                f"{name}.{{u32 s32}}.{{u32 s32}}.u32{{- .sat}}.{{clamp wrap}} r, r, r",
                f"{name}.u32.s32.u32.clamp{{.add .min .max}} r, %r2{{.b1 .h1}}, r, r",
            ),
        )
        for name in ("vshl", "vshr")
    ),
    Family(
        VIDEO,
        "vmad",
        ("vmad.s32.s32.s32 r, r, r, r",),
        "sm_90a",
        "vmad is not supported",
    ),
    Family(
        VIDEO,
        "vset",
        (
            "vset.{u32 s32}.{u32 s32}.{eq ne lt le gt ge} r, r, r",
            "vset.u32.u32.lt{.add .min .max} r, r, r, r",
            "vset.u32.u32.lt %r1.h1, %r2.b0, r, r",
        ),
    ),
    *(
        Family(
            SIMD_VIDEO,
            f"{name}{n}",
            (
                f"{name}{n}.{{u32 s32}}.{{u32 s32}}.{{u32 s32}}{{- .sat .add}} "
                "r, r, r, r",
                f"{name}{n}.u32.u32.u32 %r1.{masks}, %r2.{selectors}, %r3, r",
            ),
        )
        for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg")
        for n, masks, selectors in _PARTS
    ),
    *(
        Family(
            SIMD_VIDEO,
            f"vset{n}",
            (
                f"vset{n}.{{u32 s32}}.{{u32 s32}}.{{eq ne lt le gt ge}}{{- .add}} "
                "r, r, r, r",
                f"vset{n}.u32.u32.lt %r1.{masks}, %r2, %r3.{selectors}, r",
            ),
        )
        for n, masks, selectors in _PARTS
    ),
    *(
        Family(TEXTURE, name, patterns, "sm_90a", "textures are not supported")
        for name, patterns in {
            "tex": ("tex.2d.v4.f32.s32 <r r r r>, [%tm, <r r>]",),
            "tld4": ("tld4.r.2d.v4.f32.f32 <r r r r>, [%tm, <r r>]",),
            "txq": ("txq.width.b32 r, [%tm]",),
            "istypep": ("istypep.texref p, l",),
        }.items()
    ),
    *(
        Family(SURFACE, name, patterns, "sm_90a", "surfaces are not supported")
        for name, patterns in {
            "suld": ("suld.b.1d.b32.trap r, [%tm, <r>]",),
            "sust": ("sust.b.1d.b32.trap [%tm, <r>], r",),
            "sured": ("sured.b.add.1d.u32.trap [%tm, <r>], r",),
            "suq": ("suq.width.b32 r, [%tm]",),
        }.items()
    ),
    Family(MISC, "brkpt", ("brkpt",)),
    Family(MISC, "nanosleep", ("nanosleep.u32 {r 100}",)),
    Family(MISC, "pmevent", ("pmevent 7", "pmevent.mask 15")),
    Family(MISC, "trap", ("trap",)),
    Family(MISC, "setmaxnreg", ("setmaxnreg.{inc dec}.sync.aligned.u32 {24 96 256}",)),
)

FAMILIES = (*_CONTROL, *_SYNC, *_MBARRIER, *_MISC)
