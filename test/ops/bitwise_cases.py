"""Family bitwise: every width of integer, an awkward shape."""

from __future__ import annotations

import numpy as np
from emit_data import INTEGERS, random_values
from op_case import Array, OpCase

NAMES = ("andi", "ori", "xori")


def _kernel(element: str) -> str:
    tile, one = f"tile<32x{element}>", f"tile<ptr<{element}>>"
    lines = [
        f"""
    %q{n} = reshape %{name} : {one} -> tile<1xptr<{element}>>
    %b{n} = broadcast %q{n} : tile<1xptr<{element}>> -> tile<32xptr<{element}>>
    %p{n} = offset %b{n}, %i : tile<32xptr<{element}>>, tile<32xi32>
      -> tile<32xptr<{element}>>"""
        for n, name in enumerate(("x", "y", *NAMES))
    ]
    lines += [
        f"""
    %v{n}, %t{n} = load_ptr_tko weak %p{n} : tile<32xptr<{element}>> -> {tile}, token"""
        for n in (0, 1)
    ]
    lines += [
        f"""
    %r{n} = {name} %v0, %v1 : {tile}
    %s{n} = store_ptr_tko weak %p{n}, %r{n}
      : tile<32xptr<{element}>>, {tile} -> token"""
        for n, name in enumerate(NAMES, 2)
    ]
    parameters = ", ".join(f"%{name}: {one}" for name in ("x", "y", *NAMES))
    return (
        f"cuda_tile.module @m {{ entry @k({parameters}) {{\n"
        f"    %i = iota : tile<32xi32>{''.join(lines)}\n    return\n}} }}"
    )


def _arrays(element: str, rng: np.random.Generator) -> list[Array]:
    x, y = random_values(rng, 32, element), random_values(rng, 32, element)
    return [x, y, *(np.zeros_like(x) for _ in NAMES)]


CASES = [
    OpCase(
        element,
        _kernel(element),
        lambda rng, element=element: _arrays(element, rng),
        numpy=lambda a: [a[0], a[1], a[0] & a[1], a[0] | a[1], a[0] ^ a[1]],
    )
    for element in INTEGERS
]
