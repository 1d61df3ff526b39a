"""Random calls of all of NumPy's public functions and methods, in every form of argument: the generator behind ``fuzz/forms.py``.

A call begins as a sample that NumPy takes. Its arrays get other dtypes, byte orders, memory orders and sizes; parameters that the sample
leaves out get values by their names (``VALUES``), and ``out=`` an array made after the result, one that does not fit, or an operand.
What is passed by place and what by name is drawn.
"""

from __future__ import annotations

import copy
import functools
import inspect
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.tracer.arrays.analysis.signatures import signature_of
from tests.conformance.numpy.coverage_samples import ATTRIBUTES, CALLS, CANDIDATES, EFFECTS, UFUNC_CANDIDATES, WRITING
from tests.support.numpy_names import METHODS, Name, names
from tests.support.quiet import quiet

LEFT_OUT = ("numpy.ma", "numpy.random", "numpy.lib.format", "numpy.lib.npyio")
"""What is refused, and files."""
OPEN = {
    "empty", "empty_like", "may_share_memory", "byte_bounds", "setbufsize", "getbufsize", "errstate", "printoptions",
    "unique_all", "unique_inverse", "unique_counts", "unique_values", "mask_indices",
}  # fmt: skip
"""What depends on more than arguments, has names that its dispatcher does not take, or gives indices that lie in one memory."""
_FLAG: tuple[Any, ...] = (True, False)
_NUMBER: tuple[Any, ...] = (0, 1, -1, 2, 2.5, None)
_UFUNC: dict[str, tuple[Any, ...]] = {
    "casting": ("same_kind", "unsafe", "safe", "no", "equiv"), "order": ("K", "C", "F", "A"), "subok": _FLAG,
    "dtype": (None, "f4", "f8", np.float16, int, "i1", complex, ">f8", bool, np.dtype("u2"), "c8", ">i4", object),
}  # fmt: skip
VALUES: dict[str, tuple[Any, ...]] = {
    **_UFUNC, **dict.fromkeys(("axis", "axes"), (0, -1, None, 1, (0,), (0, 1), (-1, 0), (), 2, np.int64(0), [0])),
    **dict.fromkeys(("keepdims", "returned", "endpoint", "retstep", "copy", "stable", "sparse", "density", "bias", "rowvar"), _FLAG),
    **dict.fromkeys(("increasing", "assume_unique", "invert", "return_index", "return_inverse", "return_counts", "equal_nan"), _FLAG),
    **dict.fromkeys(("sorted", "full", "full_matrices", "compute_uv", "hermitian", "overwrite_input", "wrap", "tensor", "right"), _FLAG),
    **dict.fromkeys(("writeable", "invert", "return_indices", "descending", "upper", "cov"), _FLAG),
    **dict.fromkeys(("ddof", "correction", "k", "N", "M", "n", "m", "decimals", "offset", "start", "step", "axis1", "axis2"), _NUMBER),
    **dict.fromkeys(("fill_value", "nan", "posinf", "neginf", "left", "period", "dx", "rtol", "atol", "tol", "rcond", "discont"), _NUMBER),
    **dict.fromkeys(("prepend", "append", "x", "to_begin", "to_end", "min", "max", "a_min", "a_max", "initial", "minlength"), _NUMBER),
    "mode": ("raise", "wrap", "clip", "valid", "same", "full", "reflect", "edge", "reduced", "complete"),
    "kind": (None, "quicksort", "stable", "heapsort", "table"), "side": ("left", "right"), "norm": (None, "ortho", "forward", "backward"),
    "method": ("linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "inverted_cdf", "median_unbiased"),
    "bitorder": ("big", "little"), "UPLO": ("L", "U"), "indexing": ("ij", "xy"), "ord": (None, 1, 2, -2, np.inf, "fro", "nuc"),
    "optimize": (False, True, "greedy", "optimal"), "ndmin": (0, 1, 3), "bins": (3, [0, 1, 2], "auto"), "range": (None, (0, 1)),
    "s": (None, (2,), (2, 2), (3, -1)), "like": (None,), "device": (None, "cpu"), "shape": (None, (2, 3), 2, -1), "num": (3, 1, 0),
    "sorter": (None, np.array([1, 0, 2])), "weights": (None, np.array([1.0, 2.0, 0.5])), "requirements": (None, "C", ["F", "W"]),
    "count": (-1, 1), "chars": (None, "a"), "end": (None, 2), "sep": (None, "b"), "domain": (None, [0, 1]), "window": (None, [-1, 1]),
    "trim": ("fb", "f"), "signature": (None, "dd->d", "d->d", "ff->f"), "K": (0, 1), "base": (10.0, 2), "scl": (1, 2.0), "lbnd": (0, 1),
}  # fmt: skip
"""What a parameter of a name is given."""
DTYPES = ("f4", "f2", ">f8", "i4", "u1", "i1", "?", "c8", "c16", "g", ">i2", "i8", "f8", "u8")
_SHAPES = ("rows", "rows", "scalar", "none", "longer")


class Call(NamedTuple):
    """A call: what is called, how it is shown, and its arguments."""

    function: Callable[..., Any]
    shown: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        words = [_text(value) for value in self.args] + [f"{name}={_text(value)}" for name, value in self.kwargs.items()]
        return f"{self.shown}({', '.join(words)})"


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value!r:.200}<{value.dtype.str} {value.shape} {value.strides}>"
    return f"({', '.join(map(_text, value))})" if isinstance(value, (tuple, list)) else repr(value)


