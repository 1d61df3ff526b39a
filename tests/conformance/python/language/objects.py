"""The object model: classes, inheritance, descriptors, operators, metaclasses, dataclasses, enums."""

import abc
import collections
import dataclasses
import enum
import functools

import numpy as np


class Scaler:
    def __init__(self, k, bias):
        self.k = k
        self.bias = bias
        self.steps = [1, 2]

    def __call__(self, a):
        return a * self.k + self.bias

    @property
    def double(self):
        return self.k * 2

    @classmethod
    def unit(cls):
        return cls(1, 0)

    @staticmethod
    def helper(a):
        return a + 100


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def pretty(self):
        return self.name.lower()


@dataclasses.dataclass
class Config:
    scale: float = 2.0
    layers: list = dataclasses.field(default_factory=lambda: [1, 2, 3])


Pair = collections.namedtuple("Pair", "left right")
OUTSIDE = Scaler(3, 0.5)
CONFIG = Config()


def outside_instance(x, y):
    return OUTSIDE(x) + OUTSIDE.double + len(OUTSIDE.steps)


def outside_class(x, y):
    return Scaler(2, y)(x) + Scaler.unit()(x) + Scaler.helper(x)


def outside_dataclass(x, y):
    return x * CONFIG.scale + sum(CONFIG.layers)


def outside_enum(x, y):
    return (x * Colour.GREEN.value if Colour(2) is Colour.GREEN else y), Colour["RED"].pretty, [c.name for c in Colour]


def outside_namedtuple(x, y):
    p = Pair(x, y)
    return p._replace(left=y), p.left, p._asdict()


def class_inside(x, y):
    class Box:
        kind = "box"

        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v

    return Box(x).get() * 2, Box.kind, Box(1).v


def inheritance(x, y):
    class A:
        def f(self, a):
            return a + 1

    class B(A):
        def f(self, a):
            return super().f(a) * 2

    return B().f(x)


def multiple_inheritance(x, y):
    class A:
        def f(self):
            return ["A"]

    class B(A):
        def f(self):
            return ["B", *super().f()]

    class C(A):
        def f(self):
            return ["C", *super().f()]

    class D(B, C):
        def f(self):
            return ["D", *super().f()]

    return x, D().f(), [c.__name__ for c in D.__mro__]


def operators(x, y):
    class V:
        def __init__(self, a):
            self.a = a

        def __add__(self, o):
            return V(self.a + (o.a if isinstance(o, V) else o))

        __radd__ = __add__

        def __mul__(self, o):
            return V(self.a * o)

        def __neg__(self):
            return V(-self.a)

        def __matmul__(self, o):
            return self.a @ o.a

        def __iadd__(self, o):
            self.a = self.a + o
            return self

    v = V(x)
    v += 1
    return (1 + v + V(x) * 2).a, (-v).a, V(x) @ V(y)


def reflected_with_array(x, y):
    class R:
        __array_ufunc__ = None

        def __radd__(self, o):
            return ("radd", o)

    return (x + R())[1] * 2


def comparisons(x, y):
    class N:
        def __init__(self, n):
            self.n = n

        def __eq__(self, o):
            return self.n == o.n

        def __lt__(self, o):
            return self.n < o.n

        def __hash__(self):
            return hash(self.n)

    items = sorted([N(3), N(1), N(2)])
    return x * items[0].n, N(1) in [N(1)], N(1) != N(2), {N(1): "a"}[N(1)], max(items).n


def total_ordering(x, y):
    @functools.total_ordering
    class N:
        def __init__(self, n):
            self.n = n

        def __eq__(self, o):
            return self.n == o.n

        def __lt__(self, o):
            return self.n < o.n

    return x, N(1) <= N(1), N(2) > N(1), N(1) >= N(2)


def container_methods(x, y):
    class Bag:
        def __init__(self):
            self.items = {}

        def __getitem__(self, k):
            return self.items[k]

        def __setitem__(self, k, v):
            self.items[k] = v

        def __delitem__(self, k):
            del self.items[k]

        def __len__(self):
            return len(self.items)

        def __contains__(self, k):
            return k in self.items

        def __iter__(self):
            return iter(self.items)

        def __bool__(self):
            return True

    bag = Bag()
    bag["a"], bag["b"] = x, y
    del bag["b"]
    return bag["a"], len(bag), "a" in bag, list(bag), bool(bag)


def truth_methods(x, y):
    class Empty:
        def __len__(self):
            return 0

    class No:
        def __bool__(self):
            return False

    return y if Empty() or No() else x


def properties(x, y):
    class P:
        def __init__(self):
            self._v = 1

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, value):
            self._v = value * 2

        @v.deleter
        def v(self):
            self._v = 0

    p = P()
    p.v = 5
    a = p.v
    del p.v
    return x * a + p.v


def cached_property(x, y):
    class P:
        calls = 0

        @functools.cached_property
        def v(self):
            self.calls += 1
            return x * 2

    p = P()
    return p.v + p.v, p.calls


def descriptors(x, y):
    class Typed:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, obj, cls=None):
            return self if obj is None else getattr(obj, self.name)

        def __set__(self, obj, value):
            setattr(obj, self.name, value + 1)

    class T:
        a = Typed()

    t = T()
    t.a = x
    return t.a, T.a.name


