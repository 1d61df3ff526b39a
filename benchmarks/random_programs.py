"""Random small programs, as people write them: is any slower than its source, or needs more memory?

python benchmarks/random_programs.py [COUNT [SEED]]

A program is a few of `PARTS` over two arrays, of any of these sizes, dtypes and orders of memory. Times are CPU seconds, the median of the
ratios of interleaved rounds; what is above is measured twice more, and the median of these counts. Memory is what tracemalloc sees at most.
Fails where a figure is above, or a result is not eager execution's to the bit.
"""

import gc
import linecache
import random
import statistics
import sys
import time
import tracemalloc

import numpy as np

from npexport import ExportError, export

SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
DTYPES = ("f8", "f8", "f4", "i8", "c16")
ORDERS = ("C", "C", "C", "Fortran", "apart", "backwards", "a part")
ROUNDS, SLOWER, MORE, SMALL = 5, 1.03, 1.01, 16 * 1024

ALL, REAL, FLOAT = "fic", "fi", "f"
PARTS = [
    (ALL, ["{v} = {a} + {b}"]),
    (ALL, ["{v} = {a} * {c} + {b}"]),
    (ALL, ["{v} = ({a} - {b}) * ({a} + {c})"]),
    (ALL, ["{v} = np.abs({a}) * {c} - {b}"]),
    (ALL, ["x += {c}"]),
    (ALL, ["x *= {c}", "x -= y"]),
    (ALL, ["x += {c}", "x -= y", "x *= {c}", "x += y"]),
    (ALL, ["x[1:] += {c}"]),
    (ALL, ["x[:-1] += y[1:] * {c}"]),
    (ALL, ["np.add(x, y, out=x)"]),
    (ALL, ["x[...] = y * {c}"]),
    (ALL, ["outs.append(({a} * {b}).sum(axis=0))"]),
    (ALL, ["outs.append(np.abs({a}).max())"]),
    (ALL, ["outs.append({a}.mean(axis=-1, keepdims=True) + {b})"]),
    (ALL, ["outs.append({a}[..., :-2] + {a}[..., 2:] - {c} * {a}[..., 1:-1])"]),
    (ALL, ["{v} = {b}.copy()", "{v}[..., 1:-1] = {a}[..., :-2] + {a}[..., 2:]"]),
    (ALL, ["{v} = np.zeros_like({a})", "{v}[1:] = {a}[:-1] * {c}"]),
    (ALL, ["outs.append({a}[1:] - {a}[:-1])"]),
    (ALL, ["outs.append({a}[places])"]),
    (ALL, ["outs.append(np.roll({a}, 1, axis=0))"]),
    (ALL, ["outs.append({a}.T + {b}.T)"]),
    (ALL, ["outs.append({a}.reshape(-1) * {c})"]),
    (ALL, ["outs.append(np.concatenate([{a} * {c}, {b}]))"]),
    (ALL, ["outs.append(np.stack([{a}, {b}]))"]),
    (ALL, ["outs.append(np.cumsum({a} * {c}, axis=-1))"]),
    (ALL, ["{v} = {a}", "for _ in range(3):", "    {v} = {v} * {c} + y"]),
    (ALL, ["if np.abs({a}).sum() > 0:", "    {v} = {a} * {c}", "else:", "    {v} = {a} - {c}"]),
    (ALL, ["{v} = {a} * 1", "i = 0", "while np.abs({v}).max() < 1000 and i < 6:", "    {v} = {v} * 2 + {b}", "    i += 1"]),
    (ALL, ["{v} = 0", "for row in {a}[:20]:", "    {v} = {v} + row.sum()", "outs.append({v})"]),
    (REAL, ["{v} = np.where({a} > {b}, {a} * {c}, {b})"]),
    (REAL, ["{v} = np.minimum(np.maximum({a}, 0), {b}) + {c}"]),
    (REAL, ["{v} = {a}.copy()", "{v}[{v} < 0] = 0"]),
    (REAL, ["outs.append({a}[{a} > {b}])"]),
    (REAL, ["outs.append(np.sort({a}, axis=-1))"]),
    (FLOAT, ["{v} = np.exp(-{a} * {a})"]),
    (FLOAT, ["{v} = np.tanh({a} * {c} + {b}) * {a}"]),
    (FLOAT, ["{v} = 1.0 / (1.0 + np.exp(-{a}))"]),
    (FLOAT, ["{v} = np.sin({a}) + np.cos({b})"]),
    (FLOAT, ["{v} = ({a} - {a}.mean(axis=-1, keepdims=True)) / ({a}.std(axis=-1, keepdims=True) + 1e-5)"]),
    (FLOAT, ["outs.append(({a} * {c}).astype('f4') * 2)"]),
    ("c", ["{v} = np.conj({a}) * {b}"]),
    ("c", ["{v} = {a}.real * {b}.imag + 1j * {a}"]),
    ("fc", ["{v} = {a} / np.sqrt((np.abs({a}) ** 2).sum(axis=-1, keepdims=True))"]),
]
"""The kinds of dtypes that a part is for, and its lines: ``{v}`` is a new name, ``{a}`` and ``{b}`` are earlier ones, ``{c}`` a number."""


