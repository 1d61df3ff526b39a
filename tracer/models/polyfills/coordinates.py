"""Functions of SciPy's C that look at points, interpreted from here."""

from __future__ import annotations

from typing import Any

import numpy as np


def coordinates(points: Any, ndim: Any = None) -> Any:
    """``_ndim_coords_from_arrays`` of ``scipy.interpolate``: points of several axes as one
    array.
    """
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if not isinstance(points, tuple):
        points = np.asanyarray(points)
        return points if points.ndim != 1 else points.reshape(-1, 1 if ndim is None else ndim)
    parts = np.broadcast_arrays(*points)
    found = np.empty((*parts[0].shape, len(parts)), dtype=float)
    for place, part in enumerate(parts):
        found[..., place] = part
    return found
