"""The differences between two programs: graphs line by line, signatures, guards and ranges, arrays
by path.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

import numpy as np

from npexport.ir.archive_encode import kept
from npexport.ir.identities import NO_IDENTITIES
from npexport.ir.meta import content, dtype_name, holds_data
from npexport.ir.printing import graph_code
from npexport.ir.program import ExportedProgram
from npexport.ir.program_text import signature_table
from npexport.symshapes.parameters import TEXTS, field_kinds, instance, require
from npexport.symshapes.plain import plain


@field_kinds(graph=TEXTS, signature=TEXTS, guards=TEXTS, constants=TEXTS)
@dataclass(frozen=True)
class ProgramDiff:
    """What differs between two programs; true where anything does.

    Parameters
    ----------
    graph, signature, guards, constants : tuple of str
        The lines that differ: of the first program with ``-``, of the second with ``+``. Lines of
        the user's source play no part. ``guards`` has the ranges of sizes too, ``constants`` all
        arrays that a program holds, parameters included.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> sin, cos = (npexport.export(f, (np.zeros(3),)) for f in (np.sin, np.cos))
    >>> npexport.diff(sin, cos).signature
    ('- output sin USER_OUTPUT', '+ output cos USER_OUTPUT')
    """

    graph: tuple[str, ...] = ()
    signature: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def __str__(self) -> str:
        if not self:
            return "the programs are equal"
        parts = [f"{name}:\n" + "".join(f"  {line}\n" for line in lines) for name, lines in vars(self).items() if lines]
        return "".join(parts)


def diff(ep1: ExportedProgram, ep2: ExportedProgram) -> ProgramDiff:
    """Compare two programs: what they compute, of what, under which conditions, with which arrays.

    Parameters
    ----------
    ep1, ep2 : ExportedProgram
        The programs.

    Returns
    -------
    ProgramDiff
        False where they are equal.

    Raises
    ------
    UserError
        One of them is not a program (E201).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> programs = [npexport.export(f, (np.zeros(3),)) for f in (np.sin, np.cos)]
    >>> print(npexport.diff(*programs))
    graph:
      - sin: "f64[3]" = ops.np.sin(x)
      - return (sin,)
      + cos: "f64[3]" = ops.np.cos(x)
      + return (cos,)
    signature:
      - output sin USER_OUTPUT
      + output cos USER_OUTPUT
    <BLANKLINE>
    """
    for name, ep in (("ep1", ep1), ("ep2", ep2)):
        require(name, ep, instance(ExportedProgram)._replace(hint="Load files first: load(path)."))
    pairs = [(list(view(ep1)), list(view(ep2))) for view in (_graph, _signature, _guards, _arrays)]
    return ProgramDiff(*[tuple(_changes(*pair)) for pair in pairs])


def _changes(first: list[str], second: list[str]) -> Iterator[str]:
    changes = difflib.unified_diff(first, second, n=0, lineterm="")
    return (f"{line[0]} {plain(line[1:])}" for line in itertools.islice(changes, 2, None) if line[0] != "@")


def _graph(program: ExportedProgram) -> Iterator[str]:
    lines = (line.strip() for line in graph_code(program.graph).splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _signature(program: ExportedProgram) -> Iterator[str]:
    yield from (" ".join(line.split()) for line in signature_table(program.graph_signature).splitlines())
    spec = program.call_spec
    yield f"inputs {spec.in_spec}"
    yield f"outputs {spec.out_spec}"
    if spec.parameters is not None:
        yield f"parameters ({', '.join(map(_bare, spec.parameters))})"
    if spec.identities != NO_IDENTITIES:
        yield f"identities {spec.identities}"


def _bare(parameter: Parameter) -> str:
    """A parameter as files keep it, without its annotation."""
    default = parameter.default if parameter.default is Parameter.empty else kept(parameter.default)
    return str(parameter.replace(annotation=Parameter.empty, default=default))


def _guards(program: ExportedProgram) -> Iterator[str]:
    yield from (f"{size}: {bounds}" for size, bounds in program.ranges.items())
    yield from (plain(f"{guard.text} ({guard.reason})" if guard.reason else guard.text) for guard in program.guards)


def _arrays(program: ExportedProgram) -> Iterator[str]:
    for kind, arrays in (("state", program.state_dict), ("constant", program.constants)):
        yield from (f"{kind} {path} {_shown(value)}" for path, value in arrays.items())


def _shown(value: Any) -> str:
    """An array's dtype and shape, and a digest of its elements, whatever their order in memory."""
    if not isinstance(value, np.ndarray) or not holds_data(value.dtype):
        return f"{type(value).__name__} {value!r}"
    digest = hashlib.sha256(content(value)).hexdigest()
    return f"{dtype_name(value.dtype)}{list(value.shape)} sha256:{digest[:16]}"
