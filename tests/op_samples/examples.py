"""The pages ``docs/operator-examples.md`` and ``docs/scipy-operators.md``: each operator with what it does, and a call of it with
its result.

``python -m tests.op_samples.examples > docs/operator-examples.md`` writes the one anew, ``python -m tests.op_samples.examples
scipy > docs/scipy-operators.md`` the other.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops import REGISTRY
from npexport.ir.ops.listing import NAMESPACES
from tests.op_samples import samples_of

HEAD = """# Operators by example

Generated from the records and their samples; write it anew with `python -m tests.op_samples.examples > docs/operator-examples.md`.
A test runs the examples.

An operator is called as any function is; in a graph a node calls it. [Operators](operators.md) lists their traits.

```pycon
>>> import numpy as np
>>> from npexport import ops
>>> np.set_printoptions(precision=3, suppress=True)

```
"""
SCIPY_HEAD = """# Operators of SciPy by example

Generated from the records and their samples, with SciPy; write it anew with
`python -m tests.op_samples.examples scipy > docs/scipy-operators.md`. A test runs the examples.

What SciPy computes in C is one node of a graph. These operators are there as soon as their part of SciPy is imported; most of
what is built on them, such as `scipy.ndimage.gaussian_filter`, `scipy.stats.zscore` or `scipy.signal.welch`, is traced.
Without an example are those of C that trusts its arguments: SciPy's own functions call it.

