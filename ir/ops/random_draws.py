"""The ``random`` namespace: draws of a generator whose state is an array of words, so that a draw
is a function like any other.

Each takes the state and the bit generator's name, and gives the state after the draw, and what is
drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.facts import Raises
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops import bounds
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    array,
    as_tuple,
    axis_index,
    broadcast,
    larger,
    meta_of,
    record,
    require_broadcast_to,
    shape_of,
    violated,
    without_axes,
)
from npexport.ir.raising import NOTHING, always
from npexport.ir.random_states import WORDS
from npexport.symshapes.errors import Unsupported

TYPED = frozenset("random standard_normal standard_exponential standard_gamma integers".split())
COUNTS = frozenset("binomial geometric hypergeometric integers logseries negative_binomial poisson zipf".split())
METHODS = {
    name: count
    for count, names in (
        (0, "random standard_cauchy standard_exponential standard_normal"),
        (1, "chisquare exponential geometric logseries pareto poisson power rayleigh standard_gamma standard_t weibull zipf"),
        (2, "beta binomial f gamma gumbel integers laplace logistic lognormal negative_binomial"),
        (2, "noncentral_chisquare normal uniform vonmises wald"),
        (3, "hypergeometric noncentral_f triangular"),
    )
    for name in names.split()
}
"""The methods that draw each element by itself, and how many parameters each takes."""
_OPTIONS = {name: {"dtype"} for name in TYPED} | {"integers": {"dtype", "endpoint"}, "standard_exponential": {"dtype", "method"}}
_RAISES = (Raises((ValueError, TypeError), lambda args: any(type(leaf) is Node for leaf in leaves_of(args[2:])), None),)
"""Exceptions of parameters that only data know; known ones are checked while tracing."""


def _after(state: Array, name: Any) -> TensorMeta:
    """The meta of the state, which draws do not change. Raises ``Rejected`` for what is no
    state."""
    given = meta_of(state)
    if given.dtype.newbyteorder("=") != np.uint64 or name not in WORDS or given.shape != (WORDS[name],):
        raise TypeError(f"{given} is not a state of the bit generator {name!r}")
    return array(given.shape, np.dtype(np.uint64))


def _size(size: Any, *default: Any) -> tuple[Any, ...]:
    shape: tuple[Any, ...] = broadcast((), *default) if size is None else as_tuple(size)
    if any(violated(one >= 0) for one in shape):
        raise Rejected
    return shape


def _declare(method: str, count: int) -> Op:
    def rule(state: Array, name: str, size: Any, *args: Any, **options: Any) -> Any:
        after, dtype = _after(state, name), options.get("dtype")
        if not options.keys() <= _OPTIONS.get(method, set()) or len(args) != count:
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
    raises = _RAISES if count else NOTHING
    see = f"random/generated/numpy.random.Generator.{method}"
    found = bounds.drawn if method == "integers" else None
    return record(namespace="random", kernel=f"random_draws.draw_{method}", traits="c_order", raises=raises, bounds=found, see=see)(rule)


for _method, _count in METHODS.items():
    _declare(_method, _count)


@record(namespace="random", kernel="random_draws.call_permutation", raises=NOTHING, bounds=bounds.shuffled)
def permutation(state: Array, name: str, x: Any, axis: int = 0) -> Any:
    """The state after bringing elements along an axis, or the numbers below ``x``, into another
    order; and these."""
    after = _after(state, name)
    if not isinstance(x, TensorMeta):
        return after, array((larger(0, x),), np.dtype(np.int64))
    axis_index(axis, x.ndim)
    return after, array(x.shape, x.dtype)


@record(namespace="random", kernel="random_draws.shuffle", traits="c_order", raises=NOTHING, bounds=bounds.shuffled)
def shuffle(state: Array, name: str, x: Array, axis: int = 0) -> Any:
    """The state after a shuffle along an axis, and the array shuffled."""
    axis_index(axis, x.ndim)
    return _after(state, name), array(x.shape, x.dtype)


@record(namespace="random", kernel="random_draws.call_permuted", traits="c_order", raises=NOTHING, bounds=bounds.shuffled)
def permuted(state: Array, name: str, x: Array, *, axis: Any = None) -> Any:
    """The state after shuffling each slice along an axis by itself, or all elements, and the array
    made so."""
    if axis is not None:
        axis_index(axis, x.ndim)
    return _after(state, name), array(x.shape, x.dtype)


@record(namespace="random", kernel="random_draws.call_choice", traits="c_order", raises=_RAISES, bounds=bounds.shuffled)
def choice(
    state: Array, name: str, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
) -> Any:
    """The state after choosing elements along an axis, or numbers below ``a``, and these."""
    after, taken = _after(state, name), _size(size)
    if isinstance(a, (tuple, list)):
        a = meta_of(a)
    if not isinstance(a, TensorMeta) or not a.shape:
        return after, array(taken, np.dtype(np.int64))
    place = axis_index(axis, a.ndim)
    return after, array((*a.shape[:place], *taken, *a.shape[place + 1 :]), a.dtype)


@record(namespace="random", kernel="random_draws.call_multivariate_normal", traits="c_order draws_first", raises=_RAISES)
def multivariate_normal(
    state: Array, name: str, mean: Array, cov: Array, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *, method: str = "svd"
) -> Any:
    """The state after draws of vectors from a normal distribution, and these."""
    if meta_of(mean).ndim != 1 or meta_of(cov).ndim != 2:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(mean)[0]), np.dtype(np.float64))


@record(namespace="random", kernel="random_draws.call_dirichlet", traits="c_order", raises=_RAISES)
def dirichlet(state: Array, name: str, alpha: Array, size: Any = None) -> Any:
    """The state after draws from a Dirichlet distribution, and these."""
    if meta_of(alpha).ndim != 1:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(alpha)[0]), np.dtype(np.float64))


@record(namespace="random", kernel="random_draws.call_multinomial", traits="c_order", raises=_RAISES)
def multinomial(state: Array, name: str, n: Any, pvals: Array, size: Any = None) -> Any:
    """The state after draws from multinomial distributions, and these."""
    if meta_of(pvals).ndim < 1:
        raise Rejected
    shapes = [shape_of(n), without_axes(shape_of(pvals), (meta_of(pvals).ndim - 1,))]
    shape = _size(size, *shapes)
    for one in shapes:
        require_broadcast_to(one, shape)
    return _after(state, name), array((*shape, shape_of(pvals)[-1]), np.dtype(np.int64))


@record(namespace="random", kernel="random_draws.call_multivariate_hypergeometric", traits="c_order", raises=_RAISES)
def multivariate_hypergeometric(state: Array, name: str, colors: Array, nsample: Any, size: Any = None, method: str = "marginals") -> Any:
    """The state after draws without replacement from groups, and these."""
    if meta_of(colors).ndim != 1:
        raise Rejected
    return _after(state, name), array((*_size(size), shape_of(colors)[0]), np.dtype(np.int64))


@record(namespace="random", kernel="random_draws.seeded", traits="c_order", raises=(Raises((ValueError, TypeError), always, None),))
def seeded(entropy: Any, name: str) -> Any:
    """The state that a bit generator has which is made with this seed: an integer, or an array of
    some."""
    given = meta_of(entropy)
    if given.dtype.kind not in "iu" or len(given.shape) > 1 or name not in WORDS:
        raise TypeError(f"{given} is no seed of {name!r}")
    return array((WORDS[name],), np.dtype(np.uint64))


_MOST_CHILDREN = 10_000


@record(namespace="random", kernel="random_draws.spawn", traits="c_order", raises=(Raises((ValueError, TypeError), always, None),))
def spawn(state: Array, name: str, count: int) -> Any:
    """The state after spawning children, and their states."""
    if count > _MOST_CHILDREN:
        raise Unsupported("E101", f"more than {_MOST_CHILDREN} generators are spawned at once", hint="Spawn some, and others of them.")
    return (_after(state, name),) * (count + 1)
