"""What never changes is its own copy."""

from __future__ import annotations

from typing import Any


class Immutable:
    """Objects that `copy.copy` and `copy.deepcopy` give back."""

    __slots__ = ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self
