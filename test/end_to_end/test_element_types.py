# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every element type through every way a tile moves, and what is refused of them.

What compiles stores the same bits on the emulator as on the interpreter. What does not
compile is refused with its line: nothing that a kernel can say ends the process.
"""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from real_kernels import aligned

import cuda_tile
from cuda_tile.runtime.elements import element

pytestmark = pytest.mark.sampled(3)

Array = NDArray[Any]

BYTES = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU")
TYPES = (
    *("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "tf32", "f32", "f64"),
    *BYTES,
)
GPUS = ("sm_80", "sm_90", "sm_120")
EXTENT = 200  # of a tensor whose second tile of 128 sticks out

KERNEL = Template("""cuda_tile.module @m {
  entry @k(%a: tile<ptr<$E>>, %b: tile<ptr<$E>>, %x: tile<$E>) {
    %v = make_tensor_view %a, shape = [200], strides = [1] : $IN
    %w = make_tensor_view %b, shape = [256], strides = [1] : $OUT
    %f = make_partition_view %v
      : partition_view<tile=(128), padding_value = $PADDING, $IN>
    %o = make_partition_view %w : partition_view<tile=(128), $OUT>
    %i0, %i1, %i2 = get_tile_block_id : tile<i32>
    %t, %k = load_view_tko weak %f[%i0]
      : partition_view<tile=(128), padding_value = $PADDING, $IN>, tile<i32>
      -> $T, token
    $BODY
    %e = store_view_tko weak %r, %o[%i0]
      : $T, partition_view<tile=(128), $OUT>, tile<i32> -> token
    return
  }
}""")
"""Loads a tile `%t`, and stores the `%r` that a body makes."""

BODIES = {
    "copy": "%r = reshape %t : $T -> $T",
    "transpose": """%m = reshape %t : $T -> tile<8x16x$E>
    %n = permute %m [1, 0] : tile<8x16x$E> -> tile<16x8x$E>
    %r = reshape %n : tile<16x8x$E> -> $T""",
    "select": """%m = constant <i1: true> : tile<128xi1>
    %r = select %m, %t, %t : tile<128xi1>, $T""",
    "loop": """%lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: 3> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%lo to %hi, step %one) : tile<i32> iter_values(%c = %t) -> ($T) {
      continue %c : $T
    }""",
    "constant": "%r = constant <$E: $ONE> : $T",
    "parameter": """%l = reshape %x : tile<$E> -> tile<1x$E>
    %r = broadcast %l : tile<1x$E> -> $T""",
    "reduce": """%s = reduce %t dim=0 identities=[$IDENTITY] : $T -> tile<$E>
      (%p: tile<$E>, %q: tile<$E>) { yield %p : tile<$E> }
    %m = constant <i1: false> : tile<i1>
    %u = select %m, %s, %x : tile<i1>, tile<$E>
    %l = reshape %u : tile<$E> -> tile<1x$E>
    %r = broadcast %l : tile<1x$E> -> $T""",
    "pointers": """%n = iota : tile<128xi32>
    %few = constant <i32: 77> : tile<128xi32>
    %m = cmpi less_than %n, %few, signed : tile<128xi32> -> tile<128xi1>
    %l = reshape %a : tile<ptr<$E>> -> tile<1xptr<$E>>
    %p = broadcast %l : tile<1xptr<$E>> -> tile<128xptr<$E>>
    %q = offset %p, %n : tile<128xptr<$E>>, tile<128xi32> -> tile<128xptr<$E>>
    %d = constant <$E: $ONE> : $T
    %r, %u = load_ptr_tko weak %q, %m, %d
      : tile<128xptr<$E>>, tile<128xi1>, $T -> $T, token""",
}
PRODUCT = """%m = reshape %t : $T -> tile<16x8x$E>
    %d = constant <$E: $ONE> : tile<8x8x$E>
    %z = constant <f32: 0.0> : tile<16x8xf32>
    %g = mmaf %m, %d, %z : tile<16x8x$E>, tile<8x8x$E>, tile<16x8xf32>
    %c = cmpf less_than ordered %g, %z : tile<16x8xf32> -> tile<16x8xi1>
    %q = constant <$E: $ONE> : tile<16x8x$E>
    %s = select %c, %m, %q : tile<16x8xi1>, tile<16x8x$E>
    %r = reshape %s : tile<16x8x$E> -> $T"""
"""A product of bytes chooses between them."""


def load(kind: str, body: str, padding: str = "zero") -> Any:
    """The kernel for one element type."""
    words = {
        "E": kind,
        "T": f"tile<128x{kind}>",
        "ONE": "true" if kind == "i1" else "1" if kind[0] == "i" else "1.0",
        "IDENTITY": "true"
        if kind == "i1"
        else f"{1 if kind[0] == 'i' else 1.0} : {kind}",
        "IN": f"tensor_view<200x{kind}, strides=[1]>",
        "OUT": f"tensor_view<256x{kind}, strides=[1]>",
        "PADDING": padding,
    }
    body = Template(body).substitute(words)
    return cuda_tile.load(KERNEL.substitute(words, BODY=body).encode())


def stored(module: Any, kind: str, **choices: Any) -> Array:
    """The bytes that the kernel leaves in its second array."""
    of = element(kind)
    arrays = [aligned((n,), of.array_dtype) for n in (EXTENT, 256)]
    raw = np.arange(EXTENT * of.storage_bytes, dtype=np.uint8)
    arrays[0].view(np.uint8)[...] = raw % 2 if kind == "i1" else raw
    scalar = np.ones((), of.array_dtype)[()]
    cuda_tile.run(module, grid=(2,), args=[*arrays, scalar], **choices)
    return arrays[1].view(np.uint8)


def check(kind: str, body: str, padding: str = "zero") -> None:
    """Interpreter and emulator store the same for every chip."""
    module = load(kind, body, padding)
    expected = stored(module, kind)
    for gpu in GPUS:
        compiled = cuda_tile.compile(module, gpu, cubin=gpu == "sm_90")
        got = stored(module, kind, on="emulator", gpu=gpu, compiled=compiled)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("way", BODIES)
def test_moves(way: str, kind: str) -> None:
    check(kind, BODIES[way])


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind[0] != "i"])
@pytest.mark.parametrize("padding", ["neg_zero", "nan", "pos_inf", "neg_inf"])
def test_padding(padding: str, kind: str) -> None:
    check(kind, BODIES["copy"], padding)


@pytest.mark.parametrize("kind", ["f8E4M3FN", "f8E5M2"])
def test_product(kind: str) -> None:
    check(kind, PRODUCT)
