"""What is said of sizes like ``4*k`` is told in terms of the input's size, not of a ``k`` that no input carries."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from npexport.symshapes import expr as E
from npexport.symshapes.derived_sources import DerivedSource, source_text
from npexport.symshapes.rewrite import as_congruence, evaluate
from tests.support.forms import reloaded

N = E.symbol("s0")
M = E.symbol("s1")
NAMES = [DerivedSource("x.shape[0]", a, b) for a, b in ((4, 0), (2, 1), (1, 3), (-1, 32), (-2, 9))]
ROWS = [
    (N >= 2, "x.shape[0] >= 8", "x.shape[0] >= 5"),
    (E.eq(N, 3), "x.shape[0] == 12", "x.shape[0] == 7"),
    (E.ne(N, 3), "x.shape[0] != 12", "x.shape[0] != 7"),
    (E.eq(N % 2, 0), "x.shape[0] % 8 == 0", "(x.shape[0] + 3) % 4 == 0"),
    (E.eq(4 * N, M), "x.shape[0] == m", "2*x.shape[0] == m + 2"),
    (N > M, "x.shape[0] >= 4*m + 4", "x.shape[0] >= 2*m + 3"),
    (E.eq(N // 3, 5), "(x.shape[0]//4)//3 == 5", None),
    (E.conjunction([N >= 2, N <= 5]), "x.shape[0] >= 8 and x.shape[0] <= 20", None),
    (E.eq(N * N, M), "(x.shape[0]//4)**2 == m", None),
]  # fmt: skip


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_text(row):
    truth, four, odd = ROWS[row]
    assert source_text(truth, {"s0": NAMES[0], "s1": "m"}) == four
    if odd is not None:
        assert source_text(truth, {"s0": NAMES[1], "s1": "m"}) == odd


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", range(len(ROWS)))
def test_the_text_says_the_same(row, name):
    truth = ROWS[row][0]
    shown = source_text(truth, {"s0": name, "s1": "m"}).replace(name.place, "n")
    for k in range(-4, 9):
        for m in (-3, 0, 1, 5, 12):
            assert eval(shown, {"n": name.a * k + name.b, "m": m}) == evaluate(truth, {"s0": k, "s1": m}), shown


def test_names_are_copied_whole():
    for name in NAMES:
        for same in (copy.copy(name), copy.deepcopy(name), pickle.loads(pickle.dumps(name))):
            assert same == name and (same.place, same.a, same.b) == (name.place, name.a, name.b)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (E.eq(N, N // 4 * 4), "s0 % 4 == 0"),
        (E.eq(N, N // 4 * 4 + 3), "s0 % 4 == 3"),
        (E.ne(2 * N, N // 3 * 6), "s0 % 3 != 0"),
        (E.eq((-N) % 3, 0), "s0 % 3 == 0"),
        (E.eq((N + M) // 2 * 2, N + M), "(s0 + s1) % 2 == 0"),
        (E.eq(N, M // 2 * 2), "s0 == 2*(s1//2)"),
    ],
)
def test_congruences(truth, expected):
    found = as_congruence(truth)
    assert str(found) == expected
    for n in range(-7, 15):
        for m in range(-3, 6):
            assert evaluate(found, {"s0": n, "s1": m}) == evaluate(truth, {"s0": n, "s1": m})


def test_violations_and_mismatches():
    k = Dim("k")
    with pytest.raises(ConstraintViolation) as caught:
        export(lambda x: x.reshape(x.shape[0] // 8, 8), (np.ones(8),), dynamic_shapes=({0: 4 * k},))
    assert "x.shape[0] is promised to be any size of 4*k of Dim('k'), but the program needs x.shape[0] % 8 == 0" in caught.value.msg
    assert "On the other side: x.shape[0] = 12," in caught.value.msg

    def f(x, y):
        return x + y.sum() if 2 * x.shape[0] > y.shape[0] ** 2 else y

    program = export(f, (np.ones(8), np.ones(3)), dynamic_shapes=({0: 4 * Dim("k", min=1)}, {0: Dim.AUTO}))
    for each in (program, reloaded(program)):
        assert [guard.text for guard in each.guards] == ["2*x.shape[0] > y.shape[0]**2"]
        assert str(each.guards[0]).partition(";")[0] == "2*x.shape[0] > y.shape[0]**2  # x.shape[0] = 8, y.shape[0] = 3"
        each.module()(np.ones(12), np.ones(4))
        with pytest.raises(InputMismatch, match=r"got x\.shape\[0\] = 12, y\.shape\[0\] = 5"):
            each.module()(np.ones(12), np.ones(5))


def test_three_promises_in_one_sentence():
    dims = [{0: Dim(name)} for name in "abc"]
    with pytest.raises(
        ConstraintViolation, match=r"y\.shape\[0\] and z\.shape\[0\] are promised to be any sizes of Dim\('a'\), Dim\('b'\) and"
    ):
        export(lambda x, y, z: np.concatenate([x, y]) + z, (np.ones(4), np.ones(3), np.ones(7)), dynamic_shapes=tuple(dims))


def halves(x, y):
    return x + y.reshape(-1, 2).sum(1)


@pytest.mark.parametrize(
    "spec",
    [(Dim("d"), Dim.AUTO), (Dim.AUTO, Dim.DYNAMIC), (Dim.DYNAMIC, 2 * Dim("k")), (Dim.AUTO, 4 * Dim("k")), (Dim("d"), 2 * Dim("d"))],
    ids=str,
)
def test_an_exact_quotient_is_a_multiple(spec):
    """``s0 == s1//2`` of an even ``s1`` is ``s1 == 2*s0``, whichever of the two a promise or another size is."""
    program = export(halves, (np.ones(4), np.ones(8)), dynamic_shapes=tuple({0: dim} for dim in spec))
    x, y = (str(node.meta["val"].shape[0]) for node in program.graph.placeholders)
    assert (x, y) in (("s0", "2*s0"), ("2*s1", "4*s1"))
    for n in (0, 2, 8):
        np.testing.assert_array_equal(program.module()(np.ones(n), np.arange(2.0 * n)), halves(np.ones(n), np.arange(2.0 * n)))
    with pytest.raises(InputMismatch):
        program.module()(np.ones(4), np.ones(9))


CUT = [
    lambda x: (x[:3], len(x[:3])),
    lambda x: (x[::2], len(x[::2]) + len(x)),
    lambda x: (np.pad(x[:3], (0, max(len(x[1:]) - 2, 0))), len(x[-2:])),
    lambda x: (x[: len(x) // 2], np.zeros(len(x[: len(x) // 2]) + len(x[2:])).shape),
]


@pytest.mark.parametrize("cut", range(len(CUT)))
@pytest.mark.parametrize(
    ("dim", "sizes"), [("d + 1", (6, 1, 2, 3, 9)), ("2 * d", (6, 0, 2, 4, 10)), ("3 * d - 2", (4, 1, 7)), ("20 - d", (6, 0, 20))]
)
def test_no_other_size_says_what_the_k_is(cut, dim, sizes):
    """Of ``min(d + 1, 3)`` no ``d`` can be told; only the input's own size is looked at."""
    fn = CUT[cut]
    run = export(fn, (np.arange(float(sizes[0])),), dynamic_shapes=({0: eval(dim, {"d": Dim("d")})},)).module()
    for n in sizes:
        actual, expected = run(np.arange(float(n))), fn(np.arange(float(n)))
        np.testing.assert_array_equal(actual[0], expected[0])
        assert actual[1] == expected[1], n
