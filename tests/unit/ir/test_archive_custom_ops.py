"""Files of programs that call operators of users: they name the operators, and call nothing else."""

from __future__ import annotations

import io

import numpy as np
import pytest

from npexport import Dim, LoadError, custom_op, export, load, ops, save
from npexport.ir import archive_encode
from npexport.ir.op import REGISTRY
from tests.support.custom_ops import declare_lab


@pytest.fixture(autouse=True)
def lab():
    return declare_lab()


def once(x):
    return ops.lab.scale(x)


def found(x):
    places, values = ops.lab.positive(x)
    return values * 2, x[places], places.shape[0]


def test_loading_without_the_operator_says_what_to_import():
    file = io.BytesIO()
    save(export(once, (np.ones(3),)), file)
    REGISTRY.forget(ops.lab.scale)
    file.seek(0)
    with pytest.raises(LoadError) as caught:
        load(file)
    assert caught.value.code == "E503"
    assert "lab.scale" in caught.value.message
    assert "import tests.support.custom_ops" in caught.value.hint


@pytest.mark.parametrize("change", [{"factor": "int"}, {"factor": "float", "return": "int"}, {"x": "np.ndarray | None"}], ids=str)
def test_loading_with_another_schema_is_refused(change):
    file = io.BytesIO()
    save(export(once, (np.ones(3),)), file)

    def scale(x: np.ndarray, factor: float = 2) -> np.ndarray:
        return x * factor

    scale.__defaults__ = (2,) if change.get("factor") == "int" else (2.0,)
    scale.__annotations__.update(change)
    scale.__module__ = declare_lab.__module__
    custom_op("lab::scale")(scale)
    file.seek(0)
    with pytest.raises(LoadError) as caught:
        load(file)
    assert caught.value.code == "E510"
    assert "-> ndarray" in caught.value.message


def test_files_that_call_no_operators_of_users_do_not_mention_them():
    encoder = archive_encode.Encoder(archive_encode.Collected())
    assert "operators" not in encoder.program(export(np.sin, (np.ones(3),)), {})
    document = encoder.program(export(lambda x: ops.lab.add_to(x, 1), (np.ones(3),)), {})
    assert document["operators"] == {"lab.add_to": ["lab.add_to(x: mutated ndarray, by: float) -> None", declare_lab.__module__]}


def tampered(monkeypatch, change):
    """A file of `found` whose document was changed by one who knows the format."""
    encode = archive_encode.Encoder.program

    def changed(self, *args):
        document = encode(self, *args)
        change(document)
        return document

    program = export(found, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    monkeypatch.setattr(archive_encode.Encoder, "program", changed)
    file = io.BytesIO()
    save(program, file)
    file.seek(0)
    return file


def row_of(document):
    return next(row for row in document["graph"] if row.get("target") == "lab.positive")


FORMS = (
    3,
    {"tuple": []},
    {"tuple": ["list"]},
    {"tuple": ["list", 3, None, None]},
    {"tuple": ["set", None, None, None]},
    {"tuple": ["dict", {"tuple": ["a"]}, None, None]},
    {"tuple": ["namedtuple", {"tuple": ["os:stat_result", "a", "b"]}, None, None]},
    {"tuple": ["tuple", None, None]},
)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("operators"),
        lambda document: document["operators"].update({"os.system": ["os.system(x)", "os"]}),
        lambda document: document["operators"].update({"np.sin": ["np.sin(x)", "numpy"]}),
        lambda document: document["operators"].update({"lab.positive": [3, None]}),
        lambda document: document.update(operators=[]),
        lambda document: row_of(document).update(target="os.system"),
        lambda document: row_of(document).update(kwargs={}),
        lambda document: row_of(document)["kwargs"].update(result_sizes=3),
        lambda document: row_of(document)["kwargs"].update(result_sizes={"tuple": [{"tuple": ["a", "b"]}]}),
        lambda document: row_of(document)["kwargs"].update(result_sizes={"tuple": [{"node": "x"}]}),
        *[lambda document, form=form: row_of(document)["kwargs"].update(result_form=form) for form in FORMS],
        lambda document: row_of(document).update(args=[]),
        lambda document: row_of(document).update(val={"text": ""}),
        lambda document: row_of(document)["val"]["tuple"][0]["array"].__setitem__(1, ["s0 + 1"]),
    ],
)
def test_hostile_files_call_nothing_else(monkeypatch, change):
    with pytest.raises(LoadError):
        load(tampered(monkeypatch, change))
