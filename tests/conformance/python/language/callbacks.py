"""Python that C calls back: keys and predicates, special methods of containers and functions, descriptors, iterators that C consumes."""

# ruff: noqa: PLE0305, PLE0303, PLE0309

import bisect
import collections
import functools
import heapq
import itertools
import json
import math
import operator
import re
import types
import weakref

import numpy as np


class Value:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v

    def __eq__(self, other):
        return isinstance(other, Value) and self.v == other.v

    def __hash__(self):
        return hash(self.v)

    def __index__(self):
        return self.v

    def __bool__(self):
        return self.v > 0

    def __len__(self):
        return self.v

    def __iter__(self):
        return (i * 2 for i in range(self.v))

    def __reversed__(self):
        return iter(range(self.v))

    def __contains__(self, item):
        return item == self.v

    def __getitem__(self, i):
        return i * 10

    def __call__(self, *args):
        return self.v + sum(args)

    def __str__(self):
        return f"<{self.v}>"

    def __repr__(self):
        return f"Value({self.v})"

    def __format__(self, spec):
        return "V" + spec

    def __int__(self):
        return self.v

    def __float__(self):
        return float(self.v)

    def __complex__(self):
        return complex(self.v)

    def __round__(self, digits=None):
        return self.v

    def __floor__(self):
        return 1

    def __ceil__(self):
        return 2

    def __trunc__(self):
        return 3

    def __abs__(self):
        return Value(abs(self.v))

    def __neg__(self):
        return Value(-self.v)

    def __add__(self, other):
        return Value(self.v + (other.v if isinstance(other, Value) else other))

    __radd__ = __add__

    def __divmod__(self, other):
        return self.v // other, self.v % other

    def __pow__(self, other, modulus=None):
        return self.v**other

    def __bytes__(self):
        return bytes([self.v])


class Doubling(dict):
    def __missing__(self, key):
        return key * 2


class Filling(dict):
    def __missing__(self, key):
        self[key] = value = np.ones(4) * key
        return value


class Field:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        owner.fields = (*getattr(owner, "fields", ()), name)

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 7)

    def __set__(self, instance, value):
        setattr(instance, self.name, value * 2)

    def __delete__(self, instance):
        delattr(instance, self.name)


def sort_keys(x, y):
    numbers = [3, -1, 2]
    numbers.sort(key=lambda n: -n)
    return numbers, sorted([x[1], x[0][:1]], key=lambda row: row.size)[0] * 2, sorted("bCa", key=str.lower)


def sort_by_less_than(x, y):
    values = [Value(3), Value(1), Value(2)]
    values.sort()
    return [v.v for v in values], [v.v for v in sorted(values, reverse=True)], x * values[0].v


def sort_compared(x, y):
    return [v.v for v in sorted([Value(2), Value(1)], key=functools.cmp_to_key(lambda a, b: a.v - b.v))], x


def mapped(x, y):
    return x + sum(map(lambda row: row.sum(), x)), list(map(Value(1), [1, 2], [3, 4])), list(map(operator.neg, [Value(1)]))[0].v


def filtered(x, y):
    kept = list(filter(lambda row: row.shape[0] == 4, [x[0], x[0][:1]]))
    return kept, [v.v for v in filter(None, [Value(0), Value(1)])], [v.v for v in itertools.filterfalse(None, [Value(0), Value(1)])]


def reduced(x, y):
    return functools.reduce(lambda a, b: a @ b, [x, x.T, x]), functools.reduce(lambda a, b: a * b.sum(), [x, y], 2.0)


def extremes(x, y):
    return max([x, x[0]], key=lambda a: a.ndim), min(x[0], x, key=np.ndim), max({"a": 1, "b": 2}.items(), key=lambda item: item[1])


def extremes_of_values(x, y):
    return max(map(Value, [1, 3, 2]), key=lambda v: v.v).v, min([Value(2), Value(1)]).v, max([], default=3, key=abs), x


def substitution(x, y):
    return re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b22"), re.compile("(a)(b)").sub(lambda m: m[2] + m[1], "abab", 1), x


def substitution_counted(x, y):
    return re.subn(r"\d", lambda m: m.group() * 2, "a1b2"), x


def missing(x, y):
    filling = Filling()
    return x * Doubling()[2], filling[3] + filling[3], len(filling), operator.getitem(filling, 5)


def missing_in_formats(x, y):
    return "{a}{b}".format_map(Doubling(b="!")), "%(a)s" % Doubling(), x


