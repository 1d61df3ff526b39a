"""The slow path of the input checks: it examines every input, accepts what is valid after all, and
reports everything that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.ir.argument_specs import ConstantArgument, CustomObjArgument, SymBoolArgument, SymFloatArgument, SymIntArgument
from npexport.ir.meta import TensorMeta, dtype_name, size_text
from npexport.ir.printing import value_text
from npexport.ir.pytree import flatten_like, same_key
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec
from npexport.runtime.calling import MISSING, Leaf, Slot
from npexport.runtime.entry.sizes import SizeChecks
from npexport.symshapes.errors import InputMismatch
from npexport.symshapes.guards import Guard
from npexport.symshapes.plain import with_article

DYNAMIC_TYPES: dict[type, type] = {SymIntArgument: int, SymFloatArgument: float, SymBoolArgument: bool}
LAYOUT_FLAGS = {"C": ("c_contiguous", "aligned"), "F": ("f_contiguous", "aligned")}
ARRAY_CLASSES = (np.ndarray, np.memmap)  # other subclasses change what operators mean


class InputChecker:
    """Checks the inputs of one program.

    ``mutated``: the placeholders of the inputs that the program writes to.

    ``lifted``: the specs of the state that may come from callers and must share no memory with
    other state; ``compared``: all state that is examined. ``constants``: why sizes that were to
    vary are constants.
    """

    def __init__(
        self, slots: list[Slot], mutated: set[str], sizes: SizeChecks, signature: ExportGraphSignature, constants: Iterable[Guard]
    ) -> None:
        self.slots = slots
        self.constants = {guard.names[name]: guard for guard in constants for name in guard.truth.symbols}
        self.sizes = sizes
        self.mutated = mutated
        self.leaves = [leaf for slot in slots for leaf in slot.leaves]
        state = [spec for spec in signature.input_specs if spec.kind is not InputKind.USER_INPUT]
        self.targets = {spec.arg.name: spec.target for spec in state}
        self.lifted = [spec for spec in state if any(offset is None for _, offset in spec.overlaps)]
        named = {name for spec in signature.input_specs for name, offset in spec.overlaps if offset is None}
        self.compared = [name for name in self.targets if name in named or name in {spec.arg.name for spec in self.lifted}]

    def accept(self, values: tuple[Any, ...], extra: tuple[Any, ...], unknown: Iterable[str], arrays: tuple[Any, ...] = ()) -> list[Any]:
        """The leaves for these values of the parameters, in the order of ``self.leaves``;
        ``arrays``: the state of ``self.compared``.

        Raises ``InputMismatch`` that lists every offending input, what was expected and what came.
        """
        problems: list[str] = []
        if extra:
            problems.append(f"too many positional arguments: {len(extra)} more than the program takes")
        problems += [f"unexpected keyword argument {name!r}" for name in unknown]
        found: list[Any] = []
        for slot, value in zip(self.slots, values, strict=True):
            found += self._slot(slot, value, problems)
        if len(found) == len(self.leaves):
            problems += self._sizes(found)
        if not problems:
            problems += self._shared_generators(found)
        if not problems:
            problems += self._sharing(found, dict(zip(self.compared, arrays, strict=False)))
        if problems:
            raise InputMismatch("E401", "the inputs do not fit the program:" + "".join(f"\n  - {problem}" for problem in problems))
        return found

    def _slot(self, slot: Slot, value: Any, problems: list[str]) -> list[Any]:
        if slot.spec is None:
            default = slot.parameter.default
            if not (value is default or same_value(default, value)):
                problems.append(
                    f"{slot.name}: expected its default {default!r}, with which the program was exported, got {describe(value)}"
                    + advice_on_constants(slot.name, default, value)
                )
            return []
        if value is MISSING:
            problems.append(
                f"{slot.name}: missing; expected {slot.spec.render() if not slot.spec.is_leaf else expected_text(slot.leaves[0])}"
            )
            return []
        leaves, misfits = flatten_like(slot.spec, value, slot.name)
        wanted = expected_text(slot.leaves[0]) if slot.spec.is_leaf else None
        problems += [f"{misfit.path}: expected {wanted or misfit.wanted}, got {misfit.actual}" for misfit in misfits]
        if misfits:
            return []
        return [self._leaf(leaf, item, problems) for leaf, item in zip(slot.leaves, leaves, strict=True)]

    def _leaf(self, leaf: Leaf, value: Any, problems: list[str]) -> Any:
        expected = leaf.node.meta["val"]
        if isinstance(leaf.spec.arg, CustomObjArgument):
            if not draws_from(value, leaf.spec.arg.fake_val):
                problems.append(f"{leaf.path}: expected {expected_text(leaf)}, got {describe(value)}")
            return value
        if isinstance(leaf.spec.arg, ConstantArgument):
            if not same_value(leaf.spec.arg.value, value):
                problems.append(
                    f"{leaf.path}: expected {leaf.spec.arg.value!r}, for which the program was exported, got {describe(value)}"
                    + advice_on_constants(leaf.path, leaf.spec.arg.value, value)
                )
        elif type(leaf.spec.arg) in DYNAMIC_TYPES:
            if type(value) is not DYNAMIC_TYPES[type(leaf.spec.arg)]:
                problems.append(f"{leaf.path}: expected {expected_text(leaf)}, got {describe(value)}")
        elif expected.scalar:
            if not (isinstance(value, np.generic) and value.dtype == expected.dtype):
                problems.append(f"{leaf.path}: expected {expected_text(leaf)}, got {describe(value)}")
        elif type(value) not in ARRAY_CLASSES:
            problems.append(f"{leaf.path}: expected {expected_text(leaf)}, got {describe(value)}")
        else:
            problems += self._array(leaf, value, expected)
            return value if type(value) is np.ndarray else np.asarray(value)
        return value

    def _array(self, leaf: Leaf, value: Any, expected: TensorMeta) -> list[str]:
        problems = []
        if value.dtype != expected.dtype:
            problems.append(f"{leaf.path}: expected dtype {expected.dtype}, got {dtype_text(value.dtype)}")
        if value.ndim != expected.ndim:
            problems.append(
                f"{leaf.path}: expected {expected.ndim} dimensions, shape {shape_text(expected.shape)}, got shape {value.shape}"
            )
        else:
            for axis, (need, have) in enumerate(zip(expected.shape, value.shape, strict=True)):
                if isinstance(need, int) and need != have:
                    path = f"{leaf.path}.shape[{axis}]"
                    origin = f"; it is a constant{self.constants[path].origin}" if path in self.constants else ""
                    problems.append(f"{path}: expected {need}, got {have}{origin}")
        layout = leaf.spec.layout
        if layout is not None and not (value.strides == layout if isinstance(layout, tuple) else has_layout(value, layout)):
            wanted = f"{layout}-contiguous memory, aligned" if isinstance(layout, str) else f"memory with the strides {layout}"
            problems.append(
                f"{leaf.path}: expected {wanted}, because the result depends on what is a view of it, got strides {value.strides}"
            )
        if leaf.spec.owns and value.base is not None:
            problems.append(f"{leaf.path}: expected an array that owns its memory, because the program asks, got a view of another array")
        if leaf.spec.writeable is not None and leaf.spec.writeable is not value.flags.writeable:
            wanted, found = ("writeable", "read-only") if leaf.spec.writeable else ("read-only", "writeable")
            problems.append(f"{leaf.path}: expected a {wanted} array, because the program asks, got a {found} one")
        elif leaf.node.name in self.mutated and not value.flags.writeable:
            problems.append(f"{leaf.path}: expected a writeable array, because the program writes to it, got a read-only one")
        return problems

    def _sizes(self, found: list[Any]) -> list[str]:
        """What is wrong with the dynamic sizes; nothing if a leaf with dynamic sizes is no array of
        the right rank and no number, which other checks report.
        """
        numbers = []
        values = dict(zip(self.leaves, found, strict=True))
        for leaf in self.sizes.inputs:
            value, expected = values[leaf], leaf.node.meta["val"]
            if isinstance(expected, TensorMeta):
                if not isinstance(value, np.ndarray) or value.ndim != expected.ndim:
                    return []
                numbers.append(value.shape)
            elif type(value) is DYNAMIC_TYPES[type(leaf.spec.arg)]:
                numbers.append(value)
            else:
                return []
        return self.sizes.problems(numbers)

    def _sharing(self, found: list[Any], state: dict[str, Any]) -> list[str]:
        """Arrays that share memory in a way that the program was not exported for, where that could
        be seen.
        """
        arrays = [(leaf, value) for leaf, value in zip(self.leaves, found, strict=True) if isinstance(value, np.ndarray)]
        by_name = state | {leaf.node.name: value for leaf, value in arrays}
        problems = [
            f"{self._path(spec.arg.name)} shares memory with {self._path(name)}, for a caller passed one array twice; pass copies"
            for spec in self.lifted
            for name, offset in spec.overlaps
            if offset is None and state and np.shares_memory(state[spec.arg.name], state[name])
        ]
        groups = {leaf.node.name: {leaf.node.name} for leaf, _ in arrays}
        for leaf, value in arrays:
            for other_name, expected, fits in _relations(leaf.spec, value, by_name):
                if not fits:
                    problems.append(f"{leaf.path}: expected {expected.format(self._path(other_name))}")
                if expected is not _NO_MEMORY and expected is not _ANOTHER:
                    merged = groups[leaf.node.name] | groups[other_name]
                    groups.update(dict.fromkeys(merged, merged))
        for leaf, value in arrays:
            if leaf.node.name not in self.mutated:
                continue
            if overlaps_itself(value):
                problems.append(f"{leaf.path}: the program writes to it, but several of its elements are one place in memory")
            for other, other_value in arrays:
                if other.node.name not in groups[leaf.node.name] and np.shares_memory(value, other_value):
                    problems.append(
                        f"{leaf.path}: the program writes to it, but it shares memory with {other.path}; pass a copy of one of them"
                    )
        return problems

    def _shared_generators(self, found: list[Any]) -> Iterator[str]:
        """Generators whose draws would be those of another input."""
        seen: dict[int, str] = {}
        for leaf, value in zip(self.leaves, found, strict=True):
            if isinstance(leaf.spec.arg, CustomObjArgument):
                first = seen.setdefault(id(random_states.memory_of(value)), leaf.path)
                if first != leaf.path:
                    yield f"{leaf.path}: expected a generator of its own, got one that draws from the bit generator of {first}"

    def _path(self, name: str) -> str:
        if name in self.targets:
            return f"the state `{self.targets[name]}`"
        return next(leaf.path for leaf in self.leaves if leaf.node.name == name)


_SAME = "the very array that is passed as {0}, as in the example, got another one"
_ANOTHER = "another array than {0}, got the same"
_NO_MEMORY = "an array that shares no memory with {0}, got one that does; pass a copy"


def _relations(spec: InputSpec, value: Any, by_name: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Each condition between this input and an earlier one: the name of the other, what is
    expected, and whether it holds.
    """
    if spec.same_as is not None:
        yield spec.same_as, _SAME, value is by_name[spec.same_as]
    for name in spec.distinct_from:
        yield name, _ANOTHER, value is not by_name[name]
    for name, offset in spec.overlaps:
        if offset is not None:
            found = address(value) - address(by_name[name])
            yield name, f"a view that begins {offset} bytes after {{0}} in the same memory, got one {found} bytes after it", found == offset
        elif name in by_name:  # state is not at hand where only inputs are checked
            yield name, _NO_MEMORY, not np.shares_memory(value, by_name[name])


