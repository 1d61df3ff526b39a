"""Memory, and views of it: the graph is functional because every write gives a storage a new value.

A :class:`Storage` stands for a piece of memory. It is *known* (``array`` is a real ndarray whose
data derive from constants only) or *recorded* (``node`` computes its current value). A
:class:`Link` is a view of the storage, or of another link: an operator with its arguments, which
are plain values, sizes and nodes. A :class:`Placeholder` is an outside array, and has a storage. A
:class:`Layout` is the layout of a storage with the placeholders that decide it. These four refer to
each other. Laws:

1. ``GraphBuilder.current(storage, link)`` is the node of the view's present value. A link remembers
   the node, and the version of the storage that it belongs to.
2. A write raises ``version``; views made before read the new value afterwards, because they derive
   their nodes anew.
3. Layouts decide what they decide in NumPy: view or copy, ``flags``, orders "K" and "A", and the
   rounding of sums and products of floats, which take elements in the order of memory: the operands
   of these have the layout of the program's array, except for gaps and directions of an input that
   was written as a whole. What is rounded by how the memory that is written lies, is computed
   there (``rounded_writes``). No value depends on a layout otherwise.
"""

from __future__ import annotations

import itertools
import weakref
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.arrays.memory.layout import apply, as_long, example_size, laid_out, stride_order

Array = np.ndarray[Any, Any]
SERIALS = itertools.count()
"""Serial numbers of memory, in order of creation."""


