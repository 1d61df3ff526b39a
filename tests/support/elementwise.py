"""Arrays in every layout, and random programs of element-wise operators, reductions and views over them."""

import numpy as np


def array(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


LAYOUTS = {
    "C": lambda x: x.copy(),
    "F": lambda x: np.asfortranarray(x),
    "strided": lambda x: np.repeat(x, 2, axis=-1)[:, ::2],
    "gaps": lambda x: np.pad(x, 1)[1:-1, 1:-1],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "permuted": lambda x: np.ascontiguousarray(x.T).T,
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "unaligned": lambda x: _unaligned(x),
}


def _unaligned(x):
    memory = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    memory[:] = x.reshape(-1)
    return memory.reshape(x.shape)


def random_function(rng):
    """A random program over a matrix, a row, a column and a number."""
    unary = [
        np.negative,
        np.abs,
        np.sqrt,
        np.exp,
        np.sin,
        np.floor,
        np.square,
        lambda x: np.isnan(x) * 0.5,
        np.log,
        np.tanh,
        lambda x: x.astype(np.float32),
    ]
    binary = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.fmin, np.arctan2, lambda x, y: (x < y) * y, np.hypot, np.copysign]
    reducing = [np.sum, np.max, np.mean, np.std, lambda x, **more: np.any(x, **more) + x[:, :1]]
    steps = []
    for _ in range(rng.randint(3, 12)):
        kind = rng.choice(["unary", "binary", "binary", "reduce", "where", "clip", "view", "number"])
        pick = [rng.random() for _ in range(3)]
        steps.append((kind, rng.choice(unary), rng.choice(binary), rng.choice(reducing), pick, rng.choice([0.5, 2, -1, 3.0])))
    kept = [rng.random() for _ in range(rng.randint(1, 3))]

    def function(*inputs):
        values = list(inputs)
        for kind, one, two, reduced, pick, number in steps:
            x, y, z = [values[int(part * len(values))] for part in pick]
            if kind == "unary":
                values.append(one(x))
            elif kind == "binary":
                values.append(two(x, y))
            elif kind == "where":
                values.append(np.where(x > 0, y, z))
            elif kind == "clip":
                values.append(np.clip(x, -number if number > 0 else number, 3))
            elif kind == "number":
                values.append(two(x, number))
            elif kind == "reduce" and x.ndim == 2:
                values.append(reduced(x, axis=-1, keepdims=True))
            elif kind == "view" and x.ndim == 2 and x.shape[1] > 1:
                values.append(x[:, ::-1] if number == 2 else x[:, :1])
        return tuple(values[len(inputs) + int(part * (len(values) - len(inputs)))] * 1 for part in kept)

    return function


def random_arguments(rng, rows, columns, seed):
    """What such a program takes, perhaps with a number that is none, the last in any layout."""
    dtype = rng.choice([np.float64, np.float32])
    args = [
        array(rows, columns, dtype=dtype, seed=seed),
        array(columns, dtype=dtype),
        array(rows, 1),
        array(rows, columns, seed=seed + 1),
    ]
    if rng.random() < 0.5:
        args[0][rng.randrange(rows), rng.randrange(columns)] = rng.choice([np.nan, np.inf, -np.inf, 0, 1e-40])
    args[3] = rng.choice(list(LAYOUTS.values()))(args[3])
    return args
