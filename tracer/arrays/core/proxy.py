"""What the program holds instead of an array: a view of a storage; and instead of a NumPy scalar
whose value is unknown: a node.

To the program both look like NumPy's: ``__class__`` is ``np.ndarray`` or the scalar's type. The
tables of ``operators`` and ``methods`` install operators and methods.
"""

from __future__ import annotations

import functools
import math
import operator
import os
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, final

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.evaluation import UNKNOWN
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_bool
from npexport.symshapes.guards import OF_TEXTS
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_symbolic
from npexport.tracer.arrays.core.array_iterator import Rows
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.run_dependent_numbers import Identity
from npexport.tracer.arrays.core.run_dependent_numbers import refuse as refuse_identity
from npexport.tracer.arrays.core.slots import slot
from npexport.tracer.arrays.memory.model import Link, Storage
from npexport.tracer.diagnostics.provenance import provenance
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_CODE, stands_in_for

Array = np.ndarray[Any, Any]


ABSENT = object()


class Proxy:
    """What arrays and scalars have in common.

    A scalar has no memory that the program could see: its ``storage`` is ``None``.
    """

    __slots__ = ("__weakref__", "meta")

    meta: TensorMeta
    storage: Any
    link: Link | None
    array: Array | None
    writeable: bool

    # The tracer's side

    def node(self) -> Node:
        """The node of the present value."""
        raise NotImplementedError

    @property
    def known(self) -> bool:
        """Whether the program may know the data."""
        raise NotImplementedError

    def value(self, what: str) -> Any:
        """The data, for known arrays.

        Raises ``Unsupported`` (E104): the program cannot know them, but ``what`` needs them.
        """
        if self.known:
            return self.array
        raise unknown_data(self, what)

    # The program's side

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """NumPy's class."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.meta.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.meta.dtype

    @property
    def ndim(self) -> int:
        return len(self.meta.shape)

    @property
    def size(self) -> Any:
        return math.prod(self.meta.shape)

    @property
    def itemsize(self) -> int:
        return self.meta.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        return self.size * self.meta.dtype.itemsize

    @property
    def device(self) -> str:
        return "cpu"

    def example_of_type(self) -> Any:
        """A real object of the same type, dtype and number of axes."""
        value = np.zeros((0,) * self.ndim, self.dtype)
        return value[()] if self.meta.scalar else value

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __bool__(self) -> bool:
        if self.known:
            return bool(self.array)
        size = self.size
        if size == 1:
            number = number_of(self)
            if number is not UNKNOWN:
                return bool(number)
            raise Unsupported("E103", f"a branch depends on the data of an array ({self.meta}), {provenance(self.node())}")
        if size == 0:
            return bool(np.empty(0))
        return bool(np.empty(2))

    def __float__(self) -> float:
        return float(self._as_python(float))

    def __int__(self) -> int:
        return int(self._as_python(int))

    def __complex__(self) -> complex:
        return complex(self._as_python(complex))

    def _as_python(self, convert: Any) -> Any:
        if self.known:
            return convert(self.array)
        convert_stand_in(convert, self)
        number = number_of(self)
        if number is not UNKNOWN:
            return convert(number)
        raise unknown_data(self, f"{convert.__name__}()")

    def __index__(self) -> int:
        if self.known:
            return self.array.__index__()  # type: ignore[union-attr]
        if type(self) is ScalarProxy and self.dtype.kind not in "iu":
            raise TypeError(f"'numpy.{self.dtype.type.__name__}' object cannot be interpreted as an integer")
        if self.ndim or self.dtype.kind not in "iu":
            return np.empty(2).__index__()  # type: ignore[misc]
        number = number_of(self)
        if number is UNKNOWN:
            number = as_number(self, "an index of Python")
            if type(number) is not int:  # it is one where nothing else is possible: the place of the only element
                raise unknown_data(self, "an index of Python")
        return operator.index(number)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported("E101", f"C code that npexport does not know reads the data of an array ({self.meta})")

    def __format__(self, spec: str) -> str:
        if self.known:
            return format(self.array, spec)
        if spec and self.ndim:
            return format(np.empty(2), spec)
        return format(self._constant(), spec)

    def __repr__(self) -> str:
        if self.known:
            return repr(self.array)
        return repr(self._constant())

    def __str__(self) -> str:
        if self.known:
            return str(self.array)
        return str(self._constant())

    def _constant(self, source: Node | None = None) -> Any:
        """The scalar, a constant from now on, if it is computed from sizes alone.

        Raises ``Unsupported`` (E114): text is needed. ``source``: the node to blame.
        """
        number = number_of(self)
        if number is not UNKNOWN and not self.ndim:
            return self.dtype.type(number._constant(OF_TEXTS) if is_symbolic(number) else number)
        raise Unsupported("E114", f"the data of an array ({self.meta}), {provenance(source or self.node())}, is turned into text")

    def __reduce_ex__(self, protocol: Any = None) -> NoReturn:
        raise Unsupported("E104", "an array is pickled", hint="Return the array, and pickle it where the program is called.")

    def __getattr__(self, name: str) -> Any:
        """Attributes of NumPy's object that its stand-in lacks; only their use needs data."""
        found = member_of(self.__class__, name)
        if found is ABSENT:
            raise no_attribute(self, name)
        if callable(found):
            return types.MethodType(_refused(name), self)
        raise unknown_data(self, f"the attribute {name!r}")


