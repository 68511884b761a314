# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's kernels of the launches of day_times.py, as the runner launches them.

They are compiled here (triton_specs.py), so that the machine with the GPU needs no
Triton, and launched by the driver like ours: on the same memory, timed the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from attention_kernels import Attention
from gpu_check import parameter
from triton_attention import triton_attention
from triton_kernels import Described
from triton_specs import Assembled, triton_kernel

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.runtime.encode import DATA_TYPES
from cuda_tile.runtime.launch import Span

Theirs = tuple[Assembled, Sequence[Any]]
"""A kernel of Triton, and its arguments as its own launcher takes them."""
Maker = Callable[[str, Sequence[Any]], Theirs | None]
"""Gives it for a chip and the arguments of our launch; None where there is none."""
_PROMOTION = 2
"""128 bytes, as Triton's launcher asks for (`CUtensorMapL2promotion`)."""
_TMA_SINCE = 90


@dataclass(frozen=True)
class ProductBeside:
    """A product of f16.

    Attributes:
        tile: Its tile.
    """

    tile: tuple[int, int, int]

    def __call__(self, gpu: str, values: Sequence[Any]) -> Theirs | None:
        """As `Maker`: by descriptors on chips that have them."""
        chip = gpu.removeprefix("sm_")
        stages = 4 if int(chip) >= _TMA_SINCE else 3
        tile = "x".join(map(str, self.tile))
        made = triton_kernel("make_product.py", f"f16:f16:{tile}:{chip}:4:{stages}")
        if made is None:
            return None
        a, b, c = values
        (m, k), n = a.shape, b.shape[1]
        if made.kernel.meta["descriptors"]:
            return made, [*map(Described, (a, b, c)), np.int32(k)]
        return made, [a, b, c, *map(np.int32, (m, n, k))]


@dataclass(frozen=True)
class AttentionBeside:
    """Attention.

    Attributes:
        attention: Ours.
    """

    attention: Attention

    def __call__(self, gpu: str, values: Sequence[Any]) -> Theirs | None:
        """As `Maker`: keys and values by descriptors on chips that have them."""
        made = triton_attention(self.attention, gpu)
        if made is None:
            return None
        q, k, v, out, scale = values
        flat: list[Any] = [x.reshape(-1, self.attention.depth) for x in (k, v)]
        if made.kernel.meta["descriptors"]:
            flat = [Described(x) for x in flat]
        counts = np.int32(q.shape[1]), np.int32(k.shape[1])
        return made, [q, *flat, out, *counts, scale]


@dataclass(frozen=True)
class StreamBeside:
    """A kernel of `stream_kernels.py`.

    Attributes:
        name: Its name.
    """

    name: str

    def __call__(self, gpu: str, values: Sequence[Any]) -> Theirs | None:
        """As `Maker`; rows of a million elements have no form in Triton."""
        chip = gpu.removeprefix("sm_")
        made = triton_kernel("make_streams.py", f"{self.name}:{chip}")
        return None if made is None else (made, values)


def launch_of(
    theirs: Theirs, name: str, pieces: Sequence[Span], folder: Path
) -> dict[str, Any] | None:
    """What differs of the runner's record from that of our launch.

    Args:
        theirs: Triton's kernel.
        name: Of the file.
        pieces: The spans of our launch.
        folder: The bundle.

    Returns:
        None where the kernel needs memory of its own, for which there is no span.
    """
    made, args = theirs
    meta, target = made.kernel.meta, made.kernel.target
    if meta["scratch_bytes"]:
        return None
    assembled = assemble(made.kernel.text, target)
    (entry,) = assembled.resources
    file = f"code/{name}.triton.{target}.cubin"
    (folder / file).write_bytes(assembled.cubin)
    code = {
        "arch": target,
        "file": file,
        "block": [32 * meta["num_warps"], 1, 1],
        "cluster": [meta["num_ctas"], 1, 1],
        "dynamic_shared_bytes": meta["shared_bytes"],
        "grid": "tiles",
        "appended": [],
    }
    parameters = _parameters(args, meta["descriptors"], pieces)
    return {"entry": entry, "parameters": parameters, "code": [code]}


def _parameters(
    args: Sequence[Any], descriptors: Sequence[Any], pieces: Sequence[Span]
) -> list[dict[str, Any]]:
    """A descriptor goes with its sizes and strides; last come two null pointers."""
    described, found = iter(descriptors), list[dict[str, Any]]()
    for arg in args:
        if not isinstance(arg, Described):
            found.append(parameter(arg, pieces))
            continue
        array = arg.array
        found.append(_map(array, next(described), pieces))
        strides = [np.int64(stride // array.itemsize) for stride in array.strides]
        numbers = [*map(np.int32, array.shape), *strides]
        found += [parameter(number, pieces) for number in numbers]
    return [*found, *(parameter(None, pieces) for _ in range(2))]


def _map(array: Any, about: Any, pieces: Sequence[Span]) -> dict[str, Any]:
    """A tensor map, as the runner encodes it: the last dimension first."""
    kinds = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
    return {
        "kind": "tensor_map",
        "array": parameter(array, pieces),
        "data_type": DATA_TYPES[kinds[array.dtype.name]],
        "extents": list(array.shape[::-1]),
        "strides_bytes": list(array.strides[-2::-1]),
        "box": list(about["box"][::-1]),
        "swizzle": about["swizzle"],
        "l2_promotion": _PROMOTION,
    }
