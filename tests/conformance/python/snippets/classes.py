"""Classes: inheritance, construction, metaclasses, hooks of class statements, classes that change."""

# ruff: noqa

import typing
from abc import ABC, abstractmethod

from tests.conformance.python.snippets.operators import Vector


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


def names_of_comprehensions():
    return [sorted(locals()) for v in range(1)], list(sorted(locals()) for v in range(1)), {v: sorted(locals()) for v in range(1)}


def names_of_class_bodies(x=1):
    class Plain:
        y = x

        def method(self):
            return super().method(), x

        names = list(locals())
        inside = [sorted(locals()) for v in range(2) if (lambda: v)() == 1]  # noqa: B023

    return [name for name in Plain.names if name != "__firstlineno__"], [name for name in Plain.inside[0] if name != "__classdict__"]
