"""Reading dicts with known keys where the key is a tuple with numbers of data in it, or a text that
data choose: transition tables.

The key is compared with those of the dict, and the value at the place of the one that it equals is
chosen.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from npexport.symshapes.functions import sym_bool
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.texts import DataText, hinting, is_text
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers import items
from npexport.tracer.models.polyfills import methods

_KINDS = dict, OrderedDict
_KNOWN = int, bool, str, type(None)


def is_compared(container: Any, key: Any) -> bool:
    """Whether a read of the dict compares its keys."""
    if type(container) not in _KINDS or not 0 < len(container) <= items.MOST:
        return False
    if type(key) is not tuple:
        return type(key) is DataText and all(type(each) in _KNOWN for each in container)
    if not any(map(_is_of_data, key)) or not all(_is_of_data(part) or type(part) in _KNOWN for part in key):
        return False
    return all(type(each) in _KNOWN or (type(each) is tuple and all(type(part) in _KNOWN for part in each)) for each in container)


def _is_of_data(part: Any) -> bool:
    return type(part) is DataText or items.index_of_data(part) is not None


def get(container: dict[Any, Any], key: Any) -> Any:
    """``container[key]``, where `is_compared`."""
    return Invoke(methods.item_of_keys, (list(container.values()), _place(container, key), key))


def get_or(container: dict[Any, Any], key: Any, default: Any) -> Any:
    """``dict.get``, where `is_compared`."""
    return items.chosen([*container.values(), default], _place(container, key))


def _place(container: dict[Any, Any], key: Any) -> Any:
    """The place of the key; the number of keys if it is none of them."""
    place: Any = len(container)
    for number, each in enumerate(container):
        truth = _is_equal(each, key)
        if truth is True:
            place = number
        elif truth is not False:
            place = items.chosen([place, number], truth)
    return place


def _is_equal(own: Any, key: Any) -> Any:
    """Whether two keys are equal: a bool, or a truth that the data decide."""
    if type(key) is tuple:
        if type(own) is not tuple or len(own) != len(key):
            return False
        truth: Any = True
        for one, other in zip(own, key, strict=True):
            part = _is_equal(one, other)
            if part is False:
                return False
            truth = part if truth is True else truth if part is True else truth & part
        return truth
    if not _is_of_data(key):
        return bool(own == key)
    if type(key) is DataText or type(own) is str or own is None:
        with hinting():
            return sym_bool(key == own) if type(key) is DataText and is_text(own) else False
    number = items.index_of_data(key)
    if type(number) is SymBool:
        return False if own not in (0, 1) else number if own else sym_bool(number == own)
    return sym_bool(number == int(own))
