"""Texts in archives. Those of arrays are of any length: the number of bytes of each, as
little-endian integers of 8 bytes, then all of them in UTF-8. Those of sizes are what readers take.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from npexport.ir.archive_values import damaged
from npexport.ir.meta import TEXTS
from npexport.symshapes import limits
from npexport.symshapes.errors import UserError

_LENGTHS = np.dtype("<i8")


def packed(array: np.ndarray[Any, Any]) -> bytes:
    """The texts of an array, in C order."""
    texts = [text.encode() for text in array.reshape(-1).tolist()]
    return np.array([*map(len, texts)], _LENGTHS).tobytes() + b"".join(texts)


def unpacked(data: Any, count: int) -> np.ndarray[Any, Any]:
    """The array of ``count`` texts.

    Raises ``LoadError`` (E501) where the bytes are not those of so many.
    """
    begin = count * _LENGTHS.itemsize
    if len(data) < begin:
        raise damaged(f"{count} texts have {len(data)} bytes")
    lengths = np.frombuffer(data, _LENGTHS, count)
    if count and (int(lengths.min()) < 0 or int(lengths.max()) > len(data)) or begin + int(lengths.sum()) != len(data):
        raise damaged(f"{count} texts do not have the lengths that it says")
    found = np.empty(count, TEXTS)
    for place, length in enumerate(lengths.tolist()):
        try:
            found[place] = str(data[begin : begin + length], "utf-8")
        except UnicodeDecodeError:
            raise damaged("a text is not UTF-8") from None
        begin += length
    return found


_EXPONENT = re.compile(r"(?:<<|\*\*) ?(\d+)")


def text_of(expression: Any) -> str:
    """The text of an expression or truth. Raises ``UserError`` (E242) where no reader takes it."""
    text = str(expression)
    for exponent in _EXPONENT.findall(text):
        if int(exponent) > limits.PARSED_EXPONENT:
            raise UserError("E242", f"a size cannot be saved that has {exponent} as an exponent or number of bits to shift by")
    return text
