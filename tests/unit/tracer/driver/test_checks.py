"""Branches on data of which one side only raises: programs raise what eager execution raises, for data that take every side."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from npexport import Dim, ExportError, LoadError, Unsupported, check, export, load, save
from npexport.ir import ops
from npexport.ir.parsing import parse_graph
from npexport.ir.pytree import find_exception
from tests.fuzz.checks import difference
from tests.support.functions import function_of
from tests.support.shards import shard

DATA = [
    np.array(data, float)
    for data in (
        [1, 2, 3], [-1, 2, 3], [-1, 0.5, 0.5], [np.nan, 1, 2], [np.inf, 1, 2], [0, 0, 0],
        [200, 3, 4], [1, -5, 3], [0.5, 0.5, 0.5], [-9, -9, 2]
    )
]  # fmt: skip


class Mine(ValueError):
    """An exception of the user's."""


def fails(x):
    raise ValueError("failed %s" % x.shape[0])


def positive(x):
    if not (x > 0).all():
        raise ValueError("not positive")
    if not np.isfinite(x).all():
        raise ValueError("not finite")
    return x


NUMBER = "n = int(np.nan_to_num(x, posinf=7)[0])"
SOURCES = {
    "if": "if not np.isfinite(x).all(): raise ValueError('bad')",
    "assert": "assert (x >= 0).all(), 'negative'",
    "assert without text": "assert x[0] > 0 and x[1] > 0",
    "text": "if x.min() < 0: raise ValueError(f'negative: {x.min()} at {int(x.argmin())}, {x.shape} {x[0]:.3f} {x!r}')",
    "percent": "if x.min() < 0:\n    if x.max() > 1:\n        raise ValueError('%s and %r' % (x.min(), x.max()))",
    "format": "if not float(x[1]) >= 0: raise ValueError('second {} {a:>9.2f}'.format(x[1], a=x[0]))",
    "and": "if x.min() < 0 and x.max() > 1: raise KeyError(x[0])",
    "or": "if np.isnan(x).any() or np.isinf(x).any(): raise ValueError('nan or inf')",
    "shape or data": "if x.ndim != 1 or (x < 0).any(): raise ValueError('bad')",
    "callee": "if (x == 0).any(): fails(x)",
    "callees that check": "x = positive(positive(x) * 2)",
    "loop": "for v in x:\n    if v < 0: raise ValueError('neg ' + str(v))",
    "numpy": "x = np.asarray_chkfinite(x) + 1",
    "number": "n = int(np.nan_to_num(x, posinf=7)[0])\nif n < 1: raise ValueError('n must be positive, got %d' % n)\nx = x * n",
    "after a write": "x = x.copy()\nx[0] = 5\nif x.sum() > 10: raise RuntimeError\nx[1] = 7",
    "loop in the side": "if np.any(x < 0):\n    msg = ''\n    for i in range(2):\n        msg += f'{x[i]}, '\n    raise ValueError(msg)",
    "join": "if np.any(x < 0):\n    raise ValueError(', '.join([str(v) for v in x]))",
    "with": "with np.errstate(all='ignore'):\n    if (x < 0).any(): raise ValueError('in with')",
    "other side": "if x.sum() > 0:\n    x = x * 2\nelse:\n    raise ValueError('nonpositive')",
    "return": "if x.sum() > 0: return x\nraise ValueError('nonpositive')",
    "chain": "if 0 <= x[0] <= 1: return x\nraise ValueError('out of range')",
    "arguments": "if x.sum() < 0: raise ValueError('a', [x[0], 3], {'k': x[1]}, 2.5)",
    "linalg": "if x.sum() < 0: raise np.linalg.LinAlgError('singular', x.sum())",
    "class": "if x.sum() < 0: raise ValueError",
    "no effect": "if (x < 0).any(): pass",
    "an item that the data tell": "if x[0] < 0:\n    y = x[int(x[1])]\n    raise ValueError(f'{y}')",
    "a text that warns": "if x[0] < 0:\n    raise ValueError(f'{np.log(x[0])}')",
    "order": "if x[0] < 0: raise ValueError('first')\nif x[1] < 0: raise KeyError('second')\ny = 1 / float(x[2])",
    "from None": "if x[0] < 0: raise ValueError('first') from None",
    "from a new one": "if x[0] < 0: raise ValueError('first') from KeyError(x[1])",
    "twice": "if x[0] < 0: raise ValueError('first')\nx = x + 1\nif x[0] < 1: raise ValueError('again')",
    "nested": "if x[0] < 0:\n    if x[1] > 0:\n        if x[2] > 1: raise ValueError('a')\n        if x[2] > 0: raise ValueError('b')",
    "elif": "if x[0] < 0: raise ValueError('a')\nelif x[1] < 0: raise ValueError('b')\nelse: x = x * 3",
    "handler of others": "try:\n    if x[0] < 0: raise ValueError('a')\nexcept KeyError:\n    x = x * 0",
    "inner handler": "if x[0] < 0:\n    try:\n        raise KeyError('a')\n    except KeyError:\n        raise ValueError('b') from None",
}

