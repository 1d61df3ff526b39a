"""Arrays: ``x``, ``y``, ``v0`` are f64[4], ``z``, ``k0`` i64[4], ``m``, ``m0`` f32[2, 3]; errors of array operations, arrays in objects."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.python_programs.expressions import COMPARISONS, Expressions, indented

FAILING = [
    "x + np.ones(3)", "np.concatenate([x, m0])", "x.reshape(3)", "x[7]", "x[0, 0]", "m0 @ m0", "m0 @ x", "x.sum(axis=3)", "np.stack([x, m0])", "x.nothing", "np.squeeze(m0, axis=0)",
    "bool(x)", "not m0", "k0.__iadd__(1.5)", "x['a']", "m0[:, :, 0]", "np.zeros(-1)", "x.astype('nope')", "np.transpose(m0, (0, 0))", "x @ np.float64(2)", "np.add(x)", "x.reshape(2, 3)",
    "np.broadcast_to(x, (3, 3))", "m0.swapaxes(0, 2)", "np.arange(4).reshape(2, -1, -1)", "len(np.float64(2))", "x[np.array([9])]", "x[[True, False]]", "x % 'a'", "x + None", "np.where(x > 0)", "x.mean(axis=(0, 0))",
    "np.split(x, 3)", "x.shape + 1", "x < 'a'", "np.linalg.inv(m0)", "np.cross(x, x)", "np.einsum('ij,jk', m0, m0)", "x ** [1, 2]", "~x", "x << 1", "k0[1.5]", "x[np.newaxis, 5]", "{x: 1}", "x.strides + 1",
    "x.nonsense()", "np.nonsense(x)", "dict([x])", "(lambda q: q)(x, y)", "float(m0)", "operator.index(x)", "range(x)", "[1, 2][x]", "'%d' % x", "np.concatenate([])", "np.max(x[:0])",
]  # fmt: skip


class Arrays(Expressions):
    SIMPLE = ("array_assign", "array_write", "integers_write", "matrix_write", "array_log", "array_error", "array_assign", "array_log")
    COMPOUND = ("array_function", "array_generator", "array_class", "array_containers", "array_branch", "array_try", "array_coroutine")

    def vector(self, depth: int = 0) -> str:
        """An expression for a float64 array of shape (4,)."""
        choices: list[str | Callable[[], str]] = ["x", "y", "v0", "v0", "WEIGHTS"]
        pick = self.pick
        if depth < 2:
            sub = lambda: self.vector(depth + 1)
            choices += [
                lambda: f"({sub()} {pick(['+', '-', '*'])} {sub()})",
                lambda: f"({sub()} * ({self.int_(2)} % 7))",
                lambda: f"np.{pick(['sin', 'cos', 'tanh', 'abs', 'negative', 'floor', 'square'])}({sub()})",
                lambda: f"{sub()}[::-1]",
                lambda: f"np.where({sub()} {pick(COMPARISONS)} {sub()}, {sub()}, {sub()})",
                lambda: f"np.concatenate([{sub()}[2:], {sub()}[:2]])",
                lambda: f"np.stack([{sub()}, {sub()}]).{pick(['sum', 'mean', 'max'])}(axis=0)",
                lambda: f"({sub()} + {sub()}.{pick(['sum', 'mean', 'max', 'argmax', 'std'])}())",
                lambda: f"np.outer({sub()}, {sub()})[{self.int_(2)} % 4]",
                lambda: f"{sub()}.reshape(2, 2).T.ravel()",
                lambda: f"sum(({sub()} * q for q in range(3)), np.zeros(4))",
                lambda: f"np.array([q * {pick(['1.0', '0.5', 'i0'])} for q in {sub()}])",
                lambda: f"({sub()} + {self.integers(depth + 1)})",
                lambda: f"{sub()}[{self.integers(depth + 1)} % 4]",
                lambda: f"({self.integers(depth + 1)} / 2)",
                lambda: f"({self.matrix(depth + 1)}.sum() + {sub()})",
                lambda: f"functools.reduce(np.add, [{sub()}, {sub()}, {sub()}])",
                lambda: f"(({sub()}) @ np.eye(4))",
                lambda: f"np.clip({sub()}, -1, {self.int_(2)})",
                lambda: f"np.add.accumulate({sub()})",
                lambda: f"np.roll({sub()}, {self.int_(2)})",
                lambda: f"({sub()} if {self.cond(2)} else {sub()})",
                lambda: f"np.fromiter((q for q in range(4)), float) + {sub()}",
                lambda: f"np.apply_along_axis(lambda row: row[::-1], 0, {sub()})",
                lambda: f"np.sort({sub()})",
                lambda: f"(TABLE['w'] * {sub()})",
            ]
        return pick(choices)

    def integers(self, depth: int = 0) -> str:
        """An expression for an int64 array of shape (4,)."""
        choices: list[str | Callable[[], str]] = ["z", "k0", "k0"]
        if depth < 2:
            sub = lambda: self.integers(depth + 1)
            choices += [
                lambda: f"({sub()} {self.pick(['+', '-', '*', '&', '|'])} {sub()}) % 1009",
                lambda: f"({sub()} {self.pick(['//', '%'])} {self.pick(['3', '2', '-4'])})",
                lambda: f"({self.vector(depth + 1)} > 0) * {sub()}",
                lambda: f"np.argsort({self.vector(depth + 1)}, kind='stable')",
                lambda: f"{sub()}.cumsum()",
                lambda: f"np.arange(4) + {sub()}",
                lambda: f"np.array([q + {self.int_(2)} for q in {sub()}])",
                lambda: f"np.array(({self.list_()} + [1, 2, 3, 4])[:4]) + {sub()}",
                lambda: f"({sub()} + {self.int_(2)} % 5)",
                lambda: f"np.full(4, {self.int_(2)}) - {sub()}",
            ]
        return f"({self.pick(choices)})"

    def matrix(self, depth: int = 0) -> str:
        """An expression for a float32 array of shape (2, 3)."""
        choices: list[str | Callable[[], str]] = ["m", "m0", "m0"]
        if depth < 2:
            sub = lambda: self.matrix(depth + 1)
            choices += [
                lambda: f"({sub()} {self.pick(['+', '-', '*'])} {sub()})",
                lambda: f"({sub()} * {self.pick(['2', '0.5', 'i0 % 3', 'True'])})",
                lambda: f"({sub()} + {sub()}[:1])",
                lambda: f"({sub()} - {sub()}.mean(axis=1, keepdims=True))",
                lambda: f"{sub()}.T.copy().T.copy()",
                lambda: f"({sub()} @ {sub()}.T @ {sub()})",
                lambda: f"np.vstack([{sub()}[1], {sub()}[0]])",
                lambda: f"np.stack([row * q for q, row in enumerate({sub()})])",
                lambda: f"({sub()} + {self.vector(depth + 1)}[:3]).astype(np.float32)",
                lambda: f"{sub()}[::-1, ::-1]",
                lambda: f"np.maximum({sub()}, 0)",
            ]
        return f"({self.pick(choices)})"

    def any_(self) -> str:
        """An expression for an array of any shape and dtype, or for what is known of one."""
        v, k, m, pick = self.vector, self.integers, self.matrix, self.pick
        return pick(
            [
                v, k, m,
                lambda: f"({v()} {pick(COMPARISONS)} {v()})",
                lambda: f"({v()} > 0) & ({k()} > 1)",
                lambda: f"{v()}[:, None] * {k(1)}",
                lambda: f"({v()} + 1j * {v(1)}).conj()",
                lambda: f"{m()}.{pick(['sum', 'mean', 'argmin', 'prod', 'all', 'any', 'var'])}({pick(['', 'axis=0', 'axis=-1'])})",
                lambda: f"{k()}.astype(np.{pick(['int8', 'uint8', 'float16', 'bool_', 'complex64', 'int32'])})",
                lambda: f"({k()} / {v()}, {k()} ** 2, -{m()})",
                lambda: f"np.divmod({k()}, 3)",
                lambda: f"({v()}[{self.int_(2)} % 4], {m()}[-1, 1], {k()}[0])",
                lambda: f"({v()}[0] + {self.int_(2)}, {k()}[1] // 2, {v()}[1] * {m()}[0, 0])",
                lambda: f"dict(zip('abc', {v()}))",
                lambda: f"[row.sum() for row in {m()}]",
                lambda: f"list(zip({v()}, {self.list_()}))",
                lambda: f"({v()}).shape + {m()}.shape",
                lambda: f"(str({v()}.dtype), {m()}.ndim, {k()}.size, {k()}.itemsize, len({v()}))",
                lambda: f"np.result_type({v()}, {k()}).name",
                lambda: f"np.broadcast_shapes(({v()}).shape, (3, 1))",
                lambda: f"[*map(np.sum, {m()})]",
                lambda: f"sorted([{v()}, {m()}], key=lambda q: -q.ndim)",
                lambda: f"np.meshgrid({v()}, {k()})[0]",
                lambda: f"max(({v()}).shape[0], {self.int_(2)})",
                lambda: f"kind_of([{v()}, {m()}])",
                lambda: f"np.einsum('i,j->ij', {v()}, {k()})",
                lambda: f"{m()}.tolist() if {self.cond(2)} and False else {m()}.flatten()",
                lambda: f"np.split({v()}, 2)",
                lambda: f"np.pad({v()}, 1)",
                lambda: f"np.where({k()} > 1, {v()}, {self.int_(2)})",
                lambda: f"copy.deepcopy([{v()}, {{'m': {m()}}}])",
                lambda: f"operator.itemgetter(slice(1, 3))({v()})",
                lambda: f"np.atleast_2d({v()}).repeat(2, axis=0)",
                lambda: f"np.float32({self.int_(2)}) * {m()}",
                lambda: f"np.isfinite({v()}).sum() + {self.int_(2)}",
            ]
        )  # fmt: skip

    def array_conditions(self) -> list[Callable[[], str]]:
        return [
            lambda: f"{self.vector(2)}.shape[0] {self.pick(COMPARISONS)} {self.int_(2)}",
            lambda: f"{self.pick([self.vector, self.matrix, self.integers])}.dtype == np.float64",
            lambda: f"{self.matrix(2)}.ndim == 2",
            lambda: "isinstance(v0, np.ndarray)",
            lambda: "v0 is x",
            lambda: f"{self.integers(2)}.dtype.kind in 'iu'",
            lambda: "v0 is not None and len(k0) > 3",
        ]

    def array_strings(self) -> list[Callable[[], str]]:
        return [
            lambda: f"f'{{{self.vector(2)}.shape}} {{m0.dtype}} {{k0.ndim:>3}}'",
            lambda: f"'%s' % ({self.pick([self.vector, self.matrix, self.integers])}.shape,)",
            lambda: "repr(m0.dtype)",
            lambda: "f'{v0.dtype!r}{len(v0)}'",
        ]

    # statements

    def array_assign(self) -> list[str]:
        name, make = self.rng.choice([("v0", self.vector), ("v0", self.vector), ("k0", self.integers), ("m0", self.matrix)])
        return [f"{name} = {make()}"]

    def array_log(self) -> list[str]:
        return [f"log.append({self.any_()})"]

    def array_write(self) -> list[str]:
        a, v = lambda: self.int_(2), self.vector
        return self.pick(
            [
                lambda: ["v0 = v0.copy()", f"v0[{self.rng.randint(0, 3)}] = {v()}[{self.rng.randint(0, 3)}]"],
                lambda: ["v0 = np.array(v0)", f"v0[1:] += {v()}[:-1]"],
                lambda: [f"v0 = v0 + {v()}", "view = v0.reshape(2, 2)", "view[0] *= 2", "view.T[1] -= 1"],
                lambda: ["v0 = v0.copy()", f"v0[{v()} > 0] = {self.pick(['0.5', 'i0 % 5'])}"],
                lambda: ["acc = np.zeros(4)", f"for q, row in enumerate({v()}): acc[q] = row * q", "v0 = acc"],
                lambda: [f"np.add(v0, {v()}, out=(hold := np.empty(4)))", "v0 = hold"],
                lambda: ["v0 = v0 * 1", f"v0[[0, 2]] = v0[[2, 0]] + {a()}"],
                lambda: ["v0 = v0 * 1", f"v0 {self.pick(['+=', '-=', '*='])} {v()}"],
                lambda: ["parts = np.split(v0 * 2, 2)", "parts[0][...] = parts[1]", "v0 = np.concatenate(parts)"],
                lambda: ["v0 = v0.copy()", "left, right = v0[:2], v0[2:]", "left[:], right[:] = right.copy(), left.copy()"],
                lambda: ["v0 = v0.copy()", f"np.add.at(v0, [0, 1, 1], {a()})"],
                lambda: ["v0 = v0.copy()", f"v0.put([1], {a()})", "v0.sort()"],
                lambda: ["before, v0 = v0, v0.copy()", "v0 += 1", "log.append((before, before is v0))"],
            ]
        )

    def integers_write(self) -> list[str]:
        return self.pick(
            [
                lambda: ["k0 = k0.copy()", f"k0 {self.pick(['+=', '-=', '&=', '^='])} {self.integers()}"],
                lambda: ["k0 = k0 % 1009", f"k0[{self.rng.randint(0, 3)}] = {self.int_(2)}"],
                lambda: ["k0 = k0.copy()", *self.risky_array("k0 += x")],
                lambda: ["k0 = k0 * 1", f"k0[k0 > {self.int_(2)}] = 0"],
            ]
        )

    def matrix_write(self) -> list[str]:
        return self.pick(
            [
                lambda: ["m0 = m0.copy()", f"m0[{self.rng.randint(0, 1)}] = {self.vector()}[:3]"],
                lambda: ["m0 = m0.copy()", f"m0[:, 1] {self.pick(['=', '+=', '*='])} {self.int_(2)}"],
                lambda: ["m0 = m0.copy()", "for row in m0: row -= row.mean()"],
                lambda: ["m0 = m0.copy()", "m0.T[0], m0.T[1] = m0[:, 1].copy(), m0[:, 0].copy()"],
                lambda: ["m0 = m0.copy()", f"m0.flat[{self.rng.randint(0, 5)}] = {self.int_(2)}"],
                lambda: ["m0 = m0.copy()", f"m0[...] = {self.matrix()}"],
            ]
        )

    def risky_array(self, line: str) -> list[str]:
        return ["try:", f"    {line}", "except Exception as error:", "    log.append(story(error))"]

    def array_error(self) -> list[str]:
        use = self.rng.choice(FAILING)
        return self.pick(
            [
                lambda: [f"log.append(attempt(lambda: {use}))"],
                lambda: self.risky_array(f"log.append({use})"),
                lambda: ["with contextlib.suppress(ValueError, IndexError, TypeError):", f"    log.append({use})", "    i0 = 3"],
            ]
        )

    def array_branch(self) -> list[str]:
        return [
            f"if {self.pick(self.array_conditions())}:",
            *self.nested(1),
            f"elif np.ones(3).sum() {self.pick(COMPARISONS)} {self.int_(2)}:",
            *self.nested(1),
            "else:",
            *self.nested(1),
        ]

    def array_try(self) -> list[str]:
        return [
            "try:",
            f"    v0 = {self.vector()}",
            *self.nested(1),
            f"    log.append({self.rng.choice(FAILING)})",
            f"except {self.pick(['ValueError', 'Exception', 'Exception', 'Exception'])} as error:",
            "    log.append(story(error))",
            *self.nested(1),
            *self.pick([["    raise Err(2) from error"], [], []]),
            "else:",
            *self.nested(1),
        ]

    def array_function(self) -> list[str]:
        if self.depth >= 2:
            return self.array_log()
        name = self.fresh("af")
        return [
            f"def {name}(a, *rest, w=WEIGHTS, **named):",
            *self.body("def", 2),
            f"    return sum(rest, a * {self.pick(['w', 'v0', '2'])}) + len(named)",
            f"v0 = {name}({self.vector()}, {self.vector(1)}, {self.int_(2)}, extra=k0)",
            f"log.append(attempt(lambda: {name}(w=2)))",
            f"log.append([f(v0) for f in ({name}, np.sin, lambda q: q * {self.int_(2)}, functools.partial(np.add, {self.vector(1)}))])",
        ]

    def array_generator(self) -> list[str]:
        if self.depth >= 2:
            return self.array_log()
        name, it = self.fresh("rows"), self.fresh("it")
        return [
            f"def {name}(a):",
            f"    {self.shared}",
            "    for index, row in enumerate(a):",
            "        got = yield row * index",
            "        if got is not None: v0 = v0 + got",
            f"    return {self.vector()}",
            *self.pick(
                [
                    [f"log.append(list({name}({self.matrix()})))"],
                    [f"{it} = {name}({self.vector()})", f"log.append((next({it}), {it}.send(2.0), {it}.send({self.vector(1)}), drive({it}, 'throw', Sub(1))))"],
                    [f"for i1, row in zip(range(3), {name}({self.matrix()})): m0 = m0 + row"],
                    [f"v0 = np.array(list({name}({self.vector()})))"],
                    [f"log.append(sum({name}({self.vector()})))"],
                ]
            ),
        ]  # fmt: skip

    def array_class(self) -> list[str]:
        if self.depth >= 2:
            return self.array_log()
        name = self.fresh("V")
        uses = [
            "(o + 1).a",
            "(o * o).a",
            "(2 - o).a",
            "(x + o)",
            "(o @ x)",
            "o(y)",
            "len(o)",
            "[q for q in o]",
            "o.norm",
            "o.norm",
            "(o == o)",
            "np.sum(o.a)",
            "abs(o).a",
            "o[1:3]",
            "(o / 2)",
            "o.a is x",
        ]
        return [
            self.rng.choice(["@dataclasses.dataclass(eq=False)", "@dataclasses.dataclass(frozen=True, eq=False)", "@dataclasses.dataclass(repr=False, order=False)"]),
            f"class {name}:",
            "    a: np.ndarray",
            "    bias: float = 0.5",
            "    __array_ufunc__ = None",
            "    def __add__(self, other):",
            *indented(self.body("def", 1)),
            f"        return {name}(self.a + getattr(other, 'a', other))",
            "    __radd__ = __add__",
            f"    def __mul__(self, other): return {name}(self.a * other.a)",
            f"    def __rsub__(self, other): return {name}(other - self.a)",
            "    def __matmul__(self, other): return self.a @ other",
            "    def __call__(self, other): return self.a * other + self.bias",
            "    def __len__(self): return len(self.a)",
            "    def __getitem__(self, at): return self.a[at]",
            f"    def __abs__(self): return {name}(np.abs(self.a))",
            "    def __truediv__(self, other): return NotImplemented",
            "    @property",
            "    def norm(self): return np.sqrt((self.a ** 2).sum())",
            f"o = {name}({self.vector()})",
            *self.risky_array("o.a = o.a * 2"),
            *(f"log.append(bare(attempt(lambda: {use})))" for use in self.rng.sample(uses, 6)),
        ]  # fmt: skip

    def array_containers(self) -> list[str]:
        return self.rng.choice(
            [
                [f"params = {{'w': {self.vector()}, 'b': k0}}", "params['w'] = params['w'] + params.pop('b')", "log.append({key: value * 2 for key, value in params.items()})"],
                [f"stack = [v0, {self.vector()}]", f"stack.append(stack.pop() + {self.int_(2)})", "while stack: log.append(stack.pop())"],
                ["history = collections.deque([x, y], maxlen=2)", f"history.append({self.vector()})", "v0 = sum(history)"],
                [f"log.append(types.SimpleNamespace(a={self.any_()}, b={self.any_()}).__dict__)"],
                [f"heap = [(q % 3, q, row) for q, row in enumerate({self.vector()})]", "heapq.heapify(heap)", "log.append([heapq.heappop(heap)[2] for _ in range(2)])"],
                [f"a, *rest, b = {self.vector()}", "log.append((a + b, len(rest), rest[0]))"],
                [f"match {self.any_()}:", "    case [a, b]: log.append((a, b))", "    case np.ndarray(shape=(4,), ndim=1) as a: log.append(a + 1)", "    case np.ndarray(dtype=found): log.append(str(found))", "    case other: log.append(type(other).__name__)"],
                ["seen = collections.defaultdict(lambda: np.zeros(4))", f"for q in {self.list_()}: seen[q % 2] += q", "log.append(dict(seen))"],
                [f"state = {{'step': 0, 'v': {self.vector()}}}", "for _ in range(3): state |= {'step': state['step'] + 1, 'v': state['v'] * 0.5}", "log.append(state)"],
                [f"log.append(list(itertools.accumulate([x, y, {self.vector()}], lambda p, q: p * 0.5 + q)))"],
                [f"pair = Pair({self.vector()}, right=m0)", "log.append((pair._fields, pair.left, pair._replace(left=1).right))"],
                [f"p = Point({self.vector()}, k0)", "log.append((p.norm(), dataclasses.astuple(p)[:2]))"],
            ]
        )  # fmt: skip

    def array_coroutine(self) -> list[str]:
        if self.depth >= 2:
            return self.array_log()
        name = self.fresh("aco")
        return [
            f"async def {name}(a):",
            *self.body("async", 1),
            f"    b = await Tick(a, {self.rng.randint(0, 2)})",
            "    async with AsyncManaged(log, True):",
            f"        return b * {self.int_(2)}",
            f"seen, got = run({name}({self.vector()}), None, {self.vector(1)})",
            "log.append(seen)",
            "v0 = v0 if got is None or got is not None and isinstance(got, (int, str)) else got + 0.0",
        ]
