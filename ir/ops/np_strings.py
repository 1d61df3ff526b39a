"""The ufuncs of ``numpy.strings`` whose results have a dtype that no data decides, and changes of
case."""

from __future__ import annotations

import numpy as np

from npexport.ir.meta import TEXTS, TensorMeta
from npexport.ir.numpy_internals import umath
from npexport.ir.ops.np_elementwise import rule_of
from npexport.ir.ops.rules import Array, Rejected, broadcast, meta_of, record, shape_of, violated
from npexport.ir.raising import DATA, NOTHING
from npexport.symshapes.errors import Unsupported

_NAMES = (
    "str_len isalpha isalnum isdecimal isdigit islower isnumeric isspace istitle isupper startswith endswith find rfind count "
    "_strip_whitespace _lstrip_whitespace _rstrip_whitespace _strip_chars _lstrip_chars _rstrip_chars"
)
OF_ANY_LENGTH = (umath._replace, umath._expandtabs)
"""Those that take StringDType without being told how wide their results are."""
UFUNCS = (*[getattr(umath, name) for name in _NAMES.split()], *OF_ANY_LENGTH)
CASES = frozenset(("upper", "lower", "swapcase", "capitalize", "title"))


def _declare(ufunc: np.ufunc) -> None:
    plain = ufunc.__name__.strip("_")
    record(
        ufunc,
        name=plain if plain == "str_len" else f"str_{plain}",
        traits="ufunc" if ufunc in OF_ANY_LENGTH else "elementwise ufunc",  # which have no scalars
        doc=f"The element-wise ufunc of text behind ``np.strings.{plain.partition('_')[0] if 'strip' in plain else plain}``.\n\n"
        "https://numpy.org/doc/stable/reference/routines.strings.html",
        raises=NOTHING,
        rejects=False,
    )(rule_of(ufunc))


for _ufunc in UFUNCS:
    _declare(_ufunc)


@record(kernel="np_strings.change_case", traits="c_order elementwise", see="numpy.strings.upper", raises=NOTHING)
def str_case(x: Array, case: str) -> TensorMeta:
    """The text in upper, lower or swapped case, or with capitals:
    ``getattr(np.strings, case)(x)``."""
    x = meta_of(x)
    if x.dtype.kind not in "SUT" or case not in CASES:
        raise Rejected
    return TensorMeta(x.shape, x.dtype, x.dtype == TEXTS and not x.shape)


@record(kernel="np_strings.sliced", traits="c_order", see="numpy.strings.slice", raises=DATA)
def str_slice(x: Array, start: Array, stop: Array, step: Array) -> TensorMeta:
    """The slice of each text of StringDType: ``np.strings.slice(x, start, stop, step)``."""
    if meta_of(x).dtype != TEXTS or any(meta_of(each).dtype.kind not in "iu" for each in (start, stop, step)):
        raise Rejected
    shape = broadcast(*map(shape_of, (x, start, stop, step)))
    return TensorMeta(shape, TEXTS, not shape)


SIDES = ("center", "ljust", "rjust", "zfill")
WIDTHS_OF_DATA = "Make the text outside the exported function, of the arrays that it returns."
"""What to do where the data say how wide text becomes."""


@record(kernel="np_strings.justified", traits="c_order", see="numpy.strings.center", raises=DATA)
def str_justify(x: Array, width: int, side: str, fillchar: str = " ") -> TensorMeta:
    """The text within characters that fill it up to a width: ``getattr(np.strings, side)(x, width,
    fillchar)``, without the last for "zfill".

    ``width`` is at least that of the dtype; else the data say how wide the result is. StringDType
    has no width.
    """
    x = meta_of(x)
    if x.dtype == TEXTS and side in SIDES:
        return TensorMeta(x.shape, TEXTS, not x.shape)
    if x.dtype.kind not in "SU" or side not in SIDES or any(violated(size > 0) for size in x.shape):
        raise Rejected
    declared = x.dtype.itemsize // np.dtype(f"{x.dtype.char}1").itemsize
    if x.scalar or width < declared:
        raise Unsupported(
            "E114",
            f"how wide the result of np.strings.{side} is depends on the texts: their dtype has more characters than {width}",
            hint=f"Give a width of at least {declared}, or declare less: `x.astype('{x.dtype.char}{width}')` cuts longer texts.",
        )
    return TensorMeta(x.shape, np.dtype(f"{x.dtype.char}{width}"))
