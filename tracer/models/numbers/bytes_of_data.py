"""C functions that take bytes which only the data know."""

from __future__ import annotations

import inspect
from typing import Any

from npexport.tracer.arrays.core.data_bytes import DataBytes, integer, joined
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import DECLINED, receiver


def integer_of(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An integer of bytes that only the data know."""
    given = inspect.signature(int.from_bytes).bind(*args, **kwargs)
    if fn.__self__ is not int or type(given.arguments["bytes"]) is not DataBytes:
        return DECLINED
    given.apply_defaults()
    int.from_bytes(b"", *given.args[1:], **given.kwargs)  # raises
    return integer(*given.args, **given.kwargs)


def join(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``bytes.join`` of a list or tuple, which holds bytes that only the data know."""
    separator, given = receiver(fn, args)
    parts = given[0] if len(given) == 1 else ()
    if type(parts) not in (list, tuple) or DataBytes not in map(type, (separator, *parts)):
        return DECLINED
    separator.join([b"" if type(part) is DataBytes else part for part in parts])  # raises for what is not bytes
    return joined([piece for part in parts for piece in (separator, part)][1:] or [b""])
