"""Memory of large arrays that programs keep from call to call: pages from the system cost more than
what is computed in them.

Without the C extension (`_memory.c` states the laws) nothing is kept.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from npexport.ir import numpy_internals
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.emission.emit import Source
from npexport.runtime.extensions import extension
from npexport.runtime.memory.layouts import is_elementwise_ufunc

VARIABLE = "NPEXPORT_KEPT_MEMORY"
"""The environment variable for the largest number of bytes to keep; 0 keeps none."""
MOST = 64 << 20
"""Its default: as much as the C library of Linux keeps of freed memory."""
PAYS = 1 << 18
"""The size of an array, in bytes, from which on it pays to use kept memory."""
ALONE = 32 << 20
"""The same where a call makes one array only: the C library of Linux keeps the pages of one that is
smaller, which the caller's own arrays then lie in, too.
"""

memory: Any
"""The C extension, ``None`` if it was not built or is inactive."""
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
    """The lines before the ``try`` of a call that may compute in kept memory, and those after
    it.
    """

    before: list[str]
    behind: list[str]


def entering(graph: Graph, names: Mapping[Node, str], source: Source, placed: Set[Node]) -> Entering:
    """The lines around a call of a graph that may compute in kept memory; none if it never should.
    ``placed``: the nodes whose results are in memory of other values, or of none.
    """
    new = [node for node in graph.nodes if node.op == CALL and node not in placed and "view" not in node.target.traits]  # type: ignore[union-attr]
    least = ALONE if len(new) == 1 and _makes_nothing_else(new[0]) else PAYS
    arrays = _deciding(graph, new, least)
    if arrays is None:
        return Entering([], [])
    entered = source.fresh()
    large = " | ".join(f"({names[node]}.nbytes >= {least})" for node in arrays)  # of sizes: a program around this one decides nothing
    return Entering(
        [f"{entered} = {source.bind(memory.enter)}({large or True})"],
        ["finally:", f"    if {entered}: {source.bind(memory.leave)}({entered})"],
    )


def _makes_nothing_else(node: Node) -> bool:
    """Whether all that a call makes is its result."""
    op: Any = node.target
    return is_elementwise_ufunc(node) or op.rewrite in ("copy", "contiguous", "flattened", "stacked")


def _deciding(graph: Graph, new: Sequence[Node], least: int) -> list[Node] | None:
    """The arrays from outside of which one must be large, none of them where a call always should
    compute in memory that is kept; ``None`` where it never should. ``new``: what makes arrays.
    """
    if memory is None:
        return None
    made = [size for node in new for size in _sizes(node)]
    if any(size is not None and size >= least for size in made):
        return []
    if None not in made:
        return None
    return [node for node in graph.placeholders if None in _sizes(node)] or None


def _sizes(node: Node) -> Iterator[int | None]:
    """The sizes in bytes of the arrays that a node returns; ``None`` for an array of unknown
    size.
    """
    value = node.meta["val"]
    for meta in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(meta, TensorMeta) and not meta.scalar:
            known = all(type(size) is int for size in meta.shape)
            yield math.prod(meta.shape) * int(meta.dtype.itemsize) if known else None
