"""Random generators as the program holds them: real NumPy objects whose states are either known or
arrays of the graph.

A bit generator that the program makes with a seed of its own is run by NumPy, until a draw depends
on data or sizes. From then on, and from the beginning for one from outside, its state is an array
of words (`npexport.ir.random_states`), which every draw writes to.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, fresh
from npexport.tracer.arrays.core.writes import assign
from npexport.tracer.arrays.memory.model import C_ORDER, Storage
from npexport.tracer.interpreter.native import NATIVE_TYPES

HIDDEN = (
    "Pass a numpy.random.Generator as an argument, make it in the program with a seed (np.random.default_rng(0)), or hold it in an "
    "attribute of the exported object."
)

MOVED = "Draw by the methods of the generator, whose state the data or the caller decide, and pass a second one where two are needed."


class CarryNeeded(Unsupported):
    """Explicit control flow draws from an earlier bit generator, which its node has to carry."""

    def __init__(self, bit_generator: Any, what: str) -> None:
        super().__init__("E128", f"{what} draws from a generator that exists before", hint="Draw before the call, and pass what is drawn.")
        self.bit_generator = bit_generator


class SeedNeeded(Unsupported):
    """A side of a branch, or an iteration of a loop, draws from an earlier bit generator that NumPy
    runs: its state has to become an array of the graph before the branch or loop begins.
    """

    def __init__(self, bit_generator: Any, refusal: Unsupported) -> None:
        super().__init__(refusal.code, refusal.message, hint=HIDDEN)
        self.bit_generator = bit_generator


def with_states(build: Callable[[], Any]) -> Any:
    """The result of ``build``, which has no effect if it raises `SeedNeeded`."""
    while True:
        try:
            return build()
        except SeedNeeded as need:
            bit_generator = need.bit_generator
        require_own(bit_generator)  # raises where what is around begins before, too
        state_of(bit_generator)


def is_drawn(bit_generator: Any) -> bool:
    """Whether only the graph knows the state."""
    return id(bit_generator) in recorder().drawn


def state_of(bit_generator: Any) -> ArrayProxy:
    """The array that is the state from now on."""
    rec = recorder()
    require_seed(bit_generator)
    state = rec.drawn.get(id(bit_generator))
    if state is None:
        words = random_states.pack(bit_generator, name_of(bit_generator))
        state = rec.drawn[id(bit_generator)] = rec.known(words)
    return state


def name_of(bit_generator: Any) -> str:
    """The name of its class."""
    return str(bit_generator.__class__.__name__)


def advance(bit_generator: Any, after: ArrayProxy) -> None:
    """The state becomes another."""
    assign(state_of(bit_generator), after)


def require_own(bit_generator: Any) -> None:
    """Raises `CarryNeeded` inside a sub-graph for an earlier generator, unless the sub-graph logs
    the changes of the state; then `SeedNeeded`, if the state is not an array yet.
    """
    rec = recorder()
    require_seed(bit_generator)
    region = rec.regions[-1] if rec.regions else None
    if region is None or not region.is_before(bit_generator) or (region.logs and is_drawn(bit_generator)):
        return
    if random_states.name_of(bit_generator) is None:  # the graph has no state of it
        hint = "Draw from np.random.default_rng(0), or draw before the branch or the loop."
        raise region.refusal(f"draws from a {name_of(bit_generator)} that exists before", hint)
    if region.logs:
        raise SeedNeeded(bit_generator, region.refusal("draws from a generator with a seed that exists before"))
    raise CarryNeeded(bit_generator, region.what)


def require_seed(bit_generator: Any) -> None:
    """Raises where the state is another in every run."""
    if id(bit_generator) in recorder().unseeded:
        message = f"a generator draws that was made without a seed ({name_of(bit_generator)}): other numbers in every run"
        raise Unsupported("E107", message, hint=HIDDEN)


def known(made: Any) -> Any:
    """A known bit generator of one of the classes below, noted as the program's."""
    recorder().generators[id(made)] = made
    return made


def over(name: str, state: ArrayProxy) -> Any:
    """A generator, or a `RandomState`, whose state is this array."""
    rec = recorder()
    if name == random_states.LEGACY:
        made = known(np.random.RandomState(memory := watched("MT19937")(0)))
        rec.drawn.update({id(made): state, id(memory): state})  # whose own state says nothing
        return made
    return wrapped(source_over(name, state))


