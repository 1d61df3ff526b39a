"""Globals in which libraries remember what they found out once. Adding to one changes no later result, so programs leave it out."""

from __future__ import annotations

from npexport.tracer.effects.difference import Write
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.state import shown

CACHES: dict[str, str] = {
    "einops._backends": "_type2backend _loaded_backends",
    "opt_einsum.backends.dispatch": "_cached_funcs _has_einsum _has_tensordot",
}
"""Module -> names of dictionaries."""

_PATHS = tuple([f"global {module}.{name}[" for module, names in CACHES.items() for name in names.split()])


_IMPORTED = "sys.modules["  # imports are the host's: its table then has modules that the program's copy of the table lacks


def fills_cache(write: Write) -> bool:
    """Whether a write only adds to one of these dictionaries."""
    path = shown(write.path)
    return (write.before is DELETED and path.startswith(_PATHS)) or (write.after is DELETED and path.startswith(_IMPORTED))
