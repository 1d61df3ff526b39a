"""The world of strict export without its models: outside objects are shadowed, and writes to the
outside are recorded.
"""

from __future__ import annotations

import contextvars
import enum
import functools
import inspect
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Collection
from typing import Any, Protocol, cast

import numpy as np

from npexport.ir.report import Emission, Read, Report
from npexport.symshapes.errors import ExportError, Location, Unsupported
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core import filled_list_identity, new_numbers
from npexport.tracer.arrays.core.current import Recording, recorder
from npexport.tracer.arrays.core.data_dependent_identity import one_object
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.copiers import is_listed, places_of
from npexport.tracer.effects.error_states import ErrorStates
from npexport.tracer.effects.fence import Fence, target_of
from npexport.tracer.effects.host_warnings import callers_filters, programs_filters
from npexport.tracer.effects.namespace import Namespace
from npexport.tracer.effects.outside_changes import OutsideChanges
from npexport.tracer.effects.overlay import DELETED, NameWrite, Overlay, describe
from npexport.tracer.effects.policy import ATOMS, KEPT
from npexport.tracer.effects.run_options import DEFAULT_OPTIONS, RunOptions, Tally, Unrolling
from npexport.tracer.effects.set_order import Orders, varies
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state import is_users, shown
from npexport.tracer.effects.state_places import Choice
from npexport.tracer.effects.streams import standard
from npexport.tracer.effects.warning_filters import action_of, ignored
from npexport.tracer.frames import SETTRACE, hook
from npexport.tracer.frames.frame_ownership import is_of_tracer, keeps_objects
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.class_members import LIBRARIES
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.inlining import Inlining
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.polyfills.stepping import PLACED, Placed
from npexport.tracer.interpreter.stand_ins import is_of_c, type_of_c
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion
from npexport.tracer.interpreter.world import World, undefined_name

_MISSING = object()


class Host(Protocol):
    """The world's interface to its export; `npexport.tracer.driver.trace.Trace` documents it."""

    vm: Machine
    report: Report
    leaves: Any
    modules: Any
    wanting: list[str]

    @property
    def recorder(self) -> Recording: ...
    def lift(self, array: Any, origin: str) -> Any: ...
    def tie(self, first: Any, second: Any) -> None: ...
    def stack(self) -> tuple[Location, ...]: ...
    def where(self) -> Location | None: ...
    def run_bound(self, function: types.FunctionType, localsplus: dict[str, Any]) -> Any: ...


