"""Texts that depend on data: written when the program runs, in messages and in results, as eager execution writes them."""

from __future__ import annotations

import dataclasses
import logging
import sys
import warnings
from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export, load, save
from tests.support.comparison import said
from tests.support.plain_modules import module_of

LOG = logging.getLogger("tests.texts")
DATA = [np.array(data) for data in ([1.5, -2.25, 3.125], [-1.5, 2.0, 1e300], [np.nan, np.inf, -0.0], [1e-9, 12345678.9, -1.0])]
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def specifications(x):
    n = int(np.nan_to_num(x[1], posinf=7.0) % 100)
    return f"{x.mean():.3f}|{x[0]!r:>20}|{n:+05d}|{float(x[2]):g}|{x[0] > 0!s:^9}|{len(x)}", f"{x[1]:,.2f}", format(x[0] > 0, "d")


@case
def builtins_(x):
    return str(x[0]), repr(x[1]), ascii(float(x[2])), str(x > 0), repr(x), str([x[0], {"a": float(x[1])}]), str(complex(x[0], x[1]))


@case
def templates(x):
    return "%s is %.3e, %r of %d" % (x[0], x[1], x > 0, 7), "%(a)5.1f" % {"a": x[2]}, "{:>9.2f} {a!r}".format(x[0], a=x[1])


@case
def joins(x):
    words = x[:3].astype(np.float32).astype(str)
    text = ", ".join(f"{value:.1f}" for value in x[:3])
    return "[" + text + "]", text * 2, "-".join(["a", text, "b"]), "".join(list(words)), "|".join(words), "|".join(("a", words[0]))


@case
def methods(x):
    return f"{x[0]:e}".upper().ljust(20, ".") + "|", f"{x[1]}".replace("e", "E").strip("0")


@case
def of_numpy(x):
    return np.array2string(x, precision=2, separator=", "), np.array_repr(x), np.format_float_scientific(x[0], precision=3)


@case
def values_as_they_were(x):
    y = x * 2
    held = [y[0]]
    before, listed = str(y), str([held, y])
    y[0] = 7
    held.append(1)
    return y, before, listed, str(y)


@case
def one_of_two(x):
    status = "converged" if x[0] > 0 else f"residual {x[1]:.2f}"
    if status == "converged":
        x = x * 2
    return x, status, status != "converged"


@case
def after_a_loop(x):
    for k in range(20):
        x = x * 0.5
        if np.abs(x).max() < 0.1:
            message = f"converged after {k} iterations"
            break
    else:
        message = "not converged"
    return x, message


@case
def of_iterations(x):
    count, last = 0, ""
    while np.abs(x).max() > 1 and count < 30:
        x = x * 0.5
        count += 1
        last = f"iteration {count}: {x[0]:.3f}"
    return x, last


@case
def unread(x):
    text = f"{x.max():.3e}"
    LOG.debug("the largest is %s", text)
    LOG.debug(f"{x}")
    history = [f"{k}: {x[k]}" for k in range(3)]
    return x * len(history) if text else x


@case
def raised(x):
    message = f"{x[0]} is not positive"
    if not x[0] > 0:
        raise ValueError(message)
    return x


@case
def of_an_exception(x):
    try:
        if x[0] < 0:
            raise ValueError(f"{x[0]:.2f} is negative")
        text = "fine"
    except ValueError as error:
        text = f"caught: {error}"
    return text


class Named(NamedTuple):
    value: Any
    message: str


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any
    message: str


@case
def in_records(x):
    return Named(x * 2, f"{x[0]:.2f}"), Frozen(x[1], f"{x[1]:.2f}").message, {"m": {"n": f"{x[2]}"}}


@case
def types(x):
    text = f"{x[0]}"
    return isinstance(text, str), type(text) is str, hasattr(text, "upper"), text is text


@case
def integers_as_floats(x):
    count = len(x)
    names = "{1:.1f} {0!r:>4} {n:+.2e}".format(f"{x[0]}", int(x[0] * 8), n=count)
    return f"{count:08.3f} {count:.2%} {int(x.sum()):.2f}", "%.1f|%g" % (count, int(x[1] * 100)), names


