"""Inserts decompositions into programs: the definition of an operator in terms of others is traced
for the operands of each call, and replaces it.

The function is exported like a user's program, with arrays of the operands' shapes and dtypes,
every dynamic size an ``AUTO``. The guards of that export must follow from what the program knows of
its sizes; otherwise a user's function is exported again with both sides of its branches on sizes,
and if that does not help, the call stays. Values of the inserted nodes are derived again from the
program's own sizes.
"""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import CellType
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaf_key, leaves_of, map_leaves, structural_key
from npexport.ir.containers import OneOf
from npexport.ir.declared import named
from npexport.ir.decompositions import default_decompositions, rules_of
from npexport.ir.decompositions.calling import Operand, of_operands, with_defaults
from npexport.ir.editing import copied, derived_value, environment_of
from npexport.ir.error_states import over
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.laws import same_value
from npexport.ir.meta import TensorMeta, map_numbers
from npexport.ir.node import value_of
from npexport.ir.op import Op
from npexport.ir.passes import common_subexpressions, dead_code
from npexport.ir.passes.folding import lift
from npexport.ir.printing import value_text
from npexport.ir.program import ExportedProgram
from npexport.ir.raising import may_meet_errors
from npexport.ir.result_forms import FORM, spec_of
from npexport.ir.signature import MUTATIONS
from npexport.ir.verifier import require_valid
from npexport.runtime.modules.module import lifted_inputs
from npexport.symshapes.errors import ExportError, UserError, blamed
from npexport.symshapes.functions import substituted
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.driver.example_operands import examples_of, has_example
from npexport.tracer.driver.exporting import exported
from npexport.tracer.driver.inlined_graphs import Symbols, free_name, inlined
from npexport.tracer.driver.known_sizes import expressions_of, given_to, left_open
from npexport.tracer.effects.run_options import RunOptions

_DEPTH = 20
"""The largest depth of nested decompositions; a deeper one leads back to itself."""


def decompose(program: ExportedProgram, *tables: Mapping[Op, Callable[..., Any]] | None) -> ExportedProgram:
    """A new program in which the operators of the table that is not ``None`` are decomposed; if
    there is none, all that have a decomposition.

    Raises ``UserError`` (E201) for a decomposition that leads back to itself or returns something
    else than its operator, and for two tables.
    """
    require_valid(program)
    core, rules = dict(default_decompositions()), rules_of(tables)
    new = copied(program)
    work = _Decomposer(new, rules)
    for graph in list(new.graph.all_graphs()):
        work.graph(graph, 0)
    for text in work.kept:
        warnings.warn(text, stacklevel=4)
    if work.changed:
        common_subexpressions(new)
        dead_code(new)
    if work.changed or rules == core:
        new.dialect = "CORE" if rules == core else f"CUSTOM-{_fingerprint(rules)}"
    new.validate()
    return new


def _fingerprint(rules: Mapping[Op, Callable[..., Any]]) -> str:
    """A key that is equal for tables of the same operators with functions of the same code."""
    rows = sorted(f"{op} {_code(function)}" for op, function in rules.items())
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:8]


def _code(function: Any) -> str:
    """A text that identifies a function: its code, and the plain values that it holds."""
    code = getattr(function, "__code__", None)
    if code is None:
        return getattr(function, "__qualname__", type(function).__name__)
    cells = tuple([cell.cell_contents for cell in function.__closure__ or () if cell != _EMPTY])
    held = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items(), *cells)
    return f"{_code_text(code)} {[_value_text(value) for value in held]}"


_EMPTY = CellType()


def _code_text(code: Any) -> str:
    return f"{code.co_code.hex()} {code.co_names} {[_value_text(value) for value in code.co_consts]}"


def _value_text(value: Any) -> str:
    if hasattr(value, "co_code"):
        return _code_text(value)
    if isinstance(value, (tuple, frozenset)):
        return str(sorted(map(_value_text, value)) if isinstance(value, frozenset) else [_value_text(item) for item in value])
    return repr(value) if isinstance(value, (*_PLAIN, type(Ellipsis))) else getattr(value, "__qualname__", type(value).__name__)


