"""What NumPy does with memory that several of its operands share, found by a call on memory with
the same layout.

If NumPy writes element by element while it reads other elements of the same memory, the result
depends on its own order of steps. For calls that only move elements, these are replaced by their
indices, which tell afterwards where each element went.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir import ops
from npexport.runtime.entry.checks import address
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core import ownership, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy
from npexport.tracer.arrays.memory.layout import alike, apply
from npexport.tracer.arrays.memory.layout_guards import dynamic
from npexport.tracer.arrays.memory.model import Storage, mirror, storage_mirror

Step = Callable[[Any, Any], None]


def move(target: ArrayProxy, source: ArrayProxy, step: Step) -> bool:
    """Give the memory of two views the elements that it has after ``step(target, source)``, which
    moves elements of ``source`` to ``target``; false if element numbers cannot express it.
    """
    memory = _after(target, source, step)
    if memory is not None:
        _rearrange(target.storage, memory)
    return memory is not None


def copy(target: ArrayProxy, source: ArrayProxy, step: Step | None) -> bool:
    """Do ``step(target, source)``, which copies, if NumPy writes to elements before it reads them;
    false if it does not.

    NumPy copies overlapping 1-d arrays without a temporary, from one end to the other. Raises
    ``Unsupported`` (E120) if the result is unknown, or there is no usable ``step``.
    """
    if target.ndim != 1 or source.ndim == 0 or source.storage is None:
        return False
    texts = target.dtype.kind == "T"  # NumPy frees the text that it overwrites, and may read it afterwards
    if type(source.size) is int and source.size <= 1 and not texts:
        return False
    written, read = mirror(target.storage, target.link).strides[0], mirror(source.storage, source.link).strides[-1]
    if texts and written * read < 0:
        return False  # NumPy copies first
    if written == read and (not texts or source.shape == target.shape):
        return False  # it begins at the right end
    if not ownership.meet(target, source) or writes.read_only(target):
        return False
    memory = _after(target, source, step) if step is not None and source.storage is target.storage and not texts else None
    if memory is None:
        hint = "Copy what is written first: x[::2] = x[:n].copy()."
        raise Unsupported("E120", "elements are written while others of the same memory are read, in steps of another length", hint=hint)
    if np.array_equal(memory, _after(target, source, lambda view, values: view.__setitem__(..., values.copy()))):
        return False
    _rearrange(target.storage, memory)
    return True


def _after(target: ArrayProxy, source: ArrayProxy, step: Step) -> Any:
    """The element numbers in the memory of two views after a step; ``None`` if there are none."""
    if any(dynamic(x) or _changes_elements(x) for x in (target, source)):
        return None
    recorder().layouts.ask(target)
    recorder().layouts.ask(source)
    memory = numbered(storage_mirror(target.storage))
    views = [] if memory is None else [_view(memory, x) for x in (target, source)]
    if not views or not all(np.shares_memory(view, memory) for view in views):
        return None
    step(*views)
    return memory


def _rearrange(storage: Storage, numbers: Any) -> None:
    """Move to each place of a memory the element of this number."""
    whole = ArrayProxy(storage, None, storage.meta, storage.array)
    rec = recorder()
    flat = rec.call(ops.np.index, rec.call(ops.np.flatten, whole), rec.known(numbers.reshape(-1)))
    writes.assign(whole, rec.call(ops.np.reshape, flat, storage.meta.shape))


def numbered(mirror: Any) -> Any:
    """The element numbers in C order, in equal memory; ``None`` if strides cut elements apart."""
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
    """The order in which the results of a ufunc are written to outputs that share memory; ``None``
    if none gives what NumPy does.
    """
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
    """Memory for each storage, with its layout, filled with one number."""

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
    return np.ones((), value.dtype)[()] if isinstance(value, Proxy) else value


def _changes_elements(x: ArrayProxy) -> bool:
    return x.link is not None and any(step.op.view.other_elements for step in x.link.chain())
