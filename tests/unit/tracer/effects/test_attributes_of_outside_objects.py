"""Attributes of outside objects that cannot be copied, and of partials: nothing of the user's runs where they are read."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export, interpret

X = np.ones(2)


class Finalized:
    """It is not copied, since it has a finaliser."""

    asked: list[Any] = []
    k = 3

    def __init__(self) -> None:
        self.v = 4

    def __del__(self) -> None:
        pass

    @property
    def p(self) -> int:
        self.asked.append("p")
        return 5

    def __getattr__(self, name: str) -> int:
        self.asked.append(name)
        return 6


class Listing:
    asked: list[Any] = []
    __getattr__ = asked.append


FINALIZED, LISTING = Finalized(), Listing()


def test_what_is_stored_is_read() -> None:
    assert export(lambda x: x + FINALIZED.k + FINALIZED.v, (X,)).module()(X).tolist() == [8.0, 8.0]


@pytest.mark.parametrize(
    "program",
    [lambda x: x + FINALIZED.p, lambda x: x + FINALIZED.other, lambda x: (x, hasattr(FINALIZED, "z")), lambda x: (x, LISTING.other)],
)
def test_what_code_finds_is_refused_and_does_not_run(program: Any) -> None:
    before = Finalized.asked[:], Listing.asked[:]  # pytest looks at both objects
    with pytest.raises(Unsupported) as found:
        export(program, (X,))
    assert found.value.code == "E118"
    assert before == (Finalized.asked, Listing.asked)


def test_attributes_of_partials_are_those_of_the_outside() -> None:
    outside: Any = functools.partial(max, 1)
    outside.k, outside.w = 7, np.ones(2)

    def reads(x: Any) -> Any:
        return x + outside.k + outside.w, outside(3), hasattr(outside, "other")

    def writes(x: Any) -> Any:
        outside.k = 8
        return x

    found = export(reads, (X,)).module()(X)
    assert [found[0].tolist(), *found[1:]] == [[9.0, 9.0], 3, False]
    with pytest.raises(Unsupported) as refused:
        export(writes, (X,))
    assert refused.value.code == "E112"
    assert outside.k == 7


def hooks(x: Any) -> Any:
    class Static:
        @staticmethod
        def __getattr__(name: str) -> Any:
            return name, x

        @classmethod
        def __getattribute__(cls, name: str) -> str:
            if name == "missing":
                raise AttributeError(name)
            return cls.__name__ + name

    class Kept:
        seen = {"q": 1}
        __getattr__ = seen.__getitem__

    class Never:
        __getattr__ = None

    kept: Any = Kept()
    Kept.seen["r"] = x
    try:
        Never().other  # type: ignore[misc]  # noqa: B018
    except TypeError as error:
        return Static().missing, Static().k, kept.q, kept.r, str(error)  # type: ignore[attr-defined]


def test_hooks_that_are_no_functions_are_called_as_cpython_does() -> None:
    wanted = repr(hooks(X))
    assert repr(export(hooks, (X,)).module()(X)) == wanted
    assert repr(interpret(hooks, X)) == wanted
