"""The fast path of the input checks: one Python condition, inlined, that holds for ordinary valid
inputs.

If it is false nothing is decided yet: ``runtime.entry.checks`` examines the inputs again, accepts
what is valid nevertheless and explains what is not. The condition also takes containers apart: it
binds a local name to every leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.ir.argument_specs import ConstantArgument, CustomObjArgument
from npexport.ir.containers import attribute_names, dataclass_names, has_attributes, kind_of, named_attributes
from npexport.ir.meta import TensorMeta
from npexport.ir.pytree import TreeSpec, same_key
from npexport.ir.signature import InputSpec
from npexport.runtime.calling import MISSING, Convention, Leaf, Slot
from npexport.runtime.emission.emit import Source
from npexport.runtime.entry.checks import DYNAMIC_TYPES, LAYOUT_FLAGS, apart, may_overlap, mutated_inputs
from npexport.runtime.entry.sizes import SizeChecks, is_dynamic
from npexport.runtime.extensions import extension

Arrays: Any = None
parts_of: Any = None
try:
    _checks = extension("npexport.runtime._checks")
    Arrays, parts_of = _checks.Arrays, _checks.parts_of
except ImportError:
    pass  # not built: every array is checked by itself, and every container taken apart

ANY = -1
"""A size that the C call does not check."""
COMPARED, WRITTEN = 1, 2
"""What the program does with an array: it compares its memory with others', or writes to it."""
FLAGS = {"c_contiguous": 0x1, "f_contiguous": 0x2, "aligned": 0x100, "writeable": 0x400}
"""Bits of ``ndarray.flags.num``."""


