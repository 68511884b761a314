# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which engines may load the operand of a product, with the reason for each refusal."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.engines import EngineChoice
from cuda_tile.analysis.feeds import LoadedOperand, loaded_operands
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.targets import find_target

VIEW = """
%t = make_tensor_view {base}, shape = [%n, %m], strides = [%s, 1] : tile<i32> ->
  tensor_view<?x?xf16, strides=[?,1]>
%v = make_partition_view %t :
  partition_view<tile=(64x64){padding}, tensor_view<?x?xf16, strides=[?,1]>>
"""
LOAD = """
%x, %r = load_view_tko {order} %v[%z, %k]{token} :
  partition_view<tile=(64x64){padding}, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32>
  -> tile<64x64xf16>, token
"""
KNOWN = """
%a = assume div_by<16>, %p : tile<ptr<f16>>
%b = assume div_by<8>, %stride : tile<i32>
%s = assume bounded<0, ?>, %b : tile<i32>
%rows0 = assume bounded<0, ?>, %rows : tile<i32>
%n = assume div_by<8>, %rows0 : tile<i32>
%columns0 = assume bounded<0, ?>, %columns : tile<i32>
%m = assume div_by<8>, %columns0 : tile<i32>
"""


def kernel(
    *,
    known: str = KNOWN,
    base: str = "%a",
    padding: str = "",
    order: str = "weak",
    token: str = "",
    inside: str = "",
    load: str = LOAD,
    tile: str = "%x",
    after: str = "",
) -> str:
    view = VIEW.format(base=base, padding=padding)
    load = load.format(padding=padding, order=order, token=token)
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f16>>, %rows: tile<i32>, %columns: tile<i32>,
      %stride: tile<i32>) {{
    {known} {view}
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tok = make_token : token
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %half = constant <f16: 1.0> : tile<64x64xf16>
    %f:2 = for %k in (%z to %n, step %one) : tile<i32>
        iter_values(%acc = %zero, %tk = %tok) -> (tile<64x64xf32>, token) {{
      {inside} {load}
      %c = mmaf {tile}, {tile}, %acc : tile<64x64xf16>, tile<64x64xf16>,
        tile<64x64xf32>
      {after}
      continue %c, {"%last" if "%last =" in after else "%tk"} :
        tile<64x64xf32>, token
    }}
    return
  }}
}}
"""


def operands(module: ir.Module) -> tuple[ir.Operation, list[LoadedOperand]]:
    entry = entries(module.operation)[0]
    return entry, loaded_operands(list(nested_ops(entry)))


def refusal(text: str, engine: str, gpu: str = "sm_90", abi: str = "maps") -> str:
    module = cuda_tile.load(text.encode())
    entry, found = operands(module)
    assert len(found) == 1
    choice = EngineChoice(entry, find_target(gpu), abi)
    return choice.refusal(found[0], engine) or ""


def test_what_is_known_to_be_aligned_has_every_engine() -> None:
    for engine in ("tma", "cp_async", "threads"):
        assert refusal(kernel(), engine) == ""
    assert refusal(kernel(padding=", padding_value = zero"), "tma") == ""


def test_two_operands_of_one_product_are_one_load() -> None:
    module = cuda_tile.load(kernel().encode())
    _, (operand,) = operands(module)
    assert [index for _, index in operand.uses] == [0, 1]
    assert operand.loop.name == "cuda_tile.for"


STORE = """
%w = ftof %c : tile<64x64xf32> -> tile<64x64xf16>
%last = store_view_tko weak %w, %v[%z, %k] token = {token} : tile<64x64xf16>,
  partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32>
  -> token
