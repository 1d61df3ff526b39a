"""Why each core operator is core: groups of operators that share a reason."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, str]] = {
    "Arithmetic": (
        "a single instruction of the processor, or a call of its math library; NumPy's other ufuncs are composed of these",
        "np.absolute np.add np.conjugate np.copysign np.divide np.floor np.floor_divide np.fmod np.frexp np.gcd np.ldexp "
        "np.maximum np.minimum np.multiply np.negative np.nextafter np.power np.remainder np.rint np.sign np.signbit np.sqrt np.subtract",
    ),
    "Transcendental functions": (
        "the math library rounds the result once; a formula would round more often, or overflow where the library does not",
        "np.arccos np.arccosh np.arcsin np.arcsinh np.arctan np.arctan2 np.arctanh np.cbrt np.cos np.cosh np.exp np.exp2 np.expm1 np.hypot "
        "np.log np.log10 np.log1p np.log2 np.sin np.sinh np.tan np.tanh",
    ),
    "Bounds": (
        "which of two equal zeros it returns depends on NumPy's inner loop, which comparisons cannot reproduce",
        "np.clip",
    ),
    "Comparisons and logic": (
        "the other comparisons and logical functions are composed of these",
        "np.equal np.isfinite np.isnan np.isnat np.less np.less_equal np.logical_and np.logical_not np.logical_or np.where",
    ),
    "Bits": (
        "an instruction of the processor on the bits of an integer",
        "np.bitwise_and np.bitwise_count np.bitwise_or np.bitwise_xor np.invert np.left_shift np.right_shift",
    ),
    "Reductions": (
        "the order in which its loop combines elements determines the rounding",
        "np.argmax np.argmin np.max np.min np.prod np.sum np.ufunc_accumulate np.ufunc_reduce np.ufunc_reduceat",
    ),
    "Shapes and memory": (
        "it determines the layout of memory, or which arrays share memory; no other operator can",
        "np.as_contiguous np.as_strided np.broadcast_to np.concatenate np.copy np.diagonal np.imag np.real np.reshape np.transpose "
        "np.view_dtype np.with_flags",
    ),
    "Creation and conversion": (
        "it makes an array or a scalar from nothing or from a number, or converts a dtype",
        "np.arange np.array np.astype np.construct np.full np.zeros",
    ),
    "Indexing": (
        "it reads or writes at indices, which may depend on the data",
        "np.field np.getitem np.index np.nonzero np.repeat np.set_field np.setitem np.take np.ufunc_at np.ufunc_where",
    ),
    "Sorting and searching": (
        "a comparison sort, or a search or a count that would need one; the order within partitions is NumPy's own",
        "np.argpartition np.argsort np.bincount np.partition np.searchsorted np.sort np.unique",
    ),
    "Linear algebra": (
        "a routine of BLAS or LAPACK: the product, the factorizations and what LAPACK solves with them",
        "np.cholesky np.correlate np.det np.eig np.eigh np.einsum np.lstsq np.matmul np.polyfit np.qr np.slogdet np.solve np.svd",
    ),
    "Transforms": (
        "the transform of one axis, of which the others are composed",
        "np.fft np.ifft",
    ),
    "Dates": (
        "the calendar: which days are business days, and how a date is written",
        "np.busday_count np.busday_offset np.datetime_as_string",
    ),
    "Text": (
        "it reads characters, which arithmetic cannot",
        "np.str_case np.str_count np.str_expandtabs np.str_find np.str_isalnum np.str_isalpha np.str_isdecimal np.str_isdigit "
        "np.str_islower np.str_isnumeric np.str_istitle np.str_isupper np.str_justify np.str_len np.str_lstrip_chars "
        "np.str_lstrip_whitespace np.str_replace np.str_rfind np.str_rstrip_chars np.str_rstrip_whitespace np.str_slice",
    ),
    "Data-dependent steps": (
        "the data determine its steps: whether an exception is caught, how Python rounds a power, how long a series is",
        "np.scalar_power np.series np.trapped np.left",
    ),
}
"""The reason and the operators of each group."""
