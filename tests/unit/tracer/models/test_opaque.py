"""Functions that exist as operators: of SciPy, of numba, of C; calls of them are one node, in a fresh process too."""

from __future__ import annotations

import collections
import functools
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export, opaque
from tests.support.custom_ops import same
from tests.support.forms import reloaded


def wrapper(function):
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped


@wrapper
def opaque_one(x):
    return np.array([float(item) for item in x.tolist()])


@wrapper
def plain_one(x):
    return x + 1


class Callable:
    def __call__(self, x):
        return np.array(x.tolist())


CALLABLE = Callable()


def with_functions(x):
    return opaque_one(x) * 2 + plain_one(x) + CALLABLE(x)


def test_calls_of_a_function_by_its_own_name_are_nodes():
    first = opaque(opaque_one, lambda x: np.empty_like(x))
    second = opaque(CALLABLE, lambda x: np.empty_like(x), name="lab::listed")
    program = export(with_functions, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert [node.target for node in program.graph if getattr(node.target, "home", "")] == [first, second]
    for run in (program.module(), reloaded(program).module()):
        same(run(np.arange(4.0)), with_functions(np.arange(4.0)))
    same(first(np.arange(3.0)), np.arange(3.0))
    assert len(export(opaque_one, (np.ones(3),)).graph.nodes) == 3


def test_functions_that_give_their_argument_are_not_taken_for_others():
    @wrapper
    def same_array(x):
        return x

    opaque(same_array, lambda x: np.empty_like(x), name="lab::same")
    with pytest.raises(ValueError, match=r"`ops\.lab\.same` gives memory of its arguments"):
        export(lambda x: same_array(x) + 1, (np.ones(3),)).module()(np.ones(3))


def halved(x, k=0.5):
    return x * k


@functools.wraps(halved)
def halved_by_another_default(x, k=2.0):
    return halved(x, k)


@functools.wraps(halved)
def halved_in_another_order(k, x):
    return halved(x, k)


def signed(x, k=0.0):
    return np.copysign(x, k)


@pytest.mark.parametrize(
    ("function", "program"),
    [
        (halved_by_another_default, lambda f, x: (f(x), f(x, 0.5), f(x, k=2.0), f(k=0.5, x=x))),
        (halved_in_another_order, lambda f, x: (f(0.5, x), f(x=x, k=2.0))),
        (signed, lambda f, x: (f(x, -0.0), f(x, 0.0), f(x), f(x, k=0))),
    ],
)
def test_defaults_are_those_of_the_function_itself(function, program):
    opaque(function, lambda x, k=7: np.empty(np.shape(x)) if np.ndim(x) else np.empty(np.shape(k)), name="lab::defaults")
    x = np.arange(3.0)
    same(export(lambda x: program(function, x), (x,)).module()(x), program(function, x))


@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        (lambda x: halved(x, k=2.0), "E141", "unexpected keyword argument 'k'"),
        (lambda x: halved(x, 2.0), "E141", "too many positional arguments"),
        (lambda x: halved(x=list), "E101", "with a type, which"),
        (lambda x: halved({"x": x}), "E101", "with a dict, which"),
    ],
)
def test_calls_that_cannot_be_nodes_say_what_to_write(call, code, told):
    opaque(halved, lambda x: np.empty(x.shape), name="lab::halved")
    with pytest.raises(Unsupported, match=told) as caught:
        export(call, (np.ones(3),))
    assert caught.value.code == code
    assert "fake" in caught.value.hint or "make that function the operator" in caught.value.hint


Bounds = collections.namedtuple("Bounds", ["low", "high"])


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda x: halved(np.float32), "np.dtype(np.float32)"),
        (lambda x: halved(float), "np.dtype(float)"),
        (lambda x: halved(np.random.default_rng(0)), "pass the array"),
    ],
)
def test_what_a_graph_does_not_hold_has_a_form_that_it_holds(call, hint):
    opaque(halved, lambda x: np.empty(3), name="lab::halved")
    with pytest.raises(Unsupported) as caught:
        export(call, (np.ones(3),))
    assert caught.value.code == "E101" and hint in caught.value.hint


