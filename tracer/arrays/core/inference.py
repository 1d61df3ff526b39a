"""Infers the results of calls by the rules of their operators, once for equal calls with static
shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.arguments import leaf_key, map_leaves, structural_key
from npexport.ir.facts import Count
from npexport.ir.meta import TensorMeta, holds_data
from npexport.ir.node import Node, value_of
from npexport.ir.op import Op
from npexport.ir.ops.counts import count_of
from npexport.ir.ops.rules import open_conditions
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core import views

Call = tuple[Op, tuple[Any, ...], dict[str, Any]]


class Inference:
    """The metas of the calls of one graph."""

    def __init__(self, env: ShapeEnv) -> None:
        self._env = env
        self._metas: dict[Any, Any] = {}
        self._inferred: Call | None = None  # whose shape is being inferred

    def count_of(self, slot: int) -> Count | None:
        """What is counted by the size that the running rule requests for this slot, if known."""
        return None if self._inferred is None else count_of(slot, *self._inferred)

    def makes_integers(self) -> bool:
        """Whether the running rule is that of an operator on numbers, which counts nothing."""
        return self._inferred is not None and self._inferred[0].namespace == "sym"

    def infer(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """The meta of the result, and what the kernel has to check of the sizes."""
        metas = tuple([_meta(arg) for arg in args])
        named = {name: _meta(arg) for name, arg in kwargs.items()} if kwargs else kwargs
        try:
            key = (op, *map(_static_key, metas), *((name, _static_key(arg)) for name, arg in named.items()))
            found = self._metas.get(key)
        except TypeError:  # something is symbolic, or unhashable
            with open_conditions() as conditions:
                return self._ruled((op, args, kwargs), metas, named), conditions
        if found is not None:
            return found, []
        meta = self._ruled((op, args, kwargs), metas, named)
        if "data_dependent_shape" not in op.traits:
            self._metas[key] = meta
        return meta, []

    def _ruled(self, call: Call, metas: tuple[Any, ...], named: dict[str, Any]) -> Any:
        before, self._inferred = self._inferred, call
        ruled, self._env.ruled = self._env.ruled, True
        try:
            meta = call[0].rule(*metas, **named)
        finally:
            self._inferred = before
            self._env.ruled = ruled
        if type(meta) is TensorMeta and not holds_data(meta.dtype):
            raise views.no_objects(meta.dtype)
        if type(meta) is TensorMeta and meta.scalar and meta.dtype.kind == "T":
            hint = "Keep an axis, x[i : i + 1], and compute with whole arrays: (x[i : i + 1] == 'a').any(), np.strings.str_len(x)[i]."
            raise Unsupported("E104", "an element of an array of StringDType is a text of Python, which only the data know", hint=hint)
        return meta


def of_known(node: Node, array: np.ndarray[Any, Any]) -> Node:
    """The node that makes known data again: its rule says what NumPy has made of them."""
    meta: TensorMeta = node.meta["val"]
    if (meta.shape, meta.dtype) != (array.shape, array.dtype):
        raise AssertionError(f"the rule of {node.target} says {meta} of an array of {array.shape}, {array.dtype}")
    return node


def _meta(arg: Any) -> Any:
    """What a rule sees of an argument."""
    return map_leaves(arg, value_of)


def _static_key(arg: Any) -> Any:
    """Like ``key_of``, for metas; raises ``TypeError`` if a size is dynamic."""
    return structural_key(arg, _static_leaf)


def _static_leaf(leaf: Any) -> Any:
    kind = type(leaf)
    if kind is TensorMeta:
        for size in leaf.shape:
            if type(size) is not int:
                raise TypeError
        return leaf
    if is_symbolic(leaf):
        raise TypeError
    if isinstance(leaf, tuple):  # the named tuple that is a call's value
        return (kind, *map(_static_key, leaf))
    return leaf_key(leaf)
