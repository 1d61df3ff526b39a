"""Modules that hold modules or parameters: their names are ``"0"``, ``"1"``, … or the keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Self

import numpy as np

from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import Parameter


class _Indexed(Module):
    """Registered attributes ``"0"``, ``"1"``, …, reached by index, slice and iteration; made from
    an iterable.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(() if values is None else values)

    def _name(self, index: int) -> str:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return str(index % size)

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._kinds])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name(index), value)

    def __delitem__(self, index: int | slice) -> None:
        kept = list(self)
        del kept[index]
        for name in list(self._kinds):
            delattr(self, name)
        self.extend(kept)

    def append(self, value: Any) -> Self:
        """Register ``value`` under the next index."""
        self._add(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Append each of ``values``."""
        for value in list(values):
            self.append(value)
        return self

    def pop(self, index: int = -1) -> Any:
        """Remove and return the value at ``index``."""
        value = self[index]
        del self[index]
        return value

    def __add__(self, other: Iterable[Any]) -> Self:
        return type(self)([*self, *other])

    def __iadd__(self, other: Iterable[Any]) -> Self:
        return self.extend(other)

    def insert(self, index: int, value: Any) -> None:
        """Insert ``value`` before ``index``, as ``list.insert`` does."""
        items = list(self)
        items.insert(index, value)
        del self[:]
        self.extend(items)

    def _add(self, name: str, value: Any) -> None:
        self.add_module(name, value)


class Sequential(_Indexed):
    """Calls its modules one after the other; made from modules, or from one mapping of names to
    modules.

    ``args``: taken by position. As ``torch.nn.Sequential``.

    >>> from npexport import nn
    >>> Sequential(nn.Linear(4, 3), nn.ReLU())(np.zeros((2, 4), np.float32)).shape
    (2, 3)
    """

    def __add__(self, other: Iterable[Any]) -> Self:
        return type(self)(*self, *other)

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def _name(self, index: int) -> str:
        super()._name(index)
        return list(self._kinds)[index]

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)({name: getattr(self, name) for name in list(self._kinds)[index]})
        return super().__getitem__(index)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_Indexed):
    """A list of modules.

    ``modules``: the first modules. As ``torch.nn.ModuleList``.

    >>> from npexport import nn
    >>> len(ModuleList([nn.Linear(2, 2), nn.ReLU()]))
    2
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__(modules)

    def _printed_children(self) -> list[tuple[str, str]]:
        """Neighbours that look the same are printed once: ``(0-2): 3 x ReLU()``."""
        printed = []
        for text, group in groupby(super()._printed_children(), key=itemgetter(1)):
            names = [name for name, _ in group]
            same = (f"{names[0]}-{names[-1]}", f"{len(names)} x {text}")
            printed.append(same if len(names) > 1 else (names[0], text))
        return printed


class ParameterList(_Indexed):
    """A list of parameters: arrays or ``Parameter``s go in, arrays come out.

    ``values``: the first parameters. As ``torch.nn.ParameterList``.

    >>> len(ParameterList([np.zeros(2), np.ones(3)]))
    2
    """

    def _add(self, name: str, value: Any) -> None:
        self.register_parameter(name, value)

    def extra_repr(self) -> str:
        return "\n".join(f"({name}): Parameter of shape {value.shape} and dtype {value.dtype}" for name, value in self.named_parameters())


class _Keyed(Module):
    """Registered attributes reached by key; made from a mapping or an iterable of pairs."""

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self.update({} if values is None else values)

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._kinds))

    def __contains__(self, key: str) -> bool:
        return key in self._kinds

    def __getitem__(self, key: str) -> Any:
        if key not in self._kinds:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.add_module(key, value)

    def __delitem__(self, key: str) -> None:
        if key not in self._kinds:
            raise KeyError(key)
        delattr(self, key)

    def keys(self) -> list[str]:
        """The names, in order."""
        return list(self._kinds)

    def values(self) -> list[Any]:
        """The values, in order of their names."""
        return [getattr(self, name) for name in self._kinds]

    def items(self) -> list[tuple[str, Any]]:
        """``(name, value)`` pairs, in order."""
        return [(name, getattr(self, name)) for name in self._kinds]

    def update(self, values: Any) -> None:
        """Set every item of a mapping or of an iterable of pairs."""
        for key, value in values.items() if isinstance(values, (Mapping, _Keyed)) else values:
            self[key] = value

    def pop(self, key: str) -> Any:
        """Remove and return an item."""
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Remove every item."""
        for key in list(self._kinds):
            delattr(self, key)


class ModuleDict(_Keyed):
    """A dictionary of modules, in order of insertion.

    ``modules``: the first modules. As ``torch.nn.ModuleDict``.

    >>> from npexport import nn
    >>> list(ModuleDict({'first': nn.Linear(2, 2)}))
    ['first']
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__(modules)


class ParameterDict(_Keyed):
    """A dictionary of parameters: arrays or ``Parameter``s go in, arrays come out.

    ``parameters``: the arrays. As ``torch.nn.ParameterDict``.

    >>> list(ParameterDict({'scale': np.ones(2)}))
    ['scale']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(parameters)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default``."""
        return getattr(self, key) if key in self._kinds else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, first set to ``default`` where it is not there."""
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last ``(name, value)``."""
        key = self.keys()[-1]
        return key, self.pop(key)

    def copy(self) -> ParameterDict:
        """Another dictionary of the same arrays."""
        return ParameterDict(self)

    def __setitem__(self, key: str, value: np.ndarray | Parameter) -> None:
        self.register_parameter(key, value)
