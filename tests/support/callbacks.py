"""Python functions and classes that C calls back. None of them runs: what answers for them is in ``BEHAVIOUR``."""

RAN = []


def square(x):
    RAN.append("square")
    return x * x


def add(x, y=1, *rest, scale=1):
    RAN.append("add")


def is_odd(x):
    RAN.append("is_odd")


def grouped(match):
    RAN.append("grouped")


def counting(limit):
    RAN.append("counting")
    yield from range(limit)


class Box:  # special methods that are never run
    def __init__(self, value):
        RAN.append("__init__")

    def __eq__(self, other):
        RAN.append("__eq__")

    def __hash__(self):  # noqa: PLE0309
        RAN.append("__hash__")

    def __call__(self, x):
        RAN.append("__call__")

    def __index__(self):  # noqa: PLE0305
        RAN.append("__index__")

    def __len__(self):  # noqa: PLE0303
        RAN.append("__len__")

    def __getattr__(self, name):
        RAN.append("__getattr__")

    @property
    def prop(self):
        RAN.append("prop")

    def scaled(self, factor, *, offset=5):
        RAN.append("scaled")


class Defaults(dict):
    def __missing__(self, key):
        RAN.append("__missing__")


BEHAVIOUR = {
    square: lambda x: x * x,
    add: lambda x, y, rest, scale: (x + y + sum(rest)) * scale,
    is_odd: lambda x: x % 2 == 1,
    grouped: lambda match: match.group().upper(),
    counting: lambda limit: iter(range(limit)),
    Box.__init__: lambda self, value: vars(self).update(value=value),
    Box.__eq__: lambda self, other: isinstance(other, Box) and vars(self) == vars(other),
    Box.__hash__: lambda self: hash(vars(self)["value"]),
    Box.__call__: lambda self, x: x + vars(self)["value"],
    Box.__index__: lambda self: vars(self)["value"],
    Box.__len__: lambda self: vars(self)["value"],
    Box.__getattr__: lambda self, name: name + "?",
    Box.prop.fget: lambda self: "prop",
    Box.scaled: lambda self, factor, offset: vars(self)["value"] * factor + offset,
    Defaults.__missing__: lambda self, key: key + "!",
}


def behave(function, localsplus):
    """Stands for the interpreter: what the function would have done."""
    return BEHAVIOUR[function](**localsplus)


def fail(function, localsplus):
    raise LookupError


def box(value):
    made = object.__new__(Box)
    vars(made)["value"] = value
    return made
