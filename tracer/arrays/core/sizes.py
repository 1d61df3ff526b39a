"""Sizes as nodes: every symbol has a source (an axis of a node), and every expression is arithmetic
of the ``sym`` namespace on those.
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.symshapes import expr as E
from npexport.symshapes.constructors import maximum, minimum
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_symbolic
from npexport.symshapes.wrapping import symbolic
from npexport.tracer.arrays.core.tables import Table
from npexport.tracer.arrays.memory.model import GraphBuilder, Placeholder
from npexport.tracer.diagnostics.hints import KNOWN_ON_ONE_SIDE

_OPERATORS = {
    "fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "truediv", "ffloordiv": "floordiv", "fmod": "mod", "fpow": "pow", "fneg": "neg",
    "fabs": "abs", "fmin": "min", "fmax": "max", "trunc": "int", "truth": "int", "flt": "lt", "fle": "le", "feq": "eq", "fne": "ne",
    "and": "and_", "or": "or_", "not": "not_", "left_shift": "lshift", "right_shift": "rshift", "bit_and": "and_",
    "bit_or": "or_", "bit_xor": "xor",
}  # fmt: skip
"""The operators of ``symshapes`` that have another name in ``ops.sym``."""
_EXTREMA = {"min": minimum, "max": maximum}


class Sizes:
    """``node(size)``: the node of a dynamic size, truth or float; equal expressions share nodes."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self._sources = Table()  # symbol -> (placeholder or node, axis, the axis's size)
        self._nodes = Table()
        self._truths = Table()  # nodes of truths of the data, by their symbols

    def declare(self, placeholder: Placeholder) -> None:
        """The sizes of an outside array are sources of their symbols."""
        self._learn(placeholder, placeholder.meta.shape)

    def learn(self, node: Node, meta: Any) -> None:
        """The sizes of a result that depends on data are sources of their symbols."""
        if isinstance(meta, TensorMeta):
            self._learn(node, meta.shape)
        elif isinstance(meta, (SymInt, SymFloat, SymBool)):
            self.bind(meta, node)
        for index, item in enumerate(meta if isinstance(meta, (tuple, list)) else ()):
            if isinstance(item, (SymInt, SymFloat, SymBool)):
                self.bind(item, self._call("item", node, index))
            if isinstance(item, TensorMeta) and any(type(size) is SymInt for size in item.shape):
                self._learn(self._call("item", node, index), item.shape)

    def bind(self, value: Any, node: Node) -> None:
        """A node that is itself a size (an integer input); the first of several is used."""
        self._nodes.setdefault(value.expression, node)
        if type(value) is SymInt and value.expression.is_symbol:
            (symbol,) = value.expression.terms
            self._nodes.setdefault(symbol, node)
        elif type(value) is SymBool:  # that a symbol of its own is not 0
            self._truths.update(dict.fromkeys(value.expression.symbols, node))

    def source(self, name: str) -> tuple[Node, int | None] | None:
        """The node that defines an unbacked symbol, and the axis, ``None`` for an element."""
        origin, axis, size = self._sources.get(name, (None, None, None))
        if isinstance(origin, Node) and size.expression.is_symbol:
            return origin, axis
        node: Any = self._truths.get(name) or self._nodes.get(next(iter(E.symbol(name).terms)))
        read = isinstance(node, Node) and any(isinstance(each.meta["val"], TensorMeta) for each in node.all_input_nodes)
        return (node, None) if read else None

    def knows(self, value: Any) -> bool:
        """Whether all that a size is computed from is known here, and not on a side only."""
        return not is_symbolic(value) or all(
            name in self._sources or name in self._truths or next(iter(E.symbol(name).terms)) in self._nodes
            for name in value.expression.symbols
        )

    def about_sizes(self, truth: SymBool) -> bool:
        """Whether a truth is about integers alone, which may be sizes."""
        symbols = truth.expression.symbols
        return symbols <= truth.env.symbols.keys() and symbols.isdisjoint(self._truths)

    def _learn(self, source: Any, shape: tuple[Any, ...]) -> None:
        for axis, size in enumerate(shape):
            if type(size) is not SymInt or not _is_linear(size.expression):
                continue
            (name,) = size.expression.symbols
            known = self._sources.get(name)
            if known is None or (size.expression.is_symbol and not known[2].expression.is_symbol):
                self._sources[name] = (source, axis, size)

    def node(self, value: Any) -> Any:
        """The node of a ``SymInt``, ``SymBool`` or ``SymFloat``."""
        return self._of(value.expression, value.env)

    def _of(self, value: Any, env: Any) -> Any:
        """The node of an expression; constants are themselves.

        Numbers of data are replaced by what is known of them here (``m`` is ``k`` on the side ``k
        == m`` of a branch): outside, where nodes are checked by their rules, nothing is known of
        that side.
        """
        if isinstance(value, (E.Expr, E.Bool)) and not value.symbols <= env.hints.keys():
            value = _known(value, env.facts)
        if isinstance(value, (int, float)):
            return value
        node = self._nodes.get(value)
        if node is None:
            node = self._build(value, env)
            if value.symbols <= env.hints.keys() or _stands(value, env.facts):
                self._nodes[value] = node
        return node

    def _build(self, value: Any, env: Any) -> Any:
        if isinstance(value, E.Expr):
            return self._sum(value, env)
        if isinstance(value, E.Bool):
            return self._truth(value, env)
        if value.op == "symbol":
            return self._symbol(value.args[0], env)
        if value.op == "const":
            return float(value.args[0])
        name, args = _OPERATORS.get(value.op, value.op), [self._of(arg, env) for arg in value.args]
        return self._chain(name, args) if len(args) > 2 or value.op == "mul" else self._call(name, *args)

    def _call(self, name: str, *args: Any) -> Any:
        """The node of an operation. A division by a number of data that is known not to be 0 only
        here is Python's, which needs no such knowledge.
        """
        divisor: Any = args[1].meta["val"] if name in _DIVISIONS and isinstance(args[1], Node) else 1
        may_be_0 = is_symbolic(divisor) and divisor.hint is None and known(divisor != 0) is not True
        node = self._builder.node(getattr(ops.py if may_be_0 else ops.sym, name), args)
        if name in _EXTREMA:
            self._declare_extremum(node, _EXTREMA[name], [value_of(arg) for arg in args])
        return node

    def _declare_extremum(self, node: Node, extremum: Any, sizes: list[Any]) -> None:
        """What is known of the sizes only here is not known to the rule of the node."""
        env = next((size.env for size in sizes if type(size) is SymInt), None)
        if env is not None and all(type(size) in (int, SymInt) for size in sizes):
            found = env.facts.replace(extremum(*[getattr(size, "expression", size) for size in sizes]))
            node.meta["val"] = symbolic(int, found, env) if found.terms else found.const

    def _chain(self, name: str, items: list[Any]) -> Any:
        result = items[0]
        for item in items[1:]:
            result = self._call(name, result, item)
        return result

    def _sum(self, value: E.Expr, env: Any) -> Any:
        result: Any = None
        for atom, coefficient in sorted(value.terms.items(), key=lambda term: term[0].order):
            node = self._of(atom, env)
            magnitude = node if abs(coefficient) == 1 else self._call("mul", node, abs(coefficient))
            if result is None:
                result = magnitude if coefficient > 0 else self._call("neg", magnitude)
            else:
                result = self._call("add" if coefficient > 0 else "sub", result, magnitude)
        if result is None:
            return value.const
        if value.const:
            result = self._call("add" if value.const > 0 else "sub", result, abs(value.const))
        return result

    def _truth(self, value: E.Bool, env: Any) -> Any:
        if value.op == "const":
            return bool(value.args[0])
        negation = self._nodes.get(E.negation(value))
        if negation is not None:
            return self._call("not_", negation)
        args = [self._of(arg, env) for arg in value.args]
        if value.op in ("ge", "eq", "ne"):
            return self._call(value.op, args[0], 0)
        return self._chain(_OPERATORS[value.op], args) if len(args) > 1 else self._call(_OPERATORS[value.op], *args)

    def _symbol(self, name: str, env: Any) -> Any:
        if name in self._truths:
            return self._call("int", self._truths[name])
        source = self._sources.get(name)
        if source is None:
            told = env.names.get(name, "a number that depends on data")
            raise Unsupported("E103", f"{told} {KNOWN_ON_ONE_SIDE}, and is needed outside of it")
        origin, axis, size = source
        node = origin if isinstance(origin, Node) else self._builder.use(origin)
        result = self._call("size", node, axis)
        if size.expression.is_symbol:
            return result
        ((_, coefficient),) = size.expression.terms.items()
        if size.expression.const:
            result = self._call("sub" if size.expression.const > 0 else "add", result, abs(size.expression.const))
        return result if coefficient == 1 else self._call("floordiv", result, coefficient)


def _known(value: Any, facts: Any) -> Any:
    """The value of an expression or a truth where these facts hold."""
    if isinstance(value, E.Bool):
        answer = facts.decide(value)
        return value if answer is None else answer
    value = facts.replace(value)
    return value if value.terms else value.const


def _stands(value: Any, facts: Any) -> bool:
    """Whether what is known here changes no operand of an expression.

    Otherwise its node is right only where this is known, even if it is a node from outside.
    """
    if isinstance(value, E.Expr):
        return bool(facts.replace(value) == value)
    if isinstance(value, E.Bool) and facts.decide(value) is not None:
        return False
    return all(_stands(arg, facts) for arg in getattr(value, "args", ()))


_DIVISIONS = frozenset({"floordiv", "mod", "truediv"})


def _is_linear(value: E.Expr) -> bool:
    """Whether a size ``A*n + B`` determines ``n``."""
    return len(value.terms) == 1 and next(iter(value.terms)).op == "symbol"
