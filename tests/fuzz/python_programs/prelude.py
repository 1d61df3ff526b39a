"""What random programs find in their module: classes, context managers, awaitables and ways to write down what happened."""

PRELUDE = '''
import abc, bisect, collections, contextlib, copy, dataclasses, enum, functools, heapq, inspect, itertools, math, operator, re, string, types, typing
import numpy as np

WEIGHTS = np.arange(4.0)
TABLE = {"a": 1, "b": [2, 3], "w": np.ones(4)}
LIMIT = 5

class Err(Exception):
    def __init__(self, value, *rest):
        super().__init__(value, *rest)
        self.value = value

class Sub(Err):
    def __str__(self):
        return f"sub {self.value}"

class Keyed(KeyError, Err):
    pass

def story(error):
    """An exception with its chain, causes, notes, members and its lines in the program."""
    out, seen = [], []
    while error is not None and not any(error is other for other in seen):
        seen.append(error)
        lines, tb = [], error.__traceback__
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == "<fuzz>": lines.append((tb.tb_frame.f_code.co_name, tb.tb_lineno))
            tb = tb.tb_next
        members = [story(member) for member in error.exceptions] if isinstance(error, BaseExceptionGroup) else None
        out.append((type(error).__name__, str(error), type(error.__cause__).__name__, error.__suppress_context__,
                    getattr(error, "__notes__", None), members, lines))
        error = error.__context__
    return out

def attempt(call, *args, **kwargs):
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, plain(str(error))

def plain(value):
    """The value, if it is one that prints the same everywhere."""
    if isinstance(value, str):
        return re.sub("0x[0-9a-f]+", "0x", value)
    return value if isinstance(value, (int, float, list, tuple, dict, type(None))) else type(value).__name__

def bare(value):
    """The same for arrays and what holds one."""
    return value if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "a") else value.a

def drive(it, op, value=None):
    """One step of a generator or coroutine by hand."""
    try:
        return op, next(it) if op == "next" else getattr(it, op)(*(() if op == "close" else (value,)))
    except StopIteration as stop:
        return "stop", stop.value
    except BaseException as error:
        return "raised", [entry[:5] for entry in story(error)]

class Tick:
    """An awaitable that suspends as often as it says."""
    def __init__(self, value, iterations=1):
        self.value, self.iterations = value, iterations
    def __await__(self):
        for iteration in range(self.iterations):
            got = yield (self.value, iteration)
            if got is not None:
                self.value = self.value + got
        return self.value

def run(coroutine, *answers):
    """Drives a coroutine to its end: (what it suspended with, its result)."""
    seen, answers = [], list(answers)
    try:
        while len(seen) < 40:
            seen.append(coroutine.send(answers.pop(0) if answers and seen else None))
        coroutine.close()
        return seen, "given up"
    except StopIteration as stop:
        return seen, stop.value

async def ticking(log, k):
    try:
        for q in range(k):
            got = yield await Tick(q, q % 2)
            if got is not None: log.append(("agot", got))
    finally:
        log.append("ticking closed")

class Managed:
    def __init__(self, log, swallow):
        self.log, self.swallow = log, swallow
    def __enter__(self):
        self.log.append("enter")
        return len(self.log)
    def __exit__(self, kind, value, tb):
        self.log.append(("exit", kind and kind.__name__))
        return self.swallow and kind is not None and issubclass(kind, Err)

class AsyncManaged(Managed):
    async def __aenter__(self):
        return await Tick(self.__enter__())
    async def __aexit__(self, kind, value, tb):
        await Tick(1)
        return self.__exit__(kind, value, tb)

@contextlib.contextmanager
def managed(log, tag):
    log.append(tag)
    try:
        yield tag * 2
    except Sub as error:
        log.append(("swallowed", error.value))
    finally:
        log.append(-tag)

class Countdown:
    """An iterator with a length hint and a class-level count."""
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n
    def __length_hint__(self):
        return max(self.n, 0)

class Positive:
    """A data descriptor that counts."""
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 0)
    def __set__(self, instance, value):
        if value < 0:
            raise Sub(value)
        setattr(instance, self.name, value)
    def __delete__(self, instance):
        delattr(instance, self.name)

class Meta(type):
    made = ()
    @classmethod
    def __prepare__(mcs, name, bases, **kwargs):
        return {"prepared": len(bases)}
    def __new__(mcs, name, bases, space, tag=0):
        cls = super().__new__(mcs, name, bases, dict(space))
        cls.tag = tag
        return cls
    def __init__(cls, name, bases, space, **kwargs):
        super().__init__(name, bases, space)
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        made.serial = len(args)
        return made
    def __getitem__(cls, item):
        return (cls.__name__, item)
    def __len__(cls):
        return cls.tag % 4
    def __contains__(cls, item):
        return item == cls.tag
    def __iter__(cls):
        return iter(range(cls.tag % 3))

class Base:
    total = 0
    def __init__(self, value=1):
        self.value = value
    def __init_subclass__(cls, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tagged = tag
    def greet(self):
        return ["base", type(self).__name__]

class Mixin:
    def greet(self):
        return ["mixin", *super().greet()]

@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 2
    rest: list = dataclasses.field(default_factory=list, compare=False)
    def norm(self):
        return abs(self.x) + abs(self.y)

class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    @property
    def next(self):
        return Color(self.value % 3 + 1)

class Perm(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    X = enum.auto()

Pair = collections.namedtuple("Pair", "left right", defaults=[0])

@functools.singledispatch
def kind_of(value):
    return "object"

@kind_of.register
def _(value: int):
    return "int" if value is not True else "true"

@kind_of.register(list)
@kind_of.register(tuple)
def _(value):
    return ["sequence", *map(kind_of, value)]

@kind_of.register(np.ndarray)
def _(value):
    return f"array {value.shape} {value.dtype}"
'''
