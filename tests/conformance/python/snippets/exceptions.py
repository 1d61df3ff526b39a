"""Exceptions: handlers, context, cause, finally; in generators and C functions."""

# ruff: noqa

import sys


class Custom(Exception):
    def __init__(self, code, detail=None):
        super().__init__(f"code {code}")
        self.code = code
        self.detail = detail


def try_except_else_finally():
    log = []
    for x in (0, 1, "a"):
        try:
            log.append(10 // x)
        except ZeroDivisionError as error:
            log.append(str(error))
        except (TypeError, ValueError) as error:
            log.append(type(error).__name__)
        else:
            log.append("else")
        finally:
            log.append("finally")
    return log


def exception_variable_is_deleted():
    try:
        raise ValueError
    except ValueError as error:
        kept = error
    try:
        error  # noqa: B018, F821
    except NameError as unbound:
        return type(unbound).__name__, repr(kept)


def uncaught():
    raise Custom(7, detail=[1])


def raise_class():
    raise KeyError


def raise_from():
    try:
        {}["x"]
    except KeyError as error:
        raise Custom(1) from error


def raise_from_none():
    try:
        {}["x"]
    except KeyError:
        raise Custom(2) from None


def implicit_context():
    try:
        1 / 0
    except ZeroDivisionError:
        [].pop()


def context_chain():
    try:
        try:
            try:
                raise ValueError("a")
            except ValueError:
                raise TypeError("b")  # noqa: B904
        except TypeError:
            raise KeyError("c")  # noqa: B904
    finally:
        str(5)


def context_across_functions():
    def inner():
        try:
            raise ValueError("inner")
        except ValueError:
            outer()

    def outer():
        raise TypeError("outer")

    inner()


def no_context_after_handler():
    try:
        1 / 0
    except ZeroDivisionError:
        pass
    raise ValueError("clean")


def bare_raise():
    try:
        int("x")
    except ValueError:
        raise


def bare_raise_without_exception():
    raise  # noqa: PLE0704


def bare_raise_in_called_function():
    def again():
        raise  # noqa: PLE0704

    try:
        1 / 0
    except ZeroDivisionError:
        again()


def raise_non_exception():
    raise 5  # noqa: TRY002


def raise_non_exception_class():
    raise int


def raise_from_non_exception():
    raise ValueError from 5


def except_non_exception():
    try:
        1 / 0
    except 5:
        pass


def exception_in_exception_constructor():
    class Bad(Exception):
        def __init__(self):
            raise OSError("ctor")

    raise Bad


def raise_same_twice():
    error = ValueError("v")
    out = []
    for _ in range(2):
        try:
            raise error
        except ValueError as caught:
            out.append((caught is error, caught.__context__))
    return out


def notes():
    try:
        raise ValueError("v")
    except ValueError as error:
        error.add_note("note one")
        error.add_note("note two")
        raise


def finally_overrides_return():
    def f():
        try:
            return "try"
        finally:
            return "finally"  # noqa: B012

    def g():
        for i in range(3):
            try:
                return i
            finally:
                continue  # noqa: B012
        return "end"

    return f(), g()


def finally_swallows():
    def f():
        try:
            1 / 0
        finally:
            return "swallowed"  # noqa: B012

    return f()


def finally_sees_the_exception():
    log = []
    try:
        try:
            1 / 0
        finally:
            log.append(sys.exc_info()[0].__name__)
    except ZeroDivisionError:
        log.append("caught")
    log.append(sys.exc_info())
    return log


def finally_raises():
    try:
        1 / 0
    finally:
        raise KeyError("from finally")


def nested_finally():
    log = []

    def f():
        try:
            try:
                log.append(1)
                return 2
            finally:
                log.append(3)
        finally:
            log.append(4)

    return f(), log


def break_through_finally():
    log = []
    for i in range(3):
        try:
            if i == 1:
                break
        finally:
            log.append(i)
    return log


def exc_info_stack():
    seen = []
    try:
        raise ValueError("1")
    except ValueError:
        seen.append(repr(sys.exception()))
        try:
            raise TypeError("2")
        except TypeError:
            seen.append(repr(sys.exception()))
        seen.append(repr(sys.exception()))
    seen.append(sys.exception())
    return seen


def exc_info_in_called_function():
    def look():
        return repr(sys.exc_info()[1])

    try:
        1 / 0
    except ZeroDivisionError:
        return look()


def custom_attributes():
    try:
        raise Custom(3, detail={"k": 1})
    except Custom as error:
        return error.code, error.detail, error.args, str(error), repr(error)


def hierarchy():
    class A(Exception): ...

    class B(A): ...

    class C(B): ...

    out = []
    for cls in (C, B, A, ValueError):
        try:
            raise cls("x")
        except B as error:
            out.append(("B", type(error).__name__))
        except A as error:
            out.append(("A", type(error).__name__))
        except Exception as error:
            out.append(("E", type(error).__name__))
    return out


def exception_in_generator():
    def gen():
        yield 1
        raise ValueError("gen")

    out = []
    try:
        for x in gen():
            out.append(x)
    except ValueError as error:
        out.append(str(error))
    return out


def stop_iteration_in_generator():
    def gen():
        yield 1
        raise StopIteration("x")

    list(gen())


def stop_iteration_raised_by_hand():
    class It:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n > 3:
                raise StopIteration
            return self.n

    return list(It()), [x for x in It()], sum(It()), max(It())


def exception_in_del_is_ignored():
    class D:
        def __del__(self):
            pass

    d = D()
    del d
    return "ok"


def error_in_comparison_of_sort():
    class X:
        def __lt__(self, o):
            raise ArithmeticError("lt")

    sorted([X(), X()])


def catch_everything():
    try:
        raise SystemExit(3)
    except BaseException as error:
        return type(error).__name__, error.code


def keyboard_interrupt_passes_exception():
    try:
        try:
            raise KeyboardInterrupt
        except Exception:
            return "wrong"
    except BaseException as error:
        return type(error).__name__


def loop_with_continue_in_except():
    out = []
    for x in ("1", "b", "3"):
        try:
            value = int(x)
        except ValueError:
            continue
        out.append(value)
    return out


def handler_type_is_computed():
    log = []

    def kinds():
        log.append("asked")
        return KeyError

    try:
        {}[1]
    except kinds():
        log.append("caught")
    return log


def deep_raise():
    def down(n):
        if n == 0:
            raise ValueError("bottom")
        try:
            down(n - 1)
        finally:
            seen.append(n)

    seen = []
    try:
        down(50)
    except ValueError as error:
        return len(seen), seen[:3], str(error)


def explicit_cause_and_context():
    try:
        try:
            raise ValueError("v")
        except ValueError as v:
            raise TypeError("t") from v
    except TypeError as t:
        return repr(t.__cause__), repr(t.__context__), t.__suppress_context__


def set_context_by_hand():
    a, b = ValueError("a"), TypeError("b")
    a.__context__ = b
    try:
        raise a
    except ValueError as error:
        return repr(error.__context__)
