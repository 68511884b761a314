# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel arguments: Python forms, checks against parameters, command lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cuda_tile.errors import UserError
from cuda_tile.runtime.arg_text import parse_arg
from cuda_tile.runtime.args import (
    PointerTable,
    array_args,
    bind_args,
    list_args,
)
from cuda_tile.runtime.spread import bind_named, naming, spread_args


def test_array_args_are_pointer_shape_strides() -> None:
    array = np.zeros((4, 6), np.float32)[:, ::2]
    pointer, *numbers = array_args(array)
    assert pointer is array
    assert numbers == [4, 3, 6, 2]
    assert all(type(number) is np.int32 for number in numbers)


def test_array_args_64_bit() -> None:
    assert all(type(n) is np.int64 for n in array_args(np.zeros(3), 64)[1:])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(4)[::-1], "not negative"),
        (np.zeros(4, "f4,i1")["f0"], "multiples of the 4-byte element"),
        (np.broadcast_to(np.float32(0), (2**31,)), "index_bits=64"),
    ],
)
def test_array_args_refuse(array: np.ndarray, message: str) -> None:
    with pytest.raises(UserError, match=message):
        array_args(array)


def test_array_args_refuse_other_widths() -> None:
    with pytest.raises(UserError, match="32 or 64, got 16"):
        array_args(np.zeros(2), 16)


def test_list_args_make_a_pointer_table() -> None:
    a, b = np.zeros((2, 3), np.float16), np.ones((4, 5), np.float16)[:, 1:]
    table, length = list_args([a, b])
    assert isinstance(table, PointerTable)
    assert type(length) is np.int32
    assert length == 2
    assert table.tolist() == [a.ctypes.data, 2, 3, 3, 1, b.ctypes.data, 4, 4, 5, 1]
    assert [id(x) for x in table.targets] == [id(a), id(b)]
    assert table.words_per_array == 5


def test_list_args_refuse_mixed_and_empty_lists() -> None:
    with pytest.raises(UserError, match="at least one"):
        list_args([])
    with pytest.raises(UserError, match="one rank and type"):
        list_args([np.zeros(2), np.zeros((2, 2))])


def test_bind_gives_exact_types() -> None:
    array = np.zeros(3, ml_dtypes.bfloat16)
    types = ["ptr<bf16>", "i32", "i64", "i8", "i1", "f32", "f16", "ptr<f32>"]
    bound = bind_args(types, [array, 7, 2**40, 255, True, 0.5, 2, None], "k")
    assert bound[0] is array
    assert bound[-1] is None
    kinds = [np.int32, np.int64, np.int8, np.bool_, np.float32, np.float16]
    assert [type(value) for value in bound[1:-1]] == kinds
    assert bound[3] == -1


def test_bind_takes_unsigned_arrays_for_signless_integers() -> None:
    array = np.zeros(3, np.uint32)
    assert bind_args(["ptr<i32>"], [array])[0] is array


@pytest.mark.parametrize(
    ("parameter", "arg", "message"),
    [
        (
            "ptr<f16>",
            np.zeros(2, np.float32),
            "array of f16 .* got an array of float32",
        ),
        ("ptr<f16>", 3, "array of f16 for ptr<f16>, got 3 of type int"),
        ("ptr<i1>", np.zeros(2, np.uint8), "array of i1"),
        ("ptr<f32>", np.zeros(2, ">f4"), "array of f32"),
        ("i32", 2**32, "from -2147483648 to 4294967295 for i32, got 4294967296"),
        ("i32", 1.5, "an integer for i32, got 1.5 of type float"),
        ("i32", np.zeros(2, np.int32), "an integer for i32, got an array of int32"),
        ("f32", np.zeros(2, np.float32), "a number for f32, got an array"),
        ("f32", "x", "a number for f32, got 'x'"),
        ("i1", 2, "from -1 to 1 for i1, got 2"),
    ],
)
def test_bind_refuses(parameter: str, arg: object, message: str) -> None:
    with pytest.raises(UserError, match=rf"^k: parameter 1: expected .*{message}"):
        bind_args(["i32", parameter], [0, arg], "k")  # type: ignore[list-item]


def test_bind_counts() -> None:
    with pytest.raises(UserError, match=r"k: expected 2 arguments \(i32, i64\), got 1"):
        bind_args(["i32", "i64"], [1], "k")


