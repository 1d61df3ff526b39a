"""Functions that raise for some data and give nothing: those of ``numpy.testing``. Each is an
operator that the program calls for its exception, whose text NumPy writes then.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npexport.ir.facts import Raises
from npexport.ir.ops.rules import record
from npexport.ir.raising import always


def declare(namespace: str, function: Any, errors: tuple[type[Exception], ...], doc: str) -> None:
    """An operator that is called for what it raises."""

    def rule(*args: Any, **kwargs: Any) -> None:
        """Nothing is known before the program runs."""

    rule.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    raises = (Raises(errors, always, None),)
    record(kernel=function, namespace=namespace, name=function.__name__, doc=doc, raises=raises, rejects=False)(rule)


FUNCTIONS = (
    np.testing.assert_allclose,
    np.testing.assert_array_equal,
    np.testing.assert_array_almost_equal,
    np.testing.assert_equal,
    np.testing.assert_almost_equal,
    np.testing.assert_array_less,
    np.testing.assert_approx_equal,
    np.testing.assert_array_almost_equal_nulp,
)
for _function in FUNCTIONS:
    declare("control", _function, (Exception,), f"``numpy.testing.{_function.__name__}``")
