"""Builtins that need the VM: they examine frames, or run the user's special methods.

Each has one function (`declare.special`) of (vm, args, kwargs, then) that returns the value or
`PUSHED`. If nothing involved is the user's, the host's builtin does the work.
"""

from npexport.tracer.interpreter.specials import attributes, classes, frames, generators, iterables, protocols  # noqa: F401
