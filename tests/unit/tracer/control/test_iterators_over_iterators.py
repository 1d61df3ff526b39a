"""Loops over ``enumerate``, ``zip`` and ``reversed`` of each other, of arrays, lists and containers: one node, and in every
iteration the items that eager execution has, at every size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

TARGETS = {
    "enumerate(reversed(x))": "i, v",
    "enumerate(reversed(x), 2)": "i, v",
    "enumerate(reversed(x[1:]), n)": "i, v",
    "enumerate(reversed(filled))": "i, v",
    "enumerate(reversed(range(0, n, 2)))": "i, v",
    "enumerate(enumerate(reversed(x)), 1)": "i, (j, v)",
    "zip(enumerate(x), reversed(x))": "(i, v), j",
    "zip(x, enumerate(range(n - 1, -1, -1), 1))": "v, (i, j)",
    "zip(reversed(x), x[1:], reversed(range(n)))": "v, j, i",
    "zip(enumerate(zip(x, filled)), x)": "(i, (v, j)), _",
    "zip(reversed(filled), x)": "v, i",
    "zip((3, 1, 2), x)": "i, v",
    "zip(weights, reversed(x))": "i, v",
    "zip(named.items(), x)": "(_, i), v",
    "zip(enumerate(weights, 1), x, named)": "(i, j), v, _",
    "zip(x, zip(weights, weights))": "v, (i, j)",
    "enumerate(weights, n)": "i, v",
}
"""What a loop goes over, and the names of the parts of its items."""


def written(items: str, body: str) -> Any:
    return function_of(f"""def program(x):
    n, total, j, out = len(x), 0.5, 2, []
    weights, named = [1.5, 2.5, 0.5], {{"a": 3.0, "b": 4.0}}
    filled = [v * 2 for v in x]
    {body.format(items=items, target=TARGETS[items])}
    return total, out
