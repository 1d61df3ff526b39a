"""Writes that fail: what memory holds after a call that was to write to it has raised.

If NumPy makes a floating-point error an exception, it checked the flags when the loop was done: the
whole result has been written. Other writes stop where they raise, and what comes before has been
written.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core import ownership, rounded_writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.model import Kind, Storage

Left = dict[Storage, Node]
"""What memory holds after the call that is being recorded raises."""


def ends_midway(x: ArrayProxy, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a write to ``x`` may raise after it has written some elements."""
    if op.midway is None:
        return False
    rec = recorder()
    given, named = rec.bind(op, args, kwargs)
    nodes = tuple([0 if _is_inside(x, arg) else rec.argument(arg) for arg in given])
    how = op.midway(nodes)
    if not how or not op.errors(nodes, {name: rec.argument(value) for name, value in named.items()}):
        return False
    return how is True or rec.layouts.ask(x).flags.c_contiguous


def _is_inside(x: ArrayProxy, places: Any) -> bool:
    """Whether indices into all elements of an array are constants, and all in range."""
    if type(places) is not ArrayProxy or places.dtype.kind not in "iu":
        return False
    outside = places.storage.outside
    is_constant = outside is not None and outside.kind is Kind.CONSTANT and places.link is None
    numbers: Any = outside.array if is_constant else places.array
    count: Any = math.prod(x.meta.shape)
    return numbers is not None and type(count) is int and bool(((numbers >= -count) & (numbers < count)).all())


def written(run: Callable[[], Any], *targets: Any, until: Callable[[], Any] | None = None) -> Any:
    """``run()``, a call that writes to ``targets``.

    If it may raise after it has written something, that is recorded first, by ``until()`` or, if
    only floating-point errors raise, by the call itself, which then ignores them.
    """
    rec = recorder()
    memory = [each.storage for each in targets if type(each) is ArrayProxy and each.storage.array is None]
    if not memory or rec.left is not None or rec.regions or not (until or rec.session.traps()):
        return run()
    before = {storage: rec.current(storage, None) for storage in _sharing(rec, memory)}
    with rec.session.ignoring_errors():
        (until or run)()
    left = {storage: storage.node for storage in before if storage.node is not before[storage]}
    _hold(before)
    rec.left = left
    try:
        return run()
    finally:
        rec.left = None


@contextmanager
def holding(left: Left | None) -> Iterator[None]:
    """Inside the block, memory holds what a call that raises has left there."""
    if not left:
        yield
        return
    before = {storage: storage.node for storage in left}
    _hold(left)
    try:
        yield
    finally:
        _hold(before)


def _hold(values: Mapping[Storage, Node | None]) -> None:
    for storage, node in values.items():
        storage.node = node
        storage.version += 1  # views of the old value show nothing of the new one


def _sharing(rec: Any, memory: list[Storage]) -> list[Storage]:
    """These, and outside memory that a write to them changes, too."""
    others = [other.storage for storage in memory if storage.outside is not None for other in rec.overlaps.seen_by(storage.outside)]
    return list(dict.fromkeys((*memory, *others)))


_RAISES = "raises for some data, and writes to memory that its operands show"
"""NumPy may write to a copy, which it drops if the call raises."""
_ROUNDS = "rounds otherwise where it writes to memory whose other elements its operands show"
"""NumPy then computes one element after the other, by other instructions."""


def require_apart(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: tuple[Any, ...], problem: str = _RAISES) -> None:
    """Raises ``Unsupported`` (E120) if operands show other elements of what a call writes to."""
    by_element = ufunc.signature is None
    arrays = [value for value in inputs if type(value) is ArrayProxy]
    for value, out in itertools.product(arrays, [out for out in outs if type(out) is ArrayProxy]):
        if not (by_element and ownership.are_one(value, out)) and ownership.meet(value, out):
            raise Unsupported("E120", f"`np.{ufunc.__name__}` {problem}", hint="Copy the operand first: x[1:].copy().")


def by_ufunc(ufunc: np.ufunc, run: Callable[[], Any], inputs: tuple[Any, ...], outs: tuple[Any, ...]) -> Any:
    """``run()``, which calls a ufunc that writes to ``outs``."""
    if outs and recorder().session.traps():
        require_apart(ufunc, inputs, outs)
    for out in outs:
        if rounded_writes.are_rounded(ufunc, out):
            require_apart(ufunc, tuple([x for x in inputs if not rounded_writes.is_copied(x, out, inputs)]), (out,), _ROUNDS)
    return written(run, *outs)
