"""Source files, described without revealing where on this machine they are: what archives contain
instead of absolute paths.

A path is written relative to the project that the file belongs to or, for libraries, to a place
that is the same everywhere: ``<python>/functools.py``, ``<numpy>/lib/_index_tricks_impl.py``,
``<npexport>/runtime/nn/linear.py``.
"""

from __future__ import annotations

import functools
import ntpath
import os
from pathlib import PurePath

import numpy as np

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PLACES = {"<npexport>": _HERE, "<numpy>": os.path.dirname(np.__file__), "<python>": os.path.dirname(os.__file__)}
_ROOMS = {(room,) for room in ("symshapes", "ir", "runtime", "tracer", "npexport")}
_PACKAGES = ("site-packages", "dist-packages")
_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


def portable(file: str) -> str:
    """The path of a source file as archives hold it; what is no absolute path is itself.

    >>> portable("model.py"), portable(os.__file__)
    ('model.py', '<python>/os.py')
    """
    if not (os.path.isabs(file) or ntpath.splitdrive(file)[0]):
        return file
    for mark, place in _PLACES.items():
        inside = PurePath(os.path.relpath(file, place)).parts if file.startswith(place + os.sep) else ()
        foreign = (mark == "<npexport>" and inside[:1] not in _ROOMS) or (mark == "<python>" and not set(inside).isdisjoint(_PACKAGES))
        if inside and not foreign:
            return "/".join((mark, *inside))
    parts = PurePath(file).parts
    installed = max([index for index, part in enumerate(parts) if part in _PACKAGES], default=None)
    if installed is not None:
        return "/".join(parts[installed + 1 :])
    file = os.path.normpath(file)
    root = _project(os.path.dirname(file))
    return "/".join(PurePath(os.path.relpath(file, root)).parts) if os.path.isabs(file) else ntpath.basename(file)


def local(file: str) -> str:
    """The inverse, as far as there is one: where a library's file is on this machine.

    Of other absolute paths only the name is kept.
    """
    mark, _, rest = file.partition("/")
    if mark in _PLACES and ".." not in rest.split("/"):
        return os.path.join(_PLACES[mark], *rest.split("/"))
    absolute = file.startswith(("/", "\\")) or bool(ntpath.splitdrive(file)[0])
    return ntpath.basename(file) if absolute else file


@functools.lru_cache(maxsize=1024)
def _project(folder: str) -> str:
    """The folder of the project; where no file marks one, the folder that holds the outermost
    package.
    """
    here = folder
    while True:
        if any(os.path.exists(os.path.join(here, name)) for name in _PROJECT):
            return here
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    while os.path.exists(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
