"""What holds operators of users to what they declare."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import io
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from npexport.ir.archive import load, save
from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.decompositions import default_decompositions
from npexport.ir.meta import content, described
from npexport.ir.printing import value_text
from npexport.runtime.operators.custom_op import CustomOp, taken_apart
from npexport.runtime.operators.custom_ops import operator_named
from npexport.runtime.operators.custom_schema import EAGER
from npexport.symshapes.dims import Dim
from npexport.symshapes.errors import ExportError
from npexport.symshapes.parameters import MAPPING, takes
from npexport.tracer.driver.export import export

__all__ = ["OpCheckError", "opcheck"]


class OpCheckError(ExportError):
    """What is wrong with an operator: its ``code``, ``message`` and ``hint`` say what, and what to
    do.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> @npexport.custom_op("docs::emptied")
    ... def emptied(x: np.ndarray) -> np.ndarray:
    ...     x[:] = 0
    ...     return x + 1
    >>> @emptied.register_fake
    ... def _(x):
    ...     return np.empty(x.shape)
    >>> try:
    ...     opcheck(emptied, (np.ones(3),))
    ... except OpCheckError as error:
    ...     print(error.code, error.slug)
    E250 undeclared-mutation
    """


@takes(kwargs=MAPPING.optional)
def opcheck(op: CustomOp | str, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> None:
    """Hold an operator's schema, body and fake to each other, on a call with these arguments and on
    calls with larger arrays.

    Checked is that the arguments are those of the schema; that the body writes to nothing but what
    it is declared to mutate (E250), and to that (E253); that its results are no memory of its
    arguments, of each other, or of what it keeps (E251), and the same for the same arguments
    (E252), whatever stood in the memory that `np.empty` gives it, and, within rounding, however the
    arguments lie in memory; that the results are of the declared types and what the fake says
    (E410), which there must be (E140); that the exported program, saved and loaded, gives what
    the operator does; and that it does so, within rounding, where the operator is taken apart by
    its decomposition, if it has one (E254). Sizes that the body itself refuses are not looked at.
    Of arguments for which the body raises, if the operator says what it raises: that it says so
    (E410), that it has written to no argument by then (E250), and that the exported program raises
    the same (E252).

    Parameters
    ----------
    op : CustomOp or str
        What `custom_op` or `opaque` gave, or its name.
    args, kwargs : sequence, dict
        The arguments of a call. They are not written to.

    Raises
    ------
    OpCheckError
        The first thing that is wrong.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> @npexport.custom_op("docs::halved")
    ... def halved(x: np.ndarray) -> np.ndarray:
    ...     return x / 2
    >>> @halved.register_fake
    ... def _(x):
    ...     return np.empty(x.shape)
    >>> opcheck(halved, (np.ones(3),))
    """
    op = operator_named(op)
    if not isinstance(args, (tuple, list)):
        raise _failed("E220", f"the arguments of `{op}` are a {type(args).__name__}", "Pass a tuple of them: opcheck(op, (x,)).")
    given: Call = (tuple(args), dict(kwargs or {}))
    if op.fake is None:
        raise _failed("E140", f"`{op}` has no fake: nothing says which shapes and dtypes it gives")
    try:
        op.declared.bind(*_copied(given), EAGER)
    except TypeError as error:
        raise _failed("E220", str(error), f"Call it as its schema says: {op.schema}.") from error
    if op.raises and _raises_as_stated(op, given):
        return
    _require_pure(op, given)
    try:
        op(*_copied(given)[0], **_copied(given)[1])
    except TypeError as error:  # the body has run: its result is of no declared type
        raise _failed("E410", str(error), f"Return what {op.schema} says.") from error
    larger = [call for call in _larger(given) if _runs(op, call)]
    for call in larger:
        _require_pure(op, call)
    for call in (given, *larger):
        _require_elements(op, call)
    program = _exported(op, given, None)
    _require_equal(op, program, given, required=True)
    _require_equal(op, _again(program), given, required=True)
    _require_decomposed(op, program, given)
    if larger:
        program = _exported(op, given, _dynamic(op, given))
        for call in (given, *larger):
            _require_equal(op, program, call)
            _require_equal(op, _again(program), call)
            _require_decomposed(op, program, call)


Call = tuple[tuple[Any, ...], dict[str, Any]]


def _failed(code: str, message: str, hint: str | None = None) -> OpCheckError:
    return OpCheckError(code, message, hint=hint)


def _copied(call: Call) -> Call:
    """The call with arrays of its own, in C order."""
    return map_leaves(call, lambda leaf: np.array(leaf, order="C") if isinstance(leaf, np.ndarray) else leaf)  # type: ignore[no-any-return]


def _arrays(value: Any) -> list[Any]:
    return [leaf for leaf in leaves_of(value) if isinstance(leaf, np.ndarray)]


def _results(value: Any) -> list[Any]:
    return [leaf for leaf in taken_apart(value)[0] if isinstance(leaf, np.ndarray)]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are of one kind and the same to the bit."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and content(one) == content(other)
    if isinstance(one, (tuple, list)):
        return isinstance(other, (tuple, list)) and len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and (repr(one) == repr(other))


# The body by itself


def _require_pure(op: CustomOp, call: Call) -> None:
    """Raises ``OpCheckError`` where the body does what no operator may. It is called with arrays
    that it could write to.
    """
    before, given, again = _copied(call), _copied(call), _copied(call)
    bound = {name: op.declared.signature.bind(*each[0], **each[1]) for name, each in (("before", before), ("given", given))}
    result = _body(op, given)
    for name, argument in bound["given"].arguments.items():
        if name not in op.declared.mutates and not _same(bound["before"].arguments[name], argument):
            hint = f"Write to a copy of {name}, or declare it: mutates_args=({name!r},)."
            raise _failed("E250", f"`{op}` writes to its argument {name}, which is not declared", hint)
    for one, other in zip(_arrays(before), _arrays(given), strict=True):
        if (one.strides, one.flags.writeable) != (other.strides, other.flags.writeable):
            raise _failed("E250", f"`{op}` sets the shape or the flags of an argument", "Make a view of it first: x = x.view().")
    parts, arrays = _results(result), _arrays(given)
    for place, part in enumerate(parts):
        for other, what in [*[(array, "an argument") for array in arrays], *[(other, "another result") for other in parts[:place]]]:
            if np.may_share_memory(part, other) and np.shares_memory(part, other):
                raise _failed("E251", f"`{op}` gives memory of {what} as result {place}")
    second = _body(op, again)
    if _keeps(op, call):
        raise _failed("E251", f"`{op}` keeps an array that it gives, which a later call could write to")
    if any(np.may_share_memory(one, other) for one in parts for other in _results(second)):
        raise _failed("E251", f"`{op}` gives memory that it keeps: the results of two calls are one array")
    if not _same(_values(result), _values(second)) or not _same(_arrays(given), _arrays(again)):
        raise _failed("E252", f"`{op}` gives other results for the same arguments")
    _require_written(op, call)
    _require_mutating(op, call)


def _keeps(op: CustomOp, call: Call) -> bool:
    """Whether something holds the memory of a result when the results are gone."""
    memories = [weakref.ref(_memory(part)) for part in _results(_body(op, _copied(call)))]
    if any(memory() is not None for memory in memories):
        gc.collect()
    return any(memory() is not None for memory in memories)


def _memory(array: Any) -> Any:
    """The array that an array shows a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _raises_as_stated(op: CustomOp, call: Call) -> bool:
    """Whether the body raises, as the operator states. Raises ``OpCheckError`` where it raises
    another exception, has written to arguments before, or the exported program raises another.
    """
    given = _copied(call)
    try:
        _body(op, given)
    except Exception as error:
        what = op.unstated(error)
        if what is not None:
            raise _failed("E410", f"`{op}` {what}") from error
        if not _same(_arrays(call), _arrays(given)):
            raise _failed("E250", f"`{op}` has written to an argument when it raises {type(error).__name__}", _WRITES) from error
        program = _exported(op, call, None)
        for run in (program.module(), _again(program).module()):
            try:
                run(*_copied(call)[0], **_copied(call)[1])
            except Exception as found:
                if type(found) is type(error) and found.args == error.args:
                    continue
            raise _failed("E252", f"`{op}` raises {type(error).__name__} by itself, and not in an exported program") from error
        return True
    return False