def missing_defaults(x, y):
    found = collections.defaultdict(lambda: x * 0)
    for i in range(4):
        found[i % 2] = found[i % 2] + x * i
    return dict(found)


def keys_of_dicts(x, y):
    d = {Value(1): x, Value(2): x * 2}
    return d[Value(2)], Value(1) in d, d.get(Value(3)), d.setdefault(Value(1), 5), d.pop(Value(1)), len({**d, **{Value(2): 1}})


def members_of_sets(x, y):
    s = {Value(1), Value(1), Value(2)}
    return len(s), len(s | {Value(3)}), {Value(1)} == {Value(1)}, {Value(1)} <= s, len(s - {Value(1)}), s.isdisjoint([Value(1)]), x


def equal_in_lists(x, y):
    values = [Value(1), Value(2), Value(2)]
    values.remove(Value(1))
    return values.index(Value(2)), values.count(Value(2)), [Value(1)] == [Value(1)], (Value(1),) < (Value(2),), Value(3) in values, x


def equal_in_deques(x, y):
    values = collections.deque([Value(1), Value(2)])
    values.remove(Value(1))
    return values.count(Value(2)), values.index(Value(2)), Value(2) in values, x


def equal_in_dicts(x, y):
    return {1: Value(1)} == {1: Value(1)}, {"a": Value(1)} != {"a": Value(2)}, operator.eq([Value(1)], [Value(1)]), x


def ordered_dicts(x, y):
    d = collections.OrderedDict([(Value(1), 1), (Value(2), 2)])
    d.move_to_end(Value(1))
    return [key.v for key in d], d.popitem(last=False)[1], x


def indices(x, y):
    one = Value(1)
    found = [10, 20, 30][one], operator.index(one), range(10)[one], "abc"[one], hex(one), bytes(one), [0] * one, (1, 2, 3)[one:]
    return found, x[Value(0)], x[:one], np.zeros(Value(2)), list(range(one))


def truths(x, y):
    return (x if Value(1) else -x), not Value(0), bool(Value(0)), any([Value(0), Value(1)]), all([Value(1), Value(0)]), Value(0) or 5


def lengths(x, y):
    return len(Value(3)), operator.length_hint(Value(2)), x * len(Value(2))


def contained(x, y):
    return 3 in Value(3), operator.contains(Value(2), 2), operator.countOf(Value(3), 4), operator.indexOf(Value(3), 4), x


def iterables(x, y):
    v = Value(3)
    made = list(v), tuple(v), sum(v), dict.fromkeys(v, 1), [*v], dict(zip(v, v)), max(v), min(v), sorted(v), list(enumerate(v))
    first, *rest = v
    return made, ",".join(map(str, v)), list(reversed(v)), first, rest, len(set(v)), x


def iterables_by_index(x, y):
    class Sequence:
        def __getitem__(self, i):
            if i > 2:
                raise IndexError
            return i * 5

    return list(Sequence()), sum(Sequence()), 5 in Sequence(), np.array(list(Sequence())), list(zip(Sequence(), Sequence())), x


def iterators(x, y):
    left = [3]

    def count():
        left[0] -= 1
        return left[0]

    return list(iter(count, 0)), next(iter(Value(2))), next((row for row in x)), next(filter(lambda n: n > 5, [1]), "none")


def generators_consumed(x, y):
    def arrays():
        yield x
        yield x * 2

    def numbers():
        return (i for i in range(4))

    consumed = (
        list(numbers()),
        sum(numbers()),
        dict.fromkeys(numbers(), 0),
        "".join(str(i) for i in numbers()),
        any(i > 2 for i in numbers()),
    )
    more = (
        all(numbers()),
        collections.deque(numbers(), maxlen=2)[0],
        tuple(numbers()),
        max(numbers()),
        bytes(numbers()),
        len(set(numbers())),
    )
    return list(arrays()), sum(arrays()), consumed, more, list(zip(numbers(), arrays()))


def generators_in_methods(x, y):
    found = []
    found.extend(i for i in range(3))
    found += (i for i in range(2))
    found[1:1] = (i for i in range(9, 11))
    counted = {1, 2}
    counted.update(i for i in range(3))
    d = {}
    d.update((i, i) for i in range(2))
    return found, sorted(counted), d, dict((str(i), i) for i in range(2)), collections.Counter(i % 2 for i in range(5))[0], x


