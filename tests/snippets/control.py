"""Statements: loops, conditions, unpacking, scopes, operators, containers, formatting. Every function is one case; it returns or raises."""

# ruff: noqa


def while_else():
    n, seen = 0, []
    while n < 3:
        seen.append(n)
        n += 1
    else:
        seen.append("else")
    return seen


def while_break_skips_else():
    n = 0
    while True:
        n += 1
        if n == 5:
            break
    else:
        n = -1
    return n


def for_else():
    out = []
    for i in range(4):
        if i == 2:
            continue
        out.append(i)
    else:
        out.append("else")
    return out, i


def for_break():
    for i in "abc":
        if i == "b":
            break
    else:
        i = "none"
    return i


def nested_loops():
    return [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]


def loop_over_dict_views():
    d = {"a": 1, "b": 2}
    return [*d], [*d.keys()], [*d.values()], [*d.items()], [k + str(v) for k, v in d.items()]


def dict_changed_while_iterating():
    d = {1: 1}
    for k in d:
        d[k + 1] = 1


def loop_variable_survives():
    for x in [1, 2, 3]:
        pass
    return x


def empty_loop_leaves_variable_unbound():
    for x in []:
        pass
    return x  # noqa: F821


def conditional_expression():
    return [("even" if i % 2 == 0 else "odd") for i in range(3)]


def and_or_values():
    return (0 or "x", 1 and "y", "" or 0 or None, 1 and 2 and 3, [] and 1, not [] and 5)


def and_or_order():
    log = []

    def note(value):
        log.append(value)
        return value

    note(0) and note(1)
    note(2) or note(3)
    if note(0) or (note(4) and not note(0)):
        note("in")
    return log


def chained_comparison():
    log = []

    def note(value):
        log.append(value)
        return value

    return note(1) < note(2) < note(2) < note(9), 3 > 2 >= 2 != 5, log


def not_in_boolean_context():
    return [not x for x in (0, 1, "", "a", None, [], [0], 0.0, {}, {1: 1})]


def is_and_none_jumps():
    out = []
    for x in (None, 0, False):
        if x is None:
            out.append("none")
        if x is not None:
            out.append("some")
    return out


def walrus():
    data = iter([1, 2, 3, 0, 4])
    out = []
    while (x := next(data)) != 0:
        out.append(x)
    return out, x, [y := 1, y + 1], (z := [w := 3])[0] + w + len(z)


def walrus_in_comprehension():
    return [last := i for i in range(4)], last


def unpack_tuple():
    a, b = 1, 2
    a, b = b, a
    (c, (d, e)), f = (3, [4, 5]), 6
    return a, b, c, d, e, f


def unpack_star():
    a, *b = range(4)
    *c, d = "xyz"
    e, *f, g = [1, 2]
    (h, *i), *j = [[1, 2, 3], 4, 5]
    return a, b, c, d, e, f, g, h, i, j


def unpack_generator():
    def gen():
        yield 1
        yield 2
        yield 3

    a, b, c = gen()
    d, *e = gen()
    return a, b, c, d, e


def unpack_too_few():
    a, b, c = [1, 2]


def unpack_too_many():
    a, b = iter("abc")


def unpack_too_few_star():
    a, *b, c = [1]


def unpack_not_iterable():
    a, b = 5


def unpack_error_inside():
    def gen():
        yield 1
        raise KeyError("inside")

    a, b = gen()


def augmented_assignment():
    x = 7
    x += 1
    x -= 2
    x *= 3
    x //= 2
    x **= 2
    x %= 50
    x <<= 2
    x >>= 1
    x |= 1
    x ^= 3
    x &= 0xFF
    y = 7.0
    y /= 2
    return x, y


def augmented_items():
    d = {"a": [1], "b": {"c": 1}}
    d["a"] += [2]
    d["b"]["c"] += 5
    lst = [1, 2, 3]
    lst[-1] *= 10
    lst[0:1] += [9]
    return d, lst


def augmented_attribute():
    class Box:
        value = 1

    box = Box()
    box.value += 4
    return box.value, Box.value


def augmented_tuple_item_fails():
    t = ([],)
    try:
        t[0] += [1]
    except TypeError as error:
        return str(error), t


def slices():
    x = list(range(10))
    s = slice(1, 8, 3)
    y = x[:]
    y[2:4] = "ab"
    del y[:1]
    y[::3] = [0] * len(y[::3])
    return x[1:3], x[::-2], x[s], x[-3:], y, "hello"[1:-1], (1, 2, 3)[::2]


def slice_assignment_of_wrong_size():
    x = [1, 2, 3]
    x[::2] = [1]


def delete_names():
    x = 1
    del x
    return x  # noqa: F821


def delete_items():
    d = {1: 2, 3: 4}
    del d[1]
    lst = [1, 2, 3]
    del lst[1], lst[0]
    return d, lst


def delete_missing_item():
    d = {}
    del d["missing"]


def arithmetic():
    return 7 // 2, -7 // 2, 7 % -3, 2**10, 2**-1, 7 / 2, 1 << 4, 255 >> 3, 6 & 3, 6 | 3, 6 ^ 3, ~5, -(-3), +True, 5 @ 1 if False else None


def division_by_zero():
    return 1 / 0


def bad_operands():
    return 1 + "a"


def bad_comparison():
    return 1 < "a"


def bad_unary():
    return -"a"


def bad_subscript():
    x = 5
    return x[0]


def bad_call():
    x = 5
    return x()


def bad_attribute():
    return (5).nothing


def list_index_error():
    return [1, 2][5]


def key_error():
    return {"a": 1}["b"]


def contains():
    return 1 in [1, 2], 3 not in (1, 2), "a" in "cat", "x" in {"x": 1}, 5 in range(10), None in [None], 1.0 in {1}


def contains_not_iterable():
    return 1 in 5


def identity():
    a = []
    return a is a, a is not [], None is None


def containers():
    a, b = [1, 2], {"k": 1}
    return [*a, 3, *a], (*a, *"xy"), {*a, 2}, {**b, "z": 2, **{"k": 5}}, [], (), {}, set()


def container_spread_not_iterable():
    return [*5]


def dict_spread_not_mapping():
    return {**[1]}


def unhashable_key():
    return {[]: 1}


def unhashable_set():
    return {[]}


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
    return zz  # noqa: F821


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
    return nothing_called_like_this  # noqa: F821


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
