"""Arguments of wrong kinds: public functions refuse them by a code and by the parameter's name, and never call them a defect."""

import dataclasses
import io
import os

import numpy as np
import pytest

import npexport
from npexport import Dim, ExportError, export, nn, ops, passes, testing

X = np.ones((4, 3))
ODD = [
    None, 3, -1, True, 2.5, "", "a.b", (1,), [None], {"a": 1}, {0: 1}, object(), X, np.float64(2), int, b"x", 10**30, Dim("z"),
    Dim.AUTO, nn.ReLU(), range(3), iter(()), slice(0), ops.np.sin,
]  # fmt: skip


def f(x, y=2.0):
    return np.sin(x) * y


PROGRAM = export(f, (X,))
LAYER = export(nn.Sequential(nn.Linear(3, 2, dtype=np.float64)), (X,))
FUNCTION = {"f": f, "args": (X,), "kwargs": {}}
FLAGS = {"strict": True, "prefer_deferred_runtime_asserts_over_guards": False, "capture_control_flow": True, "unroll": 100}
EXPORT = {**FUNCTION, "dynamic_shapes": None, "preserve_module_call_signature": (), **FLAGS}


@npexport.custom_op("odd_arguments::twice")
def twice(x: np.ndarray) -> np.ndarray:
    return x * 2


twice.register_fake(np.empty_like)


def saved():
    file = io.BytesIO()
    npexport.save(PROGRAM, file)
    return file


def writer():
    return npexport.NP2ArchiveWriter(io.BytesIO())


COND = {"true_fn": lambda *x: x, "false_fn": lambda *x: x, "operands": (X,)}
WHILE = {"cond_fn": lambda *x: False, "body_fn": lambda *x: x, "carried_inputs": (X,)}


def exported(function):
    return lambda **given: export(lambda x: (function(**({"pred": True} if function is npexport.cond else {}), **given), x)[1], (X,))


@dataclasses.dataclass
class Row:
    value: object


