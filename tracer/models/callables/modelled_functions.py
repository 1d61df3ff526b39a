"""Python functions that have models are not interpreted: calls of them go to ``call_native``, from
when their modules are imported, be it by the program.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from npexport.tracer.interpreter.program import answered
from npexport.tracer.models import registry
from npexport.tracer.models.arrays import numpy_api
from npexport.tracer.models.callables import flags, refused, searches, threads
from npexport.tracer.models.packages import assertions, scipy_fits, validation

PYTHON = frozenset(
    {"re", "linecache", "logging", "importlib", "importlib.metadata", "importlib.util"}
    | {assertions.MODULE, flags.MODULE, scipy_fits.MODULE, searches.MODULE, *validation.MODULES, *refused.PYTHON, *threads.PYTHON}
)
"""Modules with Python functions that have models."""
_intercepted: set[str] = set()


def answer_models() -> None:
    """Answer for the functions of NumPy, of operators, and of the modules that are imported."""
    numpy_api.answer_models()
    new = {module for module in PYTHON - _intercepted if module in sys.modules}
    if not new:
        return
    for (module, name), row in registry.ROWS.items():
        if module in new and (row.model or row.refused):
            target: Any = sys.modules[module]
            for part in name.split("."):
                target = getattr(target, part, None)
            target = getattr(target, "__func__", target)
            if isinstance(target, types.FunctionType):
                answered(target.__code__)
    _intercepted.update(new)
