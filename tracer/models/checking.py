"""``npexport.check`` of conditions that only the data decide."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.checking import text_of
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.models.branches import refuse_unless_true, truth_of_data
from npexport.tracer.models.registry import models
from npexport.tracer.models.running import run


@models("npexport.symshapes.checking", "check")
def check(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of an array, or of a float: the program checks it where it stands. Of sizes it is a fact."""
    given = {**dict(zip(("condition", "message"), args, strict=False)), **kwargs}
    truth = truth_of_data(given.get("condition"))
    if type(truth) is not SymBool or recorder().sizes.about_sizes(truth):
        return run(world, vm, fn, args, kwargs)
    return refuse_unless_true(world, truth, AssertionError, (text_of(given.get("message")) or "check failed",), vm.stack())
