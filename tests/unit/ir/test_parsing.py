"""Printing and parsing of graphs are inverse: a printed graph rebuilds the same graph, which computes the same."""

import datetime
import enum
import itertools
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir.parsing import parse_graph
from npexport.ir.passes.cse import call_key
from npexport.ir.printing import graph_code
from npexport.symshapes.errors import UserError
from tests.support.program_builder import Builder
from tests.support.random_graphs import random_program
from tests.support.rich_program import rich

X = np.arange(6.0).reshape(2, 3)


def same_graphs(first, second):
    """Names, kinds, operators, arguments and values are equal, with the types that ``==`` does not tell apart."""
    assert len(first) == len(second)
    names = dict(zip(first.nodes, second.nodes, strict=True))
    for mine, other in names.items():
        assert (mine.name, mine.op, mine.target) == (other.name, other.op, other.target)
        assert shown(mine.meta.get("val")) == shown(other.meta.get("val"))
        assert shown(call_key(PLAIN, (mine.args, mine.kwargs), {})) == shown(call_key(PLAIN, (other.args, other.kwargs), {}))


def shown(value):
    """The text of a value, with the members of sets in the order of their texts."""
    if type(value) is tuple:
        return f"({', '.join(map(shown, value))})"
    if type(value) is frozenset:
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    return repr(value)


class PLAIN:
    """An operator that binds anything."""

    @staticmethod
    def bind(args, kwargs):
        return args, kwargs


def round_trip(graph):
    from npexport.ir.printing import graph_code

    envs = graph.environments()
    text = graph_code(graph)
    again = parse_graph(text, envs[0] if envs else None)
    same_graphs(graph, again)
    bare = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert graph_code(again).splitlines() == bare
    return again


def test_a_graph_with_everything():
    round_trip(rich().graph)


def test_random_graphs():
    import random

    for seed in range(200):
        program, _ = random_program(random.Random(seed))
        round_trip(program.graph)


VALUES = [
    None,
    True,
    3,
    -3,
    0.5,
    -0.0,
    float("inf"),
    float("-inf"),
    float("nan"),
    1 + 2j,
    complex(-0.0, float("inf")),
    "same",
    'it\'s "quoted" \\ \n',
]
VALUES += [b"\x00'", 10**30, "f32[3]", "(a, b)", "b8[2]", "Sym(s0)", ""]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_python_values(value):
    builder = Builder()
    builder.input("value", value)
    x = builder.input("nan", X)
    builder.finish((builder.call("np.add", x, 1.0), value))
    again = round_trip(builder.graph)
    assert repr(again.run(value, X)[1]) == repr(value)


@pytest.mark.parametrize("members", [[], [1], ["k", 1, (2.0,), None, "a"]])
def test_sets(members):
    """Their text does not depend on the order in which they hold their members."""
    texts = set()
    for order in (members, members[::-1]):
        builder = Builder()
        builder.input("x", X)
        builder.finish((frozenset(order),))
        assert round_trip(builder.graph).run(X)[0] == frozenset(members)
        texts.add(str(builder.graph))
    assert len(texts) == 1


STATIC = [range(1, 9, 2), Fraction(1, 3), Decimal("1.50"), UUID(int=3), datetime.date(2020, 2, 3), datetime.timedelta(-1, 5, 7)]
STATIC += [datetime.time(1, 2, tzinfo=datetime.UTC), datetime.datetime(2020, 2, 3, 4, 5, 6, 7, fold=1), np.float32, np.bool_, float, str]


@pytest.mark.parametrize("value", STATIC, ids=repr)
def test_values_that_are_returned_unchanged(value):
    again = round_trip(export(lambda x: (x, [value]), (X,)).graph).nodes[-1].args[0][1]
    assert type(again) is type(value) and again == value


@pytest.mark.parametrize("text", ["range(1, 2, 0)", "range('a', 2, 1)", "type('os.system')", "date(1)", "print(1)", "decimal(1)"])
def test_no_other_values_are_made(text):
    with pytest.raises(UserError) as caught:
        parse_graph(f'def forward(self, x: "f32[3]"):\n    return (x, {text})\n')
    assert caught.value.code == "E201"


ARGUMENTS = [
    ("np.getitem", (slice(None, None, -1), ..., None, -1)),
    ("np.add", float("inf")),
    ("np.add", -0.0),
    ("np.multiply", 2 - 1j),
    ("np.add", np.float32(1.5)),
    ("np.add", np.float16("nan")),
    ("np.add", np.int8(-3)),
    ("np.add", np.True_),
    ("np.multiply", np.complex64(1 - 2j)),
    ("np.reshape", [3, 2]),
    ("np.astype", np.dtype("float32")),
]


@pytest.mark.parametrize("name, arg", ARGUMENTS, ids=str)
def test_arguments(name, arg):
    builder = Builder()
    x = builder.input("x", X)
    builder.finish((builder.call(name, x, arg),))
    np.testing.assert_array_equal(round_trip(builder.graph).run(X)[0], builder.graph.run(X)[0])


LONG = [np.longdouble(1) / 3, np.longdouble("-1e-30") / 3, np.longdouble("nan"), *np.array([-0.0, 0.0, -np.inf], np.longdouble)]


