"""One run of the program on stand-ins: everything that an export creates, and the interpretation itself."""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.symshapes.binding import Bindings, bind
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import ExportError, Location, UserError
from npexport.symshapes.symint import SymFloat, SymInt
from npexport.tracer.arrays.lifting import Kind
from npexport.tracer.arrays.proxy import ScalarProxy
from npexport.tracer.diagnostics.report import Report
from npexport.tracer.diagnostics.spans import location
from npexport.tracer.effects.orders import Orders
from npexport.tracer.effects.shadows import Entry
from npexport.tracer.effects.state import SELF, ModuleStack, State, belongs_to_root, dotted, module_class
from npexport.tracer.effects.world import TracingWorld
from npexport.tracer.frames import capture_root, hook
from npexport.tracer.inputs import Inputs, Leaf, containers, reaches_python, unwrapped
from npexport.tracer.interpreter.vm import VM
from npexport.tracer.models import checking as _checking_model  # noqa: F401  registers the model
from npexport.tracer.models import numpy_api
from npexport.tracer.models.sizes import foreign
from npexport.tracer.session import Session


def step_limit() -> int:
    """How many loop turns and calls a program may take: the environment variable ``NPEXPORT_STEP_LIMIT``, else ten million.

    Raises ``UserError`` (E201) where the variable is no number.
    """
    text = os.environ.get("NPEXPORT_STEP_LIMIT", "10000000")
    if not text.isdecimal():
        raise UserError("E201", f"NPEXPORT_STEP_LIMIT is {text!r}, not a number")
    return int(text)


class UserException(Exception):
    """Carries an exception of the program through npexport's own handlers."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Trace:
    """``session`` has the graph so far; ``args`` and ``kwargs`` are the example inputs as the program sees them."""

    def __init__(
        self,
        f: Any,
        inputs: Inputs,
        dynamic_shapes: Any = None,
        *,
        make_vm: Callable[[TracingWorld], VM] | None = None,
        static_scalars: bool = False,
        orders: Orders | None = None,
    ) -> None:
        self.f = f
        self.inputs = inputs
        self.dynamic_shapes = dynamic_shapes
        self.static_scalars = static_scalars
        self.report = Report()
        self.env = ShapeEnv(where=self.stack)
        self.world = TracingWorld(self._lift, self.report, numpy_api.lookup)
        self.world.orders = orders or Orders()
        self.vm = VM(self.world, step_limit=step_limit()) if make_vm is None else make_vm(self.world)
        self.world.vm, self.world.where = self.vm, self.where
        self.env.foreign = foreign(self.world, self.vm)
        self.session = Session(self.vm, env=self.env, world=self.world, report=self.report)
        self.recorder = self.session.recorder
        self.graph = self.recorder.graph
        self.world.tie = self.recorder.overlaps.tie
        self.leaves = [Leaf(leaf.path, leaf.name, leaf.value) for leaf in inputs.leaves]
        self.bindings = Bindings()
        self.function: types.FunctionType | None = None
        self.root = unwrapped(f)
        self.state = State(self.root)

    def stack(self) -> tuple[Location, ...]:
        """The user's call chain, innermost last."""
        return self.vm.stack()

    def where(self) -> Location | None:
        """The user's line that runs."""
        stack = self.vm.stack()
        return stack[-1] if stack else None

    def definition(self) -> tuple[Location, ...]:
        """The line where the exported function begins: for what concerns its result."""
        if self.function is None:
            return ()
        modules = module_class()
        called = self.root.forward if modules and self.function.__code__ is modules.__call__.__code__ else self.function
        return (location(called.__code__, None),)

    def run(self) -> Any:
        """The result of the call. Raises ``ExportError``, or ``UserException`` around what the program raised."""
        self.bindings = bind(self.env, self.inputs.specs(self.dynamic_shapes))
        for leaf, sizes in zip(self.leaves, self.bindings.shapes, strict=True):
            self._stand_in(leaf, sizes)
        args, kwargs = self._arguments()
        if not isinstance(self.root, types.FunctionType):
            self.world.enter(self.root, SELF)
        self.session.module_stack = ModuleStack(self.vm, self.root, self.world.shadows)
        for array in self.state.registered():
            self.world.enter(array, SELF).node()
        if not reaches_python(self.f):
            return self._guarded(lambda: self.vm.run(self.world.enter(self.f, SELF), args, kwargs))
        try:
            frame = capture_root(functools.partial(self.f, *args, **kwargs))
        except ExportError:
            raise
        except Exception as error:  # CPython could not bind the arguments
            raise UserException(error) from error
        self.function = frame.function
        return self._guarded(lambda: self.vm.run_bound(frame.function, self._locals(frame)))

    def _guarded(self, act: Callable[[], Any]) -> Any:
        try:
            with hook().session():
                return act()
        except ExportError:
            raise
        except BaseException as error:
            raise UserException(error) from error

    def _stand_in(self, leaf: Leaf, sizes: Any) -> None:
        """``sizes``: the shape of an array, the value of a number, as the specification has them."""
        value = leaf.value
        if isinstance(value, np.ndarray):
            leaf.stand_in = self.recorder.lift(value, leaf.name, Kind.INPUT, sizes)
            leaf.placeholder = leaf.stand_in.storage.outside
            leaf.node = leaf.stand_in.node()
            self.world.inputs[id(leaf.stand_in)] = (len(self.world.inputs), leaf.placeholder)
            return
        scalar = isinstance(value, np.generic) and not self.static_scalars
        leaf.stand_in = value if isinstance(value, np.generic) else sizes
        val = TensorMeta((), value.dtype, scalar=True) if scalar else leaf.stand_in
        leaf.node = self.graph.placeholder(leaf.name, {"val": val, "stack_trace": (), "nn_module_stack": {}})
        if scalar:
            leaf.stand_in = ScalarProxy(val, leaf.node)
        elif type(sizes) in (SymInt, SymFloat):
            self.recorder.sizes.bind(sizes, leaf.node)

    def _arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in containers of their own, and a second set to see afterwards what was written to the first."""
        spec, leaves = self.inputs.spec, [leaf.stand_in for leaf in self.leaves]
        live, pristine = spec.unflatten(leaves), spec.unflatten(leaves)
        shadows = self.world.shadows

        def watch(mine: Any, original: Any, path: str) -> None:
            shadows.adopt(original, mine)
            if not isinstance(mine, tuple):
                shadows.entries.append(Entry(original, mine, path))

        paths = iter(self.inputs.roots)
        for part, (mine, original) in zip(spec.children, zip(live, pristine, strict=True), strict=True):
            for key, child in zip(part.keys, part.children, strict=True):
                containers(mine[key.value], original[key.value], next(paths), child, watch)
        return live

    def _locals(self, frame: Any) -> dict[str, Any]:
        """What CPython bound, as the program sees it."""
        code: types.CodeType = frame.code
        count = code.co_argcount + code.co_kwonlyargcount
        if code.co_flags & inspect.CO_VARKEYWORDS:
            name = code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]
            self.world.shadows.adopt(frame.localsplus[name], frame.localsplus[name])
        return {name: self.world.enter(value, f"default {name}") for name, value in frame.localsplus.items()}

    def _lift(self, array: Any, origin: str) -> Any:
        kind = Kind.STATE if belongs_to_root(origin) else Kind.CONSTANT
        return self.recorder.lift(array, dotted(origin), kind)
