"""Expressions as Python text: ``s0 + 1``, ``2*s0``, ``s0//2``, ``s0 % 4 == 0``, ``max(s0, 3)``.
:mod:`npexport.symshapes.parsing` is the inverse.

The text is Python: with ``isqrt``, ``gcd``, ``round_div`` and the functions of ``math`` in scope it
computes what the expression means. The printer reads the structure of expressions and makes none:
what has ``terms`` is a sum, what has ``op`` is an operator applied to ``args``, and all else is a
plain value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, POWER, ATOM = range(13)
_INFIX = {
    "floordiv": ("//", PRODUCT), "mod": (" % ", PRODUCT), "bit_and": (" & ", BITAND), "bit_or": (" | ", BITOR), "bit_xor": (" ^ ", BITXOR),
    "left_shift": (" << ", SHIFT), "right_shift": (" >> ", SHIFT), "fadd": (" + ", SUM), "fsub": (" - ", SUM), "fmul": ("*", PRODUCT),
    "fdiv": ("/", PRODUCT), "ffloordiv": ("//", PRODUCT), "fmod": (" % ", PRODUCT),
    "flt": (" < ", COMPARE), "fle": (" <= ", COMPARE), "feq": (" == ", COMPARE), "fne": (" != ", COMPARE),
}  # fmt: skip
FUNCTION_NAMES = {"fmin": "min", "fmax": "max", "ndigits": "round", "truth": "int"}
_Text = tuple[str, int]
_Terms = list[tuple[Any, int]]
"""Atoms with their coefficients, in canonical order."""


def text(value: Any, names: Mapping[str, str] | None = None) -> str:
    """The text of an expression or truth; ``names`` gives the text of symbols (``{"s0":
    "x.shape[0]"}``).

    >>> from npexport.symshapes import expr as E
    >>> n = E.symbol("s0")
    >>> text(E.eq(n % 4, 0), {"s0": "x.shape[0]"})
    'x.shape[0] % 4 == 0'
    """
    return _Printer((names or {}).get).show(value)[0]


class _Printer:
    def __init__(self, name: Callable[[str], str | None]) -> None:
        self.name = name

    def show(self, value: Any) -> _Text:
        """The text and its precedence."""
        if hasattr(value, "terms"):
            return self.sum(value.ordered, value.const)
        if not hasattr(value, "op"):
            return repr(value), ATOM
        method = getattr(self, f"show_{value.op}", None)
        if method is not None:
            shown: _Text = method(*value.args)
            return shown
        if value.op in _INFIX:
            sign, level = _INFIX[value.op]
            left = self.inside(value.args[0], level if level != COMPARE else SUM)
            return left + sign + self.inside(value.args[1], level + 1), level
        return f"{FUNCTION_NAMES.get(value.op, value.op)}({', '.join(self.show(arg)[0] for arg in value.args)})", ATOM

    def inside(self, value: Any, level: int) -> str:
        """The text, in parentheses if it binds less than ``level``."""
        shown, own = self.show(value)
        return shown if own >= level else f"({shown})"

    def sum(self, terms: _Terms, const: int) -> _Text:
        parts = list(terms)
        if const or not parts:
            parts.append((None, const))
        first = next((i for i, (_, c) in enumerate(parts) if c > 0), 0)
        parts.insert(0, parts.pop(first))
        atom, c = parts[0]
        if len(parts) == 1 and c == 1 and atom is not None:
            return self.show(atom)
        shown, level = self.term(atom, c)
        if c < 0:
            tight = level > PRODUCT or abs(c) > 1 or (atom is not None and atom.op == "mul")
            shown, level = f"-{shown if tight else f'({shown})'}", UNARY
        for atom, c in parts[1:]:
            shown, level = f"{shown} {'-' if c < 0 else '+'} {self.term(atom, c)[0]}", SUM
        return shown, level

    def term(self, atom: Any, c: int) -> _Text:
        """``abs(c) * atom``."""
        if atom is None:
            return str(abs(c)), ATOM
        shown, level = self.show(atom)
        if abs(c) == 1:
            return (shown, level) if level >= PRODUCT else (f"({shown})", ATOM)
        return f"{abs(c)}*{shown if level > PRODUCT or atom.op == 'mul' else f'({shown})'}", PRODUCT

    def show_symbol(self, name: str) -> _Text:
        known = self.name(name)
        if known is None:
            return name, ATOM
        return known, ATOM if known.replace(".", "").replace("[", "").replace("]", "").replace("'", "").isidentifier() else SUM

    def show_const(self, value: Any) -> _Text:
        if value in (True, False):
            return str(value), ATOM
        return (f"float('{value}')", ATOM) if value.lstrip("-") in ("inf", "nan") else (value, UNARY if value.startswith("-") else ATOM)

    def show_max(self, *args: Any) -> _Text:
        if len(args) == 2 and _are_opposite(*args):
            shown = min((self.show(arg)[0] for arg in args), key=lambda text: (text.startswith("-"), text))
            return f"abs({shown})", ATOM
        return f"max({', '.join(self.show(arg)[0] for arg in args)})", ATOM

    def show_mul(self, *factors: Any) -> _Text:
        shown: list[str] = []
        for factor in dict.fromkeys(factors):
            count = factors.count(factor)
            shown.append(f"{self.inside(factor, ATOM)}**{count}" if count > 1 else self.inside(factor, UNARY))
        return "*".join(shown), POWER if len(shown) == 1 else PRODUCT

    def show_pow(self, base: Any, exponent: Any) -> _Text:
        return f"{self.inside(base, ATOM)}**{self.inside(exponent, UNARY)}", POWER

    def show_fpow(self, base: Any, exponent: Any) -> _Text:
        if all(hasattr(each, "terms") or isinstance(each, int) for each in (base, exponent)):
            return f"pow({self.show(base)[0]}, {self.show(exponent)[0]})", ATOM  # ``**`` of two integers reads as an integer
        return self.show_pow(base, exponent)

    def show_fneg(self, value: Any) -> _Text:
        return f"-{self.inside(value, UNARY)}", UNARY

    def show_and(self, *parts: Any) -> _Text:
        return " and ".join(self.inside(part, AND + 1) for part in parts), AND

    def show_or(self, *parts: Any) -> _Text:
        return " or ".join(self.inside(part, OR + 1) for part in parts), OR

    def show_not(self, part: Any) -> _Text:
        return f"not {self.inside(part, NOT)}", NOT

    def show_ge(self, e: Any) -> _Text:
        left, right, c = _sides(e)
        if not right:
            return self.relation(left, 0, ">=", [], -c)
        if not left:
            return self.relation(right, 0, "<=", [], c)
        if c == -1:
            return self.relation(left, 0, ">", right, 0)
        return self.relation(right, 0, "<=", left, c) if c > 0 else self.relation(left, 0, ">=", right, -c)

    def show_eq(self, e: Any) -> _Text:
        return self.equality(e, "==")

    def show_ne(self, e: Any) -> _Text:
        return self.equality(e, "!=")

    def equality(self, e: Any, sign: str) -> _Text:
        left, right, c = _sides(e)
        if c > 0 and right:
            return self.relation(right, 0, sign, left, c)
        return self.relation(left, 0, sign, right, -c)

    def relation(self, left: _Terms, left_const: int, sign: str, right: _Terms, right_const: int) -> _Text:
        sides = self.sum(left, left_const), self.sum(right, right_const)
        shown, other = [side if level >= SUM else f"({side})" for side, level in sides]
        return f"{shown} {sign} {other}", COMPARE


def _are_opposite(a: Any, b: Any) -> bool:
    return bool(a.const == -b.const and a.terms == {atom: -c for atom, c in b.terms.items()})


def _sides(e: Any) -> tuple[_Terms, _Terms, int]:
    """``e`` as ``left - right + const`` with positive coefficients on both sides."""
    terms = e.ordered
    return [(atom, c) for atom, c in terms if c > 0], [(atom, -c) for atom, c in terms if c < 0], e.const
