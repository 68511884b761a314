# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals: filters, transforms, spectra."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
FIELD = Field("signals")


def _one(first: Array, *_: Array) -> list[int]:
    return [first.shape[-1]]


@ct.kernel
def fir(x, w, y, size: ConstInt, taps: ConstInt):
    i = ct.bid(0)
    place = i * size + ct.arange(size, dtype=ct.int32)
    acc = ct.zeros((size,), dtype=ct.float32)
    for t in ct.static_iter(range(taps)):
        acc += ct.gather(x, place + t, padding_value=0.0) * ct.load(w, (t,), (1,))
    ct.store(y, (i,), acc)


def _fir() -> Launch:
    x, w, y = normal("f32", 4104), normal("f32", 8), zeros("f32", 4096)
    parts = np.stack([wide(x)[t : t + 4096] * float(w[t]) for t in range(8)])
    found = near(parts.sum(0), "f32", np.abs(parts).sum(0))
    return Launch((4,), [x, w, y], {2: found})


FIELD.add("fir_f32", fir, _fir, lambda x, w, y: [x.size, y.size], SIZE=1024, TAPS=8)


@ct.kernel
def hadamard(x, y, rows: ConstInt, log_size: ConstInt):
    """The Walsh-Hadamard transform of each row, by butterflies of reshapes."""
    i = ct.bid(0)
    size = 1 << log_size
    tile = ct.astype(ct.load(x, (i, 0), (rows, size)), ct.float32)
    for step in ct.static_iter(range(log_size)):
        half = 1 << step
        count = size // (2 * half)
        pairs = ct.reshape(tile, (rows, count, 2, half))
        a = ct.extract(pairs, (0, 0, 0, 0), (rows, count, 1, half))
        b = ct.extract(pairs, (0, 0, 1, 0), (rows, count, 1, half))
        tile = ct.reshape(ct.cat((a + b, a - b), 2), (rows, size))
    ct.store(y, (i, 0), ct.astype(tile * (1.0 / size), y.dtype))


def _hadamard_matrix(log_size: int) -> Array:
    matrix = np.ones((1, 1))
    for _ in range(log_size):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def _hadamard() -> Launch:
    x, y = normal("f16", 32, 128), zeros("f16", 32, 128)
    exact = wide(x) @ _hadamard_matrix(7) / 128
    return Launch((4,), [x, y], {1: near(exact, "f16", 1.0)})


FIELD.add("hadamard_f16", hadamard, _hadamard, ROWS=8, LOG_SIZE=7)


@ct.kernel
def power_spectrum(re, im, y, size: ConstInt):
    i = ct.bid(0)
    a, b = ct.load(re, (i,), (size,)), ct.load(im, (i,), (size,))
    ct.store(y, (i,), 10.0 * ct.log(a * a + b * b + 1e-10))


def _power_spectrum() -> Launch:
    a, b, y = normal("f32", 8192), normal("f32", 8192, seed=1), zeros("f32", 8192)
    exact = 10 * np.log(wide(a) ** 2 + wide(b) ** 2 + 1e-10)
    return Launch((8,), [a, b, y], {2: near(exact, "f32", 10 + np.abs(exact))})


FIELD.add("power_spectrum_f32", power_spectrum, _power_spectrum, _one, SIZE=1024)


@ct.kernel
def haar(x, low, high, rows: ConstInt, half: ConstInt):
    """A step of Haar's wavelet: sums and differences of neighbours."""
    i = ct.bid(0)
    pairs = ct.reshape(ct.load(x, (i, 0), (rows, 2 * half)), (rows, half, 2))
    a = ct.reshape(ct.extract(pairs, (0, 0, 0), (rows, half, 1)), (rows, half))
    b = ct.reshape(ct.extract(pairs, (0, 0, 1), (rows, half, 1)), (rows, half))
    ct.store(low, (i, 0), (a + b) * 0.70710678)
    ct.store(high, (i, 0), (a - b) * 0.70710678)


def _haar() -> Launch:
    x, low, high = normal("f32", 64, 256), zeros("f32", 64, 128), zeros("f32", 64, 128)
    a, b = wide(x)[:, ::2], wide(x)[:, 1::2]
    sizes = np.abs(a) + np.abs(b)
    wanted = {1: near((a + b) * 0.5**0.5, "f32", sizes)}
    wanted[2] = near((a - b) * 0.5**0.5, "f32", sizes)
    return Launch((4,), [x, low, high], wanted)


