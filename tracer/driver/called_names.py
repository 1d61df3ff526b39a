"""By which of its names each call of a module reaches it, where it has several.

The program is traced once more with a copy of the module at each name: a call goes to the copy at
the name by which it would reach another module that is put there. Where the calls are not the same
then, as in programs that compare their modules, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from npexport.ir.module_calls import path_of
from npexport.ir.program import ExportedProgram
from npexport.tracer.effects.state import module_class

_MOST_NAMES = 1000
_SUBMODULE = "module"


def with_called_names(f: Any, program: ExportedProgram, run: Callable[[Any], Any]) -> None:
    """Let the entries of the calls of modules with several names say by which they are called;
    ``run`` exports another callable in the place of ``f``.
    """
    entries = program._module_calls
    first = {entry.fqn: entry.same_as for entry in entries if entry.same_as is not None}
    shared = {entry.fqn for entry in entries if entry.signature is not None and path_of(entry.fqn) in first.values()}
    if not shared or not isinstance(f, module_class()) or len(dict(f.named_modules(remove_duplicate=False))) > _MOST_NAMES:
        return
    other = run(_copied(f))
    if not isinstance(other, ExportedProgram):
        return
    calls = [entry.fqn for entry in entries if entry.same_as is None]
    names = [path_of(entry.fqn) for entry in other._module_calls]
    if list(map(path_of, calls)) == [first.get(name, name) for name in names]:
        called = dict(zip(calls, names, strict=True))
        entries[:] = [replace(entry, called_as=called[entry.fqn]) if entry.fqn in shared else entry for entry in entries]


def _copied(module: Any) -> Any:
    """A module like this one, with a module of its own at each name, which has the same arrays."""
    copied = object.__new__(type(module))
    for name, value in vars(module).items():
        below = module._kinds.get(name) == _SUBMODULE
        object.__setattr__(copied, name, _copied(value) if below else value)
    object.__setattr__(copied, "_kinds", dict(module._kinds))
    return copied
