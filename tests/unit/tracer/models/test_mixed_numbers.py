"""Numbers that are Python's after one side of a branch on data and NumPy's after the other: as in eager execution, or refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npexport import Unsupported, cond, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

DATA = [
    np.array(values)
    for values in (
        [1.0, 2.0, 3.0],
        [-1.0, 2.0, 0.5],
        [0.0, 0.0, 0.0],
        [-1.0, -2.0, -3.0],
        [1e-4, 1e-5, 0.0],
        [2.0, -1.0, 5.0],
        [1.0, np.nan, 2.0],
        [1e308, 1e308, 1e308],
        [np.nan, 1.0, 1.0],
    )
]
CAPTURED, REFUSED = [], []


def captured(function):
    CAPTURED.append(function)
    return function


def refused(what):
    def declare(function):
        REFUSED.append(pytest.param(function, what, id=function.__name__))
        return function

    return declare


def chosen(x):
    """A float of Python where the first element is not positive."""
    if x[0] > 0:
        return x[0]
    return 0.0


def place(x):
    n = 0
    if x[0] > 0:
        n = x.argmax()
    return n


@captured
def returned(x):
    return chosen(x)


@captured
def in_containers(x):
    s = chosen(x)
    acc = [s]
    acc.append(s)
    return acc, {"a": (s, x)}, (s,) + (1,)


@captured
def in_objects_and_closures(x):
    class Holder:
        pass

    holder = Holder()
    holder.value = chosen(x)
    return holder.value, (lambda: holder.value + 1.0)()


@captured
def arithmetic_with_numbers(x):
    s = chosen(x)
    s += 1
    s -= 0.5
    return s * 2, -s, abs(s), 1.0 - s, s / 4, s * x.shape[0], +s


@captured
def arithmetic_with_arrays(x):
    s = chosen(x)
    return x * s, s - x, x / s, s / x, x // s, np.float64(2) * s, s + x.sum(), x > s, s <= x[1]


@captured
def written(x):
    s = chosen(x)
    y = x.copy()
    z = y
    y += s
    y[0] = s
    y[1:] *= s
    return y, z is y


@captured
def functions(x):
    s = chosen(x)
    found = np.array([s, 1.0]), np.full(2, s), np.sqrt(abs(s)), np.isclose(s, 1.0), np.where(x > 0, s, x), np.maximum(s, x)
    return found, float(s), math.atan(s), isinstance(s, float), s is None, np.stack([x, x * s]), np.clip(x, s, 5.0)


@captured
def arrays_of_a_given_dtype(x):
    inverse = [0 if not abs(v) > 1e-3 else 1 / v for v in x]
    floats = [0.0 if not v > 1 else v for v in x]
    places = [place(x), place(-x)]
    return (
        np.array(inverse, dtype=float),
        np.asarray(inverse, np.complex128),
        np.array([floats, inverse], float, ndmin=3),
        np.asanyarray(places, dtype="f8"),
        np.array(inverse[0], dtype=float),
        np.array((floats[0], inverse[1]), dtype=np.float32),
        np.asarray(inverse, "c8"),
    )


@captured
def of_two(x):
    s, t = chosen(x), chosen(x[1:])
    return s + t, s * t, s < t, t - s


@captured
def joined_again(x):
    s = t = chosen(x)
    if x[1] > 0:
        t = x[1]
    u = 3.0 if x[2] > 1 else t
    return s - t, t, u


@captured
def decisions(x):
    s = chosen(x)
    if s > 0.5:
        y = x * s
    elif s == 0:
        y = x + s
    else:
        y = -x
    return y, not s, 1 if s else 2


@captured
def truths(x):
    ok = True
    if x[0] > 0:
        ok = x[1] > 1
    return (1 if ok else 2), ok


@captured
def whole_numbers(x):
    e = 0
    if x[0] > 0:
        e = np.abs(x).max()
    return e, x + e, e / 3, e * 0.5, e < 2, float(e)


@captured
def places(x):
    n = place(x)
    return n, x[n], x[:n], x[None, n]


@captured
def running(x):
    best, where = -1.0, -1
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            where = i
    return best, where


@captured
def in_a_graph(x):
    s = chosen(x)
    return cond(x[1] > 0, lambda a: a * s, lambda a: a + s, (x,))


@captured
def in_a_branch(x):
    s = chosen(x)
    if x[2] > 0:
        return x * s
    return x - s


@captured
def in_three_lists(x):
    return np.array([[[chosen(x)]]]) * 2.0


@captured
def text(x):
    return f"{chosen(x)}", f"{chosen(x):.2f}"


@refused("array")
def an_array_of_a_dtype_that_holds_one_kind(x):
    return np.array([0 if v < 1 else v for v in x], dtype=np.int32)


@refused("array")
def integers_that_become_short_floats(x):
    return np.array([place(x), place(-x)], dtype=np.float32)


@refused("its type")
def kind(x):
    return type(chosen(x)).__name__


@captured
def attribute(x):
    return chosen(x).real


@refused("the attribute 'dtype'")
def has(x):
    return hasattr(chosen(x), "dtype")


@captured
def key(x):
    return {chosen(x): 1}


@captured
def divided(x):
    return 1 / chosen(x)


@captured
def boxes(x):
    a, b, c = max(0, x[0]), max(0, x[1]), min(0, x[2])
    return a * b, a - b, a * c, -a, abs(c), a * 3 - 2 * b, a * -5, (a + b) * x[0], a < b, a == b, a / 4


@captured
def many_operations(x):
    s, n = chosen(x), min(max(x[1], 0), 1)
    return divmod(s, 3.0), 2.0**s, round(n), np.power(s, 2), s**n, x**s, np.zeros(3, np.float32) + n * x, np.exp(n)


@captured
def on_each_side_and_in_a_loop(x):
    s, total = chosen(x), 0.0
    for i in range(3):
        if x[i] > 0.7:
            total = total + s**2
        s = s / 2 + 0.5
    return s, total


@captured
def that_the_program_handles(x):
    try:
        return 1 / chosen(x)
    except ZeroDivisionError:
        return 0.0


@captured
def power(x):
    return chosen(x) ** 2


@captured
def exponent(x):
    return x ** chosen(x)


@captured
def summed(x):
    return sum([chosen(x), chosen(x)])


@captured
def rounded(x):
    return round(chosen(x), 2)


@captured
def beside_none(x):
    return chosen(x) == None  # noqa: E711


@refused("the dtype float32")
def narrow(x):
    return x.astype(np.float32) * chosen(x)


@refused("the dtype float32")
def narrow_choice(x):
    return np.where(x > 0, x.astype(np.float32), chosen(x))


@captured
def whole_elements(x):
    y = np.zeros(3, int)
    y[0] = chosen(x)
    return y


@refused("is an instance")
def instance(x):
    return isinstance(chosen(x), np.generic)


@refused("`result_type`")
def dtypes(x):
    return x.astype(np.result_type(np.float32, chosen(x)))


@captured
def counted(x):
    return place(x) + 1


@refused("`array`")
def of_whole_numbers(x):
    n = 0 if x[0] > 0 else x[1]
    return np.array([n, 1])


@pytest.mark.parametrize("function", CAPTURED, ids=lambda function: function.__name__)
def test_as_in_eager(function):
    program = export(function, (DATA[0].copy(),))
    loaded = reloaded(program)
    for x in DATA:
        expected = outcome(function, (x,))
        for run in (program.module(), loaded.module()):
            assert outcome(run, (x,)) == expected


OF_PYTHON = {
    functions, whole_numbers, places, divided, power, exponent, rounded, whole_elements, counted, many_operations,
    on_each_side_and_in_a_loop,
}  # fmt: skip
"""They make numbers of Python of the data, which programs that are exported again are refused for (E104)."""


@pytest.mark.parametrize("function", [f for f in CAPTURED if f not in OF_PYTHON], ids=lambda function: function.__name__)
def test_exported_again(function):
    again = export(export(function, (DATA[0].copy(),)).module(), (DATA[0].copy(),)).module()
    for x in DATA:
        assert outcome(again, (x,)) == outcome(function, (x,))


@pytest.mark.parametrize(("function", "what"), REFUSED)
def test_refused(function, what):
    with pytest.raises(Unsupported, match="E103") as caught:
        export(function, (DATA[0].copy(),))
    assert what in caught.value.message and "Python" in caught.value.message


def test_a_number_deeper_than_three_lists_is_refused():
    """No further does C find it, which a list that holds itself depends on."""
    with pytest.raises(Unsupported, match="an array of it"):
        export(lambda x: np.array([[[[chosen(x)]]]]), (DATA[0].copy(),))


def test_a_list_that_holds_itself_beside_a_number_is_measured():
    def program(x):
        items = [chosen(x)]
        items.append(items)
        return x * len(items), np.ndim(items[0])

    run = export(program, (DATA[0].copy(),)).module()
    for x in DATA:
        np.testing.assert_array_equal(run(x)[0], program(x)[0])
