"""What operators raise for some data and not for others, as their records state it.

A statement is a tuple of `Raises`; `NOTHING` says that no data make the operator raise. Errors that
depend on sizes are raised by the rules. An operator whose record states nothing may raise anything.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.error_states import CATEGORIES
from npexport.ir.facts import Raises
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.op import Op
from npexport.ir.ops.bounds import extent
from npexport.ir.ops.machine_integers import grows_slowly
from npexport.ir.ops.rules import shape_of
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

NOTHING: tuple[Raises, ...] = ()


def is_data(arg: Any, kinds: str) -> bool:
    """Whether an argument, or an item of it, is an array or number of these kinds of dtypes that
    only the data know.
    """
    if isinstance(arg, (tuple, list)):
        return any(is_data(item, kinds) for item in arg)
    val = arg.meta.get("val") if isinstance(arg, Node) else None
    return isinstance(val, TensorMeta) and val.dtype.kind in kinds


SILENT = frozenset({"sym", "py", "control", "random", "scipy", "sklearn"})
"""Namespaces whose operators never warn of anything that NumPy's error states control; those of
others may.
"""


def may_meet_errors(op: Op, args: Iterable[Any]) -> bool:
    """Whether a call may meet a floating-point error. That of an operator of a user's may."""
    if op.home or "trapping" in op.traits:
        return True
    args = tuple(args)
    if (op.namespace in SILENT and op.namespace != "scipy") or "view" in op.traits or op.is_quiet(*args):
        return False
    if "own_state" in op.traits and all(map(_is_of_doubles, args)):
        return False
    if is_data(args, "m") and not _COMPUTING.isdisjoint(op.traits):  # which are divided, by numbers, too
        return True
    return is_data(args, "biufc") or computes_numbers(op, args) or ("creation" in op.traits and "quiet" in op.traits)


_COMPUTING = frozenset({"ufunc", "plain_loop", "divides", "cast"})


def computes_numbers(op: Op, args: Iterable[Any]) -> bool:
    """Whether a call computes with numbers of Python that are not constants, as NumPy does."""
    values = [arg.meta.get("val") for arg in args if isinstance(arg, Node)]
    if op.namespace == "np" and any(isinstance(value, SymFloat) for value in values):
        return True
    return any(isinstance(value, (SymInt, SymFloat)) for value in values) and not _COMPUTING.isdisjoint(op.traits)


def _is_of_doubles(arg: Any) -> bool:
    """Whether an argument has the precision of linear algebra, which casts no results then."""
    return not isinstance(arg, Node) or arg.meta["val"].dtype.char in "dDbhilqBHILQ?"


def of_complex(args: tuple[Any, ...]) -> bool:
    """Whether a ufunc computes with complex numbers: loops over those meet what others do not."""
    dtypes = [np.dtype(arg) for arg in args if isinstance(arg, (np.dtype, type))]
    return is_data(args, "c") or any(isinstance(arg, (complex, np.complexfloating)) for arg in args) or any(d.kind == "c" for d in dtypes)


_NUMPYS = frozenset(CATEGORIES.values()) - {Warning}
_OF_REALS = _NUMPYS - {np.exceptions.ComplexWarning}


def categories(op: Op, args: Iterable[Any]) -> frozenset[type[Warning]]:
    """The categories of warnings that a call may issue; `Warning` stands for any.

    Only complex numbers lose a part by a cast.
    """
    if op.home or op.namespace == "scipy":
        return frozenset({Warning})
    return _NUMPYS if of_complex(tuple(leaves_of(tuple(args)))) else _OF_REALS


def of_integers(args: tuple[Any, ...]) -> bool:
    """Whether a scalar is an integer, which may overflow."""
    return is_data(args, "iu")


def into_dtype(args: tuple[Any, ...]) -> bool:
    """Whether arrays go into a dtype that is asked for, and that may not hold their numbers."""
    return any(isinstance(arg, (np.dtype, type)) for arg in args)


