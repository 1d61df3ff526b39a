"""Exceptions that only data decide, where handlers of the program wait for them; and results that are arrays of
the caller's for some data alone.
"""

from __future__ import annotations

import contextlib
import copy
import math

import numpy as np
import pytest

from npexport import ExportError, export, load, save
from tests.support.outcomes import outcome

PROGRAMS = []
SPD, SINGULAR, INDEFINITE = np.array([[2.0, 1], [1, 3]]), np.array([[1.0, 1], [1, 1]]), np.array([[1.0, 2], [2, 1]])


def given(*arguments):
    def declare(program):
        PROGRAMS.append((program, arguments))
        return program

    return declare


def v(*values):
    return np.array(values, dtype=float)


def n(*values):
    return np.array(values, dtype=np.int64)


class Negative(Exception):
    pass


def strict_root(value):
    if value < 0:
        raise Negative("negative")
    return np.sqrt(value)


def factor(a):
    b = a * 1.0
    return np.linalg.cholesky(b), b


@given((np.array([[2.0, 1], [1, 3]]), v(1, 2)), (np.array([[1.0, 1], [1, 1]]), v(1, 2)))
def safe_solve(a, b):
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(a, b, rcond=None)[0]


@given((np.array([[2.0, 1], [1, 3]]),), (np.array([[1.0, 2], [2, 1]]),))
def chol_jitter(a):
    jitter = 0.0
    try:
        l = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        l = np.linalg.cholesky(a + 5 * np.eye(2))
    return l


@given((np.array([[2.0, 1], [1, 3]]),), (np.array([[1.0, 2], [2, 1]]),))
def chol_try(a):
    for k in range(5):
        try:
            return np.linalg.cholesky(a + k * np.eye(2))
        except np.linalg.LinAlgError:
            continue
    raise ValueError("not psd")


@given((v(1.0, 2),), (v(1.0, 0),))
def zde(x):
    try:
        return float(x[0]) / float(x[1])
    except ZeroDivisionError:
        return 0.0


@given((n(3, 2),), (n(3, 0),))
def int_div(x):
    try:
        q = int(x[0]) // int(x[1])
    except ZeroDivisionError:
        q = 0
    return q


@given((v(4.0),), (v(-4.0),))
def msqrt(x):
    try:
        return math.sqrt(float(x[0]))
    except ValueError:
        return float("nan")


@given((v(1, 2),), (v(-1, 2),))
def own_raise(x):
    def check(y):
        if y.min() < 0:
            raise ValueError("negative")
        return y * 2

    try:
        return check(x)
    except ValueError:
        return np.zeros(2)


@given((np.array([[2.0, 1], [1, 3]]),), (np.array([[1.0, 1], [1, 1]]),))
def inv_else(a):
    try:
        b = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        b = np.linalg.pinv(a)
        ok = False
    else:
        ok = True
    finally:
        c = 1
    return b, ok, c


@given((v(1.0, 2), n(1)), (v(1.0, 0), n(5)))
def idx(x, i):
    try:
        return x[int(i[0])]
    except IndexError:
        return np.float64(-1)


@given((v(1, 2),), (v(-1, -2),))
def ret_input(x):
    if x.sum() > 0:
        return x
    return -x


@given((v(1, 2, 3),), (v(-1, -2, 3),))
def ret_view(x):
    if x[0] > 0:
        return x[::2]
    return x[::2] * 2


@given((v(3, 4),), (v(0, 0),))
def unit(x):
    nrm = np.linalg.norm(x)
    if nrm == 0:
        return x
    return x / nrm


@given((v(3, 4), v(1, 1)), (v(-3, 0), v(1, 2)))
def choose_one(a, b):
    return a if a.sum() > b.sum() else b


@given((v(1.0, 2, 3),), (v(100.0, 2, 3),))
def walrus(x):
    k = 0
    while (m := x.max()) > 1 and k < 20:
        x = x / m * 0.5
        k += 1
    return x, m, k


