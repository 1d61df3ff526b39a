"""State whose sizes are those of the inputs, where these are dynamic."""

import numpy as np
import pytest

from npexport import Dim, InputMismatch, explain, export
from npexport.symshapes.fixes import ConstraintViolation
from tests.support.forms import reloaded


class Training:
    """Keeps what its layers were given, and the momentum of its weights."""

    def __init__(self):
        self.w = [np.full((3, 4), 0.5), np.full((4, 2), 0.25)]
        self.momentum = [0.0, 0.0]

    def __call__(self, x, y):
        self.given = []
        for w in self.w:
            self.given.append(x)
            x = np.maximum(x @ w, 0)
        picked = x[np.arange(len(y)), y]  # raises for some data, after the state was written
        g = x - picked[:, None]
        for i in reversed(range(len(self.w))):
            self.momentum[i] = 0.9 * self.momentum[i] + self.given[i].T @ g
            g = g @ self.w[i].T
            self.w[i] -= 0.1 * self.momentum[i]
        return picked.sum()


class RunningMean:
    """Makes its state at the first call."""

    mean = None

    def __call__(self, x):
        if self.mean is None:
            self.mean = np.zeros(x.shape[1])
        self.mean = self.mean * 0.9 + x.sum(axis=0)
        return self.mean.max(initial=0)


class Accumulated:
    total = 0.0

    def __call__(self, x):
        self.total = self.total + x.sum(axis=0)
        return self.total * 2


class Left:
    """Holds what an eager call left, of the example's size or another one."""

    def __init__(self, rows=4):
        self.seen = np.zeros((rows, 3))

    def __call__(self, x):
        self.seen = x * 2
        return self.seen[::-1] + 1


class Previous(Left):
    """Reads what the call before has left."""

    def __call__(self, x):
        before = self.seen.sum()
        self.seen = x * 2
        return before


class Smoothed(Left):
    def __call__(self, x):
        self.seen = self.seen * 0.5 + x
        return self.seen.sum()


class Normalised:
    """Keeps what it was given, of any size, beside a mean that begins at the first call."""

    def __init__(self):
        self.given = self.mean = None

    def __call__(self, x):
        self.given = x
        if self.mean is None:
            self.mean = x.mean(axis=0)
        self.mean = self.mean * 0.9 + self.given.max(axis=0) * 0.1
        return (x - self.mean).sum()


class FirstOrLater(Normalised):
    """Asks whether there was a call before."""

    def __call__(self, x):
        first = self.given is None
        result = super().__call__(x)
        return result if first else -result


class DependsOnTheSize:
    last = None

    def __call__(self, x):
        y = x * 2 if self.last is not None and self.last.shape[0] > 100 else x
        self.last = x
        return y


def rows(*sizes):
    return [(np.arange(n * 3.0).reshape(n, 3) - n,) for n in sizes]


CALLS = {
    "training": (Training, [(x, np.arange(len(x)) % 2) for (x,) in rows(4, 2, 5, 0)]),
    "made at the first call": (RunningMean, rows(4, 2, 0, 7)),
    "a number at first": (Accumulated, rows(4, 1, 3)),
    "made at the first call, beside the input": (Normalised, rows(4, 2, 7)),
    "left by an eager call": (Left, rows(4, 2, 0, 7)),
    "left by an eager call of another size": (lambda: Left(5), rows(4, 5, 2)),
}
AXES = {"rows": [0], "all axes": [0, 1]}


def spec(args, axes, dim=lambda axis: Dim.AUTO):
    return tuple({axis: dim(axis) for axis in axes if axis < arg.ndim} for arg in args)


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
@pytest.mark.parametrize("name", CALLS)
def test_calls_of_other_sizes_leave_what_eager_ones_leave(name, axes):
    make, calls = CALLS[name]
    program = export(make(), calls[0], dynamic_shapes=spec(calls[0], axes))
    for run in (program.module(), reloaded(program).module()):
        eager = make()
        for args in calls:
            np.testing.assert_array_equal(run(*args), eager(*args))


def test_named_dims_of_rows_stay_promises():
    for make, calls in CALLS.values():
        export(make(), calls[0], dynamic_shapes=spec(calls[0], [0], lambda axis: Dim("rows")))


def test_after_an_exception_the_state_is_of_the_new_size():
    x, y = CALLS["training"][1][0]
    run = export(Training(), (x, y), dynamic_shapes=spec((x, y), [0])).module()
    eager = Training()
    for call in (run, eager):
        call(x, y)
        with pytest.raises(IndexError):
            call(np.ones((2, 3)), np.array([0, 7]))
        call(x, y)
    kept = dict(run.named_buffers())
    for i in range(2):
        np.testing.assert_array_equal(kept[f"given.{i}"], eager.given[i])
        np.testing.assert_array_equal(kept[f"w.{i}"], eager.w[i])


@pytest.mark.parametrize("make", [Smoothed, FirstOrLater])
def test_sizes_that_the_next_call_reads_are_the_examples(make):
    ((x,),) = rows(4)
    run, eager = export(make(), (x,), dynamic_shapes=({0: Dim.AUTO},)).module(), make()
    for factor in (1, 2, 3):
        assert run(x * factor) == eager(x * factor)
    with pytest.raises(InputMismatch, match=r"x.shape\[0\]: expected 4, got 2; it is a constant.*, needed at"):
        run(x[:2])


def test_what_only_the_last_call_has_left_may_have_any_size():
    ((x,),) = rows(4)
    run, eager = export(Previous(), (x,), dynamic_shapes=({0: Dim("n")},)).module(), Previous()
    for rows_of_x in (x, x[:2], x[:0], np.repeat(x, 3, 0)):
        assert run(rows_of_x) == eager(rows_of_x)


@pytest.mark.parametrize("make", [RunningMean, Accumulated])
def test_columns_of_state_are_the_examples(make):
    ((x,),) = rows(4)
    with pytest.raises(InputMismatch, match=r"x.shape\[1\]: expected 3, got 2"):
        export(make(), (x,), dynamic_shapes=spec((x,), [0, 1])).module()(x[:, :2])
    assert explain(make(), (x,), dynamic_shapes=spec((x,), [0, 1])).ok


@pytest.mark.parametrize(
    ("make", "axis", "state", "line"),
    [
        (RunningMean, 1, "mean", "self.mean = self.mean * 0.9 + x.sum(axis=0)"),
        (DependsOnTheSize, 0, "last", "self.last = x"),
    ],
)
def test_a_promise_that_state_breaks_is_said_with_the_state_the_line_and_the_fix(make, axis, state, line):
    ((x,),) = rows(4)
    with pytest.raises(ConstraintViolation) as caught:
        export(make(), (x,), dynamic_shapes=({axis: Dim("n")},))
    assert caught.value.suggested_fixes == {"n": str(x.shape[axis])}
    assert f"`self.{state}` keeps this size for the next call" in str(caught.value)
    assert caught.value.location.source.strip() == line
    export(make(), (x,))
