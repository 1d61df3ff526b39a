"""Memory of large arrays that programs keep from one call to the next: pages that the system gives
cost more than what is computed in them.

Without the C extension (`_memory.c`, which has the laws) nothing is kept.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from npexport.ir import numpy_internals
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.emit import Source
from npexport.runtime.extensions import extension

VARIABLE = "NPEXPORT_KEPT_MEMORY"
"""The environment variable that says how many bytes are kept at most; 0 keeps none."""
MOST = 64 << 20
"""The same where it is not set: as much as the C library of Linux keeps of what was freed."""
PAYS = 1 << 18
"""Bytes of an array from which on it pays to ask for memory that is kept."""

memory: Any
"""The C extension, ``None`` where it was not built or has nothing to do."""
try:
    memory = extension("npexport.runtime._memory")
except ImportError:
    memory = None
else:
    _bytes = os.environ.get(VARIABLE, "")
    memory.keep(int(_bytes) if _bytes.isdecimal() else MOST)
    if _bytes == "0":
        memory = None
    else:
        memory.install(numpy_internals.C_INTERFACE)


class Entering(NamedTuple):
    """The lines before the ``try`` of a call that may compute in memory that is kept, and those
    behind it.
    """

    before: list[str]
    behind: list[str]


def entering(graph: Graph, names: Mapping[Node, str], source: Source, placed: Set[Node]) -> Entering:
    """The lines of a graph's call; none where it never should. ``placed``: the nodes whose results
    lie in memory that others have.
    """
    arrays = _deciding(graph, placed)
    if arrays is None:
        return Entering([], [])
    entered = source.fresh()
    large = " | ".join(f"({names[node]}.nbytes >= {PAYS})" for node in arrays)  # of sizes: a program around this one decides nothing
    return Entering(
        [f"{entered} = {source.bind(memory.enter)}({large or True})"],
        ["finally:", f"    if {entered}: {source.bind(memory.leave)}({entered})"],
    )


def _deciding(graph: Graph, placed: Set[Node]) -> list[Node] | None:
    """The arrays from outside of which one must be large, none of them where a call always should
    compute in memory that is kept; ``None`` where it never should.
    """
    if memory is None:
        return None
    new = [node for node in graph.nodes if node.op == CALL and node not in placed and "view" not in node.target.traits]  # type: ignore[union-attr]
    made = [size for node in new for size in _sizes(node)]
    if any(size is not None and size >= PAYS for size in made):
        return []
    if None not in made:
        return None
    return [node for node in graph.placeholders if None in _sizes(node)] or None


def _sizes(node: Node) -> Iterator[int | None]:
    """The bytes of the arrays that a node gives, ``None`` of those whose sizes are not known."""
    value = node.meta["val"]
    for meta in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(meta, TensorMeta) and not meta.scalar:
            known = all(type(size) is int for size in meta.shape)
            yield math.prod(meta.shape) * int(meta.dtype.itemsize) if known else None
