"""Comprehensions, scopes and closures, code from text, imports, formatting, constants."""

# ruff: noqa

import types


def comprehensions():
    return (
        [x * y for x in range(3) for y in range(3) if x != y],
        {x % 3 for x in range(10)},
        {x: x**2 for x in range(4) if x},
        list(x for x in range(3)),
        [[j for j in range(i)] for i in range(4)],
    )


def comprehension_scope():
    x = "outer"
    squares = [x for x in range(3)]
    return x, squares


def comprehension_closures():
    return [f() for f in [lambda: i for i in range(3)]], [f() for f in [lambda i=i: i for i in range(3)]]


def comprehension_sees_enclosing():
    base = 10

    def inner():
        return [base + i for i in range(3)]

    return inner()


def comprehension_error():
    return [1 // x for x in (1, 0)]


def comprehension_unbound_after():
    [zz for zz in range(2)]
    return zz


def nested_comprehension_cells():
    fs = [[lambda: (i, j) for j in range(2)] for i in range(2)]
    return [f() for row in fs for f in row]


def large_comprehension():
    return len([i for i in range(20000)])


def fstrings():
    x, w, name = 3.14159, 10, "bob"
    return f"{x:.2f}|{name!r:>{w}}|{x!s}|{name}|{{}}|{1 + 1}|{x=}|{name!a}|{x:{w}.3}|{'nested' + f'{w}'}"


def fstring_bad_spec():
    return f"{5:bad}"


def string_methods():
    return "a,b".split(","), "-".join(["x", "y"]), "%s %d %r" % ("a", 1, "b"), "{} {k}".format(1, k=2), "abc".upper(), b"x" + b"y"


def percent_error():
    return "%d" % "x"


def globals_statement():
    global _made_global
    _made_global = 5
    value = _made_global
    del _made_global
    return value


def undefined_global():
    return nothing_called_like_this


def undefined_global_delete():
    global never_set_here
    del never_set_here


def unbound_local():
    if False:
        x = 1
    return x


def closures():
    def counter():
        n = 0

        def step(by=1):
            nonlocal n
            n += by
            return n

        return step

    a, b = counter(), counter()
    return a(), a(5), b(), a()


def closure_of_loop():
    fs = []
    for i in range(3):

        def f(j=i):
            return i, j

        fs.append(f)
    return [f() for f in fs]


def empty_cell():
    def f():
        return later

    value = f()
    later = 1
    return value


def deleted_cell():
    x = 1

    def f():
        return x

    del x
    return f()


def nonlocal_delete():
    x = [1]

    def f():
        nonlocal x
        del x

    f()
    try:
        return x
    except NameError as error:
        return type(error).__name__, str(error)


def deep_closures():
    def a(x):
        def b(y):
            def c(z):
                return x, y, z

            return c

        return b

    return a(1)(2)(3)


def argument_is_a_cell():
    def f(x, *args, key=1, **kw):
        return lambda: (x, args, key, kw)

    return f(1, 2, key=3, other=4)()


def locals_and_globals():
    a, b = 1, 2
    del b
    return sorted(locals()), "locals_and_globals" in globals(), sorted(vars()), sorted(dir())


def locals_in_nested():
    x = 1

    def f(y):
        z = x
        return sorted(locals().items())

    return f(2)


def exec_and_eval():
    ns = {}
    exec("def f(x): return x * 2\ny = [f(i) for i in range(3)]", ns)
    return ns["y"], eval("y[1] + z", ns, {"z": 10}), eval("1 + 1")


def eval_sees_locals():
    x = 41
    return eval("x + 1"), eval(compile("x * 2", "<s>", "eval"))


def exec_error():
    exec("def f():\n    raise ValueError('in exec')\nf()")


def exec_syntax_error():
    try:
        exec("def f(:")
    except SyntaxError as error:
        return type(error).__name__, error.lineno


def imports():
    import os.path
    import collections.abc as abc
    from functools import partial, reduce as fold

    return os.path.basename("a/b"), abc.Sized.__name__, partial(int, "7")(), fold(lambda a, b: a * b, [1, 2, 3])


def import_missing_module():
    import no_such_module_anywhere  # noqa: F401


def import_missing_name():
    from os import no_such_name  # noqa: F401


def import_star_in_exec():
    ns = {}
    exec("from string import *", ns)
    return ns["digits"]


def annotations():
    x: int = 5
    y: "not evaluated"

    class C:
        a: int
        b: str = "b"

    def f(p: int, *, q: "str" = 1) -> float: ...

    return x, C.__annotations__, f.__annotations__


def asserts():
    assert True
    assert [], "the message"


def assert_without_message():
    assert 1 == 2


def pass_and_ellipsis():
    pass
    return ...


def constants():
    return 1, -1, 1.5, 2j, "s", b"b", None, True, ..., (1, (2, "x")), frozenset({1}), 10**20


def big_ints():
    x = 2**200
    for _ in range(5):
        x = x * 3 + 1
    return x % (10**9 + 7), x.bit_length(), int("123") + int(4.9) + int("ff", 16)


def type_conversions():
    return int(True), float("1.5"), str(5), bool("x"), list("ab"), tuple([1]), dict([(1, 2)]), set([1, 1]), complex(1, 2), bytes(3)


def conversion_errors():
    out = []
    for f, a in ((int, "x"), (float, "y"), (int, None), (list, 5), (dict, [1]), (len, 5), (iter, 5), (next, [])):
        try:
            f(a)
        except Exception as error:
            out.append((type(error).__name__, str(error)))
    return out


def builtins_on_builtins():
    return (
        abs(-3), divmod(7, 2), max(1, 5, 3), min([4, 2]), sum([1, 2], 10), pow(2, 5, 7), round(2.567, 2), sorted("hello"), list(reversed([1, 2])),
        list(zip("ab", [1, 2])), list(enumerate("xy", 1)), list(map(str, [1])), list(filter(None, [0, 1])), any([0, 1]), all([]), chr(97), ord("a"),
        hex(255), bin(5), oct(8), callable(len), isinstance(1, (str, int)), issubclass(bool, int), hash(1), len({}), repr("q"), ascii("é"),
    )  # fmt: skip


def globals_of_another_class():
    log = []

    class Names(dict):
        def __missing__(self, name):
            log.append(name)
            if name == "absent":
                raise KeyError(name)
            return f"made {name}"

    def body(x):
        return x, unknown, len

    def lacks():
        return absent

    out = [types.FunctionType(body.__code__, Names(unknown=1))(0), types.FunctionType(body.__code__, Names())(0)]
    try:
        types.FunctionType(lacks.__code__, Names())()
    except NameError as error:
        out.append(str(error))
    return [*out[0][:2], *out[1][:2], str(out[0][2]), str(out[1][2]), out[2:], log]
