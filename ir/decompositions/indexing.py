"""Taking, putting and searching elements, and sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import several, unboxed
from npexport.ir.numpy_internals import implementation
from npexport.symshapes.symint import is_symbolic


@register_decomposition("np.flat_index")
def flat_index(x: Any, index: Any) -> Any:
    """Exact: elements of the flattened array. One truth is a place there, not a mask."""
    if isinstance(index, (bool, np.bool)) or getattr(index, "shape", None) == () and index.dtype == bool:
        raise NotImplementedError
    return np.reshape(x, (-1,))[index]


@register_decomposition("np.argwhere")
def argwhere(a: Any) -> Any:
    """Exact: the indices of the elements that are not 0, one a row."""
    if a.ndim == 0:
        raise NotImplementedError
    return np.stack(np.nonzero(a)).T


@register_decomposition("np.flatnonzero")
def flatnonzero(a: Any) -> Any:
    """Exact: the indices of the elements that are not 0 in the flattened array."""
    return np.nonzero(np.reshape(a, (-1,)))[0]


@register_decomposition("np.extract")
def extract(condition: Any, arr: Any) -> Any:
    """Exact: the elements that are taken."""
    return np.take(np.reshape(arr, (-1,)), np.nonzero(np.reshape(condition, (-1,)))[0])


@register_decomposition("np.compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Exact: the elements that are taken."""
    places = np.nonzero(np.asanyarray(condition))[0]
    return np.take(np.reshape(a, (-1,)), places) if axis is None else np.take(a, places, axis=axis)


@register_decomposition("np.choose")
def choose(a: Any, choices: Any, *, mode: Any = "raise") -> Any:
    """Exact: one choice for each element."""
    choices = [np.asanyarray(choice) for choice in choices]
    count = len(choices)
    if mode == "raise":
        if np.any((a < 0) | (a >= count)):
            raise ValueError("invalid entry in choice array")
    else:
        a = a % count if mode == "wrap" else np.minimum(np.maximum(a, 0), count - 1)
    kind = np.result_type(*[choice.dtype for choice in choices])
    result = choices[0].astype(kind)
    for index in range(1, count):
        result = np.where(a == index, choices[index].astype(kind), result)
    return unboxed(np.broadcast_to(result, np.broadcast_shapes(a.shape, *[choice.shape for choice in choices])).copy())


@register_decomposition("np.put")
def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    """Exact: elements are written in order; values are repeated as needed."""
    flat, places = np.reshape(a, (-1,)).copy(), np.reshape(np.asanyarray(ind), (-1,))
    places = places.astype(np.intp) if places.dtype != np.intp else places  # truth values are the indices 0 and 1, not a mask
    values = np.reshape(np.asanyarray(v), (-1,))
    size = values.shape[0]
    if is_symbolic(size) or not size:
        places = places[: places.shape[0] * min(size, 1)]  # of no values, nothing is written
    if mode != "raise":
        if not is_symbolic(flat.shape[0]) and not flat.shape[0]:
            raise NotImplementedError  # an error: there are no elements to index
        places = places % flat.shape[0] if mode == "wrap" else np.minimum(np.maximum(places, 0), flat.shape[0] - 1)
    flat[places] = np.take(values, np.arange(places.shape[0]) % max(size, 1)).astype(a.dtype)
    return np.reshape(flat, a.shape)


@register_decomposition("np.set_flat")
def set_flat(x: Any, index: Any, value: Any) -> Any:
    """Exact: a write to the flattened array."""
    flat = np.reshape(x, (-1,)).copy()
    flat[index] = value
    return np.reshape(flat, x.shape)


@register_decomposition("np.set_part")
def set_part(x: Any, part: str, value: Any) -> Any:
    """Exact: a write to every second float of the array seen as floats."""
    if x.dtype.kind not in "biufc":
        raise NotImplementedError  # NumPy decides whether a number is a date
    if x.dtype.kind != "c":
        return np.broadcast_to(np.asanyarray(value).astype(x.dtype), x.shape).copy()
    flat = np.reshape(x, (-1,)).copy()
    parts = flat.view(flat.real.dtype)
    parts[part == "imag" :: 2] = np.reshape(np.broadcast_to(value, x.shape), (-1,))
    return np.reshape(parts.view(x.dtype), x.shape)


@register_decomposition("np.put_along_axis")
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    """Exact: NumPy's own steps, on a copy."""
    out = arr.copy()
    implementation(np.put_along_axis)(out, indices, values, axis)
    return out


@register_decomposition("np.fill_diagonal")
def fill_diagonal(a: Any, val: Any, wrap: Any = False) -> Any:
    """Exact: the value where all indices are equal."""
    if wrap or np.ndim(val):
        raise NotImplementedError
    if a.ndim > 2 and any(size != a.shape[0] for size in a.shape):
        raise ValueError("All dimensions of input must be of equal length")
    places = np.arange(a.shape[0] if a.ndim > 2 else np.minimum(a.shape[0], a.shape[1]))
    out = a.copy()
    out[(places,) * a.ndim] = val
    return out


@register_decomposition("np.place")
def place(arr: Any, mask: Any, vals: Any) -> Any:
    """Exact: one value for each true element, repeated as needed."""
    flat = np.reshape(np.asanyarray(mask), (-1,)).astype(np.bool_)
    values = np.reshape(np.asanyarray(vals), (-1,)).astype(arr.dtype)
    at = np.maximum(np.cumsum(flat) - 1, 0) % values.shape[0]
    return np.where(flat, np.take(values, at), np.reshape(arr, (-1,))).reshape(arr.shape)