_WRITES = "Raise before the first write: an exported program writes nothing back of a call that raises."


def _require_mutating(op: CustomOp, call: Call) -> None:
    """Raises ``OpCheckError`` where the body writes to nothing of an argument that it is declared
    to mutate: it runs as well where that is read-only. Of empty arrays nothing is known.
    """
    for name in op.declared.mutates:
        before, given = _copied(call), _copied(call)
        frozen = _arrays(op.declared.signature.bind(*given[0], **given[1]).arguments.get(name))
        for array in frozen:
            array.setflags(write=False)
        if sum(array.size for array in frozen) and _writes_nothing(op, given) and _same(_arrays(before), _arrays(given)):
            hint = f"Take {name} out of mutates_args; or check the operator with arguments for which it writes to {name}."
            raise _failed("E253", f"`{op}` does not write to its argument {name}, which it is declared to mutate", hint)


def _writes_nothing(op: CustomOp, call: Call) -> bool:
    """Whether the body, which takes these arguments, takes them where some are read-only, too."""
    try:
        _body(op, call)
    except Exception:  # of whatever class: what C raises of read-only memory is its own
        return False
    return True


def _require_written(op: CustomOp, call: Call) -> None:
    """Raises ``OpCheckError`` where the results tell what stood in memory that the body makes."""
    found = []
    for byte in (0, 1):
        given = _copied(call)
        with _filled(byte):
            found.append((_values(_body(op, given)), _arrays(given)))
    if not all(map(_same, *found)):
        hint = "Write every element of what np.empty gives, or make it with np.zeros."
        raise _failed("E252", f"`{op}` gives memory that it has not written", hint)


