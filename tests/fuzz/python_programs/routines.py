"""Functions, closures, decorators, recursion, generators, coroutines and asynchronous generators."""

from __future__ import annotations

from tests.fuzz.python_programs.expressions import Expressions, indented

DECORATORS = [
    "@functools.lru_cache(maxsize=None)",
    "@(lambda fn: functools.wraps(fn)(lambda *args, **kwargs: fn(*args, **kwargs) + 1))",
    "@functools.partial(functools.partial, scale=2)",
    "@managed(log, 6)",
    "@(fn := lambda f: f)",
]


class Routines(Expressions):
    SIMPLE = ("call",)
    COMPOUND = ("def_", "closures", "recursion", "generator", "coroutine", "async_generator", "decorated")

    def call(self) -> list[str]:
        if not self.functions:
            return [f"log.append((lambda p={self.int_(1)}, /, *, q=2: (p, q))(q={self.int_(2)}))"]
        name = self.pick(self.functions)
        value = self.int_(2)
        forms = [
            f"{name}({value}, scale={self.int_(2)})",
            f"{name}(*[{value}, 2, 3], **{{'z': 1}})",
            f"{name}()",
            f"{name}({value}, bad=1, scale=3)",
        ]
        return [f"log.append({self.pick([f'attempt(lambda: {form})' for form in forms] + forms[:1])})"]

    def def_(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name, arg = self.fresh("f"), self.fresh("a")
        out = [self.rng.choice(DECORATORS)] if self.rng.random() < 0.4 else []
        out += [
            f"def {name}({arg}, *rest, scale={self.int_(2)}, **options) -> int:",
            *self.body("def", 2),
            f"    return ({arg} * scale + i0 + len(rest) - len(options)) % 101",
            f"log.append({name}({self.int_(2)}, scale=2))",
        ]
        self.functions.append(name)
        return out

    def decorated(self) -> list[str]:
        """A decorator written in the program, with a counter of its own."""
        if self.depth >= 2:
            return self.call()
        outer, name = self.fresh("deco"), self.fresh("f")
        self.functions.append(name)
        return [
            f"def {outer}(times):",
            "    calls = 0",
            "    def decorate(fn):",
            "        @functools.wraps(fn)",
            "        def wrapper(*args, **kwargs):",
            "            nonlocal calls",
            "            calls += 1",
            "            wrapper.calls = calls",
            f"            return sum(fn(*args, **kwargs) for _ in range(times)) + {self.int_(2)}",
            "        return wrapper",
            "    return decorate",
            f"@{outer}({self.rng.randint(1, 3)})",
            f"@{outer}(1)",
            f"def {name}(p, q: int = {self.int_(2)}, *, scale=1):",
            "    'documented'",
            f"    return p * scale - q + {self.int_(2)}",
            f"log.append(({name}({self.int_(2)}), {name}.calls, {name}.__name__, {name}.__doc__, {name}.__wrapped__.__name__))",
        ]

    def closures(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name = self.fresh("make")
        return [
            f"def {name}(start, cache={{}}):",
            "    count, seen = start, []",
            "    def step(by=1):",
            "        nonlocal count",
            *indented(self.body("def", 1)),
            "        count += by",
            "        seen.append(count)",
            "        cache[count] = len(seen)",
            "        return count",
            "    def look():",
            "        return count, seen[-3:], sorted(cache)[:4], step.__code__.co_freevars",
            "    return step, look",
            f"step, look = {name}({self.int_(2)})",
            f"log.append([step(), step({self.int_(2)}), look()[:3], {name}(1)[1]()[:3]])",
        ]

    def recursion(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name, depth = self.fresh("rec"), self.rng.randint(0, 6)
        return self.rng.choice(
            [
                [
                    f"def {name}(k, acc=()):",
                    f"    return acc if k <= 0 else {name}(k - 1, acc + (k * i0 % 7,))",
                    f"log.append({name}({depth}))",
                ],
                [
                    f"def {name}(tree):",
                    "    if isinstance(tree, list):",
                    f"        for part in tree: yield from {name}(part)",
                    "    else:",
                    "        yield tree",
                    f"log.append(list({name}([1, [{self.int_(1)}, [l0, []]], s0])))",
                ],
                [
                    "@functools.cache",
                    f"def {name}(k):",
                    f"    return k if k < 2 else {name}(k - 1) + {name}(k - 2)",
                    f"log.append(({name}({depth + 20}), {name}.cache_info().misses))",
                ],
                [
                    f"def {name}(k):",
                    "    try:",
                    f"        return 1 // k + {name}(k - 1)",
                    "    except ZeroDivisionError as error:",
                    f"        raise Err({self.int_(2)}) from error",
                    f"log.append(attempt({name}, {depth}))",
                ],
            ]
        )

    def generator(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name, inner, it = self.fresh("g"), self.fresh("h"), self.fresh("it")
        caught = self.rng.choice(
            [
                [],
                ["    except Sub as error:", "        log.append(story(error))", "        yield 'caught'"],
                ["    except GeneratorExit:", "        log.append('exit')", "        raise"],
            ]
        )
        shared, *inside = self.body("generator", 1)
        out = [
            f"def {inner}(k):",
            shared,
            "    try:",
            "        got = yield k",
            "        log.append(('got', got))",
            *indented(inside),
            "        yield k + 1",
            *caught,
            "    finally:",
            "        log.append('closed')",
            "    return k * 2",
            f"def {name}(k):",
            *self.body("generator", 2),
            f"    r = yield from {inner}(k)",
            "    yield r",
            f"    yield from ({self.int_(2)} + q for q in l0[:2])",
            "    return 'end'",
        ]
        return out + self.rng.choice(
            [
                [f"log.append(list({name}({self.int_(2)})))"],
                [
                    f"{it} = {name}(1)",
                    *(f"log.append(drive({it}, {step}))" for step in self.steps("next")),
                    f"log.append(inspect.getgeneratorstate({it}))",
                ],
                [f"for i1 in {name}(3):", "    if i1 > 4: break", "else:", "    log.append('all')"],
                [f"i0, *l1 = {name}(4)"],
                [f"log.append(sum(q for q in {name}(2) if isinstance(q, int)) % 1000)"],
                [f"log.append([next({name}(3)), max({name}(1), key=str), dict(enumerate({name}(1)))])"],
                [f"{it} = {name}(2)", f"log.append(list(zip({it}, {it})))", f"log.append(next({it}, 'over'))"],
            ]
        )

    def steps(self, first: str) -> list[str]:
        """Arguments of ``drive``."""
        more = [
            "'next'",
            "'send', 5",
            "'send', None",
            "'throw', Sub(3)",
            "'throw', KeyError(2)",
            "'close'",
            "'throw', StopIteration(4)",
            "'next'",
        ]
        return [f"'{first}'" if first == "next" else f"'{first}', None", *(self.rng.choice(more) for _ in range(self.rng.randint(1, 5)))]

    def coroutine(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name, co = self.fresh("co"), self.fresh("running")
        out = [
            f"async def {name}(k, depth=1):",
            *self.body("async", 2),
            f"    if depth: return await {name}(k + 1, depth - 1) + i0",
            "    async for q in ticking(log, k % 3):",
            "        k += q",
            "    return k",
        ]
        return out + self.rng.choice(
            [
                [f"log.append(run({name}({self.int_(2)}), 3, None, 2))"],
                [f"log.append(run({name}(1, 0)))"],
                [
                    f"{co} = {name}(2)",
                    *(f"log.append(drive({co}, {step}))" for step in self.steps("send") if "next" not in step),
                    f"{co}.close()",
                ],
            ]
        )

    def async_generator(self) -> list[str]:
        if self.depth >= 2:
            return self.call()
        name, it = self.fresh("ag"), self.fresh("it")
        return [
            f"async def {name}(k):",
            *self.body("asyncgen", 2),
            "    try:",
            "        while k > 0:",
            "            got = yield k",
            "            k -= got or 1",
            "    finally:",
            "        log.append(('aclosed', await Tick(k)))",
            "async def use():",
            f"    {it} = {name}({self.rng.randint(0, 4)})",
            *self.rng.choice(
                [
                    [f"    return [q async for q in {it} if q != 2]"],
                    [f"    first = await anext({it}, 'none')", f"    await {it}.aclose()", "    return first"],
                    [f"    async with contextlib.aclosing({it}) as both:", "        async for q in both:", "            if q < 3: return q"],
                    ["    try:", f"        await {it}.asend(None)", f"        return await {it}.athrow(Sub(4))", "    except (Err, StopAsyncIteration) as error:", "        return story(error)"],
                    [f"    return {{q: await Tick(q) async for q in {it}}}"],
                ]
            ),
            "log.append(run(use()))",
        ]  # fmt: skip
