"""``dynamic_shapes``: from the forms that users write to one flat list, one entry for each leaf of
the inputs.

Grammar::

    spec      ::= None | {argument: tree} | (tree, …) | [tree, …] | ShapesCollection | AdditionalInputs | infer()
    tree      ::= None | leaf | {key: tree} | (tree, …) | [tree, …]       # mirrors the containers of the inputs
    leaf      ::= {axis: dim} | (dim, …) | [dim, …]                       # of an array; axes count as in NumPy
                | dim                                                     # of an int or float
    dim       ::= None | int | Dim | A*Dim + B | Dim.AUTO | Dim.DYNAMIC | Dim.STATIC
                | a SymPy integer, symbol or A*symbol + B: the Dim of the symbol's name

Axes and keys that a dict leaves out are static.

Everything that fits nothing is a ``UserError`` (E302) with the paths of both trees; nothing is
ignored.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from npexport.symshapes.calls import unbound
from npexport.symshapes.dims import DerivedDim, Dim, DimHint, from_sympy_size, integer
from npexport.symshapes.errors import InputMismatch, UserError
from npexport.symshapes.parameters import ARGUMENTS, FUNCTION, MAPPING, Kind, require
from npexport.symshapes.sympy_interop import is_sympy

DimSpec = None | int | Dim | DerivedDim | DimHint
Children = Callable[[Any], dict[Any, Any] | None]
_BY_ARRAY = "Name the array itself: shapes[x] = {0: Dim.AUTO}."
_SIZED = Kind(
    lambda value: is_number(value) or (hasattr(value, "shape") and not isinstance(value, type)), "an array, an int or a float", _BY_ARRAY
)
_SPEC = Kind(lambda value: value is None or isinstance(value, (dict, tuple, list)), "a dict by axis, a tuple, a list or None")


def _said_of(value: Any) -> Kind:
    if hasattr(value, "shape"):
        return _SPEC
    return Kind(lambda spec: spec is None or spec == value or not isinstance(spec, (int, str, bytes, dict, list, tuple)), "its Dim")


@dataclasses.dataclass(frozen=True, slots=True)
class LeafSpec:
    """One leaf of the inputs: its path in the user's terms (``d['b'][0]``), the value, and a
    ``DimSpec`` per axis (of a number: one).
    """

    path: str
    value: Any
    dims: tuple[DimSpec, ...]

    @property
    def is_array(self) -> bool:
        return hasattr(self.value, "shape")


def default_children(value: Any) -> dict[Any, Any] | None:
    """The parts of a container by key; ``None`` for a leaf."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None