def source_over(name: str, state: ArrayProxy, seed: Any = 0) -> Any:
    """A bit generator whose state is this array."""
    made = known(watched(name)(seed))
    recorder().drawn[id(made)] = state
    return made


def unseeded(maker: Any) -> Any:
    """What ``default_rng`` or ``RandomState`` gives without a seed: nothing may draw from it."""
    cls = "PCG64" if maker is np.random.default_rng else "MT19937"
    bit_generator = known(watched(cls)(0))
    made = known(maker(bit_generator))
    recorder().unseeded.update((id(bit_generator), id(made)))
    return made


def wrapped(bit_generator: Any) -> Any:
    """A generator over this bit generator, noted as the program's."""
    return known(np.random.Generator(bit_generator))


def copied(bit_generator: Any) -> ArrayProxy:
    """The state in memory of its own, for a sub-graph that writes to it."""
    state = state_of(bit_generator)
    return fresh(Storage(state.meta, state.node(), None, C_ORDER))


def is_own_source(value: Any) -> bool:
    """Whether it is a bit generator of the program."""
    return id(value) in recorder().generators and value.__class__.__name__ in random_states.BIT_GENERATORS


def duplicate(bit_generator: Any) -> Any:
    """What ``copy.deepcopy`` gives: another bit generator in the same state."""
    require_own(bit_generator)
    if is_drawn(bit_generator):
        return source_over(name_of(bit_generator), copied(bit_generator), seed_of(bit_generator))
    return in_state(name_of(bit_generator), bit_generator.state, copy.deepcopy(bit_generator.seed_seq))


def seed_of(bit_generator: Any) -> Any:
    """The seeds of a bit generator as NumPy holds them, whose state may be an array."""
    return getattr(np.random, name_of(bit_generator)).seed_seq.__get__(bit_generator)


def in_state(name: str, state: Any, seed_seq: Any) -> Any:
    """A bit generator in a known state, whose children are those of ``seed_seq``."""
    made = known(watched(name)(seed_seq))
    made.state = state
    return made


@functools.cache
def fresh_seeds() -> Any:
    """The seeds of what ``jumped`` gives: NumPy makes them anew in every run, so nothing may depend
    on them.
    """
    base: Any = np.random.bit_generator.ISpawnableSeedSequence

    class FreshSeeds(base):  # type: ignore[misc]
        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
            return np.zeros(n_words, dtype)

        def spawn(self, n_children: int) -> Any:
            return self.entropy

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            message = "the seeds are used of a bit generator that `jumped` gives, which are others in every run"
            raise Unsupported("E107", message, hint="Spawn from the generator that has a seed: rng.spawn(1)[0].")

    return FreshSeeds()


def _pickled(bit_generator: Any) -> Any:
    raise Unsupported("E107", f"a {name_of(bit_generator)} is pickled in the program", hint=COPIED)


COPIED = "Copy the generator (copy.deepcopy(rng)), make one with a seed (np.random.default_rng(0)), or spawn one: rng.spawn(1)[0]."


@functools.cache
def watched(name: str) -> Any:
    """The class of this name that refuses to reveal a state which only the graph knows."""
    base: Any = getattr(np.random, name)
    descriptors = {each: getattr(base, each) for each in ("state", "seed_seq")}

    def read(each: str, self: Any) -> Any:
        require_seed(self)
        if is_drawn(self):
            raise Unsupported("E107", f"`{each}` of a generator is read that depends on data or sizes", hint=MOVED)
        return descriptors[each].__get__(self)

    def write(self: Any, value: Any) -> None:
        rec = recorder()
        require_own(self)
        state = rec.drawn.get(id(self))
        if state is not None and state.storage.outside is not None:
            raise Unsupported("E107", "the state of a generator from outside is replaced", hint=MOVED)
        rec.drawn.pop(id(self), None)
        descriptors["state"].__set__(self, value)

    space = {
        "state": property(functools.partial(read, "state"), write),
        "seed_seq": property(functools.partial(read, "seed_seq")),
        "__reduce__": _pickled,
        "__class__": property(lambda self: base),
        "__module__": __name__,
    }
    cls = type(f"{base.__module__}.{name}", (base,), space)  # as errors about its objects name it
    NATIVE_TYPES.add(cls)
    return cls
