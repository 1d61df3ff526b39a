"""What loops of exported programs cost beside the user's own: ``python benchmarks/loop_time.py``."""

from __future__ import annotations

import timeit
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import Dim, export, while_loop

ITERATIONS = 100_000
Body = Callable[..., tuple[Any, ...]]


def _fibonacci(i: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return i + 1, b % 1000003, (a + b) % 1000003


def _newton(i: Any, a: Any, x: Any) -> tuple[Any, ...]:
    return i + 1, a - (a * a - x) / (2 * a + 1e-9) * 1e-4, x


def _in_place(i: Any, a: Any, b: Any) -> tuple[Any, ...]:
    a += b
    a *= 0.5
    return i + 1, a, b


def _own(body: str) -> Any:
    """The user's own loop, with the body written out."""
    namespace: dict[str, Any] = {}
    exec(f"def own(i, a, b, n):\n    while i < n:\n        {body}\n    return i, a, b", namespace)
    return namespace["own"]


CASES: dict[str, tuple[Body, str, tuple[Any, Any]]] = {
    "integers of Python": (_fibonacci, "i, a, b = i + 1, b % 1000003, (a + b) % 1000003", (1, 1)),
    "scalars of NumPy": (_newton, "i, a, b = i + 1, a - (a * a - b) / (2 * a + 1e-9) * 1e-4, b", (np.float64(3), np.float64(3))),
    "an array in place": (_in_place, "i = i + 1; a += b; a *= 0.5", (np.ones(100), np.ones(100))),
}


def _scan(x: Any) -> Any:
    total, count = 0.0, 0
    for number in x:
        if number > 0.5:
            total += number
            count += 1
    return total, count


def _until_negative(x: Any) -> Any:
    total = 0.0
    for number in x.tolist():
        if number < 0:
            break
        total += number
    return total


def _recursion(x: Any) -> Any:
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] if x[i] > 0.5 else y[i - 1]
    return y


def _chosen_rows(rows: Any) -> Any:
    total = np.zeros(3)
    for row in rows:
        if row[0] > 0.5:
            total = total + row
    return total


def _descent(a: Any, b: Any) -> Any:
    x, steps = np.zeros(3), 0
    while steps < 10_000:
        slope = a @ x - b
        if np.abs(slope).max() < 0:
            break
        x = x - 0.1 * slope
        steps += 1
    return x


def _numbers(x: Any) -> Any:
    return x.tolist()


def _counts(x: Any) -> Any:
    counts: dict[int, int] = {}
    for key in x.tolist():
        counts[key] = counts.get(key, 0) + 1
    return counts


def _counted_in(x: Any) -> Any:
    counts: dict[int, int] = {}
    for key in x.tolist():
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return counts


def _counted_by_default(x: Any) -> Any:
    counts: defaultdict[int, int] = defaultdict(int)
    for key in x.tolist():
        counts[key] += 1
    return dict(counts)


def _counter(x: Any) -> Any:
    return Counter(x.tolist())


def _distinct(x: Any) -> Any:
    seen, found = set(), []
    for key in x.tolist():
        if key not in seen:
            seen.add(key)
            found.append(key)
    return found


def _first_seen(x: Any) -> Any:
    seen = set()
    for key in x.tolist():
        if key in seen:
            return key
        seen.add(key)
    return -1


def _two_of_a_sum(x: Any) -> Any:
    places: dict[int, int] = {}
    for i, key in enumerate(x.tolist()):
        if 1 - key in places:
            return places[1 - key], i
        places[key] = i
    return -1, -1


def _groups(x: Any) -> Any:
    groups: dict[int, list[int]] = {}
    for i, key in enumerate(x.tolist()):
        groups.setdefault(key, []).append(i)
    return groups


DATA = np.random.default_rng(0).random(3_000)
KEYS = np.random.default_rng(0).integers(0, 20, 200)
UNLIKE = np.random.default_rng(0).permutation(200) * 2
LOOPS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "items, some of them added": (_scan, (DATA,)),
    "numbers, added up to one": (_until_negative, (DATA,)),
    "a recursion over items": (_recursion, (DATA,)),
    "rows of three, some of them added": (_chosen_rows, (DATA.reshape(-1, 3),)),
    "gradient descent on three numbers": (_descent, (np.eye(3) * 2 + 0.1, np.ones(3))),
    "all numbers as a list": (_numbers, (DATA,)),
    "counting in a dict by get": (_counts, (KEYS,)),
    "counting in a dict by in": (_counted_in, (KEYS,)),
    "counting in a defaultdict": (_counted_by_default, (KEYS,)),
    "Counter": (_counter, (KEYS,)),
    "distinct keys": (_distinct, (KEYS,)),
    "a key seen twice": (_first_seen, (UNLIKE,)),
    "two of a sum": (_two_of_a_sum, (UNLIKE,)),
    "lists in a dict": (_groups, (KEYS,)),
}
"""Loops of Python that are captured, since data choose what they do, and the list of all numbers."""


def beside_python(name: str, program: Callable[..., Any], given: tuple[Any, ...]) -> None:
    module = export(program, given).module()
    times = [[timeit.timeit(lambda f=f: f(*given), number=1) for f in (module, program)] for _ in range(15)]
    ours, eager = (min(column) for column in zip(*times, strict=True))
    print(f"{name:34} {ours * 1e6:8.0f} us, eager {eager * 1e6:8.0f} us: {ours / eager:.2f} times")


def main() -> None:
    for name, (program, given) in LOOPS.items():
        beside_python(name, program, given)
    for name, (body, text, first) in CASES.items():

        def program(a: Any, b: Any, n: Any, body: Body = body) -> Any:
            return while_loop(lambda i, a, b: i < n, body, (0, a, b))

        module = export(program, (*first, ITERATIONS), dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
        own = _own(text)
        ours = min(timeit.repeat(lambda module=module, first=first: module(*first, ITERATIONS), number=1, repeat=5))
        eager = min(timeit.repeat(lambda own=own, first=first: own(0, *first, ITERATIONS), number=1, repeat=5))
        print(f"{name:20} {ours * 1e3:8.1f} ms, the user's own loop {eager * 1e3:8.1f} ms: {ours / eager:.2f} times")


if __name__ == "__main__":
    main()
