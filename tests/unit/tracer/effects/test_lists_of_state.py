"""Lists of the exported object that calls make longer or shorter, dicts and sets whose keys data decide: histories, windows, stacks,
visited states, counts, tables of values (E112 before).

Each class is exported with a fixed and with a dynamic size, also saved, decomposed and copied in the middle; every call gives what the
eager object gives.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter, defaultdict, deque

import numpy as np
import pytest

from npexport import Dim, ExportError, InternalError, TensorArgument, export, unflatten
from tests.support.arrays_harness import compare
from tests.support.forms import reloaded


class Log:
    def __init__(self):
        self.history = []

    def __call__(self, x):
        loss = float((x**2).mean())
        self.history.append(loss)
        return loss


class Converges:
    def __init__(self):
        self.history = []

    def __call__(self, x):
        self.history.append(float(x.sum()))
        if len(self.history) > 1 and abs(self.history[-1] - self.history[-2]) < 0.1:
            return True, np.mean(self.history)
        return False, self.history[0]


class EarlyStopping:
    def __init__(self, patience=2):
        self.losses, self.patience, self.stopped = [], patience, False

    def __call__(self, x):
        self.losses.append(float((x**2).mean()))
        if len(self.losses) > self.patience and self.losses[-1] > min(self.losses[: -self.patience]):
            self.stopped = True
        return self.stopped


class Window:
    def __init__(self):
        self.values, self.total = [], 0.0

    def __call__(self, x):
        self.values.append(float(x[0]))
        self.total += float(x[0])
        if len(self.values) > 3:
            self.total -= self.values.pop(0)
        return self.total / len(self.values)


class Sliding:
    def __init__(self):
        self.values = deque(maxlen=3)

    def __call__(self, x):
        self.values.append(float(x.mean()))
        return sum(self.values) / len(self.values), list(self.values)


class DelayLine:
    def __init__(self):
        self.line = deque([0.0] * 3, maxlen=3)

    def __call__(self, x):
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = x[i] + 0.5 * self.line[0]
            self.line.append(out[i])
        return out


class Rows:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x[:3] * 2)
        return np.stack(self.rows).sum(0)


class Steps:
    def __init__(self):
        self.log, self.n = [(0, 0.5)], 0

    def __call__(self, x):
        self.n += 1
        self.log.append((self.n, float(x.max())))
        return max(value for _, value in self.log), self.log[-1]


class Curves:
    def __init__(self):
        self.curves = {"loss": [], "accuracy": []}

    def __call__(self, x):
        self.curves["loss"].append((x**2).mean())
        self.curves["accuracy"].append((x > 0).mean())
        return np.array(self.curves["loss"]) - self.curves["accuracy"][-1]


class MadeInTheFirstCall:
    def __init__(self):
        self.curves, self.found, self.seen = {}, None, defaultdict(list)

    def __call__(self, x):
        if self.found is None:
            self.found = []
        self.found.append(float(x[0]))
        self.curves.setdefault("loss", []).append(float(x.sum()))
        self.seen["max"].append(x.max())
        return len(self.curves["loss"]), sum(self.found), np.mean(self.seen["max"])


class Events:
    def __init__(self):
        self.events, self.time = [], 0.0

    def __call__(self, x):
        self.time += 0.1
        for i, value in enumerate(x):
            if abs(value) > 1:
                self.events.append((self.time, i, float(value)))
        return len(self.events), sum(value for _, _, value in self.events)


class Best:
    def __init__(self):
        self.best, self.found = np.inf, []

    def __call__(self, x):
        loss = float(np.abs(x).sum())
        if loss < self.best:
            self.best = loss
            self.found.append(loss)
        return self.best, len(self.found)


class Stack:
    def __init__(self):
        self.items = [1.0]

    def __call__(self, x):
        if x[0] > 0:
            self.items.append(float(x[0]))
        elif self.items:
            self.items.pop()
        return len(self.items), sum(self.items)


class Sorted:
    def __init__(self):
        self.values = []

    def __call__(self, x):
        self.values = sorted([*self.values, float(x.mean())])
        return self.values[len(self.values) // 2]


class Replaced:
    def __init__(self):
        self.values = []

    def __call__(self, x):
        self.values = (self.values + [float(x[0])])[-3:]
        if len(self.values) == 3 and self.values[0] > 0:
            self.values.clear()
        return sum(self.values)


class Raises:
    def __init__(self):
        self.values = []

    def __call__(self, x):
        self.values.append(float(x[0]))
        self.values.append(math.sqrt(x[1]))
        return len(self.values)


class Pairs:
    def __init__(self):
        self.path = [[0.0, 0.0]]

    def __call__(self, x):
        self.path.append([self.path[-1][0] + float(x[0]), self.path[-1][1] - float(x[1])])
        return self.path[-1][0], len(self.path)


class Records:
    def __init__(self):
        self.records, self.n = [], 0

    def __call__(self, x):
        self.n += 1
        self.records.append({"step": self.n, "loss": float(x.sum())})
        return x + len(self.records)


class Texts:
    def __init__(self):
        self.lines = []

    def __call__(self, x):
        self.lines.append(f"{x[0]:.2f}")
        return ", ".join(self.lines)


class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)

    @property
    def average(self):
        return sum(self.values) / len(self.values)


class OfParts:
    def __init__(self):
        self.meters = [Meter(), Meter()]

    def __call__(self, x):
        for i, meter in enumerate(self.meters):
            meter.update(float(x[i]))
        return [meter.average for meter in self.meters]


class Seen:
    def __init__(self):
        self.seen = set()

    def __call__(self, x):
        self.seen.add(int(x.argmax()))
        if len(self.seen) == 4:
            self.seen.clear()
        return len(self.seen), 2 in self.seen, sorted(self.seen)


class Counts:
    def __init__(self):
        self.counts, self.sums, self.signs = {}, defaultdict(float), Counter()

    def __call__(self, x):
        key = int(x.argmax())
        self.counts[key] = self.counts.get(key, 0) + 1
        self.sums[key] += float(x.max())
        for value in x:
            self.signs[int(value > 0)] += 1
        return self.counts[key], len(self.counts), sum(self.sums.values()), self.signs[1]


class Values:
    def __init__(self):
        self.values, self.before = {(0, 0): 1.0}, (0, 0)

    def __call__(self, x):
        state = int(x.argmax()), int(x[0] > 0)
        old = self.values.get(self.before, 0.0)
        self.values[self.before] = old + 0.5 * (float(x.sum()) + 0.9 * self.values.get(state, 0.0) - old)
        self.before = state
        return self.values.get(state, 0.0), list(self.values.items())


class RowsByKey:
    def __init__(self):
        self.rows, self.n = {}, 0

    def __call__(self, x):
        self.n += 1
        self.rows[self.n % 3] = self.rows.get(self.n % 3, np.zeros(3)) + x[:3]
        if len(self.rows) == 3 and x[0] > 0:
            del self.rows[self.n % 3]
        return sum(row.sum() for row in self.rows.values())


class Follows:
    """The first call puts nothing into the list, and begins what later ones put into it."""

    def __init__(self):
        self.steps, self.last = [], None

    def __call__(self, x):
        if self.last is not None:
            self.steps.append((x - self.last).sum())
        self.last = x.copy()
        return len(self.steps)


CLASSES = [
    Log, Converges, EarlyStopping, Window, Sliding, DelayLine, Rows, Steps, Curves, MadeInTheFirstCall, Events, Best, Stack, Sorted,
    Replaced, Raises, Pairs, Records, Texts, OfParts, Seen, Counts, Values, RowsByKey, Follows,
]  # fmt: skip


def _inputs():
    rng = np.random.default_rng(4)
    found = [np.round(rng.standard_normal(4) * 1.5, 2) for _ in range(7)]
    found[0][:2] = np.abs(found[0][:2])
    found[4] = found[3] + 1e-4
    return found


def _outcome(function, x):
    try:
        return None, function(x)
    except Exception as error:
        return repr(error), None


def _compare_calls(module, make, between=lambda module: module):
    eager = make()
    for call, x in enumerate(_inputs()):
        if call == 3:
            module = between(module)
        (failed, have), (error, want) = _outcome(module, x.copy()), _outcome(eager, x.copy())
        assert failed == error, call
        compare(want, have)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("make", CLASSES)
def test_lists_get_longer_and_shorter_call_after_call(make, dynamic):
    program = export(make(), (_inputs()[0],), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    _compare_calls(program.module(), make)
    _compare_calls(program.module(), make, copy.deepcopy)
    _compare_calls(reloaded(program).module(), make, lambda module: pickle.loads(pickle.dumps(module)))
    _compare_calls(program.run_decompositions().module(), make)


@pytest.mark.parametrize("make", [Window, Steps, Rows])
def test_trees_and_modules_exported_again_go_on_with_lists(make):
    program = export(make(), (_inputs()[0],))
    _compare_calls(unflatten(program), make)
    _compare_calls(export(program.module(), (_inputs()[0],)).module(), make)


def test_columns_are_buffers_outside_the_state_dict():
    program = export(Steps(), (_inputs()[0],))
    assert [(spec.target, spec.persistent) for spec in program.graph_signature.input_specs[:3]] == [
        ("n", False), ("log.column_0", False), ("log.column_1", False),
    ]  # fmt: skip
    module = program.module()
    for x in _inputs()[:3]:
        module(x)
    held = dict(module.named_buffers())
    assert program.state_dict == {} and held["log.column_0"].tolist() == [0, 1, 2, 3] and held["log.column_1"].shape == (4,)


class GivesAnItem:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x * 2)
        return self.rows[0][1:]


class PutsItsState:
    def __init__(self):
        self.rows, self.w = [], np.zeros(4)

    def __call__(self, x):
        self.w += x
        self.rows.append(self.w)
        return self.rows[0].sum()


class GivesTheList:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(float(x[0]))
        return {"rows": self.rows}


class GivesTheDict:
    def __init__(self):
        self.counts = {}

    def __call__(self, x):
        self.counts[int(x.argmax())] = 1
        return self.counts


class GivesListsOfItems:
    def __init__(self):
        self.rows = []

    def __call__(self, x):
        self.rows.append(x * 2)
        return self.rows[-2:]


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (GivesAnItem, "a result, or state by itself", "self.rows[-1].copy()"),
        (PutsItsState, "may hold `w` itself", "append(x.copy())"),
        (GivesTheList, "the result holds `self.rows`", "list(self.rows)"),
        (GivesTheDict, "the result holds `self.counts`", "dict(self.counts)"),
        (GivesListsOfItems, "the result holds `self.rows`, or items of it", "copies"),
    ],
)
def test_what_others_could_write_to_is_refused(make, message, hint):
    with pytest.raises(ExportError) as refused:
        export(make(), (np.ones(4),))
    assert refused.value.code == "E112" and message in refused.value.message and hint in refused.value.hint


class OneListOfTwoNames:
    def __init__(self):
        self.a = self.b = []

    def __call__(self, x):
        self.a.append(float(x[0]))
        return len(self.b)


class KeptTwice:
    def __init__(self):
        self.a, self.b = [], []

    def __call__(self, x):
        self.a = self.a + [float(x[0])]
        self.b = self.a
        self.b.append(1.0)
        return len(self.a)


class BeginsWithItsState:
    def __init__(self):
        self.w = np.ones(4)
        self.rows = [self.w]

    def __call__(self, x):
        self.w += x
        self.rows.append(x * 2)
        return self.rows[0].sum()


class BeginsWithAView:
    def __init__(self):
        self.w = np.ones((2, 4))
        self.rows = [(self.w[0], 1.0)]

    def __call__(self, x):
        self.w += x
        self.rows.append((x * 2, 2.0))
        return self.rows[0][0].sum()


class BeginsWithAnotherList:
    def __init__(self):
        self.pair = [1.0, 2.0]
        self.pairs = [self.pair]

    def __call__(self, x):
        self.pair[0] += float(x[0])
        self.pairs.append([float(x[0]), 1.0])
        return self.pairs[0][0]


class PutsAnotherList:
    def __init__(self):
        self.pair, self.pairs = [1.0, 2.0], []

    def __call__(self, x):
        self.pair[0] += float(x[0])
        self.pairs.append(self.pair)
        return self.pairs[0][0]


@pytest.mark.parametrize(
    "make", [OneListOfTwoNames, KeptTwice, BeginsWithItsState, BeginsWithAView, BeginsWithAnotherList, PutsAnotherList]
)
def test_lists_and_items_of_two_names_are_refused(make):
    with pytest.raises(ExportError, match="E112|E117"):
        export(make(), (np.ones(4),))


def test_sizes_of_items_are_those_of_the_example():
    class Rows:
        def __init__(self):
            self.rows = []

        def __call__(self, x):
            self.rows.append(x - x.mean())
            return self.rows[0].sum(), len(self.rows)

    module = export(Rows(), (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    module(np.arange(4.0))
    with pytest.raises(ExportError, match="keeps this size for the next call"):
        module(np.arange(5.0))


def _damaged(change):
    program = export(Steps(), (_inputs()[0],))
    change(program)
    with pytest.raises(InternalError, match="E902") as broken:
        program.validate()
    return str(broken.value)


def test_columns_of_one_list_have_one_length():
    def longer(program):
        program.constants["log.column_1"] = np.zeros(2)

    def kept(program):
        (column,) = [node for node in program.graph.placeholders if node.name == "b_log_column_1"]
        output = program.graph.output_node
        (place,) = [place for place, spec in enumerate(program.graph_signature.output_specs) if spec.target == "log.column_1"]
        values = list(output.args[0])
        values[place] = column
        output.args = (tuple(values),)
        program.graph_signature.output_specs[place].arg = TensorArgument(column.name)

    def loaded(program):
        for spec in program.graph_signature.input_specs:
            if spec.target == "log.column_1":
                spec.persistent = True
                program.state_dict["log.column_1"] = program.constants.pop("log.column_1")

    assert "the columns of a list differ in length" in _damaged(longer)
    assert "differ in length after a call" in _damaged(kept)
    assert "not a buffer outside the state dict" in _damaged(loaded)
