"""The example inputs of an export: flattened, checked, named, and replaced by stand-ins."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.ir.containers import find_kind, kind_of
from npexport.ir.graph import Node
from npexport.ir.meta import holds_data, no_data
from npexport.ir.op import REGISTRY, Op
from npexport.ir.pytree import TreeSpec, Unbounded, tree_flatten
from npexport.symshapes.errors import UserError
from npexport.symshapes.plain import with_article
from npexport.symshapes.spec import LeafSpec, normalize
from npexport.tracer.effects.call_parameters import parameters_of
from npexport.tracer.effects.state import module_class
from npexport.tracer.frames.frame_ownership import is_own_code

CONSTANTS = (int, float, complex, bool, str, bytes, type(None))


@dataclass(slots=True)
class Leaf:
    """One leaf of ``(args, kwargs)``: its path in the user's terms (``x['a'][0]``), its name, and
    what stands for it in the program.
    """

    path: str
    name: str
    value: Any
    stand_in: Any = None
    node: Node | None = None
    placeholder: Any = None
    generator: str | None = None  # the name of the bit generator


@dataclass(slots=True)
class Inputs:
    """The example call: ``spec``: the structure of ``(args, kwargs)``; ``parameters``: the
    callable's.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    spec: TreeSpec
    leaves: list[Leaf]
    roots: list[str]
    parameters: tuple[inspect.Parameter, ...] | None
    states: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def state(self, source: Any) -> Any:
        """The state of a bit generator or `RandomState` before the call, one array in every run."""
        found = self.states.get(id(source))
        if found is None:
            found = self.states[id(source)] = source, random_states.pack(source)
        return found[1]

    def specs(self, dynamic_shapes: Any) -> list[LeafSpec]:
        """The specification in ``dynamic_shapes`` of each leaf. Raises ``UserError`` (E302), unless
        the call does not fit the parameters: it tells so itself.
        """
        if dynamic_shapes is None or not self._is_bound():
            return [LeafSpec(leaf.path, leaf.value, (None,) * getattr(leaf.value, "ndim", 1)) for leaf in self.leaves]
        rest, extra = (next((p.name for p in self.parameters or () if p.kind is kind), None) for kind in (_REST, _EXTRA))
        options: dict[str, Any] = {"var_positional": rest, "var_keyword": extra, "children": _children}
        arguments = self.arguments(self.args, self.kwargs)
        found = normalize(dynamic_shapes, arguments, bind=self.arguments, **options)
        order = normalize(None, self.arguments(*self.spec.unflatten(range(len(self.leaves)))), **options)
        by_leaf = {place.value: spec for place, spec in zip(order, found, strict=True)}
        return [by_leaf[index] for index in range(len(self.leaves))]

    def _is_bound(self) -> bool:
        """Whether the callable takes these arguments, as far as its signature tells."""
        try:
            return self.parameters is None or bool(inspect.Signature(self.parameters).bind(*self.args, **self.kwargs))
        except TypeError:
            return False

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """A call's arguments by parameter; ``*args`` is a tuple, ``**kwargs`` a dict."""
        found: dict[str, Any] = {}
        for index, (root, value) in enumerate(zip(self.roots, args, strict=False)):
            name, bracket, _ = root.partition("[")
            if bracket:
                found[name] = tuple(args[index:])
                break
            found[name] = value
        extra = next((p.name for p in self.parameters or () if p.kind is _EXTRA), None)
        named = {p.name for p in self.parameters or ()}
        for name, value in kwargs.items():
            if extra is None or name in named:
                found[name] = value
            else:
                found.setdefault(extra, {})[name] = value
        return found


_REST, _EXTRA = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def _children(value: Any) -> dict[Any, Any] | None:
    """The parts of a container by key, for specifications; ``None`` for a leaf."""
    spec = tree_flatten(value)[1]
    if spec.type is None:
        return None
    get = kind_of(spec.type).get
    return {key.value: get(value, key.value) for key in spec.keys}


