"""Python's complex numbers of data: held to eager Python by values, types and exceptions, in all forms of a program."""

from __future__ import annotations

import cmath
import math
import warnings

import numpy as np
import pytest

import npexport
from npexport import Dim, ExportError, Unsupported, export
from npexport.tracer.bytecode.host import SUMS_OF_ALL_ARE_COMPENSATED
from tests.fuzz.numbers import outcome, shown
from tests.support.forms import FORMS
from tests.support.functions import function_of

SOURCES = {
    "made": "complex(x[0], x[1]), complex(z[0]), z[1].item(), complex(x[2]), complex(imag=x[0]), complex(1, z[0])",
    "list": "z.tolist(), z.astype(np.complex64).tolist()",
    "parts": "complex(z[0]).real, complex(z[0]).imag, complex(z[0]).conjugate(), abs(complex(z[1]))",
    "arithmetic": "complex(z[0]) + 1, 2 - complex(z[0]), complex(z[0]) * complex(z[1]), complex(z[0]) / (3 + 1j), z[0].item() ** 2",
    "sizes": "complex(z[0]) * len(x) + x.shape[0]",
    "reals": "1j * x[0], x[0] * 1j, float(x[0]) - 2j, int(n[0]) + 1j, 1j * n[0], 1j / float(x[0]), 2j ** x[0]",
    "comparison": "complex(z[0]) == 1, complex(z[0]) != z[0].item(), x[0] == 1j, 1j == x[0], float(x[0]) == 0j, complex(z[0]) == 'text'",
    "floats of NumPy": "np.float64(2.5) == complex(z[0]), np.float64(1) != complex(x[0], 0), complex(z[0]) == np.float64(2.5)",
    "truth": "bool(complex(z[0])), not complex(z[1]), 1 if complex(z[0]) else 2",
    "cmath": "cmath.sqrt(x[0]), cmath.exp(z[0]), cmath.polar(complex(z[1])), cmath.rect(x[0], x[1]), cmath.phase(z[0])",
    "logarithm": "cmath.log(complex(z[0]), 3), -z[0].item(), cmath.isfinite(z[0]), cmath.isclose(complex(z[0]), z[0])",
    "arrays": "x * complex(z[0]), x.astype(np.float32) * complex(z[0]), n + complex(z[0]), z / complex(z[1]), z[0] - complex(z[1])",
    "functions": "np.exp(complex(z[0])), np.where(x > 1, complex(z[0]), x), np.array([complex(z[0]), 1]), np.full(2, complex(z[1]))",
    "narrow": "x.astype('f4').clip(complex(z[0])), x.astype('f4')[0].clip(0, complex(z[0]))",
    "filled": "np.full(2, complex(z[0]), dtype='c8'), np.full_like(z, complex(z[0])), np.pad(z, 1, constant_values=complex(z[1]))",
    "spread": "np.linspace(0, complex(z[0]), 3), np.tile(complex(z[0]), 2), np.broadcast_to(complex(z[0]), (2,))",
    "like": "np.zeros_like(complex(z[0])), np.append([1], complex(z[1]))",
    "evaluated": "np.polyval(x, complex(z[0])), np.round(complex(z[0]), 2), np.nan_to_num(complex(z[0])), np.clip(complex(z[0]), 0, 1)",
    "beside": "np.vdot(complex(z[0]), 1j), np.searchsorted([1j], complex(z[0])), np.insert(z, 1, complex(z[0]))",
    "lists": "np.diag([complex(z[0]), 1]), np.roll([complex(z[0]), 2], 1), np.fft.fft([complex(z[0]), 1]), np.poly([complex(z[1]), 1])",
    "narrow lists": "x.astype('f4') * [complex(z[0])], np.where(x > 1, [complex(z[0])], x.astype('f4'))",
    "narrow tuples": "np.add(x.astype('f4'), (complex(z[1]),))",
    "options": "np.add(x, complex(z[0]), dtype='c16'), np.multiply(z, complex(z[0]), where=x[:2] > 1, out=z * 2)",
    "types": "type(complex(z[0])) is complex, isinstance(complex(z[0]), complex), isinstance(complex(z[0]), float)",
    "containers": "{'k': [complex(z[0]), (complex(z[1]),)]}",
    "sums": "sum([complex(z[0]), complex(z[1])]), math.prod([complex(z[0]), 2.0]), sum(v.item() for v in z)",
}
STATEMENTS = {
    "flat": "y = np.zeros(2, complex)\ny.flat[0] = complex(z[0])\ny.flat = complex(z[0]) * 2\nreturn y",
    "in place": "y = np.zeros(2, complex)\ny += complex(z[0])\ny *= complex(z[1])\ny.fill(complex(z[0]))\nreturn y",
    "caught": "try:\n    return 1j / complex(z[0])\nexcept ZeroDivisionError:\n    return 0j",
    "matched": "match complex(z[0]):\n    case 0j:\n        return 1.0\n    case complex(real=r):\n        return r",
    "generator": "def made():\n    for v in z:\n        yield complex(v)\nreturn list(made()), sum(complex(v) for v in z)",
    "carried": "return npexport.while_loop(lambda c, k: k < 3, lambda c, k: (c * c, k + 1), (complex(z[0]), 0))",
    "put": "y = z * 2\nnp.put(y, [1], complex(z[1]))\nnp.copyto(y[:1], complex(z[0]))\nreturn y",
    "diagonal": "y = np.zeros((2, 2), complex)\nnp.fill_diagonal(y, complex(z[0]))\nreturn y",
    "chosen": "return npexport.cond(x[0] > 1, lambda c: c * 2, lambda c: c + 1j, (complex(z[0]),))",
    "sides": "c = complex(z[0])\nif x[0] > 1:\n    c = c * 2\nelse:\n    c = 1j\nreturn c, c + 1",
    "loop": "c, count = 0j, 0\nwhile abs(c) < 2 and count < 30:\n    c = c * c + complex(z[0])\n    count += 1\nreturn c, count",
    "sized": "total = 0j\nfor v in z:\n    total = total + complex(v)\nreturn total",
    "written": "y = np.zeros(2, complex)\ny[0] = complex(z[0])\ny[1:] = 1j * x[0]\nreturn y",
    "raised": "c = complex(z[0])\nif abs(c) > 1e6:\n    raise ValueError('large')\nreturn c",
}
DATA = [
    (np.array([1.5, -0.5, 2.0]), np.array([1 + 2j, 0.5j]), np.array([3, 1])),
    (np.array([0.0, -0.0, np.inf]), np.array([0j, complex(-0.0, 0.0)]), np.array([0, 1])),
    (np.array([np.nan, 1e300, -1.0]), np.array([complex(np.inf, np.nan), 1e300 - 1e300j]), np.array([-2, 1])),
    (np.array([-2.5, 4.0, 1.0]), np.array([complex(np.nan, 1.0), 3 - 1e-320j]), np.array([2**62, 1])),
]
PROGRAMS = {name: f"return {text}" for name, text in SOURCES.items()} | STATEMENTS


