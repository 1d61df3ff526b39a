"""The VM itself: depth, limits, locations, nested runs, worlds, generators between C and the VM, the cost of a run."""

import gc
import sys
import threading
import time
import weakref

import pytest

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter import interpret
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.vm import VM
from npexport.tracer.interpreter.world import Invoke, World

# -- depth and limits --------------------------------------------------------------------------------------------------------------------


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
    namespace = {}
    exec(f"def program():\n    {loop}", namespace)
    with pytest.raises(Unsupported):
        VM(step_limit=5000).run(namespace["program"])


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
    class Refusing(World):
        def call_native(self, vm, fn, args, kwargs):
            if fn is print:
                raise Unsupported("E101", "print is not for this world")
            return super().call_native(vm, fn, args, kwargs)

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


# -- locations ---------------------------------------------------------------------------------------------------------------------------


def test_stack_of_locations(pep523):
    class Recording(World):
        def call_native(self, vm, fn, args, kwargs):
            if fn is print:
                seen.append(vm.stack())
                return None
            return super().call_native(vm, fn, args, kwargs)

    def inner(x):
        print(x)

    def outer():
        sorted([1], key=inner)
        return [inner(i) for i in range(1)]

    seen = []
    VM(Recording()).run(outer)
    for stack in seen:
        functions = [location.function.split(".")[-1] for location in stack]
        assert functions[0] == "outer" and functions[-1] == "inner"
        assert stack[-1].line == inner.__code__.co_firstlineno + 1
        assert stack[-1].source.strip() == "print(x)"
    assert len(seen) == 2
    assert seen[0][-1] is seen[-1][-1], "locations are made once"


def test_a_refusal_gets_the_place_where_the_program_stands():
    class Refusing(World):
        def call_native(self, vm, fn, args, kwargs):
            if fn is print:
                raise Unsupported("E101", "print is not for this world")
            return super().call_native(vm, fn, args, kwargs)

    def program():
        x = 1
        print(x)

    with pytest.raises(Unsupported) as caught:
        VM(Refusing()).run(program)
    assert caught.value.location.line == program.__code__.co_firstlineno + 2
    assert caught.value.user_stack[-1] is caught.value.location


# -- the world ---------------------------------------------------------------------------------------------------------------------------


def test_world_may_answer_with_a_call_to_interpret():
    class Replacing(World):
        def call_native(self, vm, fn, args, kwargs):
            if fn is sorted:
                return Invoke(insertion_sort, args, kwargs)
            return super().call_native(vm, fn, args, kwargs)

    def insertion_sort(items, key):
        out = []
        for item in items:
            at = len([o for o in out if key(o) <= key(item)])
            out.insert(at, item)
        return out

    assert VM(Replacing()).run(lambda: sorted([3, 1, 2], key=lambda v: -v)) == [3, 2, 1]


def test_native_types_are_operated_on_by_the_host():
    class Size:
        depth = None

        def __init__(self, n):
            self.n = n

        def __add__(self, other):
            self.depth = running().depth
            return Size(self.n + other)

        def __bool__(self):
            return self.n > 0

        def __getattr__(self, name):
            return f"native {name}"

    def running():
        from npexport.tracer.interpreter.program import running

        return running.vm

    NATIVE_TYPES.add(Size)
    try:
        size = Size(1)

        def program():
            total = size + 2
            return (total if total else None).n, size.anything

        assert interpret(program) == (3, "native anything")
        assert size.depth == 1, "no frame was pushed for __add__"
    finally:
        NATIVE_TYPES.discard(Size)


def test_entering_values_from_outside():
    class Watching(World):
        tracing = True

        def enter(self, value, origin):
            seen.append(origin)
            return value

        def enter_closure(self, fn):
            return fn.__closure__ or ()

        def is_local(self, obj):
            return False

    class Config:
        size = [5]

    def helper(x, scale=[2]):  # noqa: B006
        return x * scale[0]

    def program():
        return helper(Config.size[0]), helper.__name__, Config().size

    seen = []
    VM(Watching()).run(program)
    assert any("Config.size" in origin for origin in seen)
    assert any("scale" in origin for origin in seen)


# -- nested runs and threads -------------------------------------------------------------------------------------------------------------


def test_python_that_c_calls_back_is_interpreted(pep523):
    def interpreted():
        from npexport.tracer.interpreter.program import running

        return running.vm is not None and running.vm.frame.back.code.co_name

    class K:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            log.append(("eq", interpreted()))
            return self.v == other.v

        def __hash__(self):
            log.append(("hash", interpreted()))
            return hash(self.v)

        def __lt__(self, other):
            log.append(("lt", interpreted()))
            return self.v < other.v

        def __str__(self):
            log.append(("str", interpreted()))
            return "K"

    def key(x):
        log.append(("key", interpreted()))
        return x

    def program():
        {K(1): 1}[K(1)]
        [K(1)].index(K(1))
        sorted([K(2), K(1)])
        max([1, 2], key=key)
        list(map(key, [1]))
        "%s" % K(1)
        import re

        re.sub("a", lambda m: key("b"), "a")
        return [K(1)] == [K(1)]

    log = []
    assert interpret(program) is True
    names = {"eq": "__eq__", "hash": "__hash__", "lt": "__lt__", "str": "__str__", "key": "key"}
    assert {kind for kind, _ in log} == set(names)
    assert [frame for kind, frame in log] == [names[kind] for kind, _ in log]


