"""The recorder: the only place that makes nodes.

``node`` binds a call, looks for an equal one, applies the rule, and appends. Models use ``call``,
which computes at once if everything is known, makes views for view operators, and wraps results in
proxies.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import key_of, map_leaves
from npexport.ir.error_states import State, tells
from npexport.ir.graph import Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta, holds_data
from npexport.ir.op import Op
from npexport.ir.ops.control import class_of
from npexport.ir.ops.counts import arithmetic, mask_count
from npexport.ir.ops.evaluation import DTYPES, MAX_ELEMENTS, UNKNOWN, number
from npexport.symshapes.errors import InternalError, Location, Unsupported
from npexport.symshapes.functions import sym_float, sym_int
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.analysis.binding import Binder
from npexport.tracer.arrays.core import coercion, object_parameters, protocols, sizes, views
from npexport.tracer.arrays.core.current import Session
from npexport.tracer.arrays.core.data_dependent_errors import Errors, decided
from npexport.tracer.arrays.core.failing_writes import holding
from npexport.tracer.arrays.core.inference import Inference, of_known
from npexport.tracer.arrays.core.listed_memory import Listed
from npexport.tracer.arrays.core.numpy_oracle import require_machine_integers
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, fresh, operands_of, real_arguments, require_length
from npexport.tracer.arrays.core.regions import UNFINISHED, Attempt, left_open, stating
from npexport.tracer.arrays.core.tables import Table
from npexport.tracer.arrays.memory.contents import digest, uniform
from npexport.tracer.arrays.memory.input_aliasing import Overlaps, same_place
from npexport.tracer.arrays.memory.layout import stride_order
from npexport.tracer.arrays.memory.layout_guards import Layouts, require_no_gaps
from npexport.tracer.arrays.memory.layout_inference import inferred_layout
from npexport.tracer.arrays.memory.may_alias import AliasDependsOnData, MayAlias
from npexport.tracer.arrays.memory.model import C_ORDER, Kind, Layout, Link, Placeholder, Storage

Array = np.ndarray[Any, Any]
_PLAIN = frozenset({bool, str, bytes, complex, dict, np.dtype, type(Ellipsis)})


class Recorder:
    """Makes the nodes of one graph.

    ``placeholders``: the outside arrays that the program has used so far, in order of first use.
    """

    def __init__(self, graph: Graph, session: Session) -> None:
        self.graph = graph
        self.session = session
        self.placeholders: list[Placeholder] = []
        self.sizes = sizes.Sizes(self)
        self.layouts = Layouts(session.stack)
        self.overlaps = Overlaps(self, self.layouts)
        self.rearranged = False  # whether the value of a node may have another layout than the program's array
        self._binders: dict[Op, Binder] = {}
        self._nodes = Table()  # by call
        self.fence: Callable[[], str] | None = None  # names the running call of a sub-module that shares no nodes with what is outside
        self.constants = Table()  # nodes by array
        self.literals: set[Node] = set()  # constants that the program makes anew in every call, in memory of their own
        self.passed: dict[Node, Any] = {}  # by check: what the program has written when its exception is raised
        self.uncaught: dict[Node, Errors] = {}  # by call that may raise: the exceptions that no handler gets
        self.raising: list[tuple[Node, Any]] = []  # calls that may raise, each with what the program had written before
        self.unfinished: dict[Any, str] = {}  # by sub-graph: the place that an exception in it leaves in a state in which no call begins
        self.repeats = False  # whether the call that is being recorded has raised nothing before
        self.left: Any = None  # what the call that is being recorded has written if it raises
        self._numbers = Table()  # by node: its value, if it is computed from sizes alone
        self.inference = Inference(session.env)
        self.derived: list[Any] | None = None  # the views whose nodes were made inside a sub-graph
        self.trial: Any = None  # the open trial, if what is recorded may be undone
        self.regions: list[Any] = []  # the sub-graphs that are being recorded, innermost last
        self.may_alias, self.lists = MayAlias(), Listed()
        self.may_alias_at: weakref.WeakKeyDictionary[Storage, tuple[Location, ...]] = weakref.WeakKeyDictionary()  # by the first branch
        self.choices: weakref.WeakKeyDictionary[Storage, Any] = weakref.WeakKeyDictionary()  # `result_identity.Ways`, by memory
        self.mingled: weakref.WeakSet[Storage] = weakref.WeakSet()  # results that may share memory which a side or an iteration makes
        self.given: weakref.WeakSet[Storage] = weakref.WeakSet()  # memory that the program returns as that earlier array itself
        self.aliases: weakref.WeakKeyDictionary[Storage, Any] = weakref.WeakKeyDictionary()  # how such memory is written to (`Alias`)
        self.listed: Storage | None = None  # stands for all lists that loops fill: it may alias what they hold
        self.taken: Storage | None = None  # stands for their items: it may alias what was taken out of a list
        self.growing: Any = None  # makes room in the lists to which an iteration of a loop appends
        self.sub_graphs = 0  # how many control operators were recorded: it numbers their sub-graphs
        self.attempts: dict[Any, Any] = {}  # by call: the number that tells which exception it raises
        self.writes = 0  # how many writes to arrays there were
        self.effects = False  # whether nodes were recorded that nothing may use
        self.generators: dict[int, Any] = {}  # random generators that the program holds, by identity
        self.unseeded: set[int] = set()  # those of them that were made without a seed
        self.drawn: dict[int, ArrayProxy] = {}  # the states that only the graph knows, by the bit generator's identity

    def stack(self) -> tuple[Location, ...]:
        """The user's locations, innermost last."""
        return self.session.stack()

    # Nodes

    def node(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node:
        """The node of this call; arguments are nodes, proxies, sizes and plain values.

        Raises what the operator's rule raises.
        """
        given, named = coercion.with_machine_integers(op, *self.bind(op, args, kwargs or {}))
        args = tuple([self.argument(arg) for arg in given])
        kwargs = {name: self.argument(arg) for name, arg in named.items()} if named else named
        raising, state = self.session.error_state(op, (*args, *kwargs.values()))
        if raising and op is not ops.np.trapped:
            return self.node(ops.np.trapped, (f"{op.namespace}.{op.name}", raising, *args), kwargs)
        key = self._key(op, state, args, kwargs)
        node = None if state and tells(state) else self._nodes.get(key)  # each call reports its own floating-point errors
        if node is None:
            require_machine_integers(op, given, named)
            with stating(self) if self.regions or self.session.in_a_try() else nullcontext(list[Node]()) as stated:
                meta, conditions = self.inference.infer(op, args, kwargs)
                conditions = [*left_open(self, conditions), *[truth.meta["val"] for truth in stated]]
                if (errors := op.errors(args, kwargs)) and decided(op, given, named, args, kwargs, errors):
                    errors = ()
                attempt = Attempt(self, key, (op, args, kwargs, meta, state), stated)
                errors = self.session.not_caught(op, args, errors, conditions, attempt, meta)
                node = self._nodes[key] = self._attempted(attempt, errors, conditions)
                if conditions and not self.regions:
                    self.session.learn(conditions)
        return node

    def _attempted(self, attempt: Attempt, errors: Errors, conditions: list[Any]) -> Node:
        """The node of a call. ``errors``: what leaves the program if it raises; ``conditions``: it
        also raises if one of them does not hold for the sizes.
        """
        if self.repeats or not (errors or conditions):
            return self.append(*attempt.call)
        args = attempt.call[1]
        with holding(self.left):
            left = self.session.written_before(attempt.call[0], errors, conditions, attempt)
        node = self.append(*attempt.call)
        paths = [self.unfinished[arg] for arg in args if type(arg) is GraphModule and arg in self.unfinished]
        self.uncaught[node] = errors
        self._may_raise(node, self._unfinished(left, paths[0]) if paths else left)
        return node

    def _key(self, op: Op, state: State, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """What equal calls have in common."""
        return (op, state, self.fence and self.fence(), *map(key_of, args), *((name, key_of(arg)) for name, arg in kwargs.items()))

    def _may_raise(self, node: Node, left: Any) -> None:
        node.meta["raises"] = True
        self.raising.append((node, left.done))
        for region, changed in zip(self.regions, left.changed, strict=True):
            region.note_raising(node, changed)

    def _unfinished(self, left: Any, path: str) -> Any:
        """``left``, with a note that no call can begin with what is left at ``path``."""
        if self.regions:
            self.regions[-1].unfinished = path
            return left
        return left._replace(done=left.done._replace(others=[*left.done.others, (path, None, UNFINISHED)]))

    def element(self, array: Any) -> Any:
        """The only element of an integer array as a size."""
        value = self.number(array)
        if value is not UNKNOWN and not isinstance(value, np.ndarray):
            return sym_int(value)
        computed = arithmetic(array)
        if computed is not None:
            function, operands = computed
            return function(*map(self.element, operands))
        return self.node(ops.sym.element, (array,)).meta["val"]

    def floating(self, array: Any) -> Any:
        """The only element of an array of floats as a Python float, a new object."""
        value = self.number(array)
        if value is UNKNOWN or isinstance(value, np.ndarray):
            value = self.node(ops.sym.floating, (array,)).meta["val"]
        return SymFloat(value.expression, value.env) if type(value) is SymFloat else sym_float(value)

    def number(self, node: Any) -> Any:
        """The value of a node that is computed from sizes alone: a number, an array of numbers (of
        dtype object), or `UNKNOWN`.
        """
        return number(node, self._numbers)

    def again(self, op: Op, *args: Any, **kwargs: Any) -> Node:
        """A node of its own, even if an equal one exists: for copies that are two arrays."""
        args, kwargs = self.bind(op, args, kwargs)
        args = tuple(map(self.argument, args))
        kwargs = {name: self.argument(arg) for name, arg in kwargs.items()}
        _, state = self.session.error_state(op, (*args, *kwargs.values()))
        return self.append(op, args, kwargs, self.inference.infer(op, args, kwargs)[0], state)

    def declared(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Node:
        """A call of a user's operator, whose results are known here: a node of its own."""
        args = tuple([self.argument(arg) for arg in args])
        kwargs = {name: self.argument(arg) for name, arg in kwargs.items()}
        _, state = self.session.error_state(op, (*args, *kwargs.values()))
        attempt = Attempt(self, self._key(op, state, args, kwargs), (op, args, kwargs, meta, state), [])
        errors = self.session.not_caught(op, args, op.errors(args, kwargs), [], attempt, meta)
        return self._attempted(attempt, errors if op.raises else (Exception,), [])  # that the operator contradicts itself is one

    def effect(self, op: Op, args: tuple[Any, ...], stack: tuple[Any, ...], passed: Any = None) -> None:
        """Record a call for its errors, in the order of the program; ``stack``: where it is;
        ``passed``: what its exception has left.
        """
        args = tuple([self.argument(arg) for arg in args])
        self.effects = True
        left = self.session.written_before(op, (class_of(args[1]),) if op is ops.control.check else (), [], passed=passed, args=args[2:3])
        meta, _ = self.inference.infer(op, args, {})
        node = self.graph.record(op, args, {}, {"val": meta, "stack_trace": stack, "nn_module_stack": self.session.module_stack()})
        self.passed[node] = passed
        self._may_raise(node, left)

    def bind(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call in canonical form."""
        return (self._binders.get(op) or self._binders.setdefault(op, Binder(op)))(args, kwargs)

    def append(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any, state: State) -> Node:
        session = self.session
        info = {"val": meta, "stack_trace": session.stack(), "nn_module_stack": session.module_stack()}
        if state:
            info["errors"] = state
        node = self.graph.record(op, args, kwargs, info)
        if session.on_node is not None:
            session.on_node(node)
        if "data_dependent_shape" in op.traits or op.counts.sizes is not None:
            self.sizes.learn(node, meta)
        return node

    def argument(self, arg: Any) -> Any:
        """The argument as it is represented in the graph: sizes and proxies as nodes."""
        return map_leaves(arg, self._leaf)

    def _leaf(self, arg: Any) -> Any:
        kind = type(arg)
        if kind is ArrayProxy or kind is ScalarProxy:
            return arg.node()
        if kind is Node or kind is int or kind is float or arg is None:
            return arg
        if kind is SymInt or kind is SymBool or kind is SymFloat:
            return self.sizes.node(arg)
        if isinstance(arg, np.ndarray):
            return self.constant(arg)
        return arg if kind in _PLAIN or isinstance(arg, np.generic) else self._of_base(arg)

    def _of_base(self, arg: Any) -> Any:
        """What C reads a user's class as. Other collections of Python are not NumPy's concern."""
        if (read := coercion.of_base(arg)) is not arg:
            return self.argument(read)
        object_parameters.require_held(arg)
        return arg

    # Calls

    def call(self, op: Op, *args: Any, **kwargs: Any) -> Any:
        """The result of a call as the program sees it: proxies, known scalars, sizes, or a tuple or
        list of those.

        Raises what NumPy raises for such shapes and dtypes.
        """
        if protocols.may_run_python(args, kwargs):
            args, kwargs = object_parameters.plain(op, args, kwargs)
        operands: list[Any] = []
        symbolic = operands_of(args, operands)
        if kwargs:
            symbolic |= operands_of(tuple(kwargs.values()), operands)
        known = not symbolic and all(operand.storage is not None and operand.storage.array is not None for operand in operands)
        if "view" in op.traits:
            args, kwargs = (args, kwargs) if args else views.subject_by_place(op, kwargs)
            if args and type(args[0]) is ArrayProxy:
                return views.view(self, op, args[0], args[1:], kwargs, known)
            if args and coercion.is_record(args[0]):
                return coercion.view_of_record(op, args[0], args[1:], kwargs)
            if args and type(args[0]) in coercion.SYMBOLIC and op.view.part != "real":
                return coercion.view_of_number(op, args, kwargs)
        if known:
            return self._compute(op, args, kwargs, operands)
        require_no_gaps(op, operands)
        self.layouts.require_packed(op, operands, args, kwargs)
        node = self.node(op, args, kwargs)
        meta = node.meta["val"]
        if type(meta) is TensorMeta and meta.scalar:
            return ScalarProxy(meta, node)
        if not isinstance(meta, (TensorMeta, tuple, list)):
            return meta
        if isinstance(meta, TensorMeta) and meta.dtype.kind in "SU":
            require_length(meta.dtype, operands, (args, kwargs))
        return self.wrap(node, inferred_layout(op, operands, args, kwargs, meta))

    def wrap(self, node: Node, layout: Any = C_ORDER) -> Any:
        """A fresh array or scalar whose value the node computes; for a tuple, a list with the
        layout of each item is expected.
        """
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
        with self.session.listening():
            result = op.kernel(*real_arguments(args), **real_arguments(kwargs))
        if isinstance(result, np.ndarray) and any(np.may_share_memory(result, operand.array) for operand in operands):
            result = result.copy()
        if type(result := self.known(result)) is ArrayProxy and not operands and "view" not in op.traits:
            result.storage.recipe = (op, *self.bind(op, args, kwargs))
        return result

    def known(self, value: Any) -> Any:
        """A proxy that owns this array, whose data the program may know; tuples and lists of arrays
        likewise; anything else itself.
        """
        if isinstance(value, np.ndarray):
            if not holds_data(value.dtype):
                raise views.no_objects(value.dtype)
            if type(value) is not np.ndarray:
                raise views.no_subclass(value.__class__)
            if value.dtype.kind in "SU" and not value.dtype.itemsize:
                raise Unsupported("E101", "an array holds texts of no characters, for which NumPy makes room in every copy")
            order = stride_order(value) if value.ndim > 1 else None
            storage = Storage(TensorMeta(value.shape, value.dtype), None, value, C_ORDER if order is None else Layout(order))
            storage.hidden = value.base is not None
            return fresh(storage, value)
        if isinstance(value, (tuple, list)):
            items = [self.known(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        return value

    def laid(self, node: Node, axes: tuple[int, ...] | None) -> Node:
        """An array in C order, rearranged so that its axes have this order in memory."""
        if axes is not None:
            node = self.node(ops.np.as_contiguous, (self.node(ops.np.transpose, (node, axes)), "C"))
        return self._turned(node, axes)

    def constant(self, array: Array, recipe: tuple[Op, tuple[Any, ...], dict[str, Any]] | None = None) -> Node:
        """The node of known data: a creation operator if one makes them, otherwise a placeholder
        ``c_...``. Equal data have one node.
        """
        axes = None if 0 in array.strides else stride_order(array)
        if recipe is not None:
            made = of_known(self.node(*recipe), array)
            return self.laid(made, axes)  # operators that make arrays make them in C order
        self.rearranged |= array.ndim > 1 and not array.flags.c_contiguous  # the constant is
        key = (array.dtype, array.shape, axes, digest(array), self.fence and self.fence())
        node = self.constants.get(key)
        if node is None:
            node = self.constants[key] = self._turned(self._constant(array if axes is None else array.transpose(axes)), axes)
            if array.size <= MAX_ELEMENTS and array.dtype in DTYPES:
                self._numbers[node] = array.astype(object) if array.ndim else array.item()
            if array.dtype == np.bool_:
                self.session.count(mask_count(node), int(np.count_nonzero(array)), array.size)
        return node

    def _turned(self, node: Node, axes: tuple[int, ...] | None) -> Node:
        """The array whose axes, in this order, are those of an array in C order.

        The order of memory is kept, since the rounding of NumPy's products and sums depends on it.
        """
        if axes is None:
            return node
        return self.node(ops.np.transpose, (node, tuple([axes.index(axis) for axis in range(len(axes))])))

    def _constant(self, array: Array) -> Node:
        if array.dtype.kind in "biufc" and (array.size == 0 or uniform(array)):
            value = array.dtype.type(0) if array.size == 0 else array[(0,) * array.ndim]
            if not value.tobytes().strip(b"\0"):
                return self.node(ops.np.zeros, (array.shape, array.dtype))
            if value == 1:
                return self.node(ops.np.ones, (array.shape, array.dtype))
            return self.node(ops.np.full, (array.shape, value, array.dtype))
        copy = array.copy(order="C")
        copy.setflags(write=False)
        node = self.use(Placeholder(Kind.LITERAL, f"lifted_array_{len(self.literals)}", copy, TensorMeta(array.shape, array.dtype)))
        self.literals.add(node)
        return node

    def current(self, storage: Storage, link: Link | None) -> Node:
        """The node of the view's present value."""
        if storage.node is None:
            self.materialize(storage)
        if link is None:
            return storage.node  # type: ignore[return-value]
        if link.version == storage.version:
            return link.node  # type: ignore[return-value]
        node = storage.node
        for step in link.chain():
            if step.version != storage.version:
                self.derive(step, self.node(step.op, (node, *step.args), step.kwargs), storage.version)
            node = step.node
        return node  # type: ignore[return-value]

    def derive(self, link: Link, node: Node, version: int) -> None:
        """Note the node of a view: a view that a side of a branch makes outlives its node."""
        link.node, link.version = node, version
        if self.derived is not None:
            self.derived.append(link)

    def known_view(self, storage: Storage, link: Link | None, array: Array) -> Node:
        """The node of a view, ``array``, of a known storage, with the layout of ``array``."""
        if link is not None and array.flags.c_contiguous:
            return self.constant(array)
        node = self.constant(storage.array, storage.recipe)  # type: ignore[arg-type]
        for step in link.chain() if link is not None else ():
            node = self.node(step.op, (node, *step.args), step.kwargs)
        return node

    def materialize(self, storage: Storage) -> None:
        """Make the value of a known storage, or of an outside one, a node."""
        if self.trial is not None:
            self.trial.note(storage)
        if storage.outside is not None:
            storage.node = self.use(storage.outside)
            self.overlaps.catch_up(storage.outside)
        elif storage.array is not None:
            storage.node = self.constant(storage.array, storage.recipe)
            for region in self.regions:
                region.note_demoted(storage)
            storage.layout = Layout(stride_order(storage.array))
            self.rearranged |= storage.layout.order is not None
            storage.array = None
        else:
            raise InternalError("E901", "an array has neither data nor a node")

    def written(self, storage: Storage) -> None:
        """Memory is written to, and was whole (`require_whole`) where the program did so. Raises
        ``Unsupported`` inside a sub-graph if it is not its own (E128, E103).
        """
        self.writes += 1
        if self.trial is not None:
            self.trial.note(storage)
        if self.regions:
            self.regions[-1].note_write(storage)

    def require_whole(self, storage: Storage, what: str) -> None:
        """Raises ``Unsupported`` (E103) for memory if only the data know what else shares it."""
        others = self.may_alias.of(storage)
        if len(others):
            self.session.forget_unread()  # those that nothing else holds are gone
        if self.listed is not None and self.listed in others:
            what = f"the program {what} that a list holds which a loop fills, or which data order"
            raise Unsupported("E103", what, hint="Put a copy into the list: out.append(x.copy()), or write to a copy of the item.")
        if len(others):
            what = f"the program {what} after a branch on data that decides which other array shares its memory"
            raise AliasDependsOnData("E103", what, hint="Copy the array on one side of the branch (.copy()), or choose with np.where.")

    def undoes(self, storage: Storage) -> bool:
        """Whether writes to this memory are undone or refused later: NumPy must not make them."""
        return bool(self.regions) and not self.regions[-1].owns(storage)

    # Outside arrays

    def lift(self, array: Array, path: str, kind: Kind, shape: tuple[Any, ...] | None = None) -> ArrayProxy:
        """A proxy of an outside array; ``shape`` if some sizes are dynamic. Nothing is recorded
        until the program uses it.

        An array that was lifted before keeps its storage; only inputs have a placeholder each,
        since callers pass each.
        """
        if not holds_data(array.dtype):
            raise views.no_objects(array.dtype)
        group = self.overlaps.group(array)
        for placeholder in group:
            if placeholder.kind is kind and kind is not Kind.INPUT and same_place(placeholder.array, array):
                placeholder.paths.append(path)
                return self._outside(placeholder) if array is placeholder.array else views.another(placeholder, array, path)
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
            info = {"val": placeholder.meta, "stack_trace": (), "nn_module_stack": {}}
            placeholder.node = self.graph.placeholder(_name(placeholder), info)
            self.placeholders.append(placeholder)
        return placeholder.node


def _name(placeholder: Placeholder) -> str:
    prefix = {Kind.INPUT: "", Kind.STATE: "b_", Kind.CONSTANT: "c_", Kind.LITERAL: "c_"}[placeholder.kind]
    return prefix + placeholder.path
