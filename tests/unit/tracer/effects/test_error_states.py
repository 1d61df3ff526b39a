"""What a program sets of NumPy's error state is in force where it runs, whatever the caller's is; kinds that it does not set are the
caller's.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np
import pytest

from npexport import ExportedProgram, ExportError, cond, export, while_loop
from tests.support.forms import FORMS, reloaded
from tests.support.functions import function_of
from tests.support.told import CALLERS, told

X, Y = np.array([1.0, 0.0, -1.0]), np.zeros(3)


def divided(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = x / y
    return z, np.log(x)


def one_kind(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):
        return x / y


def put_back(x: Any, y: Any) -> Any:
    old = np.seterr(divide="ignore")
    z = x / y
    np.seterr(**old)
    return z, y / x, np.sqrt(x) / y


def put_back_one(x: Any, y: Any) -> Any:
    old = np.geterr()
    np.seterr(all="ignore")
    z = np.log(x)
    np.seterr(divide=old["divide"], over=old["over"])
    z = z + 1 / y + y / y
    np.seterr(**old)
    return z


@np.errstate(all="ignore")
def decorated(x: Any, y: Any) -> Any:
    return x / y, np.sqrt(x), x[1] / y[0]


def nested(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        a = x / y
        with np.errstate(divide="warn"):
            b = 1 / y + y / y
        with np.errstate(over="raise"):
            c = np.log(x)
    return a, b, c


def says_warn(x: Any, y: Any) -> Any:
    with np.errstate(all="warn"):
        return x / y


def where(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(x, y, where=x != 0, out=np.zeros(3)), np.where(y == 0, 0, x / y)


def scalars(x: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):
        return x[0] / y[0], np.float64(1) / y[1], x[1] / y[1]


def written(x: Any, y: Any) -> Any:
    narrow = np.zeros(3, np.int32)
    with np.errstate(invalid="ignore"):
        narrow[:] = x * np.nan
    x /= y
    with np.errstate(all="ignore"):
        x /= y
    return narrow, x


def one_side(x: Any, y: Any) -> Any:
    if x.sum() > 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = x / y
    else:
        z = x / y
    return z, np.log(y)


def within_a_side(x: Any, y: Any) -> Any:
    if x.sum() > 5:
        return x / y
    with np.errstate(divide="ignore"):
        return y / x


def returned_within(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        if x.sum() > 5:
            return x / y
        if y.sum() > 5:
            return y / x
    return x / y


def set_on_both(x: Any, y: Any) -> Any:
    if x.sum() > 5:
        old = np.seterr(all="ignore")
        z = x * 1
    else:
        old = np.seterr(all="ignore")
        z = y / x
    z = z / y
    np.seterr(**old)
    return z / y


def within_iterations(x: Any, y: Any) -> Any:
    z = x * 1.0
    while z.sum() < 9:
        with np.errstate(all="ignore"):
            z = np.abs(x / y) + z + 4
    return z / y


def used_twice(x: Any, y: Any) -> Any:
    state = np.errstate(all="ignore")
    with state:
        z = x / y if x.sum() > 5 else y / x
    try:
        state.__exit__()
    except RuntimeError:
        return z
    return x


def around_branch(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        if x.sum() > 0:
            z = x / y
        else:
            z = np.sqrt(x)
    return z / y


def given_functions(x: Any, y: Any) -> Any:
    def quiet(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return x / y

    return cond(x.sum() > 0, quiet, lambda x: x / y, (x,))


def unrolled(x: Any, y: Any) -> Any:
    x = x + 0
    for step in range(3):
        with np.errstate(divide="ignore" if step else "warn"):
            x = x + np.exp(-1 / y) * step
    return x


def captured_loop(x: Any, y: Any) -> Any:
    x, y = x + 0, y + 0
    while x.sum() < 5:
        with np.errstate(divide="ignore"):
            x = x + 1 + np.exp(-1 / np.abs(y))
        y = y + np.sqrt(x - 2)
    return x, y


def around_loop(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        return while_loop(lambda x: x.sum() < 4, lambda x: (x + 1 + np.exp(-1 / y),), (x,))


def within_generator(x: Any, y: Any) -> Any:
    def parts() -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            for iteration in range(2):
                yield x / (y * (iteration + 1))

    return sum(parts())


def after_exception(x: Any, y: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            z = x / y
            raise KeyError
    except KeyError:
        return z + np.log(x)


def of_numpy(x: Any, y: Any) -> Any:
    return np.nanmax(x / (x + 2)), np.linalg.norm(x), np.nan_to_num(y / (x + 2)), np.isclose(x, y)


def told_twice(x: Any, y: Any) -> Any:
    with np.errstate(divide="warn", invalid="warn"):
        z = x / y
        return z + x / y, [np.log(x) for _ in range(2)]


PROGRAMS = (
    told_twice, divided, one_kind, put_back, put_back_one, decorated, nested, says_warn, where, scalars, written, one_side, around_branch,
    within_a_side, returned_within, set_on_both, within_iterations, used_twice,
    given_functions, unrolled, captured_loop, around_loop, within_generator, after_exception, of_numpy,
)  # fmt: skip


@functools.cache
def exported(program: Any) -> ExportedProgram:
    return export(program, (X, Y))


def as_python(program: ExportedProgram) -> Any:
    return function_of(program.to_python())


def exported_again(program: ExportedProgram) -> Any:
    return export(program.module(), (X, Y)).module()


RUNS: dict[str, Any] = {name: lambda program, form=form: form(program).module() for name, form in FORMS.items()}
RUNS |= {"decomposed": lambda program: program.run_decompositions().module(), "python": as_python}


@pytest.mark.parametrize("form", RUNS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_told_is_what_eager_execution_tells(program: Any, form: str) -> None:
    run = RUNS[form](copy.deepcopy(exported(program)))
    for state in CALLERS:
        for args in ((X, Y), (X + 3, Y), (X, Y + 2)):
            np.testing.assert_equal(told(run, args, state), told(program, args, state))


@pytest.mark.parametrize("program", [divided, put_back, decorated, nested, where, scalars])
def test_exported_again(program: Any) -> None:
    run = exported_again(export(program, (X, Y)))
    for state in CALLERS:
        np.testing.assert_equal(told(run, (X, Y), state), told(program, (X, Y), state))


def test_the_state_at_the_export_is_not_the_programs() -> None:
    for state in ("ignore", "raise", "warn"):
        with np.errstate(all=state):
            run = export(put_back, (X + 3, Y + 1)).module()
        for caller in CALLERS:
            np.testing.assert_equal(told(run, (X, Y), caller), told(put_back, (X, Y), caller))


def test_errors_that_the_caller_makes_exceptions_at_the_export_are_not_the_programs_until_it_says_so() -> None:
    def program(x: Any) -> Any:
        with np.errstate(over="raise"):
            return x * 1e300

    with np.errstate(all="raise"):
        run = export(program, (X,)).module()
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError):
        run(X * 1e300)


def test_equal_calls_in_different_states_are_two() -> None:
    def program(x: Any, y: Any) -> Any:
        a = x / y
        with np.errstate(all="ignore"):
            return a, x / y

    made = export(program, (X, Y))
    assert [str(node.target) for node in FORMS["passes"](made).graph.find_nodes(op="call_function")] == ["ops.np.divide"] * 2
    for state in CALLERS:
        np.testing.assert_equal(told(made.module(), (X, Y), state), told(program, (X, Y), state))


def test_calls_that_meet_no_errors_have_no_state() -> None:
    def program(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return x.T[::-1], np.logical_not(x), x.reshape(3, 1)

    assert not any("errors" in node.meta for node in export(program, (X,)).graph.nodes)


def test_lines_of_programs_that_set_nothing_are_what_they_were() -> None:
    def program(x: Any, y: Any) -> Any:
        return x / y

    made = export(program, (X, Y))
    assert "np.errstate" not in made.to_python() and "np.errstate" not in made.graph_module.code


def stays(x: Any) -> Any:
    np.seterr(divide="ignore")
    return 1 / x


def spelled_out(x: Any) -> Any:
    np.seterr(divide="ignore")
    y = 1 / x
    np.seterr(divide="warn")
    return y


def one_side_stays(x: Any) -> Any:
    if x.sum() > 0:
        np.seterr(divide="warn")
        y = 1 / x
    else:
        y = x + 1
    return y


def looks(x: Any) -> Any:
    return x if np.geterr()["divide"] == "warn" else -x


def tells(x: Any) -> Any:
    return np.geterr()


def shows(x: Any) -> Any:
    return x, f"{np.geterr()['divide']}"


def calls(x: Any) -> Any:
    with np.errstate(over="call"):
        return x * 1e300


def logs(x: Any) -> Any:
    with np.errstate(divide="log", call=print):
        return 1 / x


def own_function(x: Any) -> Any:
    with np.errstate(call=print):
        return 1 / x


REFUSED = [
    (stays, "E112"), (spelled_out, "E112"), (one_side_stays, "E103"), (looks, "E108"), (tells, "E108"), (shows, "E108"),
    (calls, "E101"), (logs, "E101"), (own_function, "E101"),
]  # fmt: skip


@pytest.mark.parametrize("program, code", REFUSED)
def test_refused(program: Any, code: str) -> None:
    with pytest.raises(ExportError) as error:
        export(program, (X,))
    assert error.value.code == code


def test_a_function_that_nothing_calls() -> None:
    def program(x: Any) -> Any:
        with np.errstate(all="ignore", call=print):
            return 1 / x

    run = export(program, (X,)).module()
    for state in CALLERS:
        np.testing.assert_equal(told(run, (X,), state), told(program, (X,), state))


def test_printed_errors(capfd: pytest.CaptureFixture[str]) -> None:
    def program(x: Any) -> Any:
        with np.errstate(divide="print"):
            return 1 / x

    found = []
    for run in (program, export(program, (X,)).module(), reloaded(export(program, (X,))).module()):
        run(X)
        found.append(capfd.readouterr())
    assert found[0] == found[1] == found[2] and "divide by zero" in "".join(found[0])


def test_a_warning_that_is_an_error_leaves_the_callers_arrays_alone() -> None:
    """Whether results may lie in the memory of what is mutated depends on what the program warns of, too."""

    def program(x: Any, y: Any) -> Any:
        with np.errstate(all="warn"):
            x *= 2
            x /= y

    run = export(program, (X, Y)).module()
    for each in (run, program):
        x = np.array([1.0, 2.0, 3.0])
        with np.errstate(all="ignore"), pytest.raises(RuntimeWarning), warnings_as_errors():
            each(x, Y)


def warnings_as_errors() -> Any:
    import contextlib
    import warnings

    @contextlib.contextmanager
    def manager() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield

    return manager()


def test_operators_of_users_run_in_the_state() -> None:
    from npexport import custom_op

    @custom_op("tests_error_states::inverse", mutates_args=())
    def inverse(x: np.ndarray) -> np.ndarray:
        return 1 / x

    inverse.register_fake(np.empty_like)

    def program(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return inverse(x)

    run = export(program, (X,)).module()
    for state in CALLERS:
        np.testing.assert_equal(told(run, (X,), state), told(program, (X,), state))


def test_partial_of_errstate() -> None:
    quiet = functools.partial(np.errstate, all="ignore")

    def program(x: Any) -> Any:
        with quiet():
            return 1 / x

    assert told(export(program, (X,)).module(), (X,), "warn")[2] == []


@pytest.mark.parametrize("out", ["y[0]", "3"])
def test_what_refuses_its_output_beside_errors_of_data_is_refused(out: str) -> None:
    """Which of both comes first is NumPy's own business."""
    lines = (
        "def f(x, y):\n    with np.errstate(over='raise'):\n        try: np.dot(x, x, out={})\n        except FloatingPointError: return 1"
    )
    with pytest.raises(ExportError, match="refuses its out="):
        export(function_of(lines.format(out), {"np": np}), (X * 1e200, Y))