@contextlib.contextmanager
def _filled(byte: int) -> Iterator[None]:
    """``np.empty`` and ``np.empty_like`` give memory that holds this byte everywhere."""
    plain = {name: getattr(np, name) for name in ("empty", "empty_like")}

    def filled(make: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(make)
        def call(*args: Any, **kwargs: Any) -> Any:
            made = make(*args, **kwargs)
            if not made.dtype.hasobject:
                made.ravel(order="K").view(np.uint8)[...] = byte
            return made

        return call

    try:
        for name, make in plain.items():
            setattr(np, name, filled(make))
        yield
    finally:
        for name, make in plain.items():
            setattr(np, name, make)


def _require_elements(op: CustomOp, call: Call) -> None:
    """Raises ``OpCheckError`` where the results tell how arguments lie in memory. An operator may
    refuse other orders than C's.
    """
    given = _copied(call)
    expected = _values(op(*given[0], **given[1]))
    for name, laid in _LAYOUTS.items():
        again = map_leaves(call, lambda leaf: laid(leaf) if isinstance(leaf, np.ndarray) else leaf)  # noqa: B023  (called at once)
        try:
            found = _values(op(*again[0], **again[1]))
        except Exception:  # of whatever class it may be
            continue
        if not _close(expected, found) or not _close(_arrays(given), _arrays(again)):
            hint = "Read elements by their indices, or a copy in C order: x = np.ascontiguousarray(x)."
            raise _failed("E252", f"`{op}` gives other results for the same elements in memory {name}", hint)


def _with_gaps(array: Any) -> Any:
    wide = np.zeros([2 * size for size in array.shape], array.dtype)
    apart: Any = (..., *[slice(None, None, 2)] * array.ndim)
    return _filled_with(wide[apart], array)


def _behind(array: Any) -> Any:
    return _filled_with(np.zeros(array.size + 1, array.dtype)[1:].reshape(array.shape), array)


def _filled_with(view: Any, array: Any) -> Any:
    view[...] = array
    return view


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in Fortran's order": lambda array: np.array(array, order="F"),
    "with gaps": _with_gaps,
    "that begins elsewhere": _behind,
}
"""Copies of an array. None begins so that C, which takes it for one in C order, leaves its
memory.
"""


def _close(ones: list[Any], others: list[Any]) -> bool:
    """Whether values are the same but for the rounding of sums in another order."""
    return len(ones) == len(others) and all(map(_is_close, ones, others))


def _is_close(one: Any, other: Any) -> bool:
    if _same(one, other):
        return True
    pair = np.asarray(one), np.asarray(other)
    if pair[0].dtype != pair[1].dtype or pair[0].shape != pair[1].shape or pair[0].dtype.kind not in "fc":
        return False
    largest = np.max(np.abs(pair[0]), initial=0, where=np.isfinite(pair[0]))
    eps = np.finfo(pair[0].dtype).eps
    return np.allclose(*pair, rtol=64 * eps, atol=64 * eps * largest, equal_nan=True)


def _body(op: CustomOp, call: Call) -> Any:
    if op.native:
        return op.body(*call[0], **call[1])
    bound = op.declared.bind(*call, EAGER)
    return op.body(*bound.args, **bound.kwargs)


