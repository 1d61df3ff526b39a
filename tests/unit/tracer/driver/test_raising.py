"""What only the data decide to raise: where the program names it in a handler and goes on, that is refused; elsewhere it is raised."""

from __future__ import annotations

import contextlib
import functools
import re
import warnings

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from npexport.symshapes.errors import Unsupported

Singular = np.linalg.LinAlgError


class Ignoring:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


class Counting:
    def __enter__(self):
        self.left = 0

    def __exit__(self, *exception):
        self.left += 1


@contextlib.contextmanager
def ignoring():
    try:
        yield
    except Singular:
        pass


@contextlib.contextmanager
def finishing():
    try:
        yield
    finally:
        pass


def safe(function):
    @functools.wraps(function)
    def call(*args):
        try:
            return function(*args)
        except Singular:
            return None

    return call


def by_name(x, i):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return x


def by_base(x, i):
    try:
        return np.linalg.inv(x)
    except TypeError:
        return x
    except (KeyError, ValueError) as error:
        return str(error)


def by_group(x, i):
    try:
        x = np.linalg.inv(x)
    except* Singular:
        pass
    return x


def by_computed_class(x, i):
    kinds = [Singular]
    try:
        return np.linalg.inv(x)
    except kinds[0]:
        return x


def returned_in_finally(x, i):
    try:
        return np.linalg.inv(x)
    finally:
        return x  # noqa: B012


def by_caller(x, i):
    def inverse():
        return np.linalg.inv(x)

    try:
        return list(map(lambda _: inverse(), [0]))
    except Singular:
        return x


def in_generator(x, i):
    def inverses():
        try:
            yield np.linalg.inv(x)
        except Singular:
            yield x

    return list(inverses())


def by_consumer(x, i):
    try:
        return [inverse for inverse in (np.linalg.inv(part) for part in [x])]
    except Singular:
        return x


def decorated(x, i):
    return safe(np.linalg.inv)(x)


def suppressed(x, i):
    with contextlib.suppress(Singular):
        x = np.linalg.inv(x)
    return x


def by_manager(x, i):
    with Ignoring():
        x = np.linalg.inv(x)
    return x


def by_generator_manager(x, i):
    with ignoring():
        x = np.linalg.inv(x)
    return x


def by_stack(x, i):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(Singular))
        x = np.linalg.inv(x)
    return x


def retried(x, i):
    for _ in range(3):
        try:
            return np.linalg.solve(x, x[0])
        except Singular:
            x = x + 1
    return x


def index(x, i):
    try:
        return x[i]
    except IndexError:
        return x


def index_written(x, i):
    y = x.copy()
    try:
        y[i] = 0
    except IndexError:
        y[:] = 1
    return y


def power(x, i):
    try:
        return i**i
    except ValueError:
        return i


def counts(x, i):
    try:
        return np.bincount(i)
    except ValueError:
        return i


def warned(x, i):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.log(x)
        except RuntimeWarning:
            return x


def recorded(x, i):
    with warnings.catch_warnings(record=True) as caught:
        y = np.log(x)
    return y, len(caught)


CAUGHT = (
    by_name, by_base, by_group, by_computed_class, returned_in_finally, by_caller, in_generator, by_consumer,
    decorated, suppressed, by_manager, by_generator_manager, by_stack, retried, index, index_written, power, counts, warned, recorded,
)  # fmt: skip


def other_class(x, i):
    try:
        return np.linalg.inv(x)
    except (KeyError, TypeError):
        return x


def translated(x, i):
    try:
        return np.linalg.inv(x)
    except Singular as error:
        raise RuntimeError("no inverse") from error


def by_any(x, i):
    try:
        return np.linalg.inv(x)
    except:  # noqa: E722
        return x


def by_exception(x, i):
    try:
        return x[i]
    except Exception:
        return x


def raised_again(x, i):
    try:
        return np.linalg.inv(x)
    except Singular:
        raise


def finally_done(x, i):
    done = []
    try:
        return np.linalg.inv(x), done
    finally:
        done.append(1)


def in_else(x, i):
    try:
        y = x + 1
    except Singular:
        return x
    else:
        return np.linalg.inv(y)


def in_handler(x, i):
    try:
        raise KeyError
    except KeyError:
        return np.linalg.inv(x)
    except Singular:
        return x


