# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a few ops on given tiles: text around them, memory in and out."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile.interp import RULES, Op, Program
from cuda_tile.interp.program import Block, Entry, TileType
from cuda_tile.runtime.elements import element

NAMES = {
    np.dtype(np.bool_): "i1",
    np.dtype(np.int8): "i8",
    np.dtype(np.int16): "i16",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(ml_dtypes.float8_e4m3fn): "f8E4M3FN",
    np.dtype(ml_dtypes.float8_e5m2): "f8E5M2",
    np.dtype(ml_dtypes.float8_e8m0fnu): "f8E8M0FNU",
    np.dtype(ml_dtypes.float4_e2m1fn): "f4E2M1FN",
}
DTYPES: dict[str, Any] = {name: dtype for dtype, name in NAMES.items()} | {
    "tf32": np.dtype(np.float32)
}
CONTEXT = ir.Context()


def parse(text: str) -> ir.Module:
    """Parses a module in the one context of the tests."""
    return ir.Module.parse(text, CONTEXT)


def kernel(parameters: str, body: str, before: str = "") -> ir.Module:
    """A module with one entry `k`."""
    return parse(
        f"{before}\ncuda_tile.module @m {{ entry @k({parameters}) {{\n"
        f"{body}\nreturn\n}} }}"
    )


def tile(shape: tuple[int, ...], name: str) -> str:
    """The text of a tile type."""
    return f"tile<{''.join(f'{size}x' for size in shape)}{name}>"


def _pointers(name: str, count: int, element: str) -> str:
    return f"""
      %{name}_one = reshape %{name}_p : tile<ptr<{element}>> -> tile<1xptr<{element}>>
      %{name}_all = broadcast %{name}_one
        : tile<1xptr<{element}>> -> tile<{count}xptr<{element}>>
      %{name}_i = iota : tile<{count}xi32>
      %{name}_at = offset %{name}_all, %{name}_i
        : tile<{count}xptr<{element}>>, tile<{count}xi32>
        -> tile<{count}xptr<{element}>>
    """


def _load(name: str, shape: tuple[int, ...], element: str) -> str:
    count = int(np.prod(shape))
    return (
        _pointers(name, count, element)
        + f"""
      %{name}_flat, %{name}_t = load_ptr_tko weak %{name}_at
        : tile<{count}xptr<{element}>> -> tile<{count}x{element}>, token
      %{name} = reshape %{name}_flat
        : tile<{count}x{element}> -> {tile(shape, element)}
    """
    )


def _store(name: str, shape: tuple[int, ...], element: str) -> str:
    count = int(np.prod(shape))
    return (
        _pointers("out_" + name, count, element)
        + f"""
      %{name}_out = reshape %{name} : {tile(shape, element)} -> tile<{count}x{element}>
      %{name}_done = store_ptr_tko weak %out_{name}_at, %{name}_out
        : tile<{count}xptr<{element}>>, tile<{count}x{element}> -> token
    """
    )


def evaluate(
    body: str,
    results: dict[str, tuple[tuple[int, ...], str]],
    names: dict[str, str] | None = None,
    *,
    before: str = "",
    options: dict[str, Any] | None = None,
    **inputs: Any,
) -> Any:
    """Runs `body` on tiles.

    Args:
        body: Ops that use `%NAME` of the inputs and define `%NAME` of the results.
        results: Shape and element type of each result.
        names: Element types of inputs that the dtype does not tell (tf32).
        before: Text in front of the module.
        options: Further arguments of `interp.run`.
        inputs: The tiles.

    Returns:
        The result, or a tuple of them.
    """
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    kinds = {name: NAMES[array.dtype] for name, array in arrays.items()} | (names or {})
    text = "".join(_load(n, a.shape, kinds[n]) for n, a in arrays.items())
    text += body
    text += "".join(_store(n, shape, kind) for n, (shape, kind) in results.items())
    parameters = [f"%{n}_p: tile<ptr<{kinds[n]}>>" for n in arrays]
    parameters += [f"%out_{n}_p: tile<ptr<{k}>>" for n, (_, k) in results.items()]
    outputs = [np.zeros(shape, DTYPES[kind]) for shape, kind in results.values()]
    module = kernel(", ".join(parameters), text, before)
    args = [np.ascontiguousarray(array) for array in arrays.values()] + outputs
    interp.run(module, grid=(1,), args=args, **(options or {}))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def binary(op: str, lhs: Any, rhs: Any, suffix: str = "", **options: Any) -> Any:
    """Runs `%r = OP %a, %b SUFFIX : TYPE`."""
    a, b = np.asarray(lhs), np.asarray(rhs)
    kind = NAMES[a.dtype]
    body = f"%r = {op} %a, %b {suffix} : {tile(a.shape, kind)}"
    return evaluate(body, {"r": (a.shape, kind)}, a=a, b=b, options=options)


def unary(op: str, source: Any, suffix: str = "", **options: Any) -> Any:
    """Runs `%r = OP %a SUFFIX : TYPE`."""
    a = np.asarray(source)
    kind = NAMES[a.dtype]
    body = f"%r = {op} %a {suffix} : {tile(a.shape, kind)}"
    return evaluate(body, {"r": (a.shape, kind)}, a=a, options=options)


def op(
    name: str,
    operands: tuple[int, ...] = (),
    results: tuple[int, ...] = (),
    kinds: tuple[TileType, ...] = (),
    regions: tuple[Block | None, ...] = (),
    **attributes: Any,
) -> Op:
    """A decoded op; `kinds` are the types of the operands, then of the results."""
    return Op(
        name=name,
        operands=operands,
        results=results,
        operand_types=kinds[: len(operands)],
        result_types=kinds[len(operands) :],
        attributes=attributes,
        regions=regions,
        rule=RULES[name],
    )


def scalar_type(kind: str) -> TileType:
    """The type of a 0-d tile."""
    return TileType((), element(kind))


def run_ops(
    arguments: tuple[Any, ...], ops: tuple[Op, ...], slots: int, **options: Any
) -> list[Any]:
    """Runs decoded ops on arguments in slots 0, 1, ...; gives the slots' values."""
    types = tuple(TileType((), element(NAMES[a.dtype])) for a in arguments)
    body = Block(tuple(range(len(arguments))), ops)
    program = Program({"k": Entry("k", types, body, slots)})
    values: list[Any] = [None] * slots

    def keep(done: Op, results: tuple[Any, ...]) -> None:
        for slot, value in zip(done.results, results, strict=True):
            values[slot] = value

    args = [a[()] for a in arguments]
    interp.run(program, grid=(1,), args=args, trace=keep, **options)
    return values


def function(name: str, source: Any, **attributes: Any) -> Any:
    """One unary op on a tile, without text around it."""
    a = np.asarray(source)
    kind = TileType(a.shape, element(NAMES[a.dtype]))
    values = run_ops(
        (),
        (
            op("constant", (), (0,), (kind,), value=a),
            op(name, (0,), (1,), (kind, kind), **attributes),
            op("return"),
        ),
        2,
    )
    return values[1]


def bits(values: Any) -> Any:
    """The bits of floats as unsigned integers."""
    array = np.asarray(values)
    return array.view(f"u{array.dtype.itemsize}")


def same_bits(got: Any, expected: Any) -> None:
    """Equal bit for bit, except that any NaN equals any NaN."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    nan = np.isnan(got.astype(np.float64))
    np.testing.assert_array_equal(nan, np.isnan(expected.astype(np.float64)))
    np.testing.assert_array_equal(bits(got)[~nan], bits(expected)[~nan])
