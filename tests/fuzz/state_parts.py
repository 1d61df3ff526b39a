"""What the classes of random programs over state are made of: containers, a base class, a layer."""

from __future__ import annotations

import copy
import dataclasses
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport import nn


def numbers(seed: int = 1) -> Callable[..., Any]:
    """A function that makes arrays, the same ones in every call of this."""
    rng = np.random.default_rng(seed)
    return lambda shape, dtype="f8": np.asarray(rng.integers(0, 12, shape) / (4 if np.dtype(dtype).kind in "fc" else 1)).astype(dtype)


class Pair(NamedTuple):
    h: Any
    c: Any


@dataclasses.dataclass
class Data:
    h: Any
    c: Any

    def __post_init__(self) -> None:
        self.size = 2


class Slotted:
    __slots__ = ("c", "h")

    def __init__(self, h: Any, c: Any) -> None:
        self.h, self.c = h, c


class Box:
    """Methods, a property, operators that write."""

    def __init__(self, h: Any, c: Any) -> None:
        self.h, self.c = h, c

    def twice(self) -> None:
        self.h = self.h * 2

    def swap(self) -> None:
        self.h, self.c = self.c, self.h

    def _set_both(self, value: Any) -> None:
        self.h[...] = self.c[...] = value

    both = property(lambda self: self.h, _set_both)

    @property
    def total(self) -> Any:
        return self.h

    @total.setter
    def total(self, value: Any) -> None:
        self.h = value

    def __setitem__(self, index: Any, value: Any) -> None:
        self.h[index] = value

    def __imatmul__(self, other: Any) -> Box:
        self.h = self.h + other
        return self


class Watched:
    """A data descriptor over another attribute."""

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else owner.core

    def __set__(self, owner: Any, value: Any) -> None:
        owner.core = value


class Root:
    def bump(self, x: Any) -> None:
        self.core += x.sum()


class Base(Root):
    """State that every program has, and ways to write to it."""

    watched = Watched()

    def begin(self, x: Any) -> None:
        make = numbers(2)
        self.core, self.last, self.before = make(4), np.zeros_like(x, order="C"), np.zeros_like(x, order="C")
        self.ring, self.tick = np.zeros((4, *x.shape), x.dtype), np.zeros((), np.int64)
        self.count, self.flag, self.none, self.lazy = 0, True, None, None
        self.steps, self.rate, self.total, self.phase = 0, 0.5, 0.0, np.float64(1)
        self.seen, self.history, self.velocity, self.slow = {"a": 0, "b": 1.5}, [0.0, 1.0, 2.0], {}, None

    def bump(self, x: Any) -> None:
        super().bump(x)
        self.core = self.core * 0.5

    @property
    def first(self) -> Any:
        return self.core[0]

    @first.setter
    def first(self, value: Any) -> None:
        self.core[0] = value

    whole = property(lambda self: self.core, lambda self, value: setattr(self, "core", value))

    def scale(self, value: Any) -> Any:
        return value * 0.5

    @staticmethod
    def static(value: Any) -> None:
        value[1:] += 1

    def reset(self) -> None:
        self.core[...] = 0

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def __iadd__(self, other: Any) -> Base:
        self.core = self.core + other
        return self

    def __enter__(self) -> Base:
        self.core[0] += 1
        return self

    def __exit__(self, *error: Any) -> None:
        self.core[-1] -= 1


class Layer(nn.Module):
    """Registered and plain state."""

    def __init__(self) -> None:
        super().__init__()
        make = numbers(3)
        self.weight = nn.Parameter(make((4, 4)))
        self.register_buffer("mean", make(4))
        self.register_buffer("hidden", make(4), persistent=False)
        self.plain = make(4)

    def forward(self, x: Any) -> Any:
        self.mean = self.mean * 0.9 + x * 0.1
        self.hidden += x
        return x @ self.weight + self.mean + self.plain

    def step(self) -> None:
        self.mean, self.hidden = self.hidden * 1, self.mean * 1


def part(value: Any, number: int) -> Any:
    """The value itself, an array in it, or a view of one."""
    while not isinstance(value, np.ndarray):
        if number % 3 == 0:
            return value
        items = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, (list, tuple, deque)) else None
        if items is None:
            items = [getattr(value, name) for name in ("h", "weight") if hasattr(value, name)] or [np.ones(4)]
        value, number = items[number % len(items)], number // 2
    views = (
        lambda a: a,
        lambda a: a[1:3],
        lambda a: a[::2],
        lambda a: a.T,
        lambda a: a.reshape(-1),
        lambda a: a[::-1],
        lambda a: a[:1],
        lambda a: a[...],
    )
    return views[number % len(views)](value) if value.ndim else value


CACHES = """
CACHE = {}

class Shared:
    table = None

def remembered(n):
    if n not in CACHE:
        CACHE[n] = n if n < 2 else remembered(n - 1) + remembered(n - 2)
    return CACHE[n]
"""


def scope() -> dict[str, Any]:
    """The names that a program's source sees, with caches of its own."""
    caches: dict[str, Any] = {"__name__": "caches"}
    exec(CACHES, caches)
    classes = (Pair, Data, Slotted, Box, Base, Layer, OrderedDict, deque)
    modules = {"np": np, "nn": nn, "copy": copy, "dataclasses": dataclasses}
    caches = {name: caches[name] for name in ("CACHE", "Shared", "remembered")}
    return {"A4": np.ones(4), "numbers": numbers, "part": part, **caches, **modules, **{cls.__name__: cls for cls in classes}}
