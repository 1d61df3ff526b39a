"""Groups with reductions along the last axis that one call of C computes row by row (`_rows.h`
states the laws): softmax, layer norm and their like read and write a row while it is in the cache.

Without the C extension there are none.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.ir import numpy_internals
from npexport.ir.node import Node
from npexport.runtime.blocks import expressions
from npexport.runtime.blocks.chains import key_of
from npexport.runtime.blocks.expression_calls import Calls
from npexport.runtime.blocks.expressions import expression_of
from npexport.runtime.blocks.fusion import Group, reduced_axes
from npexport.runtime.memory.layouts import is_array, is_exact, size_key

LARGEST, SMALLEST, SUM, MEAN = 1, 2, 3, 4
"""The reductions of `_reductions.h`."""
_REDUCTIONS = {"largest": LARGEST, "smallest": SMALLEST, "sum": SUM, "mean": MEAN}
_MOMENTS = {"variance": False, "deviation": True}
"""What is computed of the mean, and whether its root is taken."""
MOST, UNIT = 64, 64
"""Values and steps of one call at most, and what rows are a multiple of."""
_NUMPYS: dict[int, Any] = {LARGEST: np.maximum.reduce, SMALLEST: np.minimum.reduce, SUM: np.add.reduce, MEAN: np.mean}

Array = np.ndarray[Any, Any]


@functools.cache
def are_those_of_numpy() -> bool:
    """Whether C reduces rows to the bits of this NumPy, on this machine."""
    return all(_is_as_numpys(np.dtype(kind), what) for kind in "fd" for what in _NUMPYS)


def _is_as_numpys(dtype: np.dtype[Any], what: int) -> bool:
    random = np.random.default_rng(1)
    for width in (64, 128, 192, 256, 320, 384, 512, 576, 768, 960, 1024, 1088, 1600, 4096):
        numbers = random.standard_normal((3, width)) * 2.0 ** random.integers(-20, 20, (3, width))
        given = numbers.astype(dtype)
        found: Array = np.empty((3, 1), dtype)
        if not expressions.engine.reduce_rows(what, given, found) or found.tobytes() != _NUMPYS[what](given, -1, keepdims=True).tobytes():
            return False
    return True


def _is_silent() -> bool:
    """Whether nobody hears of results that become too small."""
    return np.geterr()["under"] == "ignore"


class _Steps:
    """The steps of a group, and how its values lie. ``full``: the shape of whole rows."""

    def __init__(self, group: Group, full: tuple[Any, ...], dtype: np.dtype[Any]) -> None:
        self.full, self.dtype = full, dtype
        self.kinds: list[tuple[str, Any, int, Any]] = []
        self.places: dict[Node, int] = {}
        self.steps: list[tuple[Any, tuple[int, ...]]] = []
        self._constants: dict[Any, int] = {}
        self._free: dict[str, list[int]] = {}
        for node in (*group.blocked, *group.whole, *group.outputs):
            self.places[node] = self._value(self.form(node))
        self.given = len(self.kinds)
        self._last = {operand: node for node in group.members for operand in node.all_input_nodes}

    def form(self, node: Node) -> str:
        """How a value lies; empty where no step takes it."""
        meta = node.meta["val"]
        if not is_array(meta) or meta.dtype != self.dtype:
            return ""
        key = size_key(meta)
        forms = {self.full: "r", (*self.full[:-1], 1): "c", self.full[-1:]: "v", (): "s"}
        return forms.get(key, "p" if 1 < len(key) < len(self.full) and key == self.full[-len(key) :] else "")

    def _value(self, form: str, data: Any = None) -> int:
        self.kinds.append((form, self.dtype, self.dtype.itemsize, data))
        return len(self.kinds) - 1

    def register(self, form: str) -> int:
        free = self._free.get(form)
        return free.pop() if free else self._value(form)

    def release(self, place: int) -> None:
        if place >= self.given:
            self._free.setdefault(self.kinds[place][0], []).append(place)

    def place(self, arg: Any) -> int:
        if type(arg) is Node:
            return self.places[arg]
        key = key_of(arg)
        if key not in self._constants:
            self._constants[key] = self._value("s", arg)
        return self._constants[key]

    def member(self, node: Node, calls: Calls) -> bool:
        """Whether the steps of a member could be written."""
        form = self.form(node)
        if form not in ("r", "c"):
            return False
        operands = dict.fromkeys(node.all_input_nodes)
        if node not in self.places:
            self.places[node] = self.register(form)
        if _folds(node):
            if not self._reduce(node):
                return False
        else:
            call = calls.of(node)
            if call is None or type(call.loop) is int or (form == "c" and not is_exact(node)):
                return False
            if any(type(arg) is not Node and arg.dtype != self.dtype for arg in call.args):
                return False
            self.steps.append((call.loop, (*[self.place(arg) for arg in call.args], self.places[node])))
        for operand in operands:
            if self._last[operand] is node:
                self.release(self.places[operand])
        return True

    def _reduce(self, node: Node) -> bool:
        operand, to = node.args[0], self.places[node]
        along_last = reduced_axes(node) == (len(self.full) - 1,) and node.kwargs.get("keepdims") is True
        if not along_last or self.form(operand) != "r":
            return False
        place = self.places[operand]
        folds = _folds(node)
        if folds in _REDUCTIONS:
            self.steps.append((_REDUCTIONS[folds], (place, to)))
            return True
        apart, squares = self.register("r"), self.register("r")
        self.steps.append((MEAN, (place, to)))
        self.steps.append((_loop(np.subtract, self.dtype, 2), (place, to, apart)))
        if numpy_internals.SQUARES:
            self.steps.append((_loop(np.square, self.dtype, 1), (apart, squares)))
        else:
            self.steps.append((_loop(np.multiply, self.dtype, 2), (apart, apart, squares)))
        self.steps.append((MEAN, (squares, to)))
        if _MOMENTS[folds]:
            self.steps.append((_loop(np.sqrt, self.dtype, 1), (to, to)))
        self.release(apart)
        self.release(squares)
        return True


def _folds(node: Node) -> str:
    """What a reduction makes of a row, as its record says."""
    return node.target.folds  # type: ignore[union-attr]


def _loop(kernel: Any, dtype: np.dtype[Any], operands: int) -> Any:
    return numpy_internals.loop_of(kernel, (*[dtype] * operands, None))[1]


def rows_of(group: Group, calls: Calls) -> Any:
    """What computes a group row by row; ``None`` where nothing does."""
    first = next(filter(_folds, group.members), None)
    if expressions.engine is None or first is None or type(first.args[0]) is not Node or not are_those_of_numpy():
        return None
    meta = first.args[0].meta["val"]
    if not is_array(meta) or meta.dtype.char not in "fd" or not meta.dtype.isnative or meta.ndim < 2:
        return None
    if type(meta.shape[-1]) is int and meta.shape[-1] % UNIT:
        return None
    steps = _Steps(group, size_key(meta), meta.dtype)
    outside: Sequence[Node] = (*group.blocked, *group.whole)
    if not all(steps.form(node) for node in (*outside, *group.outputs)) or not all(steps.member(node, calls) for node in group.members):
        return None
    if max(len(steps.kinds), len(steps.steps)) > MOST:
        return None
    api = numpy_internals.C_INTERFACE
    return expressions.engine.Rows(api, tuple(steps.kinds), len(outside), len(group.outputs), tuple(steps.steps), _is_silent)


def block_at_once(group: Group, calls: Calls) -> Any:
    """What computes a block of a group in one call of C: its operands and results are given."""
    expression = expression_of(group, calls, again=True)
    if expression is not None:
        return functools.partial(expressions.engine.run, expression)
    return None if group.rows is None else functools.partial(expressions.engine.run_rows, group.rows)
