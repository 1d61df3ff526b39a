"""``np.frompyfunc``: a ufunc that calls a Python function for each element.

The function is interpreted once for each element. NumPy converts the operands to arrays of objects,
whose items are Python numbers, and iterates over them in memory order: see ``ufunc_frompyfunc``
(``numpy/_core/src/umath/umathmodule.c``) and ``PyUFunc_On_Om``. ``np.vectorize`` is Python code on
top of it, and is interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import function_of
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api.arguments import common_shape
from npexport.tracer.arrays.api.objects import Objects, SizedObjects, as_operand, stretched
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.arrays.memory.layout import example_size
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import named
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import lists
from npexport.tracer.models.registry import models


class PyFunc:
    """The ufunc of ``function``.

    ``ufunc`` is NumPy's own, which has the names and raises the errors for wrong arguments.
    """

    __slots__ = ("function", "ufunc")

    def __init__(self, function: Any, ufunc: Any) -> None:
        self.function = function
        self.ufunc = ufunc

    __class__ = np.ufunc  # type: ignore[assignment]

    @property
    def nin(self) -> int:
        return int(self.ufunc.nin)

    @property
    def nout(self) -> int:
        return int(self.ufunc.nout)

    @property
    def __name__(self) -> str:
        return str(self.ufunc.__name__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self.ufunc, name):
            raise AttributeError(f"'numpy.ufunc' object has no attribute '{name}'")
        return getattr(self.ufunc, name) if name in ("nargs", "ntypes", "types", "identity", "signature") else self._unknown(name)

    def _unknown(self, what: str) -> Any:
        raise Unsupported("E101", f"`{what}` of a function that np.frompyfunc made is not known")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The call: an array of objects, or the object itself if no argument has axes."""
        whole = kwargs.pop("out", None)
        if kwargs or (whole is not None and whole is not Ellipsis):
            self._unknown("an argument by name")
        if len(args) != self.nin:
            return self.ufunc(*args)  # raises
        _require_no_traps()
        operands = [as_operand(arg) for arg in args]
        try:
            shape = common_shape(*[operand.shape for operand in operands])
        except ValueError:
            return self.ufunc(*[np.empty(tuple(map(example_size, operand.shape))) for operand in operands])  # raises as ufuncs do
        if any(type(operand) is SizedObjects for operand in operands):
            return self._call_for_list([stretched(operand, shape) for operand in operands], shape)
        places = [np.broadcast_to(operand.places, shape) for operand in operands]
        flags: Any = [["readonly"]] * len(places) + [["writeonly", "allocate"]]
        walk = np.nditer([*places, None], ["multi_index", "zerosize_ok"], flags)
        rows: list[Any] = []
        results = walk.operands[-1]
        while not walk.finished:
            place = walk.multi_index
            results[place] = len(rows)
            rows.append(tuple([operand.items[each[place]] for operand, each in zip(operands, places, strict=True)]))
            walk.iternext()
        return Invoke(polyfills.call_each, (self.function, rows, self._finish(results, whole is Ellipsis)), {})

    def _finish(self, places: np.ndarray[Any, Any], whole: bool) -> Callable[[list[Any]], Any]:
        def finish(results: list[Any]) -> Any:
            if self.nout == 1:
                return _array(results, places, whole)
            if not all(type(result) is tuple and len(result) == self.nout for result in results):
                raise self._other_results()
            return tuple([_array([result[k] for result in results], places, whole) for k in range(self.nout)])

        return finish

    def _call_for_list(self, columns: list[FilledList], shape: tuple[Any, ...]) -> Invoke:
        if self.nout == 1:
            return Invoke(lists.call_each_of_list, (self.function, columns, lambda results: SizedObjects(results, shape)), {})

        def check(results: FilledList) -> FilledList:
            if not is_tuple(results.item) or len(results.item) != self.nout:
                raise self._other_results()
            return results

        def finish(parts: list[FilledList]) -> tuple[SizedObjects, ...]:
            return tuple([SizedObjects(part, shape) for part in parts])

        return Invoke(lists.call_each_of_list_for_several, (self.function, columns, self.nout, check, finish), {})

    def _other_results(self) -> Unsupported:
        return Unsupported("E101", f"a function for np.frompyfunc gives something else than {self.nout} results")

    def reduce(self, array: Any, axis: Any = 0) -> Any:
        """Along the only axis, from left to right."""
        return Invoke(polyfills.reduce, (self.function, self._vector(array, axis)), {})

    def accumulate(self, array: Any, axis: Any = 0) -> Any:
        items = self._vector(array, axis)
        return Invoke(polyfills.accumulate_each, (self.function, items, self._finish(np.arange(len(items)), True)), {})

    def _vector(self, array: Any, axis: Any) -> Any:
        _require_no_traps()
        operand = as_operand(array)
        if self.nin != 2 or self.nout != 1 or operand.ndim != 1 or axis not in (0, -1, None) or not operand.size:
            self._unknown("a reduction that is not along the only axis of a vector")
        return operand.in_order()


def _require_no_traps() -> None:
    """NumPy asks the processor after the calls which floating-point errors there were, and so
    raises for what Python's own floats met in them.
    """
    if recorder().session.traps():
        what = "the program makes floating-point errors exceptions, and calls a function by np.vectorize or np.frompyfunc"
        hint = "Call the function in a loop or a comprehension, or set np.errstate within it."
        raise Unsupported("E126", f"{what}: NumPy raises for floats of Python, too, that overflow in it", hint=hint)


named(PyFunc, "numpy.ufunc")


@models(PyFunc.__module__, "PyFunc.__call__")
def _call(world: ShadowedWorld, vm: Machine, fn: PyFunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


def of_ufunc(ufunc: np.ufunc) -> PyFunc:
    """The stand-in of an earlier ufunc: its Python function is the first object it refers to."""
    function = current_world().enter(function_of(ufunc), f"the function of the ufunc {ufunc.__name__}")
    return PyFunc(function, ufunc)


def _array(results: Any, places: np.ndarray[Any, Any], whole: bool) -> Any:
    if type(results) is FilledList and places.size and (np.diff(places.ravel()) == 1).all():
        return SizedObjects(results, places.shape)
    return Objects(results, places) if places.ndim or whole else results[0]


def frompyfunc(func: Any, /, nin: Any, nout: Any, **kwargs: Any) -> Any:
    """``np.frompyfunc``."""

    def nothing(*args: Any) -> None:
        """Stands for the function."""

    nothing.__name__ = getattr(func, "__name__", "?")
    ufunc = np.frompyfunc(nothing, nin, nout, **kwargs)
    if kwargs or nout < 1 or nin < 1:
        raise Unsupported("E101", "np.frompyfunc with an identity, or without arguments or results, is not known")
    return PyFunc(func, ufunc)
