"""Library functions that check data and raise: for values that only the data know they are
operators of the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import registered
from npexport.ir.ops.assertions import FUNCTIONS
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, real_arguments
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import models

TESTING, VALIDATION = "numpy.testing._private.utils", "sklearn.utils.validation"
MODULES: tuple[str, ...] = (TESTING, VALIDATION)
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
    recorder().node(getattr(ops.control, fn.__name__), args, kwargs)
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
        recorder().node(registered("sklearn.assert_all_finite"), (), given)
    return None
