"""Who owns an array's memory (``x.base``, ``x.flags.owndata``, ``x.setflags(write=True)``), and who
shares it.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from npexport.ir.graph import CALL, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.views import reads_only
from npexport.tracer.arrays.memory.input_aliasing import same_place
from npexport.tracer.arrays.memory.layout import example_argument, example_size
from npexport.tracer.arrays.memory.model import ArrayRef, Storage


def base(x: AnyProxy) -> Any:
    """``x.base``: the array that owns the memory."""
    if type(x) is ScalarProxy and x.memory is not None:
        raise Unsupported("E123", "the array that a record is an element of")
    if type(x) is ScalarProxy or owns(x):
        return None
    if x.storage.outside is not None:
        x.storage.outside.require_owner()
    steps = [] if x.link is None else x.link.chain()
    if hidden(x.storage) or any(step.held for step in steps):
        raise Unsupported("E123", "the base of an array, which NumPy made for itself")
    return root(x)


def owns(x: ArrayProxy) -> bool:
    """``x.flags.owndata``. If layouts decide it, they become conditions."""
    recorder().require_whole(x.storage, "asks who owns the memory of an array")
    layouts = recorder().layouts
    layouts.decide_owner(x)
    if layouts.original(x) is not None and not any(map(is_whole, layouts.one_object(x))):
        return False
    if x.storage.outside is not None:
        x.storage.outside.require_owner()
    return not hidden(x.storage)


def is_whole(x: ArrayRef) -> bool:
    """Whether it is the program's own array of the whole memory, perhaps reshaped in place."""
    return x.storage.root is not None and x.storage.root() is x


def hidden(storage: Storage) -> bool:
    """Whether NumPy's array is a view of one that nobody sees, found with stand-ins."""
    if storage.hidden is None:
        maker = storage.maker
        storage.hidden = maker is not None and maker.op == CALL and _stand_in(maker).base is not None
    return storage.hidden


def _stand_in(node: Node) -> Any:
    """An array as NumPy makes it for such a call."""
    if isinstance(node.target, Op) and "projection" in node.target.traits:
        return _stand_in(node.args[0])[node.args[1]]
    return _call(node)


def _call(node: Node) -> Any:
    args, kwargs = map_nodes((node.args, node.kwargs), _blank)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return node.target.kernel(*args, **kwargs)  # type: ignore[union-attr]
    except Exception as error:  # it does not take zeros
        require_own(error)
        raise Unsupported("E123", f"what the result of {node.target} is a view of") from error


def _blank(node: Node) -> Any:
    meta = node.meta["val"]
    if not isinstance(meta, TensorMeta):
        return example_argument(meta)
    blank = np.zeros(tuple(map(example_size, meta.shape)), meta.dtype)
    return blank[()] if meta.scalar else blank


def root(x: ArrayProxy) -> ArrayProxy:
    """The proxy of the whole storage: the program's, or a new one."""
    found = x.storage.root and x.storage.root()
    if found is None:
        found = ArrayProxy(x.storage, None, x.storage.meta, x.storage.array, x.storage.writeable)
    return found


def rely_on_flag(x: ArrayProxy) -> None:
    """Require an input to be as writeable as the example: the program sees that of this view."""
    if not x.writeable and x.storage is not None:
        recorder().layouts.decide_owner(x)  # copies are writeable
    rely_on_shown_flag(x)


def rely_on_shown_flag(x: ArrayProxy) -> None:
    """Require the example's flag of an outside array, unless this view is read-only anyway."""
    if not (x.link is not None and any(map(reads_only, x.link.chain()))):
        rely_on_owner(x)


def rely_on_owner(x: ArrayProxy) -> None:
    """Require the example's flag of an outside array: the program sees if views can be made
    writeable.
    """
    outside = x.storage.outside if x.storage is not None else None
    if outside is not None:
        outside.writeable = bool(outside.array.flags.writeable)


