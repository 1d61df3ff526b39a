"""Generators made in the program with a seed of their own are known: what they draw is part of the program."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.proxy import ArrayProxy, all_known, real_arguments
from npexport.tracer.arrays.writes import assign, require_whole, require_writeable, touched
from npexport.tracer.current import recorder
from npexport.tracer.models.lookup import MODELS

_MAKERS = {
    "_generator": ("default_rng", "Generator"),
    "mtrand": ("RandomState",),
    "bit_generator": ("SeedSequence",),
    "_pcg64": ("PCG64",),
    "_mt19937": ("MT19937",),
    "_philox": ("Philox",),
    "_sfc64": ("SFC64",),
}
"""By the module of ``numpy.random`` that defines them. It is not imported here: it is slow to load."""
_HIDDEN = "Draw the random numbers outside the exported function and pass them in, or make the generator in the program with a seed."


def _maker(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = [*args, *kwargs.values()]
    if not given or given[0] is None:
        raise Unsupported("E107", f"numpy.random.{fn.__name__}() without a seed draws other numbers in every run", hint=_HIDDEN)
    if not all_known(args, tuple(kwargs.values())):
        raise Unsupported("E107", "the seed of a generator is data", hint=_HIDDEN)
    generator = fn(*real_arguments(args), **real_arguments(kwargs))
    recorder().generators[id(generator)] = generator
    return generator


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
    if fn.__name__ == "choice" and args and isinstance(args[0], ArrayProxy) and not args[0].known:
        return _chosen(fn, *args, **kwargs)
    if not all_known(args, tuple(kwargs.values())):
        raise Unsupported("E107", f"`{fn.__name__}` of a random generator depends on data", hint=_HIDDEN)
    result = rec.known(fn(*real_arguments(args), **real_arguments(kwargs)))
    for arg in (*args[:1], kwargs.get("out")):
        if type(arg) is ArrayProxy:
            touched(arg.storage)
    return result


def _reordered(generator: Any, name: str, x: Any, axis: int = 0) -> Any:
    """The order is known though the data are not."""
    if name == "shuffle":
        require_writeable(x, "array is read-only")
        require_whole(x)
    if not x.ndim:
        getattr(generator, name)(np.zeros(()))  # raises
    order = recorder().known(generator.permutation(int(x.shape[axis])))
    result = x[(slice(None),) * (axis % x.ndim) + (order,)]
    return assign(x, result) if name == "shuffle" else result


def _chosen(choice: Any, x: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, **options: Any) -> Any:
    """Which elements are taken is known though the elements are not."""
    if not all_known(size, replace, p, axis, *options.values()):
        raise Unsupported("E107", "`choice` of a random generator depends on data", hint=_HIDDEN)
    if x.ndim == 0 or (x.ndim > 1 and type(choice.__self__).__name__ == "RandomState"):
        choice(np.zeros((1,) * x.ndim))  # raises
    places = choice(int(x.shape[axis]), size, replace, real_arguments(p), **options)
    return x.take(places if isinstance(places, int) else recorder().known(places), axis)


for _module, _names in _MAKERS.items():
    for _name in _names:
        MODELS[f"numpy.random.{_module}", _name] = MODELS["numpy.random", _name] = _maker
for _module, _owner in (("_generator", "Generator"), ("mtrand", "RandomState"), ("bit_generator", "SeedSequence")):
    MODELS[f"numpy.random.{_module}", f"{_owner}.*"] = MODELS["numpy.random", f"{_owner}.*"] = _method