def other_suppressed(x, i):
    with contextlib.suppress(KeyError), Counting(), finishing(), np.errstate(all="ignore"), warnings.catch_warnings():
        x = np.linalg.inv(x)
    return x


def warnings_put_back(x, i):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.linalg.inv(x)


def warnings_kept(x, i):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        return x[x > 0].max(), np.linalg.solve(x, x)


def called_back(x, i):
    with contextlib.ExitStack() as stack:
        stack.callback(list)
        stack.enter_context(Counting())
        x = np.linalg.inv(x)
    return x


def recorded_before(x, i):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("text", stacklevel=1)
    return np.linalg.inv(x), len(caught)


def suspended_handler(x, i):
    def steps():
        try:
            yield 1
        except Singular:
            yield 2

    stepping = steps()
    next(stepping)
    return np.linalg.inv(x), next(stepping, 3)


def before(x, i):
    first = np.linalg.inv(x)
    try:
        return np.linalg.inv(x)
    except Singular:
        return first


def never_raises(x, i):
    try:
        return i**2, np.take(x, i, mode="clip"), x[1], np.linalg.det(x), x ** i[0]
    except (ValueError, IndexError, Singular):
        return x


def shapes_are_known(x, i):
    try:
        return np.linalg.inv(x[:2])
    except Singular as error:
        text = str(error)
    try:
        return x[7], text
    except IndexError as error:
        return x, text, str(error)


def negative_power(x, i):
    try:
        return i**-1
    except ValueError as error:
        return str(error)


NOT_CAUGHT = (
    other_class, translated, by_any, by_exception, raised_again, finally_done, in_else, in_handler,
    other_suppressed, warnings_put_back, warnings_kept, called_back, suspended_handler, recorded_before, before, never_raises,
    shapes_are_known, negative_power,
)  # fmt: skip


def first_of_mask(x, i):
    try:
        return x[x > 1.5][0]
    except IndexError:
        return x[0, 0]


def largest_of_mask(x, i):
    try:
        return x[x > 1.5].max()
    except ValueError:
        return x[0, 0]


def mask_filled(x, i):
    y = x.copy()
    try:
        y[y > 1.5] = np.array([1.0, 2.0])
    except ValueError:
        return x
    return y


def filled_by_another_mask(x, i):
    y = x.copy()
    try:
        y[y > 1.5] = x[x > 0.5]
    except ValueError:
        return -x
    return y


def filled_by_its_own_mask(x, i):
    y, mask = x.copy(), x > 1.5
    try:
        y[mask] = np.sqrt(x[mask])
    except ValueError:
        return -x
    return y


BAD = (
    (np.zeros((3, 3)), np.array([2, 0, 1])),
    (np.zeros((3, 3)), np.array([7, 0, -9])),
    (np.eye(3), np.array([-1, 2, 5])),
    (-np.eye(3), np.array([0, 0, 0])),
    (np.full((3, 3), 2.0), np.array([-2, -3, 1])),
)


def require_caught(program):
    """The program goes on where its handler does, or is refused."""
    try:
        run = export(program, inputs(0)).module()
    except Unsupported as refusal:
        assert refusal.code in ("E103", "E126") and refusal.location.source
        return
    for given in (inputs(0), inputs(1), *BAD):
        try:
            expected = program(*(each.copy() for each in given))
        except Exception as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                run(*given)
            continue
        np.testing.assert_equal(run(*given), expected)


@pytest.mark.parametrize(
    "program", [first_of_mask, largest_of_mask, mask_filled, filled_by_another_mask], ids=lambda program: program.__name__
)
def test_what_counts_raise_is_not_caught_silently(program):
    require_caught(program)


def test_what_a_mask_has_chosen_fits_where_it_chooses():
    require_caught(filled_by_its_own_mask)
    assert not export(filled_by_its_own_mask, inputs(0)).graph.sub_graphs()


def dead_index(x, i):
    x[i]
    return x


def dead_write(x, i):
    y = x.copy()
    y[i] = 0
    return x


def dead_power(x, i):
    i ** (i - 1)
    return x


def dead_inverse(x, i):
    np.linalg.inv(x - i)
    return x


def dead_count(x, i):
    x[x > 1][0]
    return x


def dead_bad_handler(x, i):
    with contextlib.suppress(KeyError):
        np.take(x, i, axis=0)
    return x


