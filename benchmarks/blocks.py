"""Large arrays in blocks, on one thread and on two, beside the plain NumPy functions: wall-clock time, the median of rounds in turn.

python benchmarks/blocks.py
"""

import statistics
import time

import array_programs
import numpy as np
import programs
from array_programs import random

from npexport import export
from npexport.runtime.modules.module import make_module

ROUNDS = 9


def elements(x, y):
    a = x * 2.0 + y
    b = np.maximum(a, 0.5) - x
    c = b * b + a * 0.25
    return (c - y) * 0.5 + np.abs(c)


WORK = {
    "ten operators, 10M float32": (elements, lambda: (random(10_000_000, dtype=np.float32), random(10_000_000, dtype=np.float32, seed=1))),
    "softmax 4096x1024": (programs.softmax, lambda: (random(4096, 1024, dtype=np.float32),)),
    "layer norm 4096x1024": (programs.layer_norm, lambda: [random(*shape, dtype=np.float32) for shape in ((4096, 1024), (1024,), (1024,))]),
    "jacobi_2d 2800x2800": (array_programs.jacobi_2d, lambda: (2, random(2800, 2800), random(2800, 2800, seed=1))),
    "heat_3d 200": (array_programs.heat_3d, lambda: (1, random(200, 200, 200), random(200, 200, 200, seed=1))),
}


def seconds(call, args):
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


def main():
    for name, (function, args) in WORK.items():
        args = tuple(args())
        program = export(function, args)
        calls = [function, make_module(program, True, threads=0), program.module(), program.module(threads=2)]
        own = [tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args) for _ in calls]
        found = [[seconds(call, mine) for call, mine in zip(calls, own, strict=True)] for _ in range(ROUNDS + 1)][1:]
        plain, whole, one, two = (statistics.median(times) for times in zip(*found, strict=True))
        ratios = f"whole arrays {whole / plain:.2f}, blocks on 1 thread {one / plain:.2f}, on 2 threads {two / plain:.2f}"
        print(f"{name}: plain {plain * 1e3:.1f} ms, {ratios}", flush=True)


if __name__ == "__main__":
    main()
