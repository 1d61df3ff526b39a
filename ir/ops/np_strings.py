"""The ufuncs of ``numpy.strings`` whose results have a dtype that no data decides, and changes of case."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.op import REGISTRY, Op
from npexport.ir.ops.np_elementwise import rule_of
from npexport.ir.ops.rules import Array, Rejected, meta_of, record
from npexport.ir.ops.samples import Call, call

_UFUNCS = (
    "str_len isalpha isalnum isdecimal isdigit islower isnumeric isspace istitle isupper startswith endswith find rfind count "
    "_strip_whitespace _lstrip_whitespace _rstrip_whitespace _strip_chars _lstrip_chars _rstrip_chars"
)
_TEXTS = (np.array(["12", "21", "13"]), np.array([["1"], ["2"]]), np.array([b"12", b"21"]), np.empty((0, 2), "U3"))
"""As long as their dtype says: a scalar has the length of its text, which no rule knows."""
CASES = frozenset(("upper", "lower", "swapcase", "capitalize", "title"))


def _samples(ufunc: np.ufunc) -> Callable[[], Iterator[Call]]:
    """Texts, with one to look for or to strip, and the bounds between which to look."""

    def generate() -> Iterator[Call]:
        for texts in _TEXTS:
            operands = (texts, np.array("7", texts.dtype.char), 0, 3)[: ufunc.nin]
            try:
                ufunc(*operands)
            except TypeError:  # no loop for bytes
                continue
            yield operands, {}

    return generate


def _declare(ufunc: np.ufunc) -> None:
    plain = ufunc.__name__.strip("_")
    REGISTRY.register(
        Op(
            namespace="np",
            name=plain if plain == "str_len" else f"str_{plain}",
            rule=rule_of(ufunc),
            kernel=ufunc,
            models=(ufunc,),
            traits=frozenset(("elementwise", "ufunc")),
            samples=_samples(ufunc),
            doc=f"The element-wise ufunc of text behind ``np.strings.{plain.partition('_')[0] if 'strip' in plain else plain}``.\n\n"
            "https://numpy.org/doc/stable/reference/routines.strings.html",
        )
    )


for _name in _UFUNCS.split():
    _declare(getattr(np._core.umath, _name))  # type: ignore[attr-defined]


def _case_samples() -> Iterator[Call]:
    for case in sorted(CASES):
        for texts in _TEXTS:
            yield call(texts, case)


@record(kernel="np_strings.change_case", traits="elementwise", samples=_case_samples, see="numpy.strings.upper")
def str_case(x: Array, case: str) -> TensorMeta:
    """The text in upper, lower or swapped case, or with capitals: ``getattr(np.strings, case)(x)``."""
    x = meta_of(x)
    if x.dtype.kind not in "SU" or case not in CASES:
        raise Rejected
    return TensorMeta(x.shape, x.dtype)
