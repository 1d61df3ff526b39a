"""Builtins that need the VM: they look at frames, or run the user's special methods.

One function a builtin (`declare.special`).

Each gets (vm, args, kwargs, then) and answers the value or `PUSHED`. Where nothing is the user's
the host's builtin does the work.
"""

from npexport.tracer.interpreter.specials import attributes, classes, frames, generators, iterables, protocols  # noqa: F401
