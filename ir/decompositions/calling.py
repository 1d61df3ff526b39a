"""Calls of decompositions as programs of their operands alone: traced, as what they call is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir.arguments import map_leaves


class Operand:
    """Where an operand stands among the arguments."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def filled(arg: Any, operands: tuple[Any, ...]) -> Any:
    """The argument with the operands in their places."""
    return map_leaves(arg, lambda leaf: operands[leaf.index] if type(leaf) is Operand else leaf)


def of_operands(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """``function(*args, **kwargs)`` as a function of the operands."""

    def call(*operands: Any) -> Any:
        return function(*filled(args, operands), **filled(kwargs, operands))

    return call
