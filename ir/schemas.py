"""Checks that the arguments of a call have the types in its operator's schema.

A schema restricts types by annotations (``str``, ``int``, ``bool``) and by defaults: if the default
is a truth, a truth is accepted, if it is a text, a text. What a rule examines is judged by the rule
itself; this covers what it may not examine.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import REGISTRY

_TRUTHS = (bool, np.bool_, int, np.integer, type(None))  # what NumPy takes for a truth
_TAKES: dict[str, tuple[type, ...]] = {"bool": _TRUTHS, "str": (str, np.str_, int, type(None))}  # modes have numbers, too
_HANDED = {"ops.np.trapped": 2, "ops.np.left": 1}
"""The operators that forward the arguments of another one, and the index at which these begin."""
_MORE = ("where", "cov")  # parameters whose default is a truth and that take arrays or text


def misfits(node: Node, bound: inspect.BoundArguments) -> Iterator[str]:
    """What is wrong with the types of a call's arguments, or with those of the call that an
    operator is handed.
    """
    yield from _misfits(node.target, bound)
    handed = _HANDED.get(str(node.target))
    inner = REGISTRY.get(str(bound.args[0])) if handed is not None and bound.args else None
    if inner is not None:
        try:
            yield from _misfits(inner, inner.signature.bind(*bound.args[handed:], **bound.kwargs))
        except TypeError as error:
            yield f"{inner}: {error}"


def types_of_call(node: Node) -> Any:
    """Equal for calls of which the same is wrong here; ``None`` where a value decides."""
    if str(node.target) in _HANDED:
        return None
    given = node.args, tuple(node.kwargs.values())
    types = [[type(arg.meta.get("val", arg)) if type(arg) is Node else type(arg) for arg in args] for args in given]
    return (node.target, *types[0], *node.kwargs, *types[1])


def _misfits(op: Any, bound: inspect.BoundArguments) -> Iterator[str]:
    types = types_of(op)
    named = {name for name, parameter in op.signature.parameters.items() if parameter.kind is parameter.VAR_KEYWORD}
    for name, value in bound.arguments.items():
        allowed = types.get(name)
        computed = op.holds is not None and isinstance(value, Node)  # what such an operator takes is asked when it is called
        if allowed is not None and not computed and not isinstance(value, allowed):
            yield f"{op} takes no {type(value).__name__} for {name}"
        if any(isinstance(item, dict) for item in (value.values() if name in named else (value,))):
            yield f"{op} takes no dict for {name}"
    subject = subject_of(op)
    value = bound.arguments.get(subject or "")
    if subject is not None and not (isinstance(value, Node) and ("val" not in value.meta or isinstance(value.meta["val"], TensorMeta))):
        yield f"{op} takes no {type(value).__name__} for {subject}, only an array"


@functools.cache
def subject_of(op: Any) -> str | None:
    """The parameter that has to be an array itself, not a number: what is looked at, and what
    npexport's own kernels view or write to.
    """
    own = bool(op.kernel_name) or op.kernel is operator.getitem
    if op.namespace == "sym" or (own and not op.traits.isdisjoint(("view", "scatter"))):
        parameters = inspect.signature(op.rule).parameters.values()
        return next((parameter.name for parameter in parameters if parameter.annotation == "Array"), None)
    return None


@functools.cache
def types_of(op: Any) -> dict[str, tuple[type, ...]]:
    """The types that parameters take, of those that say so."""
    annotations = {name: parameter.annotation for name, parameter in inspect.signature(op.rule).parameters.items()}
    found = {}
    for name, parameter in op.signature.parameters.items():
        says = annotations[name] if isinstance(annotations.get(name), str) else type(parameter.default).__name__
        says = says if says in _TAKES else type(parameter.default).__name__
        if says in _TAKES and name not in _MORE:
            found[name] = _TAKES[says]
    return found
