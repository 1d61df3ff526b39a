"""What records of operators state beside rule, kernel and traits.

A fact that a record does not state is unknown, and treated in the safe way: the operator may raise
anything, its integers have no bounds, its sizes count nothing, and the layout of its results is
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

Size = Any  # int or SymInt
Extent = tuple[Size, Size]


OVERWRITES = "overwrite_"
"""The prefix of options that let SciPy compute in the memory of the argument that the rest of the
name names.
"""


class Raises(NamedTuple):
    """An operator raises one of ``errors`` for some data, if ``when`` holds for its arguments.

    ``place``: the argument whose data alone decide it, if there is one. ``text``: the message, if
    it does not depend on data.
    """

    errors: tuple[type[Exception], ...]
    when: Callable[[tuple[Any, ...]], bool]
    place: int | None
    text: str | None = None


def classes_in(statement: tuple[Raises, ...]) -> tuple[type[Exception], ...]:
    """All classes of exceptions in a statement of what an operator raises."""
    return tuple([error for row in statement for error in row.errors])


class Count(NamedTuple):
    """What a size counts: ``key`` names it; ``extent`` bounds it if that is known better than by
    the operator's rule.

    ``others``: what counts the rest, if the size and that add up to the upper bound.
    """

    key: Any
    extent: Extent | None = None
    others: Any = None


class Counts(NamedTuple):
    """What the sizes and integers of an operator count.

    ``sizes``: of a slot and a call's arguments, what the size counts for which the rule asks under
    that slot (`fresh_size`), or ``None``. The others are asked of a node: ``element``: what its
    only element counts, or ``None``. ``last``: the same of its last element. ``truths``: the node
    that is true where it is, or false there, and whether false; ``None`` where no other is.
    ``nonzero``: how many elements are true, or false, where sizes say it.
    """

    sizes: Callable[..., Count | None] | None = None
    element: Callable[[Any], Count | None] | None = None
    last: Callable[[Any], Count | None] | None = None
    truths: Callable[[Any], tuple[Any, bool] | None] | None = None
    nonzero: Callable[[Any, bool], Size | None] | None = None


NO_COUNTS = Counts()


class View(NamedTuple):
    """What is known of an operator with the trait "view", which shows memory of its first argument.

    ``inverse``: of (builder, value of the argument, new value of the view, link), the value that
    the argument has when that is written to the view; without one the elements are found by asking
    the kernel, where sizes are static. ``strides``: of (link, shape and strides of the argument,
    truth), those of the view. ``first``: of the same, how far its first element lies behind the
    argument's; without one that is not known. A link has the call's ``op``, ``args`` and ``kwargs``
    but the first argument, and ``meta`` of the view. ``copies``: when NumPy copies instead: if the
    memory does not lie as a reshape needs it, or not one element next to the other, or not in the
    call's order; with "order" the view is else the argument itself. ``hides_copy``: NumPy's copy is
    in turn a view, of an array that nobody sees. ``renews``: of the meta of the argument, whether
    the result is a new, read-only array instead; ``returns``: of meta, ``args`` and ``kwargs``,
    whether it is the argument itself. ``read_only``: nobody may write to the view unless
    ``writeable=`` says so. ``held``: NumPy puts an object between the view and the array.
    ``other_elements``: its elements are parts of the memory's. ``part``: the name of the part that
    it shows of every complex number. ``keeps_order``: what is in C order stays so. ``sources``, of
    an operator with several results: for each the positions of the arguments, and numbers of memory
    that the call makes, in which it may lie.
    """

    inverse: Callable[..., Any] | None = None
    strides: Callable[..., tuple[Size, ...]] | None = None
    first: Callable[..., Size] | None = None
    copies: Literal["", "reshape", "ravel", "order"] = ""
    hides_copy: bool = False
    renews: Callable[[Any], bool] | None = None
    returns: Callable[[Any, tuple[Any, ...], dict[str, Any]], bool] | None = None
    read_only: bool = False
    held: bool = False
    other_elements: bool = False
    part: str = ""
    keeps_order: bool = False
    sources: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] | None = None


SHOWN = View()


class Emit(NamedTuple):
    """How calls of an operator are written as Python, where that is less than a call of its kernel.

    ``templates``: texts of calls by position, one for each number of arguments; what begins with an
    attribute needs an array. ``in_place``: the same where the first argument's memory takes the
    result; ``filling``: and one number goes to all elements. ``keyword_out``: whether ``out`` is
    passed by name. ``block``: the operator is a statement over those of its sub-graphs. ``method``:
    the method of arrays that NumPy's function calls behind a layer of Python; what follows the
    array is its arguments. ``kernel`` of a node is a function that does the same for its arguments
    with less, or ``None``; ``writer`` of a node one that leaves the result in its first argument,
    where that memory takes it, and is not given the ``skips`` arguments before that; ``own`` of a
    node is a template for it alone, or empty. ``numbers``: the kinds of dtypes of whose elements it
    gives the number that ``tolist`` gives. ``asks``: of its first operand it asks only whether it
    is true. ``lists``: what ``kernel`` gives is a list of the results. ``complexes``: what it
    applies, by the name that comes first, to complex numbers that are pairs of floats. ``unless``:
    a call does nothing where its first operand is true. ``bound``: the first argument is part of
    ``kernel``, which is not given it. ``sign``: that of Python's own operator, of which the numbers
    of a call are the operands.
    """

    templates: tuple[str, ...] = ()
    in_place: str = ""
    filling: str = ""
    keyword_out: bool = False
    block: Literal["", "branch", "loop"] = ""
    method: str = ""
    kernel: Callable[[Any], Any] | None = None
    writer: Callable[[Any], Any] | None = None
    skips: int = 0
    own: Callable[[Any], str] | None = None
    numbers: str = ""
    asks: bool = False
    lists: bool = False
    complexes: Mapping[str, Any] | None = None
    unless: bool = False
    bound: bool = False
    sign: str = ""

    def is_number(self, node: Any) -> bool:
        """Whether a call gives an element of at most 8 bytes as Python's number."""
        dtype = getattr(node.args[0].meta["val"], "dtype", None) if self.numbers else None
        return dtype is not None and dtype.kind in self.numbers and dtype.itemsize <= 8

    def text(self, count: int, in_place: bool) -> str | None:
        """The template for this number of arguments, if there is one."""
        templates = (self.in_place,) if in_place else self.templates
        return next((text for text in templates if text and text.count("{") == count), None)


