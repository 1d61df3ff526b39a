"""Programs over blocks: nobody can tell, whatever the layouts, special values and error states; and what is not to be run so is not."""

import os
import pickle
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

from npexport import Dim, UserError, export
from npexport.runtime import threads
from npexport.runtime.blocks import fusion
from npexport.runtime.blocks.fusion_blocks import Blocks
from tests.fuzz import arrays as array_fuzz
from tests.support.blocks import SMALL, TINY, compare, forced
from tests.support.elementwise import LAYOUTS, array, random_arguments, random_function
from tests.support.paths import ROOT


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, g, b):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * g + b


def chain(x, y):
    a = x * 2.0 + y
    b = np.maximum(a, 0) - x
    c = b * b + a
    return np.where(c > 1, c, -c) + np.clip(c, -1, 1)


def stencil(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def written(a, b):
    b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])


def in_place(x, y):
    x *= 2.5
    x += y
    np.sin(x, out=x)
    return x[1:] - y[1:]


def distances(x, y):
    d = x[:, None] - y
    return np.sqrt((d * d).sum(axis=-1)), d.min(axis=1)


def norms(x):
    y = x.astype(np.float64)
    return np.linalg.norm(y, axis=-1), (y > 0).sum(axis=1), y.std(1), np.float32(2) * x, y.argmax(-1)


def shown(x):
    y = x * 2 + 1
    return y[:, 1:] - y[:, :-1], y[..., None].sum(axis=-1)


PROGRAMS = {
    "softmax": (softmax, (array(70, 64, dtype=np.float32),)),
    "softmax of four axes": (softmax, (array(1, 3, 50, 16),)),
    "layer_norm": (layer_norm, (array(200, 33), array(33), array(33))),
    "chain": (chain, (array(1000, dtype=np.float32), array(1000, dtype=np.float32))),
    "chain, mixed": (chain, (array(1000, dtype=np.float32), array(1000))),
    "chain, stretched": (chain, (array(90, 5, 7), array(7))),
    "stencil": (stencil, (array(90, 40),)),
    "written": (written, (array(80, 30), array(80, 30, seed=1))),
    "in_place": (in_place, (array(700), array(700))),
    "distances": (distances, (array(100), array(30))),
    "norms": (norms, (array(100, 20, dtype=np.float32),)),
    "shown": (shown, (array(100, 9),)),
}


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_eager_ones_to_the_bit(name, count):
    function, args = PROGRAMS[name]
    assert any(compare(function, args, count))


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_warnings_and_errors_are_those_of_eager_execution(name, count):
    function, args = PROGRAMS[name]
    args = tuple(arg.copy() for arg in args)
    for arg in args:
        arg.reshape(-1)[-7:] = (
            [np.inf, -np.inf, np.nan, 1e300, 0, -0.0, 1e-310] if arg.itemsize == 8 else [np.inf, -np.inf, np.nan, 1e38, 0, -0.0, 1e-45]
        )
    compare(function, args, count, ({}, {"all": "ignore"}, {"all": "warn"}, {"all": "raise"}, {"invalid": "raise", "over": "ignore"}))


def test_error_calls_are_those_of_eager_execution():
    said = []
    function = lambda x: np.sqrt(x) / (x - x)  # noqa: E731
    x = array(500)
    with forced():
        run = export(function, (x,)).module(threads=2)
        for call in (function, run):
            with np.errstate(all="call", call=lambda *error: said.append(error)):
                call(x)
    assert said[: len(said) // 2] == said[len(said) // 2 :]
    assert said


def test_warnings_that_are_errors_are_raised():
    x = array(500)
    with forced():
        run = export(lambda x: np.sqrt(x) * 2, (x,)).module()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning, match="invalid value encountered in sqrt"):
                run(x)


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
def test_layouts_are_those_of_eager_execution(first, second):
    x, y = array(100, 24), array(100, 24, seed=1)
    with forced():
        run = export(chain, (x, y)).module()
        args = LAYOUTS[first](x), LAYOUTS[second](y)
        got, expected = run(*args), chain(*args)
        assert got.tobytes() == expected.tobytes()
        assert got.strides == expected.strides


ROWS = [1, 2, 7, 8, 63, 64, 65, 130, 500]
COLUMNS = [1, 2, 8, 15, 64]


@pytest.mark.parametrize("number", range(60))
def test_random_programs_are_eager_ones_to_the_bit(number):
    rng = random.Random(7919 * number)
    function = random_function(rng)
    rows, columns = rng.choice(ROWS), rng.choice(COLUMNS)
    args = random_arguments(rng, rows, columns, number)
    compare(function, args, rng.choice([1, 2, 4]), ({"all": "ignore"}, {}, {"all": "raise"}))


@pytest.mark.parametrize("number", range(40))
@pytest.mark.parametrize("count", [1, 2])
def test_programs_of_the_fuzz_in_tiny_blocks(number, count, monkeypatch):
    compiled = array_fuzz.export
    try:
        with forced(TINY), monkeypatch.context() as patch:
            patch.setattr(array_fuzz, "export", lambda *args, **kwargs: _Threaded(compiled(*args, **kwargs), count))
            array_fuzz.run(number, strict=True)
    except AssertionError:
        array_fuzz.run(number, strict=True)  # what fails without blocks, too, is found by the fuzz itself
        raise


