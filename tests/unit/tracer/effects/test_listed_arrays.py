"""Lists of the state that hold what others hold, too: inputs, results, state by itself. Calls are refused once somebody has written
to such an array; else they are eager.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import pickle
from collections import deque

import numpy as np
import pytest

from npexport import ExportError, InputMismatch, UserError, export, load, save, unflatten
from npexport.runtime import listed_arrays
from tests.support.forms import reloaded


class PutsInputs:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x)
        return np.sum(self.rows, axis=0)


class PutsViews:
    def __init__(self):
        self.rows = deque(maxlen=3)

    def __call__(self, x):
        self.rows.append(x[1:])
        return self.rows[0].sum()


class PutsResults:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        y = x * 2
        self.rows.append(y)
        return y


class PutsState:
    def __init__(self):
        self.rows, self.w, self.n = [], np.zeros(3), 0

    def __call__(self, x):
        self.w = self.w + x
        self.rows.append((self.w, self.n))
        self.n += 1
        return sum(w[0] for w, _ in self.rows), self.w


class PutsWhereItRaises:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x)
        if x[0] < 0:
            raise ValueError("below")
        return np.sum(self.rows, axis=0)


FORMS = {
    "module": lambda program: program.module(),
    "saved": lambda program: reloaded(program).module(),
    "decomposed": lambda program: program.run_decompositions().module(),
    "tree": unflatten,
}
CLASSES = (PutsInputs, PutsViews, PutsResults, PutsState, PutsWhereItRaises)


def same(value, other):
    np.testing.assert_equal(value, other)
    return True


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("make", CLASSES)
def test_arrays_that_nobody_writes_to_may_be_in_lists(make, form):
    run, eager, kept = form(export(make(), (np.ones(3),))), make(), []
    for call in range(100):
        x = np.arange(3.0) + call
        kept.append(x)
        assert same(run(x), eager(x.copy()))
    assert len(eager.rows) in (3, 100)


def written(array):
    array[0] += 1


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("make", CLASSES)
def test_a_call_is_refused_once_such_an_array_was_written_to(make, form):
    run, x = form(export(make(), (np.ones(3),))), np.arange(3.0)
    got = run(x)
    theirs = {PutsResults: got, PutsState: got[-1] if isinstance(got, tuple) else got}.get(make, x)
    written(theirs[1:])
    for _ in range(2):
        with pytest.raises(InputMismatch, match="an earlier call may have put into a list of the state, was changed since") as refused:
            run(np.ones(3))
        assert "copies" in refused.value.hint
    theirs[1:][0] -= 1
    run(np.ones(3))


def test_an_input_counts_from_the_beginning_of_a_call_that_raises():
    run, x = export(PutsWhereItRaises(), (np.ones(3),)).module(), np.array([-1.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="below"):
        run(x)
    written(x)
    with pytest.raises(InputMismatch, match="`x`"):
        run(np.ones(3))


def test_shape_and_strides_count_as_content():
    run, x = export(PutsInputs(), (np.ones((2, 2)),)).module(), np.ones((2, 2))
    run(x)
    with pytest.warns(DeprecationWarning) if np.lib.NumpyVersion(np.__version__) >= "2.5.0" else contextlib.nullcontext():
        x.shape = 4
    with pytest.raises(InputMismatch):
        run(np.ones((2, 2)))


class WritesToAnother:
    def __init__(self):
        self.rows = []

    def __call__(self, x, y):
        self.rows.append(x)
        y += 1
        return np.sum(self.rows, axis=0)


def test_a_call_that_writes_to_such_an_array_is_refused_before_it_writes():
    run, x, y = export(WritesToAnother(), (np.ones(3), np.ones(3))).module(), np.arange(3.0), np.arange(3.0)
    run(x, y)
    with pytest.raises(InputMismatch, match="shares memory with what this call writes to"):
        run(np.ones(3), x[:])
    assert x.tolist() == [0, 1, 2]
    assert same(run(y, np.ones(3)), x + y)


def test_arrays_that_nobody_else_has_are_not_kept():
    run, data = export(PutsInputs(), (np.ones(3),)).module(), np.ones((3, 3))
    for row in data:
        run(row)
    for _ in range(3):
        run(np.ones(3))
    del data, row
    gc.collect()
    run(x := np.ones(3))
    assert [array is x for array, _, _ in run._listed.all()] == [True]


def test_arrays_that_no_list_holds_any_more_are_forgotten():
    run, data = export(PutsViews(), (np.ones(3),)).module(), np.arange(3000.0).reshape(1000, 3)
    for row in data:
        run(row)
    assert len(run._listed.all()) <= listed_arrays._FEW + 1
    written(data[0])
    run(np.ones(3))
    written(data[-1])
    with pytest.raises(InputMismatch):
        run(np.ones(3))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
def test_copies_of_a_module_share_arrays_as_it_does(copied):
    run, x = export(PutsState(), (np.ones(3),)).module(), np.ones(3)
    run(x)
    other = copied(run)
    written(dict(run.named_buffers())["w"])
    assert other(x)[0] == 3
    written(dict(copied(other).named_buffers())["w"])
    again = copied(other)
    written(dict(again.named_buffers())["w"])
    with pytest.raises(InputMismatch, match="`w`"):
        again(x)
    with pytest.raises(InputMismatch, match="`w`"):
        run(x)


def test_what_the_program_itself_writes_to_is_refused():
    class Writes(PutsInputs):
        def __call__(self, x):
            x += 1
            return super().__call__(x)

    with pytest.raises(ExportError) as refused:
        export(Writes(), (np.ones(3),))
    assert refused.value.code == "E112" and "`self.rows`, which calls make longer, may hold `x` itself" in refused.value.message
    assert "append(x.copy())" in refused.value.hint


def test_plain_python_has_no_such_lists(tmp_path):
    program = export(PutsInputs(), (np.ones(3),))
    with pytest.raises(UserError) as refused:
        program.to_python()
    assert refused.value.code == "E244" and "append(x.copy())" in refused.value.hint
    save(program, tmp_path / "rows.np2")
    specs = load(tmp_path / "rows.np2").graph_signature
    assert [spec.listed for spec in specs.input_specs] == [False, True]


def test_deques_take_no_place_to_pop():
    class Pops:
        def __init__(self):
            self.rows = deque()

        def __call__(self, x):
            self.rows.append(x[0] * 2)
            if len(self.rows) > 2:
                try:
                    self.rows.pop(0)
                except TypeError as error:
                    return str(error)
            return len(self.rows)

    run, eager = export(Pops(), (np.ones(2),)).module(), Pops()
    assert [run(np.ones(2)) for _ in range(3)] == [eager(np.ones(2)) for _ in range(3)]


def test_whoever_has_one_view_has_the_memory_of_others():
    run, data = export(PutsInputs(), (np.ones(3),)).module(), np.ones((3, 3))
    run(data[1])
    run(first := data[0])
    del data
    run(np.ones(3))
    written(first.base[1])
    with pytest.raises(InputMismatch):
        run(np.ones(3))


def test_an_array_that_was_written_to_before_it_was_given_up_counts():
    run, x = export(PutsInputs(), (np.ones(3),)).module(), np.ones(3)
    run(x)
    written(x)
    del x
    other = copy.deepcopy(run)
    for each in (run, other):
        with pytest.raises(InputMismatch):
            each(np.ones(3))
