"""Finalisers and signal handlers run wherever Python runs, and may need what they interrupt: nothing waits for what it interrupts."""

import os
import subprocess
import sys
import textwrap

import pytest

PRELUDE = """
import faulthandler, gc, signal, sys, threading
import numpy as np
from npexport import Dim, export
from npexport.tracer.interpreter import interpret
faulthandler.dump_traceback_later(200, exit=True)

seen = []

def loop(n):
    total = 0
    for i in range(n):
        total += i
    return total

def numbers(owner):
    try:
        yield owner
    finally:
        seen.append(loop(3))

def cycle():
    owner = []
    generator = numbers(owner)
    owner.append(generator)
    next(generator)

class Enters:
    def __init__(self):
        self.me = self
    def __del__(self):
        seen.append(interpret(loop, 4))

def program(n):
    return [loop(i) for i in range(n)]
"""

PROGRAMS = {
    "generators": """
        gc.set_threshold(1)
        for _ in range(60):
            interpret(cycle)
            assert interpret(program, 6) == program(6)
        gc.collect()
        assert len(seen) == 60, len(seen)
    """,
    "finalisers": """
        gc.set_threshold(1)
        for _ in range(60):
            Enters()
            assert interpret(program, 6) == program(6)
        gc.collect()
        assert seen == [6] * 60, seen
    """,
    "exports": """
        n = Dim("n", min=2, max=900)
        class Exports:
            def __init__(self):
                self.me = self
            def __del__(self):
                seen.append(str(export(lambda y: y.reshape(-1), (np.ones((3, 2)),), dynamic_shapes=({0: n},)).range_constraints))
        gc.set_threshold(1)
        def f(x):
            return x.reshape(2, -1).sum(0) * x.shape[0]
        for _ in range(4):
            Exports()
            result = export(f, (np.ones((4, 2)),), dynamic_shapes=({0: n},))
            assert result.module()(np.ones((6, 2))).tolist() == f(np.ones((6, 2))).tolist()
        gc.collect()
        assert len(seen) == 4 and len(set(seen)) == 1, seen
    """,
    "tables": """
        from npexport.symshapes import nodes
        nodes.Interned.limit = 50
        class Asks:
            def __init__(self):
                self.me = self
            def __del__(self):
                seen.append([nodes.make_node(nodes.Atom, "symbol", (f"s{i}",)) for i in range(80)][7])
        held = [nodes.make_node(nodes.Atom, "symbol", (f"s{i}",)) for i in range(40)]
        gc.set_threshold(1)
        for iteration in range(80):
            Asks()
            others = [nodes.make_node(nodes.Atom, "symbol", (f"t{iteration}_{i}",)) for i in range(60)]
            assert all(nodes.make_node(nodes.Atom, "symbol", (f"s{i}",)) is node for i, node in enumerate(held))
        gc.collect()
        assert len(seen) == 80 and {id(node) for node in seen} == {id(held[7])}
    """,
    "signals": """
        clock, number = signal.ITIMER_VIRTUAL, signal.SIGVTALRM  # ticks while the program runs: a busy machine changes nothing
        def handler(*_):
            seen.append(interpret(loop, 4))
            signal.setitimer(clock, 0.0005)  # a handler that is slow is not interrupted by the next
        interpret(program, 6)  # imports are no part of this
        signal.signal(number, handler)
        while len(seen) < 60:
            if not signal.getitimer(clock)[0]:  # at first, and should one have been lost
                signal.setitimer(clock, 0.0005)
            assert interpret(program, 6) == program(6)
        signal.signal(number, signal.SIG_IGN)
        assert set(seen) == {6}, seen
    """,
    "threads": """
        sys.setswitchinterval(1e-6)
        wrong = []
        def work():
            for _ in range(150):
                Enters()
                if interpret(program, 5) != program(5):
                    wrong.append(1)
        gc.set_threshold(3)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        gc.collect()
        assert not wrong and seen == [6] * 600
    """,
}


@pytest.mark.parametrize("hook", ["", "settrace"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_interrupts_the_machine_may_use_it(name, hook):
    ends = "assert sys.getrecursionlimit() == 1000 and gc.isenabled() and sys.gettrace() is None\nprint('ended')"
    source = PRELUDE + textwrap.dedent(PROGRAMS[name]) + "\n" + ends
    env = {"NPEXPORT_FRAME_HOOK": hook} if hook else {}
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300, env={**os.environ, **env})
    assert done.stdout == "ended\n", done.stderr[-3000:]
    assert "Exception ignored" not in done.stderr, done.stderr
