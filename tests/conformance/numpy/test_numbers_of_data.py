"""All of NumPy's functions, given numbers of Python that only the data know: what eager execution gives, or a refusal with a code."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome
from tests.support.quiet import quiet
from tests.support.shards import shard

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "int": lambda x: int(x[0]),
    "float": lambda x: float(x[0]),
    "bool": lambda x: bool(x[0] > 1),
    "complex": lambda x: complex(x[0], x[1]),
    "size": lambda x: len(x),
    "scalar": lambda x: x[0],
}
FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "f(s)": lambda f, s, x: f(s),
    "f(s, 0)": lambda f, s, x: f(s, 0),
    "f(s, x)": lambda f, s, x: f(s, x),
    "f(x, s)": lambda f, s, x: f(x, s),
    "f(s, 1, 2)": lambda f, s, x: f(s, 1, 2),
    "f([s, s])": lambda f, s, x: f([s, s]),
    "f(s, s)": lambda f, s, x: f(s, s),
}
EXAMPLE = np.array([2.0, 1.0, 0.0])
OTHERS = (EXAMPLE, np.array([0.0, -1.0]), np.array([3.0, 2.0, 5.0, 1.0]), np.array([1.0, 1.0]))
MAKING = frozenset("ones zeros empty empty_like eye identity tri hamming hanning kaiser bartlett blackman indices arange".split())
"""Functions of which numbers are shapes: they are tested elsewhere, and large here; or of no promised values."""
OUTSIDE = frozenset(
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex info test seterr seterrcall setbufsize show_config "
    "show_runtime set_printoptions printoptions get_include frompyfunc vectorize base_repr binary_repr".split()
)


def functions() -> dict[str, Any]:
    """By name."""
    found = {}
    for module in (np, np.linalg):
        for name in dir(module):
            value = getattr(module, name)
            if callable(value) and not isinstance(value, (type, types.ModuleType)) and name[0] != "_" and name not in MAKING | OUTSIDE:
                found[f"{module.__name__}.{name}"] = value
    return found


@pytest.mark.parametrize(("kind", "form"), shard(itertools.product(NUMBERS, FORMS), 6))
def test_functions_give_what_they_give_eagerly(kind: str, form: str) -> None:
    compared = 0
    with quiet():
        for name, function in functions().items():

            def program(x: Any, function: Any = function) -> Any:
                return FORMS[form](function, NUMBERS[kind](x), x)

            if len(outcome(program, (EXAMPLE,))) == 2:
                continue
            try:
                run = export(lambda x: program(x), (EXAMPLE,), dynamic_shapes=({0: Dim.AUTO},)).module()  # noqa: B023
            except ExportError as refusal:
                assert refusal.code[1] != "9", (name, refusal)
                continue
            for x in OTHERS:
                wanted = outcome(program, (x,))
                try:
                    found = outcome(run, (x,))
                except InputMismatch:
                    continue
                assert found == wanted, (name, x)
                compared += 1
    assert compared > 10
