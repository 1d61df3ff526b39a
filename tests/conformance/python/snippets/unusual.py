"""Unusual objects where the language asks for something: awaitables, iterators, delegates, metaclasses, bases, frames."""

import operator
import sys
import types
import warnings


class NoAwait:
    pass


class BadAwait:
    def __await__(self):
        return 3


class CoroAwait:
    def __await__(self):
        return co()


async def co():
    return 1


def drive(c):
    try:
        while True:
            c.send(None)
    except StopIteration as s:
        return s.value


def await_bad():
    async def f():
        return await BadAwait()

    return drive(f())


def await_coro():
    async def f():
        return await CoroAwait()

    return drive(f())


def awith_bad():
    class A:
        def __aenter__(self):
            return 3

        def __aexit__(self, *a):
            return 3

    async def f():
        async with A():
            pass

    return drive(f())


def afor_noanext():
    class A:
        def __aiter__(self):
            return 3

    async def f():
        async for x in A():
            pass

    return drive(f())


def afor_badanext():
    class A:
        def __aiter__(self):
            return self

        def __anext__(self):
            return 3

    async def f():
        async for x in A():
            pass

    return drive(f())


def afor_badawait():
    class A:
        def __aiter__(self):
            return self

        def __anext__(self):
            return BadAwait()

    async def f():
        async for x in A():
            pass

    return drive(f())


def afor_iter_only():
    class It:
        def __iter__(self):
            return self

        def __next__(self):
            raise StopIteration

    class A:
        def __aiter__(self):
            return It()

    async def f():
        async for x in A():
            pass

    return drive(f())


def await_running():
    async def inner():
        await types.coroutine(lambda: (yield 1))()

    c = inner()
    c.send(None)

    async def f():
        await c

    return drive(f())


def gen_ignores_exit():
    def g():
        try:
            yield 1
        except GeneratorExit:
            yield 2

    it = g()
    next(it)
    it.close()


def gen_throw_three():
    def g():
        yield 1

    it = g()
    next(it)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        it.throw(ValueError, ValueError("a"), None)


def gen_throw_badtb():
    def g():
        yield 1

    it = g()
    next(it)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        it.throw(ValueError, "a", 3)


def gen_throw_inst_val():
    def g():
        yield 1

    it = g()
    next(it)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        it.throw(ValueError("a"), 3)


def gen_throw_badclass():
    class E(Exception):
        def __new__(cls, *a):
            return 3

    def g():
        yield 1

    it = g()
    next(it)
    it.throw(E)


def delegate_closeattr_raises():
    class D:
        def __iter__(self):
            return self

        def __next__(self):
            return 1

        @property
        def close(self):
            raise ValueError("closing")

    def g():
        yield from D()

    it = g()
    next(it)
    old = sys.unraisablehook
    seen = []
    sys.unraisablehook = lambda u: seen.append((u.exc_type.__name__, str(u.exc_value)))
    try:
        it.close()
    finally:
        sys.unraisablehook = old
    return seen


def stop_in_agen():
    async def g():
        raise StopAsyncIteration(3)
        yield

    async def f():
        async for x in g():
            pass

    drive(f())


def pat_dup():
    class K:
        __match_args__ = ("x", 3)
        x = 1

    match K():
        case K(1, 2):
            return 1


def pat_dupkey():
    a = types.SimpleNamespace(k=1, j=1)
    match {1: 2}:
        case {a.k: 2, a.j: 2}:
            return 1


def super_fake():
    class B:
        def __init__(self, *a):
            self.a = a

        v = 7

    super = B

    class A:
        def f(self):
            return super().v, super(A, self).v, super(A, self).a

    try:
        return A().f()[:2]
    except Exception as e:
        return repr(e)


def super_static():
    class B:
        @staticmethod
        def s():
            return 1

        @classmethod
        def c(cls):
            return cls.__name__

        @property
        def p(self):
            return 5

        class D:
            def __get__(self, o, t):
                return (o is None, t.__name__)

        d = D()
        n = int

    class A(B):
        def f(self):
            return super().s(), super().c(), super().p, super().d, super().n, super().__class__.__name__

        @classmethod
        def g(cls):
            return super().c(), super().d, super().s()

    return A().f(), A.g()


def init_native():
    class A(list):
        __init__ = lambda self: 5

    A()


def static_call():
    s = staticmethod(lambda a: a + 1)
    return s(2), s.__wrapped__(3), s.__name__


