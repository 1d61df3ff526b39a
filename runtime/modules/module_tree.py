"""The modules of a program that is taken apart: their names, their state, and programs that run on
it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from npexport.ir.graph import Graph, Node, computed, interpreted
from npexport.ir.printing import node_text
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import InputKind, InputSpec
from npexport.ir.weights import checked
from npexport.runtime.compiled import Compiled
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import BUFFER, MODULE, PARAMETER, TRANSIENT
from npexport.symshapes.errors import ExportError, UserError
from npexport.symshapes.parameters import TEXT, TEXTS, instance, listed, takes

Place = tuple[Any, str]
"""An object and the name of its attribute that holds an array."""


class Tree(Module):
    """A module of a tree. A sub-module may be replaced by anything that is called in the same
    way.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if self._kinds.get(name) == MODULE and callable(value) and not isinstance(value, Module):
            del self._kinds[name]
        super().__setattr__(name, value)

    def __getitem__(self, key: int | str) -> Any:
        """A sub-module, as lists and dicts of modules are asked for it.

        Raises ``IndexError`` or ``KeyError`` where there is none.
        """
        return getattr(self, self._name_of(key))

    def __setitem__(self, key: int | str, module: Any) -> None:
        setattr(self, self._name_of(key), module)

    def __iter__(self) -> Iterator[Any]:
        """The sub-modules, if numbers name them, as of a list; else the names, as of a dict."""
        names = self._names()
        return iter([getattr(self, name) for name in names] if all(map(str.isdecimal, names)) else names)

    def __len__(self) -> int:
        return len(self._names())

    def __bool__(self) -> bool:
        return True

    def __contains__(self, key: object) -> bool:
        return key in self._names() or any(key is module for module in self)

    def _names(self) -> list[str]:
        return [name for name, value in vars(self).items() if callable(value) and not name.startswith("_")]

    def _name_of(self, key: int | str) -> str:
        name = str(key)
        if name not in self._names():
            raise (IndexError if isinstance(key, int) else KeyError)(key)
        return name


class Shown:
    """An attribute of a class that yields to a sub-module or an array of the same name."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else self.function(instance)


class Called:
    """How a module is called, where that is known; its class is called otherwise."""

    def __init__(self, function: Callable[[Any], inspect.Signature | None]) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: Any = None) -> inspect.Signature:
        found = None if instance is None else self.function(instance)
        if found is None:
            raise AttributeError("__signature__")
        return found


def _signature(module: InterpreterModule) -> inspect.Signature | None:
    alone = vars(module)["_alone"]
    return None if alone is None or alone.signature.parameters is None else inspect.Signature(alone.signature.parameters)


class InterpreterModule(Tree):
    """A module that runs a graph, one operator after the other.

    Where it is part of an `UnflattenedModule` and its signature was preserved, it is called as the
    original module was, and writes to the state that it owns. Otherwise it takes what its graph
    takes, its own state left out, and gives what that gives.

    Parameters
    ----------
    graph : Graph
        The graph.
    ty : str, optional
        The name of the original module's class.

    Attributes
    ----------
    graph : Graph
        The graph, in which calls of sub-modules are calls of ``ops.module``.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(lambda x: np.sin(x) + 1, (np.zeros(2),))
    >>> npexport.InterpreterModule(program.graph)(np.zeros(2))
    array([1., 1.])
    """

    @takes(graph=instance(Graph), ty=TEXT.optional)
    def __init__(self, graph: Graph, ty: str | None = None) -> None:
        super().__init__()
        vars(self).update(_graph=graph, _type=ty, _state={}, _alone=None)

    graph = Shown(lambda self: vars(self)["_graph"])
    __signature__ = Called(_signature)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        alone = vars(self)["_alone"]
        if alone is not None:
            return alone()(*args, **kwargs)
        graph, state = vars(self)["_graph"], vars(self)["_state"]
        free = [node.name for node in graph.placeholders if node not in state]
        if kwargs or len(args) != len(free):
            taken = ", ".join(free) or "nothing"
            came = ", ".join([*(["1 value"] if len(args) == 1 else [f"{len(args)} values"]), *kwargs])
            message = f"the signature of this module was not preserved: it takes what its graph takes, by position ({taken}); {came} came"
            raise UserError("E201", message, hint="Export with preserve_module_call_signature=(path,) to call it as the original.")
        given = iter(args)
        outputs = run(graph, [getattr(*state[node]) if node in state else next(given) for node in graph.placeholders])
        return outputs[0] if len(outputs) == 1 else outputs

    def type_name(self) -> str | None:
        """The name of the original module's class, where it is known."""
        return vars(self)["_type"]  # type: ignore[no-any-return]

    def print_readable(self, print_output: bool = True) -> str:
        """The listing of the graph; printed too unless ``print_output`` is false."""
        text = repr(vars(self)["_graph"])
        if print_output:
            print(text)
        return text


