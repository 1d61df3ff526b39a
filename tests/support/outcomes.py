"""What a program can see of a call: the law by which exported programs are held to eager ones."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from npexport import ExportError
from tests.support.comparison import steps
from tests.support.images import arrays_of, shared
from tests.support.quiet import quiet


def outcome(function: Any, args: tuple[Any, ...], *, warns: bool = False, memory: bool = False) -> Any:
    """What a call of copies of the arguments gives or raises and leaves in them, and what shares memory.

    With ``warns`` what it warns of, too, with ``memory`` how the arrays of its result lie and whether they can be written to.
    A call with inputs that an exported program is not valid for has none: that is raised.
    """
    args = copy.deepcopy(args)
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn" if warns else "ignore"):
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except ExportError:
            raise
        except Exception as error:
            found: Any = f"{type(error).__name__}: {error.args!r}", shown(args)
        else:
            arrays = arrays_of(result)
            found = shown(result), shown(args), shared([*args, *arrays])
            if memory:
                found += ([(steps(each), each.flags.writeable) for each in arrays],)
    return (*found, sorted({f"{each.category.__name__}: {each.message}" for each in caught})) if warns else found


def result_or_error(function: Any, *args: Any, passes: Any = (), **kwargs: Any) -> Any:
    """What a call returns, or the exception that it raises, without warnings. Exceptions of the classes ``passes`` are raised."""
    with quiet():
        try:
            return function(*args, **kwargs)
        except passes:
            raise
        except Exception as error:
            return error


def shown(value: Any) -> str:
    """A text that tells types, dtypes, shapes and values apart, to the bit but for the payloads of NaN."""
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(shown, value))})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        kind = "" if type(value) is np.ndarray else type(value).__name__
        return f"{kind}{value.dtype}{value.shape}{[shown(item) for item in value.ravel().tolist()]}"
    if isinstance(value, complex):
        return f"{type(value).__name__} ({shown(float(value.real))}, {shown(float(value.imag))})"
    text = "nan" if value != value else repr(value)
    return f"{type(value).__name__} {text}"
