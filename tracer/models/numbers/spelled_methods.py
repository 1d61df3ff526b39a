"""Special methods that the program calls by their names: ``x.sum().__int__()`` is ``int(x.sum())``.

C calls the same methods where it needs a number, which then has to be known.
"""

from __future__ import annotations

import operator
import types
from typing import Any

from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.host_calls import own
from npexport.tracer.models.registry import models

_SPELLED: dict[str, tuple[Any, int]] = {
    "__int__": (int, 1),
    "__float__": (float, 1),
    "__complex__": (complex, 1),
    "__bool__": (bool, 1),
    "__index__": (operator.index, 1),
    "__str__": (str, 1),
    "__repr__": (repr, 1),
    "__format__": (format, 2),
    "__contains__": (operator.contains, 2),
}
"""What calls each, and the number of its arguments."""


@models("npexport.tracer.arrays.core.slots", "slot.<locals>.call")
@models("npexport.symshapes.symbolic", "Symbolic.__str__", "Symbolic.__repr__", "Symbolic.__format__")
@models("npexport.symshapes.symint", *[f"SymInt.{name}" for name in ("__index__", "__float__", "__complex__", "__bool__")])
@models("npexport.symshapes.symint", *[f"SymFloat.{name}" for name in ("__int__", "__float__", "__complex__", "__bool__")])
@models("npexport.symshapes.symint", "SymBool.__index__", "SymBool.__float__", "SymBool.__bool__")
def _spelled(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    called, count = _SPELLED.get(fn.__name__, (None, 0))
    given = (fn.__self__, *args) if type(fn) is types.MethodType else args
    return own(world, vm, fn, args, kwargs) if called is None or kwargs or len(given) != count else Invoke(called, given)