def read_inputs(f: Any, args: Any, kwargs: Any) -> Inputs:
    """Flatten the example call.

    Raises ``UserError`` (E203, E201, E202) if something in it cannot be exported.
    """
    if not callable(f):
        raise UserError("E203", f"export needs something that can be called, not {with_article(type(f).__name__)}")
    if isinstance(f, type) and issubclass(f, module_class()):
        hint = f"Export an instance: export({f.__name__}(...), args)."
        raise UserError("E203", f"{f.__name__} is a class of modules, not a module", hint=hint)
    if not isinstance(args, (tuple, list)):
        raise UserError(
            "E201",
            f"args is {with_article(type(args).__name__)}, not a tuple",
            hint="Pass the example arguments as a tuple: export(f, (x,)).",
        )
    if kwargs is not None and not (isinstance(kwargs, dict) and all(isinstance(name, str) for name in kwargs)):
        raise UserError("E201", "kwargs is not a dict with text as keys", hint='Pass {"name": value}: export(f, (x,), {"scale": 2.0}).')
    args, kwargs = tuple(args), dict(kwargs or {})
    parameters = parameters_of(f)
    roots = _roots(f, parameters, args, kwargs)
    values, spec = _flattened(args, kwargs)
    _refuse_sets(spec, roots)
    _refuse_shared_containers((args, kwargs))
    if any(type(value) is np.memmap for value in values):  # whose memory is a file's, and which means what an array means
        values = [value.view(np.ndarray) if type(value) is np.memmap else value for value in values]
        args, kwargs = spec.unflatten(values)
    paths = [path for root, child in zip(roots, _root_specs(spec), strict=True) for path in child.paths(root)]
    leaves = [Leaf(path, _name(path), value) for path, value in zip(paths, values, strict=True)]
    for leaf in leaves:
        check_leaf(leaf.path, leaf.value)
    _refuse_shared_generators(leaves)
    return Inputs(args, kwargs, spec, leaves, roots, parameters)


def _flattened(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], TreeSpec]:
    try:
        return tree_flatten((args, kwargs))
    except Unbounded as error:
        raise UserError("E202", f"an argument {error}", hint="Pass what the program needs of it.") from None


_OF_SUBCLASSES = {
    "MaskedArray": "Pass np.ma.getdata({0}) and ~np.ma.getmaskarray({0}), which is True where elements count, and compute with both: "
    "np.mean(x, where=valid), np.where(valid, x, fill).",
    "matrix": "Pass np.asarray({0}); x * y of matrices is x @ y of arrays.",
    "recarray": "Pass np.asarray({0}), and take its fields by name: x['field'].",
    "ndarray": "Pass np.asarray({0}).",
}
"""What to pass instead of an instance of a subclass of ``ndarray``, by name of the class or of a
base.
"""


def _subclass(path: str, cls: type) -> UserError:
    hint = next(_OF_SUBCLASSES[base.__name__] for base in cls.__mro__ if base.__name__ in _OF_SUBCLASSES)
    message = f"{path} is {with_article(cls.__qualname__)}, a subclass of ndarray with a meaning of its own"
    return UserError("E202", message, hint=hint.format(path))


def check_leaf(path: str, value: Any) -> None:
    """Raises ``UserError`` (E202) unless a leaf is an array with a numeric dtype or plain data."""
    if type(value) in CONSTANTS:
        return
    if type(value) is np.ndarray or isinstance(value, np.generic):
        if not holds_data(value.dtype):
            why, instead = no_data(value.dtype)
            raise UserError("E202", f"{path} cannot be an input: {why}", hint=instead)
        return
    if isinstance(value, np.ndarray):
        raise _subclass(path, type(value))
    if is_generator(value):
        return
    if type(value).__module__.startswith("numpy.random.") or hasattr(value, "bit_generator"):
        hint: str | None = "Pass a numpy.random.Generator over one of NumPy's bit generators: np.random.default_rng(0)."
    elif isinstance(value, frozenset):
        hint = _SORTED
    elif hasattr(type(value), "__iter__"):
        hint = None
    else:
        given = f"{path}=..." if path.isidentifier() else "..."
        hint = f"Leave it out of the inputs: export `lambda x: f(x, {given})`, or a method, that finds it in a variable or an attribute."
    raise UserError("E202", f"{path} is {with_article(type(value).__qualname__)}, which is neither an array nor plain data", hint=hint)


def is_generator(value: Any) -> bool:
    """Whether a leaf is a random generator whose state a program can take."""
    return random_states.can_be_packed(value)


