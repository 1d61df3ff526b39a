"""Values that only one side of a branch leaves: where the sides meet, a filler stands for them on
the other side. An object that the side has made stays itself, and from then on holds results of the
operator. Nobody uses it if the other side was taken.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS
from npexport.ir.ops.rules import open_conditions
from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.core.complexes import is_complex
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.rebuilt_views import is_by_places, places_of, view_after_branch, view_at, view_like
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.arrays.memory.layout import stride_order
from npexport.tracer.arrays.memory.layout_inference import with_layout
from npexport.tracer.arrays.memory.model import Layout, Storage, mirror
from npexport.tracer.control.leaves import flat, rebuilt, standing_for
from npexport.tracer.effects.copiers import COPIERS, copier_of
from npexport.tracer.effects.parts import HIDING, KINDS, parts_of, step_of
from npexport.tracer.effects.policy import ATOMS, KEPT, KEPT_BASES
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.symbolic_union import ALIKE, SymbolicUnion

Build = Callable[[list[Any]], Any]
"""What a place holds after the join, given the results of the operator."""


_UNBOUND = "Give the variable a value of the same kind, shape and dtype before the branch."


class Mismatch(Exception):
    """The two sides leave what cannot be one value; ``one`` and ``other`` describe both."""

    def __init__(self, path: str, one: str, other: str) -> None:
        super().__init__(path)
        self.path, self.one, self.other = path, one, other
        self.of_graph = False  # whether both are values of the graph

    def difference(self, line: int, other: int) -> str:
        """The difference in words, after the sides that begin at these lines."""
        name = self.path if " " in self.path else f"`{self.path}`"
        return f"{name} is {self.said(line, other)}"

    def hint(self) -> str:
        """What to write instead."""
        return _UNBOUND if "unbound" in (self.one, self.other) else ALIKE

    def said(self, line: int, other: int) -> str:
        return f"{self.one} after the side at line {line}, and {self.other} after that at line {other}"


def layout_of(storage: Storage) -> Layout:
    return storage.layout if storage.array is None else Layout(stride_order(storage.array))


def common_order(one: ArrayProxy, other: ArrayProxy) -> tuple[int, ...] | None:
    """The axes from outermost to innermost of two arrays of one layout, ``None`` for C order."""
    first, second = mirror(one.storage, one.link), mirror(other.storage, other.link)
    return stride_order(first) if stride_order(first) == stride_order(second) else None


def require_one_order(one: ArrayProxy, other: ArrayProxy, path: str) -> None:
    """Raises `Mismatch` for arrays of floats whose sums would be rounded differently."""
    if one.meta.ndim < 2 or one.meta.dtype.kind not in "fc":
        return
    first, second = mirror(one.storage, one.link), mirror(other.storage, other.link)
    if not (first.flags.c_contiguous and second.flags.c_contiguous) and stride_order(first) != stride_order(second):
        raise Mismatch(path, "an array in one order in memory", "in another")


JOINED = [COPIERS[base] for base in (object, types.SimpleNamespace, list, dict, OrderedDict, defaultdict, deque, set, bytearray)]
REFERRING = (types.FunctionType, types.MethodType, types.CellType)
_ALONE: Any = object()
"""The partner of an object that only one side leaves."""
_PLAIN = "biufc"


class OneSided:
    """What only one side of a join leaves: ``place`` is 0 or 1."""

    def __init__(self, world: ShadowedWorld, join: Any, place: int) -> None:
        self.world, self.join, self.place = world, join, place
        self.region, self.beside = join.regions[place], join.regions[1 - place]
        self.nodes = {*self.region.nodes, *self.region.entries}

    def value(self, value: Any, path: str) -> Build:
        """The value, or a filler on the other side. Raises `Mismatch`."""
        if type(value) in (tuple, Mixed, SymbolicUnion, DataText) or is_complex(value):
            builds = [self.value(leaf, path) for leaf in flat(value)]
            return lambda results: rebuilt(value, iter([build(results) for build in builds]))
        if type(value) is slice:
            ends = [self.value(end, path) for end in (value.start, value.stop, value.step)]
            return lambda results: slice(*[end(results) for end in ends])
        if type(value) is ScalarProxy:
            return self._scalar(value, path)
        if type(value) is ArrayProxy:
            return self._array(value, path)
        if value is NULL or type(value) in ATOMS or isinstance(value, KEPT_BASES):
            return lambda results: value
        if python_type(value) in NUMBERS:
            made = is_symbolic(value) and self.region.made(value.expression.symbols)
            return self._leaf(value, standing_for(value)) if made else lambda results: value
        return self._object(value, path)

    def _leaf(self, value: Any, filler: Any) -> Build:
        build: Build = self.join.leaf(*self._pair(value, filler))
        return build

    def _pair(self, value: Any, filler: Any) -> tuple[Any, Any]:
        return (value, filler) if self.place == 0 else (filler, value)

    def _scalar(self, value: ScalarProxy, path: str) -> Build:
        if value.memory is not None or value.dtype.kind not in _PLAIN:
            raise self._mismatch(value, path)
        return self._leaf(value, standing_for(value)) if value.node() in self.nodes else lambda results: value

    def _array(self, value: ArrayProxy, path: str) -> Build:
        if value.dtype.kind not in _PLAIN:
            raise self._mismatch(value, path)
        steps = value.link.chain() if value.link is not None else ()
        leaves = [leaf for step in steps for leaf in leaves_of((step.args, step.kwargs))]
        inside = any(map(self._is_inside, leaves))
        if not inside and not self.join.taken.knows(value):  # what it is a view by may raise, on this side alone
            inside = any(type(leaf) is Node or is_symbolic(leaf) for leaf in leaves) or _depends_on_sizes(value)
        if not inside and not self.region.owns(value.storage):
            return self._seen(value)
        if self.world.iteration is not None and not self.region.owns(value.storage) and is_by_places(value):
            behind = view_after_branch(self.region, value)
            if behind is not None:
                found = view_at(behind, [place for place, _ in places_of(behind)], untold=True)
                return lambda results: found
        filler = self._filler(value, inside)
        filler.writeable = value.writeable
        build: Build = self.join.array(*self._pair(value, filler), path)
        return build

    def _seen(self, value: ArrayProxy) -> Build:
        """A view of earlier memory; one that the side has made refers to nodes of the side."""
        if self.join.taken.knows(value):
            return lambda results: value
        key = "view", id(value), self.place
        made = self.join.memo.setdefault(key, view_like(value.storage, value))
        return lambda results: made

    def _filler(self, value: ArrayProxy, loose: bool) -> ArrayProxy:
        """An array for the other side: of this side's memory, a view of a filler for the whole."""
        whole, layout = value.storage.meta, layout_of(value.storage)
        if loose or any(map(self._is_inside, whole.shape)):
            return self._zeros(value.meta, layout._replace(order=stride_order(mirror(value.storage, value.link))))
        key = "filler", id(value.storage), self.place
        memory = self.join.memo.get(key)
        if memory is None:
            memory = self.join.memo[key] = self._zeros(whole, layout)
        return view_like(memory.storage, value)

    def _zeros(self, meta: TensorMeta, layout: Layout) -> ArrayProxy:
        """Zeros on the other side, taken to lie as the array of this side does; a size that only
        this side knows, or that is one on this side alone, is 0 there.
        """
        with self.beside:
            shape = tuple([size if self._is_size_beside(size) else 0 for size in meta.shape])
            made: ArrayProxy = self.world.recorder.call(ops.np.zeros, shape, meta.dtype)
            with_layout(self.world.recorder, made, layout)
        return made

    def _is_size_beside(self, size: Any) -> bool:
        return not self._is_inside(size) and (not is_symbolic(size) or known(size >= 0) is True)

    def _is_inside(self, leaf: Any) -> bool:
        """Whether a node, or a number, is known only on this side."""
        return leaf in self.nodes if type(leaf) is Node else is_symbolic(leaf) and bool(self.region.made(leaf.expression.symbols))

    def _mismatch(self, value: Any, path: str) -> Mismatch:
        return Mismatch(path, self.join.text(value), "nothing like it")

    # Objects

    def _object(self, value: Any, path: str) -> Build:
        join, cls = self.join, type(value)
        if cls in (types.BuiltinFunctionType, types.MethodWrapperType):
            return self._bound(value, path)
        outside = not self.world.is_local(value) if cls is types.FunctionType else cls in KEPT
        if outside or join.taken.knows(value):
            return lambda results: value
        partner = join.partners.get(id(value))
        if partner is not None:
            held = value if partner is _ALONE or self.place == 0 else partner
            return lambda results: held
        if cls is types.MethodType:
            owner = self.value(value.__self__, path)
            return lambda results: types.MethodType(value.__func__, owner(results))
        if isinstance(value, tuple) and not getattr(value, "__dict__", None):
            builds = [self.value(item, f"{path}[{place}]") for place, item in enumerate(value)]
            return lambda results: tuple.__new__(cls, [build(results) for build in builds])
        if cls in HIDING or (cls not in REFERRING and not any(copier_of(cls) is row for row in JOINED)):
            raise self._mismatch(value, path)
        join.partners[id(value)] = _ALONE
        self._take(value, path)
        return lambda results: value

    def _bound(self, value: Any, path: str) -> Build:
        """A function of C, or a method of C, which keeps its object."""
        if isinstance(value.__self__, (types.ModuleType, type(None))):
            return lambda results: value
        if type(value.__self__) in (tuple, Mixed, SymbolicUnion, ArrayProxy, ScalarProxy) or is_symbolic(value.__self__):
            raise self._mismatch(value, path)
        self.value(value.__self__, path)
        return lambda results: value

    def _take(self, value: Any, path: str) -> None:
        """Take over the contents of the object."""
        for part in parts_of(value):
            builds = []
            for place, item in enumerate(part.values):
                if KINDS[part.kind] is None and (type(item) in (ArrayProxy, ScalarProxy, Mixed, SymbolicUnion) or is_symbolic(item)):
                    raise self._mismatch(item, path)
                builds.append(self.value(item, path + step_of(part, place)))
            if part.kind == "position":
                raise self._mismatch(value, path)
            self.join.fills.append((value, part, builds))


def _depends_on_sizes(value: ArrayProxy) -> bool:
    """Whether NumPy refuses the view for some sizes that only the data know."""
    meta = value.storage.meta
    with open_conditions() as conditions:
        for step in value.link.chain() if value.link is not None else ():
            meta = step.op.rule(meta, *step.args, **step.kwargs)
    return bool(conditions)
