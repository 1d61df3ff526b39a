"""Functions of libraries around the computation. Those that check data and raise are operators of
the program, for values that only the data know; what scikit-learn's callbacks are told of a fit is
not part of it.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import registered
from npexport.ir.ops.assertions import FUNCTIONS
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, real_arguments
from npexport.tracer.arrays.core.run_dependent_numbers import Identity
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import models

TESTING, VALIDATION = "numpy.testing._private.utils", "sklearn.utils.validation"
CALLBACKS = "sklearn.callback._callback_context"
LINALG = tuple([f"{place}array_api_compat.numpy.linalg" for place in ("", "scipy._lib.", "scipy._external.", "sklearn.externals.")])
MODULES: tuple[str, ...] = (TESTING, VALIDATION, CALLBACKS, *LINALG)
_PLAIN = (int, float, bool, complex, str, bytes, type(None), np.dtype)


def _is_data(value: Any, fn: Any) -> bool:
    """Whether something in the argument is data.

    Raises ``Unsupported`` (E101) for what no operator accepts.
    """
    if type(value) in (ArrayProxy, ScalarProxy):
        return not value.known
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return any(_is_data(item, fn) for item in value)
    if is_symbolic(value):
        return True
    if type(value) not in _PLAIN and not isinstance(value, (np.generic, np.ndarray)):
        raise Unsupported("E101", f"`{fn.__name__}` is called with {with_article(type(value).__name__)}, which no operator takes")
    return False


@models(TESTING, *FUNCTIONS)
def testing(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """For known data the function itself decides now."""
    if not any(_is_data(value, fn) for value in (*args, *kwargs.values())):
        return fn(*real_arguments(args), **real_arguments(kwargs))
    world.recorder.node(getattr(ops.control, fn.__name__), args, kwargs)
    return None


@models(VALIDATION, "_assert_all_finite")
def all_finite(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """scikit-learn's own configuration is respected as the program has left it."""
    space = fn.__globals__
    if vm.run(space.get("_get_config") or space["get_config"])["assume_finite"]:
        return None
    given = dict(zip(("X", "allow_nan", "msg_dtype", "estimator_name", "input_name"), args, strict=False), **kwargs)
    array = given["X"]
    if not _is_data(array, fn):
        return fn(**{name: real_arguments(value) for name, value in given.items()})
    if array.dtype.kind in "fc":
        world.recorder.node(registered("sklearn.assert_all_finite"), (), given)
    return None


@models(CALLBACKS, "CallbackContext._from_estimator")
def fit_of_callbacks(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
    """A fit has a name and a time of its own, which differ from call to call: callbacks may compare
    them, and nothing else.
    """
    return Invoke(_of_any_fit(fn), args, kwargs)


@functools.cache
def _of_any_fit(fn: types.FunctionType) -> types.FunctionType:
    space = {**fn.__globals__, "uuid": _Fit, "datetime": _Fit}
    twin = types.FunctionType(fn.__code__.replace(), space, fn.__name__, fn.__defaults__, fn.__closure__)
    twin.__kwdefaults__ = fn.__kwdefaults__
    return twin


class _Fit:
    """Stands for what tells fits from each other."""

    @staticmethod
    def uuid4() -> Identity:
        return Identity(0)

    @staticmethod
    def now(zone: Any = None) -> Identity:
        return Identity(0)


def solved(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
    """The array API's ``solve`` is NumPy's own since NumPy 2, copied with the C that it calls."""
    return Invoke(np.linalg.solve, args, kwargs)


for _module in LINALG:
    models(_module, "solve")(solved)
