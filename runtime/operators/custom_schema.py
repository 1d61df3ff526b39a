"""Schemas of custom operators: the types of arguments and results according to a function's
annotations.

The same table checks the arguments of eager and of traced calls: a table of conversions says how a
leaf is converted.
"""

from __future__ import annotations

import collections.abc
import inspect
import operator
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.containers import NAMED, find_kind
from npexport.ir.declared import DECLARING
from npexport.ir.facts import Raises, classes_in
from npexport.ir.ops.control import name_of
from npexport.runtime.operators.result_groups import Group
from npexport.symshapes.errors import UserError

BASES: dict[type, str] = {np.ndarray: "ndarray", int: "int", float: "float", bool: "bool", str: "str", np.dtype: "dtype"}
NUMBERS = (int, float, bool)
"""The results that are not arrays."""
_RESULTS = "np.ndarray, int, float, bool, a tuple, list, dict[str, ...] or NamedTuple of those, or None"
_TAKES = "np.ndarray, int, float, bool, str, np.dtype, lists and tuples of those, or such `| None`"


class Kind(NamedTuple):
    """What an argument may be: a value of ``base``, a ``container`` (list or tuple) of those, or
    also ``None``; any value that a graph can hold without a base. ``each``: the types of the items
    of a tuple whose length is declared.
    """

    base: type | None
    container: type | None = None
    optional: bool = False
    each: tuple[type, ...] = ()

    def __str__(self) -> str:
        name = "" if self.base is None else BASES[self.base]
        if self.each:
            name = f"tuple[{', '.join(BASES[base] for base in self.each)}]"
        elif self.container is not None:
            name = f"{self.container.__name__}[{name}{', ...' if self.container is tuple else ''}]"
        return name + (" | None" if self.optional else "")

    def bases(self, count: int) -> tuple[Any, ...]:
        """The types of the items of a container with so many."""
        return self.each or (self.base,) * count


ANY = Kind(None)
Results = Group | type | None
"""The result of a call: a type of `BASES`, a container of those, nothing, or anything
(`object`).
"""
Taking = Mapping[type, Callable[[Any], Any]]
"""How a value is converted to one of a base; raises ``TypeError``."""


def bad(what: str, hint: str | None = None) -> UserError:
    """The error for a declaration that is refused."""
    return UserError("E220", what, hint=hint)


def kind_of(annotation: Any) -> Kind | None:
    """The kind that an annotation states; ``None`` if no operator can take such a value."""
    annotation = _meant(annotation)
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [arg for arg in inner if arg is not types.NoneType]
        kind = kind_of(rest[0]) if len(rest) == 1 and len(inner) == 2 else None
        return None if kind is None else kind._replace(optional=True)
    if origin is typing.Literal:
        return _same_kind([type(value) for value in inner])
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        kinds = [kind_of(arg) for arg in inner]
        bases = [kind.base for kind in kinds if kind is not None and kind == Kind(kind.base) and kind.base is not None]
        return Kind(None, tuple, each=tuple(bases)) if len(bases) == len(inner) else None
    if origin in _CONTAINERS and inner:
        kind = kind_of(inner[0])
        return kind._replace(container=_CONTAINERS[origin]) if kind is not None and kind == Kind(kind.base) else None
    base = origin if origin in (np.ndarray, np.dtype) else annotation
    return Kind(base) if isinstance(base, type) and base in BASES else None


_CONTAINERS: dict[Any, type] = {list: list, tuple: tuple, collections.abc.Sequence: list}


def _meant(annotation: Any) -> Any:
    """What an annotation is a name for: NumPy's ``NDArray[...]``, ``type Image = np.ndarray``."""
    while hasattr(alias := typing.get_origin(annotation) or annotation, "__value__"):
        annotation = alias.__value__
    return annotation


def _same_kind(types: list[type]) -> Kind | None:
    """The kind of values that are all of one type."""
    return kind_of(types[0]) if len(set(types)) == 1 else None


def results_of(annotation: Any) -> Results:
    """What a result's annotation says. Raises ``TypeError``."""
    if annotation in (None, types.NoneType):
        return None
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if isinstance(annotation, type) and find_kind(annotation) is NAMED:
        hints = typing.get_type_hints(annotation)
        return Group(annotation, tuple([_result(hints.get(name)) for name in annotation._fields]))  # type: ignore[attr-defined]
    if origin is tuple and parts and parts[-1] is not Ellipsis:
        return Group(tuple, tuple([_result(part) for part in parts]))
    if (origin in (list, tuple) and parts) or (origin is dict and parts[0] is str):
        return Group(origin, _result(parts[1] if origin is dict else parts[0]))
    return _result(annotation)


