"""Bytes that depend on data: ``x.tobytes()``, ``rng.bytes(n)``, and what programs read of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, draft_export, export, load, save
from npexport.ir.random_states import BIT_GENERATORS, pack, source_of
from tests.support.outcomes import outcome
from tests.support.plain_modules import module_of

X = np.arange(12.0).reshape(3, 4) * 1.5


def _made(name: str, seed: int = 5) -> Any:
    return np.random.RandomState(seed) if name == "RandomState" else np.random.Generator(getattr(np.random, name)(seed))


def _drawn(function: Any, name: str) -> Any:
    """What a call gives or raises, and the state that it leaves the generator in."""
    generator = _made(name)
    try:
        found = function(generator)
    except Exception as error:
        found = repr(error)
    return found, pack(source_of(generator)).tolist()


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 17, -1, -3, -4, -8, 2.5, "a"])
@pytest.mark.parametrize("name", [*BIT_GENERATORS, "RandomState"])
def test_drawn_bytes_are_numpys(name: str, count: Any) -> None:
    def draw(generator: Any) -> Any:
        return generator.bytes(3), generator.bytes(count), generator.normal()

    expected = _drawn(draw, name)
    try:
        program = export(draw, (_made(name, 1),)).module()
    except (TypeError, ValueError) as error:
        assert repr(error) == expected[0]
    except Unsupported as error:
        assert error.code == "E101" and "Error" in expected[0]
    else:
        assert _drawn(program, name) == expected


def test_as_many_bytes_as_rows() -> None:
    def draw(x: Any, generator: Any) -> Any:
        return generator.bytes(len(x)), generator.random()

    program = export(draw, (X, _made("PCG64", 1)), dynamic_shapes=({0: Dim("rows")}, None)).module()
    for rows in (0, 1, 4, 7):
        expected = _drawn(lambda generator: draw(np.zeros((rows, 4)), generator), "PCG64")  # noqa: B023
        assert _drawn(lambda generator: program(np.zeros((rows, 4)), generator), "PCG64") == expected  # noqa: B023


def _added(x: Any) -> bytes:
    found = b"<"
    for row in x:
        found += row[:1].tobytes()
    return found + b">" * 2 + x[0].tobytes() * 2


def _written_later(x: Any) -> bytes:
    found = x.tobytes()
    x[0] = 7
    return found


def _of_one_of_two(x: Any) -> Any:
    return x.tobytes() if x.sum() > 3 else b"nothing" if x[0, 0] > -1 else x[0].tobytes()


def _raised(x: Any) -> Any:
    if x[0].tobytes() == bytes(32):
        raise ValueError("no data")
    return x


CASES = [
    lambda x: x.tobytes(),
    lambda x: (x.T.tobytes(), x.tobytes("F"), x.T.tobytes("A"), x.T.tobytes("K"), x[::-1, ::2].tobytes(order="C"), x[0, 0].tobytes()),
    lambda x: (bytes(x.T), bytes(x.tobytes()), bytes(x.astype("?"))),
    lambda x: (x.astype(">f4").tobytes(), x.astype("i8").astype("M8[s]").tobytes(), x.astype("U5").tobytes(), (x * 1j).tobytes()),
    lambda x: (len(x.tobytes()), bool(x.tobytes()), not x[:0].tobytes(), isinstance(x.tobytes(), bytes), type(x.tobytes()) is bytes),
    lambda x: (x.tobytes()[3:], x.tobytes()[-9:-1:2], x.tobytes()[9], x[1].tobytes()[-1]),
    lambda x: (x.tobytes().hex(), "id-" + x[0].tobytes().hex().upper()),
    lambda x: {"raw": [x[0].tobytes()], "sides": (x[1].tobytes(), 3)},
    lambda x: [value ^ 1 for value in x[0].tobytes()],
    lambda x: (sum(x[0].tobytes()), list(x[1].tobytes())[7]),
    lambda x: (x[0].tobytes() == x[1].tobytes(), x.tobytes() != (x + 0).tobytes(), x[0, :1].tobytes() == bytes(8), x[0].tobytes() == "a"),
    lambda x: (bytes(8) == x[0, :1].tobytes(), x[0].tobytes() == b"short"),
    lambda x: b"-".join([x[0].tobytes(), b"ab", x[1].tobytes()]),
    lambda x: (int.from_bytes(x[0].astype("u1").tobytes(), "little"), int.from_bytes(x[1].astype("i1").tobytes()[:3], "big", signed=True)),
    lambda x: (int.from_bytes(x.tobytes()[1:8], byteorder="big", signed=True), int.from_bytes(x[:0].tobytes()), int.from_bytes(b"ab")),
    lambda x: np.frombuffer(x.tobytes()),
    lambda x: np.frombuffer(x.tobytes(), np.int16, 5, 3) + np.frombuffer(x.tobytes(), "<i2", offset=86),
    lambda x: np.frombuffer(x.tobytes(), [("a", "i4"), ("b", "f4")], count=2)["b"],
    lambda x: np.frombuffer(x.tobytes(), "u1").flags.owndata,
    lambda x: np.frombuffer(x[:0].tobytes(), "u1"),
    _added,
    _written_later,
    _of_one_of_two,
    _raised,
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_bytes_are_those_of_the_call(case: int, tmp_path: Any) -> None:
    function = CASES[case]
    program = export(function, (X.copy(),))
    save(program, tmp_path / "program.np2")
    forms = [
        program.module(),
        program.run_decompositions().module(),
        load(tmp_path / "program.np2").module(),
        module_of(program, tmp_path / "plain.py").forward,
        draft_export(function, (X.copy(),)).module(),
        export(function, (X.copy(),), strict=False).module(),
    ]
    for data in (X, X * 0, -X[::-1].copy()):
        expected = outcome(function, (data,), memory=True)
        for form in forms:
            assert outcome(form, (data,), memory=True) == expected


@pytest.mark.parametrize(
    "call", ["x.tobytes()", "len(x.tobytes())", "np.frombuffer(x.tobytes())", "x[1:].tobytes()[:-3]", "x[x > 3].tobytes()"]
)
def test_bytes_of_any_number_of_rows(call: str) -> None:
    function = eval(f"lambda x: {call}", {"np": np})
    program = export(function, (X,), dynamic_shapes=({0: Dim("rows")},)).module()
    for rows in (0, 1, 2, 9):
        data = np.arange(rows * 4.0).reshape(rows, 4)
        assert outcome(program, (data,)) == outcome(function, (data,))


@pytest.mark.parametrize(
    "call",
    ["x.tobytes()[96]", "np.frombuffer(x.tobytes()[1:])", "np.frombuffer(x.tobytes(), 'i4', 99)", "np.frombuffer(x.tobytes(), 'i4', 1, 97)",
     "np.frombuffer(x.tobytes())[:1].fill(0)", "x.tobytes().nothing", "x.tobytes() + 'a'", "b''.join([x.tobytes(), 'a'])",
     "int.from_bytes(x.tobytes(), 'middle')", "x.tobytes('Z')"],
)  # fmt: skip
def test_what_bytes_raise(call: str) -> None:
    function = eval(f"lambda x: {call}", {"np": np})
    with pytest.raises(Exception) as expected:
        function(X)
    with pytest.raises(type(expected.value)) as found:
        export(function, (X,))
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    "call",
    ["hash(x.tobytes())", "{x.tobytes(): 1}", "repr(x.tobytes())", "f'{x.tobytes()}'", "x.tobytes().decode('latin1')", "3 in x.tobytes()",
     "x.tobytes() < b'a'", "np.array(x.tobytes())", "x == x.tobytes()", "bytearray(x.tobytes())", "memoryview(x.tobytes())",
     "struct.unpack('<12d', x.tobytes())", "zlib.crc32(x.tobytes())", "int.from_bytes(x.tobytes(), 'big')", "x.tobytes().hex(':')",
     "x.astype(np.longdouble).tobytes()", "x.astype('T').tobytes()", "np.frombuffer(x.tobytes(), 'u1').base",
     "x.tobytes()[int(x[0, 0])]"],
)  # fmt: skip
def test_what_else_reads_bytes_is_refused(call: str) -> None:
    import struct
    import zlib

    with pytest.raises(Unsupported) as found:
        export(eval(f"lambda x: {call}", {"np": np, "struct": struct, "zlib": zlib}), (X,))
    assert found.value.code in ("E104", "E123") and found.value.hint  # before CPython 3.12, C does not ask for a buffer


class _Remembers:
    def __init__(self) -> None:
        self.last: Any = None

    def __call__(self, x: Any) -> Any:
        again = self.last is not None and self.last == x.tobytes()
        self.last = x.tobytes()
        return again


def test_bytes_of_data_are_no_state() -> None:
    with pytest.raises(Unsupported, match="E112"):
        export(_Remembers(), (X,))
