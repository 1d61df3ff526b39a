"""What ``cond``, ``while_loop``, ``scan`` and ``map`` refuse: values that do not fit, and effects."""

import io
import random

import numpy as np
import pytest

from npexport import ExportError, check, cond, export, map, nn, scan, while_loop

A = np.arange(6.0).reshape(2, 3)
REFUSED = []
COUNTS = [0]
GLOBAL = np.zeros(3)


def name_of(row):
    return getattr(row[0], "__name__", type(row[0]).__name__)


def refused(code):
    def register(f):
        REFUSED.append((f, code))
        return f

    return register


@refused("E127")
def dtype(x):
    return cond(x.sum() > 0, lambda: x, lambda: x.astype("f4"))


@refused("E127")
def shape(x):
    return cond(x.sum() > 0, lambda: x, lambda: x[:1])


@refused("E127")
def structure(x):
    return cond(x.sum() > 0, lambda: (x, 1), lambda: [x, 1])


@refused("E127")
def kinds(x):
    return cond(x.sum() > 0, lambda: 1, lambda: 1.0)


@refused("E127")
def scalar(x):
    return cond(x.sum() > 0, lambda: x.sum(), lambda: np.zeros(()))


@refused("E127")
def text(x):
    return cond(x.sum() > 0, lambda: "a", lambda: "b")


@refused("E127")
def promote(x):
    return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + 1.5), (0, np.ones(2, "i8")))


@refused("E127")
def grows(x):
    return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, np.concatenate([y, y])), (0, np.ones(2)))


@refused("E127")
def widens(x):
    return while_loop(lambda i: i < 3, lambda i: i + 0.5, (0,))


@refused("E127")
def nopair(x):
    return scan(lambda c, r: c + r, np.zeros(3), x)


@refused("E127")
def scancarry(x):
    return scan(lambda c, r: (c.astype("f4"), r), np.zeros(3), x)


@refused("E128")
def listeff(x):
    l = []
    cond(x.sum() > 0, lambda: l.append(1), lambda: None)
    return x, len(l)


@refused("E128")
def listeff2(x):
    l = [1]
    cond(x.sum() > 0, lambda: l.__setitem__(0, 2), lambda: None)
    return x * l[0]


@refused("E128")
def nonl(x):
    k = 0

    def t():
        nonlocal k
        k = 1

    cond(x.sum() > 0, t, lambda: None)
    return x + k


@refused("E128")
def glob(x):
    def t():
        COUNTS[0] = 1

    cond(x.sum() > 0, t, lambda: None)
    return x


@refused("E128")
def globname(x):
    def t():
        global NEW
        NEW = 1

    cond(x.sum() > 0, t, lambda: None)
    return x


@refused("E128")
def arr(x):
    def t():
        x[0] = 1

    cond(x.sum() > 0, t, lambda: None)
    return x


@refused("E128")
def arr2(x):
    b = np.zeros(3)

    def t():
        b[0] = 1

    cond(x.sum() > 0, t, lambda: None)
    return x + b


@refused("E128")
def arr3(x):
    b = np.zeros(3)

    def t():
        b[0] = x[0, 0]

    cond(x.sum() > 0, t, lambda: None)
    return x + b


@refused("E128")
def arr4(x):
    b = x * 2

    def t():
        np.add(b, 1, out=b)

    cond(x.sum() > 0, t, lambda: None)
    return x + b


@refused("E128")
def garr(x):
    def t():
        GLOBAL[0] = 1

    cond(x.sum() > 0, t, lambda: None)
    return x


@refused("E128")
def prints(x):
    cond(x.sum() > 0, lambda: print("hi"), lambda: None)
    return x


@refused("E128")
def it(x):
    i = iter([1, 2, 3])
    cond(x.sum() > 0, lambda: x * next(i), lambda: x)
    return x * next(i)


