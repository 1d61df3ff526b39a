"""What importing costs, as a ratio to ``import numpy`` measured in the same run. Budget: at most 1.5.

python benchmarks/import_time.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

BUDGET = 1.5
ROUNDS = 15

STATEMENTS = {
    "numpy": "import numpy",
    "import npexport": "import npexport",
    "import npexport, numpy": "import npexport, numpy",
    "from npexport import Dim": "from npexport import Dim",
    "from npexport import load": "from npexport import load",
    "from npexport import export": "from npexport import export",
    "from npexport import export, nn": "from npexport import export, nn",
    "the first export": "import numpy; from npexport import export; export(numpy.sin, (numpy.ones(3),)).module()(numpy.ones(3))",
}
HELD_TO_BUDGET = ("import npexport", "import npexport, numpy", "from npexport import export")


def once(statement: str, cache: str) -> float:
    """Seconds of one import in a fresh interpreter, the interpreter's own start left out."""
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return float(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout)


def measure() -> dict[str, float]:
    """The best of some rounds of every statement, taken in turn so that a busy machine hits all alike."""
    best = dict.fromkeys(STATEMENTS, float("inf"))
    with tempfile.TemporaryDirectory() as cache:
        for statement in STATEMENTS.values():
            once(statement, cache)  # compiled as an installer would
        for _ in range(ROUNDS):
            for name, statement in STATEMENTS.items():
                best[name] = min(best[name], once(statement, cache))
    return best


def main() -> int:
    best = measure()
    for name, seconds in best.items():
        print(f"{name:34} {seconds * 1e3:8.1f} ms   {seconds / best['numpy']:5.2f} x numpy")
    return int(any(best[name] > BUDGET * best["numpy"] for name in HELD_TO_BUDGET))


if __name__ == "__main__":
    raise SystemExit(main())
