"""What is said to be quiet is: no data make it meet a floating-point error that an exported program would not know of."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from npexport.ir.arguments import map_leaves
from npexport.ir.decompositions.calling import Operand, of_operands
from npexport.ir.op import REGISTRY
from tests.op_samples import has_samples, samples_of

QUIET = [op for op in REGISTRY if has_samples(op) and "quiet" in op.traits]
NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 5e-324, -1.5, 3e38, 1.7e308, -1.7e308, 65000.0]
VALUES = {
    "f": NUMBERS,
    "c": [complex(a, b) for a in NUMBERS for b in NUMBERS],
    "i": [-(2**63), 2**63 - 1, -1, 0, -(2**31), -128],
    "u": [0, 1, 2**64 - 1],
}


def of_values(array, kind, rng):
    """The array with numbers that make loops meet errors, of another dtype of the kind."""
    values = np.array([0, *VALUES[kind]]).astype({"f": float, "c": complex, "i": np.int64, "u": np.uint64}[kind])
    chosen = rng.choice(values, np.shape(array))
    dtypes = np.dtype(f"{kind}{rng.choice({'f': [2, 4, 8], 'c': [8, 16]}.get(kind, [1, 2, 4, 8]))}")
    return chosen.astype(dtypes)[()] if np.ndim(array) == 0 else chosen.astype(dtypes)


def call_of(op, args, kwargs):
    """A call of the operator as a function of its arrays and scalars of numbers, and these."""
    operands = []

    def place(leaf):
        if not isinstance(leaf, (np.ndarray, np.generic)) or leaf.dtype.kind not in "fciu":
            return leaf
        operands.append(leaf)
        return Operand(len(operands) - 1)

    return of_operands(op, map_leaves(args, place), map_leaves(kwargs, place)), operands


def meets_errors(call, operands):
    with np.errstate(all="raise"):
        try:
            call(*operands)
        except FloatingPointError as error:
            return str(error)
        except Exception:  # noqa: BLE001  such operands are none of the operator's
            return None
    return None


def raising(call):
    def program(*operands):
        with np.errstate(all="raise"):
            return call(*operands)

    return program


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", QUIET, ids=str)
def test_errors_that_it_meets_are_known_to_programs(op):
    rng, samples = np.random.default_rng(7), list(samples_of(op))
    for args, kwargs in samples[:: -(-len(samples) // 6)]:
        call, numbers = call_of(op, args, kwargs)
        if not numbers or (len(numbers) > 1 and any(number.dtype.kind in "iu" for number in numbers)):  # places
            continue
        for kind in "fciu" * 3:
            operands = [of_values(leaf, kind, rng) for leaf in numbers]
            met = meets_errors(call, operands)
            if met is not None:
                with pytest.raises(FloatingPointError, match=met):
                    export(raising(call), tuple(operands)).module()(*operands)


def program_of(name):
    def program(x, y):
        with np.errstate(invalid="raise"):
            return getattr(np, name)(x, y)

    return program


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal"])
def test_comparisons_of_complex_numbers_meet_nan(name):
    x, y = np.array([complex(np.nan, 1), 2]), np.array([1, 2j])
    run = export(program_of(name), (y, y)).module()
    with pytest.raises(FloatingPointError, match="invalid value"):
        program_of(name)(x, y)
    with pytest.raises(FloatingPointError, match="invalid value"):
        run(x, y)
    run(y, y)
