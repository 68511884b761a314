# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile blocks that talk to each other: flags, locks, tickets; all blocks run together.

Each is right only if what one thread releases or acquires counts for the whole tile
block, and if all threads of a block see the same value of what others write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from access_text import kernel, numbers, pointers
from op_case import Array, OpCase

N = 256
HEAD = (
    numbers((N,))
    + """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %ones = constant <i32: 1> : tile<256xi32>
    %true = constant <i1: true> : tile<i1>
"""
)
TILE = "tile<256xptr<i32>>, tile<256xi32>"


def _wait(test: str, name: str = "seen") -> str:
    """A loop that goes on until `test` defines a true `%ready`; gives its token."""
    return f"""
      %{name} = loop -> token {{
{test}
        if %ready {{
          break %u : token
        }}
        continue
      }}
"""


def _message(scope: str, write: str, read: str) -> str:
    """Block 0 writes a tile and raises a flag; the others wait for it and copy."""
    body = HEAD + pointers("data", "d", "i", (N,), "i32")
    body += f"""
    %size = constant <i32: {N}> : tile<i32>
    %start = muli %bx, %size : tile<i32>
    %mine = offset %out, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
"""
    body += pointers("op", "mine", "i", (N,), "i32")
    reverse = "%last = constant <i32: 255> : tile<256xi32>"
    wait = _wait(read.format(scope=scope))
    return kernel(
        {"d": "i32", "flag": "i32", "out": "i32"},
        f"""{body}
    {reverse}
    %backward = subi %last, %i : tile<256xi32>
    %first = cmpi equal %bx, %zero, signed : tile<i32> -> tile<i1>
    if %first {{
      %t = store_ptr_tko weak %data, %backward : {TILE} -> token
{write.format(scope=scope)}
    }} else {{
{wait}
      %v, %t = load_ptr_tko weak %data token=%seen
        : tile<256xptr<i32>> -> tile<256xi32>, token
      %w = store_ptr_tko weak %op, %v : {TILE} -> token
    }}
""",
    )


STORE = """
      %r = store_ptr_tko release {scope} %flag, %one token=%t
        : tile<ptr<i32>>, tile<i32> -> token
"""
LOAD = """
        %f, %u = load_ptr_tko acquire {scope} %flag : tile<ptr<i32>> -> tile<i32>, token
        %ready = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
"""
ADD = """
      %o, %r = atomic_rmw_tko release {scope} %flag, add, %one token=%t
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
"""
SWAP = """
        %f, %u = atomic_cas_tko acq_rel {scope} %flag, %one, %one
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        %ready = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
"""


def _message_args(rng: np.random.Generator) -> list[Array]:
    del rng
    return [np.zeros(N, np.int32), np.zeros(1, np.int32), np.zeros(3 * N, np.int32)]


def _message_result(args: Any) -> list[Array]:
    backward = np.arange(N, dtype=np.int32)[::-1].copy()
    out = np.concatenate((np.zeros(N, np.int32), backward, backward))
    return [backward, np.ones(1, np.int32), out]


def _lock() -> str:
    """Each block adds to a tile, alone: the lock is an exchange, let go by a store."""
    body = HEAD + pointers("data", "d", "i", (N,), "i32")
    body += """
    %last = constant <i32: 255> : tile<256xi32>
    %backward = subi %last, %i : tile<256xi32>
"""
    body += pointers("other", "d", "backward", (N,), "i32")
    take = """
        %f, %u = atomic_cas_tko acquire device %flag, %zero, %one
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        %ready = cmpi equal %f, %zero, signed : tile<i32> -> tile<i1>
"""
    return kernel(
        {"d": "i32", "flag": "i32"},
        f"""{body}
{_wait(take)}
    %v, %a = load_ptr_tko weak %data token=%seen
      : tile<256xptr<i32>> -> tile<256xi32>, token
    %w = addi %v, %i : tile<256xi32>
    %b = store_ptr_tko weak %other, %w token=%a : {TILE} -> token
    %o, %c = atomic_rmw_tko release device %flag, xchg, %zero token=%b
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
""",
    )


def _lock_result(args: Any) -> list[Array]:
    data = np.zeros(N, np.int32)
    for _ in range(3):
        data = (data + np.arange(N, dtype=np.int32))[::-1].copy()
    return [data, np.zeros(1, np.int32)]