class _Decomposer:
    """Decomposes the graphs of one program; equal calls are traced once."""

    def __init__(self, program: ExportedProgram, rules: Mapping[Op, Callable[..., Any]]) -> None:
        self.program = program
        self.rules = rules
        self.env = environment_of(program.graph)
        self.traced: dict[Any, ExportedProgram | str | None] = {}
        self.kept: dict[str, None] = {}
        self.changed = False

    def graph(self, graph: Graph, depth: int) -> None:
        """Decompose the calls of one graph, and the results recursively. ``depth``: in how many
        decompositions it was found.
        """
        graph.refresh_users()
        graph.settled = True
        try:
            self.pending(graph, [(node, depth) for node in reversed(graph.nodes) if node.op == CALL and node.target in self.rules])
        finally:
            graph.settled = False

    def pending(self, graph: Graph, pending: list[tuple[Node, int]]) -> None:
        """Decompose these calls, the last one first, each with its depth."""
        while pending:
            node, depth = pending.pop()
            if depth > _DEPTH:
                raise UserError(
                    "E201",
                    f"the decomposition of {node.target} leads back to itself",
                    hint=f"Delete the operator from the table: del table[npexport.{node.target}].",
                )
            made = self.call(graph, node)
            for module in [arg for each in made for arg in each.args if type(arg) is GraphModule]:
                self.graph(module.graph, depth + 1)
            pending += [(each, depth + 1) for each in reversed(made) if each.target in self.rules]

    def call(self, graph: Graph, node: Node) -> list[Node]:
        """Decompose one call; returns the calls that have replaced it, none if it stays."""
        operands = [leaf for leaf in dict.fromkeys(_nodes((node.args, node.kwargs))) if type(leaf.meta["val"]) not in _PLAIN]
        if any(_nodes((node.args, node.kwargs)).count(leaf) > 1 for leaf in _written(node)):  # one value, and two arrays
            return self.stays(node, "one array is given twice, and is written to")
        own = _is_own(node.target, self.rules[node.target])  # type: ignore[index]
        sub = self.trace(node, operands, False)
        if not isinstance(sub, ExportedProgram):
            return [] if sub is None else self.stays(node, sub)
        asked = left_open(sub, operands)
        if asked:
            both = self.trace(node, operands, True)
            if both is None:
                return []
            if not isinstance(both, ExportedProgram) or left_open(both, operands):
                why = f": {both}" if isinstance(both, str) else ""
                return self.stays(node, f"its decomposition needs {asked}, which the program leaves open, and cannot take both sides{why}")
            sub = both
        if own and sub.graph.sub_graphs():
            return []
        inlined = _Inlined(self, graph, node, sub, operands)
        try:
            made = inlined.put(operands)
        except UserError as error:
            if not own and not asked:
                raise
            inlined.take_back()
            return [] if own else self.stays(node, error.message)
        self.changed = True
        return made

    def stays(self, node: Node, why: str) -> list[Node]:
        """Note that a call stays although a user's decomposition is to replace it."""
        if _is_own(node.target, self.rules[node.target]):  # type: ignore[index]
            return []
        place = blamed(node.meta.get("stack_trace") or ())
        self.kept[f"{node.target}{f' in line {place.line} of {place.file}' if place else ''} stays: {why}"] = None
        return []

    def trace(self, node: Node, operands: list[Node], splits: bool) -> ExportedProgram | str | None:
        """The decomposition of a call, or why there is none; ``None`` where it says so itself.
        ``splits``: with both sides of branches on sizes.
        """
        key = node.target, splits, structural_key((node.args, node.kwargs), lambda leaf: _key(leaf, operands))
        if key not in self.traced:
            self.traced[key] = _traced(node, operands, self.rules[node.target], splits)  # type: ignore[index]
        return self.traced[key]


def _is_own(op: Any, function: Callable[..., Any]) -> bool:
    """Whether a decomposition is npexport's own: a call that it cannot be traced for stays."""
    home = getattr(function, "__module__", None) or ""
    return op.decomposition is function and home.startswith(("npexport.ir.decompositions", "numpy."))


def _written(node: Node) -> list[Node]:
    """The operands that a call of a user's operator writes to; it gives back their new values."""
    return [array for arrays in _mutated(node).values() for array in arrays]


def _mutated(node: Node) -> dict[str, list[Node]]:
    """The same by the names of the operator's arguments."""
    op: Any = node.target
    if not op.is_mutable:
        return {}
    given = op.declared.signature.bind(*node.args, **named(node)).arguments
    return {name: _nodes(given.get(name)) for name in op.declared.mutates}


def _is_empty(meta: TensorMeta) -> bool:
    return any(type(size) is int and size == 0 for size in meta.shape)


_PLAIN = (int, float, bool, complex, str, bytes, type(None))


def _nodes(arg: Any) -> list[Node]:
    return [leaf for leaf in leaves_of(arg) if type(leaf) is Node]