def test_spread_fills_in_shapes_and_strides() -> None:
    array = np.zeros((2, 3), np.float32)
    types = ["ptr<f32>", "i32", "i32", "i32", "i32", "f32"]
    assert spread_args("k", types, [array, 1.5])[1:] == [2, 3, 3, 1, 1.5]
    wide = ["ptr<f32>", *["i64"] * 4, "f32"]
    assert type(spread_args("k", wide, [array, 1.5])[1]) is np.int64
    assert spread_args("k", ["ptr<f32>"], [array]) == [array]
    with pytest.raises(UserError, match=r"argument 0: float32\[2,3\] becomes pointer,"):
        spread_args("k", types, [array])


PAIR = ["ptr<f32>", *["i32"] * 4] * 2
WIDE, TALL = np.zeros((64, 128), np.float32), np.zeros((128, 64), np.float32)
TWO_DIMENSIONS = "expected an array of 2 dimensions for parameters"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            [WIDE[None], TALL],
            r"argument 0: float32\[1,64,128\] becomes pointer, 3 extents, 3 strides; "
            rf"{TWO_DIMENSIONS} 0 to 4 \(ptr<f32>, i32, i32, i32, i32\), got one of 3",
        ),
        ([WIDE, TALL[0]], rf"argument 1: float32\[64\] .*{TWO_DIMENSIONS} 5 to 9"),
        (
            [*array_args(WIDE), *array_args(TALL[0])],
            rf"argument 5: float32\[64\] .*{TWO_DIMENSIONS} 5 to 9",
        ),
        (
            [*array_args(WIDE[None]), *array_args(TALL)],
            rf"argument 0: float32\[1,64,128\] .*{TWO_DIMENSIONS} 0 to 4",
        ),
        ([WIDE[None], TALL[0]], "argument 0: .* got one of 3"),  # as many parameters
        ([WIDE, 3, TALL], "argument 1: int becomes 1 parameter; expected 10"),
        ([None, TALL], "argument 1: .*; expected 10 parameters, got 6 of 2"),
    ],
)
def test_an_array_of_another_rank_is_named(args: list[Any], said: str) -> None:
    with pytest.raises(UserError, match=f"^k: {said}"):
        spread_args("k", PAIR, args)


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (PAIR, "; arrays f32[?,?] f32[?,?] would fit"),
        (["ptr<f16>", "i64", "i64"], "; arrays f16[?] would fit"),
        (["ptr<f32>", "ptr<f32>", "i32"], " are missing"),
        (["i32", "ptr<f32>", "i32", "i32"], " are missing"),
    ],
)
def test_the_arrays_that_would_fit_are_named(types: list[str], said: str) -> None:
    with pytest.raises(UserError) as caught:
        spread_args("k", types, [])
    assert caught.value.message.endswith(said)


@pytest.mark.parametrize(
    ("types", "args", "said"),
    [
        (
            2,
            1,
            "expected 2 arguments, one for each parameter, got 1; argument 1, a ptr",
        ),
        (2, 3, "expected 2 arguments, one for each parameter, got 3$"),
        (1, 2, "expected 1 argument, one for each parameter, got 2$"),
    ],
)
def test_arguments_are_counted_where_no_shape_is_taken(
    types: int, args: int, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        spread_args("k", ["ptr<f32>"] * types, [np.zeros(4, "f4")] * args)


def test_numbers_behind_an_array_do_not_count_as_its_extents() -> None:
    types = ["f32", "ptr<f32>", "i32", "i32", "i64", "ptr<f32>", "i32", "i32", "f32"]
    line = WIDE[0]
    assert len(spread_args("k", types, [1.5, line, 7, line, 2.0])) == len(types)
    with pytest.raises(
        UserError, match=r"argument 1: .* of 1 dimension for parameters"
    ):
        spread_args("k", types, [1.5, WIDE, 7, line, 2.0])


def test_errors_name_what_was_passed() -> None:
    _, names = bind_named("k", PAIR, [WIDE, TALL])
    error = UserError(
        "argument 0, argument 3 and argument 5 are wrong, argument 99 too"
    )
    with pytest.raises(UserError) as raised, naming(names):
        raise error
    assert raised.value.__notes__ == [
        "argument 3 of the kernel is stride 0 of argument 0 that was passed, "
        "float32[64,128]",
        "argument 5 of the kernel is argument 1 that was passed, float32[128,64]",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-7", -7),
        ("0x1f", 31),
        ("1.5", 1.5),
        ("1e-3", 1e-3),
        ("inf", float("inf")),
        ("true", True),
        ("False", False),
    ],
)
def test_parse_numbers(text: str, value: float) -> None:
    parsed = parse_arg(text).value
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zeros:f16[2,3]", np.zeros((2, 3), np.float16)),
        ("ones:bf16[4]", np.ones(4, ml_dtypes.bfloat16)),
        ("ones:i1[2]", np.ones(2, np.bool_)),
        ("arange:i32[2,2]", np.array([[0, 1], [2, 3]], np.int32)),
        ("arange:i8[300]", np.arange(300).astype(np.int8)),
        ("zeros:f32[]", np.zeros((), np.float32)),
        ("zeros:tf32[2]", np.zeros(2, np.float32)),
        ("zeros:f8E4M3FN[2]", np.zeros(2, ml_dtypes.float8_e4m3fn)),
    ],
)
def test_parse_arrays(text: str, expected: np.ndarray) -> None:
    array = np.asarray(parse_arg(text).value)
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_parse_randn_is_seeded() -> None:
    first, again = (np.asarray(parse_arg("randn:f32[64],7").value) for _ in "ab")
    other = np.asarray(parse_arg("randn:f32[64]").value)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    integers = np.asarray(parse_arg("randn:i8[64],1").value)
    assert len(np.unique(integers)) > 4


