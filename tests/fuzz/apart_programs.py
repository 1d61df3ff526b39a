# ruff: noqa: E501 -- tables of expressions
"""Random programs over arrays whose sizes vary apart: sums of products with batches that are broadcast, and indices of every mixture.

The generators behind ``fuzz/apart.py``. Every axis of an argument is a letter or a number; what is of one letter has one size, unless a
call says that an array has one element along it. Statements are put together of parts, not taken from tables, and kept if they run on
the example; a few that raise are kept within a handler.
"""

from __future__ import annotations

import copy
import linecache
import random
from typing import Any

import numpy as np

from npexport import Dim
from tests.support.quiet import quiet


def compiled(source: str) -> Any:
    """The function of a program, whose lines refusals show."""
    name = f"<apart {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), space)
    return space["program"]


_OF_AXES = frozenset("{0}" + part for part in ("[::-1]", "[1:]", "[:2]", "[:0]", "[..., :1]", "[..., :-1]", "[..., 0]"))
_OF_AXES |= {"np.concatenate([{0}, {0}])"}


class Grower:
    """Grows a program on an example. ``axes``: those of each argument; ``numbers``: integers that are arguments."""

    axes: dict[str, tuple[Any, ...]] = {}
    numbers: tuple[str, ...] = ()
    header = ""
    raising = 0.05  # how many of the statements that raise are kept

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.letters = sorted({axis for axes in self.axes.values() for axis in axes if isinstance(axis, str)})
        self.env: dict[str, Any] = {}
        self.made: list[str] = []

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        raise NotImplementedError

    def statement(self) -> tuple[str | None, str]:
        """The name that it binds, and an expression; or ``None`` and a statement."""
        raise NotImplementedError

    def arguments(self, seed: int, sizes: dict[str, int], ones: set[tuple[str, int]]) -> dict[str, Any]:
        """Arguments of a call. Equal seeds give equal ones."""
        g = np.random.default_rng(seed)
        given = {}
        for name, axes in self.axes.items():
            shape = [1 if (name, place) in ones else sizes.get(axis, axis) for place, axis in enumerate(axes)]
            given[name] = self.make(g, name, tuple(shape))
        return given | {name: sizes.get(name, 2) for name in self.numbers}

    def specs(self) -> dict[str, Any]:
        axes = {name: [place for place, axis in enumerate(axes) if isinstance(axis, str)] for name, axes in self.axes.items()}
        numbers = {name: self.rng.choice([Dim.DYNAMIC, None]) for name in self.numbers}
        return {name: dict.fromkeys(places, Dim.AUTO) for name, places in axes.items()} | numbers

    def program(self, example: dict[str, Any], length: int) -> str:
        self.env, self.made = {"np": np}, []
        exec(self.header, self.env)
        self.env.update(example)
        lines: list[str] = []
        for _ in range(12 * length):
            if len(lines) < length and (line := self._grown(len(lines))):
                lines.append(line)
        body = "\n".join([*lines, f"return [{', '.join(list(dict.fromkeys(self.made))[-6:])}]"]).split("\n")
        parameters = ", ".join([*self.axes, *self.numbers])
        return f"{self.header}\ndef program({parameters}):\n" + "".join(f"    {line}\n" for line in body)

    def _grown(self, number: int) -> str:
        """The next statement; an empty text if it does not run."""
        target, text = self.statement()
        line = text if target is None else f"{target} = {text}"
        before = copy.deepcopy({name: value for name, value in self.env.items() if isinstance(value, (np.ndarray, list, dict))})
        try:
            with quiet():
                exec(line, self.env)
            made = None if target is None else self.env[target]
            if isinstance(made, np.ndarray) and (made.dtype == object or made.size > 3000 or made.ndim > 6):
                raise ValueError("too large")
        except Exception:
            self.env.update(before)
            self.env.pop(target or "", None)
            if self.rng.random() > self.raising:
                return ""
            kept = target or f"e{number}"
            line = f"try: {line}\nexcept Exception as ex: {kept} = type(ex).__name__, str(ex)" + (
                "" if target else f"\nelse: {kept} = None"
            )
            target = kept
            self.env[target] = "raises"
        self.made += [] if target is None else [target]
        return line

    # Parts of statements

    def seen(self, own: int, *forms: str) -> str:
        """An array in one of these forms, or, ``own`` times as often as in each, as it is; always so where a form is of axes that it
        has not.
        """
        name = self.pick(*self.arrays())
        fitting = [form if self.env[name].ndim or form not in _OF_AXES else "{0}" for form in forms]
        return str(self.pick(*["{0}"] * own, *fitting).format(name))

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def fresh(self) -> str:
        return f"q{len(self.made)}"

    def arrays(self) -> list[str]:
        return [name for name in [*self.axes, *self.made] if isinstance(self.env.get(name), np.ndarray)]

    def structured(self) -> str:
        return self.pick(*[name for name in self.arrays() if self.env[name].dtype.names] or [*self.axes][:1])