CHECKS = {
    "check": "check(x.min() >= 0, 'negative')\ncheck(x.max() < 100)",
    "check of numbers": f"{NUMBER}\ncheck(n >= 0, 'negative')\ncheck(n <= 5)\nx = np.full(n, x[1]) if n <= 6 else x",
    "check caught": "try:\n    check(x.min() >= 0)\nexcept AssertionError:\n    x = x * 0",
    "check of numbers caught": f"{NUMBER}\ntry:\n    check(n > 0)\nexcept AssertionError as error:\n    x = x * 0",
    "check that tells": f"{NUMBER}\ncheck(x[1] > 0, lambda: f'{{x[1]}}')\ncheck(n > 0, lambda: f'n is {{n}}')",
    "check on a side": f"{NUMBER}\nif x.sum() > 4:\n    check(n < 5, 'large')\n    x = x + 1",
    "check in a loop": f"{NUMBER}\nwhile x.sum() > 10:\n    check(n < 9, 'large')\n    x = np.fmin(x, 8) - 1",
    "check of what is checked": f"{NUMBER}\ncheck(n <= 5, 'first')\ncheck(n <= 6, 'second')",
}


def compiled(body, **names):
    lines = "\n    ".join(body.splitlines())
    return function_of(
        f"def program(x):\n    {lines}\n    return x",
        {"np": np, "fails": fails, "positive": positive, "Mine": Mine, "check": check, **names},
    )


def outcome(f, x):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return repr(f(x.copy()))
        except ExportError:
            raise
        except Exception as error:
            return type(error), str(error), repr(error.args), repr(error.__cause__), error.__suppress_context__


@pytest.mark.parametrize("name", sorted((SOURCES.keys() | CHECKS.keys()) - {"inner handler"}))
def test_programs(name, tmp_path):
    program = compiled((SOURCES | CHECKS)[name])
    exported = export(program, (DATA[0],))
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for x in DATA:
            assert outcome(run, x) == outcome(program, x), (name, x)
    if name in CHECKS:
        return
    with pytest.raises(ExportError) as caught:
        if name == "no effect":
            raise ExportError("E103", "")
        export(program, (DATA[0],), capture_control_flow=False)
    assert caught.value.code == "E103"


def test_the_line_is_that_of_the_raise():
    program = compiled("y = x * 2\nif (y < 0).any():\n    z = y.min()\n    raise ValueError(f'{z}')")
    exported = export(program, (DATA[0],))
    (check,) = [node for node in exported.graph if str(node.target) == "ops.control.check"]
    assert check.meta["stack_trace"][-1].line == 5
    with pytest.raises(ValueError, match=r"^-2\.0\n"):
        exported.module()(DATA[1])


class Told(Mine):
    def __init__(self, value, code=3):
        super().__init__(f"told {value}")
        self.code = code

    class Inner(Mine):
        pass


