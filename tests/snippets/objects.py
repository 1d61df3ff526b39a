"""The object model: classes, descriptors, special methods, metaclasses, pattern matching."""

# ruff: noqa

import collections
import copy
import dataclasses
import enum
import typing
from abc import ABC, abstractmethod


class Vector:
    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __repr__(self):
        return f"V({self.x}, {self.y})"

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y) if isinstance(o, Vector) else NotImplemented

    def __radd__(self, o):
        return ("radd", o)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iadd__(self, o):
        self.x += 100
        return self

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __pos__(self):
        return "pos"

    def __invert__(self):
        return "inv"

    def __abs__(self):
        return 5

    def __bool__(self):
        return bool(self.x)

    def __eq__(self, o):
        return isinstance(o, Vector) and (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __iter__(self):
        return iter((self.x, self.y))

    def __contains__(self, v):
        return v == self.x

    def __call__(self, *args, **kw):
        return args, kw

    def __format__(self, spec):
        return f"<{spec}>"

    def __index__(self):
        return self.x

    def __int__(self):
        return 42

    def __float__(self):
        return 4.5


def operators_of_a_class():
    a, b = Vector(1, 2), Vector(3)
    c = a
    c += b
    return a + b, 5 + a, a * 3, 2 * a, -a, +a, ~a, abs(a), bool(Vector(0)), not a, a == Vector(101, 2), a != b, c is a


def conversions_of_a_class():
    v = Vector(2, 7)
    return (
        len(v),
        v[1],
        list(v),
        2 in v,
        9 in v,
        v(1, k=2),
        f"{v:spec}",
        f"{v}",
        str(v),
        repr(v),
        [10, 20, 30][v],
        int(v),
        float(v),
        hash(v) == hash((2, 7)),
    )


def unsupported_operand():
    return Vector(1) + 5


def truth_in_conditions():
    out = []
    for v in (Vector(0), Vector(1)):
        out.append("yes" if v else "no")
        out.append(v and "and")
        out.append(v or "or")
        while not v:
            v.x = 5
    return [str(x) for x in out]


def bad_bool():
    class B:
        def __bool__(self):
            return 5

    if B():
        pass


def length_as_truth():
    class L:
        def __init__(self, n):
            self.n = n

        def __len__(self):
            return self.n

    return bool(L(0)), bool(L(3)), not L(0), [1 for _ in range(2) if L(1)]


def negative_length():
    class L:
        def __len__(self):
            return -1

    len(L())


def reflected_operators():
    class A:
        def __sub__(self, o):
            return NotImplemented

    class B:
        def __rsub__(self, o):
            return "rsub"

    class C(A):
        def __rsub__(self, o):
            return "C.rsub"

    out = [A() - B(), A() - C()]
    try:
        A() - 1
    except TypeError as error:
        out.append(str(error))
    return out


def inplace_falls_back():
    class A:
        def __add__(self, o):
            return ("add", o)

        def __imul__(self, o):
            return NotImplemented

        def __mul__(self, o):
            return "mul"

    a = b = A()
    a += 1
    b *= 2
    return a, b


def matrix_multiplication():
    class M:
        def __matmul__(self, o):
            return "mm"

        def __rmatmul__(self, o):
            return "rmm"

        def __imatmul__(self, o):
            return "imm"

    m = M()
    out = [m @ 1, 1 @ m]
    m @= 2
    return out, m


def list_plus_object():
    class R:
        def __radd__(self, o):
            return ("r", o)

    return [1] + R(), "s" + R(), (1,) + R()


def comparisons():
    class N:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            return ("lt", self.v, o.v)

        def __ge__(self, o):
            return ("ge", self.v, o.v)

    a, b = N(1), N(2)
    out = [a < b, a > b, a >= b, a <= b, a == b, a != b, a == a]

    class Plain: ...

    try:
        Plain() < Plain()
    except TypeError as error:
        out.append(str(error))
    return out


def equality_and_inequality():
    class E:
        def __eq__(self, o):
            return "eq"

    class F(E):
        def __ne__(self, o):
            return "ne"

    return E() == 1, E() != 1, F() != 1, 1 == E(), E().__hash__


def equality_in_containers():
    class E:
        def __init__(self, k):
            self.k = k

        def __eq__(self, o):
            return isinstance(o, E) and self.k == o.k

        def __hash__(self):
            return hash(self.k)

    a, b = E(1), E(1)
    return a in [b], {a: 1}[b], len({a, b}), [a].index(b), [a, b].count(E(1)), (a,) == (b,), {a: 1} == {b: 1}


def missing_hook():
    class D(dict):
        def __missing__(self, key):
            return key * 2

    d = D(a=1)
    return d["a"], d["zz"], collections.defaultdict(list, {1: [2]})[5], "%(q)s" % D()


def attributes():
    class A:
        shared = []

        def __init__(self):
            self.own = 1

    a, b = A(), A()
    a.shared.append(1)
    a.extra = 2
    del a.own
    return (
        b.shared,
        hasattr(a, "own"),
        getattr(a, "own", "default"),
        a.__dict__,
        vars(b),
        sorted(x for x in dir(a) if not x.startswith("__")),
    )


def missing_attribute():
    class A: ...

    A().nothing


def missing_class_attribute():
    class A: ...

    A.nothing


def delete_missing_attribute():
    class A: ...

    del A().nothing


def getattr_hook():
    class A:
        x = 1

        def __getattr__(self, name):
            if name.startswith("dyn"):
                return name.upper()
            raise AttributeError(f"no {name}")

    a = A()
    return a.x, a.dynamic, hasattr(a, "other"), getattr(a, "other", 0), [getattr(a, n) for n in ("x", "dyn")]


def getattribute_hook():
    class A:
        y = 2

        def __getattribute__(self, name):
            if name == "secret":
                raise AttributeError("secret")
            return object.__getattribute__(self, name)

        def __getattr__(self, name):
            return f"fallback {name}"

    a = A()
    a.z = 3
    return a.y, a.z, a.secret, a.unknown


def setattr_hook():
    log = []

    class A:
        def __setattr__(self, name, value):
            log.append((name, value))
            super().__setattr__(name, value * 2)

        def __delattr__(self, name):
            log.append(name)
            object.__delattr__(self, name)

    a = A()
    a.x = 5
    value = a.x
    del a.x
    setattr(a, "y", 1)
    return value, log, a.__dict__


def properties():
    class P:
        def __init__(self):
            self._x = 1

        @property
        def x(self):
            return self._x

        @x.setter
        def x(self, v):
            self._x = v * 10

        @x.deleter
        def x(self):
            self._x = "deleted"

        @property
        def read_only(self):
            return "ro"

    p = P()
    p.x = 5
    first = p.x
    p.x += 1
    second = p.x
    del p.x
    out = [first, second, p.x, p.read_only]
    try:
        p.read_only = 1
    except AttributeError as error:
        out.append(str(error))
    return out


def property_raises_attribute_error():
    class P:
        @property
        def x(self):
            return self.missing

        def __getattr__(self, name):
            return f"asked for {name}"

    return P().x


def property_error():
    class P:
        @property
        def x(self):
            raise ValueError("prop")

    P().x


def descriptors():
    class D:
        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, obj, owner=None):
            return self if obj is None else ("get", self.name, obj.__dict__.get("_" + self.name))

        def __set__(self, obj, value):
            obj.__dict__["_" + self.name] = value

        def __delete__(self, obj):
            obj.__dict__.clear()

    class A:
        field = D()

    a = A()
    a.field = 5
    first = a.field
    del a.field
    return first, a.field, type(A.field).__name__, A.field.name