def getattr_hooks(x, y):
    class Dyn:
        def __getattr__(self, name):
            return len(name)

        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2)

    d = Dyn()
    d.k = 3
    return x * d.k + d.hello, hasattr(d, "zz"), getattr(d, "abc", 0)


def getattribute_hook(x, y):
    class G:
        def __init__(self):
            self.v = 2

        def __getattribute__(self, name):
            value = object.__getattribute__(self, name)
            return value * 10 if name == "v" else value

    return x * G().v


def slots(x, y):
    class S:
        __slots__ = ("a", "b")

        def __init__(self, a):
            self.a = a

    s = S(x)
    try:
        s.c = 1
    except AttributeError:
        s.b = 2
    return s.a * s.b


def class_and_static_methods(x, y):
    class C:
        n = 3

        @classmethod
        def make(cls):
            return cls()

        @staticmethod
        def twice(a):
            return a * 2

        def m(self):
            return self.twice(x) * self.n

    return C.make().m()


def class_attributes(x, y):
    class C:
        count = 0

        def __init__(self):
            type(self).count += 1

    C(), C(), C()
    c = C()
    c.count = 10
    return x * C.count + c.count


def class_body_code(x, y):
    class C:
        values = [i * 2 for i in range(3)]
        for i in range(4):
            last = i
        if last == 3:
            flag = "yes"

    return x * sum(C.values), C.last, C.flag


def class_closure(x, y):
    k = 4

    class C:
        m = k

        def f(self):
            return __class__.__name__, k

    return x * C.m, C().f()


def init_subclass(x, y):
    registry = []

    class Base:
        def __init_subclass__(cls, /, tag=None, **kwargs):
            super().__init_subclass__(**kwargs)
            registry.append((cls.__name__, tag))

    class A(Base, tag="a"):
        pass

    class B(Base):
        pass

    return x, registry


def metaclass(x, y):
    class Meta(type):
        def __new__(mcls, name, bases, ns, **kwargs):
            ns["added"] = 5
            return super().__new__(mcls, name, bases, ns)

        def __call__(cls, *args):
            obj = super().__call__(*args)
            obj.extra = 2
            return obj

    class C(metaclass=Meta):
        def __init__(self, v):
            self.v = v

    c = C(x)
    return c.v * c.added * c.extra, type(C) is Meta


def new_method(x, y):
    class Single:
        instance = None

        def __new__(cls):
            if cls.instance is None:
                cls.instance = super().__new__(cls)
                cls.instance.n = 0
            cls.instance.n += 1
            return cls.instance

    Single()
    return x * Single().n, Single() is Single()


def dynamic_class(x, y):
    C = type("C", (), {"f": lambda self, a: a * self.k, "k": 6})
    return C().f(x)


def abstract_class(x, y):
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    class Square(Shape):
        def area(self):
            return 9

    try:
        Shape()
    except TypeError as error:
        text = type(error).__name__
    return x * Square().area(), text, isinstance(Square(), Shape)


def isinstance_checks(x, y):
    class A:
        pass

    class B(A):
        pass

    return (
        x,
        isinstance(B(), A),
        isinstance(A(), B),
        issubclass(B, A),
        isinstance(x, np.ndarray),
        isinstance(1, (str, int)),
        isinstance(1, int | str),
    )


def array_types(x, y):
    return x, type(x) is np.ndarray, type(x).__name__, type(x.sum()).__name__, isinstance(x.sum(), np.floating), isinstance(x.shape, tuple)


def instancecheck_hook(x, y):
    class Meta(type):
        def __instancecheck__(cls, obj):
            return obj == 3

    class Three(metaclass=Meta):
        pass

    return x, isinstance(3, Three), isinstance(4, Three)


def bound_methods(x, y):
    class C:
        def __init__(self):
            self.k = 3

        def f(self, a):
            return a * self.k

    c = C()
    m = c.f
    c.k = 5
    return m(x), m.__self__ is c, C.f(c, x)


def method_in_container(x, y):
    class C:
        def a(self, v):
            return v + 1

        def b(self, v):
            return v * 2

    c = C()
    for m in (c.a, c.b):
        x = m(x)
    return x


def instance_dict(x, y):
    class C:
        pass

    c = C()
    c.__dict__["v"] = 3
    vars(c)["w"] = 4
    return x * c.v + c.w, sorted(c.__dict__)


def setattr_delattr(x, y):
    class C:
        pass

    c = C()
    setattr(c, "a", x)
    b = hasattr(c, "a")
    delattr(c, "a")
    return b, hasattr(c, "a"), getattr(c, "a", y)


def repr_and_str(x, y):
    class C:
        def __repr__(self):
            return "C!"

    class D:
        def __str__(self):
            return "d"

        def __format__(self, spec):
            return f"<{spec}>"

    return x, repr(C()), str(C()), str(D()), f"{C()!r} {D():>4} {[C()]}"


def singledispatch(x, y):
    @functools.singledispatch
    def f(v):
        return "other"

    @f.register
    def _(v: int):
        return "int"

    @f.register(np.ndarray)
    def _(v):
        return "array"

    return x, f(1), f("s"), f(x)
