"""Joins arrays that run backwards in memory (``x[::-1]``) where the sides of a branch meet.

NumPy computes with the floats of such an array by other instructions than with a copy, so the
result has to run backwards too: the arrays that run forwards are joined, and the result is a
reversed view of what the operator gives.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.layout_guards import reversed_axes
from npexport.tracer.control.one_sided import Build, Mismatch


class Reversed(Mismatch):
    """The sides run in other directions through memory."""

    def hint(self) -> str:
        return "Copy the reversed array where it is made: x[::-1].copy()."


def joined_backwards(join: Any, one: ArrayProxy, other: ArrayProxy, path: str) -> Build:
    """The reversed view of two arrays that run backwards along the same axes. Raises `Mismatch`."""
    axes, theirs = reversed_axes(one), reversed_axes(other)
    if axes != theirs:
        raise Reversed(path, _text(axes), _text(theirs))
    index = tuple([slice(None, None, -1) if axis in axes else slice(None) for axis in range(one.ndim)])
    forwards = []
    for side, region in zip((one, other), join.regions, strict=True):
        with region:
            forwards.append(side[index])  # type: ignore[index]
    build: Build = join.array(*forwards, path)
    made: list[Any] = []

    def reversed_result(results: list[Any]) -> Any:
        if not made:
            made.append(build(results)[index])
        return made[0]

    return reversed_result


def _text(axes: list[int]) -> str:
    if not axes:
        return "an array that runs forwards in memory"
    return f"an array that runs backwards in memory along ax{'i' if len(axes) == 1 else 'e'}s {', '.join(map(str, axes))}"