def non_data_descriptor():
    class D:
        def __get__(self, obj, owner):
            return "descriptor"

    class A:
        d = D()

    a = A()
    before = a.d
    a.__dict__["d"] = "instance"
    return before, a.d, A.d


def cached_property():
    import functools

    log = []

    class A:
        @functools.cached_property
        def value(self):
            log.append("computed")
            return 7

    a = A()
    return a.value, a.value, log


def slots():
    class S:
        __slots__ = ("x", "y")

        def __init__(self):
            self.x = 1

    s = S()
    out = [s.x, hasattr(s, "y")]
    try:
        s.z = 1
    except AttributeError as error:
        out.append(str(error))
    return out


def class_and_static_methods():
    class A:
        n = 1

        @classmethod
        def make(cls, x):
            return cls.__name__, x, cls.n

        @staticmethod
        def add(a, b):
            return a + b

    class B(A):
        n = 2

    return A.make(1), B.make(2), B().make(3), A.add(1, 2), B().add(3, 4)


def inheritance_and_super():
    class A:
        def __init__(self, *args):
            self.log = ["A"]

        def f(self):
            return ["A.f"]

    class B(A):
        def __init__(self, *args):
            super().__init__(*args)
            self.log.append("B")

        def f(self):
            return ["B.f", *super().f()]

    class C(A):
        def f(self):
            return ["C.f", *super(C, self).f()]

    class D(B, C):
        def f(self):
            return ["D.f", *super().f()]

    d = D()
    return d.log, d.f(), [c.__name__ for c in D.__mro__]


