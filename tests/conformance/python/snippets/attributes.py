"""Attributes: hooks, properties, descriptors, slots, class and static methods."""

# ruff: noqa

import collections


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
