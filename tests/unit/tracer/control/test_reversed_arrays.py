"""Arrays that run backwards in memory where the sides of a branch meet: bits, strides and memory as in eager execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.declaring import declaring

PROGRAMS, _, program, _ = declaring()


@program
def a_part_of_a_reversed_input(x):
    y = x[::-1]
    if x.sum() > 0:
        y = y[1:-1]
    return y, np.exp(y), y + 1


@program
def reversed_copies_that_are_written(x):
    y = (x * 2)[::-1] if x.sum() > 0 else (x - 1)[::-1][2:]
    y[0] = 7
    return y, np.tanh(y)


@program
def the_input_or_a_copy_written(x):
    y = x[::-1] if x.sum() > 0 else (x - 1)[::-1]
    y[0] = 7
    return np.exp(y)


@program
def along_the_second_axis(x):
    z = x.reshape(1, -1)
    y = z[:, ::-1] if x.sum() > 0 else z[:, ::-2]
    return y, np.tanh(y)


@program
def two_names(x):
    if x.sum() > 0:
        y = x[::-1]
        w = y
    else:
        w = y = (x * 3)[::-1]
    return y, w is y


@program
def reversed_again_on_a_side(x):
    y = x[::-1]
    if x.sum() > 0:
        y = y[1:-1]
    y = y[::-1]
    y = y[::-1] if x[0] > 0 else y[::-1][::2]
    return np.sin(y) * 2, np.sin(y[::-1]) * 2


@program
def both_axes(x):
    s = np.array([[x[0], 2, 3.0], [4, 5, x[1]]])
    y = s[::-1, ::-1] if x.sum() > 0 else s.T[::-1, ::-1].T[:1]
    return np.exp(y), y @ y.T, y.sum(), y.sum(0)


@program
def in_a_loop(x):
    y = x[::-1]
    for _ in range(3):
        if y[0] > y.sum():
            y = (y * 0.5)[::-1][::-1]
            y = np.cos(y)[::-1]
        else:
            y = y[::-1].copy()[::-1] * 1.5
            y = y[::-1]
    return y


def _told(function: Callable[..., Any], x: Any) -> str:
    found = function(x)
    return repr([(v.strides, v.tolist(), v.flags.writeable) if type(v) is np.ndarray else v for v in found] + x.tolist())


@pytest.mark.parametrize("shapes", [None, ({0: Dim.DYNAMIC},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_result_runs_backwards_too(program: Any, shapes: Any) -> None:
    module, rng = export(program, (np.arange(6.0) - 1,), dynamic_shapes=shapes).module(), np.random.default_rng(0)
    for call in range(12):
        x = rng.standard_normal(6 + (call % 4 if shapes else 0))
        assert _told(module, x.copy()) == _told(program, x), x


def _backwards_or_forwards(x):
    y = x * 3
    if x[0] > 0:
        y = y[::-1]
    return np.exp(locals()["y"])


def test_sides_of_other_directions_are_refused_with_what_to_write() -> None:
    with pytest.raises(Unsupported, match=r"(?s)E103.*runs backwards in memory along axis 0.*runs forwards in memory.*x\[::-1\]\.copy\(\)"):
        export(_backwards_or_forwards, (np.ones(3),))