def array(rng, shape, dtype, order):
    def make(shape):
        parts = rng.standard_normal(shape), rng.standard_normal(shape)
        return parts[0] + 1j * parts[1] if dtype == "c16" else (parts[0] * (20 if dtype == "i8" else 1)).astype(dtype)

    everywhere = len(shape)
    return {
        "C": lambda: make(shape),
        "Fortran": lambda: make(shape[::-1]).T,
        "apart": lambda: make([2 * size for size in shape])[(slice(None, None, 2),) * everywhere],
        "backwards": lambda: make(shape)[::-1],
        "a part": lambda: make([size + 1 for size in shape])[(slice(1, None),) * everywhere],
    }[order]()


def program(seed, largest=1_000_000):
    """A function, what makes its arguments, and what it is."""
    choose = random.Random(seed)
    size, rank, dtype = choose.choice([size for size in SIZES if size <= largest]), choose.choice((1, 2, 2, 3)), choose.choice(DTYPES)
    first = [max(3, round(size ** choose.choice((0.3, 0.5, 0.7) if rank == 2 else (1 / 3,)))) for _ in range(rank - 1)]
    shape = (*first, max(3, size // max(1, int(np.prod(first)))))
    orders, lines, names = [choose.choice(ORDERS) for _ in range(2)], [], ["x", "y"]
    fitting = [each for kinds, each in PARTS if dtype[0] in kinds]
    for number in range(choose.choice((1, 1, 2, 2, 3, 4, 6))):
        texts = {"a": choose.choice(names), "b": choose.choice(names), "v": f"v{number}", "c": "3" if dtype == "i8" else "1.5"}
        part = choose.choice(fitting)
        lines += [line.format(**texts) for line in part]
        names += [texts["v"]] if part[0].startswith("{v}") and "0" not in part[0] or part[0].startswith("if") else []
    source = "def program(x, y, places):\n    outs = []\n" + "".join(f"    {line}\n" for line in lines)
    source += f"    return outs, {names[-1] if len(names) > 2 else None}\n"
    file = f"<program {seed}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    namespace = {"np": np}
    exec(compile(source, file, "exec"), namespace)

    def arguments():
        rng = np.random.default_rng(seed)
        return *[array(rng, shape, dtype, order) for order in orders], rng.integers(0, shape[0], shape[0])

    return namespace["program"], arguments, f"{seed}: {dtype} {shape}, {orders[0]} and {orders[1]}\n{source}"


def same(one, other):
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    one, other = np.asarray(one), np.asarray(other)
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def seconds(call, args, number):
    start = time.process_time()
    for _ in range(number):
        call(*args)
    return time.process_time() - start


def ratio(function, run, arguments):
    args, own = arguments(), arguments()
    seconds(run, own, 2)
    number = max(1, int(0.004 / max(min(seconds(function, args, 1) for _ in range(2)), 1e-6)))
    found = []
    for _ in range(ROUNDS):
        plain = seconds(function, args, number)
        found.append(seconds(run, own, number) / plain)
    return statistics.median(found)


def peak(call, arguments):
    args = arguments()
    call(*args)
    gc.collect()
    tracemalloc.start()
    call(*args)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def main(count=200, seed=0):
    times, memories, failed = [], [], 0
    for each in range(seed, seed + count):
        function, arguments, text = program(each)
        try:
            run = export(function, arguments()).module()
        except ExportError as error:
            print(f"{text}refused: {error.code}\n")
            continue
        args, own = arguments(), arguments()
        equal = same(run(*own), function(*args)) and same(own, args)
        found = ratio(function, run, arguments)
        if found > SLOWER:
            found = statistics.median([found, *[ratio(function, run, arguments) for _ in range(2)]])
        before, after = peak(function, arguments), peak(run, arguments)
        memory = after / before if max(before, after) > SMALL else 1.0
        times.append(found)
        memories.append(memory)
        if not equal or found > SLOWER or memory > MORE:
            failed += 1
            print(f"{text}{'' if equal else 'not equal, '}time {found:.2f}, memory {memory:.2f}\n", flush=True)
    for name, figures in (("time", times), ("memory", memories)):
        parts = statistics.quantiles(figures, n=10)
        print(
            f"{name}: a tenth below {parts[0]:.2f}, half below {parts[4]:.2f}, nine tenths below {parts[8]:.2f}, at most {max(figures):.2f}"
        )
    return f"{failed} of {len(times)} programs above eager execution" if failed else None


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main(*map(int, sys.argv[1:])))
