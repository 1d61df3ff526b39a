# ruff: noqa: E501 -- tables of expressions
"""Random programs with the machinery of Python's library, over arrays: the generator behind ``fuzz/machinery.py``.

Closures with state, default arguments, descriptors, slots, data classes, named tuples, enumerations, ``functools``, ``operator``,
``itertools``, ``contextlib``, ``collections``, generators that end in ``finally``, comprehensions, patterns, arguments with stars, groups of
exceptions, operators with fall-backs to NumPy. Statements are grown on an example, and change the state of the object that is called.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz import grown, machinery_parts

ARRAYS = ("x", "y", "i", "b", "x[0]", "x.T", "x[1:]", "y[::-1]", "y[::2]", "i[:2]", "x[:, 0]", "x * 2", "y + i", "x[:, :1]", "np.abs(x)", "np.arange(n)", "np.zeros(m)", "self.a", "self.d['w']", "self.p.x", "x.ravel()", "x[b]", "f", "f[:2]", "i.astype('i2')", "y.astype('c8')", "self.l[0]")  # fmt: skip
NUMBERS = ("s", "2", "0.5", "n", "m", "k", "x.sum()", "y[0]", "i[0]", "i.max()", "float(s)", "np.float32(2)", "np.int8(3)", "n / 2", "True", "self.c", "len(y)", "np.array(2.0)", "self.z", "b.any()", "f[0]", "1j", "-1", "x.mean()", "self.g")  # fmt: skip
EXPRESSIONS = (
    # functools, operator
    "functools.partial({fn}, {a})({s})", "functools.partial(np.add, {s})({a})", "functools.partial(collect, {s}, only={t})({a}, z={a})", "functools.partial(functools.partial(collect, 1), q={s})(r={a})", "functools.reduce(np.add, [{a}, {s}, {t}])", "functools.reduce(lambda p, q: p * {s} + q, {a}[:3], {t})", "functools.reduce(operator.matmul, [x.T, x])", "functools.reduce(np.maximum, {a}, {s})", "functools.partial({fn}, {s}).args", "functools.partial(sorted, key=operator.neg)([{s}, {t}])", "functools.partial(int, base=2)('101') * {a}",
    "operator.itemgetter(0, -1)({a})", "operator.itemgetter(slice(1, None))({a})", "operator.itemgetter('w', 'v')(self.d)", "operator.attrgetter('shape', 'T.shape')({a})", "operator.attrgetter('p.x')(self)", "operator.methodcaller('sum', axis=0)({a})", "operator.methodcaller('reshape', -1)({a})", "operator.{op}({a}, {s})", "operator.{op}({s}, {a})", "operator.concat([{a}], [{s}])", "operator.contains([1, 2, {k}], {k})", "operator.countOf([{s}, {s}], {s})", "operator.truth({s})", "operator.length_hint({a})", "sorted([Ordered(key=3.0, value={a}), Ordered(key=k)])[0].key", "max([Version(3), Version({k})]).number * {a}",
    "kind({a})", "kind({s})", "kind([{a}, 'q', 2])", "Box({a}).told({s})", "Box({a}).told({c})", "fib({k} + 5) * {a}", "sorted([3, 1, {k}], key=functools.cmp_to_key(lambda p, q: q - p))", "pipe(np.negative, lambda q: q + {s}, {f})({a})", "Box(1).twice({a})", "[g({a}) for g in (np.sum, np.max, operator.itemgetter(0), len)]", "list(map(operator.mul, {a}, {c}))[:3]", "list(map(lambda p, q: p + q, {a}, itertools.repeat({s})))[:3]",
    # itertools
    "list(itertools.accumulate({a}))[-2:]", "list(itertools.accumulate({a}, np.maximum, initial={s}))[:4]", "list(itertools.accumulate([{s}, {t}, 3], operator.mul))", "list(itertools.chain({a}[:2], [{s}], {c}[:1]))", "list(itertools.chain.from_iterable(x))[:5]", "[p * q for p, q in itertools.combinations({a}, 2)][:4]", "list(itertools.combinations_with_replacement([{s}, {t}], 2))", "list(itertools.compress({a}, [1, 0, 1]))", "list(itertools.islice(itertools.count({k}, {k}), 3))", "list(itertools.islice(itertools.count({s}, {t}), 3))", "[p + q for p, q in zip({a}, itertools.cycle([1, {s}]))][:4]",
    "list(itertools.dropwhile(lambda q: np.sum(q) < {s}, {a}))[:2]", "list(itertools.takewhile(lambda q: np.sum(q) < {s}, [{t}, 1, 5]))", "list(itertools.filterfalse(lambda q: q == {k}, range(4)))", "[(key, len(list(group))) for key, group in itertools.groupby([1, 1, {k}, {k}, 3])]", "[(key, sum(group)) for key, group in itertools.groupby(range(6), key=lambda q: q // {k})]", "list(itertools.islice({a}, 1, None, 2))[:3]", "[q - p for p, q in itertools.pairwise({a})][:3]", "[p[0] * p[1] for p in itertools.permutations([{s}, {t}, 2], 2)]", "[p + q for p, q in itertools.product({a}[:2], {c}[:2])]", "list(itertools.product([{s}], repeat=2))", "list(itertools.repeat({a}, 2))",
    "list(itertools.starmap({fn}, [({a}, {s}), ({s}, {t})]))", "[list(q) for q in itertools.tee({a}[:2], 2)]", "list(itertools.zip_longest({a}, [1, 2], fillvalue={s}))[:4]", "list(zip({a}, {c}, strict=True))[:2]", "dict(enumerate({a}[:2], start={k}))", "[*reversed([{a}, {s}])]", "sum(itertools.islice(itertools.cycle([{s}, 1]), 5))", "next(itertools.dropwhile(lambda q: q < {k}, itertools.count()))", "list(filter(None, [{k}, 0, 2]))", "min({a}, key=np.sum)", "sorted({a}[:3].tolist())", "sorted([({s}, 1), ({t}, 2)])[0][1]", "any(q > {s} for q in [1, {t}])", "all(map(np.isfinite, [{s}, {t}]))", "sum(q.sum() for q in {a})", "sum((q for q in [{a}, {c}]), {s})",
    # collections
    "collections.ChainMap({{'q': {a}}}, self.d)['w']", "collections.ChainMap({{'w': {a}}}, self.d)['w']", "dict(collections.ChainMap({{'w': {a}}}, {{'e': {s}}}))", "tally([1, 1, {k}, 2])", "collections.Counter('abca').most_common(1)", "collections.Counter(a={s}, b={t})['a']", "list(collections.deque([{a}, {s}, {t}], maxlen=2))", "collections.OrderedDict(a={a}, b={s})['a']", "Table()[{k}]", "Parts(a={a})['a']", "Parts(a={a})['b']", "collections.namedtuple('Q', 'a b', defaults=({s},))({a})", "Span({s})", "Span({a}, {s}).width", "Span({a}, {c}).scaled({s})", "Span({a}, {s})._asdict()", "Span._make([{a}, {s}])", "Span(lo={a}) == Span(lo={a})[:0]", "[*Span({a}, {s})]",
    # classes
    "Pt({a}, {s}).total", "(Pt({a}) + Pt({s}, {t})).total", "({s} + Pt({a})).log", "sum([Pt({a}), Pt({s})], {t}).x", "Frozen({a}).moved({s}).a", "dataclasses.astuple(Frozen({a}, {s}))", "dataclasses.asdict(Pt({a}, {s}))", "[q.name for q in dataclasses.fields(Pt({a}))]", "Slots({a}).u", "getattr(Slots({a}), 'w', {s})", "hasattr(Slots({a}, {s}), 'w')", "Box({a}).doubled", "Box({a}).summed", "Box({a}, {s}).made", "Box({a}, z={s}).z", "getattr(Box(), 'nope', {s})", "f'{{Box({a}, {s}):x}}'", "Child({a}, bias={s}).last", "Child.of({a}, {s}).data", "Child.options", "Link()({a})", "[t.__name__ for t in Link.__mro__]", "type(Link()({a})).__name__", "isinstance(Adder()({a}), np.ndarray)", "Box.level.slot", "vars(Box({a}))['data']", "Sub((2,))", "{a}.view(Sub).total()",
    "Color.RED.apply({a})", "Color.of({s}).apply({a})", "Color(2).name", "Color['NAVY'] is Color.BLUE", "[q.value for q in Color]", "Level.MID * {a}", "Level(10) > {s}", "max(Level).name", "Perm.R | Perm.W in Perm(3)", "(Perm.R | Perm.X).value * {a}", "{{Color.RED: {a}, Color.BLUE: {s}}}[Color.of({s})]", "Level.LOW + {s}", "{a}[Level.LOW - 1]", "np.zeros(Level.MID)",
    "Wide({a}) + {c}", "{a} + Wide({c})", "{s} + Wide({a})", "{a} @ Wide({s})", "Wide({a}) @ {c}", "{a} < Wide(2)", "{a} == Wide(2)", "({a} * Priority({s})).data", "{a} - Priority({c})", "np.add({a}, Priority({s}))", "np.asarray(Priority({a}))", "{s} * Priority({a})", "x[0, 0] + Wide({a})", "np.float64(2) * Priority({a})",
    # calls
    "collect(*{a}[:2], only={s})", "collect({a}, *[{s}], *({t},), **{{'p': 1}}, q={a})", "collect(*(), **dict(second={s}), first={a})", "collect({a}, **{{'only': {s}, 'z': {t}}})", "arity(*{a}, **self.d)", "arity(*range({k}), {a}, k={s})", "wide(**{{'a': {a}, 'q': {s}}})", "defaulted({a})", "defaulted({s}, [{a}], seen={t})", "(lambda *q, w={s}, **r: (q, w, r))({a}, r={t})", "(lambda q, /, w={a}: q + w)({s})", "[f({s}) for f in [lambda q, w=w: q + w for w in range(2)]]", "[f() for f in [lambda: w for w in range(2)]]", "print({s}, end='') or {a}",
    # comprehensions
    "[w for w in {a} if w.ndim == 0][:2]", "{{w: {s} for w in range({k})}}", "{{j: [w * j for w in {a}[:2]] for j in range(2)}}", "[(p, q) for p in range({k}) for q in {a}[p:2]]", "[w := {s}, w + 1, {a} * w]", "(w := {a}).sum() + w[0]", "[last := q for q in {a}] and last", "[[w for w in q] for q in x[:2]]", "tuple(q for q in ({a}, {s}) if np.ndim(q))", "sorted({{1, {k}, 3}})", "{{*range(2), *[{k}]}} == {{0, 1}}", "{{**self.d, 'w': {s}}}", "self.d | {{'v': {a}}}",
)  # fmt: skip
STATEMENTS = (
    "h = bump({s})\nh[0]({t}); h[0]()\n{m} = h[1](), h[0]({a})", "h = bump({a})\nfor q in (1, {s}): h[0](q)\n{m} = h[1]()", "{m} = self.up({s}), self.seen()", "self.up({a})", "for q in range(2): self.up(q)\n{m} = self.seen()", "@counted\ndef g(q, w={s}): return q + w\ng({a}); {m} = g({t}), g.count, g.__name__", "@traced(self.log)\n@traced(self.log, after=True)\ndef g(q, *, w=1): return q * w\n{m} = g({a}, w={s})", "@stateful\ndef g(q): return q * {s}\ng(1); g(2); {m} = g({a}), g.__name__", "def g(q, into=[]):\n    into.append(q)\n    return into\ng({s}); {m} = g({a})", "{m} = self.note({a}), self.note({s})", "self.note({s})",
    "h = Box({a}.copy(), {s})\nh.last = {t}\n{m} = h.last, h.data", "h = Box({a})\ndel h.last\n{m} = h.data", "h = Box({a})\nh.level = {s}\n{m} = h.level, 'level' in vars(h), '_level' in vars(h)", "h = Box()\ntry: h.level = {a}\nexcept ValueError as e: {m} = str(e)\nelse: {m} = h.level", "h = Box({a})\nh.odd = {s}\n{m} = h.odd, sorted(vars(h))", "h = Box({a})\nh.doubled[...] = {s}\n{m} = h.doubled, h.data", "h = Box({o})\nq = h.summed\nh.data += 1\n{m} = h.summed, q", "h = Box({a})\ntry: del h.level\nexcept KeyError as e: {m} = e.args\nelse: {m} = 1", "h = Child({a}, bias={s})\ntry: h.last = 3\nexcept AttributeError: {m} = 'none'\nelse: {m} = h.last",
    "self.p.x = self.p.x + {s}", "self.p.total = self.p.total + {s}", "self.p.log.append({k})", "self.p = Pt({s}, {t})", "self.p = dataclasses.replace(self.p, y={s})", "self.s.u = self.s.u * {s}", "self.s.u[...] += {s}", "self.s.w = {a}", "self.s.w = {s}", "self.x.level = {s}", "self.x.data = {a}", "self.x.last = {s}", "{m} = self.x.summed, self.x.doubled", "self.t = self.t._replace(lo={s})", "self.t = Span({s}, {a})", "self.n.append({s})", "self.n.append({a})", "self.n.rotate(1)", "self.n.appendleft(self.n.pop())", "self.u[{k}] += 1", "self.u['q'] = {s}", "self.u.update([1, {k}])", "self.o.move_to_end('a')", "self.o['a'] = {s}", "self.o.popitem()", "self.q[{k}].append({s})", "self.q['z'] = {a}", "self.e = Color.of({s})", "self.e = Color.BLUE", "self.r |= Perm.W", "self.r ^= Perm.X", "self.y[{k}]", "self.log.append({k})", "self.log.clear()", "self.l[0] = self.l[0] + {s}", "self.l[0] += {s}", "self.l.append({a})", "self.l.reverse()", "self.d['w'] = self.d['w'] * {s}", "self.d['w'] *= {s}", "self.d[{k}] = {a}", "self.d.pop('v', None)", "self.c += {k}", "self.c = {s}", "self.z = self.z + {s}", "self.z = {s}", "self.z += {k}", "self.z[()] = {s}", "self.a = self.a + {s}", "self.a = {a}", "self.a *= {s}", "self.g = self.g + {s}", "self.g = {s}", "self.f = {f}", "{m} = self.f({a})", "type(self).made = {k}", "self.w = self.a", "self.a, self.w = self.w, self.a", "self.k.data = {a}", "self.k += {s}", "setattr(self, 'v%d' % {k}, {a})", "self.__dict__['h'] = {s}", "del self.w", "self.w = None", "self.it = iter({a})",
    "log = []\nwith managed(log, 'p'), managed(log, 'q', eats=True):\n    {o} += 1\n    if {s} > 0: raise ValueError('in')\n{m} = log", "log = []\nwith ExitStack() as stack:\n    for j in range({k}): stack.enter_context(managed(log, j))\n    stack.callback(log.append, {a})\n    {m} = {a} * {s}\n{m} = {m}, log", "with ExitStack() as stack:\n    stack.callback(self.log.append, 'end')\n    h = stack.pop_all()\nh.close()\n{m} = {a}", "with suppress(ValueError, IndexError):\n    {o}[0] = {s}\n    {a}[99]\n    {o}[1] = 7\n{m} = {o} + 0", "with nullcontext({a}) as h: {m} = h * {s}", "@repeated(self.log)\ndef g(q):\n    if np.ndim(q) > 1: raise IndexError\n    return q\n{m} = g({a}), g({s})", "log = []\nwith managed(log, 1) as h:\n    for q in range(3):\n        if q == {k}: break\n        {o} = {o} + q\n{m} = log, h", "class R:\n    def close(r): self.log.append('closed')\nwith closing(R()): {m} = {a} + {s}",
    "log = []\nh = rolled({a}, log)\n{m} = next(h), h.send({s}), log\nh.close()", "log = []\nh = rolled({a}, log)\nnext(h)\n{m} = h.throw(ValueError('v')), list(h), log", "log = []\n{m} = drained(piped({a}, log)), log", "log = []\nfor q in rolled({a}, log):\n    if np.sum(q) > {s}: break\n    {o} = {o} + 1\n{m} = {o}", "h = (q * {s} for q in {a})\n{m} = next(h), sum(h)", "def g():\n    try:\n        yield {a}\n        return {s}\n    finally: self.log.append('f')\n{m} = drained(g())", "def g(q):\n    while q:\n        q = (yield q) or q - 1\nh = g({k})\nnext(h); h.send(3)\n{m} = list(h)", "it = iter({a})\n{m} = next(it), [*it][:2], next(it, {s})",
    "with np.errstate(all='raise'):\n    try: {m} = {a} / {s}\n    except FloatingPointError as e: {m} = str(e)\n    with np.errstate(divide='ignore', invalid='ignore'): {m} = {m}, 1 / {c}", "with warnings.catch_warnings():\n    warnings.simplefilter('error')\n    with np.errstate(all='warn'):\n        try: {m} = np.log({a})\n        except RuntimeWarning as e: {m} = str(e)", "with np.errstate(divide='raise'):\n    try:\n        with np.errstate(divide='warn'): {m} = {a} / ({c} * 0)\n        {m} = {m}, 1 / ({a} * 0)\n    except FloatingPointError as e: {m} = {o}, str(e)", "h = []\nwith np.errstate(all='call', call=lambda *q: h.append(q)): {m} = {a} / {s}\n{m} = {m}, h", "with managed(self.log, 'e', eats=True), np.errstate(all='raise'):\n    {o} = np.sqrt({a})\n    {o} = {o} * 2", "@np.errstate(over='raise')\ndef g(q): return np.exp(q * 300)\ntry: {m} = g({a})\nexcept FloatingPointError as e: {m} = e.args", "try: {m} = 1 / {s}\nexcept ZeroDivisionError: {m} = 'zero'\nelse: {m} = {m} + 1\nfinally: {o} = {o} * 2",
    "try: raise ExceptionGroup('g', [ValueError({s}), TypeError('t')])\nexcept* ValueError as e: {m} = e.exceptions[0].args\nexcept* TypeError as e: {o} = {o} + 1", "try:\n    try: raise ExceptionGroup('g', [ValueError(1), KeyError({k})])\n    except* ValueError: {o} = {o} - 1\nexcept ExceptionGroup as e: {m} = str(e), e.exceptions[0].args", "try:\n    try: {a}[77]\n    except IndexError as e: raise ValueError('v') from e\nexcept ValueError as e: {m} = type(e.__cause__).__name__, str(e.__cause__)", "try:\n    e = ValueError('v')\n    e.add_note('n')\n    raise e\nexcept ValueError as e: {m} = e.__notes__, {a}", "try: {m} = {a}.reshape(7, -1)\nexcept ValueError as e: {m} = str(e)", "def g():\n    for q in range(3):\n        try:\n            if q == {k}: return {a}\n            continue\n        finally: self.log.append(q)\n{m} = g()",
    "match {v}:\n    case np.ndarray(ndim=2) as h: {m} = 'two', h.sum()\n    case np.ndarray(shape=(p,)): {m} = p\n    case int() | float() as h: {m} = h * 2\n    case _: {m} = type({v}).__name__", "match {{'op': {k}, 'v': {a}, 'z': {s}}}:\n    case {{'op': 1, **rest}}: {m} = rest\n    case {{'op': 2, 'v': h}}: {m} = h * 2\n    case {{'v': h}} if h.ndim > 1: {m} = h\n    case other: {m} = other", "match [{s}, {a}, {t}]:\n    case [1, *_]: {m} = 1\n    case [p, *mid, q]: {m} = q, mid, p", "match Pt({a}, {k}):\n    case Pt(x=h, y=1): {m} = h, 'one'\n    case Pt(x=h, y=0.5 | 2): {m} = h * 2\n    case Pt(): {m} = 0", "match Span({s}, {k}):\n    case (p, 2): {m} = p\n    case Span(lo=p, hi=q): {m} = p, q", "match Color.of({s}):\n    case Color.RED: {m} = {a}\n    case Color.BLUE: {m} = -{a}", "match {s}:\n    case 0: {m} = 'zero'\n    case True: {m} = 'true'\n    case int(p) if p > 2: {m} = p\n    case float(p): {m} = -p\n    case p: {m} = p, {a}", "match {a}.shape:\n    case (): {m} = 'none'\n    case (1, *_): {m} = 'one'\n    case (p,) | (_, p): {m} = p", "match ({k}, 'a'):\n    case (1 | 2 as p, str(q)): {m} = p, q\n    case _: {m} = {a}",
    "{m}, *h = {a}\n{m} = {m}, len(h)", "[*h, {m}] = [{s}, {a}, {t}]\n{m} = {m}, h", "h = {m} = [{a}]\nh += [{s}]\n{m} = {m} is h, {m}", "h = ({a}, [{s}])\nh[1].append({t})\n{m} = h", "h = [0] * 3\nh[1:2] = [{s}, {a}]\n{m} = h", "h = {{}}\nh.setdefault('l', []).append({a}); h.setdefault('l', []).append({s})\n{m} = h", "for j, h['k'] in enumerate({a}[:2]) if (h := {{}}) is not None else (): pass\n{m} = h", "{o} @= np.eye({o}.shape[-1])", "{o} += {a}", "{o}[...] = {a}", "{o} -= Priority({s})", "h = Priority({a})\nh += {s}\n{m} = h.data", "h = {a}\nh += Wide({s})\n{m} = h", "h = {o}\nh *= {s}\n{m} = h is {o}, {o}", "h = {s}\nh += {a}\n{m} = h", "G = {s}\n{m} = G", "class C:\n    q = {a}\n    r = [q, {s}]\n    def get(me): return me.q, C.r\n{m} = C().get()", "class C(Box):\n    def __init__(me): super().__init__({a}); me.n = __class__.__name__\n{m} = C().n, C().data", "def g(q):\n    nonlocal_ = [q]\n    def inner():\n        nonlocal q\n        q = q + {s}\n        nonlocal_.append(q)\n        return q\n    inner(); inner()\n    return q, nonlocal_\n{m} = g({a})", "def g(): return (yield) if {k} > 5 else {a}\n{m} = drained(g())", "if (h := {a}.sum()) > {s}: {m} = h\nelif (h := {s}) is None: {m} = 0\nelse: {m} = h, {a}", "h = {a}\nwhile h.ndim: h = h.sum(axis=0)\n{m} = h", "assert {a}.ndim > 0, 'none'\n{m} = __debug__", "del {o}\n{m} = {a}",
)  # fmt: skip
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "eq", "ne", "and_", "or_", "xor", "iadd", "imul", "is_", "is_not", "matmul", "rshift")  # fmt: skip
FUNCTIONS = (
    "np.sum",
    "np.sort",
    "np.abs",
    "lambda q: q * 2",
    "functools.partial(np.add, 1)",
    "Adder()",
    "operator.neg",
    "pipe(np.cos, np.sin)",
)

_NAMES = "a, c, d, e, f, g, k, l, n, o, p, q, r, s, t, u, w, x, z, log".split(", ")
_CLASS = """
G = 1
class Program:
    made = 0
    def __init__(self):
        self.a, self.w, self.z, self.g, self.c = np.arange(3.0), np.ones(3), np.zeros(()), np.float64(0.5), 1
        self.d, self.l, self.log = {'w': np.ones(2), 'v': 2}, [np.zeros(3), 1], []
        self.p, self.s, self.x, self.t = Pt(np.ones(3), 0.5), Slots(np.zeros(2), 1), Box(np.arange(2.0), z=3), Span(np.zeros(2), 2)
        self.n, self.u, self.o, self.q = collections.deque([1, np.ones(2)], maxlen=3), collections.Counter(), collections.OrderedDict(a=1, b=2.5), collections.defaultdict(list)
        self.e, self.r, self.y, self.k, self.f = Color.RED, Perm.R, Table(), Priority(np.ones(2)), np.sum
        self.up, self.seen = bump(0)
    def note(self, value, into=[]):
        into.append(value)
        return len(into)
    def __call__(self, x, y, i, b, f, s, k):
        global G
        n, m = x.shape
