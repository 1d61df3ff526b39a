"""Exceptions, their tracebacks, and what runs while they pass."""

import sys

from tests.conformance.python.lifetimes.objects import D, log, program


@program
def exc():
    try:
        x = D(1)
        raise ValueError(D(2))
    except ValueError as e:
        log("h")
        del x
        log("i")
    log("a")


@program
def exc2():

    def f():
        x = D(1)
        raise ValueError

    try:
        f()
    except ValueError:
        log("h")
    log("a")


@program
def exc3():

    def f():
        x = D(1)
        raise ValueError

    try:
        f()
    except ValueError as e:
        s = e
        log("h")
    log("a")
    del s
    log("b")


@program
def exc4():

    def f():
        x = D(1)
        try:
            raise ValueError
        except ValueError:
            raise KeyError

    try:
        f()
    except KeyError:
        log("h")
    log("a")


@program
def exc5():
    x = D(1)
    try:
        len(x.nope)
    except AttributeError:
        log("h")
    del x
    log("a")


@program
def exc6():
    x = D(1)
    try:
        int("x")
    except ValueError:
        log("h")
    del x
    log("a")


@program
def exc7():
    d = {}
    x = D(1)
    try:
        d[x]
    except KeyError:
        log("h")
    del x
    log("a")


@program
def exc8():

    def f(x):
        raise ValueError

    try:
        f(D(1))
    except ValueError:
        log("h")
    log("a")


@program
def exc9():

    def f(x):
        int("z")

    for i in range(2):
        try:
            list(map(f, [D(i)]))
        except ValueError:
            log("h")
        log("a")


@program
def fin():

    def f():
        x = D(1)
        try:
            return x
        finally:
            log("f")

    f()
    log("a")


@program
def with_():
    with D(1) as d:
        log("b")
    log("c")
    del d
    log("d")


@program
def with2():
    with D(1):
        log("b")
    log("c")


@program
def with3():
    try:
        with D(1):
            raise ValueError
    except ValueError:
        log("h")
    log("c")


@program
def failinit():

    class Owner:
        def __init__(self, d):
            self.d = d
            raise ValueError

        def __del__(self):
            log("odel")

    try:
        Owner(D(1))
    except ValueError:
        log("h")
    log("a")


@program
def tracebacks():

    def f():
        d = D(1)
        raise ValueError

    try:
        f()
    except ValueError as e:
        tb = e.__traceback__
    log("a")
    tb = None
    log("b")


@program
def excinfo():

    def f():
        d = D(1)
        raise ValueError

    try:
        f()
    except ValueError:
        sys.exc_info()
        log("i")
    log("a")


@program
def excinfo2():

    def f():
        d = D(1)
        raise ValueError

    try:
        f()
    except ValueError:
        t = sys.exc_info()
        log("i")
    log("a")
    del t
    log("b")


@program
def raisefrom():

    def f():
        d = D(1)
        raise ValueError from KeyError(D("c"))

    try:
        f()
    except ValueError:
        log("h")
    log("a")


@program
def finallyreturn():

    def f():
        for x in [D(1), D(2)]:
            try:
                return x
            finally:
                log("f")

    f()
    log("a")


@program
def cont_loop():
    for i in range(2):
        x = D(i)
        try:
            continue
        finally:
            log("f")
    log("a")


@program
def excgroup():

    def f():
        d = D(1)
        raise ExceptionGroup("g", [ValueError(D(2)), KeyError(D(3))])

    try:
        f()
    except* ValueError:
        log("v")
    except* KeyError:
        log("k")
    log("a")


@program
def no_memory():
    def f():
        x = D(1)
        raise MemoryError

    try:
        f()
    except MemoryError:
        log("h")
    log("a")


@program
def interrupted():
    def f():
        x = D(1)
        raise KeyboardInterrupt

    try:
        f()
    except KeyboardInterrupt as error:
        log("h")
    log("a")
