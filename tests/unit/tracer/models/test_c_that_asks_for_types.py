"""C that asks for the type of an argument takes no stand-in: what it raises is what it raises for real objects, or the call is refused."""

from __future__ import annotations

import base64
import datetime
import heapq
import inspect
import io
import itertools
import json
import re
import string
import struct
import time
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.comparison import said

SPACE: dict[str, Any] = {
    module.__name__: module for module in (base64, datetime, heapq, inspect, io, itertools, json, re, string, struct, time)
}
CALLS = (
    "datetime.timedelta({})", "list(itertools.islice([1, 2], {}))", "list(itertools.islice(iter([1, 2]), {}))", "heapq.heapify({})",
    "pow(2, {}, 5)", "io.StringIO({})",
    "re.match('a', {})", "string.Template('$a').substitute(a={})", "vars({})", "int.from_bytes({}, 'big')", "time.gmtime({})",
    "struct.pack('i', {})", "'a'.join({})", "json.dumps([{}])", "base64.b64encode({})", "[1, 2][{}]", "bytes([{}])",
    "type.__dict__['__mro__'].__get__({})", "np.ndarray.__dict__['ndim'].__get__({})", "inspect.getattr_static({}, 'no_such', 0)",
    "'__add__' in dir({})", "'__array_ufunc__' in dir({})",
    "[1].__add__({})", "[1].__getitem__({})", "[1].__setitem__({}, 2)", "[1].__delitem__({})", "(1,).__getitem__({})",
    "'a'.__getitem__({})",
    "dict().update({})", "dict().update([{}])", "dict({})", "dict([(1, 2), {}])", "dict([({},)])", "dict([({}, 1, 2)])", "hasattr({}, 1)",
    "delattr({}, 'shape')", "delattr({}, 'T')", "setattr({}, 'T', 1)", "setattr({}, 'base', 1)", "delattr({}, 'flat')",
)  # fmt: skip
VALUES = ("k[0]", "int(k[0])", "x[0]", "float(x[0])", "x", "k", "len(x)", "str(k[0])", "bool(k[0])")


@pytest.mark.parametrize("call", CALLS)
def test_what_it_raises_is_what_it_raises_for_real_objects(call: str) -> None:
    for value in VALUES:
        program = eval(f"lambda x, k: {call.replace('{}', value)}", {**SPACE, "np": np})
        given = np.array([1.0, 2.0, 3.0]), np.array([1, 1, 2])
        wanted = said(program, *given)
        try:
            found = said(export(program, given).module(), *given)
        except Unsupported:
            continue
        except Exception as error:
            found = type(error), str(error)
        assert repr(found) == repr(wanted), value
