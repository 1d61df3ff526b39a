"""Small programs as users write them: layers, filters, pipelines, tapes, caches."""

# ruff: noqa: E731, E741, E742, B008, B018, B023, B904

import collections
import functools
import math
import types

import numpy as np


def np_ndenumerate(x, y):
    total = 0.0
    for (i, j), v in np.ndenumerate(x):
        total = total + v * (i + 1) * (j - 1)
    return total


def np_ndindex_fill(x, y):
    out = np.zeros(x.shape)
    for idx in np.ndindex(*x.shape):
        out[idx] = x[idx] * sum(idx)
    return out


def np_apply_along_axis(x, y):
    return np.apply_along_axis(lambda r: np.sort(r) * y, 1, x), np.apply_over_axes(np.sum, x, [0])


def np_fromfunction(x, y):
    return np.fromfunction(lambda i, j: i * 10 + j, x.shape) + x, np.array([[f(v) for f in (np.sin, np.cos)] for v in y])


def np_piecewise_select(x, y):
    return (
        np.piecewise(y, [y < 1.5, y >= 1.5], [lambda v: v * 2, lambda v: v - 1]),
        np.select([x > 1, x < -1], [x, -x], 0),
        np.choose([0, 1, 0, 1], [y, -y]),
    )


def np_loops_over_axes(x, y):
    out = x
    for axis, f in enumerate([np.mean, np.max]):
        out = out - f(x, axis=axis, keepdims=True)
    return out


def np_dict_of_functions(x, y):
    return {name: getattr(np, name)(x, axis=0) for name in ("sum", "prod", "ptp" if hasattr(np, "ptp") else "min", "argmax", "cumsum")}


def np_reduce_matmul(x, y):
    return functools.reduce(np.matmul, [x, np.diag(y), np.ones((4, 2))]), np.linalg.multi_dot([x, x.T, x])


def np_dtype_branches(x, y):
    out = []
    for d in (np.float32, "int64", bool, complex):
        a = (x * 10).astype(d)
        match a.dtype.kind:
            case "f":
                out.append(a / 2)
            case "i" | "u":
                out.append(a // 2)
            case "b":
                out.append(~a)
            case _:
                out.append(a.real)
    return out


def np_inplace_chain(x, y):
    a = x.copy()
    a += y
    a *= 2
    a[a > 1] = 0
    a[:, 0], a[:, 1] = a[:, 1].copy(), a[:, 0].copy()
    a[1:] -= a[:-1].copy()
    np.clip(a, -1, 1, out=a)
    return a


def np_views_and_swaps(x, y):
    a = x.copy()
    v = a.T
    v[0] = 9
    w = a.ravel()
    w[3] = -1
    b = a[::2]
    b += 1
    return a, v, w, b, np.shares_memory(a, v), v.base is a


def np_softmax_attention(x, y):
    def softmax(a, axis=-1):
        e = np.exp(a - a.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    heads = [softmax((x * h) @ x.T / math.sqrt(x.shape[1])) @ x for h in range(1, 3)]
    return np.concatenate(heads, axis=-1)


def np_rnn_cell(x, y):
    class Cell:
        def __init__(self, n):
            self.w, self.u, self.b = np.eye(n), np.full((n, n), 0.1), np.zeros(n)

        def __call__(self, h, v):
            return np.tanh(self.w @ v + self.u @ h + self.b)

    cell, h, hs = Cell(4), np.zeros(4), []
    for row in x:
        h = cell(h, row)
        hs.append(h)
    return np.stack(hs), h


def np_autodiff_tape(x, y):
    tape = []

    class Var:
        def __init__(self, v, parents=()):
            self.v, self.g, self.parents = v, np.zeros_like(v), parents
            tape.append(self)

        def __add__(self, o):
            return Var(self.v + o.v, [(self, lambda g: g), (o, lambda g: g)])

        def __mul__(self, o):
            return Var(self.v * o.v, [(self, lambda g: g * o.v), (o, lambda g: g * self.v)])

        def sin(self):
            return Var(np.sin(self.v), [(self, lambda g: g * np.cos(self.v))])

    a, b = Var(x), Var(np.broadcast_to(y, x.shape))
    out = (a * b + a.sin()) * a
    out.g = np.ones_like(out.v)
    for node in reversed(tape):
        for p, f in node.parents:
            p.g = p.g + f(node.g)
    return out.v, a.g, b.g


def np_kalman_namedtuple(x, y):
    S = collections.namedtuple("S", "m p")

    def step(s, z):
        k = s.p / (s.p + 0.5)
        return S(s.m + k * (z - s.m), (1 - k) * s.p)

    return functools.reduce(step, x, S(np.zeros(4), np.ones(4)))._asdict()


def np_string_keyed_params(x, y):
    params = {f"layer{i}.{k}": np.full((4, 4) if k == "w" else 4, 0.1 * (i + 1)) for i in range(2) for k in ("w", "b")}
    h = x
    for name in sorted({k.split(".")[0] for k in params}):
        h = np.maximum(h @ params[f"{name}.w"] + params[f"{name}.b"], 0)
    return h, list(params)


def np_tree_map(x, y):
    def tree_map(f, t):
        if isinstance(t, dict):
            return {k: tree_map(f, v) for k, v in t.items()}
        if isinstance(t, (list, tuple)):
            return type(t)(tree_map(f, v) for v in t)
        return f(t)

    return tree_map(lambda v: v * 2, {"a": [x, (y, 3)], "b": {"c": 1.5}})


def np_config_pipeline(x, y):
    steps = [("center", {}), ("scale", {"by": 2.0}), ("clip", {"lo": -1, "hi": 1})]

    class Pipe:
        def center(self, v):
            return v - v.mean(0)

        def scale(self, v, by):
            return v / by

        def clip(self, v, *, lo, hi):
            return np.clip(v, lo, hi)

        def run(self, v):
            return functools.reduce(lambda acc, s: getattr(self, s[0])(acc, **s[1]), steps, v)

    return Pipe().run(x)


def np_observer_events(x, y):
    class Bus:
        def __init__(self):
            self.subs = collections.defaultdict(list)

        def on(self, name):
            return lambda f: self.subs[name].append(f) or f

        def emit(self, name, *a):
            return [f(*a) for f in self.subs[name]]

    bus = Bus()

    @bus.on("data")
    def first(v):
        return v.sum(0)

    @bus.on("data")
    def second(v):
        return v.max()

    return bus.emit("data", x), bus.emit("none", x)


def np_memo_by_shape(x, y):
    cache = {}

    def basis(n):
        if n not in cache:
            cache[n] = np.vander(np.arange(n) + 1.0, 3)
        return cache[n]

    return basis(x.shape[1]).T @ x[0], basis(4) is basis(4), len(cache)


def np_lazy_graph(x, y):
    class Lazy:
        def __init__(self, f, *deps):
            self.f, self.deps, self._v = f, deps, None

        @property
        def value(self):
            if self._v is None:
                self._v = self.f(*(d.value if isinstance(d, Lazy) else d for d in self.deps))
            return self._v

        def __getattr__(self, n):
            return Lazy(lambda v: getattr(v, n), self)

    a = Lazy(np.add, x, 1)
    b = Lazy(np.multiply, a, a)
    return b.value, a.T.value, b.value is b.value


def np_game_of_life(x, y):
    g = (x > 0).astype(int)
    n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((g == 1) & (n == 2))).astype(int)


def np_levenshtein_static(x, y):
    a, b = "kitten", "sitting"
    prev = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        cur = [i]
        for j, q in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (p != q)))
        prev = cur
    return x * prev[-1]


