"""Where in the exported module the program is, and the calls of its sub-modules in their order,
each with a name of its own.

A module's first call is named by its path, the next ones ``path@1``, ``path@2``. If the signature
of a module is preserved, its calls are fenced: what was computed outside is computed anew inside,
``control.returned`` stands between a result and its uses, and a ``control.module_call`` records
what went in and came out.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.call_signatures import ModuleCallEntry, ModuleCallSignature
from npexport.ir.containers import kind_of
from npexport.ir.graph import Node
from npexport.ir.module_calls import argument_of, path_of
from npexport.ir.pytree import TreeSpec, Unbounded, tree_flatten
from npexport.symshapes.errors import ExportError, UserError
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core import views
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.call_parameters import parameters_of
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state import module_class
from npexport.tracer.interpreter.frame import Frame, Machine

_SIZES = (SymInt, SymFloat, SymBool)
_OPTION = "preserve_module_call_signature"
_ON_A_SIDE = "is called on one side of a branch on data, or in a loop", "call it outside, and choose what it gives with np.where"


class ModuleCalls:
    """The calls so far; called, it gives the ``nn_module_stack`` of a new node. ``preserved``:
    paths of modules whose signature is preserved.
    """

    def __init__(self, vm: Machine, root: Any, shadows: Shadows, preserved: tuple[str, ...]) -> None:
        self._vm = vm
        self._modules: dict[int, tuple[str, str]] = {}
        self._counts: dict[str, int] = {}
        self.entries: list[ModuleCallEntry] = []
        self.preserved = _preserved(root, preserved)
        self._other_names: list[tuple[str, str]] = []
        if isinstance(root, module_class()):
            for path, module in root.named_modules(remove_duplicate=False):
                key = id(shadows.shadow_of(module))
                if key in self._modules:
                    self._other_names.append((path, self._modules[key][0]))
                else:
                    self._modules[key] = (path, type(module).__qualname__)
            vm.watched, vm.entering = module_class().__call__.__code__, self.entering

    def __call__(self) -> dict[str, str]:
        if not self._modules:
            return {}
        found = []
        frame = self._vm.frame
        while frame is not None:
            if frame.module is not None:
                found.append(frame.module)
            frame = frame.back
        return dict(reversed(found))

    def fence(self) -> str:
        """The innermost call whose signature is preserved, if the program is in one."""
        frame = self._vm.frame
        while frame is not None:
            if frame.module is not None and path_of(frame.module[0]) in self.preserved:
                return frame.module[0]
            frame = frame.back
        return ""

    def entering(self, vm: Machine, frame: Frame, then: Any) -> Any:
        """A module is called: returns the continuation that gets its result."""
        module = self._modules.get(id(frame.fast[0]))
        if module is None:
            return then
        path, kind = module
        number = self._counts[path] = self._counts.get(path, -1) + 1
        name = f"{path}@{number}" if number else path
        frame.module = (name, kind)
        if not path:
            return then
        self.entries.append(ModuleCallEntry(name))
        return Fence(self, vm, frame, len(self.entries) - 1, then) if path in self.preserved else then

    def finished(self) -> list[ModuleCallEntry]:
        """The calls, and the other paths of the modules that are called."""
        others = [ModuleCallEntry(path, same_as=first) for path, first in self._other_names if first and first in self._counts]
        return [*self.entries, *others]

    def mark(self) -> Any:
        """The calls so far, for `back`."""
        return dict(self._counts), len(self.entries)

    def back(self, mark: Any) -> None:
        """Forget the calls since: they were made on trial."""
        self._counts, count = dict(mark[0]), mark[1]
        del self.entries[count:]

    def require_called(self) -> None:
        """Raises ``UserError`` (E201) for a module whose signature is to be preserved but that the
        program does not call.
        """
        for path, given in self.preserved.items():
            if path not in self._counts:
                raise UserError("E201", f"{_OPTION} names {given!r}, which the program does not call", hint="Leave it out.")


def _preserved(root: Any, paths: tuple[str, ...]) -> dict[str, str]:
    """The path and given name of each module that is named. Raises ``UserError`` (E201)."""
    if not paths:
        return {}
    modules = list(root.named_modules(remove_duplicate=False)) if isinstance(root, module_class()) else []
    first: dict[int, str] = {}
    for path, module in modules:
        first.setdefault(id(module), path)
    found = {path: first[id(module)] for path, module in modules if path}
    for path in paths:
        if path not in found:
            known = ", ".join(map(repr, found)) or "no sub-modules"
            raise UserError("E201", f"{_OPTION} names {path!r}, which is not a sub-module", hint=f"The exported module has {known}.")
    return {found[path]: path for path in paths}


class Fence:
    """The continuation of a call whose signature is preserved. ``name`` is the call's."""

    def __init__(self, calls: ModuleCalls, vm: Machine, frame: Frame, index: int, outer: Any) -> None:
        self.calls, self.outer, self.index = calls, outer, index
        called = frame.module or ("", "")
        self.name = called[0]
        self.recorder: Recording = vm.world.recorder
        module, args, kwargs = frame.fast[0], frame.fast[1], frame.fast[2]
        self.stack = {**calls(), **dict([called])}
        self.given_back = vm.world.given_back
        self.where = self.recorder.stack()
        self.parameters = parameters_of(module)
        self.names = _names(self.parameters, args, kwargs)
        leaves, self.in_spec = self._flattened((args, kwargs), "is given")
        if self.recorder.regions:
            raise self._refused(*_ON_A_SIDE)
        self.given = [(leaf.storage, leaf.storage.version) for leaf in leaves if type(leaf) is ArrayProxy]
        self.inputs = [self._value(leaf, "is given") for leaf in leaves]
        self.before = self._written()

    def returned(self, vm: Machine, value: Any) -> Any:
        """The result, whose arrays are seen through ``control.returned`` from now on."""
        if any(storage.version != version for storage, version in self.given):
            raise self._refused("writes to an array that it is given", "let it return a new array")
        leaves, out_spec = self._flattened(value, "returns")
        after = [row for row in self._written() if row not in self.before]
        outer, self.recorder.session.module_stack = self.recorder.session.module_stack, lambda: self.stack
        try:
            fenced = [self._fenced(leaf, index) for index, leaf in enumerate(leaves)]
            outputs = [self._value(leaf, "returns") for leaf in fenced]
            self._record(outputs, after)
        finally:
            self.recorder.session.module_stack = outer
        signature = ModuleCallSignature(
            list(map(argument_of, self.inputs)), list(map(argument_of, outputs)), self.in_spec, out_spec, self.names, self.parameters
        )
        self.calls.entries[self.index] = ModuleCallEntry(self.name, signature)
        return _with_leaves(value, out_spec, iter(fenced))

    def raised(self, vm: Machine, error: BaseException) -> Any:
        raise error

    def _refused(self, what: str, rewrite: str = "let arrays, sizes and Python values go in and come out") -> ExportError:
        path = self.name.partition("@")[0]
        hint = f"Leave {self.calls.preserved.get(path, path)!r} out of {_OPTION}, or {rewrite}."
        return UserError("E201", f"the signature of `{path}` cannot be preserved: it {what}", hint=hint)

    def _flattened(self, tree: Any, what: str) -> tuple[list[Any], TreeSpec]:
        try:
            leaves, spec = tree_flatten(tree)
        except Unbounded as error:
            raise self._refused(f"{what} a container that {error}") from None
        if spec.is_open:
            raise self._refused(f"{what} a list of which only sizes or data know the length, or one of several values")
        return leaves, spec

    def _value(self, leaf: Any, what: str) -> Any:
        """What stands in a graph for a leaf."""
        if type(leaf) is ArrayProxy or type(leaf) is ScalarProxy:
            return leaf.node()
        if type(leaf) in _SIZES:
            return self.recorder.sizes.node(leaf)
        if type(leaf) is np.ndarray:  # made by C while tracing
            return self.recorder.known(leaf).node()
        if not _may_stand(leaf):
            raise self._refused(f"{what} {type(leaf).__name__}")
        return leaf

    def _fenced(self, leaf: Any, index: int) -> Any:
        if type(leaf) is np.ndarray:
            leaf = self.recorder.known(leaf)
        if type(leaf) is ArrayProxy:  # what is known of it holds of this module alone
            fenced = views.view(self.recorder, ops.control.returned, leaf, (self.name, index), {}, False)
            self.given_back[id(fenced)] = self.given_back.get(id(leaf), (leaf,))[0], fenced
            return fenced
        return self.recorder.call(ops.control.returned, leaf, self.name, index) if type(leaf) is ScalarProxy else leaf

    def _written(self) -> list[tuple[Node, Node, bool]]:
        """The changed state: its node, the present value's, whether it is a new array."""
        done = self.recorder.session.progress()
        if done is None:
            raise self._refused(*_ON_A_SIDE)
        pairs = [(done.written, False), (done.rebound, True)]
        return [(self.recorder.use(p), node, new) for found, new in pairs for p, node in found.items()]

    def _record(self, outputs: list[Any], after: list[Any]) -> None:
        args = (self.name, tuple(self.inputs), tuple(outputs), tuple(self.before), tuple(after))
        info = {"val": None, "stack_trace": self.where, "nn_module_stack": self.stack, "raises": True}
        self.recorder.graph.record(ops.control.module_call, args, {}, info)
        self.recorder.effects = True


def _may_stand(leaf: Any) -> bool:
    return leaf is None or leaf is Ellipsis or isinstance(leaf, (bool, int, float, complex, str, bytes, np.generic, np.dtype))


def _names(parameters: tuple[inspect.Parameter, ...] | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str] | None:
    """The names of the arguments, keywords last; ``None`` if ``forward`` takes any number."""
    names = [p.name for p in parameters or () if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names[: len(args)], *kwargs] if parameters is not None and len(args) <= len(names) else None


def _with_leaves(tree: Any, spec: TreeSpec, leaves: Any) -> Any:
    """The container with these leaves: tuples are rebuilt, all others are changed in place."""
    if spec.type is None:
        return next(leaves)
    row = kind_of(spec.type)
    old = row.parts(tree)[0]
    new = [_with_leaves(child, below, leaves) for child, below in zip(list(old), spec.children, strict=True)]
    if issubclass(spec.type, tuple):
        return row.build(spec.type, spec.context, new)
    for key, item in zip(spec.keys, new, strict=True):
        if row.get(tree, key.value) is not item:
            object.__setattr__(tree, key.value, item) if key.attribute else tree.__setitem__(key.value, item)
    return tree


__all__ = ["ModuleCalls"]
