"""Runs of element-wise operators that one call of C computes: NumPy's own loops, one after the
other, over blocks of elements that fit into the cache (`_expressions.c` states the laws).

Without the C extension there are none.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from npexport.ir import numpy_internals
from npexport.ir.graph import Node
from npexport.runtime.blocks.chains import Chain, chains_of, key_of
from npexport.runtime.blocks.exponentials import is_exponential
from npexport.runtime.blocks.expression_calls import Calls, ElementCall
from npexport.runtime.blocks.fusion import Group, runs
from npexport.runtime.blocks.fusion_body import Part
from npexport.runtime.error_state import errors_pass, states_now
from npexport.runtime.extensions import extension
from npexport.runtime.memory.layouts import is_array, is_elementwise_ufunc, is_exact, size_key

COPY = 4
"""The number of operators from which on a copy of the result pays, if the separate nodes take an
array too.
"""
engine: Any
"""The C extension, ``None`` where it was not built."""
try:
    engine = extension("npexport.runtime._expressions")
except ImportError:
    engine = None

FEWEST = 2
"""The number of operators from which on a run pays."""
MOST_AXES = 8
CACHED = 48 << 10
"""The size in bytes of one block of all values."""
STEPS = 512, 8192
"""The least and the largest number of elements in a block, multiples of 64."""
PAIR = 1 << 14
"""Elements up to which a run of two operators pays, which takes each result once and is no chain:
what a call of Python costs is little beside more elements, and one result in between is in the
cache.
"""
DIES = 1 << 13
"""Elements of the results up to which what a run replaces may live on until it ends."""


_ERRORS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}


def tell(names: Sequence[str], errors: bytes) -> bool:
    """Warn of the floating-point errors that operators of these names met, as they would
    themselves; ``False`` if an error stops the call. ``errors``: one bit for each kind.
    """
    if not errors_pass():
        return False
    states = states_now()
    if "print" in states.values():
        return False
    heard = [(1 << place, text) for place, (kind, text) in enumerate(_ERRORS.items()) if states[kind] == "warn"]
    for name, bits in zip(names, errors, strict=True) if heard else ():
        for bit, text in heard if bits else ():
            if bits & bit:
                warnings.warn(f"{text} encountered in {name}", RuntimeWarning, stacklevel=2)
    return True


def _always() -> bool:
    return True


def expression_groups(nodes: Sequence[Node], fixed: Callable[[Node], bool], calls: Calls) -> list[Group]:
    """The runs among these calls that one call of C may compute; ``fixed`` nodes stand by
    themselves.
    """
    if engine is None:
        return []

    def operands(node: Node, made: set[Node], group: Group) -> list[tuple[Node, bool]] | None:
        """The operands from outside, and whether each has the shape of the result; ``None`` where
        the node is not a member of a group that has these members.
        """
        meta = node.meta["val"]
        if not is_array(meta) or meta.ndim > MOST_AXES or calls.of(node) is None:
            return None
        key = size_key(meta)
        if group.members and key != size_key(group.members[0].meta["val"]):
            return None
        metas = [(operand, operand.meta["val"]) for operand in node.all_input_nodes if operand not in made]
        found = [(operand, is_array(value) and size_key(value) == key) for operand, value in metas]
        return found if group.members or any(full for _, full in found) else None

    return [group for group in runs(nodes, fixed, operands) if len(group.members) >= FEWEST and group.outputs]


def most_of(group: Group, calls: Calls) -> int:
    """The number of elements up to which a run pays."""
    if len(group.members) > FEWEST:
        return sys.maxsize
    members = [(node, call) for node in group.members if (call := calls.of(node)) is not None]
    chained = any(len(chain.members) == len(members) for chain in chains_of(members, group.outputs))
    return sys.maxsize if chained else PAIR


class Layout:
    """The places of a group's values: operands, results, registers and constants, in this order."""

    def __init__(self, group: Group, members: Sequence[tuple[Node, ElementCall]]) -> None:
        self.operands = [*group.blocked, *group.whole]
        self.results = list(group.outputs)
        self.registers: list[int] = []  # bytes of an element
        self.constants: list[Any] = []
        self._first = len(self.operands) + len(self.results)
        self._places: dict[Node, int] = {node: place for place, node in enumerate((*self.operands, *self.results))}
        self._free: dict[int, list[int]] = {}
        self._constants: dict[Any, int] = {}
        last = {operand: node for node in group.members for operand in node.all_input_nodes}
        self.calls: list[tuple[Any, tuple[tuple[str, int], ...]]] = []
        self._chains = chains_of(members, group.outputs)
        chain_of = {node: chain for chain in self._chains for node in chain.made}
        waiting: list[Node] = []  # what a chain takes: nothing that it gives may lie there
        for number, (node, call) in enumerate(members):
            found = [self._place(arg) for arg in call.args]
            found.append(self._result(node))
            self.calls.append((call.loop, tuple(found)))
            chain: Chain | None = chain_of.get(node)
            for operand in node.all_input_nodes:
                if last[operand] is node and operand in self._places and self._places[operand] >= self._first:
                    if chain is not None and operand not in chain.made:
                        waiting.append(operand)
                    else:
                        self._release(operand)
            if chain is not None and chain.last == number:
                for operand in waiting:
                    self._release(operand)
                waiting.clear()

    def _release(self, operand: Node) -> None:
        self._free.setdefault(operand.meta["val"].dtype.itemsize, []).append(self._places[operand])

    def _place(self, arg: Any) -> tuple[str, int]:
        if type(arg) is Node:
            return "", self._places[arg]
        key = key_of(arg)
        if key not in self._constants:
            self._constants[key] = len(self.constants)
            self.constants.append(arg)
        return "constant", self._constants[key]

    def _result(self, node: Node) -> tuple[str, int]:
        """A member's place: a register that no operand of its own lies in."""
        if node not in self._places:
            size = node.meta["val"].dtype.itemsize
            free = self._free.get(size)
            if free:
                self._places[node] = free.pop()
            else:
                self._places[node] = self._first + len(self.registers)
                self.registers.append(size)
        return "", self._places[node]

    @property
    def _begin(self) -> int:
        """The place of the first constant."""
        return self._first + len(self.registers)

    def chains(self) -> tuple[Any, ...]:
        """The members of each chain, the size of its elements, and its steps."""
        constants = {key: self._begin + place for key, place in self._constants.items()}
        found = [(chain, chain.steps(self._places, constants)) for chain in self._chains]
        return tuple([(chain.first, chain.last, chain.size, steps) for chain, steps in found if steps is not None])

    def instructions(self) -> tuple[Any, ...]:
        """Each loop with the places of what it takes and gives."""
        begin = self._begin
        return tuple([(loop, tuple([begin + place if kind else place for kind, place in found])) for loop, found in self.calls])


