"""Functions of ``scipy.ndimage`` as operators ``ops.scipy.ndimage_<name>``."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.rules import Shape
from npexport.ir.ops.scipy_functions import Row, declare


def _morphology(*arrays: str, output: str = "given") -> Row:
    def shapes(**given: Any) -> str:
        return f"(...){',(...)' * sum(given.get(name) is not None for name in arrays)}->(...)"

    return Row(shapes, ("input", *arrays), output=output)


def _transformed(input: Any, return_distances: Any = True, return_indices: Any = False, **_: Any) -> list[Shape]:
    """A distance for each element, and the place of the nearest one of the background."""
    return [input.shape] * bool(return_distances) + [(len(input.shape), *input.shape)] * bool(return_indices)


_DISTANCES = Row("(x...)", ("input",), results=_transformed, raises=False)
_OF_FREQUENCIES = Row("(...)->(...)", ("input",), raises=False)

_ROWS: dict[str, Row] = {
    "binary_erosion": _morphology("structure", "mask"),
    "binary_dilation": _morphology("structure", "mask"),
    "binary_opening": _morphology("structure", "mask"),
    "binary_closing": _morphology("structure", "mask"),
    "binary_propagation": _morphology("structure", "mask"),
    "binary_fill_holes": _morphology("structure", output="nothing"),
    "binary_hit_or_miss": _morphology("structure1", "structure2", output="nothing"),
    "label": Row(
        lambda structure=None, **_: f"(x...){'' if structure is None else ',(s...)'}->(x...),()",
        ("input", "structure"),
        traits="data_dependent_shape",
        output="second",
    ),
    "distance_transform_edt": _DISTANCES,
    "distance_transform_cdt": _DISTANCES,
    "distance_transform_bf": _DISTANCES,
    "fourier_gaussian": _OF_FREQUENCIES,
    "fourier_uniform": _OF_FREQUENCIES,
    "fourier_ellipsoid": _OF_FREQUENCIES,
    "fourier_shift": _OF_FREQUENCIES,
}
declare("ndimage", _ROWS)
