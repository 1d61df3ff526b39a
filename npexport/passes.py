"""Passes: each takes an exported program and gives a new one, equal in results; the program that it
is given stays as it is.

>>> import numpy as np
>>> from npexport import export, passes
>>> program = export(lambda x: np.sin(x) + np.cos(x), (np.zeros(3),))
>>> (add,) = program.graph.find_nodes(target=program.graph.nodes[3].target)
>>> add.args = (add.args[0], 1.0)
>>> len(program.graph), len(passes.dead_code(program).graph)
(5, 4)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from npexport.ir import passes
from npexport.ir.editing import copied
from npexport.ir.program import ExportedProgram
from npexport.ir.verifier import require_valid
from npexport.symshapes.errors import UserError, briefly
from npexport.symshapes.parameters import Kind, instance, require, takes

__all__ = ["dead_code", "fold_constants", "move_to_device_pass", "share"]


def _on_copy(program: ExportedProgram, change: Callable[[ExportedProgram], None]) -> ExportedProgram:
    require("program", program, instance(ExportedProgram))
    require_valid(program)
    copy = copied(program)
    change(copy)
    copy.validate()
    return copy


def dead_code(program: ExportedProgram) -> ExportedProgram:
    """Leave out what no output and no guard needs and what never raises, and constants that nothing
    uses.

    Parameters
    ----------
    program : ExportedProgram
        Any program; it is not changed.

    Returns
    -------
    ExportedProgram
        The program without dead calls.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(3),))
    >>> _ = program.graph.call_function(npexport.ops.np.exp, (program.graph.nodes[0],))
    >>> [node.name for node in npexport.passes.dead_code(program).graph]
    ['x', 'sin', 'output']
    """
    return _on_copy(program, passes.dead_code)


def share(program: ExportedProgram) -> ExportedProgram:
    """Compute equal calls once; arrays that leave the program stay arrays of their own.

    Parameters
    ----------
    program : ExportedProgram
        Any program; it is not changed.

    Returns
    -------
    ExportedProgram
        The program without common subexpressions.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(lambda x: np.sin(x) * np.cos(x), (np.zeros(3),))
    >>> cos = program.graph.nodes[2]
    >>> cos.target = npexport.ops.np.sin
    >>> [node.name for node in npexport.passes.share(program).graph]
    ['x', 'sin', 'multiply', 'output']
    """
    return _on_copy(program, passes.common_subexpressions)


def fold_constants(program: ExportedProgram) -> ExportedProgram:
    """Compute what only constants decide, once; what leaves the program is still made in every
    call.

    Parameters
    ----------
    program : ExportedProgram
        Any program; it is not changed. Parameters and buffers are not constants.

    Returns
    -------
    ExportedProgram
        The program with the results among its constants.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> weights = np.ones(3)
    >>> program = npexport.export(lambda x: x * np.sqrt(weights), (np.zeros(3),))
    >>> [node.name for node in npexport.passes.fold_constants(program).graph if node.op == "call_function"]
    ['multiply']
    """

    def fold(copy: ExportedProgram) -> None:
        passes.fold_constants(copy)
        passes.dead_code(copy)

    return _on_copy(program, fold)


LOCATION = Kind(lambda value: isinstance(value, (str, Mapping)), "a device, or a dict from devices to devices")


@briefly
@takes(ep=instance(ExportedProgram), location=LOCATION)
def move_to_device_pass(ep: ExportedProgram, location: str | Mapping[str, str]) -> ExportedProgram:
    """Let a program run on a device: ``torch.export``'s pass.

    ``"cpu"`` is NumPy, ``"cuda"`` is CuPy where it can be imported: ``module()`` of the new program
    is that of ``module(namespace=cupy)``. An archive does not say where a program runs.

    Parameters
    ----------
    ep : ExportedProgram
        Any program; it is not changed.
    location : str or dict of str to str
        A device, or a dict from devices to devices.

    Returns
    -------
    ExportedProgram
        An equal program.

    Raises
    ------
    UserError
        Another device, or one whose library cannot be imported (E204).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(3),))
    >>> bool(npexport.diff(program, npexport.passes.move_to_device_pass(program, "cpu")))
    False
    """
    moves = dict.fromkeys(_LIBRARIES, location) if isinstance(location, str) else dict(location)
    libraries = {device: _library(device) for device in sorted(set(moves.values()))}
    device = "cpu" if ep._namespace is None else "cuda"
    copy = copied(ep)
    if device in moves:
        copy._namespace = libraries[moves[device]]
    return copy


_LIBRARIES = {"cpu": None, "cuda": "cupy"}
"""What computes on a device, in NumPy's place."""


def _library(device: str) -> Any:
    """The library of a device, ``None`` for NumPy. Raises ``UserError`` (E204)."""
    name = _LIBRARIES.get(device)
    if name is None and device in _LIBRARIES:
        return None
    try:
        if name is not None:
            return import_module(name)
    except ImportError:
        pass
    hint = 'Use "cpu": programs run on NumPy, in the memory of the process; "cuda" needs CuPy.'
    raise UserError("E204", f"the device {device!r} is not available", hint=hint)
