"""Classes of the program that hold arrays: operators, hooks of attributes, descriptors, inheritance, metaclasses."""

# ruff: noqa: E731, E741, E742, B008, B018, B023, B904

import functools
import operator
import types

import numpy as np


class Vec:
    __array_ufunc__ = None

    def __init__(self, a):
        self.a = np.asarray(a)

    def _lift(self, o):
        return o.a if isinstance(o, Vec) else o

    def __add__(self, o):
        return Vec(self.a + self._lift(o))

    __radd__ = __add__

    def __sub__(self, o):
        return Vec(self.a - self._lift(o))

    def __rsub__(self, o):
        return Vec(self._lift(o) - self.a)

    def __mul__(self, o):
        return Vec(self.a * self._lift(o))

    __rmul__ = __mul__

    def __matmul__(self, o):
        return Vec(self.a @ self._lift(o))

    def __rmatmul__(self, o):
        return Vec(self._lift(o) @ self.a)

    def __neg__(self):
        return Vec(-self.a)

    def __pos__(self):
        return self

    def __abs__(self):
        return Vec(abs(self.a))

    def __pow__(self, k, mod=None):
        return Vec(self.a**k)

    def __rpow__(self, k):
        return Vec(k**self.a)

    def __truediv__(self, o):
        return Vec(self.a / self._lift(o))

    def __floordiv__(self, o):
        return Vec(self.a // self._lift(o))

    def __mod__(self, o):
        return Vec(self.a % self._lift(o))

    def __divmod__(self, o):
        return self // o, self % o

    def __iadd__(self, o):
        self.a = self.a + self._lift(o)
        return self

    def __eq__(self, o):
        return Vec(self.a == self._lift(o))

    def __lt__(self, o):
        return Vec(self.a < self._lift(o))

    __hash__ = None

    def __getitem__(self, i):
        return Vec(self.a[i])

    def __setitem__(self, i, v):
        self.a = self.a.copy()
        self.a[i] = self._lift(v)

    def __len__(self):
        return len(self.a)

    def __iter__(self):
        return (Vec(r) for r in self.a)

    def __round__(self, n=0):
        return Vec(np.round(self.a, n))

    def __invert__(self):
        return Vec(~(self.a > 0))

    def __contains__(self, k):
        return k in self.a.shape

    def __call__(self, f):
        return Vec(f(self.a))

    def __repr__(self):
        return f"Vec{self.a.shape}"

    def __format__(self, spec):
        return f"<{self.a.ndim:{spec}}>"

    def __bool__(self):
        return self.a.size > 0

    def __enter__(self):
        return self.a

    def __exit__(self, *e):
        return False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.a, name)


def vec_arithmetic(x, y):
    return ((Vec(x) + 1) * 2 - Vec(y)).a, (3 - Vec(x)).a, (2 * Vec(x)).a, (x + Vec(y)).a, (y * Vec(x)).a


def vec_unary(x, y):
    return (-Vec(x)).a, abs(Vec(x)).a, (+Vec(x)).a, (~Vec(x)).a, round(Vec(x), 2).a


def vec_matmul(x, y):
    return (Vec(x) @ y).a, (x @ Vec(y)).a, (Vec(x) @ Vec(x.T)).a


def vec_powers(x, y):
    return (Vec(y) ** 2).a, (2 ** Vec(y)).a, pow(Vec(y), 3).a


