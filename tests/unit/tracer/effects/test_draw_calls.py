"""Every method of a random generator in every form of its arguments: what eager NumPy draws, raises and leaves, or a refusal."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.shards import shard

CALLS = (
    "g.random(), g.random(None), g.random((2, )), g.random(np.int64(2)), g.random(np.array([2, 3])), g.random([2, 1])",
    "g.random(3, 'f4'), g.random(3, dtype='d'), g.random(3, dtype=np.dtype('f4')), g.random(dtype=float)",
    "g.random(2, 'f2')",
    "g.random(out=np.empty(3, 'f4'), dtype='f4')",
    "g.random(out=np.empty(3, 'f4'))",
    "g.random(3, out=np.empty(3))",
    "g.random(2, out=np.empty(3))",
    "g.random(out=np.empty((2, 3)).T)",
    "g.random(out=np.empty((4, 3))[::2])",
    "g.random(out=x)",
    "g.random(out=x[1:3])",
    "g.random(out=x[::2])",
    "g.standard_normal(3, dtype='f4'), g.standard_normal((), dtype='f4'), g.standard_normal()",
    "g.standard_exponential(3, dtype='f4', method='inv'), g.standard_exponential(3, 'f4', 'zig')",
    "g.standard_exponential(3, method='foo')",
    "g.standard_gamma(x), g.standard_gamma(x, dtype='f4'), g.standard_gamma(2.0, 3, 'f4')",
    "g.standard_gamma(x, out=np.empty(4))",
    "g.standard_gamma(-1.0)",
    "g.standard_gamma(-x)",
    "g.integers(5), g.integers(2, 5), g.integers(2, 5, 3), g.integers(2, high=5, size=(2, 2), dtype='u1', endpoint=True)",
    "g.integers(2, dtype=bool), g.integers(0, 2, 5, bool), g.integers(0, 1, 5, bool, True)",
    "g.integers(0, 256, 5, 'u1'), g.integers(-128, 128, (2, 2), 'i1'), g.integers(2**63, dtype='u8')",
    "g.integers(0, 2**64-1, 3, 'u8', endpoint=True)",
    "g.integers(0, 257, 5, 'u1')",
    "g.integers(x), g.integers(0, x), g.integers(x, 10), g.integers([1, 2], [[3], [4]])",
    "g.integers(5.5), g.integers(0.5, 5.5)",
    "g.integers(5, 2)",
    "g.integers(x.astype(int), x.astype(int))",
    "g.integers(0)",
    "g.integers(1), g.integers(1, size=3), g.integers(0, endpoint=True)",
    "g.integers(5, dtype='>i4')",
    "g.integers(5, dtype=np.float64)",
    "g.integers(5, size=x.shape), g.integers(len(x)), g.integers(0, len(x), len(x))",
    "g.choice(5), g.choice(5, 3), g.choice(5, 3, False), g.choice(x), g.choice(x, 2)",
    "g.choice(x, (2, 2), p=x/x.sum()), g.choice(x, 2, replace=False, p=x/x.sum())",
    "g.choice(x, 5, replace=False)",
    "g.choice(x, 2, p=x)",
    "g.choice(x.reshape(2, 2), 3, axis=1), g.choice(x.reshape(2, 2), 1, axis=-1), g.choice(x.reshape(2, 2))",
    "g.choice(x.reshape(2, 2), axis=1, shuffle=False, replace=False)",
    "g.choice(['a', 'b', 'c']), g.choice(['a', 'b'], 3), g.choice([1, 2.5]), g.choice([True, False])",
    "g.choice((1, 2, 3), 2)",
    "g.choice(x, ()), g.choice(x, 0), g.choice(0, 0)",
    "g.choice([], 1)",
    "g.choice(0, 1)",
    "g.choice(x[0])",
    "g.choice(5.0)",
    "g.choice(range(10), 3), g.choice({1:2}, 1)",
    "g.choice([[1, 2], [3, 4]], 1), g.choice([None, 1])",
    "g.bytes(5)",
    "len(g.bytes(5))",
    "g.permutation(5), g.permutation(x), g.permutation(x.reshape(2, 2)), g.permutation(x.reshape(2, 2), 1)",
    "g.permutation(x.reshape(2, 2), axis=-1), g.permutation([3, 4, 5]), g.permutation('abc')",
    "g.permutation(len(x)), g.permutation(np.int8(4)), g.permutation(0)",
    "g.permutation(-1)",
    "g.permutation(2.5)",
    "g.permutation(x, axis=2)",
    "g.permutation(x[0])",
    "g.permuted(x), g.permuted(x.reshape(2, 2)), g.permuted(x.reshape(2, 2), axis=0)",
    "g.permuted(x.reshape(2, 2), axis=-1), g.permuted([1, 2, 3]), g.permuted(x, out=np.empty(4))",
    "g.permuted(x, axis=None)",
    "g.permuted(x, axis=1)",
    "g.permuted(x, out=x), x",
    "g.permuted(x, out=x[::-1]), x",
    "g.permuted(x, out=np.empty(3))",
    "g.permuted(x, out=np.empty(4, int))",
    "g.permuted(x[0])",
    "g.shuffle(x), x",
    "g.shuffle(x[::2]), x",
    "g.shuffle(x.reshape(2, 2), 1), x",
    "g.shuffle(x.reshape(2, 2), axis=-1), x",
    "g.shuffle(x, axis=3)",
    "(lambda l: (g.shuffle(l), l))([1, 2, 3])",
    "(lambda l: (g.shuffle(l), l))([x, x*2, x*3])",
    "(lambda l: (g.shuffle(l), l))(['a', 'b'])",
    "g.shuffle((1, 2))",
    "(lambda l: (g.shuffle(l), l))(bytearray(b'abc'))",
    "(lambda l: (g.shuffle(l, axis=1), l))([1, 2])",
    "g.shuffle(5)",
    "g.shuffle(x[0])",
    "g.shuffle(np.array(['c', 'b', 'a']))",
    "(lambda a: (g.shuffle(a), a))(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))",
    "(lambda a: (g.shuffle(a), a))(np.arange(6).reshape(3, 2).T)",
    "(lambda a: (g.shuffle(a), a))(np.zeros((0, 2)))",
    "(lambda a: (g.shuffle(a), a))(np.zeros(4, [('a', 'i4'), ('b', 'f8')]))",
    "g.normal(), g.normal(1), g.normal(1, 2), g.normal(1, 2, 3), g.normal(x), g.normal(x, 2), g.normal(0, x, (2, 4))",
    "g.normal(scale=x), g.normal([1, 2], [[1], [2]])",
    "g.normal(0, -1)",
    "g.normal(0, -x)",
    "g.normal(x, size=3)",
    "g.normal(x, size=(3, 1))",
    "g.normal(x[:, None], size=(4, 3))",
    "g.normal(np.float32(1), np.float32(2)), g.normal(x.astype('f4')), g.normal(True, 2)",
    "g.normal(1j)",
    "g.normal('a')",
    "g.normal(np.nan), g.normal(0, np.inf), g.normal(0, 0)",
    "g.uniform(), g.uniform(1, 2), g.uniform(x), g.uniform(0, x), g.uniform(high=x, low=-x), g.uniform(2, 1)",
    "g.uniform(-1, 1, (2, 2))",
    "g.uniform(0, np.inf)",
    "g.uniform(-1e308, 1e308)",
    "g.uniform(x, -x)",
    "g.beta(1, 2), g.beta(x, 2), g.beta(.1, .1, 3), g.beta(x, x[:, None])",
    "g.beta(0, 1)",
    "g.beta(-x, 1)",
    "g.binomial(5, .5), g.binomial(x.astype(int), .5), g.binomial(5, x/10), g.binomial(5, [.1, .2], (3, 2))",
    "g.binomial(10**10, .3), g.binomial(100, .999, 3), g.binomial(0, 0)",
    "g.binomial(5, 1.5)",
    "g.binomial(-1, .5)",
    "g.binomial(x, .5)",
    "g.binomial(5.5, .5)",
    "g.binomial(5, x)",
    "g.binomial(5, np.nan)",
    "g.chisquare(2), g.chisquare(x), g.chisquare(.5, 3)",
    "g.chisquare(0)",
    "g.dirichlet([1, 2, 3]), g.dirichlet(x), g.dirichlet(x, 3), g.dirichlet((.05, .05, .05), 2), g.dirichlet(x, (2, 2))",
    "g.dirichlet([1, -1])",
    "g.dirichlet([])",
    "g.dirichlet(-x)",
    "g.dirichlet(x.reshape(2, 2))",
    "g.exponential(), g.exponential(x), g.exponential(2., (2, 2)), g.exponential(0)",
    "g.exponential(-1)",
    "g.exponential(-x)",
    "g.f(1, 2), g.f(x, 2), g.f(x, x, 4)",
    "g.f(0, 1)",
    "g.gamma(2), g.gamma(x), g.gamma(x, 2), g.gamma(2, x), g.gamma(.5, 1, 3), g.gamma(0), g.gamma(1, 0)",
    "g.gamma(-1)",
    "g.geometric(.5), g.geometric(x/10), g.geometric(.001, 3), g.geometric(1)",
    "g.geometric(0)",
    "g.geometric(1e-30)",
    "g.geometric(x)",
    "g.gumbel(), g.gumbel(x), g.gumbel(0, x), g.gumbel(size=2)",
    "g.hypergeometric(5, 4, 3), g.hypergeometric(5, 4, 3, (2, )), g.hypergeometric([5, 6], 4, 3)",
    "g.hypergeometric(x.astype(int), 4, 1), g.hypergeometric(100, 100, 50, 3)",
    "g.hypergeometric(1, 1, 3)",
    "g.hypergeometric(10**9, 10**9, 5)",
    "g.hypergeometric(x.astype(int), 0, 9)",
    "g.hypergeometric(-1, 1, 0)",
    "g.laplace(), g.laplace(x), g.laplace(0, x), g.laplace(size=3), g.logistic(), g.logistic(x, x), g.lognormal()",
    "g.lognormal(x), g.lognormal(0, x, (2, 4))",
    "g.laplace(0, -1)",
    "g.logseries(.5), g.logseries(x/10), g.logseries(.99, 3), g.logseries(0)",
    "g.logseries(1.)",
    "g.logseries(x)",
    "g.multinomial(5, [.2, .8]), g.multinomial(5, [.2, .8], 3), g.multinomial([5, 6], [.2, .8])",
    "g.multinomial(5, x/x.sum()), g.multinomial([[5], [6]], [[.2, .8], [.5, .5]]), g.multinomial(0, [1.0])",
    "g.multinomial(5, [.9, .9])",
    "g.multinomial(5, x)",
    "g.multinomial(-1, [1.0])",
    "g.multinomial(5, [])",
    "g.multinomial(x.astype(int), [.5, .5])",
    "g.multinomial(5.5, [.5, .5])",
    "g.multivariate_hypergeometric([3, 4], 2), g.multivariate_hypergeometric([3, 4], 2, 3)",
    "g.multivariate_hypergeometric([3, 4], 2, method='count'), g.multivariate_hypergeometric(x.astype(int), 2)",
    "g.multivariate_hypergeometric([3, 4], 9)",
    "g.multivariate_hypergeometric([3, 4], 2, method='x')",
    "g.multivariate_hypergeometric([3.5, 4], 2)",
    "g.multivariate_normal([0, 1], [[1, 0], [0, 1]]), g.multivariate_normal(x, np.eye(4))",
    "g.multivariate_normal(x, np.eye(4), 3), g.multivariate_normal(x, np.eye(4), (2, 2), method='cholesky')",
    "g.multivariate_normal(x, np.eye(4), method='eigh')",
    "g.multivariate_normal([0, 0], [[1, 2], [3, 4]])",
    "g.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='ignore')",
    "g.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='raise')",
    "g.multivariate_normal([0, 0], np.outer(x, x), check_valid='raise')",
    "g.multivariate_normal(x, np.outer(x, x)+np.eye(4), check_valid='raise')",
    "g.multivariate_normal(x, np.outer(x, -x), check_valid='raise')",
    "g.multivariate_normal(x, np.outer(x, -x))",
    "g.multivariate_normal(x, -np.eye(4), method='cholesky')",
    "g.multivariate_normal(x, np.eye(4), check_valid='q')",
    "g.multivariate_normal(x, np.eye(4), method='q')",
    "g.multivariate_normal(x, np.eye(3))",
    "g.negative_binomial(3, .5), g.negative_binomial(x, .5), g.negative_binomial(3, x/10, (2, 4))",
    "g.negative_binomial(0, .5)",
    "g.negative_binomial(1e18, 1e-9)",
    "g.negative_binomial(3, x)",
    "g.noncentral_chisquare(2, 1), g.noncentral_chisquare(x, x), g.noncentral_f(1, 2, 3), g.noncentral_f(x, 2, 3, 4)",
    "g.pareto(2), g.pareto(x), g.poisson(), g.poisson(3), g.poisson(x), g.poisson(1000, 3), g.poisson(0), g.power(2)",
    "g.power(x), g.rayleigh(), g.rayleigh(x), g.rayleigh(size=2)",
    "g.poisson(-1)",
    "g.poisson(-x)",
    "g.poisson(1e20)",
    "g.poisson(np.nan)",
    "g.standard_cauchy(), g.standard_cauchy(3), g.standard_t(3), g.standard_t(x), g.standard_t(x, (2, 4))",
    "g.triangular(0, 1, 2), g.triangular(0, x, 9), g.triangular(-1, 0, x, (2, 4))",
    "g.triangular(2, 1, 0)",
    "g.triangular(0, x, 1)",
    "g.triangular(0, 0, 0)",
    "g.vonmises(0, 1), g.vonmises(x, 2), g.vonmises(0, x), g.vonmises(0, 1e-9), g.vonmises(0, 1e9, 2)",
    "g.vonmises(0, -1)",
    "g.wald(1, 2), g.wald(x, 2), g.wald(1, x), g.weibull(2), g.weibull(x), g.weibull(0), g.zipf(2), g.zipf(x+1)",
    "g.zipf(1.01, 3)",
    "g.zipf(1)",
    "g.zipf(x)",
    "g.spawn(2)[1].random(3), g.spawn(0), len(g.spawn(3))",
    "g.spawn(-1)",
    "[k.normal() for k in g.spawn(3)]",
    "g.spawn(1)[0].spawn(1)[0].random()",
    "(lambda d: d(size=3))(g.normal)",
    "[f() for f in (g.random, g.normal, g.standard_cauchy)]",
    "list(map(g.normal, x))",
    "sorted(g.random(3).tolist())",
    "np.apply_along_axis(lambda v: g.permutation(v), 0, x.reshape(2, 2))",
    "np.vectorize(lambda v: g.normal(v))(x)",
    "np.fromfunction(lambda i, j: g.random(), (2, 2))",
    "g.choice(x, ()), g.choice(x, 0), g.choice(0, 0), g.choice(0, (2, 0)), g.choice([], 0)",
    "g.choice(np.float32(2))",
    "g.choice(np.zeros(()))",
    "g.choice(np.array(5)), g.choice(np.int8(3))",
    "g.choice('abc')",
    "g.choice(x.astype(int)[1]), g.choice(x.astype(int)[1:2].reshape(()))",
    "g.permutation(x.astype(int)[2])",
    "g.permutation(-x.astype(int)[2])",
    "g.permutation(x.astype(int)[2:3].reshape(()))",
    "g.permutation(np.array(3))",
    "g.permutation(len(x)-3)",
    "g.permutation(len(x)-5)",
    "g.permutation(True)",
    "g.integers(0, size=0)",
    "g.integers(5, 2, size=0)",
    "g.integers(5, 2, size=(3, 0))",
    "g.integers(0, 257, 0, 'u1')",
    "g.integers(x.astype(int), x.astype(int), (0, 4))",
    "g.normal(0, -1, size=0)",
    "g.normal(0, -x, size=(0, 4))",
    "g.poisson(-1, 0)",
    "g.poisson(1e30, 0)",
    "g.binomial(5, 2., 0)",
    "g.binomial(-x, 2., (0, 4))",
    "g.zipf(1, 0)",
    "g.hypergeometric(1, 1, 3, 0)",
    "g.hypergeometric(1, 1, [3], 0)",
    "g.multinomial(5, [.9, .9], 0)",
    "g.multinomial(-5, [.5, .5], 0)",
    "g.dirichlet([-1, 2], 0)",
    "g.dirichlet(x, 0), g.multinomial(5, [.5, .5], 0), g.multivariate_normal(x, np.eye(4), 0)",
    "g.multivariate_hypergeometric([3, 4], 5, 0)",
    "g.multivariate_hypergeometric([3, 4], 9, 0)",
    "g.multivariate_normal(x, -np.eye(4), 0, check_valid='raise')",
    "g.standard_gamma(-1, 0)",
    "g.logseries(2, 0)",
    "g.geometric(0, 0)",
    "g.triangular(2, 1, 0, 0)",
    "g.standard_exponential(0, method='foo')",
    "g.uniform(0, np.inf, 0)",
    "g.shuffle({1:2})",
    "g.shuffle('a')",
    "g.shuffle(np.zeros(()))",
    "g.choice(x, 2, axis=4)",
    "g.choice(x, 2, axis=-1)",
    "g.permutation(len(x)-9)",
)
"""Of a generator ``g`` and an array ``x`` of the data 1 to 4."""
BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
ALLOWED = {"E107", "E121", "E122"}
X = np.arange(1.0, 5.0)


def seeded(number: int, seed: int) -> Any:
    g = np.random.Generator(getattr(np.random, BIT_GENERATORS[number % len(BIT_GENERATORS)])(seed))
    g.integers(5, dtype=np.int32)  # in the middle of a word
    return g


def shown(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    return (type(value), [shown(item) for item in value]) if isinstance(value, (tuple, list)) else (type(value), repr(value))


def outcome(f: Any, g: Any, x: Any) -> Any:
    x = x.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = shown(f(g, x))
        except Exception as error:
            found = type(error).__name__, str(error)
    return found, x.tolist(), repr(g.bit_generator.state)


@pytest.mark.parametrize("call", shard(CALLS, 3))
@pytest.mark.parametrize("form", ["input", "seeded"])
def test_what_is_drawn_and_left(call: str, form: str) -> None:
    number = CALLS.index(call)
    program = eval(f"lambda g, x: ({call})", {"np": np})
    if form == "seeded":
        drawn, program = program, lambda g, x: drawn(np.random.default_rng(3), x)
    g = seeded(number, 3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = export(program, (g, X.copy())).module()
    except ExportError as error:
        assert error.code in ALLOWED, str(error)
        return
    except Exception as error:
        assert (type(error).__name__, str(error)) == outcome(program, seeded(number, 3), X)[0]
        return
    for seed, x in ((3, X), (5, X[::-1] * 2)):
        assert outcome(run, seeded(number, seed), x) == outcome(program, seeded(number, seed), x)
