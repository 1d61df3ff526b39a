"""Models of functions take the arguments that NumPy's functions take, by place, by name and as their defaults; others they refuse."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from npexport.ir.op import REGISTRY
from npexport.tracer.arrays.analysis.signatures import signature_of
from npexport.tracer.models.arrays import numpy_api  # noqa: F401  declares the rows
from npexport.tracer.models.registry import OF_NUMPY
from tests.op_samples import has_samples, samples_of
from tests.support.outcomes import result_or_error
from tests.support.shards import shard

ALLOWED = {"E101", "E122"}
"""Refusals of parameters that no operator has, and of what NumPy makes of ``None``: Python objects."""
NAMES_DIFFER = {"unique_all", "unique_counts", "unique_inverse", "unique_values"}
"""Functions whose signature has names for what their dispatcher takes by place alone."""
FUNCTIONS = sorted(
    {function for op in REGISTRY if op.namespace == "np" for function in op.models if not isinstance(function, np.ufunc)},
    key=lambda function: (function.__module__, function.__name__),
)
SAMPLES = {function: samples_of(op)[:2] for op in REGISTRY if op.namespace == "np" and has_samples(op) for function in op.models}
current = pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy told fewer signatures, and others")
Form = tuple[str, tuple[Any, ...], dict[str, Any]]


def forms(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Form]:
    """The same call in every form that the signature has, and forms that it has not."""
    signature = signature_of(function)
    if signature is None:  # an older NumPy does not tell it
        return
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:  # the sample is of the operator alone
        return
    given = set(bound.arguments)
    bound.apply_defaults()
    full, parameters = bound.arguments, list(signature.parameters.values())
    yield "as it is", args, kwargs
    yield "unknown", args, {**kwargs, "nonsense": 1}
    yield "missing", args[1:], kwargs
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and parameter.name not in given:
            yield f"default of {parameter.name}", args, {**kwargs, parameter.name: parameter.default}
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    nameless = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
    named = {p.name: full[p.name] for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    for count in range(len(args), len(places) + 1):
        yield f"{count} by place", tuple(full[name] for name in places[:count]), {}
    yield "too many", (*(full[name] for name in places), None), {}
    if function.__name__ not in NAMES_DIFFER:
        yield "by name", tuple(full[name] for name in nameless), named
        yield "all by name", (), {name: full[name] for name in places}
        yield "twice", args, {**kwargs, places[0]: args[0]}


def difference(function: Any, form: Form) -> str:
    """What is wrong with the export of a call, or an empty text."""
    label, args, kwargs = form
    arrays = [value for value in (*args, *kwargs.values()) if isinstance(value, np.ndarray)]
    places = [isinstance(value, np.ndarray) for value in args]
    names = {name: isinstance(value, np.ndarray) for name, value in kwargs.items()}

    def program(*given: Any) -> Any:
        left = iter(given)
        passed = [next(left) if array else value for value, array in zip(args, places, strict=True)]
        return function(*passed, **{name: next(left) if array else kwargs[name] for name, array in names.items()})

    wanted = result_or_error(function, *copy.deepcopy(args), **kwargs)
    actual = result_or_error(lambda: export(program, tuple(copy.deepcopy(arrays))).module()(*copy.deepcopy(arrays)))
    shown = f"{function.__module__}.{function.__name__} {label}: {actual!r:.300}, NumPy {wanted!r:.300}"
    if isinstance(actual, ExportError):
        return "" if isinstance(wanted, Exception) or actual.code in ALLOWED else shown
    if isinstance(actual, Exception) or isinstance(wanted, Exception):
        return "" if type(actual) is type(wanted) else shown
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("group", shard(range(6), 3))
def test_calls_in_every_form(group: int) -> None:
    problems, compared = [], 0
    for function in FUNCTIONS[group::6]:
        for args, kwargs in SAMPLES.get(function, ()):
            for form in forms(function, args, kwargs):
                problems.append(difference(function, form))
                compared += 1
    assert compared > 100
    assert "\n".join(filter(None, problems)) == ""


@current
def test_every_function_has_a_signature() -> None:
    assert [function for function in FUNCTIONS if signature_of(function) is None] == []


LATER = {"check_bounds"}
"""Parameters that some version of NumPy has added."""


@current
def test_models_written_by_hand_have_numpys_parameters() -> None:
    """As many places and the same names, where a model names its parameters."""
    problems, compared = [], 0
    for function, model in OF_NUMPY.items():
        if isinstance(function, type) or model.__module__ == "functools" or function is np.shares_memory:
            continue  # types take what their classes do, a partial has parameters of its own
        theirs, mine = signature_of(function), inspect.signature(model)
        if theirs is None or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in mine.parameters.values()):
            continue
        compared += 1
        here = [p for name, p in mine.parameters.items() if name not in LATER or name in theirs.parameters]
        if [_shape(p) for p in theirs.parameters.values()] != [_shape(p) for p in here]:
            problems.append(f"{function.__name__}{theirs}: {mine}")
    assert compared > 25
    assert "\n".join(problems) == ""


def _shape(parameter: inspect.Parameter) -> tuple[Any, ...]:
    placed = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    name = "" if parameter.kind is parameter.POSITIONAL_ONLY else parameter.name
    return placed, name, parameter.default is parameter.empty
