"""What an input or output of a graph is by its value: an array, a number, a constant, an object.
The names are those of ``torch.export``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from npexport.symshapes.parameters import TEXT, Kind, field_kinds


@field_kinds(name=TEXT)
@dataclass(frozen=True)
class _Named:
    name: str


class TensorArgument(_Named):
    """An array: the ``name`` of its node.

    Examples
    --------
    >>> TensorArgument("x")
    TensorArgument(name='x')
    """


class TokenArgument(_Named):
    """A token that orders effects: the ``name`` of its node. Programs of npexport have none: the
    graph orders effects by their values.

    Examples
    --------
    >>> TokenArgument("token").name
    'token'
    """


class SymIntArgument(_Named):
    """A dynamic integer: the ``name`` of its node.

    Examples
    --------
    >>> import npexport
    >>> program = npexport.export(lambda n: n + 1, (3,), dynamic_shapes=(npexport.Dim.DYNAMIC,))
    >>> program.graph_signature.input_specs[0].arg
    SymIntArgument(name='n')
    """


class SymFloatArgument(_Named):
    """A dynamic float: the ``name`` of its node.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(lambda x: float(x.sum()), (np.ones(3),))
    >>> program.graph_signature.output_specs[0].arg
    SymFloatArgument(name='floating')
    """


class SymBoolArgument(_Named):
    """A dynamic truth value: the ``name`` of its node.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(lambda x: bool(x.any()), (np.ones(3),))
    >>> program.graph_signature.output_specs[0].arg
    SymBoolArgument(name='truth')
    """


@field_kinds(name=TEXT, class_fqn=TEXT)
@dataclass(frozen=True)
class CustomObjArgument:
    """An object that is neither array nor number: a ``numpy.random.Generator`` or ``RandomState``.

    Parameters
    ----------
    name : str
        The name of its placeholder.
    class_fqn : str
        The full name of its class.
    fake_val : str, optional
        The name of the bit generator whose state stands for it, or ``"RandomState"``.

    Examples
    --------
    >>> CustomObjArgument("rng", "numpy.random.Generator", "PCG64").fake_val
    'PCG64'
    """

    name: str
    class_fqn: str
    fake_val: Any = None


@field_kinds(name=TEXT)
@dataclass(frozen=True)
class ConstantArgument:
    """A Python value that the program is specialised to.

    Parameters
    ----------
    name : str
        The name of its placeholder; empty for an output that no node computes.
    value : object
        The value.

    Examples
    --------
    >>> ConstantArgument("scale", 2.0).value
    2.0
    """

    name: str
    value: Any


ArgumentSpec: TypeAlias = (
    TensorArgument | SymIntArgument | SymFloatArgument | SymBoolArgument | ConstantArgument | CustomObjArgument | TokenArgument
)
ARGUMENT = Kind(lambda value: isinstance(value, get_args(ArgumentSpec)), "an argument", 'Write TensorArgument("x") for an array.')