class GraphBuilder(Protocol):
    """The part of the recorder that memory needs; `npexport.tracer.arrays.core.recorder.Recorder`
    documents it.

    ``rearranged``: whether the value of a node may have another layout than the program's array.
    """

    placeholders: list[Placeholder]
    rearranged: bool

    def node(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node: ...
    def current(self, storage: Storage, link: Link | None) -> Node: ...
    def materialize(self, storage: Storage) -> None: ...
    def use(self, placeholder: Placeholder) -> Node: ...
    def stack(self) -> tuple[Location, ...]: ...


class ArrayRef(Protocol):
    """The interface of a proxy: the view ``link`` of ``storage``."""

    storage: Any
    link: Link | None
    meta: TensorMeta
    array: Array | None
    writeable: bool


class Layout(NamedTuple):
    """``order``: the axes from the outermost to the innermost, ``None`` for C order.

    ``depends``: the outside arrays whose layout decides it. ``known`` is false if NumPy promises no
    layout. ``gaps``: whether the program's array may have gaps between elements although that of
    the graph, a result of a branch or a loop, has none. ``sizes``: the dynamic sizes of operands
    that decide it; if one is 0 or 1, another order may be that of the operand, and of the result.
    """

    order: tuple[int, ...] | None = None
    depends: frozenset[Placeholder] = frozenset()
    known: bool = True
    gaps: bool = False
    sizes: tuple[Any, ...] = ()


C_ORDER = Layout()


class Storage:
    """``meta``: shape and dtype of the whole.

    ``layout``: the example's layout in memory. ``outside``: the placeholder that it came from.
    ``recipe``: the creation operator, with its arguments, of a known storage that was never written
    to. ``root``: the program's own proxy of the whole; ``children``: the views of the whole.
    ``ambiguities``: where view or copy depended on the layout of an input, which a later write may
    reveal. ``hidden``: whether NumPy's array is a view of one that nobody sees; it is ``None``
    until that is needed, and then found out from ``maker``, the node of the first value.
    ``writeable``: the flag of the whole once the program's own proxy of it is gone. ``ambiguity``:
    the layout that made it a copy; ``twin``: the storage that it would be a view of under another
    layout; ``copied``: likewise, where the data say whether that is the memory of an array that
    lasts.
    """

    __slots__ = (
        "__weakref__",
        "ambiguities",
        "ambiguity",
        "array",
        "children",
        "copied",
        "hidden",
        "layout",
        "maker",
        "meta",
        "mirror",
        "node",
        "outside",
        "recipe",
        "root",
        "serial",
        "twin",
        "version",
        "writeable",
    )

    def __init__(
        self, meta: TensorMeta, node: Node | None, array: Array | None, layout: Layout, outside: Placeholder | None = None
    ) -> None:
        self.serial = next(SERIALS)
        self.meta = meta
        self.node = node
        self.array = array
        self.layout = layout
        self.outside = outside
        self.version = 0
        self.mirror: Array | None = None
        self.recipe: tuple[Op, tuple[Any, ...], dict[str, Any]] | None = None
        self.maker = node
        self.hidden: bool | None = None if array is None and outside is None else False
        self.writeable = True
        self.ambiguity: Any = None
        self.twin: Storage | None = None
        self.copied: Storage | None = None
        self.ambiguities: list[Any] | None = None
        self.children: list[weakref.ref[Link]] = []
        self.root: weakref.ref[ArrayRef] | None = None

    def adopt(self, link: Link) -> None:
        """Note a view of the whole; those that nobody holds any more are forgotten now and then."""
        children = self.children
        if len(children) >= 32 and not len(children) & (len(children) - 1):
            children[:] = [child for child in children if child() is not None]
        children.append(weakref.ref(link))

    @property
    def mutated(self) -> bool:
        """Whether the program has written to it."""
        return self.version > 0


class Sides(NamedTuple):
    """The two views of which one stands for either after a branch; ``join``: a number, the greater
    the later the branch has ended.
    """

    join: int
    one: Link
    other: Link


class Link:
    """A step of a chain of views: ``op`` of the view ``parent`` (``None``: the storage)."""

    __slots__ = (
        "__weakref__",
        "ambiguity",
        "args",
        "held",
        "kwargs",
        "meta",
        "mirror",
        "node",
        "op",
        "parent",
        "rebuilt",
        "sides",
        "untold",
        "version",
    )

    def __init__(self, parent: Link | None, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: TensorMeta) -> None:
        self.parent = parent
        self.op = op
        self.args = args
        self.kwargs = kwargs
        self.meta = meta
        self.node: Node | None = None
        self.version = -1
        self.mirror: Array | None = None
        self.ambiguity: Any = None  # which layout made it a view
        self.rebuilt = False  # whether it stands for a view that one side of a branch has
        self.sides: Sides | None = None  # after a branch: the views that it is
        self.untold = False  # whether data decide which other array that shows the same it is, if any
        self.held = op.view.held  # whether an object stands between the view and the array

    def chain(self) -> list[Link]:
        """The links from the storage to this one."""
        links: list[Link] = []
        link: Link | None = self
        while link is not None:
            links.append(link)
            link = link.parent
        return links[::-1]


class Kind(Enum):
    """What a placeholder stands for.

    ``STATE`` is a parameter, buffer or plain array of the exported object, ``CONSTANT`` another
    outside array, ``LITERAL`` an array that the program itself makes of known data.
    """

    INPUT = "input"
    STATE = "state"
    CONSTANT = "constant"
    LITERAL = "literal"


class Placeholder:
    """One outside array, created when the program first uses it.

    ``paths``: every name under which it was reached, the first one first. ``array``: the example,
    whose data are never read. ``node``: its node, ``None`` until the first use. ``storage``: its
    memory.

    What the program relied on: ``same_as``, the earlier input that is the very same array;
    ``distinct_from``, those that are others; ``overlaps``, by earlier inputs, how many bytes after
    them it begins (``None``: they share no memory); ``owns``, that it is not a view; ``writeable``,
    its flag. What the program leaves: ``reshaped`` and ``frozen``, as in `InputSpec`.

    ``others``: what stands for other arrays of the same elements, with their paths.
    ``read_after``: how many outside arrays had been written to when it was last read.
    ``generator``: the name of the bit generator whose state it is.
    """

    __slots__ = (
        "array", "distinct_from", "frozen", "generator", "kind", "meta", "node", "others", "overlaps", "owns", "paths", "read_after",
        "reshaped", "same_as", "storage", "writeable",
    )  # fmt: skip

    def __init__(self, kind: Kind, path: str, array: Array, meta: TensorMeta) -> None:
        self.kind = kind
        self.paths = [path]
        self.array = array
        self.meta = meta
        self.node: Node | None = None
        self.same_as: Placeholder | None = None
        self.distinct_from: list[Placeholder] = []
        self.overlaps: dict[Placeholder, int | None] = {}
        self.others: list[tuple[ArrayRef, str]] = []
        self.owns = False
        self.writeable: bool | None = None
        self.reshaped: tuple[int, ...] | None = None
        self.frozen = False
        self.generator: str | None = None
        self.read_after = 0
        self.storage = Storage(meta, None, None, Layout(stride_order(array), frozenset([self])), self)

    @property
    def path(self) -> str:
        """The first name."""
        return self.paths[0]

    @property
    def mutated(self) -> bool:
        """Whether the program has written to it."""
        return self.storage.mutated

    @property
    def mirror(self) -> Array:
        """The example as far as its layout goes; larger where dynamic sizes are 0 or 1 in it."""
        shape = tuple(map(example_size, self.meta.shape))
        return self.array if shape == self.array.shape else laid_out(shape, self.array.dtype, stride_order(self.array))

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.path}: {self.meta}>"

    def require_owner(self) -> None:
        """Note that the program relies on its not being a view. Raises ``Unsupported`` (E123)."""
        if self.array.base is not None:
            raise Unsupported("E123", f"what {self.path} is a view of depends on the caller")
        self.owns = True


def storage_mirror(storage: Storage) -> Array:
    """A real array with the layout of the whole storage."""
    if storage.array is not None:
        return storage.array
    if storage.outside is not None:
        return storage.outside.mirror
    if storage.mirror is None:
        shape = tuple(map(example_size, storage.meta.shape))
        storage.mirror = laid_out(shape, storage.meta.dtype, storage.layout.order)
    return storage.mirror


def data_of(storage: Storage, link: Link | None) -> Array | None:
    """The real view while the data of the storage are known."""
    array = storage.array
    for step in link.chain() if link is not None and array is not None else ():
        array = step.op.kernel(array, *step.args, **step.kwargs)
    return array


def mirror(storage: Storage, link: Link | None) -> Array:
    """A real array with the layout of the view."""
    if link is None:
        return storage_mirror(storage)
    array = link.mirror
    if array is None:
        for step in link.chain():
            if step.mirror is None:
                base = storage_mirror(storage) if step.parent is None else step.parent.mirror
                step.mirror = as_long(apply(step.op, base, step.args, step.kwargs), step.meta.shape)
        array = link.mirror
    return array  # type: ignore[return-value]
