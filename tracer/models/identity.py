"""Numbers that differ from run to run: ``id(x)``, ``hash("text")``. They may be compared and be keys; they may not be computed with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from npexport.symshapes.errors import Unsupported


class Identity(int):
    """An ``id`` or a ``hash`` of an object."""


_REFUSED = (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ "
    "__rdivmod__ __pow__ __rpow__ __lshift__ __rlshift__ __rshift__ __rrshift__ __neg__ __pos__ __abs__ __invert__ "
    "__float__ __index__ __lt__ __le__ __gt__ __ge__"
).split()


def refuse(what: str) -> NoReturn:
    """Raise the refusal of letting the number reach the result."""
    raise Unsupported("E109", f"{what} depends on the id or hash of an object, which differs from run to run")


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Identity, *args: Any) -> NoReturn:
        refuse("a value of the program")

    return method


for _name in _REFUSED:
    setattr(Identity, _name, _refusing(_name))