class ShapesCollection:
    """``dynamic_shapes`` by the input objects themselves: ``shapes[x] = {0: batch}``.

    Examples
    --------
    >>> class Array:
    ...     shape = (4,)
    >>> x = Array()
    >>> shapes = ShapesCollection()
    >>> shapes[x] = {0: Dim.AUTO}
    >>> shapes[x]
    {0: Dim.AUTO}
    """

    def __init__(self) -> None:
        self._shapes: dict[int, tuple[Any, Any]] = {}

    def __setitem__(self, value: Any, spec: Any) -> None:
        require("the key of a ShapesCollection", value, _SIZED)
        require(f"what a ShapesCollection says of {'an array' if hasattr(value, 'shape') else 'a number'}", spec, _said_of(value))
        known = self._shapes.get(id(value))
        if known is not None and known[1] != spec:
            raise UserError("E302", f"ShapesCollection: the same object was given {known[1]!r} and {spec!r}")
        self._shapes[id(value)] = (value, spec)

    def __getitem__(self, value: Any) -> Any:
        require("the key of a ShapesCollection", value, _SIZED)
        return self._shapes.setdefault(id(value), (value, {}))[1]

    def __len__(self) -> int:
        return len(self._shapes)

    def lookup(self, value: Any) -> Any:
        """What was said of the object ``value``, or ``None``."""
        return self._shapes[id(value)][1] if id(value) in self._shapes else None

    def unused(self, values: list[Any]) -> list[Any]:
        """The objects of the collection that are none of ``values``."""
        ids = {id(value) for value in values}
        return [value for key, (value, _) in self._shapes.items() if key not in ids]

    def specs(self) -> list[Any]:
        """What was said, object by object."""
        return [spec for _, spec in self._shapes.values()]

    def mapped(self, change: Callable[[Any], Any]) -> ShapesCollection:
        """A collection of the same objects, whose specifications ``change`` gives."""
        new = ShapesCollection()
        for value, spec in self._shapes.values():
            new[value] = change(spec)
        return new

    def dynamic_shapes(self, m: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> dict[str, Any]:
        """The same specification by argument name, for the inputs ``args`` and ``kwargs``
        of the callable ``m``.
        """
        arguments = named_arguments(m, args, kwargs)
        return as_tree(arguments, normalize(self, arguments), lambda leaf: self.lookup(leaf.value))


class AdditionalInputs:
    """``dynamic_shapes`` by further examples: sizes that differ between them are dynamic.

    The others are static. ``export`` verifies that its program admits all examples.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import AdditionalInputs, export
    >>> more = AdditionalInputs()
    >>> more.add((np.zeros((5, 3)),))
    >>> program = export(np.sin, (np.zeros((2, 3)),), dynamic_shapes=more)
    >>> program.module()(np.zeros((7, 3))).shape
    (7, 3)
    """

    def __init__(self) -> None:
        self.examples: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Add an example: a tuple ``args`` and a dict ``kwargs``.

        Raises ``UserError`` for others.
        """
        if not isinstance(args, tuple) or not isinstance({} if kwargs is None else kwargs, dict):
            raise UserError("E302", "AdditionalInputs.add takes a tuple of arguments and a dict of keyword arguments")
        self.examples.append((args, dict(kwargs or {})))

    def dynamic_shapes(self, m: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> dict[str, Any]:
        """The same specification by argument name, for the inputs ``args`` and ``kwargs``
        of the callable ``m``.
        """
        arguments = named_arguments(m, args, kwargs)
        return as_tree(arguments, normalize(self, arguments, bind=lambda args, kwargs: named_arguments(m, args, kwargs)))

    def verify(self, ep: Any) -> None:
        """Hold every example against the exported program ``ep``; nothing is computed.

        Raises ``InputMismatch`` where it does not admit one.
        """
        if not self.examples:
            return
        module = ep.module()
        for number, (args, kwargs) in enumerate(self.examples, 1):
            try:
                module.check_inputs(*args, **kwargs)
            except InputMismatch as error:
                hint = "Leave the example out, or write the program so that it does the same for all examples."
                raise InputMismatch("E401", f"additional example {number}: {error.message}", hint=hint) from None

    def merged(self, leaves: list[LeafSpec], others: list[list[LeafSpec]]) -> list[LeafSpec]:
        """The specification of ``leaves`` that admits all the other examples, whose leaves are
        ``others``.
        """
        merged: list[LeafSpec] = []
        for i, leaf in enumerate(leaves):
            same = [other[i] for other in others if i < len(other) and other[i].path == leaf.path]
            if len(same) != len(others) or any(len(other) != len(leaves) for other in others):
                raise UserError("E302", f"AdditionalInputs: an example has another structure than the inputs, at {leaf.path}")
            merged.append(dataclasses.replace(leaf, dims=tuple(self._differences(leaf, same))))
        return merged

    def _differences(self, leaf: LeafSpec, others: list[LeafSpec]) -> Iterator[DimSpec]:
        if leaf.is_array:
            if any(not other.is_array or len(other.value.shape) != len(leaf.value.shape) for other in others):
                raise UserError("E302", f"AdditionalInputs: {leaf.path} has another number of dimensions in one example")
            for axis, size in enumerate(leaf.value.shape):
                yield Dim.DYNAMIC if any(other.value.shape[axis] != size for other in others) else None
        elif any(type(other.value) is not type(leaf.value) for other in others):
            raise UserError("E302", f"AdditionalInputs: {leaf.path} has another type in one example")
        elif any(other.value != leaf.value for other in others):
            if not is_number(leaf.value):
                raise UserError("E302", f"AdditionalInputs: {leaf.path} differs between the examples, but it is not an array, int or float")
            yield Dim.DYNAMIC
        else:
            yield from [None] * len(leaf.dims)


class infer(AdditionalInputs):
    """``dynamic_shapes`` that are as general as can be: every size is ``Dim.AUTO``.

    Parameters
    ----------
    *examples : tuple
        Tuples of arguments. Where there are any, only sizes that differ between them and the
        example of the export are dynamic.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import export, infer
    >>> program = export(lambda x: x @ x.T, (np.zeros((2, 3)),), dynamic_shapes=infer())
    >>> program.module()(np.zeros((7, 5))).shape
    (7, 7)
    """

    def __init__(self, *examples: tuple[Any, ...]) -> None:
        super().__init__()
        for example in examples:
            self.add(example)

    def merged(self, leaves: list[LeafSpec], others: list[list[LeafSpec]]) -> list[LeafSpec]:
        """The specification of ``leaves`` that admits the examples ``others``, with
        ``Dim.AUTO``.
        """
        if others:
            return [
                dataclasses.replace(leaf, dims=tuple(Dim.AUTO if dim is not None else None for dim in leaf.dims))
                for leaf in super().merged(leaves, others)
            ]
        return [dataclasses.replace(leaf, dims=tuple(Dim.AUTO for _ in leaf.dims) if leaf.is_array else leaf.dims) for leaf in leaves]


def named_arguments(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments of a call by parameter name. Raises ``UserError`` (E201)."""
    for name, value, kind in (("f", f, FUNCTION), ("args", args, ARGUMENTS), ("kwargs", kwargs, MAPPING.optional)):
        require(name, value, kind)
    target = getattr(f, "forward", f)
    try:
        signature = inspect.signature(target)
    except ValueError as unknown:
        raise UserError("E201", f"the parameters of f are not known: {unknown}", hint="Pass a function in Python that calls it.") from None
    try:
        return dict(signature.bind(*args, **(kwargs or {})).arguments)
    except TypeError as error:
        raise unbound(error, target, args, kwargs or {}) from None


def _written(leaf: LeafSpec) -> Any:
    """A leaf as users write it: the size of a number, a dict by axis, ``None`` for what is
    static.
    """
    if not leaf.is_array:
        return leaf.dims[0]
    return {axis: dim for axis, dim in enumerate(leaf.dims) if dim is not None} or None


def as_tree(arguments: Mapping[str, Any], leaves: list[LeafSpec], written: Callable[[LeafSpec], Any] = _written) -> dict[str, Any]:
    """The inverse of :func:`normalize`: nested dicts and lists that mirror ``arguments``, with what
    ``written`` gives of each leaf.
    """
    pending = iter(leaves)

    def build(value: Any) -> Any:
        parts = None if hasattr(value, "shape") else default_children(value)
        if parts is None:
            return written(next(pending))
        trees = {key: build(part) for key, part in parts.items()}
        return list(trees.values()) if isinstance(value, (list, tuple)) else trees

    return {name: build(value) for name, value in arguments.items()}


def is_number(value: Any) -> bool:
    """Whether an input can be a dynamic number."""
    return type(value) in (int, float)


def normalize(
    spec: Any,
    arguments: Mapping[str, Any],
    *,
    var_positional: str | None = None,
    var_keyword: str | None = None,
    children: Children = default_children,
    bind: Callable[[tuple[Any, ...], dict[str, Any]], Mapping[str, Any]] | None = None,
) -> list[LeafSpec]:
    """One ``LeafSpec`` for every leaf of ``arguments`` (by parameter name, in order; ``*args`` a
    tuple, ``**kwargs`` a dict), in input order.

    ``bind(args, kwargs)`` gives the arguments of a further example (``AdditionalInputs``). Raises
    ``UserError`` (E302).
    """
    reader = _Reader(children, var_positional, var_keyword)
    reader.declared = dict(_declared(spec.specs() if isinstance(spec, ShapesCollection) else spec))
    if isinstance(spec, AdditionalInputs):
        others = [_flat(bind(*example), children) if bind is not None else [] for example in spec.examples]
        return spec.merged(_flat(arguments, children), others)
    if isinstance(spec, ShapesCollection):
        reader.collection = spec
        spec = None
    for name, tree in reader.by_argument(spec, arguments):
        reader.read(tree, arguments[name], name, f"dynamic_shapes[{name!r}]")
    if reader.collection is not None:
        unused = reader.collection.unused([leaf.value for leaf in reader.leaves])
        if unused:
            raise UserError("E302", f"ShapesCollection names {len(unused)} object(s) that are not among the inputs: {unused[0]!r:.60}")
    return reader.leaves


def _is_of_one(tree: Any, value: Any) -> bool:
    """Whether a tree for ``*args`` is that of the only value among them."""
    if isinstance(tree, (tuple, list)) or tree is None:
        return False
    nested = isinstance(tree, dict) and any(isinstance(part, (dict, tuple, list)) for part in tree.values())
    return not nested and (hasattr(value, "shape") or not isinstance(tree, dict))


def _declared(tree: Any) -> Iterator[tuple[str, Dim]]:
    """The named ``Dim``s of a specification."""
    if isinstance(tree, (Dim, DerivedDim)):
        yield tree.root.name, tree.root
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _declared(part)
    elif isinstance(tree, (tuple, list)):
        for part in tree:
            yield from _declared(part)


def _flat(arguments: Mapping[str, Any], children: Children) -> list[LeafSpec]:
    reader = _Reader(children, None, None)
    for name, value in arguments.items():
        reader.read(None, value, name, "")
    return reader.leaves


class _Reader:
    def __init__(self, children: Children, var_positional: str | None, var_keyword: str | None) -> None:
        self.children = children
        self.var_positional = var_positional
        self.var_keyword = var_keyword
        self.collection: ShapesCollection | None = None
        self.declared: dict[str, Dim] = {}
        self.leaves: list[LeafSpec] = []

    def by_argument(self, spec: Any, arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """The tree of each argument.

        ``*args`` may be spelled out among the others, ``**kwargs`` too.
        """
        names = list(arguments)
        if spec is None:
            return [(name, None) for name in names]
        if isinstance(spec, (tuple, list)):
            trees = list(spec)
            positional = self.var_positional
            if positional is not None and positional in names:
                at, values = names.index(positional), arguments[positional]
                if len(trees) == len(names) - 1 + len(values) and (len(values) != 1 or _is_of_one(trees[at], values[0])):
                    trees[at : at + len(values)] = [tuple(trees[at : at + len(values)])]
            if len(trees) != len(names):
                stars = {positional: "*", self.var_keyword: "**"}
                inputs = ", ".join([stars.get(name, "") + name for name in names])
                raise _mismatch(f"dynamic_shapes has {len(spec)} entries", f"the inputs have {len(names)}: {inputs}")
            return list(zip(names, trees, strict=True))
        if not isinstance(spec, dict):
            raise UserError("E302", f"dynamic_shapes must be None, a dict by argument name, a tuple or a list, not {_kind(spec)}")
        found: dict[str, Any] = dict.fromkeys(names)
        extra: dict[str, Any] = {}
        for name, tree in spec.items():
            if name in found:
                found[name] = tree
            elif self.var_keyword in found and name in arguments[self.var_keyword or ""]:
                extra[name] = tree
            else:
                raise _mismatch(f"dynamic_shapes has the key {name!r}", f"the inputs are {', '.join(map(repr, names)) or 'none'}")
        if extra:
            found[self.var_keyword or ""] = {**(found[self.var_keyword or ""] or {}), **extra}
        return list(found.items())

    def read(self, tree: Any, value: Any, path: str, where: str) -> None:
        parts = None if hasattr(value, "shape") else self.children(value)
        if parts is None:
            self.leaves.append(LeafSpec(path, value, self.leaf(tree, value, path, where)))
            return
        trees = self.trees(tree, value, parts, path, where)
        for key, part in parts.items():
            step = f".{key}" if isinstance(key, str) and not isinstance(value, dict) else f"[{key!r}]"
            self.read(trees.get(key), part, path + step, where + f"[{key!r}]")

    def trees(self, tree: Any, value: Any, parts: dict[Any, Any], path: str, where: str) -> dict[Any, Any]:
        if tree is None:
            return {}
        if isinstance(tree, dict):
            for key in tree:
                if key not in parts:
                    raise _mismatch(f"{where} has the key {key!r}", f"the input {path} has {', '.join(map(repr, parts)) or 'no parts'}")
            if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and any(not isinstance(key, int) for key in tree):
                raise _mismatch(f"{where} is a dict", f"the input {path} is {_kind(value)}")
            return tree
        if isinstance(tree, (tuple, list)) and not isinstance(value, dict):
            if len(tree) != len(parts):
                raise _mismatch(f"{where} has {len(tree)} entries", f"the input {path} has {len(parts)}")
            return dict(zip(parts, tree, strict=True))
        own = self.children(tree) if type(tree) is type(value) else None
        if own is not None:
            return own
        raise _mismatch(f"{where} is {_kind(tree)}", f"the input {path} is {_kind(value)}")

    def leaf(self, tree: Any, value: Any, path: str, where: str) -> tuple[DimSpec, ...]:
        if self.collection is not None:
            tree = self.collection.lookup(value)
            where = f"shapes[{path}]"
        if not hasattr(value, "shape"):
            return (self.number(tree, value, path, where),)
        ndim = len(value.shape)
        found: list[DimSpec] = [None] * ndim
        if tree is None:
            return tuple(found)
        if isinstance(tree, dict):
            for axis, dim in tree.items():
                if type(axis) is not int:
                    raise _mismatch(
                        f"{where} has the key {axis!r}",
                        f"the input {path} is an array: its keys are axes, integers from {-ndim} to {ndim - 1}",
                    )
                if not -ndim <= axis < ndim:
                    raise _mismatch(f"{where} names axis {axis}", f"the input {path} has {ndim} dimension{'s' * (ndim != 1)}")
                if sum(other % ndim == axis % ndim for other in tree if type(other) is int) > 1:
                    raise UserError("E302", f"{where} names axis {axis % ndim} of {path} twice")
                found[axis] = check_dim(dim, f"{where}[{axis}]", self.declared)
            return tuple(found)
        if isinstance(tree, (tuple, list)):
            if len(tree) != ndim:
                raise _mismatch(f"{where} has {len(tree)} entries", f"the input {path} has {ndim} dimension{'s' * (ndim != 1)}")
            return tuple(check_dim(dim, f"{where}[{axis}]", self.declared) for axis, dim in enumerate(tree))
        hint = f"Write {{0: {tree!r}}} for the first axis." if isinstance(tree, (Dim, DerivedDim, DimHint)) else None
        if hint is not None and self.var_positional is not None and path == f"{self.var_positional}[0]":
            hint = f"`*{self.var_positional}` is a tuple of arrays, each with an entry of its own: ({{0: {tree!r}}}, ...)."
        raise _mismatch(f"{where} is {_kind(tree)}", f"the input {path} is an array with {ndim} dimension{'s' * (ndim != 1)}", hint)

    def number(self, tree: Any, value: Any, path: str, where: str) -> DimSpec:
        if tree is None:
            return None
        if not is_number(value):
            raise _mismatch(
                f"{where} is {_kind(tree)}", f"the input {path} is {_kind(value)}, which is always static: leave it out, or write None"
            )
        if isinstance(value, float) and isinstance(tree, (Dim, DerivedDim)):
            raise _mismatch(f"{where} is {tree!r}", f"the input {path} is a float: write Dim.DYNAMIC or Dim.AUTO")
        return check_dim(tree, where, self.declared)


def check_dim(dim: Any, where: str, declared: Mapping[str, Dim]) -> DimSpec:
    """``dim`` if it is what a specification can say of one size; ``declared``: its ``Dim``s by
    name, for SymPy expressions.
    """
    if dim is None or isinstance(dim, (Dim, DerivedDim, DimHint)):
        return dim
    found: DimSpec = integer(dim)
    if found is None and is_sympy(dim):
        found = from_sympy_size(dim, declared)
    if found is not None:
        return found
    raise UserError("E302", f"{where} is {_kind(dim)}; a size is None, an int, a Dim, A*Dim + B, Dim.AUTO, Dim.DYNAMIC or Dim.STATIC")


def _kind(value: Any) -> str:
    return repr(value) if isinstance(value, (Dim, DerivedDim, DimHint, str, int, float)) else f"a {type(value).__name__}"


def _mismatch(spec: str, inputs: str, hint: str | None = None) -> UserError:
    return UserError("E302", f"{spec}, but {inputs}", hint=hint)
