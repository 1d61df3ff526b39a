"""The interpreter: CPython's bytecode on an explicit frame stack, with nothing of NumPy or export in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def interpret(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Runs a Python function in the tracer's own interpreter on real values, effects included.

    Returns or raises what ``f(*args, **kwargs)`` does in CPython; tracebacks hold the user's frames.

    >>> interpret(lambda n: [i * i for i in range(n)], 4)
    [0, 1, 4, 9]
    """
    from npexport.tracer.interpreter.vm import VM

    return VM().run(f, args, kwargs)