class Conditions:
    """The conditions of one program, and the name of each leaf's local variable, beside those of
    the ``state``. ``mutated``: the placeholders of the inputs that the program writes to.
    """

    def __init__(self, source: Source, slots: list[Slot], convention: Convention, state: Mapping[str, str], mutated: Set[str]) -> None:
        self.source = source
        self.convention = convention
        self.terms: list[str] = []
        self.before: list[str] = []  # lines that take containers apart
        self.names = dict(state)  # placeholder -> local variable
        self.places: dict[int, str] = {}  # structure of a container, by identity -> the text that gives it
        self.generators: list[str] = []  # the bit generators of random ones
        self.numbers: list[str] = []  # the shape or value of each dynamic leaf
        self.checked: dict[str, tuple[Any, ...]] = {}  # arrays that one call checks, by placeholder: its rows
        self.missing = source.bind(MISSING)
        self.type = source.bind(type)
        self.len = source.bind(len)
        self._later: list[str] = []  # about arrays that are known to be arrays
        for slot in slots:
            self._slot(slot, convention.names[slot.name])
        self._mutations(slots, mutated)
        self.arrays = Arrays(np.ndarray, tuple(self.checked.values())) if self.checked else None
        self.targets = [self.names[name] for name in self.checked]
        self._called()
        self.terms += self._later

    def lines(self, targets: str, again: str) -> list[str]:
        """The lines that take containers apart, and let ``again`` give the ``targets`` unless the
        condition holds.
        """
        return [*self.before, f"if not ({' and '.join(self.terms)}):", f"    {targets}= {again}" if targets else f"    {again}"]

    def _called(self) -> None:
        """What is looked at before the function is called, where that is told instead of the
        receiver: arrays that are parameters, and that nothing was passed beyond these.
        """
        convention = self.convention
        extra = [f"not {name}" for name in (convention.extra, convention.unknown) if name is not None]
        terms = [f"{self.source.bind(self.arrays)}({', '.join(self.targets)})", *extra] if self.checked else extra
        if self.checked and {*self.targets} <= {*convention.names.values()}:
            terms = [f"({convention.receiver} is True or {' and '.join(terms)})"]
        else:
            self.arrays = None  # the function looks at them
        self.terms += terms

    def _slot(self, slot: Slot, text: str) -> None:
        if slot.spec is None:
            self.terms.append(f"{text} is {self.source.bind(slot.parameter.default)}")
            return
        if parts_of is not None and slot.spec.num_leaves >= _MANY and _is_plain(slot.spec):
            self._parts(slot.spec, text, slot.leaves)
        else:
            self._tree(slot.spec, text, iter(slot.leaves), text)

    def _parts(self, spec: TreeSpec, text: str, leaves: Sequence[Leaf]) -> None:
        """Take a container of many leaves apart by one call: what has another form has missing
        leaves, for which no term holds.
        """
        names = [self.source.fresh() for _ in leaves]
        taken = f"{self.source.bind(parts_of(_form(spec)))}({text}) or {self.source.bind((MISSING,) * len(names))}"
        self.before.append(f"{', '.join(names)}, = {taken}")
        self._see_places(spec, text)
        for leaf, name in zip(leaves, names, strict=True):
            self._leaf(leaf, name)

    def _see_places(self, spec: TreeSpec, place: str) -> None:
        if spec.type is not None:
            self.places[id(spec)] = place
            for key, child in zip(spec.keys, spec.children, strict=True):
                self._see_places(child, _ACCESS[kind_of(spec.type).name](self, place, key.value))

    def _tree(self, spec: TreeSpec, text: str, leaves: Any, place: str) -> None:
        """``place``: what gives the tree after the call too, when ``text`` may be unbound."""
        if spec.type is None:
            self._leaf(next(leaves), text)
            return
        self.places[id(spec)] = place
        cls = self.source.bind(spec.type)
        self.terms.append(f"{self.type}({text}) is {cls}")
        kind = kind_of(spec.type).name
        self.terms += _SHAPE_TERMS[kind](self, spec, text)
        for key, child in zip(spec.keys, spec.children, strict=True):
            name = self.source.fresh()
            self.terms.append(f"({name} := {_ACCESS[kind](self, text, key.value)}) is not {self.missing}")
            self._tree(child, name, leaves, _ACCESS[kind](self, place, key.value))

    def _leaf(self, leaf: Leaf, text: str) -> None:
        self.names[leaf.node.name] = text
        value = leaf.node.meta["val"]
        if isinstance(leaf.spec.arg, CustomObjArgument):
            self._generator(leaf.spec.arg.fake_val, text)
        elif isinstance(leaf.spec.arg, ConstantArgument):
            self.terms += self._constant(leaf.spec.arg.value, text)
        elif type(leaf.spec.arg) in DYNAMIC_TYPES:
            kind = DYNAMIC_TYPES[type(leaf.spec.arg)]
            self.terms.append(f"{self.type}({text}) is {self.source.bind(kind)}")
            self.numbers.append(text)
        elif isinstance(value, TensorMeta) and value.scalar:
            self.terms.append(f"{self.type}({text}) is {self.source.bind(value.dtype.type)}")
            self.terms += self._dtype(value.dtype, text) if value.dtype.kind in "SUVMm" else []  # else the class says it
        else:
            self._array(leaf, value, text)

    def _generator(self, name: str, text: str) -> None:
        """A generator over the bit generator of this name, which is none of the others'."""
        found, bind = self.source.fresh(), self.source.bind
        cls, attribute, bit_generator = random_states.holder(name)
        self.terms.append(f"{self.type}({text}) is {bind(getattr(np.random, cls))}")
        self.terms.append(f"{self.type}({found} := {text}.{attribute}) is {bind(getattr(np.random, bit_generator))}")
        self.terms += [f"{found} is not {other}" for other in self.generators]
        self.generators.append(found)

    def _array(self, leaf: Leaf, value: TensorMeta, text: str) -> None:
        spec = leaf.spec
        if Arrays is not None:
            shape = tuple([size if isinstance(size, int) else ANY for size in value.shape])
            mask = sum([FLAGS[name] for name in LAYOUT_FLAGS[spec.layout]]) if isinstance(spec.layout, str) else 0
            flags = mask | (FLAGS["writeable"] if spec.writeable else 0)
            mask |= 0 if spec.writeable is None else FLAGS["writeable"]
            self.checked[leaf.node.name] = value.dtype, shape, mask, flags, 0, value.dtype.itemsize, not _is_one_object(value.dtype)
            if is_dynamic(leaf):
                self.numbers.append(f"{text}.shape")
        else:
            self.terms += [f"{self.type}({text}) is {self.source.bind(np.ndarray)}", *self._dtype(value.dtype, text)]
            self.terms += self._shape(leaf, value.shape, text)
            if isinstance(spec.layout, str):
                self.terms += [f"{text}.flags.{name}" for name in LAYOUT_FLAGS[spec.layout]]
            if spec.writeable is not None:
                self.terms.append(f"{'' if spec.writeable else 'not '}{text}.flags.writeable")
        if isinstance(spec.layout, tuple):
            self._later.append(f"{text}.strides == {self.source.value(spec.layout)}")
        if spec.owns:
            self._later.append(f"{text}.base is None")

    def _constant(self, value: Any, text: str) -> list[str]:
        if value is None or isinstance(value, bool):
            return [f"{text} is {value!r}"]
        same_type = f"{self.type}({text}) is {self.source.bind(type(value))}"
        if isinstance(value, (float, complex)) and (value == 0 or value != value):
            return [same_type, f"{self.source.bind(same_key)}({text}, {self.source.bind(value)})"]
        return [same_type, f"{text} == {self.source.value(value)}"]

    def _dtype(self, dtype: np.dtype[Any], text: str) -> list[str]:
        comparison = "is" if _is_one_object(dtype) else "=="
        return [f"{text}.dtype {comparison} {self.source.bind(dtype)}"]

    def _shape(self, leaf: Leaf, shape: tuple[Any, ...], text: str) -> list[str]:
        if not is_dynamic(leaf):
            return [f"{text}.shape == {self.source.value(shape)}"]
        name = self.source.fresh()
        self.numbers.append(name)
        static = [f"{name}[{axis}] == {self.source.value(size)}" for axis, size in enumerate(shape) if isinstance(size, int)]
        return [f"{self.len}({name} := {text}.shape) == {len(shape)}", *static]

    def sizes(self, checks: SizeChecks) -> None:
        """Dynamic sizes; after all ranks have been checked."""
        if checks.steps:
            self.terms.append(f"{self.source.bind(checks.function())}({', '.join(self.numbers)})")

    def _mutations(self, slots: list[Slot], mutated: Set[str]) -> None:
        """Arrays that the program writes to: writeable, and sharing no memory that the program does
        not know to be shared.
        """
        leaves = [leaf for slot in slots for leaf in slot.leaves if not isinstance(leaf.spec.arg, CustomObjArgument)]
        written = mutated_inputs(leaves, mutated)
        metas = [(leaf, leaf.node.meta["val"]) for leaf in leaves if leaf.spec.same_as is None]
        compared = [leaf for leaf, meta in metas if isinstance(meta, TensorMeta) and not meta.scalar]
        if {leaf.node.name for leaf in (*written, *compared)} <= self.checked.keys() and set(written) <= set(compared):
            self._have_parts(compared, written)
        elif written:
            self._later += [f"{self.names[leaf.node.name]}.flags.writeable" for leaf in written]
            self._alone([self.names[leaf.node.name] for leaf in written], [self.names[leaf.node.name] for leaf in compared])
        for leaf in leaves:
            if leaf.spec.same_as is not None:
                self._later.append(f"{self.names[leaf.node.name]} is {self.names[leaf.spec.same_as]}")
            self._later += [f"{self.names[leaf.node.name]} is not {self.names[other]}" for other in leaf.spec.distinct_from]
            if leaf.spec.overlaps:
                self._later.append(self._apart(leaf.node.name, leaf.spec.overlaps))

    def _have_parts(self, compared: Sequence[Leaf], written: Sequence[Leaf]) -> None:
        """The call of C compares these arrays, of which some are written."""
        for leaf in compared if written else ():
            dtype, shape, mask, flags, _, *rest = self.checked[leaf.node.name]
            part, bit = (WRITTEN, FLAGS["writeable"]) if leaf in written else (COMPARED, 0)
            self.checked[leaf.node.name] = dtype, shape, mask | bit, flags | bit, part, *rest

    def _alone(self, mutated: list[str], arrays: list[str]) -> None:
        """Arrays that share no memory with the others, nor their own elements with one another:
        written out where they are few.
        """
        pairs = [(one, other) for place, one in enumerate(mutated) for other in arrays if other not in mutated[: place + 1]]
        if len(pairs) > _FEW or not set(mutated) <= set(arrays):
            self._later.append(f"not {self.source.bind(may_overlap)}([{', '.join(mutated)}], [{', '.join(arrays)}])")
            return
        self._later += [f"{array}.flags.forc" for array in mutated]
        self._later += [f"not {self.source.bind(np.may_share_memory)}({one}, {other})" for one, other in pairs]

    def state(self, lifted: list[InputSpec]) -> None:
        """Arrays of the state that may come from callers, and that must share no memory."""
        for spec in lifted:
            self.terms.append(self._apart(spec.arg.name, [(name, offset) for name, offset in spec.overlaps if offset is None]))

    def _apart(self, name: str, overlaps: Sequence[tuple[str, int | None]]) -> str:
        others = "".join(f"({self.names[other]}, {self.source.value(offset)}), " for other, offset in overlaps)
        return f"{self.source.bind(apart)}({self.names[name]}, ({others}))"


