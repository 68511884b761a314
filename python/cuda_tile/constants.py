# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers by which the compiler decides, all of them, each with where it is from.

What a chip is stands in targets.py, what an instruction takes in the tables of layout/.
Here are numbers that somebody chose or measured. Each has a unit in its name or its
first sentence, and one line that begins with

- `Measured:` kernel, chip, version of the tool, date;
- `Source:` the document that says so;
- `Chosen:` date and reason, where nothing was measured.

test/analysis/test_constants.py holds that. A number is never fitted to a benchmark's
result: it describes what a tool or a chip does.
"""

from __future__ import annotations

# Registers of a thread ----------------------------------------------------------------

OVERHEAD_REGISTERS = 16
"""Registers beside tiles: addresses, bounds, predicates.

Measured: the kernels of test/kernels/13.4, sm_80, sm_90 and sm_120, ptxas 13.5.37,
2026-11-22: what they need without spilling; test/analysis/test_registers.py holds the
error.
"""
LOOP_OVERHEAD_REGISTERS = 32
"""More registers inside a loop: what addresses are made of is kept for the next
iteration.

Measured: the kernels of test/kernels/13.4, sm_80, sm_90 and sm_120, ptxas 13.5.37,
2026-11-22.
"""
COPIED_OVERHEAD_REGISTERS = 8
"""As many registers of these where a product reads what engines copied and nothing
else: each operand needs one address of its slot.

Measured: products of 128x128x64, sm_80, ptxas 13.5.37 with `.maxnreg`, 2026-11-23: it
spills below 184 registers where tiles take 160 (f16, tf32), below 104 where they take
88 (i8).
"""
PARTIAL_SUMS_IN_FLIGHT_REGISTERS = 48
"""Registers of partial sums of one instruction each that are in flight where warps
multiply.

Measured: products of f8 with sums of f32, sm_89, ptxas 13.5.37, 2026-11-23: 255
registers and up to 56 bytes of spills where 188 to 214 do without.
"""
WGMMA_SPARED_REGISTERS = 16
"""Registers that a loop of products of warpgroups needs less than others: its addresses
are descriptors in uniform registers.

Measured: products of f8 of 128x128x64, sm_90, ptxas 13.5.37, 2026-11-22: 128 of sums
and 64 of partial sums fit 232 without spills.
"""
MOST_HELD_REGISTERS = 208
"""Registers of a thread for a product whose left operand it brings to registers.

Measured: products of i8 and f8 of 128x128x64, sm_90, ptxas 13.5.37, 2026-11-23: 128 of
sums, 64 of partial sums and 16 of the operand fit 232, 32 of the operand spill 908
bytes.
"""
MOST_ROLE_REGISTERS = 240
"""Registers of a thread of a role that computes: more than it can address are of no
use.

Source: PTX ISA, "setmaxnreg" (multiples of 8) and CUDA C++ Programming Guide,
"Technical Specifications per Compute Capability" (255 at most).
"""
LOAD_ROLE_REGISTERS = (40, 24)
"""Registers of a thread of the role that loads, the most first.

Measured: products of f16 of 128x128x64 and attention, sm_90, ptxas 13.5.37,
2026-11-23: 24 are the fewest that `setmaxnreg` takes and do without spills.
"""
ROLE_SPARED_REGISTERS = 8
"""Registers that a role needs less where another one copies: the addresses.

Measured: attention backward of 128 columns, sm_90, ptxas 13.5.37, 2026-11-23: it gets
240 registers and spills nothing, of which 241 are estimated.
"""
STARTING_REGISTERS = 16
"""Registers more of threads that start products in tensor memory, and use their sums.

Measured: attention of 64 columns, 128x64, sm_100, ptxas 13.5.37, 2026-11-28: 123 where
108 are estimated without them; with 120 it spills 24 bytes.
"""
EASY_REGISTERS = 72
"""Estimated registers of a thread from which on a row takes more CTAs of a cluster.