@refused("E128")
def it2(x):
    i = zip([1, 2, 3], [1, 2, 3])
    cond(x.sum() > 0, lambda: x * next(i)[0], lambda: x)
    return x * next(i)[0]


@refused("E128")
def it3(x):
    i = zip(iter([1, 2, 3]), [1, 2, 3])
    cond(x.sum() > 0, lambda: x * next(i)[0], lambda: x)
    return x * next(i)[0]


@refused("E128")
def gen(x):
    i = (k for k in [1, 2, 3])
    cond(x.sum() > 0, lambda: x * next(i), lambda: x)
    return x * next(i)


@refused("E128")
def rng(x):
    g = np.random.default_rng(0)
    return while_loop(lambda y: g.normal() < 1, lambda y: y + g.normal(), (x,))


@refused("E128")
def raises(x):
    def t():
        raise ValueError("no")

    return cond(x.sum() > 0, t, lambda: x)


@refused("E128")
def attr(x):
    class Thing:
        pass

    o = Thing()
    o.k = 1

    def t():
        o.k = 2

    cond(x.sum() > 0, t, lambda: None)
    return x * o.k


@refused("E128")
def attrnew(x):
    class Thing:
        pass

    o = Thing()

    def t():
        o.k = 2

    cond(x.sum() > 0, t, lambda: None)
    return x * hasattr(o, "k")


@refused("E128")
def fattr(x):
    def h():
        pass

    def t():
        h.k = 2

    cond(x.sum() > 0, t, lambda: None)
    return x * hasattr(h, "k")


@refused("E128")
def cattr(x):
    class Thing:
        pass

    def t():
        Thing.k = 2

    cond(x.sum() > 0, t, lambda: None)
    return x * hasattr(Thing, "k")


@refused("E128")
def setst(x):
    s = {1}

    def t():
        s.add(2)

    cond(x.sum() > 0, t, lambda: None)
    return x * len(s)


@refused("E128")
def bytarr(x):
    s = bytearray(b"a")

    def t():
        s.append(3)

    cond(x.sum() > 0, t, lambda: None)
    return x * len(s)


@refused("E128")
def setflags(x):
    b = x * 2

    def t():
        b.setflags(write=False)

    cond(x.sum() > 0, t, lambda: None)
    b[0] = 1
    return b


@refused("E128")
def reshapeinplace(x):
    b = x * 2

    def t():
        b.shape = (6,)

    cond(x.sum() > 0, t, lambda: None)
    return b


