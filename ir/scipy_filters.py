"""The compiled filters of ``scipy.ndimage`` and ``scipy.signal``, and what evaluates the piecewise
polynomials of ``scipy.interpolate``, by name. They are operators where SciPy is installed
(`npexport.ir.ops.scipy_filters`).
"""

from __future__ import annotations

POLYNOMIALS, GRIDS = "scipy.interpolate._ppoly", "scipy.interpolate._rgi_cython"
IMAGES, RANKS, SIGNALS = "scipy.ndimage._nd_image", "scipy.ndimage._rank_filter_1d", "scipy.signal._sigtools"
FILTERS: dict[str, tuple[str, str, str]] = {
    "correlate1d": (IMAGES, "correlate1d", "input weights axis output mode cval origin"),
    "correlate": (IMAGES, "correlate", "input weights output mode cval origins"),
    "uniform_filter1d": (IMAGES, "uniform_filter1d", "input size axis output mode cval origin"),
    "min_or_max_filter1d": (IMAGES, "min_or_max_filter1d", "input size axis output mode cval origin minimum"),
    "min_or_max_filter": (IMAGES, "min_or_max_filter", "input footprint structure output mode cval origins minimum"),
    "rank_filter": (IMAGES, "rank_filter", "input rank footprint output mode cval origins"),
    "spline_filter1d": (IMAGES, "spline_filter1d", "input order axis output mode"),
    "geometric_transform": (
        IMAGES, "geometric_transform", "input mapping coordinates matrix offset output order mode cval npad arguments keywords",
    ),
    "zoom_shift": (IMAGES, "zoom_shift", "input zoom shift output order mode cval npad grid_mode"),
    "rank_filter1d": (RANKS, "rank_filter", "input rank size output mode cval origin"),
    "correlate_nd": (SIGNALS, "_correlateND", "input kernel output mode"),
    "ppoly_evaluate": (POLYNOMIALS, "evaluate", "c x xp dx extrapolate output"),
    "ppoly_integrate": (POLYNOMIALS, "integrate", "c x a b extrapolate output"),
    "grid_evaluate_linear": (GRIDS, "evaluate_linear_2d", "values indices norm_distances grid output"),
}  # fmt: skip
"""By name: the module, the function, and its parameters, which are given by position."""
CHECKED = frozenset(FILTERS) - {"ppoly_evaluate", "ppoly_integrate"}
"""Those whose kernels test all that this C relies on; it trusts its arguments."""
TAKES = frozenset("?bhilqBHILQfd")
"""The dtypes that all of them take, by character."""
RETURNING = frozenset({"correlate_nd", "grid_evaluate_linear"})
"""Those that return the array that they fill."""
PROMOTING = frozenset({"correlate_nd"})
"""Those that compute in the dtype of their first two arrays together: an array of another one is
not filled, and a new one is returned.
"""
