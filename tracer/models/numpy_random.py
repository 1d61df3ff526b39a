"""Generators made in the program with a seed of their own are known: what they draw is part of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.proxy import ArrayProxy, all_known, real_arguments
from npexport.tracer.arrays.writes import assign, touched
from npexport.tracer.current import recorder
from npexport.tracer.models.lookup import MODELS

_MAKERS = (
    np.random.default_rng,
    np.random.Generator,
    np.random.RandomState,
    np.random.SeedSequence,
    np.random.PCG64,
    np.random.MT19937,
    np.random.Philox,
    np.random.SFC64,
)
_HIDDEN = "Draw the random numbers outside the exported function and pass them in, or make the generator in the program with a seed."


def _maker(function: Any) -> Callable[..., Any]:
    def make(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if not given or given[0] is None:
            raise Unsupported("E107", f"numpy.random.{function.__name__}() without a seed draws other numbers in every run", hint=_HIDDEN)
        if not all_known(args, tuple(kwargs.values())):
            raise Unsupported("E107", "the seed of a generator is data", hint=_HIDDEN)
        generator = function(*real_arguments(args), **real_arguments(kwargs))
        recorder().generators[id(generator)] = generator
        return generator

    return make


def _method(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a generator: run by NumPy on known arguments."""
    generator = getattr(fn, "__self__", None)
    if generator is None:
        generator, args = args[0], args[1:]
        fn = getattr(generator, fn.__name__)
    rec = recorder()
    if id(generator) not in rec.generators:
        raise Unsupported(
            "E107", f"`{generator.__class__.__name__}.{fn.__name__}` draws from a generator that exists before the call", hint=_HIDDEN
        )
    if fn.__name__ in ("shuffle", "permutation") and args and isinstance(args[0], ArrayProxy) and not args[0].known:
        return _reordered(generator, fn.__name__, args[0], *args[1:], **kwargs)
    if not all_known(args, tuple(kwargs.values())):
        raise Unsupported("E107", f"`{fn.__name__}` of a random generator depends on data", hint=_HIDDEN)
    result = rec.known(fn(*real_arguments(args), **real_arguments(kwargs)))
    for arg in (*args[:1], kwargs.get("out")):
        if type(arg) is ArrayProxy:
            touched(arg.storage)
    return result


def _reordered(generator: Any, name: str, x: Any, axis: int = 0) -> Any:
    """The order is known though the data are not."""
    order = recorder().known(generator.permutation(int(x.shape[axis])))
    result = x[(slice(None),) * (axis % x.ndim) + (order,)]
    return assign(x, result) if name == "shuffle" else result


CALLS: dict[Any, Callable[..., Any]] = {maker: _maker(maker) for maker in _MAKERS}
for _module, _owner in (
    ("numpy.random._generator", "Generator"),
    ("numpy.random.mtrand", "RandomState"),
    ("numpy.random.bit_generator", "SeedSequence"),
):
    MODELS[_module, f"{_owner}.*"] = MODELS["numpy.random", f"{_owner}.*"] = _method
