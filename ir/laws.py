"""The laws of every graph, main or sub-graph, one row per law: a function that yields ``(node or
None, what is wrong)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import keys_of, leaf_key, leaves_of, structural_key
from npexport.ir.error_states import is_state
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, GraphModule, Node, is_name, map_nodes
from npexport.ir.invariants import of_iterations
from npexport.ir.meta import TensorMeta, size_text
from npexport.ir.node import sub_graphs, value_of
from npexport.ir.op import Op
from npexport.ir.ops.fresh import fresh_numbers, makers_of
from npexport.ir.ops.stand_ins import reading
from npexport.ir.printing import node_text, value_text
from npexport.ir.schemas import misfits, types_of_call
from npexport.ir.statics import is_static
from npexport.symshapes import expr as E
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import InternalError, Location, Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.regions import simplify_minmax
from npexport.symshapes.symbolic import Symbolic
from npexport.symshapes.symint import SymBool, is_unbacked, python_type

Finding = tuple[Node | None, str]


class Part(NamedTuple):
    """What these laws examine: a graph, and what is known of sizes wherever it runs: from the
    branches on whose sides it is, and from the loops whose iterations it is part of. ``runs``:
    whether what is known of sizes at all leaves it to be run.
    """

    graph: Graph
    truths: tuple[SymBool, ...] = ()
    loops: tuple[tuple[SymBool, ...], ...] = ()
    runs: bool = True

    def known(self) -> Iterator[tuple[SymBool, ...]]:
        """What may be known of sizes, most of it first: all of it, less and less of the inner
        loops, then of the outer ones. What a rule finds out only grows with what is known.
        """
        depth = len(self.loops)
        for some in (*[self.loops[:end] for end in range(depth, -1, -1)], *[self.loops[start:] for start in range(1, depth)]):
            yield (*self.truths, *chain.from_iterable(some))


def parts_of(part: Part) -> Iterator[Part]:
    """The part, its sub-graphs, and theirs: one side of a branch runs where the condition says
    so, an iteration where its loop goes on, and both after what was checked before them.
    """
    yield part
    checked: tuple[SymBool, ...] = ()
    for node in part.graph.nodes:
        checked += _stated(node)
        holds, iterations = _held_by_sides(node), of_iterations(node, next(part.known()))
        for place, module in enumerate(sub_graphs([node])):
            held, turns = holds[place] if holds else (), iterations if place else ()
            sides = (*part.truths, *checked, *(held or ()))
            loops = (*part.loops, turns) if turns else part.loops
            yield from parts_of(Part(module.graph, sides, loops, part.runs and held is not None and turns is not None))


def _condition(node: Node) -> SymBool | None:
    """What a call asks of sizes by its first argument."""
    value = node.args[0].meta.get("val") if node.args and type(node.args[0]) is Node else None
    return value if type(value) is SymBool else None


def _stated(node: Node) -> tuple[SymBool, ...]:
    """What is known of sizes behind a check; nothing of other nodes."""
    condition = _condition(node) if node.target is ops.control.check else None
    return () if condition is None else (condition,)


def _held_by_sides(node: Node) -> list[tuple[SymBool, ...] | None]:
    """What is known of sizes on each side of a branch, ``None`` on one that is known not to be
    taken; nothing of other nodes.
    """
    if node.target is not ops.control.cond:
        return []
    taken, condition = value_of(node.args[0]), _condition(node)
    if type(taken) is bool:
        return [() if taken is side else None for side in (True, False)]
    if condition is None:
        return []
    return [(condition,), (SymBool(E.negation(condition.expression), condition.env),)]  # as it stands, whatever is known of it later


Law = Callable[[Any], Iterator[Finding]]
OF_EVERY_GRAPH: list[Law] = []
_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None), type(Ellipsis)))


def law(check: Law) -> Law:
    """Add a law to the table."""
    OF_EVERY_GRAPH.append(check)
    return check


def hold(check: Law, part: Any) -> None:
    """Raises ``InternalError`` (E902), with the neighbourhood of the bad node, for the first
    violation of a law.
    """
    for node, problem in check(part):
        where = "" if node is None else "\n" + neighbourhood(part.graph, node)
        name = " ".join((check.__doc__ or check.__name__).split()).rstrip(".")
        raise InternalError("E902", f"{problem}\n  (law: {name}){where}")


def lint(graph: Graph) -> None:
    """Hold a graph and its sub-graphs against the laws of every graph.

    Raises ``InternalError`` (E902).
    """
    for part in parts_of(Part(graph)):
        for check in OF_EVERY_GRAPH:
            hold(check, part)


_REACH = 3
"""The number of lines before and after a node that are shown with a finding."""


def neighbourhood(graph: Graph, node: Node) -> str:
    """The lines of the graph around a node, with the node's own line marked."""
    nodes = graph.nodes
    here = nodes.index(node)
    lines = []
    for other in nodes[max(here - _REACH, 0) : here + _REACH + 1]:
        lines.append(f"  {'-->' if other is node else '   '} {node_text(other)}")
    return "\n".join(lines)


