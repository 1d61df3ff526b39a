"""C iterators that choose among items, or add them up, as data may decide: generators with a plain
loop, which run like those of the program (`npexport.tracer.interpreter.generator_functions`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.generator_functions import runs_as_function
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import selecting as polyfills
from npexport.tracer.models.registry import DECLINED


def _is_of_data(items: Any) -> bool:
    """Whether a loop over the items runs no Python of the program but generators, and may yield
    values that only the data know.
    """
    if type(items) is ArrayProxy:
        return items.ndim > 0 and not items.known
    if type(items) in (list, tuple):
        return any(type(item) in NATIVE_TYPES for item in items)
    return type(items) in (FilledList, GeneratorType)


def _choosing(polyfill: Callable[..., Any]) -> Callable[..., Any]:
    """The model of an iterator over its second argument."""

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs or len(args) != 2 or not world.captures or not _is_of_data(args[1]):
            return DECLINED
        return Invoke(polyfill, args)

    return model


filter_ = _choosing(polyfills.chosen)
filterfalse = _choosing(polyfills.left_out)
takewhile = _choosing(polyfills.before_first)
dropwhile = _choosing(polyfills.from_first)
compress = _choosing(polyfills.selected)


def accumulate(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.accumulate`` over a length that is not a plain integer, or a generator that
    yields as data decide.
    """
    if not args or len(args) > 2 or kwargs.keys() - {"func", "initial"} or kwargs.get("initial") is not None:
        return DECLINED
    values, function = args[0], args[1] if len(args) == 2 else kwargs.get("func")
    if runs_as_function(vm, values):
        return Invoke(polyfills.running_totals, (values, function))
    if not world.counting:
        return DECLINED
    length = values.shape[0] if type(values) is ArrayProxy and values.ndim else values.length if type(values) is FilledList else 0
    return Invoke(polyfills.running_totals, (values, function)) if is_symbolic(length) else DECLINED
