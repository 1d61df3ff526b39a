"""``cond``, ``while_loop``, ``scan`` and ``map`` while tracing: each function becomes a sub-graph
of one node.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from npexport.ir import ops
from npexport.ir.containers import RESULTS_ALONE
from npexport.ir.graph import GraphModule, Node
from npexport.ir.identities import specs_of
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS, element_of, fits
from npexport.ir.pytree import TreeSpec, Unbounded, tree_flatten
from npexport.runtime.operators import control_flow as eager
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.functions import sym_bool
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.parameters import FLAG, TRUTH, require
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core import filled_list_kinds, generators
from npexport.tracer.arrays.core.generators import CarryNeeded
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import Region, sub_graphs
from npexport.tracer.bytecode.spans import location
from npexport.tracer.control.branches import truth_of_data
from npexport.tracer.control.leaves import is_value, meta_of, text_of
from npexport.tracer.effects.snapshots import snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, holds
from npexport.tracer.models.operators.checking import require_truth
from npexport.tracer.models.registry import models

_RAISES = "Check what may raise before the call, or with npexport.check, which checks it when the program runs."


def _flatten(value: Any) -> tuple[list[Any], TreeSpec]:
    try:
        leaves, spec = tree_flatten(value)
    except Unbounded as error:
        raise eager.mismatch(f"what a function gives {error}") from None
    if spec.is_open:
        union = holds(value)
        raise filled_list_kinds.refused("goes into explicit control flow, or comes out of it") if union is None else NeedsCaseSplit(union)
    return leaves, spec


def _is_static(one: Any, other: Any) -> bool:
    """Whether two leaves that do not belong to the graph are the same."""
    if type(one) is frozenset and type(other) is frozenset:
        return {(type(each), each) for each in one} == {(type(each), each) for each in other}
    return one is other or (type(one) is type(other) and type(one) in (str, bytes, complex) and one == other)


def _is_of_data(size: Any) -> bool:
    return is_symbolic(size) and any(name not in size.env.hints for name in size.expression.symbols)


def _own(leaf: Any) -> Any:
    return leaf.copy() if type(leaf) is ArrayProxy else leaf


class Carried:
    """The earlier bit generators that functions of explicit control flow draw from, found by
    running these: their states go in and out.

    ``enters``: whether states come in with every iteration; otherwise they are the earlier ones.
    """

    def __init__(self, enters: bool) -> None:
        self._enters = enters
        self._bit_generators: list[Any] = []
        self.begun: list[Any] = []

    def __bool__(self) -> bool:
        return bool(self._bit_generators)

    def run(self, build: Callable[[], Any]) -> Any:
        """The result of ``build``, once all generators are known."""
        while True:
            try:
                return build()
            except CarryNeeded as need:
                if any(need.bit_generator is one for one in self._bit_generators):
                    raise
                generators.state_of(need.bit_generator)
                self._bit_generators.append(need.bit_generator)

    def first(self) -> list[Any]:
        """The states before."""
        return [generators.state_of(one) for one in self._bit_generators]

    def begin(self, region: Region) -> None:
        """Begin a function with the states that come in, whose nodes are ``begun``."""
        self.begun = []
        for one in self._bit_generators:
            state = region.enter(generators.state_of(one).meta, "state") if self._enters else generators.copied(one)
            region.recorder.drawn[id(one)] = state
            region.carried.add(id(one))
            self.begun.append(state.node())

    def states(self) -> list[Any]:
        """The nodes of the present states."""
        return [state.node() for state in self.first()]

    def settle(self, results: list[Any]) -> None:
        """Set the states to those after the call."""
        for one, result in zip(self._bit_generators, results, strict=True):
            generators.require_own(one)
            generators.advance(one, result)


class _Iteration:
    """A function of the program in a region of its own; its result: ``leaves`` and ``spec``."""

    def __init__(
        self,
        world: ShadowedWorld,
        vm: Machine,
        fn: Any,
        make: Callable[[Region], tuple[Any, ...]],
        pick: Callable[[Any], Any] = lambda r: r,
        carried: Carried | None = None,
    ):
        """``make(region)`` returns the arguments, ``pick`` what is used of the result; ``carried``:
        the generators that it may draw from.
        """
        code = getattr(inspect.unwrap(fn), "__code__", None)
        self.shown = f"`{getattr(fn, '__name__', type(fn).__name__)}`" + ("" if code is None else f" (line {location(code, None).line})")
        self.region = Region(world.recorder, self.shown)
        with snapshot(world, vm, (fn,)) as before, self.region:
            args = make(self.region)
            try:
                result = vm.run(fn, args, {})
            except CarryNeeded:
                touched = before.effect()
                if touched is not None:
                    raise self.region.refusal(touched) from None
                raise
            except (ExportError, RecursionError, KeyboardInterrupt):
                raise
            except Exception as error:
                require_own(error)
                raise Unsupported("E128", f"{self.shown} raises {type(error).__name__}: {error}", hint=_RAISES) from error
            touched = before.effect()
            if touched is not None:
                raise self.region.refusal(touched)
            self.leaves, self.spec = _flatten(pick(result))
            for path, leaf in zip(self.spec.paths("result"), self.leaves, strict=True):
                if isinstance(meta_of(leaf), TensorMeta) and leaf.dtype.kind == "V" and leaf.meta.scalar:
                    raise eager.mismatch(f"`{path}` of {self.shown} is a record")
            self.nodes = [world.recorder.argument(leaf) if is_value(leaf) else leaf for leaf in self.leaves]
            self.states = [] if carried is None else carried.states()
            self.draws = carried is not None and self.states != carried.begun

    def give(self, places: list[int]) -> None:
        """The outputs of the sub-graph."""
        self.region.outputs = tuple([self.nodes[place] for place in places])

    def give_carry(self, carries: list[int], others: list[int]) -> None:
        """The outputs of a sub-graph that carries values from iteration to iteration: those, the
        states of generators, and everything else.
        """
        self.region.outputs = (*[self.nodes[p] for p in carries], *self.states, *[self.nodes[p] for p in others])


def _graphs(world: ShadowedWorld, iterations: dict[str, _Iteration]) -> tuple[list[GraphModule], tuple[Any, ...]]:
    return sub_graphs(world.recorder, {role: iteration.region for role, iteration in iterations.items()})


def _results(world: ShadowedWorld, node: Any) -> list[Any]:
    return list(world.recorder.wrap(node))


def _bound(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    bound = inspect.signature(fn).bind(*args, **kwargs)
    bound.apply_defaults()
    for name, kind in eager.PARAMETERS[fn.__name__].items():
        value = bound.arguments[name]
        of_data = is_symbolic(value) or truth_of_data(value) is not None
        if kind is TRUTH:
            require_truth(name, value)
        if kind not in (FLAG, TRUTH) or not of_data:  # a branch on data is refused as all are
            require(name, value, kind)
    return bound.arguments


@models("npexport.runtime.operators.control_flow", "cond")
def cond(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = _bound(fn, args, kwargs)
    pred, operands = given["pred"], tuple(given["operands"])
    truth = truth_of_data(pred)
    if truth is None:
        truth = sym_bool(pred) if is_symbolic(pred) else bool(pred)
    decided = known(truth)
    if decided is not None:
        leaves, spec = _flatten(vm.run(given["true_fn"] if decided else given["false_fn"], operands, {}))
        return spec.unflatten(map(_own, leaves))
    carried = Carried(enters=False)

    def make(region: Region) -> tuple[Any, ...]:
        carried.begin(region)
        return operands

    one, other = carried.run(lambda: [_Iteration(world, vm, given[name], make, carried=carried) for name in ("true_fn", "false_fn")])
    eager.require_structure(one.spec, other.spec, f"the result of {one.shown}, beside {other.shown},")
    places = []
    for place, (path, left, right) in enumerate(zip(one.spec.paths("result"), one.leaves, other.leaves, strict=True)):
        if is_value(left) and is_value(right) and fits(meta_of(left), meta_of(right)):
            if not (type(left) is type(right) and type(left) in NUMBERS and repr(left) == repr(right)):
                places.append(place)
        elif is_value(left) or is_value(right) or not _is_static(left, right):
            raise eager.mismatch(f"`{path}` is {text_of(left)} after {one.shown}, and {text_of(right)} after {other.shown}")
    one.give_carry(places, [])
    other.give_carry(places, [])
    (true_graph, false_graph), values = _graphs(world, {"true_graph": one, "false_graph": other})
    leaves = list(one.leaves)
    results = _results(world, world.recorder.node(ops.control.cond, (truth, true_graph, false_graph, values)))
    for place, value in zip(places, results, strict=False):
        leaves[place] = value
    carried.settle(results[len(places) :])
    return one.spec.unflatten(leaves)


def _enter(region: Region, leaves: list[Any]) -> list[Any]:
    """The leaves of a carry as they come in with every iteration."""
    return [region.enter(meta_of(leaf), "carry") if is_value(leaf) else leaf for leaf in leaves]


_KEPT = (str, bytes, set)
"""Values of data that eager control flow compares: a carry is the same one after an iteration."""


_COPYING = {"permutation", "c_order"}


def _is_same(iteration: _Iteration, place: int, begun: Any) -> bool:
    """Whether a leaf of the result is what came in; bytes are made of it again."""
    leaf, node = iteration.leaves[place], iteration.nodes[place]
    while type(node) is Node and (node.args[1:] == (Ellipsis,) or (len(node.args) == 1 and node.target.traits >= _COPYING)):  # type: ignore[union-attr]
        node = node.args[0]
    return _is_static(leaf, begun) or (type(begun) is ArrayProxy and node is begun.node())


def _require_next(iteration: _Iteration, spec: TreeSpec, after: TreeSpec, leaves: list[Any], begun: list[Any]) -> None:
    """Raises ``Unsupported`` (E127) unless what an iteration returns has the structure ``after`` it
    that it had before, and its first leaves are of the kinds in which they came in (``begun``).
    """
    eager.require_structure(spec, after, f"the carry of {iteration.shown}")
    for made, first in specs_of(spec):
        places = range(first, first + made.num_leaves if made.type in _KEPT else first)
        if not all(_is_same(iteration, place, begun[place]) for place in places):
            kind: Any = made.type
            raise eager.mismatch(f"the carry of {iteration.shown} holds {with_article(kind.__name__)} of data, which changes")
    for path, old, new in zip(spec.paths("carry"), leaves, iteration.leaves[: len(leaves)], strict=True):
        fit = fits(meta_of(old), meta_of(new)) if is_value(old) and is_value(new) else _is_static(old, new)
        if not fit:
            raise eager.mismatch(f"`{path}` is {text_of(old)} before {iteration.shown}, and {text_of(new)} after it")


@models("npexport.runtime.operators.control_flow", "while_loop")
def while_loop(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = _bound(fn, args, kwargs)
    leaves, spec = _flatten(tuple(given["carried_inputs"]))
    carried, begun = Carried(enters=True), list[Any]()

    def make(region: Region) -> Any:
        begun[:] = _enter(region, leaves)
        carried.begin(region)
        return spec.unflatten(begun)

    body = carried.run(lambda: _Iteration(world, vm, given["body_fn"], make, eager.carried, carried))
    _require_next(body, spec, body.spec, leaves, begun)
    going = _Iteration(world, vm, given["cond_fn"], make, _as_truth, carried)
    if going.draws:
        raise going.region.refusal("draws from a generator that exists before")
    places = [place for place, leaf in enumerate(leaves) if is_value(leaf)]
    body.give_carry(places, [])
    going.give([0])
    graphs, values = _graphs(world, {"while_loop_cond_graph": going, "while_loop_body_graph": body})
    first = tuple([world.recorder.argument(value) for value in (*[leaves[place] for place in places], *carried.first())])
    results = _results(world, world.recorder.node(ops.control.while_loop, (*graphs, first, values)))
    for place, value in zip(places, results, strict=False):
        leaves[place] = value
    carried.settle(results[len(places) :])
    return spec.unflatten(leaves)


def _as_truth(value: Any) -> Any:
    truth = truth_of_data(value)
    return truth if truth is not None else sym_bool(value) if is_symbolic(value) else bool(eager.goes_on(value))


@models("npexport.runtime.operators.control_flow", "scan")
def scan(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = _bound(fn, args, kwargs)
    dim = int(given["dim"]) if is_symbolic(given["dim"]) else given["dim"]
    return _scan(world, vm, given["combine_fn"], given["init"], given["xs"], dim, bool(given["reverse"]))


@models("npexport.runtime.operators.control_flow", "map")
def map_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = _bound(fn, args, kwargs)
    return _scan(world, vm, given["f"], None, given["xs"], 0, False, given["args"])


def _scan(
    world: ShadowedWorld, vm: Machine, fn: Any, init: Any, xs: Any, dim: int, reverse: bool, more: tuple[Any, ...] | None = None
) -> Any:
    """``more``: the further arguments of ``map``, which has no carry."""
    leaves, spec = _flatten(init) if more is None else _flatten(())
    arrays, structure = _flatten(xs)
    eager.length_along([array if type(array) is ArrayProxy else None for array in arrays], dim)
    carries = [place for place, leaf in enumerate(leaves) if is_value(leaf)]
    pair: list[TreeSpec] = []
    carried, begun = Carried(enters=True), list[Any]()

    def make(region: Region) -> tuple[Any, ...]:
        begun[:] = _enter(region, leaves)
        carry = spec.unflatten(begun)
        carried.begin(region)
        x = structure.unflatten([region.enter(element_of(array.meta, dim), "x") for array in arrays])
        return (carry, x) if more is None else (x, *more)

    def pick(result: Any) -> Any:
        carry, y = eager.pair_of(result) if more is None else ((), result)
        pair[:] = [_flatten(carry)[1], _flatten(y)[1]]
        return carry, y

    iteration = carried.run(lambda: _Iteration(world, vm, fn, make, pick, carried))
    _require_next(iteration, spec, pair[0], leaves, begun)
    for made, _ in specs_of(pair[1]):
        if made.type in RESULTS_ALONE:  # its parts could be stacked, and would be those of another value
            raise eager.unstackable(f"`y` of {iteration.shown}", f"made of {with_article(made.type.__name__)} of data")
    for path, y in zip(pair[1].paths("y"), iteration.leaves[len(leaves) :], strict=True):
        shape = meta_of(y).shape if isinstance(meta_of(y), TensorMeta) else ()
        if not is_value(y) or any(map(_is_of_data, shape)):
            raise eager.unstackable(f"`{path}` of {iteration.shown}", text_of(y))
        if not -len(shape) - 1 <= dim <= len(shape):
            raise eager.mismatch(f"`{path}` of {iteration.shown} is {text_of(y)}, which cannot be stacked along axis {dim}")
    ys = iteration.leaves[len(leaves) :]
    shapes = tuple([tuple(meta_of(y).shape) if isinstance(meta_of(y), TensorMeta) else () for y in ys])
    iteration.give_carry(carries, list(range(len(leaves), len(iteration.leaves))))
    first = (*[leaves[place] for place in carries], *carried.first())
    if more is None or carried:
        (graph,), values = _graphs(world, {"scan_combine_graph": iteration})
        node = world.recorder.node(ops.control.scan, (graph, first, tuple(arrays), values, dim, reverse, shapes))
    else:
        (graph,), values = _graphs(world, {"map_body_graph": iteration})
        node = world.recorder.node(ops.control.map, (graph, tuple(arrays), values, shapes))
    results = _results(world, node)
    for place, value in zip(carries, results, strict=False):
        leaves[place] = value
    carried.settle(results[len(carries) : len(first)])
    stacked = pair[1].unflatten(results[len(first) :])
    return stacked if more is not None else (spec.unflatten(leaves), stacked)