@given((SPD,), (INDEFINITE,), (INDEFINITE * 3,))
def nearest_pd(a):
    tries = 0
    jitter = 1e-3
    while True:
        try:
            l = np.linalg.cholesky(a + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            jitter = jitter * 10
            tries += 1
    return l, jitter, tries


@given((SPD,), (INDEFINITE,), (INDEFINITE * 30,))
def nearest_pd_for(a):
    jitter = 0.001
    for attempt in range(6):
        try:
            l = np.linalg.cholesky(a + jitter * np.eye(2))
            return l, attempt
        except np.linalg.LinAlgError:
            jitter *= 10
    return np.zeros((2, 2)), -1


@given((SPD, v(1, 2)), (SINGULAR, v(1, 2)))
def finally_flag(a, b):
    log = [0]
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = b * 0
    finally:
        log[0] += 1
    return x, log[0]


@given((SPD, v(1, 2)), (SINGULAR, v(1, 2)))
def except_exception(a, b):
    try:
        x = np.linalg.solve(a, b)
    except Exception:
        x = b * 0
    return x


@given((v(4.0, 1),), (v(-4.0, 2),))
def same_frame(x):
    try:
        if x[0] < 0:
            raise ValueError("neg")
        y = np.sqrt(x)
    except ValueError:
        y = np.zeros(2)
    z = y + 1
    return z


@given((n(3),), (n(0),), (n(-2),))
def parse(x):
    k = int(x[0])
    try:
        r = 10 // k
    except ZeroDivisionError:
        return -1, 0
    else:
        if r < 0:
            return 0, r
    return 1, r


@given((v(1.0, 2),), (v(800.0, 0),), (v(-1.0, 0),))
def overflow(x):
    try:
        y = math.exp(float(x[0]))
    except OverflowError:
        y = float("inf")
    try:
        z = math.log(float(x[1]))
    except (ValueError, OverflowError):
        z = -1.0
    return y, z


@given((SPD, v(1, 2)), (SINGULAR, v(1, 2)), (INDEFINITE, v(1, 2)))
def newton_try(a, b):
    lam = 0.0
    x = b * 0
    for k in range(3):
        try:
            step = np.linalg.solve(a + lam * np.eye(2), b)
        except np.linalg.LinAlgError:
            lam = lam + 1.0
            continue
        x = x + step
    return x, lam


@given((SPD, v(1, 2)), (SINGULAR, v(1, 2)), (INDEFINITE, v(1, 2)))
def newton_while_try(a, b):
    lam = 0.0
    x = b * 0
    k = 0
    while np.linalg.norm(x) < 10 and k < 30:
        k += 1
        try:
            step = np.linalg.solve(a + lam * np.eye(2), b)
        except np.linalg.LinAlgError:
            lam = lam + 1.0
            continue
        x = x + step
    return x, lam, k


@given((SPD, v(1, 2)), (SINGULAR, v(1, 2)))
def suppress(a, b):
    x = b * 0.0
    with contextlib.suppress(np.linalg.LinAlgError):
        x = np.linalg.solve(a, b)
    return x


@given((v(1, 2, 3), n(1)), (v(1, 2, 3), n(7)))
def setitem(x, i):
    y = x.copy()
    try:
        y[int(i[0])] = 9
    except IndexError:
        pass
    return y


@given(
    (v(1, 2, 3),),
    (
        v(
            1,
            2,
            3,
        ),
    ),
)
def nothing(x):
    try:
        y = x + 1
    except ValueError:
        y = x
    return y


@given((n(3, -1),), (n(3, 2),))
def negpow(x):
    try:
        y = x ** x[::-1]
    except ValueError:
        y = x * 0
    return y


@given(
    (v(3, -1),),
    (v(-3, -2),),
)
def firstpos(x):
    try:
        return x[x > 0][0]
    except IndexError:
        return np.float64(-1)


@given(
    (v(3, -1),),
    (v(-3, -2),),
)
def maxempty(x):
    try:
        return x[x > 0].max()
    except ValueError:
        return np.float64(-1)


@given((SPD,), (INDEFINITE,))
def in_a_callee(a):
    try:
        l, b = factor(a)
    except np.linalg.LinAlgError:
        l, b = np.eye(2), a * 2
    return l + b


@given((v(4.0, 1),), (v(-4.0, 2),), (v(-1.0, -2),))
def raised_by_a_callee(x):
    total = np.float64(0)
    for i in range(2):
        try:
            total = total + strict_root(x[i])
        except Negative:
            total = total - 1.0
    return total


def require_ends(x):
    if x[0] < 1 and x[2] > 1:
        raise Negative("both ends")
    return x + 1


def require_middle(x):
    if x[0] > 0:
        x = require_ends(x)
        if x[1] > 2 or x[2] > 5:
            raise KeyError("middle")
    return x * 2


ENDS = tuple((v(*values),) for values in ((0.5, 1, 0.5), (0.5, 1, 2), (2, 0, 2), (2, 5, 2), (2, 0, 9), (-1, 5, 9), (0.2, 9, 9)))


@given(*ENDS)
def caught_outside_of_two_branches(x):
    try:
        x = require_ends(x)
    except Negative:
        x = x * 0
    return x - 1


@given(*ENDS)
def caught_outside_of_functions(x):
    try:
        x = require_middle(x)
    except KeyError:
        x = x - 10
    except Negative:
        x = x - 20
    return x * 3


@given(*ENDS)
def caught_where_a_branch_calls(x):
    if x[1] > 0.5:
        try:
            return require_middle(x)
        except LookupError:
            x = x + 7
        except Negative:
            return x * 0
        finally:
            x = x * 2
    return x


@given(*ENDS)
def caught_in_each_iteration(x):
    for k in range(2):
        try:
            x = require_ends(x - k)
        except Negative:
            x = x + 5
    return x


FLOATS = [(x,) for x in (v(1.0, 2, 3), v(0.0, 2, -3), v(1.0, 0, 2), v(-1.0, 800, 2), v(1.0, 2, 0), v(1.0, np.inf, np.nan))]


@given(*FLOATS)
def a_value_instead_of_an_error(x):
    try:
        with np.errstate(all="raise"):
            return 1 / x.sum() + np.log(x)
    except FloatingPointError:
        return np.zeros_like(x)


@given(*FLOATS)
def told_by_a_flag(x):
    ok = True
    with np.errstate(over="raise", invalid="raise"):
        try:
            y = np.exp(np.sqrt(x) * 100)
        except (FloatingPointError, ValueError):
            ok, y = False, x.copy()
    return y, ok


@given(*FLOATS)
def each_element_by_itself(x):
    total = 0.0
    for value in x:
        try:
            with np.errstate(all="raise"):
                total += np.log(value)
        except ArithmeticError:
            total -= 1
    return total


@given(*FLOATS)
def items_that_stay(x):
    out = np.zeros_like(x)
    with np.errstate(divide="raise"):
        for i in range(3):
            try:
                out[i] = 1 / x[i]
            except FloatingPointError:
                out[i] = -1
    return out


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS])
def test_captured(program, arguments, tmp_path):
    exported = export(program, copy.deepcopy(arguments[0]))
    save(exported, tmp_path / "program.np2")
    again = load(tmp_path / "program.np2")
    for run in (exported.module(), again.module()):
        for each in arguments:
            wanted, found = outcome(program, each), outcome(run, each)
            if not len(wanted) == 2 and "linalg" in program.__code__.co_names:  # LAPACK's rounding depends on alignment
                assert found[2] == wanted[2]
                np.testing.assert_allclose(_numbers(run, each), _numbers(program, each), rtol=1e-12)
            else:
                assert found == wanted


