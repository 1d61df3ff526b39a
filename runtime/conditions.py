"""The fast path of the input checks: one Python condition, written out, that is true for ordinary
valid inputs.

Where it is false nothing is decided yet: ``runtime.checks`` looks again, accepts what is valid all
the same and explains what is not. The condition also takes containers apart: it binds a local name
to every leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from npexport.ir.containers import attribute_names, dataclass_names, kind_of
from npexport.ir.meta import TensorMeta
from npexport.ir.pytree import TreeSpec, same_key
from npexport.ir.signature import ConstantArgument, CustomObjArgument, InputSpec
from npexport.runtime.calling import MISSING, Leaf, Slot
from npexport.runtime.checks import DYNAMIC_TYPES, LAYOUT_FLAGS, apart, draws_from, may_overlap, mutated_inputs
from npexport.runtime.emit import Source
from npexport.runtime.sizes import SizeChecks, is_dynamic

are: Any = None
try:
    from npexport.runtime._checks import are  # type: ignore[no-redef]
except ImportError:
    pass  # not built: every array is checked by itself


class Conditions:
    """The conditions of one program, and the name of each leaf's local variable."""

    def __init__(self, source: Source, slots: list[Slot], parameters: Mapping[str, str]) -> None:
        self.source = source
        self.terms: list[str] = []
        self.names: dict[str, str] = {}  # placeholder -> local variable
        self.places: dict[int, str] = {}  # structure of a container, by identity -> the text that gives it
        self.generators: list[str] = []  # the random generators
        self.numbers: list[str] = []  # the shape or value of each dynamic leaf
        self.static: list[tuple[str, tuple[Any, Any]]] = []  # arrays that one call checks: text, dtype and shape
        self.missing = source.bind(MISSING)
        self.type = source.bind(type)
        self.len = source.bind(len)
        for slot in slots:
            self._slot(slot, parameters[slot.name])
        if self.static:
            expected = source.bind((np.ndarray, *[pair for _, pair in self.static]))
            self.terms.append(f"{source.bind(are)}({expected}, {', '.join(text for text, _ in self.static)})")

    def _slot(self, slot: Slot, text: str) -> None:
        if slot.spec is None:
            self.terms.append(f"{text} is {self.source.bind(slot.parameter.default)}")
            return
        self._tree(slot.spec, text, iter(slot.leaves), text)

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
            others = "".join(f", {other}" for other in self.generators)
            self.terms.append(f"{self.source.bind(draws_from)}({text}, {self.source.bind(leaf.spec.arg.fake_val)}{others})")
            self.generators.append(text)
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
            if leaf.spec.layout is not None:
                layout = leaf.spec.layout
                lies = f"flags.{LAYOUT_FLAGS[layout]}" if isinstance(layout, str) else f"strides == {self.source.value(layout)}"
                self.terms.append(f"{text}.{lies}")
            if leaf.spec.owns:
                self.terms.append(f"{text}.base is None")
            if leaf.spec.writeable is not None:
                self.terms.append(f"{'' if leaf.spec.writeable else 'not '}{text}.flags.writeable")

    def _array(self, leaf: Leaf, value: TensorMeta, text: str) -> None:
        if are is not None and _is_one_object(value.dtype) and not is_dynamic(leaf):
            self.static.append((text, (value.dtype, value.shape)))
            return
        self.terms += [f"{self.type}({text}) is {self.source.bind(np.ndarray)}", *self._dtype(value.dtype, text)]
        self.terms += self._shape(leaf, value.shape, text)

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

    def mutations(self, slots: list[Slot], mutated: set[str]) -> None:
        """Arrays that the program writes to: writeable, and sharing no memory that the program does
        not know to be shared.
        """
        leaves = [leaf for slot in slots for leaf in slot.leaves if not isinstance(leaf.spec.arg, CustomObjArgument)]
        mutated = mutated & {leaf.node.name for leaf in leaves}
        for leaf in mutated_inputs(leaves, mutated):
            self.terms.append(f"{self.names[leaf.node.name]}.flags.writeable")
        metas = [(leaf, leaf.node.meta["val"]) for leaf in leaves]
        arrays = [
            self.names[leaf.node.name]
            for leaf, meta in metas
            if isinstance(meta, TensorMeta) and not meta.scalar and leaf.spec.same_as is None
        ]
        if mutated:
            self._alone([self.names[leaf.node.name] for leaf in mutated_inputs(leaves, mutated)], arrays)
        for leaf in leaves:
            if leaf.spec.same_as is not None:
                self.terms.append(f"{self.names[leaf.node.name]} is {self.names[leaf.spec.same_as]}")
            self.terms += [f"{self.names[leaf.node.name]} is not {self.names[other]}" for other in leaf.spec.distinct_from]
            if leaf.spec.overlaps:
                self._apart(leaf.node.name, leaf.spec.overlaps)

    def _alone(self, mutated: list[str], arrays: list[str]) -> None:
        """Arrays that share no memory with the others, nor their own elements with one another:
        written out where they are few.
        """
        pairs = [(one, other) for place, one in enumerate(mutated) for other in arrays if other not in mutated[: place + 1]]
        if len(pairs) > _FEW or not set(mutated) <= set(arrays):
            self.terms.append(f"not {self.source.bind(may_overlap)}([{', '.join(mutated)}], [{', '.join(arrays)}])")
            return
        self.terms += [f"{array}.flags.forc" for array in mutated]
        self.terms += [f"not {self.source.bind(np.may_share_memory)}({one}, {other})" for one, other in pairs]

    def state(self, lifted: list[InputSpec]) -> None:
        """Arrays of the state that may come from callers, and that must share no memory."""
        for spec in lifted:
            self._apart(spec.arg.name, [(name, offset) for name, offset in spec.overlaps if offset is None])

    def _apart(self, name: str, overlaps: Sequence[tuple[str, int | None]]) -> None:
        others = "".join(f"({self.names[other]}, {self.source.value(offset)}), " for other, offset in overlaps)
        self.terms.append(f"{self.source.bind(apart)}({self.names[name]}, ({others}))")


def _is_one_object(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this dtype hold the very object."""
    return dtype.isbuiltin == 1 and dtype.isnative


_FEW = 8
"""The pairs of arrays that are compared one after the other in the source."""


def _count(conditions: Conditions, spec: TreeSpec, text: str) -> list[str]:
    return [f"{conditions.len}({text}) == {len(spec.children)}"]


def _keys(conditions: Conditions, spec: TreeSpec, text: str) -> list[str]:
    """The keys in their order, with their types."""
    keys = tuple([key.value for key in spec.keys])
    types = tuple(map(type, keys))
    bind = conditions.source.bind
    found = f"{bind(tuple)}({text})"
    if _COMPARED.issuperset(types):
        return [f"{found} == {bind(keys)}", f"{bind(tuple)}({bind(map)}({conditions.type}, {text})) == {bind(types)}"]
    return [f"{bind(same_key)}({found}, {bind(keys)})"]


_COMPARED = frozenset((str, int, bool, bytes, type(None)))
"""Types whose equal values no program can tell apart."""


_SHAPE_TERMS: dict[str, Callable[[Conditions, TreeSpec, str], list[str]]] = {
    "tuple": _count,
    "list": _count,
    "namedtuple": _count,
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
