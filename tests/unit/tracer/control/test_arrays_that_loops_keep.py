"""Which of the caller's arrays a loop on data returns is told by truths that it carries."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export

X = np.array([0.0, 1.0, -1.0])
VALUES = (-1.5, 0.5, 2.5)
PROGRAMS: list[Callable[..., Any]] = []


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(function)
    return function


@program
def line_search(x, z):
    for _ in range(4):
        step = 1.0
        while np.sum((x - step * z) ** 2) > 0.9 * np.sum(x**2):
            step *= 0.5
            if step < 0.2:
                return x
        x = x - step * z
    return x


@program
def steps_that_are_accepted(x, z):
    for k in range(4):
        new = x + z * 0.5
        if new @ new < x @ x:
            x = new
        if x[k % 3] < 0:
            break
    return x


@program
def the_best_so_far(x, z):
    best, low = x, x.sum()
    n = 0
    while n < 3 and x[0] < 2:
        x = x * 0.5 - z
        if x.sum() < low:
            best, low = x, x.sum()
        n += 1
    return best


@program
def one_of_the_callers(x, z):
    kept = z
    n = 0
    while n < 3 and x[0] < 2:
        if x[n] > 0:
            kept = x
        elif z[n] > 0:
            kept = z
        elif z[0] < x[0]:
            kept = x + 1
        n += 1
    return kept


@program
def both_exchanged(x, z):
    n = 0
    while n < 2 and x[0] + n < 2:
        if z[n] > 0:
            x, z = z, x
        n += 1
    return x


@program
def beside_the_callers(x, z):
    kept = x
    while kept[0] < 1:
        if kept[1] > 0:
            kept = kept + 1
        elif kept[2] > 0:
            kept = z
        else:
            return z, kept, x
        if kept[2] > 2:
            break
    return kept, x, z


@program
def in_nested_loops(x, z):
    kept = x
    for i in range(3):
        for j in range(3):
            if kept[j] > i:
                kept = z
            elif x[j] > 0:
                kept = kept + 1
            if kept[2] > 2:
                break
        else:
            return kept
        if kept[1] < 0:
            kept = x
    return kept


@program
def one_that_is_held_elsewhere(x, z):
    own = x * 2
    held = {"own": (own,)}
    n = 0
    while n < 3 and z[n] > -1:
        if own[n] > 0:
            own = own - z
        n += 1
    return held["own"][0], own


@program
def of_an_earlier_branch(x, z):
    kept = x if z[0] > 0 else z + 1
    other = kept
    n = 0
    while n < 3 and x[1] > z[1]:
        if kept[n] < 0:
            kept = kept + 1
        elif kept[n] < 1:
            kept = other
        n += 1
    return kept, other


@program
def an_attribute(x, z):
    class Holder:
        pass

    holder = Holder()
    holder.kept = x
    for n in range(4):
        if z[n % 3] > n - 1:
            holder.kept = z
        elif x[n % 3] > n - 1:
            holder.kept = holder.kept * 2
        if z.sum() > 2:
            break
    return holder.kept


@program
def unset_before(x, z):
    kept = None
    for n in range(3):
        if x[n] < 0:
            kept = x
        elif z[n] < 1:
            kept = z + 1
        if z[2] > 1:
            break
    return kept


@program
def through_a_function(x, z):
    def pick(kept, count):
        for n in range(count):
            if kept[n] > 1:
                return kept
            if z[n] > 0:
                kept = kept + 0.5
        return z

    kept = x
    for _ in range(2):
        kept = pick(kept, 3)
        if kept[0] > 2:
            break
    return kept


@program
def written_after_the_loop(x, z):
    kept = x
    n = 0
    while n < x[0]:
        if kept[1] < n:
            kept = kept + 1
        elif kept[2] < n:
            kept = z
        n += 1
    kept += 1
    z[1] = 8
    x *= 2
    return kept


@program
def written_after_two_loops(x, z):
    first, n = x, 0
    while n < x[0]:
        if first[1] < n:
            first = first + 1
        n += 1
    second, n = z, 0
    while n < z[0]:
        if second[1] < n:
            second = first
        elif second[2] < n:
            second = second - 1
        n += 1
    second[0] = 77
    return first, second, x


@program
def one_that_a_result_is_that_nobody_holds(x, z):
    own = x * 2
    either = own if x[0] > 0 else own + 1
    kept, n = either, 0
    while n < z[1]:
        if kept[2] > n:
            kept = own
        elif kept[1] < n:
            kept = kept + 1
        n += 1
    total = either.sum()
    del either
    kept[0] = 7
    return own, kept, total


@program
def one_of_branches_that_nobody_holds(x, z):
    own = x * 2
    either = own if x[0] > 0 else own + 1
    kept = either if x[1] > 0 else own if z[2] > 0 else own + 2
    total = either.sum()
    del either
    own[0] = 7
    return own, kept, total


@program
def of_an_iteration_that_was_recorded(x, z):
    kept = last = x * 1
    for k in range(3):
        last = last - k
        if last[0] > z[k]:
            kept = last
    return last, kept


def outcome(function: Callable[..., Any], data: tuple[Any, ...]) -> Any:
    """The results and the arguments, and which of them are one object or share memory."""
    arguments = [each.copy() for each in data]
    found = function(*arguments)
    results = list(found) if type(found) is tuple else [found]
    for each in results:
        if each is not None:
            each += 10  # whoever is the same shows it
    both = [*arguments, *results]
    return [repr(each) for each in both], [[one is other for one in both] for other in both]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_same_arrays_are_returned(function: Callable[..., Any], dynamic: bool) -> None:
    sizes = {"x": {0: Dim("n", min=3)}, "z": {0: Dim("n", min=3)}} if dynamic else None
    module = export(function, (X.copy(), X.copy()), dynamic_shapes=sizes).module()
    for x in itertools.product(VALUES, repeat=3):
        for z in itertools.islice(itertools.product(VALUES, repeat=3), 0, None, 4):
            data = np.array(x), np.array(z)
            assert outcome(module, data) == outcome(function, data), data


def test_loops_over_own_arrays_carry_no_truths() -> None:
    def own(x):
        x = x * 1
        while x[0] < 3:
            x = x + 1
        return x

    def rebound(x):
        while x[0] < 3:
            x = x + 1
        return x

    for function in (own, rebound):
        (loop,) = (node for node in export(function, (X,)).graph.nodes if str(node.target).endswith("while_loop"))
        assert len(loop.args[2]) == 2  # whether it goes on, and the array
