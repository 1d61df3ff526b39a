"""Pattern matching."""

# ruff: noqa

import collections

from tests.conformance.python.snippets.operators import Vector


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
