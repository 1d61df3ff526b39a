"""Loops over numbers in machine code give what eager execution gives, bit for bit, errors and warnings included.

The function of a loop is Python, too: where numba is not installed the same text is run as it stands.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, while_loop
from npexport.runtime.machine import loop_machine, scalar_loops
from npexport.runtime.machine.scalar_loop_code import Loop
from npexport.runtime.machine.scalar_loops import ScalarLoop
from npexport.runtime.machine.scalar_operations import FUNCTIONS
from tests.support.comparison import said_and_warned
from tests.support.functions import function_of

HAS_NUMBA = importlib.util.find_spec("numba") is not None
_MACHINE_CODE = scalar_loops.compiled


class _Items:
    """An array as machine code sees it: its items are numbers of the machine."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape

    def __getitem__(self, place: Any) -> Any:
        return self.array[place].item()


def _as_python(loop: Loop, machine: Any) -> Any:
    def number(value: Any) -> Any:
        return _Items(value) if isinstance(value, np.ndarray) else value.item() if isinstance(value, np.generic) else value

    def checked(name: str) -> Callable[[int, int], tuple[int, bool]]:
        def compute(a: int, b: int) -> tuple[int, bool]:
            value = {"add": a + b, "sub": a - b, "mul": a * b}[name]
            return value, not -(1 << 63) <= value < 1 << 63

        return compute

    function = function_of(loop.text, {**FUNCTIONS, **{name: checked(name) for name in ("add", "sub", "mul")}, **loop.constants})
    return lambda *values: function(*map(number, values))


