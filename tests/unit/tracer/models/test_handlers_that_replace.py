"""Handlers and context managers that raise another exception, change the one that they raise again, or fail themselves, around a
call that raises for some data: what leaves the program is what leaves the function, or the program is refused."""

import contextlib
import math
import threading

import numpy as np
import pytest

from npexport import export
from npexport.symshapes.errors import ExportError


class Mine(Exception):
    pass


@contextlib.contextmanager
def replacing():
    try:
        yield
    except IndexError:
        raise Mine("no") from None


class Replacing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is IndexError:
            raise Mine("no")


def on_the_way(x, k):
    try:
        if x[0] > 0:
            return x.take(k)
        return x[1]
    except IndexError:
        raise Mine("no") from None


def in_a_loop(x, k):
    total, j = 0.0, 0
    while j < k:
        try:
            total += x.take(j)
        except IndexError:
            raise Mine("no") from None
        j += 1
    return total


def in_a_function_that_c_calls(x, k):
    try:
        return sum(map(lambda v: x.take(k + v), range(2)))
    except IndexError:
        raise Mine("no") from None


def in_a_generator(x, k):
    def taken():
        for _ in range(2):
            try:
                yield x.take(k)
            except IndexError:
                raise Mine("no") from None

    return sum(taken())


def in_a_managed_generator(x, k):
    with replacing():
        return x.take(k)


def in_an_exit(x, k):
    with Replacing():
        return x.take(k)


def in_an_exit_of_a_stack(x, k):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Replacing())
        return x.take(k)


def after_a_write(x, k):
    try:
        return x.take(k)
    except IndexError:
        x[0] = 9
        raise Mine("no") from None


def after_a_cleanup_that_writes(x, k):
    try:
        try:
            return x.take(k)
        finally:
            x[0] = 5
    except IndexError:
        raise Mine("no") from None


def of_its_class(x, k):
    try:
        return x.take(k)
    except (IndexError, ValueError) as error:
        raise type(error)("other") from None


def of_everything(x, k):
    try:
        return np.linalg.inv(x[:1, None] * (k - 7))[0, 0]
    except Exception:
        raise Mine("no") from None


def with_a_note(x, k):
    try:
        return x.take(k)
    except IndexError as error:
        error.add_note("of mine")
        raise


def with_other_arguments(x, k):
    try:
        return x.take(k)
    except IndexError as error:
        error.args = ("changed",)
        raise


# Handlers that may fail themselves


def with_a_class_that_is_none(x, k):
    try:
        return x.take(k)
    except 5:
        raise


def with_a_name_that_is_unbound(x, k):
    try:
        taken = x.take(k)
        return taken
    finally:
        taken  # noqa: B018


def with_a_name_to_unbind(x, k):
    try:
        taken = x.take(k)
        return taken
    finally:
        del taken


def with_an_item_that_is_missing(x, k):
    found = []
    try:
        taken = x.take(k)
        found.append(1)
        return taken
    finally:
        found.pop()


def with_a_key_that_is_missing(x, k):
    found = {}
    try:
        taken = x.take(k)
        found["a"] = 1
        return taken
    finally:
        del found["a"]


def with_a_call_that_fails(x, k):
    try:
        return x.take(k)
    except IndexError:
        math.sqrt("a")
        raise


def with_a_failure_that_is_handled(x, k):
    try:
        return with_a_call_that_fails(x, k)
    except TypeError:
        return 7.0


def with_an_attribute_that_is_missing(x, k):
    try:
        return x.take(k)
    except IndexError as error:
        error.errno  # noqa: B018
        raise


def of_a_number(x, k):
    try:
        return x.tolist()[k]
    except LookupError:
        math.sqrt("a")
        raise


def in_a_loop_that_empties_a_list(x, k):
    found = [1, 2, 3]
    total = 0.0
    for _ in range(3):
        try:
            total += x.take(k)
            found.append(1)
        finally:
            found.pop(), found.pop()
    return total