class Made(Mine):
    def __new__(cls, *args):
        return super().__new__(cls, *args)


def test_exceptions_of_the_user_are_found_by_name_when_a_file_is_read(tmp_path, monkeypatch):
    program = compiled("if x[0] < 0: raise Told(x[1], code=4)\nif x[1] < 0: raise Told.Inner('inner')", Told=Told)
    exported = export(program, (DATA[0],))
    save(exported, tmp_path / "program.np2")
    again = load(tmp_path / "program.np2")
    assert str(again.graph) == str(exported.graph) == str(parse_graph(exported.graph_module.code))
    with pytest.raises(Told, match=r"^told 1\.0") as caught:
        again.module()(np.array([-1.0, 1.0, 1.0]))
    assert type(caught.value) is Told and caught.value.code == 4
    with pytest.raises(Told.Inner, match="inner"):
        again.module()(np.array([1.0, -1.0, 1.0]))
    monkeypatch.delattr("tests.unit.tracer.driver.test_checks.Told")
    with pytest.raises(LoadError, match="Told") as caught:
        load(tmp_path / "program.np2")
    assert caught.value.code == "E504"


@pytest.mark.parametrize(
    "name", ["tests.unit.tracer.driver.test_checks:Made", "builtins:SystemExit", "os:path", "json:", "nothing:E", "enum:Enum"]
)
def test_what_a_file_names_is_a_plain_class_of_exceptions(name):
    assert find_exception(name) is None


def test_exceptions_of_the_user_that_have_no_place_are_not_saved(tmp_path):
    class Local(Mine):
        pass

    exported = export(compiled("if x[0] < 0: raise Local('mine')", Local=Local), (DATA[0],))
    with pytest.raises(Local, match="mine"):
        exported.module()(DATA[1])
    with pytest.raises(ExportError, match="Local") as caught:
        save(exported, tmp_path / "program.np2")
    assert caught.value.code == "E242" and "top level" in caught.value.hint


def test_dynamic_sizes():
    def program(x):
        if (x < 0).any():
            raise ValueError(f"{x.shape[0]} values, {int((x < 0).sum())} negative")
        return x * 2

    run = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n")},)).module()
    for x in (*DATA, np.ones(7), -np.ones(1), np.ones(0)):
        assert outcome(run, x) == outcome(program, x)


