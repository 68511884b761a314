# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPUs this compiler knows: one row each, with the sizes and rates of a chip.

The first chip with an instruction stands in instructions.py, that with a matrix
instruction of threads in the table of its engine (layout/atoms.py, layout/wgmma.py).

Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
Capability" (threads, registers, shared memory); PTX ISA, "Release Notes"
(first PTX version of a target and of an instruction) and "PTX Module Directives:
.target" (architecture-specific and family-specific targets). That LLVM 22 and ptxas
13.5 take each target with its PTX version is tested. docs/chips.md shows the table.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cuda_tile.errors import UserError
from cuda_tile.instructions import TENSOR_KINDS, Needs, needs_of
from cuda_tile.records import dataclass

WARP_LANES = 32
WARP_COUNTS = (1, 2, 4, 8, 16)
"""Warps that a CTA may be planned with. 8 warps of 255 registers take nearly all that a
multiprocessor has, so that more only share them."""
DEFAULT_GPU = "sm_90"
"""The chip to compile for where nobody names one."""
REGISTER_BITS = 32
MAX_REGISTERS = 255
"""Registers a thread can address (CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability")."""
REGISTER_UNIT_PER_WARP = 256
"""Registers are given to warps in units of this many (CUDA, occupancy calculator)."""
MOST_CLUSTER, PORTABLE_CLUSTER = 16, 8
"""CTAs of a cluster; above 8 the launcher must allow it (CUDA C++ Programming Guide,
"Thread Block Clusters": cudaFuncAttributeNonPortableClusterSizeAllowed)."""
MAX_STATIC_SHARED_BYTES = 48 * 1024
"""Largest `.shared` variable of fixed size; more must be dynamic (same guide)."""


