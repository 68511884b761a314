# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of the model of clocks: one table per chip, each number with its source.

The model of `timing/` asks it, and `plan/residency.py`, which weighs plans by the same
latencies. Nothing here was fitted to the ladders of docs/time.md; HE, TORCH and SEMI
derive a clock or a rate from times of other kernels. "published" is a measurement or
data sheet of others, or what follows from one, "assumed" an estimate that a measurement
on the chip would replace; an interval goes with each.
A source begins with a key of `SOURCES`. docs/chips.md has all of them in tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from cuda_tile.errors import Unsupported
from cuda_tile.targets import Target, find_target

Kind = Literal["measured", "published", "assumed"]
Case = Literal["low", "likely", "high"]
"""Low clocks: all constants at their best."""
CASES: tuple[Case, ...] = ("low", "likely", "high")
SOURCES = {
    "RRZE": ("RRZE-HPC/gpu-benches, L2 and DRAM bandwidth", "2026-11-23"),
    "VLA": ("revollllt/flash-vla, tests of units on H100 SXM5", "2026-11-23"),
    "LUO": (
        'Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture '
        'via Microbenchmarking", arXiv 2402.13499',
        "2026-11-28",
    ),
    "ABDEL": (
        'Abdelkhalik et al., "Demystifying the Nvidia Ampere Architecture through '
        'Microbenchmarking and Instruction-level Analysis", arXiv 2208.11174',
        "2026-11-28",
    ),
    "CUDA": (
        'CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"',
        "2026-11-28",
    ),
    "SHEET": (
        "data sheets of A100, H100, B200, RTX A6000, RTX 4090, RTX 5090",
        "2026-11-29",
    ),
    "FORUM": (
        'NVIDIA developer forums, "SM clock on RTX A6000 never reaches max frequency": '
        "1.8 GHz, 1.935 while cold",
        "2026-11-29",
    ),
    "SEMI": (
        "SemiAnalysisAI/microbench-blackwell, B200: CSV files of TMA, LDGSTS and a "
        "CUTLASS mainloop",
        "2026-11-29",
    ),
    "HE": (
        'He, "Strangely, Matrix Multiplications on GPUs Run Faster When Given '
        '"Predictable" Data!", A100',
        "2026-11-29",
    ),
    "TORCH": (
        "zzc0721/torch-performance-test-data, issues 96 and 124, RTX 5090, bf16 of "
        "10240: more than 2.41 GHz can do, 2.76 at least",
        "2026-11-29",
    ),
    "HUERTA": (
        'Huerta et al., "Analyzing Modern NVIDIA GPU Cores", MICRO 2025, arXiv '
        "2503.20481, RTX A6000",
        "2026-11-29",
    ),
    "CLOCK": ("flash-vla: 1.58 GHz; DeepGEMM, issue 120: 1.575", "2026-11-23"),
}
"""What the keys of sources stand for, and the day on which it was read."""
ASSUMED_ON = "2026-11-28"
"""The day of the assumptions."""


@dataclass(frozen=True)
class Constant:
    """A number of the hardware.

    Attributes:
        value: What it most likely is.
        fast, slow: What it may be at best and at worst, for the kernel's speed.
        kind: How it is known.
        source: Where it is from: a key of `SOURCES`, or why it is assumed.
    """

    value: float
    fast: float
    slow: float
    kind: Kind
    source: str

    def at(self, which: Case) -> float:
        """The value in one of three cases."""
        return {"low": self.fast, "likely": self.value, "high": self.slow}[which]


def _published(value: float, source: str, spread: float = 0.0) -> Constant:
    """A latency or a cost; where it is a rate, `_rate`."""
    return Constant(
        value, value * (1 - spread), value * (1 + spread), "published", source
    )


def _assumed(value: float, why: str, spread: float = 0.3) -> Constant:
    return Constant(value, value * (1 - spread), value * (1 + spread), "assumed", why)


def _rate(constant: Constant) -> Constant:
    """The same for what is better if it is more."""
    return replace(constant, fast=constant.slow, slow=constant.fast)


