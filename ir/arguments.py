"""The single traversal of arguments: leaves in nested tuples, lists, dicts and slices.

Leaves are the values in the containers, not the keys of dicts. Instances of subclasses of the
containers are leaves: a graph contains none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def leaves_of(arg: Any) -> list[Any]:
    """What stands in nested containers, in order; keys of dicts are not leaves.

    >>> leaves_of((1, [2, {"a": slice(3, None)}], ()))
    [1, 2, 3, None, None]
    """
    found: list[Any] = []
    _gather((arg,), found)
    return found


def _gather(args: Iterable[Any], found: list[Any]) -> None:
    for arg in args:
        kind = type(arg)
        if kind is tuple or kind is list:
            _gather(arg, found)
        elif kind is dict:
            _gather(arg.values(), found)
        elif kind is slice:
            _gather((arg.start, arg.stop, arg.step), found)
        else:
            found.append(arg)


def is_changeable(arg: Any) -> bool:
    """Whether nested containers hold a list or a dict, which can be changed in place.

    >>> is_changeable((1, (2, slice(3)))), is_changeable((1, ([2],)))
    (False, True)
    """
    for item in arg if type(arg) is tuple else (arg,):  # most tuples hold leaves alone
        kind = type(item)
        if kind is list or kind is dict or (kind is tuple and is_changeable(item)):
            return True
    return False


def keys_of(arg: Any) -> list[Any]:
    """The keys of all dicts in nested containers."""
    kind = type(arg)
    items = arg.values() if kind is dict else arg if kind is tuple or kind is list else ()
    return [*(arg if kind is dict else ()), *[key for item in items for key in keys_of(item)]]


def map_leaves(arg: Any, fn: Callable[[Any], Any]) -> Any:
    """``arg`` with ``fn`` applied to every leaf; containers are rebuilt.

    >>> map_leaves((1, [2, {"a": slice(3, 4, 5)}]), str)
    ('1', ['2', {'a': slice('3', '4', '5')}])
    """
    kind = type(arg)
    if kind is tuple:
        return tuple([map_leaves(item, fn) for item in arg])
    if kind is list:
        return [map_leaves(item, fn) for item in arg]
    if kind is dict:
        return {key: map_leaves(item, fn) for key, item in arg.items()}
    if kind is slice:
        return slice(map_leaves(arg.start, fn), map_leaves(arg.stop, fn), map_leaves(arg.step, fn))
    return fn(arg)


def structural_key(arg: Any, key: Callable[[Any], Any]) -> Any:
    """A key of nested containers from keys of their leaves.

    >>> structural_key((1, [2]), str) == structural_key((1, (2,)), str)
    False
    """
    kind = type(arg)
    if kind is tuple or kind is list:
        return (kind, *[structural_key(item, key) for item in arg])
    if kind is dict:
        return (kind, *[(name, structural_key(item, key)) for name, item in arg.items()])
    if kind is slice:
        return (kind, structural_key(arg.start, key), structural_key(arg.stop, key), structural_key(arg.step, key))
    return key(arg)


def key_of(arg: Any) -> Any:
    """Equal for arguments that mean the same. ``1``, ``1.0`` and ``True`` differ, and so do ``0.0``
    and ``-0.0``; NaN is the same as NaN.
    """
    return structural_key(arg, leaf_key)


def leaf_key(arg: Any) -> Any:
    """``key_of`` for an argument that is not a container."""
    kind = type(arg)
    if kind in _SELF_KEYED:
        return arg
    if kind is int or kind is bool:
        return kind, arg
    if kind is float or kind is complex:
        return kind, repr(arg)
    if isinstance(arg, np.generic):
        return arg.dtype, arg.tobytes()
    return arg


_SELF_KEYED = frozenset({str, bytes, type(None), type(Ellipsis)})


def is_default(default: Any, value: Any) -> bool:
    """Whether leaving out the argument means the same."""
    if value is default:
        return True
    kind = type(value)
    if kind is not type(default) or kind not in _COMPARED or value != default:
        return False
    return kind not in _EQUAL_BUT_NOT_THE_SAME or key_of(value) == key_of(default)


_COMPARED = (int, float, bool, str, tuple)
_EQUAL_BUT_NOT_THE_SAME = (float, tuple)  # 0.0 and -0.0, (1,) and (True,)