```pycon
>>> import numpy as np
>>> import {modules}
>>> from npexport import ops
>>> np.set_printoptions(precision=3, suppress=True)

```
"""
SCIPY = """
scipy.cluster.hierarchy scipy.fft scipy.interpolate scipy.linalg scipy.ndimage scipy.optimize scipy.signal scipy.spatial.distance
scipy.spatial.transform scipy.special
""".split()
_MANY = 6
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.dtype)
_DEFAULTS = frozenset(map(np.dtype, ("f8", "i8", "?", "c16")))


class NoSource(ValueError):
    """A value that no short text makes."""


def text(value: Any) -> str:
    """The source of an argument. Raises `NoSource`."""
    if type(value) is np.ndarray:
        return _array(value)
    if isinstance(value, np.generic):
        return f"np.{value!r}".replace("np.np.", "np.") if value.dtype.names is None else f"{_array(np.array(value))}[()]"
    if type(value) in (tuple, list):
        inner = ", ".join(map(text, value))
        return f"[{inner}]" if type(value) is list else f"({inner}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {text(item)}" for key, item in value.items()) + "}"
    if type(value) is slice:
        return f"slice({text(value.start)}, {text(value.stop)}, {text(value.step)})"
    if isinstance(value, np.dtype):
        return f"np.{value!r}"
    if type(value) in _PLAIN and np.isfinite(value if isinstance(value, (int, float)) else 0):
        return repr(value)
    raise NoSource


def _array(value: Any) -> str:
    kind, dtype = value.dtype.kind, value.dtype
    if kind == "O" or (kind == "V" and dtype.names is None):
        raise NoSource
    shown = "" if dtype in _DEFAULTS and value.size else f", {_dtype(dtype)}"
    if kind == "f" and value.size > _MANY and np.isfinite(value).all():  # whichever numbers they are
        return f"np.linspace(-1, 2, {value.size}{shown and ', dtype=' + shown[2:]}).reshape{value.shape}".replace(",)", ")")
    if 0 in value.shape and value.ndim > 1:
        return f"np.zeros({value.shape}, {_dtype(dtype)})"
    plain = value.astype(str) if kind == "M" else value.astype("i8") if kind == "m" else np.round(value, 2) if kind in "fc" else value
    items = re.sub(r"\b(inf|nan)\b", r"np.\1", repr([*plain.astype("f8").tolist()] if dtype == "f2" and value.ndim == 1 else _short(plain)))
    return f"np.array({items}{shown})"


def _short(value: Any) -> Any:
    """The numbers without what a dtype of few digits adds to them."""
    if value.dtype.kind == "f":
        return np.vectorize(lambda number: float(f"{number:.3g}"), otypes=[float])(value).tolist() if value.size else []
    return value.tolist()


def _dtype(dtype: Any) -> str:
    return (
        "'T'" if dtype.kind == "T" else repr(dtype.descr) if dtype.names else repr(dtype.str.lstrip("<|" if dtype.itemsize == 1 else "<"))
    )


def examples(op: Op) -> Iterator[str]:
    """The calls of an operator that can be written down, each with its result."""
    for args, kwargs in samples_of(op):
        with contextlib.suppress(NoSource, TypeError, ValueError, ArithmeticError, RuntimeError):
            yield f"ops.{op.namespace}.{op.name}({_arguments(args, kwargs)})" + ("[1]" if op.namespace == "random" else "")


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return ", ".join([*map(text, args), *[f"{name}={text(value)}" for name, value in kwargs.items()]])


NAMES = {"np": np, "ops": ops}


def result_of(call: str) -> str | None:
    """What Python shows for a call; ``None`` where it raises or warns, or shows what differs from run to run."""
    try:
        with warnings.catch_warnings(), np.printoptions(precision=3, suppress=True):
            warnings.simplefilter("error")
            shown = repr(eval(call, dict(NAMES)))
    except Exception:
        return None
    return None if " at 0x" in shown else shown


def best(op: Op) -> list[str]:
    """The lines of the example that shows most in a few characters."""
    by_hand = _BY_HAND.get(str(op))
    calls = [*sorted(dict.fromkeys(examples(op)), key=len)[:40], *_tried(op)] if by_hand is None else [by_hand]
    found = [(call, shown) for call in calls if (shown := result_of(call)) is not None]
    if not found:
        raise ValueError(f"{op} has no sample that can be written down: write a call to _BY_HAND")
    call, shown = min(found, key=lambda pair: _burden(op, *pair))
    if len(shown) > _LONG or "\n\n" in shown:
        shapes = f"[part.shape for part in {call}]" if shown.startswith("(") else f"{call}.shape"
        call, shown = shapes, str(result_of(shapes))
    if re.fullmatch(r"(np\.float64\()?-?\d+\.\d{7,}\)?", shown):  # libraries of mathematics differ in the last digit
        call = f"round({call}, 6)"
        shown = str(result_of(call))
    return [f">>> {call}", *(shown.splitlines() if shown != "None" else ())]


def _tried(op: Op) -> Iterator[str]:
    """Calls of a ufunc on small positive numbers, which lie where most of them are defined."""
    if isinstance(op.kernel, np.ufunc):
        texts = ("[0.5, 1.5]", "[0.2, 0.7]", "[1.0, 2.0]", "[3, 4]")
        for chosen in itertools.islice(itertools.product(texts, repeat=op.kernel.nin), 300):
            yield f"ops.{op.namespace}.{op.name}({', '.join(f'np.array({each})' for each in chosen)})"


_LONG = 400


def _burden(op: Op, call: str, shown: str) -> tuple[int, int]:
    """What shows little or reads badly: results of one number or of none, three axes, truths where there may be numbers."""
    numbers = re.findall(r"\d+\.?\d*|True|False|'\w+", shown)
    bad = [len(set(numbers)) < 2, "np.zeros((" in call, "\n\n" in shown, not re.search(r"\d\.\d", call)]
    bad += ["nan" in call, "'f2'" in call, "-0." in shown, "j" in shown]
    bad += [op.namespace == "scipy" and bool(re.search(r"nan|inf|\d\.\d{6}", shown))] * 5
    digits = bool(re.search(r"\d\.\d{6}", shown))
    bad += [digits and isinstance(op.kernel, np.ufunc)] * 5  # other versions and processors round otherwise
    bad += ["True" in call and bool(re.search(r"\d\.\d", shown))] * 2
    return sum(bad), abs(len(call) - 60) + abs(len(shown) - 60)


_MATRIX, _BANDED = "np.array([[4.0, 1.0], [1.0, 3.0]])", "np.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0]])"
_EYES, _LINKS = ", ".join(["np.eye(2)"] * 4), "np.array([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 2.0, 3.0]])"
_VECTOR, _PEAKS = "np.array([1.0, 2.0])", "np.array([0.0, 2.0, 1.0, 3.0, 0.5])"
_IMAGE = "np.array([[True, False, False], [True, True, False], [False, False, True]])"
_KNOTS = "np.array([0.0, 0.0, 1.0, 2.0, 2.0])"
_OF_SCIPY = {
    **{f"linalg_{name}": _MATRIX for name in ("inv", "det", "cholesky", "svdvals", "eigvalsh", "expm", "ldl", "hessenberg")},
    **{f"linalg_{name}": f"{_MATRIX}.astype(complex)" for name in ("eigvals", "sqrtm", "logm")},
    **{f"linalg_solve_{name}_are": _EYES for name in ("continuous", "discrete")},
    **{f"linalg_solve_{name}_lyapunov": f"{_MATRIX} / 9, np.eye(2)" for name in ("continuous", "discrete")},
    **{f"ndimage_{name}": _IMAGE for name in ("label", "binary_dilation", "binary_propagation", "binary_hit_or_miss")},
    **{f"ndimage_distance_transform_{name}": _IMAGE for name in ("edt", "bf")},
    "linalg_svd": f"{_MATRIX}, compute_uv=False",
    "linalg_qr": f"{_MATRIX}, mode='r'",
    "linalg_rq": f"{_MATRIX}, mode='r'",
    "linalg_eig": f"{_MATRIX}.astype(complex)",
    "linalg_eigh": _MATRIX,
    "linalg_schur": _MATRIX,
    "linalg_eigh_tridiagonal": "np.array([4.0, 3.0]), np.array([1.0]), eigvals_only=True",
    "linalg_eigvalsh_tridiagonal": "np.array([4.0, 3.0]), np.array([1.0])",
    "linalg_cho_factor": _MATRIX,
    "linalg_cho_solve": f"(np.linalg.cholesky({_MATRIX}), True), {_VECTOR}",
    "linalg_lu_solve": f"({_MATRIX}, np.array([0, 1], 'i4')), {_VECTOR}",
    "linalg_eig_banded": f"{_BANDED}, eigvals_only=True",
    "linalg_eigvals_banded": _BANDED,
    "linalg_cholesky_banded": _BANDED,
    "linalg_solveh_banded": f"{_BANDED}, np.array([1.0, 2.0, 3.0])",
    "linalg_cho_solve_banded": f"({_BANDED}, False), np.array([1.0, 2.0, 3.0])",
    "linalg_fractional_matrix_power": f"{_MATRIX}.astype(complex), 0.5",
    "linalg_lstsq": "np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0])",
    "distance_directed_hausdorff": "np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]])",
    "rotation_from_matrix": "np.eye(3)",
    "signal_sosfilt": "np.array([[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]]), np.ones(4)",
    "peaks_local_maxima_1d": _PEAKS,
    "peaks_peak_prominences": f"{_PEAKS}, np.array([1, 3]), -1",
    "hierarchy_linkage": "np.array([1.0, 4.0, 3.0]), 'single'",
    "hierarchy_inconsistent": _LINKS,
    "lapack_gbsv": "1, 1, np.array([[0.0, 0, 0], [0, 1, 1], [4, 4, 4], [1, 1, 0]]), np.ones((3, 1))",
    "lapack_nrm2": "np.array([3.0, 4.0])",
    "spline_collocation": f"np.array([0.0, 1.0, 2.0]), {_KNOTS}, 1, np.zeros((3, 4)), 0",
    "spline_splint": f"0.0, 2.0, {_KNOTS}, np.array([1.0, 2.0, 3.0, 0.0, 0.0]), 1",
}
_PARTS = {
    "linalg_qr": "[0] ** 2", "linalg_rq": " ** 2", "linalg_eig": "[0]", "linalg_eigh": "[0]", "linalg_schur": "[0]",
    "linalg_cho_factor": "[0]", "lapack_gbsv": "[2]",
}  # fmt: skip
"""Arguments of calls, and what is shown of the results: what has no signs that are LAPACK's own."""
_PAIRS = "np.array([(1.0, 2), (3.0, 4)], [('p', 'f8'), ('q', 'i4')])"
_SINGULAR = "lambda x: (np.linalg.inv(x),), ('numpy.linalg.LinAlgError',), (np.zeros((2, 2)),)"
_FACTORS = {"eig": ".eigenvalues.real", "eigh": ".eigenvalues", "svd": ".S", "qr": ".R ** 2"}  # without signs that are LAPACK's own
_BY_HAND = {
    **{f"ops.np.{name}": f"ops.np.{name}(np.array([[2.0, 1.0], [1.0, 2.0]])){part}" for name, part in _FACTORS.items()},
    "ops.np.field": f"ops.np.field({_PAIRS}, 'q')",
    "ops.np.set_field": f"ops.np.set_field({_PAIRS}, 'q', np.array([5, 6]))",
    "ops.np.det": "ops.np.det(np.array([[2.0, 0.0], [0.0, 3.0]]))",
    "ops.np.sinc": "ops.np.sinc(np.array([0.5, 1.5]))",
    "ops.py.nextafter": "ops.py.nextafter(0.0, 1.0)",
    "ops.py.complex_pair": "ops.py.complex_pair('mul', ((1.5, -0.25), (0.5, 2.0)))",
    "ops.np.spacing": "ops.np.spacing(np.array([2.0**52, 2.0**54]))",
    "ops.control.cond": "ops.control.cond(True, lambda x: (x * 2,), lambda x: (x,), (np.ones(2),))",
    "ops.control.while_loop": "ops.control.while_loop(lambda n, x: (n < 3,), lambda n, x: (n + 1, x * 2), (0, np.ones(2)), ())",
    "ops.control.scan": "ops.control.scan(lambda c, x: (c + x, c * x), (np.float64(0),), (np.arange(3.0),), (), 0, False, ((),))",
    "ops.control.map": "ops.control.map(lambda x: (x * 2,), (np.ones((2, 3)),), (), ((3,),))",
    "ops.control.raised": f"ops.control.raised({_SINGULAR})",
    "ops.control.message": f"ops.control.message({_SINGULAR})",
    **{f"ops.scipy.{name}": f"ops.scipy.{name}({call}){_PARTS.get(name, '')}" for name, call in _OF_SCIPY.items()},
}
"""Calls with sub-graphs, in whose places functions stand, and of others that no short text makes."""


