"""The recorder: the only place that makes nodes.

``node`` binds a call, finds an equal one, asks the rule, and appends. ``call`` is what models use: it computes at once where all is known,
makes views of view operators, and wraps results in proxies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.rules import open_conditions
from npexport.symshapes.errors import InternalError
from npexport.symshapes.functions import sym_float, sym_int
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays import parameters, protocols, sizes, views
from npexport.tracer.arrays.binding import Binder, key_of
from npexport.tracer.arrays.counts import Count, arithmetic, counted, mask_count
from npexport.tracer.arrays.doubts import Layouts
from npexport.tracer.arrays.layout import C_ORDER, Layout, stride_order
from npexport.tracer.arrays.lifting import Kind, Placeholder, digest, uniform
from npexport.tracer.arrays.lying import lying
from npexport.tracer.arrays.numbers import DTYPES, MAX_ELEMENTS, UNKNOWN, number
from npexport.tracer.arrays.overlaps import Overlaps, same_place
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, fresh, operands_of, real_arguments
from npexport.tracer.arrays.raising import decided, errors_of
from npexport.tracer.arrays.storage import Storage

if TYPE_CHECKING:
    from npexport.tracer.session import Session

Array = np.ndarray[Any, Any]
_SYMBOLIC = (SymInt, SymBool, SymFloat)


_PLAIN = frozenset({bool, str, bytes, complex, dict, np.dtype, type(Ellipsis)})
_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    tuple: lambda items: tuple.__getitem__(items, slice(None)),
    list: lambda items: list.__getitem__(items, slice(None)),
}


class Recorder:
    """Makes the nodes of one graph. ``placeholders``: the outside arrays that the program has used so far, in order of first use."""

    def __init__(self, graph: Graph, session: Session) -> None:
        self.graph = graph
        self.session = session
        self.placeholders: list[Placeholder] = []
        self.sizes = sizes.Sizes(self)
        self.layouts = Layouts(session)
        self.overlaps = Overlaps(self)
        self.rearranged = False  # whether the value of a node may lie in memory otherwise than the program's array
        self._binders: dict[Op, Binder] = {}
        self._nodes: dict[Any, Node] = {}
        self._metas: dict[Any, Any] = {}
        self._constants: dict[Any, Node] = {}
        self._numbers: dict[Any, Any] = {}  # what nodes hold that are computed from sizes alone
        self._counts: Iterator[Count] = iter(())  # of the node whose shape is being inferred
        self._open: list[Any] = []  # what its kernel has to check of the sizes
        self.generators: dict[int, Any] = {}  # random generators that the program made, by identity

    # Nodes

    def node(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node:
        """The node of this call; arguments are nodes, proxies, sizes and plain values. Raises what the operator's rule raises."""
        given, named = self.bind(op, args, kwargs or {})
        args = tuple([self.argument(arg) for arg in given])
        kwargs = {name: self.argument(arg) for name, arg in named.items()} if named else named
        key = (op, *map(key_of, args), *((name, key_of(arg)) for name, arg in kwargs.items()))
        node = self._nodes.get(key)
        if node is None:
            self._counts, self._open = counted(op, args, kwargs), []
            meta = self._infer(op, args, kwargs)
            errors, conditions = errors_of(op, args, kwargs), self._open
            if errors and decided(op, given, named, args, kwargs, errors):
                errors = ()
            self.session.refuse_caught(op, args, errors, conditions)
            node = self._nodes[key] = self._append(op, args, kwargs, meta)
            if errors or conditions:
                node.meta["raises"] = True
        return node

    def element(self, array: Any) -> Any:
        """The only element of an integer array as a size; arithmetic of such is arithmetic of sizes."""
        value = self.number(array)
        if value is not UNKNOWN and not isinstance(value, list):
            return sym_int(value)
        computed = arithmetic(array)
        if computed is not None:
            function, operands = computed
            return function(*map(self.element, operands))
        return self.node(ops.sym.element, (array,)).meta["val"]

    def floating(self, array: Any) -> Any:
        """The only element of an array of floats as a float of Python."""
        value = self.number(array)
        if value is not UNKNOWN and not isinstance(value, list):
            return sym_float(value)
        return self.node(ops.sym.floating, (array,)).meta["val"]

    def number(self, node: Any) -> Any:
        """What a node holds that is computed from sizes alone: a number, a list of numbers, or `UNKNOWN`."""
        return number(node, self._numbers)

    def next_count(self) -> Count | None:
        """What the size counts that the rule that runs asks for, where that has a name."""
        return next(self._counts, None)

    def again(self, op: Op, *args: Any, **kwargs: Any) -> Node:
        """A node of its own, even where an equal one exists: for copies that must not be one array."""
        args, kwargs = self.bind(op, args, kwargs)
        args = tuple(map(self.argument, args))
        kwargs = {name: self.argument(arg) for name, arg in kwargs.items()}
        return self._append(op, args, kwargs, self._infer(op, args, kwargs))

    def bind(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call in canonical form."""
        binder = self._binders.get(op)
        if binder is None:
            binder = self._binders[op] = Binder(op)
        return binder(args, kwargs)

    def _append(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Node:
        session = self.session
        info = {"val": meta, "stack_trace": session.stack(), "nn_module_stack": session.module_stack()}
        node = self.graph.call_function(op, args, kwargs, info)
        if "data_dependent_shape" in op.traits or op is ops.np.getitem:  # whose bounds may be data
            self.sizes.learn(node, meta)
        return node

    def argument(self, arg: Any) -> Any:
        """The argument as it stands in the graph: sizes and proxies as nodes."""
        kind = type(arg)
        if kind is ArrayProxy or kind is ScalarProxy:
            return arg.node()
        if kind is Node or kind is int or kind is float or arg is None:
            return arg
        if kind is tuple or kind is list:
            return kind([self.argument(item) for item in arg])
        if kind is slice:
            return slice(self.argument(arg.start), self.argument(arg.stop), self.argument(arg.step))
        if kind is SymInt or kind is SymBool or kind is SymFloat:
            return self.sizes.node(arg)
        if isinstance(arg, np.ndarray):
            return self.constant(arg)
        return arg if kind in _PLAIN or isinstance(arg, np.generic) else self._of_base(arg)

    def _of_base(self, arg: Any) -> Any:
        """A number, string or sequence of a class of its own (``IntEnum``, a named tuple) as C reads it: as one of the base."""
        for base, convert in _CONVERSIONS.items():
            if isinstance(arg, base):
                return self.argument(convert(arg))
        return arg

    def _infer(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        metas = tuple([_meta(arg) for arg in args])
        named = {name: _meta(arg) for name, arg in kwargs.items()} if kwargs else kwargs
        try:
            key = (op, *map(_static_key, metas), *((name, _static_key(arg)) for name, arg in named.items()))
            found = self._metas.get(key)
        except TypeError:  # something is symbolic, or unhashable
            with open_conditions() as self._open:
                return op.rule(*metas, **named)
        if found is not None:
            return found
        meta = op.rule(*metas, **named)
        if type(meta) is TensorMeta and meta.dtype.hasobject:
            raise views.no_objects(meta.dtype)
        if "data_dependent_shape" not in op.traits:
            self._metas[key] = meta
        return meta

    # Calls

    def call(self, op: Op, *args: Any, **kwargs: Any) -> Any:
        """The result of a call as the program sees it: proxies, known scalars, sizes, or a tuple or list of those.

        Raises what NumPy raises for such shapes and dtypes.
        """
        if protocols.may_run_python(args, kwargs):
            args, kwargs = parameters.plain(op, args, kwargs)
        operands: list[Any] = []
        symbolic = operands_of(args, operands)
        if kwargs:
            symbolic |= operands_of(tuple(kwargs.values()), operands)
        known = not symbolic
        for operand in operands:
            if operand.storage is None or operand.storage.array is None:
                known = False
                break
        if "view" in op.traits and args and type(args[0]) is ArrayProxy:
            return views.view(self, op, args[0], args[1:], kwargs, known)
        if known:
            return self._compute(op, args, kwargs, operands)
        node = self.node(op, args, kwargs)
        meta = node.meta["val"]
        if type(meta) is TensorMeta and meta.scalar:
            return ScalarProxy(meta, node)
        if not isinstance(meta, (TensorMeta, tuple, list)):
            return meta
        return self.wrap(node, lying(op, operands, args, kwargs, meta))

    def wrap(self, node: Node, layout: Any = C_ORDER) -> Any:
        """A fresh array or scalar whose value the node computes; of a tuple, whose layouts are a list, one of each item."""
        meta = node.meta["val"]
        if isinstance(meta, (tuple, list)):
            layouts = layout if isinstance(layout, list) else [layout] * len(meta)
            results = [self.wrap(self.node(ops.sym.item, (node, position)), each) for position, each in enumerate(layouts)]
            return type(meta)(*results) if hasattr(meta, "_fields") else type(meta)(results)
        if not isinstance(meta, TensorMeta):
            return meta
        if meta.scalar:
            return ScalarProxy(meta, node)
        return fresh(Storage(meta, node, None, layout))

    # Known data

    def _compute(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], operands: list[Any]) -> Any:
        result = op.kernel(*real_arguments(args), **real_arguments(kwargs))
        if isinstance(result, np.ndarray) and any(np.may_share_memory(result, operand.array) for operand in operands):
            result = result.copy()
        result = self.known(result)
        if not operands and type(result) is ArrayProxy and "view" not in op.traits:
            args, kwargs = op.bind(args, kwargs)
            result.storage.recipe = (op, args, kwargs)
        return result

    def known(self, value: Any) -> Any:
        """A proxy that owns this array, whose data the program may know; tuples and lists of arrays likewise; anything else itself."""
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise views.no_objects(value.dtype)
            if type(value) is not np.ndarray:
                raise views.no_subclass(type(value))
            storage = Storage(TensorMeta(value.shape, value.dtype), None, value, C_ORDER)
            storage.hidden = value.base is not None
            return fresh(storage, value)
        if isinstance(value, (tuple, list)):
            items = [self.known(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        return value

    def constant(self, array: Array, recipe: tuple[Op, tuple[Any, ...], dict[str, Any]] | None = None) -> Node:
        """The node of known data: a creation operator where one makes it, else a placeholder ``c_...``. Equal data has one node."""
        if recipe is not None:
            return self.node(*recipe)
        self.rearranged |= array.ndim > 1 and not array.flags.c_contiguous  # the constant is
        key = (array.dtype, array.shape, digest(array))
        node = self._constants.get(key)
        if node is None:
            node = self._constants[key] = self._constant(array)
            if array.ndim < 2 and array.size <= MAX_ELEMENTS:
                self._numbers[node] = array.tolist() if array.dtype in DTYPES else UNKNOWN
            if array.dtype == np.bool_:
                self.session.count(mask_count(node), int(np.count_nonzero(array)), array.size)
        return node

    def _constant(self, array: Array) -> Node:
        if array.dtype.kind in "biufc" and (array.size == 0 or uniform(array)):
            value = array.dtype.type(0) if array.size == 0 else array[(0,) * array.ndim]
            if not value.tobytes().strip(b"\0"):
                return self.node(ops.np.zeros, (array.shape, array.dtype))
            if value == 1:
                return self.node(ops.np.ones, (array.shape, array.dtype))
            return self.node(ops.np.full, (array.shape, value, array.dtype))
        number = sum(placeholder.kind is Kind.CONSTANT for placeholder in self.placeholders)
        meta = TensorMeta(array.shape, array.dtype)
        copy = array.copy(order="C")
        copy.flags.writeable = False
        return self.use(Placeholder(Kind.CONSTANT, f"lifted_array_{number}", copy, meta))

    def demote(self, storage: Storage) -> None:
        """Forget the data of a known storage, or begin to use an outside one: its value becomes a node."""
        if storage.outside is not None:
            storage.node = self.use(storage.outside)
            self.overlaps.catch_up(storage.outside)
        elif storage.array is not None:
            storage.node = self.constant(storage.array, storage.recipe)
            storage.layout = Layout(stride_order(storage.array))
            self.rearranged |= storage.layout.order is not None
            storage.array = None
        else:
            raise InternalError("E901", "an array has neither data nor a node")

    # Outside arrays

    def lift(self, array: Array, path: str, kind: Kind, shape: tuple[Any, ...] | None = None) -> ArrayProxy:
        """A proxy of an outside array; ``shape`` where some sizes are dynamic. Nothing is recorded until the program uses it.

        An array that was lifted before keeps its storage; only inputs have a placeholder each, since callers pass each.
        """
        if array.dtype.hasobject:
            raise views.no_objects(array.dtype)
        group = self.overlaps.group(array)
        for placeholder in group:
            if placeholder.kind is kind and kind is not Kind.INPUT and same_place(placeholder.array, array):
                placeholder.paths.append(path)
                return self._outside(placeholder)
        placeholder = Placeholder(kind, path, array, TensorMeta(array.shape if shape is None else shape, array.dtype))
        group.append(placeholder)
        self.sizes.declare(placeholder)
        return self._outside(placeholder)

    def _outside(self, placeholder: Placeholder) -> ArrayProxy:
        proxy = fresh(placeholder.storage)
        proxy.writeable = placeholder.storage.writeable = bool(placeholder.array.flags.writeable)
        return proxy

    def use(self, placeholder: Placeholder) -> Node:
        """The node of an outside array, made at the first use."""
        if placeholder.node is None:
            placeholder.node = self.graph.placeholder(
                _name(placeholder), {"val": placeholder.meta, "stack_trace": (), "nn_module_stack": {}}
            )
            self.placeholders.append(placeholder)
        return placeholder.node


def _name(placeholder: Placeholder) -> str:
    prefix = {Kind.INPUT: "", Kind.STATE: "b_", Kind.CONSTANT: "c_"}[placeholder.kind]
    return prefix + placeholder.path


def _meta(arg: Any) -> Any:
    """What a rule sees of an argument."""
    kind = type(arg)
    if kind is Node:
        return arg.meta["val"]
    if kind is tuple or kind is list:
        return kind([_meta(item) for item in arg])
    if kind is slice:
        return slice(_meta(arg.start), _meta(arg.stop), _meta(arg.step))
    return arg


def _static_key(arg: Any) -> Any:
    """Like ``key_of``, for metas; raises ``TypeError`` where a size is dynamic."""
    kind = type(arg)
    if kind is TensorMeta:
        for size in arg.shape:
            if type(size) is not int:
                raise TypeError
        return arg
    if kind in _SYMBOLIC:
        raise TypeError
    if isinstance(arg, (tuple, list)):
        return (kind, *map(_static_key, arg))
    if kind is slice:
        return slice, _static_key(arg.start), _static_key(arg.stop), _static_key(arg.step)
    return key_of(arg)
