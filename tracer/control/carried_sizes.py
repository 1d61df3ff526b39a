"""Lengths that change from iteration to iteration of a loop on data (``v = v[::2]``).

An iteration runs on a length that stands for any: a symbol of its own, which the incoming array
binds. Axes share one symbol if they have one length before the first iteration and, given that they
have one before an iteration, also after it: then they do in every iteration, by induction.

A length that every iteration leaves the same is not carried if the first iteration can run by
itself: those that follow do not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.control.refusals import Refused

Axis = tuple[Any, int]
"""An axis of a carried array: the array's place, and the axis."""


class CarriedSizes:
    """The axes of carried arrays whose lengths change, in groups of equal length.

    ``peels``: whether the first iteration can run by itself.
    """

    def __init__(self, env: ShapeEnv) -> None:
        self._env = env
        self.peels = False
        self._made: Callable[[Iterable[str]], bool] = bool
        self._groups: dict[Axis, int] = {}
        self._lengths: dict[int, Any] = {}  # of this iteration

    def suppose(self, axes: Iterable[Axis]) -> None:
        """These axes are of one length, which changes."""
        group = len(self._groups)
        self._groups |= {axis: self._groups.get(axis, group) for axis in axes}

    def begin(self, made: Callable[[Iterable[str]], bool]) -> None:
        """Another iteration is run. ``made``: whether it has made one of the symbols."""
        self._lengths, self._made = {}, made

    def of_any_iteration(self, place: Any, meta: Any, name: str) -> Any:
        """The stand-in for any iteration of a leaf with this first value."""
        if not isinstance(meta, TensorMeta):
            return meta
        shape = tuple([self._length((place, axis), size, name) for axis, size in enumerate(meta.shape)])
        return TensorMeta(shape, meta.dtype, scalar=meta.scalar)

    def _length(self, axis: Axis, size: Any, name: str) -> Any:
        group = self._groups.get(axis)
        if group is None:
            return size
        if group not in self._lengths:
            self._lengths[group] = self._env.create_unbacked(0, None, f"the length of {name} in an iteration of a loop")
        return self._lengths[group]

    def settle(self, values: Iterable[tuple[Any, Any, Any, Any]]) -> bool:
        """Whether other axes change, or have one length, than was assumed.

        ``values``: places, with their values before the first iteration, before an iteration, and
        after it. Raises `Refused` where the first iteration runs by itself instead.
        """
        changes: dict[Axis, Any] = {}
        for place, *metas in values:
            if all(isinstance(meta, TensorMeta) for meta in metas):
                first, now, after = [meta.shape for meta in metas]
                for axis, sizes in enumerate(zip(first, now, after, strict=True)):
                    if (place, axis) in self._groups or not _equal(*sizes[1:]):
                        changes[place, axis] = (self._groups.get((place, axis)), sizes[0], sizes[2])
        kinds: list[Any] = []
        groups = {axis: _kind(change, kinds) for axis, change in changes.items()}
        found = groups.keys() != self._groups.keys() or len(kinds) != len(set(self._groups.values()))
        self._groups = groups
        if self.peels and not found and not all(self._varies(after) for _, _, after in kinds):
            raise Refused("an array has another size before the first iteration only", True)
        return found

    def _varies(self, size: Any) -> bool:
        return is_symbolic(size) and self._made(size.expression.symbols)


def _kind(change: Any, kinds: list[Any]) -> int:
    """The number of the first change that is equal to this one."""
    group, *sizes = change
    for number, (other, *theirs) in enumerate(kinds):
        if group == other and all(map(_equal, sizes, theirs)):
            return number
    kinds.append(change)
    return len(kinds) - 1


def _equal(one: Any, other: Any) -> bool:
    return one is other or known(one == other) is True