def np_matrix_class_det(x, y):
    def det(m):
        if len(m) == 1:
            return m[0][0]
        return sum((-1) ** j * m[0][j] * det([r[:j] + r[j + 1 :] for r in m[1:]]) for j in range(len(m)))

    return det([[x[i, j] for j in range(3)] for i in range(3)])


def np_horner_and_poly(x, y):
    return functools.reduce(lambda acc, c: acc * x + c, [1, -2, 0.5]), np.polyval([1, -2, 0.5], x), np.poly1d([1, 2])(3)


def np_masks_static(x, y):
    mask = np.array([i % 2 == 0 for i in range(4)])
    idx = [i for i, m in enumerate(mask) if m]
    return x[:, mask], x[:, idx], np.where(mask, x, 0), mask.sum(), x[:, ~mask].shape


def np_static_conditions(x, y):
    assert x.ndim == 2 and x.shape[-1] == y.shape[0], "shapes"
    k = x.shape[0] if x.shape[0] < 5 else 5
    pad = [(0, 0)] * (x.ndim - 1) + [(1, 1)]
    return (
        np.pad(x, pad)[:, :k],
        x.reshape(*x.shape[:-1], 2, -1).sum(-1),
        x[(slice(None),) * (x.ndim - 1) + (0,)],
        x[..., None, :] * np.ones((2, 1)),
    )


def np_out_and_where(x, y):
    out = np.zeros_like(x)
    r = np.multiply(x, 2, out=out, where=x > 0)
    return r is out, out, np.add.reduce(x), np.maximum.accumulate(x, axis=1), np.subtract.outer(y, y), np.add.reduceat(y, [0, 2])


def np_structured_flow(x, y):
    results = {}
    for name, f in vars(types.SimpleNamespace(a=np.sin, b=np.tanh)).items():
        try:
            results[name] = f(x)
        finally:
            results.setdefault("order", []).append(name)
    else:
        results["done"] = True
    return results
