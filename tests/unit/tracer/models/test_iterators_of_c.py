"""What a program learns of iterators of C in whose place interpreted generators stand, and of what they do not take."""

from __future__ import annotations

import functools
import itertools
import operator
import types
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export, interpret
from tests.support.outcomes import outcome

MADE = {
    "filter": lambda x: filter(None, x),
    "filter by data": lambda x: filter(lambda each: each > 0, x),
    "map": lambda x: map(abs, x),
    "takewhile": lambda x: itertools.takewhile(lambda each: each > 0, x),
    "dropwhile": lambda x: itertools.dropwhile(lambda each: each > 0, x),
    "filterfalse": lambda x: itertools.filterfalse(lambda each: each > 0, x),
    "compress": lambda x: itertools.compress(x, x > 0),
}
ASKED = {
    "type": lambda made: type(made).__name__,
    "class": lambda made: made.__class__.__name__,
    "generator": lambda made: isinstance(made, types.GeneratorType),
    "method": lambda made: hasattr(made, "send"),
    "items": list,
    "no array": lambda made: isinstance(made, (np.ndarray, list, int)) or isinstance(made, dict),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("asked", ASKED)
def test_are_no_generators(made: str, asked: str) -> None:
    make, ask = MADE[made], ASKED[asked]

    def program(x: Any) -> Any:
        return ask(make(x))

    x = np.array([1.0, -2.0, 3.0])
    try:
        run = export(program, (x,)).module()
    except Unsupported as refusal:
        assert refusal.code == "E119" and asked not in ("items", "no array")
        return
    assert outcome(run, (x,)) == outcome(program, (x,))


class Unwilling:
    def __iter__(self) -> Any:
        raise TypeError("mine")


@pytest.mark.parametrize("made", [lambda x: float(x[0]), lambda x: len(x), lambda x: Unwilling()], ids=["number", "size", "object"])
def test_reduce_says_what_it_takes(made: Any) -> None:
    def program(x: Any) -> Any:
        try:
            return functools.reduce(operator.add, made(x))
        except TypeError as error:
            return str(error), error.__context__ is None

    x = np.ones(3)
    assert export(program, (x,)).module()(x) == interpret(program, x) == program(x)
