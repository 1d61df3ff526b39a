"""Every operator with operands of other dtypes, layouts, sizes and values than its samples have: a program of the call gives, to the
bit, what the kernel gives, in as many bytes apart, and raises what it raises; decomposed it gives that within the rounding of a formula.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, default_decompositions, export
from npexport.ir.op import REGISTRY
from tests.op_samples import has_samples
from tests.support.comparison import steps
from tests.support.outcomes import result_or_error
from tests.support.shards import one_in, shard
from tests.support.variants import Sample, variants

OPERATORS = [op for op in REGISTRY if has_samples(op) and op.namespace not in ("control", "random", "scipy")]
"""SciPy's functions may hang, or worse, where their own Python does not look at what they are given."""
UNSET = {"np.left", "np.empty", "np.empty_like"}
"""Elements that nothing has set are whatever stood in memory."""
INVERSES = {"np.irfft", "np.irfftn", "np.irfft2", "np.hfft"}
"""Of no elements NumPy reads memory that nothing has set."""
ROUNDING = 64
"""Units in the last place of the largest result."""


def outcome(call: Any, operands: Any) -> Any:
    """What a call gives, flat, or the exception that it raises."""
    found = result_or_error(call, *operands, passes=ExportError)
    return found if isinstance(found, Exception) else flat(found)


def flat(result: Any) -> list[Any]:
    return [leaf for item in result for leaf in flat(item)] if isinstance(result, (tuple, list)) else [result]


def differ(found: Any, wanted: Any, exact: bool) -> str:
    """How two outcomes differ; empty where they do not."""
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        alike = type(found) is type(wanted) and (not exact or str(found) == str(wanted))
        return "" if alike else f"{found!r}, not {wanted!r}"
    if list(map(kind, found)) != list(map(kind, wanted)):
        return f"{list(map(kind, found))}, not {list(map(kind, wanted))}"
    for mine, theirs in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        if exact and steps(mine) != steps(theirs):
            return f"strides {mine.strides}, not {theirs.strides}"
        if not (equal(mine, theirs) if exact or mine.dtype.kind not in "fc" else close(mine, theirs)):
            return f"{mine}, not {theirs}"
    return ""


def kind(value: Any) -> Any:
    return type(value), np.shape(value), np.asarray(value).dtype


def equal(mine: Any, theirs: Any) -> bool:
    """To the bit; NaN is NaN, and long doubles have bytes that nobody reads."""
    if mine.dtype.kind in "OVg" or mine.dtype.char in "gG":
        return repr(mine.tolist()) == repr(theirs.tolist())
    return bool(mine.tobytes() == theirs.tobytes()) or (mine.dtype.kind in "fc" and repr(mine.tolist()) == repr(theirs.tolist()))


def close(mine: Any, theirs: Any) -> bool:
    largest = float(np.max(np.abs(np.where(np.isfinite(theirs), theirs, 0)), initial=1))
    rounding = ROUNDING * np.finfo(theirs.dtype).eps
    return bool(np.allclose(mine, theirs, rtol=rounding, atol=rounding * largest, equal_nan=True))


def problems(op: Any, sample: Sample, dynamic: bool) -> list[str]:
    dims = tuple([dict.fromkeys(range(np.ndim(operand)), Dim.AUTO) or None for operand in sample.operands])
    wanted = outcome(sample.kernel, sample.operands)
    try:
        with warnings.catch_warnings(action="ignore"):
            program = export(sample.program, sample.operands, dynamic_shapes={"operands": dims} if dynamic else None)
            core = program.run_decompositions()
    except ExportError as error:
        return [str(error)] if error.code.startswith("E9") else []
    except Exception as error:  # noqa: BLE001  what is wrong with the operands is told at export
        return [] if isinstance(wanted, Exception) or op.namespace == "nn" else [f"export raises {error!r}"]
    found = outcome(program.module(), sample.operands)
    told = [differ(found, wanted, exact=True)]
    decomposed = op in default_decompositions()
    return [*filter(None, [*told, differ(outcome(core.module(), sample.operands), found, exact=False) if decomposed else ""])]


@pytest.mark.parametrize(("op", "dynamic"), one_in(3, shard(itertools.product(OPERATORS, (False, True)), 6)), ids=str)
def test_programs_give_what_operators_give(op: Any, dynamic: bool) -> None:
    name = str(op).removeprefix("ops.")
    forms = [(form, sample) for form, sample in variants(op) if name not in UNSET and not (name in INVERSES and form.startswith("0 at"))]
    found = [f"{form}: {problem}" for form, sample in forms for problem in problems(op, sample, dynamic)]
    assert not found, "\n".join(found)
