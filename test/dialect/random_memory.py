# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of random modules: pointers, views, tokens, atomics."""

from __future__ import annotations

from random_module import (
    INTEGERS,
    NUMBERS,
    Shape,
    Tile,
    View,
    Writer,
    names_of,
    step,
    tile,
    types_of,
)

from cuda_tile import ods

LOADS = ("weak", "relaxed tl_blk", "relaxed device", "acquire sys", "acquire device")
STORES = ("weak", "relaxed tl_blk", "relaxed device", "release sys", "release device")
ATOMICS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("tl_blk", "device", "sys")
LATENCY = " optimization_hints = <sm_100 = {latency = 4}>"
TMA = " optimization_hints = <sm_90 = {allow_tma = false, latency = 2}, default = {}>"


# Tokens -------------------------------------------------------------------------------


@step("make_token")
def make_token(w: Writer) -> None:
    w.op("make_token", ": token", w.new_token())


@step("join_tokens")
def join_tokens(w: Writer) -> None:
    names = ", ".join(w.token() for _ in range(w.random.randint(2, 4)))
    w.op("join_tokens", f"{names} : token", w.new_token())


@step("gdc_wait_tko", "gdc_launch_dependents_tko", "memory_fence_alias_tko")
def fence(w: Writer) -> None:
    name = w.pick(("gdc_wait_tko", "gdc_launch_dependents_tko"))
    if w.chance(0.3):
        name = "memory_fence_alias_tko"
    has_token = name.startswith("memory") or w.chance()
    order = f"token={w.token()} " if has_token else ""
    w.op(name, f"{order}: token", w.new_token())


# Pointers -----------------------------------------------------------------------------


@step("get_global")
def get_global(w: Writer) -> None:
    if not w.globals:
        return
    name, element = w.pick(w.globals)
    w.make("get_global", (), f"ptr<{element}>", f"@{name} : tile<ptr<{element}>>")


@step("alloca")
def alloca(w: Writer) -> None:
    element = w.pick(("f32", "i8", "i1"))
    text = f"num_elem = {w.pick((0, 64))}, alignment = {w.pick((4, 16))}"
    text += w.maybe(" global") + f" : tile<ptr<{element}>>"
    w.make("alloca", (), f"ptr<{element}>", text)


def _mask(w: Writer, shape: Shape) -> list[Tile]:
    return [w.like(shape, "i1")] if w.chance() else []


def _order(w: Writer, equals: str = "=") -> str:
    return f" token{equals}{w.token()}" if w.chance() else ""


@step("load_ptr_tko")
def load_ptr(w: Writer) -> None:
    element, shape = w.pick(("f32", "i32", "i8", "bf16")), w.shape()
    parts = [w.like(shape, f"ptr<{element}>"), *_mask(w, shape)]
    if len(parts) == 2 and w.chance():
        parts.append(w.like(shape, element))
    how = _order(w) + w.maybe(LATENCY, 0.2)
    result, token = w.new(shape, element), w.new_token()
    text = (
        f"{w.pick(LOADS)} {names_of(parts)}{how} : {types_of(parts)} -> {result.type}"
    )
    w.tiles.remove(result)
    w.op("load_ptr_tko", f"{text}, token", f"{result.name}, {token}")
    w.tiles.append(result)


@step("store_ptr_tko")
def store_ptr(w: Writer) -> None:
    element, shape = w.pick(("f32", "i32", "i8", "bf16")), w.shape()
    parts = [w.like(shape, f"ptr<{element}>"), w.like(shape, element)]
    parts += _mask(w, shape)
    how = _order(w) + w.maybe(LATENCY, 0.2)
    text = f"{w.pick(STORES)} {names_of(parts)}{how} : {types_of(parts)} -> token"
    w.op("store_ptr_tko", text, w.new_token())


def _mode(w: Writer) -> tuple[str, str]:
    """A mode of atomic accesses and an element type that it takes."""
    if w.chance(0.3):
        return "addf", w.pick(("f16", "bf16", "f32", "f64"))
    if w.chance(0.2):
        return "xchg", w.pick(("i32", "i64", "f32", "f64"))
    modes = ("and", "or", "xor", "add", "max", "min", "umax", "umin")
    return w.pick(modes), w.pick(("i32", "i64"))


@step("atomic_rmw_tko")
def atomic_rmw(w: Writer) -> None:
    mode, element = _mode(w)
    shape = w.shape()
    parts = [w.like(shape, f"ptr<{element}>"), w.like(shape, element), *_mask(w, shape)]
    pointer, rest = parts[0].name, names_of(parts[1:])
    how = f"{w.pick(ATOMICS)} {w.pick(SCOPES)} {pointer}, {mode}, {rest}{_order(w)}"
    name, token = w.fresh(), w.new_token()
    text = f"{how} : {types_of(parts)} -> {tile(shape, element)}, token"
    w.op("atomic_rmw_tko", text, f"{name}, {token}")
    w.tiles.append(Tile(name, shape, element))