def _result(annotation: Any) -> type:
    kind = kind_of(annotation)
    if kind is None or kind != Kind(kind.base) or kind.base not in (np.ndarray, *NUMBERS):
        raise TypeError
    return kind.base


def hints_of(function: Callable[..., Any], shown: str, around: Mapping[str, Any]) -> dict[str, Any]:
    """The evaluated annotations of a function. ``around``: the names in scope where it is declared.
    Raises ``UserError`` (E220).
    """
    try:
        return typing.get_type_hints(function, localns=dict(around))
    except Exception as error:  # an annotation is any expression of the user's
        text = f"the annotations of {shown} cannot be read: {type(error).__name__}: {error}"
        raise bad(text, "Annotate with names that the module of the function has.") from error


class Schema(NamedTuple):
    """``signature``: the parameters; ``kinds``: what each may be; ``results``; ``mutates``: the
    parameters that calls write to; ``raises``: what calls raise, ``None`` for anything.
    """

    name: str
    signature: inspect.Signature
    kinds: dict[str, Kind]
    results: Results
    mutates: tuple[str, ...]
    raises: tuple[Raises, ...] | None = None

    def __str__(self) -> str:
        parameters = list(self.signature.parameters.values())
        parts = [self._text(parameter) for parameter in parameters]
        named = [place for place, parameter in enumerate(parameters) if parameter.kind is parameter.KEYWORD_ONLY]
        if named and all(parameter.kind is not parameter.VAR_POSITIONAL for parameter in parameters):
            parts.insert(named[0], "*")
        alone = sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in parameters)
        if alone:
            parts.insert(alone, "/")
        given = "" if self.results is object else f" -> {_results_text(self.results)}"
        return f"{self.name}({', '.join(parts)}){given}{self._raising()}"

    def _raising(self) -> str:
        """What calls raise, with modules: two classes of one name are two."""
        if self.raises is None:
            return ""
        names = [name_of(kind) or f"{kind.__module__}.{kind.__qualname__}" for kind in classes_in(self.raises)]
        return f" raises {', '.join(names) or 'nothing'}"

    def _text(self, parameter: inspect.Parameter) -> str:
        kind = self.kinds.get(parameter.name, ANY)
        star = "*" * ((parameter.kind is parameter.VAR_POSITIONAL) + 2 * (parameter.kind is parameter.VAR_KEYWORD))
        annotation = "" if kind == ANY else f": {'mutated ' * (parameter.name in self.mutates)}{kind}"
        if parameter.default is parameter.empty:
            return f"{star}{parameter.name}{annotation}"
        return f"{parameter.name}{annotation}{' = ' if annotation else '='}{parameter.default!r}"

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], taking: Taking) -> inspect.BoundArguments:
        """The arguments of a call, defaults included, each converted to its kind. Raises
        ``TypeError``.
        """
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}(): {error}") from None
        bound.apply_defaults()
        for name, kind in self.kinds.items():
            bound.arguments[name] = self._taken(name, kind, bound.arguments[name], taking)
        return bound

    def _taken(self, name: str, kind: Kind, value: Any, taking: Taking) -> Any:
        if kind == ANY or (value is None and kind.optional):
            return value
        if kind.container is not None and type(value) not in (list, tuple):
            raise TypeError(f"{self.name}() takes a {kind} for {name}, not {_shown(value)}")
        try:
            return _converted(kind, value, taking)
        except TypeError:
            raise TypeError(f"{self.name}() takes {kind} for {name}, not {_shown(value)}") from None


def _converted(kind: Kind, value: Any, taking: Taking) -> Any:
    """A value, or a list or tuple of them, as a kind says. Raises ``TypeError``."""
    if kind.container is None:
        return taking[kind.base](value)  # type: ignore[index]
    bases = kind.bases(len(value))
    if len(bases) != len(value):
        raise TypeError
    return kind.container(taking[base](item) for base, item in zip(bases, value, strict=True))


def _shown(value: Any) -> str:
    kind = value.__class__.__name__  # as a stand-in says
    return f"{kind} of {', '.join(sorted(set(map(_shown, value))))}" if type(value) in (list, tuple) else kind


def _results_text(results: Any) -> str:
    if isinstance(results, Group):
        return results.text(BASES)
    return "None" if results is None else BASES[results]


