#!/usr/bin/env python3
"""Writes kernel_references.csv: what numpy and scipy say the kernels of the suite must give, at small sizes.

Needs numpy and scipy; no test runs it. Buffers are filled as src/device/suite/fill.rs does (splitmix64 streams by seed and
name), written here a second time from its description, so that a row holds for the numbers and not only for the formula.

    python3 tests/golden/kernel_references.py > tests/golden/kernel_references.csv
"""

import numpy as np
from scipy.signal import correlate2d
from scipy.spatial.distance import cdist
from scipy.special import expit
from scipy.special import softmax as scipy_softmax

SEED = 2026
MASK = 2**64 - 1


def splitmix(stream, place):
    z = (stream + (place + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def stream_of(name):
    stream = splitmix(SEED, 0)
    for byte in name.encode():
        stream = splitmix(stream, byte)
    return stream


def shares(name, length):
    stream = stream_of(name)
    return np.array([(splitmix(stream, i) >> 40) / 2**24 for i in range(length)])


def uniform(name, length, low=0.5, high=1.5):
    return (low + (high - low) * shares(name, length)).astype(np.float32)


def whole(name, length, low, high):
    return np.floor(low + (high - low) * shares(name, length)).astype(np.int64)


def ascending(name, length, step):
    return np.floor(step * (np.arange(length) + shares(name, length))).astype(np.int64)


def permutation(name, length):
    stream, order = stream_of(name), list(range(length))
    for i in range(length - 1, 0, -1):
        other = splitmix(stream, i) * (i + 1) >> 64
        order[i], order[other] = order[other], order[i]
    return np.array(order)


def f64(values):
    return values.astype(np.float64)


# Each answers: kernel, problem, the whole checked buffer.


def elementwise():
    n = 1000
    a, b, x, y = (f64(uniform(name, n)) for name in "abxy")
    yield "vector_add", f"n={n}", a + b
    yield "elementwise_add", f"n={n};t=200", a + b
    yield "elementwise_multiply", f"n={n};t=200", a * b
    yield "saxpy", f"n={n}", 2.5 * x + y
    # The fixed point of x = 0.5 x + 0.25 is 0.5; 2^-128 of the start is left.
    yield "vector_add_divergent", f"n={n}", a + b + np.where(np.arange(n) % 2 == 0, 0.5, 0.0)
    yield "strided_copy_8", f"n={n}", np.where(np.arange(n) % 8 == 0, a, 0.0)
    yield "random_access", f"n={n}", np.full(n, a[0])
    yield "random_gather", f"n={n}", a[permutation("idx", n)]
    yield "array_reversal", f"n={n};t=200", np.flip(a)
    yield "sigmoid", f"n={n};t=200", expit(f64(uniform("x", n, -8, 8)))
    points = np.stack([f64(uniform("x", n, -1, 1)), f64(uniform("y", n, -1, 1))], axis=1)
    landmarks = np.stack([f64(uniform("lx", 5, -1, 1)), f64(uniform("ly", 5, -1, 1))], axis=1)
    yield "max_distance", f"n={n};l=5;t=64", cdist(points, landmarks).max(axis=1)


def matrices():
    rows, cols = 20, 33
    a = uniform("a", rows * cols).reshape(rows, cols)
    for kernel in ("naive_transpose", "shared_transpose"):
        yield kernel, f"rows={rows};cols={cols}", f64(a).T
    m, n, k = 17, 40, 31
    product = f64(uniform("a", m * k)).reshape(m, k) @ f64(uniform("b", k * n)).reshape(k, n)
    yield "matmul_naive", f"m={m};n={n};k={k}", product
    yield "matmul_tiled", f"m={m};n={n};k={k}", product
    yield "gemm_tiled", f"m={m};n={n};k={k};tile=8", product
    h, w = 20, 33
    image = f64(uniform("image", h * w)).reshape(h, w)
    for kernel, side, more in (("conv2d_3x3", 3, ""), ("conv2d_7x7", 7, ""), ("conv2d_layer", 4, ";f=4")):
        taps = f64(uniform("filter", side * side, -1, 1)).reshape(side, side)
        yield kernel, f"h={h};w={w}{more}", correlate2d(image, taps, mode="valid")
    plate = f64(uniform("in", rows * cols, 1, 100)).reshape(rows, cols)
    laplace = correlate2d(plate, [[0, 1, 0], [1, -4, 1], [0, 1, 0]], mode="valid")
    after = plate.copy()
    after[1:-1, 1:-1] += float(np.float32(0.2)) * laplace
    yield "heat_diffusion", f"rows={rows};cols={cols}", after
    values = f64(uniform("in", rows * cols, -4, 4)).reshape(rows, cols)
    yield "softmax", f"rows={rows};cols={cols};t=64", scipy_softmax(values, axis=1)


def reductions():
    n = 1300
    parts = [slice(first, first + 512) for first in range(0, n, 512)]
    values, a, b = (f64(uniform(name, n)) for name in ("in", "a", "b"))
    yield "reduce_sum", f"n={n}", np.array([values[p].sum() for p in parts])
    yield "dot_product", f"n={n}", np.array([a[p] @ b[p] for p in parts])
    k, blocks, threads = 100, 3, 40
    p = f64(uniform("p", blocks * k)).reshape(blocks, k)
    q = f64(uniform("q", blocks * k, -1.5, -0.5)).reshape(blocks, k)
    warp = np.arange(k) % threads // 32
    squares = (p - q) ** 2
    by_warp = [squares[:, warp == w].sum(axis=1) for w in range(2)]
    yield "squared_distance", f"k={k};b={blocks};t={threads}", np.stack(by_warp, axis=1)
    yield "shared_bank_conflict", "fixed=1", np.full(1024, f64(uniform("in", 1024)).sum())


def counting():
    n = 5000
    bins = np.bincount(whole("in", n, 0, 256), minlength=256)
    yield "histogram", f"n={n}", np.bincount(np.full(n, 7), minlength=256)
    yield "histogram_spread", f"n={n}", bins
    yield "count_numbers", f"n={n};t=200", bins
    yield "count_numbers_shared", f"n={n};t=200", bins
    yield "atomic_hotspot", "n=2000000;iters=3000", np.array([2000000 * 3000 % 2**32])
    segment, threads, target = 7, 50, 3 * (n // 8)
    numbers = ascending("sorted", n, 0.75)
    found = []
    for first in range(0, n, segment * threads):
        part = numbers[first : first + segment * threads]
        at = np.searchsorted(part, target)
        found.append(first + at if at < len(part) and part[at] == target else n)
    yield "binary_search", f"n={n};segment={segment};t={threads}", np.array(found)


def main():
    print("kernel,problem,seed,elements,sum,at,value")
    for family in (elementwise, matrices, reductions, counting):
        for kernel, problem, answer in family():
            flat = np.asarray(answer).ravel()
            for at in sorted({0, 1 % len(flat), len(flat) // 3, len(flat) // 2, len(flat) - 1}):
                print(f"{kernel},{problem},{SEED},{len(flat)},{flat.sum():.12g},{at},{flat[at]:.12g}")


if __name__ == "__main__":
    main()
