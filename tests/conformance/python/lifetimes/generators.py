"""Generators, comprehensions, coroutines and context managers made of them."""

import contextlib

from tests.conformance.python.lifetimes.objects import D, log, program


def gen(d):
    try:
        yield 1
        yield d
    finally:
        log("fin")


def gen2():
    d = D("g")
    yield d
    log("mid")
    yield 2


@program
def loopgen():
    for x in (D(i) for i in range(3)):
        log("body")
    log("a")


@program
def loopgen2():
    for x in gen2():
        log("body")
    log("a")


@program
def comp():
    y = [log(d.n) for d in [D(1), D(2)]]
    log("a")


@program
def comp2():
    y = [len([d]) for d in (D(i) for i in range(3))]
    log("a")


@program
def dropgen():
    g = gen(D(1))
    next(g)
    log("a")
    del g
    log("b")


@program
def dropgen2():
    next(gen(D(1)))
    log("a")


@program
def dropgen3():
    for x in gen(D(1)):
        break
    log("a")


@program
def unstarted():
    g = gen(D(1))
    del g
    log("a")


@program
def dropgen4():

    def outer():
        yield from gen(D(1))

    g = outer()
    next(g)
    log("a")
    g = None
    log("b")


@program
def dropgen5():
    g = gen(D(1))
    a, *b = [next(g), next(g)]
    log("a")
    del g
    log("b")
    del b
    log("c")


@program
def sendgen():

    def g():
        while True:
            x = yield
            log(x.n)
            x = None

    i = g()
    next(i)
    i.send(D(1))
    log("a")
    i.send(D(2))
    log("b")
    i.close()
    log("c")


@program
def throwgen():

    def g():
        d = D("l")
        try:
            yield D(1)
        except ValueError:
            log("caught")
            yield D(2)

    i = g()
    next(i)
    log("a")
    i.throw(ValueError(D("e")))
    log("b")
    try:
        next(i)
    except StopIteration:
        log("stop")
    log("c")


@program
def genexpnext():
    x = next((d for d in [D(1), D(2)]))
    log("a")
    del x
    log("b")


@program
def genexcept():

    def g():
        d = D(1)
        yield 1
        raise ValueError(D(2))

    i = g()
    next(i)
    try:
        next(i)
    except ValueError:
        log("h")
    log("a")
    del i
    log("b")


@program
def genreturn():

    def g():
        d = D(1)
        yield 1
        return D(2)

    i = g()
    next(i)
    try:
        next(i)
    except StopIteration as e:
        log("s")
    log("a")


@program
def compare_chain():
    D(1) == D(2) == D(3)
    log("a")


@program
def setcomp():
    s = {d for d in [D(1)]}
    log("a")
    s.clear()
    log("b")
    {d.n: d for d in [D(5)]}
    log("c")


@program
def nested_comp():
    [[log(a.n) for b in [1]] for a in [D(1), D(2)]]
    log("a")


@program
def asyncs():

    async def inner(d):
        log("in")
        return d

    async def outer():
        x = await inner(D(1))
        log("b")
        x = None
        log("c")

    try:
        outer().send(None)
    except StopIteration:
        log("s")
    log("a")


@program
def asyncdrop():

    class A:
        def __await__(self):
            yield 1

    async def f(d):
        try:
            await A()
        finally:
            log("f")

    c = f(D(1))
    c.send(None)
    log("a")
    del c
    log("b")


@program
def exstack():

    @contextlib.contextmanager
    def cm(d):
        yield d
        log("exit")

    with cm(D(1)) as d:
        log("b")
    log("a")
    d = None
    log("c")


@program
def cmexc():

    @contextlib.contextmanager
    def cm(d):
        try:
            yield d
        finally:
            log("exit")

    try:
        with cm(D(1)):
            raise ValueError
    except ValueError:
        log("h")
    log("a")