FIELD.add("haar_f32", haar, _haar, ROWS=16, HALF=128)


@ct.kernel
def complex_filter(xr, xi, hr, hi, yr, yi, rows: ConstInt, size: ConstInt):
    """Each row of a spectrum times a filter."""
    i, j = ct.bid(0), ct.bid(1)
    a, b = ct.load(xr, (i, j), (rows, size)), ct.load(xi, (i, j), (rows, size))
    c, d = ct.load(hr, (j,), (size,))[None, :], ct.load(hi, (j,), (size,))[None, :]
    ct.store(yr, (i, j), a * c - b * d)
    ct.store(yi, (i, j), a * d + b * c)


def _complex_filter() -> Launch:
    a, b = normal("f32", 32, 512), normal("f32", 32, 512, seed=1)
    c, d = normal("f32", 512), normal("f32", 512, seed=1)
    exact = (wide(a) + 1j * wide(b)) * (wide(c) + 1j * wide(d))
    sizes = (np.abs(wide(a)) + np.abs(wide(b))) * (np.abs(wide(c)) + np.abs(wide(d)))
    wanted = {
        4: near(exact.real, "f32", sizes, 4),
        5: near(exact.imag, "f32", sizes, 4),
    }
    values = [a, b, c, d, zeros("f32", 32, 512), zeros("f32", 32, 512)]
    return Launch((4, 2), values, wanted)


FIELD.add("complex_filter_f32", complex_filter, _complex_filter, ROWS=8, SIZE=256)


@ct.kernel
def smooth(x, decay, y, size: ConstInt):
    """y = decay y + x along each row, by a scan of pairs."""
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size))
    factor = ct.load(decay, (row, 0), (1, size))
    place = ct.arange(size, dtype=ct.int32)[None, :]

    def combine(a, b, p, c, d, q):
        first = p < q
        late = ct.where(first, c, a)
        return a * c, late * ct.where(first, b, d) + ct.where(first, d, b), max(p, q)

    _, value, _ = ct.scan((factor, tile, place), 1, combine, (1.0, 0.0, -1))
    ct.store(y, (row, 0), value)


def _smooth() -> Launch:
    x, decay = normal("f32", 4, 1024), uniform("f32", 0.5, 0.99, 4, 1024)
    exact, state = np.zeros(x.shape), np.zeros(4)
    for t in range(1024):
        state = wide(decay)[:, t] * state + wide(x)[:, t]
        exact[:, t] = state
    return Launch((4,), [x, decay, zeros("f32", 4, 1024)], {2: (exact, 1e-4)})


FIELD.add("smooth_f32", smooth, _smooth, SIZE=1024)


@ct.kernel
def fourier(xr, xi, wr, wi, yr, yi, m: ConstInt, n: ConstInt):
    """The Fourier transform of rows of n numbers, by products with its matrix."""
    i = ct.bid(0)
    a, b = ct.load(xr, (i, 0), (m, n)), ct.load(xi, (i, 0), (m, n))
    c, d = ct.load(wr, (0, 0), (n, n)), ct.load(wi, (0, 0), (n, n))
    zero = ct.zeros((m, n), dtype=ct.float32)
    real = ct.mma(a, c, zero) - ct.mma(b, d, zero)
    imaginary = ct.mma(b, c, ct.mma(a, d, zero))
    ct.store(yr, (i, 0), real)
    ct.store(yi, (i, 0), imaginary)


def _fourier() -> Launch:
    a, b = normal("f16", 256, 64), normal("f16", 256, 64, seed=1)
    c, d = zeros("f16", 64, 64), zeros("f16", 64, 64)
    angle = -2 * np.pi * np.outer(np.arange(64), np.arange(64)) / 64
    c[...], d[...] = np.cos(angle), np.sin(angle)
    exact = (wide(a) + 1j * wide(b)) @ (wide(c) + 1j * wide(d))
    wanted = {4: near(exact.real, "f32", 100.0), 5: near(exact.imag, "f32", 100.0)}
    values = [a, b, c, d, zeros("f32", 256, 64), zeros("f32", 256, 64)]
    return Launch((4,), values, wanted)


FIELD.add("fourier_f16", fourier, _fourier, M=64, N=64)
