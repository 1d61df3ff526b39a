"""Results of branches whose axes are put in an order of memory right away that is not C's: where a
side makes such an array, nothing is copied.

Law: nothing but that rearrangement sees the result, and it takes an array that lies otherwise, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import CALL, Node
from npexport.runtime.memory.layouts import copied, dense, in_c_order

Array = np.ndarray[Any, Any]


class Laying(NamedTuple):
    """What brings an array that a side gives into the order of a result: a copy, the array itself
    where nobody else sees it, or where nobody writes to it.
    """

    copied: Callable[[Array], Array]
    own: Callable[[Array], Array]
    dense: Callable[[Array], Array]


IN_C = Laying(copied, in_c_order, dense)


def laying_of(result: Node) -> Laying:
    """The functions for a result of a branch."""
    axes = axes_of(result)
    return IN_C if axes is None else in_order_of(axes)


def axes_of(result: Node) -> tuple[int, ...] | None:
    """The order in which a result's axes are to lie, if that is all that it is used for."""
    turned = _only_user(result, ops.np.transpose)
    laid = None if turned is None else _only_user(turned, ops.np.as_contiguous)
    if turned is None or laid is None or laid.args[1:] not in ((), ("C",)) or len(turned.args) != 2:
        return None
    axes = turned.args[1]
    return axes if type(axes) is tuple and all(type(axis) is int for axis in axes) else None


def _only_user(node: Node, target: Any) -> Node | None:
    user = next(iter(node.users)) if len(node.users) == 1 else None
    plain = user is not None and user.op == CALL and user.target is target and not user.kwargs
    return user if plain and user is not None and user.args[0] is node else None


@functools.cache
def in_order_of(axes: tuple[int, ...]) -> Laying:
    """The functions for arrays of this order of axes."""
    back = tuple(np.argsort(axes).tolist())

    def turned(value: Array) -> Array:
        return np.array(value.transpose(axes), order="C").transpose(back)

    def own(value: Array) -> Array:
        return value if value.transpose(axes).flags.carray else turned(value)

    def lying(value: Array) -> Array:
        flags = value.transpose(axes).flags
        return value if flags.c_contiguous and flags.aligned else turned(value)

    return Laying(turned, own, lying)