def _refuse_shared_generators(leaves: list[Leaf]) -> None:
    """Two inputs that draw from one bit generator would be two in the program."""
    seen: dict[int, str] = {}
    for leaf in leaves:
        if is_generator(leaf.value):
            first = seen.setdefault(id(random_states.memory_of(leaf.value)), leaf.path)
            if first != leaf.path:
                hint = "Pass a generator of its own in one of the places: rng.spawn(1)[0]."
                raise UserError("E202", f"{leaf.path} draws from the bit generator of {first}", hint=hint)


def unwrapped(f: Any) -> Any:
    """The object that is exported: the instance of a bound method, the callable of a partial;
    otherwise the callable itself.
    """
    while True:
        if type(f) is functools.partial:
            f = f.func
        elif type(f) is types.MethodType:
            f = f.__self__
        else:
            return f


def reaches_python(f: Any) -> bool:
    """Whether calling ``f`` starts a frame of the user's Python, so that the frame hook can bind
    the arguments; otherwise C is called, or an operator, or npexport's own Python.
    """
    if isinstance(f, Op) or REGISTRY.modelling(f) is not None:
        return False
    if type(f) is functools.partial:
        return reaches_python(f.func)
    if type(f) is types.MethodType:
        return reaches_python(f.__func__)
    if type(f) is functools._lru_cache_wrapper:
        return reaches_python(f.__wrapped__)
    function = f if isinstance(f, types.FunctionType) else getattr(type(f), "__call__", None)  # noqa: B004 (what it is, not whether)
    return isinstance(function, types.FunctionType) and not is_own_code(function.__code__)


def _roots(f: Any, parameters: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The user's name for each positional and keyword argument: the parameter that takes it."""
    names = []
    positional = [p for p in parameters or () if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters or () if p.kind is p.VAR_POSITIONAL), "args")
    wrapped = _names_behind_wrapper(f) if not positional else []
    for index in range(len(args)):
        if index < len(positional):
            names.append(positional[index].name)
        elif index < len(wrapped):
            names.append(wrapped[index])
        else:
            names.append(f"{rest}[{index - len(positional)}]")
    return [*names, *kwargs]


def _names_behind_wrapper(f: Any) -> list[str]:
    """The names of the decorated function's parameters, behind ``(*args, **kwargs)``."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _root_specs(spec: TreeSpec) -> list[TreeSpec]:
    positional, keyword = spec.children
    return [*positional.children, *keyword.children]


def _name(path: str) -> str:
    """``x['a'][0]`` is named ``x_a_0``."""
    return "_".join(part for part in "".join(c if c.isalnum() or c == "_" else " " for c in path).split())


def _refuse_sets(spec: TreeSpec, roots: list[str]) -> None:
    """The order of a set may differ between equal sets."""

    def walk(spec: TreeSpec, path: str) -> None:
        if spec.type is set:
            raise UserError("E202", f"{path} is a set", hint=_SORTED)
        for key, child in zip(spec.keys, spec.children, strict=True):
            walk(child, path + str(key))

    for root, child in zip(roots, _root_specs(spec), strict=True):
        walk(child, root)


_SORTED = "Pass a tuple of its members in an order of your own: tuple(sorted(members)); the program may make a set of it."


def _refuse_shared_containers(tree: Any) -> None:
    """Two paths to one list would be two lists in the program, which a write could reveal."""
    seen: set[int] = set()

    def walk(value: Any) -> None:
        kind = find_kind(type(value))
        if kind is None:
            return
        if id(value) in seen and not isinstance(value, tuple):
            raise UserError("E202", f"the same {type(value).__name__} is passed twice", hint="Pass a copy in one of the places.")
        seen.add(id(value))
        for child in kind.parts(value)[0]:
            walk(child)

    walk(tree)


def containers(live: Any, pristine: Any, path: str, spec: TreeSpec, found: Callable[[Any, Any, str], None]) -> None:
    """Call ``found`` with every container of two equal trees and its path."""
    if spec.type is None:
        return
    found(live, pristine, path)
    kind = kind_of(spec.type)
    for key, child in zip(spec.keys, spec.children, strict=True):
        containers(kind.get(live, key.value), kind.get(pristine, key.value), path + str(key), child, found)
