"""Attributes of numbers and texts that only the data know: what Python's refuse, they refuse with the same words."""

from __future__ import annotations

import itertools
import linecache

import numpy as np
import pytest

from npexport import Dim, export

VALUES = ("len(x)", "int(x[0])", "float(x[0])", "bool(x[0] > 0)", "complex(x[0])", "str(x[0])", "x[0]")
CHANGES = (
    "v.real = 2", "v.imag = 2", "v.numerator = 1", "v.new = 2", "v.real += 1", "v.__doc__ = 'a'", "del v.real", "del v.imag", "del v.new",
    "setattr(v, '__class__', int)", "object.__setattr__(v, 'real', 2)", "v.__dict__",
)  # fmt: skip


@pytest.mark.parametrize("value, change", list(itertools.product(VALUES, CHANGES)))
def test_attributes_are_refused_as_pythons_are(value, change):
    caught = "    except Exception as error:\n        return type(error).__name__, str(error)\n"
    source = f"def f(x):\n    v = {value}\n    try:\n        {change}\n{caught}"
    names, file = {"np": np}, f"<attributes {value} {change}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), names)
    module = export(names["f"], (np.ones(3),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    assert module(np.ones(2)) == names["f"](np.ones(2)) is not None
