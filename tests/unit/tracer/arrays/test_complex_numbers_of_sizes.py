"""Complex numbers of Python that sizes tell: held to eager Python at other sizes by values and types."""

import cmath
import operator

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome


def _transform(x):
    n = len(x)
    root = np.exp(-2j * np.pi / n)
    return np.array([[root ** (j * k) for j in range(n)] for k in range(n)]) @ x


def _matrix(x):
    n = len(x)
    places = np.arange(n)
    return np.exp(places * places[:, None] * (-1j * 2 * np.pi / n)) @ x


def _product(x):
    total = 1 + 0j
    for place in range(len(x)):
        total = total * (x[place] + 1j * len(x))
    return total


VARYING = {
    "roots": lambda x: x * np.exp(-2j * np.pi / len(x)),
    "transform": _transform,
    "matrix": _matrix,
    "product": _product,
    "reflected": lambda x: (len(x) * 1j, 1j + len(x), len(x) - 2j, (1 + 1j) ** len(x), len(x) ** 1j, (len(x) / 3) * 1j),
    "made": lambda x: (complex(len(x), 1), complex(len(x)), complex(0.5, len(x) / 3), complex(len(x), 2j)),
    "cmath": lambda x: (cmath.exp(2j * len(x)), cmath.sqrt(-len(x)), cmath.phase(len(x)), cmath.polar(len(x) + 1j)),
    "parts": lambda x: ((len(x) * 1j).imag, (len(x) * 1j).real, (len(x) * 1j).conjugate(), abs(len(x) + 1j), -(len(x) + 1j)),
    "arrays": lambda x: (np.full(3, len(x) * 1j), np.array([len(x) * 1j, 1]), x.astype("f4") * (1j * len(x)), np.exp(1j * len(x))),
    "types": lambda x: (type(len(x) * 1j) is complex, isinstance(len(x) * 1j, complex), isinstance(len(x) * 1j, float)),
}


@pytest.mark.parametrize("name", VARYING)
def test_the_size_stays_dynamic(name):
    program = VARYING[name]
    run = export(program, (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (1, 2, 3, 8, 13, *[0] * (name != "transform")):  # an array of no rows has one axis
        x = np.arange(size) * 1.7 - 3
        assert outcome(run, (x,)) == outcome(program, (x,)), size


CONSTANT = {
    "text": lambda x: str(len(x) * 1j),
    "format": lambda x: f"{-(len(x) + 1j):.2f}",
    "key": lambda x: {5j: 1, 6j: 2}.get(len(x) * 1j),
    "comparison": lambda x: (len(x) * 1j == 5j, 2 * len(x) * 1j != 10j, cmath.isclose(len(x) * 1j, 5j)),
    "branch": lambda x: x if 1j * len(x) == 5j else -x,
    "read by C": lambda x: (sum([1.0, 1j * len(x)]), np.zeros(2).astype(complex).dtype.type(len(x) * 1j)),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_the_size_becomes_a_constant_where_the_number_must_be_known(name):
    program, x = CONSTANT[name], np.ones(5)
    run = export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert outcome(run, (x,)) == outcome(program, (x,))
    for size in (1, 6):
        other = np.ones(size)
        try:
            found = run(other)
        except ExportError as refusal:
            assert refusal.code == "E401"
        else:
            assert repr(found) == repr(program(other))


@pytest.mark.parametrize("function", [operator.floordiv, operator.mod, operator.lt, operator.and_])
def test_what_complex_numbers_have_not_raises_what_python_raises(function):
    def program(x):
        return function(1j, len(x))

    with pytest.raises(TypeError) as raised:
        program(np.ones(5))
    with pytest.raises(TypeError) as traced:
        export(program, (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},))
    assert str(traced.value) == str(raised.value)
