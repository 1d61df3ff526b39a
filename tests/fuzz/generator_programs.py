"""Random programs that draw: from generators that are passed in, held by the object, seeded or spawned, of every bit generator."""

from __future__ import annotations

import copy
import random
from textwrap import indent
from typing import Any

import numpy as np

import npexport
from tests.support.functions import function_of

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
_ELEMENTS = (
    "{g}.random({size})", "{g}.random({size}, dtype=np.float32)", "{g}.standard_normal({size})", "{g}.normal({x}, 0.5, {size1})",
    "{g}.normal(loc={x}, scale={x} * {x} + 0.1)", "{g}.uniform(-1, {x} * {x})", "{g}.integers({k} + 1, size={size})",
    "{g}.integers(-3, {k}, size={size}, dtype=np.int{bits}, endpoint=True)", "{g}.integers({x}.astype(int) % 5 + 1)",
    "{g}.exponential(2.0, {size})", "{g}.standard_exponential({size}, method='inv')", "{g}.gamma({x} * {x} + 0.1)",
    "{g}.standard_gamma(1.5, {size})", "{g}.beta(1.0, {k} + 1, {size})", "{g}.binomial({k} + 1, 0.3, {size})", "{g}.poisson({x} * {x})",
    "{g}.chisquare(3, {size})", "{g}.f(3.0, 4.0, {size})", "{g}.geometric(0.4, {size})", "{g}.gumbel(size={size})",
    "{g}.hypergeometric(5, 4, 3, {size})", "{g}.laplace({x})", "{g}.logistic(size={size})", "{g}.lognormal(0, 0.3, {size})",
    "{g}.logseries(0.4, {size})", "{g}.negative_binomial(3, 0.5, {size})", "{g}.noncentral_chisquare(3, 1, {size})",
    "{g}.noncentral_f(3, 4, 1, {size})", "{g}.pareto(3, {size})", "{g}.power(2.0, {size})", "{g}.rayleigh(1.5, {size})",
    "{g}.standard_cauchy({size})", "{g}.standard_t(4, {size})", "{g}.triangular(-1, 0, 2, {size})", "{g}.vonmises(0, 2, {size})",
    "{g}.wald(1, 2, {size})", "{g}.weibull(1.5, {size})", "{g}.zipf(3, {size})", "{g}.permutation({k} + 2)", "{g}.permutation({x})",
    "{g}.permutation({x}.reshape(-1, 1).repeat(2, 1), axis=1)", "{g}.permuted({x})", "{g}.permuted(np.stack([{x}, {x}]), axis=1)",
    "{g}.choice({x}, {k})", "{g}.choice({k} + 3, {k} + 1, replace=False)", "{g}.choice({x}, {k}, p=np.ones(len({x})) / len({x}))",
    "{g}.choice(np.stack([{x}, {x}]), 2, axis=0)", "{g}.choice({x}, 2, replace=False, shuffle=False)",
    "{g}.multivariate_normal([0.0, 1.0], [[1.0, 0.2], [0.2, 2.0]], {size})", "{g}.dirichlet([1.0, 2.0, 3.0], {size})",
    "{g}.multinomial({k}, [0.2, 0.3, 0.5], {size})", "{g}.multivariate_hypergeometric([3, 4, 5], 4, {size})",
    "{g}.random(len({x}))", "{g}.normal(size={x}.shape)", "{g}.integers(len({x}), size=(len({x}), 2))", "{g}.random(out=np.empty({k}))",
    "{g}.standard_normal(out=np.empty_like({x}))", "{g}.normal({x}[:, None], np.ones(2))", "{g}.integers(0, {k} + np.arange(1, 4))",
    "{g}.integers([1, 10], [[5], [20]])", "{g}.multinomial(np.array([3, {k}]), [[0.2, 0.8], [0.5, 0.5]])", "{g}.bytes({k})",
    "{g}.multivariate_normal({x}, np.eye(len({x})), method='cholesky')", "{g}.dirichlet(np.ones({k} + 1), (2, len({x})))",
    "{g}.multivariate_hypergeometric([3, 4, 5], 4, {size}, method='count')", "{g}.choice(len({x}), 2)",
    "{g}.random(dtype='f4', size=len({x}))",
    "{g}.standard_normal(dtype=np.float32, out=np.empty(3, np.float32))", "{g}.integers(2**40 + {k}, size={size}, dtype=np.uint64)",
    "{g}.integers(0, 2, {size}, dtype=bool)", "{g}.integers(-128, 128, {size}, dtype='i1')", "{g}.integers(3, {k}, {size})",
    "{g}.standard_gamma({x} * {x} + 0.1, dtype=np.float32)", "{g}.permuted(np.stack([{x}, {x}]), axis=0)", "{g}.uniform({x}, {x} + 1)",
    "{g}.permutation(np.stack([{x}, {x} * 2]), axis=1)", "{g}.choice(np.stack([{x}, {x}]), 1, axis=1, replace=False)", "{g}.random()",
    "{g}.bit_generator.random_raw({k})", "{g}.poisson({x} * {x} * 40)", "{g}.binomial(np.arange({k} + 1) * 30, 0.4)",
    "{g}.normal({x}, {x})",
    "{g}.triangular({x} - 1, {x}, {x} + 2)", "{g}.hypergeometric({k}, np.arange(1, 5), 1)", "{g}.logseries(np.array([0.2, 0.9]))",
    "{g}.vonmises({x}, 0.1 + {x} * {x})", "{g}.negative_binomial(2, [0.1, 0.9], (3, 2))", "{g}.zipf([2.0, 4.0])",
    "{g}.geometric([0.01, 0.9])",
)  # fmt: skip
_NUMBERS = (
    "{g}.random()", "{g}.normal()", "{g}.normal({n}, 0.5)", "{g}.integers({k} + 2)", "{g}.poisson(3.0)", "{g}.uniform(-1, 1)",
    "{g}.choice(5)",     "{g}.choice({x})", "float({x}[0]) * {g}.exponential()", "{g}.binomial(5, 0.5)", "{n} + {g}.standard_normal()",
)  # fmt: skip
_STATEMENTS = (
    "{x} = {x} + {draw1}", "{x} = {x} * {g}.random()", "{g}.shuffle({x})", "out.append({draw})", "out.append({draw})", "out.append({draw})",
    "{n} = {number}", "out.append({number})", "{x}[:1] = {g}.random()", "{g}.random(out={x})", "{g}.standard_normal(out={x})",
    "kid = {g}.spawn(2)[{k} % 2]; out.append(kid.random(3))", "made = {g}.spawn(1)[0]", "made = np.random.default_rng({k})",
    "made = np.random.Generator(np.random.{bit}({k}))", "{g}.permuted({x}, out={x})", "np.random.default_rng({g}).random(2)",
    "out.append(npexport.cond({x}.sum() > {k}, lambda v: v + {g}.random(), lambda v: v * 2, ({x},)))",
    "out.append(npexport.scan(lambda c, v: (c + {g}.random(), v * {g}.normal()), np.float64(0), {x}))",
    "out.append(npexport.map(lambda v: {g}.integers(9, size=2) + v, {x}))",
    "out.append(npexport.while_loop(lambda i, v: i < {k}, lambda i, v: (i + 1, v + {g}.random(len(v))), (0, {x})))",
    "if {x}.sum() > {k}:\n    {x} = {x} + {draw1}", "if {x}[0] < {n}:\n    {n} = {number}\nelse:\n    {g}.shuffle({x})",
    "if (drawn := {g}.random()) < 0.5: {x} = {draw1} - drawn", "for i in range(len({x})):\n    {x}[i] = {x}[i] * {number}",
    "for v in {x}:\n    if v > {g}.normal(): {n} = {n} + {g2}.random()", "for _ in range({k}):\n    {g}.shuffle({x}); {x} = {x} + {draw1}",
    "while {g}.random() < 0.7: {n} = {n} * {g2}.random()", "while {n} < {k}: {n} += {g}.exponential(2.0)",
    "try:\n    {n} = {n} + {g}.normal(0, {x}[0])\nexcept ValueError:\n    {n} = {n} - {g}.random()",
    "{x} = np.where({x} > {g}.random(len({x})), {draw1}, {x})", "for g in (rng, self.own): {x} = {x} + g.normal(size=len({x}))",
    "kids = {g}.spawn({k}); out.append([kid.integers(9) for kid in kids])", "{g}.permuted({x}[:, None], axis=0, out={x}[:, None])",
    "out.append(np.frombuffer({g}.bytes(8 * {k} + 8), np.uint16))", "out.append(len({g}.bytes({k})))", "out.append({g}.bytes({k} + 1)[1:])",
    "{g}.standard_exponential(out={x}, method='inv')", "{g}.standard_gamma({x} * {x} + 0.1, out={x})", "{g}.random(out={x}[::2])",
    "{g}.shuffle({x}[1:])", "pair = np.stack([{x}, {x} * 2]); {g}.shuffle(pair, axis=1); out.append(pair)",
    "made = np.random.default_rng({g}.integers({k} + 1))", "made = np.random.default_rng([len({x}), {k}])", "made = copy.deepcopy({g})",
    "made = np.random.Generator(np.random.{bit}({k}).jumped())", "out.append(copy.deepcopy({g}).random(2))",
    "out.append([np.random.default_rng(s).random() for s in {g}.integers(5, size=2)])",
    "{x} = np.linspace({k}, 5, len(x))", "{x} = np.linspace({k}, 5, len(x)); {g}.shuffle({x}); out.append({x}.copy())",
    "drawn = [1, 2, {k}]; {g}.shuffle(drawn); {n} = {n} * drawn[0]", "drawn = {x}.tolist(); {g}.shuffle(drawn); out.append(drawn)",
    "drawn = list(range(len({x}))); {g}.shuffle(drawn); out.append({x}[drawn])",
    "pool = {{'a': rng, 'b': [other, self.own]}}; {x} = {x} + pool['b'][{k} % 2].random(len({x})); out.append(pool['a'].random())",
    "out.append([h.integers(9) for h in self.pool])", "{x} = {x} * self.pool[{k} % 2].normal()", "self.last = {draw}",
    "g = {g} if {x}.sum() > {k} else {g2}; {x} = {x} + g.random()",
    "g = {g} if {n} > 1 else {g2}\nfor _ in range(2): {n} = {n} + g.normal()",
    "old = np.random.RandomState({k}); out.append(old.rand(len({x}))); old.shuffle({x}); out.append(old.randint(5, size=2))",
    "old = np.random.RandomState({k}); {x} = {x} + old.randn(len({x})); out.append(old.permutation({k} + 2)); {n} += old.uniform()",
    "out.append(np.random.RandomState(np.random.{bit}({k})).standard_normal(2))", "{n} = {n} + sum({g}.random() for _ in range({k}))",
    "def more(g=rng):\n    nonlocal n\n    n = n + g.random()\n    return g.integers(4)\nout.append([more(), more({g2})])",
    "def stream(g):\n    while True: yield g.random()\nfor v, _ in zip(stream({g}), range({k})): {n} += v",
    "i = 0\nwhile True:\n    i += 1\n    if {g}.random() < 0.4 or i > 6: break\nout.append(i)",
    "for v in {x}:\n    if v < {g}.normal(): continue\n    {n} = {n} + v\n    if {g2}.random() < 0.1: break",
    "rows = np.stack([{x}, {x}]); {g}.shuffle(rows); {g}.shuffle(rows[:, ::-1], axis=1); out.append(rows)",
    "for row in np.stack([{x}, {x}]): {g}.shuffle(row); out.append(row)", "{g}.shuffle({x}[::2]); {g}.permuted({x}[::-1], out={x}[::-1])",
    "{x}[{x} > {k} / 2] = {g}.random()", "{x}[{g}.integers(len({x}))] = {n}", "{n} = {n} + {x}[{g}.integers(len({x}))]",
    "{x} = {x}[{g}.permutation(len({x}))]", "{x} = {x}[{g}.random(len({x})) < 2]", "if len({x}) > 3: {x} = {x} + {g}.random()",
    "try:\n    out.append({draw})\nexcept (ValueError, TypeError) as error:\n    out.append(str(error)); {n} = {n} + {g2}.random()",
    "try:\n    {x} = {x} + {draw1}\n    {x} = {g}.normal({x}, {x})\nexcept ValueError:\n    {n} = {n} + {g2}.random()",
    "try: {n} = {n} + {g}.choice({x}, p={x} / {x}.sum())\nexcept ValueError: {n} = {n} - {g2}.random()\nelse: {g}.shuffle({x})",
    "for v in {x}:\n    try: {n} = {n} + {g}.gamma(v - {k} / 2)\n    except ValueError: {n} = {n} + {g2}.normal()",
    "with np.errstate(all='ignore'): {x} = np.log({x}) + {draw1}", "{n} = {n} + {g}.choice([1.0, 2.0, {k}], p=[0.2, 0.3, 0.5])",
    "if {g}.integers(2): out.append(1)\nelif {g2}.integers(2): {n} = {n} * 2\nelse: {x} = -{x}",
    "drawn = [v for v in {x} if v > {k} / 4]; {g}.shuffle(drawn); out.append(drawn)",
)  # fmt: skip


