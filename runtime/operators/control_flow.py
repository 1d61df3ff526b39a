"""Branches and loops as functions: eager here, one node each in an exported program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.symshapes.errors import Unsupported, UserError
from npexport.symshapes.parameters import ARGUMENTS, FLAG, FUNCTION, TRUTH, instance, require, takes
from npexport.symshapes.plain import with_article

Leaves = list[Any]
PARAMETERS = {
    "cond": {"pred": TRUTH, "true_fn": FUNCTION, "false_fn": FUNCTION, "operands": ARGUMENTS},
    "while_loop": {"cond_fn": FUNCTION, "body_fn": FUNCTION, "carried_inputs": ARGUMENTS},
    "scan": {"combine_fn": FUNCTION, "reverse": FLAG},
    "map": {"f": FUNCTION},
}
"""What the parameters take, also where the call is traced."""


@takes(**PARAMETERS["cond"])
def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()) -> Any:
    """Call ``true_fn(*operands)`` if ``pred`` is true, else ``false_fn(*operands)``.

    Only one of the two runs. In an exported program it is one node, whose two graphs give the same
    structure of arrays of the same shapes and dtypes, NumPy scalars and numbers of Python.

    Parameters
    ----------
    pred : bool, number or array of one element
        What decides.
    true_fn, false_fn : callable
        They may use whatever is around them, and change nothing that exists before.
    operands : sequence, optional
        What they are called with: arrays, numbers and containers of them.

    Returns
    -------
    object
        What the function returns; its arrays are new ones, in C order.

    Raises
    ------
    UserError
        ``pred`` is not a truth (E201).
    Unsupported
        When exported: the two sides differ (E127), or one has an effect (E128).

    Examples
    --------
    >>> cond(2 > 1, lambda x: x + 1, lambda x: x - 1, (np.zeros(2),))
    array([1., 1.])
    """
    leaves, spec = tree_flatten((true_fn if pred else false_fn)(*operands))
    return spec.unflatten(_own(leaves))


@takes(**PARAMETERS["while_loop"])
def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Repeat ``carried = body_fn(*carried)`` as long as ``cond_fn(*carried)`` is true.

    Parameters
    ----------
    cond_fn : callable
        Gives a truth, a number or an array of one element.
    body_fn : callable
        Gives values of the structure, shapes, dtypes and kinds that it takes: a number of Python
        stays one. It gets arrays of its own, which it may write to.
    carried_inputs : sequence
        The first values: arrays, numbers and containers of them.

    Returns
    -------
    tuple
        The last values.

    Raises
    ------
    Unsupported
        An iteration gives something else than it takes (E127).

    Examples
    --------
    >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, np.ones(2)))
    (3, array([8., 8.]))
    """
    leaves, spec = tree_flatten(tuple(carried_inputs))
    leaves = _own(leaves)
    while goes_on(cond_fn(*spec.unflatten(_own(leaves)))):
        leaves = _next(leaves, spec, carried(body_fn(*spec.unflatten(leaves))), "the carry")
    return spec.unflatten(leaves)  # type: ignore[no-any-return]