class _Threaded:
    """A program whose modules have several threads."""

    def __init__(self, program, count):
        self._program, self._count = program, count

    def __getattr__(self, name):
        return getattr(self._program, name)

    def module(self, *args):
        return self._program.module(*args, threads=self._count)


# What is run in blocks


def groups(function, *args, count=1, policy=SMALL):
    with forced(policy):
        return export(function, args).module(threads=count).code.count("is None:")


def test_small_arrays_cost_no_test():
    assert groups(chain, array(10), array(10), policy=fusion.POLICY) == 0
    assert groups(chain, array(2_000_000), array(2_000_000), policy=fusion.POLICY) == 1


def test_sizes_that_only_the_call_knows_are_tested_there():
    x = array(10)
    n = Dim("n", min=2)
    run = export(chain, (x, x), dynamic_shapes=({0: n}, {0: n})).module()
    assert ".size, " in run.code
    for size in (2, 3, 1000, 1_500_000):
        y = array(size)
        assert run(y, y).tobytes() == chain(y, y).tobytes()


def test_what_no_rows_follow_from_is_left_alone():
    x = array(50, 50)
    assert groups(lambda x: x.sum(axis=0), x) == 0
    assert groups(lambda x: x @ x, x) == 0
    assert groups(lambda x: np.cumsum(x, axis=0), x) == 0
    assert groups(lambda x: x.reshape(-1, 25)[::-1], x) == 0


def test_one_group_holds_a_layer_norm():
    x = array(64, 32)
    assert groups(layer_norm, x, x[0], x[1]) == 1
    assert groups(softmax, x) == 1
    assert groups(stencil, x) == 1


def test_a_run_that_warns_is_not_tried_each_time():
    x = array(1000)
    run = export(lambda x: np.sqrt(x) * 2 + 1, (x,))
    with forced():
        module = run.module()
    names = [value for value in module._function.__globals__.values() if isinstance(value, Blocks)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(20):
            module(x)
    assert len(said) == 20
    assert names[0]._all.failures < 6


def test_operands_of_outputs_that_overlap():
    def shifted(x):
        x[1:] = x[:-1] * 2 + np.sin(x[:-1]) - x[1:]
        return x[2:] * 2

    compare(shifted, (array(900),))


def test_state_is_written():
    class Mean:
        def __init__(self):
            self.mean = np.zeros((60, 8))

        def __call__(self, x):
            self.mean *= 0.9
            self.mean += 0.1 * np.sin(x) * x
            return self.mean * 2

    with forced():
        eager, x = Mean(), array(60, 8)
        run = export(Mean(), (x,)).module(threads=2)
        for _ in range(3):
            assert run(x).tobytes() == eager(x).tobytes()
        assert dict(run.named_buffers())["mean"].tobytes() == eager.mean.tobytes()


# Threads


@pytest.mark.parametrize("count", [0, -1, 2.0, "2", True])
def test_what_is_no_number_of_threads(count):
    with pytest.raises(UserError, match="is not a number of threads"):
        export(chain, (array(3), array(3))).module(threads=count)


def test_all_cores():
    x = array(2000)
    with forced():
        run = export(chain, (x, x)).module(threads=None)
        assert run(x, x).tobytes() == chain(x, x).tobytes()
        assert pickle.loads(pickle.dumps(run))(x, x).tobytes() == chain(x, x).tobytes()
    assert threads.cores(None) >= 1


def test_work_is_done_where_the_pool_is_busy_and_ends_where_it_raises():
    done, stopped = [], []

    def inner():
        done.append(1)

    threads.together(lambda: threads.together(inner, 3, lambda: None), 3, lambda: None)
    assert done

    def failing():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        threads.together(failing, 1, lambda: stopped.append(1))
    assert stopped


FORKED = """
import os
import numpy as np
from npexport import export
from tests.support.blocks import forced

x = np.random.default_rng(0).standard_normal(5000)
with forced():
    run = export(lambda x: np.sin(x) * x + 1, (x,)).module(threads=2)
    before = run(x).tobytes()
    child = os.fork()
    if not child:
        os._exit(0 if run(x).tobytes() == before else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_has_threads_of_its_own():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120, env=environment)


def test_fast_math_rounds_sums_otherwise():
    x = array(300, 64)
    function = lambda x: (x - x.mean(axis=-1, keepdims=True)).sum(axis=-1) + 1  # noqa: E731
    with forced():
        run = export(function, (x,)).module(fast_math=True)
        np.testing.assert_allclose(run(x), function(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [3, 1 << 21])
def test_a_group_writes_to_no_part_of_what_it_makes(count):
    def program(x):
        np.logical_and(x, x, out=x)
        x[...] += True
        return x

    run = export(program, (np.arange(4, dtype="u2"),), dynamic_shapes=({0: Dim.AUTO},)).module()
    given, expected = np.arange(count).astype("u2"), np.arange(count).astype("u2")
    assert run(given).tobytes() == program(expected).tobytes() == given.tobytes()


def test_a_quotient_by_a_number_of_the_row_is_no_group():
    """Nothing large stays in a block."""
    x = array(2000, 1000)
    assert groups(lambda x: x / (x.sum(axis=-1, keepdims=True) + 9), x, policy=fusion.POLICY) == 0
    assert groups(layer_norm, x, x[0], x[1], policy=fusion.POLICY) == 1
