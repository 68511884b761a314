# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/optimisers.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def adamw(p, g, m, v, n, lr, decay, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    grad = tl.load(g + i, i < n).to(tl.float32)
    first = 0.9 * tl.load(m + i, i < n) + 0.1 * grad
    second = 0.999 * tl.load(v + i, i < n) + 0.001 * grad * grad
    step = first / (tl.sqrt(second) + 1e-8)
    weight = tl.load(p + i, i < n)
    tl.store(p + i, weight - lr * (step + decay * weight), i < n)
    tl.store(m + i, first, i < n)
    tl.store(v + i, second, i < n)


@triton.jit
def momentum(p, g, m, n, lr, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    velocity = 0.9 * tl.load(m + i, i < n) + tl.load(g + i, i < n)
    tl.store(m + i, velocity, i < n)
    tl.store(p + i, tl.load(p + i, i < n) - lr * velocity, i < n)


@triton.jit
def lion(p, g, m, n, lr, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    grad, average = tl.load(g + i, i < n), tl.load(m + i, i < n)
    blend = 0.9 * average + 0.1 * grad
    sign = tl.where(blend > 0.0, 1.0, tl.where(blend < 0.0, -1.0, 0.0))
    tl.store(p + i, tl.load(p + i, i < n) - lr * sign, i < n)
    tl.store(m + i, 0.99 * average + 0.01 * grad, i < n)


@triton.jit
def adagrad(p, g, s, n, lr, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    grad = tl.load(g + i, i < n).to(tl.float32)
    total = tl.load(s + i, i < n) + grad * grad
    tl.store(s + i, total, i < n)
    weight = tl.load(p + i, i < n).to(tl.float32)
    new = weight - lr * (grad * tl.rsqrt(total + 1e-10))
    tl.store(p + i, new.to(p.dtype.element_ty), i < n)


@triton.jit
def clip_norm(g, total, n, limit, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    factor = tl.minimum(limit / (tl.sqrt(tl.load(total)) + 1e-6), 1.0)
    tile = tl.load(g + i, i < n).to(tl.float32)
    tl.store(g + i, (tile * factor).to(g.dtype.element_ty), i < n)


@triton.jit
def squared_norm(g, total, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tile = tl.load(g + i, i < n, other=0.0).to(tl.float32)
    tl.atomic_add(total, tl.sum(tile * tile, 0), sem="relaxed")


@triton.jit
def moving_average(p, shadow, n, beta, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    old = tl.load(shadow + i, i < n).to(tl.float32)
    new = beta * old + (1.0 - beta) * tl.load(p + i, i < n)
    tl.store(shadow + i, new.to(shadow.dtype.element_ty), i < n)


@triton.jit
def lamb_norms(p, u, out, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    a = tl.load(p + row * n + j, j < n, other=0.0)
    b = tl.load(u + row * n + j, j < n, other=0.0)
    tl.store(out + row, tl.sqrt(tl.sum(a * a, 0)) / tl.sqrt(tl.sum(b * b, 0)))
