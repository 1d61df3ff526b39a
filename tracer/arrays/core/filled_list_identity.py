"""Whether two lists that captured loops fill (`npexport.tracer.arrays.core.filled_list`) are one.

A list that is an item of another is a new stand-in each time it is read: its position tells which
list it is. A list that was put into another one by value is refused where that may be the other.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.arrays.core.filled_list_columns import Columns
from npexport.tracer.arrays.core.filled_list_kinds import refused


def is_list_within(value: Any) -> bool:
    """Whether a value is an item of a list that a loop fills, a list itself, which its place there
    tells.
    """
    return issubclass(type(value), Columns) and value.within is not None


def are_one(left: Any, right: Any) -> Any:
    """Whether two values, one of which is such a list, are the same object: a truth. Raises
    `refused`.
    """
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if left.within is None or right.within is None:
        return _differ(left.within is None and not left.frozen, right.within is None and not right.frozen)
    same = are_one(left.within.owner, right.within.owner)
    if same is not True:
        return _differ(*[not each.shared for side in (left, right) for each in side.around()])
    return left.within.path == right.within.path and left.within.position == right.within.position


def _differ(*told: bool) -> bool:
    """No, if one of these says so for sure."""
    if not any(told):
        raise refused("was put into another list, and is compared with an item of a list by `is`")
    return False
