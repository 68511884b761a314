# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of a kernel with every atomic update, and every strong access, of one type."""

from __future__ import annotations

_INTEGER = ("add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg")
MODES = {
    "i32": _INTEGER,
    "i64": _INTEGER,
    "f16": ("addf",),
    "bf16": ("addf",),
    "f32": ("addf", "xchg"),
    "f64": ("addf", "xchg"),
}
"""The modes of a read-modify-write of each element type that has any."""


def atomics(kind: str) -> str:
    """An entry; each mode with and without a use of what was in memory."""
    body = f"""
    %pa = assume div_by<16>, %p : tile<ptr<{kind}>>
    %i = iota : tile<1024xi32>
    %b = reshape %pa : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
    %e = broadcast %b : tile<1xptr<{kind}>> -> tile<1024xptr<{kind}>>
    %h = offset %e, %i : tile<1024xptr<{kind}>>, tile<1024xi32>
      -> tile<1024xptr<{kind}>>
    %x, %t = load_ptr_tko acquire device %h
      : tile<1024xptr<{kind}>> -> tile<1024x{kind}>, token
    %u = store_ptr_tko release sys %h, %x token=%t
      : tile<1024xptr<{kind}>>, tile<1024x{kind}> -> token
    %v = memory_fence_alias_tko token=%u : token
"""
    types = f"tile<1024xptr<{kind}>>, tile<1024x{kind}>"
    for n, mode in enumerate(MODES.get(kind, ())):
        for use, order in (("r", "relaxed device"), ("u", "acq_rel tl_blk")):
            body += f"""
    %{use}{n}, %{use}{n}_t = atomic_rmw_tko {order} %h, {mode}, %x
      : {types} -> tile<1024x{kind}>, token
"""
        body += f"    %s{n} = store_ptr_tko weak %h, %u{n} : {types} -> token\n"
    if "xchg" in MODES.get(kind, ()):
        body += f"""
    %o, %ok = atomic_cas_tko acquire sys %h, %x, %x
      : {types} -> tile<1024x{kind}>, token
    %os = store_ptr_tko weak %h, %o : {types} -> token
"""
    return f"  entry @atomics_{kind}(%p: tile<ptr<{kind}>>) {{{body}    return\n  }}"
