"""What is wrong in the document of an archive, and where: every damage is refused in words of its own."""

from __future__ import annotations

import collections
import functools
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir.archive_containers import container
from npexport.ir.archive_limits import MAX_BITS, MAX_NESTING
from npexport.ir.list_of_rows import ListOfRows
from npexport.symshapes.errors import LoadError
from tests.support.archive_parts import DIGEST, entries_of, rewritten, set_at, zip_of


def program(x: Any) -> Any:
    y = x[x > 2]
    return {"a": y * 2, "d": collections.deque([x], maxlen=3), "n": (1 if x[0] > 1 else 2.5)}, [x, (x,)]


@functools.cache
def archive() -> bytes:
    buffer = io.BytesIO()
    save(export(program, (np.arange(6.0),), dynamic_shapes=({0: Dim("n")},)), buffer)
    return buffer.getvalue()


RESULT = ("call", "out", 2, 0, 2)
"""Where the parts of the dict that is returned are."""


def guards(*rows: dict[str, Any]) -> Callable[[Any], None]:
    given = {"truth": "s0 >= 2", "names": {}, "example": {}, "stack": 0, "reason": "", "deferred": False}
    return set_at("guards", value=[given | row for row in rows])


def graph_argument(value: Any) -> Callable[[Any], None]:
    return set_at("graph", 1, "args", 1, value=value)


DAMAGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "no document": ("", lambda document: [document]),
    "of another": ("it is not of npexport", set_at("format", value="other")),
    "version 0": ("there is no version 0", set_at("version", value=0)),
    "a newer version": ("this npexport reads up to version", set_at("version", value=99)),
    "a long integer": ("an integer is too large", graph_argument(10 ** (MAX_BITS // 3))),
    "a fact about nothing": ("'q9 >= 0' is about symbols that the program does not have", set_at("facts", value=["q9 >= 0"])),
    "a fact about a bit more": ("about symbols that the program does not have", set_at("facts", value=["s0 + q9 >= 0"])),
    "a key that is a node": ("is not a key", graph_argument({"dict": [[{"node": "x"}, 2]]})),
    "two of several": ("one of several values has 2 children", set_at(*RESULT, 2, 2, value=[None] * 2)),
    "four of several": ("one of several values has 4 children", set_at(*RESULT, 2, 2, value=[None] * 4)),
    "a deque that is too long": ("a deque of at most 3 has 4 children", set_at(*RESULT, 1, 2, value=[None] * 4)),
    "no container": ("'queue' is not a container", set_at(*RESULT, 1, 0, value="queue")),
    "two names of a symbol": ("a symbol has several names", guards({"names": {"s0": "a"}}, {"names": {"s0": "b"}})),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damages(name: str) -> None:
    text, change = DAMAGES[name]
    with pytest.raises(LoadError) as refused:
        load(io.BytesIO(rewritten(archive(), change)))
    assert text in str(refused.value)


def test_what_is_not_damaged_is_loaded() -> None:
    again = load(io.BytesIO(rewritten(archive(), guards({"names": {"s0": "n"}}, {"names": {"s0": "n"}, "truth": "s0 <= 100"}))))
    found, _ = again.module()(np.arange(4.0))
    assert found["a"].tolist() == [6.0] and found["n"] == 2.5


def test_entries_are_those_that_were_saved() -> None:
    entries = entries_of(archive())
    document = json.loads(entries["program.json"]) | {"facts": []}
    with pytest.raises(LoadError, match="its entries are not those that were saved"):
        load(io.BytesIO(zip_of(entries | {"program.json": json.dumps(document), DIGEST: entries[DIGEST]})))


ITEMS: dict[str, Any] = {
    "a text that says nothing": "queue",
    "a number": 3,
    "nothing": [],
    "a tuple of nothing": ["tuple"],
    "a constant that is no alternative": ["constant", "a"],
    "an alternative that is a constant number": ["one", ["constant", 3], "number"],
    "an alternative that is a list": ["one", ["lists", "list", "number"], "number"],
    "an alternative that is a dict": ["one", ["record", ["a"], "number"], "number"],
    "an alternative that is a named tuple": ["one", ["namedtuple", "Point", ["x"], "number"], "number"],
    "lists of a kind that is none": ["lists", "queue", "number"],
    "dicts with a key twice": ["record", ["a", "a"], "number", "number"],
    "dicts with a key that is none": ["record", [None], "number"],
    "dicts with more items than keys": ["record", ["a"], "number", "number"],
    "texts with more numbers than places": ["text", ["a"], "number"],
    "items nested too deep": functools.reduce(lambda item, _: ["tuple", item], range(MAX_NESTING + 1), "number"),
    "lists nested too deep": functools.reduce(lambda item, _: ["lists", "list", item], range(MAX_NESTING + 1), "number"),
    "deques of three": ["deque", "number", "number"],
}
"""What the items of a list cannot be."""


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_lists_that_are_none(name: str) -> None:
    with pytest.raises(LoadError) as caught:
        container("list of rows", ITEMS[name], 1, str)
    assert caught.value.code == "E501"


def test_items_of_lists() -> None:
    assert container("list of rows", ["deque", "number"], 1, str) == (ListOfRows, ("deque", "number"))
    assert container("list of rows", ["one", ["constant", None], "number"], 2, str) == (ListOfRows, ("one", ("constant", None), "number"))