def always(args: Any) -> bool:
    """Whatever the arguments are."""
    return True


def _argument(position: int, kinds: str = "biufcSUmM") -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: len(args) > position and is_data(args[position], kinds)


def _place(args: tuple[Any, ...]) -> bool:
    """Whether the places are integers, also where they are known: whether they are there depends on
    sizes.
    """
    return type(args[1]) in (int, list, tuple) or is_data(args[1], "biufcSUmM") or bool(_numbers(args[1]))


def _any(kinds: str) -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: any(is_data(arg, kinds) for arg in args)


def _power(args: tuple[Any, ...], first: int = 0) -> bool:
    """Whether an integer may be raised to a negative power."""
    base, exponent = args[first], args[-1]
    numbers = [number for number in _numbers(exponent) if type(number) is SymInt and known(number >= 0) is not True]
    negative = exponent < 0 if isinstance(exponent, (int, np.integer)) else is_data(exponent, "i") or bool(numbers)
    return bool(negative) and (not isinstance(base, Node) or is_data(base, "biu") or type(_number(base)) is SymInt)


def _power_at(args: tuple[Any, ...]) -> bool:
    return args[0] == "power" and _power((args[1], args[-1]))


def _indexed(args: tuple[Any, ...], flat: bool = False) -> bool:
    """Whether data say which elements there are, and may say others; one mask alone always fits.
    ``flat``: of the array as one of a single axis.
    """
    items = args[1] if isinstance(args[1], tuple) else (args[1],)
    shape = shape_of(value_of(args[0]))
    masks = sum(is_data(item, "b") for item in items)
    if masks:
        return is_data(args[1], "iu") or masks > 1 or any(isinstance(item, list) for item in items)
    return any(is_data(item, "iu") and not _among(item, size) for item, size in along(items, (math.prod(shape),) if flat else shape))


