"""Splines and densities, which compiled code of SciPy fits and evaluates."""

from __future__ import annotations

import functools
from typing import Any

from npexport.ir.op import registered
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core import coercion, writes
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import models

MODULE = "scipy.interpolate._fitpack_impl"
_FITTED = "x y w xb xe k task s t full_output per quiet".split()
_ALONE = {"task": 0, "t": None, "full_output": 0, "per": 0, "quiet": 1}


@models(MODULE, "splrep")
def fitted(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = {"w": None, "xb": None, "xe": None, "k": 3, "s": None, **_ALONE, **dict(zip(_FITTED, args, strict=False)), **kwargs}
    if any(given[name] is not value and given[name] != value for name, value in _ALONE.items()) or type(given["k"]) is not int:
        raise Unsupported("E101", "`splrep` with task, t, full_output, per or quiet, or with a degree that is not an integer")
    arrays = [given[name] if given[name] is None else coercion.array_of(given[name]) for name in ("x", "y", "w")]
    ends = [given[name] if given[name] is None else coercion.operand(given[name]) for name in ("xb", "xe")]
    return (*world.recorder.call(registered("scipy.spline_splrep"), *arrays, *ends, given["k"], given["s"]), given["k"])


@models(MODULE, "splint")
def integrated(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = {"full_output": 0, **dict(zip(("a", "b", "tck", "full_output"), args, strict=False)), **kwargs}
    t, c, k = given["tck"]
    if given["full_output"] != 0 or type(k) is not int or isinstance(c, (list, tuple)):
        raise Unsupported("E101", "`splint` with full_output, with a degree that is not an integer, or of curves")
    ends = [coercion.operand(given[name]) for name in ("a", "b")]
    return world.recorder.call(registered("scipy.spline_splint"), *ends, *map(coercion.array_of, (t, c)), k)


@models("scipy.interpolate._dierckx", "evaluate_spline", pure=True)
def evaluated(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    t, c, k, x, nu, extrapolate = args
    return world.recorder.call(
        registered("scipy.spline_evaluate"), *map(coercion.array_of, (t, c)), k, coercion.array_of(x), nu, extrapolate
    )


@models("scipy.interpolate._dierckx", "_coloc", pure=True)
def collocated(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    x, t, k, ab, offset = args
    writes.assign(ab, world.recorder.call(registered("scipy.spline_collocation"), *map(coercion.array_of, (x, t)), k, ab, offset))


_OF_LAPACK = {
    **dict.fromkeys(("dgbsv", "zgbsv"), ("gbsv", 2, 4)),
    **dict.fromkeys(("snrm2", "dnrm2", "scnrm2", "dznrm2"), ("nrm2", 0, 1)),
}
"""The operator, how many arguments are numbers, which come first, and how many there are."""


@models("builtins", "fortran.__call__", pure=True)
def of_lapack(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of LAPACK that SciPy's own code calls, which reads no array again that it lets be
    overwritten.
    """
    name, frame = str(getattr(fn, "__name__", "")).partition(" ")[2], vm.frame
    of_scipy = frame is not None and str(frame.globals.get("__name__")).startswith("scipy.")
    operator, numbers, count = _OF_LAPACK.get(name, ("", 0, -1))
    if len(args) != count or not of_scipy or not all(option.startswith("overwrite_") for option in kwargs):
        raise Unsupported("E101", f"`{name}` of LAPACK is implemented in Fortran, and no operator stands for it")
    return world.recorder.call(registered(f"scipy.lapack_{operator}"), *args[:numbers], *map(coercion.array_of, args[numbers:]))


@models("scipy.stats._stats", "gaussian_kernel_estimate[double]", pure=True)
def estimated(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], log: bool = False) -> Any:
    return world.recorder.call(registered("scipy.stats_kernel_estimate"), *map(coercion.array_of, args[:4]), log)


models("scipy.stats._stats", "gaussian_kernel_estimate_log[double]", pure=True)(functools.partial(estimated, log=True))