class ShadowedWorld(World):
    """The view of everything that existed before: outside objects are shadowed, and writes to the
    outside are recorded. `TracingWorld` adds what C callables mean.

    ``host`` is the export.
    """

    tracing = True
    judge: Any  # what a C callable means
    answer: Any  # calls C, and answers for the Python that it calls back
    values: Any  # what proxies are for the example inputs
    unfinished = False  # whether an export that allows it would get further
    rolled = counted = promotes = False  # whether loops became nodes: of known iterations; over sizes; with numbers of either kind
    endless = False  # whether a loop on data was met that no path leaves
    resized = False  # whether loops over sizes became nodes whose iterations change the size of an array
    records_too_much = False  # whether more branches on data were met than `Tally.recorded` allows
    rehearses = False  # whether handlers are run to see if they leave an exception as it is
    needs_case_splits = False  # whether a symbolic union appeared in a frame whose instructions did not examine their operands
    refers = False  # whether there are lists of stores (`npexport.tracer.arrays.core.inner_lists`)
    mixes = False  # whether there are numbers that are Python's or NumPy's as the data say
    shared = False  # whether there were sections (`npexport.tracer.control.sections`)
    tabulated = False  # whether dicts with texts as keys became tables (`npexport.tracer.control.side_lists`)
    filtering = False  # whether the program has changed the filters of warnings

    def __init__(self, host: Host, options: RunOptions = DEFAULT_OPTIONS) -> None:
        self.host, settled, captures = host, options.settled, options.captures
        self.stack, self.where = host.stack, host.where
        self.shadows = Shadows(host.lift, settled)
        self.enter = self.shadows.enter  # type: ignore[method-assign]  # one call less for every read
        self.report = host.report
        self.overlay = Overlay()
        self.outside = OutsideChanges(self.shadows, self.overlay, options.loses)
        self.probe: Any = None  # of the side of a branch on data that is run to see whether it is no more than a check
        self.iteration: Any = None  # of a loop on data, while it is run to find what it carries
        self.earlier = dict(options.captured)  # what is known of loops on data, as `RunOptions` says
        self.tally = Tally(options.runs)
        self.captures = captures
        self.counting, self.mixing, self.resizing = captures and options.counts > 0, options.counts > 1, options.counts > 2
        self.unrolling = Unrolling(options.unroll if captures else None)
        self.placed = PLACED if options.places else {}
        self.example: Any = None  # of a draft: what an operator without a fake gives for the example inputs
        self.grants: Any = None  # of a draft: whether what is refused may run
        self.inlining = options.inlining or Inlining()
        self.interrupts = options.interrupts  # whether the call after one that has changed the exported object in part may raise
        self.shares = options.shares
        self.tabulates = options.tabulates
        self.leaving: set[Any] = set()
        self.merged: dict[int, Any] = {}  # bound methods that sides or iterations leave as one
        self.unions: dict[Any, Any] = {}  # values that are one of several: by truth, and the identities of two values
        self.partial_objects: dict[int, Any] = {}
        self.partial_dicts: dict[int, Any] = {}
        self.asks = options.asks or any(isinstance(place, Choice) for place in settled.places.values())
        self.asking: list[Any] = []  # the instructions that run once for each of several values
        self.identified: list[tuple[Callable[[], Any], int]] = []  # arrays and lists whose ``id`` was asked for, and what it is
        self.inputs: dict[int, tuple[int, Any]] = {}  # the proxies of array inputs by identity: position and placeholder
        self.given_back: dict[int, tuple[Any, ...]] = {}  # what modules gave back, by identity: the array that it is
        self.remembered: dict[Any, Any] = {}  # results of cached functions, where the cache itself cannot be called
        self.compared: dict[int, Any] = {}
        self.cached: dict[int, Any] = {}  # what caches from outside have returned, by identity
        self.on_sides: dict[Any, Any] = {}  # cached functions that are called on sides of branches on data
        self._spaces: dict[int, dict[str, Any]] = {}
        self._local: dict[int, Any] = {}
        self._making: dict[tuple[Any, Any], tuple[Any, ...]] = {}  # classes that do not exist yet: (module, qualified name) -> bases
        self.orders = options.orders or Orders()
        self._noted: set[str] = set()  # what was read of classes, functions and modules
        self.modules = frozenset(sys.modules)  # before the run
        self.context = contextvars.copy_context()  # likewise
        self.warned: set[Any] = set()  # the warnings that are given only once
        self.errors = ErrorStates()
        self.apart: dict[int, Any] = {}  # heaps whose tuples hold no float twice, by identity
        self.numbered: dict[int, Any] = {}  # whose ``id`` or ``hash`` the program has asked for, by identity
        self.places: dict[Any, Any] = {}  # of keys that only the data know, once an item of a dict was read
        self.hiding: dict[int, Any] = {}  # what cannot be put back while a branch or loop on data is run, by identity
        for stream, stand_in in standard(self).values():
            self.shadows.adopt(stream, stand_in)
        self.answer = hook().answer
        self.aborts = hook().name == SETTRACE  # Python that C starts is aborted, not answered for

    @property
    def recorder(self) -> Recording:
        """The recorder of the export."""
        return self.host.recorder

    def call_model(self, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call of a C callable while tracing."""
        raise NotImplementedError

    def permits(self, refusal: ExportError) -> bool:
        """Whether what is refused in strict mode is done nevertheless."""
        raise NotImplementedError

    def called_back(self, function: types.FunctionType, localsplus: dict[str, Any]) -> Any:
        """The value of a Python frame that C started."""
        raise NotImplementedError

    def keeps_warnings(self) -> bool:
        """Whether the program is recording warnings."""
        written = self.overlay.find(warnings, "_showwarnmsg_impl")
        return written is not None and written.value != self.shadows.enter(warnings._showwarnmsg_impl, "warnings")  # type: ignore[attr-defined]

    def ignored_warnings(self, issued: Collection[type[Warning]]) -> str | None:
        """What the program's filters ignore, of warnings of these categories; ``None``: more."""
        return ignored(self.own_filters(), callers_filters(), issued) if self.filtering else ""

    def own_filters(self) -> Any:
        """The filters of warnings as the program sees them."""
        aside = programs_filters() if self.overlay.find(warnings, "filters") is None else None
        return self.module_attribute(warnings, "filters") if aside is None else aside

    def settle(self) -> None:
        """Apply the writes to names of earlier calls."""
        for owner, name, value in self.shadows.settled.names:
            self.overlay.settle(owner, name, self.enter(value, f"attribute {describe(owner, name)}"))

    # Reads of outside names

    def load_global(self, frame: Frame, name: str) -> Any:
        space = self._spaces.get(id(frame.globals))
        if space is not None:
            value = space.get(name, _MISSING)
            if value is not _MISSING:
                return value
        return self._first_load(frame, name)

    def _first_load(self, frame: Frame, name: str) -> Any:
        if id(frame.globals) in self._local:
            return super().load_global(frame, name)
        written = self.overlay.find(frame.globals, name)
        if written is not None and written.value is not DELETED:
            value = written.value
        elif written is None and name in frame.globals:
            value = self.read_global(frame.globals, name)
        elif name in frame.builtins:
            value = frame.builtins[name]
        else:
            raise undefined_name(name)
        self._spaces.setdefault(id(frame.globals), {})[name] = value
        return value

    def read_global(self, space: dict[str, Any], name: str) -> Any:
        """A global that the program has not written. Raises ``KeyError``."""
        value = space[name]
        module = space.get("__name__", "?")
        if str(module).partition(".")[0] not in LIBRARIES:
            self._record(f"global {module}.{name}", value)
        return self.shadows.enter(value, f"global {module}:{name}")

    def write_global(self, space: dict[str, Any], name: str, value: Any) -> None:
        """``DELETED`` deletes."""
        self.overlay.write(space, name, value, self.stack())
        self._spaces.get(id(space), {}).pop(name, None)

    def one_sided(self, vm: Machine, frame: Frame, truth: Any, if_true: int, if_false: int) -> bool | None:
        """The side on which the program goes on, if the other one only raises or warns."""
        return None

    def forget(self, owner: Any, name: str) -> None:
        """A global was written without its readers' knowledge: clear their caches."""
        self._spaces.get(id(owner), {}).pop(name, None)

    def namespace(self, space: dict[str, Any]) -> Any:
        return space if id(space) in self._local else Namespace(self, space)

    def read(self, value: Any, origin: str, module: Any) -> Any:
        if origin not in self._noted and _is_data(value):
            self._noted.add(origin)
            if str(module).partition(".")[0] not in LIBRARIES:
                self._record(shown(origin.removeprefix("attribute ")), value)
        return self.shadows.enter(value, origin)

    def _record(self, path: str, value: Any) -> None:
        if _is_data(value):
            self.report.reads.append(Read(path, value))

    def record_contents(self) -> None:
        """Record the plain data in the user's objects, which are part of the program."""
        for entry in self.shadows.entries:
            if len(self.report.reads) >= _MANY or not is_users(entry.origin):
                continue
            for step, value in places_of(entry.original):
                self._record(shown(entry.origin + step), value)
        for path, value in self.shadows.parts:
            if is_users(path):
                self._record(shown(path), value)

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

    def value_before(self, write: NameWrite) -> Any:
        """The value of a name that a side has written, as it is without that side; `DELETED` if
        there is none.
        """
        owner, name = write.owner, write.name
        written = self.overlay.find(owner, name)
        if written is not None:
            return written.value
        names = owner if isinstance(owner, dict) else vars(owner)
        if name not in names:
            return DELETED
        if isinstance(owner, dict):
            return self.read_global(owner, name)
        return self.read(names[name], f"attribute {describe(owner, name)}", getattr(owner, "__module__", None))

    # Writes to outside names

    def store_global(self, frame: Frame, name: str, value: Any) -> None:
        if id(frame.globals) in self._local:
            return super().store_global(frame, name, value)
        self.write_global(frame.globals, name, value)
        return None

    def delete_global(self, frame: Frame, name: str) -> None:
        if id(frame.globals) in self._local:
            return super().delete_global(frame, name)
        self.load_global(frame, name)
        self.write_global(frame.globals, name, DELETED)
        return None

    def store_attr(self, obj: Any, name: str, value: Any) -> None:
        if self.is_local(obj):
            setattr(obj, name, value)
        else:
            self._write_attr(obj, name, value)

    def delete_attr(self, obj: Any, name: str) -> None:
        if self.is_local(obj):
            delattr(obj, name)
            return
        written = self.overlay.find(obj, name)
        if (name not in vars(obj)) if written is None else written.value is DELETED:
            self._require_descriptor(obj, name)
        self._write_attr(obj, name, DELETED)

    def was_found(self, obj: Any) -> bool:
        """Whether an object that nobody copies is from outside."""
        return self.shadows.is_outside(obj) or (type(obj) in KEPT and not self.is_local(obj))

    def _require_descriptor(self, obj: Any, name: str) -> None:
        """Raises CPython's ``AttributeError`` for an attribute that is to be deleted, and that
        neither the object has nor a descriptor of its class stands for.
        """
        if not hasattr(type(inspect.getattr_static(type(obj), name, None)), "__delete__"):
            delattr(type(obj.__name__, (), {}) if isinstance(obj, type) else type(type(obj).__name__, (), {})(), name)

    def _write_attr(self, obj: Any, name: str, value: Any) -> None:
        if isinstance(obj, types.ModuleType):  # a module's attributes are its globals
            self.write_global(vars(obj), name, value)
        elif name == "__slotnames__":  # a cache of copyreg
            return
        elif isinstance(obj, type) and name.startswith("__") and name.endswith("__"):
            raise Unsupported("E112", f"the program changes `{obj.__qualname__}.{name}`, which operators of other objects use")
        elif isinstance(obj, types.FunctionType) and name in ("__code__", "__defaults__", "__kwdefaults__"):
            raise Unsupported("E112", f"the program changes `{obj.__qualname__}.{name}`, which calls of the function use")
        else:
            self.overlay.write(obj, name, value, self.stack())

    def names_of(self, owner: Any, names: Any) -> Any:
        written = self.overlay.names(owner)
        if not written:
            return names
        if isinstance(owner, types.FunctionType):
            raise Unsupported("E112", f"the program reads `{owner.__qualname__}.__dict__` after it wrote attributes of the function")
        return types.MappingProxyType({name: value for name, value in {**names, **written}.items() if value is not DELETED})

    # What is local

    def is_local(self, obj: Any) -> bool:
        if isinstance(obj, enum.Enum):
            if not is_listed(obj):  # what the program combines of flags
                return True
            obj = type(obj)
        return id(obj) in self._local or (isinstance(obj, type) and self._making.get((obj.__module__, obj.__qualname__)) == obj.__bases__)

    def making(self, namespace: Any, bases: tuple[Any, ...]) -> None:
        """A class of this namespace and these bases is about to exist."""
        self._making[namespace.get("__module__"), namespace.get("__qualname__")] = bases or (object,)

    def made(self, obj: Any) -> None:
        dies = isinstance(obj, types.FunctionType)  # as in CPython, with what its cells hold
        self._local[id(obj)] = weakref.ref(obj, functools.partial(self._local.pop, id(obj))) if dies else obj
        if isinstance(obj, type):
            self._making.pop((obj.__module__, obj.__qualname__), None)

    def made_by(self, obj: Any) -> Any:
        """The object, recorded as made by the program."""
        self.made(obj)
        return obj

    # What is distinguished

    def mark(self) -> Any:
        return self.host.recorder.writes

    def same(self, left: Any, right: Any) -> Any:
        """Inputs that are one array in the example are one to the program, and must be at every
        call; others must be different.

        A size is a new object each time it is read. Equal truths are the same.
        ``np.asarray(x, order="C")`` is ``x`` if that has this order, which then must hold at every
        call.
        """
        if (id(left) in self.merged or id(right) in self.merged) and not keeps_objects(self.host.vm.current_frame.code):
            return new_numbers.are_one_method(left, right)
        if left is right and (type(left) is not SymInt or keeps_objects(self.host.vm.current_frame.code)):
            return True
        if type(left) is SymBool or type(right) is SymBool:  # there are two objects of the type
            return left == right if {type(left), type(right)} <= {bool, SymBool} else False
        if type(left) in INNER and type(right) in INNER:
            return left.number == right.number if left.store is right.store else False
        for kind in (type(left), type(right)):
            if kind in NUMBERS:
                return False if keeps_objects(self.host.vm.current_frame.code) else NUMBERS[kind](left, right)
            if kind in IDENTITIES:
                return IDENTITIES[kind](left, right)
        left, right = self.given_back.get(id(left), (left,))[0], self.given_back.get(id(right), (right,))[0]
        if left is right:
            return True
        if all(isinstance(each, (tuple, slice)) for each in (left, right)) and not keeps_objects(self.host.vm.current_frame.code):
            return new_numbers.are_one_tuple(left, right)
        if type(left) is type(right) is ArrayProxy:
            told = one_object(self.recorder, left, right, self.same)
            if told is not None:
                return told
            if self.recorder.layouts.same(left, right):
                return True
        first, second = self.inputs.get(id(left)), self.inputs.get(id(right))
        if first is None or second is None:
            if type(left) is type(right) is ArrayProxy and left.storage.outside and right.storage.outside:
                self.recorder.overlaps.compared.add(frozenset((left.storage.outside, right.storage.outside)))
            return False
        (_, earlier), (_, later) = sorted((first, second), key=lambda each: each[0])
        if earlier.array is later.array:
            self.host.tie(earlier, later)
            return True
        if earlier not in later.distinct_from:
            later.distinct_from.append(earlier)
        return False

    def type_of(self, value: Any) -> type:
        cls = type(value)
        code = generators.code_of(value) if cls is types.GeneratorType else None
        if issubclass(cls, Placed) or (code is not None and is_of_tracer(code)):
            text = f"the program examines a C iterator that is replaced by an interpreted one ({code.co_name if code else 'iter'})"
            raise Unsupported("E119", text, hint="Do not examine it, or write a list or a generator in its place.")
        if cls is Mixed:
            value.refuse("its type")
        if cls is SymbolicUnion:
            value.ask()
        if is_of_c(value):
            return type_of_c(self.host.vm, value)
        return (python_type(value) if is_symbolic(value) else value.__class__) if cls in NATIVE_TYPES else cls

    def length(self, result: Any) -> Any:
        """A dynamic size stays one."""
        if type(result) is SymInt and result >= 0 and (result.env.is_length(result.expression) or result <= sys.maxsize):
            return result
        return super().length(result)

    def unfenced(self, value: Any) -> Any:
        """The object behind a fence; any other value itself."""
        return target_of(value) if type(value) is Fence else value

    def in_order(self, value: Any) -> Any:
        """What the program iterates over instead of ``value``: for a set whose order varies, the
        items in the order of the trial.
        """
        return self.orders.items(value, self.stack()) if varies(value) else value

    # What the program prints, warns of and logs

    def say(self, kind: str, text: str, location: Location | None, detail: Any) -> None:
        """List what is printed, warned of or logged."""
        self.report.emitted.append(Emission(kind, text, location, detail))

    def module_attribute(self, module: types.ModuleType, name: str) -> Any:
        """An attribute of an outside module, as the program sees it."""
        written = self.overlay.find(module, name)
        return self.enter(getattr(module, name), f"{module.__name__}.{name}") if written is None else written.value

    def warning_action(self, text: str, category: type, location: Location | None) -> str:
        """What the warning filters, as the program sees them, do with a warning."""
        return action_of(self.own_filters(), text, category, location)


_MANY = 10_000


def current_world() -> ShadowedWorld:
    """The world of the active session. Raises ``InternalError`` if none is active."""
    return cast(ShadowedWorld, recorder().session.world)


IDENTITIES: dict[type, Callable[[Any, Any], Any]] = {FilledList: filled_list_identity.are_one}
"""Whether two values, one of which is such a stand-in, are one object: a truth."""
NUMBERS = {**dict.fromkeys(new_numbers.OF_DATA, new_numbers.are_one), SymInt: new_numbers.are_one_integer}
"""The same for numbers. What stands for functions of C compares them by value."""


def _is_data(value: Any) -> bool:
    """Whether a value is plain data: functions, classes and modules are the program itself."""
    cls = type(value)  # not what its `__class__` says, which is code
    if issubclass(cls, (tuple, frozenset)):
        return all(map(_is_data, value))
    return cls in ATOMS or issubclass(cls, (np.generic, enum.Enum))
