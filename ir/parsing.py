"""Text to graphs: the inverse of :mod:`npexport.ir.printing`.

Python's parser gives a tree, tables give it meaning; nothing is executed.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.error_states import state_of_text
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, GraphModule, Node, map_nodes
from npexport.ir.laws import REFUSES
from npexport.ir.meta import TensorMeta, parse_dtype
from npexport.ir.op import REGISTRY, Op
from npexport.ir.ops.fresh import fresh_numbers, makers_of
from npexport.ir.printing import SCALAR
from npexport.ir.pytree import find_exception, find_member
from npexport.ir.statics import TYPES, remade
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Unsupported, UserError

_ARRAY = re.compile(r"(.+)\[([^\[\]]*)\]")


def parse_graph(text: str, env: Any = None) -> Graph:
    """The graph that ``graph_module.code`` shows; source lines, which stand in comments, are left
    out.

    ``env``: the ``ShapeEnv`` of its symbols, for graphs of dynamic sizes; without it nothing is
    known of them. Raises ``UserError`` (E201) for what is not a graph.

    >>> import npexport.ir.ops
    >>> print(parse_graph('def forward(self, x: "f32[3]"):\\n    sin: "f32[3]" = ops.np.sin(x)\\n    return (sin,)\\n').nodes)
    [x, sin, output]
    """
    try:
        return _Reader(env or ShapeEnv()).graph(*ast.parse(text).body)
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(
            "E201", f"the text is not a graph: {type(error).__name__}: {error}", hint="Pass the text of graph_module.code."
        ) from error


class _Reader:
    """The nodes by name as they are read."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.nodes: dict[str, Any] = {}

    def graph(self, function: Any, *parts: Any) -> Graph:
        """The graph of a function; ``parts``: the classes below it, one a sub-graph."""
        graph = Graph()
        for part in parts:
            self.nodes[part.name] = GraphModule(_Reader(self.env).graph(*part.body), part.name)
        for argument in function.args.args[1:]:
            meta = {"val": self.value(_text(argument.annotation))}
            self.nodes[argument.arg] = graph.append(Node(argument.arg, PLACEHOLDER, argument.arg, (), {}, meta))
        *statements, last = function.body
        for statement in statements:
            self.statement(graph, statement, {})
        graph.append(Node("output", OUTPUT, "output", (self.arg(last.value),), {}, {}))
        return graph

    def statement(self, graph: Graph, statement: Any, meta: dict[str, Any]) -> None:
        """A call, or ``with np.errstate(…), warnings.catch_warnings(…):`` over calls."""
        if type(statement) is ast.With:
            managers = ", ".join([ast.unparse(item.context_expr) for item in statement.items])
            state = state_of_text(managers)
            if state is None:
                raise ValueError(f"{managers} is not an error state")
            for each in statement.body:
                self.statement(graph, each, {"errors": state})
            return
        node = self.nodes[statement.target.id] = graph.append(self.call(statement))
        node.meta.update(meta)

    def call(self, statement: Any) -> Node:
        """``name: "value" = ops.namespace.operator(arguments)``."""
        call = statement.value
        (root, namespace, name) = _dotted(call.func)
        op = REGISTRY.get(f"{namespace}.{name}")
        if root != "ops" or op is None:
            raise ValueError(f"there is no operator {namespace}.{name}")
        args = tuple([self.arg(arg) for arg in call.args])
        kwargs = {keyword.arg: self.arg(keyword.value) for keyword in call.keywords}
        value = self.value(_text(statement.annotation))
        metas, named = map_nodes((args, kwargs), lambda node: node.meta["val"])
        if "data_dependent_shape" not in op.traits and op.holds is None:
            value = _as_scalars(value, self.derived(op, metas, named))
        return Node(statement.target.id, CALL, op, args, kwargs, {"val": value})

    def derived(self, op: Op, metas: Any, named: Any) -> Any:
        """What the operator's rule says, if it does without what was known where the program was
        traced; sizes that only the data know are those of the text.
        """
        try:
            with self.env.speculative(), fresh_numbers(*makers_of(self.env)):
                return op.rule(*metas, **named)
        except Unsupported as error:
            if error.code in REFUSES:
                raise ValueError(error.message) from error
            return None

    def value(self, text: str) -> Any:
        """A node's value: the inverse of ``value_text``."""
        if text.startswith("("):
            return tuple([self.value(part) for part in _split(text[1:-1])])
        if text.startswith("Sym("):
            return self.size(text[4:-1])
        found = _ARRAY.fullmatch(text.removesuffix(SCALAR))
        if found is None or text.startswith(("'", '"', "b'", 'b"')):
            return self.arg(ast.parse(text, mode="eval").body)
        shape = tuple([self.size(part) for part in _split(found[2])])
        return TensorMeta(shape, parse_dtype(found[1]), text.endswith(SCALAR))

    def size(self, text: str) -> Any:
        from npexport.symshapes import expr as E
        from npexport.symshapes.parsing import parse
        from npexport.symshapes.symint import SymBool, SymFloat, SymInt

        size = parse(text)
        self.env.admit(size.symbols)
        if isinstance(size, E.Expr):
            return SymInt(size, self.env) if size.symbols else size.const
        return (SymBool if isinstance(size, E.Bool) else SymFloat)(size, self.env)

    def arg(self, tree: Any) -> Any:
        """An argument: the inverse of ``arg_text``."""
        read = _ARGS.get(type(tree))
        if read is None:
            raise ValueError(f"{ast.unparse(tree)} is not an argument")
        return read(self, tree)

    def constructor(self, tree: ast.Call) -> Any:
        """``slice(…)``, ``float('inf')``, ``complex(…)``, ``frozenset(…)``,
        ``np.dtype(…)``, ``exception(…)``, ``member(…)``, ``type(…)``, NumPy's scalars and what
        ``statics`` makes.
        """
        path = _dotted(tree.func)
        args = [self.arg(arg) for arg in tree.args]
        named = {str(keyword.arg): self.arg(keyword.value) for keyword in tree.keywords}
        if len(path) == 1:
            return _CONSTRUCTORS[path[0]](*args, **named) if path[0] in _CONSTRUCTORS else remade(path[0], args)
        cls = getattr(np, path[-1])
        if path[0] != "np" or len(path) != 2 or not (cls is np.dtype or (isinstance(cls, type) and issubclass(cls, np.generic))):
            raise ValueError(f"{ast.unparse(tree)} is not an argument")
        return _long_complex(*args) if cls is np.clongdouble else cls(*args, **named)

    def attribute(self, tree: ast.Attribute) -> Any:
        return {"np.True_": np.True_, "np.False_": np.False_}[".".join(_dotted(tree))]


