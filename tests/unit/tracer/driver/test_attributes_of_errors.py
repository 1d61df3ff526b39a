"""Exceptions that a side of a branch on data raises, with attributes that the program has given them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, Unsupported, export
from tests.support.forms import reloaded
from tests.support.functions import function_of


class OwnError(RuntimeError):
    pass


def several(x: Any) -> Any:
    if x[0] > 1:
        error = ValueError(f"no: {x[0]:.2f}")
        error.data = x[0], float(x[1]), [x.sum(), 3], {"a": x * 2}  # type: ignore[attr-defined]
        error.name = "data"  # type: ignore[attr-defined]
        raise error
    return x + 1


def of_either_kind(x: Any) -> Any:
    best = 0.0
    if x[1] > 0:
        best = x[1]
    if x[0] > 1:
        error = ValueError("no")
        error.best = best  # type: ignore[attr-defined]
        raise error
    return x + best


def noted(x: Any) -> Any:
    if x[0] > 1:
        error = ValueError("no")
        error.add_note(f"at {x[0]}")
        raise error
    return x * 2


def in_a_loop(x: Any) -> Any:
    v = x[0]
    for k in range(9):
        v = v * 1.5
        if v > 20:
            error = ValueError("diverges")
            error.after, error.last = k, v  # type: ignore[attr-defined]
            raise error
    return v


def of_a_class(x: Any) -> Any:
    if x[0] > 1:
        error = OwnError("no")
        error.data = x[0], x[1]  # type: ignore[attr-defined]
        raise error
    return x + 1


CALLS = [np.array([0.5, 2.0]), np.array([5.0, 2.0]), np.array([3.0, -1.0])]


def told(program: Any, x: np.ndarray[Any, Any]) -> str:
    """What a call gives, or what it raises, with its attributes: without the note that says which
    node raises it.
    """
    try:
        return repr(program(x.copy()))
    except Exception as error:
        notes = [note for note in vars(error).pop("__notes__", ()) if not note.startswith("Raised by")]
        return repr((error, vars(error), notes))


@pytest.mark.parametrize("program", [several, of_either_kind, noted, in_a_loop])
def test_they_have_them_when_the_program_raises(program: Any) -> None:
    exported = export(program, (CALLS[0],))
    for module in (exported.module(), reloaded(exported).module()):
        for x in CALLS:
            assert told(module, x) == told(program, x)


def test_an_exception_of_the_programs_own_class_has_them() -> None:
    module = export(of_a_class, (CALLS[0],)).module()
    for x in CALLS:
        assert told(module, x) == told(of_a_class, x)


def test_what_stands_in_no_program_is_refused() -> None:
    def program(x: Any) -> Any:
        if x[0] > 1:
            error = ValueError("no")
            error.call = lambda: x  # type: ignore[attr-defined]
            raise error
        return x

    with pytest.raises(ExportError, match="raises ValueError"):
        export(program, (CALLS[0],))


@pytest.mark.parametrize("text", ["x.sum()", "float(x[0])", "x"])
def test_an_exception_whose_text_only_the_data_know_is_told_where_it_is_raised(text):
    f = function_of(f"def f(x):\n    return {{'1.0': 5}}[f'a{{{text}}}'] + 1\n")
    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.location.line == 2 and caught.value.user_stack[-1] == caught.value.location
