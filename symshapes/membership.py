"""``n in container``: one truth about the size, not a chain of comparisons up to the first that
holds.
"""

from __future__ import annotations

import operator
from typing import Any

from npexport.symshapes import limits
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.symshapes.symrange import SymRange

_NUMBERS = frozenset({int, float, bool, SymInt, SymFloat, SymBool})
_ATOMS = frozenset({str, bytes, type(None), type(Ellipsis), complex})


def sym_contains(container: Any, item: Any) -> Any:
    """``item in container`` where one of them is or holds a size: a truth, decided where the
    program branches on it.

    >>> from npexport.symshapes.env import ShapeEnv
    >>> env = ShapeEnv()
    >>> n = env.create_symbol("x.shape[0]", 5)
    >>> bool(sym_contains((3, 5, 8), n)), bool(sym_contains(range(0, 100), n)), [guard.text for guard in env.guards]
    (True, True, ['x.shape[0] == 3 or x.shape[0] == 5 or x.shape[0] == 8'])
    """
    kind = type(container)
    if kind in (range, SymRange) and type(item) in (int, SymInt):
        return _in_range(container, item)
    if kind not in (list, tuple, set, frozenset, dict) or len(container) > limits.MEMBERSHIP_ITEMS or type(item) not in _NUMBERS | _ATOMS:
        return operator.contains(container, item)
    if any(type(member) not in _NUMBERS | _ATOMS for member in container):
        return operator.contains(container, item)
    truth: Any = False
    for member in container:
        same = member is item or member == item
        if known(same) is True:
            return True
        truth = same | truth if isinstance(same, SymBool) else truth
    return truth


def _in_range(numbers: Any, item: Any) -> Any:
    start, stop, step = numbers.start, numbers.stop, numbers.step
    if not isinstance(step, int):
        return operator.contains(numbers, item)
    inside = _all(item >= start, item < stop) if step > 0 else _all(item <= start, item > stop)
    return inside if abs(step) == 1 else _all(inside, (item - start) % abs(step) == 0)


def _all(a: Any, b: Any) -> Any:
    return a & b if isinstance(a, SymBool) else b & a if isinstance(b, SymBool) else a and b