def filled(tree, leaf):
    if isinstance(tree, dict):
        return {key: filled(item, leaf) for key, item in tree.items()}
    if isinstance(tree, (tuple, list, collections.deque)):
        items = [filled(item, leaf) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return leaf() if tree else tree


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ({"a": 1, "b": 1}, {"b": 1, "a": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ([1], (1,)),
        ((1, 1), [1, 1]),
        ((1, [1]), (1, (1,))),
        (Bounds(1, 1), (1, 1)),
        ((1, 1), Bounds(1, 1)),
        ([1], [1, 1]),
        (1, {"a": 1}),
    ],
)
def test_results_in_other_containers_than_the_fake_gives_are_an_error(told, given):
    op = opaque(lambda x: filled(given, lambda: x * 2), lambda x: filled(told, lambda: np.empty_like(x)), name="lab::grouped")
    program = export(lambda x: (op(x), x + 1), (np.ones(3),))
    for run in (program.module(), reloaded(program).module()):
        with pytest.raises(InputMismatch, match=r"`ops\.lab\.grouped` gives") as caught:
            run(np.ones(3))
        assert caught.value.code == "E410"


def test_a_tuple_of_a_class_that_cannot_be_named_is_taken_for_a_plain_one():
    local = collections.namedtuple("Local", "low high")  # noqa: PYI024
    op = opaque(lambda x: local(x.min(), x.max()), lambda x: (np.float64(0), np.float64(0)), name="lab::bounds")
    assert type(export(lambda x: op(x), (np.arange(3.0),)).module()(np.arange(3.0))) is tuple


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_class_of_arrays_with_operators_of_its_own_is_refused_when_it_runs():
    for wrapped in (np.matrix, np.ma.masked_array, lambda x: x.view(np.recarray).copy()):
        op = opaque(lambda x, wrapped=wrapped: wrapped(x * 2), lambda x: np.empty(x.shape), name="lab::wrapped")
        with pytest.raises(InputMismatch, match="np.asarray") as caught:
            export(lambda x: op(x) * op(x), (np.ones((2, 2)),)).module()(np.ones((2, 2)))  # noqa: B023
        assert caught.value.code == "E410"


@pytest.mark.parametrize("told", [{3: 1}, {"a": collections.deque([1])}, (1, None), collections.namedtuple("Local", "a")(1)])  # noqa: PYI024
def test_results_that_no_node_gives_are_refused(told):
    op = opaque(lambda x: x, lambda x: filled(told, lambda: np.empty_like(x)), name="lab::strange")
    with pytest.raises(Unsupported) as caught:
        export(lambda x: op(x), (np.arange(3.0),))
    assert caught.value.code == "E141"


LIBRARY = """
import numpy as np
import scipy.linalg
import scipy.ndimage
from npexport import custom_op, new_size, opaque

solve = opaque(scipy.linalg.solve_banded, lambda l_and_u, ab, b: np.empty_like(b), name="made::solve")
labelled = opaque(scipy.ndimage.label, lambda x: (np.empty(x.shape, np.int32), new_size(max=x.size)), name="made::label")

@custom_op("made::regions")
def regions(x: np.ndarray, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    labels, count = scipy.ndimage.label(x)
    return labels, np.bincount(labels.ravel(), minlength=count + 1)

@regions.register_fake
def _(x, least):
    return np.empty(x.shape, np.int32), np.empty(new_size(min=1), np.intp)

def program(x, ab, b):
    labels, count = scipy.ndimage.label(x > 0)
    parts, sizes = regions(x > 0)
    return labels * 2, count + 1, sizes.max(), parts, scipy.linalg.solve_banded((1, 1), ab, b) + 1
"""

RUN = """
import numpy as np
import npexport
try:
    npexport.load("program.np2")
except npexport.LoadError as error:
    assert error.code == "E503" and "import library" in error.hint, str(error)
else:
    raise AssertionError
import library
run = npexport.load("program.np2").module()
for n, m in ((4, 5), (7, 3)):
    x = np.sin(np.arange(n * m)).reshape(n, m)
    ab, b = np.array([np.ones(m), np.full(m, 4.0), np.ones(m)]), np.arange(float(m))
    for left, right in zip(run(x, ab, b), library.program(x, ab, b), strict=True):
        np.testing.assert_array_equal(left, right, strict=True)
        assert type(left) is type(right)
"""


def fresh(tmp_path, source):
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_functions_of_scipy_saved_and_loaded_in_a_fresh_process(tmp_path):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    (tmp_path / "library.py").write_text(LIBRARY)
    make = """
    import numpy as np, npexport, library
    m, n = npexport.Dim("m", min=2), npexport.Dim("n")
    x, ab, b = np.eye(4, 5), np.array([np.ones(5), np.full(5, 4.0), np.ones(5)]), np.arange(5.0)
    ep = npexport.export(library.program, (x, ab, b), dynamic_shapes=({0: n, 1: m}, {1: m}, {0: m}))
    npexport.save(ep, "program.np2")
    """
    fresh(tmp_path, make)
    fresh(tmp_path, RUN)


NUMBA = """
import numba
import numpy as np
from npexport import custom_op, opaque

@numba.njit
def moving(x, size):
    out = np.empty(x.shape[0] - size + 1)
    for i in range(out.shape[0]):
        out[i] = x[i : i + size].mean()
    return out

opaque(moving, lambda x, size: np.empty(x.shape[0] - size + 1), name="fast::moving")

@custom_op("fast::twice")
def twice(x: np.ndarray) -> np.ndarray:
    return moving(x, 1) * 2

@twice.register_fake
def _(x):
    return np.empty_like(x)

def program(x, y):
    return moving(x, 3) + 1, twice(y)
"""


def test_functions_of_numba_saved_and_loaded_in_a_fresh_process(tmp_path):
    pytest.importorskip("numba", reason="numba is not installed")
    (tmp_path / "library.py").write_text(NUMBA)
    make = """
    import numpy as np, npexport, library
    ep = npexport.export(library.program, (np.arange(9.0), np.ones(3)), dynamic_shapes=({0: npexport.Dim("n", min=3)}, None))
    npexport.save(ep, "program.np2")
    """
    fresh(tmp_path, make)
    run = """
    import numpy as np, npexport, library
    run = npexport.load("program.np2").module()
    for left, right in zip(run(np.arange(20.0), np.ones(3)), library.program(np.arange(20.0), np.ones(3)), strict=True):
        np.testing.assert_array_equal(left, right, strict=True)
    """
    fresh(tmp_path, run)


def doubled(x):
    return x * 2


def test_a_fake_that_calls_its_function_is_refused():
    op = opaque(doubled, lambda x: doubled(x), name="opaque_tests::of_itself")
    with pytest.raises(Unsupported, match="E141 .*calls the operator whose results it is to describe"):
        export(lambda x: op(x) + doubled(x), (np.ones(3),))
