"""Why each core operator is core: groups of operators with the reason that they share."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, str]] = {
    "Arithmetic": (
        "a single instruction of the machine or of its library; the others of NumPy's ufuncs are sums of these",
        "np.absolute np.add np.conjugate np.copysign np.divide np.floor np.floor_divide np.fmod np.frexp np.gcd np.ldexp "
        "np.maximum np.minimum np.multiply np.negative np.nextafter np.power np.remainder np.rint np.sign np.signbit np.sqrt np.subtract",
    ),
    "Transcendental functions": (
        "the library rounds it in the last place; a formula of others would round more often, or overflow where it does not",
        "np.arccos np.arccosh np.arcsin np.arcsinh np.arctan np.arctan2 np.arctanh np.cbrt np.cos np.cosh np.exp np.exp2 np.expm1 np.hypot "
        "np.log np.log10 np.log1p np.log2 np.sin np.sinh np.tan np.tanh",
    ),
    "Bounds": (
        "which of two equal zeros it gives depends on the loop that runs over the bounds, which no comparison can know",
        "np.clip",
    ),
    "Comparisons and logic": (
        "one of the few from which the other comparisons and truths are made",
        "np.equal np.isfinite np.isnan np.isnat np.less np.less_equal np.logical_and np.logical_not np.logical_or np.where",
    ),
    "Bits": (
        "what the machine does with the bits of an integer",
        "np.bitwise_and np.bitwise_count np.bitwise_or np.bitwise_xor np.invert np.left_shift np.right_shift",
    ),
    "Reductions": (
        "the order in which a loop adds, multiplies or compares is its own, and so is the rounding",
        "np.argmax np.argmin np.max np.min np.prod np.sum np.ufunc_accumulate np.ufunc_reduce np.ufunc_reduceat",
    ),
    "Shapes and memory": (
        "it says how elements lie in memory, or which array shares it with which: nothing else can say that",
        "np.as_contiguous np.as_strided np.broadcast_to np.concatenate np.copy np.diagonal np.imag np.real np.reshape np.transpose "
        "np.view_dtype np.with_flags",
    ),
    "Arrays that are made, and kinds": (
        "it makes an array or a scalar of nothing, of a number, or of another dtype",
        "np.arange np.array np.astype np.construct np.full np.zeros",
    ),
    "Elements by their places": (
        "it reads or writes at places, which only the data may know",
        "np.field np.getitem np.index np.nonzero np.repeat np.set_field np.setitem np.take np.ufunc_at np.ufunc_where",
    ),
    "Orders": (
        "a comparison sort, or a search or a count that would need one; partitions leave an order of their own",
        "np.argpartition np.argsort np.bincount np.partition np.searchsorted np.sort np.unique",
    ),
    "Linear algebra": (
        "a routine of BLAS or LAPACK: the product, the factorizations and what LAPACK solves with them",
        "np.cholesky np.correlate np.det np.eig np.eigh np.einsum np.lstsq np.matmul np.polyfit np.qr np.slogdet np.solve np.svd",
    ),
    "Transforms": (
        "the transform on one axis, from which the others are made",
        "np.fft np.ifft",
    ),
    "Dates": (
        "the calendar: which days are worked, and how a date is written",
        "np.busday_count np.busday_offset np.datetime_as_string",
    ),
    "Text": (
        "it reads characters, which no arithmetic does",
        "np.str_case np.str_count np.str_endswith np.str_find np.str_isalnum np.str_isalpha np.str_isdecimal np.str_isdigit "
        "np.str_islower np.str_isnumeric np.str_isspace np.str_istitle np.str_isupper np.str_justify np.str_len np.str_lstrip_chars "
        "np.str_lstrip_whitespace np.str_rfind np.str_rstrip_chars np.str_rstrip_whitespace np.str_startswith",
    ),
    "What data decide": (
        "its steps depend on the data: an exception that is caught, the rounding of Python's own powers, how long a series is",
        "np.scalar_power np.series np.trapped np.left",
    ),
}
"""The reason and the operators of each group."""
