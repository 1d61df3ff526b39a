"""Hold random calls of NumPy's functions and methods, in every form of argument (``form_programs``), to eager execution.

``python -m tests.fuzz.forms [count] [seed]`` runs many. Compared are results to the bit with their dtypes and order in memory, what is
left in the arguments, what shares memory, and the exceptions: at the sizes of the call, at others, and saved and loaded.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.form_programs import Call, call
from tests.support.forms import reloaded
from tests.support.images import arrays_of, image, shared
from tests.support.quiet import quiet


class _Place(int):
    pass


def lifted(value: Any, found: list[Any]) -> Any:
    """The value with arrays replaced by their places among ``found``; one array has one place."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        places = [number for number, array in enumerate(found) if array is value]
        found += [] if places else [value]
        return _Place(places[0] if places else len(found) - 1)
    if type(value) is dict:
        return {name: lifted(item, found) for name, item in value.items()}
    return type(value)(lifted(item, found) for item in value) if type(value) in (tuple, list) else value


def filled(value: Any, arrays: Any) -> Any:
    if type(value) is _Place:
        return arrays[int(value)]
    if type(value) is dict:
        return {name: filled(item, arrays) for name, item in value.items()}
    return type(value)([filled(item, arrays) for item in value]) if type(value) in (tuple, list) else value


def program(made: Call) -> tuple[Any, list[Any]]:
    """A function of the call's arrays, and these."""
    arrays: list[Any] = []
    args, kwargs = lifted(made.args, arrays), lifted(made.kwargs, arrays)

    def run(*given: Any) -> Any:
        return made.function(*filled(args, given), **filled(kwargs, given))

    return run, arrays


def outcome(function: Any, given: list[Any]) -> Any:
    """What a call gives or raises, what it leaves in its arguments, and what shares memory."""
    given = [again(array) for array in given]
    with quiet():
        try:
            result = function(*given)
        except InputMismatch:
            raise
        except Exception as error:
            return type(error).__name__, str(error), image(given)
    result = list(result) if hasattr(result, "__next__") else result
    return image(result, strides=True), image(given), shared([*given, *arrays_of(result)])


def again(array: Any) -> Any:
    """A copy with the same strides."""
    return copy.deepcopy(array) if array.flags.forc else _strided(array)


def _strided(array: Any) -> Any:
    low = sum(min(stride, 0) * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True))
    high = sum(max(stride, 0) * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True))
    made = np.ndarray(array.shape, array.dtype, bytearray(high - low + array.itemsize), -low, array.strides)
    made[...] = array
    return made


def _raised(error: Exception, eager: Any) -> tuple[Any, Any]:
    """An exception and eager execution's outcome, to compare; of several that fit, views name another one where sizes are dynamic."""
    found = type(error).__name__, str(error)
    return found, (found if eager[0] == found[0] and "To change to a dtype" in eager[1] else eager[:2])


def gives_class(exported: Any) -> bool:
    """Whether a class is among the results, which no file holds."""
    return any(isinstance(getattr(spec.arg, "value", None), type) for spec in exported.graph_signature.output_specs)


def shown(value: Any) -> Any:
    """An image, with numbers in place of bits."""
    if isinstance(value, tuple) and len(value) == 5 and isinstance(value[1], np.dtype) and isinstance(value[4], bytes):
        return f"{value[1].str}{value[2]}{value[3]}{np.frombuffer(value[4], value[1]).tolist() if value[4] else []}"
    return type(value)(map(shown, value)) if type(value) in (tuple, list) else value


def larger(array: Any) -> Any:
    """An array that is longer by one along each axis of more than one, in the same order in memory."""
    found = array
    for axis, size in enumerate(array.shape):
        found = np.take(found, np.arange(size + (size > 1)) % max(size, 1), axis=axis)
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    back = np.argsort(order).astype(int).tolist()
    return np.ascontiguousarray(found.transpose(order)).transpose(back) if array.ndim else found


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the call of a difference."""
    made = call(seed)
    function, arrays = program(made)
    return held(str(made), function, arrays, [larger(array) for array in arrays], saves=seed % 3 == 0)


def held(told: str, function: Any, arrays: list[Any], others: Sequence[Any] = (), saves: bool = False) -> Counter[str]:
    """Outcomes of calls of a function that is exported with its arrays and, if there are ``others`` of other sizes, with dynamic sizes,
    too; ``saves``: also saved and loaded. Raises ``AssertionError`` with what is ``told`` of the call where it is not eager's.
    """
    found: Counter[str] = Counter()
    dynamic = [{axis: Dim.AUTO for axis, size in enumerate(array.shape) if size > 1} for array in (arrays if others else ())]
    for shapes in (None, tuple(dynamic)) if any(dynamic) else (None,):

        def make(shapes: Any = shapes) -> Any:
            exported = export(function, tuple(map(again, arrays)), dynamic_shapes=shapes)
            return reloaded(exported) if saves and not gives_class(exported) else exported

        at = f"{told}, dynamic" if shapes else told
        exported = exported_or_why(at, make, lambda error: _raised(error, outcome(function, arrays)))
        if isinstance(exported, str):
            found[exported] += 1
            continue
        calls = (arrays, others) if shapes else (arrays,)
        found += (tally := tallied(at, outcome, function, exported.module(), calls, _shown_where_different))
        assert tally["equal"], f"{at}\nis not for its own example"
    return found


def _shown_where_different(wanted: Any, found: Any) -> str:
    assert wanted == found, f"wanted {shown(wanted)}\nfound  {shown(found)}"
    return "equal"


if __name__ == "__main__":
    main(run)
