"""NumPy's functions of text and of business days that are more than one operator."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TEXTS
from npexport.ir.numpy_internals import implementation, slice_of_texts
from npexport.ir.ops.np_strings import WIDTHS_OF_DATA
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api import arguments, ufuncs
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import texts
from npexport.tracer.models.registry import of_numpy, rows
from npexport.tracer.models.specialization import plain

strings: Any = np.strings


def _justified(side: str) -> Callable[..., Any]:
    function = getattr(strings, side)

    def filled(a: Any, width: Any, fillchar: Any = " ") -> Any:
        known = plain(arguments.known_parameter(function, "width", width), "it is the width of a text")
        array, axes = coercion.array_of(a), 0
        if type(known) is not int:
            axes = np.ndim(known)
            known = np.asarray(known).item()  # raises where there are several
        if axes > array.ndim:
            array = array.reshape((1,) * (axes - array.ndim) + array.shape)
        return recorder().call(ops.np.str_justify, array, known, side, fillchar)

    def with_zeros(a: Any, width: Any) -> Any:
        return filled(a, width)

    return with_zeros if side == "zfill" else filled


def _too_wide(name: str) -> Callable[..., Invoke]:
    """A function whose results have a width that the data decide, but for texts of any length."""

    def call(*args: Any, **kwargs: Any) -> Invoke:
        of_any_length = any(getattr(value, "dtype", None) == TEXTS for value in (*args, *kwargs.values()))
        if name in _OF_ANY_LENGTH and of_any_length:
            return Invoke(_code_of(getattr(strings, name)), args, kwargs)
        if name in ("partition", "rpartition") and of_any_length:
            what = f"np.strings.{name} of StringDType raises where data say that the separator is empty"
            raise Unsupported("E101", what, hint="Find the separator, np.strings.find(x, sep), and slice: np.strings.slice(x, 0, found).")
        raise Unsupported("E114", f"how wide the result of np.strings.{name} is depends on the texts", hint=WIDTHS_OF_DATA)

    return call


def _code_of(function: Any) -> Any:
    """What the function runs: in NumPy before 2.3, where nothing wraps it, a twin of itself."""
    if implementation(function):
        return implementation(function)
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)


_OF_ANY_LENGTH = ("expandtabs", "multiply", "replace")
"""Those of them that NumPy's code leaves to ufuncs where texts have any length."""


def _refusing(function: Any, polyfill: Callable[..., Any]) -> Callable[..., Invoke]:
    """What is called instead of a function, whose own errors name it."""

    def call(*args: Any, **kwargs: Any) -> Invoke:
        numpy_oracle.raise_for_stand_ins(function, args, kwargs)
        return Invoke(polyfill, args, kwargs)

    return call


def _sliced(*args: Any) -> Any:
    """The ufunc of ``np.strings.slice``."""
    return recorder().call(ops.np.str_slice, *args) if args[0].dtype == TEXTS else Invoke(texts.sliced, args, {})


def _with_calendar(function: Any, required: str, optional: str) -> Callable[..., Any]:
    """A function of business days: ``busdaycal=`` stands for a week mask and holidays."""
    places = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, places) for name in required.split()]
    parameters += [inspect.Parameter(name, places, default=None) for name in f"{optional} weekmask holidays busdaycal out".split()]
    signature = inspect.Signature(parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            numpy_oracle.raise_for_stand_ins(function, args, kwargs)
            raise
        if any(given.get(name, ()) is None for name in ("holidays", "busdaycal", "out")):  # defaults that NumPy does not take
            numpy_oracle.raise_for_stand_ins(function, args, kwargs, (TypeError, ValueError))
        if isinstance(given.get("out"), tuple):
            numpy_oracle.raise_for_stand_ins(function, args, kwargs, ValueError)
        if "busdaycal" in given:
            calendar = given.pop("busdaycal")
            if given.keys() & {"weekmask", "holidays"}:
                numpy_oracle.raise_for_stand_ins(function, args, kwargs, (TypeError, ValueError))
            given |= {"weekmask": calendar.weekmask, "holidays": calendar.holidays}
        if "weekmask" in given:
            given["weekmask"] = _mask(given["weekmask"])
        given |= {name: np.array(given[name], "M8[D]") for name in required.split() if name != "offsets" and _is_day(given[name])}
        if "holidays" in given:
            given["holidays"] = coercion.array_of(given["holidays"], np.dtype("M8[D]"))
        return ufuncs.model_of(function)(**given)

    return call


def _is_day(date: Any) -> bool:
    """Whether it is a text of a day or a longer time, or a list of such texts."""
    if isinstance(date, list):
        return all(isinstance(each, str) and _is_day(each) for each in date)
    return isinstance(date, str) and np.can_cast(np.datetime64(date).dtype, "M8[D]", "safe")


_WEEK = np.arange("1970-01-05", "1970-01-12", dtype="M8[D]")


def _mask(weekmask: Any) -> Any:
    """A week mask as a text of seven digits; a text is returned unchanged. Raises as NumPy does."""
    known = arguments.known_parameter(np.is_busday, "weekmask", weekmask)
    return known if isinstance(known, str) else "".join("01"[day] for day in np.is_busday(_WEEK, weekmask=known).tolist())


_OF_DAYS = ((np.is_busday, "dates", ""), (np.busday_count, "begindates enddates", ""), (np.busday_offset, "dates offsets", "roll"))

rows("numpy.dtypes", "StringDType StringDType.*", pure=True)
rows("numpy", "busdaycalendar busdaycalendar.*", pure=True)
of_numpy(
    {
        **{getattr(strings, side): _justified(side) for side in ("center", "ljust", "rjust", "zfill")},
        **{
            getattr(strings, name): _too_wide(name)
            for name in ("decode", "encode", "expandtabs", "mod", "multiply", "partition", "replace", "rpartition")
            if hasattr(strings, name)
        },
        strings.index: _refusing(strings.index, texts.index),
        strings.rindex: _refusing(strings.rindex, texts.rindex),
        **({slice_of_texts: _sliced} if slice_of_texts else {}),  # since NumPy 2.3
        **{each: _with_calendar(*row) for row in _OF_DAYS for each in (row[0], implementation(row[0]))},
    }
)
