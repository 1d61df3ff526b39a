"""Installs the methods and attributes that make a proxy look like an ``ndarray``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api import attributes, methods
from npexport.tracer.arrays.api.flags import Flags
from npexport.tracer.arrays.api.flat import FlatIterator
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import formed, numpys
from npexport.tracer.arrays.core.ownership import base, setflags
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, Proxy, ScalarProxy, integer_of


def array_wrap(self: ArrayProxy, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """What NumPy's Python code calls on a result to convert it to the type of an argument."""
    return array[()] if return_scalar and type(array) is ArrayProxy and not array.ndim else array  # type: ignore[index]


def install() -> None:
    """Give the proxies their methods and attributes."""
    given: dict[str, Any] = {name: methods.function(name) for name in methods.FUNCTIONS}
    given |= {name: methods.refused(name, *refusal) for name, refusal in methods.REFUSED.items()}
    own = (
        methods.reshape,
        methods.ravel,
        methods.flatten,
        methods.transpose,
        methods.view,
        methods.copy,
        methods.astype,
        methods.byteswap,
        methods.getfield,
        methods.setfield,
        methods.item,
        methods.tolist,
        methods.tobytes,
        methods.fill,
        methods.sort,
        methods.argsort,
        methods.partition,
        methods.put,
        methods.compress,
        methods.choose,
        methods.clip,
        methods.conjugate,
        setflags,
    )
    given |= {function.__name__: function for function in own}
    given |= {
        "round": methods.round_,
        "__round__": _round,
        "conj": methods.conjugate,
        "__copy__": methods.deepcopy,
        "__deepcopy__": methods.deepcopy,
    }
    given |= {"__array_wrap__": array_wrap, "__array_priority__": 0.0, "__array_namespace__": _namespace, "to_device": _to_device}
    read = {
        "shape": _property("shape", lambda self: self.meta.shape, attributes.set_shape),
        "dtype": _property("dtype", lambda self: self.meta.dtype, attributes.set_dtype),
        "T": property(attributes.transposed),
        "mT": property(attributes.matrix_transposed),
        "real": _property("real", lambda self: recorder().call(ops.np.real, self), attributes.set_part("real")),
        "imag": _property("imag", lambda self: recorder().call(ops.np.imag, self), attributes.set_part("imag")),
        "flat": _property("flat", FlatIterator, lambda self, value: FlatIterator(self).fill(value)),
        "strides": property(attributes.strides),
        "base": property(base),
        "flags": property(Flags),
        "data": property(methods.refused("data", *methods.MEMORY)),
        "ctypes": property(methods.refused("ctypes", *methods.MEMORY)),
    }
    asked = {name for name, value in given.items() if callable(value)} - methods.REFUSED.keys()  # asking NumPy would write files
    given |= {name: formed(name, given[name]) for name in asked}
    given |= {"__reduce__": Proxy.__reduce_ex__, "__getstate__": lambda self: None}
    own_ones = {name: value for name, value in vars(Proxy).items() if type(value) is property and hasattr(np.ndarray, name)}
    read = {name: _completed(name, value) for name, value in (own_ones | read).items() if name != "__class__"}
    for name, value in (given | read).items():
        setattr(Proxy, name, value)
        if not hasattr(np.generic, name) and not name.startswith("__"):
            setattr(ScalarProxy, name, property(_missing))


def _property(name: str, get: Callable[[Any], Any], set_: Callable[[Any, Any], None]) -> property:
    """An attribute; NumPy's error says why it cannot be written."""
    return property(get, numpys(lambda array, value: setattr(array, name, value), set_))


def _completed(name: str, attribute: property) -> property:
    """The attribute with NumPy's errors where it cannot be written or deleted; no scalar's can."""

    def set_(self: Any, value: Any) -> None:
        if attribute.fset is not None and type(self) is not ScalarProxy:
            return attribute.fset(self, value)
        setattr(_one_like(self), name, value)
        raise Unsupported("E101", f"`{name}` of an array is assigned", hint="Make a view of it: np.lib.stride_tricks.as_strided(x, ...).")

    def delete(self: Any) -> None:
        delattr(_one_like(self), name)

    return property(attribute.fget, set_, delete)


def _one_like(x: AnyProxy) -> Any:
    """An array, or a scalar, of the type."""
    array = np.zeros((1,) * x.ndim, x.dtype)
    return array[()] if type(x) is ScalarProxy else array


def _missing(self: ArrayProxy) -> NoReturn:
    raise AttributeError  # ScalarProxy.__getattr__ says it in NumPy's words


def _namespace(self: ArrayProxy, *, api_version: Any = None) -> Any:
    return np


def _to_device(self: ArrayProxy, device: Any, /, *, stream: Any = None) -> Any:
    np.zeros(0).to_device(device, stream=stream)  # raises
    return self


def _round(self: AnyProxy, ndigits: Any = None) -> Any:
    if type(self) is not ScalarProxy:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if self.dtype.kind not in "iuf":
        raise TypeError(f"type numpy.{self.dtype.type.__name__} doesn't define __round__ method")
    if ndigits is None:
        return integer_of(methods.round_(self, 0))
    return methods.round_(self, ndigits)


install()
