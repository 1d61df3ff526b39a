"""Functions of ``scipy.signal`` as operators ``ops.scipy.signal_<name>``."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import Shape, axis_index, larger, smaller
from npexport.ir.ops.scipy_functions import Row, declare


def _overlap(m: Any, n: Any, mode: Any) -> Any:
    """The length of a convolution along two axes."""
    if mode == "same":
        return m
    return m + n - 1 if mode == "full" else larger(m, n) - smaller(m, n) + 1


def _resampled(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1, **_: Any) -> list[Shape]:
    shape, place = list(x.shape), axis_index(axis, len(x.shape))
    shape[place] = ((shape[place] - 1) * up + h.shape[0] - 1) // down + 1
    return [tuple(shape)]


def _sections(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> str:
    """The state ``zi`` has two numbers for each section, in place of the axis that is filtered."""
    if zi is None:
        return "(s,6),(x...)->(x...)"
    names = [f"x{index}" for index in range(len(x.shape))]
    place = axis_index(axis, len(names))
    state = ",".join(["s", *names[:place], "2", *names[place + 1 :]])
    return f"(s,6),({','.join(names)}),({state})->({','.join(names)}),({state})"


_ROWS: dict[str, Row] = {
    "convolve2d": Row(
        "(m,n),(o,p)->(q,r)",
        ("in1", "in2"),
        {"q": lambda m, o, mode="full", **_: _overlap(m, o, mode), "r": lambda n, p, mode="full", **_: _overlap(n, p, mode)},
    ),
    "medfilt2d": Row("(...)->(...)", ("input",), raises=False),
    "sosfilt": Row(_sections, ("sos", "x", "zi"), least={"s": lambda n: 1}),
    "upfirdn": Row("(h),(x...)", ("h", "x"), results=_resampled, raises=False),
}

declare("signal", _ROWS)

_PEAKS: dict[str, Row] = {
    "_local_maxima_1d": Row(
        "(n)->(k),(k),(k)", ("x",), {"k": lambda n, **_: fresh_size(0, larger(n - 1, 0) // 2)}, traits="data_dependent_shape", raises=False
    ),
    "_select_by_peak_distance": Row("(k),(k)->(k)", ("peaks", "priority"), raises=False),
    "_peak_prominences": Row("(n),(k)->(k),(k),(k)", ("x", "peaks")),
    "_peak_widths": Row("(n),(k),(k),(k),(k)->(k),(k),(k),(k)", ("x", "peaks", "prominences", "left_bases", "right_bases")),
}
"""The functions that ``find_peaks`` calls."""
declare("signal._peak_finding_utils", _PEAKS, "peaks")
