"""An array-API namespace, with the equivalents of NumPy's dtypes, constants and calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.op import registered
from npexport.symshapes.symint import python_type

Values = Callable[..., Any]


class Lacks(Exception):
    """The namespace cannot do what a node needs; the text says why."""


_WIDER = {"jax.numpy": " until jax.config.update('jax_enable_x64', True)"}
"""How a library gets the dtypes that it lacks by default."""


class Space:
    """What a program asks of one namespace.

    Raises ``Lacks`` for names and dtypes that it does not have.
    """

    def __init__(self, namespace: Any) -> None:
        self.xp = namespace
        self.name = str(getattr(namespace, "__name__", type(namespace).__name__))
        self.array_class = type(self.function("asarray")(np.zeros(())))

    def function(self, name: str) -> Callable[..., Any]:
        """``namespace.name``, also of its parts: ``"linalg.inv"``."""
        found = self.xp
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise Lacks(f"it has no `{name}`")
        return found  # type: ignore[no-any-return]

    def dtype(self, dtype: np.dtype[Any]) -> Any:
        """The namespace's own dtype."""
        found = getattr(self.xp, dtype.name, None) if dtype.isnative and dtype.kind in "biufc" else None
        if found is None:
            raise Lacks(f"it has no dtype {dtype_name(dtype)}")
        return found

    def is_array(self, value: Any) -> bool:
        """Whether a value may be an array of the namespace; NumPy's belong to no other."""
        if isinstance(value, (np.ndarray, np.generic)):
            return isinstance(value, self.array_class)
        return hasattr(value, "shape") and hasattr(value, "dtype")

    def constant(self, array: Any) -> Any:
        """An array of the namespace, in memory of its own."""
        self.dtype(array.dtype)
        return self.fitted(self.function("asarray")(np.array(array, order="C")), array.dtype)

    def fitted(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """A value of the namespace in this dtype.

        Raises ``Lacks`` where the namespace gives it another one, as jax does without 64 bits.
        """
        wanted = self.dtype(dtype)
        if value.dtype == wanted:
            return value
        value = self.cast(value, dtype)
        if value.dtype != wanted:
            raise Lacks(f"it makes {value.dtype} of {dtype_name(dtype)}{_WIDER.get(self.name, '')}")
        return value

    def cast(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """The elements in another dtype: truths are what is not zero, and of complex numbers the
        real part is kept.
        """
        wanted = self.dtype(dtype)
        if value.dtype == wanted:
            return value
        if dtype.kind == "b":
            return value != self.function("zeros_like")(value)
        if dtype.kind in "iuf" and any(value.dtype == getattr(self.xp, name, None) for name in ("complex64", "complex128")):
            value = self.function("real")(value)
        return self.function("astype")(value, wanted)

    def array(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """An operand in a dtype: an array of the namespace, or a number."""
        return self.cast(value, dtype) if self.is_array(value) else self.constant(np.asarray(value, dtype))

    def copy(self, value: Any) -> Any:
        """The same elements in memory of their own."""
        return self.function("asarray")(value, copy=True)


Row = Callable[..., Any]
Builder = Callable[[Space, Node], Values]
"""A function that makes, for a space and a node, the function of the node's arguments. It raises
`Lacks` if the namespace lacks what the node needs.
"""


def declare(operators: Mapping[str, Builder]) -> None:
    """Say what operators are in the words of the standard: their records learn it."""
    for name, build in operators.items():
        object.__setattr__(registered(name), "lowering", build)


def row(*operators: str, needs: str = "", takes: str = "", gives: str = "") -> Callable[[Row], Row]:
    """Declare what operators are: a function of (space, meta of the result, *arguments), whose
    parameters are the arguments that it knows.

    ``needs``: what the namespace must have; ``takes`` and ``gives``: of which kinds the first array
    and the result may be, where not of all.
    """

    def of(function: Row) -> Row:
        signature = inspect.signature(function)

        def build(space: Space, node: Node) -> Values:
            for name in needs.split():
                space.function(name)
            meta = node.meta.get("val")
            arrays = [each.meta["val"] for each in node.all_input_nodes if isinstance(each.meta["val"], TensorMeta)]
            for kinds, found in ((takes, arrays[:1]), (gives, [meta])):
                if kinds and isinstance(found[0], TensorMeta) and found[0].dtype.kind not in kinds:
                    raise Lacks(f"the standard has it not for {found[0].dtype}")
            try:
                signature.bind(space, meta, *node.args, **node.kwargs)
            except TypeError as error:
                raise Lacks(f"not with these arguments: {error}") from None
            return lambda *args, **kwargs: function(space, meta, *args, **kwargs)

        declare(dict.fromkeys(operators, build))
        return function

    return of


def dtype_of(arg: Any) -> Any:
    """What NumPy's promotion sees of an argument: a dtype, or the type of a Python number."""
    if isinstance(arg, Node):
        value = arg.meta["val"]
        return value.dtype if isinstance(value, TensorMeta) else python_type(value)
    return arg.dtype if isinstance(arg, np.generic) else np.dtype(bool) if type(arg) is bool else type(arg)