def setflags(self: AnyProxy, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """``x.setflags``: read-only or not.

    Raises NumPy's ``ValueError`` if the owner of the memory is read-only.
    """
    if type(self) is ScalarProxy:  # NumPy does nothing either
        return
    if align is not None:
        _align(self, align)
    if write:
        rely_on_owner(self)
    set_flag(self, write, uic)


def _align(self: ArrayProxy, align: Any) -> None:
    """Says that elements lie at aligned addresses, which is known, or that they do not."""
    if not align:
        raise Unsupported("E123", "an array is marked as one that is not aligned", hint="Leave the flag as it is: NumPy computes the same.")
    if not recorder().layouts.ask(self, aligned=True).flags.aligned:
        raise ValueError("cannot set aligned flag of mis-aligned array to True")


def set_flag(self: ArrayProxy, write: Any, uic: Any = None) -> None:
    """``setflags`` without a node in the program: whoever receives the array sets the flag."""
    outside = self.storage.outside
    if write and outside is not None and not outside.array.flags.writeable:
        raise Unsupported("E112", f"{outside.path} is made writeable, which it is not", hint="Pass a writeable array, or work on x.copy().")
    if uic:
        np.zeros(1).setflags(uic=True)  # raises
    if write is None:
        return
    same = recorder().layouts.one_object(self)
    if write and not any(map(is_whole, same)):
        by_holder = self.link is not None and any(step.held for step in self.link.chain())
        if by_holder or (self.link is not None and not root(self).writeable):
            raise ValueError("cannot set WRITEABLE flag to True of this array")
    for one in same:
        one.writeable = bool(write)
        if is_whole(one):
            one.storage.writeable = bool(write)
        recorder().overlaps.changed(one, "flags")
    if self.array is not None and self.known:
        self.array.flags.writeable = bool(write)


def shares(first: AnyProxy, second: AnyProxy, bounds: bool = False) -> bool:
    """``np.shares_memory``, or (``bounds``) ``np.may_share_memory``, for two proxies."""
    if type(first) is ScalarProxy or type(second) is ScalarProxy:
        return False
    rec = recorder()
    meet = np.may_share_memory if bounds else np.shares_memory
    if first.storage is not second.storage:
        if not _origins(first.storage).isdisjoint(_origins(second.storage)):  # copies that may be views
            rec.layouts.decide_owner(first)
            rec.layouts.decide_owner(second)
        mine, other = first.storage.outside, second.storage.outside
        if mine is None or other is None:
            return False
        rec.overlaps.relate(mine, other, meet)
        if not meet(mine.array, other.array):
            if bounds:
                rec.overlaps.require_dense(mine, other)
            return False
        if mine.array is not other.array:  # how far they reach into each other depends on their sizes
            for size in (*mine.meta.shape, *other.meta.shape):
                operator.index(size)
    if any(bool(size == 0) for size in (*first.shape, *second.shape)):
        return False
    return bool(meet(rec.layouts.ask(first), rec.layouts.ask(second)))


def meet(first: ArrayProxy, second: ArrayProxy) -> bool:
    """Whether two arrays of the program may have elements in common: views of one storage, or of
    outside arrays that share memory.
    """
    return shares(first, second) if first.storage is second.storage else recorder().overlaps.meet(first.storage, second.storage)


def _origins(storage: Storage | None) -> set[Storage]:
    """The memory that an array is in, or would be in for another layout of an input."""
    found: set[Storage] = set()
    while storage is not None and storage not in found:
        found.add(storage)
        storage = None if storage.ambiguity is None else storage.ambiguity.source()
    return found


def is_same(first: ArrayProxy, second: ArrayProxy) -> bool:
    """Whether two arrays have the same elements in the same order."""
    ask = recorder().layouts.ask
    return first.storage is second.storage and same_place(ask(first), ask(second))


def are_one(dst: ArrayProxy, src: ArrayProxy) -> bool:
    """Whether both are the same elements; the layout of an input is only examined if NumPy would
    refuse the copy of others.
    """
    if dst.storage is not src.storage or dst.known:
        return False
    return dst.node() is src.node() or (not dst.writeable and is_same(dst, src))
