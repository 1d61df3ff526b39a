"""Python texts that depend on data: ``f"{x.max():.3f}"``, ``str(n)``.

Such a text is a form (`npexport.ir.texts`) over the values in it, as they were when it was made.
The program formats it where it is needed: in the message of an exception or a warning, and in its
result, whose structure takes it apart. A text that nobody reads is never formatted. What C or the
program would read of it is refused, unless it contains sizes only, which become constants then, or
data only choose among texts that are known (``"on_" + state``): what reads it runs once for each.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from npexport.ir.containers import register_text
from npexport.ir.texts import JOINED_BY, METHODS, parts_of, written
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.symshapes.guards import OF_TEXTS
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.symint import SymBool, is_symbolic, is_unbacked
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import decided, recorder
from npexport.tracer.arrays.core.mixed import as_written
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.refusing import FILLED_LIST
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import ASKED, stands_in_for
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, SymbolicUnion, truth_of_pairs

_READ = (
    "Compute with the number in place of its text: digits by n, digit = divmod(n, 10) in a loop, round(v, 2) for float(f'{v:.2f}'). "
    "Texts of data are put together and returned, but not read."
)
_KEY = (
    "Use the number itself as the key or member, table[n] in place of table[f'k{n}'] and {float(v) for v in x} in place of texts, and make "
    "the texts where the program is called."
)


@contextlib.contextmanager
def hinting(hint: str = _KEY) -> Iterator[None]:
    """Refusals of what is read here have this hint, by default that of keys."""
    try:
        yield
    except Unsupported as refused:
        refused.hint = hint
        raise


class DataText(Immutable):
    """A text that only the data, or sizes, know: the name of its form, and its parts."""

    __slots__ = ("form", "parts")

    def __init__(self, form: str, *parts: Any) -> None:
        self.form, self.parts = form, parts

    __class__ = str  # type: ignore[assignment]

    def taken_apart(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Its children, and its context in the structure of a result."""
        children = tuple([part for part in self.parts if type(part) is not str])
        return children, (self.form, *[part if type(part) is str else None for part in self.parts])

    def constant(self) -> str:
        """The text if it contains sizes only, which are constants from now on, or if it is known
        here which of several texts it is.

        Raises ``Unsupported`` (E104, E114), and `NeedsCaseSplit` if a branch tells which it is.
        """
        with hinting(_READ):
            return self.printed()

    def printed(self) -> str:
        """The same, where it is printed: the error says what to do about that."""
        if self.chooses() and (choice := next(self._undecided(), None)) is not None:
            raise choice._asked()
        children, context = self.taken_apart()
        return written(context, [_constant(child) for child in children])

    def chooses(self) -> bool:
        """Whether the data only choose among texts that are known."""
        texts = self.parts[1:] if self.form == "choose" else self.parts if self.form in _MADE_OF_TEXTS else (None,)
        return all(type(part) in (str, int) or (type(part) is DataText and part.chooses()) for part in texts)

    def options(self) -> list[tuple[Any, Any]]:
        """The texts that it may be, where data only choose one of them: truths, each with its
        text.
        """
        found: dict[str, Any] = {}
        for truth, text in self._chosen(True):
            if type(text) is not str:
                return [(True, self)]
            found[text] = found[text] | truth if text in found else truth
        return [(truth, text) for text, truth in found.items()]

    def _chosen(self, here: Any) -> Iterator[tuple[Any, Any]]:
        """The texts of which it is one; ``here``: the truth that it is one of these."""
        if self.form != "choose":
            yield here, self
            return
        truth, *texts = self.parts
        for each, text in zip((truth, sym_not(truth)), texts, strict=True):
            both = each if here is True else here if each is True else here & each
            if both is not False:
                yield from text._chosen(both) if type(text) is DataText else [(both, text)]

    def _undecided(self) -> Iterator[DataText]:
        """The choices in a text of which it is not known which text they are."""
        parts: Sequence[Any] = self.parts
        if self.form == "choose":
            truth = decided(parts[0])
            if truth is None:
                yield self
            parts = parts[1:] if truth is None else parts[1:2] if truth else parts[2:]
        for part in parts:
            if type(part) is DataText:
                yield from part._undecided()

    def _asked(self) -> NeedsCaseSplit:
        """The question which of two texts it is."""
        world = recorder().session.world
        world.needs_case_splits |= not world.asks
        truth, *texts = self.parts
        told = ", or ".join(repr(part) if type(part) is str else "another text" for part in texts)
        return NeedsCaseSplit(SymbolicUnion((truth, sym_not(truth)), tuple(texts), "a text", told))

    def settled(self) -> Any:
        """The text itself, or a plain one if everything in it is known."""
        children, context = self.taken_apart()
        return self if _is_open(context, children) else written(context, [_constant(child) for child in children])

    __str__ = constant

    def __format__(self, spec: str) -> str:
        return format(self.constant(), spec)

    def __repr__(self) -> str:
        return repr(self.constant())

    def __hash__(self) -> int:
        with hinting():
            return hash(self.constant())

    def __eq__(self, other: Any) -> Any:
        if self is other or not isinstance(other, str):
            return True if self is other else NotImplemented
        if self.form == "choose":
            truth, one, another = self.parts
            return (truth & (one == other)) | (sym_not(truth) & (another == other))
        if self._differs(other):
            return False
        return other == self if getattr(other, "form", None) == "choose" else self.constant() == str(other)

    def _differs(self, other: Any) -> bool:
        """Whether it begins or ends differently from a plain text, for all values."""
        if self.form != "join" or type(other) is not str:
            return False
        first, last = self.parts[0], self.parts[-1]
        return (type(first) is str and not other.startswith(first)) or (type(last) is str and not other.endswith(last))

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else sym_not(same)

    def __bool__(self) -> bool:
        return self._is_longer() or bool(self.constant())

    def _is_longer(self) -> bool:
        """Whether it has characters for all values: the text of a number does."""
        if self.form == "join":
            return any(part._is_longer() if type(part) is DataText else bool(part) for part in self.parts)
        if self.form == "choose":
            return all(part._is_longer() if type(part) is DataText else bool(part) for part in self.parts[1:])
        if self.form in ("str", "format", "ascii", "repr"):
            part = self.parts[0]
            is_text = isinstance(part, (ArrayProxy, ScalarProxy)) and part.dtype.kind == "U" and not part.ndim
            return self.form in ("ascii", "repr") or (part._is_longer() if type(part) is DataText else not is_text)
        return False

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return joined([self] * count) if type(count) is int else NotImplemented

    __rmul__ = __mul__

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise refusal("it is pickled")


