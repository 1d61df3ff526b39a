"""A record (``np.void``) is a view of the array that it was taken from: what NumPy makes of it is a view, too, or a copy, and
what is written to that is seen where eager execution shows it.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.lib.recfunctions
import pytest

from npexport import Dim, Unsupported, export
from tests.support.forms import reloaded
from tests.support.functions import function_of

DTYPE = [("a", "i4"), ("b", "f8")]

VIEWS = [
    "q", "q.view()", "q.real", "q.T", "q.ravel()", "q.ravel('F')", "q.reshape(1)", "q.reshape(())", "q.reshape((1, 1))", "q.reshape(-1)",
    "q.squeeze()", "q.squeeze(0)", "q.transpose()", "q[()]", "np.asarray(q)", "np.array(q)", "np.copy(q)", "np.array(q, copy=None)",
    "np.require(q)", "np.ascontiguousarray(q)", "np.atleast_1d(q)", "np.atleast_2d(q)", "np.ravel(q)", "np.reshape(q, 1)",
    "np.squeeze(q)", "np.transpose(q)", "np.expand_dims(q, 0)",
]  # fmt: skip
COPIES = [
    "q.copy()",
    "q.flatten()",
    "q.repeat(2)",
    "q.take([0])",
    "np.array([q])",
    "np.stack([q, q])",
    "np.hstack([q, q])",
    "q.astype(q.dtype)",
]
OWNERS = ["r[0].imag", "np.imag(r[0])"]
"""Of what these give each array is a copy."""
if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # before, `byteswap` of a record reads memory that is not its own
    OWNERS += ["r[0].byteswap()", "r[0].byteswap().real"]
OF_OWNERS = ["q", "q.copy()", "q.view()", "q[()]", "q.real", "q.squeeze()", "np.asarray(q)", "np.array(q)", "q.ravel()", "copy.copy(q)"]
FILLS = ["fill(3)", "fill(q)", "fill((5, 6.0))"]


def _program(lines: str) -> Any:
    return function_of(f"def program(r):\n    q = r[0]\n{lines}    return q, y\n", {"np": np, "copy": copy})


def _records() -> Any:
    return np.array([(1, 2.5), (3, 4.5)], DTYPE)


def _require_alike(program: Any) -> None:
    exported = export(program, (_records(),))
    for module in (exported.module(), reloaded(exported).module()):
        mine, theirs = _records(), _records()
        assert repr((module(mine), mine)) == repr((program(theirs), theirs))


@pytest.mark.parametrize("made", VIEWS + COPIES)
def test_what_is_made_of_a_record_is_written_to(made: str) -> None:
    _require_alike(_program(f"    y = {made}\n    y['a'] = 7\n"))


@pytest.mark.parametrize("made", VIEWS + COPIES)
def test_a_record_is_written_to_after_something_is_made_of_it(made: str) -> None:
    _require_alike(_program(f"    y = {made}\n    q['b'] = 7\n"))


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("made", OF_OWNERS)
def test_a_record_that_owns_what_it_holds_is_not_written_to(owner: str, made: str) -> None:
    _require_alike(_program(f"    q = {owner}\n    y = {made}\n    y['a'] = 7\n"))


@pytest.mark.parametrize("made", ["q.copy()", "q.real", "copy.copy(q)", "copy.deepcopy(q)"])
def test_a_record_of_its_own_is_copied_or_itself(made: str) -> None:
    _require_alike(_program(f"    q = r.take(0)\n    y = {made}\n    y['a'] = 7\n"))


@pytest.mark.parametrize("fill", FILLS)
def test_a_record_is_filled(fill: str) -> None:
    _require_alike(_program(f"    y = q.{fill}\n"))


ARRAYS_IN_FIELDS = [
    [("a", "i4"), ("c", "f8", (2,))],
    [("c", "f8", (2, 3)), ("b", "i2")],
    [("d", [("e", "i2"), ("f", "f4")], (2,))],
    [("c", "S3", (2,)), ("b", "U2")],
]


@pytest.mark.parametrize("dtype", ARRAYS_IN_FIELDS, ids=str)
@pytest.mark.parametrize("text", ["r == s", "r != s", "r == s[:1]", "(r[::-1] == s).all()", "np.array_equal(r, s)"])
def test_records_are_equal_where_all_elements_of_their_fields_are(text: str, dtype: Any) -> None:
    program = eval(f"lambda r, s: {text}", {"np": np})
    one, other = [np.zeros(3, dtype) for _ in range(2)]
    for records in (one, other):
        numbers = records.view("u1")
        numbers[:] = np.random.default_rng(numbers.size).integers(0, 2, numbers.size)
    other.view("u1")[one.itemsize + 1] ^= 1  # in the second record
    run = export(program, (one, other)).module()
    for r, s in ((one, other), (one, one), (other, one)):
        assert repr(run(r, s)) == repr(program(r, s))


def _some_fields(r: Any) -> Any:
    y = r[["a", "b"]].view(np.dtype({"names": ["p", "q"], "formats": ["u4", "i8"], "offsets": [0, 4], "itemsize": r.itemsize}))
    y["q"][1:] = 3
    return y["p"], np.lib.recfunctions.structured_to_unstructured(r[["a", "b"]])


def test_fields_that_are_chosen_are_read_as_others_of_the_same_bytes() -> None:
    dtype = [*DTYPE, ("c", "i2")]
    exported = export(_some_fields, (np.zeros(3, dtype),), dynamic_shapes=({0: Dim("n", min=1)},))
    for module in (exported.module(), reloaded(exported).module()):
        mine, theirs = (np.array([(1, 2.5, 7), (3, 4.5, 8)], dtype) for _ in range(2))
        assert repr((module(mine), mine)) == repr((_some_fields(theirs), theirs))
    with pytest.raises(Unsupported, match="no field has some bytes"):
        export(lambda r: r[["a"]].view("V14"), (np.zeros(3, dtype),))
