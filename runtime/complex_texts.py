"""Python's complex numbers as text: in a graph they are pairs of floats, in a compiled program what
an operation gives is one number, as long as operations take both its parts.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import Node
from npexport.runtime.handing import is_item

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

    def _operands(self, operands: Any, names: Any) -> list[str]:
        """The sources of the operands; one that comes twice is made once."""
        texts: list[str] = []
        made: dict[Any, str] = {}
        for operand in operands:
            if type(operand) is not tuple:
                texts.append(self.source.text(operand, names))
            elif (whole := self._whole(operand)) is not None:
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