def schema_of(name: str, function: Callable[..., Any], mutates: tuple[str, ...], around: Mapping[str, Any]) -> Schema:
    """The schema that a function's annotations state. ``around``: the names in scope where it is
    declared. Raises ``UserError`` (E220).
    """
    shown = f"`{getattr(function, '__name__', name)}`"
    hints = hints_of(function, shown, around)
    try:
        signature = inspect.signature(function)
    except ValueError:
        raise bad(f"{shown} has no parameters that are known", "Decorate a function in Python.") from None
    kinds = {}
    for parameter in signature.parameters.values():
        kinds[parameter.name] = _parameter_kind(parameter, hints, shown)
    unknown = [name for name in mutates if name not in kinds or kinds[name].base is not np.ndarray]
    if unknown:
        raise bad(f"{shown} is said to mutate {', '.join(map(repr, unknown))}, which is not an array parameter of it")
    if "return" not in hints:
        raise bad(f"{shown} does not say what it returns", f"Annotate its result: -> {_RESULTS}.")
    try:
        results = results_of(hints["return"])
    except TypeError:
        raise bad(f"{shown} returns {hints['return']!r}", f"An operator returns {_RESULTS}.") from None
    if results is None and not mutates:
        raise bad(
            f"{shown} returns nothing and mutates nothing, so that no program needs it",
            "Return what it computes, or name the arrays that it writes to: mutates_args=('x',).",
        )
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return Schema(name, inspect.Signature(plain), kinds, results, mutates)


def _parameter_kind(parameter: inspect.Parameter, hints: dict[str, Any], shown: str) -> Kind:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise bad(f"{shown} takes any number of arguments, *{parameter.name}", "Take a list: list[np.ndarray].")
    if parameter.name in DECLARING:
        raise bad(f"{shown} has a parameter named {parameter.name}, which nodes use themselves", "Give the parameter another name.")
    if parameter.name not in hints:
        raise bad(f"{shown} does not say what {parameter.name} is", f"Annotate it: {_TAKES}.")
    kind = kind_of(hints[parameter.name])
    if kind is None:
        raise bad(f"{shown} takes {hints[parameter.name]!r} for {parameter.name}", f"An operator takes {_TAKES}.")
    default = parameter.default
    given = default is not parameter.empty and not (default is None and kind.optional)
    if given and not _is_default(kind, default):
        hint = f"Annotate it with `{kind._replace(optional=True)}` and make the default None, or leave it out."
        if kind.container is list and type(default) is list:
            raise bad(f"the default of {parameter.name} in {shown} is a list, which every call could change", hint)
        raise bad(f"the default of {parameter.name} in {shown} is {default!r}, which is no {kind}", hint)
    return kind


def _is_default(kind: Kind, default: Any) -> bool:
    """Whether a default is of its kind, and one that no call can change."""
    if np.ndarray in (kind.base, *kind.each) or kind.container is list:
        return False
    if kind.container is None:
        return isinstance(default, kind.base or object)
    bases = kind.bases(len(default)) if type(default) is tuple else ()
    return type(default) is tuple and len(bases) == len(default) and all(map(isinstance, default, bases))


def unknown_schema(name: str, function: Callable[..., Any]) -> Schema:
    """The schema of a function without annotations that count: its parameters, where it says
    itself. What a decorator tells of them, or a fake, may have other defaults and another order.
    """
    if not any(hasattr(function, told) for told in ("__wrapped__", "__signature__")):
        try:
            found = inspect.signature(function, follow_wrapped=False)
        except (TypeError, ValueError):  # C that does not say
            found = None
        if found is not None and not set(DECLARING) & found.parameters.keys():
            plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
            return Schema(name, inspect.Signature(plain), {}, object, ())
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    rest = [inspect.Parameter(label, kind) for label, kind in zip(("args", "kwargs"), kinds, strict=True)]
    return Schema(name, inspect.Signature(rest), {}, object, ())


def take_array(value: Any) -> Any:
    """An array in C order; of a scalar of NumPy one without axes."""
    if type(value) is np.ndarray or isinstance(value, (np.generic, np.memmap)):
        return np.asarray(value, order="C")
    raise TypeError


def take_int(value: Any) -> int:
    """An integer of Python."""
    if isinstance(value, (int, np.integer)):
        return operator.index(value)
    raise TypeError


def take_float(value: Any) -> float:
    """A float of Python."""
    if isinstance(value, (int, float, np.floating, np.integer)):
        return float(value)
    raise TypeError


def take_bool(value: Any) -> bool:
    """A truth of Python."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError


def take_str(value: Any) -> str:
    """A text."""
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError


def take_dtype(value: Any) -> Any:
    """A dtype, of what NumPy takes for one but for ``None``."""
    if value is None:
        raise TypeError
    return np.dtype(value)


EAGER: Taking = {np.ndarray: take_array, int: take_int, float: take_float, bool: take_bool, str: take_str, np.dtype: take_dtype}