def test_generators_go_back_and_forth_between_c_and_the_vm():
    def gen():
        for i in range(6):
            yield i

    def program():
        import itertools

        g = gen()
        first = next(g)
        by_c = list(itertools.islice(g, 2))
        return first, by_c, next(g), list(map(str, g)), list(g)

    assert interpret(program) == (0, [1, 2], 3, ["4", "5"], [])


def test_generator_outlives_the_run_and_goes_to_another_thread():
    def make():
        def gen():
            try:
                got = yield 1
                yield got
            finally:
                log.append("closed")

        return gen()

    log = []
    g = interpret(make)
    assert next(g) == 1 and g.send("x") == "x"
    g.close()
    assert log == ["closed"]
    other, out = [interpret(make)], []
    thread = threading.Thread(target=lambda: out.extend([next(other[0]), other[0].send(2)]))
    thread.start()
    thread.join()
    assert out == [1, 2]
    other.clear()
    gc.collect()
    assert log == ["closed", "closed"]


def test_functions_and_classes_outlive_the_run():
    def make():
        n = [0]

        def count():
            n[0] += 1
            return n[0]

        class C:
            def m(self):
                return count()

        return count, C

    count, cls = interpret(make)
    assert (count(), cls().m(), interpret(count), count()) == (1, 2, 3, 4)


def test_interpret_inside_interpret():
    assert interpret(lambda: interpret(lambda: interpret(lambda x: x + 1, 1) + 1) + 1) == 4


def test_interpreting_in_threads():
    def work(n):
        return sum(i for i in range(n))

    results = [None] * 4

    def start(i):
        results[i] = interpret(work, 1000 + i)

    threads = [threading.Thread(target=start, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [sum(range(1000 + i)) for i in range(4)]


# -- nothing stays behind ----------------------------------------------------------------------------------------------------------------


def test_nothing_is_kept_alive():
    class Thing: ...

    def program():
        thing = Thing()
        refs.append(weakref.ref(thing))

        def gen():
            yield thing

        next(gen())
        try:
            raise ValueError(thing)
        except ValueError:
            pass
        with pytest.raises(KeyError):
            {}[1]

    refs = []
    interpret(program)
    gc.collect()
    assert refs[0]() is None


def test_values_die_when_they_do_in_cpython():
    def program():
        log = []

        class D:
            def __init__(self, name):
                self.name = name

            def __del__(self):
                log.append(self.name)

        def f():
            local = D("local")  # noqa: F841
            log.append("in f")

        f()
        x = D("x")
        x = D("y")
        log.append("rebound")
        del x
        D("temporary")
        log.append("end")
        return log

    assert interpret(program) == program()


# -- faults ------------------------------------------------------------------------------------------------------------------------------


class Fault(BaseException):
    """Injected."""


def faulty_program():
    log = []

    class M:
        def __enter__(self):
            return self

        def __exit__(self, *exc):
            return False

    def gen():
        try:
            yield 1
            yield 2
        finally:
            log.append("gen")

    with M():
        total = sum(x for x in gen())
        for x in gen():
            total += x
        try:
            total += {}.get("k", 1) + [1, 2][total]
        except IndexError:
            total += 1
    return total


def test_a_fault_at_any_instruction_comes_out_and_leaves_the_vm_usable():
    steps = [0]

    def count(frame):
        steps[0] += 1

    vm = VM(on_step=count)
    expected = vm.run(faulty_program)
    assert expected == faulty_program()
    total = steps[0]
    assert total > 100
    for at in range(total):
        left = [at]

        def inject(frame, left=left):
            left[0] -= 1
            if left[0] == -1:
                raise Fault

        vm = VM(on_step=inject)
        with pytest.raises(Fault):
            vm.run(faulty_program)
        assert vm.frame is None and vm.depth == 0
        vm.on_step = None
        assert vm.run(faulty_program) == expected


# -- cost --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["for_loop", "calls", "comprehensions", "generators", "recursion"])
def test_cost_is_within_the_budget_and_linear(case):
    from benchmarks import interpreter as benchmark

    function = getattr(benchmark, case)
    interpret(function, 10)
    native, ours = benchmark.measure(function, 2_000)
    assert ours < benchmark.BUDGET * native
    start = time.process_time()
    interpret(function, 20_000)
    assert time.process_time() - start < 30 * ours
