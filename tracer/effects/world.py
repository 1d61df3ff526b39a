"""The world of strict export: outside objects are shadowed, C callables are judged, and what would be written outside is journalled."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from npexport.symshapes.errors import Location
from npexport.tracer.diagnostics.report import Emission, Read, Report
from npexport.tracer.effects.fence import Fence, target_of
from npexport.tracer.effects.kinds import ATOMS
from npexport.tracer.effects.overlay import DELETED, Overlay
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.frames import hook
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import code_info
from npexport.tracer.interpreter.world import World, undefined_name
from npexport.tracer.models import callbacks as _callback_models  # noqa: F401  registers the models
from npexport.tracer.models.lookup import Judge
from npexport.tracer.models.python import PYTHON

NATIVE_TYPES.add(Fence)
_MISSING = object()


class TracingWorld(World):
    """One export's view of everything that existed before. ``lift(array, origin)`` makes the proxy of an outside array."""

    tracing = True

    def __init__(self, lift: Callable[[Any, str], Any], report: Report, judge_array: Callable[[Any], Any]) -> None:
        self.shadows = Shadows(lift)
        self.enter = self.shadows.enter  # type: ignore[method-assign]  # one call less for every read
        self.report = report
        self.overlay = Overlay()
        self.vm: Any = None
        self.where: Callable[[], Location | None] = lambda: None
        self._spaces: dict[int, dict[str, Any]] = {}
        self._local: dict[int, Any] = {}
        self._making: set[tuple[Any, Any]] = set()
        self.judge = Judge(judge_array)
        _intercept()
        self.answer = hook().answer

    # Reads of outside names

    def load_global(self, frame: Any, name: str) -> Any:
        space = self._spaces.get(id(frame.globals))
        if space is not None:
            value = space.get(name, _MISSING)
            if value is not _MISSING:
                return value
        return self._first_load(frame, name)

    def _first_load(self, frame: Any, name: str) -> Any:
        if id(frame.globals) in self._local:
            return super().load_global(frame, name)
        module = frame.globals.get("__name__", "?")
        written = self.overlay.find(frame.globals, name)
        if written is not None and written.value is not DELETED:
            value = written.value
        elif written is None and name in frame.globals:
            value = frame.globals[name]
            self._record(f"global {module}.{name}", value)
            value = self.shadows.enter(value, f"global {module}:{name}")
        elif name in frame.builtins:
            value = frame.builtins[name]
        else:
            raise undefined_name(name)
        self._spaces.setdefault(id(frame.globals), {})[name] = value
        return value

    def _record(self, path: str, value: Any) -> None:
        if _is_data(value):
            self.report.reads.append(Read(path, value))

    def enter_closure(self, fn: types.FunctionType) -> tuple[types.CellType, ...]:
        cells = fn.__closure__
        if not cells:
            return ()
        if id(fn) in self._local:
            return cells
        names = fn.__code__.co_freevars
        return tuple([self._cell(cell, f"closure {fn.__qualname__}:{name}") for cell, name in zip(cells, names, strict=True)])

    def _cell(self, cell: types.CellType, origin: str) -> types.CellType:
        if id(cell) not in self.shadows.cells:
            try:
                self._record(origin.replace(":", "."), cell.cell_contents)
            except ValueError:  # not bound yet
                pass
        return self.shadows.enter_cell(cell, origin)

    # Writes to outside names

    def store_global(self, frame: Any, name: str, value: Any) -> None:
        if id(frame.globals) in self._local:
            return super().store_global(frame, name, value)
        self.overlay.write(frame.globals, name, value, self.where())
        self._spaces.setdefault(id(frame.globals), {})[name] = value
        return None

    def delete_global(self, frame: Any, name: str) -> None:
        if id(frame.globals) in self._local:
            return super().delete_global(frame, name)
        self.load_global(frame, name)
        self.overlay.write(frame.globals, name, DELETED, self.where())
        del self._spaces[id(frame.globals)][name]
        return None

    def store_attr(self, obj: Any, name: str, value: Any) -> None:
        if self.is_local(obj):
            setattr(obj, name, value)
        else:
            self.overlay.write(obj, name, value, self.where())
            self._forget(obj, name)

    def delete_attr(self, obj: Any, name: str) -> None:
        if self.is_local(obj):
            delattr(obj, name)
        else:
            self.overlay.write(obj, name, DELETED, self.where())
            self._forget(obj, name)

    def _forget(self, obj: Any, name: str) -> None:
        """A module's attribute is a global of that module too."""
        if isinstance(obj, types.ModuleType):
            self._spaces.get(id(vars(obj)), {}).pop(name, None)

    # What is local

    def is_local(self, obj: Any) -> bool:
        return id(obj) in self._local or (isinstance(obj, type) and (obj.__module__, obj.__qualname__) in self._making)

    def making(self, namespace: Any) -> None:
        """A class of this namespace is about to exist."""
        self._making.add((namespace.get("__module__"), namespace.get("__qualname__")))

    def made(self, obj: Any) -> None:
        self._local[id(obj)] = obj

    def made_by(self, obj: Any) -> Any:
        """The object, noted as made by the program."""
        self.made(obj)
        return obj

    # Calls

    def call_native(self, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.judge(fn)(self, vm, fn, args, kwargs)

    def called_back(self, function: types.FunctionType, localsplus: dict[str, Any]) -> Any:
        """The value of a Python frame that C started. CPython bound its arguments: defaults of outside functions are entered here."""
        if not self.is_local(function):
            defaults = {id(value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())}
            for name, value in localsplus.items():
                if id(value) in defaults:
                    localsplus[name] = self.enter(value, f"default {function.__qualname__}:{name}")
        return self.vm.run_bound(function, localsplus)

    def type_of(self, value: Any) -> type:
        cls = type(value)
        return value.__class__ if cls in NATIVE_TYPES else cls

    def unfenced(self, value: Any) -> Any:
        """The object behind a fence; any other value itself."""
        return target_of(value) if type(value) is Fence else value

    # What the program says

    def emit(self, emission: Emission) -> None:
        self.report.emitted.append(emission)

    def warning_action(self, text: str, category: type, location: Location | None) -> str:
        """What the warning filters, as the program sees them, do with a warning."""
        written = self.overlay.find(warnings, "filters")
        filters = warnings.filters if written is None else written.value
        module = location.file.removesuffix(".py") if location else ""
        line = location.line if location else 0
        for action, message, kind, where, number in self.shadows.enter(filters, "global warnings.filters"):
            if (
                (message is None or _matches(message, text))
                and issubclass(category, kind)
                and (where is None or _matches(where, module))
                and number in (0, line)
            ):
                return action
        return "default"


def _matches(pattern: Any, text: str) -> bool:
    """A filter holds text (from the command line: to be equal) or a compiled pattern."""
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None


def _is_data(value: Any) -> bool:
    """Whether a value is plain data: functions, classes and modules are the program itself."""
    if type(value) in (tuple, frozenset):
        return all(map(_is_data, value))
    return type(value) in ATOMS




def _intercept() -> None:
    """Python functions that models answer for, of the modules that are imported, go to ``call_native``."""
    for module, name in PYTHON:
        target: Any = sys.modules.get(module)
        for part in name.split("."):
            target = getattr(target, part, None)
        if isinstance(target, types.FunctionType):
            code_info(target.__code__).host = True
