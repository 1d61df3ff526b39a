"""Results as objects: identities of containers, containers that are the caller's, and what no program can give back. Keys as guards."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import InputMismatch, InternalError, Unsupported, UserError, export, register_dataclass
from npexport.ir.identities import Identities
from tests.support.forms import reloaded

X = np.arange(3.0)


@register_dataclass
@dataclass
class Node:
    value: Any
    next: Any = None


class Pair(NamedTuple):
    first: Any
    second: Any


def _twice(x: Any) -> Any:
    a = [x, 1]
    return a, a


def _nested(x: Any) -> Any:
    a = {"x": x + 1}
    b = [a, (a, a)]
    return {"a": a, "b": b, "c": Pair(b, b)}


def _linked(x: Any) -> Any:
    node = Node(x)
    return Node(node, node), deque([node])


def _written(l: Any) -> Any:  # noqa: E741
    l[0] += 1
    return l, l[0], l[0][1:]


def _parts(d: Any) -> Any:
    return d["b"], d, [d["b"], d["c"]]


def _changed_back(l: Any) -> Any:  # noqa: E741
    l.append(1)
    l.pop()
    return (l, [*l])


def _deep(x: Any) -> Any:
    shared = inner = [x]
    for _ in range(60):
        inner = [inner]
    return inner, shared


PROGRAMS: dict[str, tuple[Any, Any]] = {
    "a list twice": (_twice, lambda: (X.copy(),)),
    "in one another": (_nested, lambda: (X.copy(),)),
    "dataclasses": (_linked, lambda: (X.copy(),)),
    "deep": (_deep, lambda: (X.copy(),)),
    "equal and different": (lambda x: ([x], [x]), lambda: (X.copy(),)),
    "an input": (lambda v: v, lambda: ([X.copy()],)),
    "an input, twice": (lambda v: (v, [v, v]), lambda: ({"a": X.copy(), "b": [1, X.copy()]},)),
    "a tuple": (lambda v: v, lambda: ((X.copy(), (X.copy(), 2)),)),
    "parts of an input": (_parts, lambda: ({"a": 1, "b": OrderedDict(q=X.copy()), "c": Node(X.copy(), [])},)),
    "an input whose arrays are written to": (_written, lambda: ([X.copy()],)),
    "an input that is as before": (_changed_back, lambda: ([X.copy(), "a"],)),
    "keywords": (lambda *args, **kwargs: (args[0], kwargs["b"], kwargs["b"]), lambda: ([X.copy()], {"z": 1})),
    "a copy": (lambda v: (v.copy(), list(v), v), lambda: ([X.copy()],)),
    "nothing": (lambda v: (v, (), [], []), lambda: ([],)),
}


def shape_of(result: Any, given: Any) -> Any:
    """The identities of all containers and arrays of a result: each is a number, those of the inputs come first."""
    numbers: dict[int, int] = {}
    kept: list[Any] = []

    def walk(value: Any) -> Any:
        if type(value) not in (list, dict, tuple, OrderedDict, deque, Node, Pair) and not isinstance(value, np.ndarray):
            return value
        if isinstance(value, tuple) and not value:
            return ()  # there is one
        kept.append(value)
        number, seen = numbers.setdefault(id(value), len(numbers)), id(value) in numbers
        children = [] if isinstance(value, np.ndarray) else vars(value) if isinstance(value, Node) else value
        parts = list(children.items()) if isinstance(children, dict) else list(children)
        return (type(value), number, [walk(part) for part in parts]) if seen or parts else (type(value), number)

    return [walk(given), walk(result)]


@pytest.mark.parametrize("form", [lambda p: p, reloaded], ids=["program", "loaded"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_containers_of_results_are_the_objects_that_they_are_in_eager_execution(name: str, form: Any) -> None:
    f, inputs = PROGRAMS[name]

    def call(g: Any, args: Any) -> Any:
        return g(args[0], b=args[1]) if name == "keywords" else g(*args)

    example = inputs()
    program = form(export(f, example[:1], {"b": example[1]}) if name == "keywords" else export(f, example))
    program.validate()
    module = program.module()
    for _ in range(2):
        given, other = inputs(), inputs()
        want, found = call(f, given), call(module, other)
        assert shape_of(want, list(given)) == shape_of(found, list(other))


def _endless(x: Any) -> Any:
    d = {"x": x}
    d["self"] = d
    return d


def _very_deep(x: Any) -> Any:
    for _ in range(2000):
        x = [x]
    return x


def test_results_without_an_end_are_refused() -> None:
    with pytest.raises(Unsupported, match="contains itself") as caught:
        export(_endless, (X,))
    assert caught.value.code == "E115"
    with pytest.raises(Unsupported, match="within one another") as caught:
        export(_very_deep, (X,))
    assert caught.value.code == "E115"


def test_inputs_without_an_end_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (_very_deep(X), endless):
        with pytest.raises(UserError) as caught:
            export(lambda v: X + 1, (value,))
        assert caught.value.code == "E202"
        with pytest.raises(InputMismatch):
            export(lambda v: v[0] + 1, ([X],)).module()(value)
        with pytest.raises(InputMismatch):
            export(lambda v: v + 1, (X,)).module()(value)


def test_identities_that_cannot_be_are_no_program() -> None:
    for identities in (Identities(((1, 0),)), Identities((), ((0, 1),)), Identities((), ((0, 9),)), Identities(((5, 1),))):
        program = export(lambda v: [v[0], {}], ([X],))
        object.__setattr__(program.call_spec, "identities", identities)
        with pytest.raises(InternalError, match="container"):
            program.validate()


# --- keys


class Text(str):
    """Text of a class of its own."""


class Colour(enum.IntEnum):
    RED = 1


KEYS: list[Any] = [1, 1.0, True, np.int8(1), np.int64(1), np.float64(1), Colour.RED, 1 + 0j, 0.0, -0.0, 0, False, 0j, -0.0j, float("nan")]
KEYS += [
    -float("nan"),
    "a",
    Text("a"),
    b"a",
    None,
    (1, "a"),
    (1.0, "a"),
    (True, "a"),
    ((0.0,),),
    ((-0.0,),),
    frozenset((1,)),
    frozenset((1.0,)),
]


@pytest.mark.parametrize("second", [False, True], ids=["one", "two"])
def test_keys_of_another_type_are_other_keys(second: bool) -> None:
    """What is accepted is what eager execution does not tell apart."""

    def f(d: Any) -> Any:
        return X + len(d)

    def holding(key: Any) -> Any:
        return {key: X, "z": X} if second else {key: X}

    def same(one: Any, two: Any) -> bool:
        signs = [str(complex(key)) if isinstance(key, (float, complex)) else "" for key in (one, two)]
        return type(one) is type(two) and repr(one) == repr(two) and signs[0] == signs[1]

    accepted = 0
    for exported in KEYS:
        module = export(f, (holding(exported),)).module()
        for key in KEYS:
            if key is exported or (same(key, exported) and not (key != key)):
                np.testing.assert_array_equal(module(holding(key)), f(holding(key)))
                accepted += 1
            else:
                with pytest.raises(InputMismatch):
                    module(holding(key))
    assert accepted == len(KEYS)


class Signed:
    """Leaves a zero of another sign."""

    def __init__(self) -> None:
        self.zero = 0.0

    def __call__(self, x: Any) -> Any:
        sign = math.copysign(1.0, self.zero)
        self.zero = -0.0
        return x * sign


def test_minus_zero_over_zero_is_a_write() -> None:
    """It is state as every other number is."""
    eager, module = Signed(), export(Signed(), (X,)).module()
    for _ in range(3):
        np.testing.assert_array_equal(module(X), eager(X))


def counting(x: Any, log: list[Any]) -> Any:
    try:
        yield x[0]
        yield x[1]
    finally:
        log[0] = log[0] + 1


def left_in_a_variable(x: Any) -> Any:
    log = [x * 1]
    values = counting(x, log)
    next(values)
    return log


def left_with_a_write_to_an_input(x: Any) -> Any:
    def writing() -> Any:
        try:
            yield 1
        finally:
            x[0] = 9.0

    values = writing()
    next(values)
    return x * 1, x


@pytest.mark.parametrize("program", [left_in_a_variable, left_with_a_write_to_an_input])
def test_a_generator_that_the_program_leaves_is_closed_when_it_returns(program: Any) -> None:
    theirs, mine = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    run = export(program, (mine.copy(),)).module()
    for found, expected in zip(run(mine), program(theirs), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(mine, theirs)
