"""How operators of users are called: this module is the program's Python, which a trace interprets.

So C that calls an operator for a program (``map``, ``functools.reduce``, a ``key``) starts a frame
of the program, and the call is recorded as any other.
"""

from __future__ import annotations

from typing import Any


class CalledOperator:
    """What calls of an operator of a user begin with."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the body."""
        return self.eager(args, kwargs)

    def eager(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the body gives. A trace records the operator in its place."""
        raise NotImplementedError