def _last_block() -> str:
    """The block that counts last adds up what all of them wrote."""
    body = (
        HEAD
        + f"""
    %size = constant <i32: {N}> : tile<i32>
    %last = constant <i32: 2> : tile<i32>
    %start = muli %bx, %size : tile<i32>
    %mine = offset %d, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %b_r = reshape %bx : tile<i32> -> tile<1xi32>
    %b_b = broadcast %b_r : tile<1xi32> -> tile<256xi32>
    %v = addi %i, %b_b : tile<256xi32>
    %top = constant <i32: 255> : tile<256xi32>
    %backward = subi %top, %i : tile<256xi32>
"""
    )
    body += pointers("part", "mine", "i", (N,), "i32")
    body += pointers("op", "out", "i", (N,), "i32")
    loads, total = "", "backward"
    for n in range(3):
        offset = f"    %at{n} = constant <i32: {n * N}> : tile<i32>\n"
        loads += (
            offset
            + f"""
      %q{n} = offset %d, %at{n} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
"""
        )
        loads += pointers(f"p{n}", f"q{n}", "backward", (N,), "i32")
        loads += f"""
      %v{n}, %l{n} = load_ptr_tko weak %p{n} token=%u
        : tile<256xptr<i32>> -> tile<256xi32>, token
      %s{n} = addi %{total}, %v{n} : tile<256xi32>
"""
        total = f"s{n}"
    return kernel(
        {"d": "i32", "flag": "i32", "out": "i32"},
        f"""{body}
    %t = store_ptr_tko weak %part, %v : {TILE} -> token
    %f, %u = atomic_rmw_tko acq_rel device %flag, add, %one token=%t
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %is_last = cmpi equal %f, %last, signed : tile<i32> -> tile<i1>
    if %is_last {{
{loads}
      %w = store_ptr_tko weak %op, %{total} : {TILE} -> token
    }}
""",
    )


def _last_args(rng: np.random.Generator) -> list[Array]:
    del rng
    return [np.zeros(3 * N, np.int32), np.zeros(1, np.int32), np.zeros(N, np.int32)]


def _last_result(args: Any) -> list[Array]:
    i = np.arange(N, dtype=np.int32)
    parts = np.concatenate([i + block for block in range(3)])
    backward = i[::-1]
    return [parts, np.full(1, 3, np.int32), backward + 3 * backward + 3]


def _rows() -> str:
    """A tile of flags: block 0 releases each, the other waits until all are up."""
    body = HEAD + pointers("data", "d", "i", (N,), "i32")
    body += pointers("flags", "flag", "i", (N,), "i32")
    body += pointers("op", "out", "i", (N,), "i32")
    test = """
        %f, %u = load_ptr_tko acquire device %flags
          : tile<256xptr<i32>> -> tile<256xi32>, token
        %least = reduce %f dim=0 identities=[0x7fffffff : i32]
          : tile<256xi32> -> tile<i32>
          (%x: tile<i32>, %y: tile<i32>) {
            %m = mini %x, %y signed : tile<i32>
            yield %m : tile<i32>
          }
        %ready = cmpi equal %least, %one, signed : tile<i32> -> tile<i1>
"""
    return kernel(
        {"d": "i32", "flag": "i32", "out": "i32"},
        f"""{body}
    %last = constant <i32: 255> : tile<256xi32>
    %backward = subi %last, %i : tile<256xi32>
    %first = cmpi equal %bx, %zero, signed : tile<i32> -> tile<i1>
    if %first {{
      %t = store_ptr_tko weak %data, %backward : {TILE} -> token
      %r = store_ptr_tko release device %flags, %ones token=%t : {TILE} -> token
    }} else {{
{_wait(test)}
      %v, %t = load_ptr_tko weak %data token=%seen
        : tile<256xptr<i32>> -> tile<256xi32>, token
      %w = store_ptr_tko weak %op, %v : {TILE} -> token
    }}
""",
    )


def _rows_args(rng: np.random.Generator) -> list[Array]:
    del rng
    return [np.zeros(N, np.int32) for _ in range(3)]


def _rows_result(args: Any) -> list[Array]:
    backward = np.arange(N, dtype=np.int32)[::-1].copy()
    return [backward, np.ones(N, np.int32), backward]


