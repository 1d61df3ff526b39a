"""What memory holds where a call raises that was to write to it: all of it, some elements, or none, as NumPy has it."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.forms import FORMS
from tests.support.functions import function_of
from tests.support.shards import shard

TRAPPED = [
    "np.divide(1.0, x, out=x)",
    "np.sqrt(x - 2, out=y)",
    "np.sqrt(x - 2, out=y[::-1])",
    "np.sqrt(x - 2, out=y, where=x < 3)",
    "np.divmod(y, x, out=(x, y))",
    "x /= x - 2",
    "x.reshape(2, 2).T[...] /= x.reshape(2, 2)[0] + 0",
    "z[:] = y / (x + 1e-320)",
    "z[::2] = np.log(x * 0 + 1e300)[:2] * 1e300 * x[:2]",
    "np.copyto(z, 1e300 / (x + 1e-9), casting='unsafe')",
    "np.cumsum(x * 5e307, out=y)",
    "np.add.accumulate(x * 5e307, out=x)",
    "np.sum(x * 5e307, axis=0, keepdims=True, out=y[:1])",
    "np.mean(x * 5e307, axis=0, keepdims=True, out=y[:1])",
    "np.multiply.at(x, [0, 0, 1], 1e200)",
    "np.matmul(x.reshape(2, 2), x.reshape(2, 2) * 1e308, out=y.reshape(2, 2))",
]
STEPWISE = [
    "np.put(a, i, v)",
    "np.put(a[1:], i, v)",
    "np.put(a[::2], i, v)",
    "a.put(i, v)",
    "a.flat[i] = v",
    "a[::-1].flat[i] = v",
    "a.reshape(2, 2).T.flat[i] = v",
    "a[i] = v",
    "np.add.at(a, i, v)",
    "np.put_along_axis(a, i, v, 0)",
    "np.power.at(a, [0, 1, 2], i)",
    "a[:3] **= i",
    "np.power(2, i, out=a[:3])",
    "np.power(a[:3], i, out=a[:3])",
    "np.power(a[:3], i, out=a[:3], where=v > 0)",
    "a[:3] = t",
    "a[::2] = t[1:]",
    "a.reshape(2, 2)[:, 0] = t[:2]",
    "np.copyto(a[1:], t, casting='unsafe')",
    "b.fill(int(a[0] * i[1]))",
    "b[:] = [int(a[0] * i[1])] * 4",
    "b[1:] = int(a[0] * i[1])",
]
BEFORE = ("pass", "x += 1; a += 1; b[0] = 7", "w = a * 2; a += w; u = x + 1; x[...] = u")
AFTER = ("pass", "x += 5; a += 5", "r = w0 + a + x")
SOUND = {"x": [3.0, 4.0, 5.0, 6.0], "y": [1.0, 2.0, 3.0, 4.0], "z": [0, 0, 0, 0], "a": [2, 3, 4, 5], "b": [1, 1, 1, 1]} | {
    "i": [0, 1, 1], "v": [7, 8, 9], "t": ["1", "2", "3"],
}  # fmt: skip
DTYPES = {"z": np.float32, "b": np.int8}
OTHERS = (
    {},
    {"x": [0.0, 2.0, 5.0, -7.0], "i": [0, 99, 1], "t": ["5", "q", "3"]},
    {"x": [-1.0, 1.0, 0.0, 2.0], "i": [2, -99, 1], "t": ["5", "3", "q"]},
    {"x": [1e-300, 1e300, 3.0, 2.0], "i": [2, 2, -77], "t": ["w", "q", "3"]},
    {"x": [np.inf, -np.inf, np.nan, 1.0], "i": [1, 0, 77]},
)


def program(lines: list[str]) -> Any:
    return function_of(
        "def f(x, y, z, a, b, i, v, t):\n    " + "\n    ".join(["w0 = a * 3", "r = 0", *lines, "return x, y, z, a, b, r"]), {"np": np}
    )


def arguments(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: np.array(value, DTYPES.get(name)) for name, value in (SOUND | changes).items()}


def outcome(f: Any, changes: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The result or the exception, and what is in the arguments then."""
    given = arguments(changes)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f(**given), given
        except (FloatingPointError, ValueError, IndexError, OverflowError) as error:
            return (type(error), str(error)), given


@pytest.mark.parametrize(("write", "form"), shard(itertools.product([*TRAPPED, *STEPWISE], FORMS), 3))
def test_a_write_that_fails_leaves_what_numpy_leaves(write: str, form: str) -> None:
    raised = 0
    for before in BEFORE:
        for after in AFTER if form == "exported" or before == "pass" else AFTER[:1]:
            trapped = [f"with np.errstate(all='raise'): {write}"] if write in TRAPPED else [write]
            f = program([before, *trapped, after])
            with np.errstate(all="ignore"):
                module = FORMS[form](export(f, (), arguments({}))).module()
            for changes in OTHERS:
                wanted, found = outcome(f, changes), outcome(module, changes)
                np.testing.assert_equal(found, wanted, err_msg=f"{before} | {after} | {changes}")
                raised += isinstance(wanted[0][0], type)
    assert raised


