"""State, and what is global, that is read-only: so are the program's results and what later calls find."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export, load, nn, save
from tests.fuzz.layouts import outcome

G = np.arange(3.0)
G.flags.writeable = False


class Fixed:
    def __init__(self):
        self.b = np.arange(3.0)
        self.b.flags.writeable = False


class Itself(Fixed):
    def __call__(self, x):
        return self.b, self.b[1:], self.b.T, self.b.copy(), self.b.reshape(3, 1), x


class Outside:
    def __call__(self, x):
        return G, G[::-1], G + x


class Asked(Fixed):
    def __call__(self, x):
        return x if self.b.flags.writeable else -x


class Marked(Fixed):
    """What is read-only is marked so once more."""

    def __call__(self, x):
        self.b.flags.writeable = False
        return self.b


class Renewed(Fixed):
    def __call__(self, x):
        self.b = self.b + x
        self.b.flags.writeable = False
        return self.b, self.b.flags.writeable


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", np.frombuffer(bytes(24)))

    def forward(self, x):
        return self.b, x


class View:
    """A view of the state that shows it, and is not to be written to."""

    def __init__(self):
        self.a = np.arange(3.0)
        self.shown = self.a[:]
        self.shown.flags.writeable = False

    def __call__(self, x):
        self.a[0] += x[0]
        try:
            self.shown[1] = 9.0
        except ValueError:
            return self.shown
        return x


@pytest.mark.parametrize("kind", [Itself, Outside, Asked, Marked, Renewed, Registered, View])
@pytest.mark.parametrize("saved", [False, True])
def test_results_are_read_only_as_in_eager_execution(kind, saved, tmp_path):
    program = export(kind(), (np.ones(3),))
    if saved:
        save(program, tmp_path / "program.npx")
        program = load(tmp_path / "program.npx")
    eager, run = kind(), program.module()
    for number in range(3):
        assert outcome(run, (np.full(3, 1.0 + number),)) == outcome(eager, (np.full(3, 1.0 + number),))


class Replaced(Fixed):
    def __call__(self, x):
        known = self.b.flags.writeable
        self.b = self.b + x
        return known


class Shown:
    """The second call returns an array that is read-only, the first one does not."""

    def __init__(self):
        self.b = np.zeros(3)

    def __call__(self, x):
        last, self.b = self.b, np.broadcast_to(x[:1], (3,))
        return last


class Grown(Fixed):
    def __call__(self, x):
        self.b = np.append(self.b, x)
        return self.b[:2], self.b.flags.writeable


@pytest.mark.parametrize("kind", [Replaced, Shown])
def test_state_that_turns_writeable_or_read_only_is_refused_where_the_program_tells(kind):
    with pytest.raises(ExportError, match="E112.*`b`, which is .*, is replaced by an array that is"):
        export(kind(), (np.ones(3),))


def test_arrays_that_calls_make_longer_are_as_writeable_as_the_program_finds_them():
    eager, run = Grown(), export(Grown(), (np.ones(3),)).module()
    for _ in range(3):
        assert outcome(run, (np.ones(3),)) == outcome(eager, (np.ones(3),))


class Unseen:
    """Nobody can tell that the state turns read-only."""

    def __init__(self):
        self.b = np.zeros(3)

    def __call__(self, x):
        last, self.b = self.b + 1, np.broadcast_to(x[:1], (3,))
        return last


def test_state_that_turns_read_only_is_captured_where_nobody_can_tell():
    eager, run = Unseen(), export(Unseen(), (np.ones(3),)).module()
    for number in range(3):
        assert outcome(run, (np.full(3, 1.0 + number),)) == outcome(eager, (np.full(3, 1.0 + number),))


class Second:
    """Another name of the same elements is marked read-only, which the next call finds."""

    def __init__(self):
        self.a = np.arange(3.0)
        self.b = self.a[:]

    def __call__(self, x):
        self.a[0] += 1
        self.b.flags.writeable = False
        return self.a


class First(Second):
    def __call__(self, x):
        self.a.flags.writeable = False
        return self.b + x


@pytest.mark.parametrize(("kind", "name"), [(Second, "b"), (First, "a")])
def test_flags_of_either_name_of_the_same_elements_are_not_changed(kind, name):
    with pytest.raises(ExportError, match=f"E112.*the flags of {name} itself are changed"):
        export(kind(), (np.ones(3),))
