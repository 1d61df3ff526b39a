"""The standard library: functools, itertools, collections, containers, strings, math and what else a numeric program uses."""

import bisect
import collections
import copy
import datetime
import decimal
import fractions
import functools
import heapq
import inspect
import itertools
import json
import math
import operator
import re
import statistics
import string
import struct
import textwrap
import types

import numpy as np


def partial(x, y):
    f = functools.partial(lambda a, b, c=0: a * b + c, x, c=y)
    return f(2), f(3, c=1), functools.partial(np.sum, axis=0)(x)


def partial_method(x, y):
    class C:
        def f(self, a, b):
            return a * b

        g = functools.partialmethod(f, b=3)

    return C().g(x)


def reduce(x, y):
    return functools.reduce(lambda a, b: a * 2 + b, x), functools.reduce(operator.add, [x, y], 1)


def lru_cache(x, y):
    calls = []

    @functools.lru_cache(maxsize=None)
    def f(n):
        calls.append(n)
        return n * 2

    return x * f(3) * f(3), calls, f.cache_info().hits


def cache_recursive(x, y):
    @functools.cache
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return x * fib(40)


@functools.lru_cache
def _table(n):
    return [i * i for i in range(n)]


def outside_cache(x, y):
    return x * sum(_table(5)) + _table(5)[1]


def cmp_to_key(x, y):
    return x, sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))


def wraps(x, y):
    def deco(f):
        @functools.wraps(f)
        def inner(*a):
            return f(*a)

        return inner

    @deco
    def named(a):
        "doc"
        return a

    return named(x), named.__name__, named.__wrapped__(y)


def sorted_key(x, y):
    return x, sorted(["bb", "a", "ccc"], key=len, reverse=True), sorted([(2, "a"), (1, "b")], key=operator.itemgetter(0))


def sort_method(x, y):
    items = [3, 1, 2]
    items.sort(key=lambda v: -v)
    return x * items[0], items


def min_max_key(x, y):
    return x, max(["a", "bbb", "cc"], key=len), min([3, -4, 2], key=abs), max([], default=5), min(4, 2, 7)


def map_filter(x, y):
    return list(map(lambda r: r * 2, x)), list(filter(None, [0, 1, "", "a"])), list(map(operator.add, [1, 2], [3, 4]))


def zip_map_of_arrays(x, y):
    return [a * b for a, b in zip(x.T, y)], list(map(np.sum, x))


def any_all(x, y):
    return x, any(v > 2 for v in [1, 3]), all([]), any([]), all(n % 2 for n in (1, 3))


def sum_of_arrays(x, y):
    return sum([x, x, y]), sum(x), sum([[1], [2]], [])


def enumerate_reversed(x, y):
    return x, list(enumerate("ab", 5)), list(reversed([1, 2])), list(reversed({"a": 1, "b": 2}))


def chain(x, y):
    return list(itertools.chain(x, [y])), list(itertools.chain.from_iterable([[1], [2, 3]]))


def product_permutations(x, y):
    total = 0
    for a, b in itertools.product([1, 2], repeat=2):
        total += a * b
    return x * total, list(itertools.permutations("ab")), list(itertools.combinations(range(3), 2))


def accumulate(x, y):
    return list(itertools.accumulate([1, 2, 3], operator.mul)), list(itertools.accumulate(x, lambda a, b: a + b))


def islice_count(x, y):
    return x, list(itertools.islice(itertools.count(3, 2), 4)), list(itertools.takewhile(lambda v: v < 3, itertools.count()))


def groupby(x, y):
    return x, [(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 3, 3], key=lambda v: v % 2)]


def zip_longest(x, y):
    return x, list(itertools.zip_longest([1, 2], "a", fillvalue="-")), list(itertools.pairwise([1, 2, 3]))


def starmap_repeat(x, y):
    return x, list(itertools.starmap(pow, [(2, 3), (3, 2)])), list(itertools.repeat(7, 2)), list(itertools.compress("abc", [1, 0, 1]))


def tee_cycle(x, y):
    a, b = itertools.tee(iter([1, 2, 3]))
    return x, list(a), sum(b), list(itertools.islice(itertools.cycle("ab"), 3)), list(itertools.dropwhile(lambda v: v < 2, [1, 2, 1]))


def filterfalse(x, y):
    return x, list(itertools.filterfalse(lambda v: v % 2, range(5)))


def counter(x, y):
    c = collections.Counter("abracadabra")
    c.update("a")
    return x * c["a"], c.most_common(2), sorted((c - collections.Counter("aaa")).items())


def default_dict(x, y):
    d = collections.defaultdict(list)
    for i, row in enumerate(x):
        d[i % 2].append(row)
    return dict(d)


def ordered_dict(x, y):
    d = collections.OrderedDict(a=x, b=y)
    d.move_to_end("a")
    return list(d), d.popitem(last=False)[0]


def deque(x, y):
    d = collections.deque([1, 2, 3], maxlen=3)
    d.append(4)
    d.appendleft(0)
    d.rotate(1)
    return x * d[0], list(d)


def deque_of_arrays(x, y):
    d = collections.deque()
    d.append(x)
    d.appendleft(y)
    return d.pop() + d.popleft()