def address(array: np.ndarray[Any, Any]) -> int:
    """The address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def apart(array: np.ndarray[Any, Any], others: tuple[tuple[np.ndarray[Any, Any], int | None], ...]) -> bool:
    """Whether an array begins this number of bytes after another one or, for ``None``, shares no
    memory with it.
    """
    return all(
        not np.may_share_memory(array, other) if offset is None else address(array) - address(other) == offset for other, offset in others
    )


def has_layout(array: np.ndarray[Any, Any], layout: str | tuple[int, ...]) -> bool:
    """Whether an array has this layout in memory; the strides of axes of one element do not
    count.
    """
    if isinstance(layout, str):
        return all(getattr(array.flags, name) for name in LAYOUT_FLAGS[layout])
    pairs = zip(array.shape, array.strides, layout, strict=True)
    return array.size == 0 or all(size == 1 or have == need for size, have, need in pairs)


def same_value(expected: Any, value: Any) -> bool:
    """Whether two Python values are the same for every program: type, value, signs of zeros and of
    NaNs.
    """
    return isinstance(expected, (bool, int, float, complex, str, bytes, type(None))) and same_key(expected, value)


def draws_from(value: Any, name: str) -> bool:
    """Whether a value is a generator of NumPy over a bit generator of this name."""
    return random_states.is_generator(value) and random_states.name_of(random_states.source_of(value)) == name


def expected_text(leaf: Leaf) -> str:
    """A description of what a leaf must be."""
    if isinstance(leaf.spec.arg, CustomObjArgument):
        cls, _, bit_generator = random_states.holder(leaf.spec.arg.fake_val)
        return f"a numpy.random.{cls} over {bit_generator}"
    if isinstance(leaf.spec.arg, ConstantArgument):
        return repr(leaf.spec.arg.value)
    value = leaf.node.meta["val"]
    if not isinstance(value, TensorMeta):
        return f"a Python {DYNAMIC_TYPES[type(leaf.spec.arg)].__name__}"
    return f"a NumPy scalar {value.dtype}" if value.scalar else f"an array {value_text(value)}"


def advice_on_constants(path: str, expected: Any, value: Any) -> str:
    """What to write so that a parameter that is a constant of the program may have this value."""
    if type(value) is type(expected) in (int, float):
        spec = f"{{{path!r}: Dim.AUTO}}" if path.isidentifier() else f"Dim.AUTO in the place of {path}"
        return f"; a number that varies is exported with dynamic_shapes={spec}"
    return "; each value needs a program of its own"


def describe(value: Any) -> str:
    """A description of what was passed."""
    if isinstance(value, np.ndarray):
        name = "an array" if type(value) in ARRAY_CLASSES else with_article(type(value).__name__)
        return f"{name} {dtype_name(value.dtype)}{list(value.shape)}"
    if isinstance(value, np.generic):
        return f"a NumPy scalar {value.dtype}"
    if random_states.is_generator(value):
        return f"a numpy.random.{type(value).__name__} over {type(random_states.memory_of(value)).__name__}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({with_article(type(value).__name__)})"


def dtype_text(dtype: np.dtype[Any]) -> str:
    return f"{dtype}" if dtype.isnative else f"{dtype} (not in this machine's byte order)"


def shape_text(shape: tuple[Any, ...]) -> str:
    return f"({', '.join(map(size_text, shape))}{',' if len(shape) == 1 else ''})"


def overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether two elements of the array may be at the same address.

    >>> overlaps_itself(np.broadcast_to(np.zeros(3), (2, 3))), overlaps_itself(np.zeros((3, 4)).T[::2])
    (True, False)
    """
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1:
            if stride < reach:
                return array.size > 0
            reach += stride * (size - 1)
    return False


def may_overlap(mutated: list[Any], arrays: list[Any]) -> bool:
    """Whether the sharing of memory needs a second look; ``arrays`` holds the mutated ones too."""
    for array in mutated:
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            return True
        for other in arrays:
            if other is not array and isinstance(other, np.ndarray) and np.may_share_memory(array, other):
                return True
    return sum(1 for array in mutated for other in arrays if other is array) > len(mutated)


def mutated_inputs(leaves: Iterable[Leaf], mutated: Set[str]) -> list[Leaf]:
    """The leaves that the program writes to."""
    return [leaf for leaf in leaves if leaf.node.name in mutated]
