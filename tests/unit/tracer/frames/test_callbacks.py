"""Callbacks from C in exported programs: interpreted with the extension; polyfilled or refused without it."""

import abc
import bisect
import collections
import collections.abc
import copy
import functools
import heapq
import itertools
import json
import math
import numbers as numeric
import operator
import os
import re
import subprocess
import sys
import typing

import numpy as np
import pytest

from npexport import Unsupported, export, frame_hook


class Size:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __gt__(self, other):
        return self.value > other.value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __str__(self):
        return f"<{self.value}>"


class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        return Counting(self.start)


class Counting:
    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left


def sorting():
    numbers = [3, -1, 2, -2]
    numbers.sort(key=lambda n: -n)
    pairs = sorted([(1, "a"), (0, "b"), (1, "c"), (0, "d")], key=lambda pair: pair[0], reverse=True)
    return (
        numbers,
        pairs,
        sorted("ba"),
        sorted([2, 1], reverse=True),
    )


def extremes():
    found = max(Size(1), Size(4), Size(2)).value, min([Size(3), Size(2)]).value
    return (
        found,
        max([1, -5], key=abs),
        min([1, -5], key=lambda n: n),
        max([], default=7, key=lambda n: n),
        min((n for n in [2, 1]), key=lambda n: n),
    )


def extreme_of_nothing():
    try:
        return max([], key=lambda n: n)
    except ValueError as error:
        return str(error)


def mapping():
    squares = map(lambda n: n * n, [1, 2, 3])
    first = next(squares)
    return first, list(squares), list(map(lambda a, b: a + b, [1, 2, 3], [4, 5])), list(map(str, [1])), tuple(map(abs, (-1,)))


def filtering():
    return (
        list(filter(lambda n: n > 1, [0, 1, 2, 3])),
        list(filter(None, [0, 1])),
        list(itertools.filterfalse(lambda n: n > 1, [0, 1, 2])),
        list(itertools.takewhile(lambda n: n < 2, [0, 1, 2, 0])),
        list(itertools.dropwhile(lambda n: n < 2, [0, 1, 2, 0])),
    )


def reducing():
    try:
        functools.reduce(lambda a, b: a, [])
    except TypeError as error:
        text = str(error)
    return (
        functools.reduce(lambda a, b: a * 10 + b, [1, 2, 3]),
        functools.reduce(lambda a, b: a + b, [], 5),
        functools.reduce(operator.add, [1, 2]),
        text,
    )


def accumulating():
    return (
        list(itertools.accumulate([1, 2, 3], lambda a, b: a * b)),
        list(itertools.accumulate([1, 2], lambda a, b: a + b, initial=5)),
        list(itertools.accumulate([], lambda a, b: a)),
        list(itertools.starmap(lambda a, b: a - b, [(5, 2), (1, 1)])),
    )


def grouping():
    groups = [(key, list(members)) for key, members in itertools.groupby([1, 3, 2, 4, 5], key=lambda n: n % 2)]
    heads = [next(members) for _, members in itertools.groupby([1, 3, 2, 4, 5], key=lambda n: n % 2)]
    return groups, heads, list(itertools.groupby([], key=lambda n: n))


def consuming():
    return (
        list(Countdown(3)),
        tuple(Countdown(2)),
        sorted(set(Countdown(3))),
        sum(Countdown(4)),
        any(Countdown(1)),
        all(Countdown(1)),
        max(Countdown(3)),
        sorted(Countdown(3)),
        list(map(lambda n: n + 1, Countdown(2))),
        [*Countdown(2)],
    )


def sentinels():
    numbers = iter([1, 2, 3, 4])
    return list(iter(lambda: next(numbers), 3))


def substituting():
    pattern = re.compile("[a-c]")
    return (
        pattern.sub(lambda match: match.group().upper(), "xaybz"),
        re.sub("a*", lambda match: "-", "baac"),
        pattern.sub("_", "ab", count=1),
    )


def substituting_some():
    return re.sub("[a-c]", lambda match: "", "aXbYc", count=2), re.sub("x", lambda match: "y", "")


