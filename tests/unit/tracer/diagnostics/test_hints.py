"""The hint of a refusal fits the statement that needs the data."""

from __future__ import annotations

import ast
import inspect
import re
import runpy

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, explain, export
from npexport.symshapes.codes import CODES
from npexport.tracer.diagnostics.hints import ROWS


def a_while(x):
    while np.abs(x).max() > 1:
        x = x / 2
    return x


def a_range(x):
    for _ in range(int(x.sum())):
        x = x + 1
    return x


def an_append(x):
    found = []
    for value in x:
        if value > 0:
            found.append(value)
    return found


def a_filter(x):
    return [value for value in x if value > 0]


def an_early_return(x):
    if x[0] > 0:
        return x
    return -x


def a_break(x):
    for i in range(3):
        if x[i] > 0:
            break
        x = x + 1
    return x


def an_and(x):
    return (x[0] > 0) and (x[1] > 0)


def a_not(x):
    if not x[0]:
        x = x + 1
    return x


def a_chain(x):
    if 0 < x[0] < 1:
        x = x + 1
    return x


def a_conditional(x):
    return x if x[0] > 0 else None


def an_else(x):
    if x.mean() > 0:
        x = x * 2
    else:
        x = x * 3
    return x


def a_sort(x):
    return sorted(x)


def an_index(x):
    return [np.sin, np.cos, abs][int(x[0])](x)


def a_key(x):
    return {hash(float(x[0])): 1}


def a_file(x):
    return np.genfromtxt("table.csv") + x


def saved_rows(x):
    np.savez("rows.npz", x)
    return x


async def a_coroutine(x):
    return x


def a_generator(x):
    yield x


def a_resize(x):
    y = x * 2
    y.resize(5, refcheck=False)
    return y


def parts_between_places(x):
    return [part.sum() for part in np.split(x, np.flatnonzero(x > 1))]


def bytes_as_a_key(x):
    return {x.tobytes(): x}


FITTING = {
    a_while: "npexport.while_loop(condition, step, (x,))",
    a_range: "mask the iterations",
    an_append: "in place of append",
    a_filter: "Select with a mask",
    an_early_return: "np.where(condition, early, late)",
    a_break: "done = done | condition",
    an_and: "Use & and |",
    a_not: "Use ~",
    a_chain: "(low < x) & (x < high)",
    a_conditional: "np.where(condition, a, b)",
    an_else: "np.where(condition, a, b)",
    a_sort: "np.sort",
    an_index: "Keep the items in an array",
    a_key: "keys that are known",
    a_file: "np.genfromtxt(path)`, then export(f, (x, data))",
    saved_rows: "np.save(path, y)",
    a_coroutine: "not `async`",
    a_generator: "Return a list",
    a_resize: "np.concatenate([x, np.zeros(n - len(x))])",
    bytes_as_a_key: "np.array_equal",
    parts_between_places: "bounds = np.r_[0, places, len(x)]",
}


CAPTURED = {a_while, a_range, an_append, a_sort, a_filter, an_early_return, a_break, an_and, a_not, a_chain, an_else, a_conditional}
"""Branches and loops that capture turns into nodes, or refuses for what they leave different: the hints are those without it."""


def refusals(program):
    if program not in CAPTURED:
        return explain(program, (np.ones(3),)).problems
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),), capture_control_flow=False)
    return [caught.value]


def bytes_as_numbers(x):
    return x + np.frombuffer(bytearray(8))


def an_opened_file(x):
    with open("notes.txt") as file:
        return x * len(file.read())


def a_file_by_loadtxt(x):
    return np.loadtxt("table.csv") + x


def a_part_of_a_complex_number(x):
    return float((x + 1j)[0]) * x


def a_vectorized_function_of_no_types(x):
    return np.vectorize(lambda a: a if a > 0 else 0)(x)


FITTING |= {
    a_part_of_a_complex_number: "x.real, x.imag",
    a_vectorized_function_of_no_types: "np.vectorize(function, otypes=[float])",
    a_file_by_loadtxt: "`data = np.loadtxt(path)`",
    bytes_as_numbers: "np.frombuffer(raw)`",
    an_opened_file: "what it holds as an argument",
}


@pytest.mark.parametrize("program", FITTING, ids=lambda program: program.__name__)
@pytest.mark.filterwarnings("error")
def test_hints_fit_the_statement(program):
    problems = refusals(program)
    assert problems and FITTING[program] in problems[0].hint, [problem.hint for problem in problems]


@pytest.mark.parametrize("program", [an_early_return, a_while, a_range], ids=lambda program: program.__name__)
def test_without_the_source_the_hint_of_the_code_stands(program):
    code = compile(inspect.getsource(program), "<no such file>", "exec")
    space = {"np": np}
    exec(code, space)
    with pytest.raises(Unsupported) as caught:
        export(space[program.__name__], (np.ones(3),), capture_control_flow=False)
    problem = caught.value
    assert problem.hint == CODES[problem.code].hint


