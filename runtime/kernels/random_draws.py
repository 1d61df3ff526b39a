"""Draws of generators whose state is an array of words: the state after a draw, and what
was drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.random_states import LEGACY, bring_to, drawing, make, pack, source_of, spawn, with_state

__all__ = ["call", "draw", "method_of", "seeded", "shuffle", "shuffled", "spawn"]


@functools.cache
def _idle(name: str) -> list[Any]:
    """Generators that are free for use: making one costs more than drawing."""
    return []


def _with(name: str, words: Any, act: Callable[[Any], Any]) -> Any:
    """The state after ``act(generator)`` of a generator in this state, and its result."""
    idle = _idle(name)
    try:
        generator = idle.pop()
    except IndexError:
        generator = drawing(name)
    source = source_of(generator)
    bring_to(source, name, words)
    result = act(generator)
    after = with_state(name, pack(source), words)
    idle.append(generator)
    return after, np.asarray(result)


def draw(method: str, state: Any, name: str, size: Any, /, *args: Any, **options: Any) -> Any:
    """The draw of a method that draws its elements one by one."""
    return _with(name, state, lambda generator: getattr(generator, method_of(name, method))(*args, size=size, **options))


def method_of(name: str, method: str) -> str:
    """What the generators of this name call a method of ``numpy.random.Generator``."""
    return "randint" if name == LEGACY and method == "integers" else method


def call(method: str, state: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """The draw of any other method."""
    return _with(name, state, lambda generator: getattr(generator, method)(*args, **kwargs))


def shuffle(state: Any, name: str, x: Any, axis: int = 0) -> Any:
    """Shuffle the elements along an axis."""
    return _with(name, state, lambda generator: shuffled(generator, x, axis))


def shuffled(generator: Any, x: Any, axis: int = 0) -> Any:
    """A copy of the elements in the order to which the generator shuffles them."""
    mixed = np.array(x, order="C")
    generator.shuffle(mixed, **({"axis": axis} if axis else {}))
    return mixed


def seeded(entropy: Any, name: str) -> Any:
    """The state of a generator with this seed."""
    return pack(make(name, np.asarray(entropy) if np.ndim(entropy) else int(entropy)))


def __getattr__(name: str) -> Any:
    """``draw_normal`` is `draw` of ``normal``, ``call_choice`` is `call` of ``choice``."""
    kind, _, method = name.partition("_")
    if kind not in _KINDS or not method:
        raise AttributeError(name)
    return functools.partial(_KINDS[kind], method)


_KINDS = {"draw": draw, "call": call}
