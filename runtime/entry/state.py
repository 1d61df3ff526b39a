"""The memory of a running program's state: where it matters, arrays lie and overlap as those of the
exported object.

``InputSpec.layout`` of lifted inputs gives their strides, ``InputSpec.overlaps`` says how many
bytes after others they begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir.graph import Node
from npexport.ir.signature import InputKind, InputSpec
from npexport.runtime.entry.checks import address

Array = np.ndarray[Any, Any]


def placed(lifted: list[tuple[Node, InputSpec]], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Copies of the arrays that must lie in memory in a certain way, by input name; those that
    overlap in common memory.

    Where arrays disagree about an element (somebody gave the program another state dict),
    parameters and persistent buffers are right.
    """
    found: dict[str, Array] = {}
    for group in _groups(lifted):
        extents = [_extent(spec.layout, arrays[name], position) for name, (spec, position) in group.items()]
        start = min(low for low, _ in extents) // 16 * 16  # elements are aligned as they were
        memory = np.zeros(max(high for _, high in extents) - start, np.uint8)
        for name, (spec, position) in sorted(group.items(), key=lambda item: _in_state_dict(item[1][0])):
            array = arrays[name]
            strides: Any = spec.layout
            found[name] = np.ndarray(array.shape, array.dtype, memory, position - start, strides)
            found[name][...] = array
    return found


class Memory:
    """Arrays as places in blocks of memory: copied or written to a file, they share memory as they
    did.
    """

    def __init__(self, arrays: Mapping[Any, Array]) -> None:
        first: dict[int, Any] = {}
        for key, array in arrays.items():
            first.setdefault(id(array), key)
        self._same = {key: first[id(array)] for key, array in arrays.items()}
        self._blocks: list[Array] = []
        self._places: dict[Any, tuple[Any, ...]] = {}
        members: list[Any] = []
        low = high = 0
        for start, end, key in sorted((*byte_bounds(arrays[key]), key) for key in set(first.values())):
            if start >= high:
                self._add(low, high, {key: arrays[key] for key in members})
                low, members = start // 16 * 16, []  # elements are aligned as they were
            high = max(high, end)
            members.append(key)
        self._add(low, high, {key: arrays[key] for key in members})

    def _add(self, low: int, high: int, arrays: dict[Any, Array]) -> None:
        block = np.zeros(high - low, np.uint8)
        for key, array in arrays.items():
            offset = address(array) - low
            np.ndarray(array.shape, array.dtype, block, offset, array.strides)[...] = array
            self._places[key] = len(self._blocks), array.shape, array.dtype, offset, array.strides, array.flags.writeable
        self._blocks.append(block)

    def arrays(self) -> dict[Any, Array]:
        """The arrays, in this memory."""
        found = {}
        for key, (number, shape, dtype, offset, strides, writeable) in self._places.items():
            found[key] = np.ndarray(shape, dtype, self._blocks[number], offset, strides)
            found[key].flags.writeable = writeable
        return {key: found[first] for key, first in self._same.items()}


def _groups(lifted: list[tuple[Node, InputSpec]]) -> list[dict[str, tuple[InputSpec, int]]]:
    """The arrays that share memory: by input name, the spec and the address of the first
    element.
    """
    group_of: dict[str, dict[str, tuple[InputSpec, int]]] = {}
    for spec in [spec for _, spec in lifted if spec.layout is not None]:
        group = {spec.arg.name: (spec, 0)}
        for other, offset in [(other, offset) for other, offset in spec.overlaps if offset is not None]:
            joined = group_of[other]
            if joined is not group:
                moved = joined[other][1] + offset - group[spec.arg.name][1]
                joined.update({name: (member, position + moved) for name, (member, position) in group.items()})
                group = joined
        group_of.update(dict.fromkeys(group, group))
    return list({id(group): group for group in group_of.values()}.values())


def _extent(strides: Any, array: Array, position: int) -> tuple[int, int]:
    """The number of bytes from the lowest element to the end of the highest one."""
    reach = [stride * (size - 1) for stride, size in zip(strides, array.shape, strict=True)]
    return position + sum(min(step, 0) for step in reach), position + sum(max(step, 0) for step in reach) + array.itemsize


def _in_state_dict(spec: InputSpec) -> bool:
    return spec.kind is InputKind.PARAMETER or bool(spec.persistent)