def test_every_row_is_of_a_code_and_says_something():
    for row in ROWS:
        assert row.codes <= set(CODES) and len(row.hint) > 20
        assert "CALLED" not in row.hint or row.kind in (ast.Call, (ast.Call,))


SIZES_OF_DATA = [
    ("k = x[x > 0]", "np.squeeze(k)", "k.shape[0] == 1"),
    ("", "np.squeeze(x[x > 0])", "x[x > 0].shape[0] == 1"),
    ("k = np.nonzero(x)[0]", "np.squeeze(k)", "k.shape[0] == 1"),
    ("i, j = np.nonzero(x > 1)[0], np.nonzero(x)[0]", "np.squeeze(j)", "np.nonzero(x)[0].shape[0] == 1"),
    ("k, places = np.unique(x, return_inverse=True)", "np.squeeze(k)", "k.shape[0] == 1"),
    ("y = x.reshape(2, 2); z = y[:, y[0] > 0]", "np.squeeze(z)", "z.shape[1] == 1"),
    ("u = np.unique(x); v = x[x > 1]", "np.squeeze(np.concatenate([u, v]))", "u.shape[0] + v.shape[0] == 1"),
    ("n = int(x.sum())", "np.squeeze(np.arange(n))", "n == 1"),
    ("", "np.squeeze(x[:int(x[0])])", "x[:int(x[0])].shape[0] == 1"),
]


@pytest.mark.parametrize(("first", "result", "condition"), SIZES_OF_DATA, ids=[row[1] for row in SIZES_OF_DATA])
def test_what_to_state_is_said_in_the_programs_words(first, result, condition, tmp_path):
    """... and once it is stated, the program is exported."""
    (tmp_path / "refused.py").write_text(f"import numpy as np\ndef program(x):\n    {first}\n    return {result}\n")
    x = np.array([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(Unsupported) as caught:
        export(runpy.run_path(str(tmp_path / "refused.py"))["program"], (x,))
    stated = re.search(r"before this line, (npexport\.check\(.*\)) or ", caught.value.hint)[1]
    assert condition in stated and not re.search(r"\bu\d", caught.value.message)
    source = f"import numpy as np, npexport\ndef program(x):\n    {first}\n    {stated}\n    return {result}\n"
    (tmp_path / "stated.py").write_text(source)
    program = runpy.run_path(str(tmp_path / "stated.py"))["program"]
    export(program, (x,))


HISTORY: list[float] = []


def records(x):
    if x[0] > 0:
        HISTORY.append(float(x[0]))
    return x * 2


def within_a_generator(x):
    doubled = (v * 2 for v in (x[0], x[1], x[2]))
    first = next(doubled)
    if x.sum() < 0:
        first = first + next(doubled)
    return first + next(doubled)


def tells_its_size(x):
    print(f"{len(x)} rows")
    return x + 1


def grows_a_text(x):
    text = ""
    for v in x.tolist():
        text += f"{v} " if v > 0 else "-"
    return text


def digits(x):
    """Each iteration makes the text longer by one of many."""
    number, text = int(x.sum()), ""
    while number > 0:
        text += "0123456789ABCDEF"[number % 16]
        number //= 16
    return text[::-1]


OF_WHAT_CHANGES = [
    (
        digits,
        "`text` is a text that depends on data before an iteration, and a longer one after it",
        "Collect the parts of a text in a list",
    ),
    (records, "HISTORY`, which existed before the call", "return result, found"),
    (within_a_generator, "changes a generator that exists before", "a class with __enter__ and __exit__"),
    (grows_a_text, "the loop cannot be one node", "Collect the parts of a text in a list"),
    (tells_its_size, "its text is used", "Return the size as one more output, and print it"),
]


@pytest.mark.parametrize(("program", "message", "hint"), OF_WHAT_CHANGES)
def test_hints_fit_what_sides_and_iterations_change(program, message, hint):
    with pytest.raises(ExportError) as caught:
        export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert message in caught.value.message and hint in caught.value.hint
    assert caught.value.code == "E103" or caught.value.hint.endswith("Or apply the suggested fixes.")


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
def test_an_element_is_called_an_integer_and_a_count_a_size(dtype):
    with pytest.raises(ExportError, match="^E104.* an integer that depends on data at line"):
        export(lambda x: open(str(int(x[0]))), (np.ones(3, dtype),))
    with pytest.raises(ExportError, match="^E104.* a size that depends on data at line"):
        export(lambda x: open(str(len(x[x > 0]))), (np.ones(3, dtype),))


class _Remembers:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append({"state": x.copy(), "reward": x.sum(), "done": False})
        return self.rows[0]["reward"]


def test_what_stands_in_the_way_of_later_calls_is_told():
    with pytest.raises(ExportError, match=r"^E112.*`self.rows\[0\]`.*; later calls, which find that, are refused: E103 .*\(line \d+\)"):
        export(_Remembers(), (np.ones(3),))
