"""Functions: arguments of every kind and their errors, decorators, lambdas, recursion, generators of values."""

# ruff: noqa

import functools


def positional_and_keywords():
    def f(a, b, c=3, *args, d, e=5, **kw):
        return a, b, c, args, d, e, kw

    return (
        f(1, 2, d=4), f(1, b=2, d=4, z=9), f(*[1, 2], **{"d": 4}), f(1, 2, 3, 4, 5, d=6, e=7), f(*(1,), *(2, 3, 4), d=0, **{"x": 1}, **{"y": 2})
    )  # fmt: skip


def positional_only():
    def f(a, b=2, /, c=3, **kw):
        return a, b, c, kw

    return f(1), f(1, 5, c=6), f(1, a=7, b=8)


def missing_argument():
    def f(a, b, c): ...

    f(1)


def missing_two_arguments():
    def f(a, b): ...

    f()


def missing_three_arguments():
    def f(a, b, c): ...

    f()


def missing_keyword_only():
    def f(*, a, b): ...

    f(a=1)


def too_many_arguments():
    def f(a): ...

    f(1, 2, 3)


def too_many_with_defaults():
    def f(a, b=1): ...

    f(1, 2, 3)


def too_many_for_none():
    def f(): ...

    f(1)


def too_many_with_keyword_only():
    def f(a, *, b=1): ...

    f(1, 2, b=3)


def unexpected_keyword():
    def f(a): ...

    f(1, zz=2)


def multiple_values():
    def f(a, b): ...

    f(1, a=2)


def positional_only_as_keyword():
    def f(a, /): ...

    f(a=1)


def keyword_not_a_string():
    def f(**kw): ...

    f(**{1: 2})


def method_missing_argument():
    class C:
        def m(self, x): ...

    C().m()


def method_without_self():
    class C:
        def m(): ...

    C().m()


def duplicate_keyword_in_call():
    def f(**kw): ...

    f(**{"a": 1}, **{"a": 2})


def star_not_iterable():
    def f(*args): ...

    f(*5)


def double_star_not_mapping():
    def f(**kw): ...

    f(**5)


def star_generator_argument():
    def f(*args):
        return args

    return f(*(i for i in range(3)), *"ab")


def custom_mapping_argument():
    class M:
        def keys(self):
            return ["a", "b"]

        def __getitem__(self, key):
            return key * 2

    return dict(**M())


def dicts_that_override_what_c_does_not_ask():
    class Raw(dict):
        def __getitem__(self, key):
            return "read"

        def keys(self):
            return ["asked"]

    class Iterated(Raw):
        def __iter__(self):
            return iter(["gone over"])

    def f(**names):
        return names

    raw, iterated = Raw(a=1), Iterated(a=1)
    try:
        f(a=0, **raw)
    except TypeError as error:
        text = str(error)
    return {**raw}, f(b=2, **raw), {**iterated}, f(**iterated), dict(raw), dict(iterated), text


def defaults_are_shared():
    def f(x, acc=[]):  # noqa: B006
        acc.append(x)
        return acc

    f(1)
    return f(2)


def defaults_evaluated_once():
    log = []

    def make(x):
        log.append(x)
        return x

    def f(a=make(1), *, b=make(2)):
        return a, b

    f()
    f()
    return log, f.__defaults__, f.__kwdefaults__


def change_defaults():
    def f(a, b=2): ...

    f.__defaults__ = (7, 8)

    def g(a, *, b):
        return a, b

    g.__kwdefaults__ = {"b": 5}
    return f(), g(1)


def function_attributes():
    def f(x, y=1):
        """Doc."""

    f.extra = 5
    return f.__name__, f.__qualname__, f.__doc__, f.extra, f.__dict__, f.__code__.co_varnames, f.__module__, f.__closure__


def lambdas():
    return (lambda: 1)(), (lambda x, *y, z=3, **k: (x, y, z, k))(1, 2, q=4), [f(2) for f in (lambda x: x + 1, lambda x: x * 5)]


def decorators():
    log = []

    def deco(tag):
        log.append(f"make {tag}")

        def apply(f):
            log.append(f"apply {tag}")

            @functools.wraps(f)
            def wrapper(*args, **kwargs):
                return tag, f(*args, **kwargs)

            return wrapper

        return apply

    @deco("a")
    @deco("b")
    def f(x):
        return x + 1

    return f(1), f.__name__, log


def class_decorator():
    def register(cls):
        cls.tag = cls.__name__.lower()
        return cls

    @register
    class Thing: ...

    return Thing.tag


def recursion():
    def fact(n):
        return 1 if n == 0 else n * fact(n - 1)

    def ack(m, n):
        return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))

    return fact(20), ack(2, 3)


def mutual_recursion():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    return even(50), odd(51)


def infinite_recursion_is_an_error():
    def f(n):
        return f(n + 1)

    try:
        f(0)
    except RecursionError as error:
        return type(error).__name__, str(error).startswith("maximum recursion depth exceeded")


