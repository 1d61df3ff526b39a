"""Loops that an exception of a called function, or of an operator, leaves together with their
function: a handler in a function around it goes on.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.outcomes import outcome


class NotFound(Exception):
    def __init__(self, where: Any, value: Any) -> None:
        super().__init__(where, value)
        self.where = where


def _doubled(v: Any) -> Any:
    if v > 2:
        raise ValueError("large", v)
    return v * 2


def _total(x: Any) -> Any:
    s = 0.0
    for v in x:
        s += _doubled(v)
    return s


def arguments_of_the_exception(x):
    try:
        return _total(x), True
    except ValueError as e:
        return e.args[1], False


def its_text(x):
    def checked(v):
        if v > 2:
            raise ValueError(f"large: {v}")
        return v * 2

    def until_large(v):
        n = 0
        while abs(v) < 100 and n < 9:
            v, n = checked(v) + 1, n + 1
        return v

    try:
        return until_large(float(x[0]))
    except ValueError as e:
        return str(e)


def _find(x, k):
    i = 0
    while True:
        if i >= len(x):
            _fail(i, k)
        if x[i] > k:
            return i
        i += 1


def _fail(i, k):
    raise NotFound(i, k)


def a_class_with_attributes(x):
    out = []
    for k in (0, 1, 2):
        try:
            out.append(_find(x, k))
        except NotFound as e:
            out.append(-e.where)
    return out


def writes_before_it(x):
    def double(y):
        for i in range(len(y)):
            y[i] = _doubled(y[i])

    y = x.copy()
    with contextlib.suppress(ValueError):
        double(y)
    return y


def writes_to_the_argument(x):
    def scale(x):
        for i in range(len(x)):
            x[i] = _doubled(x[i])

    try:
        scale(x)
    except ValueError:
        return False
    return True


def items_put_before_it(x):
    out = []

    def fill(x):
        for v in x:
            out.append(_doubled(v))

    try:
        fill(x)
    except ValueError:
        out.append(-1.0)
    return out


def a_finally_on_the_way(x):
    log = []

    def total(x):
        s = 0.0
        try:
            for v in x:
                s += _doubled(v)
        finally:
            log.append(s)
        return s

    try:
        return total(x), log
    except ValueError:
        return -1.0, log


def loops_in_several_functions(x):
    def count(v):
        n = 0.0
        while v > 0.5:
            v = third(v)
            n += 1
        return n

    def third(v):
        if v > 2:
            raise OverflowError
        return v / 3

    def counts(x):
        s = 0.0
        for v in x:
            s += count(v)
        return s

    try:
        return counts(x)
    except OverflowError:
        return -1.0


def tried_again_with_less(x):
    def run(v, step):
        n = 0
        while v > 0.01 and n < 20:
            v, n = less(v, step), n + 1
        return v, n

    def less(v, step):
        if v - step < -0.5:
            raise ArithmeticError
        return v - step

    step = 2.0
    for _ in range(5):
        try:
            return run(x[0], step), step
        except ArithmeticError:
            step /= 2
    return None


class Tank:
    def __init__(self) -> None:
        self.level = 0.0

    def add(self, v: Any) -> None:
        if self.level + v > 2:
            raise OverflowError(self.level)
        self.level += v

    def run(self, x: Any) -> Any:
        for v in x:
            self.add(v)
        return self.level


def methods(x):
    tank = Tank()
    try:
        result = tank.run(x)
    except OverflowError as e:
        result = -e.args[0]
    return result, tank.level


def another_is_raised(x):
    try:
        return _total(x)
    except ValueError as e:
        if e.args[1] > 3:
            raise RuntimeError("too much") from e
        return -1.0


def raised_again(x):
    try:
        return _total(x)
    except ValueError as e:
        if e.args[1] > 3:
            raise
        return -1.0


def suppressed(x):
    with contextlib.suppress(ValueError):
        return _total(x)
    return 0.5


def of_an_operator(x):
    def follow(places):
        i = n = 0
        while n < 6:
            i, n = i + int(places[i]), n + 1
        return i

    try:
        return follow(np.round(x).astype(int))
    except IndexError:
        return -99


PROGRAMS = [
    arguments_of_the_exception, its_text, a_class_with_attributes, writes_before_it, writes_to_the_argument, items_put_before_it,
    a_finally_on_the_way, loops_in_several_functions, tried_again_with_less, methods, another_is_raised, raised_again, suppressed,
    of_an_operator,
]  # fmt: skip
DATA = [np.array(each, float) for each in ([1, 0.5, -1, 0.2], [1, 0.5, 3.5, 1], [2.5, 1, 0, 4], [4, 2, 1, 1], [0.5, 2, 2.5, 1])]
DATA.append(np.array([-1, -2, 0.4, 1]))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_are_those_of_eager_execution(f: Any, dynamic: bool) -> None:
    shapes = {"x": {0: Dim("n", min=1)}} if dynamic else None
    run = export(f, (DATA[0].copy(),), dynamic_shapes=shapes).module()
    for given in DATA + [each[:2] for each in DATA] * dynamic:
        assert outcome(run, (given,)) == outcome(f, (given,))


def test_what_an_operator_says_is_not_known_behind_the_loop() -> None:
    def f(x: Any) -> Any:
        def follow(x: Any) -> Any:
            i = 0
            while x[i] > 0:
                i += int(x[i])
            return i

        try:
            return follow(x)
        except IndexError as e:
            return str(e)

    with pytest.raises(Unsupported, match="asks for its message") as caught:
        export(f, (np.array([1.0, 0.0, 2.0]),))
    assert caught.value.code == "E126"


def _of_one_object(x: Any) -> Any:
    known = ValueError("large")
    total = _raising(known, x)
    return total is known


def _that_is_kept(x: Any) -> Any:
    kept = [ValueError("none")]
    error = _raising(kept, x)
    return kept[0] is error


def _raising(held: Any, x: Any) -> Any:
    def checked(v: Any) -> Any:
        if v > 2:
            if isinstance(held, list):
                held[0] = ValueError("large")
            raise held[0] if isinstance(held, list) else held
        return v

    def total(x: Any) -> Any:
        s = 0.0
        for v in x:
            s += checked(v)
        return s

    try:
        return total(x)
    except ValueError as e:
        return e


@pytest.mark.parametrize("f", [_of_one_object, _that_is_kept])
@pytest.mark.parametrize("dynamic", [False, True])
def test_an_exception_that_is_held_elsewhere_stays_that_one(f: Any, dynamic: bool) -> None:
    try:
        run = export(f, (DATA[0].copy(),), dynamic_shapes={"x": {0: Dim("n", min=1)}} if dynamic else None).module()
    except Unsupported as refusal:
        assert refusal.code == "E103"
        return
    for given in DATA:
        assert outcome(run, (given,)) == outcome(f, (given,))
