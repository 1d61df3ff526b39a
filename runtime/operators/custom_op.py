"""Operators that users declare: eager here, one node each in an exported program.

Laws of every call, eager or by a node: the body gets arrays in C order, read-only except for those
that it is declared to mutate; results are new arrays in C order, in memory that nobody else holds.
A node calls the body with copies of what it mutates, and returns these after the results, each in
the memory order of the argument.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.declared import is_uncaught, uncaught
from npexport.ir.meta import content
from npexport.ir.op import Op
from npexport.ir.pytree import LEAF, TreeSpec, Unbounded, tree_flatten
from npexport.runtime.operators.called_operators import CalledOperator
from npexport.runtime.operators.custom_errors import differs
from npexport.runtime.operators.custom_schema import BASES, EAGER, Schema, bad
from npexport.runtime.operators.result_groups import Group
from npexport.symshapes.plain import with_article

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, repr=False)
class CustomOp(CalledOperator, Op):
    """An operator that a user declares; ``custom_op`` and ``opaque`` make them.

    ``body`` computes. ``fake`` says what it gives by shapes and dtypes alone, ``vjp`` is its
    derivative. ``native``: eager calls are those of a function that knows nothing of npexport.
    """

    body: Callable[..., Any] = None  # type: ignore[assignment]
    declared: Schema = None  # type: ignore[assignment]
    fake: Callable[..., Any] | None = None
    vjp: Callable[..., Any] | None = None
    native: bool = False

    @property
    def schema(self) -> str:
        """``my_lib.scale(x: ndarray, factor: float = 1.0) -> ndarray``."""
        return str(self.declared)

    @property
    def is_mutable(self) -> bool:
        """Whether eager calls write to arguments. Nodes do not: they give back what is written."""
        return bool(self.declared.mutates)

    def eager(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the body."""
        if self.native:
            return self.body(*args, **kwargs)
        bound = self.declared.bind(args, kwargs, EAGER)
        given = self.declared.signature.bind(*args, **kwargs).arguments
        pairs = [pair for name in self.declared.mutates for pair in _pairs(given.get(name), bound.arguments[name])]
        result = self._run(bound.args, bound.kwargs, [array for _, array in pairs])
        for original, array in pairs:
            if array is not original:
                np.copyto(original, array)
        return result

    def compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """For a node: the results of the operator, and the new values of the arguments that it
        mutates.
        """
        if self.native:
            return self._run_native(args, kwargs), []
        bound = self.declared.bind(args, kwargs, EAGER)
        given = self.declared.signature.bind(*args, **kwargs).arguments
        arguments = [leaf for name in self.declared.mutates for leaf in leaves_of(given.get(name)) if leaf is not None]
        written: list[Any] = []
        originals: list[Any] = []
        for name in self.declared.mutates:
            originals += [leaf for leaf in leaves_of(bound.arguments[name]) if leaf is not None]
            bound.arguments[name] = map_leaves(bound.arguments[name], lambda leaf: None if leaf is None else np.array(leaf, order="C"))
            written += [leaf for leaf in leaves_of(bound.arguments[name]) if leaf is not None]
        try:
            result = self._run(bound.args, bound.kwargs, written)
            return result, [_laid_out(one, other) for one, other in zip(arguments, written, strict=True)]
        except Exception as error:
            if any(content(one) != content(other) for one, other in zip(originals, written, strict=True)):
                error.add_note(f"`{self}` has written to an argument before; a program gets nothing of a call that raises.")
            raise

    def unstated(self, error: Exception) -> str | None:
        """What is not as the operator states of an exception of its body; ``None`` if nothing is
        stated, or all is so.
        """
        return None if self.raises is None or is_uncaught(error) else differs(self.statements, error)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], written: list[Any]) -> Any:
        """Run the body, which may write to ``written``; its results."""
        kept = {id(array) for array in written}
        args, kwargs = map_leaves((args, kwargs), lambda leaf: leaf if id(leaf) in kept else _read_only(leaf))
        result = self._called(args, kwargs)
        wanted = self.declared.results
        if wanted is None:
            if result is not None:
                raise uncaught(TypeError(f"`{self}` is declared to return None, and returns {with_article(type(result).__name__)}"))
            return None
        group = wanted if isinstance(wanted, Group) else None
        try:
            parts, keys = ([result], ()) if group is None else group.apart(str(self), result)
        except TypeError as error:
            raise uncaught(error)  # noqa: B904  (the error itself)
        del result
        kinds: Any = (wanted,) if group is None else group.kinds_of(len(parts))
        _require_types(self, parts, kinds)
        found = [_own(parts, place, "C") for place in range(len(parts))]
        return found[0] if group is None else group.together(keys, found)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the body returns, for arguments that are read-only unless it is declared to write
        to them.
        """
        try:
            return self.body(*args, **kwargs)
        except StopIteration as error:  # which C and generators would take for an end
            raise uncaught(RuntimeError(f"`{self}` raised StopIteration")) from error
        except Exception as error:
            if re.search("read-?only", str(error)):
                instead = "write to a copy" if self.native else "name those that it writes to in mutates_args, or write to a copy"
                error.add_note(f"The arguments of `{self}` are read-only: {instead}.")
            raise

    def _run_native(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = map_leaves((args, kwargs), _read_only)
        result = self._called(args, kwargs)
        parts, spec = taken_apart(result)
        del result
        _require_apart(self, parts, leaves_of((args, kwargs)))
        return spec.unflatten([parts[place] if _is_of_class(parts[place]) else _own(parts, place, "K") for place in range(len(parts))])

    def register_fake(self, fake: F) -> F:
        """Say what the operator gives, by shapes and dtypes alone: see `register_fake`."""
        if not callable(fake):
            raise bad(
                f"the fake of `{self}` is {with_article(type(fake).__name__)}", "Pass a function with the parameters of the operator."
            )
        object.__setattr__(self, "fake", fake)
        return fake


def taken_apart(result: Any) -> tuple[list[Any], TreeSpec]:
    """What a function gives, and the containers of it; a tuple that has attributes beside its items
    is a plain one.
    """
    if isinstance(result, tuple) and getattr(result, "__dict__", None):
        result = tuple(result)
    try:
        return tree_flatten(result)
    except Unbounded:
        return [result], LEAF


def _pairs(originals: Any, arrays: Any) -> list[tuple[Any, Any]]:
    """The arrays of an argument, each with what the body receives in its place."""
    if originals is None:
        return []
    for original in originals if isinstance(originals, (list, tuple)) else (originals,):
        if not isinstance(original, np.ndarray) or not original.flags.writeable:
            raise ValueError("assignment destination is read-only")
    return list(zip(originals, arrays, strict=True)) if isinstance(originals, (list, tuple)) else [(originals, arrays)]


def _read_only(leaf: Any) -> Any:
    if type(leaf) is not np.ndarray:
        return leaf
    view = leaf.view()
    view.flags.writeable = False
    return view


def _require_types(op: CustomOp, parts: list[Any], wanted: tuple[type, ...]) -> None:
    """The results, converted to the declared types: numbers of NumPy become Python's, or arrays
    without axes. Raises ``TypeError``.
    """
    for place, kind in enumerate(wanted):
        part = parts[place]
        if isinstance(part, _NUMPY_NUMBERS[kind]):
            parts[place] = EAGER[kind](part)
        elif kind is not np.ndarray or not isinstance(part, np.ndarray) or isinstance(part, np.ma.MaskedArray):
            which = f"result {place}" if len(wanted) > 1 else "its result"
            raise uncaught(TypeError(f"`{op}` is declared to return {BASES[kind]}, and {which} is {with_article(type(part).__name__)}"))


_NUMPY_NUMBERS: dict[type, tuple[type, ...]] = {
    np.ndarray: (np.generic,),
    int: (int, np.integer),
    float: (float, np.floating),
    bool: (bool, np.bool_),
}


def _laid_out(original: Any, written: Any) -> Any:
    """What is written, in the order in memory of the argument."""
    found = np.empty_like(original, subok=False)
    if found.strides == written.strides:
        return written
    found[...] = written
    return found


def _is_of_class(part: Any) -> bool:
    """Whether it is an array of a class with operators of its own."""
    return isinstance(part, np.ndarray) and type(part) not in (np.ndarray, np.memmap)


def _own(parts: list[Any], place: int, order: Any) -> Any:
    """An item of a list; a copy if it is an array whose memory something else holds, too, which may
    write to it or see writes to it.
    """
    if not isinstance(parts[place], np.ndarray):
        return parts[place]
    alone = type(parts[place]) is np.ndarray and parts[place].base is None and parts[place].flags.owndata and parts[place].flags.writeable
    if alone and sys.getrefcount(parts[place]) <= _ALONE and (order == "K" or parts[place].flags.c_contiguous):
        return parts[place]
    return np.array(parts[place], order=order, subok=False)


def _holders(parts: list[Any], place: int) -> int:
    return sys.getrefcount(parts[place])


_ALONE = _holders([np.empty(1)], 0)


def _require_apart(op: CustomOp, parts: list[Any], arguments: list[Any]) -> None:
    """Raises ``ValueError`` if a result shares memory with an argument or with another result:
    eager execution would see writes to both.
    """
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    for part in parts:
        if isinstance(part, np.ndarray):
            if any(_shares(part, other) for other in arrays):
                what = f"`{op}` gives memory of its arguments, or one memory twice; write an operator that returns copies"
                raise uncaught(ValueError(what))
            arrays.append(part)


def _shares(one: Any, other: Any) -> bool:
    try:
        return np.may_share_memory(one, other) and np.shares_memory(one, other, max_work=10_000)
    except np.exceptions.TooHardError:
        return True


def by_nodes_only(*args: Any, **kwargs: Any) -> Any:
    """The kernel of users' operators, which are not run on stand-ins."""
    raise TypeError("the body of an operator of a user is called by its nodes")
