"""Calls of exported programs over sizes, from 10 elements to 8 million, beside the plain functions: is any slower, or needs more memory?

python benchmarks/sweep.py [NAME ...]

Figures are as in `memory_and_speed.py`: the fastest of interleaved rounds, in CPU seconds, and what tracemalloc sees at most. `!` stands
beside a figure that is above eager's: a call slower by a tenth, or one that needs more memory.
"""

import sys

import array_programs
import memory_and_speed
import numpy as np
from array_programs import random
from memory_and_speed import MORE, SLOWER, SMALL, copied, peak

from npexport import export

SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 8_000_000)
memory_and_speed.ROUNDS = 9


def one_operator(x):
    return x + 1.0


def three_operators(x, y):
    return (x + y) * 2.0 - x


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def chain_in_place(x):
    x *= 0.999
    x += 0.001
    x -= 0.002
    x *= 1.001


def one_in_place(x):
    x += 1.0


def a_sum(x):
    return (x * x).sum()


def a_view(x):
    return x[::-1][1:]


def as_list(x):
    return x.tolist()


def masked(x):
    x[x < 0.0] = 0.0
    return x


def chosen(x, y):
    return np.where(x > y, x, y * 0.5)


def by_rows(x):
    rows = x.reshape(-1, 10)
    return (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)


def by_norms(x):
    rows = x[: x.size // 64 * 64].reshape(-1, 64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def divided_where(x, y):
    return np.divide(x, y, out=np.zeros_like(x), where=y > 0.1)


def inverses(x):
    return 1 / np.where(np.abs(x) < 0.1, 0, x)


def differences(x):
    return np.diff(x) * 0.5 + x[1:]


def joined(x, y):
    return np.concatenate([x, y]) * 2.0


ONE = (
    one_operator,
    sigmoid,
    chain_in_place,
    one_in_place,
    a_sum,
    a_view,
    as_list,
    masked,
    by_rows,
    by_norms,
    inverses,
    differences,
    array_programs.elementwise,
)
TWO = (three_operators, chosen, joined, divided_where)
PROGRAMS = {each.__name__: (each, arguments) for arguments, some in enumerate((ONE, TWO), start=1) for each in some}
"""Name -> function, and the number of arrays that it takes."""
MOST = {"as_list": 1_000_000}
"""The largest size, of what is slow to measure."""


def figures(function, args):
    """The ratios of time and of memory."""
    run = export(function, copied(args)).module()
    plain, exported = memory_and_speed.times((function, run), args)
    before, after = peak(function, args), peak(run, args)
    return exported / plain, after / before if max(before, after) > SMALL else 1.0


def main(names):
    above = 0
    print(f"{'program':<18}" + "".join(f"{size:>14,}" for size in SIZES))
    for name, (function, arguments) in PROGRAMS.items():
        if names and name not in names:
            continue
        line = f"{name:<18}"
        for size in [size for size in SIZES if size <= MOST.get(name, max(SIZES))]:
            time, memory = figures(function, [random(size, seed=seed) for seed in range(arguments)])
            slower, larger = time > SLOWER, memory > MORE
            above += slower + larger
            line += f"{time:>7.2f}{'!' if slower else ' '}{memory:>5.2f}{'!' if larger else ' '}"
        print(line, flush=True)
    return f"{above} figures above eager's" if above else None


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main(sys.argv[1:]))
