"""``x.flags``."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.ownership import owns, rely_on_flag
from npexport.tracer.arrays.core.proxy import AnyProxy, ScalarProxy
from npexport.tracer.arrays.memory.layout_guards import dynamic, require_large
from npexport.tracer.interpreter.native import c_name, stands_in_for

_NAMES = {
    "C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "O": "owndata", "A": "aligned", "X": "writebackifcopy", "B": "behaved",
    "CA": "carray", "FA": "farray",
    "CONTIGUOUS": "c_contiguous", "FORTRAN": "f_contiguous",
    **{name.upper(): name for name in "c_contiguous f_contiguous writeable owndata aligned writebackifcopy".split()},
    **{name.upper(): name for name in "behaved carray farray fnc forc".split()},
}  # fmt: skip
"""The keys of ``x.flags[...]``, as attributes."""
_OF_C_ORDER = frozenset({"c_contiguous", "contiguous", "fnc", "forc", "behaved", "carray"})
"""The flags that hold for all sizes of an array in C order, 0 and 1 included."""
_WRITTEN = {"writeable": "write", "aligned": "align", "writebackifcopy": "uic"}
"""The flags that can be set, as arguments of ``setflags``."""
_WRITEABLE = frozenset({"behaved", "carray"})
_ALIGNED = frozenset({"aligned", "behaved", "carray", "farray"})
_BITS = {"aligned": 0x100, "c_contiguous": 0x1, "f_contiguous": 0x2, "writeable": 0x400, "owndata": 0x4}
"""The bits of ``x.flags.num``, by the flag that each of them is."""
_FLAGS = type(np.empty(0).flags)


class Flags:
    """The flags of an array's memory. Asking for the order of an input is a condition on it."""

    __slots__ = ("_array",)
    __iter__ = __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: AnyProxy) -> None:
        object.__setattr__(self, "_array", array)

    __class__ = _FLAGS  # type: ignore[assignment]

    def _asked(self, name: str) -> Any:
        x = self._array
        if type(x) is ScalarProxy:
            return getattr(np.zeros((), x.meta.dtype)[()].flags, name)
        if name == "num":
            return sum(bit for part, bit in _BITS.items() if self._asked(part))
        if name == "writeable":
            rely_on_flag(x)
            return x.writeable
        if name == "owndata":
            return owns(x)
        if name in _WRITEABLE:
            rely_on_flag(x)
            if not x.writeable:
                return False
        if name == "fnc" and x.ndim < 2:
            return False
        flags = recorder().layouts.ask(x, aligned=name in _ALIGNED).flags
        layout = x.storage.layout
        if name == "fnc" and x.link is None and layout.known and layout.order is None and (x.ndim == 2 or not layout.sizes):
            return False  # in C order whatever the sizes are, or of one row or column
        in_line = flags.c_contiguous and sum(type(size) is not int or size != 1 for size in x.meta.shape) <= 1  # whatever the sizes are
        if not in_line and (name not in _OF_C_ORDER or not flags.c_contiguous or flags.f_contiguous):
            require_large(dynamic(x))
        if name in _WRITEABLE:  # it is writeable, whether the mirror is or not
            return flags.aligned and (name == "behaved" or flags.c_contiguous)
        if name == "farray":
            return not flags.c_contiguous  # as NumPy has it
        return getattr(flags, name)

    def __getitem__(self, key: str) -> Any:
        if key not in _NAMES:
            raise KeyError("Unknown flag")
        return self._asked(_NAMES[key])

    def __setitem__(self, key: str, value: Any) -> None:
        name = _NAMES.get(key, "")
        if name not in _WRITTEN:
            raise KeyError("Unknown flag")
        setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if type(self._array) is ScalarProxy:
            setattr(np.zeros((), self._array.meta.dtype)[()].flags, name, value)  # raises
        elif name in _WRITTEN:
            self._array.setflags(**{_WRITTEN[name]: value})
        else:
            setattr(np.empty(0).flags, name, value)  # raises

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMES.values() and name not in ("contiguous", "fortran", "num"):
            raise AttributeError(f"'{c_name(_FLAGS)}' object has no attribute '{name}'")
        return self._asked(name)


stands_in_for(Flags, _FLAGS)
