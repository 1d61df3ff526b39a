"""Values: names, arguments, temporaries, attributes, containers."""

import functools
import sys
import weakref

from tests.conformance.python.lifetimes.objects import D, log, program


@program
def rebind():
    x = D(1)
    log("a")
    x = D(2)
    log("b")
    x = None
    log("c")


@program
def temp():
    D(1)
    log("a")
    D(2).m()
    log("b")


@program
def args():

    def f(x):
        log("in")
        x = None
        log("out")

    f(D(1))
    log("after")


@program
def args2():

    def f(*a, **k):
        log("in")

    f(D(1), D(2), k=D(3))
    log("after")


@program
def argsmany():

    def f(x, y=None):
        log("in")
        del x
        log("out")

    f(D(1))
    log("after")
    f(x=D(2))
    log("after")


@program
def ret():

    def f():
        x = D(1)
        return D(2)

    y = f()
    log("a")
    del y
    log("b")


@program
def loop():
    for x in [D(1), D(2), D(3)]:
        log("body")
    log("a")
    del x
    log("b")


@program
def add():
    x = D(1) + D(2)
    log("a")
    del x
    log("b")


@program
def add2():
    x = D(1)
    x += D(2)
    log("a")


@program
def add3():
    x = D(1) + D(2) + D(3)
    log("a")


@program
def itr():
    for x in D(1):
        log("b")
    log("a")


@program
def item():
    D(1)[0]
    log("a")
    x = D(2)[D("k")]
    log("b")


@program
def boolean():
    if D(1):
        log("t")
    x = D(2) and D(3)
    log("a")
    x = not D(4)
    log("b")


@program
def cont():
    1 in D(1)
    log("a")
    D(3) == D(2)
    log("b")
    D(5) != D(6)
    log("c")


@program
def call():
    D(1)(D(2))
    log("a")
    D(1)(k=D(2))
    log("a")


@program
def cls():

    class C:
        d = D(1)

        def m(self):
            return self

    w = weakref.ref(C(), lambda r: log("dead"))
    log(w() is None)
    c = C()
    w = weakref.ref(c, lambda r: log("dead"))
    log("x")
    c.m()
    m = c.m
    del c
    log("y")
    del m
    log("z")


@program
def wr():
    x = D(1)
    w = weakref.ref(x, lambda r: log("cb"))
    x = None
    log(w() is None)


@program
def closure():

    def mk():
        d = D(1)

        def inner():
            return d

        return inner

    i = mk()
    log("a")
    i()
    log("b")
    del i
    log("c")


@program
def cells():
    d = D(1)

    def inner():
        return d  # noqa: F821 (deleted below)

    log("a")
    d = D(2)
    log("b")
    del d
    log("c")


@program
def unpack():
    a, b = (D(1), D(2))
    log("a")
    a, b = (b, a)
    log("b")
    a = None
    log("c")
    b = None
    log("d")


@program
def star():
    a, *b = [D(1), D(2), D(3)]
    log("x")
    b.pop()
    log("y")
    b = None
    log("z")


@program
def dicts():
    d = {"a": D(1)}
    d["a"] = D(2)
    log("x")
    d.pop("a")
    log("y")
    {**{"b": D(3)}}
    log("z")


@program
def attr():

    class Owner:
        pass

    o = Owner()
    o.x = D(1)
    o.x = D(2)
    log("a")
    del o.x
    log("b")
    o.x = D(3)
    o = None
    log("c")


@program
def attr_temp():

    class Owner:
        def __init__(self):
            self.d = D(1)

        @property
        def p(self):
            return D(2)

        def __getattr__(self, n):
            return D(n)

    Owner().d
    log("a")
    Owner().p
    log("b")
    Owner().zz
    log("c")
    Owner().d.n
    log("d")
    getattr(Owner(), "d")
    log("e")


@program
def init_temp():

    class Owner:
        def __init__(self, d):
            self.d = d
            log("init")

    Owner(D(1))
    log("a")
    Owner(d=D(2))
    log("b")


@program
def newinit():

    class Owner:
        def __new__(cls, d):
            log("new")
            return super().__new__(cls)

        def __init__(self, d):
            log("init")

    Owner(D(1))
    log("a")


@program
def maps():
    list(map(lambda d: d.n, [D(1), D(2)]))
    log("a")
    sorted([D(2), D(1)], key=lambda d: d.n)
    log("b")
    max([D(1), D(2)], key=lambda d: d.n)
    log("c")


@program
def lam():
    (lambda x: log(x.n))(D(1))
    log("a")


@program
def fstr():
    f"{D(1).n}"
    log("a")
    f"{id(D(2))}"[:0]
    log("b")


@program
def recur():

    def r(n, d):
        if n:
            return r(n - 1, D(n))
        log("bottom")

    r(3, D("t"))
    log("a")


@program
def getframe():

    def f():
        d = D(1)
        sys._getframe().f_lineno
        log("in")

    f()
    log("a")


@program
def match_():
    match [D(1), D(2)]:
        case [a, b]:
            log("m")
    log("a")
    del a
    log("b")


@program
def match2():

    class Q:
        __match_args__ = ("x",)

        def __init__(self, x):
            self.x = x

    match Q(D(1)):
        case Q(x=y):
            log("m")
    log("a")
    y = None
    log("b")


@program
def walrus():
    if x := D(1):
        log("a")
    x = None
    log("b")


@program
def chained():
    x = y = D(1)
    log("a")
    x = None
    log("b")
    y = None
    log("c")


@program
def tern():
    x = D(1) if D(2) else D(3)
    log("a")


@program
def delslice():
    l = [D(i) for i in range(4)]
    del l[1:3]
    log("a")
    l[:] = []
    log("b")


@program
def decorators():

    def dec(f):
        return D("dec")

    @dec
    def f():
        pass

    log("a")
    del f
    log("b")


@program
def kwd():

    def f(*, a=D("default"), b):
        log("in")

    f(b=D(1))
    log("a")
    f = None
    log("b")


@program
def partial():
    f = functools.partial(lambda a, b: log("in"), D(1))
    f(D(2))
    log("a")
    f = None
    log("b")


@program
def bound():
    m = D(1).m
    m()
    log("a")
    m = None
    log("b")


@program
def superm():

    class B:
        def __init__(self, d):
            log("B")

    class C(B):
        def __init__(self, d):
            super().__init__(d)
            log("C")
            del d
            log("E")

    C(D(1))
    log("a")


@program
def listsort():
    l = [D(2), D(1)]
    l.sort(key=lambda d: d.n)
    log("a")
    l = None
    log("b")


@program
def exec_():
    ns = {"D": D, "log": log}
    exec("d=D(1)\nlog(1)\ndel d\nlog(2)\nd=D(3)", ns)
    log("a")
    ns.clear()
    log("b")
