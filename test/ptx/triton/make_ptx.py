# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels here with Triton: python make_ptx.py OUT [NAME ...]

Triton needs no GPU for that. Each file in OUT is named after kernel and target; its
first line is JSON with the launch parameters. `tools/oracle/triton_ptx.py` calls this
with the Python of an environment that has Triton.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

# Before Triton is imported, which reads them then.
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
os.environ["TRITON_ALWAYS_COMPILE"] = "1"

import triton
from builds import Build
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon._runtime import GluonASTSource

HERE = Path(__file__).resolve().parent
MODULES = sorted(path.stem for path in HERE.glob("kernels_*.py"))


def make(build: Build, target: int) -> str:
    """Compiles one kernel; returns the text of its file."""
    kind = GluonASTSource if build.fn.is_gluon() else ASTSource
    source = kind(
        fn=build.fn,
        signature=build.signature,
        constexprs=dict(build.constants),
        attrs=build.attributes,
    )
    gpu = GPUTarget("cuda", target, 32)
    made = triton.compile(source, target=gpu, options=dict(build.options))
    about = made.metadata
    described = [
        {
            "box": list(entry["block_size"]),
            "swizzle": entry["swizzle"],
            "fp4_padded": entry["fp4_padded"],
        }
        for entry in about.tensordesc_meta
    ]
    head = {
        "triton": triton.__version__,
        "target": target,
        "num_warps": about.num_warps,
        "num_ctas": about.num_ctas,
        "shared_bytes": about.shared,
        "scratch_bytes": about.global_scratch_size,
        "descriptors": described,
    }
    # Assertions name the file of their kernel.
    text = made.asm["ptx"].replace(str(HERE), HERE.name)
    assert "/home" not in text
    assert str(Path.cwd()) not in text
    return f"// {json.dumps(head)}\n{text}"


def write_specs(build: Callable[[str], Build]) -> None:
    """Writes a kernel for each SPEC of the command line: SPEC FILE SPEC FILE ...

    The file stays empty where there is no such kernel, or Triton fails.
    """
    words = sys.argv[1:]
    for spec, path in zip(words[::2], words[1::2], strict=True):
        try:
            made = build(spec)
            text = make(made, *made.targets)
        except Exception as error:  # of Triton, whatever it is
            print(f"{spec}: {error}"[:300], file=sys.stderr)
            text = ""
        Path(path).write_text(text)


def main() -> None:
    """Writes the files."""
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    for module in MODULES:
        for build in importlib.import_module(module).BUILDS:
            for target in build.targets:
                name = f"{build.name}.sm_{target}"
                if not wanted or any(part in name for part in wanted):
                    (folder / f"{name}.ptx").write_text(make(build, target))
                    print(name, flush=True)


if __name__ == "__main__":
    main()