def _values(result: Any) -> list[Any]:
    parts = taken_apart(result)[0]
    return [np.ascontiguousarray(part) if isinstance(part, np.ndarray) and part.ndim else part for part in parts]


# Other sizes


def _larger(call: Call) -> Iterator[Call]:
    """The call with arrays that are longer along all axes of one length, and along all axes; what
    they hold is repeated.
    """
    lengths = sorted({size for array in _arrays(call) for size in array.shape if size > 1})
    steps: list[dict[int, int]] = [{length: length + 1} for length in lengths]
    if lengths:
        steps.append({length: 2 * length + number for number, length in enumerate(lengths)})
    for step in steps:
        yield map_leaves(call, lambda leaf: _resized(leaf, step) if isinstance(leaf, np.ndarray) else leaf)  # noqa: B023  (called at once)


def _resized(array: Any, step: dict[int, int]) -> Any:
    for axis, size in enumerate(array.shape):
        array = np.take(array, np.arange(step.get(size, size)) % max(size, 1), axis=axis)
    return array


def _runs(op: CustomOp, call: Call) -> bool:
    try:
        op(*_copied(call)[0], **_copied(call)[1])
    except Exception:  # whatever it is, such sizes are none that the operator takes
        return False
    return True


def _dynamic(op: CustomOp, call: Call) -> dict[str, Any]:
    """All sizes dynamic, where the operator lets them be."""
    found: dict[str, Any] = {}
    for name, value in op.declared.signature.bind(*call[0], **call[1]).arguments.items():
        kind = op.declared.signature.parameters[name].kind
        items = value.items() if kind is inspect.Parameter.VAR_KEYWORD else ()
        found |= {key: _spec(item) for key, item in items} if kind is inspect.Parameter.VAR_KEYWORD else {name: _spec(value)}
    return found


def _spec(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {axis: Dim.AUTO for axis, size in enumerate(value.shape) if size > 1}
    return type(value)(map(_spec, value)) if type(value) in (list, tuple) else None


# The exported program


def _exported(op: CustomOp, call: Call, dynamic: Any) -> Any:
    try:
        return export(op, *_copied(call), dynamic_shapes=dynamic)
    except ExportError as error:
        raise _failed(error.code, error.message, error.hint) from error
    except Exception as error:  # the fake's own: the body takes these arguments
        hint = "Let it take all arguments that the body takes, and read their shapes and dtypes only."
        raise _failed("E141", f"the fake of `{op}` raises {type(error).__name__}: {error}", hint) from error


def _again(program: Any) -> Any:
    """The program, saved and loaded."""
    file = io.BytesIO()
    save(program, file)
    file.seek(0)
    return load(file)


def _require_equal(op: CustomOp, program: Any, call: Call, required: bool = False) -> None:
    """Raises ``OpCheckError`` where the program does something else than the operator; of other
    sizes than it takes it says nothing.
    """
    eager, given = _copied(call), _copied(call)
    expected = op(*eager[0], **eager[1])
    try:
        found = program.module()(*given[0], **given[1])
    except ExportError as error:
        if error.code == "E401" and not required:
            return
        raise _failed(error.code, error.message, error.hint) from error
    if not _same(_values(expected), _values(found)) or not _same(_arrays(eager), _arrays(given)):
        shown = value_text(tuple(map(described, taken_apart(expected)[0])))
        raise _failed("E252", f"`{op}` gives other results {shown} in an exported program than by itself, for the same arguments")


def _require_decomposed(op: CustomOp, program: Any, call: Call) -> None:
    """Raises ``OpCheckError`` where the decomposition of the operator, if it has one, does
    something else than the operator.
    """
    if op not in default_decompositions():
        return
    eager, given = _copied(call), _copied(call)
    expected = op(*eager[0], **eager[1])
    try:
        found = program.run_decompositions().module()(*given[0], **given[1])
    except ExportError as error:
        if error.code == "E401":  # of other sizes than the program takes
            return
        raise _failed("E254", error.message, error.hint) from error
    except Exception as error:  # whatever it is, the operator does not raise it
        raise _failed("E254", f"the decomposition of `{op}` raises {type(error).__name__}: {error}") from error
    if not _close(_values(expected), _values(found)) or not _close(_arrays(eager), _arrays(given)):
        raise _failed("E254", f"the decomposition of `{op}` gives other results than the operator, for the same arguments")
