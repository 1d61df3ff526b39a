"""Operators of users of every kind of parameter and result, wherever a program calls them: sizes, forms and processes."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

import npexport
from npexport import Dim, cond, custom_op, export, load, opaque, save, scan, while_loop
from npexport import map as over_rows
from tests.support.custom_ops import Ends
from tests.support.paths import ROOT


def declare():
    @custom_op("everywhere::kinds")
    def kinds(
        x: np.ndarray,
        ys: list[np.ndarray],
        i: int,
        f: float = 1.5,
        *,
        b: bool = False,
        s: str = "a",
        o: int | None = None,
        z: np.ndarray | None = None,
    ) -> np.ndarray:
        r = x * i + f + sum(y.sum() for y in ys)
        if b:
            r = -r
        if s == "b":
            r = r * 2
        if o is not None:
            r = r + o
        if z is not None:
            r = r + z.sum()
        return r

    @kinds.register_fake
    def _(x, ys, i, f, *, b, s, o, z):
        return np.empty(x.shape, x.dtype)

    @custom_op("everywhere::pair")
    def pair(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x.sum(0), np.cumsum(x, 0)

    @pair.register_fake
    def _(x):
        return np.empty(x.shape[1:], x.dtype), np.empty_like(x)

    @custom_op("everywhere::acc", mutates_args=("x",))
    def acc(x: np.ndarray, by: float) -> None:
        x += by

    @acc.register_fake
    def _(x, by):
        return None

    @custom_op("everywhere::pos")
    def pos(x: np.ndarray) -> np.ndarray:
        return x[x > 0]

    @pos.register_fake
    def _(x):
        return np.empty(npexport.new_size(max=x.size), x.dtype)

    @custom_op("everywhere::ranges")
    def ranges(x: npt.NDArray[np.float64], axis: tuple[int, ...] = (0,), dtype: np.dtype = FLOATS) -> dict[str, np.ndarray]:
        return {"low": x.min(axis=axis).astype(dtype), "high": x.max(axis=axis)}

    @ranges.register_fake
    def _(x, axis, dtype):
        given = x.shape[1:] if axis == (0,) else ()
        return {"low": np.empty(given, dtype), "high": np.empty(given)}

    @custom_op("everywhere::ends", mutates_args=("x",))
    def ends(x: np.ndarray, part: tuple[int, float], mode: Literal["a", "b"] = "a") -> Ends:
        x += part[1]
        return Ends(x[part[0]].copy(), x[-1] * len(mode))

    @ends.register_fake
    def _(x, part, mode):
        return Ends(np.empty(x.shape[1:]), np.empty(x.shape[1:]))

    @custom_op("everywhere::rows")
    def rows(x: np.ndarray, places: Sequence[int]) -> list[np.ndarray]:
        return [x[place].copy() for place in places]

    @rows.register_fake
    def _(x, places):
        return [np.empty(x.shape[1:]) for _ in places]

    return kinds, pair, acc, pos, ranges, ends, rows


FLOATS = np.dtype(float)
kinds, pair, acc, pos, ranges, ends, rows = declare()


def ranged(x, axis):
    """Of a library: it gives what `opaque` is told of, lists and dicts within one another."""
    low, high = np.min(x, axis), np.max(x, axis)
    return [Ends(low, high), {"middle": (low + high) / 2}]


opaque(
    ranged,
    lambda x, axis: [Ends(np.empty(x.shape[1:]), np.empty(x.shape[1:])), {"middle": np.empty(x.shape[1:])}],
    name="everywhere::ranged",
)


def keywords(x, n):
    return kinds(x, [x, x[:1]], n, b=True, s="b")


def absent_and_present(x, n):
    return kinds(x, [], i=n, o=3, z=x[0])


def results_are_written(x, n):
    a, b = pair(x)
    b[0] = 7
    return a, b, x


def views_are_mutated(x, n):
    y = x.copy()
    acc(y[1:], 2.0)
    acc(x[:, 0], 1.0)
    return y


def inputs_are_mutated_on_a_side(x, n):
    if x.sum() > 0:
        acc(x, 2.0)
    else:
        acc(x[1:], 1.0)
    y = x.copy()
    for row in y:
        if row[0] > 0:
            acc(row, 3.0)
    return y


def sizes_of_data(x, n):
    return pos(x), pos(x).sum(), len(pos(x.ravel()))


def branch_on_data(x, n):
    s = x.sum()
    if s > 0:
        x = kinds(x, [], 2)
    else:
        x = pair(x)[1]
    return x


def in_scan(x, n):
    return scan(lambda c, r: (c + pair(x)[0], kinds(r, [c], 1)), np.zeros(x.shape[1]), x)


def in_map(x, n):
    return over_rows(lambda r: kinds(r, [r], 2, s="b"), x)


def in_comprehension(x, n):
    out = []
    for i in range(n):
        out.append(kinds(x[i], [x], i))
    return out


def in_cond(x, n):
    return cond(x.sum() > 0, lambda v: pair(v)[0], lambda v: v.sum(0) * 2, (x,))


def in_while_loop(x, n):
    return while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, kinds(v, [], 1)), (0, x))


def dicts_and_dtypes(x, n):
    found = ranges(x)
    found["low"] += 1
    return found, [*ranges(x, (0, 1), np.float32).values()], ranges(x, [0], "f4")["low"].dtype.itemsize


def named_results(x, n):
    found = ends(x, (1, 2.0))
    return found, found.first + ends(x, (0, 1), mode="b").last, isinstance(found, Ends), x


def lists_of_results(x, n):
    found = rows(x, [0, n - 1, -1])
    found.append(x[0] * 2)
    return found


def containers_of_a_library(x, n):
    bounds, rest = ranged(x, 0)
    rest["more"] = bounds.first
    return ranged(x, 0), bounds.last + rest["middle"], rest


def containers_on_a_side(x, n):
    return ranges(x)["high"] if x.sum() > 0 else ranged(x, 0)[0].first


def sum_over_rows(x, n):
    total = 0.0
    for row in x:
        p = pos(row)
        total = total + p.sum()
    return total


def numbers_of_data(x, n):
    return kinds(x, ys=[], i=int(x.shape[0]), f=float(x[0, 0]))


PROGRAMS = (
    keywords,
    absent_and_present,
    results_are_written,
    views_are_mutated,
    inputs_are_mutated_on_a_side,
    sizes_of_data,
    branch_on_data,
    in_scan,
    in_map,
    in_comprehension,
    in_cond,
    in_while_loop,
    sum_over_rows,
    numbers_of_data,
    dicts_and_dtypes,
    named_results,
    lists_of_results,
    containers_of_a_library,
    containers_on_a_side,
)
SHAPES = ((3, 4), (5, 2), (2, 3))


def shown(value):
    if isinstance(value, (list, tuple, dict)):
        return type(value).__name__, [shown(item) for item in (value.items() if isinstance(value, dict) else value)]
    return type(value).__name__, getattr(value, "dtype", None), np.shape(value), np.asarray(value).tobytes()


def given(shape):
    return np.random.default_rng(list(shape)).normal(size=shape).round(2)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_do_what_eager_calls_do(program, dynamic):
    shapes = {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "n": None} if dynamic else None
    exported = export(program, (given(SHAPES[0]), 2), dynamic_shapes=shapes)
    for shape in SHAPES if dynamic else SHAPES[:1]:
        for form in (exported, exported.run_decompositions()):
            theirs, ours = given(shape), given(shape)
            assert shown(form.module()(ours, 2)) == shown(program(theirs, 2))
            np.testing.assert_array_equal(ours, theirs)


def test_all_of_them_load_in_a_fresh_process(tmp_path):
    for program in PROGRAMS:
        save(export(program, (given(SHAPES[0]), 2)), tmp_path / f"{program.__name__}.np2")
    run = subprocess.run([sys.executable, "-m", __name__, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    assert run.stdout.splitlines() == [repr(shown(program(given(SHAPES[0]), 2))) for program in PROGRAMS]


if __name__ == "__main__":
    for each in PROGRAMS:
        print(repr(shown(load(f"{sys.argv[1]}/{each.__name__}.np2").module()(given(SHAPES[0]), 2))))
