"""Where a value that a program cannot know comes from, in the user's terms."""

from __future__ import annotations

import re
from typing import Any

from npexport.ir.graph import CALL, PLACEHOLDER, Node
from npexport.ir.ops.np_scalars import ARRAY_OPERATORS
from npexport.symshapes.errors import blamed

_FAR = 2000


def provenance(node: Node) -> str:
    """``computed by np.greater in line 6 from x and weights``; ``the input x``.

    >>> provenance(Node("x", PLACEHOLDER, "x", (), {}, {}))
    'the input x'
    """
    if node.op == PLACEHOLDER:
        return f"the input {node.name}"
    names = _inputs(node)
    place = blamed(tuple(node.meta.get("stack_trace", ())))
    line = f" in line {place.line}" if place is not None else ""
    op: Any = node.target
    op = ARRAY_OPERATORS.get(op, op)
    target = f"{op.namespace}.{op.name}" if node.op == CALL else str(op)
    return f"computed by {target}{line}" + (f" from {_listed(names)}" if names else "")


_SOURCES = re.compile(r"(computed by [\w.]+ in line \d+) from \w+(?:(?:, \w+)* and (?:\d+ more|\w+))?(?=, | |$)")


def without_inputs(text: str) -> str:
    """A message without the inputs that a value is computed from, which differ from one turn of a
    loop to the next.

    >>> without_inputs("the sum, computed by np.add in line 3 from x, y and 2 more, is printed")
    'the sum, computed by np.add in line 3, is printed'
    """
    return _SOURCES.sub(r"\1", text)


def _inputs(node: Node) -> list[str]:
    """The names of the placeholders that a node is computed from, nearest first; in very large
    graphs only near ones.
    """
    found: dict[str, None] = {}
    seen, queue = {node}, [node]
    for current in queue:
        if len(queue) > _FAR:
            break
        for source in current.all_input_nodes:
            if source.op == PLACEHOLDER:
                found.setdefault(source.name)
            elif source not in seen:
                seen.add(source)
                queue.append(source)
    return list(found)


def _listed(names: list[str]) -> str:
    shown = names[:3] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
