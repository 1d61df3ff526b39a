"""Names of ``torch.export`` and of npexport's plans that this version does not have, each with what
to do instead.
"""

_DERIVATIVE = "write the derivative as a NumPy function of its own"
_ONE_FILE = "use `npexport.save` and `npexport.load`, one program a file"
_DIM = "use `npexport.Dim` in `dynamic_shapes`"
_FLAT = "all public names are importable from `npexport` itself"

INSTEAD = {
    "Constraint": _DIM,
    "PT2ArchiveContents": "use `npexport.NP2ArchiveContents`",
    "PT2ArchiveReader": "use `npexport.NP2ArchiveReader`",
    "PT2ArchiveWriter": "use `npexport.NP2ArchiveWriter`",
    "ScriptObjectMeta": "programs take random generators alone: use `npexport.CustomObjArgument`",
    "UnsupportedByOnnx": _ONE_FILE,
    "custom_obj": "use `npexport.CustomObjArgument`",
    "decomp_utils": _FLAT,
    "dynamic_dim": _DIM,
    "dynamic_shapes": _FLAT,
    "experimental": _FLAT,
    "export_for_inference": "use `npexport.export`, on a module after `module.eval()`",
    "export_forward_backward": _DERIVATIVE,
    "exported_program": _FLAT,
    "grad": _DERIVATIVE,
    "graph_signature": _FLAT,
    "is_pt2_package": "use `npexport.is_np2_package`",
    "load_pt2": "use `npexport.load_np2`",
    "onnx": _ONE_FILE,
    "package_pt2": "use `npexport.package_np2`",
    "pt2_archive": "use `npexport.NP2ArchiveReader` and `npexport.NP2ArchiveWriter`",
    "value_and_grad": _DERIVATIVE,
    "vjp": _DERIVATIVE,
    "wrapper": _FLAT,
}
