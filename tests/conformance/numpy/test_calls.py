"""Calls of NumPy as users write them, with all sizes dynamic: what eager NumPy gives or raises, at
other sizes too, saved and loaded, and decomposed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.comparison import assert_alike, said
from tests.support.forms import reloaded

SIZES = (5, 0, 1, 9)
LETTERS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "x": lambda g, n: g.normal(size=n),
    "X": lambda g, n: g.normal(size=(n, 3)),
    "f": lambda g, n: g.normal(size=n).astype("f4"),
    "i": lambda g, n: g.integers(-5, 6, n),
    "p": lambda g, n: g.integers(0, 4, n),
    "u": lambda g, n: g.integers(0, 255, n).astype("u1"),
    "m": lambda g, n: g.integers(-9, 9, n).astype("m8[h]"),
    "d": lambda g, n: np.datetime64("2024-02-27") + g.integers(-400, 400, n).astype("m8[D]"),
    "N": lambda g, n: np.where(np.arange(n) % 3 == 1, np.datetime64("NaT", "D"), np.datetime64("2024-01-01") + np.arange(n)),
}

RECORDS = (
    ("x p", "np.array((x.sum(), p.sum()), dtype='f8,i8')"),
    ("x p", "np.array([(x.sum(), 1), (2, p.sum())], dtype='f8,i8')"),
    ("x p", "np.array([(x.sum(), 1, 'q')], dtype='f8,i8,U3')"),
    ("x p", "np.array([((x.sum(), p.sum()), x.sum())], dtype=[('p', [('x', 'f4'), ('y', 'i2')]), ('k', 'c16')])"),
    ("x p", "np.array([[(x.sum(), 1)], [(2, 3)]], dtype='f8,i8')"),
    ("x p", "np.array([(x.sum(), [1, 2])], dtype=[('a', 'f8'), ('b', 'i4', 2)])"),
    ("x p", "np.array([(x.sum() * 1e9, 1)], dtype='u1,i8')"),
    ("x p", "np.array([(p.sum() - 300, 1)], dtype='u1,i8')"),
    ("x p", "np.array([(x.sum(),)], dtype='f8,i8')"),
    ("x p", "np.array([[x.sum(), 1]], dtype='f8,i8')"),
    ("x p", "np.array([x, p], dtype='f8,i4')"),
    ("x p", "np.full(2, (x.sum(), 1), dtype='f8,i4')"),
    ("x p", "np.array([(len(x), x.sum() > 0)], dtype='i4,?')"),
    ("x p", "written(np.zeros(2, 'f8,i4'), 0, (x.sum(), p.sum()))"),
    ("x p", "written(np.zeros(2, 'f8,i4'), slice(None), (x.sum(), 3))"),
    ("x p", "written(np.zeros(2, 'f8,i4'), slice(None), [(x.sum(), 1), (2, p.sum())])"),
)
SPANS = (
    ("m", "m > np.timedelta64(0)"),
    ("m", "np.where(m > np.timedelta64(0), m, np.timedelta64(0))"),
    ("m", "np.clip(m, np.timedelta64(0), np.timedelta64(5))"),
    ("m", "m // np.timedelta64(2)"),
    ("m", "np.full(len(m), np.timedelta64(1))"),
    ("d", "d + np.timedelta64(1)"),
    ("N", "np.fmin(N, N[::-1])"),
    ("N", "np.fmax(N, N[::-1])"),
)
BOUNDS = (
    ("u", "np.clip(u, 10, 300)"),
    ("u", "np.clip(u, -5, None)"),
    ("u", "np.clip(u, 300, None)"),
    ("u", "np.clip(u, 0, 255)"),
)
NOTHING = (
    ("X", "np.argwhere(X > 0)"),
    ("X", "np.nanpercentile(X, 30, axis=0)"),
    ("f", "np.nanquantile(f, .3, keepdims=True)"),
    ("i", "np.nanpercentile(i, 30)"),
    ("X", "np.nanstd(X, ddof=1)"),
    ("X", "np.nanvar(X, ddof=5, axis=0)"),
)
ORDERS = (
    ("X", "np.einsum('ij,jk->ik', X, X.T, order='F')"),
    ("X", "np.einsum('ij,jk', X, X.T, order='A')"),
    ("X", "np.einsum('ij,kj->ik', X, X, order='F', optimize=True)"),
)


def written(records: Any, place: Any, value: Any) -> Any:
    records[place] = value
    return records


def given(names: str, size: int) -> list[Any]:
    return [LETTERS[name](np.random.default_rng(size), size) for name in names.split()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("names", "body"), [*RECORDS, *SPANS, *BOUNDS, *NOTHING, *ORDERS], ids=str)
def test_a_call_gives_what_numpy_gives(names: str, body: str) -> None:
    eager = eval(f"lambda {', '.join(names.split())}: {body}", {"np": np, "written": written})
    example = given(names, SIZES[0])
    shapes = tuple({0: Dim.AUTO} for _ in example)
    found = said(lambda: export(eager, tuple(copy.deepcopy(example)), dynamic_shapes=shapes))
    if isinstance(found, tuple):
        assert found == said(lambda: eager(*example))
        return
    for name, program in {"direct": found, "saved": reloaded(found), "decomposed": found.run_decompositions()}.items():
        run = program.module()
        for size in SIZES:
            arrays = given(names, size)
            try:
                have = said(lambda run=run, arrays=arrays: run(*arrays))
            except InputMismatch:
                assert size != SIZES[0]
                continue
            need = said(lambda arrays=arrays: eager(*arrays))
            if isinstance(need, tuple):
                assert have == need
            elif name == "decomposed" and need.dtype.kind == "f":
                assert (have.dtype, have.shape) == (need.dtype, need.shape)
                np.testing.assert_allclose(have, need, rtol=1e-14 if need.dtype == np.float64 else 1e-6)
            else:
                assert_alike(have, need, f"{body} {name} {size}")
