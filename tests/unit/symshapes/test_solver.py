"""From guards to contracts and fixes: the programs on which the incumbent was scored, the policy row by row, and how violations read."""

from __future__ import annotations

import itertools

import pytest

from npexport.symshapes.binding import bind
from npexport.symshapes.broadcasting import broadcast_sizes
from npexport.symshapes.dims import Dim
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Location, UserError
from npexport.symshapes.fixes import ConstraintViolation
from npexport.symshapes.functions import sym_max, sym_min
from npexport.symshapes.parsing import parse_bool
from npexport.symshapes.refine import apply_fixes
from npexport.symshapes.refine import refine_dynamic_shapes_from_suggested_fixes as refine
from npexport.symshapes.rewrite import by_factors, evaluate
from npexport.symshapes.solver import solve
from npexport.symshapes.spec import ShapesCollection, normalize
from tests.support.symshapes_programs import Array, accepts, trace

GRID = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 48, 511, 512, 513]


def needs(condition):
    """What NumPy requires of sizes."""
    if not condition:
        raise ValueError("the program raised")


def reshape(total, *sizes):
    """The size of ``-1``."""
    known = 1
    for size in sizes:
        known = known * size
    needs(total % known == 0)
    return total // known


def add(a, b):
    size = broadcast_sizes(a, b)
    needs(size is not None)
    return size


def cut(size, stop):
    """``len(x[:stop])``."""
    return sym_min(stop, size)


