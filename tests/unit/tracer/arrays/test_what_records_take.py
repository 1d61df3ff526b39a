"""What is written into records and cast between them: lists of tuples of any length, lists for one record, texts in fields; names of
fields are not changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

PAIRS = np.array([(2, 1), (2, 0), (0, 3)], [("a", "f2"), ("b", "f8")])
TEXTS = [("a", "?"), ("b", "S3"), ("c", "f8")]


FITTING = ["tuple(row)", "(row['a'], row['b'])"]
"""Items of numbers that the fields hold."""


MADE = ["np.array(rows, r.dtype)", "np.asarray(rows, dtype='f8,f8')", "np.array(rows, [('p', 'f8', 2), ('q', 'f8')])"]


@pytest.mark.parametrize("item", [*FITTING, "(1, row['b'] + 1)", "(row['a'], len(r))", "[row['a'], row['b']]"])
@pytest.mark.parametrize(
    "made", ["np.array(rows, r.dtype)", "np.asarray(rows, dtype='f8,f8')", "np.array(rows, [('p', 'f8', 2), ('q', 'f8')])"]
)
def test_a_list_of_tuples_of_any_length_is_an_array_of_records(made: str, item: str) -> None:
    program = function_of(f"def program(r):\n rows = [{item} for row in r]\n return {made}", {"np": np})
    try:
        run = export(program, (PAIRS.copy(),), dynamic_shapes=({0: Dim("n")},)).module()
    except ExportError as error:
        assert error.code in ("E101", "E103", "E201") and (item not in FITTING or "'p'" in made)
        return
    for count in (3, 1, 2):
        assert outcome(run, (PAIRS[:count].copy(),)) == outcome(program, (PAIRS[:count].copy(),))


DTYPES: tuple[Any, ...] = (
    [("a", "f8")], [("a", "f8"), ("b", "i4")], [("a", "f8", (2, 2)), ("b", "u1")], [("a", "f8", 2)], [("a", "S3")], TEXTS,
    [("p", [("b", "i2"), ("c", "f8")]), ("a", "f8")],
)  # fmt: skip


VALUES = ["[1]", "[1, 1]", "[]", "[[1, 2], [3, 4]]", "[(1, 2)]", "[r[-1]]", "['a']", "[x[0]]", "[x[0], x[1]]", "r[-1]"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "value", ["[1]", "[1, 1]", "[]", "[[1, 2], [3, 4]]", "[(1, 2)]", "[r[-1]]", "['a']", "[x[0]]", "[x[0], x[1]]", "r[-1]"]
)
def test_one_record_takes_no_list(dtype: Any, value: str) -> None:
    lines = f"def program(r, x):\n try: r[0] = {value}\n except Exception as error: return type(error).__name__, str(error), r\n return r"
    program, given = function_of(lines, {"np": np}), lambda: (np.zeros(3, dtype), np.array([7.0, 8.0]))
    try:
        run = export(program, given()).module()
    except Unsupported as error:
        assert error.code == "E101"
        return
    assert outcome(run, given()) == outcome(program, given())


CASTS = (
    "r.astype(n.dtype)", "r[['b']].astype([('b', 'i4')])", "n.__setitem__(slice(None), r)", "n.__setitem__(0, r[1])", "n.fill(r[1])",
    "np.copyto(n, r, casting='unsafe')", "np.asarray(r, n.dtype)", "np.concatenate([r, r], dtype=n.dtype, casting='unsafe')",
    "np.full(2, r[1], n.dtype)", "r[1].astype(n.dtype)", "np.insert(n, 0, r[1])", "np.put(n, [0], r[1])",
    "r.astype(r.dtype)", "r.astype([('x', '?'), ('y', 'S3'), ('z', 'f4')])", "n.astype(r.dtype)",
)  # fmt: skip


@pytest.mark.parametrize("text", [b"3", b"x"])
@pytest.mark.parametrize("handled", [True, False])
@pytest.mark.parametrize("cast", CASTS)
def test_numbers_are_read_from_the_texts_of_records(cast: str, handled: bool, text: bytes) -> None:
    body = f" try: v = {cast}\n except ValueError as error: return str(error), n\n" if handled else f" v = {cast}\n"
    program = function_of(f"def program(r, n):\n{body} return v, n", {"np": np})

    def given(second: bytes) -> tuple[Any, ...]:
        return np.array([(True, b"1", 2.0), (False, second, 3.0)], TEXTS), np.zeros(2, [("a", "f8"), ("b", "f8"), ("c", "f8")])

    try:
        run = export(program, given(b"3")).module()
    except Unsupported as error:
        assert handled and error.code == "E126"  # the handler would wait for what only the data decide
        return
    assert outcome(run, given(text)) == outcome(program, given(text))


@pytest.mark.parametrize(
    "statement", ["r.dtype.names = ('m', 'n')", "d = r.dtype; setattr(d, 'names', ('m', 'n'))", "np.dtype('f8,f8').names = ('m', 'n')"]
)
def test_names_of_fields_are_not_changed_in_place(statement: str) -> None:
    r = np.zeros(2, [("a", "f8"), ("b", "f8")])
    with pytest.raises(Unsupported, match="names of a dtype") as refused:
        export(function_of(f"def program(r):\n {statement}\n return r", {"np": np}), (r,))
    assert refused.value.code == "E123" and "rename_fields" in str(refused.value)
    assert r.dtype.names == ("a", "b")
