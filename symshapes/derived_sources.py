"""Sizes that no input carries: the ``k`` of an input whose size is ``4*k``. What is said of them is
told in terms of the input's size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.printing import text

_PLACE = "_place_of_"
_BUILD: dict[str, Callable[[E.Expr], E.Bool]] = {"ge": E.ge0, "eq": E.eq0, "ne": E.ne0}


class DerivedSource(str):
    """The name of a symbol ``k``, where the size that the user calls ``place`` is ``a*k + b``; as
    text, what ``k`` is of it.

    >>> DerivedSource("x.shape[0]", 4, 0)
    'x.shape[0]//4'
    """

    __slots__ = ("a", "b", "place")
    place: str
    a: int
    b: int

    def __new__(cls, place: str, a: int, b: int) -> DerivedSource:
        new = super().__new__(cls, text(_quotient(E.symbol("_place"), a, b), {"_place": place}))
        new.place, new.a, new.b = place, a, b
        return new

    def of(self, size: E.Expr) -> E.Expr:
        """What ``k`` is where the place has this size."""
        return _quotient(size, self.a, self.b)

    def __reduce__(self) -> Any:
        return DerivedSource, (self.place, self.a, self.b)


def _quotient(size: E.Expr, a: int, b: int) -> E.Expr:
    return (size - b) // a if a > 0 else (b - size) // -a


def example(names: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """What the user calls each symbol, with its value: of a quotient, the size that it is
    determined by.

    >>> example({"s0": DerivedSource("x.shape[0]", 4, 0)}, {"s0": 3})
    {'x.shape[0]': 12}
    """
    found: dict[str, Any] = {}
    for symbol, value in values.items():
        name = names.get(symbol, symbol)
        if isinstance(name, DerivedSource):
            found[name.place] = name.a * value + name.b
        else:
            found[name] = value
    return found


def source_text(value: Any, names: Mapping[str, str]) -> str:
    """The text of an expression or truth in the user's terms.

    >>> source_text(E.eq(E.symbol("s0") % 2, 1), {"s0": DerivedSource("x.shape[0]", 4, 0)})
    'x.shape[0] % 8 == 4'
    """
    return text(*restated(value, names))


def restated(value: Any, names: Mapping[str, str]) -> tuple[Any, Mapping[str, str]]:
    """``value`` in terms of the sizes that determine derived sources, if that needs no division."""
    for symbol in sorted(value.symbols if hasattr(value, "symbols") else ()):
        name = names.get(symbol)
        if isinstance(name, DerivedSource):
            names = {**names, _PLACE + symbol: name.place}
            value = _restated(value, symbol, name)
    return value, names


def _restated(value: Any, symbol: str, name: DerivedSource) -> Any:
    if isinstance(value, E.Expr):
        return _scaled(value, symbol, name, 1) or value
    if value.op in ("and", "or"):
        join = E.conjunction if value.op == "and" else E.disjunction
        return join([_restated(part, symbol, name) for part in value.args])
    if value.op not in _BUILD:
        return value
    e, a = value.args[0], abs(name.a)
    build = _BUILD[value.op]
    own = E.symbol(symbol).atom
    rest = [atom for atom in e.terms if symbol in atom.symbols and atom is not own]
    if not rest:
        scaled = _scaled(e, symbol, name, a // math.gcd(a, e.terms.get(own, 0)))
        return value if scaled is None else build(scaled)
    if len(e.terms) == 1 and rest[0].op == "mod" and rest[0].args[1].is_const:
        numerator = _scaled(rest[0].args[0], symbol, name, a)
        if numerator is not None:
            return build(e.terms[rest[0]] * E.mod(numerator, a * rest[0].args[1].const) + a * e.const)
    return value


def _scaled(e: E.Expr, symbol: str, name: DerivedSource, factor: int) -> E.Expr | None:
    """``factor * e`` with the size in place of the symbol; ``None`` if the symbol appears otherwise
    than in multiples of ``a``.
    """
    e = factor * e
    own = E.symbol(symbol).atom
    c = e.terms.get(own, 0) if own is not None else 0
    if c % name.a or any(symbol in atom.symbols for atom in e.terms if atom is not own):
        return None
    found: E.Expr = e - c * E.symbol(symbol) + c // name.a * (E.symbol(_PLACE + symbol) - name.b)
    return found
