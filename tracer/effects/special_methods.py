"""Special methods that are not functions: the host finds them on the class and calls them, past
every read that would give the program a shadow of what they work on.

Law: a class one of whose special methods holds an object that can change, such as ``__call__ =
LOG.append``, is not made in a program, and its objects are fenced, unless the program made the
class itself.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from npexport.tracer.effects.copiers import by_class, is_stateless
from npexport.tracer.effects.policy import KEPT, KEPT_BASES

_BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


@by_class
def special_method_of_an_object(cls: type) -> str | None:
    """The name of a special method of the class that works on an object of its own which can
    change; ``None`` if there is none.
    """
    named = [(name, value) for base in cls.__mro__ for name, value in vars(base).items() if name.startswith("__") and name.endswith("__")]
    return next((name for name, value in named if _holds(value)), None)


def _holds(value: Any) -> bool:
    """Whether a call of the value works on an object that can change."""
    kind = type(value)
    if kind in (staticmethod, classmethod):
        return _holds(value.__func__)
    if kind in _BOUND:
        return _can_change(value.__self__)
    if kind is functools.partial:
        return _holds(value.func) or any(map(_can_change, (*value.args, *value.keywords.values())))
    return False


def _can_change(value: Any) -> bool:
    kind = type(value)
    if kind in (tuple, frozenset):
        return any(map(_can_change, value))
    if kind in KEPT or isinstance(value, KEPT_BASES):
        return False
    return _holds(value) if kind in (*_BOUND, functools.partial) else not is_stateless(value)