def higher_order():
    compose = lambda *fs: functools.reduce(lambda f, g: lambda x: f(g(x)), fs)  # noqa: E731
    return compose(str, abs, lambda x: x - 10)(3), list(map(lambda a, b: a + b, [1, 2], [3, 4]))


def callbacks_from_c():
    words = ["pear", "fig", "apple"]
    log = []

    def key(w):
        log.append(w)
        return len(w)

    nums = [3, 1, 2]
    nums.sort(key=lambda v: -v)
    return sorted(words, key=key), max(words, key=len), min(words, key=lambda w: w[-1]), nums, log, list(filter(lambda w: "p" in w, words))


def callback_error():
    def key(x):
        raise LookupError(f"no {x}")

    return sorted([1, 2], key=key)


def callback_error_in_map():
    return list(map(lambda x: 1 // x, [1, 0]))


def partials():
    f = functools.partial(lambda a, b, c=0: (a, b, c), 1, c=5)
    return f(2), f(2, c=6), f.func(1, 2), f.args, f.keywords


def partial_error():
    functools.partial(lambda a: a)(1, 2)


def lru_cache():
    calls = []

    @functools.lru_cache(maxsize=2)
    def f(x):
        calls.append(x)
        return x * x

    return [f(i) for i in (1, 2, 1, 3, 1, 2)], calls, f.cache_info()


def cached_recursion():
    @functools.cache
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(60)


def singledispatch():
    @functools.singledispatch
    def show(x):
        return f"object {x}"

    @show.register
    def _(x: int):
        return f"int {x}"

    @show.register(list)
    def _(x):
        return f"list of {len(x)}"

    return show(1), show([1, 2]), show("s"), show(True)


def total_ordering():
    @functools.total_ordering
    class V:
        def __init__(self, x):
            self.x = x

        def __eq__(self, o):
            return self.x == o.x

        def __lt__(self, o):
            return self.x < o.x

    return V(1) <= V(2), V(1) >= V(2), V(3) > V(2), V(1) != V(1)


def cmp_to_key():
    return sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))


def reduce_with_initial():
    return functools.reduce(lambda acc, x: acc + [x * 2], [1, 2], [0]), functools.reduce(max, [1, 5, 2])


def regular_expression_callback():
    import re

    return re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1 b22 c333")


def itertools_with_python():
    import itertools

    return (
        [k + "".join(g) for k, g in itertools.groupby("aabbc", key=lambda c: c.upper())],
        list(itertools.accumulate([1, 2, 3], lambda a, b: a * b)),
        list(itertools.takewhile(lambda x: x < 3, itertools.count())),
        list(itertools.starmap(lambda a, b: a - b, [(5, 3), (2, 7)])),
        list(itertools.chain.from_iterable((i, i) for i in range(2))),
        list(itertools.islice((x for x in itertools.count(10)), 3)),
    )


def heap_and_bisect_with_objects():
    import bisect
    import heapq

    class Item:
        def __init__(self, x):
            self.x = x

        def __lt__(self, o):
            return self.x < o.x

    heap = []
    for x in (5, 1, 3):
        heapq.heappush(heap, Item(x))
    return [heapq.heappop(heap).x for _ in range(3)], bisect.bisect([1, 2, 4], 3), heapq.nsmallest(2, [3, 1, 2], key=lambda v: -v)


def inner_function_returns_self():
    def f(n):
        return f if n else None

    return f(1) is f, f(0)


def return_in_nested_blocks():
    def f(x):
        for i in range(3):
            while True:
                try:
                    with __import__("contextlib").nullcontext():
                        if x:
                            return i, "early"
                        break
                finally:
                    x += 1
        return "end"

    return f(0), f(1), f(-5)


def starred_return_and_index():
    a = [1, 2]
    return *a, 3, {(1, 2): "t"}[1, 2]


def keyword_order():
    def f(**kw):
        return list(kw)

    return f(b=1, a=2, c=3), f(**{"z": 1}, y=2)


def call_evaluation_order():
    log = []

    def note(x):
        log.append(x)
        return x

    def f(*args, **kwargs):
        return log

    return note(f)(note(1), *[note(2)], note(3), k=note(4), **{"m": note(5)})[1:]


def function_from_code():
    import types

    def f(x):
        return x + offset  # noqa: F821

    return types.FunctionType(f.__code__, {"offset": 100})(5)


def replaced_code():
    def f():
        return 1

    def g():
        return 2

    f.__code__ = g.__code__
    return f()


def bound_and_unbound():
    class C:
        def m(self, x):
            return type(self).__name__, x

    c = C()
    m = c.m
    return m(1), C.m(c, 2), m.__self__ is c, m.__func__ is C.m, m == c.m


def operator_functions():
    import operator

    class P:
        x = 3

        def __add__(self, o):
            return ("add", o)

        def __getitem__(self, k):
            return ("item", k)

        def m(self, a):
            return a

    p = P()
    return (
        operator.add(p, 1),
        operator.attrgetter("x")(p),
        operator.itemgetter(1, 2)(p),
        operator.methodcaller("m", 5)(p),
        operator.getitem(p, 0),
    )
