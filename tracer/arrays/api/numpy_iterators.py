"""What the iterators of NumPy's C have in common, and which arguments NumPy goes over before it
calls a function.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NoReturn


class NumpyIterator:
    """An iterator that is a sequence to NumPy, and that cannot be pickled."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError

    def go_to_end(self) -> None:
        for _ in self:
            pass

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle '{self.__class__.__name__}' object")

    def __reduce_ex__(self, protocol: Any, /) -> NoReturn:
        cls = self.__class__
        raise TypeError(f"cannot pickle '{cls.__name__ if protocol < 2 else f'{cls.__module__}.{cls.__name__}'}' object")


class _Dispatched(Exception):
    """NumPy asked an element whose function to call."""


class _Element:
    """An element of a probe."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __array_function__(self, function: Any, *_: Any) -> Any:
        if function is self._function:
            raise _Dispatched
        return NotImplemented


class _Probe:
    """An iterable of one such element, which takes part in no dispatch itself."""

    def __init__(self, function: Any) -> None:
        self._elements = [_Element(function)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._elements)


class _Sequence(_Probe):
    def __getitem__(self, index: Any) -> Any:
        return self._elements[index]


@functools.cache
def _is_gone_over(function: Any, probe: type, count: int, names: tuple[str, ...], place: int) -> bool:
    """Whether NumPy goes over this argument to find out whose function to call (NEP 18).

    NumPy is asked: it does that before it looks at any other argument. ``names``: of the last of
    the ``count`` arguments.
    """
    values = [probe(function) if at == place else () for at in range(count)]
    positional = count - len(names)
    try:
        function(*values[:positional], **dict(zip(names, values[positional:], strict=True)))
    except _Dispatched:
        return True
    except Exception:  # of a call with such arguments, which means nothing
        return False
    return False


def go_over(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Leave at its end what NumPy goes over before it calls a function: iterators are sequences to
    it, and the function finds none of their elements.
    """
    values = (*args, *kwargs.values())
    for place, value in enumerate(values):
        if isinstance(value, NumpyIterator):
            probe = _Sequence if hasattr(value, "__getitem__") else _Probe
            if _is_gone_over(function, probe, len(values), tuple(kwargs), place):
                value.go_to_end()
