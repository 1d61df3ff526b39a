"""Broadcasting of sizes that may be dynamic: 0 and 1 are sizes like others."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic


def broadcast_sizes(a: Any, b: Any) -> Any:
    """The size of the axis along which sizes ``a`` and ``b`` are broadcast, or ``None`` where they cannot be.

    Where the declared ranges decide which of ``a == b``, ``a == 1`` and ``b == 1`` holds, nothing is guarded. Else the example's side is
    taken: equal sizes must stay equal; a size that is 1 at the example and meets another one must stay 1; sizes that differ must stay
    refused.
    An example size never decides anything else.

    >>> broadcast_sizes(1, 5), broadcast_sizes(5, 5), broadcast_sizes(4, 5)
    (5, 5, None)
    """
    if not is_symbolic(a) and not is_symbolic(b):
        return b if a == 1 else a if b in (1, a) else None
    for one, other in ((a, b), (b, a)):
        if _proved(one == 1):
            return other
    same = known(a == b)
    if same:
        return a if not is_symbolic(a) else b if not is_symbolic(b) else a
    for one, other in ((a, b), (b, a)):
        if not _is_sum(one) and _proved((one == 1) | (one == other)):  # x[:1] against x: min(n, 1) is 1 or n
            return other
    if same is None and _equal_at_example(a, b):
        if a == b:
            return a if not is_symbolic(a) else b if not is_symbolic(b) else a
        return None
    for one, other in ((a, b), (b, a)):
        if is_symbolic(one) and one.hint == 1 and one == 1:
            return other
    for one, other in ((a, b), (b, a)):  # refused: whatever would make them fit must stay false
        if is_symbolic(one) and known(one == 1) is None and one == 1:
            return other
    if same is None and a == b:
        return a
    return None


def _proved(condition: Any) -> bool:
    """Whether a condition is known to hold; nothing that is false at the example is."""
    return condition is True if isinstance(condition, bool) else condition.hint is not False and known(condition) is True


def _is_sum(size: Any) -> bool:
    """Whether a size is a number or a sum of symbols."""
    return not is_symbolic(size) or all(atom.op == "symbol" for atom in size.expr.terms)


def _equal_at_example(a: Any, b: Any) -> bool:
    """Whether the sizes are equal at the example; where an unbacked size is involved they are taken to be equal, and asked."""
    left, right = (value.hint if is_symbolic(value) else value for value in (a, b))
    return left is None or right is None or left == right


def broadcast_shapes(*shapes: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The shape of the broadcast of ``shapes``, or ``None`` where they do not fit; see :func:`broadcast_sizes`."""
    result: list[Any] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        size: Any = 1
        for shape in shapes:
            if axis <= len(shape):
                size = broadcast_sizes(size, shape[-axis])
                if size is None:
                    return None
        result.append(size)
    return tuple(reversed(result))
