"""Kernels of SciPy's functions that may compute in the memory of their arguments: in copies of
those, which lie as they do, so that results have the bits of eager execution.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import OVERWRITES


def __getattr__(name: str) -> Callable[..., Any]:
    """The kernel of ``ops.scipy.<name>``."""
    module, _, function = name.partition("_")
    path = {"distance": "spatial.distance", "hierarchy": "cluster.hierarchy"}.get(module, module)
    try:
        return _keeping(getattr(importlib.import_module(f"scipy.{path}"), function))
    except ImportError:
        raise AttributeError(name) from None


def _keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which leaves its arguments as they are, and takes constants, which are
    read-only here and not in eager execution.
    """
    signature = inspect.signature(function)

    def writeable(call: inspect.BoundArguments) -> None:
        for name, value in call.arguments.items():
            if isinstance(value, np.ndarray) and not value.flags.writeable:
                call.arguments[name] = np.array(value, order="K")

    @functools.wraps(function)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        overwritten = [name.removeprefix(OVERWRITES) for name in kwargs if name.startswith(OVERWRITES) and kwargs[name]]
        call = signature.bind(*args, **kwargs)
        for name in overwritten:
            if isinstance(call.arguments.get(name), np.ndarray):
                call.arguments[name] = np.array(call.arguments[name], order="K")
        try:
            return function(*call.args, **call.kwargs)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
        writeable(call)
        return function(*call.args, **call.kwargs)

    return kernel