@step("atomic_cas_tko")
def atomic_cas(w: Writer) -> None:
    element, shape = w.pick(("i32", "i64", "f32", "f64")), w.shape()
    pair = [w.like(shape, f"ptr<{element}>"), w.like(shape, element)]
    new, mask = w.like(shape, element), _mask(w, shape)
    how = (
        f"{w.pick(ATOMICS)} {w.pick(SCOPES)} {names_of([*pair, new, *mask])}{_order(w)}"
    )
    name, token = w.fresh(), w.new_token()
    text = f"{how} : {types_of([*pair, *mask])} -> {tile(shape, element)}, token"
    w.op("atomic_cas_tko", text, f"{name}, {token}")
    w.tiles.append(Tile(name, shape, element))


# Views --------------------------------------------------------------------------------


def tensor(w: Writer) -> tuple[str, str, Shape, str]:
    """A tensor view: name, type, extents of which 0 is not known, element."""
    if w.tensors and w.chance(0.7):
        return w.pick(w.tensors)
    return _new_tensor(w, (0, 1, 2, 2, 3))


def _new_tensor(
    w: Writer, ranks: tuple[int, ...], elements: tuple[str, ...] = NUMBERS
) -> tuple[str, str, Shape, str]:
    element = w.pick([kind for kind in elements if kind != "f4E2M1FN"])
    rank = w.pick(ranks)
    shape = tuple(w.pick((0, 1, 7, 64)) for _ in range(rank))
    strides = tuple(w.pick((0, 1, 64)) for _ in range(rank))
    index = w.pick(INTEGERS[2:])
    base = w.like((), f"ptr<{element}>")
    lists: list[str] = []
    for word, values in (("shape", shape), ("strides", strides)):
        entries = [str(n) if n else w.like((), index).name for n in values]
        lists.append(f"{word} = [{', '.join(entries)}]")
    written = f", {', '.join(lists)}" if rank or w.chance() else ""
    extents = "".join(f"{n or '?'}x" for n in shape)
    steps = f", strides=[{','.join(str(n or '?') for n in strides)}]" if rank else ""
    kind = f"tensor_view<{extents}{element}{steps}>"
    of_index = f"tile<{index}> -> " if 0 in (*shape, *strides) else ""
    name = w.fresh()
    w.op("make_tensor_view", f"{base.name}{written} : {of_index}{kind}", name)
    w.tensors.append((name, kind, shape, element))
    return w.tensors[-1]


@step("make_tensor_view")
def make_tensor_view(w: Writer) -> None:
    tensor(w)


def view(w: Writer) -> View:
    """A tile view of any kind."""
    if w.views and w.chance(0.7):
        return w.pick(w.views)
    name, kind, extents, element = tensor(w)
    if not extents:
        name, kind, extents, element = _new_tensor(w, (1, 2, 3))
    rank = len(extents)
    shape = tuple(w.pick((1, 2, 4)) for _ in extents)
    is_float = element not in INTEGERS
    paddings = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
    padding = f"padding_value = {w.pick(paddings if is_float else paddings[:1])}, "
    padding = w.maybe(padding, 0.3)
    order = list(range(rank))
    w.random.shuffle(order)
    ordered = w.maybe(f", dim_map={order}", 0.3)
    head = f"tile=({'x'.join(map(str, shape))})"
    sparse = None
    which = w.pick(("partition", "strided", "gather_scatter"))
    if which == "partition":
        text = f"partition_view<{head}, {padding}{kind}{ordered}>"
    elif which == "strided":
        steps = [w.pick((1, 3, 8)) for _ in shape]
        text = f"strided_view<{head}, traversal_strides={steps}, {padding}{kind}"
        text += f"{ordered}>"
    else:
        sparse = w.random.randrange(rank)
        text = f"gather_scatter_view<{head}, {padding}{kind}, sparse_dim={sparse}>"
    made = View(w.fresh(), text, shape, element, sparse, not padding and sparse is None)
    w.op(f"make_{which}_view", f"{name} : {text}", made.name)
    w.views.append(made)
    return made


@step("make_partition_view", "make_strided_view", "make_gather_scatter_view")
def make_view(w: Writer) -> None:
    view(w)


@step("get_tensor_shape")
def get_tensor_shape(w: Writer) -> None:
    name, kind, extents, _ = tensor(w)
    results = [w.fresh() for _ in extents]
    end = " -> tile<i32>" if results else ""
    w.op("get_tensor_shape", f"{name} : {kind}{end}", ", ".join(results))
    w.tiles += [Tile(result, (), "i32") for result in results]


@step("get_index_space_shape")
def get_index_space_shape(w: Writer) -> None:
    of = view(w)
    if of.sparse is not None:
        return
    results = [w.fresh() for _ in of.shape]
    text = f"{of.name} : {of.type} -> tile<i64>"
    w.op("get_index_space_shape", text, ", ".join(results))
    w.tiles += [Tile(result, (), "i64") for result in results]


