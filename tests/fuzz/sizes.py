"""Random programs of sizes as values of Python, without end: ``python -m tests.fuzz.sizes [SEED] [SECONDS]``."""

import collections
import sys
import time

import numpy as np

from tests.fuzz.size_programs import calls, difference, placements


def main(seed=0, seconds=60):
    counts = collections.Counter()
    start = time.monotonic()
    for program in placements():
        report(program, counts)
    rng = np.random.default_rng(seed)
    while time.monotonic() - start < seconds:
        report(calls(rng), counts)
    print(dict(counts))


def report(program, counts):
    found = difference(program)
    counts["compared" if found is None else found if found in ("skipped", "refused") else "different"] += 1
    if found not in (None, "skipped", "refused"):
        print(found[:300], flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
