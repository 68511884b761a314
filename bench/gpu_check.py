# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a bundle of kernels, inputs and expected outputs to check on a GPU elsewhere.

    .venv/bin/python bench/gpu_check.py OUT [--gpu sm_90 ...] [--abi tile]
        [--only TEXT ...] [--zip]

OUT becomes a folder with a cubin per kernel and chip, inputs, what the interpreter
computes from them, and `run.py`, which needs only NumPy and the CUDA driver:

    python OUT/run.py

The kernels are the cases of test/ops (`ops/FAMILY/NAME`) and those of test/kernels/zoo
(`zoo/NAME`). What a chip cannot do is listed with the reason.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

import cuda_tile
from cuda_tile.errors import Unsupported
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.options import Options
from cuda_tile.runtime.args import Bound, PointerTable, bind_args
from cuda_tile.runtime.encode import DATA_TYPES
from cuda_tile.runtime.launch import Span, every_array, spans
from cuda_tile.runtime.record import ABIS, Appended, GridExtents
from cuda_tile.runtime.tensor_map import (
    L2_PROMOTION_BYTES,
    SWIZZLE_BYTES,
    map_fields,
)
from cuda_tile.targets import find_target

ROOT = Path(__file__).resolve().parents[1]
RUNNER = Path(__file__).with_name("gpu_runner.py")
FOLDERS = ("test/ops", "test/emit", "test/dialect", "test/zoo", "examples")
"""Where the kernels and what they import lie."""
CHIPS = ("sm_80", "sm_90", "sm_100", "sm_120")


@dataclass(frozen=True)
class Kernel:
    """A kernel to check.

    Attributes:
        name: Unique name.
        load: Gives the module, which has one entry.
        args: Makes the arguments.
        grid: Tile blocks.
        num_warps: Warps per CTA, or None to let the compiler choose.
        ulp: Units in the last place that an argument may be off, by its number.
        relative: The same as a share of the larger of 1 and the exact value.
        any_order: Arguments whose elements may stand in any order.
    """

    name: str
    load: Callable[[], Any]
    args: Callable[[], Sequence[Any]]
    grid: tuple[int, ...]
    num_warps: int | None = None
    ulp: Mapping[int, float] = field(default_factory=dict[int, float])
    relative: float = 0.0
    any_order: tuple[int, ...] = ()


def kernels(parts: Sequence[str] = ("",)) -> Iterator[Kernel]:
    """The kernels with one of `parts` in their names, cases of ops first."""
    for folder in FOLDERS:
        sys.path.insert(0, str(ROOT / folder))
    for file in sorted((ROOT / "test" / "ops").glob("*_cases.py")):
        family = file.stem.removesuffix("_cases")
        for case in import_module(file.stem).CASES:
            name = f"ops/{family}/{case.name}"
            if not any(part in name for part in parts):
                continue
            # Updates in any order, and blocks that wait, need more than this.
            if getattr(case, "canonical", None) or getattr(case, "cooperative", False):
                continue
            yield Kernel(
                name,
                lambda case=case: cuda_tile.load(case.text.encode()),
                lambda case=case: _apart(case.args(np.random.default_rng(0))),
                case.grid,
                case.num_warps,
                case.ulp,
            )
    yield from _zoo(parts)


def _apart(args: Sequence[Any]) -> list[Any]:
    """Arguments none of which shares memory with another, as the tests have them."""
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]


def _zoo(parts: Sequence[str]) -> Iterator[Kernel]:
    archive = ROOT / "test" / "kernels" / "zoo" / "bytecode-13.4.zip"
    for file in sorted((ROOT / "test" / "zoo").glob("zoo_*.py")):
        import_module(file.stem)
    with zipfile.ZipFile(archive) as bundle:
        files = {Path(n).stem: bundle.read(n) for n in bundle.namelist()}
    launches: dict[str, Callable[[], Any]] = import_module("zoo_launch").LAUNCHES
    for name, make in sorted(launches.items()):
        if not any(part in f"zoo/{name}" for part in parts):
            continue
        launch = make()  # computes what NumPy expects, too
        args: list[Any] = []
        numbers: dict[int, int] = {}
        for place, arg in enumerate(launch.args):
            numbers[place] = len(args)
            is_array = isinstance(arg, np.ndarray)
            args.extend(cuda_tile.array_args(cast(Any, arg)) if is_array else [arg])
        yield Kernel(
            f"zoo/{name}",
            lambda name=name: cuda_tile.load(files[name]),
            lambda args=args: list(args),
            launch.grid,
            relative=launch.tolerance,
            any_order=tuple(numbers[place] for place in launch.any_order),
        )


def pack(
    kernel: Kernel, gpus: Sequence[str], folder: Path, abi: str = ABIS[0]
) -> dict[str, Any] | None:
    """Writes one kernel into the bundle and gives its part of the manifest.

    None where its arguments hold addresses, which are those of this machine.
    """
    module = kernel.load()
    entry = find_entry(module.operation, None)
    args = bind_args(
        parameter_types(entry), list(kernel.args()), kernel=entry_name(entry)
    )
    if any(isinstance(arg, PointerTable) for arg in args):
        return None
    pieces = spans(every_array(args))
    before = [_bytes_of(piece) for piece in pieces]
    stem = _stem(kernel)
    cuda_tile.run(module, grid=kernel.grid, args=args)
    after = [_bytes_of(piece) for piece in pieces]
    data: dict[str, Any] = {f"in{i}": part for i, part in enumerate(before)}
    data |= {f"out{i}": part for i, part in enumerate(after)}
    file = f"data/{stem}.npz"
    np.savez_compressed(folder / file, **data)
    code, refused = compiled_for(kernel, module, gpus, folder, args, abi)
    return {
        "name": kernel.name,
        "entry": entry_name(entry),
        "grid": [*kernel.grid, 1, 1][:3],
        "data": file,
        "starts": [piece.start for piece in pieces],
        "parameters": [parameter(arg, pieces) for arg in args],
        "arrays": list(_arrays(kernel, args, pieces)),
        "code": code,
        "refused": refused,
    }


