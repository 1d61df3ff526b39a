"""Exceptions and context managers: raised, caught, chained, grouped; errors of array operations are known while tracing."""

# ruff: noqa: F821, PLE0643

import contextlib

import numpy as np


def try_except(x, y):
    try:
        raise ValueError("no")
    except ValueError:
        return x * 2


def try_else_finally(x, y):
    log = []
    try:
        log.append(1)
    except ValueError:
        log.append(2)
    else:
        log.append(3)
    finally:
        log.append(4)
    return x * sum(log)


def except_as_is_unbound(x, y):
    try:
        raise KeyError("k")
    except KeyError as error:
        text = repr(error)
    try:
        error
    except UnboundLocalError:
        return x, text


def except_tuple(x, y):
    try:
        [][1]
    except (KeyError, IndexError) as error:
        return x, type(error).__name__, str(error)


def except_order(x, y):
    try:
        {}["a"]
    except LookupError:
        return x
    except KeyError:
        return y


def nested_try(x, y):
    try:
        try:
            1 // 0
        except ValueError:
            return y
    except ZeroDivisionError:
        return x


def reraise(x, y):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise
    except ValueError as error:
        return x, error.args


def raise_from(x, y):
    try:
        try:
            raise ValueError("a")
        except ValueError as error:
            raise TypeError("b") from error
    except TypeError as error:
        return x, str(error.__cause__), error.__suppress_context__


def implicit_context(x, y):
    try:
        try:
            raise ValueError("a")
        finally:
            raise TypeError("b")
    except TypeError as error:
        return x, str(error.__context__)


def raise_from_none(x, y):
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise KeyError("k") from None
    except KeyError as error:
        return x, error.__cause__, error.__suppress_context__


def finally_return(x, y):
    def f():
        try:
            return 1
        finally:
            return 2

    return x * f()


def finally_with_loop(x, y):
    n = 0
    for i in range(3):
        try:
            if i == 1:
                continue
            n += 1
        finally:
            n += 10
    return x * n


def break_through_finally(x, y):
    n = 0
    while True:
        try:
            break
        finally:
            n = 5
    return x * n


def custom_exception(x, y):
    class Problem(Exception):
        def __init__(self, code, value):
            super().__init__(f"problem {code}")
            self.code = code
            self.value = value

    try:
        raise Problem(3, x)
    except Problem as error:
        return error.value * error.code, str(error)


def exception_hierarchy(x, y):
    class Base(Exception):
        pass

    class Child(Base):
        pass

    try:
        raise Child
    except Base as error:
        return x, type(error).__name__


def exception_notes(x, y):
    try:
        error = ValueError("a")
        error.add_note("n")
        raise error
    except ValueError as caught:
        return x, caught.__notes__


def exception_group(x, y):
    seen = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
    except* ValueError as group:
        seen.append(len(group.exceptions))
    except* (TypeError, KeyError) as group:
        seen.append(len(group.exceptions))
    return x, seen


def exception_group_rest(x, y):
    try:
        try:
            raise ExceptionGroup("g", [ValueError(1), OSError(2)])
        except* ValueError:
            pass
    except ExceptionGroup as rest:
        return x, [type(e).__name__ for e in rest.exceptions]


def exception_across_frames(x, y):
    def a():
        b()

    def b():
        raise LookupError("deep")

    try:
        a()
    except LookupError as error:
        return x, str(error)


def exception_in_comprehension(x, y):
    try:
        [1 // (2 - i) for i in range(4)]
    except ZeroDivisionError:
        return x


def exception_in_generator(x, y):
    def g():
        yield 1
        raise ValueError("g")

    total = 0
    try:
        for v in g():
            total += v
    except ValueError:
        total += 10
    return x * total


def shape_error(x, y):
    try:
        return x + np.ones(7)
    except ValueError as error:
        return x * 2, str(error)


def matmul_error(x, y):
    try:
        return x @ x
    except ValueError:
        return x @ x.T


def reshape_error(x, y):
    try:
        return x.reshape(5, 5)
    except ValueError as error:
        return x.reshape(2, 6), str(error)


def axis_error(x, y):
    try:
        return x.sum(axis=5)
    except np.exceptions.AxisError as error:
        return x, str(error)


def index_error(x, y):
    try:
        return x[10]
    except IndexError as error:
        return x, str(error)


def too_many_indices(x, y):
    try:
        return x[0, 0, 0]
    except IndexError:
        return x


def type_error_of_array(x, y):
    try:
        return x + "text"
    except Exception as error:
        return x, type(error).__name__


def attribute_error(x, y):
    try:
        return x.no_such_attribute
    except AttributeError as error:
        return x, str(error)


def concatenate_error(x, y):
    try:
        return np.concatenate([x, y])
    except ValueError:
        return np.concatenate([x, x])


def truth_of_array(x, y):
    try:
        return x if x else y
    except ValueError:
        return x


def unpack_error(x, y):
    try:
        a, b = x
    except ValueError as error:
        return x, str(error)


def python_errors(x, y):
    out = []
    for f in (
        lambda: 1 / 0,
        lambda: [][0],
        lambda: {}["k"],
        lambda: int("q"),
        lambda: None.a,
        lambda: undefined_name,
        lambda: "a" + 1,
        lambda: (1)(),
        lambda: next(iter([])),
        lambda: [1, 2].index(3),
        lambda: "abc".encode("ascii").decode("utf-16"),
    ):
        try:
            f()
        except Exception as error:
            out.append((type(error).__name__, str(error)))
    return x, out


def with_class(x, y):
    class Manager:
        def __enter__(self):
            return 3

        def __exit__(self, *exc):
            return False

    with Manager() as k:
        return x * k


def with_suppressing(x, y):
    class Quiet:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, trace):
            return kind is ValueError

    with Quiet():
        x = x + 1
        raise ValueError
    return x * 2