def compiled(text: str):
    body = "".join(f"    {line}\n" for line in text.splitlines())
    return function_of(f"def f(x, z, n):\n{body}", {"np": np, "cmath": cmath, "math": math, "npexport": npexport})


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    f = compiled(text)
    program = export(f, DATA[0])
    forms = [form(program) for form in FORMS.values()] + [program.run_decompositions()]
    for form in forms:
        for args in DATA:
            assert outcome(form.module(), args) == outcome(f, args)


@pytest.mark.parametrize("name", ["made", "arithmetic", "cmath", "containers", "comparison"])
def test_as_plain_python(name):
    f = compiled(PROGRAMS[name])
    forward = function_of(compile(export(f, DATA[0]).to_python(), "<plain>", "exec"))
    assert shown(forward(*DATA[0])) == shown(f(*DATA[0]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64])
@pytest.mark.parametrize("value", [1.5 - 2j, 1e300 + 1j, complex(np.inf, 1e-60)])
def test_narrow_arrays_take_them_as_they_take_complex_numbers_of_python(dtype, value):
    def f(x, z):
        c = complex(z[0])
        return x * c, c + x[0], np.add(x, c), x == c

    args = np.array([1.0, 0.5]).astype(dtype), np.array([value])
    run = export(f, args).module()
    found = []
    for call in (run, f):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = shown(call(*args))
        found.append((result, {str(warning.message) for warning in caught}))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (lambda z: complex(z[0]) / z[1].item(), ZeroDivisionError, "division by zero"),
        (lambda z: z[1].item() ** -1, ZeroDivisionError, "power"),
        (lambda z: complex(z[0]) ** 1e9, OverflowError, "complex exponentiation"),
        (lambda z: cmath.log(z[1]), ValueError, "math domain error"),
    ],
)
def test_errors_of_data_are_pythons(f, error, text):
    with pytest.raises(error) as eager:
        f(np.array([5 + 1j, 0j]))
    run = export(f, (np.array([0.5j, 1j]),)).module()
    with pytest.raises(error, match=text) as found:
        run(np.array([5 + 1j, 0j]))
    assert str(found.value) == str(eager.value)


