"""The names of the public contract: npexport's, and those of the reference of ``torch.export`` in their form here."""

from __future__ import annotations

import inspect

NAMES = """
export export_for_training explain Explanation draft_export DraftExportReport set_logs interpret frame_hook capture
Dim Dim.AUTO Dim.DYNAMIC Dim.STATIC dims ShapesCollection ShapesCollection.dynamic_shapes AdditionalInputs AdditionalInputs.add
AdditionalInputs.dynamic_shapes AdditionalInputs.verify refine_dynamic_shapes_from_suggested_fixes infer
ExportError Location Unsupported UserError ConstraintViolation InputMismatch LoadError InternalError testing.OpCheckError
custom_op register_fake new_size register_decomposition register_vjp opaque testing.opcheck
cond while_loop scan map check
default_decompositions core_operators CustomDecompTable CustomDecompTable.copy CustomDecompTable.items CustomDecompTable.keys
CustomDecompTable.materialize CustomDecompTable.pop CustomDecompTable.update
ops Op Op.name Op.schema Op.is_core Op.is_mutable Op.tags TensorMeta
ExportedProgram ExportedProgram.graph ExportedProgram.graph_module ExportedProgram.graph_signature ExportedProgram.state_dict
ExportedProgram.constants ExportedProgram.tensor_constants ExportedProgram.range_constraints ExportedProgram.guards
ExportedProgram.module_call_graph ExportedProgram.example_inputs ExportedProgram.call_spec ExportedProgram.dialect
ExportedProgram.opset_version ExportedProgram.module ExportedProgram.parameters ExportedProgram.named_parameters ExportedProgram.buffers
ExportedProgram.named_buffers ExportedProgram.load_state_dict ExportedProgram.run_decompositions
ExportedProgram.validate ExportedProgram.verifier
ExportedProgram.verifiers ExportedProgram.to_python ExportedProgram.to_html ExportedProgram.to_dot
ExportGraphSignature ExportGraphSignature.replace_all_uses ExportGraphSignature.get_replace_hook
InputKind OutputKind InputSpec OutputSpec TensorArgument SymIntArgument SymFloatArgument SymBoolArgument ConstantArgument
CustomObjArgument TokenArgument ExportBackwardSignature ModuleCallEntry ModuleCallSignature
unflatten UnflattenedModule InterpreterModule InterpreterModuleDispatcher FlatArgsAdapter FlatArgsAdapter.adapt
FlatArgsAdapter.get_flat_arg_paths
Graph.find_nodes Graph.inserting_before Graph.inserting_after Graph.call_function Graph.erase_node Graph.lint Graph.eliminate_dead_code
Node.replace_all_uses_with GraphModule.recompile
passes.dead_code passes.share passes.fold_constants passes.move_to_device_pass diff ProgramDiff
save load package_np2 load_np2 NP2ArchiveContents is_np2_package register_dataclass
NP2ArchiveWriter NP2ArchiveWriter.write_string NP2ArchiveWriter.write_bytes NP2ArchiveWriter.write_file NP2ArchiveWriter.write_folder
NP2ArchiveWriter.has_record NP2ArchiveWriter.count_prefix NP2ArchiveWriter.close
NP2ArchiveReader NP2ArchiveReader.get_file_names NP2ArchiveReader.read_bytes NP2ArchiveReader.read_string NP2ArchiveReader.archive_version
nn.Module nn.Parameter nn.Module.register_parameter nn.Module.register_buffer nn.Module.named_parameters nn.Module.named_buffers
nn.Module.named_modules nn.Module.state_dict nn.Module.load_state_dict nn.Module.train nn.Module.eval nn.functional
ExportError.code ExportError.slug ExportError.message ExportError.hint ExportError.location ExportError.user_stack
ConstraintViolation.msg ConstraintViolation.violations ConstraintViolation.suggested_fixes
Explanation.ok Explanation.problems Explanation.guards Explanation.graph DraftExportReport.failures DraftExportReport.success
capture.programs ExportedProgram.independent_dims ExportedProgram._repr_html_ ExportedProgram.report
NP2ArchiveContents.exported_programs NP2ArchiveContents.extra_files dask.apply
""".split()
SIGNATURE = """
assertion_dep_token backward_signature buffers buffers_to_mutate input_tokens inputs_to_buffers inputs_to_lifted_custom_objs
inputs_to_lifted_tensor_constants inputs_to_parameters lifted_custom_objs lifted_tensor_constants non_persistent_buffers output_tokens
parameters parameters_to_mutate user_inputs user_inputs_to_mutate user_outputs
""".split()
"""The properties of a signature, which one test holds."""
FIELDS = """
InputKind.USER_INPUT InputKind.PARAMETER InputKind.BUFFER InputKind.CONSTANT_TENSOR InputKind.CUSTOM_OBJ InputKind.TOKEN
OutputKind.USER_OUTPUT OutputKind.LOSS_OUTPUT OutputKind.BUFFER_MUTATION OutputKind.PARAMETER_MUTATION OutputKind.GRADIENT_TO_PARAMETER
OutputKind.GRADIENT_TO_USER_INPUT OutputKind.USER_INPUT_MUTATION OutputKind.TOKEN
InputSpec.kind InputSpec.arg InputSpec.target InputSpec.persistent OutputSpec.kind OutputSpec.arg OutputSpec.target
TensorArgument.name TokenArgument.name SymIntArgument.name SymFloatArgument.name SymBoolArgument.name ConstantArgument.name
ConstantArgument.value CustomObjArgument.name CustomObjArgument.class_fqn CustomObjArgument.fake_val
ExportBackwardSignature.gradients_to_parameters ExportBackwardSignature.gradients_to_user_inputs ExportBackwardSignature.loss_output
ExportGraphSignature.input_specs ExportGraphSignature.output_specs ModuleCallEntry.fqn ModuleCallEntry.signature
ModuleCallSignature.inputs ModuleCallSignature.outputs ModuleCallSignature.in_spec ModuleCallSignature.out_spec
ModuleCallSignature.forward_arg_names
Location.file Location.line Location.column Location.end_line Location.end_column Location.function Location.source Graph.nodes
""".split()
"""Fields and members, which a table of tests holds."""
COMMANDS = ["export", "explain", "fix", "show", "run", "diff", "verify", "info", "bench", "completion"]
PLANNED = """
export_forward_backward grad value_and_grad vjp onnx dask UnsupportedByOnnx
Constraint dynamic_dim pt2_archive package_pt2 load_pt2 is_pt2_package PT2ArchiveReader PT2ArchiveWriter PT2ArchiveContents ScriptObjectMeta
custom_obj experimental export_for_inference decomp_utils dynamic_shapes exported_program graph_signature wrapper
""".split()
"""Names of plans and of ``torch.export``: there, or in ``npexport/absent.py``."""


def documented_by(cls: type) -> str:
    """The docstrings of a class and of its bases within npexport."""
    return "\n".join(inspect.cleandoc(base.__doc__ or "") for base in cls.__mro__ if base.__module__.startswith("npexport"))
