"""Classes and functions with the machinery of Python's library, which the programs of ``machinery_programs`` use."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import operator
import warnings
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Adder", "Base", "Box", "Checked", "Child", "Color", "ExitStack", "Frozen", "Lazy", "Level", "Link", "Logged", "Ordered",
    "Parts", "Perm", "Priority", "Pt", "Slots", "Span", "Sub", "Table", "Version", "Wide", "arity", "bump", "closing", "collect",
    "collections", "counted", "contextlib", "dataclasses", "defaulted", "drained", "fib", "functools", "itertools", "kind",
    "managed", "np", "nullcontext", "operator", "pipe", "piped", "repeated", "rolled", "stateful", "suppress", "tally", "traced",
    "warnings", "wide",
]  # fmt: skip


@dataclass
class Pt:
    x: Any
    y: Any = 0.5
    log: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = self.x + self.y

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Pt):
            return Pt(self.x + other.x, self.y + other.y, self.log + other.log)
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Pt(self.x + other, self.y, [*self.log, "r"])


@dataclass(frozen=True, slots=True)
class Frozen:
    a: Any
    b: Any = 1

    def moved(self, by: Any) -> Any:
        return dataclasses.replace(self, a=self.a + by)


@dataclass(order=True, kw_only=True)
class Ordered:
    key: float
    value: Any = field(compare=False, default=None)


class Span(NamedTuple):
    lo: Any
    hi: Any = 1.0

    @property
    def width(self) -> Any:
        return self.hi - self.lo

    def scaled(self, by: Any) -> Any:
        return self._replace(lo=self.lo * by, hi=self.hi * by)


class Slots:
    __slots__ = ("u", "w")

    def __init__(self, u: Any, w: Any = None) -> None:
        self.u = u
        if w is not None:
            self.w = w


class Checked:
    """A descriptor that converts what is stored."""

    def __init__(self, default: Any = None) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.slot = "_" + name

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return self if obj is None else obj.__dict__.get(self.slot, self.default)

    def __set__(self, obj: Any, value: Any) -> None:
        if np.ndim(value) > 1:
            raise ValueError(f"{self.slot}: {np.ndim(value)} axes")
        obj.__dict__[self.slot] = np.asarray(value, float)

    def __delete__(self, obj: Any) -> None:
        del obj.__dict__[self.slot]


class Lazy:
    """A descriptor that is asked once."""

    def __init__(self, make: Any) -> None:
        self.make = make

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        value = obj.__dict__[self.make.__name__] = self.make(obj)
        return value


class Box:
    level = Checked(0.0)
    made = 0

    def __init_subclass__(cls, **options: Any) -> None:
        cls.options = options  # type: ignore[attr-defined]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = super().__new__(cls)
        self.made = len(args)
        return self

    def __init__(self, data: Any = 0, *more: Any, **named: Any) -> None:
        self.data, self.more, self.named = data, more, named

    @Lazy
    def doubled(self) -> Any:
        return self.data * 2

    @functools.cached_property
    def summed(self) -> Any:
        return np.sum(self.data)

    @property
    def last(self) -> Any:
        return self.data[-1]

    @last.setter
    def last(self, value: Any) -> None:
        self.data[-1] = value

    @last.deleter
    def last(self) -> None:
        self.data = self.data[:-1]

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("named", ()):
            return self.named[name]
        raise AttributeError(f"no {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value + 1 if name == "odd" else value)

    def __format__(self, spec: str) -> str:
        return f"<{self.made}{spec}>"

    twice = functools.partialmethod(lambda self, by, q: q * by, 2)

    @functools.singledispatchmethod
    def told(self, value: Any) -> Any:
        return "other", value

    @told.register
    def _(self, value: int) -> Any:
        return "int", value

    @told.register
    def _(self, value: np.ndarray) -> Any:
        return "array", value.sum()


class Child(Box, mode="c"):
    def __init__(self, *args: Any, bias: Any = 1, **named: Any) -> None:
        super().__init__(*args, **named)
        self.bias = bias

    @property
    def last(self) -> Any:
        return super().last + self.bias

    @classmethod
    def of(cls, *parts: Any) -> Any:
        return cls(functools.reduce(operator.add, parts))


class Wide:
    """Operators that NumPy leaves to it."""

    __array_ufunc__ = None

    def __init__(self, data: Any) -> None:
        self.data = data

    def __add__(self, other: Any) -> Any:
        return Wide(self.data + getattr(other, "data", other) if isinstance(other, Wide) else self.data + other)

    def __radd__(self, other: Any) -> Any:
        return "radd", other + self.data

    def __matmul__(self, other: Any) -> Any:
        return "matmul", self.data, other

    def __rmatmul__(self, other: Any) -> Any:
        return "rmatmul", other

    def __lt__(self, other: Any) -> Any:
        return "lt", other

    def __eq__(self, other: object) -> Any:
        return "eq", other

    __hash__ = None  # type: ignore[assignment]


class Priority:
    __array_priority__ = 1000

    def __init__(self, data: Any) -> None:
        self.data = data

    def __rmul__(self, other: Any) -> Any:
        return Priority(other * self.data)

    def __rsub__(self, other: Any) -> Any:
        return "rsub", other - self.data

    def __iadd__(self, other: Any) -> Any:
        self.data = self.data + other
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.data, dtype)


class Sub(np.ndarray):
    """A subclass of arrays."""

    def total(self) -> Any:
        return self.sum() + 1


class Base:
    order: tuple[str, ...] = ()

    def run(self, q: Any) -> Any:
        return q + 1

    def __call__(self, q: Any) -> Any:
        return self.run(q)


class Adder(Base):
    def run(self, q: Any) -> Any:
        return super().run(q) * 2


class Logged(Base):
    def __init__(self) -> None:
        self.log: list[Any] = []

    def run(self, q: Any) -> Any:
        self.log.append(np.shape(q))
        return super().run(q) - 3


class Link(Adder, Logged):
    """Both of its bases, in the order of resolution."""


class Color(enum.Enum):
    RED = 1
    BLUE = 2
    NAVY = 2

    def apply(self, q: Any) -> Any:
        return q * self.value

    @classmethod
    def of(cls, q: Any) -> Any:
        return cls.RED if q > 0 else cls.BLUE


class Level(enum.IntEnum):
    LOW = enum.auto()
    MID = enum.auto()
    HIGH = 10


class Perm(enum.Flag):
    R = 1
    W = 2
    X = 4


class Parts(collections.UserDict):  # type: ignore[type-arg]
    def __missing__(self, key: Any) -> Any:
        return f"no {key}"


class Table(dict):  # type: ignore[type-arg]
    def __missing__(self, key: Any) -> Any:
        self[key] = found = len(self)
        return found


@functools.total_ordering
class Version:
    def __init__(self, number: Any) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.number == other.number

    def __lt__(self, other: Any) -> bool:
        return bool(self.number < other.number)

    def __hash__(self) -> int:
        return hash(self.number)


@functools.singledispatch
def kind(value: Any) -> Any:
    return "other", type(value).__name__


@kind.register
def _(value: np.ndarray) -> Any:
    return "array", value.ndim


@kind.register(int)
@kind.register(float)
def _(value: Any) -> Any:
    return "number", value


@kind.register
def _(value: list) -> Any:  # type: ignore[type-arg]
    return [kind(item) for item in value]


@functools.lru_cache(maxsize=None)
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def counted(f: Any) -> Any:
    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        call.count += 1  # type: ignore[attr-defined]
        return f(*args, **kwargs)

    call.count = 0  # type: ignore[attr-defined]
    return call


def traced(log: list[Any], *, after: bool = False) -> Any:
    def decorate(f: Any) -> Any:
        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not after:
                log.append((f.__name__, len(args), sorted(kwargs)))
            try:
                return f(*args, **kwargs)
            finally:
                if after:
                    log.append(f.__name__)

        return call

    return decorate


class stateful:
    """A decorator that is a class."""

    def __init__(self, f: Any) -> None:
        functools.update_wrapper(self, f)
        self.f, self.seen = f, collections.deque(maxlen=2)

    def __call__(self, *args: Any) -> Any:
        self.seen.append(args[0])
        return self.f(*args), len(self.seen)


def bump(start: Any) -> Any:
    at, times = start, 0

    def up(by: Any = 1) -> Any:
        nonlocal at, times
        at, times = at + by, times + 1
        return at

    def seen() -> Any:
        return at, times

    return up, seen


def defaulted(value: Any, into: list[Any] | None = None, *, seen: Any = None) -> Any:
    into = [] if into is None else into
    into.append(value)
    return into if seen is None else (into, seen)


def collect(first: Any, /, second: Any = 2, *rest: Any, only: Any = 0, **named: Any) -> Any:
    return first, second, rest, only, sorted(named.items(), key=operator.itemgetter(0))


def arity(*args: Any, **kwargs: Any) -> Any:
    return len(args), list(kwargs)


def wide(*, a: Any = 1, **rest: Any) -> Any:
    return a, rest


def rolled(data: Any, log: list[Any]) -> Any:
    """A generator that is sent values, and ends in ``finally``."""
    got = None
    try:
        for row in data:
            got = yield row if got is None else row + got
    except ValueError as error:
        yield str(error)
    finally:
        log.append("end")
    return len(log)


def piped(data: Any, log: list[Any]) -> Any:
    found = yield from rolled(data, log)
    yield "found", found


def drained(it: Any) -> Any:
    items = []
    while True:
        try:
            items.append(next(it))
        except StopIteration as stop:
            return items, stop.value


@contextmanager
def managed(log: list[Any], name: Any, *, eats: bool = False) -> Any:
    log.append(("in", name))
    try:
        yield len(log)
    except (ValueError, FloatingPointError) as error:
        log.append(type(error).__name__)
        if not eats:
            raise
    finally:
        log.append(("out", name))


class repeated(contextlib.ContextDecorator):
    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def __enter__(self) -> Any:
        self.log.append("<")
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.log.append(">" if kind is None else kind.__name__)
        return kind is IndexError


def pipe(*steps: Any) -> Any:
    return functools.reduce(lambda f, g: lambda q: g(f(q)), steps)


def tally(items: Any) -> Any:
    counts = collections.Counter(items)
    counts.subtract({1: 1})
    return sorted((+counts).items()), counts.total()