def entry(op: Op) -> str:
    """What is said of an operator, without its example."""
    summary = " ".join(op.doc.partition("\n\n")[0].split()).replace("``", "`")
    return f"### {op}\n\n`{op.schema}`: {summary}\n"


def documented() -> list[Op]:
    """The operators of the page, in its order."""
    own = [op for op in REGISTRY if not op.home and op.namespace in NAMESPACES]
    return sorted(own, key=lambda op: (list(NAMESPACES).index(op.namespace), op.name))


def documented_of_scipy() -> list[Op]:
    """The operators of SciPy, in the order of their page."""
    for module in SCIPY:
        importlib.import_module(module)
    REGISTRY.provide_loaded()
    return sorted((op for op in REGISTRY if op.namespace == "scipy" and not op.home), key=lambda op: (op.name.startswith("_"), op.name))


def scipy_page() -> str:
    """The text of the page of SciPy's operators."""
    parts = [SCIPY_HEAD.replace("{modules}", ", ".join(SCIPY))]
    for op in documented_of_scipy():
        shown = "\n".join(best(op)) if "unchecked" not in op.traits else ""
        parts.append(entry(op) + (f"\n```pycon\n{shown}\n\n```\n" if shown else ""))
    return "\n".join(parts)


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for op in documented():
        if not parts[-1].startswith(f"### ops.{op.namespace}."):
            parts.append(f"## ops.{op.namespace}\n\n{NAMESPACES[op.namespace]}\n")
        lines = "\n".join(best(op))
        parts.append(f"{entry(op)}\n```pycon\n{lines}\n\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(scipy_page() if "scipy" in sys.argv else page(), end="")
