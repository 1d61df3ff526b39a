"""What a node of a custom operator declares about its results, and the kernel that checks them.

A declared size is a number, a size of an argument, or has an entry in ``result_sizes``, in order of
occurrence: the size itself, computed by the program, or ``(low, high)``, the bounds of a size that
only the data know. A node whose operator returns other containers than a tuple says so in
``result_form``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.meta import TensorMeta, described, size_text
from npexport.ir.node import Node, value_of
from npexport.ir.ops.rules import is_size
from npexport.ir.printing import value_text
from npexport.ir.result_forms import FORM, Misarranged, flat, require_form
from npexport.symshapes.errors import InputMismatch, blamed
from npexport.symshapes.interrupts import is_interrupt
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import SymInt, python_type

SIZES = "result_sizes"
"""The keyword with which nodes declare sizes that neither the arguments nor the declared value
determine.
"""
DECLARING = (SIZES, FORM)
"""The keywords with which nodes declare their results."""
Places = dict[Any, tuple[int, int | None]]
_Error = TypeVar("_Error", bound=Exception)


def expression_of(size: Any) -> Any:
    """The key of a size: a number, or an expression."""
    expression = getattr(size, "expression", size)
    return expression.const if getattr(expression, "is_const", False) else expression


def places_of(values: list[Any]) -> Places:
    """Where sizes appear in arguments: expression -> number of the leaf and axis, or ``None`` for a
    number itself.
    """
    found: Places = {}
    for number, value in enumerate(values):
        if isinstance(value, TensorMeta):
            for axis, size in enumerate(value.shape):
                found.setdefault(expression_of(size), (number, axis))
        elif type(value) is SymInt:
            found.setdefault(expression_of(value), (number, None))
    return found


def parts_of(value: Any) -> tuple[Any, ...]:
    """The results of a call as a tuple."""
    return () if value is None else tuple(value) if isinstance(value, (tuple, list)) else (value,)


def open_sizes(value: Any, places: Places) -> Iterator[Any]:
    """The declared sizes that need an entry, each once."""
    seen = set()
    for part in parts_of(value):
        for size in part.shape if isinstance(part, TensorMeta) else (part,) if type(part) is SymInt else ():
            expression = expression_of(size)
            if type(expression) is not int and expression not in places and expression not in seen:
                seen.add(expression)
                yield size


def entries_of(node: Node) -> list[tuple[Any, Any]]:
    """The open sizes of a node with their entries. Raises ``ValueError`` if the numbers differ."""
    sizes = list(open_sizes(node.meta["val"], places_of(_values(node))))
    entries = node.kwargs.get(SIZES, ())
    if type(entries) is not tuple or len(entries) != len(sizes):
        raise ValueError(f"{len(sizes)} sizes of its results are open, {SIZES} is {entries!r}")
    return list(zip(sizes, entries, strict=True))


def named(node: Node) -> dict[str, Any]:
    """The keyword arguments of a call that belong to the operator itself."""
    return own_of(node.kwargs)


def own_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a call without what a node declares of its results."""
    return {name: arg for name, arg in kwargs.items() if name not in DECLARING}


def _values(node: Node) -> list[Any]:
    return [value_of(leaf) for leaf in leaves_of((node.args, named(node)))]


def promised(node: Node) -> Iterator[Any]:
    """What the kernel of a node checks of the sizes that only the data know."""
    for size, entry in entries_of(node):
        if type(entry) is tuple:
            _require_entry(size, entry, set())
            low, high = (value_of(bound) for bound in entry)
            yield size >= low
            if high is not None:
                yield size <= high


class _Size(NamedTuple):
    """A declared size: a number, a size of one of the arguments, or an entry."""

    number: int | None = None
    place: tuple[int, int | None] | None = None
    entry: int | None = None


def uncaught(error: _Error) -> _Error:
    """The error, which says that an operator does not do what it declares, or that data do not fit:
    no handler of the program gets it, though it may wait for the class of the error.
    """
    error._uncaught = True  # type: ignore[attr-defined]
    return error


def is_uncaught(error: BaseException) -> bool:
    """Whether no handler gets the error: `uncaught` has made it so, or its class is such."""
    return hasattr(error, "_uncaught")


