"""Modules of plain NumPy read as people write: the user's names, operators, slices, methods and ``raise``; nothing that is not used."""

import collections
import datetime

import numpy as np
import pytest

from npexport import check, export, map, nn, scan
from npexport.runtime.plain.plain_source import PlainSource
from npexport.runtime.plain.readable import Readable
from tests.support.plain_modules import equal, module_of

X = np.linspace(-1, 1, 12).reshape(3, 4)


class Filter:
    def __init__(self):
        self.mean = np.zeros(4)

    def __call__(self, x):
        gain = x[0] / 2
        self.mean = self.mean + gain * (x[1:].sum(0) - self.mean)
        out = np.clip(x, -0.5, 0.5)
        out[1:, ::2] = 0
        out *= 3
        return ~(out == -gain)


def repeated(x):
    y = x * 2
    y = y - x.max(axis=1, keepdims=True)
    check(x.min() < 5, "too large")
    return y @ x.T


def loops(x):
    total, rows = scan(lambda carry, row: (0.5 * carry + row, carry % 2), np.zeros(4), x)
    return total, map(lambda row: row.any() ^ True, rows)


def counted(x):
    places = np.unique(x)
    found = np.zeros(len(places) + 9)
    np.add.at(found, x.astype(int).ravel() + 1, 2.0)
    return found, np.multiply.reduce(x, axis=1), np.maximum.accumulate(x)


def hidden(x):
    """Variables named as what the module needs for itself."""
    datetime_ = Point(x, 1)
    datetime = x + 1
    tests = datetime * 2
    return datetime_, tests, DAY


Point = collections.namedtuple("Point", "x y")
DAY = datetime.date(2024, 1, 2)


def body(text):
    lines = text[text.index("def forward") :].splitlines()[1:]
    return [line.strip() for line in lines if not line.strip().startswith(("#", "_require"))]


def test_statements_have_the_users_names_and_operators():
    assert body(export(Filter(), (X,)).to_python()) == [
        "b_mean = STATE['mean']",
        "getitem = x[0]",
        "gain = getitem / 2",
        "getitem_1 = x[1:]",
        "sum_1 = getitem_1.sum(0)",
        "subtract = sum_1 - b_mean",
        "multiply = gain * subtract",
        "mean = b_mean + multiply",
        "out = np.clip(x, -0.5, 0.5)",
        "out_1 = _setitem(out, np.s_[1:, ::2], 0)",
        "out_2 = out_1 * 3",
        "negative = -gain",
        "equal = out_2 == negative",
        "invert = ~equal",
        "STATE['mean'] = mean",
        "return invert",
    ]


def test_a_check_is_a_raise_and_a_name_that_is_taken_gets_a_number():
    text = export(repeated, (X,)).to_python()
    assert body(text) == [
        "y = x * 2",
        "max_1 = x.max(1, keepdims=True)",
        "y_1 = y - max_1",
        "min_1 = x.min()",
        "less = min_1 < 5",
        "truth = bool(less)",
        "if not truth: raise AssertionError('too large')",
        "transpose = x.transpose()",
        "matmul = y_1 @ transpose",
        "return matmul",
    ]
    assert text.count("def ") == 3  # `forward` and what looks at its inputs


def test_each_sub_graph_is_one_function_in_the_same_style():
    text = export(loops, (X,)).to_python()
    assert text.count("def _iteration") == 2
    assert "    multiply = 0.5 * carry\n    multiply += x_1\n" in text


@pytest.mark.parametrize("f", [Filter(), repeated, loops, counted, hidden], ids=["state", "checks", "loops", "ufuncs", "names"])
def test_what_reads_well_computes_the_same(f, tmp_path):
    program = export(f, (X,))
    module, run = module_of(program, tmp_path / "m.py"), program.module()
    for x in (X, X * 2, X * 3):
        equal(module.forward(x.copy()), run(x.copy()))


def test_what_a_check_raises_is_the_users_error(tmp_path):
    module = module_of(export(repeated, (X,)), tmp_path / "m.py")
    with pytest.raises(AssertionError, match="^too large$"):
        module.forward(X + 9)


def test_methods_of_ufuncs_are_called_by_their_names():
    text = export(counted, (X,)).to_python()
    assert "np.add.at" in text and "np.multiply.reduce(x, axis=1)" in text and "np.maximum.accumulate(x)" in text
    assert "UFUNCS" not in text and text.count("    found") == 1


