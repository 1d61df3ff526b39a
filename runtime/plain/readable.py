"""The names and texts of a module of plain NumPy: the program's own, where the compiled form
numbers its variables and binds its constants.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npexport.ir.error_states import State, managers_text
from npexport.ir.graph import CALL, Node
from npexport.ir.node import is_name
from npexport.runtime.compilation.node_statements import is_iteration
from npexport.runtime.compilation.statements import Statements
from npexport.runtime.emission.emit import Source, untrapped
from npexport.runtime.emission.replays import Noted
from npexport.runtime.kernels.control_flow import map_, mapped, scan, scanned
from npexport.runtime.memory.inherited_memory import is_item
from npexport.runtime.operators.custom_op import CustomOp
from npexport.runtime.plain.plain_calls import has_slices, operator_in_place, operator_of, own_name, raised, reduction_of
from npexport.runtime.plain.plain_operators import plain_operator
from npexport.runtime.plain.plain_source import STANDARD, PlainSource

_TOLD: dict[Any, Callable[..., Any]] = {scan: scanned, map_: mapped}


class Readable(Source):
    """Names of the program's own, and texts in place of bound constants."""

    deletes = False  # people leave that to the end of the function

    def __init__(self, plain_source: PlainSource, taken: set[str]) -> None:
        super().__init__()
        self.plain_source = plain_source
        self.taken = {"np", "forward", "STATE", *STANDARD, *dir(builtins), *taken}
        self.given: set[str] = set()
        self._numbers: dict[str, int] = {}  # base -> the last number given to it

    def unique(self, base: str) -> str:
        """A name like ``base`` that is free; those of definitions begin with an underscore."""
        base = base.lstrip("_") if is_name(base) and base.isascii() and base.strip("_0123456789") else "value"
        name = base
        while name in self.taken:
            self._numbers[base] = self._numbers.get(base, 0) + 1
            name = f"{base}_{self._numbers[base]}"
        self.taken.add(name)
        self.given.add(name)
        return name

    def hiding(self) -> set[str]:
        """Variables that have the name of a definition or of a module that is imported."""
        modules = {name.partition(".")[0] for name in self.plain_source.imports}
        return self.given & (modules | self.plain_source.definitions.keys())

    def fresh(self, prefix: str = "v") -> str:
        return self.unique({"v": "value", "a": "argument", "s": "state"}.get(prefix, prefix))

    def symbol(self, symbol: str) -> str:
        return self.unique(symbol)

    def named(self, node: Node) -> str:
        whole = node.args[0] if node.op == CALL and is_item(node) else node
        called: str = whole.target.name if whole.op == CALL else re.sub(r"_\d+$", "", node.name)  # type: ignore[union-attr]
        return self.unique(own_name(node) or called.removeprefix("scalar_"))

    def joined(self, value: Any, other: Any) -> str:
        names = [name for each in (value, other) if isinstance(each, Node) and (name := own_name(each))]
        return self.unique(names[0]) if names else self.fresh()

    def carried(self, node: Node) -> str:
        return self.unique(re.sub(r"_\d+$", "", node.name))

    def errors(self, state: State) -> str:
        text = managers_text(state)
        self.plain_source.imports |= {module for module in ("contextlib", "warnings") if f"{module}." in text}
        return text

    def operands(self, node: Node) -> tuple[Any, ...]:
        return node.args

    def text(self, arg: Any, names: Mapping[Node, str]) -> str:
        return f"np.s_[{self.subscript(arg, names)}]" if has_slices(arg) else super().text(arg, names)

    def subscript(self, index: Any, names: Mapping[Node, str]) -> str:
        if type(index) is tuple and has_slices(index):
            return ", ".join([self.subscript(item, names) for item in index]) + "," * (len(index) == 1)
        return super().subscript(index, names)

    def call(self, node: Node, names: Mapping[Node, str], out: str | None, conditional: bool = False) -> str:
        node = untrapped(node)
        error = raised(node)
        if error is not None:
            return f"raise {self.bind(error[0])}({', '.join(map(self.value, error[1]))})"
        template = None if conditional else self._template(node, names, out)
        if template is None:
            return super().call(node, names, out, conditional)
        of_index = "[{1}]" in template
        texts = [self.subscript(arg, names) if of_index and place == 1 else self.text(arg, names) for place, arg in enumerate(node.args)]
        return template.format(*texts, *self.keywords(node, names))

    def _template(self, node: Node, names: Mapping[Node, str], out: str | None) -> str | None:
        """How people write the call; ``None`` if it has no other form than its kernel's."""
        if out is not None and not (out.isidentifier() and self.text(node.args[0], names) == out):
            return None
        template = node.target.emit.text(len(node.args), out is not None)  # type: ignore[union-attr]
        if template is not None and "[{1}]" in template and not node.kwargs:
            return template
        return (operator_of(node) or reduction_of(node)) if out is None else operator_in_place(node)

    def bind(self, value: Any) -> str:
        if type(value) is Noted:
            return value.name
        return self._iteration(value) if is_iteration(value) else self.plain_source.text(value)

    def value(self, value: Any) -> str:
        return self.bind(value)

    def _iteration(self, function: Any) -> str:
        """The name of a sub-graph as a function."""
        graph = function.module.graph
        parameters = [self.named(node) for node in graph.placeholders]
        statements = Statements(self, {})
        outputs = statements.graph(graph, parameters)
        body = [plainer(line) for line in (*[row.text for row in statements.take()], f"return {self.text(outputs, statements.names)}")]
        return self.plain_source.define(function, parameters, body)

    def _instead(self, node: Node) -> Any:
        """People write methods, and what NumPy documents."""
        emit = node.target.emit  # type: ignore[union-attr]
        instead: Any = None if emit.method else super()._instead(node)
        private = isinstance(instead, np.ufunc) and getattr(np, instead.__name__, None) is not instead
        return None if private else instead

    def _made(self, node: Node) -> None:
        """People write the call."""

    def _kernel(self, node: Node) -> Any:
        """Of scans, one that is told the dtypes of the results: a function in plain Python does not
        know them. Operators of the user's are imported.
        """
        if isinstance(node.target, CustomOp):
            return plain_operator(node)
        kernel = super()._kernel(node)
        told = _TOLD.get(kernel)
        if told is None:
            return kernel
        carries = len(node.args[1]) if told is scanned else 0
        return functools.partial(told, dtypes=tuple([meta.dtype for meta in node.meta["val"][carries:]]))


def _direct_calls(tree: ast.Module) -> ast.Module:
    """Calls of what ``functools.partial`` makes, written as calls of its function."""
    for call in [each for each in ast.walk(tree) if isinstance(each, ast.Call)]:
        made = call.func
        if isinstance(made, ast.Call) and ast.unparse(made.func) == "functools.partial":
            call.func, call.args, call.keywords = made.args[0], [*made.args[1:], *call.args], [*made.keywords, *call.keywords]
    return tree


def plainer(line: str) -> str:
    """A line as people write it: without redundant parentheses."""
    text = line.lstrip()
    indent, opens = line[: len(line) - len(text)], text.startswith(("if ", "while "))
    if not text or text.startswith(("#", "elif ", "else:")) or text.endswith(":") is not opens or "\n" in text:
        return line
    statement = ast.unparse(_direct_calls(ast.parse(f"{text} pass" if opens else text)))
    return indent + (statement.partition("\n")[0] if opens else statement)
