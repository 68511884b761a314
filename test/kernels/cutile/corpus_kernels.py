# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `kernels.py` leaves out of cuTile Python, for `corpus.py`.

Each function with each element type that it takes, conversions between all types,
orders and scopes of memory, paddings, rounding, hints, kinds of arrays. The tables
name more than the front end takes; `corpus.py` leaves out what it refuses.
"""

import itertools

from cuda.tile.compilation import ListConstraint
from kernels import (
    FLOATS,
    INTEGERS,
    KERNELS,
    TYPES,
    ArrayConstraint,
    add,
    along,
    array,
    atomic,
    binary,
    convert,
    ct,
    product,
    scanned,
    unary,
)

TYPES |= {
    "tf32": ct.tfloat32,
    "f4": ct.float4_e2m1fn,
    "f8e5m3": ct.float8_e5m3fnu,
}
PADDINGS = tuple(ct.PaddingMode)
INTEGER_PADDINGS = (ct.PaddingMode.UNDETERMINED, ct.PaddingMode.ZERO)
ORDERS, SCOPES = tuple(ct.MemoryOrder), tuple(ct.MemoryScope)
NUMBERS = (*FLOATS, *INTEGERS)


def more(name, kernel, *parameters):
    """Registers a kernel unless `kernels.py` has one of the name."""
    if name not in KERNELS:
        add(name, kernel, *parameters)


# Functions of one and two tiles, and along an axis.

for function in [
    "abs",
    "negative",
    "bitwise_not",
    "ceil",
    "floor",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "log",
    "log2",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "isnan",
]:
    for kind in NUMBERS:
        result = "b1" if function == "isnan" else kind
        kernel = unary(getattr(ct, function))
        more(f"{function}_{kind}", kernel, f"{kind}*1", f"{result}*1", 64)
for function in [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "cdiv",
    "pow",
    "maximum",
    "minimum",
    "atan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_lshift",
    "bitwise_rshift",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
]:
    compares = "equal" in function or function in ("less", "greater")
    for kind in NUMBERS:
        result = "b1" if compares else kind
        kernel = binary(getattr(ct, function))
        more(f"{function}_{kind}", kernel, f"{kind}*1", f"{kind}*1", f"{result}*1", 64)
for function in ("bitwise_and", "bitwise_or", "bitwise_xor", "equal", "maximum"):
    more(f"{function}_b1", binary(getattr(ct, function)), *["b1*1"] * 3, 64)
for function in ("sum", "prod", "max", "min", "argmax", "argmin"):
    for kind, axis in itertools.product(NUMBERS, (0, 1)):
        result = "i32" if function.startswith("arg") else kind
        name = f"{function}{axis or ''}_{kind}"
        kernel = along(getattr(ct, function), axis)
        more(name, kernel, f"{kind}*2", f"{result}*1", 4, 64)
for function, kind in itertools.product(("cumsum", "cumprod"), ("f16", "f64", "u8")):
    kernel = scanned(getattr(ct, function), 0, True)
    more(f"{function}0_reverse_{kind}", kernel, f"{kind}*2", f"{kind}*2", 8, 16)

# Types and rounding.

for source, target in itertools.permutations(TYPES, 2):
    if target == "f8e8m0" and source in (*INTEGERS, "b1"):
        continue  # which compilers refuse
    kernel = convert(TYPES[target])
    more(f"convert_{source}_{target}", kernel, f"{source}*1", f"{target}*1", 64)


def rounded(function, mode, flush):
    @ct.kernel
    def two(x, y, z):
        a, b = ct.load(x, (0,), (64,)), ct.load(y, (0,), (64,))
        ct.store(z, (0,), function(a, b, rounding_mode=mode, flush_to_zero=flush))

    return two


def rounded_one(function, mode):
    @ct.kernel
    def one(x, y):
        ct.store(y, (0,), function(ct.load(x, (0,), (64,)), rounding_mode=mode))

    return one


def rounded_convert(kind, mode):
    @ct.kernel
    def one(x, y):
        tile = ct.load(x, (0,), (64,))
        ct.store(y, (0,), ct.astype(tile, kind, rounding_mode=mode))

    return one


for mode in ct.RoundingMode:
    word = mode.name.lower()
    for function in ("add", "sub", "mul", "truediv"):
        for flush in (False, True):
            kernel = rounded(getattr(ct, function), mode, flush)
            more(f"{function}_{word}_{flush:d}", kernel, *["f32*1"] * 3)
    for function in ("sqrt", "exp", "tanh"):
        kernel = rounded_one(getattr(ct, function), mode)
        more(f"{function}_{word}", kernel, "f32*1", "f32*1")
    for kind in ("f16", "bf16", "f8e4m3", "f8e8m0", "tf32", "f8e5m3"):
        kernel = rounded_convert(TYPES[kind], mode)
        more(f"convert_f32_{kind}_{word}", kernel, "f32*1", f"{kind}*1")

# Memory: paddings, orders, scopes, hints.


def padded(mode):
    @ct.kernel
    def loads(x, y):
        i = ct.bid(0)
        tile = ct.load(x, (i, 0), (8, 16), padding_mode=mode)
        turned = ct.load(x, (0, i), (16, 8), order="F", padding_mode=mode)
        ct.store(y, (i, 0), tile + ct.transpose(turned))

    return loads


def windowed(mode, steps):
    @ct.kernel
    def loads(x, y):
        view = x.tiled_view((8, 16), traversal_steps=steps, padding_mode=mode)
        tile = view.load((ct.bid(0), ct.bid(1)))
        ct.store(y, (0, 0), tile + view.num_tiles(1))

    return loads


def gathered(mode):
    @ct.kernel
    def loads(x, rows, y, first: int):
        r = ct.load(rows, (ct.bid(0),), (8,))
        tile = ct.load_advanced_indexing(x, (r, ct.Slice(first, 32)), padding_mode=mode)
        ct.store_advanced_indexing(y, (r, ct.Slice(first, 32)), tile)
        turned = ct.load_advanced_indexing(
            x, (ct.Slice(first, 32), r), padding_mode=mode
        )
        ct.store(y, (0, 0), turned)

    return loads


for mode, kind in itertools.product(PADDINGS, ("f16", "f32", "f8e4m3", "i8")):
    if kind == "i8" and mode not in INTEGER_PADDINGS:
        continue  # which compilers refuse
    word = f"{mode.name.lower()}_{kind}"
    more(f"padded_{word}", padded(mode), f"{kind}*2", f"{kind}*2")
    for rows, columns in ((4, 16), (8, 32), (1, 1)):
        kernel = windowed(mode, (rows, columns))
        name = f"windowed{rows}x{columns}_{word}"
        more(name, kernel, f"{kind}*2", f"{kind}*2")
    kernel = gathered(mode)
    more(f"gathered_{word}", kernel, f"{kind}*2", "i32*1", f"{kind}*2", "i32")


def ordered(load, store, scope):
    none = ct.MemoryScope.NONE
    weak = ct.MemoryOrder.WEAK

    @ct.kernel
    def copies(x, y):
        tile = ct.load(
            x,
            (0,),
            (64,),
            memory_order=load,
            memory_scope=none if load == weak else scope,
        )
        ct.store(
            y,
            (0,),
            tile,
            memory_order=store,
            memory_scope=none if store == weak else scope,
        )

    return copies


def ordered_atomic(function, order, scope):
    @ct.kernel
    def counts(x, sums, old):
        index = ct.arange(32, dtype=ct.int32)
        value = ct.load(x, (0,), (32,))
        before = function(sums, index, value, memory_order=order, memory_scope=scope)
        ct.store(old, (0,), before)

    return counts


for load, store, scope in itertools.product(ORDERS, ORDERS, SCOPES):
    name = f"copy_{load.name}_{store.name}_{scope.name}".lower()
    more(name, ordered(load, store, scope), "f32*1", "f32*1")
for function, kind in itertools.product(
    ("add", "and", "max", "min", "or", "xor", "xchg"), NUMBERS
):
    kernel = atomic(getattr(ct, f"atomic_{function}"))
    more(f"atomic_{function}_{kind}", kernel, *[f"{kind}*1"] * 3, 32)
    full = getattr(ct, f"atomic_{function}")
    order, scope = ct.MemoryOrder.RELAXED, ct.MemoryScope.SYS
    more(
        f"atomic_{function}_relaxed_{kind}",
        ordered_atomic(full, order, scope),
        *[f"{kind}*1"] * 3,
    )
for order, scope in itertools.product(ORDERS, SCOPES):
    name = f"atomic_add_{order.name}_{scope.name}".lower()
    more(name, ordered_atomic(ct.atomic_add, order, scope), *["i32*1"] * 3)


@ct.kernel
def exchange(x, y, old):
    index = ct.arange(32, dtype=ct.int32)
    value = ct.load(x, (0,), (32,))
    ct.store(old, (0,), ct.atomic_cas(y, index, value, value + 1))


def added(method):
    @ct.kernel
    def adds(x, y):
        value = ct.load(x, (0,), (64,))
        view = y.tiled_view((64,))
        if method == "add":
            view.atomic_store_add((ct.bid(0),), value)
        elif method == "and":
            view.atomic_store_and((ct.bid(0),), value)
        elif method == "or":
            view.atomic_store_or((ct.bid(0),), value)
        elif method == "xor":
            view.atomic_store_xor((ct.bid(0),), value)
        elif method == "max":
            view.atomic_store_max((ct.bid(0),), value)
        else:
            view.atomic_store_min((ct.bid(0),), value)

    return adds


for kind in NUMBERS:
    more(f"exchange_{kind}", exchange, *[f"{kind}*1"] * 3)
    for method in ("add", "and", "or", "xor", "max", "min"):
        more(f"view_{method}_{kind}", added(method), f"{kind}*1", f"{kind}*1")


@ct.kernel
def unchecked(x, y):
    view, out = x.tiled_view((8, 8)), y.tiled_view((8, 8))
    tile = view.load((ct.bid(0), 0), check_bounds=False)
    out.store((ct.bid(0), 0), tile, check_bounds=False)
    ct.store(y, (1, 1), tile, check_bounds=False, latency=3, allow_tma=False)


@ct.kernel
def hinted(x, y):
    tile = ct.load(x, (ct.bid(0), 0), (8, 16), latency=7, allow_tma=True)
    ct.store(y, (ct.bid(0), 0), tile, latency=2, allow_tma=False)


@ct.kernel
def masked(x, rows, y):
    r = ct.load(rows, (0,), (32,))
    tile = ct.gather(x, (r,), mask=r > 3, padding_value=1, latency=4)
    ct.scatter(y, (r,), tile, mask=r < 9, check_bounds=False)


def with_options(**options):
    @ct.kernel(**options)
    def copies(x, y):
        ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (64,)))

    return copies


for number, options in enumerate(
    (
        {"num_ctas": 2},
        {"occupancy": 4},
        {"num_ctas": 4, "occupancy": 2, "num_worker_warps": 8},
        {"num_ctas": ct.ByTarget(default=1, sm_100=2), "opt_level": 2},
    )
):
    more(f"options{number}_f32", with_options(**options), "f32*1", "f32*1")
more("unchecked_f32", unchecked, "f32*2", "f32*2")
more("hinted_f16", hinted, "f16*2", "f16*2")
more("masked_f32", masked, "f32*1", "i32*1", "f32*1")


def known(**facts):
    """An f32 array of which something is known."""
    words = {
        "index_dtype": ct.int32,
        "stride_lower_bound_incl": [0, 0],
        "alias_groups": (),
        "may_alias_internally": False,
    }
    return ArrayConstraint(TYPES["f32"], 2, **{**words, **facts})


@ct.kernel
def copy_tile(x, y):
    ct.store(y, (ct.bid(0), 0), ct.load(x, (ct.bid(0), 0), (8, 16)))


for word, facts in {
    "aligned": {"base_addr_divisible_by": 16, "stride_divisible_by": (16, 1)},
    "rows": {"stride_constant": (None, 1), "shape_divisible_by": (8, 16)},
    "fixed": {"stride_constant": (16, 1), "shape_constant": (64, 16)},
    "wide": {"index_dtype": ct.int64},
    "aliased": {"alias_groups": ("a",), "may_alias_internally": True},
    "unbounded": {"stride_lower_bound_incl": [None, None]},
}.items():
    more(f"array_{word}", copy_tile, known(**facts), known(**facts))


@ct.kernel
def sum_list(arrays, y, count: int):
    total = ct.zeros((64,), dtype=ct.float32)
    for i in range(count):
        total += ct.load(arrays[i], (0,), (64,))
    ct.store(y, (0,), total)


more(
    "list_f32",
    sum_list,
    ListConstraint(array("f32", 1), alias_groups=(), elements_may_alias=False),
    "f32*1",
    "i32",
)

# Matrix products.

for kind, result in itertools.product(
    ("f16", "bf16", "f32", "tf32", "f64", "f8e4m3", "f8e5m2", "i8", "u8"),
    ("f16", "f32", "f64", "i32"),
):
    for m, n, k in ((16, 16, 32), (64, 32, 16)):
        name = f"mma_{kind}_{result}_{m}x{n}x{k}"
        parameters = (f"{kind}*2", f"{kind}*2", f"{result}*2", m, n, k)
        more(name, product(TYPES[kind]), *parameters)


def fast(use_fast_acc):
    @ct.kernel
    def multiplies(a, b, c):
        x, y = ct.load(a, (0, 0), (64, 64)), ct.load(b, (0, 0), (64, 64))
        acc = ct.load(c, (0, 0), (64, 64))
        ct.store(c, (0, 0), ct.mma(x, y, acc, use_fast_acc=use_fast_acc))

    return multiplies


def scaled(block):
    @ct.kernel
    def multiplies(a, sa, b, sb, c):
        x, y = ct.load(a, (0, 0), (128, 64)), ct.load(b, (0, 0), (64, 128))
        xs = ct.load(sa, (0, 0), (128, 64 // block))
        ys = ct.load(sb, (0, 0), (64 // block, 128))
        acc = ct.load(c, (0, 0), (128, 128))
        ct.store(c, (0, 0), ct.mma_scaled(x, xs, y, ys, acc))

    return multiplies


for kind in ("f8e4m3", "f8e5m2", "f16"):
    more(f"mma_fast_{kind}", fast(True), f"{kind}*2", f"{kind}*2", "f32*2")
for kind, scale, block in itertools.product(
    ("f8e4m3", "f8e5m2", "f4"), ("f8e8m0", "f8e4m3"), (16, 32)
):
    name = f"mma_scaled_{kind}_{scale}_{block}"
    types = [f"{kind}*2", f"{scale}*2"]
    more(name, scaled(block), *types, *types, "f32*2")

# Values, shapes and control flow.


def filled(kind, value):
    @ct.kernel
    def fills(x):
        ct.store(x, (ct.bid(0), 0), ct.full((4, 8), value, dtype=kind))

    return fills


for kind in TYPES:
    for value in (0, 1):
        more(f"full{value}_{kind}", filled(TYPES[kind], value), f"{kind}*2")
for kind, value in (("f32", 1e30), ("f64", -0.1), ("i64", -(2**62)), ("u64", 2**63)):
    more(f"full_{kind}", filled(TYPES[kind], value), f"{kind}*2")


@ct.kernel
def literals(x, y):
    ct.store(x, (0,), ct.astile((True, False, True, True), dtype=ct.bool_))
    ct.store(y, (0, 0), ct.astile(((1.5, 2.5), (3.5, -4.5)), dtype=ct.float32))


@ct.kernel
def raw_bits(x, y):
    ct.store(y, (0,), ct.bitcast(ct.load(x, (0,), (64,)), y.dtype))


@ct.kernel
def bytes_of(x, y, z):
    raw = ct.pack_to_bytes(ct.load(x, (0,), (64,)))
    ct.store(y, (0,), raw)
    ct.store(z, (0,), ct.unpack_from_bytes(raw, z.dtype))


@ct.kernel
def shuffled(x, y):
    a = ct.load(x, (0, 0), (8, 16))
    b = ct.cat((a, ct.permute(ct.reshape(a, (16, 8)), (1, 0))), 1)
    c = ct.insert(b, (0, 1), ct.extract(b, (0, 0), (8, 16)))
    d = ct.where(c > c, c, ct.broadcast_to(ct.extract(c, (0, 0), (8, 1)), (8, 32)))
    ct.store(y, (0, 0), ct.reshape(ct.expand_dims(d, 0), (8, 32)))


more("shuffled_f32", shuffled, "f32*2", "f32*2")
more("shuffled_i8", shuffled, "i8*2", "i8*2")


more("literals", literals, "b1*1", "f32*2")
for source, target in (
    ("f32", "u32"),
    ("i16", "f16"),
    ("u8", "f8e4m3"),
    ("i64", "f64"),
):
    more(f"bits_{source}_{target}", raw_bits, f"{source}*1", f"{target}*1")
for source, target in itertools.product(("f4", "i16", "f64", "f8e5m2"), ("i8", "f32")):
    name = f"bytes_{source}_{target}"
    more(name, bytes_of, f"{source}*1", "u8*1", f"{target}*1")
for kind in TYPES:
    more(f"moves_{kind}", KERNELS["moves_f32"][0], f"{kind}*2", f"{kind}*2")


@ct.kernel
def nested(x, y, n: int, m: int):
    total = ct.zeros((16,), dtype=ct.float32)
    count = 0
    for i in range(0, n, 2):
        tile = ct.load(x, (i,), (16,))
        j = m
        while j > 0:
            if j % 3 == 0:
                j -= 2
                continue
            if count > 100:
                break
            total = total + tile * j if i > 1 else total - tile
            j -= 1
            count += 1
    ct.store(y, (0,), total + count)


@ct.kernel
def prints(x, n: int):
    tile = ct.load(x, (0,), (8,))
    ct.printf("%d %f %%\n", n, tile)
    ct.print("tile:", tile, n)


more("nested_f32", nested, "f32*1", "f32*1", "i32", "i32")
more("prints_f32", prints, "f32*1", "i32")
for kind in ("i32", "i64", "u8"):
    parameters = ("f32*1", f"{kind}*1", "f32*1", 64)
    more(f"pow_f32_{kind}", binary(ct.pow), *parameters)


@ct.kernel
def blocks(x):
    count = ct.num_blocks(0) * ct.num_blocks(1) + ct.num_blocks(2)
    ct.store(x, (ct.bid(0), ct.bid(1), ct.bid(2)), ct.full((1, 1, 1), count, ct.int32))


more("blocks_i32", blocks, "i32*3")
