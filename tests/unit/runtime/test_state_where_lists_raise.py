"""What a program has written to its state is there after an index out of a list's range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.functions import function_of
from tests.support.outcomes import result_or_error, shown
from tests.support.quiet import quiet

PROGRAMS = {
    "a display": "if i != 1: self.n = 1.5\n t = [x[0], 1.0][i]\n if t >= 0: t = {0: t, 1: 2.0}[i]\n return t",
    "a tuple": "self.w = x * i\n t = (1, 2, 3)[i]\n self.w = self.w * 2\n return {0: t, 1: 2}[i]",
    "a filled list": "f = []\n for v in x: f.append(v * 2)\n if i != 1: self.n = 1.5\n t = f[i]\n return {0: t, 1: 2.0}[i]",
    "numbers of a range": "f = [k * k for k in range(len(x))]\n self.w = x * i\n t = f[i]\n self.w = self.w * 2\n return {0: t, 1: 2}[i]",
    "texts": "self.w = x * i\n t = ['a', 'bb'][i]\n self.w = self.w * 2\n return {0: len(t), 1: 2}[i]",
    "a dict": "d = {0: x[0], 5: x[1]}\n self.n = float(x[0]) * 2 + i\n t = d[i]\n self.n = float(t) + 1\n return [t, 2.0][i]",
    "again and again": "f, k = [x[0], x[1]], i\n for _ in range(3):\n  self.n = self.n + 1.0\n  t = f[i]\n  self.w = self.w + t\n  i += k\n"
    " return {0: t, 1: 2.0}[i]",
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_there(name: str, dynamic: bool) -> None:
    class Model:
        def __init__(self) -> None:
            self.n, self.w = 0.5, np.zeros(3)

        __call__ = function_of(f"def program(self, x, i):\n i = int(i)\n {PROGRAMS[name]}", {"np": np})

    example = np.zeros(3), np.array(1)
    program = export(Model(), example, dynamic_shapes={"x": {0: Dim("n", min=2)}, "i": None} if dynamic else None)
    for i in (0, 1, 2, 3, -1, -4, 5):
        eager, run, x = Model(), program.module(), np.arange(1.0, 4.0)

        def called(f: Any, x: Any = x, i: int = i) -> str:
            with quiet():
                return repr(result_or_error(f, x.copy(), np.array(i)))

        assert called(run) == called(eager)
        for path, value in run.named_buffers():
            assert shown(np.asarray(value)) == shown(np.asarray(getattr(eager, path)))
