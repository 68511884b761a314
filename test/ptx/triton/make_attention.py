# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles attention with Triton: python make_attention.py SPEC FILE ...

`bench/triton_attention.py` calls this, with the Python of an environment that has
Triton. A SPEC is `split:f16:128:128x64:1:90:8:3`: which keys a query sees (`LOOPS` of
bench/attention_kernels.py), element type, depth, tile, heads of queries per head of
keys, compute capability, warps and stages. Queries and results are loaded and stored
by pointers; keys and values by pointers up to sm_89, by tensor descriptors (TMA) from
sm_90 on, whose rows are the positions of all heads.
"""

from typing import Any

from builds import Divisible
from kernels_tma import boxes
from make_ptx import write_specs
from make_streams import TRITON_TYPES

import triton  # isort: skip
import triton.language as tl  # isort: skip


@triton.jit
def turns(
    state,
    query,
    k,
    v,
    rows,
    first,
    begin,
    end,
    scale,
    BN: tl.constexpr,
    D: tl.constexpr,
    MASK: tl.constexpr,
    BOXES: tl.constexpr,
):
    """A loop over tiles of keys; `first` is the row of the head's first key."""
    total, weight, highest = state
    for start in range(begin, end, BN):
        j = start + tl.arange(0, BN)
        if BOXES:
            keys = k.load([first + start, 0])
        else:
            at = (first + j)[:, None] * D + tl.arange(0, D)[None, :]
            keys = tl.load(k + at, (j < end)[:, None] if MASK == "ragged" else None)
        scores = tl.dot(query, tl.trans(keys))
        if MASK == "causal":
            scores = tl.where(rows[:, None] >= j[None, :], scores, float("-inf"))
        if MASK == "ragged":
            scores = tl.where((j < end)[None, :], scores, float("-inf"))
        top = tl.maximum(highest, tl.max(scores, 1) * scale)
        shares = tl.exp2(scores * scale - top[:, None])
        fade = tl.exp2(highest - top)
        weight = weight * fade + tl.sum(shares, 1)
        total = total * fade[:, None]
        if BOXES:
            values = v.load([first + start, 0])
        else:
            values = tl.load(v + at, (j < end)[:, None] if MASK == "ragged" else None)
        total = tl.dot(shares.to(values.dtype), values, total)
        highest = top
    return total, weight, highest


@triton.jit
def attention(
    q,
    k,
    v,
    out,
    queries,
    length,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    LOOP: tl.constexpr,
    BOXES: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1)
    first = head // GROUP * length
    place = (head * queries + i)[:, None] * D + tl.arange(0, D)[None, :]
    query = tl.load(q + place)
    highest = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    state = (total, weight, highest)
    factor = scale * 1.44269504
    begin = tl.program_id(0) * BM
    end = length
    if LOOP == "causal" or LOOP == "split":
        end = tl.minimum(begin + BM, length)
    if LOOP == "split":
        # The compiler is told that tiles divide this, as the row of a tile.
        free = tl.multiple_of(begin, BN)
        state = turns(state, query, k, v, i, first, 0, free, factor, BN, D, "", BOXES)
        state = turns(
            *(state, query, k, v, i, first, free, end, factor),
            *(BN, D, "causal", BOXES),
        )
    else:
        mask: tl.constexpr = "" if LOOP == "full" else LOOP
        state = turns(state, query, k, v, i, first, 0, end, factor, BN, D, mask, BOXES)
    total, weight, highest = state
    total = total / weight[:, None]
    tl.store(out + place, total.to(out.dtype.element_ty))


def build(spec: str) -> Divisible:
    """The build of a SPEC."""
    loop, element, depth, tile, group, gpu, warps, stages = spec.split(":")
    m, n = map(int, tile.split("x"))
    d, target, ty = int(depth), int(gpu), TRITON_TYPES[element]
    constants: dict[str, Any] = {"BM": m, "BN": n, "D": d, "GROUP": int(group)}
    constants |= {"LOOP": loop, "BOXES": target >= 90}
    keys = boxes(ty, (n, d), (n, d)) if target >= 90 else f"*{ty} *{ty}"
    types = f"*{ty} {keys} *{ty} i32 i32 fp32"
    options = {"num_warps": int(warps), "num_stages": int(stages)}
    return Divisible(attention, types, (target,), constants, options)


if __name__ == "__main__":
    write_specs(build)