class Contractions(Grower):
    """Sums of products and matrices' products, with axes of one element and of none, labels that repeat, ellipses and orders of work."""

    axes = {
        "a": ("n", "m"),
        "b": ("m", "k"),
        "c": ("n",),
        "d": ("p", "n", "m"),
        "e": ("p", "m", "k"),
        "f": ("m",),
        "g": (1, "m", "k"),
        "h": ("n", "m"),
        "s": ("n", "n"),
        "o": ("p", 1, "n"),
        "z": ("m", "n"),
    }

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        if name == "h":
            return g.integers(-3, 4, shape)
        if name == "z":
            return (g.integers(-2, 3, shape) + 1j * g.integers(-2, 3, shape)).astype("c8")
        if name == "f":
            return g.integers(-3, 4, shape).astype("f4")
        if name == "b":
            return np.asfortranarray(g.standard_normal(shape))
        return g.standard_normal(shape).round(1)

    def val(self) -> str:
        n = self.pick(*self.arrays())
        r = self.rng.random()
        nd = self.env[n].ndim
        if r < 0.12:
            return n + ".T"
        if r < 0.17 and nd >= 2:
            return f"{n}.swapaxes(-1, -2)"
        if r < 0.22 and nd:
            return n + "[::-1]"
        if r < 0.26:
            return n + "[..., None]"
        if r < 0.3:
            return n + "[None]"
        if r < 0.34 and nd:
            return n + "[:1]"
        if r < 0.38 and nd:
            return f"{n}[..., :1]"
        if r < 0.41 and nd:
            return f"{n}[0]"
        return n

    def shape(self, text: str) -> Any:
        try:
            return np.shape(eval(text, self.env))
        except Exception:
            return None

    def einsum(self) -> str:
        rng = self.rng
        k = self.pick(1, 2, 2, 2, 3)
        ops = [self.val() for _ in range(k)]
        known = {}
        terms = []
        for o in ops:
            sh = self.shape(o)
            if sh is None:
                return None
            ell = rng.random() < 0.25
            cut = rng.randint(0, len(sh)) if ell else 0
            labels = ""
            for size in sh[cut:]:
                fit = [l for l, v in known.items() if v == size or v == 1 or size == 1]
                if fit and rng.random() < 0.75:
                    l = rng.choice(fit)
                else:
                    l = "ijklpqrstuvw"[len(known) % 12]
                known.setdefault(l, size)
                labels += l
            terms.append(("..." if ell else "") + labels)
        out = ""
        if rng.random() < 0.8:
            ls = [l for l in known if rng.random() < 0.6]
            rng.shuffle(ls)
            out = "->" + ("..." if any("..." in t for t in terms) or rng.random() < 0.05 else "") + "".join(ls)
        opt = self.pick(
            "",
            "",
            "",
            ", optimize=True",
            ", optimize='greedy'",
            ", dtype='f8', casting='unsafe'",
            ", order='F'",
            ", optimize=['einsum_path', (0, 1)]" if k == 2 else "",
        )
        return f"np.einsum('{','.join(terms)}{out}', {', '.join(ops)}{opt})"

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        v = self.val
        t = self.fresh()
        r = rng.random()
        if r < 0.35:
            e = self.einsum()
            return t, e or "a @ b"
        x, y = v(), v()
        ax = lambda: str(rng.choice((0, 1, -1, 2, -2)))
        forms = [f"{x} @ {y}", f"np.matmul({x}, {y})", f"np.dot({x}, {y})", f"np.inner({x}, {y})", f"np.tensordot({x}, {y}, {rng.randint(0, 2)})",
            f"np.tensordot({x}, {y}, ([{ax()}], [{ax()}]))", f"np.tensordot({x}, {y}, ([{ax()}, {ax()}], [{ax()}, {ax()}]))", f"np.vecdot({x}, {y})", f"np.vecdot({x}, {y}, axis={ax()})", f"np.matvec({x}, {y})", f"np.vecmat({x}, {y})",
            f"np.outer({x}, {y})", f"np.kron({x}, {y})", f"np.vdot({x}, {y})", f"np.linalg.multi_dot([{x}, {y}, {v()}])", f"np.matmul({x}, {y}, axes=[({ax()}, {ax()}), ({ax()}, {ax()}), ({ax()}, {ax()})])", f"np.cross({x}, {y})",
            f"{x} * {y}", f"{x} + {y}", f"{x} - {y}", f"({x} * {y}).sum({ax()})", f"({x} * {y}).sum(({ax()}, {ax()}), keepdims=True)", f"np.multiply.outer({x}, {y})", f"np.broadcast_to({x}, np.shape({y}))", f"np.stack([{x}, {y}])", f"np.concatenate([{x}, {y}], {ax()})",
            f"{x}.reshape(-1)", f"{x}.reshape({x}.shape[0], -1)", f"{x}.transpose()", f"np.moveaxis({x}, {ax()}, {ax()})", f"np.expand_dims({x}, {ax()})", f"np.squeeze({x})", f"np.linalg.matrix_power({x}, {rng.randint(0, 3)})", f"np.linalg.norm({x}, axis={ax()})", f"np.linalg.det({x})", f"np.linalg.matrix_transpose({x})", f"np.trace({x}, axis1={ax()}, axis2={ax()})", f"np.diagonal({x}, {rng.randint(-1, 1)}, {ax()}, {ax()})", f"np.linalg.matmul({x}, {y})", f"np.linalg.tensordot({x}, {y}, axes=1)", f"np.linalg.outer({x}, {y})",  f"np.linalg.vecdot({x}, {y})", f"np.einsum_path('ij,jk', {x}, {y})[0]", f"np.matmul({x}, {y}, out=np.zeros(np.matmul({x}, {y}).shape, 'c16'))", f"np.dot({x}, {y}).real", f"{x}.conj() @ {y}", f"np.convolve({x}, {y})", f"np.correlate({x}, {y}, {self.pick(repr('full'), repr('same'), repr('valid'))})", f"np.cov({x}, {y})", f"np.apply_along_axis(np.dot, {ax()}, {x}, {y})"]  # fmt: skip
        if r < 0.42:
            n = self.pick(*self.arrays())
            return None, self.pick(
                f"{n} @= {x}",
                f"{n}[...] = {x} @ {y}",
                f"np.matmul({x}, {y}, out={n})",
                f"np.einsum('...->...', {x}, out={n})",
                f"{n} += {x} @ {y}",
                f"{n}[0] = {x}",
                f"np.dot({x}, {y}, out={n})",
                f"{n} -= {x} * {y}",
                f"np.vecdot({x}, {y}, out={n})",
            )
        return t, rng.choice(forms)


