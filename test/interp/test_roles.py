# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roles are coroutines of one tile block; those that all wait are a deadlock."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile
from cuda_tile import interp
from cuda_tile.interp import InterpError

ROW = "!tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>"
RING = f"!tileas.ring<2, {ROW}>"
TILE = "tile<4xf32>"
TENSOR = "tensor_view<?xf32, strides=[1]>"
VIEW = f"partition_view<tile=(4), {TENSOR}>"
SEEDS = (None, *range(6))


def iterations(body: str, *, start: str = "%c0") -> str:
    return f"""
      for %t in ({start} to %n, step %c1) : tile<i32> {{
        {body}
      }}
    """


FILL = f"""
  %a = tileas.acquire %r[%t] : {RING}
  %tok = tileas.copy_in %in[%t] to %a engine = "tma" : {VIEW}[tile<i32>] to {ROW}
  tileas.publish %r[%t] : {RING}
"""
DRAIN = f"""
  %b = tileas.take %r[%t] : {RING}
  %x = tileas.load_shared %b[0] : {ROW} -> !cuda_tile.{TILE}
  %s = store_view_tko weak %x, %out[%t] : {TILE}, {VIEW}, tile<i32> -> token
  tileas.release %r[%t] : {RING}
"""


def kernel(*bodies: str, fill: str = "tma") -> str:
    """A kernel with a role "r0", "r1" ... for each body."""
    parts = [
        f'role "r{number}" warps = 1 threads = 32 registers = 0 {{ {body} }}'
        for number, body in enumerate(bodies)
    ]
    roles = f"tileas.roles {' '.join(parts)}" if len(parts) > 1 else bodies[0]
    return f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {{
        %c0 = constant <i32: 0> : tile<i32>
        %c1 = constant <i32: 1> : tile<i32>
        %c4 = constant <i32: 4> : tile<i32>
        %size = muli %n, %c4 : tile<i32>
        %ti = make_tensor_view %p, shape = [%size], strides = [1]
          : tile<i32> -> {TENSOR}
        %in = make_partition_view %ti : {VIEW}
        %to = make_tensor_view %q, shape = [%size], strides = [1]
          : tile<i32> -> {TENSOR}
        %out = make_partition_view %to : {VIEW}
        %r = tileas.ring fill = "{fill}" drain = "threads" sync = "mbarriers" : {RING}
        {roles}
        return
      }}
    }}"""


def run(text: str, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    a, out = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    module = cuda_tile.load(text.encode())
    interp.run(module, grid=(1,), args=[a, out, 5], seed=seed)
    return a, out


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", [(FILL, DRAIN), (DRAIN, FILL)])
def test_roles_hand_slots_to_each_other(
    order: tuple[str, str], seed: int | None
) -> None:
    a, out = run(kernel(*map(iterations, order)), seed)
    assert out.tolist() == a.tolist()


def test_the_order_of_roles_is_drawn() -> None:
    """Two roles that race for a word: under seeds either one is the last."""
    stores = [
        f"""%v = constant <f32: {value}> : tile<f32>
        %w = store_ptr_tko relaxed tl_blk %q, %v : tile<ptr<f32>>, tile<f32> -> token
        """
        for value in ("1.0", "2.0")
    ]
    last = {run(kernel(*stores), seed)[1][0] for seed in SEEDS}
    assert last == {1.0, 2.0}


DEADLOCKS = {
    "nothing is released": (
        (
            iterations(FILL),
            iterations(DRAIN.replace("tileas.release", "// tileas.release")),
        ),
        r'role "r0" at .tileas.acquire.*'
        r'acquire of iteration 2 needs the release of iteration 0.*'
        r'role "r1" at .tileas.take.*'
        r'take of iteration 2 needs the publish of iteration 2',
    ),
    "nothing is published": (
        (
            iterations(FILL.replace("tileas.publish", "// tileas.publish")),
            iterations(DRAIN),
        ),
        r'role "r1" at .tileas.take.*'
        r'take of iteration 0 needs the publish of iteration 0',
    ),
    "one iteration too many": (
        (iterations(FILL, start="%c1").replace("%r[%t]", "%r[%m]").replace(
            "%a =", "%m = subi %t, %c1 : tile<i32>\n%a ="), iterations(DRAIN)),
        r'role "r1" at .tileas.take.*'
        r'take of iteration 4 needs the publish of iteration 4',
    ),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", DEADLOCKS)
def test_a_deadlock_names_what_each_role_waits_for(name: str, seed: int | None) -> None:
    bodies, message = DEADLOCKS[name]
    with pytest.raises(InterpError, match="deadlock, no role can go on") as error:
        run(kernel(*bodies), seed)
    if seed is None:
        assert error.match(f"(?s){message}")


def test_outside_roles_nothing_is_waited_for() -> None:
    with pytest.raises(InterpError, match=r"outside 'tileas\.roles' nothing"):
        run(kernel(iterations(DRAIN)))


def test_a_role_that_ends_lets_the_others_go_on() -> None:
    a, out = run(kernel("", iterations(FILL), iterations(DRAIN)))
    assert out.tolist() == a.tolist()


def test_what_stands_behind_roles_comes_after_all_of_them() -> None:
    text = kernel(iterations(FILL), iterations(DRAIN)).replace(
        "        return", "%behind = negi %c1 : tile<i32>\nreturn"
    )
    seen: list[str] = []

    def trace(op: interp.Op, results: tuple[np.ndarray, ...]) -> None:
        del results
        seen.append(op.name)

    a, out = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    module = cuda_tile.load(text.encode())
    interp.run(module, grid=(1,), args=[a, out, 5], trace=trace)
    assert seen.count("tileas.release") == 5
    assert seen[-1] == "negi"