def test_memory_that_no_caller_sees_is_computed_once() -> None:
    def local(x: Any) -> Any:
        y = x * 2
        with np.errstate(all="raise"):
            np.sqrt(y, out=y)
        return y

    names = [node.name for node in export(local, (np.ones(3),)).graph.nodes]
    assert "sqrt" not in names and not any(name.startswith("left") for name in names)


@pytest.mark.parametrize(
    "write",
    [
        "np.sqrt(x[1:], out=x[:-1])",
        "x[1:] /= x[:-1]",
        "np.add.reduce(x.reshape(2, 2), axis=0, out=x[:2])",
        "np.power(a[:3], i, out=a[1:])",
    ],
)
def test_a_write_that_fails_and_may_be_to_a_copy_is_refused(write: str) -> None:
    with pytest.raises(ExportError, match="E120"):
        export(program([f"with np.errstate(all='raise'): {write}"]), (), arguments({}))


def put_on_one_side(u, x, i):
    if x.sum() > 0:
        u.put([0, 1], [5, 6])
    return u


def put_at_data_on_one_side(u, x, i):
    if x.sum() > 0:
        u.put(i, [5, 6])
    return u


def put_to_one_of_two(u, x, i):
    q = u if x.sum() > 0 else x
    q.put([0, 1], [5, 6])
    return u * 2


@pytest.mark.parametrize("f", [put_on_one_side, put_at_data_on_one_side, put_to_one_of_two], ids=lambda f: f.__name__)
def test_elements_that_are_put_before_a_place_that_is_not_there_are_not_lost(f: Any) -> None:
    sizes = {"u": {0: Dim.AUTO}, "x": {0: Dim.AUTO}, "i": None}
    try:
        run = export(f, (np.arange(4.0), np.ones(4), np.array([0, 1])), dynamic_shapes=sizes).module()
    except ExportError as refusal:
        assert refusal.code == "E103"
        assert f is put_at_data_on_one_side
        return
    for n, sign in itertools.product((2, 5), (1, -1)):
        results = [(g(u := np.arange(float(n)), x := np.ones(n) * sign, np.array([0, 1])), u, x) for g in (f, run)]
        np.testing.assert_equal(results[1], results[0])
    with pytest.raises(InputMismatch, match="at least 2, got 1"):
        run(np.zeros(1), np.ones(1), np.array([0, 1]))


NUMBERS = [
    "np.full(3, n, 'i1')", "np.full_like(s, n)", "np.where(s > 1, s, n)", "np.clip(s, 0, n)",
    "np.array(n, dtype='i1')", "np.array([n, 1], dtype='i1')", "np.pad(s, 1, constant_values=n)", "np.insert(s, 1, n)",
    "np.max(s, initial=n)", "np.maximum.reduce(s, initial=n)", "np.fill_diagonal(np.zeros((3, 3), 'i1'), n)",
    "np.round(s, n)", "np.ldexp(s.astype('f4'), n)", "np.zeros(2, 'i1').fill(n)", "np.zeros(2, 'i1').__setitem__(0, n)",
    "np.put(np.zeros(2, 'i1'), 0, n)", "np.putmask(np.zeros(2, 'i1'), [True, False], n)", "np.copyto(np.zeros(2, 'i1'), n)",
]  # fmt: skip


@pytest.mark.parametrize("number", ["int(y[0])", "int(k[0])", "float(y[0])"])
@pytest.mark.parametrize("call", NUMBERS)
def test_a_number_that_does_not_fit_raises_though_nobody_uses_the_result(call: str, number: str) -> None:
    """``number``: of Python, which only the data know."""
    if number.startswith("float") and call.startswith(("np.round", "np.ldexp", "np.where", "np.clip", "np.full", "np.copyto")):
        number = "int(y[0])"  # floats are cast there, or never
    f = function_of(f"def f(s, y, k):\n    n = {number}\n    s[2] = 9\n    {call}\n    return s + 1", {"np": np})
    module = export(f, (np.array([1, 2, 3], "i1"), np.array([5.0]), np.array([5]))).module()
    raised = 0
    for data in (5, 2**40, -(2**40), np.nan, np.inf):
        given = [(np.array([1, 2, 3], "i1"), np.array([float(data)]), np.array([data if type(data) is int else 5])) for _ in range(2)]
        found = []
        for run, args in zip((f, module), given, strict=True):
            try:
                found.append(run(*args).tolist())
            except (OverflowError, ValueError) as error:
                found.append((type(error), str(error)))
        assert found[0] == found[1]
        np.testing.assert_array_equal(*[args[0] for args in given])
        raised += isinstance(found[0], tuple)
    assert raised or call.startswith("np.where")  # which NumPy 2.4 lets wrap around
