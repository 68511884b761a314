# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels whose threads wait for copies in rings, however many there are."""

from __future__ import annotations

COPIES = """.version 7.8
.target sm_80
.address_size 64
.visible .entry copies(.param .u64 data, .param .u64 out, .param .u32 n)
.reqntid 64
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.shared .align 16 .b8 ring[3072];	// three slots of 1024 bytes
	ld.param.u64 %rd0, [data];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r9, [n];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, ring;
	mad.lo.s32 %r2, %r0, 16, %r1;
	xor.b32 %r3, %r2, 16;			// what the neighbour copies
	mad.wide.u32 %rd2, %r0, 16, %rd0;
	setp.eq.u32 %p0, %r9, 0;
	@%p0 bra FIRST;
	cp.async.cg.shared.global [%r2], [%rd2], 16;
FIRST:
	cp.async.commit_group;
	setp.lt.u32 %p1, %r9, 2;
	@%p1 bra SECOND;
	cp.async.cg.shared.global [%r2+1024], [%rd2+1024], 16;
SECOND:
	cp.async.commit_group;
	mov.u32 %r4, 0;
	@%p0 bra DONE;
ROUND:
	cp.async.wait_group 1;
	bar.sync 0;
	mul.hi.u32 %r5, %r4, -1431655765;	// round / 3 and round % 3
	shr.u32 %r5, %r5, 1;
	mad.lo.s32 %r6, %r5, -3, %r4;
	shl.b32 %r7, %r6, 10;
	add.u32 %r8, %r3, %r7;
	ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r8];
	sub.s32 %r14, %r9, 2;
	setp.ge.s32 %p2, %r4, %r14;
	@%p2 bra NEXT;
	add.u32 %r15, %r4, 2;
	rem.u32 %r16, %r15, 3;
	shl.b32 %r17, %r16, 10;
	add.u32 %r18, %r2, %r17;
	mad.wide.u32 %rd3, %r15, 1024, %rd2;
	cp.async.cg.shared.global [%r18], [%rd3], 16;
NEXT:
	cp.async.commit_group;
	add.u32 %r4, %r4, 1;
	setp.ne.u32 %p3, %r4, %r9;
	@%p3 bra ROUND;
DONE:
	bar.sync 0;
	st.shared.u32 [%r2], %r10;		// no copy may be in flight any more
	st.shared.u32 [%r2+1024], %r10;
	st.shared.u32 [%r2+2048], %r10;
	ret;
}
"""
"""Copies by cp.async, two iterations ahead, as far as there are any."""

CHOICES = (
    (".param .u32 n)", ".param .u32 n, .param .u32 m)"),
    (
        "ld.param.u32 %r9, [n];",
        "ld.param.u32 %r20, [n];\n\tld.param.u32 %r21, [m];\n"
        "\tmin.s32 %r9, %r20, %r21;",
    ),
    ("setp.eq.u32 %p0, %r9, 0", "setp.lt.s32 %p0, %r9, 1"),
    ("setp.lt.u32 %p1, %r9, 2", "setp.lt.s32 %p1, %r9, 2"),
    ("sub.s32 %r14, %r9, 2", "max.s32 %r22, %r9, 2;\n\tsub.s32 %r14, %r22, 2"),
    ("setp.ge.s32 %p2", "setp.ge.u32 %p2"),
    (
        "setp.ne.u32 %p3, %r4, %r9",
        "sub.s32 %r23, %r4, %r9;\n\tsetp.ne.b32 %p3, %r23, 0",
    ),
)


def _chosen() -> str:
    text = COPIES
    for right, other in CHOICES:
        assert text.count(right) == 1
        text = text.replace(right, other)
    return text


CHOSEN = _chosen()
"""The same up to the lesser of two bounds, and until a sum below zero comes to it."""

