# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps that a kernel makes or changes: every field, and the fences it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, TensorMap, launch

ARRAY = np.arange(8 * 32, dtype=np.float32).reshape(8, 32)
OTHER = -ARRAY - 1
MAP = TensorMap(ARRAY, (4, 16))
COPY = """
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%q3], [object], 128;
"""  # noqa: E501
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%q3], 128;"
BLANK = "mov.u32 %r1, 0;"


def edit(field: str, value: object, place: int | None = None) -> str:
    """Changes a field of the object in shared memory."""
    ty = "b64" if field in ("global_address", "global_stride") else "b32"
    operands = f"{value}" if place is None else f"{place}, {value}"
    name = f"tensormap.replace.tile.{field}.shared::cta.b1024.{ty}"
    return f"@%p0 {name} [object], {operands};"


@dataclass(frozen=True)
class Copy:
    """A kernel that edits a map and copies a box by it.

    Attributes:
        edits: Text of one thread on the object in shared memory.
        start: First row and column of the box.
        size: Bytes of the box.
        blank: Text that may set %r1, a word of the object, to zero.
        publish, acquire: Text that puts the map into global memory.
        target: Of the module.
    """

    edits: tuple[str, ...]
    start: tuple[int, int] = (2, 8)
    size: int = 256
    blank: str = ""
    publish: str = COPY
    acquire: str = ACQUIRE
    target: str = "sm_90a"

    @property
    def text(self) -> str:
        """The PTX."""
        row, column = self.start
        edits = "\n    ".join(self.edits)
        return module(
            f"""
.visible .entry k(.param .u64 out, .param .align 64 .b8 t[128], .param .u64 slot,
    .param .u64 array)
{{
    .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p<4>;
    .shared .align 128 .b8 object[128];
    .shared .align 1024 .b8 data[{self.size}];
    .shared .align 8 .b64 bar;
    ld.param.u64 %q0, [out];
    ld.param.u64 %q3, [slot];
    ld.param.u64 %q4, [array];
    mov.b64 %q1, t;
    cvta.param.u64 %q1, %q1;
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 0;
    mad.wide.u32 %q2, %r0, 4, %q1;
    ld.u32 %r1, [%q2];
    {self.blank}
    mov.u32 %r2, object;
    mad.lo.u32 %r2, %r0, 4, %r2;
    st.shared.u32 [%r2], %r1;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    @%p0 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    {edits}
    bar.warp.sync -1;
    {self.publish}
    {self.acquire}
    @%p0 mbarrier.arrive.expect_tx.shared.b64 %q5, [bar], {self.size};
    @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%q3, {{{column}, {row}}}], [bar];
W:  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra W;
    mov.u32 %r3, %r0;
D:  setp.ge.u32 %p2, %r3, {self.size // 4};
    @%p2 bra E;
    mov.u32 %r4, data;
    mad.lo.u32 %r4, %r3, 4, %r4;
    ld.shared.u32 %r5, [%r4];
    mad.wide.u32 %q2, %r3, 4, %q0;
    st.global.u32 [%q2], %r5;
    add.u32 %r3, %r3, 32;
    bra D;
E:  ret;
}}
""",  # noqa: E501
            self.target,
        )

    def run(self, array: np.ndarray = ARRAY, seed: int = 0) -> np.ndarray:
        """Runs it adversarially; returns the box as it lies in shared memory."""
        out = np.zeros(self.size // 4, np.float32)
        args: list[Any] = [out, MAP, aligned((128,), np.uint8), array]
        launch(self.text, grid=1, block=32, args=args, mode="adversarial", seed=seed)
        return out


def padded(array: np.ndarray, fill: float = 0) -> np.ndarray:
    """The array with much around it."""
    result = np.full((32, 64), fill, array.dtype)
    result[: array.shape[0], : array.shape[1]] = array
    return result


BOX = ARRAY[2:6, 8:24]
EVERY_OTHER = padded(ARRAY[::2])[2:6, 8:24]
FIELDS = {
    "nothing": (Copy(()), BOX),
    "address": (Copy((edit("global_address", "%q4"),)), OTHER[2:6, 8:24]),
    "columns": (
        Copy((edit("global_dim", 20, 0),)),
        padded(ARRAY[:, :20])[2:6, 8:24],
    ),
    "rows": (Copy((edit("global_dim", 5, 1),)), padded(ARRAY[:5])[2:6, 8:24]),
    "stride": (
        Copy((edit("global_stride", 256, 0), edit("global_dim", 4, 1))),
        EVERY_OTHER,
    ),
    "columns of the box": (
        Copy((edit("box_dim", 8, 0),), size=128),
        ARRAY[2:6, 8:16],
    ),
    "rows of the box": (Copy((edit("box_dim", 2, 1),), size=128), ARRAY[2:4, 8:24]),
    "fill": (
        Copy((edit("fill_mode", 1), edit("global_dim", 20, 0))),
        padded(ARRAY[:, :20], np.nan)[2:6, 8:24],
    ),
    "swizzle": (
        Copy((edit("swizzle_mode", 2),)),
        # Of 128 bytes with two rows, the second pair has its 16-byte pieces swapped.
        BOX.reshape(4, 4, 4)[
            np.arange(4)[:, None], np.arange(4) ^ [[0], [0], [1], [1]]
        ],
    ),
    "type": (
        Copy((edit("elemtype", 1), edit("global_dim", 64, 0)), (2, 16), size=128),
        np.ascontiguousarray(ARRAY).view(np.uint16)[2:6, 16:32],
    ),
}
ALL = (
    edit("global_address", "%q4"),
    edit("rank", 1),
    *(edit("box_dim", extent, place) for place, extent in enumerate((16, 4))),
    *(edit("global_dim", extent, place) for place, extent in enumerate((32, 8))),
    edit("global_stride", 128, 0),
    *(edit("element_stride", 1, place) for place in (0, 1)),
    edit("elemtype", 7),
    edit("interleave_layout", 0),
    edit("swizzle_mode", 0),
    edit("fill_mode", 0),
)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_replaced(name: str) -> None:
    copy, wanted = FIELDS[name]
    assert not assemble(copy.text, "sm_90a")
    found = copy.run(OTHER)
    flat = np.ascontiguousarray(wanted).reshape(-1).view(np.float32)
    np.testing.assert_array_equal(found, flat)


@pytest.mark.parametrize("seed", range(4))
def test_a_map_is_made_of_zeros(seed: int) -> None:
    copy = Copy(ALL, blank=BLANK)
    assert not assemble(copy.text, "sm_90a")
    np.testing.assert_array_equal(copy.run(OTHER, seed), OTHER[2:6, 8:24].ravel())


IN_PLACE = """
    ld.shared.u32 %r1, [%r2];
    mad.wide.u32 %q2, %r0, 4, %q3;
    st.global.u32 [%q2], %r1;
    bar.warp.sync -1;
    @%p0 tensormap.replace.tile.global_address.global.b1024.b64 [%q3], %q4;
"""
RELEASE = "@%p0 fence.proxy.tensormap::generic.release.gpu;"


def test_a_map_in_global_memory_is_changed() -> None:
    copy = Copy((), publish=IN_PLACE + RELEASE)
    assert not assemble(copy.text, "sm_90a")
    np.testing.assert_array_equal(copy.run(OTHER), OTHER[2:6, 8:24].ravel())


UNSEEN = {
    "no acquire": (Copy(ALL, acquire=""), "changed at line .* no .*generic.acquire"),
    "acquire of another map": (
        Copy(ALL, acquire=ACQUIRE.replace("[%q3]", "[%q0]")),
        "no fence.proxy.tensormap::generic.acquire",
    ),
    "no release": (Copy((), publish=IN_PLACE), "no .*generic.release"),
    "acquire too early": (
        Copy(ALL, publish=ACQUIRE + COPY, acquire=""),
        "warp 0 uses the tensor map in byte 0 of slot",
    ),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_changes_need_fences(name: str) -> None:
    copy, message = UNSEEN[name]
    with pytest.raises(FindingError, match=message) as caught:
        copy.run(OTHER)
    assert caught.value.finding.kind == "proxy"


REFUSED = {
    "element strides of 1": Copy((*ALL, edit("element_stride", 2, 1))),
    "interleave_layout from 0 to 0, got 1": Copy((*ALL, edit("interleave_layout", 1))),
    "swizzle_mode from 0 to 3, got 4": Copy((*ALL, edit("swizzle_mode", 4))),
    "elemtype from 0 to 12, got 13": Copy((*ALL, edit("elemtype", 13))),
    "rank 2, got 1": Copy((*ALL, edit("rank", 0))),
    "box extents from 1 to 256": Copy((*ALL, edit("box_dim", 0, 1))),
    "multiples of 16 bytes": Copy((*ALL, edit("global_stride", 24, 0))),
    "expected a tensor map, got other bytes": Copy((), blank=BLANK),
    "expected a tensor map or zeros": Copy((ALL[0],), blank="mov.u32 %r1, 5;"),
    "outside every array": Copy((*ALL, edit("global_dim", 9, 1)), (6, 8)),
    "expected equal addresses in all lanes": Copy(
        ALL, publish="mad.wide.u32 %q3, %r0, 128, %q3;" + COPY
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_maps_cannot_be_is_reported(message: str) -> None:
    with pytest.raises(FindingError, match=message):
        replace(REFUSED[message]).run(OTHER)
