# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels around single tcgen05 instructions: tensor memory in, tensor memory out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ptx_harness import module

from cuda_tile.emulator import Report, launch
from cuda_tile.emulator.launch import Mode

CHUNK = 32
NAMES = ", ".join(f"%c{i}" for i in range(CHUNK))
SWIZZLE_CODES = {0: 0, 128: 2, 64: 4, 32: 6}


@dataclass
class Kernel:
    """A kernel that fills tensor memory, runs some text and dumps tensor memory.

    The text finds the address of tensor memory in %ta, of shared memory in %sm, that
    of the warp's own lanes in %tw, an mbarrier in [bar], %one as true in one thread of
    the cluster, %p and %q as spare predicates, %never and %always, %r<16> and %d<4>.

    Attributes:
        body: The text.
        columns: Columns of tensor memory, a multiple of 32.
        shared_bytes: Size of the image of shared memory.
        group: CTAs that work together, 1 or 2.
        declare: Further registers.
        prologue: Text before tensor memory is filled.
    """

    body: str
    columns: int = 64
    shared_bytes: int = 1024
    group: int = 1
    declare: str = ""
    target: str = "sm_100a"

    @property
    def allocated(self) -> int:
        """Columns to allocate: a power of two."""
        return max(32, 1 << (self.columns - 1).bit_length())

    def _fill(self) -> str:
        """Text that stores the columns of the array in tensor memory."""
        return "\n".join(
            "\n".join(
                f"ld.global.b32 %c{i}, [%before+{4 * (start + i)}];"
                for i in range(CHUNK)
            )
            + f"\nadd.u32 %r0, %tw, {start};"
            + f"\ntcgen05.st.sync.aligned.32x32b.x{CHUNK}.b32 [%r0], {{{NAMES}}};"
            for start in range(0, self.columns, CHUNK)
        )

    def _dump(self) -> str:
        """Text that loads them back."""
        return "\n".join(
            f"add.u32 %r0, %tw, {start};\n"
            f"tcgen05.ld.sync.aligned.32x32b.x{CHUNK}.b32 {{{NAMES}}}, [%r0];\n"
            "tcgen05.wait::ld.sync.aligned;\n"
            + "\n".join(
                f"st.global.b32 [%after+{4 * (start + i)}], %c{i};"
                for i in range(CHUNK)
            )
            for start in range(0, self.columns, CHUNK)
        )

    @property
    def text(self) -> str:
        """The PTX."""
        group = f"cta_group::{self.group}"
        sync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"
        meet = sync if self.group == 2 else "bar.sync 0;"
        cluster = ".reqnctapercluster 2" if self.group == 2 else ""
        return module(
            f"""
.visible .entry k(.param .u64 image, .param .u64 before, .param .u64 after)
.reqntid 128 {cluster}
{{
    .reg .b32 %r<16>, %c<{CHUNK}>, %t, %w, %ta, %tw, %sm, %rank;
    .reg .b64 %d<4>, %image, %before, %after;
    .reg .pred %one, %p, %q, %never, %always, %first;
    .reg .b16 %mask;
    {self.declare}
    .shared .align 1024 .b8 data[{self.shared_bytes}];
    .shared .align 8 .b64 bar;
    .shared .align 4 .b32 slot;
    ld.param.u64 %image, [image];
    ld.param.u64 %before, [before];
    ld.param.u64 %after, [after];
    mov.u32 %t, %tid.x;
    mov.u32 %rank, %ctaid.x;
    mov.u32 %sm, data;
    mad.wide.u32 %image, %rank, {self.shared_bytes}, %image;
    mad.lo.u32 %r0, %rank, 128, %t;
    mad.wide.u32 %before, %r0, {4 * self.columns}, %before;
    mad.wide.u32 %after, %r0, {4 * self.columns}, %after;
    mov.u32 %r1, %t;
COPY:
    setp.ge.u32 %p, %r1, {self.shared_bytes // 16};
    @%p bra FILL;
    mad.wide.u32 %d0, %r1, 16, %image;
    ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%d0];
    mad.lo.u32 %r2, %r1, 16, %sm;
    st.shared.v4.b32 [%r2], {{%c0, %c1, %c2, %c3}};
    add.u32 %r1, %r1, 128;
    bra COPY;
FILL:
    bar.warp.sync -1;
    shr.u32 %w, %t, 5;
    setp.eq.u32 %first, %w, 0;
    setp.eq.u32 %one, %t, 0;
    @%one mbarrier.init.shared.b64 [bar], 1;
    setp.eq.and.u32 %one, %rank, 0, %one;
    setp.ne.u32 %always, %t, 1000;
    setp.eq.u32 %never, %t, 1000;
    fence.proxy.async.shared::cta;
    fence.mbarrier_init.release.cluster;
    {sync * (self.group - 1)}
    @!%first bra READY;
    tcgen05.alloc.{group}.sync.aligned.shared::cta.b32 [slot], {self.allocated};
    tcgen05.relinquish_alloc_permit.{group}.sync.aligned;
READY:
    bar.sync 0;
    ld.shared.b32 %ta, [slot];
    shl.b32 %r0, %w, 21;
    add.u32 %tw, %ta, %r0;
    {self._fill()}
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    {meet}
    tcgen05.fence::after_thread_sync;
    {self.body}
    tcgen05.fence::before_thread_sync;
    {meet}
    tcgen05.fence::after_thread_sync;
    {self._dump()}
    {meet}
    @!%first bra END;
    tcgen05.dealloc.{group}.sync.aligned.b32 %ta, {self.allocated};
END:
    ret;
}}
""",
            self.target,
        )

    def run(
        self,
        image: np.ndarray | None = None,
        before: np.ndarray | None = None,
        *,
        mode: Mode = "adversarial",
        seed: int = 0,
        order: str = "isa",
        numbers: str = "floats",
    ) -> np.ndarray:
        """Runs it; returns tensor memory, uint32[group, 128, columns]."""
        shape = (self.group, 128, self.columns)
        data = np.zeros((self.group, self.shared_bytes), np.uint8)
        if image is not None:
            data[:, : image.shape[-1]] = image
        words = np.zeros(shape, np.uint32)
        if before is not None:
            words[...] = before
        after = np.zeros(shape, np.uint32)
        self.report = self.launch([data, words, after], mode, seed, order, numbers)
        return after

    def launch(
        self,
        arrays: list[np.ndarray],
        mode: Mode,
        seed: int,
        order: str = "isa",
        numbers: str = "floats",
    ) -> Report:
        """Runs it on arrays for image, before and after."""
        return launch(
            self.text,
            grid=self.group,
            block=128,
            cluster=(self.group, 1, 1),
            args=arrays,
            mode=mode,
            seed=seed,
            order=order,
            numbers=numbers,
        )


def committed(text: str, group: int = 1) -> str:
    """Text of one thread, then a wait for what it started by all threads."""
    where = "[bar]"
    multicast = ""
    if group == 2:
        where, multicast = "[bar], %mask", ".multicast::cluster"
    return f"""
    mov.b16 %mask, 3;
    @!%one bra WAIT;
    {text}
    tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster\
{multicast}.b64 {where};
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra WAIT;
    tcgen05.fence::after_thread_sync;
    bar.warp.sync -1;
    """


def descriptor(start: int, leading: int, stride: int, swizzle: int) -> int:
    """A shared memory descriptor; all in bytes."""
    fields = start >> 4 | leading >> 4 << 16 | stride >> 4 << 32
    return fields | 1 << 46 | SWIZZLE_CODES[swizzle] << 61
