"""Lists of data that loops on data exchange, keep or make anew, and arrays of which the sides of a branch leave one or another:
which object a name stands for afterwards is told by writes to it.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

V = np.array([3.0, -2.0, 0.5, 1.0, -4.0])
POSITIVE = " a = []\n for t in v:\n  if t > 0: a.append(float(t))\n"
NEGATIVE = " b = []\n for t in v:\n  if t < 0: b.append(float(t))\n"
ALL = " a = [float(t) for t in v]; b = [float(t) + 1 for t in v]\n"
LOOPS = {
    "of as many items as data say": f"{POSITIVE}{NEGATIVE} while s < 10: a, b = b, a; s += len(a) + 1\n return a, b",
    "of all items": f"{ALL} while s < 10: a, b = b, a; s += len(a) + abs(v[0])\n return a, b",
    "written to meanwhile": f"{ALL} while s < 10:\n  old = a; a = b; b = old; a[1] = s; s += 5 + abs(v[0])\n b[0] = 7.0\n return a, b",
    "exchanged where data say so": f"{ALL} while s < 10:\n  if v[1] > 0: a, b = b, a\n  a[0] += 1; s += 5 + abs(v[0])\n return a, b",
    "made anew": f"{POSITIVE} while s < 10: a = [t * 2 for t in a]; s += len(a) + 1\n return a",
    "made anew, the last one kept": f"{ALL} while s < 10: b = a; a = [t * 2 for t in a]; s += sum(b) + 20\n return a, b",
}
FIXED = {"written to meanwhile", "exchanged where data say so"}


@pytest.mark.parametrize(
    ("name", "dynamic"), [(name, dynamic) for name in LOOPS for dynamic in (False, True) if name not in FIXED or not dynamic]
)
def test_lists(name: str, dynamic: bool) -> None:
    program = function_of(f"def program(v):\n s = 0.0\n{LOOPS[name]}")
    run = export(program, (V,), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None).module()
    for v in (V, -V, V[::-1] * 3, *([V[:3], np.resize(V, 8)] if dynamic else [])):
        assert outcome(run, (v,)) == outcome(program, (v,))


ARRAYS = {
    "an earlier one or another": "a = v * 1; b = v * 2\n y = a if v[0] > 0 else b\n return y.copy(), a, b, y is a",
    "an earlier one or a new one, written to": "a = v * 1; y = a if v[0] > 0 else a + 1\n y[0] = 9\n return a, y",
    "a new one or the end of a new one": "y = v + 1 if v[0] > 0 else (v * 2)[::-1]\n y[0] = 9\n return y, y.sum()",
    "parts of new ones": "if v[0] > 0: t = v + 1; y = t[1:]\n else: t = v * 2; y = t[1:]\n y[0] = 7\n return t, y",
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_sides(name: str) -> None:
    program = function_of(f"def program(v):\n {ARRAYS[name]}")
    run = export(program, (V,)).module()
    for v in (V, -V):
        assert outcome(run, (v,), memory=True) == outcome(program, (v,), memory=True)


def test_parts_at_other_places_are_not_written_to() -> None:
    program = function_of(
        "def program(v):\n if v[0] > 0: t = v + 1; y = t[1:]\n else: t = v * 2; y = t[:-1]\n y[0] = 7\n return t, y",
    )
    with pytest.raises(Unsupported) as refused:
        export(program, (V,))
    assert refused.value.code == "E103"


def test_exceptions_of_sides_have_the_name_that_they_tell() -> None:
    program = function_of("def program(v):\n if v[0] > 0: raise NameError('q is not there', name='q')\n return v")
    run = export(program, (-V,)).module()
    with pytest.raises(NameError, match="q is not there") as raised:
        run(V)
    assert raised.value.name == "q"


def test_the_side_that_raises_what_cannot_be_made_again_is_named() -> None:
    program = function_of("def program(v):\n if v[0] > 0:\n  raise OSError(2, 'none')\n return v")
    with pytest.raises(Unsupported, match="the side at line 3 raises FileNotFoundError"):
        export(program, (V,))


def test_rows_that_are_exchanged_end_the_export() -> None:
    """It was run again and again, with more iterations of inner loops recorded and with fewer."""

    def program(m: np.ndarray) -> list[list[float]]:
        rows = m.tolist()
        for c in range(len(rows)):
            pivot = max(range(c, len(rows)), key=lambda r: abs(rows[r][c]))
            rows[c], rows[pivot] = rows[pivot], rows[c]
            for r in range(c + 1, len(rows)):
                factor = rows[r][c] / rows[c][c]
                rows[r] = [mine - factor * theirs for mine, theirs in zip(rows[r], rows[c], strict=True)]
        return rows

    m = np.random.default_rng(0).normal(size=(5, 5))
    try:
        run = export(program, (m,), dynamic_shapes=(dict.fromkeys((0, 1), Dim.AUTO),)).module()
    except Unsupported as refusal:
        assert refusal.code == "E103"
        return
    assert outcome(run, (m,)) == outcome(program, (m,))
