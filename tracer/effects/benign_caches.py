"""Caches in which libraries keep what they have computed once.

Filling one changes no later result, so exported programs leave it out.
"""

from __future__ import annotations

import types

from npexport.tracer.effects.difference import Write
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state import shown

CACHES: dict[str, str] = {
    "base64": "_a85chars _a85chars2 _b32rev _b32tab2 _b85chars _b85chars2 _b85dec",
    "einops._backends": "_type2backend _loaded_backends",
    "numpy.lib._datasource": "_file_openers._loaded _file_openers._file_openers",
    "opt_einsum.backends.dispatch": "_cached_funcs _has_einsum _has_tensordot",
    "platform": "_platform_cache _uname_cache",
    "random": "_sha512",
    "typing": "_overload_registry",
    "urllib.parse": "_hextobyte",
    "_strptime": "_TimeRE_cache _regex_cache",
}
"""Module -> names of globals: dictionaries that only grow, and values that are computed on first
use.
"""

_PATHS = {f"global {module}.{name}" for module, names in CACHES.items() for name in names.split()}


def fills_cache(write: Write) -> bool:
    """Whether a write only adds to one of these caches."""
    path = shown(write.path)
    return path in _PATHS or (write.before is DELETED and path.partition("[")[0] in _PATHS)


def imports(write: Write, modules: frozenset[str]) -> bool:
    """Whether an apparent deletion from ``sys.modules`` is an import: the host adds modules to its
    own table, not to the program's copy.

    ``modules`` are those that existed before the run.
    """
    path = shown(write.path)
    return write.after is DELETED and path.startswith("sys.modules[") and path not in {f"sys.modules[{name!r}]" for name in modules}


def only_adds(write: Write, shadows: Shadows) -> bool:
    """Whether a write outside the exported object only adds what was not there."""
    if id(write.owner) in shadows.inputs or write.after is DELETED:
        return False
    if write.before is not DELETED and write.before is not None:
        return False
    return write.name is not None or isinstance(write.owner, (dict, types.CellType))
