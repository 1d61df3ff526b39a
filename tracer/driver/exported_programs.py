"""Exports the module of a program again: the program itself, with the state that the module has
now, for the requested sizes.

Nothing is traced. The program's statements about sizes are made again for the new ones: its ranges
and guards are decided, or become guards, and a promise of a named ``Dim`` beyond them is a
violation, as in any export.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from npexport.ir import stated
from npexport.ir.argument_specs import ConstantArgument
from npexport.ir.contract import assume, relations
from npexport.ir.editing import copied_graph
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta, map_numbers
from npexport.ir.owned import snapshot
from npexport.ir.passes import dead_code
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import ExportGraphSignature, InputKind
from npexport.runtime.modules.module import Module, lifted_inputs
from npexport.runtime.modules.unflatten import UnflattenedModule, is_original
from npexport.symshapes import expr as E
from npexport.symshapes.binding import bind
from npexport.symshapes.constructors import is_float_name
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Location
from npexport.symshapes.guards import LIMIT
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.solver import solve
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.driver.assemble import present
from npexport.tracer.driver.inputs import Inputs, is_generator

_NUMBERS = (SymInt, SymFloat, SymBool)
_FIXED = "the program was exported for this size"


class Held(NamedTuple):
    """A program that runs: the present arrays of its state, by target."""

    module: Any
    program: ExportedProgram
    arrays: dict[str, Any]


def held(f: Any) -> Held | None:
    """The program that a callable runs and nothing else; ``None`` if none, or an edited one."""
    if isinstance(f, Module):
        lifted = lifted_inputs(f._program)
        return Held(f, f._program, {spec.target or "": f._state[node.name] for node, spec in lifted if node.name in f._state})
    if isinstance(f, UnflattenedModule) and is_original(f):
        arrays = vars(f)["_builder"].arrays
        return Held(f, vars(f)["_program"], {target: arrays.get(target) for target in arrays.places})
    return None


def exported_again(f: Any, inputs: Inputs, dynamic_shapes: Any, prefer_deferred: bool) -> ExportedProgram | None:
    """The program that ``f`` runs, for these inputs; ``None`` if there is none, or it requires
    tracing.

    Raises ``InputMismatch``, ``UserError`` and ``ConstraintViolation``.
    """
    found = held(f)
    if found is None or inputs.spec != found.program.call_spec.in_spec:
        return None
    found.module.check_inputs(*inputs.args, **inputs.kwargs)
    sizes = _Sizes(found.program, inputs, dynamic_shapes)
    if not sizes.solved():
        return None
    sizes.say()
    return sizes.program_with(found.arrays, prefer_deferred)


class _Sizes:
    """A program's sizes in terms of new inputs' sizes; ``known``: its symbols in their terms."""

    def __init__(self, program: ExportedProgram, inputs: Inputs, dynamic_shapes: Any) -> None:
        self.old, self.inputs = program, inputs
        self.stack: tuple[Location, ...] = ()
        self.env = ShapeEnv(lambda: self.stack)
        self.bindings = bind(self.env, inputs.specs(dynamic_shapes))
        self.known: dict[str, E.Expr] = {}
        environments = program.graph.environments()
        self.before = environments[0] if environments else ShapeEnv()

    # Sizes

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Each size, or number, of the inputs: as the program has it, and as it is now."""
        users = [node for node, spec in _inputs(self.old) if spec.kind is InputKind.USER_INPUT]
        for node, leaf, new in zip(users, self.inputs.leaves, self.bindings.shapes, strict=True):
            value = node.meta["val"]
            if is_generator(leaf.value):
                continue
            if isinstance(value, TensorMeta):
                yield from zip(value.shape, new, strict=True)
            elif isinstance(value, _NUMBERS) or isinstance(new, _NUMBERS):
                yield value, new

    def solved(self) -> bool:
        """Whether all symbols of the program that its inputs carry are known."""
        if any(isinstance(value, SymFloat) for pair in self.pairs() for value in pair):
            return False
        self.equations = [(_expression(old), _expression(new)) for old, new in self.pairs()]
        for old, new in self.equations:
            if old.is_symbol:
                self.known.setdefault(str(old), new)
        for old, new in self.equations:
            if len(old.terms) == 1 and old.symbols.isdisjoint(self.known):
                ((atom, factor),) = old.terms.items()
                root = E.exact_quotient(new - old.const, E.integer(factor)) if atom.op == "symbol" else None
                if root is not None:
                    self.known[next(iter(old.symbols))] = root
        by_source = dict(self._by_source())
        for guard in self.old.guards:
            for name in guard.truth.symbols - self.known.keys():
                if guard.names.get(name) in by_source:
                    self.known[name] = by_source[guard.names[name]]
        return all(name in self.known or name in self._data for name in self._symbols())

    def _by_source(self) -> Iterator[tuple[str, E.Expr]]:
        """The user's names for the sizes; some symbols became constants or others."""
        for leaf, new in zip(self.inputs.leaves, self.bindings.shapes, strict=True):
            if isinstance(new, tuple):
                yield from ((f"{leaf.path}.shape[{axis}]", _expression(size)) for axis, size in enumerate(new))
            elif type(new) in (int, SymInt):
                yield leaf.path, _expression(new)

    def _symbols(self) -> set[str]:
        """The symbols of the values and guards of the program."""
        found = {name for guard in self.old.guards for name in guard.truth.symbols}

        def note(number: Any) -> Any:
            found.update(number.expression.symbols)
            return number

        for graph in self.old.graph.all_graphs():
            for node in graph.nodes:
                map_numbers(node.meta.get("val"), note)
        return found

    @functools.cached_property
    def _data(self) -> set[str]:
        """The symbols that only data decide."""
        made = {name for name, symbol in self.before.symbols.items() if symbol.hint is None}
        return made | {name for name in self._symbols() - self.before.hints.keys() if is_float_name(name)}

    def say(self) -> None:
        """Repeat the program's statements about its sizes for the new ones, at their places."""
        self._name_data()
        for guard in self.old.guards:
            self.stack = guard.stack
            if guard.is_limit:
                self.env.limit(self.here(guard.truth), guard.reason.removeprefix(LIMIT))
            else:
                self.env.require(self.here(guard.truth), guard.reason, deferred=guard.deferred)
        self.stack = ()
        for old, new in self.equations:
            self.env.require(E.eq(self.here(old), new), _FIXED if old.is_const else "")
        for size, bounds in self.old.ranges.items():
            if size.symbols.isdisjoint(self._data):
                for truth in _within(self.here(size), bounds):
                    self.env.require(truth)

    def _name_data(self) -> None:
        """Keep the names of numbers that only data decide, their bounds, and what operators and
        checks of the program say of them.
        """
        for name, symbol in self.before.symbols.items():
            if symbol.hint is None:
                bounds = self.before.declared.ranges.get(name, symbol.declared)
                size = self.env.create_unbacked(bounds.lower, bounds.upper, symbol.source)
                for truth in _within(size.expression, self.old.ranges.get(size.expression, bounds)):
                    self.env.facts.assume(truth)
        numbers = [int(name[1:]) for name in self._symbols() if is_float_name(name)]
        for _ in range(max(numbers, default=-1) + 1):
            self.env.create_unbacked_float()
        for truth in relations(self.old.graph, self.before):
            self.env.declare(self.here(truth))

    def here(self, value: Any) -> Any:
        """An expression or truth of the program's in terms of the new sizes."""
        return substitute(value, self.known)

    # The program

    def program_with(self, arrays: dict[str, Any], prefer_deferred: bool) -> ExportedProgram:
        """The program for the new sizes, with these arrays as its state."""
        solution = solve(self.env, self.bindings, defer=prefer_deferred)
        self.known = {name: substitute(size, solution.replacements) for name, size in self.known.items()}
        old = self.old
        graph = copied_graph(old.graph)
        stated.restate(graph, self.env, self.known)
        specs = [[replace(spec) for spec in specs] for specs in vars(old.graph_signature).values()]
        for node, spec in zip(graph.placeholders, specs[0], strict=True):
            if spec.kind is InputKind.USER_INPUT and type(node.meta["val"]) is int:
                spec.arg = ConstantArgument(node.name, node.meta["val"])
        assume(self.env, graph, solution.guards)
        self.env.close()
        owners = {name: spec.target or "" for _, spec in lifted_inputs(old) for name in (spec.target or "", *spec.names)}
        held: list[dict[str, Any]] = []
        taken: dict[int, Any] = {}
        for stored in (old.state_dict, old.constants):
            now = {name: arrays.get(owners.get(name, ""), array) for name, array in stored.items()}
            held.append({name: taken.setdefault(id(array), snapshot(array)) for name, array in now.items()})
        program = ExportedProgram(
            graph=graph,
            signature=ExportGraphSignature(*specs),
            state_dict=held[0],
            constants=held[1],
            call_spec=replace(old.call_spec, parameters=self.inputs.parameters),
            range_constraints=present(self.env, graph, solution),
            guards=solution.guards,
            module_call_graph=old.module_call_graph,
            example_inputs=(self.inputs.args, self.inputs.kwargs),
            opset_version=old.opset_version,
            dialect=old.dialect,
        )
        dead_code(program)
        program.validate()
        return program


def _inputs(program: ExportedProgram) -> list[tuple[Node, Any]]:
    return list(zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True))


def _expression(size: Any) -> E.Expr:
    return size.expression if isinstance(size, SymInt) else E.integer(size)


def _within(size: E.Expr, bounds: Any) -> Iterator[Any]:
    if isinstance(bounds.lower, int):
        yield E.ge0(size - bounds.lower)
    if isinstance(bounds.upper, int):
        yield E.ge0(bounds.upper - size)
