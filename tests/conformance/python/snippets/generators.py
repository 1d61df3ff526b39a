"""Generators."""

# ruff: noqa

import inspect


def simple():
    def gen(n):
        for i in range(n):
            yield i * i

    g = gen(3)
    return (
        next(g),
        next(g),
        list(g),
        next(g, "done"),
        list(gen(4)),
        sum(gen(4)),
        tuple(gen(2)),
        set(gen(2)),
        sorted(gen(3), key=lambda x: -x),
    )


def send_values():
    def gen():
        total = 0
        while True:
            got = yield total
            if got is None:
                return total
            total += got

    g = gen()
    out = [next(g), g.send(5), g.send(7)]
    try:
        next(g)
    except StopIteration as stop:
        out.append(stop.value)
    return out


def send_to_unstarted():
    def gen():
        yield 1

    gen().send(5)


def throw_into():
    log = []

    def gen():
        while True:
            try:
                log.append((yield "ready"))
            except ValueError as error:
                log.append(str(error))
                yield "handled"
            finally:
                log.append("finally")

    g = gen()
    out = [next(g), g.throw(ValueError("v")), next(g)]
    g.close()
    return out, log


def throw_uncaught():
    def gen():
        yield 1

    g = gen()
    next(g)
    try:
        g.throw(KeyError("k"))
    except KeyError as error:
        return repr(error), list(g)


def throw_into_unstarted():
    def gen():
        yield 1

    g = gen()
    try:
        g.throw(KeyError("k"))
    except KeyError as error:
        return repr(error), list(g), inspect.getgeneratorstate(g)


def throw_non_exception():
    def gen():
        yield

    gen().throw(5)


def close_runs_finally():
    log = []

    def gen():
        try:
            yield 1
            yield 2
        except GeneratorExit:
            log.append("exit")
            raise
        finally:
            log.append("finally")

    g = gen()
    next(g)
    g.close()
    g.close()
    return log, list(g)


def close_ignored():
    def gen():
        try:
            yield
        except GeneratorExit:
            yield "ignored"

    g = gen()
    next(g)
    try:
        g.close()
    except RuntimeError as error:
        return str(error)


def deleted_generator_runs_finally():
    log = []

    def gen():
        try:
            yield 1
        finally:
            log.append("finally")

    g = gen()
    next(g)
    del g
    return log


def break_out_of_generator():
    log = []

    def gen():
        try:
            yield from range(10)
        finally:
            log.append("closed")

    for x in gen():
        if x == 2:
            break
    return log


def yield_from():
    def inner():
        got = yield 1
        log.append(got)
        yield 2
        return "result"

    def outer():
        value = yield from inner()
        log.append(value)
        yield from [3, 4]
        yield from "ab"

    log = []
    g = outer()
    return [next(g), g.send("sent"), *g], log


def yield_from_throw():
    def inner():
        try:
            yield 1
        except ValueError:
            yield "caught inside"
        return "r"

    def outer():
        return (yield from inner())

    g = outer()
    out = [next(g), g.throw(ValueError)]
    try:
        next(g)
    except StopIteration as stop:
        out.append(stop.value)
    return out


def yield_from_close():
    log = []

    def inner():
        try:
            yield 1
        finally:
            log.append("inner")

    def outer():
        try:
            yield from inner()
        finally:
            log.append("outer")

    g = outer()
    next(g)
    g.close()
    return log


def yield_from_iterator_class():
    class It:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n > 2:
                raise StopIteration("value")
            return self.n

    def g():
        return (yield from It())

    gen = g()
    out = [next(gen), next(gen)]
    try:
        next(gen)
    except StopIteration as stop:
        out.append(stop.value)
    return out


def yield_from_not_iterable():
    def g():
        yield from 5

    next(g())


def generator_already_executing():
    def g():
        yield next(it)

    it = g()
    next(it)


def introspection():
    def sub():
        yield 1

    def g(a):
        b = 2
        yield a
        yield from s
        return b

    s = sub()
    it = g(5)
    out = [
        it.gi_running,
        it.gi_frame.f_lineno - g.__code__.co_firstlineno,
        it.gi_code is g.__code__,
        it.__name__,
        inspect.getgeneratorstate(it),
    ]
    next(it)
    out += [dict(it.gi_frame.f_locals) == {"a": 5, "b": 2, "s": s}, it.gi_yieldfrom, inspect.getgeneratorstate(it)]
    next(it)
    out += [it.gi_yieldfrom is s, it.gi_frame.f_lineno - g.__code__.co_firstlineno]
    list(it)
    out += [it.gi_frame, inspect.getgeneratorstate(it)]
    return out


