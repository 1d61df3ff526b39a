"""Guards for what is a view or a copy depending on the layout of an input.

A read never shows the difference. A write does, if the other array is still in use: then the
example's layout becomes a condition on the inputs that decide it or, if strides depend on dynamic
sizes, the program is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.views import Open
from npexport.runtime.entry.checks import LAYOUT_FLAGS, has_layout
from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.arrays.memory.layout import example_size, fits_without_copy, is_packed, runs_backwards
from npexport.tracer.arrays.memory.model import ArrayRef, Kind, Link, Placeholder, Storage, mirror
from npexport.tracer.arrays.memory.strides import proved, shares


class LayoutCondition(NamedTuple):
    """An input must have the layout ``order`` ("C", "F" or strides), because of ``location``."""

    placeholder: Placeholder
    order: str | tuple[int, ...]
    location: Location | None


class Question(NamedTuple):
    """Whether an array of dynamic sizes can be reshaped without a copy; with ``shape=None``:
    whether it is contiguous in this order.
    """

    shape: tuple[Any, ...] | None
    order: str
    answer: bool


class Answer(NamedTuple):
    """``holds``: for the example.

    ``open``: whether the answer may differ for other layouts or sizes of inputs; for other sizes it
    is the answer to ``question``.
    """

    holds: bool
    open: bool = False
    question: Question | None = None


class Ambiguity(NamedTuple):
    """``result``, a view (a link of the same storage) or a copy (another storage), depending on the
    layout of ``depends``.

    The references to both sides are weak: if nobody can read a side any more, it cannot show a
    difference.
    """

    source: weakref.ref[Storage]
    within: Link | None
    result: weakref.ref[Any]
    depends: frozenset[Placeholder]
    known: bool
    question: Question | None  # what other sizes may answer otherwise

    def is_observable(self) -> bool:
        """Whether both sides can still be read."""
        result, source = self.result(), self.source()
        if result is None or source is None:
            return False
        if source.outside is not None or self.within is not None or type(result) is Storage:
            return True
        own = result.chain()[0]
        root = source.root and source.root()
        return root is not None or any(child() not in (None, own) for child in source.children)


def ambiguities_of(storage: Storage | None) -> list[Ambiguity]:
    """The ambiguities that made a storage a copy in the example, through all copies before it."""
    found: list[Ambiguity] = []
    while storage is not None and storage.ambiguity is not None:
        found.append(storage.ambiguity)
        storage = storage.ambiguity.source()
    return found


class Layouts:
    """Collects the conditions on inputs that answers about layout depend on (``conditions``).

    ``stack``: the user's locations.
    """

    def __init__(self, stack: Callable[[], tuple[Location, ...]]) -> None:
        self._stack = stack
        self.conditions: dict[Placeholder, LayoutCondition] = {}
        self._aligned: set[Placeholder] = set()  # what was asked for its alignment
        self._twins: list[tuple[weakref.ref[ArrayRef], weakref.ref[ArrayRef]]] = []
        """Pairs: what ``np.asarray(x, order=...)`` returned, and ``x``, which is the same object if
        it has that order."""

    def original(self, x: ArrayRef) -> Link | None:
        """The array that ``x`` is a view of, as the program asks; a layout becomes a condition."""
        link = x.link
        while link is not None and link.op.view.copies == "order":
            self.ask(x)
            link = link.parent
        return link

    def note_twin(self, result: ArrayRef, x: ArrayRef) -> None:
        """``result`` is ``x`` itself if that has (a view), or has not, the example's layout."""
        if result.storage is not x.storage:
            result.storage.twin = x.storage
        self._twins.append((weakref.ref(result), weakref.ref(x)))

    def one_object(self, x: ArrayRef) -> list[ArrayRef]:
        """The proxies that are the same object as ``x`` to the program, including itself; a
        condition if a layout decides.
        """
        found = [x]
        for proxy in found:
            for pair in self._twins:
                first, second = pair[0](), pair[1]()
                if first is None or second is None or proxy is not first and proxy is not second:
                    continue
                self.ask(second)
                other = second if proxy is first else first
                if first.storage is second.storage and not any(other is one for one in found):
                    found.append(other)
        return found

    def same(self, first: ArrayRef, second: ArrayRef) -> bool:
        """Whether two proxies are the same object; a condition if a layout decides."""
        if first.storage is second.storage:
            same = are_one(self.original(first), self.original(second))
            if same is None:
                what = "the program asks whether two views are one array after a branch on data that decides that"
                raise Unsupported("E103", what, hint="Make the views after the branch, or choose with np.where.")
            return same
        for one, other in ((first, second), (second, first)):
            if one.storage.twin is other.storage:
                self.ask(other)
        return False

    def note(self, x: ArrayRef, result: ArrayRef, question: Question | None) -> None:
        """Note that ``result`` is a view of ``x`` or a copy; ``question``: about other sizes."""
        storage = x.storage
        result_side = weakref.ref(result.link if result.storage is storage else result.storage)
        ambiguity = Ambiguity(weakref.ref(storage), x.link, result_side, storage.layout.depends, storage.layout.known, question)
        result_side().ambiguity = ambiguity  # type: ignore[union-attr]
        for side in {id(s): s for s in (storage, result.storage)}.values():
            side.ambiguities = [*(side.ambiguities or ()), ambiguity]

    def settle(self, storage: Storage) -> None:
        """Before a write: make every ambiguity about this storage that it reveals a condition."""
        ambiguities, storage.ambiguities = storage.ambiguities, None
        for ambiguity in ambiguities or ():
            if ambiguity.is_observable():
                self._decide(ambiguity, "whether this write is seen through another array")

    def decide_owner(self, x: ArrayRef) -> None:
        """The program asks what ``x`` is a view of: each ambiguity about it becomes a condition."""
        for side in (x.storage, *(x.link.chain() if x.link is not None else ())):
            if side.ambiguity is not None:
                self._decide(side.ambiguity, "what an array is a view of")

    def decide_shown(self, storage: Storage, is_shown: Callable[[weakref.ref[Storage]], bool]) -> None:
        """The caller gets what is a copy in the example, and may be a view of what it sees."""
        passed = ambiguities_of(storage)
        for number, ambiguity in enumerate(passed):
            if is_shown(ambiguity.source):
                for each in passed[: number + 1]:
                    self._decide(each, "what an array is a view of")
                return

    def _decide(self, ambiguity: Ambiguity, what: str) -> None:
        if not ambiguity.known:
            raise Unsupported("E121", f"{what} depends on a memory layout that NumPy does not promise")
        for placeholder in sorted(ambiguity.depends, key=lambda p: p.path):
            self.require(placeholder)
        if ambiguity.question is not None:
            source = ambiguity.source()
            if source is None:
                raise Unsupported("E121", f"{what} depends on dynamic sizes")
            hold(source, ambiguity.within, ambiguity.question)

    def _is_aligned(self, outside: Placeholder | None) -> bool:
        """Whether an outside array is aligned in every call; one of the program's own is."""
        if outside is None or outside.kind is not Kind.INPUT:
            return outside is None or bool(outside.array.flags.aligned)
        condition = self.conditions.get(outside)
        self._aligned.add(outside)
        return condition is not None and type(condition.order) is str

    def require_strides(self, x: ArrayRef) -> None:
        """The program sees strides: an outside array must have those of the example along axes of
        one element, too, which no order in memory decides.
        """
        storage: Storage = x.storage
        outside, shape = storage.outside, storage.meta.shape
        if storage.array is not None or not all(any(type(size) is int and size < 2 for size in each) for each in (shape, x.meta.shape)):
            return
        if outside is None:
            open_ = bool(storage.layout.depends) and (0 in shape or storage.layout.order is not None)
        else:
            open_ = outside in self._aligned or any(type(size) is not int for size in shape)
        if open_:
            hint = "Ask for the strides of an array without axes of length 1: x.squeeze().strides."
            raise Unsupported("E121", "the strides along axes of one element, or of an array without elements", hint=hint)
        if outside is not None:
            stack = self._stack()
            self.conditions[outside] = LayoutCondition(outside, outside.array.strides, stack[-1] if stack else None)

    def require(self, placeholder: Placeholder) -> None:
        """The outside array must have the layout of the example."""
        array = placeholder.array
        order = next((order for order in LAYOUT_FLAGS if has_layout(array, order)), array.strides)
        outermost = max(range(array.ndim), key=lambda axis: abs(array.strides[axis]), default=None)
        sizes = [size for axis, size in enumerate(placeholder.meta.shape) if axis != outermost]
        if type(order) is tuple and placeholder.kind is Kind.INPUT and any(type(size) is not int for size in sizes):
            raise Unsupported(
                "E121",
                f"the result depends on the memory layout of {placeholder.path}: the example is contiguous in no order, or not "
                "aligned, and its strides may change with dynamic sizes",
                hint=f"Pass np.ascontiguousarray({placeholder.path}) as the example input.",
            )
        stack = self._stack()
        self.conditions.setdefault(placeholder, LayoutCondition(placeholder, order, stack[-1] if stack else None))

    def require_packed(self, op: Op, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The floats of an outside array that the program has written to may stand elsewhere by
        now, without gaps and not backwards. Where that decides how NumPy rounds, the outside array
        has to lie so.
        """
        for x in operands:
            if x.storage is None or x.storage.outside is None or not x.storage.version:
                continue
            sums = rounds_by_gaps(op, x) and sums_over_several(op, args, kwargs)
            if not (sums or rounds_by_direction(op, x)):
                continue
            outside, example = x.storage.outside, mirror(x.storage, None)
            if runs_backwards(example) or (sums and not is_packed(example)):
                what = f"{op} of {outside.path}, which the program writes to and whose elements are not adjacent in memory"
                raise Unsupported("E121", f"{what}: that decides how NumPy rounds", hint="Write to a copy (x = x.copy()).")
            if outside.kind is Kind.INPUT:
                self.require(outside)

    def ask(self, x: ArrayRef, *, aligned: bool = False) -> Any:
        """A mirror of ``x`` for a question whose answer the program sees: the inputs that decide it
        must have the layout of the example.

        ``aligned``: the question is also about the addresses of the elements. Mirrors are
        aligned, and so are inputs that must be contiguous.
        """
        layout = x.storage.layout
        if not layout.known:
            raise Unsupported("E121", "the memory layout of this array is not promised by NumPy")
        for placeholder in sorted(layout.depends, key=lambda p: p.path):
            self.require(placeholder)
        require_large(layout.sizes)
        if aligned and not self._is_aligned(x.storage.outside):
            raise Unsupported("E121", "whether the elements of this array are at aligned addresses")
        link = _of_order(x.link)
        array = mirror(x.storage, link)
        if (link is not None or layout.order is not None) and dynamic(x):
            hold(x.storage, link, Question(None, "C", bool(array.flags.c_contiguous)))
            hold(x.storage, link, Question(None, "F", bool(array.flags.f_contiguous)))
        return array


def are_one(first: Link | None, second: Link | None) -> bool | None:
    """Whether two views of the same memory are one array; ``None`` if that is so on one side of a
    branch only, or if only the data know.
    """
    first, second = _of_order(first), _of_order(second)
    if first is second or first is None or second is None:
        return first is second
    if (first.untold or second.untold) and first.meta == second.meta:
        return None
    if first.sides is None or (second.sides is not None and second.sides.join > first.sides.join):
        first, second = second, first  # what the later branch decides is told apart first
    if first.sides is None:
        return False
    same = second.sides is not None and second.sides.join == first.sides.join
    theirs = (second.sides.one, second.sides.other) if same else (second, second)  # type: ignore[union-attr]
    answers = {are_one(first.sides.one, theirs[0]), are_one(first.sides.other, theirs[1])}
    return answers.pop() if len(answers) == 1 else None


def _of_order(link: Link | None) -> Link | None:
    """The view without those that are the array itself, if that has their order."""
    while link is not None and link.op.view.copies == "order":
        link = link.parent
    return link


def reshape_copies(x: ArrayRef, meta: TensorMeta, order: str) -> Answer:
    """Whether NumPy copies ``x`` to give it the shape and dtype of ``meta``."""
    storage: Storage = x.storage
    if len(x.meta.shape) <= 1 and x.link is None:
        return Answer(False)
    array = mirror(storage, x.link)
    shape = tuple(map(example_size, meta.shape))
    fits = fits_without_copy(array, shape if _size(shape) == array.size else (-1,), order)
    question = None if keeps_axes(x.meta.shape, meta.shape) else _of_sizes(x, Question(meta.shape, order, fits))
    by_layout = (storage.layout.depends or not storage.layout.known) and not splits_only(array.shape, shape)
    return Answer(not fits, bool(by_layout) or question is not None, question)


def ravel_copies(x: ArrayRef, order: str) -> Answer:
    """Whether NumPy copies ``x`` to ravel it: unlike a reshape it needs adjacent elements."""
    return not_contiguous(x, order) if x.meta.shape else Answer(False)


def not_contiguous(x: ArrayRef, order: str) -> Answer:
    """Whether ``x`` is not contiguous in this order, which matters only if a write reveals it."""
    layout = x.storage.layout
    flags = mirror(x.storage, x.link).flags
    by_layout = not layout.known or (layout.depends and (x.storage.outside is not None or len(x.meta.shape) > 1))
    contiguous = bool(flags.c_contiguous if order == "C" else flags.f_contiguous)
    question = _of_sizes(x, Question(None, order, contiguous))
    return Answer(not contiguous, bool(by_layout) or question is not None, question)


def _of_sizes(x: ArrayRef, question: Question) -> Question | None:
    """The question where its answer is not the same at all sizes."""
    if not dynamic(x) or (x.link is None and x.storage.outside is None and question.answer and len(x.meta.shape) < 2):
        return None
    try:
        if shares(x.storage, x.link, question.shape, question.order, proved) and question.answer:
            return None
    except Open:
        pass
    return question


def hold(storage: Any, link: Link | None, question: Question) -> None:
    """The answer for the sizes must be that for the example's. Leaves guards."""
    require_large((*dynamic_sizes(storage, link), *storage.layout.sizes))
    if shares(storage, link, question.shape, question.order, bool) is not question.answer:
        raise Unsupported("E121", "whether an array is contiguous depends on dynamic sizes, otherwise than in the example")


def dynamic(x: ArrayRef) -> tuple[Any, ...]:
    """The dynamic sizes of an array and of its memory."""
    return dynamic_sizes(x.storage, x.link)


def dynamic_sizes(storage: Storage, link: Link | None) -> tuple[Any, ...]:
    """The dynamic sizes of a view and of its memory."""
    shape = storage.meta.shape if link is None else (*link.meta.shape, *storage.meta.shape)
    return tuple([size for size in shape if type(size) is not int])


def require_large(sizes: tuple[Any, ...]) -> None:
    """Dynamic sizes must be at least 2 if 0 or 1 would allow more than one memory order.

    Leaves guards.
    """
    for size in sizes:
        if type(size) is not int and not bool(size >= 2):
            raise Unsupported("E121", "whether an array is contiguous depends on a dynamic size that is 0 or 1 in the example")


def _size(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def keeps_axes(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    """Whether ``new`` only adds or drops axes of the constant size 1: always a view."""
    before, after = ([getattr(size, "expression", size) for size in shape if type(size) is not int or size != 1] for shape in (old, new))
    return before == after


def splits_only(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether ``new`` only splits axes of ``old`` (and adds or drops axes of size 1): then NumPy
    reshapes any layout as a view.
    """
    rest = [size for size in new if size != 1]
    for size in old:
        part = 1
        while part < size and rest:
            part *= rest.pop(0)
        if size not in (part, 1):
            return False
    return not rest


def is_backwards(x: ArrayRef) -> bool:
    """Whether NumPy computes with the floats of ``x`` by other instructions than with a copy."""
    return x.meta.dtype.kind in "fc" and runs_backwards(mirror(x.storage, x.link))


def reversed_axes(x: ArrayRef) -> list[int]:
    """The axes along which the elements of ``x`` run backwards in memory."""
    return [axis for axis, stride in enumerate(mirror(x.storage, x.link).strides) if stride < 0]


def may_have_gaps(x: ArrayRef) -> bool:
    """Whether products of the floats of ``x`` may differ from those of a gapless copy."""
    return x.meta.dtype.kind in "fc" and (x.storage.layout.gaps or not is_packed(mirror(x.storage, x.link)))


def note_gaps(result: ArrayRef, arrays: Iterable[ArrayRef]) -> None:
    """Note that ``result`` is a copy of one of ``arrays``."""
    result.storage.layout = result.storage.layout._replace(gaps=any(map(may_have_gaps, arrays)))


def rounds_by_gaps(op: Op, x: ArrayRef) -> bool:
    """Whether gaps decide how a sum is rounded: in which order products are added up, and the
    elements of an array of several axes.
    """
    if x.meta.dtype.kind not in "fc":
        return False
    sums = x.meta.ndim > 1 and "reduction" in op.traits and "quiet" not in op.traits  # what never warns rounds nothing
    return sums or "sums_products" in op.traits


def sums_over_several(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether it sums over more than one axis, if it has axes at all: only these become one where
    there are no gaps.
    """
    place = next((place for place, name in enumerate(op.signature.parameters) if name == "axis"), None)
    if place is None:
        return True
    axis = op.positional(args, kwargs)[place:][:1]
    return not axis or axis[0] is None or (isinstance(axis[0], tuple) and len(axis[0]) > 1)


def rounds_by_direction(op: Op, x: ArrayRef) -> bool:
    """Whether NumPy computes with elements that run backwards by other instructions, which may
    round otherwise.
    """
    kind = x.meta.dtype.kind
    alike = {"plain_loop", "permutation", "cast", "exact" if kind == "f" else "by_parts"}
    return kind in "fc" and "elementwise" in op.traits and not alike & op.traits


def require_no_gaps(op: Op, operands: list[Any]) -> None:
    """Raises ``Unsupported`` (E103) for sums over the result of a branch or a loop if only the data
    know whether it has gaps.
    """
    if any(x.storage is not None and x.storage.layout.gaps and rounds_by_gaps(op, x) for x in operands):
        raise Unsupported(
            "E103",
            f"{op} of an array that is a view with gaps after one side of a branch on data, or after an iteration of a loop: "
            "the gaps decide how the sum is rounded",
            hint="Copy the view where it is made (.copy()).",
        )


def not_in_c_order(layouts: Any, array: Any) -> str | None:
    """Why an array may not be in C order; ``None`` if it is.

    If inputs decide its layout, they are required to have that of the example.
    """
    layout = array.storage.layout
    if is_backwards(array):
        return "an array that runs backwards in memory"
    if array.meta.ndim < 2:
        return None
    if not layout.known or not mirror(array.storage, array.link).flags.c_contiguous:
        return "an array that is not in C order"
    for placeholder in sorted(layout.depends, key=lambda placeholder: placeholder.path):
        layouts.require(placeholder)
    return None
