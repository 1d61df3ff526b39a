"""Syntax of CPython 3.14: this file is loaded there and later."""

# ruff: noqa

import functools


def template_strings():
    name, width = "x", 8
    template = t"a{name}b{width!r:>{width}}c{name=}{name + '!':.2}"
    parts = [(part.value, part.expression, part.conversion, part.format_spec) for part in template.interpolations]
    return template.strings, parts, template.values, [type(part).__name__ for part in template]


def converted_template(width=8):
    template = t"{width!s}{width!s:>5}{width!a}{width!a:{width}}{width:{width}}{width!r}"
    return [(part.value, part.conversion, part.format_spec) for part in template.interpolations]


def empty_template():
    return t"".strings, t"{1}".values, (t"ab{2}").strings


def unparenthesized_exceptions():
    found = []
    for error in (ValueError, KeyError, TypeError):
        try:
            raise error("text")
        except ValueError, KeyError:
            found.append(error.__name__)
        except TypeError:
            found.append("other")
    return found


def lazy_annotations():
    calls = []

    def told(name):
        calls.append(name)
        return int

    def function(a: told("a"), b: Undefined = 1) -> told("result"):
        return a

    class Body:
        field: told("field") = 1

    before = list(calls)
    try:
        function.__annotations__
    except NameError as error:
        text = str(error)
    Undefined = str
    return before, text, function.__annotations__, Body.__annotations__, calls


def conditional_annotations(flag=True):
    class Body:
        if flag:
            x: int = 1
        else:
            y: str = ""

    return Body.__annotations__


def inlined_all_and_any():
    data = [1, 0, 2]
    log = []

    def tell(value):
        log.append(value)
        return value

    return all(tell(v) for v in data), any(tell(v) for v in data), tuple(v for v in data), log


def exits_of_managers():
    log = []

    class Manager:
        def __enter__(self):
            log.append("enter")
            return self

        def __exit__(self, kind, error, traceback):
            log.append((kind, str(error), traceback is not None))
            return kind is ValueError

    class Missing:
        def __enter__(self):
            return self

    with Manager() as first, Manager():
        raise ValueError("swallowed")
    for number in range(3):
        with Manager():
            if number == 1:
                continue
            if number == 2:
                break
    try:
        with first:
            raise KeyError("passed on")
    except KeyError:
        log.append("caught")
    for bad in (Missing(), 5, "text"):
        try:
            with bad:
                pass
        except TypeError as error:
            log.append(str(error))
    return log


def places_left_open_in_partials():
    def told(*args, **kwargs):
        return args, kwargs

    open_ = functools.Placeholder
    partial = functools.partial(told, 1, open_, 3, open_, 5, key=1)
    further = functools.partial(partial, "first")
    found = [partial("a", "b", "c", other=2), further("b"), further.__call__("b", "c"), list(map(further, "xy"))]
    for call in (partial, further):
        try:
            call()
        except TypeError as error:
            found.append(str(error))

    class Holds:
        method = functools.partialmethod(told, open_, 2)

        def __repr__(self):
            return "Holds()"

    return found, Holds().method(1, 3), functools.reduce(functools.partial(lambda a, b, c: a * b + c, open_, 2), [1, 2, 3])