def generators_in_itertools(x, y):
    def numbers():
        return (i for i in range(3))

    first = list(itertools.islice(numbers(), 2)), list(itertools.chain(numbers(), numbers())), list(itertools.product(numbers(), repeat=2))
    second = list(itertools.compress("abc", (Value(i) for i in range(3)))), list(itertools.zip_longest(numbers(), "a"))
    third = (
        list(itertools.combinations(numbers(), 2)),
        list(itertools.islice(itertools.cycle(numbers()), 5)),
        list(itertools.pairwise(numbers())),
    )
    return first, second, third, [next(one) for one in itertools.tee(numbers())], x


def functions_in_itertools(x, y):
    grouped = [(key, list(members)) for key, members in itertools.groupby([1, 1, 2], key=lambda n: n > 1)]
    accumulated = list(itertools.accumulate(x, lambda a, b: a + b)), list(itertools.accumulate([1, 2, 3], lambda a, b: a * b, initial=2))
    taken = list(itertools.takewhile(lambda n: n < 2, range(4))), list(itertools.dropwhile(lambda n: n < 2, range(4)))
    return grouped, accumulated, taken, list(itertools.starmap(lambda a, b: a * b, [(x, 2)]))


def generators_to_arrays(x, y):
    made = (
        np.fromiter((i * i for i in range(4)), float),
        np.fromiter((i for i in Value(3)), int),
        np.fromiter((row.sum() for row in x), float),
    )
    return made, np.array([i * 2 for i in range(3)]), np.array(list(row * 2 for row in x)), np.stack([row for row in x])


def heaps(x, y):
    heap = []
    for v in (3, 1, 2):
        heapq.heappush(heap, Value(v))
    popped = heapq.heappop(heap).v, heapq.heapreplace(heap, Value(9)).v, heapq.heappushpop(heap, Value(0)).v
    heapq.heapify(heap)
    largest = [v.v for v in heapq.nlargest(1, [Value(1), Value(5)], key=lambda v: v.v)]
    return popped, largest, [v.v for v in heapq.nsmallest(2, heap)], list(heapq.merge([1, 3], [2], key=lambda n: n)), x


def bisections(x, y):
    values = [Value(1), Value(3)]
    bisect.insort(values, Value(2))
    return bisect.bisect_left(values, Value(2)), bisect.bisect([1, 2, 3], 2, key=lambda n: n), [v.v for v in values], x


def descriptors(x, y):
    class Record:
        q = Field()
        r = Field()

    record = Record()
    record.q = x
    found = record.q
    del record.q
    setattr(record, "r", 3)
    return found, record.q, Record.fields, getattr(record, "r"), hasattr(record, "zz"), operator.attrgetter("q")(record)


def properties(x, y):
    class Box:
        @property
        def doubled(self):
            return x * 2

        @functools.cached_property
        def cached(self):
            return x * 3

    box = Box()
    return getattr(box, "doubled"), operator.attrgetter("doubled")(box), box.cached is box.cached, box.cached


def subclasses(x, y):
    made = []

    class Base:
        def __init_subclass__(cls, k=1, **options):
            super().__init_subclass__(**options)
            made.append(cls.__name__)
            cls.k = k

    class First(Base, k=3):
        pass

    second = type("Second", (Base,), {}, k=4)
    third = types.new_class("Third", (First,), {"k": 6})
    return x * First.k, made, second.k, third.k


def class_items(x, y):
    class Generic:
        def __class_getitem__(cls, item):
            return cls.__name__, item

    return Generic["T"], operator.getitem(Generic, 3), x


def metaclasses(x, y):
    class Meta(type):
        def __call__(cls, *args):
            return (cls.__name__, *args)

        def __new__(meta, name, bases, names, **options):
            return super().__new__(meta, name, bases, {**names, "extra": 5})

        def __prepare__(name, bases):
            return {"prepared": 3}

        def __getattr__(cls, name):
            return name

        def __iter__(cls):
            return iter([1, 2])

        def __instancecheck__(cls, instance):
            return instance == 3

        def __subclasscheck__(cls, other):
            return other is int

    class Made(metaclass=Meta):
        y = prepared  # noqa: F821

    return Made(2), Made.extra, Made.other, list(Made), isinstance(3, Made), issubclass(int, Made), x


def attributes(x, y):
    class Open:
        def __getattr__(self, name):
            return name

        def __setattr__(self, name, value):
            self.__dict__[name] = value * 2

        def __delattr__(self, name):
            self.__dict__.pop(name)

    made = Open()
    made.q = x
    found = made.q
    del made.q
    setattr(made, "k", 2)
    return found, made.q, getattr(made, "r"), hasattr(made, "zz"), operator.attrgetter("x", "y")(made), made.k, vars(made)


