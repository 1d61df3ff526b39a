"""The vocabulary of ``rows=`` in records: where the rows of a dim are in an array, and why they may
be coupled.

A *row* along a dim of size ``n`` is one of the ``n`` equal parts of an array whose axis has the
size ``each * n``. An operator *couples* rows if a row of a result depends on other rows than the
same ones of its operands, or on how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.symshapes.expr import Expr, exact_quotient, integer, symbol
from npexport.symshapes.wrapping import as_expr


class Rows(NamedTuple):
    """The rows are along ``axis``, each as ``each`` consecutive elements.

    ``numbers``: the elements are the numbers of the rows, so that only an index may take them.
    """

    axis: int
    each: Expr = integer(1)
    numbers: bool = False


class Number:
    """The state of a number, or of an array, that depends on the size of the dim."""


NUMBER = Number()
State = Any
"""``None``: every part of the program has the same value; `Rows`; `NUMBER`; of several results a
list."""


class Coupled(Exception):
    """An operator couples rows, or is not known to keep them apart; the text says how."""


def symbols_of(value: Any) -> frozenset[str]:
    """The symbols of a size, of a number of Python that only the data know, or of a shape."""
    if isinstance(value, TensorMeta):
        return frozenset().union(*map(symbols_of, value.shape))
    return getattr(getattr(value, "expression", None), "symbols", frozenset())


def standing(value: Any, name: str) -> Rows | None:
    """Where the rows of the dim ``name`` stand in an array of this meta, by its shape.

    Raises `Coupled` where a size is not a multiple of the dim's, or several are.
    """
    found = [axis for axis, size in enumerate(value.shape) if name in symbols_of(size)]
    if not found:
        return None
    if len(found) > 1:
        raise Coupled("several axes have the size of the dim")
    each = times(value.shape[found[0]], name)
    if each is None:
        raise Coupled(f"the size {value.shape[found[0]]} of axis {found[0]} is not a multiple of the dim's")
    return Rows(found[0], each)


def times(size: Any, name: str) -> Expr | None:
    """``each`` where the size is ``each * n`` and ``each`` does not depend on ``n``."""
    expression = as_expr(size)
    each = None if expression is None else exact_quotient(expression, symbol(name))
    return None if each is None or name in each.symbols else each


def product(sizes: Iterable[Any]) -> Expr:
    """The product of sizes as an expression."""
    return math.prod([as_expr(size) or integer(0) for size in sizes], start=integer(1))


class RowCall:
    """One call of an operator, as its ``rows=`` is asked about it.

    Arguments are by name, ``call["axis"]``, defaults included.

    Parameters
    ----------
    node : Node
        The call.
    name : str
        The symbol of the dim.
    states : mapping of Node to state
        What is known of the operands.
    inner : callable
        Of (sub-graph, states of its placeholders), the states of its outputs.
    """

    def __init__(self, node: Node, name: str, states: dict[Node, State], inner: Callable[[Any, list[State]], list[State]]) -> None:
        self.node = node
        self.name = name
        self.states = states
        self.inner = inner
        bound = node.target.signature.bind(*node.args, **node.kwargs)  # type: ignore[union-attr]
        bound.apply_defaults()
        self.arguments = bound.arguments
        self.rounds = False

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    @property
    def meta(self) -> Any:
        """The meta of the result."""
        return self.node.meta["val"]

    def state(self, arg: Any) -> State:
        """The state of an argument; of a container, none may depend on rows."""
        if type(arg) is Node:
            return self.states[arg]
        self.same(arg)
        return None

    def rows(self, arg: Any, numbers: bool = False) -> Rows | None:
        """Where the rows of an array stand, ``None`` where it does not depend on them.

        Raises `Coupled` for what depends on the size of the dim, or, unless ``numbers``, is made
        of the numbers of the rows.
        """
        state = self.state(arg)
        if state is NUMBER:
            raise Coupled("it takes the size of the dim as a number")
        if isinstance(state, list):
            raise Coupled("it takes several results at once")
        if state is not None and state.numbers and not numbers:
            raise Coupled("it takes the numbers of the rows")
        return state  # type: ignore[no-any-return]

    def same(self, *args: Any) -> None:
        """Raises `Coupled` unless these arguments are the same whatever the rows are."""
        for leaf in leaves_of(args):
            state = self.states[leaf] if type(leaf) is Node else None
            if state is NUMBER:
                raise Coupled("it takes the size of the dim as a number")
            if state is not None:
                raise Coupled(f"its argument {leaf.name} holds rows")

    def only(self, *names: str) -> None:
        """Raises `Coupled` unless all other arguments are the same whatever the rows are."""
        self.same(*[value for name, value in self.arguments.items() if name not in names])

    def standing(self) -> Rows | None:
        """Where rows stand in the result, by its shape."""
        return standing(self.meta, self.name)

    def ndim(self, arg: Any) -> int:
        """How many axes an operand has."""
        value = value_of(arg)
        return len(value.shape) if isinstance(value, TensorMeta) else np.ndim(value)

    def shape(self, arg: Any) -> tuple[Any, ...]:
        """The shape of an operand."""
        value = value_of(arg)
        return tuple(value.shape) if isinstance(value, TensorMeta) else np.shape(value)

    def rounded(self) -> None:
        """State that another number of rows may round otherwise: of floats, sums are reordered."""
        metas = self.meta if isinstance(self.meta, (tuple, list)) else (self.meta,)
        if any(isinstance(meta, TensorMeta) and meta.dtype.kind in "fc" for meta in metas):
            self.rounds = True

    def results(self, rows: Rows | None) -> State:
        """The state of the result, or of each of several: rows stand alike in all."""
        return [rows] * len(self.meta) if isinstance(self.meta, (tuple, list)) else rows
