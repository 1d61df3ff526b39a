"""The files of a program as plain Python: the module, and the ``.npz`` of its arrays beside it.

Both are written, or neither is. An ``.npz`` is only replaced where the module that it belongs to
stands beside it.
"""

from __future__ import annotations

import errno
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from npexport.ir.atomic import AtomicFile
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import FilePath

TITLE = '"""A program of NumPy, exported."""'
"""The first line of every module that is written."""
_ARRAYS = ".npz"
_FIRST = (1980, 1, 1, 0, 0, 0)  # the time in the file: the same arrays give the same bytes


def write_files(path: FilePath, text: str, arrays: Mapping[str, Any]) -> None:
    """Write the module to ``path`` and its arrays, if any, beside it.

    Raises ``UserError`` (E201) for a name that is none of a module, and ``OSError``; then all files
    are as they were.
    """
    name = os.fsdecode(path)
    if Path(name).suffix.lower() == _ARRAYS:
        hint = f"Name the module: {str(Path(name).with_suffix('.py'))!r}."
        raise UserError("E201", f"{name!r} names the arrays, not the module", hint=hint)
    module = AtomicFile(name)
    files = [(module, text.encode())]
    try:
        if arrays:
            files.append((AtomicFile(_beside(name)), npz({key: _stored(array) for key, array in arrays.items()})))
        for file, data in files:
            file.write(data)
        for file, _ in reversed(files):
            file.commit()
    finally:
        for file, _ in files:
            file.abandon()


def _beside(name: str) -> str:
    """The file of the arrays of a module of this name."""
    target = Path(name)
    if target.exists() and not target.is_file():
        raise UserError("E201", f"beside {name!r} no file of arrays can stand", hint="Name a file, such as 'program.py'.")
    arrays = target.with_suffix(_ARRAYS)
    if arrays.exists() and not (target.exists() and target.read_bytes().startswith(TITLE.encode())):
        raise FileExistsError(errno.EEXIST, "the arrays of the module would replace another file", str(arrays))
    return str(arrays)


def npz(arrays: Mapping[str, Any]) -> bytes:
    """The contents of an ``.npz`` of plain arrays by any names, and always the same ones."""
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _FIRST), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    return buffer.getvalue()


def is_of_texts(array: Any) -> bool:
    """Whether the array is of StringDType, which no ``.npz`` holds: its texts are stored as
    JSON.
    """
    return bool(array.dtype.kind == "T")


def _stored(array: Any) -> Any:
    return np.frombuffer(json.dumps(array.tolist()).encode(), np.uint8) if is_of_texts(array) else array
