"""What goes in and out of a module whose signature is preserved: sizes, numbers, constants, containers, errors."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, UserError, export, nn, unflatten
from tests.support.outcomes import outcome

Pair = collections.namedtuple("Pair", "a b")


class Inner(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class Outer(nn.Module):
    def __init__(self, function: Callable[..., Any], use: Callable[..., Any]) -> None:
        super().__init__()
        self.inner, self.use = Inner(function), use

    def forward(self, x: Any) -> Any:
        return self.use(self.inner, x)


def caught(inner: Any, x: Any) -> Any:
    try:
        return inner(x)
    except IndexError:
        return x * 3


def looped(inner: Any, x: Any) -> Any:
    while x.sum() < 20:
        x = inner(x)
    return x


def endless(x: Any) -> Any:
    found = [x]
    found.append(found)
    return found


VALUES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "a size": (lambda x: x.shape[0], lambda inner, x: inner(x) * x),
    "sizes and constants": (lambda x: (x.shape, x.ndim, None, ...), lambda inner, x: x * inner(x)[0][0]),
    "a known array": (lambda x: np.zeros(2), lambda inner, x: inner(x) + x[:2]),
    "a dtype": (lambda x: np.dtype("f4"), lambda inner, x: x.astype(inner(x))),
    "a named tuple": (lambda x: Pair(x + 1, 2.5), lambda inner, x: inner(x).a * inner(x).b),
    "dicts": (lambda x, k=1: {"q": x * k, "w": [x, (x,)]}, lambda inner, x: inner(x, k=3)["q"] + inner(x)["w"][1][0]),
    "a scalar": (lambda x: x[0], lambda inner, x: inner(x) * x),
    "a number": (lambda x: float(x[0]), lambda inner, x: inner(x) * x),
    "a truth": (lambda x: bool(x[0] > 0), lambda inner, x: x * inner(x)),
    "a text": (lambda x: "ab", lambda inner, x: x * len(inner(x))),
    "a view": (lambda x: x[1:], lambda inner, x: inner(x) * 2),
    "one array twice": (lambda x: (x, x), lambda inner, x: inner(x)[0] is inner(x)[1]),
    "as many elements as data say": (lambda x: x[x > 0], lambda inner, x: inner(x) * 2),
    "an exception that is handled": (lambda x: [].pop(), caught),
}
REFUSED: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "writes": ("writes to an array that it is given", lambda x: x.__iadd__(1), lambda inner, x: inner(x * 1)),
    "a side": ("one side of a branch on data", lambda x: x + 1, lambda inner, x: inner(x) if x[0] > 0 else x),
    "a loop": ("one side of a branch on data, or in a loop", lambda x: x + 1, looped),
    "a function": ("returns function", lambda x: lambda: x, lambda inner, x: inner(x)()),
    "a circle": ("a container that contains itself", endless, lambda inner, x: inner(x)[0]),
}
X = np.array([3.0, -2.0, 0.5, 1.0])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, dynamic: bool) -> None:
    program = export(
        Outer(*VALUES[name]), (X,), dynamic_shapes=({0: Dim("n", min=2)},) if dynamic else None, preserve_module_call_signature=("inner",)
    )
    runs = [program.module(), unflatten(program)]
    for x in (X, -X, *([X[:2], np.resize(X, 7)] if dynamic else [])):
        wanted = outcome(Outer(*VALUES[name]), (x,))
        assert [outcome(run, (x,)) for run in runs] == [wanted, wanted]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_preserved(name: str) -> None:
    what, *functions = REFUSED[name]
    with pytest.raises(UserError, match=f"the signature of `inner` cannot be preserved: .*{what}"):
        export(Outer(*functions), (X,), preserve_module_call_signature=("inner",))


def test_exceptions_leave_it() -> None:
    with pytest.raises(IndexError):
        export(Outer(lambda x: [].pop(), lambda inner, x: inner(x)), (X,), preserve_module_call_signature=("inner",))