@pytest.mark.parametrize(
    "f",
    [
        lambda z: complex(z[0]) < 1,
        lambda z: complex(z[0]) // 2,
        lambda z: float(complex(z[0])),
        lambda z: int(complex(z[0])),
        lambda z: round(complex(z[0])),
        lambda z: math.sqrt(complex(z[0])),
        lambda z: divmod(complex(z[0]), 2),
        lambda z: np.arange(3)[complex(z[0])],
        lambda z: complex(z[0], 1, 2),
        lambda z: complex(z),
        lambda z: cmath.sqrt(complex(z[0]), 1),
        lambda z: cmath.rect(complex(z[0]), 1),
        lambda z: pow(complex(z[0]), 2, 3),
        lambda z: complex(z[0]).numerator,
        lambda z: [1][complex(z[0])],
    ],
)
def test_what_python_refuses_is_refused_by_the_same_error(f):
    args = (np.array([1j, 2.0]),)
    expected = outcome(f, args)
    with pytest.raises(Exception) as raised:
        export(f, args)
    assert not isinstance(raised.value, ExportError)
    assert f"{type(raised.value).__name__}: {raised.value}" == expected


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda z: len(str(complex(z[0]))), "E114"),
        (lambda z: print(complex(z[0])), "E114"),
        (lambda z: {complex(z[0]): 1}, "E104"),
        (lambda z: hash(complex(z[0])), "E104"),
        (lambda z: complex(z[0]).__add__(1), None),
        (lambda z: complex.__add__(complex(z[0]), 1), "E104"),
        (lambda z: (1j).__add__(complex(z[0])), "E104"),
        (lambda z: sum([0.1, complex(z[0]), float(z[0].real)]), None if SUMS_OF_ALL_ARE_COMPENSATED else "E104"),
        (lambda z: np.real(complex(z[0])), "E104"),
        (lambda z: any([complex(z[0])]), None),
        (lambda z: complex(z[0]) in [1j, 2], None),
    ],
)
def test_what_is_no_value_of_the_program_is_refused(f, code):
    args = (np.array([1j, 2.0]),)
    try:
        program = export(f, args)
    except Unsupported as refusal:
        assert code in (None, refusal.code) and refusal.code in ("E101", "E103", "E104", "E114")
        return
    assert code is None
    for data in (args, (np.array([2.0 + 0j, 1]),), (np.array([0j, 1]),)):
        assert outcome(program.module(), data) == outcome(f, data)


class Number:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


