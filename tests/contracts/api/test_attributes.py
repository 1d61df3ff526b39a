"""What the contract says of the attributes of results and errors, one test a name as in `test_exporting`."""

from __future__ import annotations

import numpy as np
import pytest

import npexport
from npexport import ConstraintViolation, Dim, ExportError, draft_export, explain, export, load_np2, package_np2

A = np.arange(6.0).reshape(2, 3)


def told(x):
    y = x * 2
    return {f"{y}": y}


def folded(x):
    return x.reshape(-1, 4)


def halves(x):
    return (x, -x) if x.shape[0] > 1 else (x, x)


@pytest.fixture
def error():
    with pytest.raises(ExportError) as caught:
        export(told, (A,))
    return caught.value


@pytest.fixture
def violation():
    with pytest.raises(ConstraintViolation) as caught:
        export(folded, (np.ones((8, 2)),), dynamic_shapes={"x": {0: Dim("dx", max=64)}})
    return caught.value


def test_ExportError_code(error):
    assert error.code == "E114" and str(error).startswith("E114 ")


def test_ExportError_slug(error):
    assert error.slug == "printed-array"


def test_ExportError_message(error):
    assert "is turned into text" in error.message and error.message in str(error)


def test_ExportError_hint(error):
    assert error.hint.startswith("Use the number itself as the key")


def test_ExportError_location(error):
    where = error.location
    assert (where.file, where.function, where.source) == (__file__, "told", '    return {f"{y}": y}')
    assert (where.line, where.end_line) == (told.__code__.co_firstlineno + 2,) * 2
    assert where.source[where.column : where.end_column] == '{f"{y}": y}'


def test_ExportError_user_stack(error):
    assert error.user_stack[-1] == error.location


def test_ConstraintViolation_msg(violation):
    assert violation.msg in str(violation) and "Suggested fixes:" in violation.msg


def test_ConstraintViolation_violations(violation):
    assert violation.violations and "x.shape[0]" in str(violation.violations[0])


def test_ConstraintViolation_suggested_fixes(violation):
    assert violation.suggested_fixes.keys() == {"_dx", "dx"} and str(violation.suggested_fixes["dx"]) == "2*_dx"


def test_Explanation_ok():
    assert explain(halves, (A,)).ok and not explain(told, (A,)).ok


def test_Explanation_problems():
    assert [problem.code for problem in explain(told, (A,)).problems] == ["E114"] and not explain(halves, (A,)).problems


def test_Explanation_guards():
    (guard,) = explain(halves, (A,), dynamic_shapes={"x": {0: Dim.AUTO}}).guards
    assert "x.shape[0]" in str(guard)


def test_Explanation_graph():
    assert "ops.np.negative" in str(explain(halves, (A,)).graph)


def test_DraftExportReport_failures():
    assert [failure.code for failure in draft_export(told, (A,)).report.failures] == ["E114"]


def test_DraftExportReport_success():
    assert draft_export(halves, (A,)).report.success and not draft_export(told, (A,)).report.success


def test_capture_programs():
    with npexport.capture(halves) as seen:
        halves(A)
    (program,) = seen.programs
    np.testing.assert_array_equal(program.module()(A)[1], -A)


def test_ExportedProgram_independent_dims():
    rows = export(lambda x: x * 2, (A,), dynamic_shapes=({0: Dim("rows")},))
    mixed = export(lambda x: x - x.sum(0), (A,), dynamic_shapes=({0: Dim("rows")},))
    assert "rows" in rows.independent_dims() and "rows" not in mixed.independent_dims()


def test_ExportedProgram__repr_html_():
    assert "<" in export(halves, (A,))._repr_html_()


def test_ExportedProgram_report():
    assert export(halves, (A,)).report is not None and not draft_export(told, (A,)).report.success


def test_NP2ArchiveContents_exported_programs(tmp_path):
    path = tmp_path / "two.np2"
    package_np2(path, exported_programs={"one": export(halves, (A,)), "two": export(folded, (np.ones((2, 4)),))})
    assert list(load_np2(path).exported_programs) == ["one", "two"]


def test_NP2ArchiveContents_extra_files(tmp_path):
    package_np2(tmp_path / "one.np2", exported_programs=export(halves, (A,)), extra_files={"note": "text"})
    assert list(load_np2(tmp_path / "one.np2").extra_files.items()) in ([("note", "text")], [("note", b"text")])


def test_dask_apply():
    array = pytest.importorskip("dask.array")
    program = export(lambda x: x * 2, (A,), dynamic_shapes=({0: Dim("rows")},))
    result = npexport.dask.apply(program, array.from_array(np.ones((4, 3)), chunks=(2, 3)))
    np.testing.assert_array_equal(result.compute(), np.full((4, 3), 2.0))