def super_in_class_methods():
    class A:
        @classmethod
        def c(cls):
            return "A", cls.__name__

        @property
        def p(self):
            return "A.p"

        x = 5

    class B(A):
        @classmethod
        def c(cls):
            return ("B", *super().c())

        @property
        def p(self):
            return "B." + super().p

        def get(self):
            return super().x, [super(B, self).x for _ in range(1)]

    return B.c(), B().c(), B().p, B().get()


def super_without_class():
    def f(self):
        return super().x

    f(1)


def super_missing_attribute():
    class A:
        def f(self):
            return super().nothing

    A().f()


def class_cell():
    class A:
        def who(self):
            return __class__.__name__

    class B(A): ...

    return B().who()


def new_and_init():
    log = []

    class A:
        def __new__(cls, *args, **kw):
            log.append(("new", args, kw))
            return super().__new__(cls)

        def __init__(self, x, k=0):
            log.append(("init", x, k))

    class Other:
        def __new__(cls):
            return 5

    A(1, k=2)
    return log, Other()


def singleton():
    class S:
        _it = None

        def __new__(cls):
            if cls._it is None:
                cls._it = super().__new__(cls)
            return cls._it

    return S() is S()


def init_returns_value():
    class A:
        def __init__(self):
            return 5  # noqa: PLE0101

    A()


def init_wrong_arguments():
    class A:
        def __init__(self, x): ...

    A()


def no_arguments_accepted():
    class A: ...

    A(1, 2)


def init_raises():
    class A:
        def __init__(self):
            raise OSError("init")

    A()


def subclass_of_builtins():
    class L(list):
        def total(self):
            return sum(self)

    class I(int):
        def __add__(self, o):
            return I(int(self) + int(o) + 1000)

    class S(str):
        def shout(self):
            return self.upper() + "!"

    class T(tuple):
        def __new__(cls, *items):
            return super().__new__(cls, items)

    return L([1, 2]).total(), I(1) + 2, 2 + I(1), S("hi").shout(), T(1, 2), type(I(1) + 1).__name__, L([1]) + [2], len(L("abc"))


def abstract_classes():
    class Shape(ABC):
        @abstractmethod
        def area(self): ...

    class Square(Shape):
        def area(self):
            return 4

    out = [Square().area(), isinstance(Square(), Shape)]
    try:
        Shape()
    except TypeError as error:
        out.append(str(error))
    return out


def virtual_subclass():
    class Shape(ABC):
        pass

    class Other: ...

    Shape.register(Other)
    return isinstance(Other(), Shape), issubclass(Other, Shape), isinstance(5, Shape)


