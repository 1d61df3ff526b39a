"""Arrays of StringDType: what NumPy computes with them, as exported, decomposed, saved and loaded, at sizes of the example and others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npexport  # noqa: F401 -- programs use it
from npexport import Dim, ExportError, InputMismatch, LoadError, export
from npexport.ir.archive_texts import packed, unpacked
from npexport.ir.numpy_internals import NUMPY
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

pytestmark = pytest.mark.skipif(NUMPY < "2.3.0", reason="NumPy itself ends the process, or loses texts")

TEXT = np.dtypes.StringDType()
X = np.array(["apple", "Fig", "a text that is longer than fifteen bytes", ""], TEXT)
OTHERS = [np.array(["kiwi fruit that is quite long, too", "Fig", "fig", "a\tb", "x" * 40, "Ünï ☃\0z"], TEXT), X[2:]]
LONG = np.array(["g" * 40, "h" * 40], TEXT)
PROGRAMS = """
np.strings.replace(x, "i", "oo") ; np.strings.replace(x, "i", x + "!", 1) ; np.strings.multiply(x, 2), x * np.arange(len(x))
np.strings.expandtabs(x + "\\t|", 4) ; np.strings.ljust(x, 9), np.strings.center(x, 9, "*"), np.strings.zfill(x, 40)
np.strings.upper(x) + np.strings.title(x) ; np.strings.startswith(x, "F"), np.strings.endswith(x, "", 1, 3) ; np.strings.isspace(x)
np.strings.find(x, "i", 1), np.strings.rfind(x, "i"), np.strings.count(x, "a") ; np.strings.strip(x), np.strings.rstrip(x, "ge")
np.sort(x)[::-1], np.argsort(x), np.unique(x), np.lexsort((x, np.strings.str_len(x))), np.searchsorted(np.sort(x), "b")
np.where(x == "Fig", x, "nothing at all, really"), x[np.strings.str_len(x) > 3] ; np.choose(np.arange(len(x)) % 2, [x, LONG[:1]])
np.concatenate([x, np.array(["k"]), LONG]), np.stack([x, x]).T.copy(), np.repeat(x, 2)[::2].reshape(-1, 1), np.tile(x, 2)
x.astype("U5"), x.astype(bool), np.strings.str_len(x).astype("T"), (np.arange(len(x)) / 3).astype(TEXT) + x
np.full(x.shape, "ab", dtype="T"), np.zeros(x.shape, np.dtypes.StringDType()), np.empty_like(x), np.array(["a", "b" * 30], "T")[1]
np.roll(x, 1), np.delete(x, 0), np.insert(x, 1, "new " * 10), np.pad(x, 1, constant_values="p"), np.broadcast_to(x, (2, len(x))) + "q"
np.add.accumulate(x), np.stack([x, x]).max(axis=0), np.minimum.accumulate(x), np.isin(x, LONG), (x < "g").all(), x.argmin()
np.maximum(x, np.array("b", "T")), np.partition(x, 1)[:1], np.nonzero(x), np.isnan(x) ; x.dtype == TEXT, x.itemsize, x.nbytes
set_item(x, 0, "new text that is quite long, so that it lies elsewhere"), x ; set_item(x, x == "Fig", "q"), x + "!", x.sort(), x
set_item(x, slice(1, None), x[:-1].copy()), x ; np.put(x, [0], ["z"]), np.copyto(x[1:2], "cc"), np.putmask(x, x == "Fig", "m"), x
np.add(x, x, out=x), x.fill("long " * 20), x ; set_item(np.stack([x, x]).ravel(), 1, "q"), set_item(x[::-1], 0, "e"), x
np.asfortranarray(np.stack([x, x])) + "q" ; x.astype(float) ; (LONG + LONG[::-1]), np.array(["c" * 30], "T") + np.array(["d" * 30], "T") + x
x + "L" if (x == "Fig").any() else np.strings.lower(x) ; npexport.cond((x == "Fig").any(), lambda v: v + "a", lambda v: v * 2, (x,))
npexport.while_loop(lambda v: (np.strings.str_len(v) < 90).any(), lambda v: (v + "and more",), (x,)) ; {"a": x, "b": [x[:1], x == "Fig"]}
"""
SOURCES = [source.strip() for line in PROGRAMS.strip().splitlines() for source in line.split(" ; ")]
if NUMPY >= "2.4.0":
    SOURCES += ["np.strings.slice(x, 1, 3)", "np.strings.slice(x, None, None, -1)", "np.strings.slice(x, 0, np.strings.str_len(x) - 1)"]


def set_item(x: Any, place: Any, value: Any) -> None:
    x[place] = value


@pytest.mark.parametrize("sized", [False, True], ids=["static", "sized"])
@pytest.mark.parametrize("source", shard(SOURCES, 2))
def test_programs_compute_what_numpy_computes(source: str, sized: bool) -> None:
    program = eval(f"lambda x: ({source})", globals())
    others = OTHERS if sized else [X[::-1].copy()]
    ep = export(program, (X.copy(),), dynamic_shapes=({0: Dim("n", min=2)},) if sized else None)
    forms = [ep.module(), reloaded(ep).module(), ep.run_decompositions().module()]
    for x in (X, *others):
        wanted = outcome(program, (x,))
        assert [outcome(form, (x,)) for form in forms] == [wanted] * 3


class Names:
    def __init__(self) -> None:
        self.log, self.deep = np.array(["", ""], TEXT), {"a": [LONG + "!"]}

    def __call__(self, x: Any) -> Any:
        self.log[:] = self.log + x[:2]
        self.deep["a"][0][0] = "changed " * 5
        return self.log.copy(), self.deep["a"][0] + LONG


def test_objects_hold_texts() -> None:
    ep = export(Names(), (X,))
    for module in (ep.module(), reloaded(ep).module()):
        eager = Names()
        assert [outcome(module, (x,)) for x in (X, X[::-1].copy())] == [outcome(eager, (x,)) for x in (X, X[::-1].copy())]


def test_layouts_of_examples_and_inputs() -> None:
    def program(x: Any) -> Any:
        x.T[0] = "q"
        return x.ravel(), x.reshape(-1) + "!"

    x = np.stack([X, X + "k"])
    for example in (np.asfortranarray(x), x[:, ::2].copy()):
        ep = export(program, (example,))
        assert outcome(ep.module(), (example,)) == outcome(program, (example,))


REFUSED = {
    "x[0] + 'a'": "E104",
    "len(x[0])": "E104",
    "x.max()": "E104",
    "x.sum()": "E104",
    "x.tolist()": "E104",
    "[text for text in x]": "E104",
    "x.astype(object)": "E122",
    "x.astype(np.dtypes.StringDType(na_object=None))": "E122",
    "np.array(['a', None], np.dtypes.StringDType(na_object=None))": "E122",
    "np.strings.encode(x)": "E114",
    "np.strings.partition(x, LONG[:1])": "E101",
    "np.strings.translate(x, {97: 'b'})": "E101",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_not_captured_has_a_code(source: str) -> None:
    with pytest.raises(ExportError) as refusal:
        export(eval(f"lambda x: {source}", globals()), (X,))
    assert refusal.value.code == REFUSED[source]


@pytest.mark.parametrize("options", [{"na_object": None}, {"na_object": ""}, {"coerce": False}])
def test_dtypes_with_options_are_others(options: dict[str, Any]) -> None:
    other = X.astype(np.dtypes.StringDType(**options))
    with pytest.raises(ExportError, match="more than texts"):
        export(lambda x: x + "a", (other,))
    with pytest.raises(InputMismatch, match="dtype"):
        export(lambda x: x + "a", (X,)).module()(other)


def test_elements_of_constants_are_pythons() -> None:
    def program(x: Any) -> Any:
        names = np.array(["a", "b" * 30], "T")
        return x * len(names[1]), {text: place for place, text in enumerate(names.tolist())}

    assert outcome(export(program, (np.ones(2),)).module(), (np.ones(2),)) == outcome(program, (np.ones(2),))


def test_texts_in_files() -> None:
    data = packed(X)
    assert unpacked(data, X.size).tolist() == X.tolist() and unpacked(b"", 0).shape == (0,)
    lengths = np.array([-1, 1, 0, 0], "<i8").tobytes()
    for wrong in (data[:-1], data + b"a", data[:20], lengths, data[:-2] + b"\xff\xff", np.array([2**62] * 4, "<i8").tobytes()):
        with pytest.raises(LoadError) as refusal:
            unpacked(wrong, X.size)
        assert refusal.value.code == "E501"
