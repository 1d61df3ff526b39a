"""Operators of users: how they are declared, and what eager calls of them do."""

from __future__ import annotations

import copy
import functools
import pickle
import types
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Optional

import numpy as np
import numpy.typing as npt
import pytest

from npexport import UserError, custom_op, new_size, opaque, ops, register_decomposition, register_fake, register_vjp
from npexport.ir.op import REGISTRY
from npexport.runtime.operators.custom_op import CustomOp


def scale(x: np.ndarray, factor: float = 2.0) -> np.ndarray:
    return x * factor


def fill(x: np.ndarray, value: int) -> None:
    x[...] = value


def several(
    x: np.ndarray, /, ys: list[np.ndarray], z: Optional[np.ndarray] = None, w: "np.ndarray | None" = None, *, mode: str = "a", flag: bool
) -> tuple[np.ndarray, int]:
    return x.copy(), len(ys)


def typed(x: np.ndarray[Any, np.dtype[np.float64]], counts: list[int]) -> np.ndarray:
    return x + sum(counts)


def grouped(
    x: npt.NDArray[np.float64],
    axes: tuple[int, ...] = (0,),
    part: tuple[int, str] | None = None,
    ys: Sequence[np.ndarray] | None = None,
    dtype: np.dtype | None = None,
    mode: Literal["a", "b"] = "a",
) -> dict[str, np.ndarray]:
    return {"x": x}


def many(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return (x, x)


class Pair(NamedTuple):
    one: np.ndarray
    other: int


def named(x: np.ndarray) -> Pair:
    return Pair(x, 3)


@pytest.mark.parametrize(
    ("function", "mutates", "schema"),
    [
        (scale, (), "lab.op(x: ndarray, factor: float = 2.0) -> ndarray"),
        (fill, ["x"], "lab.op(x: mutated ndarray, value: int) -> None"),
        (
            several,
            (),
            "lab.op(x: ndarray, /, ys: list[ndarray], z: ndarray | None = None, w: ndarray | None = None, *, mode: str = 'a', flag: bool)"
            " -> tuple[ndarray, int]",
        ),
        (typed, (), "lab.op(x: ndarray, counts: list[int]) -> ndarray"),
        (
            grouped,
            (),
            "lab.op(x: ndarray, axes: tuple[int, ...] = (0,), part: tuple[int, str] | None = None, ys: list[ndarray] | None = None,"
            " dtype: dtype | None = None, mode: str = 'a') -> dict[str, ndarray]",
        ),
        (many, (), "lab.op(x: ndarray) -> tuple[ndarray, ...]"),
        (named, (), "lab.op(x: ndarray) -> Pair"),
    ],
)
def test_annotations_are_the_schema(function, mutates, schema):
    op = custom_op("lab::op", mutates_args=mutates)(function)
    assert op.schema == schema
    assert (op.name, op.namespace, str(op), op.is_mutable) == ("op", "lab", "ops.lab.op", bool(mutates))
    assert ops.lab.op is op
    assert pickle.loads(pickle.dumps(op)) is op is copy.deepcopy(op)


def untyped(x) -> np.ndarray:
    return x


def no_result(x: np.ndarray):
    return x


def nothing(x: np.ndarray) -> None:
    pass


def any_number(*xs: np.ndarray) -> np.ndarray:
    return xs[0]


def strange(x: dict) -> np.ndarray:
    return x["x"]


def strange_result(x: np.ndarray) -> list[str]:
    return ["x"]


def numbered_result(x: np.ndarray) -> dict[int, np.ndarray]:
    return {0: x}


def unresolved(x: "Nowhere") -> np.ndarray:  # noqa: F821
    return x


def array_default(x: np.ndarray = np.ones(3)) -> np.ndarray:  # noqa: B008
    return x


def wrong_default(x: np.ndarray, part: tuple[int, str] = (1, 2)) -> np.ndarray:  # type: ignore[assignment]
    return x


def listed_default(x: np.ndarray, axes: list[int] = [0]) -> np.ndarray:  # noqa: B006
    return x


def own_keyword(x: np.ndarray, result_sizes: int) -> np.ndarray:
    return x


@pytest.mark.parametrize(
    ("name", "mutates", "function", "text"),
    [
        ("scale", (), scale, "is not a name of an operator"),
        ("lab.scale", (), scale, "is not a name of an operator"),
        ("lab::_scale", (), scale, "is not a name of an operator"),
        ("lab::läb", (), scale, "is not a name of an operator"),
        (3, (), scale, "is not a name of an operator"),
        *[(f"{name}::scale", (), scale, "npexport's own") for name in ("np", "nn", "sym", "control", "random", "scipy", "REGISTRY")],
        ("lab::op", "x", fill, "is the text 'x'"),
        ("lab::op", ("y",), fill, "mutate 'y'"),
        ("lab::op", ("value",), fill, "mutate 'value'"),
        ("lab::op", (), untyped, "does not say what x is"),
        ("lab::op", (), no_result, "does not say what it returns"),
        ("lab::op", (), nothing, "returns nothing and mutates nothing"),
        ("lab::op", (), any_number, "any number of arguments"),
        ("lab::op", (), strange, "takes <class 'dict'> for x"),
        ("lab::op", (), strange_result, "returns list"),
        ("lab::op", (), numbered_result, "returns dict"),
        ("lab::op", (), unresolved, "cannot be read"),
        ("lab::op", (), array_default, "the default of x"),
        ("lab::op", (), wrong_default, "the default of part"),
        ("lab::op", (), listed_default, "the default of axes in `listed_default` is a list, which every call could change"),
        ("lab::op", (), own_keyword, "result_sizes"),
        ("lab::op", (), 3, "of an int"),
    ],
)
def test_what_no_program_could_use_is_refused(name, mutates, function, text):
    with pytest.raises(UserError) as caught:
        custom_op(name, mutates_args=mutates)(function)
    assert caught.value.code == "E220"
    assert text in caught.value.message
    assert REGISTRY.get("lab.op") is None


def test_the_same_module_declares_again_and_another_does_not():
    first = custom_op("lab::scale")(scale)
    second = custom_op("lab::scale")(scale)
    assert ops.lab.scale is second is not first
    elsewhere = types.FunctionType(scale.__code__, {"np": np, "__name__": "elsewhere"}, "scale", scale.__defaults__)
    elsewhere.__annotations__ = {"x": np.ndarray, "factor": float, "return": np.ndarray}
    with pytest.raises(UserError, match=rf"declared by the module {__name__} and by elsewhere"):
        custom_op("lab::scale")(elsewhere)
    assert ops.lab.scale is second


def test_namespaces_come_to_be():
    with pytest.raises(AttributeError, match=r"ops\.lab"):
        _ = ops.lab
    custom_op("lab::scale")(scale)
    with pytest.raises(AttributeError, match=r"ops\.lab\.absent"):
        _ = ops.lab.absent
    assert dir(ops.lab) == ["scale"]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((np.arange(3.0),), {}),
        ((np.arange(3.0), 3), {}),
        ((np.arange(3.0),), {"factor": np.float32(1.5)}),
        ((np.float64(3),), {}),
        ((np.arange(12.0).reshape(3, 4).T, 0.5), {}),
        ((np.arange(12.0)[::-2],), {}),
    ],
)
def test_eager_calls_run_the_body(args, kwargs):
    result = custom_op("lab::scale")(scale)(*args, **kwargs)
    np.testing.assert_array_equal(result, np.asarray(scale(*args, **kwargs)), strict=True)
    assert type(result) is np.ndarray
    assert result.flags.c_contiguous


