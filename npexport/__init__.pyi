"""The public names for type checkers: what ``__init__.py`` resolves on first use. A test holds the two equal."""

from npexport.ir import ops as ops
from npexport.ir.archive import load as load
from npexport.ir.archive import save as save
from npexport.ir.meta import TensorMeta as TensorMeta
from npexport.ir.op import Op as Op
from npexport.ir.program import ExportedProgram as ExportedProgram
from npexport.ir.pytree import register_dataclass as register_dataclass
from npexport.ir.signature import ConstantArgument as ConstantArgument
from npexport.ir.signature import CustomObjArgument as CustomObjArgument
from npexport.ir.signature import ExportBackwardSignature as ExportBackwardSignature
from npexport.ir.signature import ExportGraphSignature as ExportGraphSignature
from npexport.ir.signature import InputKind as InputKind
from npexport.ir.signature import InputSpec as InputSpec
from npexport.ir.signature import ModuleCallEntry as ModuleCallEntry
from npexport.ir.signature import ModuleCallSignature as ModuleCallSignature
from npexport.ir.signature import OutputKind as OutputKind
from npexport.ir.signature import OutputSpec as OutputSpec
from npexport.ir.signature import SymBoolArgument as SymBoolArgument
from npexport.ir.signature import SymFloatArgument as SymFloatArgument
from npexport.ir.signature import SymIntArgument as SymIntArgument
from npexport.ir.signature import TensorArgument as TensorArgument
from npexport.ir.signature import TokenArgument as TokenArgument
from npexport.runtime import nn as nn
from npexport.symshapes.checking import check as check
from npexport.symshapes.dims import Dim as Dim
from npexport.symshapes.dims import dims as dims
from npexport.symshapes.errors import ExportError as ExportError
from npexport.symshapes.errors import InputMismatch as InputMismatch
from npexport.symshapes.errors import InternalError as InternalError
from npexport.symshapes.errors import LoadError as LoadError
from npexport.symshapes.errors import Location as Location
from npexport.symshapes.errors import Unsupported as Unsupported
from npexport.symshapes.errors import UserError as UserError
from npexport.symshapes.fixes import ConstraintViolation as ConstraintViolation
from npexport.symshapes.refine import refine_dynamic_shapes_from_suggested_fixes as refine_dynamic_shapes_from_suggested_fixes
from npexport.symshapes.spec import AdditionalInputs as AdditionalInputs
from npexport.symshapes.spec import ShapesCollection as ShapesCollection
from npexport.symshapes.spec import infer as infer
from npexport.tracer.explain import Explanation as Explanation
from npexport.tracer.explain import explain as explain
from npexport.tracer.export import export as export
from npexport.tracer.export import export_for_training as export_for_training
from npexport.tracer.frames import frame_hook as frame_hook
from npexport.tracer.interpreter import interpret as interpret

__version__: str
