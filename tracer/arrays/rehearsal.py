"""What NumPy does to memory that several of its operands share: it is asked, on memory that lies alike.

Where it writes element by element while it reads others of the same memory, its result depends on its own order of steps. Elements that
are only moved are replaced by their numbers, and the numbers say which element is where afterwards.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir import ops
from npexport.runtime.checks import address
from npexport.tracer.arrays import writes
from npexport.tracer.arrays.doubts import dynamic
from npexport.tracer.arrays.layout import alike, apply, storage_mirror
from npexport.tracer.arrays.proxy import ArrayProxy
from npexport.tracer.arrays.storage import Storage
from npexport.tracer.current import recorder

_OTHER_ELEMENTS = frozenset({ops.np.view_dtype, ops.np.real, ops.np.imag, ops.np.field})
"""Views whose elements are not those of the memory."""


def move(target: ArrayProxy, source: ArrayProxy, step: Callable[[Any, Any], None]) -> bool:
    """Give the memory of two views the elements that it has after ``step(target, source)``, which moves elements of ``source`` to
    ``target``; false where their numbers cannot say it.
    """
    storage: Storage = target.storage
    if any(dynamic(x) or _changes_elements(x) for x in (target, source)):
        return False
    recorder().layouts.ask(target)
    recorder().layouts.ask(source)
    shape = storage.meta.shape
    memory = numbered(storage_mirror(storage))
    if memory is None:
        return False
    views = [_view(memory, x) for x in (target, source)]
    if not all(np.shares_memory(view, memory) for view in views):
        return False
    step(*views)
    whole = ArrayProxy(storage, None, storage.meta, storage.array)
    rec = recorder()
    flat = rec.call(ops.np.index, rec.call(ops.np.flatten, whole), rec.known(memory.reshape(-1)))
    writes.assign(whole, rec.call(ops.np.reshape, flat, shape))
    return True


def numbered(mirror: Any) -> Any:
    """The numbers of the elements, in C order, in memory that lies alike; ``None`` where strides cut elements apart."""
    size = mirror.itemsize
    if any(stride % size for stride in mirror.strides):
        return None
    low, high = byte_bounds(mirror)
    places = np.zeros((high - low) // size, np.intp)[(address(mirror) - low) // size :]
    strides = [stride // size * places.itemsize for stride in mirror.strides]
    memory = np.lib.stride_tricks.as_strided(places, mirror.shape, strides)
    memory[...] = np.arange(memory.size).reshape(memory.shape)
    return memory


def last_writes(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: list[ArrayProxy]) -> tuple[int, ...] | None:
    """The order in which the results of a ufunc are written to outputs that share memory; ``None`` where none gives what NumPy does."""
    for number in (7, 1.5, 3):
        values = _Memories(number)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            operands = [values.of(value) if type(value) is ArrayProxy else _scalar(value) for value in inputs]
            targets = [values.of(out) for out in outs]
            results = ufunc(*[np.copy(operand) for operand in operands], casting="unsafe")
            if any(np.array_equal(first, second) for first, second in itertools.combinations(results, 2)):
                continue  # alike, so they do not tell which was last
            before = values.copies()
            ufunc(*operands, out=tuple(targets), casting="unsafe")
            after = values.copies()
            for order in itertools.permutations(range(len(outs))):
                values.restore(before)
                for place in order:
                    np.copyto(targets[place], results[place], casting="unsafe")
                if values.copies() == after:
                    return order
    return None


class _Memories:
    """Memory for each storage that lies alike, all of it one number."""

    def __init__(self, number: float) -> None:
        self._number = number
        self._memories: dict[Storage, Any] = {}

    def of(self, x: ArrayProxy) -> Any:
        memory = self._memories.get(x.storage)
        if memory is None:
            memory = self._memories[x.storage] = alike(storage_mirror(x.storage), True)
            memory[...] = np.asarray(self._number).astype(memory.dtype)
        return _view(memory, x)

    def copies(self) -> list[bytes]:
        return [memory.tobytes() for memory in self._memories.values()]

    def restore(self, copies: list[bytes]) -> None:
        for memory, copy in zip(self._memories.values(), copies, strict=True):
            memory[...] = np.frombuffer(copy, memory.dtype).reshape(memory.shape)


def _view(memory: Any, x: ArrayProxy) -> Any:
    for step in x.link.chain() if x.link is not None else ():
        memory = apply(step.op, memory, step.args, step.kwargs)
        if not memory.flags.writeable and memory.base is not None:
            memory.flags.writeable = x.writeable
    return memory


def _scalar(value: Any) -> Any:
    return np.ones((), value.dtype)[()] if isinstance(value, ArrayProxy) else value


def _changes_elements(x: ArrayProxy) -> bool:
    return x.link is not None and any(step.op in _OTHER_ELEMENTS for step in x.link.chain())
