"""Random functions of arrays that take views, write through them and in place, and make new arrays: run by NumPy and exported."""

import numpy as np

UFUNCS = [np.add, np.subtract, np.multiply, np.maximum, np.minimum]
UNARY = [np.negative, np.absolute, np.sqrt, np.exp]
INDICES = [slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1), 0, -1, slice(1, -1), Ellipsis]


def random_function(rng, steps):
    """A function of three arrays; ``rng`` decides now what it does: the same in every call."""
    rows = [(rng.random(), rng.randrange(1000), rng.randrange(1000), rng.randrange(1000), rng.random()) for _ in range(steps)]
    results = [rng.randrange(1000) for _ in range(rng.randrange(1, 4))]

    def function(x, y, z):
        pool = [x, y, z]
        for row in rows:
            value = _step(pool, *row)
            if isinstance(value, np.ndarray):
                pool.append(value)
        return tuple(pool[number % len(pool)] for number in results)

    return function


def _step(pool, kind, first, second, third, share):
    a, b = pool[first % len(pool)], pool[-1 - second % min(len(pool), 3)]
    index = _index(a, third)
    if kind < 0.2:
        return _fitting(UFUNCS[third % len(UFUNCS)], a, b)
    if kind < 0.3:
        return UNARY[third % len(UNARY)](a)
    if kind < 0.42:
        return a[index] if a.ndim else None
    if kind < 0.47:
        return a.T
    if kind < 0.52:
        return np.zeros_like(a) if share < 0.5 else a.copy()
    if kind < 0.57:
        return np.where(a > 0.5, a, 1.0) if share < 0.5 else np.sum(a, axis=0) if a.ndim else None
    if kind < 0.67:
        value = _fitting(UFUNCS[second % len(UFUNCS)], a, b)
        if value is not None and value.shape == a.shape != ():
            if share < 0.5:
                a += b
            else:
                a[...] = value * 0.5
        return None
    if a.ndim:
        _write(a, index, b, share)
    return None


def _index(a, number):
    first, second = INDICES[number % len(INDICES)], INDICES[number // len(INDICES) % len(INDICES)]
    items = (first, second) if a.ndim > 1 and number % 3 and Ellipsis not in (first, second) else (first,)
    there = [slice(None) if isinstance(item, int) and not size else item for item, size in zip(items, a.shape, strict=False)]
    return tuple(there) if len(items) > 1 else (there or items)[0]


def _write(a, index, b, share):
    part = a[index]
    if part.shape == b.shape:
        if share < 0.3:
            a[index] += b
        elif share < 0.6:
            a[index] = 0.5 * (b + part) - b
        else:
            a[index] = b + 1.0
    elif share < 0.5:
        a[index] = part * 0.25 + a[index]
    else:
        a[index] = 2.0


def _fitting(ufunc, a, b):
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return None
    return ufunc(a, b)


def random_arrays(rng):
    """The three arrays, each in an order of its own."""
    shape = rng.choice([(4, 5), (5, 5), (6, 3)])
    data = np.random.default_rng(rng.randrange(1 << 30))
    arrays = [data.random(shape), data.random(shape), data.random(shape[-1:])]
    choice = rng.random()
    if choice < 0.3:
        arrays[0] = np.asfortranarray(arrays[0])
    elif choice < 0.4:
        arrays[1] = np.repeat(arrays[1], 2, axis=1)[:, ::2]
    return tuple(arrays)
