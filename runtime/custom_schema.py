"""Schemas of custom operators: the types of arguments and results according to a function's
annotations.

The same table checks the arguments of eager and of traced calls: a table of conversions says how a
leaf is converted.
"""

from __future__ import annotations

import inspect
import operator
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.declared import SIZES
from npexport.symshapes.errors import UserError

BASES: dict[type, str] = {np.ndarray: "ndarray", int: "int", float: "float", bool: "bool", str: "str"}
NUMBERS = (int, float, bool)
"""The results that are not arrays."""
_ONE_RESULT = "np.ndarray, int, float, bool, a tuple of those, or None"


class Kind(NamedTuple):
    """What an argument may be: a value of ``base``, a list of those, or also ``None``; any value
    that a graph can hold without a base.
    """

    base: type | None
    many: bool = False
    optional: bool = False

    def __str__(self) -> str:
        name = "" if self.base is None else BASES[self.base]
        return (f"list[{name}]" if self.many else name) + (" | None" if self.optional else "")


ANY = Kind(None)
Results = tuple[type, ...] | type | None
"""The result of a call: a type of `BASES`, a tuple of those, nothing, or anything (`object`)."""
Taking = Mapping[type, Callable[[Any], Any]]
"""How a value is converted to one of a base; raises ``TypeError``."""


def bad(what: str, hint: str | None = None) -> UserError:
    """The error for a declaration that is refused."""
    return UserError("E220", what, hint=hint)


def kind_of(annotation: Any) -> Kind | None:
    """The kind that an annotation states; ``None`` if no operator can take such a value."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [arg for arg in inner if arg is not types.NoneType]
        kind = kind_of(rest[0]) if len(rest) == 1 and len(inner) == 2 else None
        return None if kind is None else kind._replace(optional=True)
    if origin is list and len(inner) == 1:
        kind = kind_of(inner[0])
        return None if kind is None or kind.many or kind.optional else kind._replace(many=True)
    base = origin if origin is np.ndarray else annotation
    return Kind(base) if isinstance(base, type) and base in BASES else None


def results_of(annotation: Any) -> Results:
    """What a result's annotation says. Raises ``TypeError``."""
    if annotation in (None, types.NoneType):
        return None
    if typing.get_origin(annotation) is tuple:
        parts = typing.get_args(annotation)
        if not parts or Ellipsis in parts:
            raise TypeError
        return tuple([_result(part) for part in parts])
    return _result(annotation)


def _result(annotation: Any) -> type:
    kind = kind_of(annotation)
    if kind is None or kind.base is None or kind.many or kind.optional or kind.base is str:
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
    parameters that calls write to.
    """

    name: str
    signature: inspect.Signature
    kinds: dict[str, Kind]
    results: Results
    mutates: tuple[str, ...]

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
        return f"{self.name}({', '.join(parts)}){given}"

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
        if kind.base is None or (value is None and kind.optional):
            return value
        if kind.many and type(value) not in (list, tuple):
            raise TypeError(f"{self.name}() takes a {kind} for {name}, not {_shown(value)}")
        take = taking[kind.base]
        try:
            return [take(item) for item in value] if kind.many else take(value)
        except TypeError:
            raise TypeError(f"{self.name}() takes {kind} for {name}, not {_shown(value)}") from None


def _shown(value: Any) -> str:
    kind = type(value).__name__
    return f"{kind} of {', '.join(sorted(set(map(_shown, value))))}" if type(value) is list else kind


def _results_text(results: Any) -> str:
    if isinstance(results, tuple):
        return f"tuple[{', '.join(BASES[part] for part in results)}]"
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
        raise bad(f"{shown} is said to mutate {', '.join(map(repr, unknown))}, which is no array parameter of it")
    if "return" not in hints:
        raise bad(f"{shown} does not say what it returns", f"Annotate its result: -> {_ONE_RESULT}.")
    try:
        results = results_of(hints["return"])
    except TypeError:
        raise bad(f"{shown} returns {hints['return']!r}", f"An operator returns {_ONE_RESULT}.") from None
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
    if parameter.name == SIZES:
        raise bad(f"{shown} has a parameter named {SIZES}, which nodes use themselves", "Give the parameter another name.")
    takes = "np.ndarray, int, float, bool, str, lists of those, or such `| None`"
    if parameter.name not in hints:
        raise bad(f"{shown} does not say what {parameter.name} is", f"Annotate it: {takes}.")
    kind = kind_of(hints[parameter.name])
    if kind is None:
        raise bad(f"{shown} takes {hints[parameter.name]!r} for {parameter.name}", f"An operator takes {takes}.")
    default = parameter.default
    given = default is not parameter.empty and not (default is None and kind.optional)
    if given and (kind.base is np.ndarray or kind.many or not isinstance(default, kind.base or object)):
        hint = f"Annotate it with `{kind._replace(optional=True)}` and make the default None, or leave it out."
        raise bad(f"the default of {parameter.name} in {shown} is {default!r}, which is no {kind}", hint)
    return kind


def unknown_schema(name: str, function: Callable[..., Any]) -> Schema:
    """The schema of a function without annotations that count: its parameters, where it says
    itself. What a decorator tells of them, or a fake, may have other defaults and another order.
    """
    if not any(hasattr(function, told) for told in ("__wrapped__", "__signature__")):
        try:
            found = inspect.signature(function, follow_wrapped=False)
        except (TypeError, ValueError):  # C that does not say
            found = None
        if found is not None and SIZES not in found.parameters:
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


EAGER: Taking = {np.ndarray: take_array, int: take_int, float: take_float, bool: take_bool, str: take_str}