ROLES = """.version 8.0
.target sm_90
.address_size 64
.visible .entry roles(.param .u64 data, .param .u32 n)
.reqntid 64
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.shared .align 128 .b8 ring[1024];	// two slots of 512 bytes
	.shared .align 8 .b64 full[2];
	.shared .align 8 .b64 free[2];
	ld.param.u64 %rd0, [data];
	ld.param.u32 %r9, [n];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, ring;
	mov.u32 %r2, full;
	mov.u32 %r3, free;
	setp.ne.u32 %p0, %r0, 0;
	@%p0 bra MADE;
	mbarrier.init.shared.b64 [full], 1;
	mbarrier.init.shared.b64 [full+8], 1;
	mbarrier.init.shared.b64 [free], 32;
	mbarrier.init.shared.b64 [free+8], 32;
	fence.mbarrier_init.release.cluster;
MADE:
	bar.sync 0;
	setp.eq.u32 %p1, %r9, 0;
	@%p1 bra END;
	mov.u32 %r4, 0;
	setp.ge.u32 %p2, %r0, 32;
	@%p2 bra COPIER;
READER:
	and.b32 %r5, %r4, 1;
	shr.u32 %r6, %r4, 1;
	and.b32 %r6, %r6, 1;
	mad.lo.u32 %r7, %r5, 8, %r2;
FILLED:
	mbarrier.try_wait.parity.shared.b64 %p3, [%r7], %r6;
	@!%p3 bra FILLED;
	mad.lo.u32 %r8, %r5, 512, %r1;
	mad.lo.u32 %r8, %r0, 16, %r8;
	ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r8];
	mad.lo.u32 %r14, %r5, 8, %r3;
	mbarrier.arrive.shared.b64 %rd1, [%r14];
	add.u32 %r4, %r4, 1;
	setp.ne.u32 %p4, %r4, %r9;
	@%p4 bra READER;
	ret;
COPIER:
	setp.ne.u32 %p5, %r0, 32;
	@%p5 bra END;
FILL:
	and.b32 %r5, %r4, 1;
	shr.u32 %r6, %r4, 1;
	not.b32 %r6, %r6;
	and.b32 %r6, %r6, 1;
	mad.lo.u32 %r7, %r5, 8, %r3;
FREED:
	mbarrier.try_wait.parity.shared.b64 %p3, [%r7], %r6;
	@!%p3 bra FREED;
	mad.lo.u32 %r8, %r5, 8, %r2;
	mad.lo.u32 %r10, %r5, 512, %r1;
	mad.wide.u32 %rd2, %r4, 512, %rd0;
	mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r8], 512;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
		[%r10], [%rd2], 512, [%r8];
	add.u32 %r4, %r4, 1;
	setp.ne.u32 %p4, %r4, %r9;
	@%p4 bra FILL;
END:
	ret;
}
"""
"""A warp that reads what a thread of another one copies, one slot ahead."""

SLIPS = {
    "copies": (
        ("mad.lo.s32 %r6, %r5, -3", "mad.lo.s32 %r6, %r5, -2"),
        ("rem.u32 %r16, %r15, 3", "rem.u32 %r16, %r15, 2"),
        ("add.u32 %r15, %r4, 2", "add.u32 %r15, %r4, 1"),
        ("add.u32 %r15, %r4, 2", "add.u32 %r15, %r4, 3"),
        ("sub.s32 %r14, %r9, 2", "sub.s32 %r14, %r9, 1"),
        ("setp.ge.s32 %p2", "setp.gt.s32 %p2"),
        ("setp.lt.u32 %p1, %r9, 2", "setp.lt.u32 %p1, %r9, 1"),
        ("[%r2+1024], [%rd2+1024]", "[%r2], [%rd2+1024]"),
        ("shl.b32 %r7, %r6, 10", "shl.b32 %r7, %r6, 9"),
    ),
    "chosen": (
        ("max.s32 %r22, %r9, 2", "max.s32 %r22, %r9, 3"),
        ("max.s32 %r22, %r9, 2", "min.s32 %r22, %r9, 2"),
        ("sub.s32 %r14, %r22, 2", "sub.s32 %r14, %r22, 1"),
        ("setp.ne.b32 %p3, %r23, 0", "setp.ne.b32 %p3, %r23, -1"),
        ("setp.lt.s32 %p1, %r9, 2", "setp.lt.s32 %p1, %r21, 2"),
        ("setp.lt.s32 %p1, %r9, 2", "setp.lt.s32 %p1, %r9, 1"),
    ),
    "roles": (
        ("not.b32 %r6, %r6;", ""),
        ("mad.lo.u32 %r14, %r5, 8, %r3", "mad.lo.u32 %r14, %r5, 0, %r3"),
        ("mad.lo.u32 %r10, %r5, 512", "mad.lo.u32 %r10, %r5, 496"),
        ("[%r10], [%rd2], 512", "[%r10], [%rd2], 528"),
        ("shr.u32 %r6, %r4, 1;\n\tnot", "shr.u32 %r6, %r4, 0;\n\tnot"),
        ("shr.u32 %r6, %r4, 1;\n\tand", "shr.u32 %r6, %r4, 2;\n\tand"),
        ("%p4 bra READER", "%p4 bra FILLED"),
        ("setp.ne.u32 %p5, %r0, 32", "setp.gt.u32 %p5, %r0, 33"),
        (
            "add.u32 %r4, %r4, 1;\n\tsetp.ne.u32 %p4, %r4, %r9;\n\t@%p4 bra FILL;",
            "add.u32 %r4, %r4, 1;\n\tsetp.le.u32 %p4, %r4, %r9;\n\t@%p4 bra FILL;",
        ),
    ),
}
"""Other slips: a slot or an iteration beside, a guard off by one, a wrong parity."""