CALLS = {
    "export": (export, EXPORT),
    "draft_export": (npexport.draft_export, EXPORT),
    "explain": (npexport.explain, {**FUNCTION, "dynamic_shapes": None}),
    "save": (lambda **given: npexport.save(**{"f": io.BytesIO(), **given}), {"ep": PROGRAM, "extra_files": {}, "opset_version": None}),
    "load": (lambda **given: npexport.load(saved(), **given), {"extra_files": None, "expected_opset_version": None, "mmap": False}),
    "package_np2": (
        lambda **given: npexport.package_np2(io.BytesIO(), **given),
        {"exported_programs": {"a": PROGRAM}, "extra_files": {}, "opset_version": None},
    ),
    "load_np2": (lambda **given: npexport.load_np2(saved(), **given), {"expected_opset_version": None, "mmap": False}),
    "unflatten": (npexport.unflatten, {"ep": LAYER, "flat_args_adapter": None}),
    "Dim": (Dim, {"name": "n", "min": None, "max": None, "multiple_of": None, "one_of": None}),
    "Dim.AUTO": (Dim.AUTO, {"min": None, "max": None}),
    "refine": (
        npexport.refine_dynamic_shapes_from_suggested_fixes,
        {"msg": "Suggested fixes:\n  n = 4", "dynamic_shapes": {"x": (Dim("n"),)}},
    ),
    "diff": (npexport.diff, {"ep1": PROGRAM, "ep2": PROGRAM}),
    "module": (PROGRAM.module, {"check_guards": True, "threads": 1, "fast_math": False, "chunks": None}),
    "to_python": (PROGRAM.to_python, {"path": None}),
    "to_html": (PROGRAM.to_html, {"path": None}),
    "explanation": (npexport.explain(f, (X,)).to_html, {"path": None}),
    "run_decompositions": (PROGRAM.run_decompositions, {"table": {}}),
    "run_decompositions of torch": (PROGRAM.run_decompositions, {"decomp_table": {}}),
    "table.update": (lambda rows: npexport.default_decompositions().update(rows), {"rows": {}}),
    "load_state_dict": (lambda state: LAYER.load_state_dict(state), {"state": {}}),
    "module.load_state_dict": (lambda state: LAYER.module().load_state_dict(state), {"state": {}}),
    "custom_op": (lambda mutates: npexport.custom_op("odd_arguments::a", mutates_args=mutates)(f), {"mutates": ()}),
    "custom_op of": (lambda function: npexport.custom_op("odd_arguments::b")(function), {"function": None}),
    "register_decomposition": (lambda op: npexport.register_decomposition(op)(3), {"op": twice}),
    "opaque": (npexport.opaque, {"function": np.linalg.norm, "fake": None, "name": None}),
    "opcheck": (testing.opcheck, {"op": twice, "args": (X,), "kwargs": {}}),
    "set_logs": (lambda topic: (npexport.set_logs(topic), npexport.set_logs()), {"topic": "x"}),
    "move_to_device_pass": (passes.move_to_device_pass, {"ep": PROGRAM, "location": "cpu"}),
    "coupling": (export(f, (X,), dynamic_shapes=({0: Dim("n")},)).coupling, {"dim": "n"}),
    "verifier": (PROGRAM.verifier, {"program": PROGRAM}),
    "share": (passes.share, {"program": PROGRAM}),
    "dead_code": (passes.dead_code, {"program": PROGRAM}),
    "fold_constants": (passes.fold_constants, {"program": PROGRAM}),
    "core_dims": (npexport.xarray.core_dims, {"ep": PROGRAM, "x": ("a", "b")}),
    "read": (lambda name: npexport.NP2ArchiveReader(saved()).read_bytes(name), {"name": "digest"}),
    "write_bytes": (lambda **given: writer().write_bytes(**given), {"name": "a", "data": b"", "align": 1}),
    "write_string": (lambda **given: writer().write_string(**given), {"name": "a", "data": ""}),
    "has_record": (lambda name: writer().has_record(name), {"name": "a"}),
    "count_prefix": (lambda prefix: writer().count_prefix(prefix), {"prefix": "a"}),
    "write_file": (lambda **given: writer().write_file(**given), {"name": "a", "file_path": __file__}),
    "write_folder": (lambda **given: writer().write_folder(**given), {"archive_dir": "a", "folder_dir": os.devnull}),
    "AdditionalInputs": (lambda f, **given: npexport.AdditionalInputs().dynamic_shapes(f, **given), FUNCTION),
    "AdditionalInputs.add": (npexport.AdditionalInputs().add, {"args": (X,), "kwargs": {}}),
    "erase_node": (export(f, (X,)).graph.erase_node, {"node": None}),
    "cond": (lambda **given: npexport.cond(True, **given), COND),
    "while_loop": (npexport.while_loop, WHILE),
    "scan": (lambda **given: npexport.scan(lambda carry, x: (carry, x), (), X, **given), {"dim": 0, "reverse": False}),
    "exported cond": (exported(npexport.cond), COND),
    "exported while_loop": (exported(npexport.while_loop), WHILE),
    "exported scan": (
        lambda **given: exported(npexport.scan)(combine_fn=lambda carry, x: (carry, x), init=(), xs=X, **given),
        {"dim": 0, "reverse": False},
    ),
    "register_dataclass": (npexport.register_dataclass, {"cls": Row, "serialized_type_name": None}),
}
OF_A_CALL = ("f", "args", "kwargs", "op")
DOCUMENTED = ("true_fn", "false_fn", "cond_fn", "body_fn", "cls")
"""What a function that is called raises is its own; `register_dataclass` says that it raises ``TypeError``."""
OF_THE_PROGRAM = (TypeError, ValueError, AttributeError, OSError)
"""What the exported function, or the file system, says of a call that is well-formed."""


@pytest.mark.parametrize("name", CALLS)
def test_odd_arguments(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, given = CALLS[name]
    coded = 0
    for parameter in given:
        for value in ODD:
            try:
                call(**{**given, parameter: value})
            except ExportError as error:
                coded += 1
                assert not error.code.startswith("E9") and error.message and error.hint, (parameter, value)
            except OF_THE_PROGRAM as error:
                of_program = name in ("export", "draft_export", "AdditionalInputs", "opcheck") and parameter in OF_A_CALL
                of_program |= parameter in DOCUMENTED
                assert of_program or (isinstance(error, OSError) and isinstance(value, str)), (parameter, value, error)
    assert coded or name == "explain"
    for descriptor in (0, 1, 2):
        os.fstat(descriptor)


def test_refusals_name_the_parameter():
    with pytest.raises(ExportError, match="E201 .*: extra_files is a list, not a dict"):
        npexport.save(PROGRAM, io.BytesIO(), extra_files=["notes.txt"])
    with pytest.raises(ExportError, match="E201 .*: strict is a str, not True or False"):
        export(f, (X,), strict="no")
    for option in (3, None, 1.0):
        with pytest.raises(ExportError, match="E201 .*: strict is .*, not True or False"):
            export(f, (X,), strict=option)
        with pytest.raises(ExportError, match="E201 .*: fast_math is .*, not True or False"):
            PROGRAM.module(fast_math=option)
    with pytest.raises(ExportError, match="E201 .*: path is an int, not a path"):
        PROGRAM.to_html(1)
    with pytest.raises(ExportError, match="E201 .*: program is None, not an ExportedProgram"):
        passes.share(None)
