"""Python source for the nodes of a graph: one statement per node, over kernels and constants that
are bound by name.

Nothing that comes from a program becomes text: the source consists of the templates in this
package, of identifiers that ``Source`` numbers, and of small literals (``None``, truths, integers
and tuples of these). Names, keys, paths and all other values are constants.
"""

from __future__ import annotations

import builtins
import functools
import keyword
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.error_states import State, within
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta, content
from npexport.ir.op import REGISTRY, Op
from npexport.ir.ops.np_scalars import ARRAY_OPERATORS
from npexport.runtime.emission.complex_texts import ComplexTexts
from npexport.runtime.memory.blank import INSTEAD
from npexport.runtime.memory.layouts import is_elementwise_ufunc


class Source:
    """The identifiers and the constants of one generated function."""

    deletes = True  # variables that nothing reads any more

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {}
        self._counts: dict[str, int] = {}
        self._bound: dict[Any, str] = {}
        self.blank: set[Node] = set()  # arrays that are filled before they are read
        self.lengths: dict[str, int] = {}  # of lists by their texts, once they are written
        self.complexes = ComplexTexts(self)
        self.lists = set[str]()  # the names of lists of the items that a result is to have

    def fresh(self, prefix: str = "v") -> str:
        """A new identifier, ``v0``, ``v1`` and so on. ``prefix``: a letter that says what is
        named.
        """
        number = self._counts.get(prefix, 0)
        self._counts[prefix] = number + 1
        return f"{prefix}{number}"

    def count(self, prefix: str = "v") -> int:
        """How many identifiers with this letter there are."""
        return self._counts.get(prefix, 0)

    def is_since(self, count: int, name: str) -> bool:
        """Whether a name is a fresh one that was given when there were as many as ``count``, or
        later.
        """
        return name[0] == "v" and name[1:].isdecimal() and int(name[1:]) >= count

    def symbol(self, symbol: str) -> str:
        """An identifier for a size that only the data decide."""
        return self.fresh()

    def named(self, node: Node) -> str:
        """The identifier of a node's value."""
        return self.fresh()

    def joined(self, value: Any, other: Any) -> str:
        """The identifier of what is one value or the other."""
        return self.fresh()

    def carried(self, node: Node) -> str:
        """The identifier of what an iteration takes from the one before."""
        return self.fresh()

    def bind(self, value: Any) -> str:
        """The identifier of a constant of the function. Equal 0-d arrays share one."""
        key = (value.dtype, content(value)) if isinstance(value, np.ndarray) and value.ndim == 0 else id(value)
        name = self._bound.get(key)
        if name is None:
            name = self._bound[key] = self.fresh("c")
            self.namespace[name] = value
        return name

    def value(self, value: Any) -> str:
        """The source of a value without nodes."""
        return repr(value) if is_literal(value) else self.bind(value)

    def keywords(self, node: Node, names: Mapping[Node, str]) -> list[str]:
        """The source of a call's keyword arguments. Names that are not parameters of the operator
        are passed in a dict.
        """
        if not node.kwargs:
            return []
        own = node.target.signature.parameters  # type: ignore[union-attr]
        texts = {key: self.text(value, names) for key, value in node.kwargs.items()}
        spelled = [f"{key}={text}" for key, text in texts.items() if key in own and _is_plain_name(key)]
        others = [f"{self.bind(key)}: {text}" for key, text in texts.items() if not (key in own and _is_plain_name(key))]
        return spelled + ([f"**{{{', '.join(others)}}}"] if others else [])

    def text(self, arg: Any, names: Mapping[Node, str]) -> str:
        """The source of an argument."""
        kind = type(arg)
        if kind is Node:
            return names[arg]
        if kind not in _CONTAINERS:
            return self.value(arg)
        if not any(type(leaf) is Node for leaf in leaves_of(arg)):
            return self.value(arg)
        if kind is tuple:
            texts = [self.text(item, names) for item in arg]
            whole = self.whole(texts)
            return f"({''.join(text + ', ' for text in texts)})" if whole is None else f"(*{whole},)"
        if kind is list:
            return f"[{', '.join(self.text(item, names) for item in arg)}]"
        if kind is dict:
            return "{" + ", ".join(f"{self.value(key)}: {self.text(item, names)}" for key, item in arg.items()) + "}"
        return f"{self.bind(slice)}({', '.join(self.text(part, names) for part in (arg.start, arg.stop, arg.step))})"

    def subscript(self, index: Any, names: Mapping[Node, str]) -> str:
        """The source of an index within brackets."""
        if type(index) is slice:
            parts = ["" if part is None else self.text(part, names) for part in (index.start, index.stop, index.step)]
            return ":".join(parts if parts[2] else parts[:2])
        if type(index) is tuple and any(type(item) is slice for item in index) and any(type(leaf) is Node for leaf in leaves_of(index)):
            return ", ".join([*[self.subscript(item, names) for item in index], *([""] if len(index) == 1 else [])])
        return self.text(index, names)

    def whole(self, texts: Sequence[str]) -> str | None:
        """The list of which these texts are all items in order."""
        text = texts[0].removesuffix("[0]") if texts else ""
        same = self.lengths.get(text) == len(texts) and all(item == f"{text}[{place}]" for place, item in enumerate(texts))
        return text if same else None

    def errors(self, state: State) -> str:
        """The source of the context manager of an error state."""
        return f"{self.bind(within(state))}()"

    def operands(self, node: Node) -> tuple[Any, ...]:
        """The positional arguments of a node's call."""
        return scalar_operands(node)

    def _instead(self, node: Node) -> Any:
        """A shorter call that does the same for these arguments; ``None`` if there is none."""
        op: Any = node.target
        return None if op.emit.kernel is None else op.emit.kernel(node)

    def _kernel(self, node: Node) -> Any:
        op: Any = node.target
        if node in self.blank:
            return INSTEAD[op.kernel]
        return self._instead(node) or (op.kernel if op.holds is None else op.holds(node))

    def call(self, node: Node, names: Mapping[Node, str], out: str | None, conditional: bool = False) -> str:
        """The source of a node's call. ``out``: an array for the result; ``conditional``: ``out``
        may be ``None`` at run time, and the result is used.
        """
        node = untrapped(node)
        op: Any = node.target
        if op.emit.complexes is not None:
            return self.complexes.text(node, names)
        args = [self.text(arg, names) for arg in self.operands(node)]
        kwargs = self.keywords(node, names)
        template: str | None = op.emit.own(node) if op.emit.own is not None and out is None else ""
        template = template or op.emit.text(len(args), out is not None)
        template = op.emit.filling if out is not None and op.emit.filling and _is_filled(node) else template
        template = None if conditional else template
        if template is not None and "[{1}]" in template and any(type(leaf) is Node for leaf in leaves_of(node.args[1])):
            args[1] = self.subscript(node.args[1], names)
        if template is not None and not kwargs and (not template.startswith("{0}.") or _is_array(node.args[0])):
            return template.format(*args)
        written = args[op.emit.skips :]
        writer = op.emit.writer(node) if op.emit.writer is not None and out == written[0] and not conditional else None
        if writer is not None:
            return f"{self.bind(writer)}({', '.join(written + kwargs)})"
        if out is not None:
            args.append(out if is_elementwise_ufunc(node) and not op.emit.keyword_out else f"out={out}")
        if _is_reduction(op) and len(args) <= 2 and node.kwargs.keys() <= {"axis", "keepdims"} and _is_of_numpy(node.args[0]):
            args += ["None"] if len(args) == 1 and "axis" not in node.kwargs else []
            return f"{self.bind(op.method)}({', '.join(args + kwargs)})"
        if (
            op.emit.method
            and out is None
            and self._instead(node) is None
            and len(args) <= 3
            and node.kwargs.keys() <= {"axis", "ddof", "keepdims", "kind", "order", "side"}
            and _is_array(node.args[0])
        ):
            comes_first = len(args) == 1 and list(node.kwargs) == ["order"] == list(op.signature.parameters)[1:2]
            order = [self.text(node.kwargs["order"], names)] if comes_first else kwargs
            return f"{args[0]}.{op.emit.method}({', '.join(args[1:] + order)})"
        made = self._made(node) if out is None and not node.all_input_nodes else None
        if made is not None:
            return f"{self.bind(made)}.copy()"
        instead = self._instead(node)
        args = args[1:] if instead is not None and op.emit.bound else args
        return f"{self.bind(self._kernel(node))}({', '.join(args + kwargs)})"

    def _made(self, node: Node) -> Any:
        """A small array that a call without operands makes by Python, to be copied; ``None`` of any
        other call.
        """
        op: Any = node.target
        meta = node.meta["val"]
        if op.namespace != "np" or node in self.blank or "blank" in op.traits or isinstance(op.kernel, BuiltinFunctionType):
            return None
        known = isinstance(meta, TensorMeta) and not meta.scalar and all(type(size) is int for size in meta.shape)
        if not known or meta.dtype.kind not in "biufc" or math.prod(meta.shape) * meta.dtype.itemsize > COPIED:
            return None
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                array = op.kernel(*node.args, **node.kwargs)
        except (ArithmeticError, TypeError, ValueError, Warning):  # the call raises or warns itself
            return None
        return array if type(array) is np.ndarray and array.flags.c_contiguous else None


