"""Syntax of CPython 3.12: this file is loaded there and later."""

# ruff: noqa


def generic_function():
    def first[T](items: list[T]) -> T:
        return items[0]

    return first([3]), [p.__name__ for p in first.__type_params__]


def generic_class():
    class Box[T, *Ts, **P]:
        def __init__(self, x: T):
            self.x = x

        def get[U](self, u: U) -> tuple[T, U]:
            return self.x, u

    return (
        Box(1).get(2),
        [str(p) for p in Box.__type_params__],
        Box.__orig_bases__[0].__origin__.__name__,
        str(Box.get.__annotations__["u"]),
    )


def bounded_parameters():
    def f[T: int, S: (str, bytes)](x: T, y: S): ...

    t, s = f.__type_params__
    return t.__bound__, s.__constraints__, str(t)


def type_alias():
    type Pair[T] = tuple[T, T]
    type Later = NotDefinedYet  # noqa: F821

    out = [Pair.__name__, str(Pair[int]), str(Pair.__value__)]
    try:
        Later.__value__
    except NameError as error:
        out.append(str(error))
    return out


def nested_fstrings():
    names = ["a", "b"]
    return f"{'-'.join(f'{n!r}' for n in names)} {f'{f"{1 + 1}"}'}"


def generic_class_inherits():
    class Base[T]:
        def who(self):
            return type(self).__name__

    class Sub[U](Base[U]):
        pass

    return Sub[int]().who(), Sub.__bases__[0].__name__


def inlined_comprehensions():
    x = 1
    out = [x for x in range(3)], x
    fs = [lambda: y for y in range(2)]

    class A:
        z = [(lambda: w)() for w in range(3)]

    return out, [f() for f in fs], A.z


def comprehension_in_class_scope():
    class A:
        n = 3
        items = [i for i in range(n)]
        pairs = {i: i for i in range(n)}

    return A.items, A.pairs, hasattr(A, "i")