def instance_check_hook():
    class Meta(type):
        def __instancecheck__(cls, obj):
            return obj == 5

        def __subclasscheck__(cls, sub):
            return sub is int

    class A(metaclass=Meta): ...

    return isinstance(5, A), isinstance(6, A), issubclass(int, A), issubclass(str, A), isinstance(5, (str, A))


def metaclasses():
    log = []

    class Meta(type):
        @classmethod
        def __prepare__(mcls, name, bases, **kw):
            log.append(("prepare", name, kw))
            return {"prepared": 1}

        def __new__(mcls, name, bases, ns, **kw):
            log.append(("new", sorted(k for k in ns if not k.startswith("__"))))
            return super().__new__(mcls, name, bases, ns)

        def __init__(cls, name, bases, ns, **kw):
            log.append(("init", name))
            super().__init__(name, bases, ns)

        def __call__(cls, *args):
            log.append(("call", args))
            return super().__call__(*args)

        def __getitem__(cls, key):
            return (cls.__name__, key)

        def __len__(cls):
            return 99

        @property
        def meta_property(cls):
            return cls.__name__ + "!"

    class A(metaclass=Meta, flag=1):
        def __init__(self, x):
            self.x = x

        y = 2

    a = A(7)
    return log, a.x, A.prepared, A["k"], len(A), A.meta_property, type(A).__name__


def metaclass_conflict():
    class M(type): ...

    class N(type): ...

    class A(metaclass=M): ...

    class B(metaclass=N): ...

    class C(A, B): ...


def init_subclass_and_set_name():
    log = []

    class Base:
        def __init_subclass__(cls, /, tag=None, **kw):
            super().__init_subclass__(**kw)
            log.append((cls.__name__, tag))

    class D:
        def __set_name__(self, owner, name):
            log.append((owner.__name__, name))

    class A(Base, tag="a"):
        d = D()

    class B(A): ...

    return log


def class_getitem():
    class A:
        def __class_getitem__(cls, item):
            return (cls.__name__, item)

    class B(typing.Generic[typing.TypeVar("T")]): ...

    return A[int], A[1, 2], str(B[int]).endswith("B[int]"), list[int], dict[str, int].__args__


def mro_entries():
    class Fake:
        def __mro_entries__(self, bases):
            return (dict,)

    class A(Fake()): ...

    return A.__bases__, A.__orig_bases__[0].__class__.__name__


def class_body_scope():
    x = "function"

    class A:
        y = x
        x = "class"
        z = [x for _ in range(1)]
        w = x

        def f(self):
            return x

    return A.y, A.z, A.w, A().f()


def class_body_error():
    class A:
        x = 1
        y = undefined_here  # noqa: F821


def nested_classes():
    class A:
        class B:
            def who(self):
                return type(self).__qualname__

    return A.B().who(), A.__qualname__, A.B.__module__ == A.__module__


def dynamic_classes():
    cls = type("Dyn", (Vector,), {"extra": lambda self: "extra", "n": 5})
    return cls(1, 2).extra(), cls.n, cls(1) + cls(2), cls.__name__


def monkey_patching():
    class A:
        def f(self):
            return "old"

    a = A()
    before = a.f()
    A.f = lambda self: "new"
    A.g = 5
    after = a.f(), a.g
    a.f = lambda: "instance"
    del A.g
    return before, after, a.f(), hasattr(a, "g")


def change_class_of_instance():
    class A:
        def f(self):
            return "A"

    class B:
        def f(self):
            return "B"

    a = A()
    a.__class__ = B
    return a.f(), isinstance(a, B)


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


