"""NumPy's integers that become elements of a narrower dtype by way of Python's: they raise where they do not fit, read or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def _all(x: Any, i: Any) -> Any:
    y = np.zeros(3, np.int8)
    y[:] = i[0]
    return x


def _filled(x: Any, i: Any) -> Any:
    np.zeros(3, np.int8).fill(np.int64(len(x)) * i[1])
    return x


def _between(x: Any, i: Any) -> None:
    x[0] = 5
    y = np.zeros(3, np.int32)
    y[...] = i.max()
    x[1] = 6


def _of_a_size(x: Any, i: Any) -> Any:
    y = np.zeros((2, 2), np.int8)
    y[:, 0] = np.uint64(len(x))
    return i


@pytest.mark.parametrize("program", [_all, _filled, _between, _of_a_size])
def test_a_write_raises_though_nobody_reads_it(program: Callable[..., Any]) -> None:
    module = export(program, (np.zeros(3), np.array([1, 2])), dynamic_shapes=({0: Dim.AUTO}, None)).module()
    kinds = set()
    for size, i in ((3, [1, 2]), (3, [300, -2]), (200, [2**40, 1]), (2, [5, 2**35])):
        wanted = outcome(program, (np.zeros(size), np.array(i)))
        assert outcome(module, (np.zeros(size), np.array(i))) == wanted
        kinds.add("OverflowError" in wanted[0])
    assert kinds == {True, False}


def _caught(x: Any, i: Any) -> Any:
    y = np.zeros(3, np.int8)
    try:
        y[:] = i.max()
    except OverflowError:
        return x
    return y


def test_a_handler_gets_what_a_write_raises() -> None:
    module = export(_caught, (np.zeros(3), np.array([1, 2]))).module()
    for i in ([1, 2], [300, 1], [-200, -129]):
        assert outcome(module, (np.zeros(3), np.array(i))) == outcome(_caught, (np.zeros(3), np.array(i)))


def test_an_element_of_the_flat_array_takes_what_surely_fits() -> None:
    def flat(x: Any, dtype: Any) -> Any:
        y = np.zeros(3, dtype)
        y.flat[0] = x[0]
        return y

    i = np.array([1, 2])
    assert export(lambda x: flat(x, np.int64), (i,)).module()(i).tolist() == [1, 0, 0]
    with pytest.raises(ExportError, match="E126"):
        export(lambda x: flat(x, np.int8), (i,))


def test_places_fit_the_dtype_that_holds_them() -> None:
    def places(x: Any) -> Any:
        y = np.zeros(2, np.int32)
        try:
            y[:] = np.argmax(x)
        except OverflowError:
            return x
        return y

    assert export(places, (np.arange(5.0),)).module()(np.arange(5.0)[::-1].copy()).tolist() == [0, 0]
