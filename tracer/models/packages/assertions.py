"""The functions that pytest calls in assertions of modules which it has rewritten.

They explain why an assertion failed, for which they examine the objects, the configuration and the
environment. In a traced program they only see its plain values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import models

MODULE = "_pytest.assertion.rewrite"


def _shown(world: ShadowedWorld, value: Any) -> str:
    return repr(value) if type(value) in ATOMS else f"<{world.type_of(value).__name__}>"


@models(MODULE, "_saferepr")
def saferepr_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    return _shown(world, args[0]).replace("\n", "\\n")


@models(MODULE, "_format_assertmsg")
def message_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The user's message; newlines and percent signs are special to what assembles it."""
    text = args[0] if type(args[0]) is str else _shown(world, args[0])
    return text.replace("\n", "\n~").replace("%", "%%")


@models(MODULE, "_should_repr_global_name", "_check_if_assertion_pass_impl")
def no_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    return False


@models(MODULE, "_call_reprcompare")
def comparison_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The first of a chain of comparisons that does not hold."""
    _, results, explanations, _ = args
    failed = (text for result, text in zip(results, explanations, strict=False) if type(result) in (bool, np.bool_) and not result)
    return next(failed, explanations[-1])
