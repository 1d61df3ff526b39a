"""Scalars of data where C asks what they are: names of dtypes, members, keys, bounds of slices, dates. Results and errors with their
texts are eager's, also where a handler waits for them; or the call is refused."""

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.comparison import said
from tests.support.functions import function_of

NAMES = "np.issubdtype(s[0], float)", "np.issubdtype(np.float32, s[0])", "np.dtype(s[0])", "np.dtype(y[0])", "np.zeros(3, s[0])"
NAMES += "w.astype(s[0])", "w.view(s[0])", "w.getfield(s[0])", "np.iinfo(s[1])", "np.finfo(s[0]).eps", "w.copy(s[0])"
IN = "s[0] in w[0]", "'a' in w[0]", "w[0] in k[0]", "1 in t[0]", "b'f' in y[0]", "102 in y[0]", "'f' in s[0]", "None in z[0]"
TAKEN = "{0: 1, 5: 2}[u[0]]", "{0: 1}[k[0]]", "{0: 1}[int(u[0])]", "(u[0], {0: 1}[u[0]])[0]", "np.issubdtype(w[0], float)", "w[0] in w"
ARRAYS = "t.dtype.type(k[b])", "np.timedelta64(k[b])", "np.datetime64(k, 'D')", "np.timedelta64(k[:1])", "slice(t[0]).indices(3)"
ARRAYS += "slice(w[0]).indices(3)", "slice(None, None, z[0]).indices(3)", "np.float64(k[b])"
COMPARED = "w.dtype == w", "w.dtype != s", "w.dtype < w", "w.dtype == w[0]", "w.dtype == s[0]", "w.dtype < s[0]", "s[0] == ['f4', 'i8']"
COMPARED += (
    "range(3) != s[0]",
    "() == y[0]",
    "bytearray(b'f4') == y[0]",
    "memoryview(b'f4') == u",
    "b'f4' == s[0]",
    "np.bytes_(b'f4') != s[0]",
)
COMPARED += "str(None < s[0])", "1.5 >= s[1]", "np.convolve(r, [1, 2]) + 1"
FORMS = (
    "def f(w, k, u, b, s, y, t, z, r):\n    try:\n        return {}\n    except (TypeError, ValueError, KeyError):\n        return -1\n",
    "def f(w, k, u, b, s, y, t, z, r):\n    v = 0\n    if w[1] > 0:\n        v = {}\n    return v\n",
)


def _data(number: int) -> tuple[np.ndarray, ...]:
    signs = np.array([1, -1, 1]) if number % 2 else np.array([1, 1, 1])
    return (
        np.array([0.0, 2.0, 1.0]) * signs, np.array([3, -2, number]), np.array([number * 5, 0, 3], np.uint8),
        np.array([False, True, number > 1]),
        np.array(["f4", "i8"] if number else ["", "i"], "U2"), np.array([b"f4", b"i8"]), np.array([0, number], "m8[D]"), np.array([1j, 2]),
        np.zeros(3, "i4, f8"),
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=["handled", "on a side"])
@pytest.mark.parametrize("call", [*NAMES, *IN, *TAKEN, *ARRAYS, *COMPARED])
def test_scalars_of_data_are_what_c_takes_them_for(call: str, form: str) -> None:
    f = function_of(form.format(call), {"np": np})
    try:
        run = said(lambda: export(f, _data(1)).module())
    except ExportError as refusal:
        assert call not in TAKEN, refusal
        assert refusal.code in ("E101", "E103", "E104", "E114", "E122", "E126")
        return
    for number in range(4):
        wanted = said(lambda number=number: f(*_data(number)))
        assert repr(said(lambda number=number: run(*_data(number))) if callable(run) else run) == repr(wanted), number
