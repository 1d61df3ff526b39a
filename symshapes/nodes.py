"""Operators applied to arguments: atoms of integer expressions, truths and floats. Equal nodes are
one object.

:mod:`npexport.symshapes.expr` and :mod:`npexport.symshapes.truths` hold the laws and the
simplifying constructors.
"""

from __future__ import annotations

from functools import lru_cache
from sys import getrefcount
from typing import Any

from npexport.symshapes.effort import spend
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.printing import text

remember = lru_cache(maxsize=4096)
"""The cache of functions that are called again and again while a program is traced."""


class Term(Immutable):
    """What sums and nodes share: each exists once, is never changed, prints itself and has a place
    in the canonical order.
    """

    __slots__ = ("__weakref__", "_order", "_text")

    @property
    def order(self) -> tuple[Any, ...]:
        """The place in the canonical order, which depends on structure alone, never on text."""
        try:
            return self._order
        except AttributeError:
            self._order: tuple[Any, ...] = self._place()
            return self._order

    def _place(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            self._text: str = text(self)
            return self._text

    __repr__ = __str__


_SUM, _ATOM, _NODE, _PLAIN = range(4)
"""The kinds of arguments: each place in the canonical order begins with its kind, so that any two
can be compared."""


def place_of_sum(terms: list[tuple[Atom, int]], const: int) -> tuple[Any, ...]:
    """The place of a sum of terms, which stand in canonical order: ``s0`` before ``-s0``, so that
    ``s0 >= 2`` stands before ``s0 <= 8``.
    """
    return (_SUM, tuple([(atom.order, -c) for atom, c in terms]), abs(const), const)


def _place_of(arg: Any) -> tuple[Any, ...]:
    return arg.order if isinstance(arg, Term) else (_PLAIN, type(arg).__name__, arg)


class Node(Term):
    """An operator applied to arguments: an :class:`Atom`, a :class:`Bool` or a :class:`Float`.

    ``symbols``: the names of the symbols that occur; ``weight``: the number of operators, shared
    subterms counted each time; ``depth``: how deep operators are nested.
    """

    __slots__ = ("args", "depth", "op", "symbols", "weight")
    op: str
    args: tuple[Any, ...]
    symbols: frozenset[str]
    weight: int
    depth: int

    def __reduce__(self) -> Any:
        return make_node, (type(self), self.op, self.args)

    def _place(self) -> tuple[Any, ...]:
        """Lighter nodes first, then by what they are about, then by operator."""
        return (_NODE, self.weight, tuple(map(_place_of, self.args)), self.op)


class Atom(Node):
    """An integer that is not a sum: a symbol (``op == "symbol"``, ``args == (name,)``), a product
    of atoms, or another operator.
    """

    __slots__ = ()

    def _place(self) -> tuple[Any, ...]:
        """Higher degrees first, then symbols by name and number, then other operators by name and
        arguments.
        """
        if self.op == "symbol":
            name = self.args[0]
            head = name.rstrip("0123456789")
            return (_ATOM, -1, 0, head, int(name[len(head) :] or -1), name)
        degree = len(self.args) if self.op == "mul" else 1
        return (_ATOM, -degree, 1, self.op, 0, "", *map(_place_of, self.args))


class Float(Node):
    """A float computed from sizes by Python's own operations; arguments are floats, expressions and
    ``Float``.
    """

    __slots__ = ()


class Interned(dict[Any, Any]):
    """Objects by what they are made of, so that each exists once. When the table has doubled, what
    nobody else holds is dropped.

    There is no lock: whatever interrupts this, a finaliser or a signal handler too, may need
    objects of the same table.
    """

    limit = 20_000

    def keep(self, key: Any, value: Any) -> Any:
        """Enter a new object; the one that is there already, if another was faster."""
        spend(4 + len(key[-1]))
        value = self.setdefault(key, value)
        if len(self) > self.limit:
            for table in _TABLES:
                table.drop()
            self.limit = max(Interned.limit, 2 * len(self))
        return value

    def drop(self) -> None:
        """Take out what nobody else holds. What was asked for just then is put back."""
        for key, value in list(self.items()):
            if getrefcount(value) <= _HELD_BY_TABLE:
                self.pop(key, None)
                if getrefcount(value) >= _HELD_BY_TABLE:
                    self.setdefault(key, value)


def _references_here() -> int:
    table: dict[int, object] = {0: object()}
    for _, value in list(table.items()):
        return getrefcount(value)
    raise AssertionError


_HELD_BY_TABLE = _references_here()
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
