"""Builtins that call Python back, in plain Python: interpreted instead of the C function where the
frame hook cannot answer for callbacks.

`npexport.tracer.models.callables.callbacks` says which stands for which. Results and the order of
callbacks are those of C; lazy ones are generators. These functions are interpreted as part of the
program, so they use only builtins, their arguments, CPython's texts, and functions of this module
as markers for what is missing. A ``StopIteration`` raised by what a lazy one calls ends it, as it
ends the C iterator.
"""

from __future__ import annotations

import itertools

from npexport.tracer.bytecode.host import NOT_A_CONTAINER


def sorted_(iterable, /, *, key=None, reverse=False):
    values = list(iterable)
    sort(values, key=key, reverse=reverse)
    return values


def sort(values, /, *, key=None, reverse=False):
    """``list.sort``."""
    found = values[:]
    keys = found if key is None else [key(value) for value in found]
    values[:] = placed(found, keys, reverse)


def placed(values, keys, reverse, /):
    """Values in the order of their keys."""
    return [values[place] for place in sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)]


def sorted_by(in_order, iterable, key, reverse, /):
    """``sorted`` of values that data may order: ``in_order`` returns ``None`` if they do not, and
    the keys by which Python orders them.
    """
    values = list(iterable)
    keys = values if key is None else [key(value) for value in values]
    found, keys = in_order(values, keys, reverse)
    return placed(values, keys, reverse) if found is None else found


def sort_by(in_order, values, key, reverse, /):
    values[:] = sorted_by(in_order, values, key, reverse)


def max_(first, /, *rest, key=None, default=max):
    return extreme(max, above, (first, *rest), key, default)


def min_(first, /, *rest, key=None, default=min):
    return extreme(min, below, (first, *rest), key, default)


def extreme(builtin, better, args, key, default):
    if len(args) > 1 and default is not builtin:
        raise TypeError(f"Cannot specify a default for {builtin.__name__}() with multiple positional arguments")
    found, best, least = False, None, None
    for value in args[0] if len(args) == 1 else args:
        rank = value if key is None else key(value)
        if not found:
            found, best, least = True, value, rank
        elif better(rank, least):
            best, least = value, rank
    if found:
        return best
    return builtin([]) if default is builtin else default


def any_of_list(values, /):
    return quantified(values, True)


def all_of_list(values, /):
    return quantified(values, False)


def quantified(values, decisive):
    for value in values:
        if value:
            if decisive:
                return True
        elif not decisive:
            return False
    return not decisive


def max_of_list(values, /, *, key=None, default=max):
    return extreme_of_list(max, above, values, key, default)


def min_of_list(values, /, *, key=None, default=min):
    return extreme_of_list(min, below, values, key, default)


def extreme_of_list(builtin, better, values, key, default):
    """The same for a list or an array whose length only sizes or data know."""
    if len(values) == 0:
        return builtin([]) if default is builtin else default
    best = values[0]
    least = best if key is None else key(best)
    for place in range(1, len(values)):
        value = values[place]
        rank = value if key is None else key(value)
        if better(rank, least):
            best, least = value, rank
    return best


def above(one, other):
    if isinstance(one, tuple) and type(one) is type(other) is tuple:
        return compared(one, other, above)
    return one > other


def below(one, other):
    if isinstance(one, tuple) and type(one) is type(other) is tuple:
        return compared(one, other, below)
    return one < other


def compared(one, other, better):
    """Tuples, compared by their first differing items."""
    if not one or not other:
        return better(len(one), len(other))
    if one[0] is other[0] or one[0] == other[0]:
        return compared(one[1:], other[1:], better)
    return bool(better(one[0], other[0]))


def of_list(function, iterator, /):
    return function(list(iterator))


def of_items(function, iterable, /):
    """A call of a function that iterates until it has seen enough."""
    return function(item for item in iterable)


def check(condition, text, know, /):
    """``npexport.check``; ``know`` is told what holds from then on."""
    if not condition:
        raise AssertionError(text)
    know(condition, text)


def check_telling(condition, message, know, /):
    """The same with a message that is made only if it is needed."""
    if not condition:
        raise AssertionError(message())
    know(condition, "")


def sum_in_order(values, /, start=0):
    for value in values:
        start = start + value
    return start


def sum_of_items(values, /, start=0):
    return sum([*values], start)


def map_(function, iterable, /, *iterables):
    return mapped(function, [iter(one) for one in (iterable, *iterables)])


def mapped(function, iterators):
    try:
        while True:
            yield function(*[next(iterator) for iterator in iterators])
    except StopIteration:
        return


def filter_(function, iterable, /):
    return filtered(bool if function is None else function, iter(iterable), True)


def filterfalse(function, iterable, /):
    return filtered(bool if function is None else function, iter(iterable), False)


def filtered(function, iterator, wanted):
    try:
        while True:
            value = next(iterator)
            if bool(function(value)) == wanted:
                yield value
    except StopIteration:
        return


