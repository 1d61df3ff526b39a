"""What ``export(strict=False)`` lets C do: a function of which nothing is known, or that reads the
clock, runs during the export, and its result is a constant of the program.

Laws: it gets nothing that the program computes with, for then its result would depend on data; its
result is an outside object, which the program cannot write to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir.report import Read
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.lookup import Judge
from npexport.tracer.models.registry import Model
from npexport.tracer.models.running import run_on_numbers

AT_EXPORT = ("E101", "E106")
"""The refusals that it overrides."""


class PermissiveJudge(Judge):
    """Lets refused calls run at export if their arguments contain nothing that the program computes
    with.
    """

    def __init__(self, arrays: Callable[[Any], Model | None]) -> None:
        super().__init__(arrays)
        self._permitted: dict[Model, Model] = {}

    def __call__(self, fn: Any) -> Model:
        model = super().__call__(fn)
        if getattr(model, "code", None) not in AT_EXPORT:
            return model
        if model not in self._permitted:
            self._permitted[model] = _at_export(model)
        return self._permitted[model]


def _at_export(refuse: Model) -> Model:
    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _is_of_the_program((getattr(fn, "__self__", None), *args, *kwargs.values())):
            return refuse(world, vm, fn, args, kwargs)
        value = run_on_numbers(world, vm, fn, args, kwargs)
        origin = f"result of {getattr(fn, '__qualname__', type(fn).__qualname__)}"
        world.report.reads.append(Read(origin, value))
        return world.enter(value, origin)

    return model


def _is_of_the_program(values: Iterable[Any]) -> bool:
    """Whether a value, or one in a container, stands for something computed, or may hold such a
    value.
    """
    for value in values:
        if type(value) in NATIVE_TYPES:
            return True
        if isinstance(value, (tuple, list, set, frozenset)) and _is_of_the_program(value):
            return True
        if isinstance(value, dict) and _is_of_the_program((*value, *value.values())):
            return True
    return False
