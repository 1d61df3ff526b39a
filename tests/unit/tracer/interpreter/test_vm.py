"""The VM itself: locations, nested runs, worlds, generators between C and the VM."""

import functools
import gc
import sys
import threading
import weakref

import pytest

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter import generators, interpret, program
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.vm import VM
from npexport.tracer.interpreter.world import Invoke, World
from tests.support.threads import run_at_once
from tests.support.worlds import Refusing

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

        def read(self, value, origin, module):
            return self.enter(value, origin)

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

    run_at_once(*(functools.partial(start, i) for i in range(4)))
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


def test_code_and_generators_die_in_silence_after_the_names_of_modules_are_gone(monkeypatch):
    """Python clears its modules before it frees what they held."""
    namespace: dict = {}
    exec("def numbers():\n    yield 1\n    yield 2", namespace)
    kept = interpret(namespace["numbers"])
    assert interpret(next, kept) == 1
    said: list = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    for module in (program, generators):
        for name in ("_INFOS", "_MADE", "_STATES"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, None)
    namespace.clear()
    del kept
    gc.collect()
    assert said == []