@pytest.mark.parametrize(
    "program", [dead_index, dead_write, dead_power, dead_inverse, dead_count, dead_bad_handler], ids=lambda program: program.__name__
)
def test_what_nobody_uses_is_raised_too(program):
    x, i = np.full((3, 3), 2.0), np.array([2, 1, 1])
    run = export(program, (x + np.eye(3), i)).module()
    np.testing.assert_equal(run(x + np.eye(3), i), x + np.eye(3))
    bad = np.zeros((3, 3)), np.array([0, 7, -5])
    with pytest.raises(Exception) as wanted:  # noqa: PT011 -- what NumPy raises
        program(*bad)
    with pytest.raises(type(wanted.value)) as raised:
        run(*bad)
    assert str(raised.value) == str(wanted.value)


def test_what_never_raises_is_dead():
    def unused(x, i):
        x[[0, 2]], np.take(x, 1), x + i, x[1], i**2, np.power(x, -1), np.extract([True, False], x)
        return x

    assert len([node for node in export(unused, inputs(0)).graph if node.op == "call_function"]) == 0


def test_known_data_raise_at_once():
    def texts(x, i):
        said = []
        for call in (lambda: i**-1, lambda: np.power(i, -1), lambda: np.extract(True, x[:0]), lambda: np.take(x, [0, 9]), lambda: x[[5]]):
            try:
                call()
            except Exception as error:
                said.append(f"{type(error).__name__}: {error}")
        return said

    assert export(texts, inputs(0)).module()(*inputs(1)) == texts(*inputs(1))


def test_failed_calls_raise_nothing_later():
    def failed(x, i):
        try:
            np.take(x, i, out=np.zeros(7))
        except ValueError as error:
            return str(error)

    assert export(failed, inputs(0)).module()(np.ones((3, 3)), np.array([0, 99, 1])) == failed(*inputs(0))


def test_powers_are_computed_where_they_are_wanted():
    def powers(x, i):
        return np.power(i, i, where=i >= 0, out=np.zeros_like(i))

    given = np.ones((3, 3)), np.array([3, -2, 2])
    np.testing.assert_equal(export(powers, inputs(0)).module()(*given), powers(*given))


def largest(x):
    try:
        return x.max()
    except ValueError:
        return -1.0


def largest_or_anything(x):
    try:
        return x.max()
    except Exception:
        return -1.0


@pytest.mark.parametrize("program", [largest, largest_or_anything])
def test_sizes_for_which_a_caught_error_is_raised_are_guards(program):
    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(np.arange(5.0)) == 4
    with pytest.raises(InputMismatch):
        run(np.ones(0))
    with pytest.raises(ConstraintViolation):
        export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))


def test_sizes_for_which_an_error_is_raised_are_sizes():
    run = export(lambda x: (x.max(), x[1])[:0], (np.ones(3),), dynamic_shapes=({0: Dim("n")},)).module()
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        run(np.ones(0))
    with pytest.raises(IndexError, match="index 1 is out of bounds for axis 0 with size 1"):
        run(np.ones(1))
    assert run(np.ones(2)) == ()


def inputs(seed):
    return np.random.default_rng(seed).uniform(1, 2, (3, 3)) + 3 * np.eye(3), np.array([2, 0, 1])


@pytest.mark.parametrize("program", CAUGHT, ids=lambda program: program.__name__)
def test_what_data_raise_is_not_caught_silently(program):
    require_caught(program)


@pytest.mark.parametrize("program", NOT_CAUGHT, ids=lambda program: program.__name__)
def test_handlers_of_other_exceptions_do_no_harm(program):
    exported = export(program, inputs(0))
    actual, expected = exported.module()(*inputs(1)), program(*inputs(1))
    for one, other in zip(*(value if isinstance(value, tuple) else (value,) for value in (actual, expected)), strict=True):
        np.testing.assert_equal(one, other)


def test_the_program_raises_it():
    run = export(raised_again, inputs(0)).module()
    with pytest.raises(Singular, match="Singular matrix"):
        run(np.zeros((3, 3)), np.array([2, 0, 1]))


def test_the_program_raises_what_a_handler_raises():
    run = export(translated, inputs(0)).module()
    with pytest.raises(RuntimeError, match="no inverse") as raised:
        run(np.zeros((3, 3)), np.array([2, 0, 1]))
    assert type(raised.value.__cause__) is Singular