@dataclass(frozen=True)
class Target:
    """What passes may know of a chip.

    Attributes:
        name: The name that the user gives: `sm_90`, `sm_90a`, `sm_100f`.
        ptx_version: PTX version to write, 78 for 7.8: the first that has the chip and
            the instructions that emission makes for it. Above the chip's own:
            sm_75 to sm_87 for `fence.proxy.alias` (7.5); sm_89 and sm_90 for `mma` of
            8-bit floats (8.4), sm_90 also for vector `red` and `multimem` (8.1); from
            sm_100 on for 256-bit accesses and family targets (8.8).
        shared_bytes_per_cta: Shared memory one CTA may ask for, opt-in limit.
        shared_bytes_per_sm: Shared memory of a multiprocessor usable by CTAs.
        shared_bytes_reserved: Bytes the system takes of it for each CTA.
        threads_per_sm: Resident threads of a multiprocessor.
        ctas_per_sm: Resident CTAs of a multiprocessor.
        registers_per_sm: 32-bit registers of a multiprocessor.
        fma_per_clock: Multiply-adds of matrix instructions per clock of a
            multiprocessor, 16-bit operands with an f32 sum (NVIDIA's architecture white
            papers; of sm_75, sm_86, sm_89 and sm_120 the GeForce parts, the slower
            ones).
        l2_bytes_per_clock: Bytes per clock that a multiprocessor gets from the L2 cache
            when all ask at once (published microbenchmarks; to be measured). sm_100
            has 64, for a bound must not exceed what was published: a product of
            gau-nernst/learn-cuda moves 52 at the boost clock, 64 at 1.6 GHz.
        dram_bytes_per_clock: The same from global memory past the L2 cache: memory
            bandwidth over multiprocessors and boost clock of the fastest part (data
            sheets; sm_80: 1,935 GB/s, 108, 1.41 GHz, sm_90: 3,350, 132, 1.83).
        copy_latency_clocks: Clocks from a global load to its data, under load (same).
        shared_bytes_per_clock: Bytes per clock of a multiprocessor's shared memory, 32
            banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory").
        exp2_per_clock: Results of `ex2` per clock and multiprocessor (same guide,
            "Throughput of Native Arithmetic Instructions"; sm_103: assumed twice as
            many, since FlashAttention 4 computes none by polynomials there; to be
            measured).
        tensor_columns: Columns of a multiprocessor's tensor memory, 128 lanes of 32
            bits each; 0 where there is none (PTX ISA, "Tensor Memory Addressing").
    """

    name: str
    ptx_version: int
    shared_bytes_per_cta: int
    shared_bytes_per_sm: int
    threads_per_sm: int
    ctas_per_sm: int
    fma_per_clock: int
    l2_bytes_per_clock: int
    dram_bytes_per_clock: float
    copy_latency_clocks: int
    shared_bytes_per_clock: int = 128
    exp2_per_clock: int = 16
    shared_bytes_reserved: int = 1024
    registers_per_sm: int = 65536
    tensor_columns: int = 0

    def register_limit(self, num_warps: int, ctas: int) -> int:
        """Registers a thread may have so that `ctas` CTAs fit; 0 CTAs count as 1."""
        unit = REGISTER_UNIT_PER_WARP // WARP_LANES
        share = self.registers_per_sm // (max(1, ctas) * num_warps * WARP_LANES)
        return min(MAX_REGISTERS, share // unit * unit)

    def most_ctas(self, num_warps: int) -> int:
        """CTAs of so many warps that the threads of a multiprocessor allow."""
        return min(self.ctas_per_sm, self.threads_per_sm // (num_warps * WARP_LANES))

    def resident_ctas(
        self, num_warps: int, registers: int, shared_bytes: int = 0
    ) -> int:
        """CTAs that a multiprocessor holds at once; at least 1.

        CUDA C++ Programming Guide, "Multiprocessor Level": threads, CTAs, registers in
        units per warp, and shared memory limit them.

        Args:
            num_warps: Warps of a CTA.
            registers: Registers of a thread.
            shared_bytes: Shared memory of a CTA.
        """
        per_warp = -(-registers * WARP_LANES // REGISTER_UNIT_PER_WARP)
        per_warp *= REGISTER_UNIT_PER_WARP
        by_registers = self.registers_per_sm // (per_warp * num_warps)
        used = max(1, shared_bytes + self.shared_bytes_reserved)  # sm_75 reserves none
        by_shared = self.shared_bytes_per_sm // used
        return max(1, min(self.most_ctas(num_warps), by_registers, by_shared))

    @property
    def capability(self) -> int:
        """Compute capability as a number, 90 for sm_90, sm_90a and sm_90f."""
        return int(re.sub(r"\D", "", self.name))

    @property
    def chip(self) -> str:
        """The chip without what follows its number, as a producer's hints name it."""
        return f"sm_{self.capability}"

    @property
    def f64_fma_per_clock(self) -> int:
        """`fma_per_clock` with f64 operands."""
        return _F64_FMA_PER_CLOCK.get(self.chip, _F64_FMA_WITHOUT_MATRIX_UNITS)

    @property
    def multiprocessors(self) -> int:
        """Of the largest part with this chip; 0 where nothing asks for them."""
        return _MULTIPROCESSORS.get(self.chip, 0)

    @property
    def has_slow_f32_sums(self) -> bool:
        """Whether f32 sums of narrow floats run at half the rate of other sums."""
        return self.chip in _SLOW_F32_SUMS

    @property
    def arch(self) -> str:
        """What LLVM and ptxas are told.

        From sm_90 on a chip has instructions that only code for that very chip may
        use, target `sm_90a`. A cubin runs on one chip anyway, so that a plain name
        means this target too. A family name, `sm_100f`, stays what it is: its code
        runs on the later chips of the family.
        """
        is_plain = self.name == self.chip
        return f"{self.name}a" if is_plain and self.has_own_target else self.name

    @property
    def features(self) -> str:
        """What LLVM is told beside `arch`: the PTX version."""
        return f"+ptx{self.ptx_version}"

    @property
    def has_own_target(self) -> bool:
        """Whether the chip has an architecture-specific target, `sm_90a`."""
        return self.capability >= FIRST_ARCHITECTURE_SPECIFIC

    @property
    def is_specific(self) -> bool:
        """Whether code may use what only this chip has (`sm_90a`)."""
        return self.arch.endswith("a")

    def has(self, instruction: str) -> bool:
        """Whether it has an instruction, by a name of instructions.py."""
        return not self.lacks(needs_of(instruction))

    def rounds_to_tf32(self, mode: str) -> bool:
        """Whether it rounds f32 to tf32 in a rounding mode by an instruction."""
        return self.has("cvt.rna.tf32" if mode == "nearest_away" else "cvt.rn.tf32")

    def lacks(self, needs: Needs) -> str:
        """What it would have to be for an instruction; empty where it has it."""
        if self.capability < needs.capability:
            return f"sm_{needs.capability} or later"
        if self.ptx_version < needs.ptx_version:
            return "PTX {}.{}".format(*divmod(needs.ptx_version, 10))
        if needs.tensor_kind and needs.tensor_kind not in self.tensor_kinds:
            return f"a target with kind {needs.tensor_kind} of tcgen05"
        if needs.feature and not getattr(self, needs.feature):
            return "sm_100a, sm_100f or sm_103a"
        return ""

    @property
    def has_packed_f32(self) -> bool:
        """Whether the machine does two sums or products of f32 at once (`fma.f32x2`).

        PTX has them from sm_100 on (PTX ISA, "fma", Target ISA Notes). By nvdisasm,
        ptxas 13.5 makes one FFMA2 of each for these chips, and two FFMA for the others.
        """
        return self.chip in _FAMILY_100

    @property
    def has_redux_f32(self) -> bool:
        """Whether `redux.sync` takes f32 (PTX ISA, "redux.sync", Target ISA Notes)."""
        return self.chip in _FAMILY_100 and self.is_family

    @property
    def has_clusters(self) -> bool:
        """Whether CTAs of a cluster reach each other's shared memory.

        From sm_90 on (PTX ISA, "Cluster of Cooperative Thread Arrays"). Chips for
        graphics from sm_120 on, whose multiprocessors form no large clusters, are left
        out.
        """
        return FIRST_CLUSTERS <= self.capability < FIRST_GRAPHICS_CLUSTERS

    @property
    def tensor_kinds(self) -> tuple[str, ...]:
        """The kinds of `tcgen05.mma`; none without tensor memory.

        PTX ISA, "tcgen05.mma", Target ISA Notes: kind i8 is one of sm_100a and sm_110a
        alone, not of their families.
        """
        if not self.tensor_columns or not self.is_family:
            return ()
        has_bytes = self.is_specific and self.chip in _TENSOR_BYTES
        return TENSOR_KINDS if has_bytes else TENSOR_KINDS[:-1]

    @property
    def has_load_max(self) -> bool:
        """Whether `tcgen05.ld.red` gives the maximum of the columns it loads.

        PTX ISA, "tcgen05.ld", Target ISA Notes.
        """
        return self.chip in _LOAD_MAX and bool(self.tensor_kinds)

    @property
    def moves_registers(self) -> bool:
        """Whether roles take registers from each other here (`setmaxnreg`).

        Where products run by themselves; chips from sm_120 on have the instruction,
        too, but no plan asks for it.
        """
        return self.arch == "sm_90a" or bool(self.tensor_kinds)

    @property
    def is_family(self) -> bool:
        """Whether code may use what only the chip's family has (`sm_100a`, `sm_100f`).

        PTX ISA lists these instructions under "family-specific"; the
        architecture-specific target of a member has them too.
        """
        return self.capability >= FIRST_FAMILY_SPECIFIC and not self.arch[-1].isdigit()


FIRST_CLUSTERS, FIRST_GRAPHICS_CLUSTERS = 90, 120
FIRST_ARCHITECTURE_SPECIFIC = 90
"""The capability from which on a chip has a target `sm_XYa` (PTX ISA, ".target")."""
FIRST_FAMILY_SPECIFIC = 100
"""The same for `sm_XYf`."""

_KIB = 1024
# 19.5 TFLOPS of 108 multiprocessors at 1.41 GHz, 67 of 132 at 1.98, 40 of 148 at 1.97
# (data sheets). Elsewhere the f64 units do it (CUDA C++ Programming Guide, "Throughput
# of Native Arithmetic Instructions").
_F64_FMA_PER_CLOCK = {"sm_80": 64, "sm_90": 128, "sm_100": 64}
_F64_FMA_WITHOUT_MATRIX_UNITS = 2
# H100 SXM and H200 (data sheets); other chips have no role that loads.
_MULTIPROCESSORS = {"sm_90": 132}
_TENSOR_BYTES = ("sm_100", "sm_110")
_FAMILY_100 = ("sm_100", "sm_103")
_LOAD_MAX = ("sm_103", "sm_110")
_TENSOR_COLUMNS = 512
# GeForce parts (architecture white papers of Turing, Ampere, Ada, Blackwell): sums in
# f16 and of integers are twice as fast as sums in f32.
_SLOW_F32_SUMS = ("sm_75", "sm_86", "sm_89", "sm_120", "sm_121")
# Compute capabilities of products (NVIDIA, "CUDA GPU Compute Capability"): what users
# call a chip by. A name is found in what a user wrote without case and punctuation.
PRODUCTS = {
    "sm_75": ("T4", "RTX 2080", "RTX 2070", "RTX 2060", "GTX 1660"),
    "sm_80": ("A100", "A30"),
    "sm_86": ("A10", "A40", "RTX A6000", "RTX 3090", "RTX 3080", "RTX 3070"),
    "sm_87": ("Orin",),
    "sm_89": ("L4", "L40S", "L40", "RTX 4090", "RTX 4080", "RTX 4070", "RTX 4060"),
    "sm_90": ("H100", "H200", "H800", "GH200"),
    "sm_100": ("B200", "GB200"),
    "sm_103": ("B300", "GB300"),
    "sm_110": ("Thor",),
    "sm_120": ("RTX 5090", "RTX 5080", "RTX 5070", "RTX PRO 6000"),
    "sm_121": ("GB10", "DGX Spark"),
}
"""Some products with each chip, the best known first."""
_OLDER = ("v100", "p100", "titanv", "gtx1080", "gtx1070", "gtx1060")
_OLDER_CAPABILITY = 30
"""Names of products, and the first capability, of chips before the first row."""
_CHIPS = (
    Target(
        *("sm_75", 75, 64 * _KIB, 64 * _KIB, 1024, 16, 256, 20, 5.3, 600),
        shared_bytes_reserved=0,
    ),
    Target("sm_80", 75, 163 * _KIB, 164 * _KIB, 2048, 32, 1024, 47, 12.7, 600),
    Target("sm_86", 75, 99 * _KIB, 100 * _KIB, 1536, 16, 256, 35, 7.0, 600),
    Target("sm_87", 75, 163 * _KIB, 164 * _KIB, 1536, 16, 512, 35, 9.8, 600),
    Target("sm_88", 90, 99 * _KIB, 100 * _KIB, 1536, 16, 256, 35, 9.8, 600),
    Target("sm_89", 84, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 35, 3.1, 600),
    Target("sm_90", 84, 227 * _KIB, 228 * _KIB, 2048, 32, 2048, 45, 13.9, 900),
    Target(
        *("sm_100", 88, 227 * _KIB, 228 * _KIB, 2048, 32, 4096, 64, 27.5, 900),
        tensor_columns=_TENSOR_COLUMNS,
    ),
    Target(
        *("sm_103", 88, 227 * _KIB, 228 * _KIB, 2048, 32, 4096, 64, 26.0, 900),
        exp2_per_clock=32,
        tensor_columns=_TENSOR_COLUMNS,
    ),
    Target(
        *("sm_110", 90, 227 * _KIB, 228 * _KIB, 1536, 24, 2048, 40, 8.7, 900),
        tensor_columns=_TENSOR_COLUMNS,
    ),
    Target("sm_120", 88, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 40, 4.4, 700),
    Target("sm_121", 88, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 40, 2.4, 700),
)


def _named(chip: Target) -> list[Target]:
    """The names under which a chip can be asked for."""
    suffixes = [""]
    suffixes += ["a"] if chip.has_own_target else []
    suffixes += ["f"] if chip.capability >= FIRST_FAMILY_SPECIFIC else []
    return [replace(chip, name=chip.name + suffix) for suffix in suffixes]


_TARGETS = {target.name: target for chip in _CHIPS for target in _named(chip)}


MOST_TENSOR_COLUMNS = _TENSOR_COLUMNS
"""Columns of tensor memory of a CTA on the chip that has most."""
MOST_SHARED_BYTES = max(target.shared_bytes_per_cta for target in _TARGETS.values())
"""Shared memory of a CTA on the chip that has most."""


def target_names() -> list[str]:
    """The names `find_target` accepts, oldest chip first."""
    return list(_TARGETS)


def chip_names() -> list[str]:
    """The names of the chips alone, oldest first."""
    return [chip.name for chip in _CHIPS]


def tile_abi_problem(target: Target) -> str | None:
    """Why a kernel cannot have the ABI "tile" on a chip; None where it can.

    PTX ISA, "Cluster Dimension Directives: .blocksareclusters": sm_90 and later.
    """
    if target.has_own_target:
        return None
    return (
        f"abi 'tile' needs sm_90 or later, got {target.name}: its launchers pass a "
        "block of one thread, and on older chips no kernel can ask for more; compile "
        "with abi 'maps' and launch with cuda_tile.launch, or run the program by "
        "python -m cuda_tile.cutile --on gpu"
    )


def find_target(name: str) -> Target:
    """Looks up a chip by its `sm_XY` name, or by one of its special targets.

    Raises:
        UserError: The name is not in the table.
    """
    target = _TARGETS.get(name)
    if target is None:
        known = ", ".join(_TARGETS)
        raise UserError(
            f"expected a known gpu name, got '{name}'; {_hint(name)}known: {known}"
        )
    return target


def _hint(name: str) -> str:
    """What to say to one who wrote a name that is none: what it was meant for.

    The name of a product (`H100`) and a compute capability (`9.0`, `compute_90`) say
    which chip is meant; other names are compared by their letters.
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    for chip, products in PRODUCTS.items():
        for product in products:
            if plain.endswith(re.sub(r"\W", "", product.lower())):
                return f"{product} is '{chip}'; "
    found = re.fullmatch(r"(?:sm|compute|cc|gpu)?(\d+)([af]?)", plain)
    if found and f"sm_{found[1]}{found[2]}" in _TARGETS:
        return f"did you mean 'sm_{found[1]}{found[2]}'? "
    oldest = _CHIPS[0].capability
    if plain in _OLDER or (found and _OLDER_CAPABILITY <= int(found[1]) < oldest):
        return f"sm_{oldest} is the oldest chip there is code for; "
    from difflib import get_close_matches

    near = get_close_matches(name, _TARGETS, n=1) if plain.startswith("sm") else []
    return f"did you mean '{near[0]}'? " if near else ""
