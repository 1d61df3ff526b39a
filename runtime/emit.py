"""Python source for the nodes of a graph: one statement a node, over kernels and constants that are bound by name."""

from __future__ import annotations

import builtins
import keyword
import math
import operator
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.plan import is_elementwise_ufunc

KEYWORD_OUT = {np.maximum, np.minimum}  # NumPy deprecates a positional out of these

# Operators written as Python syntax: (qualified name, number of arguments) -> text. What starts with an attribute needs an array.
INLINE: dict[tuple[str, int], str] = {
    ("np.reshape", 2): "{0}.reshape({1})",
    ("np.swapaxes", 3): "{0}.swapaxes({1}, {2})",
    ("np.transpose", 1): "{0}.transpose()",
    ("np.transpose", 2): "{0}.transpose({1})",
    ("sym.size", 2): "{0}.shape[{1}]",
    **{
        (f"sym.{name}", 2): f"(({{0}}) {sign} ({{1}}))"
        for name, sign in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**"}.items()
    },
}
IN_PLACE: dict[tuple[str, int], str] = {("np.setitem", 3): "{0}[{1}] = {2}"}
# NumPy's reductions of an array are these methods behind a layer of Python; the axis comes second, None for all.
REDUCTIONS: dict[str, Any] = {
    "np.sum": np.add.reduce,
    "np.prod": np.multiply.reduce,
    "np.max": np.maximum.reduce,
    "np.min": np.minimum.reduce,
    "np.any": np.logical_or.reduce,
    "np.all": np.logical_and.reduce,
}


class Source:
    """The names and the constants of one generated function."""

    def __init__(self, reserved: set[str]) -> None:
        self.namespace: dict[str, Any] = {}
        self._taken = set(reserved) | set(dir(builtins))
        self._bound: dict[Any, str] = {}

    def fresh(self, base: str) -> str:
        """An identifier like ``base`` that nothing else has."""
        base = re.sub(r"\W", "_", base)
        name, count = base, 0
        while name in self._taken or keyword.iskeyword(name) or not name.isidentifier():
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name

    def bind(self, base: str, value: Any) -> str:
        """The name of a constant of the function; one name for one object, and for equal 0-d arrays."""
        key = (value.dtype, value.tobytes()) if isinstance(value, np.ndarray) and value.ndim == 0 else id(value)
        name = self._bound.get(key)
        if name is None:
            name = self._bound[key] = self.fresh(f"_{base}")
            self.namespace[name] = value
        return name

    def text(self, arg: Any, names: Mapping[Node, str]) -> str:
        """The source of an argument."""
        kind = type(arg)
        if kind is Node:
            return names[arg]
        if is_literal(arg):
            return repr(arg)
        if not _holds_node(arg):
            return self.bind("c", arg)
        if kind is tuple:
            return f"({''.join(self.text(item, names) + ', ' for item in arg)})"
        if kind is list:
            return f"[{', '.join(self.text(item, names) for item in arg)}]"
        if kind is dict:
            return "{" + ", ".join(f"{key!r}: {self.text(item, names)}" for key, item in arg.items()) + "}"
        return f"{self.bind('slice', slice)}({', '.join(self.text(part, names) for part in (arg.start, arg.stop, arg.step))})"

    def call(self, node: Node, names: Mapping[Node, str], out: str | None) -> str:
        """The source of a node's call, its result going into the array named ``out`` where that is given."""
        op: Any = node.target
        qualified = f"{op.namespace}.{op.name}"
        args = [self.text(arg, names) for arg in scalar_operands(node)]
        kwargs = [f"{key}={self.text(value, names)}" for key, value in node.kwargs.items()]
        template = "{0}[{1}]" if op.kernel is operator.getitem else (INLINE if out is None else IN_PLACE).get((qualified, len(args)))
        if template is not None and not kwargs and (not template.startswith("{0}.") or _is_array(node.args[0])):
            return template.format(*args)
        if out is not None:
            args.append(out if is_elementwise_ufunc(node) and op.kernel not in KEYWORD_OUT else f"out={out}")
        if qualified in REDUCTIONS and len(args) <= 2 and node.kwargs.keys() <= {"axis", "keepdims"} and _is_array(node.args[0]):
            args += ["None"] if len(args) == 1 and "axis" not in node.kwargs else []
            return f"{self.bind(f'{op.name}_reduce', REDUCTIONS[qualified])}({', '.join(args + kwargs)})"
        return f"{self.bind(f'{op.namespace}_{op.name}', op.kernel)}({', '.join(args + kwargs)})"


def _is_array(arg: Any) -> bool:
    return isinstance(arg, Node) and isinstance(arg.meta["val"], TensorMeta) and not arg.meta["val"].scalar


def is_literal(value: Any) -> bool:
    """Whether ``repr`` is source for the value, and short."""
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is tuple:
        return all(is_literal(item) for item in value)
    return value is None or type(value) in (bool, int) or (type(value) is str and len(value) <= 40)


def _holds_node(arg: Any) -> bool:
    if isinstance(arg, (tuple, list)):
        return any(_holds_node(item) for item in arg)
    if isinstance(arg, dict):
        return any(_holds_node(item) for item in arg.values())
    if isinstance(arg, slice):
        return _holds_node((arg.start, arg.stop, arg.step))
    return isinstance(arg, Node)


def scalar_operands(node: Node) -> tuple[Any, ...]:
    """The arguments, with scalar constants of element-wise ufuncs made into 0-d arrays of the dtype that the ufunc would give them.

    NumPy converts a Python scalar anew in every call, which costs as much as the call. The array stands in only where
    the ufunc then runs the same loop on the same value.
    """
    constants = [index for index, arg in enumerate(node.args) if isinstance(arg, (bool, int, float, complex, np.generic))]
    metas = [arg.meta["val"] for arg in node.args if isinstance(arg, Node)]
    if not constants or not is_elementwise_ufunc(node) or not all(isinstance(meta, TensorMeta) for meta in metas):
        return node.args
    args = list(node.args)
    for index in constants:
        array = _as_array(node, index)
        if array is not None:
            args[index] = array
    return tuple(args)


def _as_array(node: Node, index: int) -> np.ndarray[Any, Any] | None:
    ufunc: Any = node.target.kernel  # type: ignore[union-attr]
    value = node.args[index]
    operands = [_operand_type(arg) for arg in node.args]
    try:
        loop = ufunc.resolve_dtypes((*operands, None))
        with np.errstate(all="raise"):
            array = np.array(value, loop[index])
        if array.dtype.kind in "mM":
            return None
        operands[index] = array.dtype
        same_loop = ufunc.resolve_dtypes((*operands, None)) == loop
    except (TypeError, OverflowError, FloatingPointError, ValueError):
        return None  # NumPy refuses or warns: let it do so in the call
    exact = not isinstance(value, (bool, int)) or array.dtype.kind in "mM" or int(array.real) == value
    return array if same_loop and exact else None


def _operand_type(arg: Any) -> Any:
    if isinstance(arg, Node):
        return arg.meta["val"].dtype
    return arg.dtype if isinstance(arg, np.generic) else np.dtype(bool) if type(arg) is bool else type(arg)