@dataclass(frozen=True)
class ChipClocks:
    """What the model knows of a chip. Clocks are those of a multiprocessor.

    Attributes:
        part: The product that it describes.
        multiprocessors: How many it has.
        boost_ghz: Clock of an SM without load.
        loaded_ghz: The same with tensor cores busy all the time.
        l2_bytes: Bytes per clock that a multiprocessor gets from L2, all asking.
        dram_bytes: Bytes per clock (at `boost_ghz`) of the chip's memory.
        alu: From an arithmetic instruction to one that needs its result.
        special: The same of `ex2` and the like.
        matrix: The same of `mma.sync`.
        shared: From a load of shared memory to its data.
        shuffle: The same of a shuffle.
        l2: The same of a load that L2 serves.
        dram: The same past L2.
        request: For each access of a warp to shared memory or the L1 cache, of all
            four schedulers together.
        bulk: From a bulk copy's start to the end of its mbarrier's phase, from L2.
        bulk_line: For each row of a bulk copy's box, of 128 bytes or less.
        barrier: A barrier of a CTA.
        mbarrier: From an arrival at an mbarrier to the end of the wait for it.
        jump: Issue slots of its warp that a jump costs.
        drain: A wait for the last matrix instruction of a warpgroup.
        matrix_share: Rate of `mma.sync` over that of the chip's fastest kind.
        matrix_slower: Time of matrix instructions beside copies, over that alone.
        f32_lanes, integer_lanes, convert_lanes: Results per clock.
        launch_us: Start and end of a grid, microseconds.
    """

    part: str
    multiprocessors: int
    boost_ghz: Constant
    loaded_ghz: Constant
    l2_bytes: Constant
    dram_bytes: Constant
    alu: Constant
    special: Constant
    matrix: Constant
    shared: Constant
    shuffle: Constant
    l2: Constant
    dram: Constant
    request: Constant
    bulk: Constant
    bulk_line: Constant
    barrier: Constant
    mbarrier: Constant
    jump: Constant
    drain: Constant
    matrix_share: Constant
    matrix_slower: Constant
    f32_lanes: int
    integer_lanes: int
    convert_lanes: int
    launch_us: Constant

    def of(self, name: str) -> Constant:
        """A constant by its name."""
        found: Constant = getattr(self, name)
        return found

    @property
    def assumed(self) -> list[str]:
        """The names of what is assumed."""
        names = (name for name in type(self).__dataclass_fields__)
        found = {name: getattr(self, name) for name in names}
        return [
            name
            for name, constant in found.items()
            if isinstance(constant, Constant) and constant.kind == "assumed"
        ]


_SAME = "taken over from sm_90"
_HOPPER = ChipClocks(
    part="H100 SXM5",
    multiprocessors=132,
    boost_ghz=_rate(_published(1.98, "SHEET")),
    loaded_ghz=_rate(_published(1.58, "CLOCK", 0.05)),
    l2_bytes=_rate(_published(37.5, "RRZE", 0.1)),
    dram_bytes=_rate(_published(3020 / 1.98, "VLA: 3.02 TB/s", 0.05)),
    alu=_published(4, "ABDEL; the same on later chips: LUO"),
    special=_assumed(18, "ABDEL has 18 to 23 on sm_80"),
    matrix=_published(33, "LUO: m16n8k16, f32 sum", 0.05),
    shared=_published(29, "LUO"),
    shuffle=_assumed(24, "a shared load without its conflict stage"),
    l2=_published(263, "LUO", 0.1),
    dram=_published(479, "LUO; more under load", 0.2),
    request=_published(2, "HUERTA: a scheduler's in 8 clocks, all four asking", 0.05),
    bulk=_published(774, "VLA, RRZE: 441 ns from L2", 0.25),
    bulk_line=_assumed(1.55, "SEMI has that on B200", 0.2),
    barrier=_assumed(30, "a shared access"),
    mbarrier=_published(32, "VLA", 0.3),
    jump=_assumed(8, "the depth of fetch and decode", 0.5),
    drain=_published(46, "VLA: wgmma.wait_group 0", 0.1),
    matrix_share=_rate(_published(0.63, "LUO", 0.03)),
    matrix_slower=_published(1.05, "VLA: beside bulk copies", 0.02),
    f32_lanes=128,
    integer_lanes=64,
    convert_lanes=64,
    launch_us=_assumed(1.5, "start and end of an empty grid", 0.5),
)
_AMPERE = replace(
    _HOPPER,
    part="A100 SXM4 80 GB",
    multiprocessors=108,
    boost_ghz=_rate(_published(1.41, "SHEET")),
    loaded_ghz=_rate(_published(1.23, "HE: 257 for 295 TFLOP/s of zeros", 0.05)),
    l2_bytes=_rate(_published(35.5, "RRZE: 5.4 TB/s", 0.07)),
    dram_bytes=_rate(_published(1731 / 1.41, "RRZE: 1.73 TB/s", 0.05)),
    matrix=_published(33, "LUO: m16n8k16, f32 sum", 0.05),
    l2=_published(262, "LUO", 0.1),
    dram=_published(466, "LUO; more under load", 0.2),
    bulk=_assumed(0, "the chip has none", 0),
    matrix_share=_rate(_published(1.0, "LUO: 0.97 to 1", 0.03)),
    matrix_slower=_published(1.0, "CUDA: the chip has no bulk copies"),
    f32_lanes=64,
    convert_lanes=16,
)
_GA102 = replace(
    _AMPERE,
    part="RTX A6000",
    multiprocessors=84,
    boost_ghz=_rate(_published(1.8, "FORUM", 0.07)),
    loaded_ghz=_rate(_published(1.8, "FORUM", 0.07)),
    l2_bytes=_rate(_published(16.6, "RRZE: A40, of the same die", 0.1)),
    dram_bytes=_rate(_assumed(707 / 1.8, "0.92 of the data sheet's", 0.06)),
    f32_lanes=128,
    convert_lanes=64,
)
_ADA = replace(
    _GA102,
    part="RTX 4090",
    multiprocessors=128,
    boost_ghz=_rate(_published(2.52, "SHEET", 0.06)),
    loaded_ghz=_rate(_published(2.52, "SHEET", 0.06)),
    l2_bytes=_rate(_assumed(16.6, "RRZE has that on A40", 0.25)),
    dram_bytes=_rate(_assumed(927 / 2.52, "0.92 of the data sheet's", 0.06)),
    shared=_published(30, "LUO"),
    l2=_published(273, "LUO", 0.1),
    dram=_published(541, "LUO; more under load", 0.2),
)
_BLACKWELL = replace(
    _HOPPER,
    part="B200",
    multiprocessors=148,
    boost_ghz=_rate(_published(1.965, "SHEET")),
    loaded_ghz=_rate(_assumed(1.6, "power as on H100", 0.12)),
    l2_bytes=_rate(_assumed(40, _SAME, 0.25)),
    dram_bytes=_rate(_published(7200 / 1.965, "SEMI: 7.2 TB/s by TMA", 0.05)),
    matrix=_assumed(33, _SAME),
    l2=_published(350, "SEMI: the least of LDGSTS", 0.15),
    dram=_published(1100, "SEMI: the median of LDGSTS past L2", 0.2),
    bulk=_published(850, "SEMI: 900 with its loop past L2, 512 bytes", 0.2),
    bulk_line=_published(1.55, "SEMI: CUTLASS, 6 and more stages of one CTA", 0.05),
    drain=_assumed(60, "a commit through an mbarrier; sm_90 has 46", 0.5),
    matrix_share=_rate(_assumed(0.25, "mma.sync as on sm_90, half its share", 0.5)),
    matrix_slower=_assumed(1.05, _SAME, 0.05),
)
_GRAPHICS = replace(
    _HOPPER,
    part="RTX 5090",
    multiprocessors=170,
    boost_ghz=_rate(_published(2.8, "TORCH: 236 to 240 TFLOP/s", 0.05)),
    loaded_ghz=_rate(_published(2.8, "TORCH: 236 to 240 TFLOP/s", 0.05)),
    l2_bytes=_rate(_assumed(32, "RRZE has 16.6 on A40, ours 40", 0.4)),
    dram_bytes=_rate(_assumed(1600 / 2.8, "0.9 of the data sheet's", 0.06)),
    matrix=_assumed(35, _SAME),
    l2=_assumed(350, "a higher clock; sm_90 has 263"),
    dram=_assumed(900, "GDDR7 and a higher clock"),
    bulk=_assumed(1000, "a higher clock; sm_90 has 774"),
    matrix_share=_rate(_assumed(1.0, "mma.sync is all there is", 0.05)),
    matrix_slower=_assumed(1.0, "no warpgroup products", 0.02),
)
_CHIPS = {
    "sm_80": _AMPERE,
    "sm_86": _GA102,
    "sm_89": _ADA,
    "sm_90": _HOPPER,
    "sm_100": _BLACKWELL,
    "sm_120": _GRAPHICS,
}