def containing():
    return Size(2) in [Size(1), Size(2)], Size(3) in (Size(1),), Size(1) not in [], 3 in {3: 4}, "a" in "cab"


class Stairs(collections.abc.Sequence):
    def __init__(self, start):
        self.start = start

    def __len__(self):
        return self.start

    def __getitem__(self, index):
        if index >= self.start:
            raise IndexError(index)
        return self.start - index


class Row:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return 10 * index


def reversing():
    errors = []
    for value in ({1}, 3, iter([])):
        try:
            reversed(value)
        except TypeError as error:
            errors.append(str(error))
    return list(reversed(Stairs(4))), list(reversed(Row())), sum(reversed([1, 2])), list(reversed({1: 2, 3: 4})), errors


def abstract():
    kinds = (collections.abc.Mapping, collections.abc.Sized, collections.abc.Iterable, collections.abc.Reversible, numeric.Number)
    counted = collections.Counter("hello")
    return counted.most_common(1), [isinstance(value, kind) for kind in kinds for value in (counted, Stairs(1), Row(), 3, "a")]


def describing():
    dtype = np.dtype("f4")
    return str(dtype), repr(dtype), f"{dtype} {dtype!r:>20}", "%s" % dtype, "{}".format(np.dtype("i4,f8")), str([dtype]), dtype.name  # noqa: UP031, UP032


def binding():
    add = functools.partial(lambda a, b, c=0: a - b + c, 5)
    return add(2), add(b=1, c=3), list(map(add, [1, 2]))


PROGRAMS = [
    sorting,
    extremes,
    extreme_of_nothing,
    mapping,
    filtering,
    reducing,
    accumulating,
    grouping,
    consuming,
    sentinels,
    substituting,
    substituting_some,
    containing,
    reversing,
    abstract,
    describing,
    binding,
]


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program):
    run = export(lambda x: (x * 2, program()), (np.ones(2),)).module()
    assert run(np.ones(2))[1] == program()


