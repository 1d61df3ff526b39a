"""Classes that take part in NumPy's protocols: ``__array__``, ``__array_ufunc__``, ``__array_function__``, ``__array_priority__``."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export

A = np.arange(3.0) + 1


class Doubled:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value * 2, dtype)


class Summing(Doubled):
    def sum(self, axis=None, out=None):
        return self.value * 7


class Recording:
    """Computes with what it holds, and remembers how it was asked."""

    def __init__(self, value, call=()):
        self.value = value
        self.call = call

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        def plain(value):
            return value.value if isinstance(value, Recording) else value

        if "out" in kwargs:
            kwargs["out"] = tuple([plain(out) for out in kwargs["out"]])
        result = getattr(ufunc, method)(*[plain(value) for value in inputs], **kwargs)
        return Recording(result, (ufunc.__name__, method, len(inputs), sorted(kwargs)))


class Number(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return type(self)(getattr(ufunc, method)(*[x.value if isinstance(x, Number) else x for x in inputs], **kwargs))


class Special(Number):
    pass


class Named:
    def __array_function__(self, function, types, args, kwargs):
        return function.__name__, len(args), sorted(kwargs), [cls.__name__ for cls in types]


class Undecided:
    def __array_function__(self, function, types, args, kwargs):
        return NotImplemented


class Apart:
    __array_ufunc__ = None

    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        return other + self.value


class First:
    __array_priority__ = 5

    def __init__(self, value):
        self.value = value

    def __rsub__(self, other):
        return "rsub", other - self.value

    def __gt__(self, other):
        return "gt", self.value > other


OUTSIDE = Doubled(2.5)


def recorded(act):
    def program(x):
        result = act(x)
        return result.value, list(result.call)

    return program


def text_of(act):
    def program(x):
        try:
            return act(x)
        except TypeError as error:
            return x, str(error)

    return program


def add_in_place(x):
    y = x.copy()
    y += Recording(x)
    return y


def add_at(x):
    held = Recording(x.copy())
    np.add.at(held, [0, 0], 1.0)
    return held.value


def assigned(x):
    y = np.zeros(3)
    y[...] = Doubled(x)
    return y


PROGRAMS = {
    "asarray": lambda x: np.asarray(Doubled(x)),
    "asarray with a dtype": lambda x: np.asarray(Doubled(x), np.float32),
    "array": lambda x: np.array(Doubled(x), ndmin=2),
    "from outside": lambda x: x @ np.full(3, OUTSIDE),
    "ufunc": lambda x: np.multiply(Doubled(x), x[0]),
    "operator": lambda x: (x + Doubled(x), x @ Doubled(x), x == Doubled(x)),
    "reduction": lambda x: np.sum(Doubled(x)),
    "a method of the class": lambda x: (np.sum(Summing(x)), np.mean(Summing(x))),
    "joined": lambda x: (np.concatenate([Doubled(x), x]), np.stack([Doubled(x), Doubled(x)])),
    "chosen": lambda x: np.where(x > 2, Doubled(x), 0),
    "assigned": assigned,
    "method of arrays": lambda x: x.dot(Doubled(x)),
    "flat": lambda x: (np.asarray(x.flat) + 1, x + x.flat, np.add(x.flat, 1)),
    "ufunc of a class": recorded(lambda x: np.multiply(Recording(x), x)),
    "keywords": recorded(lambda x: np.add(x, Recording(x), dtype=np.float64)),
    "out": recorded(lambda x: np.add(x, x, Recording(np.zeros(3)))),
    "forward operator": recorded(lambda x: x + Recording(x)),
    "in place": recorded(add_in_place),
    "comparison": recorded(lambda x: x > Recording(x)),
    "matmul": recorded(lambda x: x @ Recording(x)),
    "reduce": recorded(lambda x: np.add.reduce(Recording(x), 0)),
    "reduce through a function": recorded(lambda x: np.sum(Recording(x))),
    "accumulate": recorded(lambda x: np.add.accumulate(Recording(x))),
    "reduceat": recorded(lambda x: np.add.reduceat(Recording(x), [0, 1])),
    "outer": recorded(lambda x: np.add.outer(Recording(x), x)),
    "at": add_at,
    "mixin": lambda x: ((2 - Number(x)).value, (-Number(x)).value, (Number(x) ** 2).value),
    "subclasses first": lambda x: (type(Number(x) + Special(x)).__name__, (Number(x) + Special(x)).value),
    "functions": lambda x: (np.sum(Named(), axis=0), np.concatenate([x, Named()]), np.where(x > 0, x, Named()), np.pad(Named(), 1), x),
    "no function": text_of(lambda x: np.mean(Undecided())),
    "apart": lambda x: x + Apart(x),
    "apart from ufuncs": text_of(lambda x: np.add(x, Apart(x))),
    "apart in place": text_of(lambda x: x.__iadd__(Apart(x))),
    "priority": lambda x: (x - First(x), x.sum() - First(x), x < First(x)),
}


def same(left, right):
    if isinstance(right, (tuple, list)):
        return type(left) is type(right) and len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and np.array_equal(left, right) and getattr(left, "dtype", None) == getattr(right, "dtype", None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_exported_equals_eager(name):
    program = PROGRAMS[name]
    run = export(program, (A,)).module()
    for x in (A, -2 * A):
        assert same(run(x.copy()), program(x.copy()))


def test_what_is_no_array_is_refused_as_numpy_does():
    class Wrong:
        def __array__(self, dtype=None, copy=None):
            return [1, 2]

    for call in (lambda: np.asarray(Wrong()), lambda: export(lambda x: np.asarray(Wrong()), (A,))):
        with pytest.raises(ValueError, match="not producing an array"):
            call()


def test_what_data_choose_may_be_converted():
    class Kept:
        def __init__(self, data):
            self.data = data

        def __array__(self, dtype=None, copy=None):
            return np.array(self.data, dtype=dtype)

    def program(i, v):
        best = i.max()
        for q in v:
            if q > best:
                best = q
        return np.asarray(Kept(best))

    i = np.array([1, 2], "i1")
    run = export(program, (i, np.array([1.0, 3.0]))).module()
    for v in (np.array([1.0, 3.0]), np.zeros(2)):
        assert same(run(i, v), program(i, v))
