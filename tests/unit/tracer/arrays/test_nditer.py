# ruff: noqa: E501 -- a table of programs
"""``np.nditer`` and its relatives, unrolled."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

PROGRAMS = {
    "doubled": "for v in np.nditer(x, op_flags=['readwrite']): v[...] = 2 * v",
    "with": "with np.nditer(x, op_flags=['readwrite']) as it:\n    for v in it: v += 1",
    "order of memory": "for v in np.nditer(x): out.append(v * 1)",
    "order C": "for v in np.nditer(x, order='C'): out.append(v + 0)",
    "order F": "for v in np.nditer(x, order='F'): out.append(v + 0)",
    "multi_index": "it = np.nditer(x, ['multi_index'], ['readwrite'])\nfor v in it: v += it.multi_index[-1]; out.append(it.multi_index)",
    "c_index": "it = np.nditer(x, flags=['c_index'])\nwhile not it.finished:\n    out.append((it.index, it[0] * 1)); it.iternext()",
    "f_index": "it = np.nditer(x, flags=['f_index'])\nfor v in it: out.append(it.index)",
    "two": "for v, w in np.nditer([x, y]): out.append(v * w)",
    "broadcast": "for v, w in np.nditer([x, y[0]], op_flags=[['readwrite'], ['readonly']]): v += w",
    "allocated": "it = np.nditer([x, None])\nfor v, w in it: w[...] = v * v\nout.append(it.operands[1])",
    "three": "it = np.nditer([x, y, None])\nwith it:\n    for a, b, c in it: c[...] = a + b\n    out.append(it.operands[2])",
    "chunks": "for c in np.nditer(x, flags=['external_loop'], order='F'): out.append(c.sum()); out.append(c.shape)",
    "one chunk": "for c in np.nditer(x, flags=['external_loop'], op_flags=['readwrite']): c[...] = c[::-1]",
    "rows": "for c in np.nditer(x[:, :2], ['external_loop'], ['readwrite'], order='C'): c += c[0]",
    "buffered": "for c in np.nditer(x, flags=['external_loop', 'buffered'], buffersize=4): out.append(c * 1)",
    "told": "it = np.nditer([x, y], ['multi_index'])\nout.append((it.shape, it.ndim, it.nop, it.itersize, len(it), str(it.dtypes)))",
    "reset": "it = np.nditer(x)\nnext(it); it.reset()\nout.append(sum(v * 1 for v in it))",
    "cast": "for v in np.nditer(x, ['buffered'], op_dtypes=['f4'], casting='same_kind'): out.append(v * 1); out.append(str(v.dtype))",
    "copied": "for v in np.nditer(x, [], [['readonly', 'copy']], ['c16']): out.append(v * 1j)",
    "cast back": "with np.nditer(x, ['buffered'], ['readwrite'], ['i4'], casting='unsafe') as it:\n    for v in it: v += 2; out.append(x.sum(0))",
    "left early": "with np.nditer(x, ['buffered'], ['readwrite'], ['f4'], casting='same_kind') as it:\n    for v in it:\n        v[...] = 7\n        break",
    "buffers": "with np.nditer(x.T, ['external_loop', 'buffered'], ['readwrite'], order='C') as it:\n    for c in it: c[...] = c[::-1] + 1",
    "cast chunks": "with np.nditer(x, ['external_loop', 'buffered'], ['readwrite'], ['f4'], casting='same_kind') as it:\n    for c in it: c *= c[0] + 1",
    "axes": "it = np.nditer([x[0], y[:, 0], None], op_axes=[[0, -1], [-1, 0], None])\nfor a, b, c in it: c[...] = a * 10 + b\nout.append(it.operands[2])",
    "turned": "for v, w in np.nditer([x, y.T], ['multi_index'], op_axes=[[0, 1], [1, 0]]): out.append(v - w)",
    "summed": "s = np.zeros(2)\nwith np.nditer([x, s], ['reduce_ok'], [['readonly'], ['readwrite']], op_axes=[None, [0, -1]]) as it:\n    for a, b in it: b += a\nout.append(s)",
    "ranged": "it = np.nditer(x, ['ranged'])\nit.iterrange = (1, 4)\nfor v in it: out.append(v * 1)\nout.append(it.iterrange)",
    "read-only": "try:\n    for v in np.nditer(x): v[...] = 1\nexcept ValueError as error: out.append(str(error))",
    "wrong": "try: np.nditer([x, y[:, :2]])\nexcept ValueError as error: out.append(str(error))",
    "no index": "try: np.nditer(x).multi_index\nexcept ValueError as error: out.append(str(error))",
    "isinstance": "out.append(isinstance(np.nditer(x), np.nditer))",
    "ndenumerate": "for i, v in np.ndenumerate(x): x[i] = v + i[0]",
    "ndindex": "for i in np.ndindex(*x.shape): x[i] += i[-1]",
    "flat": "for i, v in enumerate(x.flat): x.flat[i] = v * i",
    "nested": "for row in x:\n    for v in np.nditer(row, op_flags=['readwrite']): v[...] = v * row[0]",
}
LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "sliced": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_iterators(name: str, layout: str) -> None:
    body = "".join(f"    {line}\n" for line in PROGRAMS[name].split("\n"))
    f = function_of(f"def f(x, y):\n    out = []\n{body}    return out, x.sum(0).max()", {"np": np})
    arrays = [LAYOUTS[layout](np.arange(6.0).reshape(2, 3) + k) for k in range(2)]
    program = export(f, tuple([array.copy(order="K") * 0 if layout in "CF" else array for array in arrays]))
    mine, theirs = ([LAYOUTS[layout](array.copy(order="C")) for array in arrays] for _ in range(2))
    (got, total), (want, sum_) = program.module()(*mine), f(*theirs)
    assert len(got) == len(want) and total == sum_
    for have, expected in zip([*got, *mine], [*want, *theirs], strict=True):
        assert type(have) is type(expected)
        if isinstance(have, np.ndarray):
            np.testing.assert_array_equal(have, expected, strict=True)
        else:
            assert have == expected


REFUSED = {
    "written back no one knows when": "np.nditer(x, ['buffered'], ['readwrite'], ['f4'], casting='same_kind')",
    "axes": "np.nditer([x, x], ['external_loop'], op_axes=[[0, 1], [1, 0]])",
    "method": "np.nditer(x, flags=['multi_index']).remove_axis(0)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_iterators(name: str) -> None:
    with pytest.raises(Unsupported, match="E101"):
        export(eval(f"lambda x: [v * 1 for v in {REFUSED[name]}]"), (np.ones((2, 3)),))


def test_dynamic_sizes_are_refused() -> None:
    with pytest.raises(Unsupported, match="E101"):
        export(lambda x: [v * 1 for v in np.nditer(x)], (np.ones(3),), dynamic_shapes={"x": {0: Dim("n")}})


@pytest.mark.parametrize("number", ["complex(x[0])", "1j * x[0]", "float(x[0])", "int(x[0])", "x[0] > 1", "x.sum()"])
def test_numbers_of_data_are_gone_over_or_refused(number):
    program = function_of(f"def program(x):\n return [(each.item(), each.dtype.char) for each in np.nditer({number})]", {"np": np})
    try:
        run = export(program, (np.arange(3.0),)).module()
    except Unsupported as error:
        assert error.code == "E104" and "j" in number or "complex" in number
        return
    assert run(np.arange(3.0) + 2) == program(np.arange(3.0) + 2)


PLACES = ("0", "-1", "9", "True", "0.5", "None", "slice(1, 3)", "slice(0, 0)", "slice(None, None, 2)", "slice(5, 9)", "[0]", "1 << 70")


@pytest.mark.parametrize("given", ["x, op_flags=['readwrite']", "[x, x * 2], op_flags=[['readwrite'], ['readonly']]"])
@pytest.mark.parametrize("text", ["r = it[{}]", "it[{}] = 5", "it[{}] = [5]", "it[{}] = x", "it[{}] = x[0, 0]"])
@pytest.mark.parametrize("place", PLACES)
def test_operands_are_chosen_as_numpy_chooses_them(place: str, text: str, given: str) -> None:
    lines = f"def program(x):\n it, r = np.nditer({given}), None\n next(it)\n try: {text.format(place)}\n"
    program = function_of(lines + " except Exception as error: r = type(error).__name__, str(error)\n return r, x", {"np": np})
    x = np.arange(1.0, 5).reshape(2, 2)
    assert outcome(export(program, (x.copy(),)).module(), (x.copy(),)) == outcome(program, (x.copy(),))


@pytest.mark.parametrize(
    "asked", ["index", "multi_index", "iterindex", "shape", "value", "iterrange", "itersize", "ndim", "nop", "finished"]
)
@pytest.mark.parametrize("flags", ["[]", "['c_index']", "['external_loop']", "['multi_index']"])
@pytest.mark.parametrize("ended", ["list(it)", "it.close()"])
def test_an_iterator_at_its_end_tells_what_numpys_tells(ended: str, flags: str, asked: str) -> None:
    lines = f"def program(x):\n it = np.nditer(x, flags={flags})\n {ended}\n try: return it.{asked}\n except ValueError as error: return str(error)"
    program = function_of(lines, {"np": np})
    x = np.arange(1.0, 5).reshape(2, 2)
    assert outcome(export(program, (x.copy(),)).module(), (x.copy(),)) == outcome(program, (x.copy(),))


@pytest.mark.parametrize("made", ["x.flat", "np.broadcast(x, x)", "np.nditer(x)", "np.ndenumerate(x)", "iter(x)"])
@pytest.mark.parametrize("copied", ["copy.deepcopy(it)", "it.__reduce__()", "it.__reduce_ex__(4)", "list(copy.copy(it))"])
def test_iterators_of_c_are_copied_as_c_copies_them(copied: str, made: str) -> None:
    lines = (
        f"def program(x):\n it = {made}\n next(it)\n try: {copied}\n except TypeError as error: return str(error)\n return next(it, None)"
    )
    program = function_of(lines, {"np": np, "copy": copy})
    x = np.arange(1.0, 5).reshape(2, 2)
    try:
        run = export(program, (x.copy(),)).module()
    except Unsupported as error:
        assert error.code in ("E101", "E119", "E122")
        return
    assert outcome(run, (x.copy(),)) == outcome(program, (x.copy(),))