def _numbers(program, arguments):
    result = program(*copy.deepcopy(arguments))
    return np.concatenate([np.ravel(value).astype(float) for value in (result if isinstance(result, tuple) else (result,))])


def written_before_it_raises(x):
    try:
        with np.errstate(divide="raise"):
            np.divide(1.0, x, out=x)
    except FloatingPointError:
        x[0] = 7
    return x


def another_exception(x):
    try:
        with np.errstate(invalid="raise"):
            return np.sqrt(x)
    except FloatingPointError as error:
        raise ValueError("negative") from error


def test_floating_point_errors_that_write_are_refused():
    with pytest.raises(ExportError) as caught:
        export(written_before_it_raises, (v(1.0, 2),))
    assert caught.value.code == "E126" and "FloatingPointError" in caught.value.message


def test_a_floating_point_error_becomes_another_exception():
    run = export(another_exception, (v(1.0, 2),)).module()
    np.testing.assert_array_equal(run(v(4.0, 9)), [2.0, 3.0])
    with pytest.raises(ValueError, match="^negative") as raised:
        run(v(-1.0, 2))
    assert type(raised.value.__cause__) is FloatingPointError


def test_a_message_of_data_is_told():
    def program(x, k):
        try:
            y = x * 1
            with np.errstate(all="raise"):
                y = np.sqrt(y)
            return y.take(k)
        except (IndexError, FloatingPointError) as error:
            raise ValueError(f"no item: {error!s}, {error.args[0]}") from error

    run = export(program, (v(1, 2), np.int64(1))).module()
    for args in ((v(4, 9), np.int64(7)), (v(4, -9), np.int64(1)), (v(4, 9), np.int64(1))):
        assert told(run, args) == told(program, args)


def told(f, args):
    try:
        return repr(f(*args))
    except ValueError as error:
        return repr(error), repr(error.__cause__)


def test_an_array_of_the_caller_that_is_written_to_is_a_result_of_data():
    def program(x):
        x += 1
        return x if x.sum() > 0 else -x

    run = export(program, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3) * 3):
        eager, given = x.copy(), x.copy()
        wanted, found = program(eager), run(given)
        assert (found is given) is (wanted is eager)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(given, eager)


def test_no_handler_gets_what_says_that_data_do_not_fit():
    """NumPy gives the roots of such a polynomial another dtype, which the program has not."""

    def program(c):
        try:
            return np.roots(c), 0
        except ValueError:
            return c, 1

    run = export(program, (np.array([1.0 + 2j, 2.0, 3.0]),)).module()
    np.testing.assert_array_equal(run(np.array([1j, 2.0, 1.0]))[0], np.roots([1j, 2.0, 1.0]))
    with pytest.raises(ValueError, match="the data do not fit the program"):
        run(np.array([1j, 0.0, 0.0]))
