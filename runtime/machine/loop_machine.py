"""Loops over numbers and elements of arrays in the machine of the C extension `_loops`, where it
was built: instructions instead of the compiler of `npexport.runtime.machine.scalar_loops`.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.extensions import extension
from npexport.runtime.kernels.control_flow import with_room
from npexport.runtime.machine.loop_assembler import MOST_AXES, Assembler, Given
from npexport.runtime.machine.scalar_loop_code import Loop, loop_of
from npexport.runtime.machine.scalar_operations import BOOL, FLOAT, FLOATS, INT, NP_BOOL, NP_FLOAT, NP_INT
from npexport.runtime.memory.inherited_memory import block_of

try:
    _loops: Any = extension("npexport.runtime._loops")
except ImportError:
    _loops = None

ALONE = (-1, 0)
DONE = 0
"""What a machine says first where all iterations are made."""
_MOST_CARRIES = 4096
_LETTERS = {INT: "i", FLOAT: "d", BOOL: "b", NP_INT: "I", NP_FLOAT: "D", NP_BOOL: "B"}
_TYPES = (np.ndarray, np.int64, np.float64, np.bool_, with_room)


class Machine(NamedTuple):
    """The machine of a loop."""

    loop: Loop

    def call(self, places: Sequence[tuple[int, int]]) -> Callable[..., tuple[Any, ...]]:
        """What takes the carries and operands, and gives what the machine says and the carries
        after all iterations that it makes exactly. ``places``: the list and the place of each
        carry that is an item of a list; the lists follow the operands and have the items of then.
        Other carries, `ALONE`, are given and returned by themselves.
        """
        places = places if any(place != ALONE for place in places) else ()
        machine: Callable[..., tuple[Any, ...]] = machine_of(self.loop, places)
        alone = sum(place == ALONE for place in places) if places else len(self.loop.carries)
        return functools.partial(_if_quiet, machine, alone) if self.loop.of_numpy else machine

    def some(self) -> Callable[..., tuple[Any, ...]]:
        """The same of so many iterations at most, without lists."""
        machine = machine_of(self.loop)
        some: Callable[..., tuple[Any, ...]] = machine.some
        return some


def is_built() -> bool:
    return _loops is not None


def machine_of(loop: Loop, places: Sequence[tuple[int, int]] = ()) -> Any:
    """The machine of a loop, whose ``some`` makes so many iterations at most; ``places``: of the
    carries in lists.
    """
    names = [f"c{index}" for index in range(len(loop.carries))] + [f"g{index}" for index in range(len(loop.operands))]
    kinds: Sequence[Any] = (*loop.carries, *loop.operands)
    parameters = {name: _parameter(number, kind) for number, (name, kind) in enumerate(zip(names, kinds, strict=True))}
    code, registers = Assembler(_loops.OPERATIONS, parameters, loop.constants, loop.tables, len(loop.carries)).assemble(loop.text)
    forms = tuple([kind if type(kind) is tuple else _LETTERS[kind] for kind in kinds])
    return _loops.Loop(code, registers, len(loop.carries), forms, _TYPES, array("i", chain.from_iterable(places)).tobytes())


def _parameter(number: int, kind: Any) -> str | Given:
    if type(kind) is tuple:
        dtype, rank = kind
        return Given(number, "d" if dtype.kind == "f" else dtype.kind, rank)
    return "d" if kind in FLOATS else "i"


def machines_of(graph: Graph, within: bool = False) -> dict[Node, Machine]:
    """The machines of the loops of a graph and its branches, and of those in loops that have
    none. ``within``: whether a loop is around the graph.
    """
    found: dict[Node, Machine] = {}
    for node in graph.nodes if is_built() else ():
        block = block_of(node)
        loop = _written(node, within) if block is not None and block.loops else None
        if loop is not None:
            found[node] = Machine(loop)
        elif block is not None:
            for side in block.graphs:
                found |= machines_of(side, within or block.loops)
    return found


def outermost(graph: Graph) -> set[Node]:
    """The loops with machines that no other loop is around."""
    found = set[Node]()
    for node in graph.nodes if is_built() else ():
        block = block_of(node)
        if block is not None and not block.loops:
            found |= set[Node]().union(*map(outermost, block.graphs))
        elif block is not None and _written(node, False) is not None:
            found.add(node)
    return found


def _written(node: Node, within: bool) -> Loop | None:
    """The function of a loop for the machine. One that begins again and again looks for keys among
    few alone, for it makes anew what it finds others by; and so does one whose products may leave
    64 bits: Python goes on with it.
    """
    few = within or any(_multiplies(each) for each in node.args[1].graph.all_graphs())
    loop = loop_of(*node.args, writes=True, few=few) if len(node.args[2]) <= _MOST_CARRIES else None
    if loop is None or any(type(kind) is tuple and kind[1] > MOST_AXES for kind in (*loop.carries, *loop.operands)):
        return None
    return loop


def _multiplies(graph: Graph) -> bool:
    """Whether a graph has products of numbers of data, or with large constants."""
    products = [node for node in graph.nodes if node.op == CALL and node.target.step in ("*", "<<")]  # type: ignore[union-attr]
    return any(all(type(arg) is Node or abs(arg) > _SMALL for arg in node.args[:2]) for node in products)


_SMALL = 1 << 32


def _if_quiet(machine: Any, carries: int, *values: Any) -> tuple[Any, ...]:
    """The same, unless NumPy says something of floats that become too small: the only error whose
    result is finite.
    """
    return machine(*values) if np.geterr()["under"] == "ignore" else (not DONE, *values[:carries])