@pytest.mark.parametrize(
    "f",
    [
        lambda x: cmath.isclose(x.shape[0], Number(x.shape[0])),
        lambda x: cmath.rect(x.shape[0], Number(2)),
        lambda x: cmath.sqrt(Number(x.shape[0])),
        lambda x: cmath.isclose(x.shape[0], None),
        lambda x: cmath.isclose(x.shape[0], "3"),
        lambda x: cmath.rect(x.shape[0], [1]),
    ],
)
def test_cmath_takes_what_gives_c_a_number(f):
    x = np.zeros(3)
    try:
        wanted = f(x)
    except TypeError as error:
        with pytest.raises(TypeError, match=str(error)):
            export(f, (x,), dynamic_shapes=({0: Dim.AUTO},))
        return
    try:
        program = export(f, (x,), dynamic_shapes=({0: Dim.AUTO},))
    except Unsupported as refusal:
        assert (refusal.code, npexport.frame_hook()) == ("E119", "settrace")
    else:
        assert program.module()(x) == wanted


class Rotating:
    def __init__(self):
        self.phase = 1j
        self.list = [0.5j, 2.0]

    def __call__(self, x):
        self.phase = self.phase * complex(x[0], x[1])
        self.list[0] += self.phase
        return self.phase, self.list[0]


def test_state():
    x = np.array([0.5, 1.5])
    program, eager = export(Rotating(), (x,)), Rotating()
    for form in FORMS.values():
        run, eager = form(program).module(), Rotating()
        for _ in range(3):
            assert shown(run(x)) == shown(eager(x))


BESIDE_SCALARS = "q * w, q / w, w / q, q ** w, w ** q, q == w, w != q, q < w, w >= q, q * 1j, 2j / q, q / 2j, q < 1j, 1j > q".split(", ")


@pytest.mark.parametrize("text", BESIDE_SCALARS)
def test_scalars_of_all_dtypes_say_what_numpy_says_beside_complex_numbers_of_python(text: str) -> None:
    """NumPy leaves real scalars to its ufuncs, whose warnings have other names."""
    function = eval(f"lambda q, w: {text}", {"np": np})

    def program(values, z):
        return function(values[0], complex(z[0]))

    def said(run, *args):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = outcome(run, args)
        return result, sorted({str(warning.message) for warning in caught})

    for dtype in ("i2", "u8", "f2", "f4", "f8", "c8", "c16"):
        z = np.array([0.5 - 2j])
        run = export(program, (np.ones(1, dtype), z)).module()
        for number in (3, 0, 2**15, np.nan):
            if number == number or np.dtype(dtype).kind in "fc":
                with np.errstate(all="ignore"):
                    values = np.array([number]).astype(dtype)
                for other in (z, np.array([0j]), np.array([complex(np.inf, np.nan)])):
                    assert said(run, values, other) == said(program, values, other), (dtype, number, other)


def reservoir(x, out):
    level = 1.0
    for place in range(len(x)):
        level = max(0, level + x[place])
        out[place] = level**3.5
        level -= 0.1


def item_of_a_root(x, out):
    out[1] = float(x[0]) ** 0.5


def items_of_a_root(x, out):
    out[[0, 2]] = float(x[0]) ** 0.5


def all_of_a_root(x, out):
    out[:] = float(x[0]) ** 0.5


def item_of_the_flat(x, out):
    out.flat[1] = float(x[0]) ** 0.5


def caught(x, out):
    try:
        out[0] = float(x[0]) ** 0.5
    except TypeError:
        out[1] = 7


@pytest.mark.parametrize("function", [reservoir, item_of_a_root, items_of_a_root, all_of_a_root, item_of_the_flat, caught])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
def test_powers_that_may_be_complex_are_written_into_arrays_of_reals(function, dtype: str) -> None:
    """NumPy takes no complex number there, and says so where the power is one."""
    x = np.array([2.25, 1.0, 0.5])
    run = export(function, (x, np.zeros(3, dtype))).module()
    for values in (x, -x, np.array([0.0, -3.0, 2.0]), np.array([9.0, -20.0, 4.0])):
        wanted, given = np.ones(3, dtype), np.ones(3, dtype)
        assert outcome(run, (values, given)) == outcome(function, (values, wanted))
        assert given.tobytes() == wanted.tobytes()