def _filled(rng: random.Random, template: str) -> str:
    choices: dict[str, Any] = {
        "g": rng.choice(("rng", "rng", "other", "self.own", "made")), "x": rng.choice(("x", "x", "y")), "n": "n", "k": rng.randrange(5),
        "bits": rng.choice((8, 16, 32, 64)), "bit": rng.choice(BIT_GENERATORS),
        "g2": rng.choice(("rng", "other", "self.own")), "size": rng.choice(("3", "(2, 3)", "len(x)", "(len(x), 2)", "0", "()", "(1,)")),
        "size1": rng.choice(("None", "(2, len(x))", "x.shape")),
    }  # fmt: skip
    choices["draw"] = rng.choice(_ELEMENTS).format(**choices) if "{draw}" in template else ""
    choices["draw1"] = rng.choice(("{g}.normal(size=len(x))", "{g}.normal({x})", "{g}.random(len(x))", "{g}.poisson({x} * {x})")).format(
        **choices
    )
    choices["number"] = rng.choice(_NUMBERS).format(**choices)
    return template.format(**choices)


def program(seed: int) -> str:
    """The source of a class whose instances hold a generator and draw."""
    rng = random.Random(seed)
    lines = [_filled(rng, rng.choice(_STATEMENTS)) for _ in range(rng.randrange(2, 8))]
    return "\n".join(
        [
            "class Program:",
            "    def __init__(self):",
            f"        self.own = np.random.Generator(np.random.{rng.choice(BIT_GENERATORS)}({seed % 1000}))",
            "        self.pool = [np.random.default_rng(1), self.own]",
            "    def __call__(self, rng, other, x, n):",
            "        x, y, out, made = x.copy(), x * 2, [], np.random.default_rng(9)",
            *(indent(line, " " * 8) for line in lines),
            "        return x, y, n, out",
        ]
    )


def compiled(source: str) -> Any:
    """The class."""
    return function_of(source, {"np": np, "npexport": npexport, "copy": copy})


def seeded(rng: random.Random, bit_generator: str) -> Any:
    """A generator in some state: in the middle of 64 bits, spawned, of several words of entropy."""
    seed = np.random.SeedSequence(rng.choice((rng.randrange(9), rng.randrange(1 << 128), [rng.randrange(9), rng.randrange(1 << 40)])))
    for _ in range(rng.randrange(3)):
        seed = seed.spawn(rng.randrange(1, 3))[-1]
    made = np.random.Generator(getattr(np.random, bit_generator)(seed))
    made.integers(5, size=rng.randrange(4), dtype=np.int32)
    return made