def _method(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    return call


def _runs(function: Callable[..., Any], args: Any, kwargs: dict[str, Any] | None = None) -> Any:
    """What a call gives, or the exception that it raises."""
    with quiet():
        try:
            return function(*copy.deepcopy(args), **copy.deepcopy(kwargs or {}))
        except Exception as error:
            return error


def _taken(function: Callable[..., Any], samples: Any) -> list[Any]:
    return [args for args in samples if not isinstance(_runs(function, args), Exception)][:4]


class Target(NamedTuple):
    """What may be called: samples that NumPy takes, the parameters by place, and those by name alone."""

    function: Callable[..., Any]
    shown: str
    samples: list[Any]
    places: list[str]
    options: list[str]


_UFUNC_OPTIONS = ["out", "where", *_UFUNC, "signature"]
_METHOD_OPTIONS = {
    "": ([], _UFUNC_OPTIONS), "reduce": (["array", "axis", "dtype", "out", "keepdims", "initial", "where"], []),
    "accumulate": (["array", "axis", "dtype", "out"], []), "reduceat": (["array", "indices", "axis", "dtype", "out"], []),
    "outer": ([], _UFUNC_OPTIONS), "at": ([], []),
}  # fmt: skip


def _of(name: Name) -> list[Target]:
    if name.kind == "ufunc":
        found = []
        for method in ("", *METHODS):
            function = getattr(name.value, method or "__call__")
            samples = _taken(function, UFUNC_CANDIDATES[method])
            places, options = _METHOD_OPTIONS[method]
            found.append(Target(function, f"{name}.{method}".rstrip("."), samples, list(places), list(options)))
        return found
    if name.kind == "attribute":
        of_array = getattr(np.ndarray, name.name)
        if not callable(of_array) or name.name in WRITING:
            return []
        places, options = _parameters(of_array)
        function = _method(name.name)
        return [Target(function, str(name), _taken(function, ATTRIBUTES.get(name.name, [()])), places, options)]
    samples = CALLS.get(str(name)) or CALLS.get(name.name) or CANDIDATES
    return [Target(name.value, str(name), _taken(name.value, samples), *_parameters(name.value))]


def _parameters(function: Any) -> tuple[list[str], list[str]]:
    signature = signature_of(function)
    if signature is None:
        return [], []
    parameters = list(signature.parameters.values())
    places = [p.name for p in parameters if p.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    return places, [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


@functools.cache
def targets() -> list[Target]:
    """All that is called."""
    chosen = [
        name
        for name in names()
        if name.space not in LEFT_OUT and str(name) not in EFFECTS and name.name not in OPEN and not name.space.endswith("Generator")
    ]
    return [target for name in chosen if name.kind in ("ufunc", "function", "attribute") for target in _of(name) if target.samples]


def call(seed: int) -> Call:
    """The call of a seed."""
    rng = random.Random(seed)
    target = rng.choice(targets())
    args = copy.deepcopy(rng.choice(target.samples))
    if rng.random() < 0.6:
        shape = rng.choice(_SHAPES) if rng.random() < 0.4 else ""
        args = mapped(args, lambda array: _varied(rng, array, shape))
    given, kwargs = list(args), {}
    bound = target.places[: len(given)]
    names_left = [name for name in (*target.places[len(given) :], *target.options) if name not in bound]
    for name in names_left:
        if rng.random() < min(0.7, 2.5 / len(names_left)):
            kwargs[name] = _value(rng, name, target, args, kwargs)
    if kwargs.get("where", True) is not True and kwargs.get("out") is None and target.options[:2] == _UFUNC_OPTIONS[:2]:
        del kwargs["where"]  # what is left out has no value
    if bound and rng.random() < 0.25:  # by name what goes by place
        first = rng.randrange(len(bound) + 1)
        if len(bound) == len(given):
            kwargs |= dict(zip(bound[first:], given[first:], strict=True))
            del given[first:]
    elif rng.random() < 0.3:  # by place what goes by name
        for name in target.places[len(given) :]:
            if name not in kwargs:
                break
            given.append(kwargs.pop(name))
    return Call(target.function, target.shown, tuple(given), kwargs)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return change(value)
    return type(value)(mapped(item, change) for item in value) if type(value) in (tuple, list) else value


def _varied(rng: random.Random, array: Any, shape: str) -> Any:
    """An array like another, of another dtype, order in memory or size."""
    if array.dtype.kind in "fiucb" and rng.random() < 0.5:
        with quiet():
            array = array.astype(rng.choice(DTYPES))
    if array.ndim and shape:
        array = {
            "rows": lambda: np.stack([array, array[::-1]]), "scalar": lambda: array.reshape(-1)[:1].reshape(()),
            "none": lambda: array[:0], "longer": lambda: np.concatenate([array, array]),
        }[shape]()  # fmt: skip
    return laid_out(rng, array)


def laid_out(rng: random.Random, array: Any) -> Any:
    """The same elements, elsewhere in memory."""
    way = rng.randrange(7)
    if way == 0:
        return np.asfortranarray(array)
    if array.ndim and way == 1:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if array.ndim and way == 2:
        return array[::-1].copy()[::-1]
    if array.ndim > 1 and way == 3:
        return np.ascontiguousarray(array.swapaxes(0, 1)).swapaxes(0, 1)
    return array.copy()


def _value(rng: random.Random, name: str, target: Target, args: Any, kwargs: dict[str, Any]) -> Any:
    if name == "out":
        return _out(rng, target, args, kwargs)
    if name == "where":
        operand = next((value for value in args if isinstance(value, np.ndarray)), None)
        if operand is None or rng.random() < 0.3:
            return rng.choice((True, False, np.array(True)))
        return np.arange(operand.size).reshape(operand.shape) % 2 == 0
    return copy.deepcopy(rng.choice(VALUES.get(name, (None, 0, 1))))


def _out(rng: random.Random, target: Target, args: Any, kwargs: dict[str, Any]) -> Any:
    result = _runs(target.function, args, kwargs)
    operands = [value for value in args if isinstance(value, np.ndarray)]
    if operands and rng.random() < 0.15:
        return rng.choice(operands)
    if isinstance(result, tuple) and result and all(isinstance(item, (np.ndarray, np.generic)) for item in result):
        return tuple(_room(rng, item) for item in result)
    made = _room(rng, result) if isinstance(result, (np.ndarray, np.generic, int, float)) else None
    return (made,) if rng.random() < 0.1 else made


def _room(rng: random.Random, result: Any) -> Any:
    result = np.asarray(result)
    dtype = rng.choice(DTYPES) if rng.random() < 0.4 and result.dtype.kind in "fiucb" else result.dtype
    shape = result.shape
    if rng.random() < 0.15:
        shape = rng.choice(((2, *shape), shape[1:], shape[:-1] + (1,) if shape else (1,)))
    return laid_out(rng, np.zeros(shape, dtype))