WAYS = [
    "as Python",
    pytest.param("numba", marks=pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")),
    pytest.param("after the machine", marks=pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")),
]


@pytest.fixture(params=WAYS)
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[ScalarLoop]:
    """Every loop that fits is compiled after its third iteration; the loops that were made."""
    made: list[ScalarLoop] = []
    start = ScalarLoop.__init__

    def watched(self: ScalarLoop, loop: Loop, machine: Any) -> None:
        start(self, loop, machine)
        made.append(self)

    monkeypatch.setattr(scalar_loops, "is_there", lambda: True)
    monkeypatch.setattr(scalar_loops, "PATIENCE", 3)
    monkeypatch.setattr(scalar_loops, "_OF_MACHINE", 1)
    monkeypatch.setattr(scalar_loops, "_PATIENCE_WITH_MACHINE", 3)
    monkeypatch.setattr(scalar_loops, "_FEW", range(2))
    monkeypatch.setattr(scalar_loops, "compiled", _MACHINE_CODE if request.param == "numba" else _as_python)
    monkeypatch.setattr(ScalarLoop, "__init__", watched)
    if request.param != "after the machine":
        monkeypatch.setattr(loop_machine, "_loops", None)
    return made


def of(body: str, result: str, first: str = "k = int(x[0]); f = float(y[0]); g = y[1]; m = x[1]; s = 0; t = False", head: str = "") -> Any:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    text = f"def program(x, y, n):\n    {first}\n    for i in {head or 'range(n)'}:\n{lines}    return {result}\n"
    return function_of(text, {"np": np, "math": math})


BODIES: dict[str, tuple[str, str]] = {
    "sums": ("k = k + i", "k"),
    "products leave 64 bits": ("k = k * 3 - 1", "k"),
    "negative products": ("k = k * -7 + i", "k"),
    "remainders": ("k = (k * 31 + i) % 1000003", "k"),
    "negative remainders": ("k = (k * 31 + i) % -17", "k"),
    "quotients": ("k = (k * 5 - i) // 3", "k"),
    "divisors that become zero": ("k = 1000 // (9 - i) + k % 7", "k"),
    "bits": ("k = ((k ^ (i << 3)) & 1048575) | (k >> 2)", "k"),
    "magnitudes": ("k = abs(-k) - 2 * i", "k"),
    "Collatz": ("k = k // 2 if k % 2 == 0 else 3 * k + 1\ns += 1", "(k, s)"),
    "floats of Python": ("f = f * 1.25 - i / 3", "f"),
    "floats that overflow": ("f = f * f + 1e100", "f"),
    "floats that are divided by zero": ("f = f / (9.0 - i)", "f"),
    "branches": ("if f > 1:\n    f = f * 0.5\n    s += 1\nelse:\n    f = f + 1.25", "(f, s)"),
    "negative zero": ("f = -f * 0.0", "f"),
    "square roots": ("f = math.sqrt(f * f + i)", "f"),
    "floats of NumPy": ("g = g - (g * g - 2.0) / (2 * g + 1e-9)", "g"),
    "magnitudes of floats of NumPy": ("g = np.fabs(g * -0.75) - np.abs(g) * 0.5", "g"),
    "floats of NumPy that overflow": ("g = g * g + 1e60", "g"),
    "floats of NumPy by zero": ("g = g / (9.0 - i)", "g"),
    "integers of NumPy": ("m = m * 3 + i", "m"),
    "integers of NumPy by zero": ("m = m // (9 - i)", "m"),
    "items": ("g = g + y[i] * 0.5", "g"),
    "items from the end": ("g = g * 0.5 + y[-i]", "g"),
    "items of two arrays": ("g = g + y[i] * x[i]", "g"),
    "items that are not there": ("g = g + y[i + 4]", "g"),
    "truths": ("t = not t\ns += i", "(t, s)"),
    "minimum": ("k = min(k * 3 % 101, 60)", "k"),
    "whole parts": ("k = k + int(f)\nf = f * 1.5", "(k, f)"),
}
XS = ([7, 5], [-3, 1 << 61], [(1 << 62) + 1, -1], [0, 0])
YS = ([1.5, 2.0], [-0.0, 1e200], [np.inf, np.nan], [1e300, 5e-324], [3.0, -0.0])


@pytest.mark.parametrize("name", BODIES)
def test_as_eagerly(name: str, loops: list[ScalarLoop]) -> None:
    program = of(*BODIES[name])
    examples = np.arange(3, 43), np.linspace(0.5, 3, 40), 20
    exported = export(program, examples, dynamic_shapes=[None, None, Dim.DYNAMIC])
    module = exported.module()
    assert len(loops) == 1, exported.graph
    as_eagerly(module, program)
    assert loops[0].compiled is not None


def as_eagerly(module: Any, program: Any) -> None:
    for x, y in [(x, y) for x in XS for y in YS]:
        given = np.array([*x, *range(38)]), np.array([*y, *np.linspace(-2, 2, 38)])
        for n in (0, 1, 3, 4, 12, 37):
            assert repr(said_and_warned(module, *given, n)) == repr(said_and_warned(program, *given, n)), (x, y, n)


@pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")
@pytest.mark.parametrize("name", BODIES)
def test_in_the_machine_as_eagerly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalar_loops, "is_there", lambda: False)
    made: list[Any] = []
    machine_of = loop_machine.machine_of
    monkeypatch.setattr(loop_machine, "machine_of", lambda loop, places=(): made.append(loop) or machine_of(loop, places))
    program = of(*BODIES[name])
    examples = np.arange(3, 43), np.linspace(0.5, 3, 40), 20
    module = export(program, examples, dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    assert len(made) == 1
    as_eagerly(module, program)


def test_loops_by_hand_and_within_one_another(loops: list[ScalarLoop]) -> None:
    def program(a: Any, b: Any, n: Any) -> Any:
        def iteration(i: Any, a: Any, b: Any) -> Any:
            inner = while_loop(lambda j, c: j < i, lambda j, c: (j + 1, (c * 7 + j) % 10007), (0, a))
            return i + 1, (inner[1] + b) % 1000003, a

        return while_loop(lambda i, a, b: i < n, iteration, (0, a, b))

    def eager(a: int, b: int, n: int) -> Any:
        i = 0
        while i < n:
            c = a
            for j in range(i):
                c = (c * 7 + j) % 10007
            i, a, b = i + 1, (c + b) % 1000003, a
        return i, a, b

    module = export(program, (1, 1, 20), dynamic_shapes=[Dim.DYNAMIC] * 3).module()
    assert [module(3, 4, n) for n in (0, 2, 30)] == [eager(3, 4, n) for n in (0, 2, 30)]
    assert len(loops) == 1
    assert loops[0].compiled is not None


def test_errors_of_floats_that_the_caller_wants_to_hear_of(loops: list[ScalarLoop]) -> None:
    program = of("g = g * 0.001", "g")
    module = export(program, (np.arange(3), np.ones(3), 200), dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    given = np.arange(3), np.ones(3), 200
    for state in ({}, {"under": "warn"}, {"under": "raise"}, {"all": "raise"}):
        with np.errstate(**state):  # type: ignore[arg-type]
            assert repr(said_and_warned(module, *given)) == repr(said_and_warned(program, *given)), state


def test_what_numba_is_not_given(loops: list[ScalarLoop]) -> None:
    """Functions whose bits are another library's, arrays that are written to, numbers of other dtypes."""
    for body, y in (("f = math.sin(f)", 1.0), ("y[i % 4] = i", 1.0), ("g = g * 2", np.float32(1))):
        examples = np.arange(8), np.full(8, y), 5
        export(of(body, "(f, g, y)"), examples, dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    assert loops == []


def test_a_numba_that_does_not_fit_leaves_loops_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalar_loops, "is_there", lambda: True)
    monkeypatch.setattr(scalar_loops, "PATIENCE", 3)
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ImportError
    program = of("f = f * 0.5 + i", "f")
    module = export(program, (np.arange(3), np.ones(3), 20), dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    assert [module(np.arange(3), np.ones(3), n) for n in (2, 9, 9)] == [program(np.arange(3), np.ones(3), n) for n in (2, 9, 9)]


@pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")
@pytest.mark.parametrize("fits", [True, False])
def test_iterations_of_all_calls_are_counted(monkeypatch: pytest.MonkeyPatch, fits: bool) -> None:
    """Those that the machine makes; where numba does not fit, it makes the others, too."""
    made: list[Any] = []

    def compiled(loop: Loop, machine: Any) -> Any:
        made.append(_as_python(loop, machine) if fits else _MACHINE_CODE(loop, machine))
        return made[-1]

    monkeypatch.setattr(scalar_loops, "is_there", lambda: True)
    monkeypatch.setattr(scalar_loops, "_OF_MACHINE", 5)
    monkeypatch.setattr(scalar_loops, "_PATIENCE_WITH_MACHINE", 4)
    monkeypatch.setattr(scalar_loops, "compiled", compiled)
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ImportError
    program = of("k = (k * 31 + i) % 1000003", "k")
    module = export(program, (np.arange(3), np.ones(3), 20), dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    for call in range(4):
        assert module(np.arange(3), np.ones(3), 14) == program(np.arange(3), np.ones(3), 14)
        assert len(made) == (call > 0)
    assert callable(made[0]) and (type(made[0]) is FunctionType) == fits


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")
def test_numba_is_imported_by_the_first_loop_that_is_compiled() -> None:
    code = (
        "import sys, numpy as np\nfrom npexport import Dim, export\n"
        "def program(x, n):\n    s = x[0]\n    for i in range(n):\n        s = s * 0.5 + i\n    return s\n"
        "module = export(program, (np.ones(1), 10), dynamic_shapes=[None, Dim.DYNAMIC]).module()\n"
        "module(np.ones(1), 10)\nassert 'numba' not in sys.modules\n"
        "assert module(np.ones(1), 1_100_000) == program(np.ones(1), 1_100_000)\nassert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