def _key(leaf: Any, operands: list[Node]) -> Any:
    """An operand's place and what is known of its value; calls of equal keys are traced once."""
    if type(leaf) is not Node or leaf not in operands:
        return leaf_key(value_of(leaf))
    return operands.index(leaf), value_text(leaf.meta["val"]), getattr(leaf.meta["val"], "scalar", None)


def _traced(node: Node, operands: list[Node], function: Callable[..., Any], splits: bool) -> ExportedProgram | str | None:
    """The decomposition of a call as a program of its operands; why not, where such operands, or
    the two sides of a branch on sizes, cannot be traced.

    A decomposition says itself that it does not apply by raising ``NotImplementedError``.
    """
    own = _is_own(node.target, function)
    strange = next((operand for operand in operands if not has_example(operand.meta["val"])), None)
    if strange is not None:
        return None if own else f"its decomposition cannot be traced with {strange.name}, which is {value_text(strange.meta['val'])}"
    places = {operand: Operand(index) for index, operand in enumerate(operands)}

    def place(leaf: Any) -> Any:
        return places.get(leaf, leaf.meta["val"]) if type(leaf) is Node else leaf

    args, kwargs = map_leaves(node.args, place), map_leaves(named(node), place)
    if not own:
        args, kwargs = with_defaults(node.target, function, args, kwargs)
    program = of_operands(function, args, kwargs)
    try:
        examples, dims = examples_of(operands)
    except NotImplementedError:
        return None if own else f"its decomposition cannot be traced: no examples of the sizes of {node.target}'s operands are known"
    found = exported(program, examples, None, {"operands": dims} if operands else None, _BOTH_SIDES if splits else _AS_EXPORTED)
    if not isinstance(found, BaseException):
        return None if any(_does_not_apply(each) for graph in found.graph.all_graphs() for each in graph.nodes) else found
    if isinstance(found, NotImplementedError) or own:
        return None  # of npexport's own the operator says itself what is wrong with such operands
    if splits:
        return found.message if isinstance(found, ExportError) else f"{type(found).__name__}: {found}"
    found.add_note(f"This is the decomposition of {node.target}.")
    raise found


def _does_not_apply(node: Node) -> bool:
    """Whether a decomposition says of some sizes or data that it does not apply to them."""
    return node.target is ops.control.check and "builtins.NotImplementedError" in node.args


_AS_EXPORTED = RunOptions(unroll=100)
_BOTH_SIDES = _AS_EXPORTED._replace(splits=True)


_NOTHING: Mapping[str, Any] = {}


