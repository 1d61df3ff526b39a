"""Operators applied to arguments: atoms of integer expressions, truths and floats. Equal nodes are one object.

:mod:`npexport.symshapes.expr` holds the laws and the simplifying constructors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref


class Node:
    """An operator applied to arguments; the common part of :class:`Atom`, :class:`Bool` and :class:`Float`."""

    __slots__ = ("__weakref__", "_text", "args", "op", "symbols")
    op: str
    args: tuple[Any, ...]
    symbols: frozenset[str]
    """The names of the symbols that occur."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        from npexport.symshapes.parsing import restore

        return restore, (str(self), type(self).__name__)

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            from npexport.symshapes.printing import text

            self._text: str = text(self)
            return self._text

    __repr__ = __str__


class Atom(Node):
    """An integer that is no sum: a symbol (``op == "symbol"``, ``args == (name,)``), a product of atoms, or another operator."""

    __slots__ = ("_order",)

    @property
    def order(self) -> tuple[Any, ...]:
        """The place of this atom in printed sums: higher degrees first, then symbols by number, then other operators by text."""
        try:
            return self._order
        except AttributeError:
            if self.op == "symbol":
                name = self.args[0]
                head = name.rstrip("0123456789")
                key = (0, head, int(name[len(head) :] or -1), "")
            else:
                key = (1, "", 0, str(self))
            self._order: tuple[Any, ...] = (-len(self.args) if self.op == "mul" else -1, key)
            return self._order


class Bool(Node):
    """A truth over sizes: ``const``, ``ge``/``eq``/``ne`` (an expression against 0), ``flt``/``fle``/``feq``/``fne`` (floats), ``and``,
    ``or``, ``not``.
    """

    __slots__ = ()

    def __and__(self, other: Bool) -> Bool:
        from npexport.symshapes.expr import conjunction

        return conjunction((self, other))

    def __or__(self, other: Bool) -> Bool:
        from npexport.symshapes.expr import disjunction

        return disjunction((self, other))

    def __invert__(self) -> Bool:
        from npexport.symshapes.expr import negation

        return negation(self)


class Float(Node):
    """A float computed from sizes by Python's own operations; arguments are floats, expressions and ``Float``."""

    __slots__ = ()


def symbols_of(parts: Iterable[Any]) -> frozenset[str]:
    found = [part.symbols for part in parts if hasattr(part, "symbols") and part.symbols]
    return found[0] if len(found) == 1 else frozenset().union(*found)


_nodes: dict[tuple[Any, ...], ref[Any]] = {}


def make_node(cls: type[Any], op: str, args: tuple[Any, ...]) -> Any:
    """The one node of this class, operator and arguments."""
    key = (cls, op, args)
    known = _nodes.get(key)
    if known is not None:
        found = known()
        if found is not None:
            return found
    node = object.__new__(cls)
    node.op = op
    node.args = args
    node.symbols = frozenset(args) if op == "symbol" else symbols_of(args)

    def forget(dead: ref[Any], key: tuple[Any, ...] = key) -> None:
        if _nodes.get(key) is dead:
            del _nodes[key]

    _nodes[key] = ref(node, forget)
    return node