def made_by_c(x, y):
    class Point:
        def __new__(cls, *args):
            return super().__new__(cls)

        def __init__(self, v, w=1):
            self.v = v * w

    return [p.v for p in map(Point, [1, 2])], list(itertools.starmap(Point, [(x, 2)]))[0].v, functools.reduce(Point, [1, 2]).v


def partials(x, y):
    add = functools.partial(lambda a, b, *, c=1: a * b + c, 2, c=x)
    return add(3), list(map(add, [1])), functools.partial(add, c=1)(2)


def caches(x, y):
    calls = []

    @functools.lru_cache(maxsize=None)
    def fib(k):
        calls.append(k)
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    @functools.cache
    def same(v):
        return v

    return x * fib(12), len(calls), same(Value(2)).v, same(Value(2)).v, list(map(fib, [3, 4]))


def dispatch(x, y):
    @functools.singledispatch
    def kind(a):
        return "other"

    @kind.register
    def _(a: int):
        return "int"

    @kind.register(np.ndarray)
    def _(a):
        return a * 2

    return kind(3), kind(x), kind("s"), list(map(kind, [1, "a"]))


def calls_by_operator(x, y):
    called = operator.methodcaller("sum", axis=0)(x), operator.itemgetter(1)(x), operator.methodcaller("__call__", 1)(Value(2))
    return called, list(map(operator.methodcaller("sum"), [x])), operator.itemgetter(0)(Value(2)), operator.call(Value(2), 3)


def formats(x, y):
    v = Value(2)
    made = f"{v}", f"{v:>3}", str(v), "%s" % v, "%r" % v, "%d" % v, "{}".format(v), "{0!r}".format(v), repr([v]), str({1: v}), ascii(v)
    return made, format(v, "q"), x


def conversions(x, y):
    v = Value(2)
    numbers = int(v), float(v), complex(v), round(v), abs(Value(-2)).v, (-v).v, divmod(Value(5), 2), pow(v, 3), bytes(v)
    return numbers, sum([Value(1), v]).v, math.floor(v), math.ceil(v), math.trunc(v), math.sqrt(Value(4)), math.gcd(Value(4), 6), x


def coroutines(x, y):
    class Awaited:
        def __await__(self):
            sent = yield 5
            return sent

    async def numbers():
        for i in range(3):
            yield i * x

    async def main():
        total = await Awaited()
        async for found in numbers():
            total = total + found
        return total, [found async for found in numbers()]

    running = main()
    running.send(None)
    try:
        running.send(3)
    except StopIteration as stopped:
        return stopped.value


def weak_references(x, y):
    class Thing:
        def m(self):
            return 4

    thing = Thing()
    values, keys = weakref.WeakValueDictionary(a=thing), weakref.WeakKeyDictionary({thing: 5})
    found = weakref.WeakMethod(thing.m)()(), weakref.ref(thing)() is thing, weakref.proxy(thing).m(), len(values), keys[thing]
    del thing
    return found, len(values), len(keys), x


def texts_of_json(x, y):
    text = json.dumps({"a": Value(1)}, default=lambda v: v.v)
    return text, json.loads('{"a": 1}', object_hook=lambda d: list(d)), json.loads("[1.5]", parse_float=lambda s: s + "!"), x


def unpacked(x, y):
    class Names:
        def keys(self):
            return ["a", "b"]

        def __getitem__(self, key):
            return key * 2

    def f(*args, **kwargs):
        return args, kwargs

    return f(*Value(3), **Names()), {**Names()}, dict(Names()), x


def vectorized(x, y):
    return (
        np.vectorize(lambda a: a * 2 + 1)(x),
        np.vectorize(lambda a, b: a - b, otypes=[float])(x, y),
        np.frompyfunc(abs, 1, 1)(x).tolist(),
    )


def vectorized_rows(x, y):
    return np.vectorize(lambda row: row.sum(), signature="(n)->()")(x), np.vectorize(lambda i: y[i % 4])(np.arange(3))


def along_axes(x, y):
    rows = np.apply_along_axis(lambda row: row / row.sum(), 1, x), np.apply_along_axis(lambda column, k: column * k, 0, x, 3)
    return rows, np.apply_over_axes(lambda a, axis: a.max(axis=axis), x, [0, 1]), np.apply_along_axis(lambda row: np.outer(row, row), 1, x)


def piecewise(x, y):
    return np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 2]), np.fromfunction(lambda i, j: i * 4 + j, (3, 4)) + x