Measured: softmax of rows of 4,096 to 32,768 f16, sm_90, ptxas 13.5.37, 2026-11-22: it
makes about 56 of them, with which 36 warps share a multiprocessor.
"""
LADEN_REGISTERS = 96
"""Estimated registers of a thread from which on a kernel without products takes more
warps: each warp more forms addresses and exchanges parts of sums of its own.

Measured: sm_90, ptxas 13.5.37, the emulator, 2026-11-28: of 80 that the gradient of
RMSNorm and quantised rows of 4,096 need by the estimate it makes 71 and 52, with which
28 and 39 warps share a multiprocessor; issued instructions are 1,344 and 1,108, where
twice as many warps issue 1,728 and 1,344.
"""
LATE_OVERHEAD_REGISTERS = 40
"""Registers beside sums and left operands where products run behind others: maxima,
scales, addresses, iterations.

Measured: attention of 64 to 256 columns, sm_90, ptxas 13.5.37, 2026-11-22: what it
needs without spilling.
"""
LEAVING_REGISTERS = 16
"""Registers of a result that leaves its iteration: addresses, bounds.

Measured: attention backward of 64 columns, sm_90, ptxas 13.5.37, 2026-11-23.
"""
STORED_OPERAND_REGISTERS = 8
"""Registers of a left operand that threads store: where its parts lie.

Measured: attention backward of 64 columns, sm_90, ptxas 13.5.37, 2026-11-23.
"""
SPARE_ROLE_REGISTERS = 8
"""Registers that are left to a role that computes, if the other one can spare them.

Measured: attention backward of 64 columns, sm_90, ptxas 13.5.37, 2026-11-23.
"""

# Warps and CTAs -----------------------------------------------------------------------

MOST_CROWDED_CTAS = 3
"""CTAs with roles of their own on a multiprocessor: each needs slots enough to hide the
latency of copies.

Chosen: 2026-11-22, three already overlap the beginning and end of each other.
"""
PAIRED_CTAS = 2
"""CTAs on a multiprocessor where threads put bytes together before each product.

Chosen: 2026-11-23, one multiplies while the other one does that.
"""
USUAL_WARPS = (4, 8)
"""Warps of a CTA with products, the fewest and the most where nobody asked.