@final
class ArrayProxy(Proxy):
    """A view of ``storage`` through the chain of views ``link`` (``None``: the whole).

    ``array`` is the real view while the data of the storage are known.
    """

    __slots__ = ("array", "link", "storage", "writeable")

    def __init__(self, storage: Any, link: Link | None, meta: TensorMeta, array: Array | None = None, writeable: bool = True) -> None:
        self.storage = storage
        self.link = link
        self.meta = meta
        self.array = array
        self.writeable = writeable

    def node(self) -> Node:
        """The node of the array's present value."""
        storage: Storage = self.storage
        if storage.array is not None:
            return recorder().known_view(storage, self.link, self.array)  # type: ignore[arg-type]
        if storage.outside is not None:
            storage.outside.read_after = len(recorder().overlaps.written)
        if self.link is None and storage.node is not None:
            return storage.node
        return recorder().current(storage, self.link)

    @property
    def known(self) -> bool:
        """Whether the program may know the data."""
        return self.storage.array is not None

    __class__ = np.ndarray

    def __len__(self) -> Any:
        if not self.meta.shape:
            raise TypeError("len() of unsized object")
        return self.meta.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.meta.shape:
            raise TypeError("iteration over a 0-d array")
        return Rows(self)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")


@final
class ScalarProxy(Proxy):
    """A NumPy scalar whose value is unknown: immutable, so that its node never changes.

    A record (``np.void``) has ``memory`` instead, unless it ``owns`` what it holds: each array that
    NumPy makes of such a record is a copy, and so a write to it is lost.
    """

    __slots__ = ("_node", "memory", "owns")
    storage = link = array = None
    writeable = False

    def __init__(self, meta: TensorMeta, node: Node) -> None:
        self.meta, self._node, self.owns = meta, node, False
        self.memory: ArrayProxy | None = None

    def node(self) -> Node:
        """The node of the value; a record that is an input is never written to."""
        return self._node if self.memory is None or self._node.op != CALL else recorder().node(ops.np.getitem, (self.memory, ()))

    @property
    def known(self) -> bool:
        """Never: known scalars are NumPy's own."""
        return False

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.meta.dtype.type

    def __len__(self) -> int:
        if self.meta.dtype.kind in "SU":
            raise unknown_data(self, "len()")
        if self.meta.dtype.names is not None:
            return len(self.meta.dtype.names)
        raise TypeError(f"object of type 'numpy.{self.__class__.__name__}' has no len()")

    def __iter__(self) -> Iterator[Any]:
        if self.meta.dtype.kind in "SU":
            raise unknown_data(self, "iteration")
        if self.meta.dtype.names is not None:
            return iter([self[name] for name in self.meta.dtype.names])  # type: ignore[index]
        raise TypeError(f"'numpy.{self.__class__.__name__}' object is not iterable")

    def __contains__(self, item: Any) -> bool:
        _ = item in self.example_of_type()  # raises, but for texts
        raise unknown_data(self, "`in`")

    def __hash__(self) -> int:
        number = number_of(self)
        if number is not UNKNOWN:
            return hash(number)
        raise unknown_data(self, "hash()")