@pytest.mark.parametrize("arg", [[1.0, 2.0], 3.0, None, np.ma.ones(3), "x"], ids=repr)
def test_arguments_that_are_not_of_the_schema_are_refused(arg):
    with pytest.raises(TypeError, match=r"lab\.scale\(\) takes ndarray for x"):
        custom_op("lab::scale")(scale)(arg)


@pytest.mark.parametrize("call", [lambda op, x: op(), lambda op, x: op(x, 1, 2), lambda op, x: op(x, other=3)])
def test_calls_that_do_not_fit_the_parameters_are_refused(call):
    with pytest.raises(TypeError, match=r"lab\.scale\(\):"):
        call(custom_op("lab::scale")(scale), np.ones(2))


@pytest.mark.parametrize("x", [np.zeros((3, 4)), np.zeros((3, 4)).T, np.zeros(9)[::2]], ids=str)
def test_what_is_mutated_is_written_to_the_array_itself(x):
    op = custom_op("lab::fill", mutates_args=("x",))(fill)
    assert op(x, 7) is None
    assert (x == 7).all()


def test_read_only_arrays_are_not_mutated():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        custom_op("lab::fill", mutates_args=("x",))(fill)(x, 7)
    assert (x == 0).all()


def test_what_is_not_declared_is_read_only():
    @custom_op("lab::wrong")
    def wrong(x: np.ndarray) -> np.ndarray:
        x += 1
        return x * 2

    x = np.zeros(3)
    with pytest.raises(ValueError, match="read-only") as caught:
        wrong(x)
    assert "The arguments of `ops.lab.wrong` are read-only: name those that it writes to in mutates_args" in caught.value.__notes__[0]
    assert (x == 0).all()
    assert x.flags.writeable


