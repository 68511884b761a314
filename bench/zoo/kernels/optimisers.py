# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of optimisers and what goes with them."""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
FIELD = Field("optimisers")
N = 8192


def _length(first: Array, *_: Array) -> list[int]:
    return [first.size]


@ct.kernel
def adamw(p, g, m, v, lr: float, decay: float, size: ConstInt):
    i = ct.bid(0)
    grad = ct.astype(ct.load(g, (i,), (size,)), ct.float32)
    first = 0.9 * ct.load(m, (i,), (size,)) + 0.1 * grad
    second = 0.999 * ct.load(v, (i,), (size,)) + 0.001 * grad * grad
    step = first / (ct.sqrt(second) + 1e-8)
    weight = ct.load(p, (i,), (size,))
    ct.store(p, (i,), weight - lr * (step + decay * weight))
    ct.store(m, (i,), first)
    ct.store(v, (i,), second)


def _adamw() -> Launch:
    p, g, m = normal("f32", N), normal("bf16", N, seed=1), normal("f32", N, seed=2)
    v = uniform("f32", 0.5, 2, N, seed=3)
    first = 0.9 * wide(m) + 0.1 * wide(g)
    second = 0.999 * wide(v) + 0.001 * wide(g) ** 2
    new = wide(p) - 0.01 * (first / np.sqrt(second) + 0.1 * wide(p))
    sizes = np.abs(wide(p)) + np.abs(wide(m)) + np.abs(wide(g))
    wanted = {0: near(new, "f32", sizes), 2: near(first, "f32", sizes)}
    wanted[3] = near(second, "f32")
    return Launch((8,), [p, g, m, v, np.float32(0.01), np.float32(0.1)], wanted)


FIELD.add("adamw_f32", adamw, _adamw, _length, SIZE=1024)


@ct.kernel
def momentum(p, g, m, lr: float, size: ConstInt):
    i = ct.bid(0)
    velocity = 0.9 * ct.load(m, (i,), (size,)) + ct.load(g, (i,), (size,))
    ct.store(m, (i,), velocity)
    ct.store(p, (i,), ct.load(p, (i,), (size,)) - lr * velocity)


def _three(kind: str, n: int = N) -> list[Any]:
    return [normal(kind, n, seed=seed) for seed in range(3)]


def _momentum() -> Launch:
    p, g, m = _three("f32")
    sizes = np.abs(wide(p)) + np.abs(wide(m)) + np.abs(wide(g))
    velocity = 0.9 * wide(m) + wide(g)
    wanted = {0: near(wide(p) - 0.01 * velocity, "f32", sizes)}
    wanted[2] = near(velocity, "f32", sizes)
    return Launch((8,), [p, g, m, np.float32(0.01)], wanted)


FIELD.add("momentum_f32", momentum, _momentum, _length, SIZE=1024)


@ct.kernel
def lion(p, g, m, lr: float, size: ConstInt):
    i = ct.bid(0)
    grad, average = ct.load(g, (i,), (size,)), ct.load(m, (i,), (size,))
    blend = 0.9 * average + 0.1 * grad
    sign = ct.where(blend > 0.0, 1.0, ct.where(blend < 0.0, -1.0, 0.0))
    ct.store(p, (i,), ct.load(p, (i,), (size,)) - lr * sign)
    ct.store(m, (i,), 0.99 * average + 0.01 * grad)


def _lion() -> Launch:
    p, g, m = _three("f32", 8000)
    blend = 0.9 * wide(m) + 0.1 * wide(g)
    assert np.abs(blend).min() > 1e-6
    sizes = np.abs(wide(p)) + np.abs(wide(m)) + np.abs(wide(g))
    wanted = {0: near(wide(p) - 0.01 * np.sign(blend), "f32", sizes)}
    wanted[2] = near(0.99 * wide(m) + 0.01 * wide(g), "f32", sizes)
    return Launch((8,), [p, g, m, np.float32(0.01)], wanted)


FIELD.add("lion_f32_tail", lion, _lion, _length, SIZE=1024)