AnyProxy = ArrayProxy | ScalarProxy
"""Any proxy that the program meets; `Proxy` is their common base."""


def is_text_of_data(value: Any) -> bool:
    """Whether it is a scalar of text that only the data know."""
    return type(value) is ScalarProxy and value.meta.dtype.kind in "SU"


@functools.cache
def member_of(cls: type, name: str) -> Any:
    """What a class of NumPy defines under a name, or `ABSENT`."""
    return find(cls.__mro__, name, ABSENT)


def no_attribute(proxy: Proxy, name: str) -> AttributeError:
    """NumPy's error."""
    cls = proxy.__class__
    full = "numpy.ndarray" if cls is np.ndarray else f"numpy.{cls.__name__}"
    return AttributeError(f"'{full}' object has no attribute '{name}'", name=name, obj=proxy)


def _attribute(vm: Machine, proxy: Proxy, name: str, then: Any) -> Any:
    """``x.name`` in a program: stand-ins have methods of their own, which NumPy's objects lack."""
    found = member_of(proxy.__class__, name)
    if found is ABSENT:
        raise no_attribute(proxy, name)
    if name in _LENGTHS and is_text_of_data(proxy):
        raise unknown_data(proxy, f"the {name} of a text, which is its length,")
    if type(found) is types.WrapperDescriptorType:
        return types.MethodType(slot(name, found), proxy)
    if name == "shape":
        return (*proxy.shape,)  # NumPy makes a new one each time
    return None if found is None else getattr(proxy, name)


def _has(proxy: Proxy, name: str) -> bool | None:
    """``hasattr`` for attributes that are refused when they are read; ``None`` for all others."""
    return True if name in _MEMORY and member_of(proxy.__class__, name) is not ABSENT else None


_LENGTHS = frozenset({"dtype", "itemsize", "nbytes"})
"""Attributes of a NumPy text that reveal its own length, whatever array it comes from."""
_MEMORY = frozenset({"data", "ctypes", "__array_interface__", "__array_struct__"})


@functools.cache
def _refused(name: str) -> Callable[..., NoReturn]:
    """A method that needs data."""

    def call(proxy: Proxy, *args: Any, **kwargs: Any) -> NoReturn:
        raise unknown_data(proxy, f"the method {name!r}")

    call.__name__ = name
    return call


def number_of(proxy: Proxy) -> Any:
    """The only element of an array, if computed from sizes alone, as a size; else `UNKNOWN`."""
    value = recorder().number(proxy.node())
    if isinstance(value, np.ndarray):
        return value.item() if value.size == 1 else UNKNOWN
    return value


def as_size(proxy: Proxy, what: str) -> Any:
    """The only element of an array of integers as a size that depends on data.

    Raises ``Unsupported`` (E104) for other dtypes.
    """
    if proxy.size != 1 or proxy.dtype.kind not in "iu":
        raise unknown_data(proxy, what)
    return integer_of(proxy)


def integer_of(proxy: Proxy) -> Any:
    """The only element as an integer of data: for a truth 0 or 1, a float truncated."""
    if proxy.dtype.kind == "b":
        proxy = recorder().call(ops.np.astype, proxy, np.dtype(np.intp))
    return recorder().element(proxy.node())


def as_number(proxy: Proxy, what: str) -> Any:
    """The only element of an array as a Python number that depends on data.

    Raises ``Unsupported`` (E104) for other kinds of numbers.
    """
    if proxy.size != 1 or proxy.dtype.kind not in "biuf":
        hint = "Take a part of the complex number first: x.real, x.imag, or np.abs(x)." if proxy.dtype.kind == "c" else None
        raise unknown_data(proxy, what, hint)
    if proxy.dtype.kind == "f":
        return recorder().floating(proxy.node())
    return truth_of(proxy) if proxy.dtype.kind == "b" else integer_of(proxy)