COPIED = 1 << 12
"""The bytes of an array up to which it is copied instead of being made."""


def state_of(node: Node) -> State:
    """The error state of a call: errors that the program handles as exceptions are raised in it."""
    state: State = node.meta.get("errors", ())
    return (*state, *[(kind, "raise") for kind in node.args[1]]) if node.target is ops.np.trapped else state


def untrapped(node: Node) -> Node:
    """The node itself; for a call whose errors become exceptions, the call of its operator."""
    if node.target is not ops.np.trapped:
        return node
    called: Any = REGISTRY.get(node.args[0])
    call = Node(node.name, CALL, called, node.args[2:], node.kwargs, node.meta)
    call.release()
    return call


def _is_reduction(op: Op) -> bool:
    """Whether NumPy's function is this method behind a layer of Python; the axis is its second
    argument, ``None`` for all axes.
    """
    return op.method is not None and op.method.__name__ == "reduce"


def _is_array(arg: Any) -> bool:
    return _is_of_numpy(arg) and not arg.meta["val"].scalar


def _is_of_numpy(arg: Any) -> bool:
    """Whether an argument is an array, or one of NumPy's scalars."""
    return isinstance(arg, Node) and isinstance(arg.meta["val"], TensorMeta)


def _is_filled(node: Node) -> bool:
    """Whether a call writes a number of Python's to all elements of an array, exactly."""
    index, value = node.args[1:]
    dtype: Any = node.meta["val"].dtype
    if not (index is Ellipsis or index == slice(None)) or dtype.kind not in _HOLDS.get(type(value), ""):
        return False
    if type(value) is not int and (type(value) is bool or dtype.char in "dD"):
        return True
    try:
        with np.errstate(all="ignore"):
            return bool(dtype.type(value).item() == value)
    except OverflowError:
        return False


