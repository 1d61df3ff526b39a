"""A user's program for mypy --strict: types must be known from an editable install and from a wheel, and mistakes must be seen.

A ``type: ignore`` that is not needed is an error in strict mode: each of those below shows a mistake that mypy finds.
"""

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np

import npexport
from npexport import Dim, ExportedProgram, InputMismatch, export, load, nn, save
from npexport.nn import functional as F

Array = np.ndarray[Any, np.dtype[Any]]


class Scorer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(width, 4), nn.ReLU(), nn.Dropout(0.1))
        self.pool = nn.MaxPool2d(2, stride=2)
        self.scale = nn.Parameter(np.ones(4, np.float32))
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x: Array) -> Array:
        assert_type(F.relu(x), Array)
        scored: Array = self.branch(x)
        return F.softmax(scored * self.scale, dim=-1)


def program_of(scorer: Scorer) -> ExportedProgram:
    batch = Dim("batch", max=1024)
    ep = export(scorer.eval(), (np.ones((8, 3), np.float32),), dynamic_shapes={"x": {0: batch}})
    assert_type(ep, ExportedProgram)
    return ep


def main() -> None:
    ep = program_of(Scorer(3))
    run = ep.module()
    assert_type(run.code, str)
    assert_type(run.named_parameters(), Iterator[tuple[str, Array]])
    result: Array = run(np.ones((2, 3), np.float32))
    assert_type(nn.Linear(3, 4).weight, Array)
    assert_type(nn.Conv2d(3, 4, 3), nn.Conv2d)
    assert result.shape == (2, 4)
    try:
        run(np.ones(3))
    except InputMismatch as error:
        assert_type(error.code, str)
    save(ep, "scorer.np2")
    assert_type(load("scorer.np2"), ExportedProgram)
    assert npexport.explain(np.sin, (np.ones(3),)).ok


def mistakes(ep: ExportedProgram) -> None:
    nn.Linear("3", 4)  # type: ignore[arg-type]
    nn.Conv2d(3, 4)  # type: ignore[call-arg]
    F.relu(3)  # type: ignore[arg-type]
    print(ep.module().cod)  # type: ignore[attr-defined]
    print(npexport.exprot)  # type: ignore[attr-defined]
    save("scorer.np2")  # type: ignore[call-arg, arg-type]


if __name__ == "__main__":
    main()
