"""Depth and limits of the VM, and that no program goes on after a refusal."""

import functools
import gc
import sys
import threading

import numpy as np
import pytest

from npexport import export
from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter import interpret
from npexport.tracer.interpreter.vm import VM
from tests.support.functions import function_of
from tests.support.threads import run_at_once
from tests.support.worlds import Refusing


def test_recursion_5000_deep():
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)

    assert interpret(depth, 5000) == 5000


def test_recursion_through_methods_operators_and_properties():
    class Node:
        def __init__(self, n):
            self.n = n

        def __add__(self, other):
            return Node(self.n - 1) + other if self.n else other

        @property
        def bottom(self):
            return Node(self.n - 1).bottom if self.n else "bottom"

        def __getitem__(self, key):
            return Node(self.n - 1)[key] if self.n else key

        def __call__(self):
            return Node(self.n - 1)() if self.n else "called"

    def program():
        return Node(5000) + 5, Node(5000).bottom, Node(5000)["key"], Node(5000)()

    assert interpret(program) == (5, "bottom", "key", "called")


def test_ten_thousand_nested_yield_from():
    def nest(n):
        if n:
            yield from nest(n - 1)
        else:
            got = yield "bottom"
            yield got

    def program():
        g = nest(10_000)
        return next(g), g.send("sent"), list(g)

    assert interpret(program) == ("bottom", "sent", [])


def test_throwing_through_deep_yield_from():
    def nest(n):
        if n:
            yield from nest(n - 1)
        else:
            try:
                yield
            except ValueError as error:
                yield str(error)

    def program():
        g = nest(5000)
        next(g)
        return g.throw(ValueError("deep"))

    assert interpret(program) == "deep"


def test_comprehension_of_100_000_elements():
    assert interpret(lambda: sum([i * 2 for i in range(100_000)])) == 9_999_900_000


def test_infinite_recursion_is_the_users_error():
    def f():
        return f()

    with pytest.raises(RecursionError):
        interpret(f)


@pytest.mark.parametrize("consume", [lambda f: (yield from f(f)), lambda f: (yield list(f(f)))])
def test_infinite_recursion_of_generators_is_the_users_error(consume):
    def program():
        try:
            list(consume(consume))
        except RecursionError as error:
            return str(error)

    vm = VM()
    vm.depth_limit = 3000  # what C asks of a chain of generators takes time by the square of its length
    assert vm.run(program) == "maximum recursion depth exceeded"


def test_recursion_limit_of_the_program():
    def program():
        def f(n):
            return f(n + 1)

        sys.setrecursionlimit(120)
        try:
            f(0)
        except RecursionError:
            return sys.getrecursionlimit()

    before = sys.getrecursionlimit()
    assert interpret(program) == 120
    assert sys.getrecursionlimit() == before


def test_recursion_through_c():
    @functools.cache
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)

    before = sys.getrecursionlimit()
    assert interpret(depth, 300) == 300
    assert sys.getrecursionlimit() == before
    assert interpret(lambda: sys.getrecursionlimit()) == before


def test_a_higher_recursion_limit_stays():
    before = sys.getrecursionlimit()
    try:
        interpret(lambda: sys.setrecursionlimit(before + 50))
        assert sys.getrecursionlimit() == before + 50
    finally:
        sys.setrecursionlimit(before)


def test_infinite_loop_is_stopped_with_its_line():
    def program():
        n = 0
        while True:
            n += 1

    with pytest.raises(Unsupported) as caught:
        VM(step_limit=1000).run(program)
    assert caught.value.code == "E124"
    assert caught.value.location.line - program.__code__.co_firstlineno in (2, 3), "the loop's line, or its last"
    assert caught.value.location.function.endswith("program")


@pytest.mark.parametrize(
    "loop", ["for _ in iter(int, 1): pass", "while 1: pass", "[0 for _ in iter(int, 1)]", "(lambda f: f(f))(lambda f: f(f))"]
)
def test_every_kind_of_infinite_loop_is_stopped(loop):
    program = function_of(f"def program():\n    {loop}")
    with pytest.raises(Unsupported):
        VM(step_limit=5000).run(program)


