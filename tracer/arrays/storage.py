"""Memory, and places in it: the graph is functional because every write gives a storage a new value.

A :class:`Storage` stands for a piece of memory. It is *known* (``array`` is a real ndarray whose data derives from constants only)
or *recorded* (``node`` computes its current value). A :class:`Link` is a view of the storage, or of another link: an operator with
its arguments, which are plain values, sizes and nodes. Laws:

1. ``current(storage, link)`` is the node of the view's value now. A link remembers the node and the version of the storage that it is of.
2. A write raises ``version``; views made before read the new value afterwards, because they derive their nodes anew.
3. Layouts never change the values of nodes. They decide what NumPy decides by them: view or copy, ``flags``, orders "K" and "A".
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op

if TYPE_CHECKING:
    from npexport.tracer.arrays.layout import Layout
    from npexport.tracer.arrays.lifting import Placeholder
    from npexport.tracer.arrays.proxy import ArrayProxy
    from npexport.tracer.arrays.recorder import Recorder

Array = np.ndarray[Any, Any]


class Storage:
    """``meta``: shape and dtype of the whole. ``layout``: how the example lies in memory. ``outside``: the placeholder that it came from.

    ``recipe`` is the creation operator with its arguments that makes a known storage which was never written to.
    ``root`` is the program's own proxy of the whole, ``children`` are the views of the whole. ``doubts`` are places where view or copy
    depended on the layout of an input: a later write may make that visible. ``hidden``: NumPy's array is a view of one that nobody sees;
    ``None`` as long as nobody asked, which ``maker``, the node of its first value, would answer. ``writeable``: whether the whole is, when
    the program's own proxy of it is gone. ``doubt``: which layout made it a copy, and ``twin`` the memory of the array that it else is.
    """

    __slots__ = (
        "__weakref__",
        "array",
        "children",
        "doubt",
        "doubts",
        "hidden",
        "layout",
        "maker",
        "meta",
        "mirror",
        "node",
        "outside",
        "recipe",
        "root",
        "twin",
        "version",
        "writeable",
    )

    def __init__(
        self, meta: TensorMeta, node: Node | None, array: Array | None, layout: Layout, outside: Placeholder | None = None
    ) -> None:
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
        self.doubt: Any = None
        self.twin: Storage | None = None
        self.doubts: list[Any] | None = None
        self.children: list[weakref.ref[Link]] = []
        self.root: weakref.ref[ArrayProxy] | None = None

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


class Link:
    """One step of a chain of views: ``op`` applied to the view ``parent`` (``None``: the whole storage) gives ``meta``."""

    __slots__ = ("__weakref__", "args", "doubt", "kwargs", "meta", "mirror", "node", "op", "parent", "version")

    def __init__(self, parent: Link | None, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: TensorMeta) -> None:
        self.parent = parent
        self.op = op
        self.args = args
        self.kwargs = kwargs
        self.meta = meta
        self.node: Node | None = None
        self.version = -1
        self.mirror: Array | None = None
        self.doubt: Any = None  # which layout made it a view

    def chain(self) -> list[Link]:
        """The links from the storage to this one."""
        links: list[Link] = []
        link: Link | None = self
        while link is not None:
            links.append(link)
            link = link.parent
        return links[::-1]


def current(recorder: Recorder, storage: Storage, link: Link | None) -> Node:
    """The node of the view's value now."""
    if storage.node is None:
        recorder.demote(storage)
    if link is None:
        return storage.node  # type: ignore[return-value]
    if link.version == storage.version:
        return link.node  # type: ignore[return-value]
    node = storage.node
    for step in link.chain():
        if step.version != storage.version:
            step.node = recorder.node(step.op, (node, *step.args), step.kwargs)
            step.version = storage.version
        node = step.node
    return node  # type: ignore[return-value]