@law
def metas(part: Part) -> Iterator[Finding]:
    """Nodes have a name, a dict of what is known of them, and their places in the source."""
    for node in part.graph.nodes:
        if type(node.name) is not str or type(node.meta) is not dict:
            yield None, f"the node {node.name!r} has the meta {node.meta!r:.80}"
            continue
        trace, modules = node.meta.get("stack_trace", ()), node.meta.get("nn_module_stack", {})
        if type(trace) not in (tuple, list) or not all(isinstance(line, Location) for line in trace) or type(modules) is not dict:
            yield None, f"{node.name} has the stack_trace {trace!r:.80} and the nn_module_stack {modules!r:.80}"


@law
def order_of_kinds(part: Part) -> Iterator[Finding]:
    """A graph is placeholders, then calls, then one output."""
    rank = {PLACEHOLDER: 0, CALL: 1, OUTPUT: 2}
    reached = 0
    for node in part.graph.nodes:
        if rank.get(node.op, -1) < reached or reached == rank[OUTPUT]:
            yield node, f"the nodes' kinds are out of order: {node.name} is of the kind {node.op}"
            return
        reached = rank[node.op]
    if reached != rank[OUTPUT]:
        yield None, "the nodes' kinds are out of order: there is no output"


@law
def names(part: Part) -> Iterator[Finding]:
    """Names are identifiers, each given once."""
    seen: set[str] = set()
    for node in part.graph.nodes:
        if not is_name(node.name):
            yield node, f"{node.name!r} is not an identifier"
        if node.op == PLACEHOLDER and node.target != node.name:
            yield node, f"the placeholder {node.name} has the target {node.target!r}"
        if node.name in seen:
            yield node, f"the name {node.name} is given twice"
        seen.add(node.name)


@law
def single_assignment(part: Part) -> Iterator[Finding]:
    """Every operand precedes its use."""
    defined: set[Node] = set()
    for node in part.graph.nodes:
        for operand in node.all_input_nodes:
            if operand not in defined:
                yield node, f"{node.name} uses {operand.name}, which is not defined before it"
        defined.add(node)


@law
def uses(part: Part) -> Iterator[Finding]:
    """The users of a node are the nodes of its graph whose arguments contain it."""
    used: dict[Node, set[Node]] = {node: set() for node in part.graph.nodes}
    for node in part.graph.nodes:
        for operand in node.all_input_nodes:
            used.setdefault(operand, set()).add(node)
    for node in part.graph.nodes:
        if node.users.keys() != used[node]:
            yield node, f"{node.name} is used by {sorted(user.name for user in used[node])}, not by {list(node.users)}"


@law
def grammar(part: Part) -> Iterator[Finding]:
    """Arguments are nodes, plain values, dtypes, NumPy scalars, exceptions' classes, slices,
    tuples, lists, dicts of those; or results.
    """
    for node in part.graph.nodes:
        if not node.kwargs and all(type(arg) is Node or type(arg) in _PLAIN for arg in node.args):
            continue
        graphs = node.op == CALL and getattr(node.target, "namespace", "") == "control"
        for value in foreign([arg for arg in node.args if not (graphs and type(arg) is GraphModule)]):
            if node.op == OUTPUT and is_static(value):
                continue
            yield node, f"{node.name} has the argument {value!r} of type {type(value).__name__}"
        for value in foreign(node.kwargs):
            yield node, f"{node.name} has the argument {value!r} of type {type(value).__name__}"


def foreign(arg: Any) -> list[Any]:
    """The values in an argument that are not allowed there, keys included."""
    return [*[leaf for leaf in leaves_of(arg) if not _may_stand(leaf)], *[key for key in keys_of(arg) if type(key) is not str]]


def _may_stand(leaf: Any) -> bool:
    kind = type(leaf)
    if kind is Node or kind in _PLAIN or isinstance(leaf, (np.dtype, np.generic)):
        return True
    return isinstance(leaf, type) and issubclass(leaf, BaseException)