def test_variables_do_not_hide_what_their_function_uses():
    text = export(hidden, (X,)).to_python()
    assert "datetime_1 = x + 1" in text and "datetime.date(2024, 1, 2)" in text


def joined(x):
    total = np.zeros(4)
    steps = 0
    while total.max() < 9:
        total += x[0] ** 2
        steps += 1
    if total.sum() > 3:
        label = total * 2
    else:
        label = total
    return label, steps


def test_what_branches_and_loops_give_has_the_users_names():
    lines = body(export(joined, (X,)).to_python())
    assert "label = _in_c_order(label_1)" in lines and "label = _copied(total_1)" in lines and "steps = steps + 1" in lines
    assert not any(line.startswith(("value", "del ")) for line in lines if not line.startswith("value = "))


def drawn(x, rng):
    noise = rng.normal(size=4)
    return x + noise, rng.random(3)


def test_generators_of_the_caller_draw_themselves(tmp_path):
    program = export(drawn, (X, np.random.default_rng(0)))
    assert [line for line in body(program.to_python()) if "rng" in line] == [
        "noise = rng.normal(0.0, 1.0, size=(4,))",
        "random = rng.random(size=(3,))",
    ]
    forward, one, other = module_of(program, tmp_path / "drawn.py").forward, np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(2):
        equal(forward(X, one), drawn(X, other))
    assert one.bit_generator.state == other.bit_generator.state


def test_nothing_says_where_on_this_machine_the_source_is():
    text = export(drawn, (X, np.random.default_rng(0))).to_python()
    assert "# tests/unit/runtime/test_readable.py:" in text and __file__ not in text


def test_functions_with_bound_arguments_are_called_with_them():
    text = export(nn.MaxPool2d(2), (np.ones((1, 1, 4, 4)),)).to_python()
    assert "max_pool2d = _max_pool(2, " in text and "functools" not in text


class Dropping:
    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.calls = np.zeros(1)

    def __call__(self, x):
        mask = self.rng.random(x.shape) > 0.5
        self.calls += 1
        if x.max() > 5:
            raise ValueError("too large")
        self.calls += 1
        return x * mask, self.rng.permutation(4), self.calls.copy()


def test_generators_of_the_program_draw_themselves(tmp_path):
    forward, eager = module_of(export(Dropping(), (X,)), tmp_path / "dropping.py").forward, Dropping()
    text = (tmp_path / "dropping.py").read_text()
    assert "    random = rng.random(size=(3, 4))\n" in text and "_draw" not in text
    for x in (X, X + 9, X, X - 9):
        if x.max() > 5:
            for call in (forward, eager):
                with pytest.raises(ValueError, match="too large"):
                    call(x)
        else:
            equal(forward(x), eager(x))


class Counting(set):
    """A set that counts how often it is asked."""

    asked = 0

    def __contains__(self, item):
        self.asked += 1
        return super().__contains__(item)


def test_a_free_name_is_found_at_once():
    names = Readable(PlainSource(), {"x_2"})
    names.taken = Counting(names.taken)
    assert [names.unique("x") for _ in range(4)] == ["x", "x_1", "x_3", "x_4"]
    for _ in range(1000):
        names.unique("y")
    assert names.taken.asked < 3000


def written_on_sides(x, d):
    grid = np.zeros_like(x)
    if x[0, 0] > 0:
        grid[0][1] = x[0, 1]
    else:
        grid[1:] += 1
    d["total"] = x.sum() + 1
    d["rows"] = grid
    return d


def test_what_sides_write_by_items_has_the_name_of_the_variable(tmp_path):
    forward = module_of(export(lambda x: written_on_sides(x, {}), (X,)), tmp_path / "written.py").forward
    text = (tmp_path / "written.py").read_text()
    assert "    setitem = _setitem(getitem_2, 1, getitem_1)\n        grid_2 = _setitem(grid, 0, setitem)\n" in text
    assert "    grid_1 = _in_c_order(grid_2)\n    else:\n" in text and "grid_3 = _setitem(grid, np.s_[1:], add)\n" in text
    for x in (X, X + 9):
        equal(forward(x), written_on_sides(x.copy(), {}))
