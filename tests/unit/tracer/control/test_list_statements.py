"""Statements that delete items of lists which loops fill, take them out and put them in, with keys of all kinds."""

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard

DELETED = ["1:3", ":2", "-2:", ":", "len(out) // 2:", "3:1", "9:", "-1", "True", "np.int64(0)", "'a'", "None", "1:2, 3", "1.0"]
CAPTURED = [f"del out[{key}]" for key in DELETED]
STATEMENTS = [
    *CAPTURED,
    "del out[::2]",
    "out.pop('a')",
    "out.insert('a', 1.0)",
    "out.insert(True, v)",
    "out.pop(np.int8(1))",
    "out[1:3] = [9.0]",
]


@pytest.mark.parametrize("statement", shard(STATEMENTS, 2))
def test_lists_change_as_those_of_python(statement):
    text = f"def program(x):\n out = []\n for v in x:\n  out.append(v)\n  if len(out) > 4:\n   {statement}\n return out"
    program = function_of(text, {"np": np})
    try:
        run = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    except ExportError as error:
        assert error.code == "E103"
        return
    compared = 0
    for size in (0, 4, 5, 9, 12):
        x = np.arange(float(size))
        try:
            found = outcome(run, (x,))
        except InputMismatch:
            continue
        compared += 1
        assert found == outcome(program, (x,))
    assert compared == 5 if statement in CAPTURED else compared