@takes(**PARAMETERS["scan"])
def scan(combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> tuple[Any, Any]:
    """Carry a value through the elements of ``xs``: ``carry, y = combine_fn(carry, x)``.

    Parameters
    ----------
    combine_fn : callable
        Takes a carry and an element, and returns the next carry and a result. A carry keeps its
        structure, shapes, dtypes and kinds. Where there are no elements, it is called once with
        zeros, to learn what it gives.
    init : object
        The first carry: arrays, numbers and containers of them.
    xs : array or container of arrays
        Of one length along ``dim``.
    dim : int, default 0
        The axis of ``xs`` to iterate over, along which the results are stacked, too.
    reverse : bool, default False
        Go from the last element to the first.

    Returns
    -------
    tuple
        ``(carry, ys)``: the last carry, and the results stacked in the order of ``xs``.

    Raises
    ------
    UserError
        ``xs`` cannot be iterated over (E201).
    Unsupported
        A carry differs from the one before (E127).

    Examples
    --------
    >>> scan(lambda total, x: (total + x, total + x), np.float64(0), np.arange(4.0))
    (np.float64(6.0), array([0., 1., 3., 6.]))
    """
    leaves, spec = tree_flatten(init)
    arrays, structure = tree_flatten(xs)
    length = length_along([array if isinstance(array, np.ndarray) and not array.dtype.hasobject else None for array in arrays], dim)
    leaves = _own(leaves)
    found: list[Leaves] = []
    inner = None
    iterations = range(length)
    for iteration in reversed(iterations) if reverse else iterations:
        x = structure.unflatten(_own([_element(array, iteration, dim) for array in arrays]))
        result = pair_of(combine_fn(spec.unflatten(leaves), x))
        leaves = _next(leaves, spec, result[0], "the carry")
        ys, inner = _following(found[-1] if found else None, inner, result[1])
        found.append(ys)
    if not found:
        with np.errstate(all="ignore"):
            zeros = structure.unflatten([_zero(array, dim) for array in arrays])
            ys, inner = _following(None, None, pair_of(combine_fn(spec.unflatten(_own(leaves)), zeros))[1])
        return spec.unflatten(leaves), inner.unflatten([_none(y, dim) for y in ys])
    if reverse:
        found.reverse()
    stacked = [np.array(np.stack(column, axis=dim), order="C") for column in zip(*found, strict=True)]
    return spec.unflatten(leaves), inner.unflatten(stacked)  # type: ignore[union-attr]


@takes(**PARAMETERS["map"])
def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Call ``f(x, *args)`` for each element of ``xs`` along the first axis, and stack what it
    returns.

    Parameters
    ----------
    f : callable
        Its results have one structure, with the same shapes and dtypes.
    xs : array or container of arrays
        Of one length along the first axis.
    *args
        Further operands, the same in each call.

    Returns
    -------
    array or container of arrays
        The results, stacked along the first axis.

    Examples
    --------
    >>> map(lambda x, scale: x.sum() * scale, np.ones((2, 3)), 2.0)
    array([6., 6.])
    """
    return scan(lambda carry, x: ((), f(x, *args)), (), xs)[1]


def goes_on(result: Any) -> Any:
    """What ``cond_fn`` returns. Raises ``UserError`` (E201) where it is not a truth."""
    require("what cond_fn returns", result, TRUTH)
    return result


def carried(result: Any) -> Any:
    """The result of an iteration as a tuple of carries."""
    return tuple(result) if isinstance(result, list) else result if isinstance(result, tuple) else (result,)


def pair_of(result: Any) -> tuple[Any, Any]:
    """The result of ``combine_fn``. Raises ``Unsupported`` (E127) if it is not a pair."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise Unsupported("E127", "combine_fn gives no pair (carry, y)", hint="Return two values: return carry, y.")
    return result


def length_along(arrays: list[Any], dim: int) -> Any:
    """The common length along the axis. Raises ``UserError`` (E201)."""
    require("dim", dim, instance(int))
    if not arrays or any(array is None or not -len(array.shape) <= dim < len(array.shape) for array in arrays):
        raise UserError("E201", f"xs are not arrays that have an axis {dim}", hint="Pass an array, or a container of arrays.")
    length = arrays[0].shape[dim]
    if any(array.shape[dim] is not length and not array.shape[dim] == length for array in arrays[1:]):
        raise UserError("E201", f"the arrays in xs differ in length along axis {dim}", hint="Pass arrays of one length.")
    return length


def _own(leaves: Leaves) -> Leaves:
    return [np.array(leaf, order="C") if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]


def _element(array: Any, iteration: int, dim: int) -> Any:
    return np.moveaxis(array, dim, 0)[iteration]


def _zero(array: Any, dim: int) -> Any:
    return np.zeros((1, *np.moveaxis(array, dim, 0).shape[1:]), array.dtype)[0]


def _none(y: Any, dim: int) -> Any:
    """A stack of no elements."""
    shape = np.stack([y], axis=dim).shape
    axis = dim % len(shape)
    return np.empty((*shape[:axis], 0, *shape[axis + 1 :]), np.asarray(y).dtype)


def _following(before: Leaves | None, spec: TreeSpec | None, result: Any) -> tuple[Leaves, TreeSpec]:
    if spec is None or before is None:
        leaves, spec = tree_flatten(result)
        for path, leaf in zip(spec.paths("y"), leaves, strict=True):
            if not isinstance(leaf, (np.ndarray, np.generic, int, float, complex)) or np.asarray(leaf).dtype.hasobject:
                raise unstackable(f"`{path}`", described(leaf))
        return _own(leaves), spec
    return _next(before, spec, result, "y"), spec


def _next(before: Leaves, spec: TreeSpec, result: Any, what: str) -> Leaves:
    leaves, after = tree_flatten(result)
    require_structure(spec, after, what)
    for path, old, new in zip(spec.paths(what), before, leaves, strict=True):
        if described(old) != described(new):
            raise mismatch(f"`{path}` was {described(old)}, and is {described(new)} after an iteration")
    return _own(leaves)


def described(value: Any) -> str:
    """What must not change in a value: kind, dtype and shape."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{'an array' if isinstance(value, np.ndarray) else 'a NumPy scalar'} {value.dtype}{list(value.shape)}"
    return with_article(type(value).__name__) if type(value) in (int, float, bool, complex) else repr(value)


def require_structure(one: TreeSpec, other: TreeSpec, what: str) -> None:
    """Raises ``Unsupported`` (E127) where two structures differ."""
    if one != other:
        raise mismatch(f"the structure of {what} was {one.render()}, and is {other.render()}")


def unstackable(path: str, kind: str) -> Unsupported:
    """The refusal (E127) of results that ``scan`` and ``map`` cannot stack."""
    return mismatch(f"{path} is {kind}, which cannot be stacked")


def mismatch(text: str, **more: Any) -> Unsupported:
    return Unsupported("E127", text, **more)