Source: a multiprocessor has four schedulers (CUDA C++ Programming Guide, "Compute
Capabilities"), and 8 warps of 255 registers take all that it has.
"""
WANTED_ELEMENTS = 8
"""Elements of a thread of a kernel without products: two accesses of 16 bytes of f32 in
flight.

Chosen: 2026-11-20, by Little's law two such accesses of 1,024 threads are 32 KB.
"""
COMBINED_ELEMENTS = 32
"""The same where a kernel reduces or scans: lanes and warps exchange once for all
elements of a thread.

Measured: sm_90, the emulator, 2026-11-28: causal softmax of 1,024 f16 issues 570
instructions by two warps and 712 by four, GroupNorm of 2,048 f16 848 and 1,228.
"""
FULL_WARPS = 2
"""Warps from which on a thread takes `COMBINED_ELEMENTS` before there is another one.
A CTA has fewer where that takes fewer clocks (`UNTOLD_SHARE`).

Source: CUDA C++ Programming Guide, "Technical Specifications": a multiprocessor has
twice as many warps as CTAs.
"""
LEAST_ELEMENTS = 8
"""Elements below which a thread shall not get: an access of 16 bytes of f16.

Source: CUDA C++ Programming Guide, "Device Memory Accesses": 16 bytes at most.
"""
MOST_CLUSTER_WARPS = 128
"""Warps of a cluster: 8 in each of 16 CTAs.

Chosen: 2026-11-23, by Little's law they have enough bytes in flight.
"""
MANY_ELEMENTS = 64
"""Elements of a thread above which a kernel without products takes more than the usual
four warps.

Chosen: 2026-11-20, eight times as many as wanted: a quarter of the registers.
"""
CROWDED_SHARE = 4
"""A share of the registers of all threads, one in so many, from which on the elements
that a loop carries may crowd out what it computes.

Chosen: 2026-11-23, below a quarter the registers of the body decide.
"""
PART_ELEMENTS = 8
"""Elements of a part of a row in each thread: two accesses of 16 bytes of f32.

Chosen: 2026-11-23, as `WANTED_ELEMENTS`.
"""
SCANNED_ELEMENTS = 16
"""Elements of a part in each thread where a row is scanned: the exchanges between warps
serve twice as many.

Measured: cumsum of 131,072 f32, sm_90, the emulator, 2026-11-23: 54,800 instructions
where parts of 8 issue 92,576.
"""
SINGLE_CLUSTERS = (2, 4)
"""CTAs of a cluster to try, before as many as every launcher allows, where the
registers of one CTA do not hold a tile.

Source: CUDA C++ Programming Guide, "Thread Block Clusters": 8 CTAs are portable.
"""
ACCUMULATOR_ROWS, ACCUMULATOR_COLUMNS = 16, 8
"""Rows and columns of the part of a result that a warp has at least: an atom's.

Source: PTX ISA, "mma": m16n8.
"""

BYTE_PART_ROWS, BYTE_PART_COLUMNS = 64, 32
"""Rows and columns of a result of bytes that one of eight warps computes where warps
are weighed against warpgroups.

Source: plan/products.py, `divide_warps`: as eight warps divide 128 x 128.
"""
CONVERTED_OPERANDS = {8: 2, 16: 1}
"""Operands of a product of warpgroups that are worth a conversion by threads, at most,
by bits of an element; one row for each type whose bytes pay.

Measured: products of 128x128x64, sm_90, the emulator, 2026-11-23: 768 clocks of shared
memory where one operand of 16 bits comes from 8 bits, 896 where both do, 896 and 1152
for tf32; `mma.sync` takes about 820 for either, but 1696 where 8-bit operands lie along
M and come one by one.
"""
UNIFORM_REGISTERS = 63
"""Uniform registers of a warp, which hold addresses that its threads share.

Source: CUDA Binary Utilities, "Instruction Set Reference": UR0 to UR62 on sm_90.
"""
CROWDED_REGISTERS = 192
"""Registers of the sums of an iteration's products that leave 40 to 48 for all else.

Source: `MOST_ROLE_REGISTERS` and 232, what roles of eight warps have, less these.
"""

# Clocks of a multiprocessor -----------------------------------------------------------

WARP_SLOWDOWN = 1.6
"""What `mma.sync` takes where warpgroups have instructions of their own, of the time of
these: they alone reach the rate of sm_90.

Source: published microbenchmarks of sm_90 (62 % of the rate of `wgmma`).
"""
TENSOR_WARP_SLOWDOWN = 3.2
"""What `mma.sync` takes where products can be in tensor memory, in times of these.

Chosen: 2026-11-28, as many multiply-adds of `mma.sync` a clock as on sm_90, 2,048 over
`WARP_SLOWDOWN`, of 4,096.
"""
TENSOR_WAIT_CLOCKS = 200.0
"""Clocks in which threads hand a sum to tensor memory and wait to read it back.

Chosen: 2026-11-28, two barriers, the latency of a product and that of a load of
columns, about 30, 30, 100 and 40 clocks.
"""
SUM_REGISTERS = 32
"""Registers of a thread that columns of a sum take which it loads at a time.

Chosen: 2026-11-28, what one `tcgen05.ld` loads at most without a search for so many
registers side by side; half as many pay twice the barriers.
"""
EXCHANGE_CLOCKS = 100.0
"""Clocks in which warps exchange what each has combined of a row through shared memory.

Chosen: 2026-11-28, two barriers, a store and a load, about 30, 30, 10 and 30 clocks.
"""
LOOP_TRIPS = 16
"""Iterations of a loop whose bounds are unknown.

Chosen: 2026-11-20, only the order of magnitude matters: a loop's body outweighs what
stands before and after it.
"""
WAVEFRONT_CLOCKS = 1.0
"""Clocks of a wavefront of shared memory, of `WAVEFRONT_BYTES`.

Source: CUDA C++ Programming Guide, "Shared Memory": 32 banks of 4 bytes.
"""
WAVEFRONT_BYTES = 128
"""Bytes of a wavefront of shared memory.

Source: CUDA C++ Programming Guide, "Shared Memory": 32 banks of 4 bytes.
"""
SHUFFLE_CLOCKS = 1.0
"""Clocks of a shuffle of a warp.

Source: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": 32
lanes in a clock on every chip.
"""
INSTRUCTION_CLOCKS = 0.25
"""Clocks of any other instruction of a warp, as four warps issue in a clock.

Source: CUDA C++ Programming Guide, "Compute Capabilities": four schedulers.
"""
WARP_ISSUE_CLOCKS = 2.0
"""Clocks from an instruction of a warp to its next one, where no other warp of its
scheduler issues.

Source: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": a
scheduler's share of 64 lanes for integers and conversions takes two clocks for a warp.
"""
EXPENSIVE_SLOTS = 16
"""Issue slots of an op that becomes a sequence of instructions: divisions, `tanh`.

Chosen: 2026-11-28, between those of an exact division and of `tanh` in the machine code
of GELU epilogues (sm_80, sm_90, ptxas 13.5.37); plans of the open half of the zoo were
looked at.
"""
ROUNDED_SLOTS = 5
"""Issue slots of an f32 that is rounded to tf32 where no instruction does that.

Measured: matmul_tf32_128x128x32, sm_80, ptxas 13.5.37, 2026-11-29: five for an element.
"""
UNTOLD_SHARE = 1.1
"""Clocks of a plan over those of the best one, up to which it counts as good.

Chosen: 2026-11-28, as plans of the open half of the zoo were best; the model of clocks,
which knows the machine code, is off by as much (docs/time.md, "Against published
speeds"). The half kept apart was measured afterwards, and no row of it got worse.
"""
BARRIER_LOOP_TRIPS = 8
"""Iterations that a loop is taken to run where barriers inside it are weighed.

Chosen: 2026-11-22, only the order of magnitude matters, as for `LOOP_TRIPS`.
"""
BARRIER_CLOCKS = 30.0
"""Clocks of a barrier, in which a CTA's warps wait for the last of them.

Chosen: 2026-11-22, the latency of a trip to shared memory.
"""

# Shared memory and copies -------------------------------------------------------------

LEAST_STORED_BYTES = 16 * 1024
"""Bytes of a tile from which on a bulk copy stores it: before, starting it and waiting
for it costs as much.

Chosen: 2026-11-22, 128 threads store 16 KB in eight accesses each.
"""
DEEP_SLOTS = 6
"""Slots of a ring where a role of its own fills them and shared memory has room: its
copies go on through whatever the others do between two loops.

Chosen: 2026-11-22, products of 128x128x64 of f16 have room for six on sm_90.
"""
LEAST_SHIFTED_SLOTS = 4
"""Slots from which on a power of two is taken where a loop has several rings, each of
whose iterations is divided by it: the next one below hides as much.

Chosen: 2026-11-22, a division by five is four instructions, one by four is one.
"""
SMALL_SHARE = 16
"""What a load brings is small where an operand computed from it has so many times its
bytes.

Chosen: 2026-11-23, a scale factor stands for 32 elements or more.
"""
SPARE_SHARED_BYTES = 1024
"""Bytes of shared memory that are left to what is small: barriers of rings, parts of
rows.

Chosen: 2026-11-22, rings of eight slots have 128 bytes of mbarriers.
"""
SPARE_CONVERSION_BYTES = 8 * 1024
"""Bytes of shared memory that are left where tiles that a loop computes may have to
change threads; what does not fit goes through in parts.

Chosen: 2026-11-22, a tile of 64x32 f32.
"""
LEAST_CONVERSION_BYTES = 1024
"""Bytes of shared memory that a conversion may always take: what does not fit goes
through in parts.

Chosen: 2026-11-22, 8 bytes of each of 128 threads.
"""
SMALL_BYTES = 1024
"""Bytes below which a buffer does not share its place with another one, if there is
room: a barrier less.

Chosen: 2026-11-22, as much as is left to what is small (`SPARE_SHARED_BYTES`).
"""
MOST_PLANS = 12
"""Plans of a kernel after which the first error stands: a step of `LEAST_STEP_BYTES`
that doubles each time has then left no memory on any chip.

Source: 2 KB times 2 to the 12th are more than the 227 KB of any chip (targets.py).
"""
LEAST_STEP_BYTES = 2048
"""Bytes by which the second plan counts on less than the first one, at least.

Chosen: 2026-11-22, the scratch of a reduction of 16 warps.
"""

# What is moved, repeated or kept ------------------------------------------------------

MOST_REPEATED_OPS = 8
"""Times that an element may be computed again for one use, in ops: what takes more is
converted.

Chosen: 2026-11-22, a conversion through shared memory takes two barriers.
"""
MOST_PART_REGISTERS = 32
"""Registers that the source of an `extract` may take for want of a better layout.

Chosen: 2026-11-22, an eighth of what a thread has.
"""
MOST_HOISTED_REGISTERS = 32
"""Registers of a thread that loads which moved up in a block may hold until their use.

Chosen: 2026-11-22, an eighth of what a thread has.
"""
MOST_JOINED_REGISTERS = 64
"""Registers of a thread that hold what joined reductions fold, where they could be
folded one after the other.

Chosen: 2026-11-28, a quarter of what a thread has.
"""
MOST_EXCHANGED_BYTES = 4096
"""Bytes of a tile that is exchanged together with others: more is better stored when it
is made than held in registers.

Chosen: 2026-11-22, 8 registers of each of 128 threads.
"""
MOST_FOLDED_WARPS = 8
"""Partial results, one of each of so many warps, that each thread folds by itself; of
more, lanes fold their parts.

Chosen: 2026-11-22, of 16, a thread would load 4 times 4 and apply the body 15 times,
lanes exchange 4.
"""
MOST_BINS = 2048
"""Words of 4 bytes of shared memory for collected updates.

Chosen: 2026-11-22, more would keep other CTAs off the multiprocessor.
"""
UPDATES_PER_BIN = 2
"""Updates of a tile, times that they hit each of its places, from which on collecting
them pays.

Chosen: 2026-11-22, a place is zeroed, and added to global memory once.
"""

MOST_SELECTS = 64
"""Registers up to which a part with indices known at run time is taken by selects.

Chosen: 2026-11-22, about what a store, two barriers and a load cost.
"""
MOST_CHOICES = 4
"""Lanes with elements of their own up to which selects make a constant.

Chosen: 2026-11-22, fewer instructions than a load and its address, and no latency.
"""
LEAST_JOINT_QUOTIENTS = 4
"""Elements of a thread, for each of its divisors or in all, from which on quotients
have one test and branch.

Chosen: 2026-11-29, ptxas 13.5.37 divides in 10 instructions, with a test and branches;
joint ones take 6 and 8 for each divisor, or 9 where that is large, and the branch 4.
"""
MOST_SINGLE_QUOTIENTS = 8
"""Elements whose quotients, of divisors of their own, have one test.

Chosen: 2026-11-29, one that fails has all of them divided anew, and a branch costs less
than half an instruction each.
"""
LEAST_DIFFERENCES = 8
"""Elements of a thread from which on comparing one difference with constants costs less
than adding these.

Chosen: 2026-11-23, a difference and its bounds are computed once, sums one by one.
"""
LEAST_COUNTED = 4
"""Registers of a thread with indices from which on comparing what is left to an end
with constants costs less than adding these: a minimum and a difference, against a sum
for each.

Chosen: 2026-11-28, one more than breaks even, as other ops may need the sums.
"""
MOST_TOTALS = 32
"""Totals of blocks, in registers of a thread, of all its rows; for more of them a tile
is brought in order, which makes blocks as large as they can be.

Chosen: 2026-11-22, an eighth of what a thread has.
"""
MOST_THREAD_ELEMENTS = 8192
"""Elements of one tile in a thread; beyond, the kernel is refused.

Chosen: 2026-11-23, code for more takes minutes to make, and a thread has 255 registers.
"""
BYTES_IN_FLIGHT = 32 << 10
"""Bytes in flight of a multiprocessor from which on its memory bandwidth is used.

Source: Little's law: bytes per clock of DRAM (targets.py) times a latency of about 1000
clocks are 18 KB on sm_90; as much again for what arrives late.
"""
MOST_ITERATIONS = 8
"""Iterations that are made at once.

Chosen: 2026-11-23, more would take registers and code.
"""
REUSED_ITERATIONS, REUSED_REGISTERS = 8, 64
"""Iterations whose tiles stay in registers at most, and registers of a thread that they
take: a CTA with all shared memory has those of the multiprocessor to itself.

Chosen: 2026-11-23, a quarter of what a thread has.
"""
MASKED_SCORE = 1e3
"""The constant, as an element of a tile, from which on a masked score is meant, not a
number.

Chosen: 2026-11-23, exponentials of f32 are zero from 104 below their maximum on.
"""
MOST_PRINTED_ELEMENTS = 256
"""Elements that are printed at a time.

Chosen: 2026-11-22, 2 KB of shared memory.
"""

# The report ---------------------------------------------------------------------------

MOST_OTHERS = 4
"""Plans that were not taken and are named in the report, the best ones.

Chosen: 2026-11-22, lines of a report that somebody still reads.
"""
MOST_ALIGNMENT_BYTES = 1 << 30
"""Bytes of the largest alignment that a program may ask for, of a global.

Chosen: 2026-11-28, whoever runs the program takes as much memory to place it.
"""

# Code that is emitted, and analyses ---------------------------------------------------

MIN_ROWS_TO_SPREAD = 8
"""Rows of a thread from which on results that lanes share are spread over the lanes.

Chosen: 2026-11-20, replication then costs more than the exchange that undoes it.
"""
MANY_ADDRESSES = 32
"""Registers of a tile from which on addresses are computed again for another use.

Chosen: 2026-11-29, half of the registers that the tile itself then takes.
"""
LEAST_PAIRED_REGISTERS = 4
"""Registers of a row from which on pairs are fewer instructions than single ones.

Chosen: 2026-11-28, a row of two ends with as many instructions either way.
"""
MOST_POWER_FACTORS = 4
"""Largest constant exponent, in times, by which a power is multiplied out.

Chosen: 2026-11-22, each product adds half a unit in the last place.
"""
MOST_COMPARED_FACTORS = 2
"""Factors of rows of a thread that are compared before a sum is changed by them.

Chosen: 2026-11-28, a comparison each then costs less than what it may save.
"""
TENSOR_ACCESS_REGISTERS = 32
"""Registers of one load or store of tensor memory.

Chosen: 2026-11-28, more at once would have to be found side by side.
"""
MAX_OPTIMISED_OPS = 1 << 15
"""Operations, each of one element, from which on LLVM only generates code.

Chosen: 2026-11-22, passes take 0.3 s for 11,000 of f32 and 1.0 s for 22,000, generation
0.12 and 0.25 s; and so many spill anyway.
"""
MOST_SLOTS = 8
"""Slots of a ring.

Chosen: 2026-11-22, more would only hide what the first ones do not.
"""
CONVERTED_SLOTS = 2
"""Slots of a ring that threads fill for products of warpgroups.

Chosen: 2026-11-23, they fill one while a product reads the other.
"""
MOST_BOUND_STEPS = 8
"""Operations, each an element's, that bounds of floats are looked through.

Chosen: 2026-11-29, so that a bound takes constant time.
"""
MOST_CLAIMS = 16
"""Claims on places of elements that may rest on each other in a chain.

Chosen: 2026-11-28, so that a proof ends; longer chains are given up.
"""
MOST_BODY_RELATIONS = 256
"""Relations of elements that are tried of a reduction's body.

Chosen: 2026-11-22, of three pairs there are no more, of four pairs there are.
"""
MOST_EXPRESSION_WORDS = 64
"""Words of an element's expression; a longer one is given up.

Chosen: 2026-11-29, values share their parts, words do not.
"""
