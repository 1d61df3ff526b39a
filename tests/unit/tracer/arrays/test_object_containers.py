"""Arrays of objects as containers of arrays of different lengths: their items are the arrays themselves."""

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said

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


REFUSED = {
    "one first axis": lambda v: np.array([v.reshape(2, 2), v[:2].reshape(2, 1)], dtype=object),  # NumPy raises
    "as result": lambda v: np.array([v, v[:2]], dtype=object),
    "ranges": lambda v: np.array([range(4), v], dtype=object).shape,
    "buffers": lambda v: np.array([memoryview(b"ab"), v], dtype=object).shape,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_taken_apart_is_refused(name):
    with pytest.raises(ExportError) as caught:
        export(REFUSED[name], (np.arange(4.0),))
    assert caught.value.code == "E122"