@pytest.mark.usefixtures("frame_hook")
def test_callbacks_on_arrays():
    def program(xs):
        ordered = sorted(xs, key=lambda x: x.shape[0])
        total = functools.reduce(lambda a, b: a + b.sum(), ordered, np.float64(0))
        return [*map(lambda x: x * 2, filter(lambda x: x.ndim == 1, ordered)), total]

    arrays = [np.arange(3.0), np.ones(1), np.ones((2, 2))]
    results = export(program, (arrays,)).module()(arrays)
    for result, expected in zip(results, program(arrays), strict=True):
        np.testing.assert_array_equal(result, expected)


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __abs__(self):
        return sum(part * part for part in self.parts)

    def __format__(self, spec):
        return f"{spec}:{len(self.parts)}"

    def __repr__(self):
        return f"Vector{self.parts}"

    def __index__(self):
        return self.parts[0]

    def __float__(self):
        return self.parts[0] / 2

    def __divmod__(self, other):
        return Vector(*[part // other for part in self.parts]), other

    def __getitem__(self, place):
        return self.parts[place]

    def __len__(self):
        return len(self.parts)


class Named(Exception):
    def __str__(self):
        return "named " + self.args[0]


class Word(str):
    def __str__(self):
        return "word " + self


class Doubling(dict):
    def __missing__(self, key):
        return key * 2


class Column:
    def __set_name__(self, owner, name):
        self.name = name
        owner.names = (*getattr(owner, "names", ()), name)

    def __get__(self, obj, owner):
        return self if obj is None else obj.__dict__.get(self.name, 7)


class Based:
    made = []

    def __init_subclass__(cls, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tag = tag, sorted(cls.__dict__.keys() & {"a", "b"})


@typing.runtime_checkable
class Sized(typing.Protocol):
    def area(self): ...


class Hooked(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return True if hasattr(other, "area") else NotImplemented


class Square:
    def area(self):
        return 4


def made_class():
    class Made(Based, tag=3):
        a, b = Column(), Column()

        @functools.cached_property
        def c(self):
            return self.a + 1

    return Made.tag, Made.names, Made().a, Made().c


def unnamed():
    class Bad:
        def __set_name__(self, owner, name):
            raise ValueError(name)

    try:
        type("Made", (), {"a": Bad()})
    except Exception as error:
        return type(error).__name__, str(error), getattr(error, "__notes__", []), type(error.__cause__).__name__


def removed():
    sizes = [Size(1), Size(2), Size(3)]
    sizes.remove(Size(2))
    return [size.value for size in sizes]


def heap():
    sizes = [Size(value) for value in (5, 1, 4)]
    heapq.heapify(sizes)
    heapq.heappush(sizes, Size(0))
    return [heapq.heappop(sizes).value for _ in range(4)]


def inserted():
    sizes = [Size(1), Size(3)]
    bisect.insort(sizes, Size(2))
    return [size.value for size in sizes], bisect.bisect([1, 2, 3], 4, key=lambda value: value * 2)


def cached():
    @functools.lru_cache(maxsize=2)
    def double(value):
        return value * 2

    return [double(value) for value in (1, 2, 1, 3, 2)], tuple(double.cache_info())


def protocol():
    T = typing.TypeVar("T")

    @typing.runtime_checkable
    class Box(typing.Protocol[T]):
        def get(self) -> T: ...

    class Of(Box[int]):
        def get(self):
            return 2

    return isinstance(Of(), Box), isinstance(3, Box), Of().get()


WITH_EITHER_HOOK = [
    lambda: sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)),
    lambda: collections.Counter(Countdown(2)) == {1: 1, 0: 1},
    lambda: "%s %r %5s" % (Size(1), Vector(1), Size(2)),  # noqa: UP031
    lambda: (Doubling()[3], list(map(Doubling().__getitem__, [1, 2])), dict.__getitem__(Doubling(), 4), collections.Counter()["a"]),
    lambda: (cached(), any([Size(1)]), {**Keyed()}, copy.copy(Reduced(1)).value, set(Countdown(3)) | {9}, (1, 2)[Vector(0).parts[0]]),
    lambda: (
        list(Vector(1, 2)),
        max(Vector(1, 5)),
        list(zip(Pair(1, 2), "ab")),
        list(enumerate(Pair(1, 2))),
        f"{Named('error')}",
        str(Word("x")),
    ),
    lambda: (isinstance(Square(), Sized), isinstance(3, Sized), isinstance(Square(), Hooked), issubclass(int, Hooked)),
]
ASKED = [
    lambda: "%d %c" % (Vector(66), Vector(66)),  # noqa: UP031
    lambda: "%(a)s" % {"a": Size(3)},  # noqa: UP031
    lambda: "{} {:>9} {!r} {a.parts[0]} {b[1]}".format(Size(1), Vector(1, 2), Vector(3), a=Vector(4), b=Vector(5, 6)),  # noqa: UP030, UP032
    lambda: str([Vector(1)]),
    lambda: "{a:q}".format_map({"a": Vector(1)}),
    lambda: f"{[Vector(1)]} {Vector(2)!r:>12}",
    lambda: abs(Vector(3, 4)),
    lambda: divmod(Vector(7, 9), 4)[0].parts,
    lambda: float(Vector(3)),
    lambda: hex(Vector(255)),
    lambda: list(range(Vector(3))),
    lambda: math.gcd(Vector(4), 6),
    lambda: "abc"[Vector(1) : Vector(2)],
    lambda: [1, 2, 3][Vector(1)],
    lambda: [0] * Vector(2),
    lambda: "a".center(Vector(5)),
    lambda: "%s" % Named("error"),  # noqa: UP031
    lambda: "%s" % Word("x"),  # noqa: UP031
    lambda: [Size(1), Size(2)].index(Size(2)),
    lambda: [Size(1), Size(1)].count(Size(1)),
    lambda: [Size(1)] == [Size(1)],
    lambda: (Size(1), 2) < (Size(2), 1),
    lambda: "%(a)s" % Doubling(),
    lambda: removed(),
    lambda: heap(),
    lambda: inserted(),
    lambda: protocol(),
    lambda: sorted([Size(2), Size(1)])[0].value,
    lambda: re.subn("a", lambda found: found.group() * 2, "banana"),
    lambda: json.dumps([Size(1)], default=lambda size: size.value, allow_nan=False),
    lambda: json.loads('{"a": [1.5, NaN]}', object_hook=lambda made: sorted(made), parse_constant=lambda text: text),
    lambda: list(itertools.islice(Countdown(4), 2)),
    lambda: list(itertools.chain.from_iterable([Countdown(2), [1]])),
    lambda: list(zip(*itertools.tee(Countdown(2)))),
    lambda: list(itertools.product(Countdown(2), "ab")),
    lambda: list(collections.deque(Countdown(4), 2)),
    lambda: sorted({1}.union(Countdown(3))),
    lambda: dict(zip(Countdown(2), Countdown(2))),
    lambda: list(enumerate(Countdown(2), 5)),
    lambda: operator.attrgetter("parts", "value")(Paired()),
    lambda: operator.itemgetter(1)(Vector(1, 2)),
    lambda: operator.length_hint(Vector(1, 2)),
    lambda: made_class(),
    lambda: unnamed(),
    lambda: copy.deepcopy([Stated()])[0].value,
    lambda: dict(Keyed()),
    lambda: hash(((Size(1),),)) == hash(((Size(1),),)),
    lambda: len(Measured()),
]


class Pair:
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        yield from self.items


class Measured:
    def _length(self, value):
        return value

    __len__ = functools.partialmethod(_length, 3)


class Paired:
    parts = 3

    def __getattr__(self, name):
        return name.upper()


class Reduced:
    def __init__(self, value):
        self.value = value

    def __reduce__(self):
        return Reduced, (self.value + 1,)


class Stated:
    value = 1

    def __getstate__(self):
        return {"value": 5}

    def __setstate__(self, state):
        self.value = state["value"] + 1


class Keyed:
    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return key * 2


def holds(call):
    exported = export(lambda x: (x, repr(call())), (np.ones(2),))
    assert exported.module()(np.ones(2))[1] == repr(call())


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("call", WITH_EITHER_HOOK)
def test_what_the_machine_does_itself_works_with_either_hook(call):
    holds(call)


@pytest.mark.needs_answers
@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("call", ASKED)
def test_c_that_asks_its_arguments_needs_the_extension(call):
    holds(call)


REFUSED = [
    lambda x: {Size(1): x}[Size(1)],
    lambda x: (x, len({Size(1), Size(1)})),
    lambda x: (x, collections.deque([Size(1)]).count(Size(1))),
    lambda x: (np.zeros(Vector(2)), x),
]


@pytest.mark.parametrize("program", REFUSED)
def test_other_callbacks_need_the_extension(frame_hook, program):
    if frame_hook == "settrace":
        with pytest.raises(Unsupported) as raised:
            export(program, (np.ones(2),))
        assert raised.value.code == "E119"
        assert raised.value.location.source
    else:
        export(program, (np.ones(2),))


WITH_A_FINDER = """
import sys
import numpy as np
from npexport import export

class Finder:
    def find_spec(self, name, path=None, target=None):
        return None

sys.meta_path.insert(0, Finder())
print(export(lambda x: np.geomspace(x[0], 8.0, 3), (np.ones(3),)).module()(np.full(3, 2.0)))
"""


@pytest.mark.parametrize("hook", sorted({"settrace", frame_hook()}))
def test_finders_that_imports_ask_are_no_code_of_the_program(hook):
    """What computes constants is imported when it is first needed; setuptools, for one, asks a finder of its own of every import."""
    environment = {**os.environ, "NPEXPORT_FRAME_HOOK": hook}
    done = subprocess.run([sys.executable, "-c", WITH_A_FINDER], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[2. 4. 8.]\n", "")
