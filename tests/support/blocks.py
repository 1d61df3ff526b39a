"""Programs that run block by block however small their arrays are, and what they are held to."""

import contextlib
import warnings

import numpy as np

from npexport import export
from npexport.runtime.blocks import expressions, fusion
from npexport.runtime.blocks.fusion_blocks import Attempts, Blocks
from npexport.runtime.modules.module import make_module

SMALL = fusion.Policy(block=512, most=1 << 20, least=0, parallel=0, operators=1, overlapping=1)
TINY = fusion.Policy(block=16, most=1 << 20, least=0, parallel=0, operators=1, overlapping=1, unit=1)


@contextlib.contextmanager
def forced(policy=SMALL):
    """Programs compiled in this context run in small blocks of Python, not of C; gives a list that says of each run whether it came to a
    result.
    """
    before, call, engine = fusion.POLICY, Blocks.__call__, expressions.engine
    runs = []

    def counted(self, *operands):
        self._all, self._level = Attempts(), Attempts()
        result = call(self, *operands)
        runs.append(result is not None)
        return result

    fusion.POLICY, Blocks.__call__, expressions.engine = policy, counted, None
    try:
        yield runs
    finally:
        fusion.POLICY, Blocks.__call__, expressions.engine = before, call, engine


def observed(function, args):
    """What a call does: results or error, warnings, and the arguments afterwards; all as comparable values."""
    args = [np.array(arg, order="K", copy=True) if arg.base is None else arg for arg in args]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            results = function(*args)
        except Exception as error:
            results = f"{type(error).__name__}: {error}"
    found = results if isinstance(results, tuple) else (results,)
    return [described(value) for value in (*found, *args)], [str(warning.message) for warning in said]


def described(value):
    if not isinstance(value, np.ndarray):
        return type(value), value.tobytes() if isinstance(value, np.generic) else value
    strides = [stride for stride, size in zip(value.strides, value.shape, strict=True) if size > 1]
    return value.dtype, value.shape, strides, value.flags.writeable, value.tobytes()


def compare(function, args, threads=1, states=({},)):
    """Hold a program in small blocks to its source, and its warnings and errors to those of the nodes one by one; the runs as `forced`
    gives them.
    """
    program = export(function, tuple(args))
    plain = make_module(program, True, threads=0)
    with forced() as runs:
        run = program.module(threads=threads)
        for state in states:
            _hold(run, plain, function, args, state)
    return runs


def hold(function, args, states=({"all": "ignore"},)):
    """Hold a program to its source, and its warnings and errors to those of the nodes one by one."""
    program = export(function, tuple(args))
    run, plain = program.module(), make_module(program, True, threads=0)
    for state in states:
        for _ in range(2):  # a run that gave up is not tried again at once
            _hold(run, plain, function, args, state)


def _hold(run, plain, function, args, state):
    with np.errstate(**state):
        found = observed(run, args)
        assert found == observed(plain, args), state
        expected, _ = observed(function, args)
        if not isinstance(expected[0][1], str):  # eager execution may raise where nobody asks for the result
            assert found[0] == expected, state
