# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups at level W, against NumPy on the emulator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from emit_from import agree_from, compile_from
from emit_wgmma import Product
from wgmma_rings import RingOfWarpgroups

from cuda_tile import UserError

pytestmark = pytest.mark.sampled(4)


def check(case: Product, seeds: tuple[int, ...] = (0,)) -> str:
    """The PTX, after runs in adversarial mode; ptxas must say nothing."""
    kernel = compile_from(case.text(), "allocate", "sm_90", cubin=True)
    assert kernel.assembled is not None
    assert not kernel.assembled.warnings
    for seed in seeds:
        args = case.args(seed)
        kernel.run((1,), args, seed)
        np.testing.assert_array_equal(args[3], case.expected(args))
    return kernel.ptx


PAIRS = [
    ("f16", "f32"),
    ("f16", "f16"),
    ("bf16", "f32"),
    ("tf32", "f32"),
    ("i8", "i32"),
    ("f8E4M3FN", "f32"),
    ("f8E5M2", "f16"),
]


@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
@pytest.mark.parametrize("from_registers", [False, True])
def test_types(operand: str, accumulator: str, from_registers: bool) -> None:
    case = Product(
        operand=operand, accumulator=accumulator, from_registers=from_registers
    )
    check(case)


@pytest.mark.parametrize("signs", [("signed", "unsigned"), ("unsigned", "signed")])
def test_signs_of_integers(signs: tuple[str, str]) -> None:
    check(Product(operand="i8", accumulator="i32", signs=signs, n=32, columns=32))


@pytest.mark.parametrize("majors", ["kk", "km", "mk", "mm"])
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128, None])
@pytest.mark.parametrize("from_registers", [False, True])
def test_arrangements(majors: str, swizzle: int | None, from_registers: bool) -> None:
    check(Product(majors=majors, swizzle=swizzle, from_registers=from_registers))


@pytest.mark.parametrize(
    ("m", "n", "k", "columns", "groups"),
    [
        (64, 8, 16, 8, (1, 1)),
        (64, 256, 32, 256, (1, 1)),
        (64, 256, 64, 128, (1, 1)),
        (128, 128, 64, 128, (1, 1)),
        (128, 128, 64, 64, (2, 1)),
        (128, 128, 64, 64, (1, 2)),
        (128, 256, 64, 256, (2, 1)),
        (256, 128, 64, 128, (2, 1)),
        (256, 64, 128, 32, (2, 2)),
        (256, 64, 32, 64, (4, 1)),
    ],
)
@pytest.mark.parametrize("majors", ["kk", "mm"])
def test_shapes(
    m: int, n: int, k: int, columns: int, groups: tuple[int, int], majors: str
) -> None:
    if majors == "mm" and n * 2 < 16:
        return
    check(Product(m, n, k, columns=columns, groups=groups, majors=majors))


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("iterations", [0, 1, 3])
@pytest.mark.parametrize("accumulator", ["f32", "f16"])
@pytest.mark.parametrize("from_registers", [False, True])
def test_sums_that_a_loop_carries(
    zero: bool, iterations: int, accumulator: str, from_registers: bool
) -> None:
    case = Product(
        m=128,
        n=128,
        groups=(2, 1),
        columns=128,
        accumulator=accumulator,
        zero=zero,
        iterations=iterations,
        from_registers=from_registers,
    )
    ptx = check(case, seeds=(0, 1))
    assert '.pragma "nounroll"' in ptx


@pytest.mark.parametrize("iterations", [None, 0, 2])
def test_a_zero_costs_no_registers(iterations: int | None) -> None:
    """Where it is needed again and again; a flag says that it is one."""
    ptx = check(Product(zero=True, iterations=iterations, is_repeated=True))
    before = ptx[: ptx.index("wgmma.fence")]
    assert "0f00000000" not in before


def test_products_of_integers_from_a_loop() -> None:
    check(Product(operand="i8", accumulator="i32", iterations=3, zero=True, k=128))


RINGS = [
    RingOfWarpgroups(),
    RingOfWarpgroups(lag=0, slots=3),
    RingOfWarpgroups(tile=(128, 256, 64), columns=256, slots=4),
    RingOfWarpgroups(tile=(256, 128, 64), slots=4),
    RingOfWarpgroups(tile=(64, 128, 32), warps=(4, 1), groups=(1, 1)),
]


@pytest.mark.parametrize("case", RINGS)
def test_operands_from_a_ring(case: RingOfWarpgroups) -> None:
    compiled = case.compiled(cubin=True)
    assert not compiled.report.warnings
    for kernel in compiled.report.kernels:
        assert not kernel.spill_bytes
    m, n, k = case.tile
    for seed, sizes in enumerate([(m, n - 8, 3 * k + 8), (8, 8, 8)]):
        got, expected = case.run(compiled, sizes, mode="adversarial", seed=seed)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("from_registers", [False, True])
@pytest.mark.parametrize(
    ("statement", "by"),
    [
        ("wgmma.fence.sync.aligned;", ""),
        ("wgmma.commit_group.sync.aligned;", ""),
        ("wgmma.wait_group.sync.aligned \t0;", "wgmma.wait_group.sync.aligned 1;"),
        ("fence.proxy.async.shared::cta;", ""),
        ("bar.sync \t0;", ""),
    ],
)
def test_what_products_rest_on_is_noticed(
    statement: str, by: str, from_registers: bool
) -> None:
    """Without a fence, a group, a wait or a barrier the emulator finds a fault."""
    case = Product(iterations=2, from_registers=from_registers)
    kernel = compile_from(case.text(), "allocate", "sm_90")
    assert kernel.ptx.count(statement) == 1
    changed = replace(kernel, ptx=kernel.ptx.replace(statement, by))
    args = case.args()
    with pytest.raises(UserError):
        changed.run((1,), args, 0)


def test_interpreter_and_emulator_agree() -> None:
    for case in (Product(iterations=3), Product(from_registers=True, zero=True, k=32)):
        expected = agree_from(case.text(), "allocate", case.args())
        np.testing.assert_array_equal(expected[3], case.expected(case.args()))
