"""Arrays and scalars answer as NumPy's own when a program asks what they are: ``hasattr``, ``isinstance``, ``issubclass``."""

from __future__ import annotations

import collections.abc
import numbers
import sys
import typing

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.frames import frame_hook

X = np.arange(3.0) + 1
OURS = {name for cls in (ArrayProxy, ScalarProxy) for name in vars(cls)}
NAMES = sorted(OURS | set(dir(np.ndarray)) | set(dir(np.float64)) | {"value", "values", "unit", "mask", "foo"})


@pytest.fixture
def no_protocols():
    """Without the extension, the check of a protocol that a library registered with collections.abc takes npexport for its caller."""
    if frame_hook() == "settrace" and "narwhals" in sys.modules:
        pytest.skip("needs the C extension: a library registered a protocol with collections.abc, whose check asks who calls it")


def kinds(x):
    """An array, one without axes, and scalars of each kind."""
    return x, x[:1].reshape(()), x.sum(), (x > 0).sum(), (x > 0).all(), x.astype(complex)[0]


def has(value, name):
    try:
        return hasattr(value, name)
    except ValueError as error:  # x.mT of a vector
        return str(error)


def attributes(x):
    return x, [[has(value, name) for name in NAMES] for value in kinds(x)]


def test_attributes_are_those_of_numpy():
    found, expected = export(attributes, (X,)).module()(X)[1], attributes(X)[1]
    for mine, theirs in zip(found, expected, strict=True):
        assert {n: v for n, v in zip(NAMES, mine, strict=True)} == {n: v for n, v in zip(NAMES, theirs, strict=True)}


@typing.runtime_checkable
class Shaped(typing.Protocol):
    shape: tuple


@typing.runtime_checkable
class Sequential(typing.Protocol):
    def __len__(self): ...
    def __getitem__(self, index): ...


CLASSES = [
    *(getattr(collections.abc, name) for name in collections.abc.__all__ if name != "ByteString"),
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Integral),
]


def classes(x):
    of_values = [[isinstance(value, cls) for cls in CLASSES] for value in kinds(x)]
    return x, of_values, [[issubclass(type(value), cls) for cls in CLASSES] for value in kinds(x)]


@pytest.mark.usefixtures("no_protocols")
def test_abstract_classes_are_those_of_numpy():
    assert export(classes, (X,)).module()(X)[1:] == classes(X)[1:]


def test_protocols_are_those_of_numpy():
    def program(x):
        asked = (Shaped, Sequential, typing.SupportsFloat, typing.SupportsIndex, typing.SupportsAbs, typing.SupportsRound)
        return x, [[isinstance(value, cls) for cls in asked] for value in kinds(x)]

    assert export(program, (X,)).module()(X)[1] == program(X)[1]


def branching(x):
    total = x.sum()
    if hasattr(total, "__len__") or isinstance(total, collections.abc.Iterable):
        return x
    return getattr(x, "value", x) + total


@pytest.mark.usefixtures("no_protocols")
def test_programs_go_the_way_of_eager():
    np.testing.assert_array_equal(export(branching, (X,)).module()(X), branching(X))


def test_arrays_of_unknown_length_are_iterable():
    def program(x):
        kept = x[x > 1]
        return np.iterable(kept), isinstance(iter(kept), collections.abc.Iterator), kept

    run = export(program, (X,)).module()
    assert run(X)[:2] == program(X)[:2] == (True, True)
    listed = export(lambda x: list(x[x > 1]), (X,)).module()
    for x in (X, X * 0, X + 5):
        assert repr(listed(x)) == repr(list(x[x > 1]))


@pytest.mark.parametrize("act", [lambda x: x.sum().is_integer(), lambda x: x.sum().__trunc__(), lambda x: x.__dlpack__()], ids=range(3))
def test_methods_that_need_data_are_refused_when_called(act):
    with pytest.raises(Unsupported) as caught:
        export(act, (X,))
    assert caught.value.code == "E104"


def test_attributes_that_arrays_lack():
    for act in (lambda x: x.value, lambda x: x.sum().node):
        for call in (lambda: act(X), lambda: export(act, (X,))):
            with pytest.raises(AttributeError, match="'numpy.*' object has no attribute"):
                call()


@pytest.mark.parametrize(
    "first, second",
    [("i8", {"names": ["a"], "formats": ["i4"], "itemsize": 8}), ("i8", {"names": ["a"], "formats": ["i4"], "offsets": [4]})],
)
def test_views_that_show_bytes_of_no_field_are_refused(first, second):
    def program(x):
        y = x.view(np.dtype(second))
        y[...] = y[::-1].copy()
        return x

    with pytest.raises(Unsupported, match="E121"):
        export(program, (np.arange(4, dtype=first),))


SUBJECTS = {
    "an array": lambda x: x,
    "a scalar": lambda x: x[0],
    "a truth": lambda x: x[0] > 0,
    "flags": lambda x: x.flags,
    "a flat iterator": lambda x: x.flat,
    "rows": iter,
    "a complex number": lambda x: complex(x[0]),
    "a list of numbers": lambda x: x.tolist(),
    "a text": lambda x: f"{len(x)}",
}
OF_EVERY_CLASS = ("__doc__", "__module__", "__dict__", "__annotations__", "__slots__", "__weakref__")


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_python_gives_to_each_class_is_that_of_the_class_that_is_stood_for(name):
    def program(x):
        value = SUBJECTS[name](x)
        found = []
        for each in OF_EVERY_CLASS:
            try:
                found.append((hasattr(value, each), getattr(value, each)))
            except AttributeError as error:
                found.append((hasattr(value, each), str(error)))
        return found

    assert export(program, (X,), dynamic_shapes={"x": {0: Dim("n")}}).module()(X) == program(X)


FLAGS = ("writeable", "aligned", "writebackifcopy", "W", "A", "X", "WRITEABLE", "num", "owndata", "carray", "foo")


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("name", FLAGS)
def test_flags_are_set_as_numpy_sets_them(name, value):
    """Those of scalars are not, and some of arrays; that an array is not aligned is refused."""

    def program(x):
        y, said = x * 2, []
        for flags in (x.sum().flags, y.flags):
            for write in (setattr, lambda flags, name, value: flags.__setitem__(name, value)):
                try:
                    said.append(write(flags, name, value))
                except (AttributeError, KeyError, ValueError) as error:
                    said.append((type(error).__name__, str(error)))
        return said, y.flags.writeable, y.flags.aligned

    if name in ("aligned", "A") and not value:
        with pytest.raises(Unsupported, match="not aligned") as refusal:
            export(program, (X,))
        assert refusal.value.code == "E123"
    else:
        assert export(program, (X,)).module()(X) == program(X)
