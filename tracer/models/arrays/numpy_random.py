"""Generators that the program makes with a seed of its own: as far as data and sizes are not
involved, they are known, and what they draw is part of the program.
"""

from __future__ import annotations

import contextlib
import inspect
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops, random_states
from npexport.ir.ops.stand_ins import stand_in
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_unbacked
from npexport.tracer.arrays.core import coercion, generators
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.generators import HIDDEN, MOVED
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, all_known, real_arguments
from npexport.tracer.arrays.core.writes import assign, require_whole, require_writeable, touched
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.join_points import GivenUp
from npexport.tracer.models.arrays import random_draws
from npexport.tracer.models.registry import models

_BIT_GENERATORS = {"_pcg64": ("PCG64", "PCG64DXSM"), "_mt19937": ("MT19937",), "_philox": ("Philox",), "_sfc64": ("SFC64",)}
_MAKERS = {"_generator": ("default_rng", "Generator"), "mtrand": ("RandomState",), "bit_generator": ("SeedSequence",), **_BIT_GENERATORS}
"""By the module of ``numpy.random`` that defines them, which is not imported here because that is
slow.
"""
_SEEDS = ("seed", "entropy", "bit_generator", "key")
"""Parameters without which other numbers are drawn in every run."""
_SILENT = frozenset(("__repr__", "__str__", "__hash__", "__eq__", "__ne__"))


