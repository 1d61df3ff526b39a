"""The order in which Python sorts the items of a list, from what it finds of their keys.

Without NaN among the keys it is the stable order. With NaN it depends on the sequence of
comparisons that Python makes: so Python makes them at run time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.facts import Emit
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.python_numbers import fresh
from npexport.ir.ops.rules import FLOAT, INTP, array, record
from npexport.ir.ops.rules import value as scalar_or_array
from npexport.ir.raising import NOTHING
from npexport.symshapes.env import known
from npexport.symshapes.symint import python_type


def kind_of(key: Any) -> Any:
    """What Python compares a key as: a dtype, a type of Python's, a tuple of these.

    Raises ``TypeError`` for what no such order is known of.
    """
    if type(key) is tuple:
        return tuple(map(kind_of, key))
    if isinstance(key, (TensorMeta, np.generic)) and key.dtype.kind in "biuf" and not (isinstance(key, TensorMeta) and not key.scalar):
        return key.dtype
    kind = python_type(key)
    if kind in (int, bool, float, str):
        return FLOAT if kind is float else kind
    raise TypeError(f"nothing is known of the order of {key!r}")


def _atom(item: Any) -> Any:
    kind_of(item)
    return scalar_or_array((), item.dtype) if isinstance(item, (TensorMeta, np.generic)) else fresh(python_type(item))


@record(kernel="python_orders.order", namespace="py", raises=NOTHING, rejects=False)
def order(keys: Any, reverse: Any = False, /) -> TensorMeta:
    """The positions of the keys, numbers or tuples of numbers, as ``sorted`` orders them."""
    kinds = list(map(kind_of, keys))
    if any(kind != kinds[0] for kind in kinds):
        raise TypeError("the keys are not of one kind")
    return array((len(kinds),), INTP)


def _lengths(keys: Any) -> list[Any]:
    if type(keys) is tuple:
        return [length for part in keys for length in _lengths(part)]
    if not (isinstance(keys, TensorMeta) and keys.ndim == 1 and keys.dtype.kind in "biuf"):
        raise TypeError(f"nothing is known of the order of {keys!r}")
    return list(keys.shape)


@record(kernel="python_orders.order_of_rows", namespace="py", raises=NOTHING, rejects=False)
def order_of_rows(keys: Any, reverse: Any = False, /) -> TensorMeta:
    """The same of keys that stand in arrays of one axis: of numbers in one, of tuples in as many as
    they have parts.
    """
    first, *rest = _lengths(keys)
    if any(known(length == first) is not True for length in rest):
        raise TypeError("the parts of the keys are more or fewer than others")
    return array((first,), INTP)


@record(
    kernel="python_orders.ordered",
    namespace="py",
    name="sorted",
    traits="data_dependent_shape",
    raises=NOTHING,
    rejects=False,
    emit=Emit(kernel=lambda node: sorted, lists=True),
)
def ordered(items: Any, /, *, reverse: Any = False) -> Any:
    """The numbers in their own order, as ``sorted`` gives them."""
    if len({kind_of(item) for item in items}) > 1 or any(type(item) is tuple for item in items):
        raise TypeError("the items are not numbers of one kind")
    return tuple(map(_atom, items))


@record(kernel="python_orders.in_order", namespace="py", traits="data_dependent_shape", raises=NOTHING, rejects=False)
def in_order(places: Any, items: Any, /) -> Any:
    """The numbers that stand at these places, each once."""
    if len({kind_of(item) for item in items}) > 1 or tuple(places.shape) != (len(items),):
        raise TypeError("the items are not of one kind, or more or fewer than the places")
    return tuple(map(_atom, items))