def _is_one_object(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this dtype all hold the same dtype object, so that ``is`` compares them."""
    return dtype.isbuiltin == 1 and dtype.isnative


_FEW = 8
"""The largest number of pairs of arrays that are compared one after the other in the source."""


def _count(conditions: Conditions, spec: TreeSpec, text: str) -> list[str]:
    return [f"{conditions.len}({text}) == {len(spec.children)}"]


def _named(conditions: Conditions, spec: TreeSpec, text: str) -> list[str]:
    """The items, and the names of attributes where there may be some."""
    fields: tuple[str, ...] = spec.type._fields  # type: ignore[union-attr]
    terms = [f"{conditions.len}({text}) == {len(fields)}"]
    if has_attributes(spec.type):  # type: ignore[arg-type]
        terms.append(f"{conditions.source.bind(named_attributes)}({text}) == {conditions.source.bind(spec.context[len(fields) :])}")
    return terms


def _keys(conditions: Conditions, spec: TreeSpec, text: str) -> list[str]:
    """The keys in their order, with their types."""
    keys = tuple([key.value for key in spec.keys])
    types = tuple(map(type, keys))
    bind = conditions.source.bind
    found = f"{bind(tuple)}({text})"
    if _COMPARED.issuperset(types):
        return [f"{found} == {bind(keys)}", f"{bind(tuple)}({bind(map)}({conditions.type}, {text})) == {bind(types)}"]
    return [f"{bind(same_key)}({found}, {bind(keys)})"]


_MANY = 16
"""The leaves from which on a container is taken apart by one call."""


def _is_plain(spec: TreeSpec) -> bool:
    """Whether a structure consists of lists, tuples, and dicts of plain keys."""
    if spec.type is dict and not _COMPARED.issuperset([type(key.value) for key in spec.keys]):
        return False
    return spec.type is None or (spec.type in (list, tuple, dict) and all(map(_is_plain, spec.children)))


def _form(spec: TreeSpec) -> Any:
    """A structure as C takes it."""
    if spec.type is None:
        return None
    return spec.type, tuple([key.value for key in spec.keys]) if spec.type is dict else None, tuple(map(_form, spec.children))


_COMPARED = frozenset((str, int, bool, bytes, type(None)))
"""Types whose equal values no program can distinguish."""


_SHAPE_TERMS: dict[str, Callable[[Conditions, TreeSpec, str], list[str]]] = {
    "tuple": _count,
    "list": _count,
    "namedtuple": _named,
    "dict": _keys,
    "OrderedDict": _keys,
    "Counter": _keys,
    "object": lambda c, spec, text: [f"{c.source.bind(attribute_names)}({text}) == {c.source.bind(spec.context)}"],
    "defaultdict": lambda c, spec, text: [*_keys(c, spec, text), f"{text}.default_factory is {c.source.value(spec.context[0])}"],
    "deque": lambda c, spec, text: [*_count(c, spec, text), f"{text}.maxlen == {c.source.value(spec.context)}"],
    "dataclass": lambda c, spec, text: [f"{c.source.bind(dataclass_names)}({text}) == {c.source.bind(spec.context)}"],
}

_ACCESS: dict[str, Callable[[Conditions, str, Any], str]] = {
    **dict.fromkeys(("tuple", "list", "deque"), lambda c, text, key: f"{text}[{key}]"),
    **dict.fromkeys(
        ("dict", "OrderedDict", "defaultdict", "Counter"), lambda c, text, key: f"{text}.get({c.source.value(key)}, {c.missing})"
    ),
    **dict.fromkeys(("namedtuple", "dataclass", "object"), lambda c, text, key: f"{c.source.bind(getattr)}({text}, {c.source.bind(key)})"),
}
