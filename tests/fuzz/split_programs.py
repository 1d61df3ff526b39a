# ruff: noqa: E501 -- tables of expressions
"""Random programs over rows, most of whose steps keep the rows apart, and some of which couple them in ways that are easily missed:
axes that are moved, flattened or counted from the end, indices of rows, tables of rows, loops, branches, sizes.
"""

from __future__ import annotations

import random

_STEPS = (
    "x = np.{u}(x)", "x = x {o} y[:, None]", "x = x {o} w[0]", "x = x {o} w.sum()", "x = (x.T {o} y).T", "x = x @ w", "x = w @ x.T; x = x.T", "x = np.dot(x, w)", "x = np.einsum('ij,jk', x, w)", "x = np.einsum('{e}', x, w)", "x = np.tensordot(x, w, 1)", "x = np.tensordot(x, w, ([1], [0]))", "x = np.inner(x, w)", "x = np.matmul(w, x[..., None])[..., 0]", "x = np.vecdot(x, w[1])[:, None] + w[0]", "x = x * np.linalg.norm(x, axis={a})[{n}]", "x = np.{r}(x, axis={a}, keepdims=True) + x", "x = x - x.{r}({a}, keepdims=True)", "y = x.{r}(1)", "y = np.{r}(x, axis=-1)", "y = x.T.{r}(0)", "y = np.{r}(x.T, axis={a})[: len(y)]", "y = x.reshape(-1, 3).{r}(1)", "x = np.cumsum(x, {a})", "x = np.{acc}.accumulate(x, axis={a})", "x = np.sort(x, axis={a})", "x = np.take_along_axis(x, np.argsort(x, {a}), {a})", "i = np.argmax(x, {a}) + i * 0", "i = np.argsort(x, 1)[:, 0]", "x = x[:, ::-1]", "x = x[:, [2, 0, 1]]", "x = x[:, i % 3][:, :3]", "x = w[i % 3] + x", "x = w[:, i % 3].T", "x = x[i % 2]", "x = x[i * 0]", "x = np.take(x, i % 2, axis={a2})[:, :3]", "x = np.take(w, i % 3, axis={a2}).reshape(-1, 3)", "y = x[np.arange(len(x)), i % 3]", "y = x[np.arange(len(x)), 0]", "y = np.take_along_axis(x, (i % 3)[:, None], 1)[:, 0]", "y = w[0][i % 3]", "y = np.choose(i % 3, x.T)", "y = np.choose(i % 2, [y, -y])", "y = np.where(i > 0, y, x[:, 0])", "x = np.where(x > y[:, None], x, w[0])", "x = np.where(y > 0, x.T, 1.0).T", "x = np.select([x > 1, x < 0], [x, -x], 0.5)", "x = np.clip(x, w.min(), w.max())", "x = np.clip(x, y[:, None] - 1, None)", "x = np.minimum(x, y[:, None])", "y = np.interp(y, np.array([0.0, 1.0, 2.0]), w[0])", "y = np.interp(np.linspace(0, 1, len(y)), np.arange(3.0), w[1])", "i = np.searchsorted(np.sort(w[0]), y)", "i = np.digitize(y, np.array([0.0, 1.0]))", "i = np.isin(i, [0, 2]).astype(int)", "i = (i[:, None] == np.arange(3)).argmax(1)",
    "x = np.concatenate([x[:, 1:], y[:, None]], axis=1)", "x = np.stack([y, x[:, 0], x[:, 1]], {a3})", "x = np.column_stack([y, x[:, 1:]])", "x = np.hstack([x[:, :2], y[:, None]])", "x = np.vstack([y, x[:, 0], x[:, 2]]).T", "x = np.c_[x[:, :2], y]", "x = np.tile(y[:, None], 3) + x", "x = np.repeat(y, 3).reshape(-1, 3)", "x = np.repeat(y[:, None], 3, axis=1)", "x = np.tile(y, 3).reshape(-1, 3)", "x = np.tile(y, 3).reshape(3, -1).T", "x = x.ravel().reshape(x.shape)", "x = x.ravel('F').reshape(x.shape)", "x = x.ravel('F').reshape(x.shape, order='F')", "x = x.reshape(3, -1).T", "x = x.T.reshape(-1, 3)", "x = x.T.copy().T * 2", "x = np.swapaxes(x, 0, 1).copy().T", "x = np.moveaxis(x[:, :, None] * w, {p}).sum({a})[: len(x)]", "x = (x[:, :, None] * w).sum({a1})", "x = (x[:, None, :] * w[None]).max(-1)", "x = (x[:, :, None] * w).transpose({p3}).reshape(-1, 9)[:, :3]", "x = (x[:, None] - x[None]).sum({a1}).reshape(-1, 3)", "x = np.multiply.outer(y, w[0])", "x = np.outer(y, w[1])", "x = np.outer(w[1], y).T", "x = np.add.outer(y, w[1]) + x", "x = np.kron(x, w)[:, :3][: len(y)]", "x = np.roll(x, 1, axis={a})", "x = np.flip(x, {a})", "x = np.diff(x, axis=1, prepend=y[:, None])", "x = np.gradient(x, axis=1)", "x = np.pad(x, ((0, 0), (1, 1)))[:, 1:-1]", "x = np.apply_along_axis(np.{cum}, {a}, x)", "x = np.fft.ifft(np.fft.fft(x, axis={a}), axis={a}).real", "x = np.broadcast_to(y[:, None], x.shape) + x", "x = np.percentile(x, 40, axis={a}, keepdims=True) + x", "x = np.nan_to_num(x / y[:, None])", "x = np.cov(x)[:, :3]", "x = x * np.trapezoid(x, axis={a})[{n}]", "y = np.convolve(y, [1.0])", "y = np.cumsum(y)[::-1][::-1]", "y = y + y[::-1]", "y = np.ediff1d(y, to_end=0.0)", "x = np.insert(x, 1, y, axis=1)[:, :3]", "x = np.delete(x, 1, axis=1)[:, [0, 1, 1]]", "x = np.partition(x, 1, axis={a})", "x = np.cross(x, w[2])", "x = np.linalg.inv(w + 9 * np.eye(3) + x[:, :, None])[:, 1]", "y = np.linalg.det(x[:, :, None] * x[:, None, :] + w)", "y = np.trace(x[:, :, None] * w, axis1={t1}, axis2={t2})[: len(y)]", "y = np.diagonal(x[:, :, None] * w, axis1=1, axis2=2).sum(1)", "y = np.polyval(w[0], y)", "y = np.polyval(x.T, y)", "y = np.apply_over_axes(np.sum, x, [1])[:, 0]", "y = np.array([v * 2 for v in y])", "y = np.array([r.sum() for r in x])", "y = np.fromiter((v + 1 for v in y), float)", "x = np.array([r * w[0] for r in x])", "y = np.vectorize(lambda v: v * 2 if v > 0 else v)(y)", "y = np.frompyfunc(abs, 1, 1)(y).astype(float)", "y = np.linspace(0, 1, 3)[i % 3]", "y = np.linspace(y, y + 1, 3)[1]", "x = np.linspace(y, y + 1, 3).T", "x = np.linspace(y, y + 1, 3, axis=1)", "x = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1))), 3, axis=1).sum(-1)", "x = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((1, 0), (0, 0))), 2, axis=0).sum(-1)", "x = np.meshgrid(w[0], y)[0] + x", "x = np.meshgrid(w[0], y)[1]", "x = np.meshgrid(w[0], y, indexing='ij')[1].T", "i = np.lexsort((x[:, 0], x[:, 1])) * 0 + i", "i = np.lexsort(x.T[::-1] * 0 + np.arange(3)[:, None], axis=0)[: len(i)]", "i = np.cumsum(i) % 3", "i = np.unravel_index(i % 3, (3, 1))[0]", "i = np.bitwise_xor.accumulate(i % 4)", "y = np.bincount(i % 3, minlength=3)[i % 3] * 1.0", "y = (i[:, None] > i).sum(1) * 1.0", "y = np.nonzero(y)[0] * 1.0", "y = np.zeros(len(y)) + w[0, 0]", "y = np.full_like(y, w[1, 1])", "y = np.ones(x.shape[0]) * y", "y = y / x.shape[1]", "y = y / x.size", "y = y + np.ndim(x)", "y = np.arange(len(y)) * 0 + y", "y = np.eye(len(y), 3)[:, 0] + y", "y = np.tri(len(y), 3)[:, 1] + y", "x = np.triu(x)", "x = np.tril(x) + x", "x = np.vander(y, 3)", "x = np.fliplr(x)", "x = np.flipud(x)", "x = np.rot90(x, 2)", "x = np.atleast_3d(x)[:, :, 0]", "x = np.array_split(x, 1)[0]", "x = np.hsplit(x, 3)[1] + x", "x = np.dsplit(x[:, :, None], 1)[0][:, :, 0]", "x = x.view(np.int64).view(float)", "x = np.unwrap(x, axis={a})", "x = np.compress([True, False, True], x, axis=1)[:, [0, 1, 0]]", "x = x.astype(np.float32).astype(float)", "x = np.asfortranarray(x)", "x = x.copy('K')", "x = np.heaviside(x, y[:, None])", "x = np.block([x[:, :1], x[:, 1:]])", "x = np.squeeze(x[:, None], 1)", "x = np.expand_dims(y, 1) * x", "x = np.ldexp(x, i[:, None])", "x = np.piecewise(x, [x > 0], [lambda v: v, -1.0])", "x = np.put_along_axis(z := x.copy(), (i % 3)[:, None], 9.0, 1) or z",
)  # fmt: skip
_WRITES = (
    "x = x.copy(); x[:, 0] = y", "x = x.copy(); x[:, 1:] *= 2", "x = x.copy(); x[0] = 5.0", "x = x.copy(); x[-1, :] += 1", "x = x.copy(); x[i > 0] = w[0]", "x = x.copy(); x[x > 1] = 1.0", "x = x.copy(); x[np.arange(len(x)), i % 3] += y", "x = x.copy(); np.add.at(x, (slice(None), [0, 0]), 1.0)", "x = x.copy(); np.add.at(x, i % 2, 1.0)", "x = x.copy(); x.T[0] = y", "x = x.copy(); x.flat[::3] = y", "x = x.copy(); x.flat[0] = 3.0", "x = x.copy(); x.ravel()[:3] = w[0]", "x = x.copy(); np.multiply(x, 2, out=x, where=x > 0)", "x = x.copy(); np.copyto(x, y[:, None], where=x < 0)", "x = x.copy(); x.sort(1)", "x = x.copy(); x.partition(1, axis=1)", "x = x.copy(); x.put([0], 4.0)", "x = x.copy(); np.putmask(x, x > 0, w)", "x = x.copy(); np.place(x, x > 0, w[0])", "x = x.copy(); np.fill_diagonal(x, 7.0)", "x = x.copy(); x[::2] = 0.0", "x = x.copy(); x[1:] = x[:-1]", "x = x.copy(); x[:, 1:] = x[:, :-1]", "x = x.copy(); x[x[:, 0] > 0, 1] = 2.0", "x = x.copy(); np.cumsum(x, axis=1, out=x)",
    "for k in range(3): x = x + w[k] * y[:, None]", "for k in range(x.shape[1]): y = y + x[:, k]", "for r in x: y = y + r.sum()", "for k in range(len(x)): y = y + 1", "for c in x.T: y = y * c", "for k, r in enumerate(w): x = x + r * k", "while (w > 3).any(): w = w / 2", "while (x > 9).any(): x = x / 2", "while abs(y).max() > 2: y = y / 2", "if w.sum() > 0: x = -x", "if x.sum() > 0: x = -x", "if (y > 0).all(): y = y - 1", "if x.shape[0] > 2: x = x + 1", "if len(y) % 2: y = y + 1", "if w[0, 0] > 0: x = x[:, ::-1]", "if i[0] > 0: x = -x", "assert (x == x).all()", "s = np.zeros(len(y))\n    for k in range(3): s = s + np.where(x[:, k] > s, x[:, k], 0)\n    y = s", "h = np.zeros((x.shape[0], 3))\n    for k in range(4): h = np.tanh(h @ w + x)\n    x = h", "d = ((x[:, None] - w) ** 2).sum(-1)\n    i = d.argmin(1)", "k = int(i[0])\n    x = x * k", "v = float(w[0, 0])\n    x = x * v", "try: x = x / w.sum()\n    except ZeroDivisionError: x = x", "y, x = x[:, 0], np.stack([y] * 3, 1)", "x, _ = np.modf(x)", "_, (a, b) = 0, (x[:, :1], x[:, 1:])\n    x = np.concatenate([b, a], 1)",
)  # fmt: skip
_PARTS = {
    "u": ("sin", "exp", "abs", "sign", "floor", "tanh", "square"), "o": ("+", "-", "*"), "r": ("sum", "max", "mean", "min", "prod", "std"), "acc": ("add", "maximum", "multiply"), "cum": ("cumsum", "sort", "flip"),
    "a": ("1", "1", "-1", "-1", "0", "-2"), "a1": ("1", "-2", "-1", "0", "2", "(1, 2)"), "a2": ("0", "1", "-1"), "a3": ("1", "-1", "0"), "n": (":, None", "..., None", "None"), "e": ("ij,jk->ik", "ij,kj->ik", "ij,jk->i", "ij,jk", "ij,ij->i", "ij,jk->ki", "ij,kk->ij", "...j,jk->...k"), "p": ("0, 1", "0, -1", "1, 2", "-1, 0", "[0, 1], [1, 2]"), "p3": ("0, 2, 1", "1, 0, 2", "2, 0, 1", "0, 1, 2"), "t1": ("0", "1", "1"), "t2": ("1", "2", "2"),
}  # fmt: skip


class Writer:
    """Writes one program of rows, a number and an index for each, and a table, ``f(x, y, i, w)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        choose = self.random.choice
        body = []
        for _ in range(self.random.randint(1, 4)):
            step = choose(_WRITES if self.random.random() < 0.3 else _STEPS)
            for name, parts in _PARTS.items():
                step = step.replace("{" + name + "}", choose(parts))
            body.append(step)
        body.append(
            choose(
                (
                    "return x",
                    "return y",
                    "return x, y",
                    "return {'x': x, 'i': i}",
                    "return x, w",
                    "return x.T, y",
                    "return x.reshape(-1), i",
                    "return x[:, :, None], y[None]",
                )
            )
        )
        return "\n".join(["def f(x, y, i, w):", *["    " + line for line in body]])
