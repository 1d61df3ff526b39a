"""How cost grows: exports, calls and what else a program is asked for, over its size, inputs, parameters, dynamic dims and data.

    python benchmarks/scaling.py [LARGEST [PART OF A NAME]] > page.md

It writes a page. Each row is measured at sizes 10 times apart, up to ``LARGEST`` nodes (100,000 by default). The figure is CPU
microseconds for each unit, the fastest of some calls; where it stays the same from column to column, cost is linear. The last column is
the cost of a unit at the largest size over that at the second smallest, since the smallest is mostly constant.
"""

import io
import sys
import time

import numpy as np

import npexport
from npexport import Dim, export, load, nn, save

SMALL = np.ones((4, 4))


def seconds(call, repeats):
    """CPU seconds of the fastest of some calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def chain(count):
    """A program of ``count`` operators, one after the other."""

    def f(x):
        for _ in range(count // 2):
            x = (x + 1) * 0.5
        return x

    return f


def wide(count):
    """``count`` operators that all meet at the end."""

    def f(x):
        return np.concatenate([x * float(i) for i in range(count)])

    return f


def branches(count):
    """Branches on data in a row, by source: a loop over them would be one node."""
    lines = [f"    if x[{i % 4}, 0] > 0:\n        x = x + {i}\n    else:\n        x = x - {i}" for i in range(count)]
    names = {}
    exec("\n".join(["def f(x):", *lines, "    return x"]), names)
    return names["f"]


def nested_branches(depth):
    """Branches on data within one another."""
    lines = [f"{' ' * level}if x[0, 0] > {level}:\n{' ' * level} x = x * 2" for level in range(1, depth + 1)]
    lines += [f"{' ' * level}else:\n{' ' * level} x = x - {level}" for level in range(depth, 0, -1)]
    names = {}
    exec("\n".join(["def f(x):", *lines, " return x"]), names)
    return names["f"]


def nest(depth):
    """Modules within one another."""
    module = nn.ReLU()
    for _ in range(depth):
        module = nn.Sequential(module)
    return module


def layers(count):
    """A module with ``count`` parameters."""
    return nn.Sequential(*[nn.Linear(2, 2) for _ in range(count // 2)])


def total(*arrays):
    result = arrays[0]
    for array in arrays[1:]:
        result = result + array
    return result


def _saved(program):
    buffer = io.BytesIO()
    save(program, buffer)
    return buffer


def _chain(count):
    return export(chain(count), (SMALL,), unroll=True)


def _layers(count):
    return export(layers(count), (np.ones((1, 2), np.float32),))


def _load(program):
    buffer = _saved(program)
    return lambda: load(buffer)


def _call(program, *args):
    run = program.module()
    return lambda: run(*args)


def _inputs(count):
    args = tuple(np.ones(3) for _ in range(count))
    return export(total, args), args


def _dims(count):
    shapes = (tuple({0: Dim(f"d{i}")} for i in range(count)),)
    args = tuple(np.ones(3) for _ in range(count))
    return lambda: export(lambda *xs: [x * 2 for x in xs], args, dynamic_shapes=shapes)


X = np.ones((1, 2), np.float32)


def _of(make, what):
    """A row: what is done with that which ``make`` of a size gives, which is not measured."""

    def row(size):
        made = make(size)
        return lambda: what(made)

    return row


def _call_of_inputs(count):
    program, args = _inputs(count)
    return _call(program, *args)


def _rows(count):
    return export(chain(count), (SMALL,), dynamic_shapes=({0: Dim("rows")},), unroll=True)


ROWS = {
    "export, one node after the other": (100_000, _of(chain, lambda f: export(f, (SMALL,), unroll=True))),
    "export, one node beside the other": (10_000, _of(wide, lambda f: export(f, (SMALL,), unroll=True))),
    "export, branches in a row": (1000, _of(branches, lambda f: export(f, (SMALL,)))),
    "module()": (100_000, _of(_chain, lambda program: program.module())),
    "a call, one node after the other": (100_000, lambda n: _call(_chain(n), SMALL)),
    "str()": (10_000, _of(_chain, str)),
    "validate()": (100_000, _of(_chain, lambda program: program.validate())),
    "save()": (10_000, _of(_chain, _saved)),
    "load()": (10_000, lambda n: _load(_chain(n))),
    "run_decompositions()": (10_000, _of(_chain, lambda program: program.run_decompositions())),
    "to_python()": (10_000, _of(_chain, lambda program: program.to_python())),
    "to_html()": (10_000, _of(_chain, lambda program: program.to_html())),
    "independent_dims()": (100_000, _of(_rows, lambda program: program.independent_dims())),
    "export, 4 and 40 branches within one another": (40, _of(nested_branches, lambda f: export(f, (SMALL,)))),
    "module(), 4 and 40 branches within one another": (40, _of(lambda n: export(nested_branches(n), (SMALL,)), lambda p: p.module())),
    "export, inputs": (1000, _of(lambda n: _inputs(n)[1], lambda args: export(total, args))),
    "a call, inputs": (1000, _call_of_inputs),
    "export, parameters": (10_000, _of(layers, lambda module: export(module, (X,)))),
    "module(), parameters": (10_000, _of(_layers, lambda program: program.module())),
    "a call, parameters": (10_000, lambda n: _call(_layers(n), X)),
    "save(), parameters": (10_000, _of(_layers, _saved)),
    "load(), parameters": (10_000, lambda n: _load(_layers(n))),
    "str(), parameters": (10_000, _of(_layers, str)),
    "unflatten(), parameters": (1000, _of(_layers, npexport.unflatten)),
    "export, modules within one another": (100, _of(nest, lambda module: export(module, (X,)))),
    "export, dynamic dims": (100, _dims),
    "a call, elements": (10_000_000, lambda n: _call(export(lambda x: np.sqrt(x + 1) * 2, (np.ones(n),)), np.ones(n))),
}
"""Name -> the largest size, and what gives, of a size, the call that is measured."""


def measured(make, largest):
    """``(size, microseconds for each unit)`` at sizes 10 times apart."""
    size = min(10, max(largest // 10, 1))
    while size <= largest:
        call = make(size)
        yield size, seconds(call, 5 if size <= 1000 else 2) / size * 1e6
        size *= 10


def main(largest=100_000, only=""):
    print(f"| | {' | '.join(f'{10**power:,}' for power in range(1, 8))} | growth |\n|{' --- |' * 9}")
    for name, (most, make) in ROWS.items():
        if only in name:
            found = list(measured(make, most if most > 1_000_000 else min(most, largest)))
            growth = found[-1][1] / found[min(1, len(found) - 2)][1]
            cells = [f"{cost:.3g}" for _, cost in found]
            print(f"| {' | '.join([name, *cells, *[''] * (7 - len(cells))])} | {growth:.2f} |", flush=True)


if __name__ == "__main__":
    main(*(int(sys.argv[1]),) if len(sys.argv) > 1 else (), *sys.argv[2:])