def test_parse_files(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    values = np.arange(4, dtype=np.float32).astype(ml_dtypes.bfloat16)
    np.save(path, values)
    with pytest.raises(UserError, match="raw 2-byte elements"):
        parse_arg(str(path))
    array = np.asarray(parse_arg(f"{path}:bf16").value)
    np.testing.assert_array_equal(array, values)
    with pytest.raises(UserError, match="expected elements of 4 bytes for f32"):
        parse_arg(f"{path}:f32")
    with pytest.raises(UserError, match="cannot read"):
        parse_arg(str(tmp_path / "none.npy"))


def test_parse_out_names_a_file(tmp_path: Path) -> None:
    path = tmp_path / "y.npy"
    parsed = parse_arg(f"out:{path}:f32[3]")
    assert parsed.save_path == path
    assert np.asarray(parsed.value).tolist() == [0, 0, 0]
    assert not path.exists()
    filled = parse_arg(f"out:{path}:ones:i32[2]")
    assert np.asarray(filled.value).tolist() == [1, 1]
    np.save(path, np.arange(3))
    from_file = parse_arg(f"out:{tmp_path / 'z.npy'}:{path}")
    assert np.asarray(from_file.value).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "zeros",
        "zeros:f32",
        "zeros:f32[a]",
        "zeros:q7[4]",
        "zeros:f32[4],3",
        "randn:f32[4],x",
        "out:y.npy",
        "out:y.npy:nothing",
        "out:f32[4]",
    ],
)
def test_parse_refuses(text: str) -> None:
    with pytest.raises(UserError, match="expected"):
        parse_arg(text)


def test_a_table_of_arrays(tmp_path: Path) -> None:
    arrays = [np.arange(n, n + 6, dtype=np.float32) for n in range(2)]
    np.save(tmp_path / "t.npy", np.array([[0, 6, 1]] * 2))
    for number, array in enumerate(arrays):
        np.save(tmp_path / f"t.{number}.npy", array)
    arg = parse_arg(f"out:{tmp_path}/r.npy:table:{tmp_path}/t.npy")
    table = arg.value
    assert isinstance(table, PointerTable)
    assert table.words_per_array == 3
    for number, target in enumerate(table.targets):
        assert table[3 * number] == target.ctypes.data
        assert (target == arrays[number]).all()
    names = [path.name for path, _ in arg.saved]
    assert names == ["r.0.npy", "r.1.npy"]
    np.save(tmp_path / "t.npy", np.zeros(3))
    with pytest.raises(UserError, match=r"expected a table, int64.*got float64\[3\]"):
        parse_arg(f"table:{tmp_path}/t.npy")
    np.save(tmp_path / "t.npy", np.zeros((3, 3), np.int64))
    with pytest.raises(UserError, match=r"cannot read '.*t\.2\.npy': No such file"):
        parse_arg(f"table:{tmp_path}/t.npy")