def truth_of(proxy: Proxy) -> Any:
    """Whether the only element of an array is true, as a Python ``bool`` that depends on data."""
    number = number_of(proxy)
    return sym_bool(number) if number is not UNKNOWN else recorder().node(ops.sym.truth, (proxy,)).meta["val"]


stands_in_for(ArrayProxy, np.ndarray)
stands_in_for(ScalarProxy, np.generic)
SPECIAL_GETTERS.update(dict.fromkeys((ArrayProxy, ScalarProxy), _attribute))
SPECIAL_HAS.update(dict.fromkeys((ArrayProxy, ScalarProxy), _has))
NATIVE_CODE.append(os.path.dirname(np.__file__) + os.sep)


def convert_stand_in(convert: Any, proxy: Proxy) -> None:
    """Raise what NumPy raises if arrays of this shape and dtype are never converted."""
    size = proxy.size
    if proxy.dtype.kind in "SU" and size == 1:
        raise unknown_data(proxy, f"{convert.__name__}() of text")
    stand_in = np.zeros((1,) * proxy.ndim if size == 1 else (2,), proxy.dtype)
    if type(proxy) is ScalarProxy:
        stand_in = stand_in[()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            convert(stand_in)
        except TypeError:
            if proxy.dtype.kind in "mM" and size == 1:  # it tells whether it is a time
                raise unknown_data(proxy, f"{convert.__name__}() of a time") from None
            raise


def unknown_data(proxy: Proxy, what: str, hint: str | None = None) -> Unsupported:
    """The error for ``what``, which needs data that the program cannot know."""
    where = provenance(proxy.node())
    what = f"{what} needs the data of an array ({proxy.meta}), {where}, which is known only when the program runs"
    return Unsupported("E104", what, hint=hint)


def require_length(dtype: np.dtype[Any], operands: list[AnyProxy], given: Any) -> None:
    """Raises ``Unsupported`` (E104) where the length of the elements of a new array is that of a
    scalar of text: the dtype of one is no longer than its text, which only the data know.
    """
    text = next((operand for operand in operands if is_text_of_data(operand)), None)
    lengths = [leaf if isinstance(leaf, np.dtype) else leaf.dtype for leaf in leaves_of(given) if isinstance(leaf, (np.dtype, ArrayProxy))]
    if text is not None and dtype not in lengths:
        raise unknown_data(text, "the length of the elements of an array that is made of a text")


def fresh(storage: Storage, array: Array | None = None) -> ArrayProxy:
    """The proxy of a whole new storage."""
    proxy = ArrayProxy(storage, None, storage.meta, array)
    storage.root = weakref.ref(proxy)
    return proxy


def operands_of(args: Any, found: list[Any]) -> bool:
    """Collect the proxies among arguments; whether there are dynamic sizes or nodes too."""
    symbolic = False
    for arg in leaves_of(args if type(args) is tuple else list(args)):
        kind = type(arg)
        if kind is ArrayProxy or kind is ScalarProxy:
            found.append(arg)
        elif kind is SymInt or kind is SymFloat or kind is SymBool or kind is Node:
            symbolic = True
        elif kind is Identity:
            refuse_identity("an argument of an operator")
    return symbolic


def sizes_of(args: Any, shapes: bool = True) -> list[SymInt]:
    """The dynamic sizes among arguments, and those of their arrays if ``shapes``."""
    leaves = [leaf.base if isinstance(leaf, np.flatiter) else leaf for leaf in leaves_of(args)]
    found = [size for leaf in leaves if shapes and type(leaf) is ArrayProxy for size in leaf.shape]
    return [size for size in (*leaves, *found) if type(size) is SymInt]


def all_known(*values: Any) -> bool:
    """Whether the program may know the data of all arrays among the values, and all sizes."""
    found: list[Any] = []
    return not operands_of(values, found) and all(proxy.known for proxy in found)


def real_arguments(arg: Any) -> Any:
    """The argument with the data of known proxies."""
    return map_leaves(arg, lambda leaf: leaf.array if type(leaf) is ArrayProxy else leaf)
