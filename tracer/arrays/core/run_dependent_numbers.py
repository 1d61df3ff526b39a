"""Numbers that differ from run to run: ``id(x)``, ``hash("text")``. They may be compared, computed
with and used as keys, and nothing else.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.bytecode.host import NONE_HAS_STEADY_HASH
from npexport.tracer.interpreter.native import named

_TELLING: ContextVar[bool] = ContextVar("telling", default=False)
_NUMBERS = (int, bool)
_STEADY = frozenset({int, bool, float, complex, range})
_STEADY_ELSEWHERE = (("decimal", "Decimal"), ("fractions", "Fraction"))


class Identity:
    """The ``id`` or ``hash`` of an object, or a number computed from one.

    It is not an ``int``, so that no C function computes with it.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    __class__ = int  # type: ignore[assignment]

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: Any) -> Any:
        number = _number(other)
        return NotImplemented if number is None else self.number == number

    def __repr__(self) -> str:
        return repr(self.number) if _TELLING.get() else refuse("a text")

    def __format__(self, spec: str) -> str:
        return format(self.number, spec) if _TELLING.get() else refuse("a text")

    def __getattr__(self, name: str) -> Any:
        if hasattr(int, name):
            refuse("a value of the program")
        raise AttributeError(f"'int' object has no attribute {name!r}")


def _number(value: Any) -> int | None:
    if type(value) is Identity:
        return value.number
    return value if type(value) in _NUMBERS else None


def refuse(what: str) -> NoReturn:
    """Raise the error for a number that would reach the result."""
    raise Unsupported("E109", f"{what} depends on the id or hash of an object, which differs from run to run")


@contextmanager
def telling() -> Iterator[None]:
    """Inside the block, text is only shown to the user and is not part of the program."""
    token = _TELLING.set(True)
    try:
        yield
    finally:
        _TELLING.reset(token)


def steady(value: Any) -> bool:
    """Whether ``hash(value)`` is the same in every process."""
    kind = type(value)
    if kind in (tuple, frozenset):
        return all(map(steady, value))
    if any(kind is getattr(sys.modules.get(module), name, None) for module, name in _STEADY_ELSEWHERE):
        return True
    return kind in _STEADY or is_symbolic(value) or (value is None and NONE_HAS_STEADY_HASH) or isinstance(value, (np.number, np.bool_))


def _computed(function: Callable[..., int], reflected: bool = False) -> Callable[..., Any]:
    def method(self: Identity, *others: Any) -> Identity:
        numbers = [_number(other) for other in others]
        if None in numbers:
            refuse("a value of the program")
        return Identity(function(*numbers, self.number) if reflected else function(self.number, *numbers))

    return method


def _refusing(self: Identity, *args: Any) -> NoReturn:
    refuse("a value of the program")


for _name in "add sub mul floordiv mod lshift rshift and_ or_ xor".split():
    _function = getattr(operator, _name)
    setattr(Identity, f"__{_name.rstrip('_')}__", _computed(_function))
    setattr(Identity, f"__r{_name.rstrip('_')}__", _computed(_function, reflected=True))
for _name in "neg pos abs invert".split():
    setattr(Identity, f"__{_name}__", _computed(getattr(operator, _name)))
for _name in "truediv rtruediv divmod rdivmod pow rpow float int complex index bool round trunc floor ceil lt le gt ge reduce_ex".split():
    setattr(Identity, f"__{_name}__", _refusing)
named(Identity, "int")
