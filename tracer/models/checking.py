"""``npexport.check`` of conditions that only the data decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, as_size
from npexport.tracer.models.lookup import models, run


@models("npexport.symshapes.checking", "check")
def check(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Such a condition is the number that it is, which must not be 0."""
    given = {**dict(zip(("condition", "message"), args, strict=False)), **kwargs}
    condition: Any = given.get("condition")
    if type(condition) in (ArrayProxy, ScalarProxy) and not condition.known and condition.size == 1:
        given["condition"] = as_size(condition.astype(np.bool_).astype(np.intp), "check()") == 1
    return run(world, vm, fn, (), given)