def vec_division(x, y):
    return (Vec(x) / y).a, (Vec(x) // 2).a, (Vec(x) % 2).a, [v.a for v in divmod(Vec(x), 2)]


def vec_augmented(x, y):
    v = w = Vec(x)
    v += y
    u = Vec(x)
    u -= 1
    u *= 2
    return v.a, v is w, u.a


def vec_compare(x, y):
    return (Vec(x) == x).a, (Vec(x) < 0).a, (Vec(x) > Vec(y)).a


def vec_items(x, y):
    v = Vec(x)
    v[0] = 5
    v[:, 1] = Vec(y)[:3]
    return v.a, v[1:, ::2].a, len(v), [r.a.sum() for r in v], v[-1][0].a


def vec_protocols(x, y):
    return 4 in Vec(x), 9 in Vec(x), repr(Vec(x)), f"{Vec(x):>3}", bool(Vec(x)), Vec(x)(np.sin).a, Vec(x).shape, Vec(x).T.sum(axis=0)


def vec_sum_builtin(x, y):
    return sum([Vec(x), Vec(x)]).a, sum([Vec(x)], Vec(y)).a, functools.reduce(operator.mul, [Vec(x), Vec(y), 2]).a


def vec_context(x, y):
    with Vec(x) as a:
        return a * 2


def vec_unhashable(x, y):
    try:
        {Vec(x): 1}
    except TypeError as e:
        return x, str(e)


def vec_operator_module(x, y):
    return (
        operator.add(Vec(x), 1).a,
        operator.getitem(Vec(x), 0).a,
        operator.neg(Vec(y)).a,
        operator.truth(Vec(x)),
        operator.attrgetter("a.shape")(Vec(x)),
    )


class Tracked:
    """Attribute hooks."""

    def __init__(self):
        object.__setattr__(self, "log", [])

    def __setattr__(self, k, v):
        self.log.append(("set", k))
        object.__setattr__(self, k, v)

    def __delattr__(self, k):
        self.log.append(("del", k))
        object.__delattr__(self, k)

    def __getattribute__(self, k):
        if k == "secret":
            return 42
        return object.__getattribute__(self, k)


def attr_hooks(x, y):
    t = Tracked()
    t.a = x
    t.b = y
    del t.b
    return t.a * t.secret, t.log, hasattr(t, "b"), getattr(t, "nope", 1)


def attr_dynamic_names(x, y):
    o = types.SimpleNamespace()
    for i, row in enumerate(x):
        setattr(o, f"row{i}", row)
    return [getattr(o, f"row{i}") for i in range(3)], sorted(vars(o))


def attr_class_vs_instance(x, y):
    class A:
        v = 1

        def set(self, v):
            self.v = v
            return self

    a = A()
    b = A().set(x)
    A.v = 10
    return a.v, b.v, A.v, "v" in b.__dict__


def attr_descriptor_validated(x, y):
    class Bounded:
        def __init__(self, lo, hi):
            self.lo, self.hi = lo, hi

        def __set_name__(self, owner, name):
            self.key = f"_{name}"

        def __get__(self, obj, owner=None):
            return self if obj is None else getattr(obj, self.key)

        def __set__(self, obj, v):
            if not self.lo <= v <= self.hi:
                raise ValueError(f"{self.key[1:]}={v} outside [{self.lo}, {self.hi}]")
            setattr(obj, self.key, v)

    class M:
        rate = Bounded(0, 1)
        depth = Bounded(1, 10)

        def __init__(self, rate, depth):
            self.rate, self.depth = rate, depth

    try:
        M(2, 3)
    except ValueError as e:
        msg = str(e)
    m = M(0.5, 2)
    return x * m.rate * m.depth, msg, type(M.rate).__name__


def attr_nondata_descriptor(x, y):
    class Lazy:
        def __init__(self, f):
            self.f = f

        def __set_name__(self, o, n):
            self.n = n

        def __get__(self, obj, o):
            v = obj.__dict__[self.n] = self.f(obj)
            return v

    class M:
        @Lazy
        def heavy(self):
            return x @ x.T

    m = M()
    return m.heavy is m.heavy, m.heavy


def attr_class_getitem(x, y):
    class Shape:
        def __class_getitem__(cls, item):
            return (cls.__name__, item)

    return x, Shape[3, 4], Shape["n"]


def attr_slots_inheritance(x, y):
    class A:
        __slots__ = ("a",)

    class B(A):
        __slots__ = ("b",)

    o = B()
    o.a = x
    o.b = y
    try:
        o.c = 1
    except AttributeError as e:
        return o.a + o.b, hasattr(o, "__dict__")


def attr_getattr_module_like(x, y):
    class Lib:
        def __getattr__(self, name):
            return getattr(np, name)

    lib = Lib()
    return lib.sin(x) + lib.pi


def attr_property_inheritance(x, y):
    class A:
        def __init__(self, v):
            self._v = v

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, val):
            self._v = val

        @v.deleter
        def v(self):
            self._v = None

    class B(A):
        @A.v.getter
        def v(self):
            return super().v * 10

    b = B(x)
    b.v = y
    r = b.v
    del b.v
    return r, b._v


def super_multiple(x, y):
    class A:
        def f(self, v):
            return v + 1

    class B(A):
        def f(self, v):
            return super().f(v) * 2

    class C(A):
        def f(self, v):
            return super().f(v) * 3

    class D(B, C):
        def f(self, v):
            return super().f(v) - 1

    return D().f(x), [c.__name__ for c in D.__mro__]


def super_classmethods(x, y):
    class A:
        @classmethod
        def make(cls, v):
            o = cls()
            o.v = v
            return o

    class B(A):
        @classmethod
        def make(cls, v):
            return super().make(v * 2)

    return B.make(x).v, type(B.make(1)).__name__


def super_in_comprehension(x, y):
    class A:
        def g(self, k):
            return k * 2

    class B(A):
        def g(self, k):
            return [super(B, self).g(i) for i in range(k)]

    return x, B().g(3)


def new_immutables(x, y):
    class Unit(float):
        def __new__(cls, v, unit):
            self = super().__new__(cls, v)
            self.unit = unit
            return self

        def __mul__(self, o):
            return Unit(float(self) * o, self.unit)

    u = Unit(2.5, "m")
    return x * u, (u * 2).unit, u + 1, isinstance(u, float)


def new_returns_other(x, y):
    class A:
        def __new__(cls, kind):
            return kind

        def __init__(self, kind):
            raise RuntimeError

    return A(x) + 1


def init_subclass_kwargs(x, y):
    class Base:
        table = {}

        def __init_subclass__(cls, /, key, **kw):
            super().__init_subclass__(**kw)
            Base.table[key] = cls

    class A(Base, key="a"):
        def f(self, v):
            return v * 2

    class B(A, key="b"):
        def f(self, v):
            return super().f(v) + 1

    return Base.table["b"]().f(x), sorted(Base.table)


def instance_check_hooks(x, y):
    class M(type):
        def __instancecheck__(cls, o):
            return hasattr(o, "shape")

        def __subclasscheck__(cls, c):
            return c is int

    class ArrayLike(metaclass=M):
        pass

    return isinstance(x, ArrayLike), isinstance(3, ArrayLike), issubclass(int, ArrayLike), issubclass(str, ArrayLike)