_KEPT = np.arange(4.0)
_FORTRAN = np.arange(12.0).reshape(3, 4).T


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x,
        lambda x: x[1:],
        lambda x: x.reshape(2, 2),
        lambda x: _KEPT,
        lambda x: _KEPT[:2],
        lambda x: np.broadcast_to(x, (3, 4)),
        lambda x: _FORTRAN,
    ],
)
def test_results_are_arrays_of_their_own(body):
    def function(x: np.ndarray) -> np.ndarray:
        return body(x)

    op, x = custom_op("lab::op")(function), np.arange(4.0)
    result = op(x)
    np.testing.assert_array_equal(result, body(x), strict=True)
    assert result.flags.c_contiguous
    assert result.flags.writeable
    result[...] = -1
    np.testing.assert_array_equal(x, np.arange(4.0))
    np.testing.assert_array_equal(op(x), body(np.arange(4.0)))


def test_new_results_are_not_copied():
    made = []

    @custom_op("lab::made")
    def make(x: np.ndarray) -> np.ndarray:
        result = x * 2
        made.append(result.__array_interface__["data"][0])
        return result

    assert make(np.ones(1000)).__array_interface__["data"][0] == made[0]


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (np.ndarray, [1.0], "its result is a list"),
        (np.ndarray, None, "its result is a NoneType"),
        (int, 2.5, "its result is a float"),
        (tuple[np.ndarray, int], (np.ones(2),), "a tuple of 2, and returns 1 values"),
        (tuple[np.ndarray, int], np.ones(2), "a tuple of 2, and returns an ndarray"),
        (tuple[np.ndarray, int], (np.ones(2), np.ones(2)), "result 1 is an ndarray"),
    ],
)
def test_results_that_are_not_as_declared_are_errors_that_name_the_operator(annotation, value, text):
    def function(x: np.ndarray) -> np.ndarray:
        return value

    function.__annotations__["return"] = annotation
    with pytest.raises(TypeError, match=r"`ops\.lab\.op` is declared to return .*" + text):
        custom_op("lab::op")(function)(np.ones(2))


def test_numbers_of_numpy_become_those_of_python():
    @custom_op("lab::numbers")
    def numbers(x: np.ndarray) -> tuple[int, float, bool]:
        return x.argmax(), x.max(), x.all()

    assert list(map(type, numbers(np.ones(2)))) == [int, float, bool]


def test_rules_are_registered_with_the_operator_or_its_name():
    op = custom_op("lab::scale")(scale)

    @op.register_fake
    def fake(x, factor):
        return np.empty_like(x)

    @register_decomposition("lab::scale")
    def decomposed(x, factor=2.0):
        return x * factor

    @register_vjp(op)
    def vjp(cotangents, outputs, x, factor=2.0):
        return (cotangents * factor, None)

    assert isinstance(op, CustomOp)
    assert (op.fake, op.decomposition, op.vjp) == (fake, decomposed, vjp)
    assert not op.is_core
    other = register_fake("lab::scale")(lambda x, factor: np.empty(x.shape))
    assert op.fake is other


@pytest.mark.parametrize(
    "register",
    [
        lambda op: register_fake("lab::absent"),
        lambda op: register_fake(np.sin),
        lambda op: register_fake(op)(3),
        lambda op: register_vjp(op)(lambda x, factor: x),
        lambda op: register_vjp(op)("vjp"),
        lambda op: opaque(np.sin, lambda x: x),
        lambda op: opaque(3, lambda x: x),
        lambda op: opaque(len, lambda x: 0, name="lab::len"),
        lambda op: opaque(lambda x: x, lambda x: x),
        lambda op: opaque(functools.partial(scale, factor=2.0), lambda x: x, name="lab::partial"),
        lambda op: opaque(op.register_fake, lambda x: x, name="lab::method"),
        lambda op: opaque(sorted, None),
        lambda op: opaque(sorted, lambda x: x, name="np::sorted"),
    ],
)
def test_what_is_no_rule_of_the_operator_is_refused(register):
    with pytest.raises(UserError) as caught:
        register(custom_op("lab::scale")(scale))
    assert caught.value.code == "E220"


def test_new_sizes_are_for_fakes():
    with pytest.raises(UserError, match="outside of the fake"):
        new_size()