@law
def operators(part: Part) -> Iterator[Finding]:
    """Calls are calls of operators that mutate nothing, and their arguments fit the schemas in
    number and type.
    """
    fitting: set[Any] = set()  # the forms of calls that fit
    for node in part.graph.nodes:
        if node.op != CALL:
            continue
        if not isinstance(node.target, Op):
            yield node, f"{node.name} calls {node.target!r}, which is not an operator"
            continue
        form = types_of_call(node)
        if form in fitting:
            continue
        if node.target.is_mutable and node.target.holds is None:
            yield node, f"{node.target} mutates its arguments"
        try:
            bound = node.target.signature.bind(*node.args, **node.kwargs)
        except TypeError as error:
            yield node, f"the arguments do not fit {node.target.schema}: {error}"
            continue
        problems = list(misfits(node, bound))
        for problem in problems:
            yield node, problem
        if not problems and form is not None:
            fitting.add(form)


@law
def error_states(part: Part) -> Iterator[Finding]:
    """Only calls have error states."""
    for node in part.graph.nodes:
        if "errors" in node.meta and not (node.op == CALL and is_state(node.meta["errors"])):
            yield node, f"{node.name} has the error state {node.meta['errors']!r:.80}"


@law
def values(part: Part) -> Iterator[Finding]:
    """Every value's shape and dtype are what the operator's rule says."""
    left: dict[Node, str] | None = None
    if not part.runs:  # no rule can be asked about sizes that are none
        return
    for truths, checked in product(part.known(), (True, False)):
        found = dict(_misdeclared(part.graph, truths, checked))
        left = found if left is None else {node: text for node, text in left.items() if node in found}
        if not left:
            return
    yield from (left or {}).items()


@law
def value_of_the_output(part: Part) -> Iterator[Finding]:
    """The value of the output is that of what it gives."""
    node = part.graph.nodes[-1]
    declared, given = node.meta.get("val"), map_nodes(node.args[0], lambda operand: operand.meta["val"])
    if _kind(declared) != _kind(given):
        yield node, f"the output is declared {value_text(declared)}, and is {value_text(given)}"


def _misdeclared(graph: Graph, truths: tuple[SymBool, ...], checked: bool) -> Iterator[tuple[Node, str]]:
    """The nodes whose values differ from what the rules derive if these truths are known.

    ``checked``: and what the program checks of sizes, which it may not have done yet.
    """
    with ExitStack() as undone:
        fresh: list[Any] = []
        env = ShapeEnv()
        undone.enter_context(reading())
        undone.enter_context(fresh_numbers(*[_remembering(make, fresh) for make in makers_of(env)]))
        for each in graph.environments():
            undone.enter_context(each.speculative())
            if not checked:
                each.facts = each.declared.copy()
            for truth in truths:
                if truth.env is each and each.facts.decide(truth.expression) is not False:
                    each.facts.assume(truth.expression)
        kinds: dict[Node, Any] = {}
        seen: set[Any] = set()
        for node in graph.nodes:
            if node.op == OUTPUT:
                continue
            if "val" not in node.meta:
                yield node, f"{node.name} has no value"
                return
            kinds[node] = _kind(node.meta["val"])
            if node.op == CALL:
                form = _form(node, kinds)
                if form is None or form not in seen:
                    yield from _derived(node, fresh, bool(truths))
                    seen.add(form)
                for truth in _stated(node) if checked else ():
                    if truth.env.facts.decide(truth.expression) is not False:
                        truth.env.facts.assume(truth.expression)


def _remembering(make: Callable[..., Any], fresh: list[Any]) -> Callable[..., Any]:
    """Makes numbers that only data decide, and notes them."""

    def noting(*bounds: Any) -> Any:
        fresh.append(make(*bounds))
        return fresh[-1]

    return noting


def _kind(value: Any) -> Any:
    """A key of a value's dtype and shape. Comparing keys decides nothing about sizes."""
    if isinstance(value, TensorMeta):
        return (value.dtype, value.scalar, *[getattr(size, "expression", size) for size in value.shape])
    if isinstance(value, (tuple, list)):
        return (type(value), *map(_kind, value))
    return (type(value), getattr(value, "expression", value))


def _form(node: Node, kinds: dict[Node, Any]) -> Any:
    """A key of a call and of its declared value: calls of one form make values of one kind.

    ``None`` where there is no such key.
    """
    op: Any = node.target
    if "data_dependent_shape" in op.traits:
        return None

    def key(leaf: Any) -> Any:
        return kinds[leaf] if type(leaf) is Node else leaf_key(leaf)

    named = [(name, structural_key(arg, key)) for name, arg in node.kwargs.items()] if node.kwargs else ()
    form = (op, kinds[node], *[structural_key(arg, key) for arg in node.args], *named)
    try:
        hash(form)
    except TypeError:
        return None
    return form


