# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a preceding grid writes may be touched only behind gdc_wait_tko."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.interp import InterpError

HEAD = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>, %w: tile<ptr<i32>>) {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
"""
PTR = "tile<ptr<i32>>"
LOAD = f"%v, %r = load_ptr_tko weak %x TOKEN : {PTR} -> tile<i32>, token\n"
WAIT = "%t = gdc_wait_tko : token\n"
TAIL = "    return\n  }\n}\n"


def run(body: str, *, grid: int = 1, on: Any = "x", **more: Any) -> None:
    module = cuda_tile.load((HEAD + body + TAIL).encode())
    x, w = np.zeros(4, np.int32), np.zeros(4, np.int32)
    named: dict[Any, Any] = {"x": [x], "w": [w], "part": [x[1:]]}
    preceding = named.get(on, on)
    cuda_tile.run(module, grid=grid, args=[x, w], preceding=preceding, **more)


RIGHT = {
    "its token": WAIT + LOAD.replace("TOKEN", "token=%t"),
    "a join": WAIT
    + "%s = make_token : token\n%j = join_tokens %s, %t : token\n"
    + LOAD.replace("TOKEN", "token=%j"),
    "an access between": WAIT
    + f"%a, %s = load_ptr_tko weak %w token=%t : {PTR} -> tile<i32>, token\n"
    + LOAD.replace("TOKEN", "token=%s"),
    "a fence between": WAIT
    + "%s = gdc_launch_dependents_tko token=%t : token\n"
    + LOAD.replace("TOKEN", "token=%s"),
}
WRONG = {
    "no wait": LOAD.replace("TOKEN", ""),
    "no token": WAIT + LOAD.replace("TOKEN", ""),
    "before": LOAD.replace("TOKEN", "") + "%t = gdc_wait_tko token=%r : token\n",
    "a store": f"%t = gdc_wait_tko : token\n%r = store_ptr_tko weak %x, %one : {PTR}, "
    "tile<i32> -> token\n",
    "launch_dependents": "%t = gdc_launch_dependents_tko : token\n"
    + LOAD.replace("TOKEN", "token=%t"),
}


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("name", RIGHT)
def test_a_token_of_the_wait_orders(name: str, seed: int | None) -> None:
    run(RIGHT[name], seed=seed)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("name", WRONG)
def test_without_it_is_an_error(name: str, seed: int | None) -> None:
    with pytest.raises(InterpError, match="pass the token of gdc_wait_tko on") as got:
        run(WRONG[name], seed=seed)
    assert "byte 0 of argument 0" in str(got.value)
    run(WRONG[name], seed=seed, on="w")
    run(WRONG[name], seed=seed, on="part")
    run(WRONG[name], seed=seed, mode="permissive")
    with pytest.raises(InterpError, match="the preceding grid"):
        run(WRONG[name], seed=seed, on="all")


FLAG = f"""
    %z = constant <i32: 0> : tile<i32>
    %c = cmpi equal %b, %z, signed : tile<i32> -> tile<i1>
    if %c {{
      {WAIT}
      %s = store_ptr_tko RELEASE device %w, %one token=%t : {PTR}, tile<i32> -> token
      yield
    }} else {{
      %st = make_token : token
      %t = loop iter_values(%i = %st) : token -> token {{
        %a, %s = load_ptr_tko ACQUIRE device %w token=%i : {PTR} -> tile<i32>, token
        %d = cmpi equal %a, %one, signed : tile<i32> -> tile<i1>
        if %d {{ break %s : token }}
        continue %s : token
      }}
      {LOAD.replace("TOKEN", "token=%t")}
      yield
    }}
"""


@pytest.mark.parametrize("seed", [None, 1])
def test_the_wait_of_another_block_counts_where_it_is_acquired(
    seed: int | None,
) -> None:
    body = FLAG.replace("RELEASE", "release").replace("ACQUIRE", "acquire")
    run(body, grid=2, seed=seed)
    body = FLAG.replace("RELEASE", "release").replace("ACQUIRE", "relaxed")
    with pytest.raises(InterpError, match="the preceding grid"):
        run(body, grid=2, seed=seed)


def test_what_is_no_array_is_refused() -> None:
    with pytest.raises(UserError, match="expected preceding to hold arrays"):
        run(RIGHT["its token"], on=(3,))