_HOLDS = {bool: "biufc", int: "iufc", float: "fc"}
"""The kinds of dtypes that have numbers of these types."""


def is_literal(value: Any) -> bool:
    """Whether a value is written into the source itself: ``None``, truths, integers of at most 64
    bits, finite floats, and flat tuples of these.
    """
    if type(value) is tuple:
        return all(type(item) is not tuple and is_literal(item) for item in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) is bool or (type(value) is int and abs(value) < 1 << 64)


def code_of(text: str, file: str) -> CodeType:
    """The code object of the one function that a text defines: all generated code is compiled
    here.
    """
    module = compile(text, file, "exec", dont_inherit=True)
    return next(const for const in module.co_consts if isinstance(const, CodeType))


code_again = functools.lru_cache(maxsize=1 << 10)(code_of)
"""The same of texts that a program has again and again, as the layers of a network do."""


def defined(text: str, file: str, namespace: dict[str, Any], code: Callable[[str, str], CodeType] = code_of) -> Any:
    """The function that a text defines. C looks in its globals for ``__import__``, which it needs
    to warn.
    """
    return FunctionType(code(text, file), namespace | {"__builtins__": builtins})


def _is_plain_name(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


MOST_ARRAYS = 4096
_arrays: dict[Any, np.ndarray[Any, Any] | None] = {}
"""Constants as arrays, by what decides them."""


_NUMBERS = bool, int, float, complex, np.generic
_CONTAINERS = frozenset((tuple, list, dict, slice))


def scalar_operands(node: Node) -> tuple[Any, ...]:
    """The arguments, with scalar constants of element-wise ufuncs made into 0-d arrays of the dtype
    that the ufunc would give them, those beside NumPy's scalars into scalars of the same dtype.

    NumPy converts a Python scalar anew in every call, which costs as much as the call. The array
    stands in only where the ufunc then runs the same loop on the same value.
    """
    constants = [index for index, arg in enumerate(node.args) if type(arg) is not Node and isinstance(arg, _NUMBERS)]
    if not constants:
        return node.args
    metas = [arg.meta["val"] for arg in node.args if isinstance(arg, Node)]
    if node.kwargs or not metas or not all(isinstance(meta, TensorMeta) for meta in metas):
        return node.args
    of_arrays = ARRAY_OPERATORS.get(node.target)  # type: ignore[arg-type]
    if of_arrays is not None and len(metas) == 1 and metas[0].dtype.char in _PLAIN:
        array = _as_array(node, constants[0], of_arrays.kernel)
        same = array is not None and array.dtype.char == metas[0].dtype.char
        return tuple([arg if isinstance(arg, Node) or not same else array[()] for arg in node.args])  # type: ignore[index]
    if not is_elementwise_ufunc(node):
        return node.args
    args = list(node.args)
    for index in constants:
        array = _as_array(node, index, node.target.kernel)  # type: ignore[union-attr]
        if array is not None:
            args[index] = array
    return tuple(args)


_PLAIN = "efdbBhHiIlLqQ"
"""The dtypes of scalars to which NumPy converts a Python number before it computes."""


def _as_array(node: Node, index: int, ufunc: Any) -> np.ndarray[Any, Any] | None:
    value = node.args[index]
    text = (value.dtype, value.tobytes()) if isinstance(value, np.generic) else repr(value)
    key = (ufunc, index, text, *[_operand_type(arg) for arg in node.args])
    if key not in _arrays:
        if len(_arrays) > MOST_ARRAYS:
            _arrays.clear()
        _arrays[key] = _new_array(ufunc, index, value, list(key[3:]))
    return _arrays[key]


def _new_array(ufunc: Any, index: int, value: Any, operands: list[Any]) -> np.ndarray[Any, Any] | None:
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
