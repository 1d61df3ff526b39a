"""The ``random`` namespace: draws of a generator whose state is an array of words, so that a draw
is a function like any other.

Each takes the state and the bit generator's name, and gives the state after the draw, and what is
drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.facts import Raises
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    array,
    as_tuple,
    axis_index,
    broadcast,
    meta_of,
    record,
    require_broadcast_to,
    shape_of,
    violated,
    without_axes,
)
from npexport.ir.ops.samples import Call, arr, call
from npexport.ir.raising import NOTHING
from npexport.ir.random_states import WORDS

_TYPED = frozenset("random standard_normal standard_exponential standard_gamma integers".split())
COUNTS = frozenset("binomial geometric hypergeometric integers logseries negative_binomial poisson zipf".split())
_PARAMETERS = {
    "beta": (2.0, 3.0), "binomial": (10, 0.25), "chisquare": (3.0,), "exponential": (1.0,), "f": (4.0, 5.0), "gamma": (2.0, 1.0),
    "geometric": (0.5,), "gumbel": (0.0, 1.0), "hypergeometric": (5, 6, 3), "integers": (0, 10), "laplace": (0.0, 1.0),
    "logistic": (0.0, 1.0), "lognormal": (0.0, 1.0), "logseries": (0.5,), "negative_binomial": (5, 0.5),
    "noncentral_chisquare": (3.0, 1.0), "noncentral_f": (3.0, 4.0, 1.0), "normal": (0.0, 1.0), "pareto": (3.0,), "poisson": (4.0,),
    "power": (2.0,), "random": (), "rayleigh": (1.0,), "standard_cauchy": (), "standard_exponential": (), "standard_gamma": (2.0,),
    "standard_normal": (), "standard_t": (5.0,), "triangular": (0.0, 0.5, 1.0), "uniform": (0.0, 1.0), "vonmises": (0.0, 1.0),
    "wald": (1.0, 1.0), "weibull": (2.0,), "zipf": (3.0,),
}  # fmt: skip
"""The methods that draw each element by itself, and parameters that are right for each."""
_OPTIONS = {name: {"dtype"} for name in _TYPED} | {"integers": {"dtype", "endpoint"}, "standard_exponential": {"dtype", "method"}}
METHODS = frozenset(_PARAMETERS)
_RAISES = (Raises((ValueError, TypeError), lambda args: any(type(leaf) is Node for leaf in leaves_of(args[2:])), None),)
"""Parameters that the program knows are looked at when it is traced."""


def sample_state(name: str = "PCG64") -> np.ndarray[Any, Any]:
    """A state that is right, though nothing is random about it."""
    words = np.zeros(WORDS[name], np.uint64)
    words[:4] = 1, 2, 3, 5
    if name == "Philox":
        words[10] = 4
    return words


def _after(state: Array, name: Any) -> TensorMeta:
    """The meta of the state, which draws do not change. Raises ``Rejected`` for what is no
    state."""
    given = meta_of(state)
    if given.dtype.newbyteorder("=") != np.uint64 or name not in WORDS or given.shape != (WORDS[name],):
        raise TypeError(f"{given} is no state of the bit generator {name!r}")
    return array(given.shape, np.dtype(np.uint64))


def _size(size: Any, *default: Any) -> tuple[Any, ...]:
    shape: tuple[Any, ...] = broadcast((), *default) if size is None else as_tuple(size)
    if any(violated(one >= 0) for one in shape):
        raise Rejected
    return shape


def _declare(method: str, parameters: tuple[Any, ...]) -> Op:
    def samples() -> Iterator[Call]:
        yield call(sample_state(), "PCG64", (2, 3), *parameters)
        yield call(sample_state("SFC64"), "SFC64", None, *parameters)
        if method in _TYPED:
            yield call(sample_state("MT19937"), "MT19937", (4,), *parameters, dtype=np.dtype("i2" if method == "integers" else "f4"))
        if parameters:
            yield call(sample_state("Philox"), "Philox", None, np.full(3, parameters[0]), *parameters[1:])

    def rule(state: Array, name: str, size: Any, *args: Any, **options: Any) -> Any:
        after, dtype = _after(state, name), options.get("dtype")
        if not options.keys() <= _OPTIONS.get(method, set()) or len(args) != len(parameters):
            raise TypeError(f"{method} does not take these parameters")
        shapes = [shape_of(arg) for arg in args]
        shape = _size(size, *shapes)
        for one in shapes:
            require_broadcast_to(one, shape)
        return after, array(shape, np.dtype(dtype or (np.int64 if method in COUNTS else np.float64)))

    rule.__name__ = method
    rule.__doc__ = (
        f"The state after drawing what ``{method}`` of ``numpy.random.Generator`` draws, and that; ``name``: the bit generator's."
    )
    raises = _RAISES if parameters else NOTHING
    see = f"random/generated/numpy.random.Generator.{method}"
    return record(namespace="random", kernel=f"random_draws.draw_{method}", traits="c_order", samples=samples, raises=raises, see=see)(rule)


for _method, _parameters in _PARAMETERS.items():
    _declare(_method, _parameters)


def _samples_of(*rows: tuple[Any, ...], **kwargs: Any) -> Any:
    return lambda: [call(sample_state(), "PCG64", *row, **kwargs) for row in rows]


@record(
    namespace="random",
    kernel="random_draws.call_permutation",
    samples=_samples_of((5,), (arr(3, 4),), (arr(3, 4), 1)),
    raises=NOTHING,
)
def permutation(state: Array, name: str, x: Any, axis: int = 0) -> Any:
    """The state after bringing elements along an axis, or the numbers below ``x``, into another
    order; and these."""
    after = _after(state, name)
    if not isinstance(x, TensorMeta) or not x.shape:
        return after, array((_size(x)[0],), np.dtype(np.int64))
    axis_index(axis, x.ndim)
    return after, array(x.shape, x.dtype)


@record(namespace="random", kernel="random_draws.shuffle", traits="c_order", samples=_samples_of((arr(5),), (arr(3, 4), 1)), raises=NOTHING)
def shuffle(state: Array, name: str, x: Array, axis: int = 0) -> Any:
    """The state after a shuffle along an axis, and the array shuffled."""
    axis_index(axis, x.ndim)
    return _after(state, name), array(x.shape, x.dtype)


def _permuted_samples() -> Iterator[Call]:
    yield call(sample_state(), "PCG64", arr(5))
    yield call(sample_state(), "PCG64", arr(3, 4), axis=1)


@record(namespace="random", kernel="random_draws.call_permuted", traits="c_order", samples=_permuted_samples, raises=NOTHING)
def permuted(state: Array, name: str, x: Array, *, axis: Any = None) -> Any:
    """The state after shuffling each slice along an axis by itself, or all elements, and the array
    made so."""
    if axis is not None:
        axis_index(axis, x.ndim)
    return _after(state, name), array(x.shape, x.dtype)


@record(
    namespace="random",
    kernel="random_draws.call_choice",
    traits="c_order",
    samples=_samples_of(
        (5, (2, 3)), (arr(4), 3, False), (arr(3, 4), None, True, np.array([0.25, 0.5, 0.25])), (arr(3, 4), 2, True, None, 1)
    ),
    raises=_RAISES,
)
def choice(
    state: Array, name: str, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
) -> Any:
    """The state after choosing elements along an axis, or numbers below ``a``, and these."""
    after, taken = _after(state, name), _size(size)
    if not isinstance(a, TensorMeta) or not a.shape:
        return after, array(taken, np.dtype(np.int64))
    place = axis_index(axis, a.ndim)
    return after, array((*a.shape[:place], *taken, *a.shape[place + 1 :]), a.dtype)


@record(
    namespace="random",
    kernel="random_draws.call_multivariate_normal",
    traits="c_order",
    samples=_samples_of((np.zeros(2), np.eye(2), (3,))),
    raises=_RAISES,
)
def multivariate_normal(
    state: Array, name: str, mean: Array, cov: Array, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *, method: str = "svd"
) -> Any:
    """The state after draws of vectors from a normal distribution, and these."""
    if meta_of(mean).ndim != 1 or meta_of(cov).ndim != 2:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(mean)[0]), np.dtype(np.float64))


@record(namespace="random", kernel="random_draws.call_dirichlet", traits="c_order", samples=_samples_of((np.ones(3), (2,))), raises=_RAISES)
def dirichlet(state: Array, name: str, alpha: Array, size: Any = None) -> Any:
    """The state after draws from a Dirichlet distribution, and these."""
    if meta_of(alpha).ndim != 1:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(alpha)[0]), np.dtype(np.float64))


@record(
    namespace="random",
    kernel="random_draws.call_multinomial",
    traits="c_order",
    samples=_samples_of((5, np.full(2, 0.5), (3,)), (np.array([3, 4]), np.full((2, 2), 0.5))),
    raises=_RAISES,
)
def multinomial(state: Array, name: str, n: Any, pvals: Array, size: Any = None) -> Any:
    """The state after draws from multinomial distributions, and these."""
    if meta_of(pvals).ndim < 1:
        raise Rejected
    shapes = [shape_of(n), without_axes(shape_of(pvals), (meta_of(pvals).ndim - 1,))]
    shape = _size(size, *shapes)
    for one in shapes:
        require_broadcast_to(one, shape)
    return _after(state, name), array((*shape, shape_of(pvals)[-1]), np.dtype(np.int64))


@record(
    namespace="random",
    kernel="random_draws.call_multivariate_hypergeometric",
    traits="c_order",
    samples=_samples_of((np.array([3, 4, 5]), 6, (2,)), (np.array([3, 4]), 2, None, "count")),
    raises=_RAISES,
)
def multivariate_hypergeometric(state: Array, name: str, colors: Array, nsample: Any, size: Any = None, method: str = "marginals") -> Any:
    """The state after draws without replacement from groups, and these."""
    if meta_of(colors).ndim != 1:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(colors)[0]), np.dtype(np.int64))


@record(
    namespace="random",
    kernel="random_draws.spawn",
    traits="c_order",
    samples=_samples_of((0,), (2,)),
    raises=(Raises((ValueError, TypeError), lambda args: True, None),),
)
def spawn(state: Array, name: str, count: int) -> Any:
    """The state after spawning children, and their states."""
    return (_after(state, name),) * (count + 1)
