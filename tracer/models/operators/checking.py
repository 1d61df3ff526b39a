"""``npexport.check`` for conditions that only the data decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.symshapes.checking import MESSAGE, text_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.parameters import TRUTH, require
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import decided, recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.control.branches import truth_of_data
from npexport.tracer.control.failures import refuse_unless_true
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.handler_analysis import leaves_the_program
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.registry import models


@models("npexport.symshapes.checking", "check")
def check(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A check of data is made by the program at this place; one of sizes becomes a guard."""
    given = {**dict(zip(("condition", "message"), args, strict=False)), **kwargs}
    require_truth("condition", given.get("condition"))
    truth = truth_of_data(given.get("condition"))
    if type(truth) is not SymBool or decided(truth) is True:
        return run(world, vm, fn, args, kwargs)
    message = given.get("message")
    require("message", message, MESSAGE)
    if world.captures:
        if callable(message):
            return Invoke(polyfills.check_telling, (truth, message, _know))
        return Invoke(polyfills.check, (truth, message or "check failed", _know))
    frame = vm.current_frame
    if not leaves_the_program(vm, frame, AssertionError()):
        raise Unsupported("E103", "a handler of the program may catch what a check of data raises")
    refuse_unless_true(world, truth, AssertionError, (text_of(message) or "check failed",), vm.stack())
    return _know(truth, message)


def require_truth(name: str, value: Any) -> None:
    """Raises ``UserError`` (E201) for data that are no truths or numbers."""
    if type(value) in (ArrayProxy, ScalarProxy) and value.dtype.kind not in "biufc":
        require(name, np.empty(1, value.dtype), TRUTH)


def _know(truth: Any, message: Any) -> None:
    """What was checked of sizes holds from now on, unless this part may not run."""
    session = recorder().session
    if recorder().sizes.about_sizes(truth) and not recorder().regions:
        session.env.check(truth.expression, message if isinstance(message, str) else "")