def _indices(w: Writer, of: View) -> tuple[str, str]:
    """The index operands of a view and their types."""
    kind = w.pick(("i32", "i32", "i64"))
    lists = (
        w.like((n,) if dim == of.sparse else (), kind) for dim, n in enumerate(of.shape)
    )
    values = list(lists)
    alike = len({value.type for value in values}) == 1
    types = values[:1] if alike and w.chance() else values
    return f"{of.name}[{names_of(values)}]", types_of(types)


def _bounds(w: Writer, op: str, of: View) -> str:
    if w.chance(0.7):
        return ""
    w.versions.add(ods.ops()[op].since_of.get("inbounds", "13.1"))
    flags = ", ".join(w.pick(("true", "false")) for _ in of.shape)
    return f" inbounds = [{flags}]"


def _load(w: Writer, name: str, of: View, head: str, tail: str, types: str) -> None:
    result, token = w.fresh(), w.new_token()
    text = f"{head}{tail} : {of.type}, {types} -> {tile(of.shape, of.element)}, token"
    w.op(name, text, f"{result}, {token}")
    w.tiles.append(Tile(result, of.shape, of.element))


@step("load_view_tko")
def load_view(w: Writer) -> None:
    of = view(w)
    place, types = _indices(w, of)
    tail = _order(w, " = ") + _bounds(w, "load_view_tko", of) + w.maybe(TMA, 0.2)
    _load(w, "load_view_tko", of, f"{w.pick(LOADS)} {place}", tail, types)


@step("store_view_tko")
def store_view(w: Writer) -> None:
    of = view(w)
    place, types = _indices(w, of)
    value = w.like(of.shape, of.element)
    tail = _order(w, " = ") + _bounds(w, "store_view_tko", of) + w.maybe(TMA, 0.2)
    text = f"{w.pick(STORES)} {value.name}, {place}{tail} : {value.type}, {of.type}"
    w.op("store_view_tko", f"{text}, {types} -> token", w.new_token())


def _plain(w: Writer, element: str) -> View:
    """A partition view that atomic accesses of an element type take."""
    known = [v for v in w.views if v.is_plain and v.element == element]
    known = [v for v in known if "partition_view" in v.type]
    if known and w.chance(0.8):
        return w.pick(known)
    name, kind, extents, _ = _new_tensor(w, (1, 2), (element,))
    shape = tuple(w.pick((1, 2, 4)) for _ in extents)
    text = f"partition_view<tile=({'x'.join(map(str, shape))}), {kind}>"
    made = View(w.fresh(), text, shape, element, None, is_plain=True)
    w.op("make_partition_view", f"{name} : {text}", made.name)
    w.views.append(made)
    return made


@step("atomic_red_view_tko")
def atomic_red_view(w: Writer) -> None:
    mode, element = _mode(w)
    if mode == "xchg":
        mode, element = "add", "i32"
    of = _plain(w, element)
    place, types = _indices(w, of)
    value = w.like(of.shape, of.element)
    head = f"relaxed {w.pick(SCOPES[:2])} {place}, {mode}, {value.name}"
    tail = _order(w, " = ") + _bounds(w, "atomic_red_view_tko", of)
    text = f"{head}{tail} : {value.type}, {of.type}, {types} -> token"
    w.op("atomic_red_view_tko", text, w.new_token())


MULTIMEM = (
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
)


def _multicast(w: Writer, element: str) -> View:
    """A partition view of a multicast pointer."""
    pointer = f"ptr<{element}>"
    base, everywhere = w.like((), pointer), w.fresh()
    to = f"tile<ptr<{element}, <multicast>>>"
    w.op("ptr_to_ptr", f"{base.name} : {base.type} -> {to}", everywhere)
    extent, part = w.pick((1, 7, 64)), w.pick((1, 2, 4))
    kind = (
        f"tensor_view<{extent}x{element}, strides=[1], #cuda_tile.ptr_attr<multicast>>"
    )
    tensor = w.fresh()
    shape = f"shape = [{extent}], strides = [1]"
    w.op("make_tensor_view", f"{everywhere}, {shape} : {kind}", tensor)
    text = f"partition_view<tile=({part}), {kind}>"
    made = View(w.fresh(), text, (part,), element, None, is_plain=True)
    w.op("make_partition_view", f"{tensor} : {text}", made.name)
    return made


@step(*MULTIMEM)
def multimem(w: Writer) -> None:
    of = _multicast(w, w.pick(("f32", "i32")))
    name = w.pick(MULTIMEM)
    place, types = _indices(w, of)
    tail = _order(w, " = ") + _bounds(w, name, of)
    if name == MULTIMEM[0]:
        _load(w, name, of, f"{w.pick(LOADS)} {place}, add", tail, types)
        return
    value = w.like(of.shape, of.element)
    kind = "add, " if name == MULTIMEM[1] else ""
    model = w.pick(STORES[1:] if kind else STORES)
    text = f"{model} {place}, {kind}{value.name}{tail} : {value.type}, {of.type}"
    w.op(name, f"{text}, {types} -> token", w.new_token())
