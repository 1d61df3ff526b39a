"""Functions: arguments, closures, decorators, lambdas, recursion, scopes."""

import functools
import types

import numpy as np

FACTOR = 3.0
TABLE = {"a": 1, "b": [2, 3]}
WEIGHTS = np.arange(4.0)


def default_arguments(x, y, scale=2.0, shift=None):
    return x * scale + (0 if shift is None else shift)


def call_forms(x, y):
    def f(a, b=2, *args, c=3, **kwargs):
        return a + b + sum(args) + c + sum(kwargs.values())

    return f(x), f(x, 1), f(x, 1, 2, 3), f(x, c=5), f(x, *[1, 2], **{"d": 4, "c": 1}), f(b=1, a=x)


def positional_only(x, y):
    def f(a, /, b, *, c):
        return a * b + c

    return f(x, 2, c=y)


def keyword_only_default(x, y):
    def f(*, k=4):
        return k

    return x * f() * f(k=2)


def varargs_inner(x, y):
    def f(*args, **kwargs):
        return len(args), sorted(kwargs)

    return x, f(1, x, b=1, a=x)


def wrong_arguments(x, y):
    def f(a, b):
        return a

    try:
        f(x)
    except TypeError as error:
        return x, str(error)


def lambda_function(x, y):
    f = lambda a, b=2: a * b
    return f(x) + f(y, b=3)


def immediately_invoked(x, y):
    return (lambda a: a * 2)(x)


def closure_read(x, y):
    k = 3

    def f(a):
        return a * k

    return f(x)


def closure_of_array(x, y):
    def f(a):
        return a * y

    return f(x)


def closure_write(x, y):
    count = 0

    def step(a):
        nonlocal count
        count += 1
        return a * count

    return step(step(step(x)))


def closure_shared(x, y):
    total = []

    def put(a):
        total.append(a)

    def get():
        return sum(total)

    put(x)
    put(y)
    return get()


def closure_factory(x, y):
    def make(n):
        def inner(a):
            return a * n

        return inner

    return make(2)(x) + make(3)(x)


def nested_closures(x, y):
    def a(n):
        def b(m):
            def c(k):
                return n * 100 + m * 10 + k

            return c

        return b

    return x * a(1)(2)(3)


def counter_closure(x, y):
    def counter():
        n = 0

        def inc():
            nonlocal n
            n += 1
            return n

        return inc

    a, b = counter(), counter()
    a()
    a()
    return x * a() + b()


def recursion(x, y):
    def fact(n):
        return 1 if n <= 1 else n * fact(n - 1)

    return x * fact(6)


def recursion_over_arrays(x, y):
    def halve(a, n):
        return a if n == 0 else halve(a * 0.5, n - 1)

    return halve(x, 5)


def mutual_recursion(x, y):
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    return x if even(20) else y


def deep_recursion(x, y):
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    return x + down(800)


def decorator_inside(x, y):
    def twice(f):
        def inner(*args):
            return f(f(*args))

        return inner

    @twice
    def scale(a):
        return a * 3

    return scale(x)


def decorator_with_arguments(x, y):
    def times(n):
        def deco(f):
            @functools.wraps(f)
            def inner(*args, **kwargs):
                return f(*args, **kwargs) * n

            return inner

        return deco

    @times(4)
    def scale(a):
        """Doc."""
        return a

    return scale(x), scale.__name__, scale.__doc__


def stacked_decorators(x, y):
    def add(f):
        return lambda a: f(a) + 1

    def mul(f):
        return lambda a: f(a) * 2

    @add
    @mul
    def g(a):
        return a

    return g(x)


def global_constant(x, y):
    return x * FACTOR


def global_table(x, y):
    return x * TABLE["a"] + TABLE["b"][1]


def global_array(x, y):
    return x * WEIGHTS


def global_function(x, y):
    return _helper(x, 2)


def _helper(a, n):
    return a**n


def local_copy_of_global(x, y):
    table = dict(TABLE)
    table["a"] = 10
    items = list(TABLE["b"])
    items.append(4)
    return x * table["a"] + len(items)


def function_attributes(x, y):
    def f(a):
        return a * f.k

    f.k = 7
    return f(x), f.__name__, f.__qualname__.rpartition(".")[2]


def function_introspection(x, y):
    def f(a, b=2, *, c=3):
        """Text."""

    return x, f.__defaults__, f.__kwdefaults__, f.__doc__, f.__code__.co_argcount, f.__code__.co_varnames


def annotations(x, y):
    def f(a: int, b: "str" = "s") -> float:
        return a

    return x, f.__annotations__ == {"a": int, "b": "str", "return": float}


def mutable_default_inside(x, y):
    def f(a, seen=[]):
        seen.append(a)
        return len(seen)

    return x * f(1) + f(2)


def first_class(x, y):
    ops = {"sin": np.sin, "neg": lambda a: -a, "abs": abs}
    for name in ("sin", "neg", "abs"):
        x = ops[name](x)
    return x


def compose(x, y):
    def composed(*fs):
        return lambda a: functools.reduce(lambda acc, f: f(acc), fs, a)

    return composed(np.sin, lambda a: a * 2, np.tanh)(x)


def callable_object(x, y):
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, a, *, plus=0):
            return a * self.k + plus

    return Scale(3)(x, plus=y)


def locals_call(x, y):
    a, b = 1, 2
    return x * (locals()["a"] + locals()["b"])


def globals_call(x, y):
    return x * globals()["FACTOR"]


def eval_expression(x, y):
    k = 4
    return x * eval("k + 1")


def exec_statements(x, y):
    space = {"v": 3}
    exec("w = v * 2\ndef g(a):\n    return a + w", space)
    return space["g"](x)


def import_inside(x, y):
    import math
    from math import pi as p

    return x * math.floor(p)


def type_parameters(x, y):
    def first(items: "list[int]") -> int:
        return items[0]

    return x * first([5])


def star_call_order(x, y):
    log = []

    def t(v):
        log.append(v)
        return v

    def f(*args, **kwargs):
        return len(args) + len(kwargs)

    n = f(t(1), *[t(2)], t(3), **{"a": t(4)}, b=t(5))
    return x * n, log


def y_combinator(x, y):
    fix = lambda f: (lambda g: g(g))(lambda g: f(lambda v: g(g)(v)))
    return x * fix(lambda self: lambda n: 1 if n == 0 else n * self(n - 1))(5)


def memo_by_hand(x, y):
    memo = {}

    def fib(n):
        if n not in memo:
            memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
        return memo[n]

    return x * fib(30)


def nonlocal_chain(x, y):
    v = 1

    def a():
        def b():
            nonlocal v
            v *= 10

        b()
        b()

    a()
    return x * v


def unbound_closure(x, y):
    def f():
        return later

    try:
        f()
    except NameError as error:
        text = str(error)
    later = x
    return f(), text


def builtin_shadowed(x, y):
    def sum(items):
        return 5

    return x * sum([1])


def keyword_named_like_python(x, y):
    def f(**kw):
        return sorted(kw)

    return x, f(**{"class": 1, "def": 2})


def pass_functions_to_numpy(x, y):
    return np.apply_along_axis(lambda r: r * 2 + r.sum(), 1, x)


def function_of_code(x, y):
    n = 2

    def by_cell(v):
        return v * n

    by_global = types.FunctionType((lambda v: v * FACTOR).__code__, globals())
    again = types.FunctionType(by_cell.__code__, globals(), "again", (), by_cell.__closure__)
    by_default = types.FunctionType((lambda v, w=2: v * w).__code__, {}, argdefs=(7,))
    n = 5
    return by_global(x), again(x), by_default(y), again.__name__
