# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products at level W whose operands come through a ring, as text written by hand.

The iterations of a ring of S slots run `ahead` iterations before the product: the first
ones are filled before the loop, the others while the loop multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.api import Compiled
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.ir.launch import emitted_kernels, read_launch
from cuda_tile.ir.walk import entry_name
from cuda_tile.layout.atoms import M16N8K16
from cuda_tile.layout.boxes import boxes
from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.fragments import coalesced, tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_swizzle
from cuda_tile.layout.wgmma import tile_wgmma, wgmma_atom
from cuda_tile.options import Options
from cuda_tile.pipeline import PIPELINE, Compilation, run_step
from cuda_tile.report import make_report

Sizes = tuple[int, int, int]
DEPTH = 16
"""Elements along K of one matrix instruction."""


def spelled(layout: LinearLayout | SharedLayout) -> str:
    """A layout as the text form has it."""

    def basis(terms: list[tuple[int, int]]) -> str:
        return "+".join(f"{step}@{dim}" for step, dim in terms) or "0"

    groups = ["(" + ", ".join(map(basis, group)) + ")" for group in layout.groups()]
    inner = groups[0] if len(groups) == 1 else f"({', '.join(groups)})"
    return f"#cute.layout<{inner}>"


@dataclass(frozen=True)
class RingProduct:
    """C = A @ B of f16 with sums in f32, one tile of C per tile block.

    Attributes:
        tile: Rows, columns and depth of the tiles.
        warps: Warps along the rows and the columns.
        slots: Slots of the ring.
        ahead: Iterations by which copies run ahead, below `slots`.
        divisor: What is known to divide all extents.
        release_early: Whether a slot is released right behind its last load, and the
            next copies stand behind that.
        fill: Who fills the ring: `cp_async`, `tma`, or `threads` with what they loaded.
        sync: What the ring's users wait for.
        drain: Who multiplies: `threads`, or `wgmma` of one warpgroup per 64 rows.
        load_warps: Warps of a role of its own that fills the ring; 0 for one role.
        gpu: The chip.
    """

    tile: Sizes = (64, 64, 32)
    warps: tuple[int, int] = (2, 2)
    slots: int = 3
    ahead: int = 2
    divisor: int = 8
    release_early: bool = False
    fill: str = "cp_async"
    drain: str = "threads"
    sync: str = "groups"
    load_warps: int = 0
    gpu: str = "sm_80"

    @cached_property
    def text(self) -> str:
        """The kernel."""
        m, n, k = self.tile
        a = tile_mma((m, DEPTH), self.warps, "a", M16N8K16)
        b = tile_mma((DEPTH, n), self.warps, "b", M16N8K16)
        c = tile_mma((m, n), self.warps, "c", M16N8K16)
        if self.drain == "wgmma":
            atom = wgmma_atom(self._atom)
            assert atom is not None
            c = tile_wgmma((m, n), (m // 64, 1), "c", atom)
        return self._module(
            f"!a = !cuda_tile.tile<{m}x{DEPTH}xf16, {spelled(a)}>",
            f"!b = !cuda_tile.tile<{DEPTH}x{n}xf16, {spelled(b)}>",
            f"!c = !cuda_tile.tile<{m}x{n}xf32, {spelled(c)}>",
            "!p = !tileas.pending<!c>",
            f"!la = !cuda_tile.tile<{m}x{k}xf16, {spelled(self._loaded(m, k))}>",
            f"!lb = !cuda_tile.tile<{k}x{n}xf16, {spelled(self._loaded(k, n))}>",
        )

    def _module(self, *tiles: str) -> str:
        """The module; `tiles` are the names of types of tiles."""
        m, n, k = self.tile
        shared_a, shared_b = self._buffers
        padded = "padding_value = zero, "
        lines = [
            *tiles,
            f"!sa = !tileas.buffer<{m}x{k}xf16, {spelled(shared_a)}>",
            f"!sb = !tileas.buffer<{k}x{n}xf16, {spelled(shared_b)}>",
            f"!ring = !tileas.ring<{self.slots}, !sa, !sb>",
            "!i = !cuda_tile.tile<i32>",
            "!matrix = !cuda_tile.tensor_view<?x?xf16, strides=[?,1]>",
            "!out = !cuda_tile.tensor_view<?x?xf32, strides=[?,1]>",
            f"!ta = !cuda_tile.partition_view<tile=({m}x{k}), {padded}!matrix>",
            f"!tb = !cuda_tile.partition_view<tile=({k}x{n}), {padded}!matrix>",
            f"!tc = !cuda_tile.partition_view<tile=({m}x{n}), !out>",
            "cuda_tile.module @kernels {",
            *self._entry(),
            "}",
        ]
        return "\n".join(lines)

    @cached_property
    def _buffers(self) -> tuple[SharedLayout, SharedLayout]:
        """The layouts of A and B in a slot: without conflicts for both sides."""
        m, n, k = self.tile
        n_warps = self.warps[0] * self.warps[1]
        if self.drain == "wgmma":
            return panel_buffer((m, k), 16, 1, None), panel_buffer((k, n), 16, 1, n)
        a = tile_mma((m, DEPTH), self.warps, "a", M16N8K16)
        b = tile_mma((DEPTH, n), self.warps, "b", M16N8K16)
        return (
            choose_swizzle((m, k), 16, coalesced((m, k), (1, 0), 8, n_warps), a),
            choose_swizzle((k, n), 16, coalesced((k, n), (1, 0), 8, n_warps), b),
        )

    def _loaded(self, rows: int, columns: int) -> LinearLayout:
        """The layout of a tile that threads load and store into a slot."""
        n_warps = self.load_warps or self.warps[0] * self.warps[1]
        return coalesced((rows, columns), (1, 0), 8, n_warps)

    @property
    def _atom(self) -> str:
        """The instruction of a warpgroup."""
        return f"m64n{self.tile[1]}k16"

    def _maps(self) -> str:
        """The tensor maps of A and B."""
        sides = (("arg 5", "arg 3"), ("arg 4", "arg 5"))
        maps: list[str] = []
        for number, (shape, layout) in enumerate(
            zip(sides, self._buffers, strict=True)
        ):
            found = boxes(layout, (1, 0), 16)
            assert found is not None
            box = ", ".join(map(str, found.extents))
            maps.append(
                f'{{access = "load", base = {number}, box = [{box}], element = "f16", '
                'fill = "zero", kind = "tensor_map", l2_promotion_bytes = 256, '
                "required = true, "
                f'shape = ["{shape[0]}", "{shape[1]}"], strides = ["{shape[0]}"], '
                f"swizzle_bytes = {found.swizzle_bytes}}}"
            )
        return f"tileas.maps = [{', '.join(maps)}], " if self.fill == "tma" else ""

    def _entry(self) -> list[str]:
        plan = (
            f"{{num_warps = {self.warps[0] * self.warps[1]} : i64, "
            f"warps_m = {self.warps[0]} : i64, warps_n = {self.warps[1]} : i64}}"
        )
        return [
            "entry @product(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, "
            "%pc: tile<ptr<f32>>, %m: !i, %n: !i, %k: !i) "
            f"attributes {{{self._maps()}"
            f'tileas.target = "{self.gpu}", tileas.plan = {plan}}} {{',
            *self._views(),
            "%rows, %trips = get_index_space_shape %ta : !ta -> !i",
            "%i, %j, %z = get_tile_block_id : !i",
            *(f"%c{x} = constant <i32: {x}> : !i" for x in range(self.slots + 2)),
            f'%r = tileas.ring fill = "{self.fill}" drain = "{self.drain}" '
            f'sync = "{self.sync}" : !ring',
            *(self._roles() if self.load_warps else self._body()),
            "return",
            "}",
        ]

    def _roles(self) -> list[str]:
        warps, threads = self.warps[0] * self.warps[1], 32 * self.load_warps
        loading = 1 if self.fill == "tma" else threads
        return [
            f'tileas.roles role "work" warps = {warps} threads = {32 * warps} '
            "registers = 0 {",
            *self._body(),
            f'}} role "load" warps = {self.load_warps} threads = {loading} '
            "registers = 0 {",
            "for %t in (%c0 to %trips, step %c1) : tile<i32> {",
            "%fa, %fb = tileas.acquire %r[%t] : !ring",
            *self._copies("%t", "f"),
            "tileas.publish %r[%t] : !ring",
            "}",
            "}",
        ]

    def _body(self) -> list[str]:
        ahead = 0 if self.load_warps else self.ahead
        first = [line for iteration in range(ahead) for line in self._first(iteration)]
        if self.drain == "wgmma":
            return [
                *first,
                "%zero = constant <f32: 0.0> : !c",
                "%start = tileas.settled %zero : !c",
                "%last = for %t in (%c0 to %trips, step %c1) : tile<i32> "
                "iter_values(%acc = %start) -> (!p) {",
                *self._multiply(),
                "}",
                "%sum = tileas.await %last : !p",
                "%tok = store_view_tko weak %sum, %tc[%i, %j] : !c, !tc, !i -> token",
            ]
        return [
            "%zero = constant <f32: 0.0> : !c",
            *first,
            "%sum = for %t in (%c0 to %trips, step %c1) : tile<i32> "
            "iter_values(%acc = %zero) -> (!c) {",
            *self._loop(),
            "}",
            "%tok = store_view_tko weak %sum, %tc[%i, %j] : !c, !tc, !i -> token",
        ]

    def _views(self) -> list[str]:
        lines: list[str] = []
        for name in "mnk":
            lines += [
                f"%{name}0 = assume bounded<0, ?>, %{name} : !i",
                f"%{name}1 = assume div_by<{self.divisor}>, %{name}0 : !i",
            ]
        sides = (("a", "mk", "f16"), ("b", "kn", "f16"), ("c", "mn", "f32"))
        for name, (rows, columns), element in sides:
            view = "!out" if name == "c" else "!matrix"
            lines += [
                f"%q{name} = assume div_by<16>, %p{name} : tile<ptr<{element}>>",
                f"%v{name} = make_tensor_view %q{name}, shape = [%{rows}1, "
                f"%{columns}1], strides = [%{columns}1, 1] : !i -> {view}",
                f"%t{name} = make_partition_view %v{name} : !t{name}",
            ]
        return lines

    def _copies(self, iteration: str, slot: str) -> list[str]:
        if self.fill == "threads":
            return [
                *self._copy_by_threads("a", f"%i, {iteration}", slot),
                *self._copy_by_threads("b", f"{iteration}, %j", slot),
            ]
        engines = [f'engine = "{self.fill}"'] * 2
        if self.fill == "tma":
            engines = [f"{engine} map = {i}" for i, engine in enumerate(engines)]
        return [
            f"%{slot}ta = tileas.copy_in %ta[%i, {iteration}] to %{slot}a "
            f"{engines[0]} : !ta[!i, !i] to !sa",
            f"%{slot}tb = tileas.copy_in %tb[{iteration}, %j] to %{slot}b "
            f"{engines[1]} : !tb[!i, !i] to !sb",
        ]

    def _copy_by_threads(self, name: str, index: str, slot: str) -> list[str]:
        return [
            f"%{slot}x{name}, %{slot}t{name} = load_view_tko weak %t{name}[{index}] "
            f": !t{name}, !i -> !l{name}, token",
            f"tileas.store_shared %{slot}x{name}, %{slot}{name} : !l{name}, !s{name}",
        ]

    def _fill(self, iteration: str, slot: str) -> list[str]:
        """Fills the slot of an iteration, if there is such an iteration.

        Of a ring of groups each iteration is one, though it be empty.
        """
        condition = f"cmpi less_than {iteration}, %trips, signed : !i -> tile<i1>"
        if self.sync == "mbarriers":
            return [
                f"%{slot}n = {condition}",
                f"if %{slot}n {{",
                f"%{slot}a, %{slot}b = tileas.acquire %r[{iteration}] : !ring",
                *self._copies(iteration, slot),
                f"tileas.publish %r[{iteration}] : !ring",
                "}",
            ]
        return [
            f"%{slot}a, %{slot}b = tileas.acquire %r[{iteration}] : !ring",
            f"%{slot}n = {condition}",
            f"if %{slot}n {{",
            *self._copies(iteration, slot),
            "}",
            f"tileas.publish %r[{iteration}] : !ring",
        ]

    def _first(self, iteration: int) -> list[str]:
        return self._fill(f"%c{iteration}", f"p{iteration}")

    def _multiply(self) -> list[str]:
        """An iteration whose product the next one awaits, to release its slot."""
        fill = [f"%next = addi %t, %c{self.ahead} : !i", *self._fill("%next", "f")]
        groups = f"groups = {self.ahead - 1} " if self.sync == "groups" else ""
        return [
            f"%da, %db = tileas.take %r[%t] {groups}: !ring",
            f'%more = tileas.wgmma %da, %db, %acc atom = "{self._atom}" : !sa, !sb, !p',
            "%before = subi %t, %c1 : !i",
            "%any = cmpi greater_than %t, %c0, signed : !i -> tile<i1>",
            "if %any {",
            "tileas.release %r[%before] after(%acc : !p) groups = 1 : !ring",
            "}",
            *([] if self.load_warps else fill),
            "continue %more : !p",
        ]

    def _loop(self) -> list[str]:
        fill = [f"%next = addi %t, %c{self.ahead} : !i", *self._fill("%next", "f")]
        fill = [] if self.load_warps else fill
        groups = f"groups = {self.ahead - 1} " if self.sync == "groups" else ""
        lines = [f"%da, %db = tileas.take %r[%t] {groups}: !ring"]
        lines += [] if self.release_early else fill
        sums = "%acc"
        for k in range(0, self.tile[2], DEPTH):
            lines += [
                f"%a{k} = tileas.load_shared %da[0, {k}] : !sa -> !a",
                f"%b{k} = tileas.load_shared %db[{k}, 0] : !sb -> !b",
                f"%s{k} = tileas.mma_sync %a{k}, %b{k}, {sums} "
                'atom = "m16n8k16" : !a, !b, !c',
            ]
            sums = f"%s{k}"
        lines.append("tileas.release %r[%t] : !ring")
        lines += fill if self.release_early else []
        return [*lines, f"continue {sums} : !c"]

    def compiled(self, *, cubin: bool = False) -> Compiled:
        """PTX, launch data and, if wanted, the cubin."""
        return compile_placed(self.text, self.gpu, cubin=cubin)

    def run(self, compiled: Compiled, sizes: Sizes, **choices: Any) -> tuple[Any, Any]:
        """What the emulator says of a product of some sizes, and what is right."""
        a, b, c = product_data(sizes)
        tiles = [
            -(-n // step) for n, step in zip(sizes[:2], self.tile[:2], strict=True)
        ]
        cuda_tile.run(
            cuda_tile.load(self.text.encode()),
            grid=tiles,
            args=[a, b, c, *(np.int32(n) for n in sizes)],
            on="emulator",
            compiled=compiled,
            **choices,
        )
        return c, a.astype(np.float32) @ b.astype(np.float32)


def emit_placed(text: str, gpu: str) -> ir.Module:
    """Level P of a module of level W that has its rings."""
    module = cuda_tile.load(text.encode())
    _run(Compilation(module.operation, Options(gpu=gpu)), module, "emit")
    return module


def compile_placed(text: str, gpu: str, *, cubin: bool = False) -> Compiled:
    """The same down to PTX and, if wanted, a cubin."""
    module, options = cuda_tile.load(text.encode()), Options(gpu=gpu)
    compilation = Compilation(module.operation, options)
    _run(compilation, module, "ptxas" if cubin else "llvm")
    with module.context:
        kernels = emitted_kernels(compilation.module)
        launch = {entry_name(kernel): read_launch(kernel) for kernel in kernels}
    assembled = compilation.assembled or Assembled(b"", {}, ())
    report = make_report(options.target, launch, assembled, {}, {})
    return Compiled(compilation.ptx or "", assembled.cubin, report, launch)


def _run(compilation: Compilation, module: ir.Module, last: str) -> None:
    """The steps from `allocate` to `last`, with the verifier behind each pass."""
    names = [step.name for step in PIPELINE]
    with module.context, ir.Location.unknown():
        for step in PIPELINE[names.index("allocate") : names.index(last) + 1]:
            run_step(step, compilation)
            if step.level == "W":
                assert module.operation.verify()


def product_data(
    sizes: Sizes, seed: int = 1
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A, B and an output for C, of small numbers whose sums are exact."""
    m, n, k = sizes
    generator = np.random.default_rng(seed)
    a = generator.integers(-4, 5, (m, k)).astype(np.float16)
    b = generator.integers(-4, 5, (k, n)).astype(np.float16)
    return a, b, np.zeros((m, n), np.float32)
