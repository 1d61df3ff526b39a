"""NumPy subtracts the limits of ``np.arange`` in their dtype, and wraps: programs hold for the sizes at which it does not."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export, load, save
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

RANGES: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "to one": (1, lambda x: np.arange(len(x), np.uint8(1))),
    "its length": (1, lambda x: len(np.arange(len(x), np.uint8(1)))),
    "where it wraps": (4, lambda x: np.arange(len(x), np.uint8(1))),
    "of bytes": (1, lambda x: np.arange(len(x), np.int8(100)).sum()),
    "from": (5, lambda x: np.arange(np.uint8(3), len(x))),
    "by": (5, lambda x: np.arange(0, len(x), np.uint8(3))),
    "down": (1, lambda x: np.arange(np.uint8(200), len(x), -1).shape),
    "of the widest": (1, lambda x: np.arange(len(x), np.int64(1))),
    "without a sign": (1, lambda x: np.arange(len(x), np.uint64(1))),
    "known": (2, lambda x: np.arange(np.uint8(3), np.uint8(1)) + len(x)),
    "of two": (2, lambda x: np.arange(np.int8(100), np.int8(-100)).size + len(x)),
    "of sizes": (1, lambda x: np.arange(np.uint8(len(x)), np.uint8(len(x) // 2))),
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges_are_as_long_as_numpys(name: str) -> None:
    example, program = RANGES[name]
    file = io.BytesIO()
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        exported = export(program, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO},))
        save(exported, file)
        file.seek(0)
        for run in (exported.module(), load(file).module()):
            compared = 0
            for size in (example, 0, 1, 2, 3, 4, 5, 110, 250):
                given = (np.ones(size),)
                try:
                    found = outcome(run, given)
                except InputMismatch:
                    assert size != example
                    continue
                assert found == outcome(program, given), size
                compared += 1
            assert compared


def test_truths_as_numbers_that_later_facts_decide_are_consistent() -> None:
    def program(x: Any) -> Any:
        more = int(len(x) > 2)
        return more, x[more:], np.array([more]), "long" if len(x) - 2 >= 1 else "short"

    for example in (4, 1):
        run = export(program, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO},)).module()
        compared = 0
        for size in range(7):
            try:
                found = outcome(run, (np.ones(size),))
            except InputMismatch:
                continue
            assert found == outcome(program, (np.ones(size),))
            compared += 1
        assert compared > 1


@pytest.mark.parametrize("side", ["zfill", "ljust", "rjust", "center"])
def test_widths_of_text_are_constants(side: str) -> None:
    def program(x: Any) -> Any:
        return getattr(np.strings, side)(np.array(["1", "a"]), len(x) + 1)

    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert outcome(run, (np.ones(3),)) == outcome(program, (np.ones(3),))
    with pytest.raises(InputMismatch):
        run(np.ones(4))


def test_indices_into_no_elements_raise_in_decomposed_programs() -> None:
    def program(x: Any) -> Any:
        return np.ravel_multi_index((0, len(x) // 2), x.shape, mode="clip")

    exported = export(program, (np.ones((4, 3)),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    for run in (exported.module(), exported.run_decompositions().module()):
        compared = 0
        for shape in ((4, 3), (3, 0), (0, 3), (1, 1), (5, 2)):
            try:
                found = outcome(run, (np.ones(shape),))
            except InputMismatch:
                continue
            assert found == outcome(program, (np.ones(shape),)), shape
            compared += 1
        assert compared >= 3
