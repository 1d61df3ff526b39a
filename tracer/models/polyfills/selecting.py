"""C iterators as generators with a plain loop. They end with their items, not where what they call
raises ``StopIteration``.
"""


class Nothing:
    """Stands for the total before the first item."""


def chosen(function, items):
    for value in items:
        if value if function is None else function(value):
            yield value


def left_out(function, items):
    for value in items:
        if not (value if function is None else function(value)):
            yield value


def before_first(predicate, items):
    for value in items:
        if not predicate(value):
            return
        yield value


def from_first(predicate, items):
    dropping = True
    for value in items:
        if dropping and predicate(value):
            continue
        dropping = False
        yield value


def selected(data, selectors):
    for value, selector in zip(data, selectors, strict=False):
        if selector:
            yield value


def running_totals(values, function):
    total = Nothing
    for value in values:
        total = value if total is Nothing else total + value if function is None else function(total, value)
        yield total


def together(*sequences):
    for items in zip(*sequences):  # noqa: B905, UP028 (a loop of the program)
        yield items


def each_of(items):
    for each in items:  # noqa: UP028
        yield each


def collected(iterator, args):
    return list(iterator(*args))


def numbered(sequence, start):
    for pair in enumerate(sequence, start):  # noqa: UP028
        yield pair


def backwards(sequence, /):
    for item in reversed(sequence):  # noqa: UP028
        yield item


def each_mapped(function, items, /):
    for item in items:
        yield function(item)


def mapped(function, /, *sequences):
    for items in zip(*sequences):  # noqa: B905
        yield function(*items)
