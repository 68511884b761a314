# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension module: passes in Python, PTX, and what is loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.errors import UserError

TWO_FUNCTIONS = """
func.func @f(%a: i32) -> i32 { return %a : i32 }
func.func @g(%a: i32) -> i32 { return %a : i32 }
"""

KERNEL = """
gpu.module @kernels {
  llvm.func @store(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
    llvm.store %x, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
"""


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context, ir.Location.unknown():
        yield context


def run(pipeline: str) -> ir.Module:
    module = ir.Module.parse(TWO_FUNCTIONS)
    PassManager.parse(pipeline).run(module.operation)
    return module


def subprocess_output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_one_libllvm_and_one_libmlir_are_loaded():
    maps = Path("/proc/self/maps").read_text()
    loaded = {line.rsplit(maxsplit=1)[-1] for line in maps.splitlines()}
    names = sorted(Path(name).name for name in loaded if name.startswith("/"))
    assert [name for name in names if name.startswith(("libLLVM", "libMLIR."))] == [
        "libLLVM.so.22.1",
        "libMLIR.so.22.1",
    ]


def test_import_takes_less_than_300_ms():
    program = (
        "import time; start = time.process_time(); import cuda_tile; "
        "import cuda_tile._mlir.ir; print(time.process_time() - start)"
    )
    times = [float(subprocess_output(sys.executable, "-c", program)) for _ in range(3)]
    assert min(times) < 0.3


def test_pass_gets_the_operation_and_its_options():
    calls: list[tuple[str, dict[str, str]]] = []
    options = [("depth", "2", "how deep"), ("mode", "fast", "which way")]
    _cuda_tile.register_pass(
        "test-options", "", options, lambda op, values: calls.append((op.name, values))
    )
    run("builtin.module(test-options{depth=7}, func.func(test-options))")
    assert calls == [
        ("builtin.module", {"depth": "7", "mode": "fast"}),
        ("func.func", {"depth": "2", "mode": "fast"}),
        ("func.func", {"depth": "2", "mode": "fast"}),
    ]


def test_pass_runs_inside_its_context():
    def add_function(op: ir.Operation, options: dict[str, str]) -> None:
        with ir.Location.unknown():
            function = ir.Operation.parse("func.func private @added()")
        op.regions[0].blocks[0].append(function)

    _cuda_tile.register_pass("test-append", "", [], add_function)
    assert "@added" in str(run("builtin.module(test-append, canonicalize)"))


def test_exception_of_a_pass_comes_out_of_run():
    def fail(op: ir.Operation, options: dict[str, str]) -> None:
        raise UserError("expected two, got one", "k.py:3")

    _cuda_tile.register_pass("test-fail", "", [], fail)
    with pytest.raises(UserError, match=r"k.py:3: expected two, got one") as caught:
        run("builtin.module(test-fail)")
    assert isinstance(caught.value.__cause__, ir.MLIRError)
    assert _cuda_tile.take_pass_exception() is None


def test_failure_of_a_cpp_pass_is_an_mlir_error():
    with pytest.raises(ir.MLIRError):
        run("builtin.module(func.func(inline))")


def test_second_pass_of_a_name_is_refused():
    with pytest.raises(ValueError, match="expected a new pass name, got 'cse'"):
        _cuda_tile.register_pass("cse", "", [], lambda op, options: None)


def test_ptx_of_a_module_and_of_its_gpu_module():
    module = ir.Module.parse(KERNEL)
    from_module = _cuda_tile.translate_to_ptx(module, "sm_90", "+ptx88")
    inner = module.body.operations[0]
    assert from_module == _cuda_tile.translate_to_ptx(inner, "sm_90", "+ptx88")
    assert ".version 8.8" in from_module
    assert ".target sm_90" in from_module
    assert "st.global.b32" in from_module


@pytest.mark.parametrize(
    ("chip", "features", "message"),
    [
        ("sm_7", "", "expected a chip that LLVM's NVPTX target knows, got 'sm_7'"),
        ("sm_90", "ptx88", "got 'ptx88'"),
        ("sm_90", "+ptx10", r"got '\+ptx10'"),
    ],
)
def test_unknown_targets_are_errors(chip: str, features: str, message: str):
    with pytest.raises(ir.MLIRError, match=message):
        _cuda_tile.translate_to_ptx(ir.Module.parse(KERNEL), chip, features)


def test_ops_without_translation_are_errors():
    module = ir.Module.parse(
        "gpu.module @m { func.func @f() { return } }",
    )
    with pytest.raises(ir.MLIRError, match="cannot be converted to LLVM IR"):
        _cuda_tile.translate_to_llvmir(module)


def test_llvm_ir():
    assert "define ptx_kernel void @store" in _cuda_tile.translate_to_llvmir(
        ir.Module.parse(KERNEL)
    )


def test_operation_argument_is_checked():
    with pytest.raises(TypeError, match=r"expected ir.Module.*got <class 'int'>"):
        _cuda_tile.translate_to_llvmir(3)


def test_tracebacks_are_locations_of_python():
    """Names, lines and columns of the calls, asked of Python by its attributes."""

    def make() -> ir.Operation:
        return ir.Operation.create("builtin.unrealized_conversion_cast", results=[])

    with ir.loc_tracebacks(max_depth=2):
        made = make()
    line = make.__code__.co_firstlineno + 1
    text = str(made.location)
    prefix = "test_tracebacks_are_locations_of_python"
    assert f'"{prefix}.<locals>.make"("{__file__}":{line}:15 to :84)' in text
    assert f'at "{prefix}"("{__file__}":{line + 3}:15 to :21)' in text


def test_lists_are_sequences_of_slices():
    """Lengths, numbers from both ends, slices and what is no number."""
    module = ir.Module.parse("func.func @h(%a: i1, %b: i2, %c: i3) { return }")
    arguments = module.body.operations[0].regions[0].blocks[0].arguments
    assert [str(each.type) for each in arguments] == ["i1", "i2", "i3"]
    assert (len(arguments), str(arguments[-1].type)) == (3, "i3")
    assert [str(each.type) for each in arguments[1:]] == ["i2", "i3"]
    assert len(arguments[3:]) == 0
    with pytest.raises(IndexError, match="index out of range"):
        arguments[3]
    with pytest.raises(ValueError, match="expected integer or slice"):
        arguments["a"]  # pyright: ignore[reportArgumentType, reportCallIssue]
