"""The calling convention of an exported program."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from npexport.ir.identities import NO_IDENTITIES, Identities
from npexport.ir.pytree import TreeSpec


@dataclass(frozen=True)
class CallSpec:
    """The calling convention.

    ``in_spec``: the structure of ``(args, kwargs)`` as they were passed in the example call;
    ``out_spec``: of the result. ``parameters``: the parameters of the exported callable (bound ones
    left out), by which calls are bound as Python binds them; ``None`` where it has no signature:
    then a call must be arranged as the example was. ``identities``: which containers of the result
    are one object, and which are the caller's.
    """

    in_spec: TreeSpec
    out_spec: TreeSpec
    parameters: tuple[inspect.Parameter, ...] | None = None
    identities: Identities = NO_IDENTITIES


def unbound(parameters: tuple[inspect.Parameter, ...] | None, in_spec: TreeSpec) -> str | None:
    """Why the example call does not fit the parameters, if it does not."""
    if parameters is not None:
        args, kwargs = in_spec.children
        try:
            inspect.Signature(parameters).bind(*args.children, **dict(zip(kwargs.context, kwargs.children, strict=True)))
        except (TypeError, ValueError) as error:
            return str(error)
    return None
