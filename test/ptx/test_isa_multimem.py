# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""multimem on one device: an address is its own only replica."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_arrays import placed
from ptx_harness import assemble, module

from cuda_tile.emulator import launch
from cuda_tile.emulator.errors import PtxError

FRAME = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{{
    .reg .b32 %i, %r<8>; .reg .b64 %q, %d, %l<8>; .reg .b16 %h<8>;
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    ld.param.u64 %d, [dst];
    mad.wide.u32 %q, %i, 16, %q;
    mad.wide.u32 %d, %i, 16, %d;
    {body}
    ret;
}}
"""


def run(body: str, source: np.ndarray, found: np.ndarray) -> np.ndarray:
    text = module(FRAME.format(body=body), "sm_90")
    assert assemble(text, "sm_90") == ""
    source, found = placed(source), placed(found)
    launch(text, grid=1, block=32, args=[source, found], mode="adversarial")
    return found


@pytest.mark.parametrize(
    ("form", "registers"),
    [
        ("weak.global.add.v4.f32", "{%r0, %r1, %r2, %r3}"),
        ("acquire.sys.global.max.v4.bf16x2", "{%r0, %r1, %r2, %r3}"),
        ("relaxed.gpu.global.min.v8.f16", None),
    ],
)
def test_a_reduction_of_one_replica_is_a_load(form: str, registers: str | None) -> None:
    store = registers or "{%r0, %r1, %r2, %r3}"
    loaded = registers or "{%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}"
    pack = "".join(f"mov.b32 %r{i}, {{%h{2 * i}, %h{2 * i + 1}}};" for i in range(4))
    body = f"multimem.ld_reduce.{form} {loaded}, [%q];" + (
        pack if not registers else ""
    )
    body += f"multimem.st.weak.global.v4.f32 [%d], {store};"
    source = np.random.default_rng(0).standard_normal(128).astype(np.float32)
    found = run(body, source, np.zeros(128, np.float32))
    assert np.array_equal(found.view(np.uint32), source.view(np.uint32))


def test_a_reduction_is_atomic() -> None:
    body = """
    ld.global.v4.f32 {%r0, %r1, %r2, %r3}, [%q];
    multimem.red.relaxed.gpu.global.add.v4.f32 [%d], {%r0, %r1, %r2, %r3};
    ld.param.u64 %d, [dst];
    multimem.red.relaxed.gpu.global.add.f32 [%d+512], 0f3F800000;
    """
    source = np.arange(128, dtype=np.float32)
    found = run(body, source, np.ones(129, np.float32))
    assert np.array_equal(found[:128], source + 1)
    assert found[128] == 33


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("multimem.red.relaxed.gpu.global.min.f16x2 [%d], %r0;", "vector"),
        ("multimem.st.weak.global.f16 [%d], %h0;", "vector"),
        ("multimem.st.weak.global.v2.u32 [%d], {%r0, %r1};", "vector"),
        ("multimem.ld_reduce.weak.global.max.f32 %r0, [%q];", "f32"),
    ],
)
def test_what_the_isa_lacks_is_refused(line: str, message: str) -> None:
    text = module(FRAME.format(body=line), "sm_90")
    assert assemble(text, "sm_90") != ""
    with pytest.raises(PtxError, match=message):
        launch(text, grid=1, block=32, args=[np.zeros(128, np.float32)] * 2)


def test_a_signalling_nan_is_no_number() -> None:
    body = """
    ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%q];
    mov.b32 {%h0, %h1}, %r0;
    multimem.red.relaxed.gpu.global.min.v2.bf16 [%d], {%h0, %h1};
    """
    source = np.full(128, 0x7FBF7FBF, np.uint32)
    found = run(body, source, np.full(128, 0xBC5C3F80, np.uint32))
    assert (found == 0xBC5C3F80).all()
