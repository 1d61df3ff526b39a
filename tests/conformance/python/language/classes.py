"""Classes made in functions: factories, decorators, registries, metaclasses, enumerations."""

# ruff: noqa: E731, E741, E742, B008, B018, B023, B904

import collections
import enum

import numpy as np

GAIN = 1.5
BIAS = np.linspace(0, 1, 4)


def class_in_function_with_default(x, y):
    class Layer:
        scale = GAIN

        def __init__(self, w, b=BIAS):
            self.w, self.b = w, b

        def __call__(self, v):
            return v * self.w * self.scale + self.b

    return Layer(y)(x)


def class_factory(x, y):
    def make(op, name):
        return type(name, (), {"__call__": lambda self, a: op(a, y), "op": staticmethod(op)})

    return make(np.add, "Adder")()(x) + make(np.multiply, "Mul").op(x, 2), make(max, "M").__name__


def class_decorated(x, y):
    registry = {}

    def register(name):
        def wrap(cls):
            registry[name] = cls
            cls.tag = name.upper()
            return cls

        return wrap

    @register("relu")
    class Relu:
        def __call__(self, v):
            return np.maximum(v, 0)

    @register("neg")
    class Neg:
        def __call__(self, v):
            return -v

    out = x
    for key in sorted(registry):
        out = registry[key]()(out)
    return out, [c.tag for c in registry.values()]


def metaclass_call_singleton(x, y):
    class Single(type):
        _made = {}

        def __call__(cls, *a, **k):
            if cls not in cls._made:
                cls._made[cls] = super().__call__(*a, **k)
            return cls._made[cls]

    class Config(metaclass=Single):
        def __init__(self, v):
            self.v = v

    a, b = Config(x), Config(y)
    return a.v + 1, a is b


def metaclass_registry(x, y):
    class Plugin(type):
        plugins = []

        def __init__(cls, name, bases, ns):
            super().__init__(name, bases, ns)
            if bases:
                Plugin.plugins.append(cls)

        def __lt__(cls, other):
            return cls.__name__ < other.__name__

    class Base(metaclass=Plugin):
        pass

    class Zed(Base):
        def go(self, v):
            return v + 1

    class Abc(Base):
        def go(self, v):
            return v * 2

    for p in sorted(Plugin.plugins):
        x = p().go(x)
    return x, [p.__name__ for p in Plugin.plugins]


def metaclass_prepare_order(x, y):
    class Ordered(type):
        @classmethod
        def __prepare__(mcs, name, bases):
            return collections.OrderedDict()

        def __new__(mcs, name, bases, ns):
            cls = super().__new__(mcs, name, bases, dict(ns))
            cls.fields = [k for k in ns if not k.startswith("_")]
            return cls

    class T(metaclass=Ordered):
        b = 1
        a = 2

        def c(self):
            pass

    return x, T.fields


def int_enum_index(x, y):
    class Axis(enum.IntEnum):
        ROW = 0
        COL = 1

    return x.sum(axis=Axis.ROW), x.sum(Axis.COL), x[Axis.COL], Axis.COL + 1


def flag_ops(x, y):
    class Opt(enum.Flag):
        CENTER = enum.auto()
        SCALE = enum.auto()
        BOTH = CENTER | SCALE

    def norm(v, opt):
        if Opt.CENTER in opt:
            v = v - v.mean(0)
        if opt & Opt.SCALE:
            v = v / v.std(0)
        return v

    return norm(x, Opt.BOTH), norm(x, Opt.CENTER), norm(x, Opt(0)), [o.name for o in Opt.BOTH]


def strenum_dispatch(x, y):
    class Mode(enum.StrEnum):
        MEAN = enum.auto()
        SUM = enum.auto()

    return {f"{m}": getattr(x, m)() for m in Mode}


def enum_missing(x, y):
    class Kind(enum.Enum):
        A = 1
        B = 2

        @classmethod
        def _missing_(cls, value):
            return cls.A

    return x * Kind(7).value, Kind.B in Kind


class _Passes(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class _Bare(metaclass=_Passes):
    scale = 2


class _Kept(int, metaclass=_Passes):
    pass


def metaclass_that_calls_on(x, y):
    class Local(metaclass=_Passes):
        scale = 3

    return x * _Bare().scale * Local().scale + _Kept(4)


def metaclass_that_writes(x, y):
    class Counting(type):
        def __call__(cls, *args):
            cls.made = getattr(cls, "made", 0) + 1
            return super().__call__(*args)

    class Counted(metaclass=Counting):
        pass

    Counted(), Counted()
    return x * Counted.made