def hint_bad():
    class A:
        def __len__(self):
            return 1

        def __length_hint__(self):
            return "a"

        def __iter__(self):
            return iter([1])

    return list(A())


def meta_getattr():
    class M(type):
        def __getattr__(cls, n):
            return ("M", n)

        def __getattribute__(cls, n):
            if n == "q":
                return "q!"
            return super().__getattribute__(n)

    class A(metaclass=M):
        x = 1

    return A.x, A.y, A.q


def meta_descr():
    class G:
        def __get__(self, o, t):
            return ("G", o.__name__, t.__name__)

    class GD(G):
        def __set__(self, o, v):
            pass

    class M(type):
        a = G()
        b = GD()

        @property
        def c(cls):
            return cls.__name__

        def d(cls):
            return 4

        e = staticmethod(lambda: 5)
        f = classmethod(lambda c: c.__name__)

    class A(metaclass=M):
        pass

    class B(metaclass=M):
        a = 1
        b = 2
        c = 3

    return A.a, A.b, A.c, A.d(), A.e(), A.f(), B.a, B.b, B.c


def meta_descr_c():
    class M(type):
        y = property(operator.attrgetter("__name__"))

    class A(metaclass=M):
        pass

    try:
        return A.y
    except Exception as e:
        return repr(e)


def prop_c():
    class A:
        x = property(operator.attrgetter("y"))
        y = 3
        z = property()

    a = A()
    return a.x


def getattribute_obj():
    class A:
        def __init__(self):
            self.v = 1

        @property
        def p(self):
            return 2

        def __getattr__(self, n):
            return ("ga", n)

    a = A()
    return object.__getattribute__(a, "v"), object.__getattribute__(a, "p"), object.__getattribute__(a, "nope")


def dict_assign():
    class A:
        pass

    a = A()
    a.__dict__ = {"x": 1}
    return a.x, vars(a)


def cls_prepare_bad():
    class M(type):
        @classmethod
        def __prepare__(m, *a):
            return 3

    class A(metaclass=M):
        pass


def cls_prepare_none_bad():
    class P:
        def __prepare__(*a):
            return 3

        def __call__(self, *a):
            return 1

    class A(metaclass=P()):
        pass


def cls_classcell():
    class M(type):
        def __new__(m, n, b, ns):
            ns.pop("__classcell__", None)
            return super().__new__(m, n, b, ns)

    class A(metaclass=M):
        def f(self):
            return __class__


def cls_classcell_wrong():
    class M(type):
        def __new__(m, n, b, ns):
            c = super().__new__(m, n, b, ns)
            return type("X", (), {})

    class A(metaclass=M):
        def f(self):
            return __class__

    return A


def exec_closure():
    def mk():
        x = 5

        def g():
            res.append(x)

        return g

    res = []
    g = mk()
    c = types.CellType(8)
    try:
        exec(g.__code__, {"res": res}, closure=(c,))
    except Exception as e:
        return repr(e)
    return res


def frame_locals_key():
    d = sys._getframe().f_locals
    return d["zz"]


def frame_clear():
    def g():
        yield 1
        yield 2

    it = g()
    next(it)
    f = it.gi_frame
    f.clear()
    return list(it)


def frame_clear_tb():
    def f():
        x = 1
        raise ValueError

    try:
        f()
    except ValueError as e:
        fr = e.__traceback__.tb_next.tb_frame
        fr.clear()
        return dict(fr.f_locals)


def frame_clear_args():
    def g():
        yield 1

    it = g()
    next(it)
    it.gi_frame.clear(3)


def gen_frame_back():
    def g():
        yield 1

    it = g()
    next(it)
    return it.gi_frame.f_back


def ops_ne():
    class A:
        def __eq__(self, o):
            return 3

    class B:
        def __ne__(self, o):
            return NotImplemented

        def __eq__(self, o):
            return NotImplemented

    return A() != 1, B() != 1, object.__ne__(A(), 1)


def context_loop():
    a = ValueError("a")
    b = KeyError("b")
    try:
        try:
            raise a
        except ValueError:
            raise b
    except KeyError as e:
        try:
            raise a
        except ValueError as q:
            return q.__context__ is b, b.__context__ is a, a.__context__ is b


def asyncgen_ignores():
    async def g():
        try:
            yield 1
        finally:
            yield 2

    async def f():
        a = g()
        await a.__anext__()
        await a.aclose()

    return drive(f())


def frame_locals_del():
    x = 1
    names = sys._getframe().f_locals
    if sys.version_info >= (3, 13):
        del names["x"]
    return x
