"""The C extensions. All are optional: what imports one does without where `ImportError` is raised.

In a checkout the sources can become newer than what was compiled (`git pull`). Every extension
knows a checksum of the sources that it was compiled from; one whose sources stand beside it and
differ is not used, since Python and C of different days do not fit together. This module is read
by ``setup.py`` too, before anything is installed: it imports nothing but the standard library.
"""

import importlib
import warnings
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

WRITTEN: dict[Any, Any] = {}
"""Functions of C, each with that of Python that does the same."""

MACRO = "NPEXPORT_SOURCES"
"""The macro that passes the checksum to the compiler."""


def checksum(source: Path) -> int:
    """CRC-32 of an extension's source and of the headers beside it, 31 bits of it: any C integer
    holds these.
    """
    found = 0
    for file in (source, *sorted(source.parent.glob("_*.h"))):
        found = zlib.crc32(file.read_bytes(), found)
    return found & 0x7FFFFFFF


def extension(name: str) -> ModuleType:
    """The C extension of this full name.

    Raises `ImportError` where it was not built, or was built from other sources than those that
    stand beside it; of the latter it warns.
    """
    found = importlib.import_module(name)
    source = Path(str(found.__file__)).with_name(f"{name.rpartition('.')[2]}.c")
    if source.exists() and checksum(source) != getattr(found, "SOURCES", None):
        message = f"{name} was compiled from other sources than {source}: install npexport again (pip install -e .)"
        warnings.warn(f"{message}; until then it is not used", RuntimeWarning, stacklevel=2)
        raise ImportError(message)
    return found
