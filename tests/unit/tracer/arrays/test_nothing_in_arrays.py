"""Arrays that NumPy makes of ``None``: containers, of which NumPy's own functions say what they say of
``None``.
"""

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said


def caught(v):
    try:
        return np.abs(None) + v
    except TypeError as error:
        return v, str(error)


def guess(v, best=None):
    best = np.atleast_2d(np.asarray(best))
    return v * 2 if best.dtype == object else best


PROGRAMS = {
    "asarray": lambda v: (np.asarray(None).shape, np.asarray(None).dtype.kind, v + 1),
    "with axes": lambda v: (np.atleast_1d(None).shape, np.atleast_2d(np.asarray(None)).shape, v + 1),
    "a default": guess,
    "a list": lambda v: (np.array([None] * 3).shape, v + 1),
    "bounds": lambda v: np.array([(0.0, None), (None, 2)]).astype(float) + v[:2],
    "bounds of data": lambda v: np.array([(v[0], None), (None, 2)]).astype(float),
    "as numbers at once": lambda v: np.asarray([v[0], None], dtype=float),
    "items": lambda v: np.array([v[0], None, 3]).tolist(),
    "the item": lambda v: (np.asarray(None).item(), np.asarray(None)[()], v),
    "complex or not": lambda v: (np.iscomplexobj(None), np.isrealobj(None), v),
    "its shape": lambda v: (np.ndim(None), np.size(None), np.shape(None), np.shape([None, 1]), v),
    "compared": lambda v: (np.equal(None, None), np.array_equal([(0, None)], []), v == None, v),  # noqa: E711  what the array says
    "its truth": lambda v: (np.any([None]), np.all([None, 1]), v),
    "raises": lambda v: np.abs(None) + v,
    "raises elsewhere": lambda v: np.isfinite(None) + v,
    "caught": caught,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("spec", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
def test_nothing_is_what_it_is_in_numpy(name, spec):
    program, x = PROGRAMS[name], np.arange(2.0) + 5
    actual = said(lambda: export(program, (np.arange(2.0),), dynamic_shapes=spec).module()(x.copy()))
    wanted = said(lambda: program(x.copy()))
    assert type(actual) is type(wanted)
    np.testing.assert_equal(actual, wanted)


@pytest.mark.parametrize(
    "program",
    [lambda v: np.where(v > 1, v, None), lambda v: np.array([v, None]), lambda v: np.asarray(None)],
    ids=["where", "beside an array", "a result"],
)
def test_what_would_compute_with_nothing_or_return_it_is_refused(program):
    with pytest.raises((ExportError, ValueError)):
        export(program, (np.arange(3.0),))


def test_what_numpy_raises_for_nothing_beside_numbers_is_raised():
    with pytest.raises(TypeError, match="'float' and 'NoneType'"):
        export(lambda v: np.add(v, None), (np.arange(3.0),))
