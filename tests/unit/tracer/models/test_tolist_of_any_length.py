"""``tolist`` of an axis whose length only sizes or data know: equal to eager execution at other sizes, with the classes of the items."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def returned(x):
    return x.tolist(), {"positive": (x > 0).tolist(), "n": len(x)}


def looked_at(x):
    a = x.tolist()
    return a[0] + a[-1], len(a), sum(a), max(a), a[1:2]


def gone_over(x):
    return [v * 2 for v in x.tolist() if v > 0], sum(v > 0 for v in x.tolist()), [i for i, v in enumerate(x.tolist()) if v > 0]


def kept_while_the_array_is_written(x):
    a = x.tolist()
    x[0] = 7
    s = 0.0
    for v in a:
        s += v
    a.append(3.0)
    return s, a


def of_other_dtypes(x):
    return x.astype("f4").tolist(), (x * 10).astype("i4").tolist(), np.abs(x * 3).astype("u1").tolist(), x.astype(">f8").tolist()


def best_place(x):
    a = x.tolist()
    best = 0
    for i in range(1, len(a)):
        if a[i] > a[best]:
            best = i
    return best, a[best], np.array(a)


def of_chosen_elements(x):
    return x[x > 0].tolist(), [v + 1 for v in x[x < 0].tolist()]


def iterators(x):
    return list(itertools.filterfalse(lambda v: v < 0, x.tolist())), list(itertools.accumulate(x.tolist(), max))


def taken_whole(x):
    y, k = x[x > 0].tolist(), 1
    pairs = list(zip(y, range(len(y)))), sorted(zip(y, y), reverse=True), list(zip(y, y[1:])), list(enumerate(y, 2)), list(reversed(y))
    best = max(enumerate(y), key=lambda pair: pair[k], default=None), min(zip(y, y), default=(0.0, 0.0))
    made = list(map(lambda a, b: a * b, y, y[1:])), sum(map(abs, y)), list(map(float, x[x < 1])), max(map(abs, y), default=0.0)
    return pairs, best, made, sorted(range(len(y)), key=lambda i: y[i]), sorted(x[x > 0]), sorted(map(abs, y), key=lambda v: -v)


def seen_otherwise(x):
    return isinstance(zip(x, x), zip), type(list((enumerate(x), 1))[0]) is enumerate, len(sorted([zip(x, x)], key=lambda each: 1))


def rows(x):
    total, out = 0.0, []
    for a, b in np.concatenate((x, x[::-1] * 2)).reshape(-1, 2).tolist():
        total += a * b if a > b else -b
        if a > 0:
            out.append(a - b)
    return total, out, [(v, sum(w)) for v, *w in np.stack((x, x + 1, -x), 1).tolist()]


def grid(x):
    g, h = np.stack((x, x * 2), 1).tolist(), np.stack((x, x * 2)).tolist()
    for i in range(1, len(g)):
        for j in range(2):
            g[i][j] += max(g[i - 1][j], 0.0)
    return g, h[1], any(all(v > 0 for v in row) for row in g), np.multiply.outer(x, np.ones((2, 2))).tolist()


PROGRAMS = [
    rows,
    grid,
    taken_whole,
    seen_otherwise,
    returned,
    looked_at,
    gone_over,
    kept_while_the_array_is_written,
    of_other_dtypes,
    best_place,
    of_chosen_elements,
    iterators,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_equals_eager_at_other_sizes(function):
    run = export(function, (np.array([0.5, -1.0, 2.0]),), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    rng = np.random.default_rng(0)
    for size in (2, 3, 7):
        for _ in range(6):
            x = rng.choice((-2.0, -0.5, 0.0, 0.5, 1.5, 2.0), size)
            assert outcome(run, (x,)) == outcome(function, (x,)), x


def test_what_takes_no_such_list_makes_the_size_a_constant():
    def f(x):
        return str(x.tolist())

    run = export(f, (np.ones(3),), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    assert run(np.arange(3.0)) == f(np.arange(3.0))
    with pytest.raises(ExportError):
        export(f, (np.ones(3),), dynamic_shapes={"x": {0: Dim("n")}})
