"""NumPy's functions, methods and operators with arguments of every kind: an export computes what NumPy computes, raises what it raises,
or refuses with a code. Programs are tables; ``KINDS`` names the inputs."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, InputMismatch, export, frame_hook
from tests.support.outcomes import result_or_error
from tests.support.shards import shard

KINDS: dict[str, Any] = {
    "m": np.arange(9.0).reshape(3, 3) - 4,
    "v": np.array([0.5, 2.0, 3.0]),
    "z": np.array(1.5),
    "s": np.float64(2.5),
    "i": np.array([2, 0, 1]),
    "k": np.array(2),
    "b": np.array([True, False, True]),
    "f": np.array([[1.5, 2, -3]], np.float32),
    "e": np.zeros((0, 3)),
    "c": np.array([1 + 2j, 3, -1j]),
    "u": np.array([3, 2, 1], np.uint8),
    "d": np.array(["2020-01-01", "2021-05-03", "2019-12-31"], "M8[D]"),
    "t": np.array([1, 5, -3], "m8[h]"),
    "x": np.array(["abc", "De f", "  x "]),
}
ALLOWED = {"E101", "E103", "E104", "E105", "E114", "E115", "E121", "E122", "E123"}
"""Refusals that answer a call of NumPy with data: nothing internal, nothing that blames the caller."""
OPEN = {"empty", "empty_like"}
"""Functions whose results are open."""
ENVIRONMENT = set(  # files, text, the process: not what a program computes
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex set_printoptions setbufsize seterr seterrcall test "
    "info show_config show_runtime get_include get_printoptions printoptions errstate getbufsize geterr geterrcall".split()
)


def agrees(actual: Any, wanted: Any) -> bool:
    """Equal in type, dtype, shape and, but for rounding, value."""
    if type(actual) is not type(wanted):
        return False
    if isinstance(wanted, (tuple, list)):
        return len(actual) == len(wanted) and all(map(agrees, actual, wanted))
    if isinstance(wanted, (np.ndarray, np.generic)):
        if actual.dtype != wanted.dtype or actual.shape != wanted.shape:
            return False
        return wanted.dtype.kind not in "biufc" or bool(np.allclose(actual, wanted, equal_nan=True))
    return wanted.__class__.__module__ != "builtins" or actual == wanted or wanted != wanted


def disagreement(label: str, function: Callable[..., Any], kinds: str, refused: set[str], texts: bool = False) -> str:
    """What is wrong with exporting and running the function, or an empty text."""
    args = tuple(copy.deepcopy(KINDS[kind]) for kind in kinds)
    wanted = result_or_error(function, *copy.deepcopy(args))
    actual = result_or_error(lambda *given: export(function, given).module()(*given), *copy.deepcopy(args))
    if isinstance(actual, InputMismatch) and isinstance(wanted, ValueError):
        return ""  # data whose sizes do not fit, told in the program's words
    if isinstance(actual, ExportError):
        return "" if actual.code in refused else f"{label}({kinds}): {actual}, NumPy {wanted!r}"
    if isinstance(wanted, Exception) or isinstance(actual, Exception):
        same = type(actual) is type(wanted) and (not texts or str(actual) == str(wanted))
    else:
        same = agrees(actual, wanted)
    return "" if same else f"{label}({kinds}): {actual!r}, NumPy {wanted!r}"


FUNCTIONS = [
    name
    for name in sorted(dir(np))
    if callable(getattr(np, name)) and name[0].islower() and name not in OPEN | ENVIRONMENT and not isinstance(getattr(np, name), type)
]


@pytest.mark.parametrize("group", shard(range(12), 2))
def test_functions(group: int) -> None:
    problems = []
    for name in FUNCTIONS[group::12]:
        function = getattr(np, name)
        for kinds in ("m", "s", "vv", "ki"):
            problems.append(disagreement(f"np.{name}", lambda *args, function=function: function(*args), kinds, ALLOWED))
    assert "\n".join(filter(None, problems)) == ""


@pytest.mark.parametrize("kinds", ["s", "z", "v", "sz"])
def test_scalar_types(kinds: str) -> None:
    types = {*np.sctypeDict.values()} - {np.datetime64, np.timedelta64}
    assert "".join(disagreement(cls.__name__, lambda *args, cls=cls: cls(*args), kinds, {"E104", "E122"}) for cls in types) == ""


# program: the code with which it is refused, or "" where it is exported; texts of exceptions count
PROGRAMS = {
    "np.complex128(s, z)": "",
    "np.complex64(s, 2)": "",
    "np.complex128(v, z)": "",
    "np.float64(v, v)": "",
    "np.str_(v)": "E104",
    "np.bytes_(v)": "E104",
    # axes where there are none, and axes of odd types
    "np.count_nonzero(z, axis=0)": "",
    "np.nanstd(z, axis=-1)": "",
    "np.nanvar(s, axis=0)": "",
    "np.squeeze(s, axis=0)": "",
    "np.squeeze(z, axis=0)": "",
    "np.squeeze(z, axis=(0,))": "",
    "np.mean(z, axis=0)": "",
    "np.argmax(z, axis=())": "",
    "np.sum(m, axis=[0])": "",
    "np.sum(m, axis=True)": "",
    "np.max(m, axis=1.0)": "",
    "np.sum(v, axis=(k - 2,))": "E104",
    "np.cumulative_sum(m, axis=(0,))": "",
    "z.compress(np.array([True]), 0)": "",
    # parameters that are data
    "np.ones(i)": "E104",
    "np.ones(e)": "E104",
    "np.ones(k)": "",
    "np.ones((k, 2))": "",
    "np.full(k, 2)": "",
    "np.tile(v, i)": "E104",
    "np.tri(z)": "E104",
    "np.tri(k)": "",
    "np.tril_indices(k)": "",
    "np.linspace(0, 1, k)": "",
    "np.pad(v, k)": "",
    "np.pad(v, 1, constant_values=z)": "",
    "np.interp(v, v, v, left=s, right=z)": "",
    "np.var(v, ddof=z)": "",
    "np.histogram(v, k)": "",
    "np.reshape(v, i)": "E104",
    "np.broadcast_shapes(i)": "E104",
    "np.arange(v)": "",
    "np.arange(v[:1])": "",
    "np.around(v, v)": "",
    "np.around(v, k)": "",
    "np.argpartition(v, s)": "",
    "np.argpartition(v, v)": "",
    "np.take(v, s)": "",
    "np.take(v, z)": "",
    "np.take(v, 1.7)": "",
    "np.repeat(v, s)": "",
    "np.repeat(v, z)": "",
    "np.repeat(v, 1.7)": "",
    "np.correlate(v, v, mode=1)": "",
    "np.size(m, k)": "E104",
    "np.size(m, 2)": "",
    "np.broadcast_shapes(s)": "",
    "np.ravel(m, v)": "",
    "np.copy(m, v)": "",
    "np.array(m, order=v)": "",
    "np.einsum(m)": "",
    # dtypes that are arrays
    "np.array(v, dtype=v)": "",
    "np.asarray(v, v)": "",
    "np.zeros(3, dtype=v)": "",
    "np.zeros_like(v, dtype=v)": "",
    "v.astype(v)": "",
    "np.issubdtype(v, np.floating)": "",
    "np.can_cast(v, v)": "",
    "np.can_cast(v, np.int8)": "",
    # outputs
    "np.modf(v, v.copy())": "",
    "np.frexp(i, m)": "",
    "np.frexp(v, out=v)": "",
    "np.frexp(v, out=(v,))": "",
    "np.frexp(v, v, v, v)": "",
    # missing and unknown arguments
    "np.quantile(v)": "",
    "np.sum()": "",
    "np.sum(v, foo=1)": "",
    # scalars are not arrays
    "np.transpose(s)": "",
    "np.permute_dims(s)": "",
    "np.astype(s, np.float32)": "",
    "np.isfortran(s)": "",
    "s * [1, 2]": "",
    "(1, 2) * s": "",
    "np.max(i) * [1, 2]": "",
    "'a' + s": "",
    "s @ 2": "",
    "2 @ s": "",
    "s @ v": "",
    "1j * v.sum()": "",
    "v.sum() * 1j": "",
    "v.sum() * [1, 2]": "",
    "v.sum().dot(v)": "",
    "v.sum() @ 2": "",
    "s.dot(v)": "",
    "s.mT": "",
    "s.argpartition(1)": "",
    "s.fill(2)": "",
    "v.copy(0)": "",
    "v.copy(v)": "",
    "[v.fill(v)]": "",
    # comparisons of what no ufunc compares; operators of scalars that have none
    "d == t": "",
    "t != v": "",
    "t == 1j": "",
    "x == v": "",
    "v != x": "",
    "x != m[0, :2]": "",
    "x < v": "",
    "None == z": "",
    "z[()] != None": "",
    "1j == v[0]": "",
    "s == 1j": "",
    "t > 2": "",
    "t[1] + 2": "",
    "c[0] // 2": "",
    "divmod(s, c[0])": "",
    # ufuncs and their methods
    "np.isposinf([np.inf, 2])": "",
    "np.add(1, [2, 3], None)": "",
    "np.divmod(v, 2, None, v.copy())": "",
    "np.divmod([7.0], 2, np.zeros(1), None)": "",
    "np.exp(2.5, v)": "",
    "np.isreal(b)": "",
    "np.nan_to_num(2.5, v)": "",
    "np.nan_to_num(v * np.nan, nan=-0.0)": "",
    "np.poly(2)": "",
    "np.add(v, v, where=1)": "",
    "np.add(v, v, order='Q')": "",
    "np.add(v, v, v.copy(), out=v.copy())": "",
    "np.add(v, v, axis=0)": "",
    "np.add(v, v, out=np.zeros(4))": "",
    "np.add(v, v, dtype=type(f.dtype))": "",
    "np.sqrt.outer(v, v)": "",
    "np.sqrt.at(v.copy(), [0], 2.0)": "",
    "np.divmod.reduce(v)": "",
    "np.matmul.accumulate(m)": "",
    "np.add.reduce()": "",
    "np.add.outer(v)": "",
    "np.add.reduceat(z, [0])": "",
    "np.einsum('ij,jk', m, m, out=np.zeros((2, 3)))": "",
    "np.add.reduce(v, axis='a')": "",
    "np.gcd.reduce(v, out=np.zeros(()))": "",
    "np.logical_xor.reduce(v, out=np.zeros(()))": "",
    "np.logical_and.accumulate(v, out=np.zeros(3))": "",
    "np.divide.reduce(m, out=np.zeros(3, int))": "E101",
    # parameters of linear algebra, differences and sums
    "np.linalg.qr(m, 'full')": "",
    "np.linalg.qr(m, 'economic')": "E101",
    "np.linalg.matrix_rank(f)": "",
    "np.gradient(v, i)": "",
    "np.gradient(m, np.cumsum(v), edge_order=2)": "",
    "np.gradient(m, np.cumsum(v), 2.0)": "",
    "np.gradient(m, v, axis=0)": "",
    "np.gradient(m, i, b, b)": "",
    "np.gradient(v, edge_order=3)": "",
    "np.poly(s)": "",
    "np.roots(z)": "",
    "np.histogram_bin_edges(m, v)": "E103",
    "np.histogram_bin_edges(m, [3, 2, 1])": "",
    "np.histogramdd(m, 2)": "",
    "np.histogramdd(m, k)": "",
    "np.histogramdd(m, v.size)": "",
    "np.linspace(0, s, 4, retstep=True)": "",
    "np.linspace(f, [9.0, 3, 1], 3, retstep=True)": "",
    "np.linspace(v, 1, 1, retstep=True)": "",
    "np.einsum(m, [0, 1], m, [1, 2], [2, 0])": "",
    "np.einsum(m, [Ellipsis, 0], v, [0])": "",
    "np.einsum(m, [1, 0])": "",
    "np.einsum(m, [0, 99])": "",
    "np.einsum('ij,j', m, v, dtype=np.float32)": "",
    "np.einsum('ij,j', m, v, dtype=np.float32, casting='same_kind')": "",
    "np.clip(i, 1, 2, dtype=float)": "",
    "np.pad(v, 1, mode='edge', constant_values=3)": "",
    "np.arange('2020-01', '2020-03', dtype='M8[D]')": "",
    "np.arange(d[0], d[1])": "",
    "np.arange(np.timedelta64(5, 'h')) + t[0]": "",
    "np.vectorize(np.linalg.norm, signature='(n)->()')(m)": "",
    # sizes that depend on data, of which others depend
    "np.bincount(i)[np.bincount(i) > 0]": "",
    "np.unique(i)[np.unique(i) > 0].min()": "",
    "v[i[0] : i[1]] * v[::-1][i[0] : i[1]]": "",
    "m[i[1] : i[0], 0] @ m[1, i[1] : i[0]]": "",
    "v[i[0] : i[1]].shape[0]": "",
    "np.zeros(v[i[1] : i[0]].shape) + v[i[1] : i[0]]": "",
    "[y := v[:1].copy(), operator.setitem(y, slice(None), v[i[1] : i[1] + 1]), y][2]": "",
    "np.broadcast_to(v[i[1] : i[0]], (1,))": "",
    # the largest of scalars: the data choose
    "max(v[0], v[1], np.float64(2.0))": "",
    "min(v)": "",
    "max([x * 2 for x in i])": "",
    "min(v[0], m[0, 0] * np.nan)": "",
    "min(m[0, 0] * np.nan, v[0])": "",
    "max(v[0], 0)": "",
    "max(v[0], f[0, 0])": "",
    "1 if int(i[0, 0]) > 0 else 2.0": "",
    "1 if x[0, 0] > 0 else 'b'": "",
    "max(m)": "",
    # elements drawn by generators of the program's own
    "np.random.default_rng(3).choice(v, 2, p=[0.2, 0.3, 0.5])": "",
    "np.random.default_rng(3).choice(m, 2, replace=False, axis=1)": "",
    "np.random.RandomState(3).choice(v)": "",
    "np.random.RandomState(3).choice(m)": "",
    "np.random.default_rng(3).choice(v, 9, replace=False)": "",
    "np.random.default_rng(3).choice(v, 2, p=v)": "",
    # limits of dtypes
    "np.finfo(np.float16).tiny": "",
    "np.finfo(f.dtype).eps * f": "",
    "np.finfo(c.dtype).resolution": "",
    "np.finfo(s).max": "",
    "np.finfo(v)": "",
    "np.iinfo(i.dtype).max - i": "",
    # arrays of objects, and subclasses
    "v.astype(object)": "E122",
    "np.empty(3, object)": "E122",
    "np.array([v, f], dtype=object)": "E122",
    "np.add(v, v, dtype=object)": "E122",
    "np.recarray((3,), dtype=[('a', float)])": "E101",
    # in place
    "operator.imatmul(v.copy(), v)": "",
    "operator.imatmul(v.copy(), 2)": "",
    "operator.imatmul(m.copy(), m)": "",
    "operator.imatmul(i.copy(), m)": "",
    "operator.iadd(v.copy(), None)": "",
    "operator.iadd(i.copy(), 1.5)": "",
    "operator.ipow(i.copy(), -1)": "",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: str) -> None:
    code = PROGRAMS[program]
    kinds = "".join(kind for kind in KINDS if kind in compile(program, "", "eval").co_names)
    function = eval(f"lambda {', '.join(kinds)}: {program}", {"np": np, "operator": operator})
    codes = {code} if not code or frame_hook() == "pep523" else {code, "E119"}  # C calls `__array_finalize__` of a subclass
    assert disagreement(program, function, kinds, codes, texts=True) == ""
    if code:
        with pytest.raises(ExportError) as refused:
            export(function, tuple(KINDS[kind] for kind in kinds))
        assert refused.value.code in codes
