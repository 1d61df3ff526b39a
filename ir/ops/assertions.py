"""Functions that raise for some data and give nothing: those of ``numpy.testing``. Each is an
operator that the program calls for its exception, whose text NumPy writes then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir.facts import Raises
from npexport.ir.ops.rules import record
from npexport.ir.ops.samples import Call, arr, call


def _always(args: tuple[Any, ...]) -> bool:
    return True


def _samples() -> Iterator[Call]:
    yield call(arr(3), arr(3))


def _less() -> Iterator[Call]:
    yield call(arr(3) - 20, arr(3))


def _scalars() -> Iterator[Call]:
    yield call(2.5, 2.5)


def declare(namespace: str, function: Any, samples: Callable[[], Iterator[Call]], errors: tuple[type[Exception], ...], doc: str) -> None:
    """An operator that is called for what it raises."""

    def rule(*args: Any, **kwargs: Any) -> None:
        """Nothing is known before the program runs."""

    rule.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    record(
        kernel=function,
        namespace=namespace,
        name=function.__name__,
        samples=samples,
        doc=doc,
        raises=(Raises(errors, _always, None),),
        rejects=False,
    )(rule)


FUNCTIONS = {
    np.testing.assert_allclose: _samples,
    np.testing.assert_array_equal: _samples,
    np.testing.assert_array_almost_equal: _samples,
    np.testing.assert_equal: _samples,
    np.testing.assert_almost_equal: _samples,
    np.testing.assert_array_less: _less,
    np.testing.assert_approx_equal: _scalars,
    np.testing.assert_array_almost_equal_nulp: _samples,
}
for _function, _calls in FUNCTIONS.items():
    declare("control", _function, _calls, (Exception,), f"``numpy.testing.{_function.__name__}``")
