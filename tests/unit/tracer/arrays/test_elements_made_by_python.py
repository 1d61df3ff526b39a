"""Elements that NumPy makes of a value as Python does, which raises for NaN, for what does not fit, for no time: the program's handler
gets that, whether or not the result is used, and its text where it is known.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.comparison import said
from tests.support.functions import function_of
from tests.support.quiet import quiet
from tests.support.shards import shard

CALLS = (
    "k[:2] = [1, v]", "q[...] = [[1, v], [v, 2]]", "k[[0, 1]] = [1, v]",
    "k[0] = v", "k[:2] = v", "k[[0, 1]] = v", "k.fill(v)", "k.flat[0] = v", "k.flat[:2] = v", "k.real = v", "k[:2] = (v, 1)",
    "q[:, 0] = [v, 1]", "r['a'] = v", "np.put(k, 0, v)", "np.place(k, k > 0, v)", "np.putmask(k, k > 0, v)", "np.fill_diagonal(q, v)",
    "np.copyto(k, v, casting='unsafe')", "np.add.at(k, 0, v)", "np.take(k, v)", "np.take(k, v, mode='clip')", "np.roll(k, v)",
    "np.roll(q, v, 0)", "np.full(2, v, int)", "np.array(v, int)", "np.array([v], int)", "np.array([v, 1])", "np.array([v, 1], 'i1')",
    "np.pad(k, 1, constant_values=v)", "np.pad(k, 1, 'linear_ramp', end_values=v)", "np.pad(k, v)", "np.pad(k, (1, v))",
    "np.sum(k, initial=v, dtype=int)", "np.max(k, initial=v)", "np.stack([k[0], v], dtype=int, casting='unsafe')",
    "np.fromiter([v], int)", "np.select([k > 0], [v], 0)", "np.linspace(0, v, 3, dtype=int)", "np.tri(3, k=v)", "np.eye(3, k=v)",
    "np.tril(q, v)", "np.arange(v)", "np.bincount(k, minlength=v)", "np.zeros(v)", "np.rot90(q, v)", "np.std(k, ddof=v)",
    "np.einsum('i->', np.asarray(v)[None])", "np.i0(v)", "np.result_type(k, v)", "np.random.default_rng(0).normal(v)",
    "np.random.default_rng(0).normal(size=v)", "v ** k", "'%d' % v", "np.histogram(k, 3, (0, v))", "math.sqrt(v)",
    "[0] * v", "len([1.0] * (v * 2))", "np.ones((v, 2))", "k.clip(v)", "k.astype('f4').clip(0, v)", "np.result_type((k, v))",
)  # fmt: skip
VALUES = {
    "f8": ("w[0]", [1.0, np.nan, np.inf, 1e30, 7.0, -1.0]),
    "f4": ("w[0].astype('f4')", [1.0, np.nan, 1e30, 7.0]),
    "complex": ("w[0] + 0j", [1.0, np.nan, 1e30]),
    "text": ("s[0]", ["1", "b", "", "7"]),
    "m8": ("t[0]", [1, "NaT", 7]),
    "M8": ("d[0]", ["1970-01-02", "NaT"]),
    "no axes": ("np.asarray(w[0])", [1.0, np.nan, 7.0]),
    "one element": ("w[:1]", [1.0, np.nan]),
    "float": ("float(w[0])", [1.0, np.nan, np.inf, 7.0]),
    "int": ("int(w[0])", [1.0, 7.0, -1.0, 1e19, 1e30]),
    "bool": ("bool(w[0] > 3)", [1.0, 7.0]),
}
TOLD = """
def program(k, q, w, s, r, t, d):
    v = {value}
    try:
        {call}
    except (LookupError, ValueError, ArithmeticError, TypeError) as error:
        return type(error).__name__, str(error)
    return k * 2
"""
BEYOND = repr((OverflowError, "Python int too large to convert to C long"))
DEAD = """
def program(k, q, w, s, r, t, d):
    v = {value}
    {call}
    return 1
"""


def arguments(kind, value):
    given = {
        "k": np.arange(3),
        "q": np.arange(4).reshape(2, 2),
        "w": np.ones(2),
        "s": np.array(["1", "1"], "U9"),
        "r": np.zeros(2, [("a", "i4")]),
    }
    given |= {"t": np.ones(2, "m8[D]"), "d": np.ones(2, "M8[D]")}
    given[{"text": "s", "m8": "t", "M8": "d"}.get(kind, "w")][0] = value
    return given


def judge(form, call, kind):
    """Holds a program to eager execution; whether it was captured."""
    expression, data = VALUES[kind]
    program = function_of(form.format(value=expression, call=call), {"np": np, "math": __import__("math")})
    try:
        run = export(program, tuple(arguments(kind, data[0]).values())).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{call} of {kind}: {refusal}"
        return False
    except Exception as error:
        for value in data:
            assert said(program, *arguments(kind, value).values()) == (type(error), str(error)), f"{call} of {kind}, {value}"
        return False
    for value in data:
        theirs, ours = arguments(kind, value), arguments(kind, value)
        wanted, found = repr(said(program, *theirs.values())), repr(said(run, *ours.values()))
        by_value = kind == "int" and value > 2**63 and found == BEYOND  # NumPy chooses another dtype
        assert "MemoryError" in wanted or wanted == found or by_value, f"{call} of {kind}, {value}"
        assert repr(theirs) == repr(ours), f"{call} of {kind}, {value}"
    return True


@pytest.mark.parametrize("form", [TOLD, DEAD], ids=["told", "dead"])
@pytest.mark.parametrize("kind", VALUES)
def test_what_elements_raise_reaches_handlers_and_is_raised_of_results_that_nobody_uses(form, kind):
    with quiet():
        captured = [judge(form, call, kind) for call in shard(CALLS, 4)]
    assert any(captured) or form is TOLD  # numbers of Python in a `try` are refused as a rule
