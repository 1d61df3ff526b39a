"""Operators applied to arguments: atoms of integer expressions, truths and floats. Equal nodes are one object.

:mod:`npexport.symshapes.expr` holds the laws and the simplifying constructors.
"""

from __future__ import annotations

from sys import getrefcount
from threading import Lock
from typing import Any


class Node:
    """An operator applied to arguments; the common part of :class:`Atom`, :class:`Bool` and :class:`Float`."""

    __slots__ = ("__weakref__", "_text", "args", "depth", "op", "symbols", "weight")
    op: str
    args: tuple[Any, ...]
    symbols: frozenset[str]
    """The names of the symbols that occur."""
    weight: int
    depth: int
    """How many operators there are, written out."""

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


class Interned(dict[Any, Any]):
    """Objects by what they are made of, so that each exists once. When the table has doubled, what nobody else holds is dropped.

    Finding is lock-free. New objects enter, and unused ones leave, under one lock: whoever misses an object that is just being looked
    at waits and
    then finds it again.
    """

    limit = 20_000

    def keep(self, key: Any, value: Any) -> Any:
        """Enter a new object; the one that is there already, if another thread was faster."""
        with _LOCK:
            found = self.get(key)
            if found is not None:
                return found
            self[key] = value
            if len(self) > self.limit:
                for table in _TABLES:
                    table.drop()
                self.limit = max(Interned.limit, 2 * len(self))
        return value

    def drop(self) -> None:
        """Take every object out and put back those that are held elsewhere."""
        for key in list(self):
            value = self.pop(key)
            if getrefcount(value) > _HELD_HERE:
                self[key] = value


def _references_here() -> int:
    table: dict[int, object] = {0: object()}
    value = table.pop(0)
    return getrefcount(value)


_LOCK = Lock()
_HELD_HERE = _references_here()
_TABLES: list[Interned] = []


def interned() -> Interned:
    """A new table. Expressions are dropped before the nodes in them."""
    table = Interned()
    _TABLES.insert(0, table)
    return table


_nodes = interned()


def make_node(cls: type[Any], op: str, args: tuple[Any, ...]) -> Any:
    """The one node of this class, operator and arguments."""
    key = (cls, op, args)
    found = _nodes.get(key)
    if found is not None:
        return found
    node = object.__new__(cls)
    node.op = op
    node.args = args
    node.weight = node.depth = int(op not in ("symbol", "const"))
    found = [frozenset(args)] if op == "symbol" else []
    for arg in args:
        symbols = getattr(arg, "symbols", None)
        if symbols is not None:
            found.append(symbols)
            node.weight += arg.weight
            node.depth = max(node.depth, arg.depth + 1)
    node.symbols = found[0] if len(found) == 1 else frozenset().union(*found)
    return _nodes.keep(key, node)
