"""One run of the program on stand-ins: everything that an export creates, and the interpretation
itself.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops, random_states
from npexport.ir.call_signatures import ModuleCallEntry
from npexport.ir.layout_copies import alike
from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import SERIES_CONSTANTS
from npexport.ir.report import Report
from npexport.symshapes import expr as E
from npexport.symshapes.binding import Bindings, bind
from npexport.symshapes.calls import unbound
from npexport.symshapes.dims import Dim
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import ENDS_RUN, ExportError, Location, Unsupported, UserError
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core import complexes, generators
from npexport.tracer.arrays.core.data_numbers import of_data
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.arrays.memory.model import Kind, Placeholder, Storage
from npexport.tracer.bytecode.spans import location
from npexport.tracer.control.leaves import union_of
from npexport.tracer.control.symbolic_unions import note
from npexport.tracer.driver.inputs import Inputs, Leaf, containers, is_generator, reaches_python, unwrapped
from npexport.tracer.driver.session import Session
from npexport.tracer.driver.user_exceptions import frames_of, make_told
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.absent_places import note_absent
from npexport.tracer.effects.checkpoints import NOTHING_DONE, Changes, progress
from npexport.tracer.effects.module_calls import ModuleCalls
from npexport.tracer.effects.recomputed import Recomputed
from npexport.tracer.effects.run_options import DEFAULT_OPTIONS, RunOptions
from npexport.tracer.effects.settled import ListPlace, NoItems
from npexport.tracer.effects.shadows import Entry
from npexport.tracer.effects.state import SELF, State, belongs_to_root, dotted, module_class, shown
from npexport.tracer.effects.state_places import IS_PYTHON, Choice, Fields, Known, MixedPlace, Place
from npexport.tracer.frames import RootFrame, capture_root, hook
from npexport.tracer.interpreter import suspended
from npexport.tracer.interpreter.flow_graph import returns_of
from npexport.tracer.interpreter.vm import VM
from npexport.tracer.models.numbers.sizes import foreign


def step_limit() -> int:
    """How many loop iterations and calls a program may take: the environment variable
    ``NPEXPORT_STEP_LIMIT``, by default ten million.

    Raises ``UserError`` (E201) if the variable is not a number.
    """
    text = os.environ.get("NPEXPORT_STEP_LIMIT", "10000000")
    if not text.isdecimal():
        raise UserError(
            "E201",
            f"NPEXPORT_STEP_LIMIT is {text!r}, not a number",
            hint="Set it to a number of loop iterations and calls such as 10000000.",
        )
    return int(text)


class UserException(Exception):
    """Carries an exception of the program through npexport's own handlers."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Trace:
    """``session`` has the graph so far; ``args`` and ``kwargs`` are the example inputs as the
    program sees them.
    """

    def __init__(
        self, f: Any, inputs: Inputs, dynamic_shapes: Any = None, options: RunOptions = DEFAULT_OPTIONS, wanting: list[str] | None = None
    ) -> None:
        self.f = f
        self.inputs = inputs
        self.dynamic_shapes = dynamic_shapes
        self.options = options
        self.wanting = [] if wanting is None else wanting  # of all runs: why sizes are constants that ``interrupts`` would keep dynamic
        self.interrupted: dict[tuple[Any, Any], list[bool]] = {}  # by operator and line that may raise: whether the next call does
        self.report = Report()
        self.env = ShapeEnv(self.stack, foreign=foreign, of_data=of_data, splits=options.splits)
        self.world = TracingWorld(self, options)
        self.vm = VM(self.world, step_limit=step_limit()) if options.make_vm is None else options.make_vm(self.world)
        if self.world.shadows.settled.lacks:
            self.world.shadows.note_absent = functools.partial(note_absent, self.vm)
        self.session = Session(
            self.vm,
            env=self.env,
            world=self.world,
            module_stack=self.module_stack,
            definition=self.definition,
            progress=functools.partial(progress, self),
        )
        self.env.words = self.session.words
        self.copies: dict[Any, Any] = {}  # of memory, for checkpoints
        self.held_memory: dict[int, Any] = {}  # by bit generator of the exported object: what draws from it
        self.changes = Changes(self.world.shadows)
        self.recorder = self.session.recorder
        self.graph = self.recorder.graph
        self.leaves = [Leaf(leaf.path, leaf.name, leaf.value) for leaf in inputs.leaves]
        self.bindings = Bindings()
        self.function: types.FunctionType | None = None
        self.arguments: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})  # as the program sees them
        self.root = unwrapped(f)
        self.modules: ModuleCalls | None = None  # of the root, once the program sees that
        self.state = State(self.root)
        self.series: list[ArrayProxy] = []  # the default domains and windows of series, as the program finds them
        self.remembered: list[Storage] = []  # memory with data that every call leaves as they are
        self.relied_on: list[Any] = []  # outside arrays that no call may write
        self.lists: dict[int, tuple[str, Any]] = {}  # those of the state that calls make longer: paths, by identity
        self._entered: dict[Place, Any] = {}  # what the program finds in places
        self.places: dict[Place, Placeholder] = {}  # those of the state whose value is not an array before the call
        self.listed: frozenset[Storage] = frozenset()  # memory that lists of the state hold, and others too
        self.left: dict[str, ArrayProxy] = {}  # the arrays that take the place of others, by path, and those that are given back
        self.given: list[ArrayProxy] = []

    def again(self, **changed: Any) -> Trace:
        """Another run of the same call, along the same path except for ``changed`` options."""
        return Trace(self.f, self.inputs, self.dynamic_shapes, self.options._replace(**changed), self.wanting)

    def stack(self) -> tuple[Location, ...]:
        """The user's call chain, innermost last."""
        return self.vm.stack()

    def where(self) -> Location | None:
        """The user's line that is running."""
        stack = self.vm.stack()
        return stack[-1] if stack else None

    def module_stack(self) -> dict[str, str]:
        """The ``nn_module_stack`` of a new node: dotted path -> class name, outermost first."""
        return {} if self.modules is None else self.modules()

    def module_calls(self) -> list[ModuleCallEntry]:
        """The calls of sub-modules, and their other paths.

        Raises ``UserError`` (E201): a signature is not preserved.
        """
        if self.modules is None:
            return []
        self.modules.require_called()
        return self.modules.finished()

    def run_bound(self, function: types.FunctionType, localsplus: dict[str, Any]) -> Any:
        """The result of a Python function whose arguments CPython has bound."""
        return self.vm.run_bound(function, localsplus)

    def tie(self, first: Placeholder, second: Placeholder) -> None:
        """The program relies on two inputs being the very same array."""
        self.recorder.overlaps.tie(first, second)

    def definition(self) -> tuple[Location, ...]:
        """The line where the exported function begins."""
        code = self._code()
        return () if code is None else (location(code, None),)

    def place_of_result(self) -> tuple[Location, ...]:
        """The ``return`` of the exported function, for errors about its result; where it has
        several, the line where the function begins.
        """
        code = self._code()
        found = frozenset() if code is None else returns_of(code)
        return tuple(found) if len(found) == 1 else self.definition()

    def _code(self) -> types.CodeType | None:
        """That of the exported function, which is the ``forward`` of a module."""
        if self.function is None:
            return None
        modules = module_class()
        called = self.root.forward if modules and self.function.__code__ is modules.__call__.__code__ else self.function
        return called.__code__

    def run(self) -> Any:
        """The result of the call.

        Raises ``ExportError``, or ``UserException`` around what the program raised.
        """
        self.bindings = bind(self.env, self.inputs.specs(self.dynamic_shapes))
        for symbol, (reason, stack) in self.options.fixed.items():
            if not self.options.promised:
                self.bindings.roots[symbol] = Dim.AUTO
            self.env.specialize(E.symbol(symbol), reason, stack)
        for leaf, sizes in zip(self.leaves, self.bindings.shapes, strict=True):
            self._stand_in(leaf, tuple(map(self._fixed, sizes)) if isinstance(sizes, tuple) else self._fixed(sizes))
        args, kwargs = self.arguments = self._arguments()
        self.world.settle()
        if not isinstance(self.root, types.FunctionType):
            self.world.enter(self.root, SELF)
        self.modules = ModuleCalls(self.vm, self.root, self.world.shadows, self.options.preserved)
        self.recorder.fence = self.modules.fence if self.options.preserved else None
        for array in self.state.registered():
            self.world.enter(array, SELF).node()
        if not reaches_python(self.f):
            return self._guarded(lambda: self.vm.run(self.world.enter(self.f, SELF), args, kwargs))
        try:
            frame = capture_root(functools.partial(self.f, *args, **kwargs))
        except ExportError:
            raise
        except TypeError as error:  # CPython could not bind the arguments
            raise unbound(error, self.f, args, kwargs) from None
        except Exception as error:
            require_own(error)
            raise UserException(error) from error
        self.function = frame.function
        try:
            return self._guarded(lambda: self.vm.run_bound(frame.function, self._locals(frame)))
        except UserException as raised:
            if isinstance(self.f, module_class()) and isinstance(raised.error, TypeError) and self._never_began(raised.error):
                raise unbound(raised.error, self.f.forward, args, kwargs) from None
            raise

    def _never_began(self, error: TypeError) -> bool:
        """Whether ``forward`` did not run: only the call of it stands in the traceback."""
        return {(each.file, each.function) for each in frames_of(error)} == {(module_class().__call__.__code__.co_filename, "__call__")}

    def _fixed(self, size: Any) -> Any:
        """A size of the inputs: a number if it is known to be one."""
        expression = self.env.simplify(size.expression) if self.options.fixed and type(size) is SymInt else None
        return size if expression is None or not expression.is_const else expression.const

    def _guarded(self, act: Callable[[], Any]) -> Any:
        try:
            with hook().session():
                result = act()
                self.world.errors.require_restored()
                suspended.require_none_left(self.vm)
                for cached in self.world.cached.values():
                    cached.require_unchanged()
                return result
        except ENDS_RUN:
            raise
        except BaseException as error:
            require_own(error)
            make_told(error)
            raise UserException(error) from error

    def _stand_in(self, leaf: Leaf, sizes: Any) -> None:
        """``sizes``: the shape of an array, or the value of a number, as in the specification."""
        value = leaf.value
        if is_generator(value):
            self._generator_input(leaf)
            return
        if isinstance(value, np.ndarray):
            leaf.stand_in = self.recorder.lift(value, leaf.name, Kind.INPUT, sizes)
            leaf.placeholder = leaf.stand_in.storage.outside
            leaf.node = leaf.stand_in.node()
            self.world.inputs[id(leaf.stand_in)] = (len(self.world.inputs), leaf.placeholder)
            return
        scalar = isinstance(value, np.generic) and not self.options.static_scalars
        leaf.stand_in = value if isinstance(value, np.generic) else sizes
        val = TensorMeta((), value.dtype, scalar=True) if scalar else leaf.stand_in
        leaf.node = self.graph.placeholder(leaf.name, {"val": val, "stack_trace": (), "nn_module_stack": {}})
        if scalar:
            leaf.stand_in = ScalarProxy(val, leaf.node)
        elif type(sizes) in (SymInt, SymFloat):
            self.recorder.sizes.bind(sizes, leaf.node)

    def _generator_input(self, leaf: Leaf) -> None:
        source = random_states.source_of(leaf.value)
        leaf.generator = random_states.name_of(source)
        state = self.recorder.lift(self.inputs.state(source), leaf.name, Kind.INPUT)
        leaf.placeholder, leaf.node = state.storage.outside, state.node()
        leaf.placeholder.generator = leaf.generator
        leaf.stand_in = generators.over(str(leaf.generator), state)
        for made in (leaf.stand_in, random_states.source_of(leaf.stand_in)):
            self.world.shadows.adopt(made, made)

    def _generator(self, generator: Any, origin: str) -> Any:
        """The stand-in of a generator that the exported object holds, of the bit generator of one,
        or of a `RandomState`; ``None`` for any other.
        """
        if not isinstance(generator, (np.random.BitGenerator, np.random.RandomState)):
            bit_generator = self.world.shadows.enter(generator.bit_generator, origin) if is_generator(generator) else None
            return generators.wrapped(bit_generator) if id(bit_generator) in self.recorder.generators else None
        memory = random_states.memory_of(generator) if random_states.is_legacy(generator) else generator
        if any(is_generator(leaf.value) and random_states.memory_of(leaf.value) is memory for leaf in self.leaves):
            raise Unsupported(
                "E120", f"the generator `{shown(origin)}` is an input, too", hint="Pass a generator of its own: rng.spawn(1)[0]."
            )
        name = random_states.name_of(generator)
        if name is None or not belongs_to_root(origin):
            return None
        if self.held_memory.setdefault(id(memory), generator) is not generator:
            hint = "Give each a bit generator of its own."
            raise Unsupported("E120", f"`{shown(origin)}` draws from the bit generator of another generator", hint=hint)
        state = self.recorder.lift(self.inputs.state(generator), dotted(origin), Kind.STATE)
        state.storage.outside.generator = name
        return random_states.source_of(generators.over(name, state))

    def _arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in containers of their own, and a second copy to find out afterwards what
        was written to the first.
        """
        spec, leaves = self.inputs.spec, [leaf.stand_in for leaf in self.leaves]
        live, pristine = spec.unflatten(leaves), spec.unflatten(leaves)
        shadows = self.world.shadows

        def watch(mine: Any, original: Any, path: str) -> None:
            shadows.adopt(original, mine)
            shadows.inputs.add(id(mine))
            if not isinstance(mine, tuple):
                shadows.entries.append(Entry(original, mine, path))

        paths = iter(self.inputs.roots)
        for part, (mine, original) in zip(spec.children, zip(live, pristine, strict=True), strict=True):
            for key, child in zip(part.keys, part.children, strict=True):
                containers(mine[key.value], original[key.value], next(paths), child, watch)
        args, kwargs = live
        return args, kwargs

    def _locals(self, frame: RootFrame) -> dict[str, Any]:
        """The arguments that CPython bound, as the program sees them."""
        code: types.CodeType = frame.code
        count = code.co_argcount + code.co_kwonlyargcount
        if code.co_flags & inspect.CO_VARKEYWORDS:
            name = code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]
            self.world.shadows.adopt(frame.localsplus[name], frame.localsplus[name])
        return {name: self.world.enter(value, f"default {name}") for name, value in frame.localsplus.items()}

    def lift(self, array: Any, origin: str) -> Any:
        if type(array) is Known:
            return self._known(array)
        if type(array) is Recomputed:
            return self._recomputed(array)
        if type(array) is Place:
            return self._place(array, origin)
        if type(array) is Fields:
            return array.found(self.lift, origin)
        if isinstance(array, Choice):
            options, tests = array.found(self.lift, origin)
            value = union_of(tests, options, f"`{shown(origin)}`")
            note(self.world, value)
            return value
        if type(array) in (ListPlace, NoItems):
            found = array.place.empty() if type(array) is NoItems else self._list(array, origin)
            self.lists[id(found)] = origin, found
            return found
        if type(array) is MixedPlace:
            scalar, python = self._place(array.value, origin), self._place(array.python, origin + IS_PYTHON)
            return Mixed(array.kind, python, scalar, f"`{shown(origin)}`")
        if not isinstance(array, np.ndarray):
            return self._generator(array, origin)
        if id(array) in SERIES_CONSTANTS:
            self.series.append(self.recorder.known(alike(array)))
            return self.series[-1]
        kind = Kind.STATE if belongs_to_root(origin) else Kind.CONSTANT
        return self.recorder.lift(array, dotted(origin), kind)

    def _known(self, known: Known) -> Any:
        """What the program finds in a place that every call leaves with the same data."""
        proxy = self.recorder.known(alike(known.array))
        proxy.writeable = proxy.storage.writeable = known.writeable
        self.remembered.append(proxy.storage)
        return proxy

    def _recomputed(self, cached: Recomputed) -> Any:
        """What the program finds in a place that every call would leave with what it computes from
        arrays that none of them writes.
        """
        self.session.progress = lambda: NOTHING_DONE  # the object may not be there yet
        try:
            value = cached.again(self.recorder, self.world.enter)
        finally:
            self.session.progress = functools.partial(progress, self)
        self.relied_on += [source.array for source in cached.sources.values()]
        if type(value) is ArrayProxy:
            self.remembered.append(value.storage)
        return value

    def _place(self, place: Place, origin: str) -> Any:
        """What the program finds in a place of the exported object that earlier calls wrote to."""
        if place in self._entered:
            return self._entered[place]
        name = shown(origin)
        sizes = tuple(
            [
                self.env.create_unbacked(0, origin=f"{name}.shape[{axis}], {CHANGES}") if size is None else size
                for axis, size in enumerate(place.sizes)
            ]
        )
        proxy = self.recorder.lift(place.array, dotted(origin), Kind.STATE, sizes)
        self.places[place] = proxy.storage.outside
        value = _READ[place.kind](self.recorder, proxy)
        if isinstance(value, (SymBool, SymInt, SymFloat)):
            for symbol in value.expression.symbols:
                self.env.names[symbol] = f"{name}, {CHANGES}"
        self._entered[place] = value
        return value

    def _list(self, held: ListPlace, origin: str) -> Any:
        """What the program finds where the exported object has a list that calls make longer."""
        count = self.env.create_unbacked(0, origin=f"len({shown(origin)}), {CHANGES}")
        columns = []
        for number, column in enumerate(held.columns):
            path = held.path_of(origin, number)
            proxy = self.recorder.lift(column.array, dotted(path), Kind.STATE, (count, *column.sizes))
            self.places[column] = proxy.storage.outside
            columns.append(proxy)
        return held.found(tuple(columns), count)

    def sizes_beside_state(self) -> tuple[frozenset[str], str] | None:
        """Sizes of inputs compared with one of state by the last open condition; its path."""
        symbols = self.env.undecided & self.env.hints.keys()
        for path, place in self.world.shadows.settled.places.items() if symbols else ():
            shape = self.places[place].meta.shape if place in self.places else ()
            if any(type(size) is SymInt and size.expression.symbols & self.env.undecided for size in shape):
                return symbols, path
        return None


CHANGES = "which differs from call to call"
"""How numbers that are state are described."""

_READ: dict[type, Callable[[Any, Any], Any]] = {
    bool: lambda recorder, array: truth_of(array),
    int: lambda recorder, array: recorder.element(array.node()),
    float: lambda recorder, array: recorder.floating(array.node()),
    complex: lambda recorder, array: complexes.of_proxy(array),
    np.generic: lambda recorder, array: recorder.call(ops.np.getitem, array, ()),
    np.ndarray: lambda recorder, array: array,
}
