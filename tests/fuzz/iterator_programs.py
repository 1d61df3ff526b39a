# ruff: noqa: E501 -- tables of expressions
"""Random programs that go on with iterators of NumPy and of Python, step by step: what each step gives, and where the iterator is then.
What a `TypeError` says of an iterator of Python is not compared: it names the class of C."""

from __future__ import annotations

import random

_MADE = (
    "x.flat", "x.flat", "x.T.flat", "x[::-1].flat", "y.flat", "x[:0].flat", "(x * 2).flat", "x[0].flat", "np.array(2.0).flat", "np.ndenumerate(x)", "np.ndenumerate(y)", "np.ndindex(*x.shape)", "np.ndindex(2, 2)", "np.ndindex(())", "np.ndindex(2, 0)", "np.broadcast(x, y)", "np.broadcast(y, 1)", "np.broadcast(x[:, None], y)", "np.broadcast(x)",
    "np.nditer(x)", "np.nditer([x, y])", "np.nditer(x, flags=['multi_index'])", "np.nditer(x, flags=['c_index'])", "np.nditer(x, op_flags=['readwrite'])", "np.nditer(y, flags=['external_loop'])", "np.nditer(x.T, order='C')",
    "iter(x)", "iter(y)", "iter(x.T)", "iter(y.tolist())", "iter([y, 1, x])", "iter((1, y))", "reversed([1, y, x])", "enumerate(y)", "enumerate(x, 3)", "zip(x, y)", "zip(y, y, strict=True)", "zip(x, range(9), strict=True)", "map(np.sum, x)", "map(np.add, x, y)", "filter(None, [0, 1, 2])", "filter(np.size, [x, y[:0]])", "iter(range(5))", "reversed(range(4))", "(v * 2 for v in y)", "(v for v in x if v.ndim)",
    "iter({'a': y, 'b': 2})", "iter({'a': y, 'b': 2}.items())", "iter({'a': y, 'b': 2}.values())", "reversed({'a': y, 'b': 2}.items())", "itertools.count(2, 3)", "itertools.count(y[0])", "itertools.cycle([1, y])", "itertools.cycle(y)", "itertools.repeat(y, 2)", "itertools.chain(x, y)", "itertools.chain.from_iterable(x)", "itertools.islice(y, 1, None)", "itertools.islice(x, 2)", "itertools.accumulate(y)", "itertools.accumulate(x, np.maximum)", "itertools.pairwise(y)", "itertools.zip_longest(y, [1])", "itertools.product(y, [1, 2])", "itertools.combinations(y, 2)", "itertools.takewhile(np.size, [x, y])", "itertools.groupby([1, 1, 2])", "itertools.starmap(np.add, [(x, y), (y, 1)])", "itertools.tee(y)[1]", "iter('abc')", "iter(collections.deque([y, 2]))", "iter(y.view('i8'))", "iter(lambda: y, None)", "iter(np.zeros((0, 2)))", "iter(x > 0)",
)  # fmt: skip
_STEPS = (
    "next(it)", "next(it)", "next(it)", "next(it, 'end')", "next(it, y)", "it.__next__()", "[v for v, _ in zip(it, range(2))]", "[v for _, v in zip(range(2), it)]", "list(itertools.islice(it, 2))", "list(itertools.islice(it, 1, 3))", "iter(it) is it", "it is iter(it)", "type(it).__name__", "len(it)", "operator.length_hint(it)", "[*itertools.islice(it, 1)]", "first(it)", "until(it, 2)", "skip(it)", "copy.copy(it) is it", "bool(it)", "it == it", "hasattr(it, '__len__')", "next(iter(it))", "itertools.tee(it)[0] is it",
    "it.index", "it.coords", "it.base is x", "it.base", "it.copy()", "np.asarray(it)", "np.sum(it)", "it[0]", "it[-1]", "it[1:3]", "it[[0, 1]]", "it[it > 0]", "it[True]", "it[k]", "it[99]", "it[()]", "it[...]", "put(it, 0, 5)", "put(it, slice(0, 2), y[0])", "put(it, [1], 2)", "put(it, True, 7)", "put(it, k, 3)", "it > 0", "it.index", "np.add(it, 1)", "np.stack(it)", "np.concatenate([it, it])", "np.unique(it)", "it.__array__()",
    "it.reset()", "it.reset()", "it.iters", "[v.index for v in it.iters]", "it.nd", "it.ndim", "it.numiter", "it.shape", "it.size", "it.value", "it.multi_index", "it.iterindex", "it.finished", "it.iternext()", "it.operands", "it[0][...]", "it.itersize", "it.has_index", "it.nop", "it.iterrange", "put(it, 0, y)", "it.remove_axis(0)", "it.close()", "it.copy().iterindex", "it.send(None)", "it.throw(KeyError(1))", "it.gi_running", "it.iter.index", "it.__length_hint__()", "it.__reduce__()[1:]",
)  # fmt: skip
_ENDS = (
    "list(itertools.islice(it, 9))",
    "[v for v in itertools.islice(it, 9)]",
    "getattr(it, 'index', 0)",
    "sum(1 for _ in itertools.islice(it, 9))",
    "tuple(itertools.islice(it, 9))[-1:]",
    "getattr(it, 'coords', 0)",
)
_HELPERS = """
def first(it):
    for v in it: return v

def until(it, k):
    for j, v in enumerate(it):
        if j == k: break
    else: return 'all'
    return v

def skip(it):
    for v in it:
        if np.sum(v) > 0: break

def told(error):
    return type(error).__name__, str(error) if not isinstance(error, (TypeError, AttributeError)) else ''

def put(it, place, value):
    it[place] = value
"""


class Writer:
    """Writes one program of two arrays, ``f(x, y)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def _step(self, text: str) -> list[str]:
        lines = [f"try: log.append({text})", "except Exception as error: log.append(told(error))"]
        if self.random.random() < 0.15:
            condition = self.random.choice(("x[0, 0] > 0", "len(x) > 2", "y[0] > x[0, 0]", "k > 1"))
            return [f"if {condition}:", *["    " + line for line in lines]]
        return lines

    def program(self) -> str:
        choose = self.random.choice
        body = [f"log, k, it = [], {choose(('1', '2', 'len(x)', 'int(y[0])'))}, {choose(_MADE)}"]
        for _ in range(self.random.randint(1, 5)):
            body += self._step(choose(_STEPS))
            if self.random.random() < 0.2:
                body.append(choose(("x[0] = 9", "y[...] = 2", "x = x + 1", "y += 1", "x[-1] -= 1")))
        body += self._step(choose(_ENDS))
        return "\n".join([_HELPERS, "def f(x, y):", *["    " + line for line in [*body, "return log, x, y"]]])
