"""What a module registers: the kinds, and the marks of arrays that are assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from npexport.runtime.array_types import Array
from npexport.runtime.nn.arguments import checked

PARAMETER, BUFFER, TRANSIENT, MODULE = "parameter", "buffer", "transient buffer", "module"

if TYPE_CHECKING:  # to type checkers they are the arrays that they are read back as
    _Marked: TypeAlias = np.ndarray[Any, np.dtype[Any]]
else:
    _Marked = object


class Parameter(_Marked):
    """Marks an array as a parameter where it is assigned to a module: ``self.weight =
    Parameter(array)``; it is read back as the array.

    ``data``: the array. As ``torch.nn.Parameter``.

    >>> from npexport import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = nn.Parameter(np.ones(3))
    >>> Scale().weight
    array([1., 1., 1.])
    """

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data: Any = data.data if isinstance(data, Parameter) else np.asarray(data)

    def __repr__(self) -> str:
        return f"Parameter({self.data!r})"


class Buffer(_Marked):
    """Marks an array as a buffer where it is assigned to a module: ``self.calls = Buffer(array)``;
    it is read back as the array.

    ``data``: the array; ``persistent``: whether the state dict has it.

    >>> from npexport import nn
    >>> nn.Buffer(np.zeros(3)).persistent
    True
    """

    __slots__ = ("data", "persistent")

    @checked
    def __init__(self, data: Any, *, persistent: bool = True) -> None:
        self.data: Any = np.asarray(data)
        self.persistent = persistent


def as_array(value: Any, name: str) -> Array | None:
    """What is registered for a value; raises ``TypeError`` where it is no array."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    if value is None or isinstance(value, np.ndarray):
        return value
    raise TypeError(f"cannot assign {type(value).__name__} object to {name!r}: an ndarray or None is required")


def replacement(name: str, kind: str, value: Any) -> Any:
    """What an assignment to a registered attribute stores: the registration stays."""
    if kind is MODULE:
        if value is not None:
            raise TypeError(f"cannot assign {type(value).__name__} object as child module {name!r}: a Module or None is required")
        return None
    return as_array(value, name)
