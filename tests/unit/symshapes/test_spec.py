"""Specifications: every form that is understood, every malformed one refused with both paths, and what it makes of the example inputs."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import pytest

from npexport.symshapes.binding import bind
from npexport.symshapes.dims import Dim, dims
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import UserError
from npexport.symshapes.spec import AdditionalInputs, ShapesCollection, as_tree, infer, normalize
from npexport.symshapes.symint import is_symbolic
from tests.support.symshapes_programs import Array

D, K = Dim("d"), Dim("k")


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Config:
    table: object
    n: int


def flat(spec, options=None, **arguments):
    return {leaf.path: leaf.dims for leaf in normalize(spec, arguments, **(options or {}))}


X, Y = Array(8, 3), Array(4)
UNDERSTOOD = [
    (None, {"x": X}, {"x": (None, None)}),
    ({}, {"x": X}, {"x": (None, None)}),
    ({"x": {0: D}}, {"x": X, "y": Y}, {"x": (D, None), "y": (None,)}),
    ({"x": {-1: D}}, {"x": X}, {"x": (None, D)}),
    ({"x": (D, None)}, {"x": X}, {"x": (D, None)}),
    ({"x": [D, 3]}, {"x": X}, {"x": (D, 3)}),
    (({0: D}, None), {"x": X, "y": Y}, {"x": (D, None), "y": (None,)}),
    ([{0: 2 * D + 1}, (D,)], {"x": X, "y": Y}, {"x": (2 * D + 1, None), "y": (D,)}),
    (
        {"x": [{0: D}, {"b": (Dim.AUTO,)}]},
        {"x": [X, {"a": Y, "b": Y}]},
        {"x[0]": (D, None), "x[1]['a']": (None,), "x[1]['b']": (Dim.AUTO,)},
    ),
    ({"x": {"b": {0: D}}}, {"x": {"a": X, "b": Y}}, {"x['a']": (None, None), "x['b']": (D,)}),
    ({"x": ({0: D}, None)}, {"x": Pair(X, Y)}, {"x.first": (D, None), "x.second": (None,)}),
    ({"x": Pair({0: D}, None)}, {"x": Pair(X, Y)}, {"x.first": (D, None), "x.second": (None,)}),
    ({"x": {"first": {0: D}}}, {"x": Pair(X, Y)}, {"x.first": (D, None), "x.second": (None,)}),
    ({"x": {"table": {0: D}, "n": Dim.DYNAMIC}}, {"x": Config(X, 3)}, {"x.table": (D, None), "x.n": (Dim.DYNAMIC,)}),
    ({"x": {"table": {0: D}}}, {"x": Config(X, 3)}, {"x.table": (D, None), "x.n": (None,)}),
    ({"n": Dim.DYNAMIC(min=2)}, {"n": 3}, {"n": (Dim.DYNAMIC(min=2),)}),
    ({"n": D}, {"n": 3}, {"n": (D,)}),
    ({"f": Dim.DYNAMIC}, {"f": 0.5}, {"f": (Dim.DYNAMIC,)}),
    ({"x": None}, {"x": [X, "text", None, True]}, {"x[0]": (None, None), "x[1]": (None,), "x[2]": (None,), "x[3]": (None,)}),
]


@pytest.mark.parametrize(("spec", "arguments", "expected"), UNDERSTOOD)
def test_understood(spec, arguments, expected):
    assert flat(spec, **arguments) == expected
    leaves = normalize(spec, arguments)
    assert normalize(as_tree(arguments, leaves), arguments) == leaves


STARRED = {"var_positional": "args", "var_keyword": "kw"}


@pytest.mark.parametrize(
    "spec",
    [
        {"x": None, "args": ({0: D}, None), "kw": {"a": {0: K}}},
        (None, ({0: D}, None), {"a": {0: K}}),
        (None, {0: D}, None, {"a": {0: K}}),
        {"args": ({0: D}, None), "a": {0: K}},
    ],
)
def test_starred_arguments(spec):
    arguments = {"x": Y, "args": (X, Y), "kw": {"a": Y, "b": Y}}
    expected = {"x": (None,), "args[0]": (D, None), "args[1]": (None,), "kw['a']": (K,), "kw['b']": (None,)}
    assert flat(spec, STARRED, **arguments) == expected


@pytest.mark.parametrize("spec", [({0: D},), [{0: D}], (({0: D},),), ({0: {0: D}},), {"args": ({0: D},)}])
def test_starred_arguments_of_which_there_is_one(spec):
    assert flat(spec, STARRED, args=(X,)) == {"args[0]": (D, None)}


@pytest.mark.parametrize("spec", [(Dim.DYNAMIC,), ((Dim.DYNAMIC,),)])
def test_a_starred_number(spec):
    assert flat(spec, STARRED, args=(3,)) == {"args[0]": (Dim.DYNAMIC,)}


def test_starred_arguments_that_do_not_fit():
    for spec, told in [
        (({0: D},), r"Hint: `\*args` is a tuple of arrays, each with an entry of its own: \(\{0: Dim\('d'\)\}, ...\)"),
        (({0: D}, None, None), r"3 entries.*inputs have 1: \*args"),
    ]:
        with pytest.raises(UserError, match=told):
            normalize(spec, {"args": (X, Y)}, **STARRED)
    with pytest.raises(UserError, match=r"1 entries.*inputs have 2: \*args, \*\*kw"):
        normalize(({0: D},), {"args": (X, Y), "kw": {"a": Y}}, **STARRED)


MALFORMED = [
    ({"z": {0: D}}, {"x": X}, "key 'z'.*inputs are 'x'"),
    ({0: {0: D}}, {"x": X}, "key 0"),
    (({0: D},), {"x": X, "y": Y}, "1 entries.*inputs have 2"),
    ("x", {"x": X}, "must be None, a dict"),
    ({"x": D}, {"x": X}, r"dynamic_shapes\['x'\] is Dim\('d'\).*array with 2 dimensions"),
    ({"x": {2: D}}, {"x": X}, "axis 2.*2 dimensions"),
    ({"x": {-3: D}}, {"x": X}, "axis -3"),
    ({"x": {0: D, -2: D}}, {"x": X}, "axis 0 of x twice"),
    ({"x": {"0": D}}, {"x": X}, "key '0'.*axes"),
    ({"x": {True: D}}, {"x": X}, "key True"),
    ({"x": (D,)}, {"x": X}, "1 entries.*2 dimensions"),
    ({"x": (D, "b")}, {"x": X}, "a size is None, an int, a Dim"),
    ({"x": {0: 1.5}}, {"x": X}, "a size is None"),
    ({"x": [{0: D}]}, {"x": [X, Y]}, r"1 entries.*input x has 2"),
    ({"x": {"c": None}}, {"x": {"a": X}}, "key 'c'.*input x has 'a'"),
    ({"x": ({0: D},)}, {"x": {"a": X}}, "a tuple.*a dict"),
    ({"x": {0: D}}, {"x": {"a": X}}, "key 0"),
    ({"x": {"a": None}}, {"x": [X]}, "key 'a'"),
    ({"x": Dim.AUTO}, {"x": "text"}, "always static"),
    ({"x": Dim.AUTO}, {"x": True}, "always static"),
    ({"x": D}, {"x": 0.5}, "is a float"),
    ({"x": {0: D}}, {"x": 3}, "a size is None"),
]


@pytest.mark.parametrize(("spec", "arguments", "message"), MALFORMED)
def test_malformed(spec, arguments, message):
    with pytest.raises(UserError, match=message) as error:
        normalize(spec, arguments)
    assert error.value.code == "E302"
    assert error.value.hint


BAD_DIMS = [
    lambda: Dim("a b"), lambda: Dim(""), lambda: Dim(3), lambda: Dim("class"), lambda: Dim("a", min=-1), lambda: Dim("a", min=5, max=4),
    lambda: Dim("a", max=1.5), lambda: Dim("a", multiple_of=0), lambda: Dim("a", one_of=()), lambda: Dim("a", one_of=[-1]),
    lambda: Dim("a", max=3, one_of=[4]), lambda: D + K, lambda: D * 1.5, lambda: D * 0, lambda: D // 0, lambda: Dim.AUTO(min=3, max=2),
]  # fmt: skip


@pytest.mark.parametrize("make", BAD_DIMS)
def test_bad_dims(make):
    with pytest.raises(UserError):
        make()


def test_dims_print_as_they_are_written():
    assert (
        repr([D, 2 * D, D + 1, 32 - D, -D + 3, 3 * D - 4, D // 2, 2 * (D + 1)])
        == "[Dim('d'), 2*d, d + 1, 32 - d, 3 - d, 3*d - 4, d//2, 2*d + 2]"
    )
    assert repr(Dim("d", min=2, max=8, multiple_of=2)) == "Dim('d', min=2, max=8, multiple_of=2)"
    assert repr(Dim("d", one_of=(384, 224))) == "Dim('d', one_of=(224, 384))"
    assert repr(dims("a", "b", max=4)) == "(Dim('a', max=4), Dim('b', max=4))"
    assert repr([Dim.AUTO, Dim.DYNAMIC(min=2), Dim.STATIC]) == "[Dim.AUTO, Dim.DYNAMIC(min=2), Dim.STATIC]"
    assert Dim("E").name == "E"
    assert repr(Dim("S") + 1) == "S + 1"


# Binding


def bound(spec, **arguments):
    env = ShapeEnv()
    return env, bind(env, normalize(spec, arguments))


def shapes(bindings):
    return [
        tuple(str(size.expression) if is_symbolic(size) else size for size in shape)
        if isinstance(shape, tuple)
        else str(shape.expression)
        if is_symbolic(shape)
        else shape
        for shape in bindings.shapes
    ]


BOUND = [
    ({"x": {0: D}}, {"x": X}, [("s0", 3)], ["x.shape[0]"]),
    ({"x": {0: D}, "y": {0: K}}, {"x": X, "y": Y}, [("s0", 3), ("s1",)], ["x.shape[0]", "y.shape[0]"]),
    ({"x": {0: 2 * D}, "y": {0: D}}, {"x": X, "y": Y}, [("2*s0", 3), ("s0",)], ["y.shape[0]"]),
    ({"x": {0: D, 1: D - 5}}, {"x": X}, [("s0", "s0 - 5")], ["x.shape[0]"]),
    ({"x": {0: 2 * D}}, {"x": X}, [("2*s0", 3)], ["x.shape[0]//2"]),
    ({"x": {0: 2 * D + 2}}, {"x": X}, [("2*s0 + 2", 3)], ["(x.shape[0] + 0)//2 - 1"]),
    ({"x": {0: 32 - D}}, {"x": X}, [("32 - s0", 3)], ["32 - x.shape[0]"]),
    ({"x": {0: D // 2}, "y": {0: D}}, {"x": Array(2), "y": Y}, [("s0//2",), ("s0",)], ["y.shape[0]"]),
    ({"x": {0: Dim.AUTO, 1: Dim.STATIC}}, {"x": X}, [("s0", 3)], ["x.shape[0]"]),
    ({"x": {0: Dim.AUTO}, "n": Dim.DYNAMIC, "f": Dim.AUTO}, {"x": X, "n": -3, "f": 0.5}, [("s0", 3), "s1", "f0"], ["x.shape[0]", "n", "f"]),
    ({"x": {0: 8, 1: None}}, {"x": X}, [(8, 3)], []),
    ({"x": {0: Dim("d", min=8, max=8)}}, {"x": X}, [(8, 3)], ["x.shape[0]"]),
]


@pytest.mark.parametrize(("spec", "arguments", "expected", "sources"), BOUND)
def test_bound(spec, arguments, expected, sources):
    env, bindings = bound(spec, **arguments)
    assert shapes(bindings) == expected
    assert len(env.names) == len(sources)
    for shown, source in zip(env.names.values(), sources, strict=True):
        x, y = X, Y
        assert shown == source or eval(shown) == eval(source, {"x": x, "y": y})
    assert env.guards == []


OUTSIDE = [
    ({"x": {0: Dim("d", min=10)}}, "x.shape\\[0\\] is 8, which is outside of Dim\\('d', min=10\\)"),
    ({"x": {0: Dim("d", max=7)}}, "outside of"),
    ({"x": {0: Dim("d", multiple_of=3)}}, "outside of"),
    ({"x": {0: Dim("d", one_of=(4, 6))}}, "outside of"),
    ({"x": {0: 9}}, "x.shape\\[0\\] is 8, but dynamic_shapes says 9"),
    ({"x": {0: D, 1: D}}, "x.shape\\[1\\] is 3, but dynamic_shapes says Dim\\('d'\\), which is 8 because x.shape\\[0\\] is 8"),
    ({"x": {0: D, 1: D - 4}}, "x.shape\\[1\\] is 3, but dynamic_shapes says d - 4, which is 4 because d is 8"),
    ({"x": {1: 2 * D}}, "x.shape\\[1\\] is 3, which is not of the form 2\\*d"),
    ({"x": {0: Dim.AUTO(max=4)}}, "outside of Dim.AUTO"),
    ({"x": {0: Dim.STATIC(max=4)}}, "outside of Dim.STATIC"),
    ({"x": {0: Dim.DYNAMIC(min=9)}}, "outside of Dim.DYNAMIC"),
]


@pytest.mark.parametrize(("spec", "message"), OUTSIDE)
def test_examples_outside_of_the_specification(spec, message):
    with pytest.raises(UserError, match=message) as error:
        bound(spec, x=X)
    assert error.value.code == "E303"


def test_contradictory_dims():
    with pytest.raises(UserError, match="two different dims of the name 'd'"):
        bound({"x": {0: D}, "y": {0: Dim("d", max=9)}}, x=X, y=Array(8))
    with pytest.raises(UserError, match="no input has the size d or A\\*d"):
        bound({"x": {0: D // 2}}, x=X)


def test_promises_are_facts():
    env, bindings = bound({"x": {0: Dim("d", min=2, max=64, multiple_of=4)}, "y": {0: 32 - K}}, x=X, y=Y)
    n, m = bindings.shapes[0][0], bindings.shapes[1][0]
    assert (n >= 4, n % 2 == 0, n <= 64, m >= 0, m <= 32) == (True,) * 5
    assert env.guards == []


def test_collections():
    shapes = ShapesCollection()
    shapes[X] = (D, None)
    shapes[Y] = {0: 2 * D}
    assert flat(shapes, x=X, y=[Y]) == {"x": (D, None), "y[0]": (2 * D,)}
    with pytest.raises(UserError, match="not among the inputs"):
        normalize(shapes, {"x": X})
    with pytest.raises(UserError, match="the same object"):
        shapes[X] = (K, None)

    def f(x, y):
        pass

    assert shapes.dynamic_shapes(f, (X, Y)) == {"x": (D, None), "y": {0: 2 * D}}


def test_additional_inputs_and_infer():
    def f(x, y, n=1):
        pass

    more = AdditionalInputs()
    more.add((Array(5, 3), Array(4)), {"n": 4})
    assert more.dynamic_shapes(f, (X, Y), {"n": 3}) == {"x": {0: Dim.DYNAMIC}, "y": None, "n": Dim.DYNAMIC}
    more.add((Array(5, 3, 1), Array(4)), {"n": 4})
    with pytest.raises(UserError, match="another number of dimensions"):
        more.dynamic_shapes(f, (X, Y), {"n": 3})
    assert flat(infer(), x=X, n=3) == {"x": (Dim.AUTO, Dim.AUTO), "n": (None,)}
    assert infer((Array(2, 3), Y)).dynamic_shapes(f, (X, Y)) == {"x": {0: Dim.AUTO}, "y": None}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dim("1n"),
        lambda: Dim("n", min=5, max=2),
        lambda: Dim("n", min=-1),
        lambda: Dim("n", multiple_of=0),
        lambda: Dim("n", one_of=[-1]),
        lambda: Dim("n", min=5, one_of=[1]),
    ],
)
def test_dims_that_are_none_say_how_one_is_written(make):
    with pytest.raises(UserError) as caught:
        make()
    assert caught.value.code == "E302" and "Dim('n', min=2, max=8)" in caught.value.hint


def test_calls_that_the_function_does_not_take():
    for collection in (ShapesCollection(), AdditionalInputs()):
        with pytest.raises(UserError, match="Pass an example of `y`: export") as raised:
            collection.dynamic_shapes(lambda x, y: x + y, (X,))
        assert raised.value.code == "E201" and isinstance(raised.value, TypeError)