@ct.kernel
def adagrad(p, g, s, lr: float, size: ConstInt):
    i = ct.bid(0)
    grad = ct.astype(ct.load(g, (i,), (size,)), ct.float32)
    total = ct.load(s, (i,), (size,)) + grad * grad
    step = grad * ct.rsqrt(total + 1e-10)
    ct.store(s, (i,), total)
    weight = ct.astype(ct.load(p, (i,), (size,)), ct.float32)
    ct.store(p, (i,), ct.astype(weight - lr * step, p.dtype))


def _adagrad() -> Launch:
    p, g = normal("f16", N), normal("f16", N, seed=1)
    s = uniform("f32", 0.5, 2, N)
    total = wide(s) + wide(g) ** 2
    new = wide(p) - 0.01 * wide(g) / np.sqrt(total)
    wanted = {0: near(new, "f16", 1.0), 2: near(total, "f32")}
    return Launch((8,), [p, g, s, np.float32(0.01)], wanted)


FIELD.add("adagrad_f16", adagrad, _adagrad, _length, SIZE=1024)


@ct.kernel
def clip_norm(g, total, limit: float, size: ConstInt):
    i = ct.bid(0)
    norm = ct.sqrt(ct.load(total, (0,), (1,)))
    factor = ct.minimum(limit / (norm + 1e-6), 1.0)
    tile = ct.astype(ct.load(g, (i,), (size,)), ct.float32)
    ct.store(g, (i,), ct.astype(tile * factor, g.dtype))


def _clip_norm() -> Launch:
    g, total = normal("bf16", N), zeros("f32", 1)
    total[0] = 9.0
    exact = wide(g) / (3 + 1e-6)
    return Launch((4,), [g, total, np.float32(1.0)], {0: near(exact, "bf16")})


FIELD.add("clip_norm_bf16", clip_norm, _clip_norm, _length, SIZE=2048)


@ct.kernel
def squared_norm(g, total, size: ConstInt):
    i = ct.bid(0)
    tile = ct.astype(ct.load(g, (i,), (size,)), ct.float32)
    ct.atomic_add(total, 0, ct.sum(tile * tile), memory_order=ct.MemoryOrder.RELAXED)


def _squared_norm() -> Launch:
    g, total = normal("f16", N), zeros("f32", 1)
    return Launch((4,), [g, total], {1: near((wide(g) ** 2).sum()[None], "f32")})


FIELD.add("squared_norm_f16", squared_norm, _squared_norm, _length, SIZE=2048)


@ct.kernel
def moving_average(p, shadow, beta: float, size: ConstInt):
    i = ct.bid(0)
    old = ct.astype(ct.load(shadow, (i,), (size,)), ct.float32)
    new = beta * old + (1.0 - beta) * ct.load(p, (i,), (size,))
    ct.store(shadow, (i,), ct.astype(new, shadow.dtype))


def _moving_average() -> Launch:
    p, s, beta = normal("f32", N), normal("bf16", N, seed=1), np.float32(0.9)
    exact = float(beta) * wide(s) + (1 - float(beta)) * wide(p)
    sizes = np.abs(wide(s)) + np.abs(wide(p))
    return Launch((8,), [p, s, beta], {1: near(exact, "bf16", sizes)})


FIELD.add("moving_average_bf16", moving_average, _moving_average, _length, SIZE=1024)


@ct.kernel
def lamb_norms(p, u, out, size: ConstInt):
    """Sums of squares of the weights and of the update, of each layer."""
    row = ct.bid(0)
    a = ct.load(p, (row, 0), (1, size))
    b = ct.load(u, (row, 0), (1, size))
    ratio = ct.sqrt(ct.sum(a * a)) / ct.sqrt(ct.sum(b * b))
    ct.store(out, (row,), ct.full((1,), ratio, dtype=ct.float32))


def _lamb_norms() -> Launch:
    p, u, out = normal("f32", 4, 2048), normal("f32", 4, 2048, seed=1), zeros("f32", 4)
    exact = np.sqrt((wide(p) ** 2).sum(1) / (wide(u) ** 2).sum(1))
    return Launch((4,), [p, u, out], {2: near(exact, "f32", None, 256)})


FIELD.add("lamb_norms_f32", lamb_norms, _lamb_norms, SIZE=2048)