def _bytes_of(piece: Span) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A copy of the bytes of a span; of gaps between elements too."""
    storage = (ctypes.c_uint8 * piece.size_bytes).from_address(piece.start)
    return np.ctypeslib.as_array(storage).copy()


def _place(array: Any, pieces: Sequence[Span]) -> dict[str, int]:
    address = array.ctypes.data
    for number, piece in enumerate(pieces):
        if piece.start <= address < piece.stop:
            return {"span": number, "offset": address - piece.start}
    return {}


def parameter(arg: Bound, pieces: Sequence[Span]) -> dict[str, Any]:
    """A parameter as the runner reads it: a place in a span, or bytes."""
    if isinstance(arg, np.ndarray):
        return _place(arg, pieces) or {"bytes": bytes(8).hex()}
    return {"bytes": (bytes(8) if arg is None else arg.tobytes()).hex()}


def _arrays(
    kernel: Kernel, args: Sequence[Bound], pieces: Sequence[Span]
) -> Iterator[dict[str, Any]]:
    """How each array is compared."""
    for number, arg in enumerate(args):
        if isinstance(arg, np.ndarray) and arg.size:
            yield {
                "argument": number,
                **_place(arg, pieces),
                "dtype": arg.dtype.name,
                "shape": list(arg.shape),
                "strides": list(arg.strides),
                "ulp": float(kernel.ulp.get(number, 0.0)),
                "relative": kernel.relative,
                "any_order": number in kernel.any_order,
            }


def compiled_for(
    kernel: Kernel,
    module: Any,
    gpus: Sequence[str],
    folder: Path,
    args: Sequence[Bound],
    abi: str = ABIS[0],
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Code per chip with its launch record, and why others have none."""
    stem, pieces = _stem(kernel), spans(every_array(args))
    code: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    for gpu in gpus:
        try:
            options = Options(gpu=gpu, abi=abi, num_warps=kernel.num_warps)
            compiled = cuda_tile.compile(module, options=options)
        except Unsupported as error:
            refused[gpu] = str(error)
            continue
        (record,) = compiled.launch.values()
        file = f"code/{stem}.{gpu}.cubin"
        (folder / file).write_bytes(compiled.cubin)
        code.append(
            {
                "arch": find_target(gpu).arch,
                "file": file,
                "block": list(record.launch_block),
                "cluster": list(record.launch_cluster),
                "dynamic_shared_bytes": record.dynamic_shared_bytes,
                "grid": record.grid,
                "appended": [_appended(p, args, pieces) for p in record.appended],
            }
        )
    return code, refused


def _stem(kernel: Kernel) -> str:
    return kernel.name.replace("/", "-")


def _appended(
    part: Appended, args: Sequence[Bound], pieces: Sequence[Span]
) -> dict[str, Any]:
    """A parameter that the launcher appends, for these arguments.

    A map's `array` says where it begins; it is empty for a line of zeros.
    """
    if isinstance(part, GridExtents):
        return {"kind": "grid_extents"}
    base = args[part.base]
    place = _place(base, pieces) if isinstance(base, np.ndarray) else {}
    used: list[int] = []

    def line() -> int:
        used.append(0)
        return 0

    address = int(base.ctypes.data) if isinstance(base, np.ndarray) else 0
    fields = map_fields(part, args, address, line)
    return {
        "kind": "tensor_map",
        "array": {} if used else place,
        "data_type": DATA_TYPES[fields.element],
        "extents": list(fields.extents),
        "strides_bytes": list(fields.strides_bytes),
        "box": list(fields.box),
        "swizzle": SWIZZLE_BYTES.index(fields.swizzle_bytes),
        "l2_promotion": L2_PROMOTION_BYTES.index(fields.l2_promotion_bytes),
    }


def make_bundle(
    folder: Path,
    gpus: Sequence[str],
    chosen: Sequence[Kernel],
    abi: str = ABIS[0],
) -> dict[str, Any]:
    """Writes a bundle and gives its manifest."""
    for part in ("code", "data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    packed = [pack(kernel, gpus, folder, abi) for kernel in chosen]
    manifest = {"gpus": list(gpus), "kernels": [item for item in packed if item]}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    shutil.copyfile(RUNNER, folder / "run.py")
    return manifest


def main(argv: Sequence[str] | None = None) -> int:
    """Reads the command line and makes the bundle."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder to make")
    parser.add_argument("--gpu", nargs="+", default=CHIPS, help="chips to compile for")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="kernels with one of these in the name"
    )
    parser.add_argument(
        "--abi", choices=ABIS, default=ABIS[0], help="as for cuda-tile-compile"
    )
    parser.add_argument("--zip", action="store_true", help="also write OUT.zip")
    options = parser.parse_args(argv)
    chosen = list(kernels(options.only))
    manifest = make_bundle(options.out, options.gpu, chosen, options.abi)
    if options.zip:
        shutil.make_archive(str(options.out), "zip", options.out)
    count = sum(len(item["code"]) for item in manifest["kernels"])
    print(f"{options.out}: {len(manifest['kernels'])} kernels, {count} cubins")
    return 0


if __name__ == "__main__":
    sys.exit(main())
