# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with rings for `ring_mutants`: each op of theirs matters at some length."""

from __future__ import annotations

from typing import Any

import numpy as np

TILE = 16
LENGTHS = (0, 1, 2, 3, 6)
"""Iterations of the loops; the arrays are for the most."""
MOST = LENGTHS[-1]
TENSORS = {
    "a": f"tensor_view<{TILE}x{TILE * MOST}xf16, strides=[{TILE * MOST},1]>",
    "b": f"tensor_view<{TILE * MOST}x{TILE}xf16, strides=[{TILE},1]>",
    "c": f"tensor_view<{TILE}x{TILE}xf32, strides=[{TILE},1]>",
}
VIEWS = {
    name: f"partition_view<tile=({TILE}x{TILE}), padding_value = zero, {tensor}>"
    for name, tensor in TENSORS.items()
}
HALF, SUM = f"tile<{TILE}x{TILE}xf16>", f"tile<{TILE}x{TILE}xf32>"


def _load(name: str, view: str, index: str, slots: int, ahead: int) -> str:
    plan = f'engine = "cp_async", slots = {slots} : i64, ahead = {ahead} : i64'
    place = f"%zero, {index}" if view == "a" else f"{index}, %zero"
    return f"""
      {name}, {name}_t = load_view_tko weak %v{view}[{place}]
        {{tileas.plan = {{{plan}}}}} : {VIEWS[view]}, tile<i32> -> {HALF}, token
    """


def _product(result: str, lhs: str, rhs: str, acc: str) -> str:
    return f"{result} = mmaf {lhs}, {rhs}, {acc} : {HALF}, {HALF}, {SUM}\n"


def _loop(body: str, *, step: str = "%one") -> str:
    return f"""
      %f = for %k in (%zero to %n, step {step}) : tile<i32>
          iter_values(%acc = %zeros) -> ({SUM}) {{
        {body}
        continue %next : {SUM}
      }}
    """


def _one(slots: int, ahead: int, step: str = "%one") -> str:
    return _loop(
        _load("%x", "a", "%k", slots, ahead)
        + _load("%y", "b", "%k", slots, ahead)
        + _product("%next", "%x", "%y", "%acc"),
        step=step,
    )


def _stepped() -> str:
    """The step is 1 in all launches, but no constant."""
    return f"""
      %none = divi %n, %many signed : tile<i32>
      %step = addi %none, %one : tile<i32>
      {_one(3, 2, "%step")}
    """


def _chain() -> str:
    """The second product's left operand is made from the first one's result."""
    return _loop(
        _load("%x", "a", "%k", 3, 2)
        + _load("%y", "b", "%k", 3, 2)
        + _product("%s", "%x", "%y", "%zeros")
        + f"%h = ftof %s : {SUM} -> {HALF}\n"
        + _load("%z", "b", "%k", 2, 1)
        + _product("%next", "%h", "%z", "%acc")
    )


def _nested() -> str:
    inner = _one(3, 2).replace("%f =", "%i =").replace("%zeros)", "%all)")
    return f"""
      %f = for %outer in (%zero to %two, step %one) : tile<i32>
          iter_values(%all = %zeros) -> ({SUM}) {{
        {inner}
        continue %i : {SUM}
      }}
    """


def _branch() -> str:
    return _loop(
        f"""
        %odd = remi %k, %two signed : tile<i32>
        %some = cmpi equal %odd, %zero, signed : tile<i32> -> tile<i1>
        %next = if %some -> ({SUM}) {{
          {_load("%x", "a", "%k", 2, 1)} {_load("%y", "b", "%k", 2, 1)}
          {_product("%more", "%x", "%y", "%acc")}
          yield %more : {SUM}
        }} else {{
          yield %acc : {SUM}
        }}
        """
    )


KERNELS = {
    "three slots": _one(3, 2),
    "as far ahead as slots": _one(2, 2),
    "more slots than needed": _one(4, 1),
    "one slot": _one(1, 0),
    "chain": _chain(),
    "nested": _nested(),
    "branch": _branch(),
    "step that is no constant": _stepped(),
}


def text_of(name: str, engine: str) -> bytes:
    """A module with the kernel, whose operands an engine copies."""
    return f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f16>>, %q: tile<ptr<f16>>, %r: tile<ptr<f32>>,
               %n: tile<i32>) {{
        %pa = assume div_by<16>, %p : tile<ptr<f16>>
        %pb = assume div_by<16>, %q : tile<ptr<f16>>
        %ta = make_tensor_view %pa, shape = [{TILE}, {TILE * MOST}],
          strides = [{TILE * MOST}, 1] : {TENSORS["a"]}
        %tb = make_tensor_view %pb, shape = [{TILE * MOST}, {TILE}],
          strides = [{TILE}, 1] : {TENSORS["b"]}
        %tc = make_tensor_view %r, shape = [{TILE}, {TILE}], strides = [{TILE}, 1]
          : {TENSORS["c"]}
        %va = make_partition_view %ta : {VIEWS["a"]}
        %vb = make_partition_view %tb : {VIEWS["b"]}
        %vc = make_partition_view %tc : {VIEWS["c"]}
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %two = constant <i32: 2> : tile<i32>
        %many = constant <i32: {1 << 20}> : tile<i32>
        %zeros = constant <f32: 0.0> : {SUM}
        {KERNELS[name].replace("cp_async", engine)}
        %s = store_view_tko weak %f, %vc[%zero, %zero]
          : {SUM}, {VIEWS["c"]}, tile<i32> -> token
        return
      }}
    }}""".encode()


def arguments(iterations: int) -> list[Any]:
    """Fresh arrays of small whole numbers, and the length of the loop."""
    rng = np.random.default_rng(3)
    count = TILE * TILE * MOST
    a = rng.integers(-2, 3, count).astype(np.float16)
    b = rng.integers(-2, 3, count).astype(np.float16)
    return [a, b, np.zeros(TILE * TILE, np.float32), np.int32(iterations)]
