"""Containers made from iterables that may run Python: extending, updating, merging keywords,
unpacking.
"""

from __future__ import annotations

import operator
from collections import deque
from types import GeneratorType
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE, SURPLUS_IS_COUNTED
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.attributes import special_method
from npexport.tracer.interpreter.frame import NOTHING, NULL, Frame, Steps
from npexport.tracer.interpreter.native import NATIVE_TYPES, c_name, plain_text
from npexport.tracer.interpreter.operators import is_user_type

_PLAIN = frozenset({list, tuple, str, bytes, range, dict})


def is_plain(iterable: Any) -> bool:
    """Whether iterating runs no Python and the world does not decide the order."""
    return type(iterable) in _PLAIN


def items_steps(iterable: Any, *, measured: bool = False) -> Steps:
    """The items of any iterable, as a list.

    ``measured``: its length hint is requested once it is known to be iterable.
    """
    if is_plain(iterable):
        return list(iterable)
    iterator = yield iter, (iterable,)
    of_user = is_user_type(type(iterable))
    if measured and of_user:
        yield from _length_hint_steps(iterable)
    state = generators.state_of(iterator) if type(iterator) is GeneratorType else None
    if state is not None:
        items, _ = yield generators.Collect(state), ()
        return items
    if not is_user_type(type(iterator)):
        items = yield (deque if of_user else list), (iterator,)  # list would ask for the length again
        return list(items)
    taken: list[Any] = []
    while True:
        try:
            taken.append((yield next, (iterator,)))
        except StopIteration:
            return taken


def _length_hint_steps(iterable: Any) -> Steps:
    """``operator.length_hint``: the program sees the question, and the error for a wrong answer."""
    tp = type(iterable)
    for name in ("__len__", "__length_hint__"):
        if special_method(tp, name) is NULL:
            continue
        try:
            length = yield (len, (iterable,)) if name == "__len__" else (getattr(tp, name), (iterable,))
        except TypeError:
            continue
        if length is NotImplemented or name == "__len__":
            return
        if not (yield isinstance, (length, int)):
            raise TypeError(f"{name} must be an integer, not {type(length).__name__}")
        if (yield operator.lt, (length, 0)):
            raise ValueError(f"{name}() should return >= 0")
        return


def require_iterable(value: Any, message: str) -> Steps:
    """Raises ``TypeError`` with the name of its class if there is no iterator of a value."""
    cls = type(value)
    if hasattr(cls, "__iter__") and cls not in NATIVE_TYPES:
        return
    cls = yield type, (value,)
    if hasattr(cls, "__iter__") or (cls.__flags__ & HEAP_TYPE and hasattr(cls, "__getitem__")):
        return
    try:
        yield iter, (value,)  # C knows whether its items have numbers
        return
    except TypeError:
        pass
    raise TypeError(message.format(c_name(cls)))


def extend_steps(target: list[Any], iterable: Any) -> Steps:
    """``[*iterable]`` and the arguments of ``f(*iterable)``."""
    yield from require_iterable(iterable, "Value after * must be an iterable, not {}")
    target.extend((yield from items_steps(iterable, measured=True)))
    return NOTHING


def extended_steps(target: list[Any], iterable: Any) -> Steps:
    """What takes the place of a list that gets the items of a value of which C knows how many there
    are.
    """
    yield from require_iterable(iterable, "Value after * must be an iterable, not {}")
    items = yield list, (iterable,)
    if type(items) is list:
        target.extend(items)
        return target
    return (yield operator.add, (target, items)) if target else items


def hashed_items_steps(iterable: Any) -> Steps:
    """The items for a set, up to an unhashable one, after which a generator does not go on."""
    if type(iterable) is not GeneratorType:
        return (yield from items_steps(iterable))
    items: list[Any] = []
    while not items or _is_hashable(items[-1]):
        try:
            items.append((yield next, (iterable,)))
        except StopIteration:
            break
    return items


def _is_hashable(item: Any) -> bool:
    return type(item).__hash__ is not None and (type(item) is not tuple or all(map(_is_hashable, item)))


def set_update_steps(target: set[Any], iterable: Any) -> Steps:
    items = yield from hashed_items_steps(iterable)
    yield set.update, (target, items)
    return NOTHING


def _is_read_raw(mapping: Any) -> bool:
    """Whether C merges the dict's own items, whatever its class overrides (``dict_merge``)."""
    return isinstance(mapping, dict) and type(mapping).__iter__ is dict.__iter__


def dict_update_steps(target: dict[Any, Any], mapping: Any) -> Steps:
    """``{**mapping}``."""
    if _is_read_raw(mapping):
        if all(type(key) is str for key in dict.keys(mapping)):
            dict.update(target, mapping)
        else:
            yield dict.update, (target, mapping)
        return NOTHING
    if not hasattr(mapping, "keys"):
        raise TypeError(f"'{c_name((yield type, (mapping,)))}' object is not a mapping")
    for key in (yield from items_steps((yield (yield getattr, (mapping, "keys")), ()))):
        value = yield operator.getitem, (mapping, key)
        yield dict.__setitem__, (target, key, value)
    return NOTHING


def merge_steps(target: dict[Any, Any], mapping: Any, fn: Any) -> Steps:
    """The keywords of ``f(**mapping)``: a mapping, without any name twice."""
    if not _is_read_raw(mapping) and not (yield hasattr, (mapping, "keys")):
        raise TypeError(f"{function_name(fn)} argument after ** must be a mapping, not {c_name((yield type, (mapping,)))}")
    if _is_read_raw(mapping):
        for key, value in list(dict.items(mapping)):
            _add_keyword(target, key, value, fn)
        return NOTHING
    for key in (yield from items_steps((yield (yield getattr, (mapping, "keys")), ()))):
        value = yield operator.getitem, (mapping, key)
        _add_keyword(target, key, value, fn)
    return NOTHING


def _add_keyword(target: dict[Any, Any], key: Any, value: Any, fn: Any) -> None:
    key = plain_text(key)
    if key in target:
        raise TypeError(f"{function_name(fn)} got multiple values for keyword argument '{key}'")
    target[key] = value


def function_name(fn: Any) -> str:
    """The name of a callable in CPython's messages about arguments (``_PyObject_FunctionStr``)."""
    name = getattr(fn, "__qualname__", None)
    if name is None:
        return str(fn)
    module = getattr(fn, "__module__", None)
    return f"{name}()" if module is None or module == "builtins" else f"{module}.{name}()"


def unpack_steps(frame: Frame, value: Any, before: int, after: int, star: bool) -> Steps:
    """``a, b = value`` and ``a, *b, c = value``: pushes the items, the first on top."""
    yield from require_iterable(value, "cannot unpack non-iterable {} object")
    iterator = yield iter, (value,)
    items: list[Any] = []
    for index in range(before):
        try:
            items.append((yield next, (iterator,)))
        except StopIteration:
            pass
        if len(items) <= index:
            expected = f"at least {before + after}" if star else str(before)
            raise ValueError(f"not enough values to unpack (expected {expected}, got {index})")
    if star:
        rest = yield from items_steps(iterator, measured=True)
        if len(rest) < after:
            raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {before + len(rest)})")
        cut = len(rest) - after
        items += [rest[:cut], *rest[cut:]]
    else:
        surplus = True
        try:
            yield next, (iterator,)
        except StopIteration:
            surplus = False
        if surplus:
            got = f", got {len(value)}" if SURPLUS_IS_COUNTED and type(value) in (list, tuple, dict) else ""
            raise ValueError(f"too many values to unpack (expected {before}{got})")
    frame.stack.extend(reversed(items))
    return NOTHING