def along(items: tuple[Any, ...], shape: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """The items of an index that is not a mask, each with how long the axis is that it is about."""
    axes = [item for item in items if item is not None]
    before = next((place for place, item in enumerate(axes) if item is ...), len(axes))
    behind = axes[before + 1 :]
    return [*zip(axes[:before], shape, strict=False), *zip(behind, shape[len(shape) - len(behind) :], strict=True)]


def _among(places: Any, size: Any) -> bool:
    """Whether the places that data give are there whatever the data are."""
    found = extent(places)
    return found is not None and known(found[0] >= -size) is True and known(found[1] < size) is True


def _masked(args: tuple[Any, ...]) -> bool:
    """Whether as many values are written as data say that there are places; those that the mask
    has chosen itself are as many.
    """
    mask, written = args[1], _shape(args[2])
    if not (is_data(mask, "b") and written):
        return False
    chosen = [user for user in mask.users if _is_chosen_by(user, mask)] if isinstance(mask, Node) else []
    aligned = len(written) == len(_shape(args[0])) - len(_shape(mask)) + 1
    return not (aligned and any(known(_shape(user)[0] == written[0]) is True for user in chosen))


def _is_chosen_by(user: Node, mask: Node) -> bool:
    """Whether a call takes the elements of an array that a mask alone chooses."""
    return str(user.target) == "ops.np.index" and user.args[1] is mask


def _shape(arg: Any) -> tuple[Any, ...]:
    val = arg.meta.get("val") if isinstance(arg, Node) else None
    return val.shape if isinstance(val, TensorMeta) else ()


def _longer(args: tuple[Any, ...]) -> bool:
    """Whether a mask may have more elements than the axis, or the whole array, from which it
    chooses.
    """
    mask, chosen = (_shape(arg) if isinstance(arg, Node) else np.shape(arg) for arg in args[:2])
    axis = args[2] if len(args) > 2 else None
    if type(axis) is int and chosen:
        chosen = (chosen[axis],)
    static = all(type(size) is int for size in (*mask, *chosen))
    same = len(mask) == len(chosen) and all(known(one == other) for one, other in zip(mask, chosen, strict=True))
    return not same and not (static and math.prod(mask) <= math.prod(chosen))


def of_text(source: int) -> Callable[[tuple[Any, ...]], bool]:
    """Whether text is written to an array of numbers: element by element, until one is none."""
    return lambda args: len(args) > source and is_data(args[source], "SUT") and not is_data(args[0], "SUT")


def of_power(args: tuple[Any, ...]) -> bool:
    """Whether a ufunc is the power, whose loop ends at a negative exponent."""
    return bool(args[0] == "power")


def _counted(args: tuple[Any, ...]) -> bool:
    """Whether a range ends at a float that only the data know, which may not be a number."""
    return (
        is_data(args, "fcmM")
        or _misfits(args)
        or any(isinstance(number, SymFloat) and number.hint is None for number in map(_number, args))
    )


def _strangers(args: tuple[Any, ...]) -> bool:
    """Whether arrays have no common dtype: then sizes and data decide whether they are compared."""
    values = [arg.meta.get("val") if isinstance(arg, Node) else np.asarray(arg) for arg in args[:2]]
    dtypes = [getattr(value, "dtype", np.float64) for value in values]
    try:
        np.result_type(*dtypes)
    except TypeError:
        return True
    return False


def _of_nothing(args: tuple[Any, ...]) -> bool:
    """``np.place`` of no values raises where the mask is true anywhere."""
    return any(type(size) is not int or size == 0 for size in _shape(args[2]))


def _number(arg: Any) -> Any:
    """The number of Python that only the program's run knows, if the argument is one."""
    val = arg.meta.get("val") if isinstance(arg, Node) else None
    return val if isinstance(val, (SymInt, SymFloat, SymBool)) else None


def _misfits(args: tuple[Any, ...]) -> bool:
    """Whether an integer of Python may not fit the dtype of the integers, or the range of the
    floats, that it meets.
    """
    leaves = list(_leaves(args))
    numbers = [number for number in _numbers(leaves) if type(number) is SymInt]
    if not numbers:
        return False
    dtypes = [leaf.meta["val"].dtype for leaf in leaves if is_data(leaf, "biufc")]
    dtypes += [leaf.dtype for leaf in leaves if isinstance(leaf, np.generic)]
    dtypes = dtypes or [np.dtype(np.int64)]
    return not all(fits(number, dtype) for number in numbers for dtype in dtypes)


def _leaves(arg: Any) -> Iterator[Any]:
    """An argument, or its items and theirs."""
    if isinstance(arg, (tuple, list)):
        for item in arg:
            yield from _leaves(item)
    else:
        yield arg


def _numbers(args: Any) -> list[Any]:
    """The numbers of Python among arguments and their items that only the program's run knows."""
    return [number for number in map(_number, _leaves(args)) if number is not None]


class TooLarge(OverflowError):
    """An integer does not fit where NumPy makes an array of another dtype of it. It is raised as an
    ``OverflowError``, which no handler of the program may get.
    """


def counts_elements(size: SymInt) -> bool:
    """Whether a size is arithmetic of sizes of arrays, which 64 bits hold."""
    return all(map(size.env.counts_elements, size.expression.symbols)) and grows_slowly(size.expression)


def _too_large(args: tuple[Any, ...]) -> bool:
    """Whether an integer of Python may be too large for floats, with which it is compared; integers
    compare with all.
    """
    dtypes = [arg.meta["val"].dtype for arg in args if is_data(arg, "fc")] + [arg.dtype for arg in args if isinstance(arg, np.inexact)]
    return any(type(number) is SymInt and not fits(number, dtype) for number in map(_number, args) for dtype in dtypes)


def fits(number: SymInt, dtype: np.dtype[Any]) -> bool:
    """Whether an integer of Python is sure to fit a dtype."""
    if dtype.kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    else:  # a truth makes an int64 of it, and no float is narrower in what it takes than a double
        low, high = (-(2**63), 2**63 - 1) if dtype.kind == "b" else (-(2**1023), 2**1023)
    if high >= 2**63 - 1 and counts_elements(number):
        return low < 0 or known(number >= low) is True
    return known((number >= low) & (number <= high)) is True


def _fits_integer(leaf: Node, dtype: np.dtype[Any]) -> bool:
    """Whether Python makes an integer of this dtype of NumPy's integer, whatever it is."""
    found, info = extent(leaf), np.iinfo(dtype)
    bounded = found is not None and known(found[0] >= int(info.min)) is True and known(found[1] <= int(info.max)) is True
    return bounded or np.can_cast(leaf.meta["val"].dtype, dtype)


def of_scalar(meta: TensorMeta) -> bool:
    """Whether it is a scalar: Python converts it where NumPy casts the elements of arrays. Some
    versions of NumPy do so with arrays of one element that become one, too.
    """
    return meta.scalar or (meta.ndim > 0 and all(type(size) is int and size == 1 for size in meta.shape))


def _reads_text(source: np.dtype[Any], made: np.dtype[Any], kinds: str) -> bool:
    """Whether a cast reads an element of one of these kinds from text; records are cast field by
    field.
    """
    sources, targets = _fields(source), _fields(made)
    pairs = zip(sources, targets, strict=True) if len(sources) == len(targets) else itertools.product(sources, targets)
    return any(target.kind in kinds and text.kind in "SUTV" and text.kind != target.kind for text, target in pairs)


def _fields(dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
    """The dtypes of the elements of a record, those of records in it included; or the dtype
    itself.
    """
    names = dtype.base.names
    return [dtype.base] if names is None else [each for name in names for each in _fields(dtype.base[name])]


def converted(
    value: int,
    dtype: Any = None,
    like: int | None = None,
    floats: bool = True,
    by_python: Callable[[TensorMeta], bool] | None = None,
) -> tuple[Raises, ...]:
    """The statement of an operator that makes elements of a number of Python, or of text, the
    argument at ``value``: of a dtype, or of that at ``dtype``, or else of that of the array at
    ``like``. ``floats``: whether it refuses floats that are not integers of that dtype;
    ``by_python``: of which scalars and arrays it makes elements as it does of Python's numbers.
    """

    def target(args: tuple[Any, ...]) -> np.dtype[Any] | None:
        given = dtype if type(dtype) is not int else args[dtype] if len(args) > dtype else None
        if given is not None or like is None:
            return None if given is None else np.dtype(given)
        return args[like].meta["val"].dtype if is_data(args[like], "biufcSUTmMV") else np.result_type(args[like])

    def numbers(args: tuple[Any, ...]) -> bool:
        found = _numbers(args[value : value + 1])
        if not found:
            return False
        made = target(args) or np.dtype(np.int64)
        refused = {SymFloat: "biumM", SymBool: "mM"} if floats else {}
        return any(not fits(n, made) if type(n) is SymInt else made.kind in refused.get(type(n), "") for n in found)

    def texts(kinds: str, args: tuple[Any, ...]) -> bool:
        made = target(args) if is_data(args[value : value + 1], "SUTV") else None
        found = [leaf.meta["val"].dtype for leaf in _leaves(args[value : value + 1]) if is_data(leaf, "SUTV")]
        return made is not None and any(_reads_text(dtype, made, kinds) for dtype in found)

    def scalars(kinds: str, args: tuple[Any, ...]) -> list[Node]:
        found = [leaf for leaf in _leaves(args[value : value + 1]) if by_python and is_data(leaf, kinds)]
        return [leaf for leaf in found if by_python and by_python(leaf.meta["val"])]

    def of_integers(args: tuple[Any, ...]) -> bool:
        found = scalars("iu", args)
        made = (target(args) or np.dtype(np.int64)) if found else np.dtype(bool)
        return made.kind in "iu" and not all(_fits_integer(leaf, made) for leaf in found)

    def of_numpys(args: tuple[Any, ...]) -> bool:
        found = scalars("fcmM", args)
        made = (target(args) or np.dtype(np.int64)).kind if found else "b"
        return made in "iu" or (made in "fc" and any(is_data(leaf, "mM") for leaf in found))

    def dates(args: tuple[Any, ...]) -> bool:
        """Whether dates become texts that may be too short for them."""
        made = target(args) if is_data(args[value : value + 1], "M") else None
        found = [leaf.meta["val"].dtype for leaf in _leaves(args[value : value + 1]) if is_data(leaf, "M")]
        return (
            made is not None and made.kind in "SU" and any(np.empty(0, each).astype(made.kind).itemsize > made.itemsize for each in found)
        )

    of_texts = _either(ValueError, when=partial(texts, "biufcmMSUV")) + _either(OverflowError, when=partial(texts, "iu"))
    of_texts += _either(RuntimeError, when=dates)
    of_texts += _either(OverflowError, ValueError, when=numbers) + _either(OverflowError, when=of_integers)
    return of_texts + _either(OverflowError, ValueError, TypeError, when=of_numpys)


def _constructed(args: tuple[Any, ...]) -> bool:
    """Whether a scalar type may refuse a number of Python; numbers of NumPy it casts."""
    number, dtype = _number(args[0]), args[1]
    if type(number) is SymFloat:
        return dtype.kind in "iu"
    return is_data(args[0], "SU") or (type(number) is SymInt and dtype.kind in "iufc" and not fits(number, dtype))


def _inverts(args: tuple[Any, ...]) -> bool:
    return not isinstance(args[1], int) or args[1] < 0


def _unclipped(when: Callable[[tuple[Any, ...]], bool]) -> Callable[[tuple[Any, ...]], bool]:
    """Unless the call's mode brings all places back into the array."""
    return lambda args: not any(type(arg) is str and arg in ("wrap", "clip") for arg in args) and when(args)


def _either(*kinds: type[Exception], when: Callable[[tuple[Any, ...]], bool] = always, place: int | None = None) -> tuple[Raises, ...]:
    return (Raises(kinds, when, place),)


def _said_by(position: int, *kinds: type[Exception]) -> tuple[Raises, ...]:
    """By the data of an argument, arrays and numbers of Python."""
    numbers = _either(*kinds, when=lambda args: bool(_numbers(args[position : position + 1])))
    return _either(*kinds, when=_argument(position), place=position) + numbers


def _with_option(position: int, when: Callable[[tuple[Any, ...]], bool]) -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: len(args) > position and args[position] is not None and when(args)


_reduces_powers = _either(ValueError, when=lambda args: args[0] == "power" and is_data(args[1], "iu"))
_quantiles = _said_by(1, ValueError) + _either(ValueError, when=_argument(5), place=5)
_where = _either(IndexError, when=_indexed, place=1)
_where_flat = _either(IndexError, when=partial(_indexed, flat=True), place=1)
_at = _either(IndexError, when=lambda args: is_data(args[2], "iu") or bool(_numbers(args[2])), place=2)
_places = _either(IndexError, when=_unclipped(_place), place=1)
_assigned = converted(2, like=0)
_assigned_by_python = converted(2, like=0, by_python=of_scalar)
_values = _either(ValueError, when=_masked) + _assigned_by_python

OF_TEXTS = _either(ValueError, when=lambda args: any(is_data(arg, "SUT") for arg in args))
LINALG = _either(np.linalg.LinAlgError)
SINGULAR = tuple([row._replace(text="Singular matrix") for row in LINALG])
INDEFINITE = tuple([row._replace(text="Matrix is not positive definite") for row in LINALG])
POLYFIT = LINALG + _either(ValueError, when=lambda args: len(args) > 6)  # deficient ranks have no covariances
MATRIX_POWER = _either(np.linalg.LinAlgError, when=_inverts)
INTEGERS = _either(OverflowError, when=_misfits)
CORRECTED = _either(OverflowError, when=lambda args: any(type(n) is SymInt and not fits(n, np.dtype(np.int64)) for n in _numbers(args)))
FLOATS = converted(0, float)
OF_OBJECTS = _either(TypeError, when=_misfits)  # what is too large makes an array of objects, which is not cast
JOINED = tuple([row._replace(when=_with_option(2, row.when)) for row in converted(0, dtype=2)])
DIAGONAL = INTEGERS + _either(ValueError, OverflowError, TypeError, when=lambda args: any(isinstance(n, SymFloat) for n in _numbers(args)))
REDUCED = _reduces_powers + converted(1, dtype=3) + converted(5, dtype=3, like=1, by_python=of_scalar)
TOTALLED = converted(0, dtype=2) + converted(4, dtype=2, like=0, by_python=of_scalar)
EXTREME = converted(3, like=0, by_python=of_scalar)
REDUCED_AT = _reduces_powers + converted(1, dtype=4) + _at
UFUNC_AT = _either(ValueError, when=_power_at) + _at + _either(OverflowError, when=_misfits)
UFUNC_WHERE = _either(ValueError, when=lambda args: args[0] == "power" and _power(args[3:5])) + _either(OverflowError, when=_misfits)
INDEXED = _where
INDEXED_FLAT = _where_flat
WRITTEN = _where + _values
WRITTEN_FLAT = _where_flat + _values
PUT = _places + _assigned
PLACED = _either(ValueError, when=_of_nothing) + _assigned
MASKED = _assigned
PARTED = _assigned_by_python
TAKEN = _places + converted(1, np.int64)
COPIED = converted(1, like=0)
ROUNDED = EXPONENT = converted(1, np.int32)
ROLLED = converted(1, np.int64, by_python=always)
FILLED = converted(1, dtype=2, floats=False)
FILLED_LIKE = converted(1, dtype=2, like=0, floats=False)
CHOSEN_BY_MASK = _either(IndexError, when=_longer, place=0)
UNRAVELLED = _either(ValueError, place=0)
CHOSEN = _either(ValueError, when=_unclipped(always), place=0)
PADDED = _said_by(1, ValueError) + converted(3, like=0, by_python=always) + converted(5, like=0, by_python=always)
SECOND = _either(ValueError, when=_argument(1), place=1)
SORTER = _either(ValueError, when=_argument(3), place=3)
QUANTILES = _quantiles
DATA = _either(ValueError)
BINNED = DATA + _either(OverflowError, when=_misfits)
COUNTED = _either(ValueError, when=_counted)
STRANGERS = _either(TypeError, when=_strangers)
SERIES = (
    _either(ZeroDivisionError, when=lambda args: args[1] != "numpy" and args[2].endswith("div"))
    + _either(ValueError, when=lambda args: args[2].endswith(("companion", "roots")) and not args[2].endswith("fromroots"))
    + _either(np.linalg.LinAlgError, when=lambda args: args[2].endswith("roots") and not args[2].endswith("fromroots"))
)
WEIGHTS = _said_by(2, ZeroDivisionError)
DATES = _either(OverflowError, when=_any("mM"))
COMPARED = _either(OverflowError, when=_too_large)
ARITHMETIC = INTEGERS + DATES
POWER = INTEGERS + _either(ValueError, when=_power, place=1)
SCALAR_POWER = INTEGERS + _either(ValueError, when=_power)
CONSTRUCTED = _either(OverflowError, ValueError, when=_constructed)
CAST = converted(0, dtype=1) + DATES
ARRAY = converted(0, dtype=1) + _either(TooLarge, when=lambda args: len(args) < 2 and _misfits(args))
LISTED = converted(0, dtype=1, by_python=of_scalar)
ELEMENT = _either(ValueError, OverflowError, when=_argument(0, "f"))
LOOKED_UP = _either(IndexError, ValueError)
"""Statements of records that several have in common, by name."""
