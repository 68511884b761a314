# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of training: optimisers, embeddings, gradients' norms, recurrent cells."""

import cuda.tile as ct
from registry import ZERO, ConstInt, add


@ct.kernel
def adamw(
    p, g, m, v, lr: float, decay: float, fix1: float, fix2: float, size: ConstInt
):
    i = ct.bid(0)
    grad = ct.astype(ct.load(g, (i,), (size,)), ct.float32)
    first = 0.9 * ct.load(m, (i,), (size,)) + 0.1 * grad
    second = 0.999 * ct.load(v, (i,), (size,)) + 0.001 * grad * grad
    step = (first / fix1) / (ct.sqrt(second / fix2) + 1e-8)
    weight = ct.load(p, (i,), (size,))
    ct.store(p, (i,), weight - lr * (step + decay * weight))
    ct.store(m, (i,), first)
    ct.store(v, (i,), second)


add(
    "adamw_f32",
    adamw,
    *["f32*1", "bf16*1", "f32*1", "f32*1", "f32", "f32", "f32", "f32"],
    64,
)


@ct.kernel
def momentum(p, g, m, lr: float, size: ConstInt):
    i = ct.bid(0)
    velocity = 0.9 * ct.load(m, (i,), (size,)) + ct.load(g, (i,), (size,))
    ct.store(m, (i,), velocity)
    ct.store(p, (i,), ct.load(p, (i,), (size,)) - lr * velocity)


add("momentum_f64", momentum, "f64*1", "f64*1", "f64*1", "f32", 32)


@ct.kernel
def sign_step(p, g, m, lr: float, size: ConstInt):
    """The sign of an average of gradients, as in Lion."""
    i = ct.bid(0)
    grad = ct.load(g, (i,), (size,))
    average = ct.load(m, (i,), (size,))
    blend = 0.9 * average + 0.1 * grad
    sign = ct.astype(blend > 0.0, ct.float32) - ct.astype(blend < 0.0, ct.float32)
    ct.store(p, (i,), ct.load(p, (i,), (size,)) - lr * sign)
    ct.store(m, (i,), 0.99 * average + 0.01 * grad)


add("sign_step_f32", sign_step, "f32*1", "f32*1", "f32*1", "f32", 64)


@ct.kernel
def clip_norm(g, total, limit: float, size: ConstInt):
    """Scales gradients in place where the norm of all exceeds a limit."""
    i = ct.bid(0)
    norm = ct.sqrt(ct.load(total, (0,), (1,)))
    factor = ct.minimum(limit / (norm + 1e-6), 1.0)
    tile = ct.load(g, (i,), (size,))
    ct.store(g, (i,), ct.astype(ct.astype(tile, ct.float32) * factor, g.dtype))


add("clip_norm_f16", clip_norm, "f16*1", "f32*1", "f32", 64)


@ct.kernel
def embedding(table, tokens, places, y, rows: ConstInt, d: ConstInt):
    """Rows of a table by token, plus a row per position."""
    i = ct.bid(0)
    token = ct.load(tokens, (i,), (rows,), padding_mode=ZERO)
    column = ct.arange(d, dtype=ct.int32)[None, :]
    tile = ct.gather(table, (token[:, None], column))
    ct.store(y, (i, 0), tile + ct.load(places, (i, 0), (rows, d), padding_mode=ZERO))


add("embedding_f16", embedding, "f16*2", "i64*1", "f16*2", "f16*2", 8, 32)


@ct.kernel
def embedding_backward(g, tokens, table, rows: ConstInt, d: ConstInt):
    i = ct.bid(0)
    token = ct.load(tokens, (i,), (rows,))
    column = ct.arange(d, dtype=ct.int32)[None, :]
    ct.atomic_add(table, (token[:, None], column), ct.load(g, (i, 0), (rows, d)))


add("embedding_backward_f32", embedding_backward, "f32*2", "i32*1", "f32*2", 8, 16)
add("embedding_backward_f16", embedding_backward, "f16*2", "i32*1", "f16*2", 8, 16)


@ct.kernel
def average(p, shadow, beta: float, size: ConstInt):
    """A moving average kept in bf16, computed in f32."""
    i = ct.bid(0)
    old = ct.astype(ct.load(shadow, (i,), (size,)), ct.float32)
    new = beta * old + (1.0 - beta) * ct.load(p, (i,), (size,))
    ct.store(shadow, (i,), ct.astype(new, shadow.dtype))


add("average_bf16", average, "f32*1", "bf16*1", "f32", 64)


@ct.kernel
def column_sums(x, y, rows: ConstInt, size: ConstInt):
    """The gradient of a bias: sums over rows, in f32."""
    j = ct.bid(0)
    acc = ct.zeros((size,), dtype=ct.float32)
    for i in range(ct.num_tiles(x, axis=0, shape=(rows, size))):
        tile = ct.load(x, (i, j), (rows, size), padding_mode=ZERO)
        acc += ct.sum(ct.astype(tile, ct.float32), axis=0)
    ct.store(y, (j,), acc)


add("column_sums_f16", column_sums, "f16*2", "f32*1", 16, 16)


def sigmoid(x):
    return 1.0 / (1.0 + ct.exp(-x))


@ct.kernel
def lstm(gates, c, h, rows: ConstInt, size: ConstInt):
    """One step, from the sums of the four gates."""
    i, j = ct.bid(0), ct.bid(1)
    n = ct.num_tiles(c, axis=1, shape=(rows, size))
    a = sigmoid(ct.load(gates, (i, j), (rows, size)))
    f = sigmoid(ct.load(gates, (i, j + n), (rows, size)))
    g = ct.tanh(ct.load(gates, (i, j + 2 * n), (rows, size)))
    o = sigmoid(ct.load(gates, (i, j + 3 * n), (rows, size)))
    cell = f * ct.load(c, (i, j), (rows, size)) + a * g
    ct.store(c, (i, j), cell)
    ct.store(h, (i, j), o * ct.tanh(cell))


add("lstm_f32", lstm, "f32*2", "f32*2", "f32*2", 4, 16)


@ct.kernel
def gru(x, w, out, steps: ConstInt, n: ConstInt):
    """A cell over time: h = z h + (1 - z) tanh(x + h w), z = sigmoid(x)."""
    h = ct.zeros((n, n), dtype=ct.float32)
    weight = ct.load(w, (0, 0), (n, n))
    for t in range(steps):
        tile = ct.reshape(ct.load(x, (t, 0, 0), (1, n, n)), (n, n))
        z = sigmoid(tile)
        mixed = ct.mma(ct.astype(h, ct.float16), weight, tile)
        h = z * h + (1.0 - z) * ct.tanh(mixed)
    ct.store(out, (0, 0), h)


add("gru_f32", gru, "f32*3", "f16*2", "f32*2", 3, 16)


@ct.kernel
def loss_scale(g, flag, size: ConstInt):
    """Unscales gradients and says whether one is infinite or NaN."""
    i = ct.bid(0)
    tile = ct.astype(ct.load(g, (i,), (size,), padding_mode=ZERO), ct.float32)
    wrong = ct.isnan(tile) | (ct.abs(tile) == float("inf"))
    ct.atomic_or(flag, 0, ct.max(ct.astype(wrong, ct.int32)))
    ct.store(g, (i,), ct.astype(tile / 1024.0, g.dtype))


add("loss_scale_f16", loss_scale, "f16*1", "i32*1", 64)
