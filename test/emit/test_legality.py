# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user's step after `emit` leaves is refused or translated, and never fatal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from real_kernels import kernel_path

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported, UserError

USED = (
    '"llvm.inline_asm"(%r) <{asm_string = "// $0", constraints = "f", '
    "has_side_effects, asm_dialect = 0 : i64, operand_attrs = []}> : (f32) -> ()"
)
ONE = '%c = "llvm.mlir.constant"() <{value = 1.0 : f32}> : () -> f32\n'
ASM = (
    '"llvm.inline_asm"() <{{asm_string = "{}", constraints = "{}", has_side_effects, '
    "asm_dialect = 0 : i64}}> : () -> {}"
)


def adds(text: str) -> Callable[[ir.Operation], None]:
    """A step that puts operations at the head of the first kernel's body."""

    def step(module: ir.Operation) -> None:
        with module.context, ir.Location.unknown():
            kernel = module.regions[0].blocks[0].operations[0].regions[0].blocks[0]
            func = next(o for o in kernel.operations if o.operation.name == "llvm.func")
            first = func.regions[0].blocks[1].operations[0]
            holder = ir.Module.parse(
                '"llvm.func"() <{function_type = !llvm.func<void ()>, sym_name = "f", '
                "CConv = #llvm.cconv<ccc>, linkage = #llvm.linkage<external>}> ({\n"
                f'{text}\n"llvm.return"() : () -> ()\n}}) : () -> ()'
            )
            body = holder.body.operations[0].regions[0].blocks[0]
            for op in list(body.operations)[:-1]:
                op.operation.move_before(first.operation)

    return step


def compile_with(text: str, gpu: str = "sm_90") -> str:
    module = cuda_tile.load(kernel_path("vadd_f32_1024"))
    return cuda_tile.compile(module, gpu, after={"emit": adds(text)}, cubin=False).ptx


def refused(text: str, match: str, gpu: str = "sm_90") -> None:
    with pytest.raises(UserError, match=match) as caught:
        compile_with(text, gpu)
    assert caught.value.location is not None
    assert "-:" in caught.value.location


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('%c = "llvm.mlir.constant"() <{value = 1.0 : f128}> : () -> f128', "got f128"),
        ('%c = "llvm.mlir.poison"() : () -> vector<[4]xf32>', r"got vector<\[4\]xf32>"),
        ('%c = "llvm.mlir.poison"() : () -> !llvm.ptr<9>', "got !llvm.ptr<9>"),
        ('%c = "arith.constant"() <{value = 1 : i32}> : () -> i32', "'arith.constant'"),
    ],
)
def test_no_form_in_llvm(text: str, match: str) -> None:
    refused(text, match)


def test_a_type_inside_an_attribute() -> None:
    size = '%n = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32\n'
    text = '%p = "llvm.alloca"(%n) <{elem_type = vector<[4]xf32>}> : (i32) -> !llvm.ptr'
    refused(size + text, r"vector<\[4\]xf32>")


def test_an_instruction_of_a_later_chip() -> None:
    text = '"nvvm.cluster.wait"() : () -> ()'
    refused(text, r"'nvvm.cluster.wait' needs sm_90 or later, got sm_80", "sm_80")
    assert "barrier.cluster.wait" in compile_with(text)


def test_an_instruction_of_one_chip_alone() -> None:
    text = '"nvvm.wgmma.fence.aligned"() : () -> ()'
    assert "wgmma.fence" in compile_with(text, "sm_90")
    for gpu in ("sm_100a", "sm_120f"):
        with pytest.raises(Unsupported, match=f"needs sm_90a, got {gpu} with PTX"):
            compile_with(text, gpu)


def test_an_instruction_of_a_family() -> None:
    text = f"""{ONE}%m = "llvm.mlir.constant"() <{{value = -1 : i32}}> : () -> i32
      %r = "nvvm.redux.sync"(%c, %m) <{{kind = #nvvm<redux_kind fmax>}}>
        : (f32, i32) -> f32\n{USED}"""
    for gpu in ("sm_100", "sm_100f", "sm_103"):
        assert "redux.sync.max.f32" in compile_with(text, gpu)
    for gpu in ("sm_110", "sm_120"):
        with pytest.raises(Unsupported, match=f"needs sm_100a, .*, got {gpu}a"):
            compile_with(text, gpu)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (ASM.format("add $9;", "", "()"), "Invalid .* operand number"),
        ("%r = " + ASM.format("mov $0, 1;", "=x", "i32"), "for constraint 'x'"),
        ('"llvm.fence"() <{ordering = 7 : i64, syncscope = "odd"}> : () -> ()', "odd"),
        (
            f"{ONE}%m = "
            '"llvm.mlir.constant"() <{value = -1 : i32}> : () -> i32\n'
            '%r = "llvm.call_intrinsic"(%c, %m) <{intrin = "llvm.nvvm.redux.sync.fmax",'
            " op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}> "
            f": (f32, i32) -> f32\n{USED}",
            "Cannot select",
        ),
        (
            '"llvm.call_intrinsic"() <{intrin = "llvm.nvvm.no", op_bundle_sizes = '
            "array<i32>, operandSegmentSizes = array<i32: 0, 0>}> : () -> ()",
            "could not find LLVM intrinsic",
        ),
    ],
)
def test_what_llvm_would_end_the_process_on(text: str, match: str) -> None:
    refused(text, f"which emit never makes: .*(\n.*)*{match}")


def test_what_emission_never_makes_is_translated_all_the_same() -> None:
    text = f'{ONE}%r = "llvm.intr.sqrt"(%c) : (f32) -> f32\n{USED}'
    assert "//" in compile_with(text)
    fence = ASM.format("membar.gl;", "", "()")
    assert "membar.gl;" in compile_with(fence)
