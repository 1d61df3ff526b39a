"""Calls of decompositions as functions of their operands alone, which can be traced."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from npexport.ir.arguments import is_default
from npexport.ir.numpy_internals import NO_VALUE


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


def with_defaults(
    op: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call of a user's decomposition with the defaults of its operator, where the function has
    others or none.
    """
    try:
        theirs = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of C that tells nothing
        return args, kwargs
    places = [parameter for parameter in theirs if parameter.kind in _BY_PLACE]
    names = {parameter.name: parameter for parameter in theirs if parameter.kind in _BY_NAME}
    signature = op.declared.signature if op.home else op.signature
    given = signature.bind(*args, **kwargs).arguments
    args, kwargs = tuple(args), dict(kwargs)
    for index, parameter in enumerate(signature.parameters.values()):
        by_place = parameter.kind in _BY_PLACE and index < len(places)
        match = places[index] if by_place else names.get(parameter.name)
        if match is None or parameter.name in given or parameter.default in _NONE:
            continue
        if not is_default(match.default, parameter.default):
            if match.kind in _BY_NAME:
                kwargs[match.name] = parameter.default
            elif index == len(args):
                args = (*args, parameter.default)
    return args, kwargs


_NONE = (inspect.Parameter.empty, NO_VALUE)
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