def half(x):
    cut(x[0], x[0] // 2)


def rounded_half(x):
    cut(x[0], round(x[0] / 2))


def concatenated(x, y):
    needs((x[0] + y[0]) * 4 == 32 * 4)


def rows_of_4(x):
    reshape(x[0], 4)


def rows_of_4_and_6(x):
    reshape(x[0], 4)
    reshape(x[0], 6)


def rows_and_steps(x, y):
    reshape(x[0], 4)
    add(-(-y[0] // 2), x[0])


def steps(x):
    size = -(-x[0] // 2)
    cut(-(-size // 2), size)


def square(x, y):
    needs(x[0] == y[0] * y[0])


def halves(x, y):
    add(reshape(x[0], 2), y[0])


def not_seven(x):
    needs(x[0] != 7)


def positions(x):
    add(cut(512, x[0]), x[0])
    needs(x[0] != 512)


def longer(x, y):
    needs(x[0] > y[0])


def odd(x):
    needs(x[0] % 2 == 1)


def padded(x):
    size = x[0] + (-x[0]) % 8
    needs(size % 8 == 0)
    needs(size >= x[0])


SCORECARD = [
    # program, example sizes, fixes (None: the first specification holds), which sizes eager handles on the example's path
    (half, (8,), None, lambda x: True),
    (rounded_half, (8,), None, lambda x: True),
    (concatenated, (20, 12), {"dx": "Dim('dx', max=32)", "dy": "32 - dx"}, lambda x, y: x + y == 32),
    (rows_of_4, (8,), {"_dx": "Dim('_dx')", "dx": "4*_dx"}, lambda x: x % 4 == 0),
    (rows_of_4_and_6, (24,), {"_dx": "Dim('_dx')", "dx": "12*_dx"}, lambda x: x % 12 == 0),
    (rows_and_steps, (8, 16), {"_dx": "Dim('_dx')", "dx": "4*_dx", "dy": "Dim.AUTO"}, lambda x, y: x % 4 == 0 and x == (y + 1) // 2),
    (steps, (8,), None, lambda x: True),
    (square, (9, 3), {"dx": "Dim.AUTO"}, lambda x, y: x == y * y),
    (halves, (8, 4), {"dx": "2*dy"}, lambda x, y: x == 2 * y),
    (not_seven, (8,), {"dx": "Dim.AUTO"}, lambda x: x != 7),
    (positions, (8,), {"dx": "Dim('dx', max=511)"}, lambda x: x < 512),
    (longer, (8, 4), {"dx": "Dim('dx', min=1)", "dy": "Dim.AUTO"}, lambda x, y: x > y),
    (odd, (7,), {"_dx": "Dim('_dx')", "dx": "2*_dx + 1"}, lambda x: x % 2 == 1),
    (padded, (5,), None, lambda x: True),
]


def assert_contract(program, spec, sizes, handled):
    names = "xyz"[: len(sizes)]
    bindings, solution = trace(program, spec, {name: Array(size) for name, size in zip(names, sizes, strict=True)})
    dynamic = {size.source for size in bindings.sizes}
    for values in itertools.product(GRID, repeat=len(sizes)):
        numbers = {f"{name}.shape[0]": value for name, value in zip(names, values, strict=True)}
        static = all(source in dynamic or numbers[source] == size for source, size in zip(numbers, sizes, strict=True))
        assert (static and accepts(bindings, solution, numbers)) == handled(*values), (numbers, str(solution))


@pytest.mark.parametrize(("program", "sizes", "fixes", "handled"), SCORECARD, ids=[row[0].__name__ for row in SCORECARD])
def test_scorecard(program, sizes, fixes, handled):
    names = "xy"[: len(sizes)]
    spec = {name: {0: Dim(f"d{name}")} for name in names}
    if fixes is not None:
        with pytest.raises(ConstraintViolation) as raised:
            trace(program, spec, {name: Array(size) for name, size in zip(names, sizes, strict=True)})
        error = raised.value
        assert error.suggested_fixes == fixes
        assert list(error.suggested_fixes) == list(fixes)
        for text in (error.msg, str(error)):
            assert text.endswith("Suggested fixes:\n" + "\n".join(f"  {name} = {value}" for name, value in fixes.items()))
            assert refine(text, spec) == error.apply(spec)
        one_by_one = spec
        for fix in error.fixes:
            one_by_one = fix.apply(one_by_one)
        assert one_by_one == error.apply(spec)
        spec = error.apply(spec)
    assert_contract(program, spec, sizes, handled)
    assert_contract(program, {name: {0: Dim.AUTO} for name in names}, sizes, handled)


def documented(x, y):
    """``x + y[1:]`` under ``3 <= x.shape[0] <= 6``: the derived dimension of the documentation."""
    add(x[0], y[0] - cut(1, y[0]))


FIXES = [
    # program, specification, sizes, fixes
    (documented, {"x": {0: Dim("dx", min=3, max=6)}, "y": {0: Dim("dy")}}, (4, 5), {"dy": "dx + 1"}),
    (lambda x: needs(x[0] >= 3 and x[0] <= 6), {"x": {0: Dim("dx")}}, (4,), {"dx": "Dim('dx', min=3, max=6)"}),
    (lambda x: needs(x[0] == 4), {"x": {0: Dim("dx")}}, (4,), {"dx": "4"}),
    (lambda x: f"{[0] * x[0]}", {"x": {0: Dim("dx")}}, (4,), {"dx": "4"}),
    (
        lambda x, y: needs(x[0] == y[0]),
        {"x": {0: Dim("dx", max=9)}, "y": {0: Dim("dy", min=2)}},
        (4, 4),
        {"dx": "Dim('dx', min=2, max=9)", "dy": "dx"},
    ),
    (
        lambda x, y: needs(2 * x[0] == 3 * y[0]),
        {"x": {0: Dim("dx")}, "y": {0: Dim("dy")}},
        (6, 4),
        {"_dx": "Dim('_dx')", "dx": "3*_dx", "dy": "2*_dx"},
    ),
    (lambda x, y: needs(x[0] == 2 * y[0] + 1), {"x": {0: Dim("dx")}, "y": {0: Dim("dy")}}, (9, 4), {"dx": "2*dy + 1"}),
    (lambda x: needs(x[0] // 5 != 1 and x[0] < 12), {"x": {0: Dim("dx")}}, (3,), {"dx": "Dim('dx', one_of=(0, 1, 2, 3, 4, 10, 11))"}),
    (lambda x: needs(x[0] % 8 == 0), {"x": {0: 2 * Dim("k")}}, (16,), {"_k": "Dim('_k')", "k": "4*_k"}),
    (lambda x: needs(x[0] <= 64), {"x": {0: Dim("dx", multiple_of=8)}}, (16,), {"_dx": "Dim('_dx', max=8)", "dx": "8*_dx"}),
    (lambda x: needs(x[0] % 4 == 0 and x[0] <= 32), {"x": {0: Dim("dx", max=33)}}, (8,), {"_dx": "Dim('_dx', max=8)", "dx": "4*_dx"}),
    (lambda x, y, z: needs(x[0] == y[0] and y[0] == z[0]), {n: {0: Dim(f"d{n}")} for n in "xyz"}, (4, 4, 4), {"dy": "dx", "dz": "dx"}),
    (lambda x, y, z: needs(z[0] == x[0] + y[0]), {n: {0: Dim(f"d{n}")} for n in "xyz"}, (4, 3, 7), {"dz": "Dim.AUTO"}),
    (lambda x: needs(x[0] == 8), {"x": {0: Dim.DYNAMIC}}, (8,), {"x.shape[0]": "8"}),
    (lambda x, y: needs(x[0] == y[0] + 3), {"x": {0: Dim("dx")}, "y": {0: Dim.AUTO}}, (8, 5), {"dx": "Dim('dx', min=3)"}),
    (lambda x: needs(x[0] != 7), {"x": {0: Dim("dx", min=2, max=64)}}, (8,), {"dx": "Dim.AUTO(min=2, max=64)"}),
    # the later promises imply more: a constant, a multiple as it will be written, an alternative that is out
    (
        lambda x, y: needs(y[0] <= 0 and x[0] - 2 < y[0]),
        {"x": {0: Dim("dx")}, "y": {0: Dim("dy")}},
        (0, 0),
        {"dx": "Dim('dx', max=1)", "dy": "0"},
    ),
    (
        lambda x, y: needs(x[0] % 6 == 0 and x[0] + x[0] // 3 >= y[0] + 5),
        {"x": {0: Dim("dx")}, "y": {0: Dim("dy")}},
        (12, 3),
        {"_dx": "Dim('_dx', min=1)", "dx": "6*_dx", "dy": "Dim.AUTO"},
    ),
    (
        lambda x, y: needs((y[0] % 4 > x[0] or x[0] - 8 > y[0]) and x[0] > 5),
        {"x": {0: Dim("dx")}, "y": {0: Dim("dy", max=130)}},
        (105, 12),
        {"dx": "Dim('dx', min=9)", "dy": "Dim.AUTO(max=130)"},
    ),
]


@pytest.mark.parametrize(("program", "spec", "sizes", "fixes"), FIXES)
def test_fixes(program, spec, sizes, fixes):
    inputs = {name: Array(size) for name, size in zip("xyz", sizes, strict=False)}
    with pytest.raises(ConstraintViolation) as raised:
        trace(program, spec, inputs)
    assert raised.value.suggested_fixes == fixes
    trace(program, refine(raised.value.msg, spec), inputs)


CONTRACTS = [
    # program, specification, sizes, ranges and guards as printed
    (
        documented,
        {"x": {0: Dim("dx", min=3, max=6)}, "y": {0: Dim("dx", min=3, max=6) + 1}},
        (4, 5),
        "{s0: VR[3, 6], s0 + 1: VR[4, 7]}",
        [],
    ),
    (lambda x: needs(x[0] >= 3), {"x": {0: Dim.AUTO}}, (4,), "{s0: VR[3, int_oo]}", ["x.shape[0] >= 3"]),
    (lambda x: needs(x[0] >= 3 and x[0] >= 2), {"x": {0: Dim.AUTO(max=9)}}, (4,), "{s0: VR[3, 9]}", ["x.shape[0] >= 3"]),
    (lambda x: needs(x[0] == 4), {"x": {0: Dim.AUTO}}, (4,), "{}", ["x.shape[0] == 4"]),
    (
        lambda x, y: needs(y[0] == x[0] + 1),
        {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}},
        (4, 5),
        "{s0: VR[0, int_oo], s0 + 1: VR[1, int_oo]}",
        ["y.shape[0] == x.shape[0] + 1"],
    ),
    (
        lambda x, y: needs(x[0] < y[0]),
        {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO(max=8)}},
        (4, 5),
        "{s0: VR[0, 7], s1: VR[1, 8]}",
        ["y.shape[0] > x.shape[0]"],
    ),
    (lambda x: needs(sym_max(x[0], 3) == x[0]), {"x": {0: Dim.AUTO}}, (4,), "{s0: VR[3, int_oo]}", ["x.shape[0] == max(x.shape[0], 3)"]),
    (
        lambda x: needs(x[0] % 4 == 0 and x[0] >= 3),
        {"x": {0: Dim.AUTO}},
        (8,),
        "{s0: VR[4, int_oo]}",
        ["x.shape[0] % 4 == 0", "x.shape[0] >= 3"],
    ),
    (lambda x: None, {"x": {0: Dim("dx", multiple_of=4, max=30)}}, (8,), "{s0: VR[0, 28]}", ["x.shape[0] % 4 == 0"]),
    (lambda x: None, {"x": {0: Dim("dx", one_of=(8, 16))}}, (8,), "{s0: VR[8, 16]}", ["x.shape[0] == 8 or x.shape[0] == 16"]),
    (lambda x: None, {"x": {0: 32 - Dim("d")}}, (8,), "{s0: VR[0, 32], 32 - s0: VR[0, 32]}", []),
    (lambda x: needs(x[0] >= 0 and x[0] + 1 > x[0] // 2), {"x": {0: Dim("dx")}}, (0,), "{s0: VR[0, int_oo]}", []),
    (lambda n: needs(n > 2), {"x": Dim.DYNAMIC}, (5,), "{s0: VR[3, int_oo]}", ["x >= 3"]),
    (lambda n: None, {"x": Dim.DYNAMIC}, (-5,), "{s0: VR[-int_oo, int_oo]}", []),
]


@pytest.mark.parametrize(("program", "spec", "sizes", "ranges", "guards"), CONTRACTS)
def test_contracts(program, spec, sizes, ranges, guards):
    number = not isinstance(spec["x"], dict)
    inputs = {name: size if number else Array(size) for name, size in zip("xy", sizes, strict=False)}
    _, solution = trace(program, spec, inputs)
    assert str(solution.range_constraints) == ranges
    assert [guard.text for guard in solution.guards] == guards


def test_deferred_guards_are_kept():
    spec = {"x": {0: Dim("dx")}}
    _, solution = trace(not_seven, spec, {"x": Array(8)}, defer=True)
    assert [guard.text for guard in solution.guards] == ["x.shape[0] != 7"]
    with pytest.raises(ConstraintViolation):
        trace(lambda x: needs(x[0] == 8), spec, {"x": Array(8)}, defer=True)


def test_how_a_violation_reads():
    line = Location("model.py", 12, 8, 12, 29, "forward", "        return x.reshape(-1, 4)")
    env = ShapeEnv(where=lambda: (line,))
    bindings = bind(env, normalize({"x": {0: Dim("batch", max=99)}}, {"x": Array(8)}))
    reshape(bindings.shapes[0][0], 4)
    with pytest.raises(ConstraintViolation) as raised:
        solve(env, bindings)
    error = raised.value
    assert isinstance(error, UserError)
    assert (error.code, error.slug, error.location) == ("E301", "constraint-violation", line)
    assert error.hint
    text = str(error)
    for part in (
        "E301 constraint-violation: Constraints violated (batch)!",
        "x.shape[0] is promised to be any size of Dim('batch', max=99), but the program needs x.shape[0] % 4 == 0",
        'File "model.py", line 12, in forward',
        "return x.reshape(-1, 4)",
        "On the other side: x.shape[0] = 9",
        "Suggested fixes:\n  _batch = Dim('_batch', max=24)\n  batch = 4*_batch",
    ):
        assert part in text
    (violation,) = error.violations
    assert (violation.name, violation.needed, violation.guard.location) == ("batch", "x.shape[0] % 4 == 0", line)


def test_fixes_are_deterministic():
    texts = set()
    for _ in range(3):
        with pytest.raises(ConstraintViolation) as raised:
            trace(rows_and_steps, {"x": {0: Dim("dx")}, "y": {0: Dim("dy")}}, {"x": Array(8), "y": Array(16)})
        texts.add(raised.value.msg)
    assert len(texts) == 1


D = Dim("d")


def test_fixes_apply_to_every_form_of_specification():
    fixes = {"d": Dim("d", max=6)}
    new = Dim("d", max=6)
    x = Array(3)
    shapes = ShapesCollection()
    shapes[x] = (D, 2 * D)
    assert apply_fixes(shapes, fixes)[x] == (new, 2 * new)
    rows = [
        ({"x": {0: D}, "y": None}, {"x": {0: new}, "y": None}),
        (({0: D}, [D, None]), ({0: new}, [new, None])),
        ({"x": {"a": [(D, 3 * D + 1)]}}, {"x": {"a": [(new, 3 * new + 1)]}}),
    ]
    for spec, expected in rows:
        assert apply_fixes(spec, fixes) == expected
    assert apply_fixes({"x": {0: D, 1: 2 * D}}, {"d": 4}) == {"x": {0: 4, 1: 8}}
    assert apply_fixes({"x": {0: D, 1: 2 * D}}, {"d": Dim.AUTO}) == {"x": {0: Dim.AUTO, 1: Dim.AUTO}}
    assert apply_fixes({"x": {0: D, 1: 2 * D}}, {"d": 4 * Dim("_d")}) == {"x": {0: 4 * Dim("_d"), 1: 8 * Dim("_d")}}
    assert apply_fixes({"x": [{-1: Dim.DYNAMIC}]}, {"x[0].shape[2]": 5}) == {"x": [{-1: 5}]}
    assert apply_fixes((None, {0: Dim.DYNAMIC}), {"y.shape[0]": 5}, {"y.shape[0]": 1}) == (None, {0: 5})


def test_fixes_are_read_from_documented_text():
    text = """anything
Suggested fixes:
    dim = Dim('dim', min=3, max=6)  # this just refines the dim's range
    d1 = 4  # this specializes to a constant
    dy = dim + 1  # dy was specified as an independent dim
"""
    spec = {"x": {0: Dim("dim"), 1: Dim("d1")}, "y": {0: Dim("dy")}}
    dim = Dim("dim", min=3, max=6)
    assert refine(text, spec) == {"x": {0: dim, 1: 4}, "y": {0: dim + 1}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no fixes here",
        "Suggested fixes:\n",
        "Suggested fixes:\n  d = __import__('os')",
        "Suggested fixes:\n  d = Dim('d', max=open('x'))",
    ],
)
def test_text_without_fixes_is_refused(text):
    with pytest.raises(UserError) as caught:
        refine(text, {"x": {0: D}})
    assert ("error.msg" in caught.value.hint) == ("import" not in text and "open" not in text)


def test_fifty_dims_tied_together():
    """Concatenations, equalities and divisibility over fifty inputs: solved, and the contract is the relation that was traced."""
    inputs = {f"x{i}": Array(8 if i % 2 else 12) for i in range(50)}

    def program(*shapes):
        sizes = [shape[0] for shape in shapes]
        for i in range(0, 50, 2):
            reshape(sizes[i], 4)
            add(sizes[i], sizes[0])
        for i in range(1, 50, 2):
            add(sizes[i] + sizes[i - 1], sizes[1] + sizes[0])
        total = sum(sizes)
        needs(total >= sizes[7])

    bindings, solution = trace(program, {name: {0: Dim.AUTO} for name in inputs}, inputs)
    assert len(solution.range_constraints) == 2
    sizes = {f"{name}.shape[0]": 4 if i % 2 == 0 else 3 for i, name in enumerate(inputs)}
    assert accepts(bindings, solution, sizes)
    assert not accepts(bindings, solution, {**sizes, "x7.shape[0]": 4})
    with pytest.raises(ConstraintViolation) as raised:
        trace(program, {name: {0: Dim(name.replace("x", "d"))} for name in inputs}, inputs)
    fixes = raised.value.suggested_fixes
    assert fixes["d0"] == "4*_d0"
    assert fixes["d48"] == "4*_d0"
    assert fixes["d49"] == "d1"


OF_PRESENT = [
    # program, names, sizes, fixes that leave out sizes of 0
    (documented, "xy", (4, 5), {"dy": "dx + 1"}),
    (lambda x: add(x[0] // 2, sym_max(x[0] - x[0] // 2 - 1, 0)), "x", (5,), {"_dx": "Dim('_dx')", "dx": "2*_dx + 1"}),
    (lambda x: needs(x[0] != 7), "x", (8,), {}),
    (lambda x: needs(x[0] % 4 == 0), "x", (8,), {}),
    (
        lambda x, y: needs(6 * (x[0] // 2) * (y[0] // 3) == x[0] * y[0]),
        "xy",
        (8, 9),
        {"_dx": "Dim('_dx', min=1)", "dx": "2*_dx", "_dy": "Dim('_dy', min=1)", "dy": "3*_dy"},
    ),
]


@pytest.mark.parametrize(("program", "names", "sizes", "fixes"), OF_PRESENT)
def test_what_dims_say_without_empty_sizes(program, names, sizes, fixes):
    inputs = {name: Array(size) for name, size in zip(names, sizes, strict=True)}
    spec = {name: {0: Dim(f"d{name}")} for name in names}
    with pytest.raises(ConstraintViolation) as raised:
        trace(program, spec, inputs)
    error = raised.value
    assert (error.suggested_fixes if fixes else error.wider_fixes) == fixes
    assert ("leaves out only sizes of 0" in error.msg) == bool(fixes)
    trace(program, refine(error.msg, spec), inputs)
    if fixes:
        wider = "Suggested fixes:\n" + "\n".join(f"  {name} = {value}" for name, value in error.wider_fixes.items())
        assert "Dim.AUTO" in wider
        trace(program, refine(wider, spec), inputs)


FACTORS = [
    "4*(s0//2)*(s1//2) == s0*s1",
    "6*s2*(s0//2)*(s1//3) == s0*s1*s2",
    "2*s1*(s0//2) == s0*s1",
    "2*s1*(s0//2) != s0*s1",
    "2*s1*(s0//2) >= s0*s1",
    "4*s1*(s0//2) == s0*s1",
    "2*(s0//2)*(s1//2) == s0*s1",
    "4*(s0//2)**2 == s0**2",
    "2*(s0//2)*s1**2 == s0*s1**2",
    "4*(s0//2)*(s0//2) == s0*s1",
    "4*((s0 + 1)//2)*(s1//2) == s0*s1",
    "4*(s0//2)*(s1//2) == s0*s1 + s2",
]


@pytest.mark.parametrize("text", FACTORS)
def test_products_of_quotients_say_the_same_factor_by_factor(text):
    truth = parse_bool(text)
    said = by_factors(truth, lambda size: True)
    for numbers in itertools.product(range(8), repeat=3):
        values = dict(zip(("s0", "s1", "s2"), numbers, strict=True))
        assert evaluate(said, values) == evaluate(truth, values)
    assert (said is truth) == (FACTORS.index(text) > 3)
    assert by_factors(truth, lambda size: False) is truth