def generator_expressions():
    g = (x * y for x in range(3) for y in range(x))
    first = next(g)
    return (
        first,
        list(g),
        list(x for x in "abc" if x != "b"),
        "".join(c.upper() for c in "abc"),
        dict((k, 1) for k in "ab"),
        max(x for x in [1, 5, 2]),
    )


def generator_expression_is_lazy():
    log = []

    def note(x):
        log.append(x)
        return x

    g = (note(x) for x in range(5))
    next(g)
    next(g)
    return log


def first_iterable_is_eager():
    try:
        (x for x in 5)  # noqa: B018
    except TypeError as error:
        return str(error)


def any_all_stop_early():
    log = []

    def note(x):
        log.append(x)
        return x

    return any(note(x) for x in [0, 2, 3]), all(note(x) for x in [1, 0, 5]), log


def infinite_generator():
    def naturals():
        n = 0
        while True:
            yield n
            n += 1

    import itertools

    return list(itertools.islice(naturals(), 5)), [x for x, _ in zip(naturals(), "abc")]


def recursive_generator():
    def walk(tree):
        if isinstance(tree, list):
            for child in tree:
                yield from walk(child)
        else:
            yield tree

    return list(walk([1, [2, [3, [4]], 5], [[6]]]))


def permutations():
    def perms(items):
        if not items:
            yield ()
        for i, x in enumerate(items):
            for rest in perms(items[:i] + items[i + 1 :]):
                yield (x, *rest)

    return list(perms([1, 2, 3]))


def generators_in_c_functions():
    def gen():
        yield 3
        yield 1
        yield 2

    return (
        sorted(gen()),
        list(zip(gen(), gen())),
        dict(enumerate(gen())),
        list(map(str, gen())),
        min(gen()),
        list(reversed(list(gen()))),
        [*gen()],
        {*gen()},
    )


def exception_state_of_generators():
    import sys

    def gen():
        try:
            raise ValueError("inside")
        except ValueError:
            yield repr(sys.exception())
        yield repr(sys.exception())

    try:
        raise KeyError("outside")
    except KeyError:
        g = gen()
        return next(g), repr(sys.exception()), next(g), repr(sys.exception())


def context_in_generator():
    def gen():
        yield 1
        raise TypeError("in gen")

    g = gen()
    next(g)
    try:
        raise ValueError("outer")
    except ValueError:
        next(g)


def generator_methods_of_class():
    class Tree:
        def __init__(self, *kids):
            self.kids = kids

        def __iter__(self):
            yield self
            for kid in self.kids:
                yield from kid

    return sum(1 for _ in Tree(Tree(), Tree(Tree())))


def thrown_exceptions_have_the_context_of_the_generator():
    def chain(error):
        out = []
        while error is not None:
            out.append(repr(error))
            error = error.__context__
        return out

    def inner():
        try:
            yield 1
        except ValueError:
            yield 2

    def outer():
        yield from inner()

    found = []
    for make in (inner, outer):
        for first in (None, ValueError(1)):
            it = make()
            try:
                raise OSError("being handled")
            except OSError:
                try:
                    next(it)
                    if first:
                        it.throw(first)
                    it.throw(KeyError(2))
                except KeyError as error:
                    found.append(chain(error))
    return found


def exceptions_thrown_before_the_start_have_no_context():
    try:
        raise OSError("being handled")
    except OSError:
        try:
            (_ for _ in ()).throw(KeyError(1))
        except KeyError as error:
            return error.__context__


def thrown_exceptions_collect_the_contexts_of_their_way():
    def chain(error):
        out = []
        while error is not None:
            out.append(repr(error))
            error = error.__context__
        return out

    log = []

    def handling():
        try:
            raise IndexError(1)
        except IndexError:
            yield

    def catching():
        try:
            yield
        except ValueError as error:
            log.append(chain(error))
            yield

    def finishing():
        try:
            yield
        finally:
            log.append("finally")

    def outer(inner):
        try:
            raise KeyError("a")
        except KeyError:
            yield from inner()

    for inner in (handling, catching, finishing):
        it = outer(inner)
        try:
            raise OSError("being handled")
        except OSError:
            next(it)
            try:
                it.throw(ValueError(1))
            except ValueError as error:
                log.append(chain(error))
    return log


def dropped_generators_are_closed_at_once():
    log = []

    def inner(k):
        try:
            if k == 1:
                try:
                    raise KeyError
                except KeyError:
                    pass
            yield 1
            yield 2
        finally:
            log.append("closed")

    def outer(k):
        yield from inner(k)

    for k in range(4):
        it = outer(k)
        next(it)
        if k == 2:
            log.append((inspect.getgeneratorstate(it), it.gi_frame.f_lineno > 0))
        if k == 3:
            try:
                it.throw(KeyError(1))
            except KeyError:
                pass
        del it
        log.append(k)
    return log
