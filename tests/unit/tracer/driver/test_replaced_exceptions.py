"""Handlers that raise another exception for what only the data decide: the program raises it, with
the one that was handled as its cause or its context.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.forms import reloaded

REGULAR, SINGULAR = np.array([[2.0, 0.0], [0.0, 3.0]]), np.ones((2, 2))
LinAlgError = np.linalg.LinAlgError


def from_it(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except LinAlgError as error:
        raise ValueError("singular") from error


def while_handling(a: Any) -> Any:
    try:
        return np.linalg.solve(a, a[0])
    except LinAlgError:
        raise ValueError("a matrix without an inverse", 2)  # noqa: B904  the case


def from_none(a: Any) -> Any:
    try:
        x = np.linalg.cholesky(a - 1.5 * SINGULAR)
    except Exception:
        raise RuntimeError("bad", 3) from None
    return x @ a


def with_its_text(a: Any) -> Any:
    try:
        x = np.linalg.inv(a)
    except LinAlgError as error:
        raise RuntimeError(f"failed: {error}") from error
    return x @ a


def in_a_callee(a: Any) -> Any:
    try:
        return from_it(a)
    except ValueError as error:
        raise TypeError("twice") from error


def caught_further_out(a: Any) -> Any:
    try:
        return from_it(a)
    except ValueError:
        return a * 0


def of_a_branch(a: Any) -> Any:
    try:
        if a[0, 1] > 0:
            raise KeyError("key")
    except KeyError as error:
        raise ValueError("value") from error
    return a * 2


def of_a_lookup(a: Any) -> Any:
    try:
        if a[0, 1] > 0:
            raise KeyError("key")
    except KeyError:
        raise ValueError("value")  # noqa: B904  the case
    return a * 2


def in_a_loop(a: Any) -> Any:
    jitter = 1e-10
    while True:
        try:
            root = np.linalg.cholesky(a + (jitter - 1.5) * np.eye(2))
            break
        except LinAlgError:
            jitter *= 10
            if jitter > 1e-3:
                raise ValueError("not positive definite")  # noqa: B904  the case
    return root, jitter


def outcome(program: Callable[..., Any], a: Any) -> Any:
    try:
        return repr(program(a.copy()))
    except Exception as error:
        found, rows = error, []
        while found is not None:
            rows.append((type(found), found.args, found.__suppress_context__, found.__cause__ is found.__context__))
            found = found.__context__
        return rows


@pytest.mark.parametrize("program", [
    from_it, while_handling, from_none, with_its_text, in_a_callee, caught_further_out, of_a_branch, of_a_lookup, in_a_loop,
], ids=lambda program: program.__name__)  # fmt: skip
def test_the_program_raises_what_eager_execution_raises(program: Any) -> None:
    exported = export(program, (REGULAR,))
    for module in (exported.module(), reloaded(exported).module(), exported.run_decompositions().module()):
        for a in (REGULAR, SINGULAR, -REGULAR, REGULAR * 0.25):
            assert outcome(module, a) == outcome(program, a)


def test_what_the_caller_handles_is_the_context_of_the_innermost() -> None:
    module = export(from_it, (REGULAR,)).module()
    for run in (from_it, module):
        try:
            raise OSError("before")
        except OSError as before:
            with pytest.raises(ValueError, match="singular") as raised:
                run(SINGULAR)
            assert type(raised.value.__context__) is LinAlgError
            assert raised.value.__context__.__context__ is before


@pytest.mark.parametrize("cause", ["'no exception'", "KeyError(1)", "None"])
def test_what_hides_a_context_by_data_is_refused_or_as_in_eager_execution(cause: str) -> None:
    def program(x: Any) -> Any:
        try:
            raise ValueError("of the program") from (None if x[0, 0] > 1 else eval(cause))
        except Exception as error:
            return type(error).__name__, str(error)

    try:
        module = export(program, (REGULAR,)).module()
    except Unsupported as refusal:
        assert refusal.code == "E103"
        return
    for a in (REGULAR, REGULAR * 0.25):
        assert module(a) == program(a)
