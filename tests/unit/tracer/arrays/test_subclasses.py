"""Subclasses of ndarray: arrays mapped from files are arrays, wherever they come from; others are refused with what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export, frame_hook

X = np.array([1.0, np.nan, 2.0])


class Holder:
    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return x[1:] + self.w[:-1]


@pytest.fixture
def mapped(tmp_path: Path) -> Any:
    np.save(tmp_path / "w.npy", np.arange(3.0))
    return np.load(tmp_path / "w.npy", mmap_mode="r")


def test_mapped_arrays_are_arrays(mapped: Any) -> None:
    def global_like(x: Any) -> Any:
        return x * mapped

    for program in (Holder(mapped), global_like):
        run = export(program, (np.ones(3),)).module()
        np.testing.assert_array_equal(run(np.ones(3)), program(np.ones(3)))
        np.testing.assert_array_equal(run(mapped), program(mapped))


def test_mapped_arrays_are_inputs(mapped: Any) -> None:
    program = export(lambda x, rest: {"sum": x.sum(), "rest": rest[0] + x}, (mapped, [mapped]))
    for x in (mapped, np.ones(3)):
        found = program.module()(x, [x])
        assert found["sum"] == x.sum() and (found["rest"] == x + x).all()
    with pytest.raises(ValueError, match="read-only"):
        export(lambda x: x.fill(0), (mapped,))


MASKED = "np.where(valid, x, fill)"
SUBCLASSES = {
    "masked_invalid": (lambda x: np.ma.masked_invalid(x).mean(), MASKED),
    "masked array": (lambda x: np.ma.array(x, mask=[0, 1, 0]).sum(), MASKED),
    "masked function": (lambda x: np.ma.sqrt(x), MASKED),
    "masked zeros": (lambda x: np.ma.zeros(3) + x, MASKED),
    "masked": (lambda x: np.ma.masked, MASKED),
    "view": (lambda x: x.view(np.ma.MaskedArray), MASKED),
    "matrix": (lambda x: np.matrix(x), "x @ y"),
    "matrix of known data": (lambda x: np.unique(np.matrix([[1, 2]])), "x @ y"),
    "recarray": (lambda x: np.rec.fromarrays([x, x], names="a,b").a, "x['field']"),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("program, hint", SUBCLASSES.values(), ids=SUBCLASSES)
def test_other_subclasses_are_refused(program: Any, hint: str) -> None:
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    called_back = frame_hook() == "settrace" and caught.value.code == "E119"  # C calls Python of the class before there is an array
    assert called_back or (caught.value.code == "E101" and hint in caught.value.hint)


def test_masks_constants_are_refused_where_they_are_used() -> None:
    with pytest.raises(ExportError) as caught:
        export(lambda x: np.array([1.0, np.ma.masked]) + x[:2], (X,))
    assert caught.value.code == "E118"
    assert MASKED in caught.value.hint


def test_what_asks_for_masks_of_plain_arrays_is_exported() -> None:
    def program(x: Any) -> Any:
        return np.ma.isMaskedArray(x), np.ma.getmask(x) is np.ma.nomask, np.ma.getdata(x)

    np.testing.assert_equal(export(program, (X,)).module()(X), program(X))
