"""Functions of ``scipy.ndimage`` as operators ``ops.scipy.ndimage_<name>``."""

from __future__ import annotations

from npexport.ir.ops.scipy_functions import Row, declare


def _morphology(*arrays: str) -> Row:
    return Row(lambda **given: f"(...){',(...)' * sum(given.get(name) is not None for name in arrays)}->(...)", ("input", *arrays))


_ROWS: dict[str, Row] = {
    "binary_erosion": _morphology("structure", "mask"),
    "binary_dilation": _morphology("structure", "mask"),
    "binary_opening": _morphology("structure", "mask"),
    "binary_closing": _morphology("structure", "mask"),
    "binary_propagation": _morphology("structure", "mask"),
    "binary_fill_holes": _morphology("structure"),
    "binary_hit_or_miss": _morphology("structure1", "structure2"),
}
declare("ndimage", _ROWS)