def _is_exact_beside(node: Node, made: set[Node]) -> bool:
    """Whether the layouts of a group's operands affect nothing in what a member computes: what the
    group has ``made`` lies without gaps, in blocks as in eager execution.
    """
    if "exact" in node.target.traits or is_exponential(node):  # type: ignore[union-attr]
        return True
    return made.issuperset(node.all_input_nodes)


def expression_of(group: Group, calls: Calls, most: int = sys.maxsize, spare: bool = False, again: bool = False) -> Any:
    """What computes a group, of up to so many elements; ``None`` where nothing does. ``spare``:
    results may be new arrays where they cannot be computed in those that are given. ``again``:
    whoever gives these has them computed once more where errors stop the run.
    """
    members = [(node, call) for node in group.members if (call := calls.of(node)) is not None]
    if engine is None or len(members) < len(group.members):
        return None
    keys = {size_key(node.meta["val"]) for node in group.members}
    full = {node for node in (*group.blocked, *group.whole) if is_array(node.meta["val"]) and size_key(node.meta["val"]) in keys}
    if len(keys) > 1 or not full:
        return None
    layout = Layout(group, members)
    made = set(group.members)
    exact = all(_is_exact_beside(node, made) for node in group.members)
    results = [node.meta["val"].dtype for node in layout.results]
    return engine.Expression(
        numpy_internals.C_INTERFACE,
        exact,
        (*STEPS, CACHED),
        most,
        spare,
        tuple([(dtype := node.meta["val"].dtype, dtype.type, node in full, dtype.itemsize) for node in layout.operands]),
        tuple([(dtype, dtype.itemsize, dtype.itemsize if dtype.kind == "f" else 0) for dtype in results]),
        tuple(layout.registers),
        tuple(layout.constants),
        layout.instructions(),
        layout.chains(),
        functools.partial(tell, [call.op.name for _, call in members]),
        _always if again else errors_pass,
    )


def parts_of(group: Group, calls: Calls) -> list[Part]:
    """The runs of exact operators of one shape among the members of a group, each of which one call
    of C can compute over a block: rows and columns that are repeated cost it nothing.
    """
    found: list[list[Node]] = [[]]
    for node in group.members:
        alike = bool(found[-1]) and size_key(node.meta["val"]) == size_key(found[-1][0].meta["val"])
        fits = is_elementwise_ufunc(node) and (is_exact(node) or is_exponential(node)) and calls.of(node) is not None
        if not fits or not alike:
            found.append([])
        if fits:
            found[-1].append(node)
    parts = [_part_of(members, group, calls) for members in found if len(members) >= FEWEST or any(map(_repeats, members))]
    return [part for part in parts if part is not None]


def _repeats(node: Node) -> bool:
    """Whether a call takes one element again and again along the last axis: NumPy would copy those,
    if the result has further axes.
    """
    metas = [operand.meta["val"] for operand in node.all_input_nodes]
    return any(is_array(meta) and meta.ndim > 1 and size_key(meta)[-1] == 1 != size_key(node.meta["val"])[-1] for meta in metas)


def _part_of(members: list[Node], group: Group, calls: Calls) -> Part | None:
    made = set(members)
    outside = dict.fromkeys([operand for node in members for operand in node.all_input_nodes if operand not in made])
    outputs = [node for node in members if node in group.outputs or any(user not in made for user in node.users)]
    part = Group(members, members, list(outside), [], outputs)
    expression = expression_of(part, calls, again=True) if outputs else None  # an edit may leave calls that nothing uses
    return None if expression is None else Part(members, list(outside), outputs, expression, engine.run)