"""


def library() -> dict[str, Any]:
    return {name: getattr(machinery_parts, name) for name in machinery_parts.__all__}


class Writer(grown.Writer):
    """Grows a class whose call takes a matrix, vectors of floats, integers, truths and halves, and two numbers."""

    sizes = ((4, 3), (1, 1), (2, 3), (5, 2), (7, 4), (3, 3), (0, 3), (3, 0), (30, 11))

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.statements = STATEMENTS if seed % 3 == 0 else tuple(row for row in STATEMENTS if "self." not in row)
        names = library()
        exec(_CLASS + "        pass", names)
        given = dict(zip("xyibfsk", self.arguments(*self.sizes[0]), strict=True))
        super().__init__({**names, "self": names["Program"](), "n": 4, "m": 3, **given}, [])
        self.grow_all(self.draw.randrange(2, 9))
        body = "".join(f"        {line}\n" for each in self.lines for line in each.split("\n"))
        result = "".join(f"{name}, " for name in self.names[-6:])
        self.source = f"{_CLASS}{body}        return {result}\n"

    def arguments(self, rows: int, columns: int, salt: int = 0) -> tuple[Any, ...]:
        rng = np.random.default_rng([rows, columns, salt])
        x, y = rng.normal(size=(rows, columns)).round(2), rng.normal(size=rows).round(2)
        i, b, f = rng.integers(-2, 5, rows), rng.random(rows) < 0.5, rng.normal(size=rows).astype("f4")
        if salt == 1:
            x[::2], y[:1] = np.nan, np.inf
        elif salt == 2:
            x[...], y[...] = 0.0, 0.0
        elif salt == 3:
            b[:], i[:] = False, 0
        return x, y, i, b, f, np.float64(rng.normal()).round(1), 2

    def dims(self) -> Any:
        return (2, 1, 1, 1, 1, None, None)

    def grow(self) -> None:
        draw = self.draw
        statement = draw.random() < 0.6
        row = draw.choice(self.statements if statement else EXPRESSIONS)
        name = self.fresh_name() if not statement or "{m}" in row else None
        holes = {
            "a": self._array, "c": self._array, "s": lambda: f"({draw.choice(NUMBERS)})", "t": lambda: f"({draw.choice(NUMBERS)})",
            "k": lambda: draw.choice("123k"), "o": lambda: draw.choice([*self._own(), "x", "y", "self.a"][-4:]), "m": lambda: name,
            "v": lambda: self._array() if draw.random() < 0.5 else f"({draw.choice(NUMBERS)})", "op": lambda: draw.choice(OPERATORS),
            "fn": lambda: draw.choice(("np.add", "np.hypot", "operator.mul", "lambda p, q: p - q", "divmod", "np.maximum")),
            "f": lambda: f"({draw.choice(FUNCTIONS)})",
        }  # fmt: skip
        for hole, choose in holes.items():
            chosen = choose() if "{%s}" % hole in row else ""
            row = row.replace("{%s}" % hole, str(chosen) if hole != "fn" else f"({chosen})" if "lambda" in str(chosen) else str(chosen))
        row = row.replace("{{", "{").replace("}}", "}")
        self.attempt(row if statement else f"{name} = {row}", name)

    def attempt(self, text: str, name: str | None) -> None:
        """Adds statements that run on the example; a few that do not are added within a handler."""
        try:
            exec(text, self.values)
            if np.size(self.values.get(name or "", 0)) > 2000:
                raise ValueError("too large")
        except Exception:
            if name is None or self.draw.random() > 0.05:
                return
            inside = "".join(f"\n    {line}" for line in text.split("\n"))
            text, self.values[name] = f"try:{inside}\nexcept Exception as e: {name} = type(e).__name__, str(e)", "raises"
        self.lines.append(text)
        if name in self.values:
            self.names.append(str(name))

    def _own(self) -> list[str]:
        return [name for name in self.names if isinstance(self.values.get(name), np.ndarray)]

    def _array(self) -> str:
        own = self._own()
        return f"({self.draw.choice(own[-4:] if own and self.draw.random() < 0.4 else ARRAYS)})"
