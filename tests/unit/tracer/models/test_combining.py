"""Iterators of C over sequences of dynamic sizes: the program at other sizes is what eager execution
is, and no size became a constant.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome
from tests.support.shards import shard

PROGRAMS: dict[str, Callable[..., Any]] = {}
SIZES = (5, 1, 2, 7)


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    return PROGRAMS.setdefault(function.__name__, function)


@program
def product_of_ranges(x):
    out = np.zeros((len(x), len(x)))
    for i, j in itertools.product(range(len(x)), repeat=2):
        out[i, j] = abs(x[i] - x[j])
    return out


@program
def product_of_items(x):
    return [a * b for a, b in itertools.product(x, x[1:])]


@program
def product_with_a_list(x):
    return [a + k for a, k in itertools.product(x, [10, 20])]


@program
def product_of_pairs(x):
    s = 0.0
    for (i, a), (j, b) in itertools.product(enumerate(x), enumerate(x)):
        if i < j:
            s += a * b
    return s


@program
def product_of_a_generator_with_itself(x):
    return [a * b for (i, a), (j, b) in itertools.product(enumerate(x), repeat=2) if i != j]


@program
def product_of_three(x):
    return sum(x[i] * x[j] * x[k] for i, j, k in itertools.product(range(len(x)), repeat=3))


@program
def a_pool_that_is_written(x):
    out = []
    for a, b in itertools.product(x, x):
        x[0] += 1
        out.append(a * b)
    return out


@program
def a_list_that_grows(x):
    items, out = x.tolist(), []
    for a, b in itertools.combinations(items, 2):
        items[0] = a + b
        out.append(a * b)
    return items, out


@program
def nearest(x):
    least = np.inf
    for i, j in itertools.combinations(range(len(x)), 2):
        least = min(least, abs(x[i] - x[j]))
    return least


@program
def triples(x):
    return sum(x[i] * x[j] * x[k] for i, j, k in itertools.combinations(range(len(x)), 3))


@program
def distances(x):
    return np.array([abs(a - b) for a, b in itertools.combinations(x, 2)])


@program
def with_replacement(x):
    return [a - b for a, b in itertools.combinations_with_replacement(x.tolist(), 2)]


@program
def orders(x):
    return [a - b for a, b in itertools.permutations(x, 2)]


@program
def farthest(x):
    most = 0.0
    for (i, a), (j, b) in itertools.combinations(enumerate(x), 2):
        most = max(most, abs(a - b) * (j - i))
    return most


@program
def differences(x):
    return [b - a for a, b in itertools.pairwise(x.tolist())]


@program
def neighbours_that_are_written(x):
    out = []
    for a, b in itertools.pairwise(x):
        x[-1] += a
        out.append(b - a)
    return out, x


@program
def chained(x):
    return sum(itertools.chain(x, x[1:])), list(itertools.chain([0.0], x.tolist(), [1.0]))


@program
def flattened(x):
    table = np.stack([x, x + 1], 1).tolist()
    return list(itertools.chain.from_iterable(table)), sum(itertools.chain.from_iterable([v] * 2 for v in x))


@program
def filled_up(x):
    total = 0.0
    for a, b in itertools.zip_longest(x.tolist(), x[3:].tolist()):
        total = total * 0.5 + (a if b is None else a * b)
    return total, [a + b - c for a, b, c in itertools.zip_longest(x.tolist(), x[:2], x[1:], fillvalue=2)]


@program
def repeated(x):
    return list(itertools.repeat(1.5, len(x))), [a * b for a, b in zip(x, itertools.repeat(3))]


@program
def beside_endless_ones(x):
    total = 0
    for a, sign, i in zip(x, itertools.cycle((1, -1)), itertools.count(3)):
        total = total * 0.5 + a * sign * i
    return total, [a * b for a, b in zip(range(len(x) + 4), itertools.cycle(x))], dict(zip(itertools.count(), x.tolist()))


@program
def grouped(x):
    runs = [(key, len(list(group))) for key, group in itertools.groupby((x * 2).astype(int))]
    for key, group in itertools.groupby(x.tolist(), key=lambda v: v > 0):
        runs.append((int(key), int(sum(group) * 100)))
    return runs


@program
def kept(x):
    digits = (x * 2).astype(int).tolist()
    queue = deque(i for i, v in enumerate(x) if v > 0)
    queue.append(9)
    return Counter(zip(digits, digits[1:])), OrderedDict(enumerate(digits)), len(queue), queue[0]


@program
def asked(x):
    return any(map(lambda v: v > 0.9, x)), all(map(bool, x.tolist())), any(itertools.starmap(operator.gt, zip(x, x[1:])))


@program
def starred(x):
    return list(itertools.starmap(operator.mul, zip(x, x[::-1]))), sum(itertools.starmap(lambda i, a: i * a, enumerate(x)))


@program
def sliced(x):
    return list(itertools.islice(x, 1, None, 2)), list(itertools.islice(x, 2)), [a for a in itertools.islice(x, 2, 4)]


@program
def folded(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x), functools.reduce(operator.mul, x.tolist(), 2)


@program
def folded_pairs(x):
    return functools.reduce(lambda s, pair: s + pair[0] * pair[1], zip(x, x[::-1]), 0.0)


@program
def folded_generator(x):
    return functools.reduce(lambda s, a: max(s, a), (abs(a) for a in x))


@program
def folded_nothing(x):
    return functools.reduce(operator.add, x[7:].tolist())


@program
def indices_of_a_shape(x):
    y = np.outer(x, x)
    out = np.zeros(y.shape)
    for i, j in np.ndindex(y.shape):
        out[i, j] = y[i, j] * (i + 2 * j)
    for place in np.ndindex(*y.shape):
        out[place] -= y[place]
    return out


@program
def the_first_indices(x):
    out = []
    for (i,) in np.ndindex(len(x)):
        out.append(x[i])
        if i == 1:
            break
    return out


@program
def place_of_the_least(x):
    best = None
    y = np.outer(x, x)
    for place in np.ndindex(y.shape):
        if best is None or y[place] < y[best]:
            best = place
    return best


@program
def numbered_elements(x):
    s = 0.0
    for (i, j), v in np.ndenumerate(np.outer(x, x)):
        s += v * (i - 2 * j)
    return s, [i for (i,), v in np.ndenumerate(x) if v > 0]


@program
def numbered_while_written(x):
    for (i,), v in np.ndenumerate(x):
        x[i:] += v
    return x


@program
def of_a_function(x):
    def places(n):
        for i in range(n):
            for j in range(i, n):
                yield i, j

    return sum(x[i] * x[j] for i, j in places(len(x)))


@pytest.mark.parametrize("name", shard(sorted(PROGRAMS), 4))
def test_at_every_size(name: str) -> None:
    function = PROGRAMS[name]
    data = [np.sin(np.arange(size) * 1.7 + 0.3) for size in SIZES]
    least = {"folded_nothing": 8, "sliced": 2}.get(name, 0)
    if least:
        data = [np.concatenate([each, np.arange(least + 0.5)]) for each in data]
    module = export(function, (data[0].copy(),), dynamic_shapes=({0: Dim("n", min=least or 1)},)).module()
    for each in data:
        assert outcome(module, (each.copy(),)) == outcome(function, (each.copy(),))


def test_a_fold_of_nothing_raises_as_in_eager_execution() -> None:
    def nothing(x: Any) -> Any:
        return functools.reduce(operator.add, x[len(x) :])

    with pytest.raises(TypeError, match="reduce"):
        export(nothing, (np.arange(4.0),), dynamic_shapes=({0: Dim("n")},))


def _cycled(x):
    total = 0.0
    for a, b in zip(range(len(x) + 3), itertools.cycle(x)):
        x[0] += 1
        total = total * 0.5 + a * b
    return total


def _grouped(x):
    total = 0
    for _, group in itertools.groupby(x):
        x[-1] = 7
        total = total * 3 + len(list(group))
    return total


def _filled_up(x):
    items, total = x.tolist(), 0.0
    for a, b in itertools.zip_longest(x, items, fillvalue=0):
        if len(items) < 9:
            items.append(1.0)
        total = total * 0.5 + a * b
    return total


@pytest.mark.parametrize("changing", [_cycled, _grouped, _filled_up])
def test_what_an_iterator_reads_at_other_times_does_not_change(changing: Any) -> None:
    try:
        module = export(changing, (np.arange(5.0),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    except ExportError as error:
        assert error.code in ("E103", "E104", "E301")
        return
    for size in (1, 5, 7):
        assert outcome(module, (np.arange(size) // 2 * 1.0,)) == outcome(changing, (np.arange(size) // 2 * 1.0,))


@pytest.mark.parametrize(
    "over", [lambda items: itertools.islice(items, 1, None), itertools.chain, itertools.pairwise, enumerate, lambda items: items]
)
def test_a_list_that_grows_meanwhile_is_as_in_eager_execution_or_refused(over: Any) -> None:
    def growing(x: Any) -> Any:
        items, out = x.tolist(), []
        for a in over(items):
            if len(items) < 20:
                items.append(items[-1] + 1)
            out.append(a)
        return out

    x = np.arange(5.0)
    try:
        module = export(growing, (x,), dynamic_shapes=({0: Dim("n", min=2)},)).module()
    except ExportError as error:
        assert error.code in ("E301", "E103", "E104")
        return
    for each in (x, np.arange(7.0)):
        assert outcome(module, (each,)) == outcome(growing, (each,))


def _in_batches(x):
    def batches():
        for start in range(0, len(x), 2):
            yield slice(start, start + 2)

    total = 0.0
    for i, batch in zip(range(5), itertools.cycle(batches())):
        total = total * 0.5 + x[batch].sum() * i
    return total


@pytest.mark.parametrize("shapes", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
def test_a_generator_is_cycled(shapes: Any) -> None:
    module = export(_in_batches, (np.arange(6.0),), dynamic_shapes=shapes).module()
    assert outcome(module, (np.arange(6.0) * 0.1,)) == outcome(_in_batches, (np.arange(6.0) * 0.1,))