def _long_complex(text: str) -> Any:
    """A complex number of two long doubles as NumPy writes it, but to the last bit: NumPy reads it
    as two doubles.
    """
    real, imag = _PARTS.fullmatch(text).groups()  # type: ignore[union-attr]
    return np.array([np.longdouble(real or "0"), np.longdouble(imag)]).view(np.clongdouble)[0]


def _exception(name: str) -> type[Exception]:
    found = find_exception(name)
    if found is None:
        raise ValueError(f"the exception {name!r} is not among the modules that are imported")
    return found


def _member(cls: str, name: str) -> enum.Enum:
    found = find_member(cls, name)
    if found is None:
        raise ValueError(f"{name!r} of the enumeration {cls!r} is not among the modules that are imported")
    return found


_PARTS = re.compile(r"(.*?)((?:(?<!e)[+-])?[\w.]+(?:e[+-]\d+)?)j")
_CONSTRUCTORS: dict[str, Any] = {
    "slice": slice,
    "float": float,
    "complex": complex,
    "frozenset": frozenset,
    "dtype": np.dtype,
    "exception": _exception,
    "member": _member,
    "type": TYPES.__getitem__,
}
_ARGS: dict[type, Callable[[_Reader, Any], Any]] = {
    ast.Constant: lambda reader, tree: tree.value,
    ast.Name: lambda reader, tree: reader.nodes[tree.id],
    ast.Tuple: lambda reader, tree: tuple([reader.arg(item) for item in tree.elts]),
    ast.List: lambda reader, tree: [reader.arg(item) for item in tree.elts],
    ast.Dict: lambda reader, tree: {reader.arg(key): reader.arg(item) for key, item in zip(tree.keys, tree.values, strict=True)},
    ast.UnaryOp: lambda reader, tree: -reader.arg(tree.operand),
    ast.Call: _Reader.constructor,
    ast.Attribute: _Reader.attribute,
}


def _text(annotation: Any) -> str:
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        raise ValueError("a node has no value")
    return annotation.value


def _dotted(tree: Any) -> list[str]:
    return [*_dotted(tree.value), tree.attr] if isinstance(tree, ast.Attribute) else [tree.id]


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text + ","):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [part for part in parts if part]


def _as_scalars(value: Any, derived: Any) -> Any:
    """The value with what the text leaves open taken from the operator's rule: whether NumPy gives
    an array or a scalar.
    """
    if isinstance(value, TensorMeta) and isinstance(derived, TensorMeta):
        return value.with_(scalar=derived.scalar)
    if isinstance(value, (tuple, list)) and isinstance(derived, (tuple, list)):
        parts = [_as_scalars(part, other) for part, other in zip(value, derived, strict=True)]
        return parts if isinstance(derived, list) else tuple(parts)
    return value
