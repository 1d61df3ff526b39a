"""One export in progress: what the parts of the tracer share, found from anywhere by :func:`current`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from npexport.ir.graph import Graph
from npexport.ir.op import Op
from npexport.ir.ops.rules import fresh_numbers
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import Location, Unsupported, blamed
from npexport.tracer.arrays.counts import Count
from npexport.tracer.arrays.raising import OF_SIZES, Errors, may_warn
from npexport.tracer.arrays.recorder import Recorder
from npexport.tracer.current import CURRENT, current
from npexport.tracer.interpreter.catching import catcher

__all__ = ["Session", "current"]

_LOCATIONS = 100
"""How many locations a node keeps: with all of them, a recursion over arrays would take memory by the square of its depth."""


class Session:
    """``vm`` answers for the source locations and runs calls; ``env`` is the ``ShapeEnv``; ``world`` is the tracing world.

    ``report`` collects notes.

    ``module_stack()`` gives the ``nn_module_stack`` of a new node: dotted path -> class name, outermost first. The driver may replace it.
    A session without a VM (non-strict tracing, tests) gives empty stacks, and calls Python functions by the host.
    """

    def __init__(self, vm: Any = None, *, env: ShapeEnv, world: Any = None, report: Any = None) -> None:
        self.vm = vm
        self.env = env
        self.world = world
        self.report = report
        self.recorder = Recorder(Graph(), self)
        self._counts: dict[Any, Any] = {}  # the sizes that depend on data, by what they count
        self.module_stack: Callable[[], dict[str, str]] = dict

    def stack(self) -> tuple[Location, ...]:
        """The user's locations, innermost last."""
        return () if self.vm is None else self.vm.stack(_LOCATIONS)

    def invoke(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call of a Python function: interpreted where there is a VM."""
        return fn(*args, **kwargs) if self.vm is None else self.vm.run(fn, args, kwargs)

    def refuse_caught(self, op: Op, args: tuple[Any, ...], errors: Errors, conditions: list[Any]) -> None:
        """Raises ``Unsupported`` (E126) where the program expects what the operator raises for some data only.

        ``conditions``: where one of these does not hold of the sizes, the operator raises, too. Where the program would catch that, they
        become guards.
        """
        if self.vm is None:
            return
        if self.world.filtering and may_warn(op, args) and (self.world.trapping or self.world.keeps_warnings()):
            what = "turns warnings into errors" if self.world.trapping else "records warnings"
            raise Unsupported("E126", f"the program {what}, and `{op}` warns for some data and not for others")
        if conditions and catcher(self.vm, OF_SIZES, everything=True):
            for condition in conditions:
                if condition.hint is not None:
                    bool(condition)
            if any(condition.hint is None for condition in conditions):
                errors = (*errors, *OF_SIZES)
        found = catcher(self.vm, errors) if errors else None
        if found is not None:
            frame, index = found
            line = frame.info.decoded.location(frame.code, index).line
            names = " or ".join(error.__name__ for error in errors)
            message = f"`{op}` raises {names} for some data and not for others, and line {line} of `{frame.code.co_name}` would catch it"
            raise Unsupported("E126", message)

    @contextmanager
    def activate(self) -> Iterator[Session]:
        """While active, :func:`current` gives this session in this thread."""
        token = CURRENT.set(self)
        try:
            with fresh_numbers(self._unbacked, self._unbacked_float):
                yield self
        finally:
            CURRENT.reset(token)

    def _unbacked(self, low: Any, high: Any) -> Any:
        """A size that only the data knows: a new one, except that what is counted twice has one size."""
        count = self.recorder.next_count()
        if count is None:
            return self._new_unbacked(low, high)
        size = self._counts.get(count.key)
        if size is None:
            low, high = count.extent or (low, high)
            size = low if high is not None and known(low == high) else self._new_unbacked(low, high)
            self.count(count, size, high)
        elif self.env is not None and known(size >= low) is None:  # where it is less, the operator that asks now raises
            self.env.declare((size >= low).expr)
        return size

    def count(self, count: Count, size: Any, total: Any) -> None:
        """From now on this is the size; what counts the others of ``total`` is known too."""
        self._counts[count.key] = size
        if count.others is not None:
            self._counts[count.others] = total - size

    def _new_unbacked(self, low: Any, high: Any) -> Any:
        return self.env.create_unbacked(low, high, f"a size that depends on data{self._at_line()}")

    def _unbacked_float(self) -> Any:
        return self.env.create_unbacked_float(f"a float that depends on data{self._at_line()}")

    def _at_line(self) -> str:
        place = blamed(self.stack())
        return "" if place is None else f" at line {place.line}"
