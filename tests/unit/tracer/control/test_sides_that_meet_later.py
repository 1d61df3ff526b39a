"""Sides that leave what cannot be one value, and meet where nobody reads it any more: equal to eager, saved, decomposed."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from tests.support.functions import function_of
from tests.support.outcomes import outcome

A = np.array([1.0, 2.0, 3.0])
DATA = [A, -A, A * 3, np.array([0.0, 1.0, -1.0]), np.array([-1.0, 4.0, 2.0]), np.array([np.nan, 1.0, 2.0]), np.zeros(3)]


def chosen(c, *arrays):
    if np.all(c):
        return [np.broadcast_to(a, c.shape).ravel() for a in arrays]
    return [a if np.size(a) == 1 else np.extract(c, a) for a in arrays]


def density(x):
    c = x > 0
    out = np.zeros(x.shape)
    if np.any(c):
        args = chosen(c, x, np.asarray(2.0))
        scale, args = args[-1], args[:-1]
        np.place(out, c, np.exp(-args[0] / scale) / scale)
    return out


def lengths(x):
    c = x > 0
    y = x * 1 if c.all() else x[c]
    return y.sum(), len(y)


def orthogonal(x):
    m = np.stack([x, x * 2, np.ones(3)], axis=1)
    q = np.zeros((3, 3))
    for j in range(3):
        v = m[:, j] - q @ (q.T @ m[:, j])
        n = np.sqrt((v * v).sum())
        q[:, j] = v / n if n > 1e-9 else 0
    return q


def nothing_or_array(x):
    w = x * 2 if x[0] > 0 else None
    if w is None:
        total = x.sum()
    else:
        total = w.max()
    return total + 1


def texts(x):
    kind = "max" if x[0] > 1 else "min"
    return getattr(np, kind)(x)


def in_iterations(x):
    found = np.zeros(3)
    for i in range(3):
        part = x[i:] if x[i] > 1 else x[0]
        found[i] = np.sum(part)
    return found * 2


def two_in_a_row(x):
    a = x[1:] if x[0] > 0 else x[:1]
    b = x[2:] * 3 if x[1] > 1 else x
    return a.sum() - b.sum()


def of_elif(x):
    if x[0] > 1:
        y = 0
    elif x[0] > 0:
        y = x[1:]
    else:
        y = x
    return np.sum(y) * 1.0


def written(x):
    y = x if x[0] > 0 else x[1:]
    y[0] = 7.0
    return x.sum()


def within_an_expression(x):
    return np.add((x[:2] if x[0] > 0 else x).sum(), (x if x[1] > 0 else 2.0) * np.ones(3))


def a_side_raises(x):
    y = x[1:] if x[0] > 0 else 1.0
    if np.sum(y) > 4:
        raise ValueError("too much")
    return np.sum(y) * x


def callee(x, least):
    return x[least:] if x[least] > 1 else 0.0


def through_callees(x):
    a = np.mean(callee(x, 0))
    b = callee(x, 1)
    return a + np.mean(b)


def truth_or_number(x):
    k = True if x[0] > 0 else 1
    return k + 1


def unbound(x):
    if x[0] > 0:
        y = x * 2
    return y


PROGRAMS = [
    truth_or_number,
    unbound,
    density,
    lengths,
    orthogonal,
    nothing_or_array,
    texts,
    in_iterations,
    two_in_a_row,
    of_elif,
    written,
    within_an_expression,
    a_side_raises,
    through_callees,
]
DYNAMIC = [density, lengths]


@pytest.mark.parametrize("function", PROGRAMS)
def test_equals_eager(function, tmp_path):
    program = export(function, (A,))
    save(program, tmp_path / "program.np2")
    for each in (program, load(tmp_path / "program.np2"), program.run_decompositions()):
        run = each.module()
        for x in DATA:
            assert outcome(run, (x.copy(),)) == outcome(function, (x.copy(),))


@pytest.mark.parametrize("function", DYNAMIC)
def test_equals_eager_at_other_sizes(function):
    run = export(function, (A,), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    for x in (*DATA, np.arange(-2.0, 5.0), np.ones(9)):
        assert outcome(run, (x,)) == outcome(function, (x,))


def test_many_that_last_stay_linear():
    """What both sides did would double with each."""
    body = "".join(f"    y{i} = x[{i % 3}:] if x[0] > {i} else 0.0\n" for i in range(12))
    f = function_of(f"def f(x):\n{body}    return {' + '.join(f'np.sum(y{i})' for i in range(12))}\n", {"np": np})
    program = export(f, (A,))
    run = program.module()
    assert len(str(program)) < 100_000
    for x in (*DATA, A + 8):
        assert outcome(run, (x,)) == outcome(f, (x,))


def test_what_stands_between_is_named_where_it_is_refused():
    def f(x):
        y = x[1:] if x[0] > 0 else 1.0
        return zlib.crc32(y)

    with pytest.raises(ExportError) as caught:
        export(f, (A,))
    assert caught.value.code == "E104", str(caught.value)


def test_a_list_may_be_longer_on_one_side():
    def f(x):
        found = []
        if x[0] > 2:
            found.append(x[0])
        return np.array(found)

    module = export(f, (A,)).module()
    for data in (A, A + 5, -A):
        assert repr(module(data)) == repr(f(data))


def _a_pinned_length(x: Any) -> Any:
    kept = x[x > 0]
    if len(kept) == 4:
        return kept[:4] + x[:4]
    return x[:4]


def _a_bounded_length(x: Any) -> Any:
    kept = x[x > 0]
    if len(kept) > 2:
        return kept[:3] * 2
    return x[:3]


@pytest.mark.parametrize("program", [_a_pinned_length, _a_bounded_length])
def test_what_a_side_knows_of_a_length_holds_in_its_graph(program: Any) -> None:
    x = np.arange(-2.0, 6.0)
    run = export(program, (x,)).module()
    for given in (x, x - 1, x + 1, x + 5, -x):
        np.testing.assert_array_equal(run(given), program(given))


def in_another_order(x):
    z = np.outer(x, x + 1)
    if x[0] > 0:
        z = np.asfortranarray(z)
    return z.sum(axis=0), z.mean(), (z * 3).sum(axis=1), z.ravel("K")


def transposed(x):
    z = np.outer(x, x + 1)
    if x[0] > 0:
        z = z.T
    return z.sum(axis=0), z.mean(), (z * 3).sum(axis=1)


def in_one_order(x):
    z = np.outer(x, x + 1).T
    if x[0] > 0:
        z = z * 2
    if x[1] > 0:
        z = np.asfortranarray(z + x)
    return z.sum(axis=0), z.mean(), (z * 3).sum(axis=1), z


@pytest.mark.parametrize("f", [in_another_order, transposed, in_one_order])
def test_arrays_in_another_order_in_memory_are_summed_in_it(f):
    run = export(f, (np.ones(200),)).module()
    data = np.random.default_rng(0).random(200)
    for x in (data, -data):
        for found, expected in zip(run(x), f(x), strict=True):
            np.testing.assert_array_equal(found, expected)
            assert found.strides == expected.strides


def test_arrays_in_another_order_are_not_returned_as_one():
    f = lambda x: np.asfortranarray(np.outer(x, x)) if x[0] > 0 else np.outer(x, x)  # noqa: E731
    run = export(f, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3)):
        assert run(x).strides == f(x).strides
        np.testing.assert_array_equal(run(x), f(x))