def _maker(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = [*args, *kwargs.values()]
    name = fn.__name__
    if all(seed is None for seed in (*args[:1], *map(kwargs.get, _SEEDS))):
        if name in ("default_rng", "RandomState"):
            return generators.unseeded(fn)
        raise Unsupported("E107", f"numpy.random.{name}() without a seed draws other numbers in every run", hint=HIDDEN)
    rec = world.recorder
    if name in ("default_rng", "Generator") and len(given) == 1 and id(given[0]) in rec.generators:
        if isinstance(given[0], np.random.Generator):
            return given[0] if name == "default_rng" else fn(given[0])  # which raises
        if isinstance(given[0], np.random.BitGenerator):
            return generators.wrapped(given[0])
    if not all_known(args, tuple(kwargs.values())):
        seed = _seed_of_data(given) if not kwargs or "seed" in kwargs else None
        if seed is not None and name in _SEEDED:
            return _seeded(name, seed)
        raise Unsupported("E107", "the seed of a generator is data", hint=HIDDEN)
    if any(isinstance(value, (np.random.Generator, np.random.BitGenerator, np.random.RandomState)) for value in given):
        if any(id(value) in rec.generators for value in given):
            hint = f"Seed it with an integer (np.random.{name}(0)), or make a np.random.Generator of the bit generator."
            raise Unsupported("E107", f"numpy.random.{name}() is made from a generator of the program", hint=hint)
        raise Unsupported("E107", f"numpy.random.{name}() is made from a generator that exists before the call", hint=HIDDEN)
    args, kwargs = real_arguments(args), real_arguments(kwargs)
    if name in random_states.BIT_GENERATORS:
        return generators.known(generators.watched(name)(*args, **kwargs))
    made = fn(*args, **kwargs)
    if type(made) is np.random.Generator:
        return _watching(made)
    return generators.known(made)


_SEEDED = ("default_rng", random_states.LEGACY, *random_states.BIT_GENERATORS)


def _seed_of_data(given: list[Any]) -> Any:
    """A seed that only the data know: an integer, or several; ``None`` for other arguments."""
    if len(given) != 1:
        return None
    seed = coercion.array_of(given[0]) if type(given[0]) in (list, tuple) else given[0]
    if type(seed) is ArrayProxy:
        return seed if seed.ndim == 1 and seed.dtype.kind in "iu" else None
    return seed if type(seed) is SymInt or (type(seed) is ScalarProxy and seed.dtype.kind in "iu") else None


def _seeded(name: str, seed: Any) -> Any:
    """What is made with a seed that only the data know."""
    kind = "PCG64" if name == "default_rng" else name
    state = recorder().call(ops.random.seeded, seed, kind)
    made = generators.source_over if name in random_states.BIT_GENERATORS else generators.over
    return made(kind, state)


def _watching(generator: Any) -> Any:
    """A generator with the initial state of this new one."""
    bit_generator = generator.bit_generator
    return generators.wrapped(generators.known(generators.watched(generators.name_of(bit_generator))(bit_generator.seed_seq)))


def _method(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A generator's method: run by NumPy while state and arguments are known, else a node."""
    generator = getattr(fn, "__self__", None)
    if generator is None or isinstance(generator, type):
        generator, args = args[0], args[1:]
        fn = getattr(generator, fn.__name__)
    rec, name = world.recorder, fn.__name__
    if id(generator) not in rec.generators:
        raise _before(generator, name)
    if name in _SILENT:
        return fn(*args, **kwargs)
    if world.probe is not None:
        raise GivenUp
    if any(isinstance(value, np.flatiter) for value in (*args, *kwargs.values())):
        raise Unsupported("E101", f"`{name}` of a random generator is given an iterator over an array", hint="Write x.ravel() for x.flat.")
    if name.startswith("_"):
        raise Unsupported("E107", f"a {generator.__class__.__name__} is copied or pickled in the program", hint=generators.COPIED)
    owner = getattr(generator, "bit_generator", generator)
    generators.require_own(owner)
    unknown = not all_known(args, tuple(kwargs.values()))
    if random_states.can_be_packed(generator):
        if name in _STATES and generators.is_drawn(owner):
            raise Unsupported("E107", f"`{name}` of a RandomState depends on data or sizes", hint=MOVED)
        if generators.is_drawn(owner) or (unknown and name not in (*_ORDERED, *_STATES)):
            return random_draws.draw(generator, fn, args, kwargs)
        if name == "spawn":
            return [_watching(each) for each in fn(*args, **kwargs)]
    elif name == "random_raw" and random_states.name_of(owner) and (unknown or generators.is_drawn(owner)):
        return random_draws.raw(owner, fn, args, kwargs)
    elif generators.is_drawn(owner):
        raise Unsupported("E107", f"`{name}` of a bit generator depends on data or sizes", hint=MOVED)
    return _known(generator, fn, args, kwargs)


_STATES = ("seed", "get_state", "set_state")
"""Methods of a `RandomState` that are about its state."""
_LEGACY = {
    "rand": "random((2, 3)) in place of rand(2, 3)", "randn": "standard_normal((2, 3)) in place of randn(2, 3)",
    "randint": "integers", "random_integers": "integers(…, endpoint=True)", "random_sample": "random", "tomaxint": "integers(2**63)",
}  # fmt: skip
"""What a `Generator` calls the `RandomState` methods that it lacks."""


def _before(generator: Any, name: str) -> Unsupported:
    """The refusal of a draw from a generator that existed before the call."""
    cls = generator.__class__.__name__
    if cls != "RandomState":
        return Unsupported("E107", f"`{cls}.{name}` draws from a generator that exists before the call", hint=HIDDEN)
    text = f"`{name}` draws from a RandomState that exists before the call (numpy.random.{name}: from NumPy's own)"
    if not hasattr(np.random.Generator, name) and name not in _LEGACY:
        return Unsupported("E107", text, hint=HIDDEN)
    hint = f"Pass `rng`, a numpy.random.Generator (np.random.default_rng(0)), and write rng.{_LEGACY.get(name, name)}."
    return Unsupported("E107", text, hint=hint)


_ORDERED = ("shuffle", "permutation", "choice")
"""Methods that only rearrange elements."""


_WRITING = {"random": 2, "standard_normal": 2, "standard_exponential": 3, "standard_gamma": 3, "permuted": 1}
"""Methods that write to ``out``, with its place among the arguments."""


def _by_position(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, by position as far as they can be; as they are if the method takes no such
    arguments.
    """
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except TypeError:
        return args, kwargs
    return bound.args, bound.kwargs


def _is_open(items: Any) -> bool:
    """Whether only the data know how many items there are."""
    return type(items) is FilledList or (type(items) is ArrayProxy and any(map(is_unbacked, items.shape)))


def _known(generator: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw whose numbers are known."""
    rec, name = recorder(), fn.__name__
    if name in _WRITING or name in _ORDERED:
        args, kwargs = _by_position(fn, args, kwargs)
    if name in _ORDERED and args and _is_open(args[0]) and random_states.can_be_packed(generator):
        return random_draws.draw(generator, fn, args, kwargs)
    if name == "shuffle" and args and type(args[0]) is not ArrayProxy:
        return _shuffled(fn, *args, **kwargs)
    given = args and type(args[0]) is ArrayProxy and not args[0].known
    if name in ("shuffle", "permutation") and given:
        return _reordered(generator, name, args[0], *args[1:], **kwargs)
    if name == "choice" and given:
        return _chosen(fn, *args, **kwargs)
    if not all_known(args, tuple(kwargs.values())):
        if random_states.can_be_packed(generator) and name not in _STATES:
            return random_draws.draw(generator, fn, args, kwargs)
        raise Unsupported("E107", f"`{name}` of a random generator depends on data", hint=HIDDEN)
    result = fn(*real_arguments(args), **real_arguments(kwargs))
    if result is generator:
        return result
    if name == "jumped" and random_states.name_of(result) is not None:
        return generators.in_state(result.__class__.__name__, result.state, generators.fresh_seeds())
    if isinstance(result, (np.random.BitGenerator, np.random.SeedSequence)) or (type(result) is list and name == "spawn"):
        for made in result if type(result) is list else (result,):
            if isinstance(made, np.random.BitGenerator):
                raise Unsupported("E107", f"`{name}` of a bit generator makes another one", hint=generators.COPIED)
            generators.known(made)
        return result
    for arg in (*args[:1], *args[_WRITING.get(name, len(args)) :], kwargs.get("out")):
        if type(arg) is ArrayProxy:
            touched(arg.storage)
    return rec.known(result)


def _shuffled(shuffle: Any, x: Any, *args: Any, **kwargs: Any) -> None:
    """A Python sequence, whatever it holds, is reordered in place."""
    order = list(range(len(x))) if type(x) is list else random_draws.unordered(x)
    shuffle(order, *real_arguments(args), **real_arguments(kwargs))  # raises for what is not a list and has several items
    if type(x) is list:
        x[:] = [x[place] for place in order]


def _reordered(generator: Any, name: str, x: Any, axis: int = 0) -> Any:
    """The order is known although the data are not."""
    if name == "shuffle":
        require_writeable(x, "array is read-only")
        require_whole(x)
    _require_axis(getattr(generator, name), x, axis)
    with _drawn_once(generator):
        order = recorder().known(generator.permutation(int(x.shape[axis])))
        result = x[(slice(None),) * (axis % x.ndim) + (order,)]
    return assign(x, result) if name == "shuffle" else result


@contextlib.contextmanager
def _drawn_once(generator: Any) -> Iterator[None]:
    """What is raised inside takes the draw back: an attempt may make the call again."""
    source = random_states.source_of(generator)
    before = random_states.read(source)
    try:
        yield
    except BaseException:
        random_states.put(source, before)
        raise


def _require_axis(method: Any, x: Any, axis: Any) -> None:
    """Raises what NumPy raises where the array has no such axis."""
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        method(stand_in(x.meta), axis=axis)


def _chosen(choice: Any, x: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True) -> Any:
    """The indices of the chosen elements are known although the elements are not."""
    given = {"size": size, "replace": replace, "p": p}
    options = {} if random_states.is_legacy(choice.__self__) else {"shuffle": shuffle}
    axes = options and {"axis": axis}
    if not all_known(size, replace, p, axis, shuffle) or not x.ndim:
        return random_draws.draw(choice.__self__, choice, (x,), given | axes | options)
    if x.ndim > 1 and type(choice.__self__).__name__ == "RandomState":
        choice(stand_in(x.meta))  # raises
    _require_axis(choice, x, axis)
    with _drawn_once(choice.__self__):
        given = real_arguments(given)
        try:
            places = choice(int(x.shape[axis]), **given, **options)
        except (TypeError, ValueError):
            choice(stand_in(x.meta), **given, **axes, **options)  # raises in the words for arrays
            raise
        chosen = x.take(places if isinstance(places, int) else recorder().known(places), axis)
    return recorder().call(ops.np.array, chosen) if size is not None and type(chosen) is ScalarProxy else chosen


for _module, _names in _MAKERS.items():
    for _name in _names:
        models(f"numpy.random.{_module}", _name)(models("numpy.random", _name)(_maker))
_OWNERS = [("_generator", "Generator"), ("mtrand", "RandomState"), ("bit_generator", "SeedSequence"), ("bit_generator", "BitGenerator")]
for _module, _owner in [*_OWNERS, *[(module, name) for module, names in _BIT_GENERATORS.items() for name in names]]:
    models(f"numpy.random.{_module}", f"{_owner}.*")(models("numpy.random", f"{_owner}.*")(_method))