CALLED = Emit()


class Neutral(NamedTuple):
    """The integer that changes no other: of ``x - 0`` and ``0 + x`` the result is ``x``.

    ``either``: on either side; else it is the second operand.
    """

    number: int
    either: bool = False


class Out(NamedTuple):
    """How NumPy's function writes to ``out=``, where that is not what the new result says, cast by
    the rule "same_kind".

    ``unsafe``: it casts to any dtype. ``exact``: ``out`` must have the dtype of the result, in C
    order. ``broadcasts``: the function ends in a ufunc, whose result broadcasts to ``out``.
    ``stepwise``: it keeps there what it has so far. ``parts``: it fills ``out`` part by part,
    whatever shares its memory; "join" and "stack" say what a part is. ``aliases``: ``out`` may be
    the first argument, or of a functional write any that is the array written, for which it does
    what it does for a copy. ``ufunc``: the ufunc within, by which errors name it.
    ``rounds``: integers are copied, and sizes compared, before anything is computed. ``precise``:
    it computes in the precision of ``out``. ``passes``: what it has so far passes through the dtype
    of ``out``, in which numbers must keep their order ("order") or be the same ("value").
    ``output``: what a function of SciPy returns after it has written its result to ``output=``:
    that array ("given"), ``None`` ("nothing"), or, if it writes the first of two results, the other
    one ("second"). ``empty``: what it calls instead for an array without elements.
    """

    unsafe: bool = False
    exact: bool = False
    broadcasts: bool = False
    stepwise: bool = False
    parts: str = ""
    ufunc: Any = None
    rounds: bool = False
    aliases: bool = False
    precise: bool = False
    passes: str = ""
    output: str = ""
    empty: Any = None


WRITTEN = Out()