def match_values():
    def f(x):
        match x:
            case 0 | 1:
                return "small"
            case -1.5:
                return "float"
            case "a" | "b" as letter:
                return letter
            case None:
                return "none"
            case True:
                return "true"
            case int() if x > 100:
                return "big"
            case int(n):
                return ("int", n)
            case str() as s:
                return ("str", s)
            case _:
                return "other"

    return [f(x) for x in (0, 1, -1.5, "b", None, 500, 7, "zz", [], True)]


def match_sequences():
    def f(x):
        match x:
            case []:
                return "empty"
            case [1, 2]:
                return "one two"
            case [first, *rest] if first == 0:
                return ("zero", rest)
            case [_, (a, b), *_]:
                return ("nested", a, b)
            case (x1, y1):
                return (x1, y1)
            case [*_, last]:
                return ("last", last)
        return None

    return [f(x) for x in ([], [1, 2], [0, 5, 6], [9, (1, 2), 3], ("p", "q"), [1, 2, 3], "ab", {1: 2}, range(4))]


def match_mappings():
    def f(x):
        match x:
            case {"kind": "a", "value": v}:
                return ("a", v)
            case {"kind": kind, **rest}:
                return (kind, rest)
            case {}:
                return "mapping"
        return None

    return [f(x) for x in ({"kind": "a", "value": 1}, {"kind": "b", "x": 1}, {"y": 1}, {}, [], collections.OrderedDict(kind="z"))]


def match_classes():
    class P:
        __match_args__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

    def f(v):
        match v:
            case P(0, y):
                return ("origin x", y)
            case P(x, y=5):
                return ("y five", x)
            case P(x=x):
                return ("any", x)
            case Vector(x=1):
                return "vector"
            case str(s) | bytes(s):
                return s
            case dict(items) if items:
                return "full dict"
        return None

    return [f(v) for v in (P(0, 1), P(1, 5), P(2, 3), Vector(1), Vector(2), "s", b"b", {}, {1: 1})]


def match_class_errors():
    class P:
        __match_args__ = ("x",)

    out = []

    def a():
        match P():
            case P(1, 2):
                pass

    def b():
        match 5:
            case out():
                pass

    class Q:
        __match_args__ = 5

    def c():
        match Q():
            case Q(1):
                pass

    for f in (a, b, c):
        try:
            f()
        except TypeError as error:
            out.append(str(error))
    return out


def match_binds_and_leaks():
    match (1, 2):
        case (a, 3):
            pass
        case (b, 2):
            pass
    return a, b


def format_protocol():
    class F:
        def __format__(self, spec):
            return 5 if spec == "bad" else f"[{spec}]"

    out = [f"{F()}", f"{F():x>10}", format(F(), "s"), "{:{}}".format(F(), "w")]
    try:
        format(F(), "bad")
    except TypeError as error:
        out.append(str(error))
    return out


def number_protocol():
    class N:
        def __index__(self):
            return 3

        def __round__(self, n=None):
            return ("round", n)

        def __divmod__(self, o):
            return "divmod"

        def __pow__(self, o, m=None):
            return ("pow", o, m)

        def __trunc__(self):
            return 9

        def __complex__(self):
            return 1j

    import math

    n = N()
    return (
        [0, 1, 2, 3, 4][n],
        range(10)[:n],
        hex(n),
        round(n),
        round(n, 2),
        divmod(n, 1),
        n**2,
        pow(n, 2, 5),
        math.trunc(n),
        complex(n),
        "ab" * n,
    )


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


def property_on_class_via_metaclass():
    class Meta(type):
        @property
        def x(cls):
            return "meta x"

        def __getattr__(cls, name):
            return f"meta {name}"

    class A(metaclass=Meta):
        y = 1

    return A.x, A.y, A.z, hasattr(A(), "x")


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


def operator_order_with_subclass():
    log = []

    class A:
        def __add__(self, o):
            log.append("A.add")
            return NotImplemented

        def __radd__(self, o):
            log.append("A.radd")
            return NotImplemented

    class B(A):
        def __radd__(self, o):
            log.append("B.radd")
            return "B"

    return A() + B(), B() + A() if False else None, log
