"""The interpreter: CPython's bytecode on an explicit frame stack, with nothing of NumPy or export
in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.parameters import FUNCTION, require


def interpret(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run a Python function in the tracer's own interpreter on real values, effects included.

    Parameters
    ----------
    f : callable
        A function, or another callable; what is not Python is called as it is.
    *args, **kwargs
        What it is called with.

    Returns
    -------
    object
        What ``f(*args, **kwargs)`` returns in CPython.

    Raises
    ------
    UserError
        ``f`` is not a function (E201).
    Exception
        What ``f(*args, **kwargs)`` raises in CPython; tracebacks hold the user's frames.

    Examples
    --------
    >>> interpret(lambda n: [i * i for i in range(n)], 4)
    [0, 1, 4, 9]
    """
    from npexport.tracer.interpreter.vm import VM

    require("f", f, FUNCTION)
    return VM().run(f, args, kwargs)