def grows_from(text: Any, later: Any, more: bool = False) -> bool:
    """Whether a later text holds this one and ``more``, so that no text of a known form is both."""
    if later is text or type(later) is not DataText:
        return more and later is text
    return any(grows_from(text, part, more or later.form != "choose") for part in later.parts)


def is_text(value: Any) -> bool:
    """Whether a value is a text of Python."""
    return type(value) in (str, DataText)


def alternatives(text: Any) -> list[str]:
    """The known texts that a form names for data to choose from; none if there are others."""
    if type(text) is str:
        return [text]
    found = [alternatives(part) for part in text.parts[1:]] if text.form == "choose" else [[]]
    return [*dict.fromkeys([each for part in found for each in part])] if all(found) else []


def one_of(texts: Sequence[str], chosen: Any) -> Any:
    """A text that is one of several known ones as one that data choose from all of them."""
    truths = {text: truth for truth, text in ([(True, chosen)] if type(chosen) is str else chosen.options())}
    found: Any = texts[-1]
    for text in texts[-2::-1]:
        found = DataText("choose", truths.get(text, False), text, found)
    return found


_MOST_NAMED = 8
"""The largest number of known texts of which each is named once."""


def chosen_text(truth: Any, one: Any, other: Any) -> Any:
    """One text where the truth holds, the other where not. Of known texts each is named once,
    however often data choose among them.
    """
    texts = [alternatives(text) for text in (one, other)]
    names = [*dict.fromkeys([*texts[0], *texts[1]])]
    choice = DataText("choose", truth, one, other)
    return one_of(names, choice) if all(texts) and len(names) <= _MOST_NAMED else choice


def of_known_width(text: DataText) -> str:
    """The text as an element of an array. Raises ``Unsupported`` (E104) if only data know it."""
    if text.chooses():
        return text.constant()
    try:
        return text.constant()
    except Unsupported:
        hint = "Return the list of texts, or make the texts of an array with NumPy: x.astype(int).astype('U12')."
        raise Unsupported("E104", "how wide an array of texts is depends on data", hint=hint) from None


def refusal(what: str) -> Unsupported:
    """The error for reading a text."""
    return Unsupported("E114", f"a text depends on data, and {what}", hint=_READ)


LISTS_OF_TEXTS: set[type] = set()
"""Types that stand for lists which texts are joined of."""
_MADE_OF_TEXTS = frozenset({"join", "apply", "str", "format"})
"""Forms of texts that are made of nothing but texts where their parts are."""


