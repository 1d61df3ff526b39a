"""Classes and functions as users write them, which the programs of ``idiom_programs`` use: a library of theirs."""

from __future__ import annotations

import enum
import functools
import warnings
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Base", "Derived", "Field", "Ledger", "Mode", "Key", "Point", "Span", "Window", "astuple", "clamp", "counted", "field", "kind_of",
    "lifted", "memoized", "replace", "running", "scaled", "suppress", "tree_sum", "warnings", "windows",
]  # fmt: skip


class Base:
    scale = 2

    def __init__(self, data: Any, *, bias: Any = 1) -> None:
        self.data, self.bias, self._calls = data, bias, 0

    @property
    def total(self) -> Any:
        return self.data.sum() * self.scale

    @total.setter
    def total(self, value: Any) -> None:
        self.data[...] = value

    def __call__(self, q: Any) -> Any:
        self._calls += 1
        return self._apply(q) + self.bias

    def _apply(self, q: Any) -> Any:
        return q * self.scale

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value

    def __iter__(self) -> Any:
        for row in self.data:
            yield row * self.scale

    def __contains__(self, value: Any) -> bool:
        return bool((self.data == value).any())

    def __enter__(self) -> Any:
        self.kept = self.data.copy()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        self.data[...] = self.kept
        return kind is ValueError

    def __add__(self, other: Any) -> Any:
        return type(self)(self.data + getattr(other, "data", other), bias=self.bias)

    __radd__ = __add__

    def __iadd__(self, other: Any) -> Any:
        self.data += other
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and np.array_equal(self.data, other.data)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.data.any())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.data, dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("m_"):
            return getattr(self.data, name[2:])()
        raise AttributeError(name)


class Derived(Base):
    scale = 3

    def _apply(self, q: Any) -> Any:
        return super()._apply(q) - self.total

    @classmethod
    def of(cls, *parts: Any, **options: Any) -> Any:
        return cls(np.concatenate(parts), **options)

    @staticmethod
    def twice(q: Any) -> Any:
        return q * 2

    @functools.cached_property
    def norm(self) -> Any:
        return np.sqrt((self.data * self.data).sum())


class Field:
    """A descriptor that checks what is stored."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return self if obj is None else getattr(obj, self.name, 0)

    def __set__(self, obj: Any, value: Any) -> None:
        if np.ndim(value) > 1:
            raise ValueError("too many axes")
        setattr(obj, self.name, value)


class Ledger:
    """Sums that are kept by name."""

    best = Field()
    __slots__ = ("_best", "items", "log")

    def __init__(self) -> None:
        self.items: dict[Any, Any] = {}
        self.log: list[Any] = []

    def add(self, name: Any, value: Any = 1, /, *, times: int = 1) -> Any:
        for _ in range(times):
            self.items[name] = self.items.get(name, 0) + value
        self.log.append(name)
        return self

    def __getitem__(self, name: Any) -> Any:
        return self.items[name]

    def __reversed__(self) -> Any:
        return reversed(self.log)


@dataclass
class Point:
    a: Any
    b: Any = 0
    rest: list[Any] = field(default_factory=list)

    def moved(self, by: Any) -> Any:
        return replace(self, a=self.a + by)


@dataclass(frozen=True, order=True)
class Key:
    n: int
    v: float = 0.5


class Span(NamedTuple):
    start: Any
    stop: Any = None

    def of(self, q: Any) -> Any:
        return q[self.start : self.stop]


class Mode(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Window:
    """An iterator with a state."""

    def __init__(self, data: Any, size: int = 2) -> None:
        self.data, self.size, self.at = data, size, 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at + self.size > len(self.data):
            raise StopIteration
        self.at += 1
        return self.data[self.at - 1 : self.at - 1 + self.size]


def counted(f: Any) -> Any:
    count = 0

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        return f(*args, **kwargs), count

    return call


def scaled(by: Any, *, after: bool = True) -> Any:
    def decorate(f: Any) -> Any:
        return (lambda *args: f(*args) * by) if after else (lambda *args: f(*[arg * by for arg in args]))

    return decorate


def memoized(f: Any) -> Any:
    known: dict[Any, Any] = {}

    def call(key: Any) -> Any:
        if key not in known:
            known[key] = f(key)
        return known[key]

    return call


def running(start: Any = 0) -> Any:
    """A generator that is sent numbers, and gives their sum so far."""
    total = start
    while True:
        got = yield total
        if got is None:
            return total
        total = total + got


def windows(q: Any, size: int = 2) -> Any:
    for at in range(0, len(q) - size + 1):
        yield q[at : at + size]


@contextmanager
def lifted(q: Any, by: Any = 1) -> Any:
    """The array holds more inside than before and after."""
    q += by
    try:
        yield q
    finally:
        q -= by


def clamp(q: Any, *, low: Any = None, high: Any = None) -> Any:
    if low is not None:
        q = np.maximum(q, low)
    if high is not None:
        q = np.minimum(q, high)
    return q


def kind_of(q: Any) -> Any:
    match q:
        case bool() | np.bool_():
            return "truth"
        case int(n) if n > 2:
            return "many"
        case int():
            return "few"
        case float(f):
            return f * 2
        case str():
            return q.upper()
        case [one]:
            return one
        case [first, *_, last]:
            return first, last
        case {"k": value, **rest}:
            return value, len(rest)
        case Point(a=a, b=0):
            return a
        case Key(n=n):
            return n
        case np.ndarray(ndim=1, size=size):
            return "vector", size
        case np.ndarray():
            return "array", q.dtype
    return type(q).__name__


def tree_sum(tree: Any) -> Any:
    if isinstance(tree, dict):
        return sum(tree_sum(part) for part in tree.values())
    if isinstance(tree, (list, tuple)):
        return sum(map(tree_sum, tree))
    return np.sum(tree)
