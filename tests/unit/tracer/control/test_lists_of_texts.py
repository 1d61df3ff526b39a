"""Lists of texts, and of dicts of texts, arrays and lists, whose length data decide."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, LoadError, export
from npexport.ir.archive_containers import _item
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

NAMES = ["cat", "dog", "fish", "bird", "cow", "horse", "sheep", "goat", "pig", "hen"]


def labels(x):
    return [NAMES[place] for place in range(len(x)) if x[place] > 0.5]


def pairs(x):
    return [(NAMES[int(place)], float(x[place])) for place in np.nonzero(x > 0.5)[0]]


def decoded(x):
    found, last = [], None
    for v in x:
        sign = int(v > 0) + int(v > 2)
        if sign != last and sign != 0:
            found.append("-ab"[sign])
        last = sign
    return "".join(found)


def lines(x):
    found = []
    for place, v in enumerate(x):
        found.append(f"{place}: {v:.3f}")
    return "\n".join(found), found


def several_forms(x):
    found = ["begin"]
    for v in x:
        if v > 2:
            found.append(f"{v:.2f}!")
        elif v > 0:
            found.append(f"{v:.2f}")
        else:
            found.append("none")
    found.append("end")
    return ", ".join(found), found


def beside_numbers(x):
    found = [None]
    for v in x:
        if v > 0:
            found.append(NAMES[int(v)] if v < 3 else v)
    return found


def of_words_until_zero(x):
    words = []
    for v in x:
        if v == 0:
            break
        words.append(NAMES[int(abs(v))])
    text = "|".join(words)
    return text.upper(), f"<{text:>20}>", len(words)


def items(x):
    found = []
    for v in x:
        if v > 0:
            found.append(f"{v:.1f}")
    return [text + "!" for text in found], found[-1] if found else "", found[::-1]


def joined_before_it_changes(x):
    found = [f"{v:.1f}" for v in x if v > 0]
    before = ",".join(found)
    found.append("z")
    return before, str.join("-", found), found


def records(x):
    found = []
    for place, v in enumerate(x):
        if v > 0:
            found.append({"label": NAMES[int(v)], "score": float(v), "box": [float(v), float(v) + 1], "at": np.array([v, place])})
    return found, len(found)


def records_in_records(x):
    found = []
    for place, v in enumerate(x):
        if v > 0:
            found.append({"place": place, "around": [place, place + 1], "of": {"value": v}})
    return {"items": found, "count": len(found)}


def set_before_it_is_put_in(x):
    found = []
    for v in x:
        record = {"label": NAMES[int(abs(v))], "value": v}
        if v > 0:
            record["value"] = v * 2
        found.append(record)
    return found


def put_in_twice(x):
    found = []
    for v in x:
        record = {"label": NAMES[int(abs(v))], "value": v}
        if v > 0:
            found.append(record)
            found.append(record)
    return found


def written_to_later(x):
    found = []
    for v in x:
        if v > 0:
            found.append({"label": NAMES[int(abs(v))], "value": v})
    for record in found:
        record["value"] = 1.0
    return found


PROGRAMS = [labels, pairs, decoded, lines, several_forms, beside_numbers, of_words_until_zero, items, records, records_in_records]
DATA = [
    [1.0, 2.0, -3.0, 0.0, 4.0, -1.0, 2.5, 0.0],
    [-1.0, -2.0, 3.0, 0.0, -4.0, 1.0, -2.5, 0.0],
    [0.0] * 8,
    [0.5],
    [-0.5, 0.0, 3.0, 3.0, 3.0],
]


@pytest.mark.parametrize(
    "program",
    [*PROGRAMS, joined_before_it_changes, set_before_it_is_put_in, put_in_twice, written_to_later],
    ids=lambda each: each.__name__,
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_are_those_of_eager_execution(program, dynamic):
    arrays = [np.array(each) for each in DATA]
    ep = export(program, (arrays[0],), dynamic_shapes={"x": {0: Dim.AUTO}} if dynamic else None)
    for module in (ep.module(), reloaded(ep).module(), ep.run_decompositions().module()):
        for x in arrays if dynamic else arrays[:3]:
            assert str(outcome(module, (x,))) == str(outcome(program, (x,)))


@pytest.mark.parametrize("program", [pairs, several_forms, of_words_until_zero, records], ids=lambda each: each.__name__)
def test_plain_python_writes_the_same(program, tmp_path):
    x = np.array(DATA[0])
    path = tmp_path / "plain.py"
    export(program, (x,)).to_python(str(path))
    found: dict[str, object] = {"__file__": str(path)}
    exec(path.read_text(encoding="utf-8"), found)
    assert "npexport" not in path.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[2]
    assert str(outcome(found["forward"], (x,))) == str(outcome(program, (x,)))


@pytest.mark.parametrize(
    "context",
    [
        ["text", ["eval", None], "number"],
        ["text", ["join", None], "number", "number"],
        ["text", ["apply", "format_map", None], "number"],
        ["record", ["a"], "number", "number"],
        ["record", ["a", "a"], "number", "number"],
        ["record", ["a", None], "number", "number"],
        ["record", "ab", "number", "number"],
        ["one", ["record", ["a"], "number"], "number"],
    ],
)
def test_damaged_descriptions_of_items_are_refused(context):
    with pytest.raises(LoadError):
        _item(context)


def held_elsewhere(x):
    found, last = [], None
    for v in x:
        record = {"label": NAMES[int(abs(v))], "at": np.array([v, v])}
        if v > 0:
            found.append(record)
            last = record
    return found, last


def record_twice(x):
    found = []
    for v in x:
        record = {"box": [v, v], "value": v}
        if v > 0:
            found.append(record)
            found.append(record)
    return found


def record_written_to(x):
    found = []
    for v in x:
        if v > 0:
            found.append({"at": np.array([v, v]), "value": v})
    for record in found:
        record["value"] = 1.0
    return found


def list_written_to_later(x):
    found = []
    for v in x:
        box = [float(v), 0.0]
        if v > 0:
            found.append({"box": box, "label": NAMES[int(v)]})
        box[1] = 5.0
    return found


def as_an_array(x):
    return np.array([NAMES[int(abs(v))] for v in x if v > 0])


def sorted_texts(x):
    return sorted([NAMES[int(abs(v))] for v in x if v > 0])


def texts_of_arrays(x):
    return [str(np.array([v, 1.0])) for v in x if v > 0]


def shown_before_it_changes(x):
    found = [f"{v:.1f}" for v in x if v > 0]
    text = str([found, x[0]])
    found.append("z")
    return text, found


def in_a_message(x):
    found = [f"{v:.1f}" for v in x if v > 0]
    if len(found) > 2:
        raise ValueError(", ".join(found))
    return found


@pytest.mark.parametrize(
    "program",
    [
        held_elsewhere,
        record_twice,
        record_written_to,
        list_written_to_later,
        as_an_array,
        sorted_texts,
        texts_of_arrays,
        shown_before_it_changes,
        in_a_message,
    ],
)
def test_what_is_more_than_values_is_refused(program):
    with pytest.raises(ExportError) as refused:
        export(program, (np.array(DATA[0]),))
    assert refused.value.code in ("E103", "E104", "E114")
