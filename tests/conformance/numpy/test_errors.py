"""NumPy's own errors: calls that go wrong, by type and text, caught and uncaught, where an export sees them and where its program does.

In a row every ``<a|b>`` stands for one of the alternatives: all combinations are programs over the arrays of ``make``.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.shards import shard

ATTEMPTS = int(os.environ.get("NPEXPORT_ATTEMPTS", "20"))
"""How many programs of a row."""


def make() -> dict[str, Any]:
    """Fresh inputs: ``r`` is read-only, ``e`` and ``n`` are empty, ``z`` and ``k`` have no axes."""
    arrays = {
        "m": np.arange(9.0).reshape(3, 3) - 4, "v": np.array([0.5, 2.0, 3.0]), "w": np.arange(4.0), "z": np.array(1.5), "k": np.array(7),
        "e": np.zeros((0, 3)), "n": np.zeros(0), "i": np.array([2, 0, 5]), "j": np.array([-3, 1, 2]), "b": np.array([True, False, True]),
        "h": np.arange(3, dtype=np.int8), "c": np.array([1 + 2j, 3, -1j]), "x": np.array(["abc", "De f", "1.5"]), "r": np.arange(3.0),
        "d": np.array(["2020-01-01", "2021-05-03", "2019-12-31"], "M8[D]"), "R": np.array([(1, 2.0), (3, 4.0)], "i4,f8"),
    }  # fmt: skip
    arrays["r"].flags.writeable = False
    return arrays


ROWS = """
np.add(<m|v|x|R>, <w|e|d>)
np.add(v, v, out=<w|m|z|r|h|b|1|(v, w)|()>)
np.multiply(<v|w>, <v|w>, out=<v|w|r>, where=<b|v|x>)
np.subtract(b, b)
np.<sin|invert|isnat>(<v|x|d|c>, casting=<'no'|'bad'>)
np.add(i, v, <casting='no'|dtype='x'|dtype=bool|dtype=object|signature='x'|order='Q'|what=1|axis=0>)
np.matmul(<m|v|z|e>, <w|z|e>)
np.<modf|frexp|divmod>(<v|d>, <v|2>, out=(w, w))
np.<add|subtract|sin|matmul|divmod>.<reduce|accumulate>(<m|z|x>, <0|-4|None|(0, 0)|'a'|1.0>)
np.<add|maximum|power>.reduce(<v|n|j>, out=<w|r|z|m>)
np.<add|maximum|power>.accumulate(<v|n|j>, out=<w|r|m>)
np.add.reduceat(<v|n|z>, <[0, 9]|[-1]|[[0]]|i>)
np.<add|power|matmul>.outer(<v|j>, <x|w|j>)
np.<add|negative|power>.at(<v|r|j|x>, <5|[0, 9]|i|b|'a'|0.5>, <1|j>)
np.<max|min|argmax|ptp>(<e|n|z|x|R>, <0|1|-4|None|(0, 5)>)
np.<sum|mean|std|cumsum|any|median>(<v|x|d>, <axis=3|axis='a'|out=w|out=r|dtype='M8[s]'|keepdims=True, axis=1|what=1>)
<m|x|d|R> <+|-|*|/|**|@|&|%> <w|'a'|None|[1, 2]|{}|d>
<j|h> ** <j|-1|-2|np.int64(-1)>
np.power(<j|h|2>, <j|-1>)
<v|r|h|x> <+|*|**|/|@>= <w|2.5|1j|v|'a'>
<v|m|z|e>[<5|-9|[0, 9]|[[0, 1], [2]]|1.5|'a'|None, 0, 0, 0|::0|'a':|i|b|(0, 5)|np.array([1.5])|[True]|..., ...>]
<v|r|h|z>[<0|5|[0, 9]|b|i|...|()>] = <200|w|'a'|[1, 2]|None|1j|np.nan|np.float64(1e10)|np.uint8(200)|[200, 1, 2]|[[[1]]]>
<v|r|h>.flat[<0|5|[0, 9]|i|'a'|:>] = <200|'a'|[1, 2]|1j|m>
<v|x|z>.flat[<5|-9|i|k|b|None>]
<v|h|x|r>.<real|imag> = <200|w|'a'|1j>
np.concatenate(<[]|[v, z]|[v, m]|[m, e[:, 1:]]|v|z|[d, v]>)
np.concatenate([v, v], <axis=1|axis=-3|out=v|out=m|out=np.zeros(6, int)|dtype='i4'|casting='bad'>)
np.<stack|hstack|vstack|dstack|column_stack>(<[v, w]|[]|[m, v]|z|5>)
np.stack([v, v], <axis=3|axis='a'|out=v>)
np.take(<v|n|z>, <5|[0, 9]|[-9]|0.5|i|'a'>, <axis=0|axis=3|mode='bad'|out=w>)
np.<put|place|putmask>(<v|r|h|x>, <[0, 9]|b|i|[True]>, <200|'a'|[]|w>)
np.copyto(<v|r|h>, <w|200|'a'|x|m>, <casting='bad'|where=b|where=v>)
np.<fill_diagonal|copyto>(<v|r|m>, <w|x|5>)
np.<take_along_axis|compress>(<i|m|b>, <v|m>, axis=<0|2|None>)
np.choose(<i|j|b|v>, <[v, v]|[v, w]|5|[]>)
np.<repeat|tile|roll|expand_dims|squeeze|flip|rollaxis|sort|argsort|partition>(<m|z>, <-2|1.5|'a'|[1, 2]|9>)
<m|v>.<reshape|transpose|swapaxes|repeat|sort|take|trace|view|astype|copy>(<5, 7|'a'|-1, -1|(2, 5)|1.5|object>)
<m|v>.<shape|dtype> = <(5, 7)|'a'|'f4'|'i2,i3'|-1>
<m|z|x>.<item|tolist|fill|mT|nope|setflags>(<5|7, 7, 7|'a'|m>)
<len|int|float|complex|iter>(<m|z|x|e|n>)
np.<broadcast_to|reshape|resize|moveaxis|split|array_split>(<m|z>, <(2, 5)|-1|'a'|7>, <0|9>)
np.<full|zeros|eye|arange|linspace>(<-1|'a'|(2, -3)|2.5|None>, <'x'|w|None>)
np.array(<[v, w]|[v, [1, 2]]|['a', v]|[[1], 2]>, <int|'x'|'M8[s]'>)
np.<dot|inner|vdot|tensordot|cross|kron|convolve|outer>(<m|z|x|n>, <w|z|e>)
np.einsum(<'ij,jk'|'ii'|'ij,i'|'...i,i'|'i,'|5>, <m|v>, <w|m>)
np.linalg.<inv|det|cholesky|eigh|svd|norm>(<v|e|m[:2]|x|z>)
np.linalg.<solve|lstsq|matrix_power|multi_dot>(<m|v>, <w|-1|1.5|x>)
np.fft.<fft|ifft|rfft>(<v|z|n|x>, <0|-1|'a'|2.5>, <0|5>)
np.<histogram|bincount|digitize|interp|searchsorted|percentile|average>(<v|x|h>, <-1|'a'|[3, 1, 2]|w|300>, <w|'a'|1>)
np.<unravel_index|ravel_multi_index|cov|diff|gradient|trapezoid|pad>(<i|x|n|z>, <5|w|-1|'a'>)
np.<where|select|clip|isin>(<m|b>, <w|[w]|'a'>, <x|[v]|None|3>)
"""


def programs(row: str) -> Iterator[str]:
    parts = re.split(r"<([^<>]*\|[^<>]*)>", row)
    for chosen in itertools.product(*[part.split("|") if place % 2 else (part,) for place, part in enumerate(parts)]):
        yield "".join(chosen)


def functions(statement: str) -> tuple[Any, Any, list[str]]:
    """The program that gives the error as text, the one that raises it, and the names of their inputs."""
    names = [name for name in make() if re.search(rf"(?<![\w'.]){name}(?![\w'])", statement)]
    assigns = re.match(r"\w+(\.\w+|\[.*?\])* (\S\S?)?= ", statement)
    body = statement if assigns else f"result = {statement}"
    head = f"({', '.join(names)}):\n    "
    source = (
        f"def caught{head}try:\n        {body}\n    except Exception as error:\n        return f'{{type(error).__name__}}: {{error}}'\n"
        f"    return 'fine'\ndef raised{head}{body}\n    return 'fine'\n"
    )
    scope: dict[str, Any] = {"np": np}
    exec(source, scope)
    return scope["caught"], scope["raised"], names


def said(call: Any) -> str:
    try:
        return call()
    except ExportError as error:
        assert error.code[1] != "9", error
        return "refused"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def disagreements(row: str) -> Iterator[str]:
    statements = list(programs(row))
    chosen = random.Random(row).sample(statements, min(ATTEMPTS, len(statements)))
    for place, statement in enumerate(chosen):
        caught, raised, names = functions(statement)
        for function in (caught, raised) if place % 8 == 0 else (caught,):
            want = said(lambda: function(*[make()[name] for name in names]))  # noqa: B023
            got = said(lambda: export(function, tuple(make()[n] for n in names)).module()(*[make()[n] for n in names]))  # noqa: B023
            if got not in (want, "refused"):
                yield f"{statement}: {got!r}, not {want!r}"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # NumPy's buffers that are written back when they die
@pytest.mark.parametrize("row", shard(ROWS.strip().splitlines(), 3))
def test_errors_are_numpys_own(row: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert list(disagreements(row)) == []
