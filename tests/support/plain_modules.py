"""What `to_python` wrote, as a module, and its results beside a program's."""

import importlib.util
import warnings

import numpy as np

from tests.op_samples import samples_of


def module_of(program, path):
    """The module that the text of a program is, executed from a file."""
    text = program.to_python(path)
    assert not [line for line in text.splitlines() if "npexport" in line.partition("#")[0]]
    assert path.read_text() == text
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spec.loader.exec_module(module)
    return module


def equal(mine, theirs):
    assert type(mine) is type(theirs)
    if isinstance(theirs, (tuple, list)):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            equal(a, b)
    elif isinstance(theirs, dict):
        assert list(mine) == list(theirs)
        for key in theirs:
            equal(mine[key], theirs[key])
    else:
        np.testing.assert_array_equal(mine, theirs)
        assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None)


def outcome(f, x):
    try:
        return f(x)
    except Exception as error:
        return [type(error).__name__, str(error), type(error.__cause__).__name__]


def calls(op):
    """The calls of an operator over its samples as functions of their arrays, and these arrays."""
    for args, kwargs in samples_of(op):
        places = [index for index, arg in enumerate(args) if isinstance(arg, np.ndarray) and arg.dtype.kind in "biufc"]
        if places:
            yield of_arrays(op, args, kwargs, places), tuple(args[index] for index in places)


def of_arrays(op, args, kwargs, places):
    def call(*arrays):
        given = list(args)
        for index, array in zip(places, arrays, strict=True):
            given[index] = array
        return op(*given, **kwargs)

    return call


def map_copy(arrays):
    return [array.copy(order="K") for array in arrays]