"""
RESHAPED = """
%y = reshape %x : tile<64x64xf16> -> tile<1x64x64xf16>
%q = permute %y [0, 2, 1] : tile<1x64x64xf16> -> tile<1x64x64xf16>
%u = reshape %q : tile<1x64x64xf16> -> tile<64x64xf16>
"""


def test_renames_between_load_and_product_do_not_matter() -> None:
    assert refusal(kernel(load=LOAD + RESHAPED, tile="%u"), "cp_async") == ""


@pytest.mark.parametrize(
    ("text", "engine", "message"),
    [
        (kernel(padding=", padding_value = nan"), "cp_async", "its padding is nan"),
        (kernel(padding=", padding_value = nan"), "tma", "its padding is nan"),
        (
            kernel(order="relaxed device"),
            "cp_async",
            "its memory order is relaxed, copies are weak",
        ),
        (
            kernel(token=" token = %tk", after=STORE.format(token="%tok")),
            "cp_async",
            "its token is behind 'store_view_tko'",
        ),
        (
            kernel(after=STORE.format(token="%r")),
            "tma",
            "a store waits for its token",
        ),
        (
            kernel(after="%other = addf %x, %x : tile<64x64xf16>"),
            "cp_async",
            "'addf' uses its tile too",
        ),
        (
            kernel(
                known=KNOWN.replace(
                    "%s = assume bounded<0, ?>", "%s = assume div_by<1>"
                )
            ),
            "tma",
            "stride 0 may be negative; assume bounded<0, ?> on it",
        ),
        (
            kernel(known=KNOWN.replace("div_by<8>, %stride", "div_by<4>, %stride")),
            "tma",
            "stride 0 is known to be divisible by 8 bytes, TMA needs 16; assume "
            "div_by<8> on it",
        ),
        (
            kernel(known=KNOWN.replace("div_by<16>, %p", "div_by<8>, %p")),
            "tma",
            "the base is known to be divisible by 8 bytes, TMA needs 16",
        ),
        (
            kernel(known=KNOWN.replace("div_by<8>, %stride", "div_by<1>, %stride")),
            "cp_async",
            "2 bytes are known to lie together, copies need 4",
        ),
        (
            kernel(
                known=KNOWN + "%a2 = offset %a, %n : tile<ptr<f16>>, tile<i32> -> "
                "tile<ptr<f16>>",
                base="%a2",
            ),
            "tma",
            "the base of a map is a parameter of the kernel",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) and len(x) < 60 else "",
)
def test_a_refusal_says_why(text: str, engine: str, message: str) -> None:
    assert message in refusal(text, engine)


MOST = 2**31 - 1
"""The largest extent that the coordinates of a bulk copy reach."""


def wide(bound: int | None) -> str:
    """A kernel whose rows are counted by 64 bits, at most `bound` of them."""
    known = KNOWN.replace("div_by<8>, %rows0 : tile<i32>", "div_by<8>, %n0 : tile<i64>")
    most = "?" if bound is None else str(bound)
    known = known.replace(
        "%n =",
        f"%n0 = assume bounded<0, {most}>, %r64 : tile<i64>\n%n =",
    )
    known += f"%mb = assume bounded<0, {MOST}>, %m : tile<i32>\n"
    known += "%m64 = exti %mb signed : tile<i32> -> tile<i64>\n"
    known += "%s64 = exti %s signed : tile<i32> -> tile<i64>\n"
    text = kernel(known=known).replace("[%s, 1] : tile<i32>", "[%s64, 1] : tile<i64>")
    text = text.replace("shape = [%n, %m]", "shape = [%n, %m64]")
    text = text.replace("%stride: tile<i32>", "%stride: tile<i32>, %r64: tile<i64>")
    return text.replace("%z to %n,", "%z to %rows,")


def static(rows: int) -> str:
    """A kernel with a number of rows that is known."""
    text = kernel().replace("shape = [%n, %m]", f"shape = [{rows}, %m]")
    return text.replace("tensor_view<?x?x", f"tensor_view<{rows}x?x")


def unsigned(*, narrow: bool) -> str:
    """A kernel with numbers of rows and columns of which the sign is not known."""
    text = kernel(known=KNOWN.replace("bounded<0, ?>, %rows", "div_by<1>, %rows"))
    if not narrow:
        return text
    lines = "".join(
        f"%{name}16 = trunci %{name} : tile<i32> -> tile<i16>\n"
        f"%{name}8 = assume div_by<8>, %{name}16 : tile<i16>\n"
        f"%{name}0 = assume bounded<0, ?>, %{name}8 : tile<i16>\n"
        for name in "nms"
    )
    text = text.replace("%t = make_tensor_view", lines + "%t = make_tensor_view")
    text = text.replace("shape = [%n, %m]", "shape = [%n8, %m8]")
    return text.replace("[%s, 1] : tile<i32>", "[%s0, 1] : tile<i16>")


@pytest.mark.parametrize(
    ("text", "is_reached"),
    [
        (static(MOST), True),
        (static(MOST + 1), False),
        (wide(MOST), True),
        (wide(MOST + 1), False),
        (wide(None), False),
        (unsigned(narrow=False), False),
        (unsigned(narrow=True), True),
    ],
    ids=[
        "most",
        "one more",
        "known to be most",
        "known to be one more",
        "unknown",
        "perhaps beyond as unsigned",
        "of 16 bits",
    ],
)
def test_bulk_copies_reach_extents_below_two_to_31(text: str, is_reached: bool) -> None:
    wanted = "" if is_reached else f"extent 0 may exceed {MOST}, which a copy's"
    got = refusal(text, "tma")
    assert got.startswith(wanted)
    assert bool(got) != is_reached
    assert refusal(text, "cp_async") == ""
    planned = str(cuda_tile.lower(cuda_tile.load(text.encode()), "sm_90", until="plan"))
    assert ('engine = "tma"' in planned) == is_reached
    assert ('engine = "cp_async"' in planned) != is_reached
    remark = f"load by cp.async instead of TMA: extent 0 may exceed {MOST}"
    assert (remark in planned) != is_reached


def test_smaller_units_are_copied_too() -> None:
    text = kernel(known=KNOWN.replace("div_by<8>, %stride", "div_by<2>, %stride"))
    assert refusal(text, "cp_async") == ""


def test_a_chip_or_a_launcher_may_lack_the_engine() -> None:
    assert "sm_89 has no such copies" in refusal(kernel(), "tma", "sm_89")
    assert "sm_75 has no such copies" in refusal(kernel(), "cp_async", "sm_75")
    assert "abi = cuda makes no tensor maps" in refusal(kernel(), "tma", abi="cuda")


def test_an_address_that_the_turn_computes_is_refused() -> None:
    index = """
    %e, %re = load_view_tko weak %v[%z, %z] :
      partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32>
      -> tile<64x64xf16>, token
    %e0 = constant <i32: 0> : tile<i32>
    %e1 = extract %e[%e0, %e0] : tile<64x64xf16> -> tile<1x1xf16>
    %e2 = reshape %e1 : tile<1x1xf16> -> tile<f16>
    %e3 = ftoi %e2 signed : tile<f16> -> tile<i32>
    """
    load = LOAD.replace("[%z, %k]", "[%e3, %k]")
    assert "its address depends on 'load_view_tko'" in refusal(
        kernel(inside=index, load=load), "cp_async"
    )
