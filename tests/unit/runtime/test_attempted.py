"""A call in a ``try`` is made once, and gives what it gives eagerly."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest

from npexport import export
from npexport.ir.op import REGISTRY
from npexport.runtime.emission import attempted
from tests.support.outcomes import outcome

SINGULAR = np.ones((3, 3))
REGULAR = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
MATRICES = {
    "regular": REGULAR,
    "singular": SINGULAR,
    "negative": -REGULAR,
    "nan": np.full((3, 3), np.nan),
    "inf": np.full((3, 3), np.inf),
    "huge": REGULAR * 1e307,
    "tiny": REGULAR * 5e-324,
}


def inverse(a):
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(np.nan_to_num(a))


def factor(a):
    try:
        lower = np.linalg.cholesky(a)
    except Exception:
        lower = a * 2
    return lower + 1


def spectrum(a):
    try:
        values, vectors = np.linalg.eigh(a)
    except np.linalg.LinAlgError as error:
        raise ValueError("no spectrum") from error
    return values, vectors


def twice(a):
    try:
        first = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        first = a.copy()
    first += 1
    try:
        second = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        second = a.copy()
    second *= first
    return first, second


def written(a):
    b = a.copy()
    try:
        x = np.linalg.solve(b, b)
    except np.linalg.LinAlgError:
        x = b.copy()
    b[0] = 7
    try:
        y = np.linalg.solve(b, b)
    except np.linalg.LinAlgError:
        y = b.copy()
    return x, y


def loop(a):
    x, total = a, 0.0
    while total < np.sign(a[0, 0]) * 3:
        try:
            x = np.linalg.inv(x)
        except np.linalg.LinAlgError:
            x = x * 0.5
        total = total + 1.0
    return x


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("f", [inverse, factor, spectrum, twice, written, loop], ids=lambda f: f.__name__)
def test_what_a_try_gives_is_what_it_gives_eagerly(f, name):
    module = export(f, (REGULAR,)).module()
    for _ in range(2):
        assert outcome(module, (MATRICES[name],), warns=True, memory=True) == outcome(f, (MATRICES[name],), warns=True, memory=True)


def test_the_call_is_made_once_where_it_raises_nothing():
    calls = []

    def kernel(a):
        calls.append(a)
        return a * 2

    def fails(a):
        calls.append(a)
        raise np.linalg.LinAlgError

    def meets(a):
        return np.log(a)

    graph, errors, a = (lambda a: (kernel(a),)), ("numpy.linalg.LinAlgError",), np.zeros(2)
    assert attempted.kept(kernel, graph, errors, (a,), a)[0] == 0
    assert len(calls) == 1
    assert attempted.kept(fails, lambda a: (fails(a),), errors, (a,), a) == (1, None)
    assert attempted.kept(meets, lambda a: (meets(a),), errors, (a,), a) == (0, None)  # the call itself warns


@pytest.mark.parametrize("f", [inverse, factor, spectrum], ids=lambda f: f.__name__)
def test_programs_keep_the_result(f, monkeypatch):
    found = []
    monkeypatch.setattr(attempted, "kept", lambda *args, **kwargs: found.append(args[0]) or (0, args[0](*args[4:], **kwargs)))
    export(f, (REGULAR.astype("f4"),)).module()(REGULAR.astype("f4"))
    assert len(found) == 1
    code = export(f, (REGULAR,)).module().code
    assert code.count("try:") == 2
    assert len(found) == 1


STATED = [op for op in REGISTRY if "own_state" in op.traits]


@pytest.mark.parametrize("op", STATED, ids=str)
@pytest.mark.parametrize("name", MATRICES)
def test_what_has_an_error_state_of_its_own_meets_no_errors(op, name):
    with np.errstate(all="ignore"):
        matrices = MATRICES[name], MATRICES[name] * 1j, MATRICES[name][None]
    count = sum(each.default is each.empty for each in op.signature.parameters.values())
    for matrix in matrices:
        with warnings.catch_warnings(), np.errstate(all="raise"), contextlib.suppress(np.linalg.LinAlgError):
            warnings.simplefilter("error")
            op.kernel(*[matrix] * count)
