"""Programs in which a size meets every callable of Python's C modules, and stands wherever a value of Python can stand in a result.

A program is a callable with arguments from a pool, some of them made of the size; it is kept where eager Python gives a value at the
example. Exported, it gives at every size that it accepts what eager Python gives, of the same types, and export refuses with a code.
"""

from __future__ import annotations

import array
import binascii
import bisect
import cmath
import collections
import dataclasses
import datetime
import decimal
import fractions
import functools
import heapq
import itertools
import json
import math
import operator
import random
import re
import statistics
import string
import struct
import textwrap
import types
import unicodedata
import zlib
from typing import NamedTuple

import numpy as np

from npexport import Dim, InputMismatch, export
from npexport.symshapes.errors import ExportError, InternalError
from tests.support.outcomes import result_or_error

EXAMPLE = 6
SIZES = (6, 0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 33)


class Point(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass(frozen=True)
class Box:
    first: object
    second: object = None


class Index:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return self.n

    __int__ = __index__

    def __float__(self):
        return self.n / 2

    def __bool__(self):
        return self.n > 3

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        return isinstance(other, Index) and self.n == other.n

    def __len__(self):
        return self.n


MODULES = (
    array, binascii, bisect, cmath, collections, datetime, decimal, fractions, functools, heapq, itertools, json, math, operator, random,
    re, statistics, string, struct, textwrap, unicodedata, zlib,
)  # fmt: skip
BUILTINS = (
    abs, all, any, ascii, bin, bool, bytearray, bytes, chr, complex, dict, divmod, enumerate, filter, float, format, frozenset, hash, hex,
    int, isinstance, iter, len, list, map, max, min, next, oct, ord, pow, range, repr, reversed, round, set, slice, sorted, str, sum, tuple,
    type, zip, np.str_, np.bytes_, np.timedelta64, np.datetime64, np.int64, np.float32, np.bool_, np.complex128, types.SimpleNamespace,
)  # fmt: skip
_OBJECTS = (
    1, 2.5, 1j, "a-b", b"a-b", (3, 1), [3, 1], {3: 1}, {1, 6}, frozenset((1, 6)), range(2, 9), slice(1, 5), bytearray(b"abc"),
    collections.deque([1, 2, 6]), collections.OrderedDict({6: 1}), collections.Counter("aab"), datetime.timedelta(5),
    datetime.date(2020, 2, 3),
       datetime.datetime(2020, 2, 3, 4), datetime.time(3), decimal.Decimal("2.5"), fractions.Fraction(5, 3), array.array("i", [1, 2]),
    struct.Struct("<i"), re.compile("a"), np.int64(7), np.uint8(7), np.float64(2.5), np.bool_(True), random.Random(3),
)  # fmt: skip
_LEFT_OUT = frozenset({
    "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class__", "__getattribute__", "__setattr__", "__delattr__",
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__dir__", "__doc__", "__sizeof__", "__hash__", "__class_getitem__",
    "__array_wrap__", "__array_finalize__", "dump", "tofile", "fromfile",
    "is_", "is_not", "now", "today", "utcnow", "fromtimestamp", "timestamp", "getstate", "setstate",
})  # fmt: skip


def callables():
    """Every callable, by name."""
    for module in MODULES:
        for name, value in sorted(vars(module).items()):
            if callable(value) and not name.startswith("_") and name not in _LEFT_OUT:
                yield f"{module.__name__}.{name}", value
    for value in BUILTINS:
        yield value.__name__, value
    for value in _OBJECTS:
        for name in sorted(dir(type(value))):
            if name not in _LEFT_OUT and callable(getattr(type(value), name)):
                yield f"{value!r}.{name}", _method(value, name)


def _method(value, name):
    """A call of the method of an object of its own: programs must not see what the one before did."""
    if isinstance(value, (list, set, dict, bytearray, collections.deque, array.array, random.Random)):
        return lambda *args: _with_owner(copy_of(value), name, args)
    return getattr(value, name)


def _with_owner(owner, name, args):
    return getattr(owner, name)(*args), None if isinstance(owner, random.Random) else owner


def copy_of(value):
    if isinstance(value, random.Random):
        return random.Random(3)
    return value[:] if isinstance(value, (list, bytearray, array.array)) else value.copy()


POOL = {
    "n": lambda n: n, "n + 1": lambda n: n + 1, "n // 2": lambda n: n // 2, "n > 3": lambda n: n > 3, "n / 2": lambda n: n / 2,
    "[n, 2, 9]": lambda n: [n, 2, 9], "(n, 2)": lambda n: (n, 2), "{n: 2}": lambda n: {n: 2}, "{n, 2}": lambda n: {n, 2},
    "Index(n)": lambda n: Index(n), "(n, (n, n))": lambda n: (n, (n, n)), "range(n)": lambda n: range(n), "str(n)": lambda n: str(n),
    "2": lambda n: 2, "2.5": lambda n: 2.5, "'ab'": lambda n: "ab", "'%d-%s'": lambda n: "%d-%s", "b'ab'": lambda n: b"ab",
    "[1, 5, 9]": lambda n: [1, 5, 9], "'<i'": lambda n: "<i", "int": lambda n: int, "lambda v: v": lambda n: lambda v: v,
    "'D'": lambda n: "D", "operator.add": lambda n: operator.add, "np.int64(5)": lambda n: np.int64(5),
    "timedelta(2)": lambda n: datetime.timedelta(2), "Decimal(2)": lambda n: decimal.Decimal(2),
}  # fmt: skip
_OF_SIZE = tuple(POOL)[: tuple(POOL).index("2")]


def plain_result(value, depth=3):
    """The result as a program can give it back: iterators as lists, sets in order, other objects as texts."""
    if isinstance(value, bool) or type(value) in (int, float, complex, str, bytes, type(None)):
        return value
    if isinstance(value, np.generic):
        return value
    if depth and type(value) in (tuple, list):
        return type(value)([plain_result(item, depth - 1) for item in value])
    if depth and type(value) is dict:
        return {key: plain_result(item, depth - 1) for key, item in value.items()}
    if depth and hasattr(type(value), "__next__"):
        return [plain_result(item, depth - 1) for item in itertools.islice(value, 50)]
    if type(value) in (set, frozenset):
        return sorted(map(repr, value))
    return repr(value)


class Program(NamedTuple):
    text: str
    fn: object


def calls(rng):
    """A program of a callable that is drawn, with arguments that are drawn; or ``None`` where eager Python refuses it."""
    name, fn = _CALLABLES[rng.integers(len(_CALLABLES))]
    count = int(rng.choice([1, 2, 3], p=[0.4, 0.45, 0.15]))
    names = [_NAMES[rng.integers(len(_NAMES))] for _ in range(count)]
    names[rng.integers(count)] = _OF_SIZE[rng.integers(len(_OF_SIZE))]
    makers = [POOL[name] for name in names]

    def program(x):
        n = len(x)
        return plain_result(fn(*[make(n) for make in makers]))

    return Program(f"{name}({', '.join(names)})", program)


_CALLABLES, _NAMES = list(callables()), tuple(POOL)

PLACES = {
    "key": lambda n, x: {n: x},
    "keys of tuples": lambda n, x: {(n, ("a", n)): 1, "b": x},
    "frozen key": lambda n, x: {frozenset((n, 2)): x},
    "named key": lambda n, x: {Point(n, 1): x},
    "dataclass key": lambda n, x: {Box(n): x},
    "range key": lambda n, x: {range(n).stop: x},
    "fromkeys": lambda n, x: dict.fromkeys((n, 50), 1),
    "ordered": lambda n, x: collections.OrderedDict([(n, x), ("n", n)]),
    "default": lambda n, x: collections.defaultdict(list, {n: [n, x]}),
    "counter": lambda n, x: dict(collections.Counter([n, n, 70])),
    "most common": lambda n, x: collections.Counter([n, n, 70]).most_common(1),
    "deque": lambda n, x: collections.deque([n, x], 3),
    "deque of n": lambda n, x: collections.deque([1, 2, 3, n], maxlen=abs(int(n))),
    "named": lambda n, x: Point(n, x),
    "dataclass": lambda n, x: Box(n, [x]),
    "text": lambda n, x: f"{n}",
    "formatted": lambda n, x: f"{n:>5}|{n!r}",
    "percent": lambda n, x: "%d %s" % (n, n),
    "joined": lambda n, x: ",".join(map(str, (n, 2))),
    "sorted set": lambda n, x: sorted({n, 3, 70}),
    "set": lambda n, x: {n, 3},
    "frozenset": lambda n, x: frozenset((n, 3)),
    "slice": lambda n, x: slice(n, None),
    "range": lambda n, x: range(int(n)),
    "ranges": lambda n, x: [range(2, int(n)), slice(n, None, n)],
    "fraction": lambda n, x: fractions.Fraction(int(n), 7),
    "list": lambda n, x: [n, [n, (n,)], x],
    "grouped": lambda n, x: {k: list(v) for k, v in itertools.groupby([n, n, 2])},
    "zip": lambda n, x: dict(zip((n, 80), (x, n))),
    "nested": lambda n, x: {"a": {n: {n: n}}},
    "setdefault": lambda n, x: (d := {}, d.setdefault(n, n))[0],
    "partial": lambda n, x: functools.partial(dict, a=n)(b=x),
    "default arguments": lambda n, x: (lambda a=n: {a: a})(),
    "exception": lambda n, x: _caught(n),
    "raised": lambda n, x: _raise(n),
    "key error": lambda n, x: {1: 2}[n + 100],
    "remembered": lambda n, x: _remembered(n),
    "numpy": lambda n, x: {n: np.full(3, n)},
    "complex": lambda n, x: complex(n, 1),
    "bytes": lambda n, x: bytes([abs(int(n))]),
    "dict of sums": lambda n, x: {n: x.sum()},
    "match": lambda n, x: _matched(n),
    "update": lambda n, x: (d := {n: 1}, d.update({n: x}))[0],
    "popped": lambda n, x: {n: 1, 90: 2}.pop(n),
    "union": lambda n, x: {n: 1} | {95: n},
    "vars": lambda n, x: vars(types.SimpleNamespace(a=n)),
    "unpacked": lambda n, x: {**{"a": n}, n: 1},
}
VALUES = {
    "n": lambda n: n, "n + 1": lambda n: n + 1, "2 * n - 3": lambda n: 2 * n - 3, "n // 2": lambda n: n // 2, "n % 4": lambda n: n % 4,
    "n > 3": lambda n: n > 3, "n / 4": lambda n: n / 4, "-n": lambda n: -n, "min(n, 4)": lambda n: min(n, 4), "math.sqrt(n)": math.sqrt,
    "n * n": lambda n: n * n, "n ** 0.5": lambda n: n**0.5, "n & 5": lambda n: n & 5, "n == 6": lambda n: n == 6,
}  # fmt: skip


def _caught(n):
    try:
        raise ValueError(n, {n: 1})
    except ValueError as error:
        return list(error.args)


def _raise(n):
    raise LookupError(f"{n}", n, (n, [n]))


@functools.lru_cache
def _remembered(n):
    return {n: n}


def _matched(n):
    match {n: 2, "k": n}:
        case {"k": value, **rest}:
            return value, rest


def placements():
    """Each value in each place."""
    for place, put in PLACES.items():
        for value, make in VALUES.items():
            yield Program(f"{place} of {value}", lambda x, put=put, make=make: put(make(len(x)), x))


def outcome(fn, n):
    """What the program gives, or the type and arguments of what it raises."""
    found = result_or_error(fn, np.arange(float(n)), passes=(InputMismatch, InternalError))
    return (type(found), found.args) if isinstance(found, Exception) else found


def same(a, b):
    """Equal, and of the same types all through."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if dataclasses.is_dataclass(a) and not isinstance(a, type):
        return same(vars(a), vars(b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(p, q) for p, q in zip(a.items(), b.items(), strict=True))
    if isinstance(a, (tuple, list, collections.deque)):
        return len(a) == len(b) and getattr(a, "maxlen", 0) == getattr(b, "maxlen", 0) and all(map(same, a, b))
    if isinstance(a, (set, frozenset)):
        return same(sorted(a), sorted(b))
    if isinstance(a, slice):
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    return repr(a) == repr(b)


def difference(program):
    """What is wrong with the export of a program, or ``None``; ``"refused"`` and ``"skipped"`` are no defects."""
    expected = outcome(program.fn, EXAMPLE)
    failed = isinstance(expected, tuple) and expected and isinstance(expected[0], type)
    if (failed and " of " not in program.text) or "0x" in repr(expected):
        return "skipped"
    try:
        run = export(program.fn, (np.arange(float(EXAMPLE)),), dynamic_shapes=({0: Dim.AUTO},)).module()
    except InternalError as error:
        return f"{program.text}: {error}"
    except ExportError as error:
        return "refused"
    except Exception as error:
        if not same((type(error), error.args), expected):
            return f"{program.text}: export raises {error!r}, eager gives {expected!r}"
        return None
    accepted = 0
    for n in SIZES:
        try:
            actual = outcome(run, n)
        except InputMismatch:
            continue
        accepted += 1
        wanted = outcome(program.fn, n)
        if isinstance(wanted, tuple) and wanted and isinstance(wanted[0], type):
            fine = isinstance(actual, tuple) and actual[:1] == wanted[:1]
        else:
            fine = same(actual, wanted)
        if not fine:
            return f"{program.text} at {n}: {actual!r}, eager gives {wanted!r}"
    return None if accepted else f"{program.text}: no size is accepted"
