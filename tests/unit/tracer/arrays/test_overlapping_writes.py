"""Writes that overlap what they read: what this very NumPy gives, also where it misses the overlap; or a refusal."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export

N = 12
SLICES = [slice(a, b, c) for a in (None, 1, 5, 11) for b in (None, 4, 7) for c in (1, 2, 3, -1)]


def _assigned(x: Any, put: Any, taken: Any) -> None:
    x[put] = x[taken]


def _copied(x: Any, put: Any, taken: Any) -> None:
    np.copyto(x[put], x[taken])


def _masked(x: Any, put: Any, taken: Any) -> None:
    np.copyto(x[put], x[taken], where=np.arange(len(x[put])) % 3 != 1)


def _viewed(x: Any, put: Any, taken: Any) -> None:
    x.reshape(3, 4).reshape(-1)[put][...] = x[None, :][0, taken]


def _added(x: Any, put: Any, taken: Any) -> None:
    x[put] += x[taken]


STEPS: list[Callable[[Any, Any, Any], None]] = [_assigned, _copied, _masked, _viewed, _added]


def pairs() -> list[tuple[slice, slice]]:
    """Slices of as many elements, that have some in common."""
    places = np.arange(N)
    return [
        (put, taken)
        for put, taken in itertools.product(SLICES, SLICES)
        if len(places[put]) == len(places[taken]) > 1 and np.intersect1d(places[put], places[taken]).size
    ]


@pytest.mark.parametrize("dtype", ["f8", "S3"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_overlapping_copies_are_numpys(step: Any, dtype: str) -> None:
    """Many writes in one program, each of its own copy: to an input, and to memory of the program's own."""
    if dtype == "S3" and step is _added:
        dtype = "i4"
    found = pairs()

    def f(x: Any) -> Any:
        results = []
        for put, taken in found:
            y = x.copy()
            step(y, put, taken)
            results.append(y)
        return results

    x = np.arange(N).astype(dtype)
    for want, got, pair in zip(f(x), export(f, (x,)).module()(x), found, strict=True):
        np.testing.assert_array_equal(got, want, err_msg=str(pair))


def test_inputs_and_state() -> None:
    class Delay:
        def __init__(self) -> None:
            self.line = np.arange(16.0)

        def __call__(self, x: Any) -> Any:
            self.line[::2] = self.line[:8]
            x[::3] = x[2:8]
            return self.line + x

    eager, module = Delay(), export(Delay(), (np.arange(16.0),)).module()
    for _ in range(3):
        mine, theirs = np.arange(16.0), np.arange(16.0)
        np.testing.assert_array_equal(module(theirs), eager(mine))
        np.testing.assert_array_equal(theirs, mine)


def _dynamic(x: Any) -> Any:
    x[::2] = x[: (len(x) + 1) // 2]
    return x


def _elements(x: Any) -> Any:
    x.view("f4")[: len(x)] = x
    return x


def _unknown_mask(x: Any) -> Any:
    np.copyto(x[::2], x[:6], where=x[6:] > 2)
    return x


def _diagonal(x: Any) -> Any:
    y = x[:9].reshape(3, 3)
    np.fill_diagonal(y, y.diagonal()[::-1])
    return x


@pytest.mark.parametrize("f", [_dynamic, _elements, _unknown_mask, _diagonal])
def test_what_is_not_known_is_refused(f: Any) -> None:
    shapes = {"x": {0: Dim("n", min=2)}} if f is _dynamic else None
    with pytest.raises(Unsupported) as caught:
        export(f, (np.arange(float(N)),), dynamic_shapes=shapes)
    assert caught.value.code == "E120"


def test_steps_of_one_length_have_any_size() -> None:
    def f(x: Any) -> Any:
        x[1:] = x[:-1]
        x[:-2] = x[2:]
        return x

    module = export(f, (np.arange(6.0),), dynamic_shapes={"x": {0: Dim("n", min=3)}}).module()
    for size in (3, 4, 9):
        np.testing.assert_array_equal(module(np.arange(float(size))), f(np.arange(float(size))))


@pytest.mark.parametrize("write", [_assigned, _copied])
def test_texts_are_eager_or_refused(write: Any) -> None:
    """NumPy frees the text of an element that it writes, and may read that afterwards."""
    words, found = np.array(list("abcdefghijkl"), np.dtypes.StringDType()), Counter[str]()
    for put, taken in itertools.product(SLICES, SLICES):
        expected = words.copy()
        try:
            write(expected, put, taken)
        except ValueError:
            continue  # of other lengths
        try:
            exported = export(lambda x, put=put, taken=taken: write(x, put, taken), (words.copy(),))
        except Unsupported as refusal:
            found[refusal.code] += 1
            continue
        x = words.copy()
        exported.module()(x)
        assert x.tolist() == expected.tolist(), (put, taken)
        found["equal"] += 1
    assert found["equal"] > 40 and found["E120"] > 20 and len(found) == 2, found
