"""Operators of users in modules of plain NumPy: imported from the package that declares them, and
held to what the program declares of their results.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.declared import Held, uncaught
from npexport.ir.facts import classes_in
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.operators.custom_errors import is_as_stated
from npexport.runtime.plain.plain_source import Imported, NoSource, place_of


def called(several: bool, declared: Any, raises: Any, function: Any, shown: str, *args: Any, result_sizes: Any = (), **kwargs: Any) -> Any:
    """The results of the function. Raises ``ValueError`` if a type, a dtype or a size is not as
    declared, or if it raises what is not of ``raises``, where that is stated. A size is a number, a
    leaf of the arguments and its axis, or the number of an entry of ``result_sizes``.
    """
    try:
        found = function(*args, **kwargs)
    except Exception as error:
        if raises is None or is_as_stated(error, raises):
            raise
        raise uncaught(ValueError(f"{shown} raises {type(error).__name__}, which raises= does not state")) from error
    parts = found if isinstance(found, tuple) else () if found is None else (found,)
    fits = isinstance(found, tuple) == several and len(parts) == len(declared)
    leaves = leaves_of((args, kwargs))
    seen: dict[int, int] = {}
    for part, (kind, dtype, sizes) in zip(parts, declared, strict=False):
        numbers = part.shape if isinstance(part, np.ndarray) else (part,) if kind is int else ()
        fits = fits and type(part) is kind and getattr(part, "dtype", None) == dtype and len(numbers) == len(sizes)
        for have, (number, place, entry) in zip(numbers, sizes, strict=False):
            if place is not None:
                number = leaves[place[0]] if place[1] is None else leaves[place[0]].shape[place[1]]
            bounds = (number, number) if entry is None else result_sizes[entry]
            low, high = bounds if isinstance(bounds, tuple) else (bounds, bounds)
            first = have if entry is None else seen.setdefault(entry, have)
            fits = fits and have == first and low <= have and (high is None or have <= high)
    if not fits:
        raise uncaught(ValueError(f"{shown} does not give what it gave when the program was exported"))
    return found


def mutating(operator: Any) -> Any:
    """The operator as a function that returns what it writes after its results."""

    def computed(*args: Any, **kwargs: Any) -> Any:
        results, written = operator.compute(args, kwargs)
        return (*(() if results is None else results if isinstance(results, tuple) else (results,)), *written)

    return computed


def plain_operator(node: Node) -> Imported:
    """The kernel of a call of a user's operator. Raises `NoSource`."""
    op: Any = node.target
    held = Held(node)
    if held.form is not None:
        raise NoSource(f"it returns {held.form.render()}")
    declared = [
        ((kind.dtype.type if kind.scalar else np.ndarray), kind.dtype, [*map(tuple, sizes)])
        if isinstance(kind, TensorMeta)
        else (kind, None, [*map(tuple, sizes)])
        for kind, sizes in held.parts
    ]
    module, name = place_of(op.body if op.native else op)
    raises = None if op.raises is None else classes_in(op.statements)
    return Imported(module, name, str(op), mutating if op.is_mutable else None, functools.partial(called, held.several, declared, raises))
