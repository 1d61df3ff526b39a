"""Kinds of classes that the standard library makes: dataclasses, named tuples, enums, generics, protocols; subclasses of builtins."""

# ruff: noqa: E741, E742

import collections
import dataclasses
import enum
import types
import typing

import numpy as np


def dataclass_inside(x, y):
    @dataclasses.dataclass
    class D:
        a: object
        b: int = 2
        c: list = dataclasses.field(default_factory=list)

        def f(self):
            return self.a * self.b

    d = D(x)
    d.c.append(1)
    return d.f(), len(d.c), D(1) == D(1), repr(D(1, 3))


def dataclass_frozen(x, y):
    @dataclasses.dataclass(frozen=True, order=True)
    class D:
        a: int
        b: int = 0

    try:
        D(1).a = 2
    except dataclasses.FrozenInstanceError:
        ok = True
    return x, ok, D(1) < D(2), hash(D(1)) == hash(D(1)), dataclasses.replace(D(1), b=5).b


def dataclass_slots(x, y):
    @dataclasses.dataclass(slots=True, weakref_slot=True)
    class D:
        a: object
        b: int = 3

    d = D(x)
    d.b += 1
    return d.a * d.b, D.__slots__, hasattr(d, "__dict__"), dataclasses.replace(d, a=y).a


def dataclass_tools(x, y):
    @dataclasses.dataclass
    class D:
        a: int
        b: list

    d = D(1, [2, 3])
    return x, dataclasses.asdict(d), dataclasses.astuple(d), [f.name for f in dataclasses.fields(d)]


def dataclass_post_init(x, y):
    @dataclasses.dataclass
    class D:
        a: object
        b: object = dataclasses.field(init=False)

        def __post_init__(self):
            self.b = self.a * 2

    return D(x).b


def namedtuple_inside(x, y):
    P = collections.namedtuple("P", ["a", "b"], defaults=[5])
    p = P(x)
    return p.a * p.b, P._fields, len(p)


def typed_namedtuple(x, y):
    class P(typing.NamedTuple):
        a: object
        b: int = 3

        def f(self):
            return self.a * self.b

    return P(x).f()


def enum_inside(x, y):
    class E(enum.IntEnum):
        A = 1
        B = enum.auto()

    return x * E.B, E(1).name, E.B > E.A, list(E.__members__)


def flag_enum(x, y):
    class F(enum.Flag):
        A = enum.auto()
        B = enum.auto()

    both = F.A | F.B
    return x, F.A in both, both.value, (both & F.A) is F.A


def subclass_of_builtin(x, y):
    class L(list):
        def total(self):
            return sum(self)

    class D(dict):
        def __missing__(self, key):
            return len(key)

    class I(int):
        def twice(self):
            return self * 2

    class S(str):
        pass

    return x * L([1, 2]).total(), D()["abc"], I(4).twice(), S("a") + "b"


def generic_class(x, y):
    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self, v):
            self.v = v

    return Box[int](x).v * 2


def protocol_class(x, y):
    @typing.runtime_checkable
    class HasArea(typing.Protocol):
        def area(self): ...

    class S:
        def area(self):
            return 4

    return x, isinstance(S(), HasArea), isinstance(1, HasArea)


def copy_protocol(x, y):
    import copy

    class C:
        def __init__(self):
            self.v = [1]

    c = C()
    shallow, deep = copy.copy(c), copy.deepcopy(c)
    c.v.append(2)
    return x, shallow.v, deep.v


def linked_list(x, y):
    class Node:
        def __init__(self, v, rest=None):
            self.v, self.rest = v, rest

        def __iter__(self):
            node = self
            while node:
                yield node.v
                node = node.rest

    return sum(Node(x, Node(y, Node(1))))


def visitor(x, y):
    class Num:
        def __init__(self, v):
            self.v = v

    class Add:
        def __init__(self, a, b):
            self.a, self.b = a, b

    class Eval:
        def visit(self, node):
            return getattr(self, "visit_" + type(node).__name__.lower())(node)

        def visit_num(self, node):
            return node.v

        def visit_add(self, node):
            return self.visit(node.a) + self.visit(node.b)

    return Eval().visit(Add(Num(x), Add(Num(y), Num(2))))


def context_var(x, y):
    import contextvars

    v = contextvars.ContextVar("v", default=2)
    token = v.set(5)
    a = v.get()
    v.reset(token)
    return x * a + v.get()


def weak_reference(x, y):
    import weakref

    class C:
        k = 3

    c = C()
    r = weakref.ref(c)
    return x * r().k


def arguments_of_subclasses(x, y):
    class Axis(enum.IntEnum):
        ROW = 0
        COL = 1

    class Order(enum.StrEnum):
        C = "C"

    class Half(float):
        pass

    Size = collections.namedtuple("Size", "h w")
    return (
        x.sum(axis=Axis.ROW),
        np.concatenate([x, x], axis=Axis.COL),
        x.reshape(Size(2, 6), order=Order.C),
        x.transpose(Size(Axis.COL, Axis.ROW)),
        x[Axis.COL, Axis.ROW],
        x * Axis.COL + Half(0.5),
        np.full(Size(2, 1), Half(3)),
    )


def elements_that_are_no_numbers(x, y):
    def story(value, dtype):
        a = (x[0] * 3).astype(dtype)
        try:
            a[1] = value
        except Exception as error:
            return type(error).__name__, str(error), type(error.__cause__).__name__
        return a

    values = [1, 2], (), None, {}, "a", range(2), slice(1), 1.5
    return [story(value, dtype) for value in values for dtype in (float, np.int64, bool, complex)]


def own_module(x, y):
    module = types.ModuleType("made", "of the program")
    module.scale, module.data = 3, x
    exec("def double(): return scale * 2\nlast = double()", module.__dict__)
    vars(module)["extra"] = 5
    setattr(module, "gone", 1)  # noqa: B010
    del module.gone

    class Open(types.ModuleType):
        def __getattr__(self, name):
            return name

    return module.data * module.last, module.double(), module.extra, module.__doc__, hasattr(module, "gone"), Open("other").any


def names_of_the_module(x, y):
    return x, "np" in globals(), "nowhere" in globals(), [name for name in ("np", "nowhere") if name in vars(types)]
