"""Arrays of objects as containers of arrays of different lengths: their items are the arrays themselves."""

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from tests.support.comparison import said
from tests.support.functions import function_of

PROGRAMS = {
    "items": lambda v: [a.sum() for a in np.array([v, v[:2]], dtype=object)],
    "one item": lambda v: np.array([v[:1], v[:2]], dtype=object)[1] * 2,
    "a number beside an array": lambda v: np.array([v.sum(), v], dtype=object)[0],
    "shape": lambda v: np.array([v[:1], v[:2]], dtype=object).shape,
    "a list beside an array": lambda v: len(np.array([v[:1], [1, 2]], dtype=object)[1]),
    "joined": lambda v: np.concatenate(np.array([v[:1], v[:2]], dtype=object)),
    "side by side": lambda v: np.hstack(list(np.array([v[:1], v[:2]], dtype=object))),
    "two levels": lambda v: np.array([[v[:1], v[:2]], [v[:0], v]], dtype=object)[1, 0] + 1,
    "the array itself": lambda v: np.array([v, None], dtype=object)[0] is v,
    "nothing beside an array": lambda v: np.array([[], v], dtype=object)[1],
    "no numbers": lambda v: np.array([v[:1], v[:2]], dtype=object).astype(float),
    "backwards": lambda v: np.array((v, v[1:]), dtype=object)[::-1][0],
    "the longest": lambda v: max(np.array([v, v[:2]], dtype=object), key=len),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_items_are_the_arrays(name):
    program = PROGRAMS[name]
    for spec in (None, ({0: Dim.AUTO},)):
        for size in (4, 6) if spec else (4,):
            actual = said(
                lambda spec=spec, size=size: export(program, (np.arange(4.0),), dynamic_shapes=spec).module()(np.arange(1.0 * size))
            )
            wanted = said(lambda size=size: program(np.arange(1.0 * size)))
            assert type(actual) is type(wanted)
            np.testing.assert_equal(actual, wanted)


def test_a_write_to_an_item_is_one_to_the_array():
    def program(v):
        np.array([v, v[:2]], dtype=object)[0][0] = 7.0
        return v.sum()

    x, y = np.arange(4.0), np.arange(4.0)
    assert export(program, (np.arange(4.0),)).module()(x) == program(y)
    np.testing.assert_array_equal(x, y)


def filled(shape, *places, **kwargs):
    def program(v):
        found = np.empty(shape, dtype=object, **kwargs)
        for number, place in enumerate(places):
            found[place] = v[number:] * 2
        return list(found.ravel())

    return program


def by_rows(v):
    found = np.full((2, 2), None, object)
    for row in found:
        row[:] = [v[0], v[1]]
        v = v[1:]
    return found.tolist()


def through_a_view(v):
    found = np.zeros(4, dtype="O")
    part, copied = found[1:3], found.copy()
    part[0], copied[1] = v.sum(), v
    found[::-1][0] = 7
    return found.tolist(), len(copied[1]), np.array(found)[1] == found[1]


def of_copies(v):
    found = np.empty(2, object)
    found[:] = [v, v[1:]]
    others = [np.array(found), found.astype(object), found.flatten(), found[[0, 1]], found.ravel("C"), np.asarray(found)]
    found[0] = v[2:]
    return [len(other[0]) for other in others]


def on_data(v):
    found = np.empty(3, dtype=object)
    for number in range(3):
        if v[number] > 1:
            found[number] = v[number] * 2
        else:
            found[number] = v[number] - 1
    return [float(item) for item in found]


def one_write_on_data(v):
    found = np.zeros(2, dtype=object)
    found[0] = v[0]
    if v[1] > 0:
        found[0] = v[1]
    return found[0] * 2


def kinds(v):
    found = np.empty(3, dtype=object)
    found[:] = v[:3]
    listed = [type(item) for item in found]
    found[:] = [v[0], v[1], v[2]]
    listed += [type(item) for item in found]
    found[:] = v[0]
    return [kind.__name__ for kind in listed] + [type(found[1]).__name__, type(np.full(2, v[0], object)[0]).__name__]


FILLED = {
    "places": filled(3, 0, 1, -1),
    "all places": filled((2, 2), (0, 0), (0, 1), (1, 0), (1, 1)),
    "columns": filled((2, 2), (0, 0), (0, 1), (1, 0), (1, 1), order="F"),
    "rows": by_rows,
    "views": through_a_view,
    "copies": of_copies,
    "branches on data": on_data,
    "a branch on data": one_write_on_data,
    "kinds": kinds,
    "stacked": lambda v: np.stack(filled(2, 0, 0, 1)(v)[:1]),
    "nothing": lambda v: np.empty(0, object).shape,
    "numbers": lambda v: np.ones((2, 1), object).tolist(),
    "numbers again": lambda v: np.zeros(2, object).astype(float) + v[:2],
}


@pytest.mark.parametrize("name", FILLED)
def test_they_are_filled_item_by_item(name):
    program = FILLED[name]
    for data in (np.arange(4.0), np.array([3.0, -1.0, 2.0, 5.0])):
        actual, wanted = said(lambda data=data: export(program, (np.arange(4.0),)).module()(data)), said(lambda data=data: program(data))
        assert type(actual) is type(wanted)
        np.testing.assert_equal(actual, wanted)


REFUSED = {
    "places that arrays tell": lambda v: np.empty(2, object).__setitem__(np.array([0, 1]), 3.0),
    "sequences of different lengths": lambda v: np.empty((2, 2), object).__setitem__(..., [[v], [v, v]]),
    "sums": lambda v: np.full(3, v[0], object).sum(),
    "one first axis": lambda v: np.array([v.reshape(2, 2), v[:2].reshape(2, 1)], dtype=object),  # NumPy raises
    "as result": lambda v: np.array([v, v[:2]], dtype=object),
    "ranges": lambda v: np.array([range(4), v], dtype=object).shape,
    "buffers": lambda v: np.array([memoryview(b"ab"), v], dtype=object).shape,
}


def at_a_place_of_data(v):
    found = np.empty(3, object)
    found[int(v[0])] = v
    return found[0]


REFUSED |= {
    "a place that data tell": at_a_place_of_data,
    "an item that data tell": lambda v: np.array([v, v[:1]], dtype=object)[v.argmax()],
    "texts some of which may be missing": lambda v: np.array(["a", None], np.dtypes.StringDType(na_object=None)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_taken_apart_is_refused(name):
    with pytest.raises(ExportError) as caught:
        export(REFUSED[name], (np.arange(4.0),))
    assert caught.value.code == ("E104" if name.endswith("data tell") else "E122")


_OPERATIONS = """x // y; x % 2; 2.5 // x; 2 ** x; x & y; 1 | x; x ^ x; x << 1; 8 >> x; ~x; +x; abs(x); divmod(x, 2); 2.5 @ x; x @ x;
    2 in x; float(x); int(x[:1]); format(x); str(x); np.copyto(x, 1); np.put(x, [0], 1); np.place(x, x, [1]); pow(x, 2)"""


@pytest.mark.parametrize("operation", [each.strip() for each in _OPERATIONS.split(";")])
def test_operators_that_arrays_have_are_refused_and_not_missing(operation):
    body = f"try:\n        return {operation}\n    except TypeError:\n        return z"
    f = function_of(f"def f(z):\n    x, y = np.array([1, 2], object), np.array([2, 1], object)\n    {body}", {"np": np})
    with pytest.raises(Unsupported, match="E122"):
        export(f, (np.ones(2),))
