"""Loading takes work in proportion to the file: an honest program may have any number of guards."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from npexport import Dim, LoadError, export, load, save
from npexport.ir import archive
from npexport.symshapes import effort
from npexport.symshapes.parsing import parse_bool
from tests.support.archive_parts import rewritten

SIZES = {"x.shape[0]": 8, "y.shape[0]": 9, "z.shape[0]": 10}
SUM = " + ".join(f"{k + 2}*s0**{k % 5 + 1}*s1**{k // 5 + 1}" for k in range(20))
GUARDS = {
    "linear": "s0 + 2*s1 + {}*s2 != -5",
    "products": "s0*s1 + {}*s1*s2 >= 5",
    "conjunction": "s0 + s1 >= 5 and not (s1 == s2*{} and s0 < s1)",
    "disjunction": "s0 >= {} or (s1*s2 >= 3 and (s0 + s1 != s2 or (s0*s2 < 9 and s1 > s0)))",
    "long sums": f"{SUM} + {{}}*s2 >= 5",
    "quotients": "((s0 + {})//2 + s1)//3 + s2 % 5 >= 0",
}


def _program(x: Any, y: Any, z: Any) -> Any:
    return (x + 1 if x.shape[0] * y.shape[0] > z.shape[0] - 3 else x), y, z


def _with_guards(form: str, count: int) -> bytes:
    """A program with so many guards, as export would have written it."""
    axis = {0: Dim.AUTO}
    buffer = io.BytesIO()
    save(export(_program, (np.ones(8), np.ones(9), np.ones(10)), dynamic_shapes=(axis, axis, axis)), buffer)

    def change(document: Any) -> None:
        names = dict(zip(("s0", "s1", "s2"), SIZES, strict=True))
        row = document["guards"][0] | {"names": names, "example": SIZES}
        document["guards"] = [row | {"truth": str(parse_bool(form.format(number + 1)))} for number in range(count)]

    return rewritten(buffer.getvalue(), change)


def _work(data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """The units of work that loading takes."""
    spent = []
    monkeypatch.setattr(effort, "spend", spent.append)
    for module in ("polynomials", "nodes", "witnesses"):
        monkeypatch.setattr(f"npexport.symshapes.{module}.spend", spent.append)
    load(io.BytesIO(data))
    return sum(spent)


@pytest.mark.parametrize("name", GUARDS)
def test_work_grows_as_the_file_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (_with_guards(GUARDS[name], count) for count in (30, 120))
    work = _work(few, monkeypatch), _work(many, monkeypatch)
    assert work[1] < 6 * max(work[0], len(few)), "four times the guards"
    assert work[1] < len(many), "what a file may cause grows by a unit for each of its bytes"


def test_programs_with_a_thousand_guards_are_loaded() -> None:
    assert len(load(io.BytesIO(_with_guards(GUARDS["conjunction"], 1000))).guards) == 1000


def test_what_takes_more_work_than_its_size_allows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_WORK", 0)
    plain = _with_guards(GUARDS["linear"], 60)

    def change(document: Any) -> None:
        for number, row in enumerate(document["guards"]):
            row["truth"] = f"(s0+s1+{number})*(s1+s2+3)*(s0+s2+5)*(s0+7)*(s1+9) >= 0"

    with pytest.raises(LoadError, match="too large to be worked out"):
        load(io.BytesIO(rewritten(plain, change)))
