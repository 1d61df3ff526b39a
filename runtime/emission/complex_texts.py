"""Python's complex numbers as text: in a graph they are pairs of floats, in a compiled program what
an operation gives is one number, as long as operations take both its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.memory.inherited_memory import is_item

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "eq": "==", "ne": "!="}


class ComplexTexts:
    """``numbers``: the names of the complex numbers that calls have given; ``made``: the statements
    that make them alone, and their parts.
    """

    def __init__(self, source: Any) -> None:
        self.source = source
        self.numbers: dict[Node, str] = {}
        self.made: dict[Node, tuple[str, list[str]]] = {}

    def text(self, node: Node, names: Any) -> str:
        """The source of an operation; of one that gives a complex number, of its two parts."""
        name, operands = node.args
        op: Any = node.target
        function = op.emit.complexes[name]
        texts = self._operands(operands, names)
        sign = _SIGNS.get(name)
        text = f" {sign} ".join(texts) if sign else f"{self.source.bind(function)}({', '.join(texts)})"
        if type(node.meta["val"]) is not tuple or name == "polar":
            return f"({text})"
        number = self.numbers[node] = self.source.fresh()
        self.made[node] = f"{number} = {text}", [f"{number}.real", f"{number}.imag"]
        return f"(({number} := {text}).real, {number}.imag)"

    def joined(self, graph: Graph, names: list[str]) -> dict[str, tuple[int, int]]:
        """What a sub-graph takes as parts of one complex number is one from now on: its name, and
        which of the ``names`` have become texts of its parts.
        """
        found: dict[str, tuple[int, int]] = {}
        taken = set[int]()
        for pair in dict.fromkeys(_pairs(graph, {node: place for place, node in enumerate(graph.placeholders)})):
            if pair[0] != pair[1] and taken.isdisjoint(pair) and all(names[place] for place in pair):
                taken.update(pair)
                name = self.source.fresh()
                found[name] = pair
                names[pair[0]], names[pair[1]] = f"{name}.real", f"{name}.imag"
        return found

    def whole(self, names: Sequence[str], texts: Sequence[str]) -> tuple[list[str], list[str]]:
        """What is assigned to these names, of which some are texts of parts, as assignments to
        variables.
        """
        given = dict(zip(names, texts, strict=True))
        found = {name: text for name, text in given.items() if not is_part_of_number(name)}
        for name in dict.fromkeys(name.rpartition(".")[0] for name in given if is_part_of_number(name)):
            parts = [given.get(part, part) for part in (f"{name}.real", f"{name}.imag")]
            found[name] = whole_of(parts) or f"{self.source.bind(complex)}({', '.join(parts)})"
        return list(found), list(found.values())

    def _operands(self, operands: Any, names: Any) -> list[str]:
        """The sources of the operands; one that comes twice is made once."""
        texts: list[str] = []
        made: dict[Any, str] = {}
        for operand in operands:
            if type(operand) is not tuple:
                texts.append(self.source.text(operand, names))
            elif (whole := self._whole(operand) or whole_of([self.source.text(part, names) for part in operand])) is not None:
                texts.append(whole)
            elif operand in made:
                texts.append(made[operand])
            else:
                text = f"{self.source.bind(complex)}({', '.join(self.source.text(part, names) for part in operand)})"
                if operands.count(operand) > 1:
                    made[operand] = self.source.fresh()
                    text = f"({made[operand]} := {text})"
                texts.append(text)
        return texts

    def _whole(self, pair: tuple[Any, Any]) -> str | None:
        """The number of which these are the parts."""
        if not all(type(part) is Node and is_item(part) for part in pair):
            return None
        (call, real), (other, imag) = pair[0].args, pair[1].args
        return self.numbers.get(call) if call is other and (real, imag) == (0, 1) else None


def whole_of(texts: Sequence[str]) -> str | None:
    """The complex number of which these are the parts."""
    name = texts[0].removesuffix(".real")
    return name if name.isidentifier() and list(texts) == [f"{name}.real", f"{name}.imag"] else None


def is_part_of_number(text: str) -> bool:
    """Whether a text is the real or the imaginary part of a variable."""
    name, dot, part = text.rpartition(".")
    return bool(dot) and name.isidentifier() and part in ("real", "imag")


def _pairs(graph: Graph, places: Mapping[Any, int]) -> Iterator[tuple[int, int]]:
    """The places of two values that complex numbers are made of, in branches, too."""
    for node in graph.nodes:
        op: Any = node.target
        if node.op == CALL and op.emit.complexes is not None:
            pairs = [operand for operand in node.args[1] if type(operand) is tuple]
            yield from [(places[real], places[imag]) for real, imag in pairs if real in places and imag in places]
        elif node.op == CALL and op.emit.block == "branch":
            for module in node.args[1:3]:
                inner = zip(module.graph.placeholders, node.args[3], strict=True)
                yield from _pairs(module.graph, {placeholder: places[value] for placeholder, value in inner if value in places})
