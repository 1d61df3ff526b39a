"""Sets whose order differs between processes: those of strings, and of objects hashed by address.

The program iterates over them in the order of the exporting process, and each place where it does
is recorded. Whether the order reaches the result is then tried
(:mod:`npexport.tracer.driver.determinism`): the program runs again with the items in other orders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.errors import Location
from npexport.tracer.arrays.core.run_dependent_numbers import steady

Permutation = Callable[[list[Any]], list[Any]]
Place = tuple[Location, ...]  # the user's call chain, innermost last
SETS = (set, frozenset)


def varies(value: Any) -> bool:
    """Whether this is a set that other processes would iterate in another order."""
    return isinstance(value, SETS) and len(value) > 1 and not all(map(steady, value))


class Orders:
    """``places`` records where the program iterated over such sets.

    ``permute`` reorders the items, at ``only`` one place or at all.
    """

    def __init__(self, permute: Permutation | None = None, only: Place | None = None) -> None:
        self.places: dict[Place, None] = {}
        self._permute = permute
        self._only = only

    def items(self, value: Any, where: Place) -> Any:
        """What the program iterates over instead of a set."""
        self.places[where] = None
        if self._permute is None or (self._only is not None and self._only != where):
            return value
        return self._permute(list(value))
