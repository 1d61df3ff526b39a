"""Calls of decompositions as functions of their operands alone, which can be traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Operand:
    """Stands for an operand among the arguments, by its index."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def filled(arg: Any, operands: tuple[Any, ...]) -> Any:
    """The argument with operands in place of the `Operand` objects.

    It is interpreted together with the decomposition and calls only itself: without the C
    extension, a function that is not interpreted may not call one that is.
    """
    kind = type(arg)
    if kind is Operand:
        return operands[arg.index]
    if kind is tuple:
        return tuple([filled(item, operands) for item in arg])
    if kind is list:
        return [filled(item, operands) for item in arg]
    if kind is dict:
        return {key: filled(item, operands) for key, item in arg.items()}
    if kind is slice:
        return slice(filled(arg.start, operands), filled(arg.stop, operands), filled(arg.step, operands))
    return arg


def of_operands(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """``function(*args, **kwargs)`` as a function of the operands."""

    def call(*operands: Any) -> Any:
        return function(*filled(args, operands), **filled(kwargs, operands))

    return call
