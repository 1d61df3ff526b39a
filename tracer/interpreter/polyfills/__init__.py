"""Builtins that call back, in plain Python: interpreted in place of C's where the frame hook cannot answer for callbacks.

`npexport.tracer.models.callbacks` says which stands for which. Results and the order of callbacks are C's; lazy ones are generators.
While it is interpreted this is the program's own Python: it uses builtins, what it is given, and functions of this module as marks of what
is missing.
"""

from __future__ import annotations


def sorted_(iterable, /, *, key=None, reverse=False):
    values = list(iterable)
    sort(values, key=key, reverse=reverse)
    return values


def sort(values, /, *, key=None, reverse=False):
    """``list.sort``."""
    found = values[:]
    keys = found if key is None else [key(value) for value in found]
    values[:] = [found[place] for place in sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)]


def max_(first, /, *rest, key=None, default=max):
    return extreme(max, lambda new, best: new > best, (first, *rest), key, default)


def min_(first, /, *rest, key=None, default=min):
    return extreme(min, lambda new, best: new < best, (first, *rest), key, default)


def extreme(builtin, better, args, key, default):
    if len(args) > 1 and default is not builtin:
        raise TypeError(f"Cannot specify a default for {builtin.__name__}() with multiple positional arguments")
    found = []
    for value in args[0] if len(args) == 1 else args:
        rank = value if key is None else key(value)
        if not found or better(rank, found[1]):
            found = [value, rank]
    if found:
        return found[0]
    return builtin([]) if default is builtin else default


def map_(function, iterable, /, *iterables):
    return mapped(function, [iter(one) for one in (iterable, *iterables)])


def mapped(function, iterators):
    while True:
        values = []
        for iterator in iterators:
            for value in iterator:
                values.append(value)
                break
            else:
                return
        yield function(*values)


def filter_(function, iterable, /):
    return filtered(bool if function is None else function, iter(iterable), True)


def filterfalse(function, iterable, /):
    return filtered(bool if function is None else function, iter(iterable), False)


def filtered(function, iterator, wanted):
    for value in iterator:
        if bool(function(value)) is wanted:
            yield value


def reduce(function, iterable, /, *initial):
    iterator = iter(iterable)
    total = initial[0] if initial else next(iterator, reduce)
    if total is reduce:
        raise TypeError("reduce() of empty iterable with no initial value")
    for value in iterator:
        total = function(total, value)
    return total


def accumulate(iterable, func=None, *, initial=None):
    return accumulated(iter(iterable), func or (lambda total, value: total + value), initial)


def accumulated(iterator, function, initial):
    total = next(iterator, accumulated) if initial is None else initial
    if total is accumulated:
        return
    yield total
    for value in iterator:
        total = function(total, value)
        yield total


def starmap(function, iterable, /):
    return (function(*values) for values in iterable)


def takewhile(predicate, iterable, /):
    return taken(predicate, iter(iterable))


def taken(predicate, iterator):
    for value in iterator:
        if not predicate(value):
            return
        yield value


def dropwhile(predicate, iterable, /):
    return dropped(predicate, iter(iterable))


def dropped(predicate, iterator):
    for value in iterator:
        if not predicate(value):
            yield value
            break
    yield from iterator


def groupby(iterable, key=None):
    return grouped(iter(iterable), key)


def grouped(iterator, key):
    exhausted = False

    def group(wanted):
        nonlocal value, rank, exhausted
        yield value
        for value in iterator:
            rank = value if key is None else key(value)
            if rank != wanted:
                return
            yield value
        exhausted = True

    value = next(iterator, grouped)
    if value is grouped:
        return
    rank = value if key is None else key(value)
    while not exhausted:
        wanted = rank
        members = group(wanted)
        yield wanted, members
        if rank == wanted:
            for _ in members:
                pass


def iter_(function, sentinel, /):
    """``iter`` with two arguments."""
    while True:
        value = function()
        if value == sentinel:
            return
        yield value


def reversed_(sequence, /):
    method = getattr(type(sequence), "__reversed__", None)
    if method is not None:
        return method(sequence)
    if hasattr(type(sequence), "__reversed__") or not hasattr(type(sequence), "__getitem__"):
        raise TypeError(f"{type(sequence).__name__!r} object is not reversible")
    return backwards(sequence, len(sequence))


def backwards(sequence, position):
    while position:
        position -= 1
        try:
            value = sequence[position]
        except (IndexError, StopIteration):
            return
        yield value


def cmp_to_key(mycmp):
    class Key:
        __slots__ = ("obj",)
        __hash__ = None

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0

    return Key


def contains(container, item, /):
    """``item in container``."""
    kind = type(container)
    if kind not in (list, tuple) and hasattr(kind, "__contains__"):
        return container.__contains__(item)
    if not hasattr(kind, "__iter__") and not hasattr(kind, "__getitem__"):
        raise TypeError(f"argument of type '{kind.__name__}' is not iterable")
    return any(member is item or member == item for member in container)


def substitute(pattern, repl, string, count=0):
    """``Pattern.sub``."""
    if not callable(repl):
        return pattern.sub(repl, string, count)
    parts = []
    end = 0
    for match in pattern.finditer(string):
        if len(parts) == 2 * count != 0:
            break
        parts += [string[end : match.start()], repl(match)]
        end = match.end()
    return string[:0].join([*parts, string[end:]])


def consume(function, args, kwargs, lazily):
    """Calls a C function that consumes iterables; those marked in ``lazily`` have ``__iter__`` or ``__next__`` in Python."""
    if function in (list, tuple) and lazily == [True]:
        return function([*args[0]], **kwargs)  # which asks for the length, as these do
    return function(*[iterated(arg) if lazy else arg for arg, lazy in zip(args, lazily, strict=True)], **kwargs)


def iterated(iterable):
    yield from iterable


async def awaited_or(awaitable, default):
    """What ``anext`` with a default gives."""
    try:
        return await awaitable
    except StopAsyncIteration:
        return default


def write(file, texts, flush):
    """What ``print`` does with its texts."""
    for text in texts:
        file.write(text)
    if flush:
        file.flush()


def missing(container, key):
    """What a ``defaultdict`` does where it lacks a key."""
    value = container[key] = container.default_factory()
    return value


def call_method(obj, name, /, *args, **kwargs):
    """What ``operator.methodcaller(name, *args, **kwargs)`` does."""
    return getattr(obj, name)(*args, **kwargs)


def call_each(function, rows, finish):
    """The calls that a ufunc of ``np.frompyfunc`` makes, one after the other."""
    return finish([function(*row) for row in rows])


def accumulate_each(function, values, finish):
    """``accumulate`` of such a ufunc."""
    return finish(list(accumulate(values, function)))


def instance_check(cls, instance):
    """What ``ABCMeta.__instancecheck__`` does, but for its cache."""
    given, real = instance.__class__, type(instance)
    return cls.__subclasscheck__(given) or (real is not given and cls.__subclasscheck__(real))