class Writing(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", np.zeros(()))
        self.c = 0

    def forward(self, x):
        def t():
            self.n += 1
            return x

        return cond(x.sum() > 0, t, lambda: x)


REFUSED.append((Writing(), "E128"))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = 0

    def forward(self, x):
        def t():
            self.c += 1
            return x

        return cond(x.sum() > 0, t, lambda: x)


REFUSED.append((Counting(), "E128"))


class Holder:
    pass


HOLDER = Holder()
HOLDER.z = 3


@refused("E128")
def hobj(x):
    def t():
        HOLDER.z = 4

    cond(x.sum() > 0, t, lambda: None)
    return x


@refused("E128")
def errst(x):
    cond(x.sum() > 0, lambda: len(np.seterr(divide="ignore")), lambda: 4)
    return x / 0


@refused("E128")
def wfilter(x):
    import warnings

    cond(x.sum() > 0, lambda: warnings.simplefilter("error"), lambda: None)
    return x / 0


@refused("E126")
def handler(x):
    try:
        return cond(x.sum() > 0, lambda: np.linalg.inv(x[:, :2]), lambda: x[:, :2])
    except np.linalg.LinAlgError:
        return x[:, 1:]


@refused("E103")
def chk(x):
    n = int(x[0, 0])
    cond(x.sum() > 0, lambda: check(n > 3), lambda: None)
    return np.zeros(3)


@refused("E128")
def text_in_memory(x):
    text = io.StringIO()
    cond(x.sum() > 0, lambda: len(str(text.write("a"))), lambda: 1)
    return x * len(text.getvalue())


@refused("E128")
def python_generator(x):
    source = random.Random(0)
    cond(x.sum() > 0, lambda: source.random(), lambda: 1.0)
    return x * source.random()


class Source(random.Random):
    pass


@refused("E103")
def generator_of_a_class_of_its_own(x):
    source = Source(0)
    if x.sum() > 0:
        source.random()
    return x * source.random()


@pytest.mark.parametrize("row", REFUSED, ids=name_of)
def test_refusals(row):
    with pytest.raises(ExportError) as caught:
        export(row[0], (A,))
    assert caught.value.code == row[1]
    assert caught.value.location is not None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: while_loop(lambda i: i < 3, lambda i: i + 0.5, (0,)), "carry"),
        (lambda: while_loop(lambda x: x.sum() < 3, lambda x: np.concatenate([x, x]), (np.ones(2),)), "carry"),
        (lambda: scan(lambda c, x: (c + 0.5, x), 0, A), "carry"),
        (lambda: scan(lambda c, x: c, np.zeros(3), A), "pair"),
        (lambda: scan(lambda c, x: (c, "text"), 0, A), "`y` is 'text', which cannot be stacked"),
        (lambda: map(lambda x: {"a": x, "b": None}, A), r"`y\['b'\]` is None, which cannot be stacked"),
        (lambda: map(lambda x: [], A[:0].astype(object)), "are not arrays"),
        (lambda: map(lambda x: 10**30, A), "which cannot be stacked"),
        (lambda: scan(lambda c, x: (c, {1, 2}), 0, A[:0]), "which cannot be stacked"),
    ],
)
def test_eager_calls_refuse_what_does_not_fit(call, text):
    with pytest.raises(ExportError, match=text) as caught:
        call()
    assert caught.value.code == ("E201" if text == "are not arrays" else "E127")


@pytest.mark.parametrize(
    "made",
    [lambda r: f"{r[0]}", lambda r: r.tobytes(), lambda r: {"a": (str(r[0]), r)}, lambda r: complex(r[0], 1)],
    ids=["text", "bytes", "within", "complex"],
)
def test_texts_of_data_are_not_stacked(made):
    for program in (lambda x: map(made, x), lambda x: scan(lambda c, r: (c + 1, made(r)), 0, x)):
        with pytest.raises(ExportError, match="which cannot be stacked") as caught:
            export(program, (A,))
        assert caught.value.code == "E127"


@pytest.mark.parametrize("made", [lambda row: f"{row[0]}", lambda row: row.tobytes()])
def test_texts_of_data_are_carried_as_they_are(made):
    """Eager control flow compares them: a carry that changes is refused there, too."""

    def kept(x):
        return while_loop(lambda i, text: i < 2, lambda i, text: (i + 1, text), (0, made(x[0])))

    def changed(x):
        return scan(lambda carry, row: (made(row), row), made(x[0]), x)

    assert export(kept, (A,)).module()(A) == kept(A)
    for run in (changed, lambda x: export(changed, (x,)).module()(x)):
        with pytest.raises(ExportError) as caught:
            run(A)
        assert caught.value.code == "E127"


def test_sets_of_constants_are_carried():
    def program(x):
        return while_loop(lambda i, names: i < 2, lambda i, names: (i + 1, names), (x[0, 0], {"a", 1}))

    assert export(program, (A,)).module()(A) == program(A) == (2.0, {"a", 1})


@pytest.mark.parametrize("program", [lambda x, t: cond(t, lambda: x, lambda: x), lambda x, t: check(t)])
def test_texts_are_no_truths(program):
    for call in (program, lambda *args: export(program, args)):
        with pytest.raises(ExportError, match="is an ndarray, not a truth") as caught:
            call(A, np.array(["a"]))
        assert caught.value.code == "E201"