class _Inlined:
    """The nodes of a traced decomposition, inserted in place of a call."""

    def __init__(self, work: _Decomposer, graph: Graph, node: Node, sub: ExportedProgram, operands: list[Node]) -> None:
        self.program, self.env, self.graph, self.node, self.sub = work.program, work.env, graph, node, sub
        self.symbols = Symbols(self.env, expressions_of(operands))
        self.known = frozenset(name for expression in expressions_of(operands).values() for name in expression.symbols)
        self.writes = {
            place.name: operand for (place, _), operand in zip(given_to(sub), operands, strict=True) if operand in _written(node)
        }
        self.values: dict[Node, Any] = {}
        self.made: list[Node] = []
        self.copied: list[Graph] = []

    def require(self) -> None:
        """Raises ``UserError`` where it cannot be inserted: within a sub-graph, which holds no
        arrays, constants are written out.
        """
        if any(spec.target not in self.writes for spec, _ in self.outputs() if spec.kind in MUTATIONS):
            raise self.misfit("writes to its operands")
        written = {self.writes[spec.target] for spec, _ in self.outputs() if spec.kind in MUTATIONS}
        for name, arrays in _mutated(self.node).items():
            if written.isdisjoint(arrays) and not all(_is_empty(array.meta["val"]) for array in arrays):
                hint = f"Write to it, or raise NotImplementedError for such operands; where nothing changes: {name}[...] = {name}."
                raise self.misfit(f"does not write to {name}, which the operator is declared to mutate", hint)
        if self.graph is not self.program.graph and not all(map(_can_be_written, self.constants().values())):
            raise self.misfit(
                "holds an array that is too large, or of a dtype, to be written out in a branch or loop",
                f"Compute the array, or keep the operator: del table[npexport.{self.node.target}].",
            )

    def outputs(self) -> list[tuple[Any, Any]]:
        """What the decomposition gives: each output's specification, and its value there."""
        return list(zip(self.sub.graph_signature.output_specs, self.sub.graph.output_node.args[0], strict=True))

    def constants(self) -> dict[Node, Any]:
        """The arrays that the decomposition holds."""
        return {node: self.sub.lifted(spec) for node, spec in lifted_inputs(self.sub)}

    def constant(self, node: Node, value: Any) -> Any:
        """The node for an array of the decomposition: a constant of the program, or within a
        sub-graph, which has none, a call that makes it.
        """
        if self.graph is self.program.graph:
            return lift(self.program, node.name, {**self.node.meta, "val": node.meta["val"]}, value)
        if value.size:
            return self.insert(ops.np.array, (value.tolist(), value.dtype), {})
        return self.insert(ops.np.zeros, (value.shape, value.dtype), {})

    def misfit(self, problem: str, hint: str | None = None) -> UserError:
        op: Any = self.node.target
        return UserError("E201", f"the decomposition of {op} {problem}", hint=hint or f"{op.schema} says what it returns.")

    def put(self, operands: list[Node]) -> list[Node]:
        """Insert the nodes, and let the users of the call use their results."""
        self.require()
        given = [node for node, _ in given_to(self.sub)]
        self.values.update({node: self.boxed(operand, node.meta["val"]) for node, operand in zip(given, operands, strict=True)})
        self.values.update({node: self.constant(node, value) for node, value in self.constants().items()})
        before = set(self.env.symbols)
        for node in self.sub.graph.nodes:
            if node.op == CALL:
                args, kwargs = map_nodes((node.args, node.kwargs), self.values.__getitem__)
                self.values[node] = self.place(self.call(self.graph, node, args, kwargs))
        results = self.results()
        self.name_sizes(results, before)
        self.hand_over(self.node, results)
        return [node for node in self.made if node.graph is self.graph]

    def take_back(self) -> None:
        """Erase what has been inserted."""
        for node in reversed(self.made):
            self.graph.erase_node(node)

    def insert(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
        """Insert a call that the decomposition does not contain."""
        return self.place(self.made_call(self.graph, target, args, kwargs, _NOTHING))

    def place(self, node: Node) -> Node:
        self.made.append(self.graph.insert(self.graph.nodes.index(self.node), node))
        return node

    def call(self, graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
        """The call that a call of the decomposition is in ``graph``, its sub-graphs copied."""
        args = tuple([self.sub_graph(arg) if type(arg) is GraphModule else arg for arg in args])
        made = self.made_call(graph, node.target, args, kwargs, node.meta)
        for mine, theirs in _all_sizes(node.meta["val"], made.meta["val"]):
            self.symbols.learn(mine, theirs)
        return made

    def sub_graph(self, module: GraphModule) -> GraphModule:
        taken = [*self.program.graph.all_graphs(), *self.copied]
        copy = inlined(module, free_name(module.name, taken), self.symbols, self.call)
        self.copied.append(copy.graph)
        return copy

    def made_call(self, graph: Graph, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Mapping[str, Any]) -> Node:
        """``meta``: of the node in the decomposition; its error state is within the call's."""
        info: dict[str, Any] = {key: self.node.meta[key] for key in ("stack_trace", "nn_module_stack") if key in self.node.meta}
        info["val"] = derived_value(self.symbols.env, target, args, kwargs)
        if "raises" in meta:
            info["raises"] = True
        state = over(self.node.meta.get("errors", ()), meta.get("errors", ()))
        if state and may_meet_errors(target, (*args, *kwargs.values())):
            info["errors"] = state
        return Node(graph.fresh_name(target.name), CALL, target, args, kwargs, info)

    def results(self) -> Any:
        """The results like the operator's: a node, or a tuple or list of nodes; no operands."""
        outputs = self.outputs()
        found = self.here([leaf for spec, leaf in outputs if spec.kind not in MUTATIONS])
        if self.writes:
            new = dict(
                zip(
                    [self.writes[spec.target] for spec, _ in outputs if spec.kind in MUTATIONS],
                    self.here([leaf for spec, leaf in outputs if spec.kind in MUTATIONS]),
                    strict=True,
                )
            )
            found = [value for value in found if value is not None] + [new.get(operand, operand) for operand in _written(self.node)]
        found = [self.insert(ops.np.construct, (value, value.dtype), {}) if isinstance(value, np.generic) else value for value in found]
        found = [self.boxed(value, kind) for value, kind in itertools.zip_longest(found, _leaves(self.node.meta["val"]))][: len(found)]
        if not all(type(value) is Node for value in found):
            raise self.misfit("returns what it does not compute of its operands")
        shares = {"view", "may_share"} & self.node.target.traits  # type: ignore[union-attr]
        for index, value in enumerate(found):
            if not shares and (value not in self.made or value in found[:index]):
                found[index] = self.insert(ops.np.copy, (value,), {})
        declared = self.node.meta["val"]
        if self.sub.call_spec.out_spec.type is OneOf:
            raise self.misfit("returns values of several kinds, of which sizes or data choose one")
        if len(found) != len(_leaves(declared)) or not self.is_arranged():
            raise self.misfit(f"returns {len(found)} values in another structure")
        return _arranged(declared, iter(found))

    def boxed(self, value: Any, kind: Any) -> Any:
        """A Python number of data as the scalar that stands for it elsewhere; all else as it is."""
        number = type(value.meta["val"]) if type(value) is Node else None
        if not isinstance(kind, TensorMeta) or not kind.scalar or kind.dtype.type is not _SCALARS.get(number):
            return value
        return self.insert(ops.np.construct, (value, kind.dtype), {})

    def here(self, values: list[Any]) -> list[Any]:
        """Values of the decomposition as they are in the program."""
        return [self.values.get(value, value) if type(value) is Node else value for value in values]

    def is_arranged(self) -> bool:
        """Whether the decomposition returns the containers that the operator returns."""
        spec = self.sub.call_spec.out_spec
        if FORM in self.node.kwargs:
            return bool(spec == spec_of(self.node.kwargs[FORM]))
        return bool(self.writes) or isinstance(self.node.meta["val"], (tuple, list)) is not spec.is_leaf

    def name_sizes(self, results: Any, before: set[str]) -> None:
        """Keep the names of sizes that this call lets the data decide; the operator's other sizes
        are told by the operands', and one that the decomposition alone leaves to data may differ.
        """
        declared = self.node.meta["val"]
        made = map_nodes(results, lambda node: node.meta["val"])
        new: dict[str, Any] = {}
        for mine, theirs in _all_sizes(made, declared):
            expression, counted = getattr(mine, "expression", None), getattr(theirs, "expression", None)
            if counted is None or counted.symbols <= self.known:
                continue
            if expression is not None and getattr(expression, "is_symbol", False) and str(expression) not in before:
                new[str(expression)] = counted
        if new:
            for node in (*self.made, *[node for graph in self.copied for node in graph.nodes if "val" in node.meta]):
                node.meta["val"] = map_numbers(node.meta["val"], lambda number: substituted(number, new))
            made = map_nodes(results, lambda node: node.meta["val"])
        if not same_value(declared, made):
            raise self.misfit(f"gives {value_text(made)}, the operator {value_text(declared)}")

    def hand_over(self, node: Node, results: Any) -> None:
        """Let the users of a node use its results, and erase it."""
        if isinstance(results, Node):
            node.replace_all_uses_with(results)
        else:
            for user in list(node.users):
                if user.op == CALL and "projection" in user.target.traits:  # type: ignore[union-attr]
                    self.hand_over(user, results[user.args[1]])
                else:
                    user.args, user.kwargs = map_nodes((user.args, user.kwargs), lambda operand: results if operand is node else operand)
        self.graph.erase_node(node)


def _can_be_written(value: Any) -> bool:
    """Whether few enough Python numbers make the constant."""
    return value.dtype.kind in "biufc" and value.dtype.newbyteorder("=") in _WRITTEN and value.size <= _WRITTEN_OUT


_WRITTEN = frozenset(map(np.dtype, "? b h i l q B H I L Q e f d F D".split()))
_WRITTEN_OUT = 4096


_SCALARS: Mapping[Any, Any] = {SymBool: np.bool_, SymFloat: np.float64, SymInt: np.int64}
"""The type of scalars that NumPy makes of a Python number."""


def _arranged(declared: Any, found: Iterator[Node]) -> Any:
    """The results in the declared structure."""
    if isinstance(declared, (tuple, list)):
        return (list if isinstance(declared, list) else tuple)([_arranged(item, found) for item in declared])
    return next(found)


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]


def _all_sizes(mine: Any, theirs: Any) -> list[tuple[Any, Any]]:
    if isinstance(mine, (tuple, list)) and isinstance(theirs, (tuple, list)):
        return [pair for both in zip(mine, theirs, strict=True) for pair in _all_sizes(*both)]
    if isinstance(mine, TensorMeta) and isinstance(theirs, TensorMeta) and mine.ndim == theirs.ndim:
        return list(zip(mine.shape, theirs.shape, strict=True))
    return [] if isinstance(mine, TensorMeta) else [(mine, theirs)]
