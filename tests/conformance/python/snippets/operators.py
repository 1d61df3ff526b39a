"""Special methods of operators, comparisons and conversions."""

# ruff: noqa


class Vector:
    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __repr__(self):
        return f"V({self.x}, {self.y})"

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y) if isinstance(o, Vector) else NotImplemented

    def __radd__(self, o):
        return ("radd", o)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iadd__(self, o):
        self.x += 100
        return self

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __pos__(self):
        return "pos"

    def __invert__(self):
        return "inv"

    def __abs__(self):
        return 5

    def __bool__(self):
        return bool(self.x)

    def __eq__(self, o):
        return isinstance(o, Vector) and (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __iter__(self):
        return iter((self.x, self.y))

    def __contains__(self, v):
        return v == self.x

    def __call__(self, *args, **kw):
        return args, kw

    def __format__(self, spec):
        return f"<{spec}>"

    def __index__(self):
        return self.x

    def __int__(self):
        return 42

    def __float__(self):
        return 4.5


def operators_of_a_class():
    a, b = Vector(1, 2), Vector(3)
    c = a
    c += b
    return a + b, 5 + a, a * 3, 2 * a, -a, +a, ~a, abs(a), bool(Vector(0)), not a, a == Vector(101, 2), a != b, c is a


def conversions_of_a_class():
    v = Vector(2, 7)
    return (
        len(v),
        v[1],
        list(v),
        2 in v,
        9 in v,
        v(1, k=2),
        f"{v:spec}",
        f"{v}",
        str(v),
        repr(v),
        [10, 20, 30][v],
        int(v),
        float(v),
        hash(v) == hash((2, 7)),
    )


def unsupported_operand():
    return Vector(1) + 5


def truth_in_conditions():
    out = []
    for v in (Vector(0), Vector(1)):
        out.append("yes" if v else "no")
        out.append(v and "and")
        out.append(v or "or")
        while not v:
            v.x = 5
    return [str(x) for x in out]


def bad_bool():
    class B:
        def __bool__(self):
            return 5

    if B():
        pass


def length_as_truth():
    class L:
        def __init__(self, n):
            self.n = n

        def __len__(self):
            return self.n

    return bool(L(0)), bool(L(3)), not L(0), [1 for _ in range(2) if L(1)]


def negative_length():
    class L:
        def __len__(self):
            return -1

    len(L())


def reflected_operators():
    class A:
        def __sub__(self, o):
            return NotImplemented

    class B:
        def __rsub__(self, o):
            return "rsub"

    class C(A):
        def __rsub__(self, o):
            return "C.rsub"

    out = [A() - B(), A() - C()]
    try:
        A() - 1
    except TypeError as error:
        out.append(str(error))
    return out


def inplace_falls_back():
    class A:
        def __add__(self, o):
            return ("add", o)

        def __imul__(self, o):
            return NotImplemented

        def __mul__(self, o):
            return "mul"

    a = b = A()
    a += 1
    b *= 2
    return a, b


def matrix_multiplication():
    class M:
        def __matmul__(self, o):
            return "mm"

        def __rmatmul__(self, o):
            return "rmm"

        def __imatmul__(self, o):
            return "imm"

    m = M()
    out = [m @ 1, 1 @ m]
    m @= 2
    return out, m


def list_plus_object():
    class R:
        def __radd__(self, o):
            return ("r", o)

    return [1] + R(), "s" + R(), (1,) + R()


def comparisons():
    class N:
        def __init__(self, v):
            self.v = v

        def __lt__(self, o):
            return ("lt", self.v, o.v)

        def __ge__(self, o):
            return ("ge", self.v, o.v)

    a, b = N(1), N(2)
    out = [a < b, a > b, a >= b, a <= b, a == b, a != b, a == a]

    class Plain: ...

    try:
        Plain() < Plain()
    except TypeError as error:
        out.append(str(error))
    return out


def equality_and_inequality():
    class E:
        def __eq__(self, o):
            return "eq"

    class F(E):
        def __ne__(self, o):
            return "ne"

    return E() == 1, E() != 1, F() != 1, 1 == E(), E().__hash__


def equality_in_containers():
    class E:
        def __init__(self, k):
            self.k = k

        def __eq__(self, o):
            return isinstance(o, E) and self.k == o.k

        def __hash__(self):
            return hash(self.k)

    a, b = E(1), E(1)
    return a in [b], {a: 1}[b], len({a, b}), [a].index(b), [a, b].count(E(1)), (a,) == (b,), {a: 1} == {b: 1}


def format_protocol():
    class F:
        def __format__(self, spec):
            return 5 if spec == "bad" else f"[{spec}]"

    out = [f"{F()}", f"{F():x>10}", format(F(), "s"), "{:{}}".format(F(), "w")]
    try:
        format(F(), "bad")
    except TypeError as error:
        out.append(str(error))
    return out


def number_protocol():
    class N:
        def __index__(self):
            return 3

        def __round__(self, n=None):
            return ("round", n)

        def __divmod__(self, o):
            return "divmod"

        def __pow__(self, o, m=None):
            return ("pow", o, m)

        def __trunc__(self):
            return 9

        def __complex__(self):
            return 1j

    import math

    n = N()
    return (
        [0, 1, 2, 3, 4][n],
        range(10)[:n],
        hex(n),
        round(n),
        round(n, 2),
        divmod(n, 1),
        n**2,
        pow(n, 2, 5),
        math.trunc(n),
        complex(n),
        "ab" * n,
    )


def operator_order_with_subclass():
    log = []

    class A:
        def __add__(self, o):
            log.append("A.add")
            return NotImplemented

        def __radd__(self, o):
            log.append("A.radd")
            return NotImplemented

    class B(A):
        def __radd__(self, o):
            log.append("B.radd")
            return "B"

    return A() + B(), B() + A() if False else None, log


def membership_of_what_is_not_iterable():
    class Wrong:
        def __iter__(self):
            return 3

    class Raising:
        def __init__(self, error):
            self.error = error

        def __iter__(self):
            raise self.error

    out = []
    for container in (Wrong(), Raising(TypeError("mine")), Raising(ValueError("mine")), 5):
        try:
            out.append(2 in container)
        except Exception as error:
            out.append((type(error).__name__, str(error), type(error.__context__).__name__))
    return out


def unpacking_asks_for_the_length():
    log = []

    class Sized:
        def __len__(self):
            log.append("len")

        def __iter__(self):
            log.append("iter")
            return iter([1, 2])

    class Hinted(Sized):
        __len__ = None

        def __length_hint__(self):
            log.append("hint")
            return NotImplemented

    class Wrong:
        def __init__(self, answer):
            self.answer = answer

        def __iter__(self):
            return iter([])

        def __length_hint__(self):
            return self.answer

    del Hinted.__len__

    class Sequence:
        def __len__(self):
            log.append("length of the sequence")
            return 2

        def __getitem__(self, at):
            return (5, 6)[at]

    out = [[*Sized()], (*Sized(), 3), (lambda *a: a)(*Sized()), (lambda *a: a)(0, *Hinted()), {*Sized()}]
    for answer in (-1, "a", 3, True):
        try:
            out.append([*Wrong(answer)])
        except Exception as error:
            out.append((type(error).__name__, str(error)))
    first, *rest = Hinted()
    out += [[*Sequence()], {*Sequence()}, (lambda *a: a)(*Sequence()), [*reversed(Sequence())]]
    return out, log, first, rest