def test_complex_numbers_of_long_doubles():
    for real, imag in itertools.product(LONG, LONG):
        value, builder = np.array([real, imag]).view(np.clongdouble)[0], Builder()
        builder.finish((builder.call("np.add", builder.input("x", X), value),))
        found = parse_graph(graph_code(builder.graph)).find_nodes(op="call_function")[0].args[1]
        assert type(found) is np.clongdouble
        assert [repr(found.real), repr(found.imag)] == [repr(real), repr(imag)]


@pytest.mark.parametrize(
    "value", [np.float32(2), np.zeros((), "f4"), np.zeros(2, "<U3"), np.zeros(2, "M8[us]"), np.zeros(2, ">f4"), np.zeros(2, "?")]
)
def test_inputs(value):
    builder = Builder()
    builder.finish((builder.input("x", value),))
    round_trip(builder.graph)


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype("V8"),
        np.dtype([("a", "f4"), ("b c", ">i2", (2, 3))]),
        np.dtype([("x", [("y", "U3")])]),
        np.dtype("i1,f8", align=True),
        np.dtype({"names": ["p", "q"], "formats": ["i1", "f4"], "offsets": [3, 8], "itemsize": 16}),
    ],
    ids=str,
)
def test_records(dtype):
    builder = Builder()
    x = builder.input("x", np.zeros(3, dtype))
    builder.finish((builder.call("np.getitem", x, slice(1, None)), builder.call("np.zeros", 2, dtype)))
    again = round_trip(builder.graph)
    for node in again.nodes[:-1]:
        assert node.meta["val"].dtype == dtype and node.meta["val"].dtype.isalignedstruct == dtype.isalignedstruct


NO_GRAPHS = {
    "nothing": "",
    "no Python": "def forward(",
    "two": "def f(self): return ()\ndef g(self): return ()",
    "no annotation": "def forward(self, x):\n    return (x,)",
    "unknown operator": 'def forward(self, x: "f32[2]"):\n    y: "f32[2]" = ops.np.nosuch(x)\n    return (y,)',
    "undefined": 'def forward(self, x: "f32[2]"):\n    y: "f32[2]" = ops.np.sin(z)\n    return (y,)',
    "a call": 'def forward(self, x: "f32[2]"):\n    y: "f32[2]" = ops.np.sin(__import__(\'os\'))\n    return (y,)',
    "a function of NumPy": 'def forward(self, x: "f32[2]"):\n    y: "f32[2]" = ops.np.sin(np.zeros(3))\n    return (y,)',
    "dtype": 'def forward(self, x: "f99[2]"):\n    return (x,)',
    "size": 'def forward(self, x: "f32[2 +]"):\n    return (x,)',
    "no return": 'def forward(self, x: "f32[2]"):\n    pass',
    "fields": "def forward(self, x: \"[('a', 'f99')][2]\"):\n    return (x,)",
}


@pytest.mark.parametrize("text", NO_GRAPHS.values(), ids=NO_GRAPHS)
def test_what_is_no_graph(text):
    with pytest.raises(UserError, match="the text is not a graph"):
        parse_graph(text)


class Own(ValueError):
    pass


def raising(x):
    if x.sum() < 0:
        raise Own("negative")
    return x


def sieve(x):
    marks, i = np.ones(20 + int(x[0]), bool), 2
    while i * i < 20 + x[0]:
        if marks[i]:
            marks[i * i :: i] = False
        i += 1
    return marks


BY_THE_TEXT_ALONE = {
    "a step that is positive, as the loop tells": (sieve, None),
    "a truth": (lambda x: not (x.sum() > 0), None),
    "a number": (lambda x: int(x.sum()) > 2, None),
    "sizes": (lambda x: x[: len(x) - 1] * len(x), ({0: Dim.AUTO},)),
    "a branch": (lambda x: x * 2 if x.sum() > 0 else x[1:], None),
}


@pytest.mark.parametrize("name", BY_THE_TEXT_ALONE)
def test_texts_are_read_without_what_is_known_of_their_symbols(name):
    function, shapes = BY_THE_TEXT_ALONE[name]
    text = export(function, (np.ones(3),), dynamic_shapes=shapes).graph_module.code
    lines = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert "\n".join(lines).replace("\n\n", "\n").split() == graph_code(parse_graph(text)).replace("\n\n", "\n").split()


class Level(enum.IntEnum):
    NONE = 0


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Kind(enum.StrEnum):
    FIRST = "first"


@pytest.mark.parametrize("member", [Level.NONE, Access.READ, Access.READ | Access.WRITE, Access(0), Kind.FIRST])
def test_members_of_enumerations_are_shown_by_their_names(member):
    text = export(lambda x: (x * 2, member, [member]), (np.ones(3),)).graph_module.code
    assert parse_graph(text).output_node.args[0][1] is member
    with pytest.raises(UserError, match="is not among the modules that are imported"):
        parse_graph(text.replace(__name__, "nowhere"))


def test_exceptions_of_the_program_are_shown_by_their_names():
    text = export(raising, (np.ones(3),)).graph_module.code
    assert f"ops.control.check(not_, exception('{__name__}:Own'), ('negative',))" in text
    assert graph_code(parse_graph(text)).split() == [
        word for line in text.splitlines() if not line.strip().startswith("#") for word in line.split()
    ]
    with pytest.raises(UserError, match="the text is not a graph"):
        parse_graph(text.replace(":Own", ":Nobody"))