def described_chips() -> dict[str, ChipClocks]:
    """The chips that have constants, by name."""
    return dict(_CHIPS)


def nearest_clocks(target: Target) -> ChipClocks:
    """The constants of a chip, or of the latest before it that has some, or the first.

    To compare kernels with each other; a time needs the chip's own.
    """
    earlier = (
        clocks
        for name, clocks in reversed(_CHIPS.items())
        if find_target(name).capability <= target.capability
    )
    return next(earlier, _AMPERE)


def chip_clocks(target: Target) -> ChipClocks:
    """The constants of a chip.

    Raises:
        Unsupported: There are none; says which.
    """
    found = _CHIPS.get(target.chip)
    if found is None:
        raise Unsupported(
            f"the model of clocks knows {', '.join(_CHIPS)}; of {target.chip} it lacks "
            "latencies, bandwidths and clocks (chip_clocks.py); bounds need none"
        )
    return found


def shared_clocks(units: Iterable[float], alone: float, together: int) -> float:
    """Clocks of CTAs that share a multiprocessor, from the first to the last.

    Mean value analysis of a closed queueing network (Reiser and Lavenberg, "Mean-value
    analysis of closed multichain queuing networks", 1980): each CTA goes from unit to
    unit, and waits behind those that it finds there. A CTA that keeps one unit busy all
    the time needs its time for each; others overlap, but not without loss. Units that a
    CTA uses beside its busiest one make it wait as far as they take time of their own.

    Args:
        units: Clocks for which one of them needs each unit.
        alone: Clocks of one that has the multiprocessor for itself.
        together: How many there are.
    """
    busiest, *others = sorted(units, reverse=True)
    if not (alone := max(busiest, alone)):
        return 0.0
    rest = sum(others)
    scale = min(1.0, (alone - busiest) / rest) if rest else 0.0
    needs = [busiest, *(scale * clocks for clocks in others)]
    queues, rate = [0.0] * len(needs), 0.0
    for count in range(1, together + 1):
        waits = [need * (1 + queue) for need, queue in zip(needs, queues, strict=True)]
        rate = count / (sum(waits) + alone - sum(needs))
        queues = [rate * wait for wait in waits]
    return together / rate
