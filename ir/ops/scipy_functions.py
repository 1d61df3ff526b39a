"""Functions of SciPy that are implemented in C, one operator ``ops.scipy.<module>_<function>``
each: the kernel is SciPy's function, which checks its arguments itself.

A `Row` gives the shapes in the form of the signatures of NumPy's generalised ufuncs; the dtypes are
found by a call of SciPy on the smallest arrays that it accepts.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.facts import OVERWRITES, Out, Raises
from npexport.ir.meta import TensorMeta, described
from npexport.ir.ops.control_flow import NUMBERS
from npexport.ir.ops.rules import Rejected, Shape, meta_of, record, same_sizes, type_key
from npexport.ir.ops.stand_ins import error_of, require_little, stand_in
from npexport.ir.raising import NOTHING, always
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import is_symbolic

_DATA_RAISE = (Raises((ValueError, np.linalg.LinAlgError), always, None),)
_Bound = dict[str, Any]


class Row(NamedTuple):
    """One function.

    ``shapes``: what the arrays and the results have, as in ``(m,n),(n,k?)->(m,k?)``, where ``k?``
    may be missing and ``...`` stands for a whole shape; or what gives such a text for the arguments
    of a call. ``arrays``: the parameters that are arrays, or tuples that begin with some, in the
    order of ``shapes``; ``tuples``: of those how many of their items are meant. ``sizes``: those
    that the operands do not have, of these and the options. ``results``: what gives the shapes of
    the results, which ``shapes`` leaves out, for the arguments. ``named``: what ``**kwargs`` may
    hold. ``raises``: whether some data are refused.

    What SciPy is asked about: matrices with a diagonal of ``example``, with options as in
    ``asked``, and axes as ``least`` says of how long the others are. ``gives``: the dtype of all
    results, if it is known. ``traits``: further ones of the operator, such as
    ``data_dependent_shape`` where data decide sizes or Python numbers of the results. ``output``:
    that of `Out`.
    """

    shapes: str | Callable[..., str]
    arrays: tuple[str, ...] = ("a",)
    sizes: dict[str, Callable[..., Any]] = {}  # noqa: RUF012
    results: Callable[..., list[Shape]] | None = None
    tuples: dict[str, int] = {}  # noqa: RUF012
    named: tuple[str, ...] = ()
    raises: bool = True
    asked: dict[str, Any] = {}  # noqa: RUF012
    least: dict[str, Callable[[int], int]] = {}  # noqa: RUF012
    example: float = 1.0
    gives: str = ""
    traits: str = ""
    output: str = ""


def _signature(function: Any, row: Row) -> inspect.Signature:
    """Its own, without what says how it computes and where it may write, and with the names of what
    it takes by ``**kwargs``.
    """
    found: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for parameter in inspect.signature(function).parameters.values():
        named = row.named if parameter.kind is parameter.VAR_KEYWORD else [parameter.name]
        default = None if parameter.kind is parameter.VAR_KEYWORD else parameter.default
        left_out = parameter.name in _HOW or (parameter.name in _WHERE and default is None)
        if left_out or parameter.kind is not kind or parameter.name.startswith(OVERWRITES):
            kind = parameter.KEYWORD_ONLY  # the places of those that follow are others
        if not left_out:
            arrays = {name: name in row.arrays and name not in row.tuples for name in named}
            found += [
                inspect.Parameter(name, kind, default=default, annotation="Array" if array else parameter.empty)
                for name, array in arrays.items()
            ]
    return inspect.Signature(found)


_HOW, _WHERE = frozenset({"lwork", "workers"}), frozenset({"out", "output", "distances", "indices"})


def _operands(row: Row, name: str, value: Any) -> list[TensorMeta]:
    """The arrays of an argument: of a tuple such as ``(c, lower)`` the first ones."""
    if name in row.tuples and type(value) is tuple:
        return [meta_of(item) for item in value[: row.tuples[name]]]
    return [] if value is None else [meta_of(value)]


def _rule(function: Any, row: Row, signature: inspect.Signature) -> Callable[..., Any]:
    def rule(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        options = {name: value for name, value in given.items() if name not in row.arrays}
        if any(isinstance(value, TensorMeta) or is_symbolic(value) or callable(value) for value in options.values()):
            raise Unsupported("E101", f"`{function.__name__}` with an option that only the data or the sizes know")
        operands = [meta for name in row.arrays for meta in _operands(row, name, given[name])]
        try:
            text = row.shapes if isinstance(row.shapes, str) else row.shapes(**given)
            taken, _, results = text.partition("->")
            sizes = _bind(taken, operands)
            kinds = _kinds(function, row, given, taken, operands)
            sizes |= {name: of(**{key: size for key, size in sizes.items() if key.isalpha()}, **options) for name, of in row.sizes.items()}
            shapes = _shapes(results, sizes) if row.results is None else row.results(**given)
        except Rejected:
            return _refuse(function, args, kwargs)
        found = [_result(kind, shape) for kind, shape in zip(kinds.parts * len(shapes) if row.gives else kinds.parts, shapes, strict=True)]
        return tuple(found) if kinds.several else found[0]

    rule.__signature__ = signature  # type: ignore[attr-defined]
    return rule


def _refuse(function: Any, args: Any, kwargs: Any) -> None:
    """Raise what SciPy raises of such shapes and dtypes; what it says of the elements of stand-ins
    is not an answer.
    """
    require_little(function, (args, kwargs))
    error = error_of(function, stand_in(args), stand_in(kwargs))
    if error is None or isinstance(error, np.linalg.LinAlgError):
        raise Unsupported("E101", f"`{function.__name__}` of arrays of such shapes and dtypes is not modelled")
    raise error


_SHAPE = re.compile(r"\(([^)]*)\)")


def _bind(text: str, operands: list[TensorMeta]) -> dict[str, Any]:
    """The sizes of the labelled axes of the operands. Raises `Rejected`."""
    sizes: dict[str, Any] = {}
    declared = _SHAPE.findall(text)
    if len(declared) != len(operands):
        raise Rejected
    for axes, operand in zip(declared, operands, strict=True):
        if axes.endswith("..."):
            sizes.setdefault(axes, operand.shape)
            continue
        names = axes.split(",") if axes else []
        if len(names) == len(operand.shape) + 1 and names[-1].endswith("?"):
            sizes[names.pop()] = None
        if len(names) != len(operand.shape):
            raise Rejected
        for name, size in zip(names, operand.shape, strict=True):
            other = int(name) if name.isdigit() else sizes.setdefault(name, size)
            if other is None or not (other is size or same_sizes((other,), (size,))):
                raise Rejected
    return sizes


def _shapes(text: str, sizes: dict[str, Any]) -> list[Shape]:
    """The shapes of results."""
    found = []
    for axes in _SHAPE.findall(text):
        shape: list[Any] = []
        for name in filter(None, axes.split(",")):
            if name.endswith("..."):
                shape += sizes[name]
            elif name.isdigit():
                shape.append(int(name))
            elif sizes[name] is not None:
                shape.append(sizes[name])
        found.append(tuple(shape))
    return found


def _kinds(function: Any, row: Row, given: _Bound, text: str, operands: list[TensorMeta]) -> _Kinds:
    """What the results are. Of few elements SciPy may give other dtypes: then there are not so few.

    Raises `Rejected`.
    """
    if row.gives:
        return _Kinds([TensorMeta((), np.dtype(row.gives))], False)
    usual = _asked(function, row, given, text, operands, _USUAL)
    small = [size for meta in operands for size in meta.shape if is_symbolic(size) or size < _USUAL]
    for few in range(_USUAL)[::-1] if small else ():
        try:
            same = _asked(function, row, given, text, operands, few) == usual
        except Rejected:
            continue  # it raises, as eager execution does
        if not same and not all(size > few for size in small):
            raise Unsupported(
                "E101",
                f"`{function.__name__}` gives other dtypes of axes of {few} and less",
                hint=f"Say that there are more: npexport.Dim(..., min={few + 1}).",
            )
    return usual


_USUAL = 3
_ASKED: dict[Any, _Kinds | None] = {}


def _asked(function: Any, row: Row, given: _Bound, text: str, operands: list[TensorMeta], size: int) -> _Kinds:
    """What the results are of axes of this size, which SciPy is asked once. Raises `Rejected`."""
    options = {name: value for name, value in given.items() if name not in row.arrays} | row.asked
    options = {name: value for name, value in options.items() if name in given and value is not None}
    key = (function, text, size, *map(type_key, operands), *[meta.ndim for meta in operands], repr(options))
    if key not in _ASKED:
        arrays = iter([_example(row, axes, meta, size) for axes, meta in zip(_SHAPE.findall(text), operands, strict=True)])
        examples: _Bound = {}
        for name in [name for name in row.arrays if given[name] is not None]:
            value, count = given[name], row.tuples.get(name, 0)
            found = [next(arrays) for _ in _operands(row, name, value)]
            examples[name] = (*found, *stand_in(value[count:])) if count and type(value) is tuple else found[0]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call = inspect.signature(function).bind(**(examples | options))
                result = function(*call.args, **call.kwargs)
            except Exception as error:  # which a call that is such raises itself
                require_own(error)
                _ASKED[key] = None
            else:
                several = isinstance(result, tuple)
                _ASKED[key] = _Kinds([_kind(part) for part in (result if several else [result])], several)
    kinds = _ASKED[key]
    if kinds is None:
        raise Rejected
    return kinds


def _example(row: Row, axes: str, meta: TensorMeta, size: int) -> np.ndarray[Any, Any]:
    """A matrix with ones, or so, on the diagonal; a row of ones; a vector that begins with one."""
    names = [""] * meta.ndim if axes.endswith("...") else axes.split(",")[: meta.ndim]
    shape = [int(name) if name.isdigit() else row.least[name](size) if name in row.least else size for name in names]
    elements: Any = np.ones(shape)
    if len(shape) == 1:
        elements = np.eye(1, shape[0])[0]
    elif len(shape) > 1 and shape[-2] != 1:
        elements = np.broadcast_to(np.eye(shape[-2], shape[-1]), shape)
    example: np.ndarray[Any, Any] = elements.astype(meta.dtype) * meta.dtype.type(row.example)
    return example


class _Kinds(NamedTuple):
    """The kinds of the results of a call: metas of arrays and scalars without shapes, types of
    Python numbers, and other Python objects.
    """

    parts: list[Any]
    several: bool


def _kind(result: Any) -> Any:
    if isinstance(result, (np.ndarray, np.generic)):
        return described(result).with_(shape=())
    return type(result) if type(result) in (int, float) else result


def _result(kind: Any, shape: Shape) -> Any:
    if isinstance(kind, TensorMeta):
        return kind if kind.scalar else kind.with_(shape=shape)
    if isinstance(kind, type):
        return NUMBERS[kind]()
    if not isinstance(kind, bool):  # which repeats an option
        raise Unsupported("E101", f"a result of this function of SciPy's is {with_article(type(kind).__name__)}")
    return kind


def _has_signature(function: Any) -> bool:
    """Whether a function says what it takes; some of C do not."""
    try:
        inspect.signature(function)
    except ValueError:
        return False
    return True


def declare(module: str, rows: dict[str, Row], prefix: str = "") -> None:
    """Make operators ``ops.scipy.<prefix>_<name>`` of those functions of a module of SciPy's that
    this SciPy has, and that say what they take. ``prefix``: by default the last part of the
    module's name.
    """
    try:
        functions = importlib.import_module(f"scipy.{module}")
    except ImportError:  # a private module of other versions
        return
    for name, row in rows.items():
        function = getattr(functions, name, None)
        if function is not None and _has_signature(function):
            own = f"{prefix or module.rpartition('.')[2]}_{name.lstrip('_')}"
            record(
                function,
                kernel=f"scipy_functions.{own}",
                namespace="scipy",
                name=own,
                traits=f"typed_parameters {row.traits}",
                doc=f"The function ``scipy.{module}.{name}``.",
                raises=_DATA_RAISE if row.raises else NOTHING,
                rejects=False,
                out=Out(output=row.output),
            )(_rule(function, row, _signature(function, row)))
