"""Every public callable of NumPy, and every attribute of its arrays: by namespace and name. It imports NumPy alone."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

MODULES = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.polynomial", "numpy.polynomial.polynomial", "numpy.polynomial.chebyshev",
    "numpy.polynomial.legendre", "numpy.polynomial.laguerre", "numpy.polynomial.hermite", "numpy.polynomial.hermite_e",
    "numpy.polynomial.polyutils", "numpy.strings", "numpy.lib", "numpy.lib.array_utils", "numpy.lib.format", "numpy.lib.introspect",
    "numpy.lib.mixins", "numpy.lib.npyio", "numpy.lib.scimath", "numpy.lib.stride_tricks", "numpy.ma",
)  # fmt: skip
METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
"""The methods of ufuncs."""
CLASSES = {"numpy.ndarray": np.ndarray, "numpy.random.Generator": None}

_FAMILIES = ("polynomial.poly", "chebyshev.cheb", "legendre.leg", "laguerre.lag", "hermite.herm", "hermite_e.herme")
SINCE = {
    **dict.fromkeys(
        ("numpy.cumulative_prod", "numpy.cumulative_sum", "numpy.unstack", "numpy.strings.partition", "numpy.strings.rpartition"), "2.1"
    ),
    **dict.fromkeys(("numpy.matvec", "numpy.vecmat"), "2.2"),
    "numpy.strings.slice": "2.3",
    **dict.fromkeys((*[f"numpy.polynomial.{family}valnd" for family in _FAMILIES], "numpy.ma.round_"), "2.5"),
}
"""The first version with a name that NumPy 2.0 lacks."""
UNTIL = {
    **dict.fromkeys(("numpy.ma.remainder", "numpy.ma.true_divide"), ("2.2", "E101")),
    "numpy.ndarray.tostring": ("2.2", "E123"),
    "numpy.in1d": ("2.3", "traced through"),
    "numpy.trapz": ("2.3", "traced through"),
    **dict.fromkeys(("numpy.ndarray.itemset", "numpy.ndarray.newbyteorder", "numpy.ndarray.ptp"), ("2.3", "E101")),
    "numpy.row_stack": ("2.4", "operator"),
}
"""The last version with a name that later ones lack, and what became of it there."""


def present(name: str, version: tuple[int, int]) -> bool:
    """Whether a version of NumPy has a name."""
    since, until = SINCE.get(name, "2.0"), UNTIL.get(name, ("9.9", ""))[0]
    return _numbers(since) <= version <= _numbers(until)


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


VERSION = _numbers(np.__version__)


class Name(NamedTuple):
    """One name; ``kind``: ``function``, ``ufunc``, ``class`` or ``attribute``."""

    space: str
    name: str
    kind: str
    value: Any

    def __str__(self) -> str:
        return f"{self.space}.{self.name}"


def names() -> Iterator[Name]:
    """All of them, each under the first module that shows it."""
    seen: set[int] = set()
    for space in MODULES:
        try:
            module = importlib.import_module(space)
        except ImportError:  # of a later version
            continue
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            value = getattr(module, name, None)
            if name.startswith("_") or not callable(value) or isinstance(value, types.ModuleType) or id(value) in seen:
                continue
            kind = _kind(value)
            if kind is not None:
                seen.add(id(value))
                yield Name(space, name, kind, value)
    for space, cls in CLASSES.items():
        cls = np.random.Generator if cls is None else cls
        for name in sorted(vars(cls)):
            if not name.startswith("_"):
                yield Name(space, name, "attribute", name)


def _kind(value: Any) -> str | None:
    if isinstance(value, np.ufunc):
        return "ufunc"
    if not isinstance(value, type):
        return "function"
    return None if issubclass(value, (np.generic, BaseException)) else "class"


if __name__ == "__main__":
    print("\n".join(map(str, names())))