class InterpreterModuleDispatcher(Tree):
    """A module that is called several times, by graphs that differ: each call runs the next one,
    and after the last the first again.

    Parameters
    ----------
    attrs : collection of str
        The names of the original module's arrays and sub-modules.
    call_modules : list of InterpreterModule
        A module for each call.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> graphs = [npexport.export(f, (np.zeros(2),)).graph for f in (np.sin, np.cos)]
    >>> calls = [npexport.InterpreterModule(graph) for graph in graphs]
    >>> both = npexport.InterpreterModuleDispatcher([], calls)
    >>> both(np.zeros(2)), both(np.zeros(2))
    (array([0., 0.]), array([1., 1.]))
    """

    @takes(attrs=TEXTS, call_modules=listed(InterpreterModule, "a list of InterpreterModule"))
    def __init__(self, attrs: Iterable[str], call_modules: list[InterpreterModule]) -> None:
        super().__init__()
        if not call_modules:
            raise ValueError("an InterpreterModuleDispatcher needs a module for each call")
        vars(self).update(_attrs=frozenset(attrs), _call_modules=list(call_modules), _next=0)

    def call_modules(self) -> list[InterpreterModule]:
        """The module of each call, in their order."""
        return list(vars(self)["_call_modules"])

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        own = vars(self)
        module = own["_call_modules"][own["_next"]]
        own["_next"] = (own["_next"] + 1) % len(own["_call_modules"])
        return module(*args, **kwargs)


def run(graph: Graph, inputs: list[Any]) -> tuple[Any, ...]:
    """The outputs of a graph. An exception in it notes the node and the line of the user's code
    that it comes from.
    """
    return interpreted(graph, inputs, _located)


def _located(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return computed(node, args, kwargs)
    except ExportError:
        raise
    except Exception as error:
        error.add_note("\n".join([f"Raised by {node_text(node)}", *(line.render() for line in node.meta.get("stack_trace", ()))]))
        raise


_KINDS = {(InputKind.PARAMETER, None): PARAMETER, (InputKind.BUFFER, True): BUFFER, (InputKind.BUFFER, False): TRANSIENT}


class Arrays:
    """The places of a program's state in a tree of modules, by target."""

    def __init__(self, tree: Module) -> None:
        self.tree = tree
        self.places: dict[str, list[Place]] = {}
        self._hidden = SimpleNamespace()

    def put(self, path: str, array: Any, kind: str | None, target: str) -> None:
        """Let the attribute at a path hold the array of a target; if another object is there, the
        array is kept separately.
        """
        *parents, name = path.split(".")
        owner: Any = self.tree
        for part in parents:
            below = vars(owner).get(part)
            if below is None and not hasattr(type(owner), part):
                below = Tree()
                owner._register(part, MODULE, below)
            if not isinstance(below, Module):
                owner = None
                break
            owner = below
        if owner is None or name in vars(owner) or (hasattr(type(owner), name) and (kind is None or name[0] == "_")):
            owner, name, kind = self._hidden, target, None
        self.places.setdefault(target, []).append((owner, name))
        if kind is None:
            object.__setattr__(owner, name, array)
        else:
            owner._register(name, kind, array)

    def hold(self, spec: InputSpec, array: Any, names: Iterable[str]) -> None:
        """Let all paths of an array hold it."""
        target = spec.target or ""
        for name in dict.fromkeys((target, *names)):
            self.put(name, array, _KINDS.get((spec.kind, spec.persistent)), target)

    def move(self, before: Any, after: Any) -> None:
        """What one module holds is held by another; so are constants and generators, which have no
        kind.
        """
        for places in self.places.values():
            for index, (owner, name) in enumerate(places):
                if owner is before:
                    places[index] = after, name
                    if name not in vars(after):
                        object.__setattr__(after, name, vars(before)[name])

    def get(self, target: str) -> Any:
        """The current array of a target."""
        return getattr(*self.places[target][0])

    def set(self, target: str, array: Any) -> None:
        """Replace the array of a target; state without an initial value gets a place."""
        if target not in self.places:
            self.put(target, array, TRANSIENT, target)
        for owner, name in self.places[target]:
            object.__setattr__(owner, name, array)


class Bound:
    """A program that runs on the arrays of a tree."""

    def __init__(self, program: ExportedProgram, compiled: Compiled, arrays: Arrays) -> None:
        self.compiled, self.arrays = compiled, arrays
        pairs = zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)
        lifted = {node.name: (node, spec) for node, spec in pairs if spec.kind is not InputKind.USER_INPUT}
        self.state = {name: lifted[target] for name, target in compiled.state.items()}
        self.function = compiled.function(dict.fromkeys(lifted))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        names = self.function.__globals__
        for name, (node, spec) in self.state.items():
            array = self.arrays.get(spec.target or "")
            if array is not names[name]:
                names[name] = checked(node, spec, array)
        try:
            return self.function(self, *args, **kwargs)
        finally:
            for name, (_, spec) in self.state.items():
                if names[name] is not self.arrays.get(spec.target or ""):
                    self.arrays.set(spec.target or "", names[name])
            for name, target in self.compiled.held.items():
                if names[name] is not None:
                    self.arrays.set(target, names[name])


def placed_at(tree: Module, path: str) -> Any:
    """The object at a path. Raises ``UserError`` (E241) if there is none."""
    found: Any = tree
    for name in path.split("."):
        if not hasattr(found, name):
            raise UserError("E241", f"the module has no `{path}` any more", hint="Put a module there that is called as the original was.")
        found = getattr(found, name)
    return found
