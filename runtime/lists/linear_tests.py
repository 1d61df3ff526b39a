"""Comparisons of integers, which graphs have as sums that are not negative, as comparisons of two
numbers: what computes the sum need not be computed, and leaves no bits.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.list_calls import calls
from npexport.symshapes.symint import python_type

_MOST = 1 << 62


class Sum(NamedTuple):
    """``more + constant >= less``, or another ``relation`` of both sides: values of which there is
    one each at most, and one in all.
    """

    more: list[Node]
    less: list[Node]
    constant: int
    relation: str = ">="


def linear_tests(graph: Graph, at_once: Container[Node] = ()) -> tuple[dict[Node, Sum], set[Node]]:
    """The tests of a graph that are such comparisons, and the calls that nothing else needs. What
    is computed ``at_once`` is a value like others: what it is computed of changes later.
    """
    terms: dict[Node, tuple[Mapping[Node, int], int]] = {}
    tests: dict[Node, Sum] = {}
    for node in graph.nodes:
        if node.op != CALL:
            continue
        relation = ">=" if calls(node, ops.sym.ge) else "==" if calls(node, ops.sym.eq) else "!=" if calls(node, ops.sym.ne) else ""
        if relation and node.args[1] == 0 and type(node.args[1]) is int and node.args[0] in terms:
            found = _sum(*_terms(node.args[0], terms), relation)
            if found is not None:
                tests[node] = found
        elif node not in at_once and python_type(node.meta["val"]) is int and (computed := _computed(node, terms)) is not None:
            terms[node] = computed
    unneeded: set[Node] = set()
    needed = {each for test in tests.values() for each in (*test.more, *test.less)}
    for node in reversed(terms):
        if node not in needed and node.users and all(user in tests or user in unneeded for user in node.users):
            unneeded.add(node)
        else:
            needed.update(node.all_input_nodes)
    return tests, unneeded


def _sum(terms: Mapping[Node, int], constant: int, relation: str) -> Sum | None:
    more = [node for node, times in terms.items() if times == 1]
    less = [node for node, times in terms.items() if times == -1]
    one_each = len(more) <= 1 and len(less) <= 1 and 0 < len(more) + len(less) == len(terms)
    return Sum(more, less, constant, relation) if one_each and abs(constant) < _MOST else None


def _terms(value: Any, terms: Mapping[Node, Any]) -> tuple[Mapping[Node, int], int]:
    """The values in a sum, with how often each is in it, and its constant."""
    if type(value) is not Node:
        return {}, value
    return terms.get(value) or ({value: 1}, 0)


def _computed(node: Node, terms: Mapping[Node, Any]) -> tuple[Mapping[Node, int], int] | None:
    """The same of a call that adds, subtracts or negates integers."""
    if any(python_type(value_of(arg)) is not int for arg in node.args):
        return None
    if calls(node, ops.sym.neg):
        found, constant = _terms(node.args[0], terms)
        return {each: -times for each, times in found.items()}, -constant
    sign = 1 if calls(node, ops.sym.add) else -1 if calls(node, ops.sym.sub) else 0
    if not sign:
        return None
    (one, first), (other, second) = (_terms(arg, terms) for arg in node.args)
    all_ = {each: one.get(each, 0) + sign * other.get(each, 0) for each in (*one, *other)}
    return {each: times for each, times in all_.items() if times}, first + sign * second