def reduce(function, iterable, /, *initial):
    try:
        iterator = iter(iterable)
    except TypeError:
        iterator = None
    if iterator is None:
        raise TypeError("reduce() arg 2 must support iteration")
    total = initial[0] if initial else next(iterator, reduce)
    if total is reduce:
        raise TypeError("reduce() of empty iterable with no initial value")
    for value in iterator:
        total = function(total, value)
    return total


def accumulate(iterable, func=None, *, initial=None):
    return accumulated(iter(iterable), (lambda total, value: total + value) if func is None else func, initial)


def accumulated(iterator, function, initial):
    try:
        total = next(iterator) if initial is None else initial
        while True:
            yield total
            total = function(total, next(iterator))
    except StopIteration:
        return


def starmap(function, iterable, /):
    return starmapped(function, iter(iterable))


def starmapped(function, iterator):
    try:
        while True:
            yield function(*next(iterator))
    except StopIteration:
        return


def takewhile(predicate, iterable, /):
    return taken(predicate, iter(iterable))


def taken(predicate, iterator):
    try:
        while predicate(value := next(iterator)):
            yield value
    except StopIteration:
        return


def dropwhile(predicate, iterable, /):
    return dropped(predicate, iter(iterable))


def dropped(predicate, iterator):
    try:
        while predicate(value := next(iterator)):
            pass
        while True:
            yield value
            value = next(iterator)
    except StopIteration:
        return


def groupby(iterable, key=None):
    return grouped(iter(iterable), key)


def grouped(iterator, key):
    """``groupby`` has one current value and number; only the latest group advances them."""
    value = rank = target = grouped
    current = None

    def step():
        nonlocal value, rank
        found = next(iterator)
        value, rank = found, found if key is None else key(found)

    def group(mine, wanted):
        nonlocal value
        try:
            while current is mine:
                if value is grouped:
                    step()
                if not (wanted is rank or wanted == rank):
                    return
                found, value = value, grouped
                yield found
        except StopIteration:
            return

    try:
        while True:
            current = None
            while rank is grouped or (target is not grouped and (target is rank or target == rank)):
                step()
            target = rank
            current = [target]
            yield target, group(current, target)
    except StopIteration:
        return


def iter_(function, sentinel, /):
    """``iter`` with two arguments."""
    try:
        while not (sentinel is (value := function()) or sentinel == value):
            yield value
    except StopIteration:
        return


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
        raise TypeError(NOT_A_CONTAINER.format(kind.__name__))
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


def collect(function, args, kwargs, lazily):
    """Call a C function that first makes a list of an iterable, asking for its length; the
    callables in ``lazily`` are iterated over by Python.
    """
    return function(*[[*arg] if lazy else arg for arg, lazy in zip(args, lazily, strict=True)], **kwargs)


def consume(function, args, kwargs, lazily):
    """Call a C function that iterates until it has seen enough."""
    return function(*[advanced(iter(arg)) if lazy else arg for arg, lazy in zip(args, lazily, strict=True)], **kwargs)


def advanced(iterator):
    while True:
        try:
            value = next(iterator)
        except StopIteration:
            return
        yield value


def set_of(iterable, /):
    return {item for item in iterable}  # noqa: C416  # an instruction adds each


def numbered(iterator, number):
    """The iterator of a loop over ``enumerate`` of a generator."""
    for item in iterator:
        yield number, item
        number += 1


def iterate(function, args, kwargs, lazily):
    """Make a C iterator over iterators, which it may ask again after their end."""
    return function(*[iter(arg) if lazy else arg for arg, lazy in zip(args, lazily, strict=True)], **kwargs)


def by_position(sequence):
    """The iterator that ``iter`` makes for a class that has only ``__getitem__``."""
    position = 0
    while True:
        try:
            value = sequence[position]
        except (IndexError, StopIteration):
            return
        yield value
        position += 1


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
    """What a ``defaultdict`` does if it lacks a key."""
    value = container[key] = container.default_factory()
    return value


def call_method(obj, name, /, *args, **kwargs):
    """What ``operator.methodcaller(name, *args, **kwargs)`` does."""
    return getattr(obj, name)(*args, **kwargs)


def call_each(function, rows, finish):
    """The calls of a ufunc of ``np.frompyfunc``, one after the other."""
    return finish([function(*row) for row in rows])


def accumulate_each(function, values, finish):
    """``accumulate`` of such a ufunc."""
    return finish(list(accumulate(values, function)))


def instance_check(cls, instance):
    """``ABCMeta.__instancecheck__`` without its cache."""
    given, real = instance.__class__, type(instance)
    return cls.__subclasscheck__(given) or (real is not given and cls.__subclasscheck__(real))


def subclass_check(cls, subclass, registered):
    """``ABCMeta.__subclasscheck__`` without its caches."""
    if not isinstance(subclass, type):
        raise TypeError("issubclass() arg 1 must be a class")
    answer = cls.__subclasshook__(subclass)
    if answer is not NotImplemented:
        return answer
    if cls in subclass.__mro__:
        return True
    return any(issubclass(subclass, other) for other in (*registered, *cls.__subclasses__()))


STAND_FOR = {
    mapped.__code__: map,
    accumulated.__code__: itertools.accumulate,
    starmapped.__code__: itertools.starmap,
}
"""The classes of C for whose iterators alone generators of these codes stand."""