REFUSES = ("E101", "E122")
"""Codes of calls that an operator's rule refuses, whatever the sizes are."""


def _derived(node: Node, fresh: list[Any], supposed: bool) -> Iterator[tuple[Node, str]]:
    """``fresh``: the numbers made while rules run; a declared size may have another name than one
    that the rule makes. ``supposed``: whether sizes are known to be some alone where this runs.
    """
    op: Any = node.target
    fresh.clear()
    if op.holds is not None:
        try:
            op.holds(node)
        except ValueError as error:
            yield node, f"{op}: {error}"
        return
    args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: operand.meta["val"])
    try:
        value = op.rule(*args, **kwargs)
    except Unsupported as error:
        if error.code in REFUSES or not _names((*args, *kwargs.values())):  # others are undecided without the example's sizes
            yield node, f"the rule of {op} refuses the call: {error.message}"
        return
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever a rule raises is a finding: the call cannot be run
        require_own(error)
        if supposed and type(error) is ZeroDivisionError:
            return  # of such sizes it raises that when it runs, if ever
        yield node, f"the rule of {op} refuses the call: {type(error).__name__}: {error}"
        return
    if not same_value(node.meta["val"], value, _names(fresh) | _made_unknown(node)):
        yield node, f"{node.name} is declared {value_text(node.meta['val'])}, its operator makes {value_text(value)}"


def _made_unknown(node: Node) -> frozenset[str]:
    """The names of sizes of the value that only the data decided when it was recorded. A rule may
    tell them from facts that came later: such a size is any number that the kernel makes.
    """
    operands = _names([operand.meta["val"] for operand in node.all_input_nodes])
    return _names([size for size in _sizes(node.meta["val"]) if is_unbacked(size)]) - operands


def _names(value: Any) -> frozenset[str]:
    """The names in the sizes of a value."""
    return frozenset([name for size in _sizes(value) for name in size.expression.symbols])


def _sizes(value: Any) -> Iterator[Any]:
    for part in (
        chain(*map(_sizes, value)) if isinstance(value, (tuple, list)) else value.shape if isinstance(value, TensorMeta) else (value,)
    ):
        if isinstance(part, Symbolic):
            yield part


def same_value(declared: Any, derived: Any, loose: frozenset[str] = frozenset()) -> bool:
    """Whether two values are of one kind, shape and dtype; ``loose``: the names of sizes that only
    data decide, which may have other names.
    """
    if isinstance(declared, (tuple, list)) and isinstance(derived, (tuple, list)):
        return len(declared) == len(derived) and all(map(lambda a, b: same_value(a, b, loose), declared, derived))
    if isinstance(declared, TensorMeta) and isinstance(derived, TensorMeta):
        if (declared.dtype, declared.ndim, declared.scalar) != (derived.dtype, derived.ndim, derived.scalar):
            return False
        return all(same_size(a, b, loose) for a, b in zip(declared.shape, derived.shape, strict=True))
    if isinstance(declared, TensorMeta) or isinstance(derived, TensorMeta):
        return False
    return same_size(declared, derived, loose)


def same_size(a: Any, b: Any, loose: frozenset[str]) -> bool:
    """Whether two sizes, or other plain values, are known to be equal."""
    symbolic = [size for size in (a, b) if hasattr(size, "expression")]
    if not symbolic:
        return bool(type(a) is type(b) and a == b)
    if loose and not loose.isdisjoint(_names(symbolic)):
        apart = len({id(size.env) for size in symbolic}) > 1  # the same name means other sizes in other environments
        return python_type(a) is python_type(b) and (apart or known(a == b) is not False)
    if size_text(a) == size_text(b):
        return True
    if bool in map(type, (a, b)) and python_type(a) is python_type(b):  # a rule may have known it
        return known(a) is known(b)
    truth = a == b
    if hasattr(truth, "expression") and known(truth) is None:
        # a rule may have known which of two sizes is the smaller one, or a part of a truth
        facts = truth.env.facts
        if python_type(a) is python_type(b) is bool:
            return bool(simplify_minmax(a.expression, facts) == simplify_minmax(b.expression, facts))
        return truth.env.decide(simplify_minmax(truth.expression, facts)) is True
    return known(truth) is True


def is_array(value: Any) -> bool:
    """Whether a value is an array of any rank, not a scalar."""
    return isinstance(value, TensorMeta) and not value.scalar
