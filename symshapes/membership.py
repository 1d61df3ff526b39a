"""``n in container`` and ``x.shape == (n, 3)``: one truth about the sizes, not a chain of
comparisons up to the first that holds, or does not hold.
"""

from __future__ import annotations

import operator
from typing import Any

from npexport.symshapes import limits
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_not
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
    if kind not in (list, tuple, set, frozenset, dict) or len(container) > limits.MEMBERSHIP_ITEMS:
        return operator.contains(container, item)
    if not all(map(_compares_itself, (item, *container))):
        return operator.contains(container, item)
    truth: Any = False
    for member in container:
        same = _same(member, item)
        if known(same) is True:
            return True
        truth = same | truth if isinstance(same, SymBool) else truth
    return truth


def sym_equal(name: str, left: Any, right: Any) -> Any:
    """``==`` (``"eq"``) or ``!=`` (``"ne"``) of two lists or two tuples of sizes and other values
    that compare themselves; ``None`` for anything else.

    >>> from npexport.symshapes.env import ShapeEnv
    >>> env = ShapeEnv()
    >>> n = env.create_symbol("x.shape[0]", 5)
    >>> bool(sym_equal("eq", (n, 3), (5, 3))), sym_equal("ne", (n, 3), (n, 4)), sym_equal("eq", (n,), [n])
    (True, True, None)
    """
    both = left, right
    if (
        type(left) is not type(right)
        or type(left) not in (list, tuple)
        or not all(map(_compares_itself, both))
        or not any(map(_sizes, both))
    ):
        return None
    same = _same(left, right)
    return sym_not(same) if name == "ne" else same


def _sizes(value: Any) -> bool:
    """Whether a value is or holds a size."""
    return any(map(_sizes, value)) if type(value) in (list, tuple) else isinstance(value, (SymInt, SymFloat, SymBool))


def _compares_itself(value: Any, depth: int = 4) -> bool:
    """Whether a comparison with the value runs nothing of the program's, and raises nothing."""
    if type(value) in (list, tuple):
        return depth > 0 and len(value) <= limits.MEMBERSHIP_ITEMS and all(_compares_itself(item, depth - 1) for item in value)
    return type(value) in _NUMBERS | _ATOMS


def _same(one: Any, other: Any) -> Any:
    """Whether a search takes two values for one."""
    if type(one) is not type(other) or type(one) not in (list, tuple):
        return one is other or one == other
    if len(one) != len(other):
        return False
    truth: Any = True
    for same in map(_same, one, other):
        if known(same) is False:
            return False
        truth = same & truth if isinstance(same, SymBool) else truth
    return truth


def _in_range(numbers: Any, item: Any) -> Any:
    start, stop, step = numbers.start, numbers.stop, numbers.step
    if not isinstance(step, int):
        return operator.contains(numbers, item)
    inside = _all(item >= start, item < stop) if step > 0 else _all(item <= start, item > stop)
    return inside if abs(step) == 1 else _all(inside, (item - start) % abs(step) == 0)


def _all(a: Any, b: Any) -> Any:
    return a & b if isinstance(a, SymBool) else b & a if isinstance(b, SymBool) else a and b
