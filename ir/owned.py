"""A program's own arrays: read-only copies, so that modules can share their memory until somebody
could see it; and literals, which nobody sees at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.aliasing import is_plain_scalar, may_alias
from npexport.ir.checkpoints import rebound
from npexport.ir.graph import Node
from npexport.ir.layout_copies import alike, stretched
from npexport.ir.protocols import Program
from npexport.ir.signature import InputKind

Array = np.ndarray[Any, Any]


def snapshot(array: Array) -> Array:
    """A read-only copy that lies in memory as the array does; elements that are one place in memory
    stay one.

    >>> copy = snapshot(np.broadcast_to(np.ones(3), (1000, 3)))
    >>> copy.strides, copy.base.nbytes
    ((0, 8), 24)
    """
    return stretched(array, array.strides, alike)


def is_frozen(array: Any) -> bool:
    """Whether nobody can write to the array, nor to the arrays that it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return True


def literals(program: Program) -> Iterator[tuple[Node | None, str]]:
    """What the program makes of its literals is made in every call: their memory is in no output,
    and lies in no other array's.
    """
    found: set[Node] = set()
    compared = {name for spec in program.graph_signature.input_specs for name in spec.compared}
    for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True):
        if not spec.literal:
            continue
        found.add(node)
        if spec.kind is not InputKind.CONSTANT_TENSOR:
            yield node, f"{node.name} is a {spec.kind.name}, and no literal"
        elif spec.compared or node.name in compared:
            yield node, f"the literal {node.name} shares memory with other arrays"
    storages = may_alias(program.graph) if found else {}
    leaving = [*program.graph.output_node.all_input_nodes, *rebound(program.graph, program.graph_signature)]
    for value in leaving if found else ():
        if storages[value] & found and not is_plain_scalar(value):
            names = ", ".join(sorted(node.name for node in storages[value] & found))
            yield program.graph.output_node, f"output {value.name} may share memory with the literal {names}"