class Held:
    """The kernel of a node of a custom operator, which checks results against the node's
    declaration.

    Raises ``ValueError`` if the declaration is contradictory.
    """

    def __init__(self, node: Node) -> None:
        self.op: Any = node.target
        self.where = blamed(node.meta.get("stack_trace", ()))
        self.value = node.meta["val"]
        self.form = require_form(node.kwargs[FORM]) if FORM in node.kwargs else None
        places = places_of(_values(node))
        self._entries = {}
        taken = {name for place in places for name in getattr(place, "symbols", ())}
        for number, (size, entry) in enumerate(entries_of(node)):
            _require_entry(size, entry, taken)
            self._entries[expression_of(size)] = number
        self._places = places
        self.several = isinstance(self.value, (tuple, list))
        self.parts = [self._part(part) for part in parts_of(self.value)]
        self._require_count()

    def __call__(self, *args: Any, result_sizes: tuple[Any, ...] = (), result_form: Any = None, **kwargs: Any) -> Any:
        found = self.given(*self._computed(args, kwargs))
        self._hold(found, leaves_of((args, kwargs)), result_sizes)
        return found

    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """What the operator computes. Raises ``InputMismatch`` (E410) where it raises what it does
        not state.
        """
        try:
            return self.op.compute(args, kwargs)  # type: ignore[no-any-return]
        except Exception as error:
            what = self.op.unstated(error)
            if what is None or is_interrupt(error):
                raise
            raise self._contradicted(what, "Name in raises= what the operator raises for some data, each class by itself.") from error

    def given(self, results: Any, written: list[Any]) -> Any:
        """What the node gives. Raises ``InputMismatch`` (E410) if the results are in other
        containers than declared.
        """
        try:
            return flat(self.form, results, written)
        except Misarranged as error:
            raise self._contradicted(str(error), "Let the fake return the containers that the operator returns.") from None

    def _require_count(self) -> None:
        """The results that the form is of are all, but for the new values of arguments."""
        own = len(self.parts) if self.form is None else self.form.num_leaves
        if own > len(self.parts) or (own < len(self.parts) and not self.op.is_mutable):
            raise ValueError(f"{FORM} is of {own} results, {len(self.parts)} are declared")

    def _part(self, part: Any) -> tuple[Any, list[_Size]]:
        if isinstance(part, TensorMeta):
            return part, [self._size(size) for size in part.shape]
        kind = python_type(part)
        if kind not in (int, float, bool):
            raise ValueError(f"it gives {part!r}")
        return kind, [self._size(part)] if kind is int else []

    def _size(self, size: Any) -> _Size:
        expression = expression_of(size)
        if type(expression) is int:
            return _Size(number=expression)
        if expression in self._places:
            return _Size(place=self._places[expression])
        return _Size(entry=self._entries[expression])

    def _hold(self, result: Any, leaves: list[Any], entries: tuple[Any, ...]) -> None:
        """Raises ``InputMismatch`` (E410) if the results of a call are not as declared."""
        parts = parts_of(result)
        if self.several != isinstance(result, tuple) or len(parts) != len(self.parts):
            raise self._contradicted(f"gives {_shown(result)}, where {value_text(self.value)} is declared")
        found: dict[int, int] = {}
        for number, (part, (kind, sizes)) in enumerate(zip(parts, self.parts, strict=True)):
            if isinstance(part, np.ndarray) and type(part) is not np.ndarray:
                raise self._contradicted(self._differs(number, with_article(type(part).__name__), kind), _OF_CLASS)
            meta = described(part)
            if isinstance(kind, TensorMeta):
                same = isinstance(meta, TensorMeta) and (meta.dtype, meta.ndim, meta.scalar) == (kind.dtype, kind.ndim, kind.scalar)
            else:
                same = type(part) is kind
            if not same:
                raise self._contradicted(self._differs(number, _shown(part), kind))
            numbers = meta.shape if isinstance(meta, TensorMeta) else (part,) if sizes else ()
            for axis, (size, have) in enumerate(zip(sizes, numbers, strict=True)):
                problem = self._problem(size, have, leaves, entries, found)
                if problem:
                    at = f"axis {axis} is {have}" if isinstance(meta, TensorMeta) else f"it is {have}"
                    hint = _VARIES if size.number is not None or size.place is not None else None
                    raise self._contradicted(f"{self._differs(number, _shown(part), kind)}: {at}, {problem}", hint)

    def _problem(self, size: _Size, have: int, leaves: list[Any], entries: tuple[Any, ...], found: dict[int, int]) -> str:
        if size.entry is None:
            if size.place is None:
                need = size.number
            else:
                number, axis = size.place
                need = leaves[number] if axis is None else leaves[number].shape[axis]
            return "" if need == have else f"not {need}"
        entry = entries[size.entry]
        if not isinstance(entry, tuple):
            return "" if entry == have else f"not {entry}"
        low, high = entry
        if low > have or (high is not None and high < have):
            return f"not at least {low}" if low > have else f"not at most {high}"
        first = found.setdefault(size.entry, have)
        return "" if first == have else f"and was {first} before"

    def _differs(self, number: int, shown: str, kind: Any) -> str:
        which = f"result {number}" if self.several else "the result"
        return f"gives {shown} as {which}, where {value_text(kind) if isinstance(kind, TensorMeta) else kind.__name__} is declared"

    def _contradicted(self, what: str, hint: str | None = None) -> InputMismatch:
        return uncaught(InputMismatch("E410", f"`{self.op}` {what}", hint=hint, location=self.where))


_OF_CLASS = "Write a function that calls it and returns np.asarray(...) of the result, and make that the operator."
_VARIES = "Let the fake give the size, or number, that the operator gives: npexport.new_size() where only the data know it."


def _require_entry(size: Any, entry: Any, taken: set[str]) -> None:
    if type(entry) is tuple:
        expression = expression_of(size)
        if len(entry) != 2 or not getattr(expression, "is_symbol", False) or expression.symbols & taken or size.hint is not None:
            raise ValueError(f"the size {size_text(size)} is not a new one")
        if not _is_bound(entry[0]) or not (entry[1] is None or _is_bound(entry[1])):
            raise ValueError(f"the bounds of {size_text(size)} are {entry!r}")
    elif not _is_bound(entry) or (type(entry) is Node and expression_of(entry.meta["val"]) != expression_of(size)):
        raise ValueError(f"{entry!r} is not the size {size_text(size)}")


def _is_bound(entry: Any) -> bool:
    return is_size(value_of(entry))


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_shown, value))})"
    meta = described(value)
    if isinstance(meta, TensorMeta):
        return f"the {'NumPy scalar' if meta.scalar else 'array'} {value_text(meta)}"
    return with_article(type(value).__name__) if value is not None else "None"