def chain_map(x, y):
    m = collections.ChainMap({"a": 1}, {"a": 2, "b": 3})
    return x * m["a"] + m["b"], len(m)


def user_dict(x, y):
    class D(collections.UserDict):
        def __setitem__(self, k, v):
            super().__setitem__(k, v * 2)

    d = D(a=1)
    d["b"] = 5
    return x * d["b"], dict(d)


def heap(x, y):
    h = [5, 1, 4]
    heapq.heapify(h)
    heapq.heappush(h, 0)
    return x * heapq.heappop(h), heapq.nsmallest(2, h), heapq.nlargest(1, [1, 9, 3]), list(heapq.merge([1, 4], [2, 3]))


def bisection(x, y):
    items = [1, 3, 5]
    bisect.insort(items, 4)
    return x * bisect.bisect(items, 3), items, bisect.bisect_left(items, 4)


def math_functions(x, y):
    return (
        x * math.sqrt(2) + math.pi,
        math.gcd(12, 18),
        math.factorial(6),
        math.comb(5, 2),
        math.isclose(0.1 + 0.2, 0.3),
        math.prod([2, 3]),
        math.floor(-1.5),
    )


def fraction(x, y):
    f = fractions.Fraction(1, 3) + fractions.Fraction(1, 6)
    return x * float(f), str(f), f.limit_denominator(10).numerator


def decimals(x, y):
    d = decimal.Decimal("0.1") * 3
    return x * float(d), str(d), str(decimal.Decimal(2).sqrt())[:8]


def statistic(x, y):
    return x * statistics.mean([1, 2, 3]), statistics.median([3, 1, 2])


def dates(x, y):
    d = datetime.date(2024, 2, 28) + datetime.timedelta(days=2)
    return x * d.day, d.isoformat(), datetime.datetime(2020, 1, 2, 3, 4).strftime("%Y-%m-%d %H")


def regular_expression(x, y):
    m = re.match(r"(\w+)-(\d+)", "layer-12")
    return x * int(m.group(2)), m.groups(), re.sub(r"\d", "#", "a1b2"), re.findall(r"[a-z]", "a1b2"), re.split(r",\s*", "a, b,c")


def regular_expression_callback(x, y):
    return x, re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b22")


def json_text(x, y):
    text = json.dumps({"b": [1, 2.5, None, True], "a": "q"}, sort_keys=True)
    return x * json.loads(text)["b"][0], text


def structs(x, y):
    return x * struct.calcsize("<if"), struct.unpack("<ih", struct.pack("<ih", 7, -2))


def text_wrap(x, y):
    return x, textwrap.dedent("  a\n  b"), textwrap.fill("one two three", 7), textwrap.shorten("one two three", 9)


def string_template(x, y):
    return x, string.Template("$a-$b").substitute(a=1, b=2), string.ascii_lowercase[:3], string.Formatter().format("{0}{k}", 1, k=2)


def operator_functions(x, y):
    return (
        operator.add(x, y),
        operator.itemgetter(1)(x),
        operator.attrgetter("T")(x),
        operator.methodcaller("sum", axis=0)(x),
        operator.matmul(x, y),
    )


def inspect_signature(x, y):
    signature = inspect.signature(lambda a, b=2, *c, d, **e: None)
    return x, list(signature.parameters), signature.parameters["b"].default


def copy_containers(x, y):
    a = {"k": [1, {"z": x}]}
    b, c = copy.copy(a), copy.deepcopy(a)
    a["k"].append(2)
    return len(b["k"]), len(c["k"]), c["k"][1]["z"]


def simple_namespace(x, y):
    n = types.SimpleNamespace(a=x, b=2)
    n.c = 3
    return n.a * n.b * n.c


def mapping_proxy(x, y):
    m = types.MappingProxyType({"a": 2})
    try:
        m["b"] = 1
    except TypeError:
        return x * m["a"]


def list_methods(x, y):
    items = [3, 1, 2]
    items.append(4)
    items.extend([5, 6])
    items.insert(0, 9)
    items.remove(1)
    last = items.pop()
    items.reverse()
    return x * last, items, items.index(9), items.count(3), items[::2], items * 2, [1] + [2]


def list_slices(x, y):
    items = list(range(10))
    items[2:5] = [20, 30]
    items[::3] = [0] * len(items[::3])
    del items[-1]
    return x, items, items[-3:], items[::-1][:2]


def list_of_arrays(x, y):
    items = [x, y]
    items += [x * 2]
    items[0] = items[0] + 1
    return items[0] + items[2], len(items)


def tuple_methods(x, y):
    t = (1, 2, 2, 3)
    return x, t.count(2), t.index(3), t + (4,), t * 2, t[1:], hash((1, 2)) == hash((1, 2))


def dict_methods(x, y):
    d = {"a": 1, "b": 2}
    d.update(c=3)
    d.setdefault("d", []).append(4)
    popped = d.pop("a")
    return x * popped, list(d.items()), d.get("zz", 7), d | {"e": 5}, dict.fromkeys("ab", 0), list(d.keys()), sum(d[k] for k in ("b", "c"))


