"""Calls of the operators of `ir/ops/random_draws.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.random_draws import TYPED
from npexport.ir.random_states import WORDS
from tests.op_samples.inputs import Call, Samples, arr, call


def sample_state(name: str = "PCG64") -> np.ndarray[Any, Any]:
    """A state that is right, though nothing is random about it."""
    words = np.zeros(WORDS[name], np.uint64)
    words[:4] = 1, 2, 3, 5
    if name == "Philox":
        words[10] = 4
    return words


def _samples_of(*rows: tuple[Any, ...], **kwargs: Any) -> Any:
    return lambda: [call(sample_state(), "PCG64", *row, **kwargs) for row in rows]


def _permuted_samples() -> Iterator[Call]:
    yield call(sample_state(), "PCG64", arr(5))
    yield call(sample_state(), "PCG64", arr(3, 4), axis=1)


SAMPLES: dict[Op, Samples] = {
    ops.random.permutation: _samples_of((5,), (arr(3, 4),), (arr(3, 4), 1)),
    ops.random.shuffle: _samples_of((arr(5),), (arr(3, 4), 1)),
    ops.random.permuted: _permuted_samples,
    ops.random.choice: _samples_of(
        (5, (2, 3)), (arr(4), 3, False), (arr(3, 4), None, True, np.array([0.25, 0.5, 0.25])), (arr(3, 4), 2, True, None, 1)
    ),
    ops.random.multivariate_normal: _samples_of((np.zeros(2), np.eye(2), (3,))),
    ops.random.dirichlet: _samples_of((np.ones(3), (2,))),
    ops.random.multinomial: _samples_of((5, np.full(2, 0.5), (3,)), (np.array([3, 4]), np.full((2, 2), 0.5))),
    ops.random.multivariate_hypergeometric: _samples_of((np.array([3, 4, 5]), 6, (2,)), (np.array([3, 4]), 2, None, "count")),
    ops.random.seeded: lambda: [call(7, "PCG64"), call(np.array([1, 2, 3]), "Philox"), call(2**40, "SFC64"), call(5, "RandomState")],
    ops.random.spawn: _samples_of((0,), (2,)),
}

_VALUES: dict[str, tuple[Any, ...]] = {
    "beta": (2.0, 3.0), "binomial": (10, 0.25), "chisquare": (3.0,), "exponential": (1.0,), "f": (4.0, 5.0), "gamma": (2.0, 1.0),
    "geometric": (0.5,), "gumbel": (0.0, 1.0), "hypergeometric": (5, 6, 3), "integers": (0, 10), "laplace": (0.0, 1.0),
    "logistic": (0.0, 1.0), "lognormal": (0.0, 1.0), "logseries": (0.5,), "negative_binomial": (5, 0.5),
    "noncentral_chisquare": (3.0, 1.0), "noncentral_f": (3.0, 4.0, 1.0), "normal": (0.0, 1.0), "pareto": (3.0,), "poisson": (4.0,),
    "power": (2.0,), "random": (), "rayleigh": (1.0,), "standard_cauchy": (), "standard_exponential": (), "standard_gamma": (2.0,),
    "standard_normal": (), "standard_t": (5.0,), "triangular": (0.0, 0.5, 1.0), "uniform": (0.0, 1.0), "vonmises": (0.0, 1.0),
    "wald": (1.0, 1.0), "weibull": (2.0,), "zipf": (3.0,),
}  # fmt: skip


def _of_elements(method: str, parameters: tuple[Any, ...]) -> Samples:
    def generate() -> Iterator[Call]:
        yield call(sample_state(), "PCG64", (2, 3), *parameters)
        yield call(sample_state("SFC64"), "SFC64", None, *parameters)
        if method in TYPED:
            yield call(sample_state("MT19937"), "MT19937", (4,), *parameters, dtype=np.dtype("i2" if method == "integers" else "f4"))
        if parameters:
            yield call(sample_state("Philox"), "Philox", None, np.full(3, parameters[0]), *parameters[1:])

    return generate


SAMPLES |= {getattr(ops.random, method): _of_elements(method, parameters) for method, parameters in _VALUES.items()}