class Indices(Grower):
    """Reads and writes through tuples of integers, slices, new axes, masks of all ranks and arrays that are broadcast."""

    axes = {
        "a": ("n",),
        "b": ("n", "m"),
        "c": ("p", "n", "m"),
        "i": ("n",),
        "j": ("m",),
        "l": ("n", "m"),
        "k": ("n",),
        "u": ("m",),
        "w": ("n", "m"),
        "v": ("p", "n"),
        "q": (2, "m", 3),
    }

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        if name in "ij":
            return g.integers(-2, 3, shape)
        if name == "l":
            return g.integers(0, 2, shape).astype("u1")
        if name in "ku w v".split() or name in "kuwv":
            return g.random(shape) > 0.5
        if name == "q":
            return np.asfortranarray(g.integers(-9, 9, shape))
        return g.standard_normal(shape).round(1)

    def item(self) -> str:
        rng = self.rng
        r = rng.random
        s = lambda: self.pick("", "", "1", "-1", "2", "-2", "0", "len(a)", "b.shape[1]", "n0", "-n0", "5", "-3")
        p = r()
        if p < 0.2:
            return self.pick("0", "-1", "1", "i[0]", "np.int64(1)", "n0 - 1", "True", "np.array(0)", "int(i[0])", "-n0", "l[0, 0]")
        if p < 0.45:
            return f"{s()}:{s()}" + self.pick("", "", ":2", ":-1", ":-2", ":n0")
        if p < 0.55:
            return "None"
        if p < 0.62:
            return "..."
        if p < 0.8:
            return self.pick("i", "j", "[0, 0]", "[1, -1]", "i[:, None]", "j[None]", "[[0], [1]]", "np.arange(len(a))", "np.arange(len(j))[:, None]", "l", "[]", "i % 2", "np.array([0, 1], 'u1')", "slice(None)", "i[:1]", "np.argsort(a)", "np.flatnonzero(k)", "(0, 1)", "[True, False]", "i[k]", "-i - 1", "[n0 - 1]", "np.zeros((2, 0), int)", "np.array([[0]])")  # fmt: skip
        return self.pick(
            "k",
            "u",
            "w",
            "a > 0",
            "b > 0",
            "~k",
            "k[:, None] & u",
            "v",
            "np.zeros(len(a), bool)",
            "a[:0] > 0",
            "k[::-1]",
            "w.any(1)",
            "w.any(0)",
            "w[0]",
            "c > 0",
            "w.T",
        )

    def index(self) -> str:
        r = self.rng.random()
        if r < 0.1:
            return self.pick("np.ix_(i % 2, [0, 1])", "np.ix_(k, u)", "np.ix_(k, [0])", "np.nonzero(w)", "np.where(b > 0)", "np.unravel_index([0, 1], b.shape)", "np.diag_indices(min(b.shape))", "np.tril_indices(len(a), 0, len(j))", "np.s_[1:, ..., None]", "np.triu_indices_from(b)", "tuple(np.argwhere(w).T)", "np.ogrid[:len(a), :len(j)]", "tuple(np.indices(b.shape))", "()", "np.mgrid[:2, :2]", "np.lexsort((i, k))")  # fmt: skip
        if r < 0.35:
            return self.item()
        return ", ".join(self.item() for _ in range(self.rng.randint(2, 4)))

    header = "n0 = 2\n"

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        arrs = self.arrays()
        n = rng.choice(arrs) if rng.random() < 0.5 or not self.made else rng.choice([m for m in arrs if m in self.made] or arrs)
        idx = self.index()
        r = rng.random()
        val = lambda: self.pick(
            "0",
            "1.5",
            "-1",
            "a",
            "b",
            "i",
            "j",
            "b[0]",
            "a[:, None]",
            "True",
            n + "[...]",
            n + "[::-1]",
            f"{n}[{idx}]",
            f"{n}[{idx}] * 2",
            "np.arange(3)",
            "[1, 2]",
            "np.float32(2)",
            "c",
            "a.sum()",
            "q",
            *self.made[-3:],
        )
        if r < 0.45:
            return t, f"{n}[{idx}]"
        if r < 0.5:
            return t, self.pick(f"{n}[{idx}].copy()", f"{n}[{idx}].shape", f"{n}[{idx}].T", f"{n}[{idx}][{self.index()}]", f"{n}[{idx}] + {val()}", f"np.take({n}, i, {self.pick('0', '-1', 'None')}, mode={self.pick('None', repr('wrap'), repr('clip'))})".replace(", mode=None", ""), f"np.take_along_axis({n}, np.argsort({n}, -1), -1)", f"{n}.take([0, -1], {self.pick(0, 1, -1)})", f"np.delete({n}, {self.item()}, {self.pick(0, -1, None)})", f"np.insert({n}, {self.pick('[0, 1]', '0', '-1', 'i', 'slice(0, 2)')}, {val()}, {self.pick(0, -1, None)})", f"np.compress(k, {n}, {self.pick(0, 1, None)})", f"np.extract({n} > 0, {n})", f"np.select([{n} > 0, {n} < 0], [{n}, {val()}], {val()})", f"np.choose(l, [b, {val()}])", f"np.where({n}, {val()}, {val()})", f"{n}.item({self.pick('0', '-1', '(0, 0)', 'len(a) - 1')})", f"{n}.flat[{self.item()}]", f"np.apply_over_axes(np.sum, {n}, [0])", f"np.argwhere({n})", f"np.searchsorted(np.sort({n}.ravel()), {val()})", "np.ravel_multi_index((i, i), (5, 5), mode='wrap')", f"np.put_along_axis({n}, np.argmax({n}, -1, keepdims=True), 9, -1)", f"np.broadcast_to({n}, c.shape)[{idx}]", f"np.expand_dims({n}, (0, -1))[{idx}]", f"np.atleast_3d({n})[{idx}]", f"np.moveaxis({n}, 0, -1)[{idx}]", f"{n}.reshape(-1)[{self.item()}]", f"{n}.view()[{idx}]")  # fmt: skip
        if r < 0.75:
            return None, f"{n}[{idx}] = {val()}"
        if r < 0.9:
            return None, f"{n}[{idx}] {self.pick('+=', '-=', '*=', '//=', '&=', '**=', '/=', '%=')} {val()}"
        return None, self.pick(f"np.add.at({n}, np.s_[{idx}], {val()})", f"np.put({n}, {self.pick('i', '[0, -1]', 'j', '0')}, {val()}, {self.pick(repr('wrap'), repr('clip'), repr('raise'))})", f"np.putmask({n}, {n} > 0, {val()})", f"np.place({n}, {n} > 0, {self.pick('[1, 2]', 'a', '[0]')})", f"np.copyto({n}, {val()}, where={self.pick('k', 'u', 'w', 'True', 'k[:, None]')})", f"{n}.flat[{self.item()}] = {val()}", f"np.fill_diagonal({n}, {val()})", f"np.maximum.at({n}, np.s_[{idx}], {val()})", f"{n}[{idx}].sort()", f"{n}[{idx}].fill(3)", f"{n}.T[{idx}] = {val()}", f"{n}[{idx}][{self.index()}] = {val()}", f"{n}[{idx}][...] += {val()}", f"np.add({n}[{idx}], {val()}, out={n}[{idx}])", f"del {self.pick(*self.made) if self.made else 'zz'}")  # fmt: skip
