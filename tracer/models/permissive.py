"""What ``export(strict=False)`` lets C do: a function of which nothing is known, or that reads the
clock, a file or the environment, runs during the export, and its result is a constant of the
program.

Laws: it gets nothing that the program computes with, for then its result would depend on data; its
result is an outside object, which the program cannot write to.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir.report import Read
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.lookup import Judge
from npexport.tracer.models.registry import Model
from npexport.tracer.models.running import run_on_numbers

READ_OBJECTS = ("os._Environ",)
"""Classes whose objects the program may read then, fenced as they are otherwise."""


class PermissiveJudge(Judge):
    """Lets refused calls run at export if their arguments hold nothing that is computed."""

    def __init__(self, arrays: Callable[[Any], Model | None]) -> None:
        super().__init__(arrays)
        self._permitted: dict[Model, Model] = {}

    def __call__(self, fn: Any) -> Model:
        model = super().__call__(fn)
        refusal = getattr(model, "refusal", None)
        if refusal is None or not (refusal.reads or refusal.code == "E101"):
            return model
        if model not in self._permitted:
            self._permitted[model] = _granted(model, _open if fn is open else _at_export)
        return self._permitted[model]


def _granted(refuse: Model, run: Callable[..., Any]) -> Model:
    """``run`` in place of a refusal, where that is granted and no value of the program's is
    among the arguments.
    """

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _is_of_the_program((getattr(fn, "__self__", None), *args, *kwargs.values())):
            return refuse(world, vm, fn, args, kwargs)
        if world.grants is not None:
            try:
                refuse(world, vm, fn, args, kwargs)
            except ExportError as error:
                vm.locate(error)
                if not world.grants(error):
                    raise
        return run(world, vm, fn, args, kwargs)

    return model


def _at_export(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = run_on_numbers(world, vm, fn, args, kwargs)
    origin = f"result of {getattr(fn, '__qualname__', type(fn).__qualname__)}"
    world.report.reads.append(Read(origin, value))
    return world.enter(value, origin)


def _open(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A file that is opened for reading is what it holds, in memory."""
    given = dict(zip(("file", "mode"), args, strict=False)) | kwargs
    mode, file = given.get("mode", "r"), given.get("file")
    if isinstance(file, int) or not isinstance(mode, str) or not set(mode) <= set("rbt"):
        raise Unsupported("E105", "`open` reads or writes outside the program")
    with fn(*args, **kwargs) as opened:
        content = opened.read()
    world.report.reads.append(Read(f"file {opened.name}", content))
    return (io.BytesIO if isinstance(content, bytes) else io.StringIO)(content)


def _is_of_the_program(values: Iterable[Any]) -> bool:
    """Whether a value, or one in a container, is or may hold something computed."""
    for value in values:
        if type(value) in NATIVE_TYPES:
            return True
        if isinstance(value, (tuple, list, set, frozenset)) and _is_of_the_program(value):
            return True
        if isinstance(value, dict) and _is_of_the_program((*value, *value.values())):
            return True
    return False
