"""Calls of exported programs beside the plain NumPy functions they come from: time, and peak of memory while they run.

python benchmarks/memory_and_speed.py [NAME ...]

Times are CPU seconds of the process, the fastest of interleaved rounds; memory is what tracemalloc sees (NumPy reports its
arrays to it). Fails where a program is slower than its source by more than a tenth, or needs more memory.
"""

import gc
import sys
import time
import tracemalloc

import array_programs
import numpy as np

from npexport import export

ROUNDS, SLOWER, MORE = 15, 1.1, 1.02
SMALL = 16 * 1024
"""Peaks below this are of objects, not of arrays."""


def copied(args):
    return tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)


def seconds(call, args, number):
    start = time.process_time()
    for _ in range(number):
        call(*args)
    return (time.process_time() - start) / number


def times(calls, args):
    """The time of each call; the calls take turns."""
    own = [copied(args) for _ in calls]
    warm = [seconds(call, mine, 2) for call, mine in zip(calls, own, strict=True)]
    number = max(1, int(0.002 / max(warm[0], 1e-6)))
    found = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, mine, each in zip(calls, own, found, strict=True):
            each.append(seconds(call, mine, number))
    return [min(each) for each in found]


def peak(call, args):
    """The bytes that a call needs at most, its results included."""
    args = copied(args)
    call(*args)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    call(*args)
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return most


def main(names):
    failed = []
    print(f"{'program':<28}{'time':>8}{'memory':>8}{'eager ms':>12}{'eager MB':>10}")
    for name, (function, args) in array_programs.PROGRAMS.items():
        if names and name not in names:
            continue
        args = args()
        run = export(function, copied(args)).module()
        plain, exported = times((function, run), args)
        before, after = peak(function, args), peak(run, args)
        memory = after / before if max(before, after) > SMALL else 1.0
        print(f"{name:<28}{exported / plain:>8.2f}{memory:>8.2f}{plain * 1e3:>12.2f}{before / 1e6:>10.2f}", flush=True)
        if exported / plain > SLOWER or memory > MORE:
            failed.append(name)
    return f"slower than eager, or more memory: {', '.join(failed)}" if failed else None


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main(sys.argv[1:]))
