"""Objects as builtins and the standard library use them: calls, iteration, items, texts, data classes, enums, copies."""

# ruff: noqa

import collections
import copy
import dataclasses
import enum
import typing

from tests.conformance.python.snippets.operators import Vector


def callable_instances():
    class Adder:
        def __init__(self, n):
            self.n = n

        def __call__(self, x, *, times=1):
            return (x + self.n) * times

    return Adder(2)(3), Adder(1)(1, times=5), list(map(Adder(10), [1, 2])), callable(Adder(1))


def iterators():
    class Down:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            if self.n <= 0:
                raise StopIteration
            self.n -= 1
            return self.n

    class Old:
        def __getitem__(self, i):
            if i >= 3:
                raise IndexError
            return i * 10

    return (
        list(Down(3)),
        [x for x in Down(2)],
        list(Old()),
        20 in Old(),
        [*Down(2)],
        dict(zip(Down(2), Down(2))),
        max(Down(4)),
        "x".join(map(str, Down(3))),
    )


def iter_returns_non_iterator():
    class A:
        def __iter__(self):
            return 5

    for _ in A():
        pass


def reversed_and_length_hint():
    class A:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return i

        def __reversed__(self):
            return iter("rev")

    class B:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return i

    return list(reversed(A())), list(reversed(B()))


def setitem_and_delitem():
    log = []

    class A:
        def __setitem__(self, k, v):
            log.append((k, v))

        def __delitem__(self, k):
            log.append(k)

        def __getitem__(self, k):
            return 10

    a = A()
    a[1] = 2
    a["x", 3] = 4
    a[1:2] = 5
    del a[0]
    a[7] += 1
    return log


def string_conversion_errors():
    class A:
        def __str__(self):
            return 5

    class B:
        def __repr__(self):
            return None

    out = []
    for f, x in ((str, A()), (repr, B()), (format, A()), (lambda v: f"{v}", A()), (lambda v: f"{v!r}", B())):
        try:
            f(x)
        except TypeError as error:
            out.append(str(error))
    return out


def str_falls_back_to_repr():
    class A:
        def __repr__(self):
            return "R"

    return str(A()), f"{A()}", f"{A()!s:>3}", [A()], "{}".format(A()), "%s" % A()


def dataclass():
    @dataclasses.dataclass(order=True)
    class P:
        x: int
        y: int = 2
        z: list = dataclasses.field(default_factory=list, compare=False)

        def __post_init__(self):
            self.total = self.x + self.y

    @dataclasses.dataclass(frozen=True)
    class F:
        a: int

    p = P(1)
    out = [p, p.total, P(1) == P(1, 2, [5]), P(1) < P(2), dataclasses.asdict(p), dataclasses.replace(p, x=9), hash(F(1)) == hash(F(1))]
    try:
        F(1).a = 2
    except dataclasses.FrozenInstanceError as error:
        out.append(str(error))
    return repr(out)


def enums():
    class Color(enum.Enum):
        RED = 1
        GREEN = 2

        @property
        def lower(self):
            return self.name.lower()

    class Flag(enum.IntFlag):
        A = enum.auto()
        B = enum.auto()

    return (
        Color.RED,
        Color(2),
        Color["RED"].lower,
        list(Color),
        Color.RED is Color(1),
        Flag.A | Flag.B,
        Color.RED == 1,
        (Flag.A | Flag.B) & 2,
    )


def named_tuples():
    P = collections.namedtuple("P", "x y", defaults=[5])

    class Q(typing.NamedTuple):
        a: int
        b: str = "b"

        def both(self):
            return self.a, self.b

    p = P(1)
    return p, p._replace(x=3), p.y, P(*[7, 8])._asdict(), Q(1).both(), Q(1, b="c"), p[0]


def collections_with_objects():
    counter = collections.Counter("abracadabra")
    od = collections.OrderedDict(a=1, b=2)
    od.move_to_end("a")
    chain = collections.ChainMap({"x": 1}, {"x": 2, "y": 3})
    dq = collections.deque([1, 2, 3], maxlen=2)

    class UD(collections.UserDict):
        def __setitem__(self, k, v):
            super().__setitem__(k, v * 2)

    return counter.most_common(2), counter + collections.Counter("aa"), list(od), chain["x"], chain["y"], list(dq), dict(UD(a=1))


def copying():
    class C:
        def __init__(self, x):
            self.x = x

        def __copy__(self):
            return C(("copied", self.x))

    class D:
        def __init__(self):
            self.items = [[1], {"k": [2]}]

    d = D()
    e = copy.deepcopy(d)
    f = copy.copy(d)
    e.items[0].append(5)
    return copy.copy(C(1)).x, d.items, e.items, f.items is d.items


def context_and_pickle_of_local_class():
    import pickle

    return pickle.loads(pickle.dumps(Vector(3, 4)))


def weak_references():
    import weakref

    class A: ...

    a = A()
    r = weakref.ref(a)
    alive = r() is a
    del a
    return alive, r()


def finalizers():
    log = []

    class A:
        def __del__(self):
            log.append("del")

    a = A()
    a = None  # noqa: F841
    return log


def typing_constructs():
    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self, item: T):
            self.item = item

    class Proto(typing.Protocol):
        def f(self): ...

    runtime = typing.runtime_checkable(Proto)

    class Has:
        def f(self): ...

    return Box[int](5).item, isinstance(Has(), runtime), isinstance(5, runtime), typing.get_type_hints(Box.__init__), T.__name__