def with_contextmanager(x, y):
    log = []

    @contextlib.contextmanager
    def section(name):
        log.append("+" + name)
        try:
            yield name * 2
        finally:
            log.append("-" + name)

    with section("a") as a, section("b"):
        log.append(a)
    return x, log


def contextmanager_catches(x, y):
    @contextlib.contextmanager
    def catching():
        try:
            yield
        except KeyError:
            pass

    with catching():
        {}["a"]
    return x


def contextmanager_as_decorator(x, y):
    log = []

    @contextlib.contextmanager
    def section():
        log.append(1)
        yield
        log.append(2)

    @section()
    def f():
        log.append(3)
        return x

    return f(), log


def exit_stack(x, y):
    log = []

    class Manager:
        def __init__(self, n):
            self.n = n

        def __enter__(self):
            return self.n

        def __exit__(self, *exc):
            log.append(self.n)

    with contextlib.ExitStack() as stack:
        total = sum(stack.enter_context(Manager(i)) for i in range(3))
        stack.callback(log.append, "cb")
    return x * total, log


def suppress(x, y):
    with contextlib.suppress(ZeroDivisionError):
        x = x + 1
        1 / 0
    return x


def nullcontext(x, y):
    with contextlib.nullcontext(5) as k:
        return x * k


def closing(x, y):
    class Thing:
        open = True

        def close(self):
            self.open = False

    thing = Thing()
    with contextlib.closing(thing):
        pass
    return x, thing.open


def errstate(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        return x / (y - y + 1)


def exit_sees_exception(x, y):
    seen = []

    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, trace):
            seen.append((kind.__name__, str(value), trace is not None))
            return True

    with Manager():
        raise ValueError("v")
    return x, seen


def return_in_with(x, y):
    log = []

    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, *exc):
            log.append(1)

    def f():
        with Manager():
            return 4

    return x * f() + len(log)


def loop_with_retry(x, y):
    attempts = 0
    while True:
        attempts += 1
        try:
            if attempts < 3:
                raise OSError(attempts)
            break
        except OSError:
            continue
    return x * attempts


def traceback_lines(x, y):
    try:
        raise ValueError
    except ValueError as error:
        return x, error.__traceback__ is not None, error.__traceback__.tb_next is None


def sys_exc_info(x, y):
    import sys

    try:
        raise ValueError("q")
    except ValueError:
        kind, value, _ = sys.exc_info()
    return x, kind.__name__, str(value), sys.exc_info()[0]


def warnings_caught(x, y):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("careful", stacklevel=1)
        except UserWarning as error:
            return x, str(error)


def tracebacks_hold_the_program_alone(x, y):
    def story(fail):
        try:
            fail()
        except Exception as error:
            entry, names = error.__traceback__, []
            while entry is not None:
                names.append(entry.tb_frame.f_code.co_name)
                entry = entry.tb_next
            return type(error).__name__, str(error), names, type(error.__context__).__name__
        return None

    fails = [
        lambda: x.reshape(5),
        lambda: x ** [1, 2],
        lambda: np.arange(4).reshape(2, -1, -1),
        lambda: y.swapaxes(0, 2),
        lambda: x[:, :, 0],
    ]
    return x, [story(fail) for fail in fails]


def types_in_messages(x, y):
    def story(fail):
        try:
            return fail()
        except Exception as error:
            return type(error).__name__, str(error)

    return x, [
        story(fail)
        for fail in (
            lambda: "%d" % x,
            lambda: "".join([x]),
            lambda: x(),
            lambda: next(x),
            lambda: (lambda **k: 0)(**x),
            lambda: range(y[0]),
            lambda: "abc".find(x),
            lambda: np.where(x, 1),
            lambda: ord(x),
        )
    ]
