"""``any`` and ``all`` of truths that data decide.

Both evaluate item after item until one decides: what comes after the first item that only the data
know is evaluated on one side of a branch. Each such item is a ``cond`` on what is known by then, so
that one which the program would not evaluate neither raises nor warns.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError
from npexport.symshapes.functions import sym_bool
from npexport.symshapes.interrupts import require_own
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.arrays.core.regions import LoggingRegion, Region, branch
from npexport.tracer.control.branches import is_quiet, truth_of_data
from npexport.tracer.effects.snapshots import Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.host_calls import answering
from npexport.tracer.models.iterables import is_iterated, is_view
from npexport.tracer.models.registry import DECLINED

_END: Any = object()


def test(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``any`` and ``all``."""
    if len(args) != 1 or kwargs:
        return DECLINED
    items = args[0]
    if type(items) is ArrayProxy and items.ndim == 1 and not items.known and items.dtype.kind in "biufc":
        return truth_of(world.recorder.call(ops.np.any if fn is any else ops.np.all, items))
    if not world.captures:
        return DECLINED
    if type(items) is FilledList:
        return Invoke(polyfills.any_of_list if fn is any else polyfills.all_of_list, args)
    if is_view(items):
        return Invoke(polyfills.of_list, (fn, items))
    if is_iterated(items):
        return Invoke(polyfills.of_items, (fn, items))
    if type(items) in (list, tuple):  # the truth of a number is that of either kind
        items = [item.scalar if type(item) is Mixed else item for item in items]
    if type(items) in (list, tuple) and any(map(_is_data, items)) and all(map(_is_plain, items)):
        return _of_values(items, fn is any)
    return DECLINED


def quantify(world: ShadowedWorld, vm: Machine, fn: Any, items: Any, truth: Any) -> Any:
    """The same for a generator that yielded an item of this truth; ``None`` if that decides."""
    if not world.captures or known(truth) is not None or truth.hint is not None:
        return None
    with snapshot(world, vm) as before:
        if before.knows(items):  # how far it has gone would depend on the data
            return None
        asked = _Asked(world, fn, items)
        while (another := asked.another(truth)) is not None:
            truth = another
        touched = before.effect()
        if touched is not None:
            asked.refuse(touched)
    return truth


def _is_data(item: Any) -> bool:
    return type(item) in (ArrayProxy, ScalarProxy) or truth_of_data(item) is not None


def _is_plain(item: Any) -> bool:
    """Whether telling the truth of an item runs nothing of the program's and raises nothing."""
    return truth_of_data(item) is not None or type(item) in SCALARS or isinstance(item, (np.bool_, np.number))


def _of_values(items: Any, stop: bool) -> Any:
    """The same for items that exist already."""
    found: Any = None
    for item in items:
        truth = truth_of_data(item)
        if truth is None and bool(item) is stop:
            return stop if found is None else _either(found, stop, stop)
        if truth is not None:
            found = truth if found is None else _either(found, truth, stop)
    return not stop if found is None else found


def _either(one: Any, other: Any, stop: bool) -> Any:
    if type(other) is bool:
        return other if other is stop else one
    return one | other if stop else one & other


class _Asked:
    """``fn`` is ``any`` or ``all``, ``items`` a generator that nobody else holds."""

    def __init__(self, world: ShadowedWorld, fn: Any, items: Any) -> None:
        self.world, self.fn, self.items = world, fn, items
        self.stop = fn is any
        self._hidden: set[Node] = set()  # what only the evaluation of one item computes

    def _next(self) -> Any:
        return answering(self.world, self.fn, next, (self.items, _END), {})

    def _truth(self, item: Any) -> Any:
        """The truth of an item: a ``bool``, or one that only the data know."""
        truth = truth_of_data(item)
        return answering(self.world, self.fn, bool, (item,), {}) if truth is None or known(truth) is not None else truth

    def another(self, found: Any) -> Any:
        """What is known after the next item; ``None`` after the last one."""
        rec = self.world.recorder
        region, drawn = LoggingRegion(rec, f"an item of `{self.fn.__name__}`"), _drawn()
        with region:
            try:
                item = self._next()
                truth = not self.stop if item is _END else self._truth(item)
            except (ExportError, RecursionError, KeyboardInterrupt):
                raise
            except Exception as error:
                require_own(error)
                self.refuse(f"raises {type(error).__name__}: {error}")
            if region.touched() or _drawn() != drawn:
                self.refuse("writes to an array, or draws random numbers")
            region.outputs = (rec.argument(truth),)
        if item is _END and not any("raises" in node.meta for node in region.nodes):
            return None
        if self._hides(region):
            return _either(found, truth, self.stop)
        decided = LoggingRegion(rec, "")
        with decided:
            decided.outputs = (self.stop,)
        sides = {self.stop: decided, not self.stop: region}
        (result,) = branch(rec, found, sides[True], sides[False])
        return sym_bool(result)

    def _hides(self, region: Region) -> bool:
        """Move what neither raises nor warns in front, for later items; whether that is all."""
        quiet: list[Node] = []
        left: set[Node] = set()
        for node in region.nodes:
            if not self._hidden.isdisjoint(node.all_input_nodes):
                self.refuse("uses what was computed for one before")
            if is_quiet(node) and left.isdisjoint(node.all_input_nodes):
                quiet.append(node)
            else:
                left.add(node)
        region.keep(quiet)
        self._hidden |= left
        return not left

    def refuse(self, what: str) -> NoReturn:
        message = f"how many items `{self.fn.__name__}` takes depends on data, and to compute one {what}"
        raise Spoiled("E103", message, hint="Compute the items in a list before, or all of them at once: np.any(x > 3), np.all(x > 0).")


def _drawn() -> dict[int, Any]:
    """The present states of random generators."""
    return {key: state.node() for key, state in recorder().drawn.items()}
