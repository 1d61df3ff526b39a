"""Large arrays lie in memory that is kept between calls: never in memory that anything still needs, and never more than was said."""

import threading

import numpy as np
import pytest

import npexport
from npexport import Dim, export
from npexport.runtime.compilation.compile import compile_program
from npexport.runtime.emission import kept_memory

pytestmark = pytest.mark.skipif(kept_memory.memory is None, reason="the C extension was not built")
SIZE = kept_memory.PAYS // 8
LARGE = np.arange(SIZE, dtype=float)


def address(array):
    return array.__array_interface__["data"][0]


def handler(array=None):
    return np._core.multiarray.get_handler_name(*(() if array is None else (array,)))


def twice(x):
    return x * 2


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(kept_memory, "ALONE", kept_memory.PAYS)
    kept_memory.memory.keep(kept_memory.MOST)
    yield
    kept_memory.memory.keep(kept_memory.MOST)


def test_memory_that_is_dropped_serves_the_next_call_and_no_other_does():
    run = export(twice, (LARGE,)).module()
    first, second = run(LARGE), run(LARGE)
    before = address(second)
    assert not np.may_share_memory(first, second)
    del second
    assert kept_memory.memory.kept() >= LARGE.nbytes
    third = run(LARGE + 1)
    assert address(third) == before
    np.testing.assert_array_equal(first, LARGE * 2)
    np.testing.assert_array_equal(third, (LARGE + 1) * 2)


def test_no_more_is_kept_than_was_said():
    run = export(twice, (LARGE,)).module()
    kept_memory.memory.keep(3 * LARGE.nbytes + (1 << 16))
    results = [run(LARGE) for _ in range(6)]
    for result in results:
        np.testing.assert_array_equal(result, LARGE * 2)
    del results, result
    assert 3 * LARGE.nbytes <= kept_memory.memory.kept() <= 3 * LARGE.nbytes + (1 << 16)
    kept_memory.memory.keep(0)
    assert kept_memory.memory.kept() == 0
    np.testing.assert_array_equal(run(LARGE), LARGE * 2)
    assert kept_memory.memory.kept() == 0


def test_many_blocks_of_many_sizes_are_kept_for_a_while():
    run = export(twice, (LARGE,), dynamic_shapes=({0: Dim("n")},)).module()
    for size in [SIZE - 600 * step for step in range(100)] * 2:
        np.testing.assert_array_equal(run(LARGE[:size]), LARGE[:size] * 2)
    assert kept_memory.memory.kept() <= kept_memory.MOST


def test_zeros_are_zeros_in_memory_that_was_used():
    def filled(x):
        total = np.zeros(x.shape)
        total[::2] += x[::2]
        return total, x * 3

    run = export(filled, (LARGE,)).module()
    for _ in range(4):
        zeros, other = run(LARGE)
        expected = filled(LARGE)
        np.testing.assert_array_equal(zeros, expected[0])
        np.testing.assert_array_equal(other, expected[1])


def test_results_can_be_resized_and_freed_in_any_order():
    run = export(twice, (LARGE,)).module()
    rng = np.random.default_rng(0)
    alive = []
    for _ in range(200):
        array = run(LARGE)
        size = int(rng.integers(1, 3 * SIZE))
        array.resize(size, refcheck=False)
        expected = np.zeros(size)
        expected[: min(size, SIZE)] = (LARGE * 2)[:size]
        np.testing.assert_array_equal(array, expected)
        alive.append((array, expected))
        if len(alive) > 6:
            kept, wanted = alive.pop(int(rng.integers(len(alive))))
            np.testing.assert_array_equal(kept, wanted)


seen = []


@npexport.custom_op("kept_memory::looking", mutates_args=())
def looking(x: np.ndarray) -> np.ndarray:
    seen.append(handler())
    if x[0] < 0:
        raise ValueError("negative")
    return x + 1


@looking.register_fake
def _(x):
    return np.empty_like(x)


def test_the_callers_arrays_lie_where_they_did_before_and_after_an_exception():
    def f(x):
        return looking(x * 2)

    run = export(f, (LARGE,)).module()
    default = handler()
    seen.clear()
    run(LARGE)
    with pytest.raises(ValueError, match="negative"):
        run(LARGE - 1)
    assert seen == ["npexport", "npexport"] and handler() == default == "default_allocator"
    assert handler(LARGE * 2) == default


def test_a_call_within_a_call_leaves_it_where_it_was():
    inner = export(twice, (LARGE,)).module()

    @npexport.custom_op("kept_memory::inner", mutates_args=())
    def nested(x: np.ndarray) -> np.ndarray:
        result = inner(x)
        seen.append(handler())
        return result

    nested.register_fake(lambda x: np.empty_like(x))
    seen.clear()
    np.testing.assert_array_equal(export(lambda x: nested(x) + 1, (LARGE,)).module()(LARGE), LARGE * 2 + 1)
    assert seen == ["npexport"] and handler() == "default_allocator"


@pytest.mark.parametrize(
    "size, dynamic, entered",
    [(10, False, "never"), (SIZE, False, "always"), (10, True, "asked"), (SIZE, True, "asked")],
)
def test_only_calls_on_large_arrays_ask_for_it(size, dynamic, entered):
    x = np.ones(size)
    program = export(twice, (x,), dynamic_shapes=({0: Dim("n")},) if dynamic else None)
    text = compile_program(program).text
    assert ("finally:" in text, ".nbytes >= " in text) == (entered != "never", entered == "asked")
    assert handler(program.module()(x)) == ("npexport" if size == SIZE else "default_allocator")


def test_threads_share_what_is_kept():
    def work(x, y):
        return np.sqrt(np.abs(x) + 1) * y - x

    rng = np.random.default_rng(3)
    run = export(work, (LARGE, LARGE)).module()
    wrong = []

    def call(seed):
        x, y = (np.random.default_rng([seed, k]).random(SIZE) for k in range(2))
        expected = work(x, y)
        wrong.extend(seed for _ in range(40) if not np.array_equal(run(x, y), expected))

    threads = [threading.Thread(target=call, args=(int(seed),)) for seed in rng.integers(0, 1000, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_in_memory_that_others_have_ask_for_none():
    def fill(x, y):
        x[...] = 0
        x[1:] += 1
        np.add(x, y, out=x)

    def new(x, y):
        x[...] = 0
        return x + y

    for function, asks in ((fill, False), (new, True)):
        text = export(function, (LARGE.copy(), LARGE)).module().code
        assert ("finally:" in text) is asks


def test_one_array_that_the_c_library_keeps_lies_where_the_callers_do(monkeypatch):
    monkeypatch.undo()

    def one(x):
        return np.sqrt(x * 2 + 1)

    def two(x):
        return x * 2, x + 1

    larger = np.zeros(kept_memory.ALONE // 8)
    for shapes in (None, ({0: Dim("n")},)):
        run = export(one, (LARGE,), dynamic_shapes=shapes).module()
        assert handler(run(LARGE)) == handler(LARGE)
        assert {handler(part) for part in export(two, (LARGE,), dynamic_shapes=shapes).module()(LARGE)} == {"npexport"}
    assert handler(run(larger)) == "npexport"
