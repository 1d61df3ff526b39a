"""Shape reasoning beside SymPy, as ratios measured in one run; and exports of dynamic programs beside the same with static shapes.

python benchmarks/symshapes.py
"""

import time
import timeit

import programs
import sympy

from npexport import Dim, export
from npexport.symshapes import expr as E
from npexport.symshapes.decide import Facts
from npexport.symshapes.ranges import SIZES
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.sympy_interop import to_sympy

A, B, C = E.symbol("s0"), E.symbol("s1"), E.symbol("s2")
SA, SB, SC = map(to_sympy, (A, B, C))
POSITIVE = [sympy.Symbol(name, integer=True, nonnegative=True) for name in ("s0", "s1", "s2")]


def fresh_facts():
    return Facts(dict.fromkeys(("s0", "s1", "s2"), SIZES))


FACTS = fresh_facts()
ROWS = [
    # name, ours, SymPy's
    ("build 2*a + 3*b + c - 1", lambda: 2 * A + 3 * B + C - 1, lambda: 2 * SA + 3 * SB + SC - 1),
    ("build (a + 7)//8*8", lambda: (A + 7) // 8 * 8, lambda: sympy.floor((SA + 7) / 8) * 8),
    ("(4*a + 8) % 4", lambda: (4 * A + 8) % 4, lambda: sympy.Mod(4 * SA + 8, 4)),
    ("a + b == b + a", lambda: E.eq(A + B, B + A), lambda: sympy.Eq(SA + SB, SB + SA)),
    (
        "substitute two equalities",
        lambda: substitute(2 * A + B, {"s0": B + 1, "s1": C}),
        lambda: (2 * SA + SB).xreplace({SA: SB + 1, SB: SC}),
    ),
    ("a + b >= 0, decided again", lambda: FACTS.decide(A + B >= 0), lambda: POSITIVE[0] + POSITIVE[1] >= 0),
    ("a + b >= 0, decided anew", lambda: fresh_facts().decide(A + B >= 0), lambda: POSITIVE[0] + POSITIVE[1] >= 0),
    ("a//2 <= a, decided anew", lambda: fresh_facts().decide(A // 2 <= A), lambda: sympy.floor(POSITIVE[0] / 2) <= POSITIVE[0]),
]


def microseconds(call):
    """Of one call: the fastest of several rounds."""
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    number = max(1, number // 4)
    return min(timer.repeat(5, number)) / number * 1e6


def seconds(call, rounds=3):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def dynamic(args, axes):
    """A specification: named dims for the given axes of the first array."""
    first = {axis: Dim(f"d{axis}") for axis in axes}
    return (first, *[None] * (len(args) - 1))


def main():
    for name, ours, theirs in ROWS:
        mine, peer = microseconds(ours), microseconds(theirs)
        print(f"{name}: {mine:.2f} us, SymPy {peer:.1f} us, ratio {mine / peer:.4f}", flush=True)
    for name, function, args, axes in (
        ("MLP", programs.mlp, programs.mlp_inputs(), (0,)),
        ("GPT-2 shape, 12 layers", programs.gpt2, programs.gpt2_inputs(batch=2), (0,)),
    ):
        static = seconds(lambda function=function, args=args: export(function, args))
        sizes = seconds(lambda function=function, args=args, axes=axes: export(function, args, dynamic_shapes=dynamic(args, axes)))
        print(f"export {name}: {sizes * 1e3:.1f} ms dynamic, {static * 1e3:.1f} ms static, ratio {sizes / static:.2f}", flush=True)


if __name__ == "__main__":
    main()