@case
def integers_that_no_float_holds(x):
    return f"{int(abs(x[1]) + 9) ** 290:.2e}"


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_texts_are_those_of_eager_execution(name, dynamic, tmp_path):
    f = CASES[name]
    program = export(f, (DATA[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    save(program, tmp_path / "program.np2")
    runs = [program.module(), load(tmp_path / "program.np2").module()]
    for x in [*DATA, *([np.linspace(-1, 1, 7)] if dynamic else [])]:
        for run in runs:
            assert repr(said(run, x.copy())) == repr(said(f, x.copy()))


@pytest.mark.parametrize("name", ["specifications", "templates", "joins", "methods", "one_of_two", "of_numpy"])
def test_texts_in_plain_python(name, tmp_path):
    program = export(CASES[name], (DATA[0],))
    module = module_of(program, tmp_path / "program.py")
    assert repr(module.forward(DATA[1])) == repr(CASES[name](DATA[1]))


def test_a_warning_tells_the_data_of_each_call():
    def f(x):
        warnings.warn(f"the sum is {x.sum():.2f}", stacklevel=1)
        return x

    run = export(f, (DATA[0],)).module()
    for x in DATA:
        with pytest.warns(UserWarning, match="^the sum is") as told:
            run(x)
        assert str(told[0].message) == f"the sum is {x.sum():.2f}"


def test_what_python_refuses_it_refuses_at_export():
    with pytest.raises(ValueError, match="Unknown format code"):
        export(lambda x: f"{x[0]:d}", (DATA[0],))
    with pytest.raises(TypeError, match="unsupported format string"):
        export(lambda x: f"{x:.2f}", (DATA[0],))
    with pytest.raises(TypeError, match=r"passed to tuple\.__format__"):
        export(lambda x: f"{x.shape:d}", (DATA[0],), dynamic_shapes=({0: Dim.AUTO},))
    with pytest.raises(TypeError, match="must be real number"):
        export(lambda x: "%.2f" % str(x[0]), (DATA[0],))


def _printing(x):
    with np.printoptions(precision=2):
        return str(x)


REFUSED = {
    "length": lambda x: x * len(f"{x[0]}"),
    "item": lambda x: f"{x[0]}"[0],
    "key": lambda x: {f"{x[0]}": x},
    "number": lambda x: float(f"{x[0]:.1f}"),
    "search": lambda x: f"{x[0]}".startswith("1"),
    "comparison": lambda x: f"{x[0]}" == "1.0",
    "printed": lambda x: print(x[0]) or x,
    "logged": lambda x: LOG.error("%s", x[0]) or x,
    "whole number of a float": lambda x: "%d" % x[0],
    "character": lambda x: f"{int(x[0]):c}",
    "a width of the data": lambda x: f"{x[0]:{int(x[1])}}",
    "attributes": lambda x: "{0.real}".format(x[0]),
    "print options": _printing,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_reads_a_text_is_refused(name):
    with pytest.raises(ExportError) as caught:
        export(REFUSED[name], (DATA[0],))
    assert caught.value.code in ("E114", "E104"), caught.value


def test_state_holds_no_texts_of_data():
    class Model:
        status = ""

        def __call__(self, x):
            self.status = f"{x[0]}"
            return x

    with pytest.raises(Unsupported) as caught:
        export(Model(), (DATA[0],))
    assert caught.value.code == "E112"


def test_texts_of_sizes_alone_are_constants_where_they_are_read():
    names = {"w3": 2.0}

    def f(x):
        return x * names[f"w{len(x)}"], f"{len(x)} values"

    program = export(f, (DATA[0],))
    assert program.module()(DATA[0])[1] == "3 values"
    program = export(lambda x: f"{len(x)} values", (DATA[0],), dynamic_shapes=({0: Dim("n")},))
    assert program.module()(np.ones(5)) == "5 values"


def printed(text):
    sys.stdout.write(text + "\n")
    sys.stderr.writelines([text, "\n"])
    print(1, 2, sep=text, end=text)


READERS = {
    "print": printed,
    "eval": eval,
    "exec": exec,
    "compile": lambda text: compile(text, "<text>", "eval") and None,
    "keywords": lambda text: dict(**{text: 1}),
    "int": int,
}


@pytest.mark.parametrize("name", READERS)
def test_texts_that_c_reads_are_constants_if_sizes_make_them_and_refused_if_data_do(name, capsys):
    read = READERS[name]

    def of_sizes(x):
        return x * 2, read(str(len(x)))

    expected, shown = of_sizes(np.ones(3)), capsys.readouterr()
    program = export(of_sizes, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},))
    assert capsys.readouterr() == shown
    np.testing.assert_equal(program.module()(np.ones(3)), expected)
    with pytest.raises(ExportError) as caught:
        program.module()(np.ones(4))
    assert caught.value.code == "E401"
    with pytest.raises(ExportError) as caught:
        export(lambda x: read(str(x[0])), (np.ones(3),))
    assert caught.value.code == "E114"


def test_arguments_that_str_does_not_take_are_not_passed_over():
    with pytest.raises(ExportError) as caught:
        export(lambda x: str(str(x[0]), "ascii"), (np.ones(3),))
    assert caught.value.code == "E114"


def test_arrays_of_texts_need_their_width():
    def of_sizes(x):
        return np.array([f"{x.shape[0]}", "ab"]), np.isin([str(len(x))], ["3"])

    program = export(of_sizes, (np.ones(3),), dynamic_shapes={"x": {0: Dim.AUTO}})
    np.testing.assert_equal(program.module()(np.ones(3)), of_sizes(np.ones(3)))
    with pytest.raises(ExportError) as caught:
        export(lambda x: np.array([str(int(v)) for v in x]), (np.ones(3),))
    assert caught.value.code == "E104" and "how wide" in caught.value.message and "U12" in caught.value.hint


def of_either_kind(x):
    v = float(x[0]) if x[1] > 0 else x[0]
    return f"{v}", f"<{v:>9.3f}|{v!s}>" + str(v)


def of_either_kind_on_sides(x):
    if x[1] > 0:
        text = f"a float: {float(x[0])}"
    else:
        text = f"a float: {x[0]}"
    return text


@pytest.mark.parametrize("program", [of_either_kind, of_either_kind_on_sides])
def test_numbers_of_either_kind_are_written_alike(program):
    run = export(program, (np.array([1.0, 2.0]),)).module()
    for x in ([1.0, 2.0], [1.5, -2.0], [7.25, -1.0], [np.nan, -1.0], [-0.0, 1.0], [1e22, -1.0]):
        assert run(np.array(x)) == program(np.array(x))


def of_other_iterables(x):
    texts = deque([f"{x[0]:.2f}", "a", f"{x[1]}"], maxlen=3)
    named = {"first": f"{x[0]}", "last": "b"}
    return ",".join(texts), "-".join(reversed(texts)), "".join(named.values()), "".join(iter(texts)), "+".join(reversed(("a", texts[0])))


def test_texts_of_any_container_are_joined():
    run = export(of_other_iterables, (np.array([1.0, 2.0]),)).module()
    for x in ([1.0, 2.0], [1.5, -2.0], [np.nan, 1e22]):
        assert run(np.array(x)) == of_other_iterables(np.array(x))


@pytest.mark.parametrize("method", [str.upper, str.strip, str.__len__, str.title])
def test_methods_of_classes_that_map_calls_are_refused_by_code(method):
    with pytest.raises(ExportError, match="E114"):
        export(lambda x: list(map(method, (f"{x[0]:.2f}", "b"))), (np.ones(2),))


CONSTANT = np.linspace(0, 1, 4)


@pytest.mark.parametrize(
    "call",
    ["np.format_float_positional(1.5)", "np.format_float_scientific(2.5e-7, precision=2)", "np.array2string(np.arange(3.0))",
     "str(CONSTANT)",
     "np.array2string(CONSTANT * 1j, precision=2)", "np.array_repr(CONSTANT.astype('f2'))", "np.format_float_positional(CONSTANT.sum())",
     "np.format_float_positional(np.float32(1.1)) + str(x.dtype)", "np.array2string(np.array([np.nan, np.inf, -0.0, 1e300]))",
     "np.format_float_positional(1.5 * len(x))"],
)  # fmt: skip
def test_texts_of_known_floats(call):
    function = eval(f"lambda x: {call}", {"np": np, "CONSTANT": CONSTANT})
    assert export(function, (np.ones(3),)).module()(np.ones(3)) == function(np.ones(3))
    try:
        program = export(function, (np.ones(3),), dynamic_shapes=({0: Dim("n")},)).module()
    except ExportError as error:
        assert error.code == "E301" and "len" in call
    else:
        assert program(np.ones(5)) == function(np.ones(5))
