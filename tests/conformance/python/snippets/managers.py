"""With statements, exception groups, tracebacks."""

# ruff: noqa

import contextlib
import traceback

from tests.conformance.python.snippets.exceptions import Custom


class Manager:
    def __init__(self, log, swallow=False, fail=None):
        self.log, self.swallow, self.fail = log, swallow, fail

    def __enter__(self):
        self.log.append("enter")
        if self.fail == "enter":
            raise OSError("enter")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(("exit", kind.__name__ if kind else None, str(value), tb is not None))
        if self.fail == "exit":
            raise OSError("exit")
        return self.swallow


def with_statement():
    log = []
    with Manager(log) as m, Manager(log):
        log.append(type(m).__name__)
    return log


def with_exception_propagates():
    log = []
    try:
        with Manager(log):
            1 / 0
    except ZeroDivisionError:
        log.append("outside")
    return log


def with_swallows():
    log = []
    with Manager(log, swallow=True):
        1 / 0
    log.append("after")
    return log


def with_fails_to_enter():
    log = []
    try:
        with Manager(log, fail="enter"):
            log.append("body")
    except OSError as error:
        log.append(str(error))
    return log


def with_exit_raises():
    with Manager([], fail="exit"):
        1 / 0


def with_return_and_break():
    log = []

    def f():
        for _ in range(2):
            with Manager(log):
                return "r"

    for _ in range(2):
        with Manager(log):
            break
    return f(), log


def with_not_a_manager():
    with 5:
        pass


def with_half_a_manager():
    class Half:
        def __enter__(self): ...

    with Half():
        pass


def contextmanagers():
    log = []

    @contextlib.contextmanager
    def managed(tag):
        log.append(f"+{tag}")
        try:
            yield tag
        except ValueError as error:
            log.append(f"!{error}")
        finally:
            log.append(f"-{tag}")

    with managed("a") as a, managed("b"):
        log.append(a)
        raise ValueError("v")
    return log


def contextmanager_reraises():
    @contextlib.contextmanager
    def managed():
        try:
            yield
        except ValueError as error:
            raise Custom(9) from error

    with managed():
        raise ValueError("v")


def exit_stack():
    log = []
    with contextlib.ExitStack() as stack:
        for i in range(3):
            stack.enter_context(Manager(log))
            stack.callback(log.append, f"callback {i}")
        stack.push(lambda *exc: log.append(exc[0].__name__) or True)
        raise KeyError("k")
    return log


def suppress():
    with contextlib.suppress(KeyError, IndexError):
        [].pop()
    return "fine"


def groups():
    log = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), ExceptionGroup("h", [ValueError(3), KeyError(4)])])
    except* ValueError as group:
        log.append(repr(group))
    except* (TypeError, KeyError) as group:
        log.append(repr(group))
    return log


def groups_unhandled():
    try:
        raise ExceptionGroup("g", [ValueError(1), OSError(2)])
    except* ValueError:
        pass


def groups_naked_exception():
    try:
        raise ValueError("naked")
    except* ValueError as group:
        return_value = repr(group)
    return return_value


def groups_handler_raises():
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError:
        raise KeyError("new")  # noqa: B904


def group_split():
    group = ExceptionGroup("g", [ValueError(1), TypeError(2)])
    match, rest = group.split(ValueError)
    return repr(match), repr(rest), repr(group.subgroup(lambda e: isinstance(e, TypeError)))


def traceback_entries():
    def a():
        b()

    def b():
        raise ValueError("deep")

    try:
        a()
    except ValueError as error:
        return [(f.name, f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__)]


def traceback_text():
    def fail():
        return {}["missing"]

    try:
        fail()
    except KeyError:
        return [line for line in traceback.format_exc().splitlines() if "File" not in line]


def traceback_of_reraise():
    def f():
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise error

    try:
        f()
    except ZeroDivisionError as error:
        return [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)]


def traceback_locals():
    def f(x):
        y = x * 2
        raise ValueError(y)

    try:
        f(4)
    except ValueError as error:
        tb = error.__traceback__
        while tb.tb_next:
            tb = tb.tb_next
        return dict(tb.tb_frame.f_locals), tb.tb_frame.f_code.co_name, tb.tb_lineno - f.__code__.co_firstlineno


def with_traceback():
    try:
        raise ValueError("1")
    except ValueError as error:
        tb = error.__traceback__
    other = TypeError("2").with_traceback(tb)
    return other.__traceback__ is tb


def except_star_wraps_without_traceback():
    try:
        raise ValueError(1)
    except* ValueError as group:
        caught = group
    entry, lines = caught.__traceback__, []
    while entry is not None:
        lines.append(entry.tb_lineno)
        entry = entry.tb_next
    return lines, caught.exceptions[0].__traceback__.tb_lineno


def except_star_raises_again():
    try:
        raise ValueError(1) from KeyError(2)
    except* ValueError:
        raise
