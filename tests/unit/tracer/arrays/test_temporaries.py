"""Large temporaries, in whose memory NumPy computes: results have their memory order, and so have the
bits of what is summed in that order.
"""

from __future__ import annotations

import copy
import operator
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from npexport.tracer.arrays.api import temporaries
from tests.support.functions import function_of

LARGE = np.random.default_rng(0).standard_normal((200, 200))
SMALL = LARGE[:100, :100].copy()
pytestmark = pytest.mark.skipif(not temporaries._are_reused(), reason="NumPy cannot tell here who calls it, and reuses no temporaries")


def named(x: Any, y: Any) -> Any:
    t = x.T * 1.5
    return t - y


def given(x: Any, y: Any) -> Any:
    return (lambda t: t - y)(x.T * 1.5)


def held(x: Any, y: Any) -> Any:
    kept = [x.T * 1.5]
    return kept[0] - y


def in_a_chain(x: Any, y: Any) -> Any:
    return ((x.T * 1.5 - y) ** 2 + y) / (y + 9)


PROGRAMS: dict[str, Any] = {
    "sub": lambda x, y: x.T * 1.5 - y,
    "reflected sub": lambda x, y: y - x.T * 1.5,
    "add": lambda x, y: x.T * 1.5 + y,
    "reflected add": lambda x, y: y + x.T * 1.5,
    "of two": lambda x, y: x * 0.5 + x.T * 0.5,
    "of two, the other first": lambda x, y: x.T * 0.5 + x * 0.5,
    "difference of two": lambda x, y: x.T * 0.5 - x * 0.5,
    "power": lambda x, y: np.abs(x.T * 1.5) ** y,
    "compared": lambda x, y: x.T * 1.5 > y,
    "of integers": lambda x, y: (x.T * 9).astype(int) // np.ones(y.shape, int),
    "quotient of integers": lambda x, y: (x.T * 9).astype(int) / np.ones(y.shape, int),
    "wider": lambda x, y: x.T.astype(np.float32) - y,
    "narrower": lambda x, y: x.T * 1.5 - y.astype(np.float32),
    "result of a function": lambda x, y: np.where(x.T > 0, x.T, 0.0) - y,
    "copy": lambda x, y: x.T.copy() - y,
    "copy in Fortran's order": lambda x, y: x.T.copy("F") - y,
    "ufunc": lambda x, y: np.subtract(x.T * 1.5, y),
    "operator": lambda x, y: operator.sub(x.T * 1.5, y),
    "row": lambda x, y: x.T * 1.5 - y[0],
    "in a list": lambda x, y: [x.T * 1.5][0] - y,
    **{each.__name__: each for each in (named, given, held, in_a_chain)},
}


def _seen(function: Any, inputs: tuple[Any, ...]) -> Any:
    """How the result of a call lies, its bits and its sum, and the bits of the inputs after the call."""
    inputs = copy.deepcopy(inputs)
    found, total = function(*inputs)
    return found.strides, found.dtype, found.tobytes(), total, [each.tobytes() for each in inputs]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("example", [LARGE, SMALL], ids=["large", "small"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_lie_and_are_summed_as_in_eager_execution(name: str, example: Any, dynamic: bool) -> None:
    def f(x: Any, y: Any) -> Any:
        found = PROGRAMS[name](x, y)
        return found, np.sum(found)

    sizes = {0: Dim.AUTO, 1: Dim.AUTO}
    run = export(f, (example, example + 1), dynamic_shapes=(sizes, sizes) if dynamic else None).module()
    for values in (LARGE, SMALL) if dynamic else (example,):
        inputs, lie = (values, values + 1), [f(each, each + 1)[0].flags.c_contiguous for each in (values, example)]
        if lie[0] == lie[1]:
            assert _seen(run, inputs) == _seen(f, inputs)
        else:  # the size of the temporary decides
            with pytest.raises(InputMismatch, match="3276[78]"):
                run(*inputs)


def test_results_lie_in_orders_that_are_neither_as_their_temporaries_do() -> None:
    def f(x: Any, y: Any) -> Any:
        found = x.transpose(2, 0, 1) * 1.5 - y
        return found, found.sum()

    inputs = np.random.default_rng(1).random((40, 30, 50)), np.random.default_rng(2).random((50, 40, 30))
    assert _seen(export(f, inputs).module(), inputs) == _seen(f, inputs)
    assert f(*inputs)[0].strides == (8, 12000, 400)


@pytest.mark.parametrize("order", "CF")
def test_inputs_in_other_orders_decide_the_temporarys(order: Any) -> None:
    def f(x: Any) -> Any:
        found = x + x.T * 2
        return found, found.sum()

    run = export(f, (LARGE,)).module()
    inputs = (np.array(LARGE, order=order),)
    assert _seen(run, inputs) == _seen(f, inputs)


@pytest.mark.parametrize("body", ["np.gradient(u) * v", "v + u.copy()", "np.sort(u) - v", "np.cumsum(u) * v"])
@pytest.mark.parametrize("example", [100, 40_000])
def test_a_temporary_of_the_other_order_of_bytes_leaves_it_to_the_result(body, example):
    program = function_of(f"def program(u, v): return {body}", {"np": np})
    run = export(program, (np.arange(float(example)).astype(">f8"), np.ones(example)), dynamic_shapes=({0: Dim.AUTO},) * 2).module()
    for size in (100, 32_767, 32_768, 40_000):
        args = np.arange(float(size)).astype(">f8"), np.ones(size)
        wanted = program(*args)
        try:
            found = run(*args)
        except InputMismatch:
            assert size != example
            continue
        assert found.dtype == wanted.dtype and np.array_equal(found, wanted)
