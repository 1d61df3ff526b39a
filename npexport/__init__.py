"""npexport: ordinary NumPy programs in; sound, functional, shape-polymorphic graphs out.

The public names, each resolved on first use (PEP 562), so that ``import npexport`` costs nothing
and loads no room that is not needed.

>>> import numpy as np
>>> from npexport import export
>>> program = export(lambda x: np.sin(x) + 1, (np.zeros(3),))
>>> program.module()(np.zeros(3))
array([1., 1., 1.])
"""

import gc as _gc
from importlib import import_module as _import_module
from os import path as _paths
from sys import meta_path as _meta_path
from sys import modules as _modules
from typing import Any as _Any

__version__ = "0.1.0"

_here = _paths.dirname(_paths.realpath(__file__))


class _Beside:
    """Finds the rooms of a checkout, which stand beside this folder; in a wheel they are
    inside it.
    """

    @staticmethod
    def find_spec(name: str, path: _Any = None, target: _Any = None) -> _Any:
        if name in ("npexport.symshapes", "npexport.ir", "npexport.runtime", "npexport.tracer"):
            return _import_module("importlib.machinery").PathFinder.find_spec(name, [_paths.dirname(_here)])
        return None


if not _paths.isdir(_paths.join(_here, "symshapes")):
    __path__ = [_here]  # not what links to it
    _meta_path.append(_Beside)

_HOMES = {
    "npexport.symshapes.errors": ("ExportError", "InputMismatch", "InternalError", "LoadError", "Location", "Unsupported", "UserError"),
    "npexport.symshapes.fixes": ("ConstraintViolation",),
    "npexport.symshapes.checking": ("check",),
    "npexport.symshapes.dims": ("Dim", "dims"),
    "npexport.symshapes.spec": ("AdditionalInputs", "ShapesCollection", "infer"),
    "npexport.symshapes.refine": ("refine_dynamic_shapes_from_suggested_fixes",),
    "npexport.ir.argument_specs": (
        "ConstantArgument",
        "CustomObjArgument",
        "SymBoolArgument",
        "SymFloatArgument",
        "SymIntArgument",
        "TensorArgument",
        "TokenArgument",
    ),
    "npexport.ir.meta": ("TensorMeta",),
    "npexport.ir.op": ("Op",),
    "npexport.ir.call_signatures": ("ModuleCallEntry", "ModuleCallSignature"),
    "npexport.ir.signature": (
        "ExportBackwardSignature",
        "ExportGraphSignature",
        "InputKind",
        "InputSpec",
        "OutputKind",
        "OutputSpec",
    ),
    "npexport.runtime.operators.custom_ops": (
        "custom_op",
        "new_size",
        "opaque",
        "register_fake",
        "register_vjp",
    ),
    "npexport.runtime.modules.module_tree": ("InterpreterModule", "InterpreterModuleDispatcher"),
    "npexport.runtime.modules.unflatten": ("FlatArgsAdapter", "UnflattenedModule", "unflatten"),
    "npexport.runtime.operators.control_flow": ("cond", "map", "scan", "while_loop"),
    "npexport.ir.program": ("ExportedProgram",),
    "npexport.ir.decompositions": ("CustomDecompTable", "core_operators", "default_decompositions", "register_decomposition"),
    "npexport.ir.difference": ("ProgramDiff", "diff"),
    "npexport.ir.archive": ("load", "save"),
    "npexport.ir.archive_zip": ("NP2ArchiveReader", "NP2ArchiveWriter", "is_np2_package"),
    "npexport.ir.packages": ("NP2ArchiveContents", "load_np2", "package_np2"),
    "npexport.ir.pytree": ("register_dataclass",),
    "npexport.tracer.driver.export": ("export", "export_for_training"),
    "npexport.tracer.diagnostics.logs": ("set_logs",),
    "npexport.tracer.driver.capture": ("capture",),
    "npexport.tracer.driver.draft": ("DraftExportReport", "draft_export"),
    "npexport.tracer.driver.explain": ("Explanation", "explain"),
    "npexport.tracer.interpreter": ("interpret",),
    "npexport.tracer.frames": ("frame_hook",),
}
_SUBMODULES = {
    "dask": "npexport.dask",
    "passes": "npexport.passes",
    "nn": "npexport.runtime.nn",
    "ops": "npexport.ir.ops",
    "testing": "npexport.testing",
    "xarray": "npexport.xarray",
}

# name -> the module that it is an attribute of; a submodule is found as an attribute of its package
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

_NAMES = sorted([*_HOME_OF, *_SUBMODULES])
_HIDING = {"dask", "map", "xarray"}  # a builtin and libraries have these names: ``import *`` leaves them

__all__ = [name for name in _NAMES if name not in _HIDING]


_REQUIRED = ("numpy", "bytecode", "sympy")


def __getattr__(name: str) -> _Any:
    if name not in _HOME_OF and name not in _SUBMODULES:
        instead = _import_module("npexport.absent").INSTEAD.get(name)
        text = f"npexport.{name} is not in this version: {instead}" if instead else f"module 'npexport' has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=_modules[__name__])
    value = _room(_SUBMODULES[name]) if name in _SUBMODULES else getattr(_room(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def _room(name: str) -> _Any:
    """The module of this name, with all that it needs."""
    if name in _modules:
        return _import_module(name)
    collects = _gc.isenabled()
    _gc.disable()  # all that modules make stays: collections among it would take a sixth of the time
    try:
        return _import_module(name)
    except ModuleNotFoundError as error:
        if error.name in _REQUIRED:
            error.add_note("npexport needs NumPy, bytecode and SymPy. In a checkout, `python -m pip install -e .` installs them.")
        raise
    finally:
        if collects:
            _gc.enable()


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