def dict_of_arrays(x, y):
    d = {}
    d["x"] = x
    d.setdefault("y", y)
    d.update({"z": d["x"] * 2})
    return {k: v + 1 for k, v in d.items()}


def dict_order(x, y):
    d = {}
    for k in "cab":
        d[k] = len(d)
    d["a"] = d.pop("a")
    return x, list(d), next(iter(d))


def set_methods(x, y):
    a, b = {1, 2, 3}, {2, 3, 4}
    a.add(9)
    return x * len(a & b), sorted(a | b), sorted(a - b), sorted(a ^ b), a >= {1}, {1}.isdisjoint({2}), frozenset([1]) in {frozenset([1])}


def bytes_methods(x, y):
    b = bytearray(b"abc")
    b.append(100)
    b[0] = 65
    return x * len(b), bytes(b), b"a,b".split(b","), b"\x01\x02".hex(), int.from_bytes(b"\x01\x00", "big")


def string_methods(x, y):
    s = "Hello, World"
    return (
        x,
        s.lower(),
        s.split(", "),
        s.replace("l", "L"),
        s.find("W"),
        s.startswith("He"),
        "-".join("abc"),
        s.title(),
        "a".zfill(3),
        " q ".strip(),
        s[::-1],
        s.partition(","),
    )


def string_format(x, y):
    n = x.shape[0]
    return (
        x,
        f"{n}",
        f"{n:>5}|{n:03d}|{3.14159:.2f}|{'a':^5}|{n!r}",
        "{} {k}".format(1, k=2),
        "%d %s" % (n, "s"),
        f"{x.shape}",
        f"{n=}",
        f"{'nested':{n + 7}}",
    )


def string_of_dtype(x, y):
    return x, str(x.dtype), f"{x.dtype}", x.dtype.name, repr(np.dtype("f4"))


def string_building(x, y):
    parts = []
    for i, c in enumerate("abc"):
        parts.append(f"{i}{c}")
    return x, ",".join(parts), "".join(sorted("hello")), "a" * 3, "abc"[1], "b" in "abc", "a" < "b"


def string_iteration(x, y):
    counts = {}
    for c in "mississippi":
        counts[c] = counts.get(c, 0) + 1
    return x * counts["s"], counts


def number_methods(x, y):
    return (
        x,
        (255).bit_length(),
        (1.5).as_integer_ratio(),
        (2.0).is_integer(),
        int("ff", 16),
        float("1e3"),
        hex(255),
        bin(5),
        (3).__add__(4),
        (10).to_bytes(2, "big"),
        complex("1+2j"),
    )


def round_functions(x, y):
    return x.round(1), round(2.567, 1), abs(-x), divmod(17, 5), pow(2, 10, 1000), round(7)


def isinstance_of_builtins(x, y):
    return x, [type(v).__name__ for v in (1, 1.0, "a", None, [], (), {}, set(), b"", True, 1j, range(1), slice(1))]


def slices(x, y):
    s = slice(0, 2)
    return x[s], s.indices(3), x[slice(None), slice(1, None, 2)]


def range_object(x, y):
    r = range(2, 11, 3)
    return x, len(r), list(r), 5 in r, r[1], r[-1], r == range(2, 12, 3), r.index(8)


def callable_and_id(x, y):
    a = [1]
    b = a
    return x, callable(len), callable(3), id(a) == id(b), a is b, a != [1]


def vars_and_dir(x, y):
    class C:
        def __init__(self):
            self.a = 1

        def method(self):
            pass

    return x, vars(C()), "method" in dir(C())


def iter_tools_recipe(x, y):
    def windows(items, n):
        d = collections.deque(itertools.islice(items, n), maxlen=n)
        for _ in range(100):
            if len(d) == n:
                yield tuple(d)
            return

    return x, list(windows(iter([1, 2, 3]), 2))


def abc_collections(x, y):
    from collections.abc import Iterable, Mapping, Sequence

    class S(Sequence):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            if i >= 3:
                raise IndexError
            return i * 2

    s = S()
    return x, list(s), s.index(2), 4 in s, isinstance([], Sequence), isinstance({}, Mapping), isinstance(3, Iterable), list(reversed(s))


def printing(x, y):
    print("shape", x.shape, sep=": ")
    return x


def warning(x, y):
    import warnings

    warnings.warn("careful", DeprecationWarning, stacklevel=2)
    return x


def logging_call(x, y):
    import logging

    logging.getLogger("npexport.tests").info("n is %d", x.shape[0])
    return x


def string_io(x, y):
    import io

    out = io.StringIO()
    out.write("a")
    print("b", end="", file=out)
    return x, out.getvalue()


def array_module(x, y):
    import array

    a = array.array("i", [1, 2])
    a.append(3)
    return x * a[2], list(a)


def exact_numbers_in_arrays(x, y):
    return x * np.float32(2), x + True, x * 2**0.5, np.float64(3) * x, np.int8(1) + y


def numbers_abc(x, y):
    import numbers

    return x, isinstance(1, numbers.Number), isinstance(2.5, numbers.Real), isinstance(np.float64(1), numbers.Real)