def _constant(value: Any) -> Any:
    if type(value) is DataText:
        return value.printed()
    if type(value) is SymBool and decided(value) is not None:
        return decided(value)
    if is_symbolic(value):
        return value._constant(OF_TEXTS)
    if type(value) in (ArrayProxy, ScalarProxy):
        return value.array if value.known else _unknown(value)
    if type(value) is Complex:
        return str(value)  # raises
    if type(value) in LISTS_OF_TEXTS:
        raise refusal(f"is made of {FILLED_LIST}")
    if type(value) in (tuple, list):
        return type(value)([_constant(item) for item in value])
    return {key: _constant(item) for key, item in value.items()} if type(value) is dict else value


def _unknown(value: Any) -> Any:
    """The error for an array that is a copy, about the array that it is a copy of."""
    sources = value.node().all_input_nodes if type(value) is ArrayProxy else []
    return value._constant(sources[0] if sources else None)


def joined(parts: list[Any]) -> Any:
    """Texts, one after the other."""
    flat: list[Any] = []
    for part in parts:
        for piece in part.parts if type(part) is DataText and part.form == "join" else (part,):
            if type(piece) is str and flat and type(flat[-1]) is str:
                flat[-1] += piece
            elif type(piece) is not str or piece:
                flat.append(piece)
    if all(type(part) is str for part in flat):
        return "".join(flat)
    return flat[0] if len(flat) == 1 else DataText("join", *flat)


def holds_data(value: Any, depth: int = 4) -> bool:
    """Whether the text of the value depends on data or sizes."""
    if type(value) in (ArrayProxy, ScalarProxy):
        return not value.known
    if type(value) in (DataText, Complex) or is_symbolic(value):
        return True
    if isinstance(value, (tuple, list)) and depth:
        return any(holds_data(item, depth - 1) for item in value)
    return isinstance(value, dict) and bool(depth) and any(holds_data(item, depth - 1) for item in value.values())


def made(context: tuple[Any, ...], children: Any) -> Any:
    """The text of these children: `DataText` unless they are plain."""
    if context[0] in ("str", "format"):
        children = [as_written(child) for child in children]
    return DataText(context[0], *parts_of(context, children)) if _is_open(context, children) else written(context, children)


def _is_open(context: tuple[Any, ...], children: Any) -> bool:
    """Whether a text of these children depends on data or sizes."""
    return any(holds_data(child) or (context[0] == JOINED_BY and type(child) in LISTS_OF_TEXTS) for child in children)


def _reading(name: str) -> Callable[..., Any]:
    def read(self: DataText, *args: Any) -> Any:
        if self.chooses():
            return getattr(self.constant(), f"__{name}__")(*args)
        raise refusal(f"the program reads it (`{name}`)")

    return read


def _ordering(name: str) -> Callable[[DataText, Any], Any]:
    read = _reading(name)

    def compare(self: DataText, other: Any) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        left, right = [each.options() if type(each) is DataText else [(True, each)] for each in (self, other)]
        if not all(type(text) is str for _, text in (*left, *right)):
            return read(self, other)
        return truth_of_pairs(getattr(operator, name), left, right)

    return compare


for _name in "iter len getitem contains mod rmod".split():
    setattr(DataText, f"__{_name}__", _reading(_name))
for _name in "lt le gt ge".split():
    setattr(DataText, f"__{_name}__", _ordering(_name))


def _attribute(vm: Machine, value: DataText, name: str, then: Any) -> Any:
    if not hasattr("", name):
        return getattr("", name)
    if name in METHODS:
        return lambda *args: DataText("apply", name, value, *map(_plain_argument, args))
    if name == "count":
        return functools.partial(_count, value)
    if name in vars(DataText):
        return getattr(value, name)
    return getattr(value.constant(), name)


def _count(text: DataText, *args: Any) -> Any:
    """``str.count``: ones of an integer written in base 2 are counted in the integer."""
    number, *spec = text.parts
    if args == ("1",) and (text.form == "bin" or (text.form == "format" and spec == ["b"])) and is_unbacked(number):
        return number.bit_count()
    return text.constant().count(*args)


def _plain_argument(value: Any) -> Any:
    if type(value) not in (str, int):
        raise refusal(f"a method of it takes a `{type(value).__name__}`")
    return value


DataText.__qualname__ = "str"
stands_in_for(DataText, str)
ASKED.add(DataText)
coercion.ELEMENTS[DataText] = of_known_width
numpy_oracle.CONVERSIONS[DataText] = lambda stand_in, text: text.constant()  # NumPy looks at its characters
SPECIAL_GETTERS[DataText] = _attribute
SPECIAL_HAS[DataText] = lambda value, name: hasattr("", name)
register_text(DataText, made)
