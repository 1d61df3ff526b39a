"""npexport: ordinary NumPy programs in; sound, functional, shape-polymorphic graphs out.

The public names, each resolved on first use (PEP 562), so that ``import npexport`` costs nothing and loads no room that is not needed.

>>> import numpy as np
>>> from npexport import export
>>> program = export(lambda x: np.sin(x) + 1, (np.zeros(3),))
>>> program.module()(np.zeros(3))
array([1., 1., 1.])
"""

from importlib import import_module as _import_module
from sys import modules as _modules
from typing import Any as _Any

__version__ = "0.1.0"

_HOMES = {
    "npexport.symshapes.errors": ("ExportError", "InputMismatch", "InternalError", "LoadError", "Location", "Unsupported", "UserError"),
    "npexport.symshapes.fixes": ("ConstraintViolation",),
    "npexport.symshapes.checking": ("check",),
    "npexport.symshapes.dims": ("Dim", "dims"),
    "npexport.symshapes.spec": ("AdditionalInputs", "ShapesCollection", "infer"),
    "npexport.symshapes.refine": ("refine_dynamic_shapes_from_suggested_fixes",),
    "npexport.ir.meta": ("TensorMeta",),
    "npexport.ir.op": ("Op",),
    "npexport.ir.signature": (
        "ConstantArgument",
        "CustomObjArgument",
        "ExportBackwardSignature",
        "ExportGraphSignature",
        "InputKind",
        "InputSpec",
        "ModuleCallEntry",
        "ModuleCallSignature",
        "OutputKind",
        "OutputSpec",
        "SymBoolArgument",
        "SymFloatArgument",
        "SymIntArgument",
        "TensorArgument",
        "TokenArgument",
    ),
    "npexport.ir.program": ("ExportedProgram",),
    "npexport.ir.archive": ("load", "save"),
    "npexport.ir.pytree": ("register_dataclass",),
    "npexport.tracer.export": ("export", "export_for_training"),
    "npexport.tracer.explain": ("Explanation", "explain"),
    "npexport.tracer.interpreter": ("interpret",),
    "npexport.tracer.frames": ("frame_hook",),
}
_SUBMODULES = {"nn": "npexport.runtime.nn", "ops": "npexport.ir.ops"}

# name -> the module that it is an attribute of; a submodule is found as an attribute of its package
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, *_SUBMODULES])  # noqa: PLE0605 (computed from the tables)


def __getattr__(name: str) -> _Any:
    if name in _SUBMODULES:
        value = _import_module(_SUBMODULES[name])
    elif name in _HOME_OF:
        value = getattr(_import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'npexport' has no attribute {name!r}")
    if "npexport.ir.program" in _modules:
        _import_module("npexport.runtime.module")  # gives programs their module(), which ir may not import
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
