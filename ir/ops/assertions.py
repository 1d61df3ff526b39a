"""Functions that only raise for some data and return nothing: those of ``numpy.testing``. Each is
an operator that the program calls for its exception, whose message NumPy writes at run time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from npexport.ir.facts import Raises
from npexport.ir.ops.rules import record
from npexport.ir.raising import always


class _Silent:
    """A rule that knows nothing before the program runs. Its signature is that of the function
    which ``find`` returns: importing ``numpy.testing`` takes longer than all records.
    """

    def __init__(self, find: Callable[[], Any]) -> None:
        self.find = find

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.find())

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        return None


def declare(namespace: str, name: str, find: Callable[[], Any], kernel: Any, errors: tuple[type[Exception], ...], doc: str) -> None:
    """An operator that is called for what it raises."""
    record(kernel=kernel, namespace=namespace, name=name, doc=doc, raises=(Raises(errors, always, None),), rejects=False)(_Silent(find))


FUNCTIONS = (
    "assert_allclose",
    "assert_array_equal",
    "assert_array_almost_equal",
    "assert_equal",
    "assert_almost_equal",
    "assert_array_less",
    "assert_approx_equal",
    "assert_array_almost_equal_nulp",
)
"""Those of ``numpy.testing`` that are operators, by name."""


def _declare_numpys(name: str) -> None:
    declare(
        "control", name, lambda: getattr(import_module("numpy.testing"), name), f"testing.{name}", (Exception,), f"``numpy.testing.{name}``"
    )


for _name in FUNCTIONS:
    _declare_numpys(_name)
