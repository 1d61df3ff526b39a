"""Beginnings of the arrays that loops fill: they are read where they are, and those that leave a
program as lists of numbers are made such lists at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

from npexport.ir.aliasing import makes_new_memory
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.program import ExportedProgram
from npexport.runtime.emission.emit import Source
from npexport.runtime.kernels.list_rows import beginning
from npexport.runtime.lists.list_calls import is_beginning, is_copy
from npexport.runtime.lists.list_columns import columns_of_numbers
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.memory.layouts import is_of_block
from npexport.runtime.memory.view_writes import is_scatter, looks
from npexport.runtime.origins import Row
from npexport.runtime.planning.loop_invariants import redirect


def read_beginnings(program: ExportedProgram, machines: Callable[[Graph], Collection[Node]]) -> None:
    """Leave out copies of beginnings that nothing but calls that make something new, and lists of
    numbers, use. ``machines``: gives the loops that run in machine code: what others fill may
    be lists.
    """
    graph, numbers = program.graph, columns_of_numbers(program)
    found = [node for node in graph.nodes if is_copy(node) and all(_reads(user, node in numbers) for user in node.users)]
    running = machines(graph) if found else ()
    for node in found:
        base = node.args[0].args[0]
        if is_of_block(base) and base.args[0] in running:
            redirect(node, node.args[0])
            graph.erase_node(node)


def _reads(user: Node, is_list: bool) -> bool:
    if user.op != CALL:
        return is_list
    return makes_new_memory(user) and not is_scatter(user) and block_of(user) is None and not looks(user)


def given_beginnings(program: ExportedProgram) -> set[Node]:
    """The beginnings of vectors that are nothing but a column of numbers of a list."""
    return {node for node in columns_of_numbers(program) if is_beginning(node) and all(user.op != CALL for user in node.users)}


def taken(node: Node, lists: Container[Node], names: dict[Node, str], source: Source) -> Row | None:
    """The statement that makes the list; ``None`` where the array is a list already, one of
    ``lists``.
    """
    array, part = node.args
    if node in lists or array in lists:
        return None
    names[node] = name = source.fresh()
    source.lists.add(name)
    return Row(f"{name} = {source.bind(beginning)}({names[array]}, {source.text(part.stop, names)})", (node,))