def test_step_limit_is_adjustable_and_not_in_the_way():
    def program(n):
        return sum(i for i in range(n))

    assert VM(step_limit=100_000).run(program, (1000,)) == sum(range(1000))
    with pytest.raises(Unsupported):
        VM(step_limit=100).run(program, (1000,))


def test_the_user_cannot_catch_a_refusal():
    def program():
        try:
            while True:
                pass
        except BaseException:
            return "caught"
        finally:
            log.append("finally")

    log = []
    with pytest.raises(Unsupported):
        VM(step_limit=100).run(program)
    assert log == []


def test_nothing_of_the_program_runs_after_a_refusal():
    def program():
        def gen():
            try:
                yield 1
            finally:
                log.append("finally of a generator")

        kept.append(g := gen())
        next(g)

        def closing():
            try:
                yield
            except BaseException:
                log.append("caught by a generator")

        for _ in closing():
            while True:
                pass

    log, kept = [], []
    with pytest.raises(Unsupported):
        VM(step_limit=300).run(program)
    kept.clear()
    gc.collect()
    assert log == []


@pytest.mark.parametrize(
    "way", ["g.close()", "g.throw(ValueError)", "g.throw(Refused)", "getattr(refusing, 'x', 0)", "hasattr(refusing, 'x')"]
)
def test_no_protocol_of_the_language_hides_a_refusal(way):
    class Delegate:
        def __iter__(self):
            return self

        def __next__(self):
            return 1

        def __getattr__(self, name):
            print()

    class Refused(Exception):
        def __init__(self):
            print()

    def outer():
        try:
            yield from Delegate()
        except BaseException:
            log.append("caught")

    def program():
        g = outer()
        next(g)
        refusing = Delegate()
        return eval(way, {"g": g, "Refused": Refused, "refusing": refusing})

    log = []
    with pytest.raises(Unsupported):
        VM(Refusing()).run(program)
    assert log == []


def test_recursion_in_c_ends_where_the_programs_ends():
    def program():
        nested = []
        for _ in range(200_000):
            nested = [nested]
        try:
            return repr(nested)
        except RecursionError:
            return "too deep"

    assert interpret(program) == "too deep"


def test_a_raised_limit_is_room_for_callbacks():
    def program():
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(20_000)

        @functools.cache
        def total(n):
            return n + total(n - 1) if n else 0

        try:
            return total(200)
        finally:
            sys.setrecursionlimit(before)

    assert interpret(program) == 20_100


def test_the_code_of_a_generator_outlives_its_frame():
    def steps():
        yield 1

    async def waiting():
        return 1

    def program():
        generator, coroutine = steps(), waiting()
        list(generator)
        try:
            coroutine.send(None)
        except StopIteration:
            pass
        gc.collect()
        return generator.gi_code is steps.__code__, coroutine.cr_code is waiting.__code__, hasattr(coroutine, "gi_code")

    assert interpret(program) == (True, True, False)


def test_nodes_of_a_recursion_keep_a_bounded_number_of_locations():
    def descend(x, depth):
        return descend(x, depth - 1) + depth if depth else x

    program = export(lambda x: descend(x, 400), (np.ones(2),))
    kept = [node.meta["stack_trace"] for node in program.graph.nodes if node.op == "call_function"]
    assert len(kept) == 400
    assert {locations[-1].function for locations in kept} == {"descend"}
    assert max(map(len, kept)) == 100


def _sorted_by_itself(x):
    def key(value):
        return sorted([value], key=key)

    return x, key(1)


@pytest.mark.parametrize("run", [lambda: export(_sorted_by_itself, (np.ones(3),)), lambda: interpret(_sorted_by_itself, 1)])
def test_recursion_through_c_ends_before_the_c_stack(run, pep523):
    """In a thread of little stack, too: every level takes some kilobytes of it."""
    raised = []

    def work():
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            run()
        raised.append(True)

    before = threading.stack_size(1 << 20)
    try:
        run_at_once(work)
    finally:
        threading.stack_size(before)
    assert raised
