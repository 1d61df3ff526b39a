"""The calling convention of a program: which leaf of the inputs comes from which parameter, and the
corresponding Python signature.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter
from types import CodeType, FunctionType
from typing import Any

from npexport.ir.call_spec import CallSpec
from npexport.ir.graph import Graph, Node
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec
from npexport.symshapes.errors import InternalError


class _Missing:
    """The default of parameters that must be passed."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()
STARS: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}


@dataclass(eq=False)
class Leaf:
    """One leaf of the inputs: its path in the caller's terms, its placeholder and its entry in the
    signature.
    """

    path: str
    node: Node
    spec: InputSpec


@dataclass(eq=False)
class Slot:
    """One parameter: the structure that is passed to it and its leaves; ``spec`` is ``None`` if the
    example left it at its default.
    """

    parameter: Parameter
    spec: TreeSpec | None
    leaves: list[Leaf]

    @property
    def name(self) -> str:
        return self.parameter.name


def slots_of(call_spec: CallSpec, graph: Graph, signature: ExportGraphSignature) -> list[Slot]:
    """The slots in the order of the parameters."""
    by_name = {node.name: node for node in graph.placeholders}
    inputs = [spec for spec in signature.input_specs if spec.kind is InputKind.USER_INPUT]
    args_spec, kwargs_spec = call_spec.in_spec.children
    if call_spec.in_spec.num_leaves != len(inputs):
        raise InternalError("E902", f"the inputs have {call_spec.in_spec.num_leaves} leaves and the signature {len(inputs)}")
    remaining = iter(inputs)
    args = [(child, [next(remaining) for _ in range(child.num_leaves)]) for child in args_spec.children]
    kwargs = {
        key.value: (child, [next(remaining) for _ in range(child.num_leaves)])
        for key, child in zip(kwargs_spec.keys, kwargs_spec.children, strict=True)
    }
    slots = []
    for parameter in call_spec.parameters or GENERIC:
        spec, specs = _take(parameter, args, kwargs)
        paths = [] if spec is None else _paths(parameter, spec)
        leaves = [Leaf(path, by_name[item.arg.name], item) for path, item in zip(paths, specs, strict=True)]
        slots.append(Slot(parameter, spec, leaves))
    if args or kwargs:
        raise InternalError("E902", f"the parameters have no place for {len(args)} positional arguments and the keywords {list(kwargs)}")
    return slots


GENERIC = (Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD))


def _take(parameter: Parameter, args: list[Any], kwargs: dict[str, Any]) -> tuple[TreeSpec | None, list[InputSpec]]:
    """Take what the example passed to this parameter out of ``args`` and ``kwargs``."""
    kind = parameter.kind
    if kind is Parameter.VAR_POSITIONAL:
        taken = [args.pop(0) for _ in range(len(args))]
        return TreeSpec(tuple, None, tuple([spec for spec, _ in taken])), [item for _, leaves in taken for item in leaves]
    if kind is Parameter.VAR_KEYWORD:
        names = tuple(kwargs)
        taken = [kwargs.pop(name) for name in names]
        return TreeSpec(dict, names, tuple([spec for spec, _ in taken])), [item for _, leaves in taken for item in leaves]
    if args and kind is not Parameter.KEYWORD_ONLY:
        return args.pop(0)  # type: ignore[no-any-return]
    if parameter.name in kwargs and kind is not Parameter.POSITIONAL_ONLY:
        return kwargs.pop(parameter.name)  # type: ignore[no-any-return]
    return None, []


def _paths(parameter: Parameter, spec: TreeSpec) -> list[str]:
    if parameter.kind is not Parameter.VAR_KEYWORD:
        return spec.paths(parameter.name)
    return [path for key, child in zip(spec.keys, spec.children, strict=True) for path in child.paths(key.value)]


@dataclass(frozen=True)
class Convention:
    """The parameters of a generated function: numbered in its source, and called by the user's
    names.

    ``names``: the user's name -> the identifier in the source. ``defaults``: of every parameter but
    the first, so that what Python would refuse by itself gets through, to be refused with all else
    that is wrong: missing arguments are ``MISSING``, positional ones that are too many go to
    ``extra``, unknown keywords to ``unknown``.
    """

    text: str
    receiver: str
    names: dict[str, str]
    defaults: dict[str, Any]
    extra: str | None
    unknown: str | None

    def function(self, code: CodeType, scope: dict[str, Any]) -> Callable[..., Any]:
        """The function of this code object. The user's names appear only in the code's table of
        variables, where calls look for keywords.
        """
        users = {identifier: name for name, identifier in self.names.items()}
        named = code.replace(co_varnames=tuple([users.get(name, name) for name in code.co_varnames]))
        ordered = named.co_varnames[1 : named.co_argcount]
        scope["__builtins__"] = builtins  # where C looks for `__import__`
        function = FunctionType(named, scope, code.co_name, tuple([self.defaults[name] for name in ordered]))
        only = named.co_varnames[named.co_argcount : named.co_argcount + named.co_kwonlyargcount]
        function.__kwdefaults__ = {name: self.defaults[name] for name in only}
        return function


def convention_of(slots: list[Slot], fresh: Callable[[str], str]) -> Convention:
    """The calling convention of these slots. ``fresh`` makes identifiers."""
    receiver = fresh("a")
    names = {slot.name: fresh("a") for slot in slots}
    groups: dict[Any, list[str]] = {}
    for slot in slots:
        groups.setdefault(slot.parameter.kind, []).append(STARS.get(slot.parameter.kind, "") + names[slot.name])
    extra = None if Parameter.VAR_POSITIONAL in groups else fresh("a")
    unknown = None if Parameter.VAR_KEYWORD in groups else fresh("a")
    parts = [
        receiver,
        *groups.get(Parameter.POSITIONAL_ONLY, []),
        "/",
        *groups.get(Parameter.POSITIONAL_OR_KEYWORD, []),
        *groups.get(Parameter.VAR_POSITIONAL, [f"*{extra}"]),
        *groups.get(Parameter.KEYWORD_ONLY, []),
        *groups.get(Parameter.VAR_KEYWORD, [f"**{unknown}"]),
    ]
    defaults = {slot.name: MISSING if slot.parameter.default is Parameter.empty else slot.parameter.default for slot in slots}
    return Convention(", ".join(parts), receiver, names, defaults, extra, unknown)


def python_signature(slots: list[Slot]) -> inspect.Signature:
    """The signature that users see."""
    return inspect.Signature([slot.parameter for slot in slots])