FEW = """
    %thirty_two = constant <i32: 32> : tile<256xi32>
    %few = cmpi less_than %i, %thirty_two, signed : tile<256xi32> -> tile<256xi1>
    %many = cmpi greater_than_or_equal %i, %thirty_two, signed
      : tile<256xi32> -> tile<256xi1>
    %none = constant <i32: 0> : tile<256xi32>
    %last = constant <i32: 255> : tile<256xi32>
    %backward = subi %last, %i : tile<256xi32>
"""


def _few_acquire() -> str:
    """Of a tile of flags some elements are acquired; every thread relies on them."""
    body = HEAD + FEW + pointers("data", "d", "i", (N,), "i32")
    body += pointers("other", "d", "backward", (N,), "i32")
    body += pointers("flags", "flag", "i", (N,), "i32")
    body += pointers("op", "out", "i", (N,), "i32")
    relaxed = LOAD.format(scope="device").replace("acquire", "relaxed")
    return kernel(
        {"d": "i32", "flag": "i32", "out": "i32"},
        f"""{body}
    %first = cmpi equal %bx, %zero, signed : tile<i32> -> tile<i1>
    if %first {{
      %t = store_ptr_tko weak %data, %backward : {TILE} -> token
      %r = store_ptr_tko release device %flags, %ones token=%t : {TILE} -> token
    }} else {{
{_wait(relaxed)}
      %g, %a = load_ptr_tko acquire device %flags, %few, %none token=%seen
        : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
      %v, %t = load_ptr_tko weak %other token=%a
        : tile<256xptr<i32>> -> tile<256xi32>, token
      %w = store_ptr_tko weak %op, %v : {TILE} -> token
    }}
""",
    )


def _few_release() -> str:
    """Some elements of a tile are stored again, which releases all the others."""
    body = HEAD + FEW + pointers("data", "d", "i", (N,), "i32")
    body += pointers("op", "out", "i", (N,), "i32")
    wait = _wait(LOAD.format(scope="device").replace("%flag", "%d"))
    return kernel(
        {"d": "i32", "out": "i32"},
        f"""{body}
    %first = cmpi equal %bx, %zero, signed : tile<i32> -> tile<i1>
    if %first {{
      %t = store_ptr_tko weak %data, %backward, %many
        : {TILE}, tile<256xi1> -> token
      %r = store_ptr_tko release device %data, %ones, %few token=%t
        : {TILE}, tile<256xi1> -> token
    }} else {{
{wait}
      %v, %t = load_ptr_tko weak %data, %many, %none token=%seen
        : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
      %w = store_ptr_tko weak %op, %v : {TILE} -> token
    }}
""",
    )


def _few_released(args: Any) -> list[Array]:
    backward = np.arange(N, dtype=np.int32)[::-1].copy()
    data, out = backward.copy(), backward.copy()
    data[:32], out[:32] = 1, 0
    return [data, out]


def _case(name: str, text: str, args: Any, result: Any, blocks: int = 3) -> OpCase:
    return OpCase(
        name,
        text,
        args,
        grid=(blocks,),
        num_warps=4,
        seeds=(0, 1, 2),
        cooperative=True,
        numpy=result,
    )


CASES = [
    *(
        _case(
            f"message-{scope}-{name}",
            _message(scope, write, read),
            _message_args,
            _message_result,
        )
        for scope in ("device", "sys")
        for name, write, read in (("plain", STORE, LOAD), ("atomic", ADD, SWAP))
    ),
    _case(
        "lock",
        _lock(),
        lambda rng: [np.zeros(N, np.int32), np.zeros(1, np.int32)],
        _lock_result,
    ),
    _case("last-block", _last_block(), _last_args, _last_result),
    _case("rows-of-flags", _rows(), _rows_args, _rows_result, blocks=2),
    _case(
        "few-acquire",
        _few_acquire(),
        _rows_args,
        lambda args: [*_rows_result(args)[:2], np.arange(N, dtype=np.int32)],
        blocks=2,
    ),
    _case(
        "few-release",
        _few_release(),
        lambda rng: [np.zeros(N, np.int32) for _ in range(2)],
        _few_released,
        blocks=2,
    ),
]
