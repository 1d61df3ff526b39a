"""Calls of every operator, in modules that are named as those of the records in `ir/ops` are.

They hold rule, kernel, traits, decomposition, archive and printed code of an operator to each other: whoever adds an operator
adds calls of it to `SAMPLES` of its module here, and a test demands them.
"""

from __future__ import annotations

from importlib import import_module

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples

PROVIDED = {
    "scipy": tuple(
        f"scipy_{name}" for name in "special fft filters linalg distance ndimage signal optimize hierarchy transform interpolate".split()
    ),
    "sklearn": ("sklearn_checks",),
}
"""The modules of operators that are registered when their package is loaded, by namespace."""

_TABLE: dict[Op, Samples] = {}
_loaded: set[str] = set()


def _load(module: str) -> None:
    """Take the samples of a module. Raises ``ValueError`` where an operator has samples already."""
    if module not in _loaded:
        _loaded.add(module)
        found = import_module(f"{__name__}.{module}").SAMPLES
        if twice := found.keys() & _TABLE.keys():
            raise ValueError(f"{sorted(map(str, twice))} have samples in two modules")
        _TABLE.update(found)


def has_samples(op: Op) -> bool:
    """Whether there are calls of this operator: of all of ours, and of none of a user's."""
    for module in PROVIDED.get(op.namespace, ()):
        _load(module)
    return op in _TABLE


def samples_of(op: Op) -> list[Call]:
    """Calls of this operator, made anew. Raises ``KeyError`` where there are none."""
    if not has_samples(op):
        raise KeyError(f"{op} has no samples: add calls of it to SAMPLES of the module in tests/op_samples that is named as its record's")
    return list(_TABLE[op]())


for _module in ops.RECORD_MODULES:
    _load(_module)