@register_decomposition("np.putmask")
def putmask(a: Any, mask: Any, values: Any) -> Any:
    """Exact: one value for each element, repeated as needed; of no values none."""
    flat = np.reshape(np.asanyarray(mask), (-1,)).astype(np.bool_)
    given = np.reshape(np.asanyarray(values), (-1,)).astype(a.dtype)
    count = given.shape[0]
    if is_symbolic(count) or not count:
        given, flat = np.concatenate([given, np.zeros(1, a.dtype)]), flat & (np.asanyarray(count) > 0)
    at = np.arange(flat.shape[0]) % max(count, 1)
    return np.where(flat, np.take(given, at), np.reshape(a, (-1,))).reshape(a.shape)


@register_decomposition("np.copyto")
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> Any:
    """Exact: the source where the mask is true."""
    given = np.asanyarray(src).astype(dst.dtype)
    return np.where(where, given, dst)


@register_decomposition("np.ravel_multi_index")
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    """Exact: sums of products of indices and sizes."""
    if any(size == 0 for size in dims):
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    modes = (mode,) * len(dims) if isinstance(mode, str) else mode
    total: Any = 0
    axes = range(len(dims)) if order == "C" else range(len(dims) - 1, -1, -1)
    for axis in axes:
        at, size = np.asanyarray(multi_index[axis]).astype(np.intp), dims[axis]
        if modes[axis] == "raise":
            if np.any((at < 0) | (at >= size)):
                raise ValueError("invalid entry in coordinates array")
        else:
            at = at % size if modes[axis] == "wrap" else np.minimum(np.maximum(at, 0), size - 1)
        total = total * size + at
    return total


@register_decomposition("np.unravel_index")
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    """Exact: remainders and quotients by the sizes."""
    sizes = several(shape)
    count: Any = 1
    for size in sizes:
        count = count * size
    left = np.asanyarray(indices).astype(np.intp)
    if np.any((left < 0) | (left >= count)):
        raise ValueError("an index is out of bounds for an array of this shape")
    found = []
    for size in sizes[::-1] if order == "C" else sizes:
        found.append(left % size)
        left = left // size
    found = found[::-1] if order == "C" else found
    if left.ndim == 0 or not found:
        return tuple(found)
    places = np.stack(found, axis=-1)  # NumPy's layout: columns of one array
    return tuple([places[..., axis] for axis, _ in enumerate(found)])


@register_decomposition("np.digitize")
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """Exact: a binary search in ascending or descending bins."""
    alike = np.logical_and.accumulate(np.concatenate([np.ones(1, np.bool_), bins[1:] == np.take(bins, np.zeros(bins[1:].shape, np.intp))]))
    grows = bins[:-1] < bins[1:]
    falls = np.any(alike[:-1] & ~alike[1:] & ~grows)  # the first bin that differs from its start tells the order
    if np.any(np.where(falls, grows, bins[:-1] > bins[1:])):
        raise ValueError("bins must be monotonically increasing or decreasing")
    side: Any = "left" if right else "right"
    rising = np.searchsorted(bins, x, side=side)
    falling = bins.shape[0] - np.searchsorted(bins[::-1], x, side=side)
    return unboxed(np.where(falls, falling, rising))


@register_decomposition("np.lexsort")
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """Exact: stable sorts, the last key last."""
    keys = [np.asanyarray(key) for key in keys]
    if not keys or keys[0].ndim == 0:
        raise NotImplementedError
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for key in keys[1:]:
        by = np.argsort(np.take_along_axis(key, order, axis), axis=axis, kind="stable")
        order = np.take_along_axis(order, by, axis)
    return order


def _among(element: Any, tests: Any) -> Any:
    """Whether each element is among the others."""
    if {element.dtype.kind, tests.dtype.kind} == {"m", "M"}:
        raise NotImplementedError  # whether NumPy compares them depends on how many there are
    try:
        kind = np.result_type(element.dtype, tests.dtype)
    except TypeError as error:  # NumPy compares them one by one, and none is equal
        raise NotImplementedError from error
    ordered = np.sort(tests.astype(kind))
    wanted = element.astype(kind)
    at = np.searchsorted(ordered, wanted)
    found = np.take(np.concatenate([ordered, np.zeros((1,), kind)]), at)
    return (found == wanted) & (at < ordered.shape[0])


@register_decomposition("np.isin")
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: Any = None) -> Any:
    """Exact: a binary search among the sorted others."""
    element, tests = np.asanyarray(element), np.reshape(np.asanyarray(test_elements), (-1,))
    among = _among(np.reshape(element, (-1,)), tests)
    return np.reshape(np.logical_not(among) if invert else among, element.shape)


@register_decomposition("np.setdiff1d")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """Exact: the distinct elements that are not among the others."""
    mine = np.reshape(ar1, (-1,)) if assume_unique else np.unique(ar1)
    return mine[np.logical_not(_among(mine, np.reshape(ar2, (-1,))))]


@register_decomposition("np.setxor1d")
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """Exact: the elements without an equal neighbour when both are sorted together."""
    first = np.reshape(ar1, (-1,)) if assume_unique else np.unique(ar1)
    second = np.reshape(ar2, (-1,)) if assume_unique else np.unique(ar2)
    both = np.sort(np.concatenate([first, second]))
    alone = np.searchsorted(both, both, side="right") - np.searchsorted(both, both, side="left") == 1
    return both[alone | (both != both)]
