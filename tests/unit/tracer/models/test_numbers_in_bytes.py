"""Numbers that the program's own bytes and texts hold: ``np.frombuffer``, ``np.fromstring``."""

from __future__ import annotations

import base64
import struct
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export

TABLE = base64.b64encode(np.arange(4.0).tobytes())


def a_table(x: Any) -> Any:
    return x * np.frombuffer(base64.b64decode(TABLE))


def packed(x: Any) -> Any:
    return x + np.frombuffer(struct.pack(">4h", 1, -2, 300, 4), ">i2")


def a_part(x: Any) -> Any:
    part = np.frombuffer(b"abcdefgh", np.uint8, 4, 2)
    return part, part[1:], part.reshape(2, 2).T, part.view(np.int8), part.copy()


def read_only(x: Any) -> Any:
    table = np.frombuffer(b"abcd", np.uint8)
    try:
        table[0] = 1
    except ValueError as error:
        return table, table.flags.writeable, str(error)
    return table


def on_a_side(x: Any) -> Any:
    table = np.frombuffer(b"abcd", np.uint8)
    return table if x[0] > 0 else table * 2


def texts(x: Any) -> Any:
    numbers = np.fromstring("1,2,3,4", dtype=int, sep=",")
    numbers[0] = len(x)
    return numbers, np.fromstring("0.5 7 1e3 -1", sep=" ") * x


def none(x: Any) -> Any:
    return np.frombuffer(b"", np.uint8)


PROGRAMS = [a_table, packed, a_part, read_only, on_a_side, texts, none]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_numbers_in_bytes(program: Any) -> None:
    run = export(program, (np.ones(4),)).module()
    for x in (np.arange(4.0) + 1, -np.ones(4)):
        found, wanted = [made if isinstance(made, tuple) else (made,) for made in (run(x), program(x))]
        for one, other in zip(found, wanted, strict=True):
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)
            if type(one) is np.ndarray:
                assert (one.dtype, one.flags.writeable) == (other.dtype, other.flags.writeable)


@pytest.mark.parametrize(
    "code, text", [("E105", "np.frombuffer(bytearray(8))"), ("E101", "np.frombuffer(b'12345678').setflags(write=True)")]
)
def test_memory_that_others_may_change(code: str, text: str) -> None:
    with pytest.raises(ExportError, match=code):
        export(eval(f"lambda x: {text}", {"np": np}), (np.ones(4),))


def test_bytes_that_fit_no_numbers() -> None:
    with pytest.raises(ValueError, match="buffer size must be a multiple of element size"):
        export(lambda x: np.frombuffer(b"abc", "<i2"), (np.ones(4),))
