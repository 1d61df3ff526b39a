"""Small promises of the public names that users of ``torch.export`` and NumPy rely on."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

from npexport import (
    AdditionalInputs,
    ConstraintViolation,
    Dim,
    InputKind,
    InputMismatch,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
    Unsupported,
    UserError,
    check,
    export,
    export_for_training,
    load,
    nn,
    save,
)
from npexport.symshapes.ranges import int_oo
from tests.support.forms import reloaded

X = np.arange(3.0)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.ones(3))
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x):
        self.calls += 1
        return x * self.weight


LISTING = """\
graph():
    %p_weight : [num_users=1] = placeholder[target=p_weight]
    %b_calls : [num_users=2] = placeholder[target=b_calls]
    %x : [num_users=1] = placeholder[target=x]
    %add : [num_users=1] = call_function[target=ops.np.add](args = (%b_calls, 1), kwargs = {})
    %setitem : [num_users=1] = call_function[target=ops.np.setitem](args = (%b_calls, ..., %add), kwargs = {})
    %multiply : [num_users=1] = call_function[target=ops.np.multiply](args = (%x, %p_weight), kwargs = {})
    return (setitem, multiply)"""


def test_graphs_are_listed():
    assert str(export(Counting(), (X,)).graph) == LISTING


def test_specs_show_what_is_set():
    spec = InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None)
    assert repr(spec) == "InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=TensorArgument(name='x'), target=None, persistent=None)"
    spec.layout = "C"
    assert repr(spec).endswith("persistent=None, layout='C')")
    output = OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument("add"), "calls", rebinds=True)
    assert repr(output) == "OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, arg=TensorArgument(name='add'), target='calls', rebinds=True)"


@pytest.mark.parametrize(
    ("dim", "name", "low", "high"),
    [
        (Dim("d"), "d", 0, int_oo),
        (2 * Dim("d", min=2, max=9) + 1, "2*d + 1", 5, 19),
        (32 - Dim("d", min=2, max=9), "32 - d", 23, 30),
        (32 - Dim("d"), "32 - d", 0, 32),
        (Dim("d", max=9) // 2, "d//2", 0, 4),
    ],
    ids=str,
)
def test_dims_have_names_and_bounds(dim, name, low, high):
    assert (dim.__name__, dim.min, dim.max) == (name, low, high)


def keyed(x):
    return {float(x.sum()): x}


def fold(x):
    return x.reshape(-1, 3)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (Unsupported, lambda: export(keyed, (X,))),
        (ConstraintViolation, lambda: export(fold, (X,), dynamic_shapes={"x": {0: Dim("n")}})),
        (InputMismatch, lambda: export(fold, (X,)).module()(2)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_errors_are_pickled_and_copied(kind, call):
    with pytest.raises(kind) as caught:
        call()
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(again) is kind and str(again) == str(caught.value)
        assert (again.code, again.hint, again.location) == (caught.value.code, caught.value.hint, caught.value.location)


def sided(x):
    return x if x.shape[0] < 5 else -x


def test_additional_inputs_are_verified():
    """… at export, and without computing: the examples' arrays are not written to."""

    def bump(x):
        x += 1
        return x.sum()

    fitting = AdditionalInputs()
    more = np.zeros(4)
    fitting.add((more,))
    program = export(bump, (X,), dynamic_shapes=fitting)
    fitting.verify(program)
    assert program.module()(np.zeros(4)) == 4 and (more == 0).all()

    other = AdditionalInputs()
    other.add((np.ones(4),))
    other.add((np.ones(9),))
    with pytest.raises(InputMismatch, match=r"additional example 2: (.|\n)*x\.shape\[0\]"):
        export(sided, (X,), dynamic_shapes=other)


def test_inputs_are_checked_without_a_call():
    module = export(Counting(), (X,)).module()
    module.check_inputs(X)
    for args, kwargs in (((), {}), ((X, X), {}), ((X,), {"y": 1}), ((np.ones(4),), {})):
        with pytest.raises(InputMismatch):
            module.check_inputs(*args, **kwargs)
    assert dict(module.named_buffers())["calls"] == 0


PROGRAM = export(lambda x: x + 1, (X,))


@pytest.mark.parametrize(
    "call",
    [
        lambda: save(3, io.BytesIO()),
        lambda: save(PROGRAM, 3),
        lambda: save(PROGRAM, io.StringIO()),
        lambda: load(3),
        lambda: load(b"PK"),
        lambda: load(io.StringIO("PK")),
    ],
)
def test_files_and_programs_are_asked_for(call):
    with pytest.raises(UserError) as caught:
        call()
    assert caught.value.code == "E201"


def test_export_for_training_keeps_composites():
    layer = nn.Sequential(nn.Conv2d(1, 3, 1), nn.BatchNorm2d(3))
    program = export_for_training(layer, (np.ones((2, 1, 3, 3), np.float32),))
    assert {"conv2d", "batch_norm_train"} <= {node.target.name for node in program.graph if node.op == "call_function"}
    assert set(program.graph_signature.buffers_to_mutate.values()) == {"1.running_mean", "1.running_var", "1.num_batches_tracked"}


def of_data(x):
    check(x.min() > 0, "x must be positive")
    return np.log(x)


def of_a_number(x):
    count = int((x > 0).sum())
    check(count > 2, lambda: "most of x must be positive")
    return x * 2


def of_a_length(x):
    kept = x[x > 0]
    check(len(kept) > 2, "most of x must be positive")
    return x + 1


def of_a_constant(x):
    kept = x[x > 0]
    check(kept.shape[0] == 3, "all of x must be positive")
    return kept + np.ones(3)


def before_its_use(x):
    count = int(x.astype(int)[0])
    check(count > 0, "x[0] must be positive")
    return np.ones(count)


@pytest.mark.parametrize("program", [of_data, of_a_number, of_a_length, of_a_constant, before_its_use])
def test_checks_on_data_are_held_while_the_program_runs(program):
    exported = export(program, (X + 1,))
    for run in (exported.module(), reloaded(exported).module()):
        np.testing.assert_array_equal(run(X + 1), program(X + 1))
        with pytest.raises(AssertionError, match="must be positive"):
            run(-X - 1)
    with pytest.raises(AssertionError, match="must be positive"):
        program(-X - 1)


def test_checks_that_are_proved_leave_nothing_behind():
    def program(x):
        check(len(x[x > 0]) >= 0)
        return x

    exported = export(program, (X,))
    assert not exported.guards and len(exported.graph) == 2


@pytest.mark.parametrize(
    "again", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)
def test_programs_and_modules_are_copied(again):
    """Also those of dynamic sizes; a copy of a module has a state of its own, which is that of the module now."""
    program = export(fold, (X,), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert str(again(program)) == str(program)
    for run in (again(program).module(), again(program.module())):
        assert run(np.ones(6)).shape == (2, 3)
        with pytest.raises(InputMismatch):
            run(np.ones(7))

    run = export(Counting(), (X,)).module()
    run(X)
    other = again(run)
    if again is not copy.copy:
        other(X)
        other(X)
        assert dict(run.named_buffers())["calls"] == 1
        assert dict(other.named_buffers())["calls"] == 3