def with_calls_that_pass(x, k):
    seen, gate = [1], threading.Lock()
    gate.acquire()
    with logging_to(seen), contextlib.ExitStack() as stack:
        stack.callback(seen.copy)
        try:
            return x.take(k)
        except IndexError as error:
            print("failed", error)
            raise
        finally:
            gate.release()


@contextlib.contextmanager
def logging_to(seen):
    try:
        yield
    finally:
        seen.index(1)


def with_a_manager_that_fails(x, k):
    seen = []
    with logging_to(seen):
        taken = x.take(k)
        seen.append(1)
    return taken


def checked(x, k):
    if k > 2:
        raise IndexError("too large")
    return x[0]


def of_its_own(x, k):
    try:
        return checked(x, k)
    except IndexError:
        math.sqrt("a")
        raise


def of_its_own_by_data(x, k):
    try:
        return checked(x, k)
    except Exception:
        if x[0] > 2:
            raise Mine("large") from None
        raise


def of_its_own_past_a_call_that_writes(x, k):
    try:
        return checked(x, k)
    except IndexError:
        SEEN.append(k)
        raise


def of_everything_at_an_item(x, k):
    try:
        return x[k]
    except Exception:
        return x[0] * 2


def of_a_generator(x, k):
    def found():
        yield next(v for v in x if v > k)

    return sum(found())


def of_a_message(x, k):
    try:
        return {1: 2.0}[k]
    except KeyError as error:
        return error.args[0] * 2


def of_a_dropped_generator_that_branches(x, k):
    def found():
        try:
            yield x[0]
        finally:
            if k > 1:
                x[1] = 7

    return next(found()), x[1]


def of_a_dropped_generator_that_raises(x, k):
    def found():
        try:
            yield x[0]
        finally:
            x[1] = [7, 8][k]

    return next(found()), x[1]


SEEN = []
CAPTURED = (
    on_the_way, in_a_loop, of_its_class, of_everything, in_an_exit, in_an_exit_of_a_stack, with_a_class_that_is_none,
    with_a_name_that_is_unbound, with_a_name_to_unbind, with_an_item_that_is_missing, with_a_key_that_is_missing, with_a_call_that_fails,
    with_a_failure_that_is_handled, of_a_number, in_a_loop_that_empties_a_list, with_calls_that_pass,
    of_its_own, of_its_own_by_data, of_everything_at_an_item,
)  # fmt: skip
REFUSED = (
    in_a_function_that_c_calls, in_a_generator, in_a_managed_generator, after_a_write, after_a_cleanup_that_writes, with_a_note,
    with_other_arguments, with_an_attribute_that_is_missing, with_a_manager_that_fails,
    of_its_own_past_a_call_that_writes, of_a_generator, of_a_message,
    of_a_dropped_generator_that_branches, of_a_dropped_generator_that_raises,
)  # fmt: skip
"""Today; what is captured is as in eager execution."""


def outcome(function, number):
    x = np.array([3.0, 1.0, 2.0])
    try:
        found = function(x, np.array([number]))
    except Exception as error:
        notes = [note for note in getattr(error, "__notes__", ()) if not note.startswith("Raised by")]  # which the program adds
        found = type(error), error.args, notes
    return repr(found), x.tolist()


@pytest.mark.parametrize("function", [*CAPTURED, *REFUSED], ids=lambda function: function.__name__)
def test_as_in_eager_execution_or_refused(function):
    def program(x, i):
        return function(x, int(i[0]))

    try:
        run = export(program, (np.array([3.0, 1.0, 2.0]), np.array([1]))).module()
    except ExportError as refusal:
        assert refusal.code in ("E103", "E112", "E126")
        assert function in REFUSED
        return
    for number in (1, 0, 2, 3, 7, -9):
        assert outcome(run, number) == outcome(program, number)
