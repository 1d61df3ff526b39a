"""Views by explicit strides, of views whose place depends on sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from npexport import Dim, ExportError, export


def _windows_of_the_rest(x: Any) -> Any:
    return as_strided(x[1:], shape=(3, len(x) - 4), strides=(8, 8)).copy()


def _backwards_from_the_last(x: Any) -> Any:
    step = x.strides[0]
    return as_strided(x[len(x) - 1 :], shape=(len(x),), strides=(-step,)).copy()


def _toeplitz(x: Any) -> Any:
    both = np.concatenate([x[:0:-1], x])
    step = both.strides[0]
    return as_strided(both[len(x) - 1 :], shape=(len(x), len(x)), strides=(-step, step)).copy()


def _of_a_transposed_part(x: Any) -> Any:
    table = x.reshape(-1, 1) * np.arange(4.0)
    rows, columns = table.strides
    return as_strided(table[1:, 2:].T, shape=(2, len(x) - 1), strides=(columns, rows)).copy()


def _of_reversed(x: Any) -> Any:
    back = x[::-1]
    step = back.strides[0]
    return as_strided(back, shape=(len(x),), strides=(step,)).copy(), as_strided(back[2:], shape=(len(x) - 2,), strides=(step,)).copy()


def _of_an_item(x: Any) -> Any:
    table = np.outer(x, x)
    return as_strided(table[-2], shape=(2, len(x)), strides=table.strides).copy()


def _of_the_last(x: Any) -> Any:
    return as_strided(x[-3:, None], shape=(3, 2), strides=(8, 0)).copy()


PROGRAMS: tuple[Callable[[Any], Any], ...] = (
    _windows_of_the_rest,
    _backwards_from_the_last,
    _toeplitz,
    _of_a_transposed_part,
    _of_reversed,
    _of_an_item,
    _of_the_last,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_strided_views_of_parts_that_sizes_place(program: Callable[[Any], Any]) -> None:
    run = export(program, (np.arange(9.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (5, 6, 9, 12):
        np.testing.assert_array_equal(
            np.concatenate(run(np.arange(1.0 * size)), None), np.concatenate(program(np.arange(1.0 * size)), None)
        )


def test_memory_outside_is_refused() -> None:
    with pytest.raises(ExportError, match="lies outside the memory"):
        export(lambda x: as_strided(x[-3:], shape=(4,), strides=(8,)).copy(), (np.arange(9.0),), dynamic_shapes=({0: Dim.AUTO},))


def test_parts_that_begin_outside_are_refused() -> None:
    with pytest.raises(ExportError) as refusal:
        export(lambda x: as_strided(x[20:], shape=(0,), strides=(8,)).copy(), (np.arange(9.0),), dynamic_shapes=({0: Dim.AUTO},))
    assert refusal.value.code == "E121"


@pytest.mark.parametrize("made", ["y.T", "y[1:]", "np.einsum('ij->ji', y)"])
def test_strides_of_a_view_of_what_was_made_read_only_later(made):
    make: Any = eval(f"lambda y: {made}", {"np": np})

    def program(x: Any) -> Any:
        y = x * 2
        view = make(y)
        y.setflags(write=False)
        again = as_strided(view, view.shape, view.strides)
        again[0] += 1
        return y, view, again.flags.writeable, y.flags.writeable

    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_equal(export(program, (x,)).module()(x), program(x))
