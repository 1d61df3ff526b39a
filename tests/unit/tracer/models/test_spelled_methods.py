"""Special methods that a program calls by their names mean what calls them: ``x.sum().__int__()`` is ``int(x.sum())``
(E104, E103, E114 before).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.outcomes import outcome

METHODS = ["__int__", "__float__", "__bool__", "__str__", "__repr__"]
OF: dict[str, Any] = {
    "a scalar": lambda x: x.sum(),
    "an array": lambda x: np.array(x.sum()),
    "a float of data": lambda x: float(x.sum()),
    "an int of data": lambda x: int(x.sum()),
    "a size": len,
}


@pytest.mark.parametrize("of", OF.values(), ids=OF)
@pytest.mark.parametrize("name", METHODS)
def test_methods_by_name(of: Any, name: str) -> None:
    def function(x: Any) -> Any:
        return getattr(of(x), name)()

    for shapes in (None, ({0: Dim.AUTO},)):
        run = export(function, (np.array([1.5, 2.25]),), dynamic_shapes=shapes).module()
        for x in ([1.5, 2.25], [-3.0, 3.0], [0.5, 1e3]):
            assert outcome(run, (np.array(x),)) == outcome(function, (np.array(x),))


@pytest.mark.parametrize("function", [lambda k: k[0].__index__(), lambda k: k.__contains__(2), lambda k: np.sum(k > 1).__int__() + 1])
def test_of_integers(function: Any) -> None:
    run = export(function, (np.array([1, 2, 3]),)).module()
    for k in ([1, 2, 3], [3, 3, 3], [0, 1, 0]):
        assert outcome(run, (np.array(k),)) == outcome(function, (np.array(k),))


@pytest.mark.parametrize(
    "function", [lambda x: x.sum().__int__(1), lambda x: x.__float__(), lambda x: x.__bool__(), lambda x: x.__contains__()]
)
def test_their_errors(function: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as wanted:
        function(np.ones(2))
    with pytest.raises(wanted.type) as found:
        export(function, (np.ones(2),)).module()(np.ones(2))
    assert str(found.value) == str(wanted.value)


def _is_reduced(x: Any) -> bool:
    try:
        x.__reduce__()
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("function", [_is_reduced, lambda x: _is_reduced(x[0]), lambda x: x.__reduce_ex__(2)])
def test_what_pickles_is_refused(function: Any) -> None:
    """A program that waits for a TypeError took the other path."""
    with pytest.raises(Unsupported, match="an array is pickled"):
        export(function, (np.ones(2),))


def test_there_is_no_state_beside_the_data() -> None:
    assert export(lambda x: (x.__getstate__(), x[0].__getstate__()), (np.ones(2),)).module()(np.ones(2)) == (None, None)