""")


BODIES = {
    "a loop": "for {target} in {items}: total = total * 0.5 + float(v) * (1 + i) - j",
    "a loop that data end": """for {target} in {items}:
        if v > 0.9: break
        total = total * 0.5 + float(v) * (1 + i) - j""",
    "a comprehension": "out = [float(v) * (1 + i) - j for {target} in {items}]",
    "a list": "out = [float(v) * (1 + i) - j for {target} in list({items})]",
    "a sum": "total = sum((float(v) * (1 + i) - j for {target} in {items}), 0.25)",
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("items", TARGETS)
def test_items_are_those_of_eager_execution(items: str, body: str) -> None:
    program = written(items, BODIES[body])
    captured = export(program, (_vector(5),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for size in (1, 2, 3, 6):
        assert outcome(captured, (_vector(size),)) == outcome(program, (_vector(size),))


def _vector(size: int) -> Any:
    return np.round(np.sin(np.arange(size) * 1.3 + 0.5), 3)


@pytest.mark.parametrize("change", ["weights.append(v)", "weights[0] = 7.0", "weights.pop()", "named['a'] = 1.0", "weights.reverse()"])
def test_a_container_that_the_loop_changes_is_never_gone_over_as_it_was(change: str) -> None:
    body = "for i, (w, k), v in zip(weights, named.items(), x):\n        total += i * v + k\n        " + change
    start = "total, weights, named = 0.0, [1.0, 2.0, 3.0], {'a': 1.0, 'b': 2.0}"
    program = function_of(f"def program(x):\n    {start}\n    {body}\n    return total")
    dims = {0: Dim("n", min=1)}
    try:
        captured = export(program, (_vector(5),), dynamic_shapes=(dims,)).module()
    except ExportError as refusal:
        assert refusal.code in ("E103", "E301")
        return
    for size in (1, 2, 3, 6):
        assert outcome(captured, (_vector(size),)) == outcome(program, (_vector(size),))


def test_a_list_that_a_later_argument_makes_longer() -> None:
    def program(x: Any) -> Any:
        filled = [v * 2 for v in x]

        def more(values: Any) -> Any:
            filled.append(values[0])
            return values

        return [a * i + b for (i, a), b in zip(enumerate(filled), more(np.concatenate([x, x])), strict=False)]

    try:
        captured = export(program, (_vector(5),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    except ExportError as refusal:
        assert refusal.code in ("E103", "E301")
        return
    for size in (1, 2, 3, 6):
        assert outcome(captured, (_vector(size),)) == outcome(program, (_vector(size),))


@pytest.mark.parametrize("head", ["enumerate(reversed(z))", "zip(range(9), reversed(z))"])
def test_an_array_of_known_length_backwards_that_data_leave(head: str) -> None:
    program = function_of(f"def program(x, z):\n    for i, v in {head}:\n        if v > x[0]: return i, v\n    return -1, z[0]")
    example = (_vector(2), _vector(4))
    captured = export(program, example).module()
    for limit in (-2.0, 0.0, 0.7, 0.9, 2.0):
        args = np.array([limit, 0.0]), _vector(4)
        assert outcome(captured, args) == outcome(program, args)


AFTER_THE_FIRST = {
    "differences": "rest = iter(x)\n    last = next(rest)\n    for v in rest: total = total * 0.5 + v * last; last = v",
    "a default": "rest = iter(x)\n    last = next(rest, 0.0)\n    total += sum([v * last for v in rest])",
    "left by data": "rest = iter(x)\n    last = next(rest)\n    for v in rest:\n        if v > 1.5: break\n        total += v - last",
    "the second item taken in the loop": "rest = iter(x)\n    for v in rest: total = total * 0.5 + v - next(rest, 0.25)",
}


def test_an_iterator_that_a_second_loop_goes_on_with() -> None:
    f = function_of("def f(x):\n    rest = iter(x)\n    for v in rest:\n        if v > 0: break\n    return sum(rest)\n")
    run = export(f, (_vector(4),), dynamic_shapes=({0: Dim.DYNAMIC},)).module()
    for size in (0, 1, 2, 4, 7):
        args = (_vector(size),)
        assert outcome(run, args) == outcome(f, args), size


@pytest.mark.parametrize("body", AFTER_THE_FIRST)
def test_the_items_that_an_iterator_has_left(body: str) -> None:
    """Where the loop is the last that has the iterator, it is one node at every size of at least 1;
    else the program is that of the example's size."""
    f = function_of(f"def f(x):\n    total = 0.0\n    {AFTER_THE_FIRST[body]}\n    return total\n")
    example = np.linspace(-1.0, 2.0, 4)
    run = export(f, (example,), dynamic_shapes=({0: Dim.AUTO},)).module()
    one_node = body in ("differences", "a default", "left by data")
    for size in (1, 2, 4, 7) if one_node else (4,):
        for seed in range(4):
            args = (np.random.default_rng(seed).normal(size=size),)
            assert outcome(run, args) == outcome(f, args), size


LEFT = "for i, v in pairs:\n        if v < 0: break\n        total += i * v"
HELD = {
    "pairs": ("pairs = zip(x, x[::-1])", LEFT),
    "numbered": ("pairs = enumerate(x)", LEFT),
    "a parameter": ("", "total = walked(enumerate(x))"),
    "a generator over it": ("pairs = enumerate(x)", LEFT.replace("in pairs", "in ((i, v) for i, v in pairs if v < 0.5)")),
    "anew in a loop": ("", f"for k in range(2):\n        pairs = enumerate(x, k)\n        {LEFT.replace('    ', '        ')}"),
    "and gone on with": ("pairs = enumerate(x)", f"{LEFT}\n    total += sum(i for i, v in pairs)"),
    "asked for by a closure": ("pairs = enumerate(x)", f"{LEFT}\n    total += (lambda: next(pairs, (9, 9)))()[0]"),
}
"""Iterators in variables, and the loops that go over them; the last ones are read again."""


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("dynamic", [False, True])
def test_an_iterator_in_a_variable(name: str, dynamic: bool) -> None:
    """A variable that is not read again does not hold it."""
    start, body = HELD[name]
    walked = function_of("def walked(pairs):\n    for i, v in pairs:\n        if v < 0: return i + v\n    return -1.0")
    program = function_of(f"def program(x):\n    total = 0.5\n    {start}\n    {body}\n    return total", {"walked": walked})
    try:
        captured = export(program, (_vector(5),), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    except ExportError as refusal:
        assert refusal.code == "E103" and list(HELD).index(name) >= len(HELD) - 2
        return
    for seed in range(6):
        for size in (5, 2, 3, 7) if dynamic and name != "pairs" else (5,):
            given = (np.random.default_rng(seed).normal(size=size),)
            assert outcome(captured, given) == outcome(program, given)
