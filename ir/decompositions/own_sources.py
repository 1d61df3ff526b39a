"""Functions that NumPy implements in Python (trait ``own_source``): their own source is the
decomposition.

All of them are exact, since the steps are NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import Parameter
from types import FunctionType
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.numpy_internals import implementation
from npexport.ir.op import REGISTRY, Op


def _source(op: Op) -> Callable[..., Any]:
    """The Python function behind NumPy's dispatch, with defaults that older versions lack though
    calls omit the arguments.
    """
    function: Any = implementation(op.models[0]) or op.models[0]
    defaults = [each.default for each in op.signature.parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    defaults = [default for default in defaults if default is not Parameter.empty]
    if function.__defaults__ or not defaults:
        return function  # type: ignore[no-any-return]
    return FunctionType(function.__code__, function.__globals__, op.name, tuple(defaults), function.__closure__)


def _of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of arrays: of what is no array it calls a method, the operator again."""

    @functools.wraps(function)
    def decomposition(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(np.asanyarray(a), *args, **kwargs)

    return decomposition


for _op in REGISTRY:
    if "own_source" in _op.traits:
        register_decomposition(_op)(_of_arrays(_source(_op)) if "by_method" in _op.traits else _source(_op))