SEEN = []
REFUSED = {
    "both go on": "if x[0] < 0: print('negative')",
    "finally": "try:\n    if x[0] < 0: raise ValueError('a')\nfinally:\n    x[0] = 7",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(ExportError) as caught:
        export(compiled(REFUSED[name]), (DATA[0],))
    assert caught.value.code in ("E103", "E104", "E114", "E126")


ITERATORS = {
    "iterator": "it = iter([1, 2, 3])\nif x[0] < 0:\n    if x[1] < 0: raise ValueError(list(it)[0])\nelse:\n    return next(it)",
    "advanced": "it = iter([1, 2, 3])\nif x[0] < 0:\n    t = sum(it)\nreturn x * next(it)",
}


@pytest.mark.parametrize("name", ITERATORS)
def test_iterators_that_sides_advance(name):
    program = compiled(ITERATORS[name])
    run = export(program, (DATA[0],)).module()
    for x in (*DATA, -np.ones(3)):
        assert outcome(run, x) == outcome(program, x)


TESTING = {
    "allclose": lambda x: (np.testing.assert_allclose(x, [1, 2, 3], rtol=1e-3, err_msg="hello"), x * 2)[1],
    "equal": lambda x: (np.testing.assert_equal(x[0], 1.0), np.testing.assert_array_equal(x, x.copy()), x + 1)[2],
    "less": lambda x: (np.testing.assert_array_less(0, x), x)[1],
    "almost": lambda x: (np.testing.assert_almost_equal(float(x[1]), 2.0), np.testing.assert_array_almost_equal(x, x + 1e-9), x)[2],
    "known": lambda x: (np.testing.assert_allclose(np.ones(2), np.ones(2)), x)[1],
}


@pytest.mark.parametrize("name", TESTING)
def test_assertions_of_numpy(name, tmp_path):
    program = TESTING[name]
    exported = export(program, (DATA[0],))
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for x in DATA:
            assert outcome(run, x) == outcome(program, x)


def test_validation_of_scikit_learn(tmp_path):
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    x = np.arange(12.0).reshape(4, 3)
    program = preprocessing.StandardScaler().fit(x).transform
    exported = export(program, (x,))
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for bad in (1.0, np.nan, np.inf, 1e308):
            assert outcome(run, x * bad) == outcome(program, x * bad)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", shard(range(3), 3))
def test_random_programs(block, tmp_path):
    found = [difference(seed, tmp_path) for seed in range(block * 50, block * 50 + 50)]
    assert [report for _, report in found if report] == []
    assert sum(kind == "same" for kind, _ in found) > 25


EVERYTHING = {
    "goes on": "try:\n    y = 1 / float(x[0])\nexcept Exception:\n    y = 0.0\nreturn y",
    "raises another": "try:\n    y = 1 / float(x[0])\nexcept Exception as error:\n    raise RuntimeError('other')\nreturn y",
    "integer": "try:\n    y = int(x[0])\nexcept:\n    y = 0\nreturn y",
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_errors_of_numbers_in_handlers_of_everything_are_caught_or_refused(name):
    program = compiled(EVERYTHING[name])
    try:
        run = export(program, (DATA[0],)).module()
    except ExportError as refusal:
        assert refusal.code == "E126"
        return
    for data in DATA:
        assert outcome(run, data) == outcome(program, data)


def test_a_side_that_only_warns():
    program = compiled(
        "if (x < 0).any():\n    text = f'negative: {x.min()}'\n    warnings.warn(text, RuntimeWarning, stacklevel=2)\n"
        "if x[0] > 100:\n    warnings.warn('large')\nx = x * 2"
    )
    program.__globals__["warnings"] = warnings
    run = export(program, (DATA[0],)).module()
    for x in DATA:
        given = []
        for f in (program, run):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = f(x.copy())
            given.append((repr(result), [(str(warning.message), warning.category) for warning in caught]))
        assert given[0] == given[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="negative"):
            run(DATA[1])


@pytest.mark.parametrize(
    "args",
    [
        (True, "builtins.SystemExit", ()),
        (True, "os.system", ()),
        (True, "builtins.len", ()),
        (True, "builtins.ValueError", (("text of data", "eval", "1"),)),
        (True, "builtins.ValueError", (("text of data", "format", "1"),)),
    ],
)
def test_checks_of_files_are_validated(args):
    with pytest.raises(ValueError):
        ops.control.check.rule(*args)


class Counting:
    """Writes to its state before and after it checks."""

    def __init__(self):
        self.calls = np.zeros((), int)

    def __call__(self, x):
        n = int(x[0])
        self.calls += 1
        check(n <= 5, "large")
        self.calls += 1
        return x + self.calls


def test_what_is_written_before_a_check_of_a_number_stays_written():
    original = Counting()
    run = export(Counting(), (np.ones(3, int),)).module()
    for value in (3, 9, 4, 9, 1):
        x = np.full(3, value)
        assert outcome(run, x) == outcome(original, x)


def test_checks_are_captured_where_branches_are_not():
    def program(x):
        check(x.min() >= 0, "negative")
        check(int(x[0]) < 5)
        return x

    run = export(program, (np.ones(3),), capture_control_flow=False).module()
    for value in (1.0, -1.0, 7.0):
        assert outcome(run, np.full(3, value)) == outcome(program, np.full(3, value))

    def caught(x):
        try:
            check(x.min() >= 0)
        except AssertionError:
            return -x
        return x

    with pytest.raises(Unsupported, match="E103"):
        export(caught, (np.ones(3),), capture_control_flow=False)
