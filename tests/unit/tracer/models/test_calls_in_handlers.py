"""Calls that NumPy refuses whatever the data, or for some, within handlers: the handler runs, as in eager execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "the kind of a partition": lambda x, t: np.partition(x, 1, kind="quicksort"),
    "the kind of places": lambda x, t: np.argpartition(x, 1, kind="sort"),
    "the kind of a method": lambda x, t: x.partition(1, kind="sort"),
    "no axes to roll along": lambda x, t: np.roll(x.sum(keepdims=True)[0, ...], (), ()),
    "no axes to shift": lambda x, t: np.fft.ifftshift(x.sum(keepdims=True)[0, ...]),
    "a product of texts": lambda x, t: np.prod(t, dtype=int),
    "an accumulation of texts": lambda x, t: np.subtract.accumulate(t, dtype=float),
    "a reduction of texts": lambda x, t: np.multiply.reduce(t, dtype=float),
    "segments of texts": lambda x, t: np.subtract.reduceat(t, [0, 1], dtype=float),
    "texts in a sum of products": lambda x, t: np.einsum("i,i", t, t, dtype=float, casting="unsafe"),
    "a matrix of texts": lambda x, t: np.linalg.qr(np.stack([t, t, t])),
    "bytes without a form": lambda x, t: np.zeros(len(x), "V8").astype("f4"),
    "a line of rows": lambda x, t: np.polynomial.polynomial.polyline(x, x),
    "a level line of rows": lambda x, t: np.polynomial.polynomial.polyline(x, 0),
    "roots without axes": lambda x, t: np.polynomial.legendre.legfromroots(x[0, ...]),
    "no segments along one of axes": lambda x, t: np.add.reduceat(x[:0], [0, 1], axis=(0,)),
    "no segments along an axis of NumPy's": lambda x, t: np.add.reduceat(x[:0], [0, 1], axis=np.int64(0)),
    "a complex start": lambda x, t: np.maximum.reduce(x > 0, axis=0, dtype=float, initial=1j),
    "an output of bytes": lambda x, t: np.minimum.accumulate(x, dtype=complex, out=np.zeros(len(x), "V8")),
    "a negative size": lambda x, t: np.lib.stride_tricks.as_strided(x, (-len(x), 1), (0, 8)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dynamic", [True, False])
def test_the_handler_runs(name: str, dynamic: bool) -> None:
    def program(x: Any, t: Any) -> Any:
        try:
            return CALLS[name](x, t)
        except (IndexError, TypeError, ValueError) as error:
            return type(error).__name__

    args = np.array([1.0, 3, 2]), np.array(["a", "1", "2"])
    try:
        run = export(program, args, dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}) if dynamic else None).module()
    except ExportError as refusal:
        assert refusal.code == "E101" and name == "an output of bytes"
        return
    for texts in (["a", "1", "2"], ["3", "x", "1"]):
        given = args[0], np.array(texts)
        assert outcome(run, given) == outcome(program, given)


class Shift:
    def __int__(self) -> int:
        return 1


@pytest.mark.parametrize("shift", [Shift(), [Shift()]])
def test_objects_that_no_graph_holds_are_refused(shift: Any) -> None:
    """NumPy 2.0 refuses them itself."""
    with pytest.raises((ExportError, TypeError)) as caught:
        export(lambda x: np.roll(x, shift, 0), (np.arange(4.0),))
    assert getattr(caught.value, "code", "E101") == "E101"
