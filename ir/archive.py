"""Programs as files: ``.np2``, a zip of one JSON document and raw arrays.

Loading executes nothing: no pickle, no ``eval``, no import of what a file names. A program that was saved, loaded and saved again is the
same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir.archive_decode import Decoder, damaged, dtype_from, expect, get, items
from npexport.ir.archive_encode import VERSION, Encoder, dtype_json
from npexport.ir.archive_zip import PROGRAM, File, NP2ArchiveReader, NP2ArchiveWriter
from npexport.ir.program import OPSET_VERSION, ExportedProgram
from npexport.symshapes.errors import ExportError, LoadError, UserError

_MAX_DIMENSIONS = 64
_EXTRA = "extra/"


def save(
    ep: ExportedProgram,
    f: File,
    *,
    extra_files: Mapping[str, str | bytes] | None = None,
    opset_version: Mapping[str, int] | None = None,
) -> None:
    """Write a program to a path (atomically) or a binary file object.

    ``extra_files``: name -> text or bytes to keep beside it. ``opset_version``: the operator versions that the file is to declare; only
    those
    of this package can be written. Raises ``UserError`` (E242) for programs that hold what no file can, and ``OSError``.

    >>> import io, numpy as np, npexport
    >>> buffer = io.BytesIO()
    >>> npexport.save(npexport.export(np.sin, (np.zeros(2),)), buffer)
    >>> npexport.load(buffer).module()(np.zeros(2))
    array([0., 0.])
    """
    if not isinstance(ep, ExportedProgram):
        raise UserError("E201", f"save takes an ExportedProgram, not {type(ep).__name__!r}", hint="Pass what export returned.")
    opset = dict(ep.opset_version)
    for name, version in (opset_version or {}).items():
        if opset.get(name) != version:
            raise UserError(
                "E242", f"opset {name!r} can be written as version {opset.get(name)}, not {version}", hint="Leave opset_version out."
            )
    encoder = Encoder()
    document = encoder.program(ep, opset)
    document["arrays"] = [[dtype_json(array.dtype), list(array.shape), _order(array)] for array in encoder.arrays]
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    with NP2ArchiveWriter(f) as archive:
        archive.write_string(PROGRAM, text)
        for number, array in enumerate(encoder.arrays):
            archive.write_bytes(f"arrays/{number}", array.tobytes("F" if _order(array) == "F" else "C"))
        for name, data in (extra_files or {}).items():
            archive.write_bytes(_EXTRA + name, data.encode() if isinstance(data, str) else data)


def load(
    f: File,
    *,
    extra_files: dict[str, Any] | None = None,
    expected_opset_version: Mapping[str, int] | None = None,
) -> ExportedProgram:
    """Read a program from a path or a seekable binary file object.

    ``extra_files``: its values are replaced by what was saved under its keys, as text where it is UTF-8. ``expected_opset_version``:
    refuse files
    that declare other versions. Raises ``LoadError`` for files that are damaged, foreign, too new, or made to do harm, and ``OSError``.
    """
    with NP2ArchiveReader(f) as archive:
        document = _document(archive)
        program = _checked_program(archive, document, expected_opset_version)
        for name in extra_files if extra_files is not None else ():
            data = _extra(archive, name)
            try:
                extra_files[name] = data.decode()  # type: ignore[index]
            except UnicodeDecodeError:
                extra_files[name] = data  # type: ignore[index]
    return program


def _extra(archive: NP2ArchiveReader, name: str) -> bytes:
    there = [entry.removeprefix(_EXTRA) for entry in archive.get_file_names() if entry.startswith(_EXTRA)]
    if name not in there:
        hint = f"Its extra files are: {', '.join(map(repr, there))}." if there else "It was saved without extra_files."
        raise LoadError("E501", f"the archive has no extra file {name!r}", hint=hint)
    return archive.read_bytes(_EXTRA + name)


def _order(array: np.ndarray[Any, Any]) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _document(archive: NP2ArchiveReader) -> dict[str, Any]:
    try:
        document = expect(json.loads(archive.read_string(PROGRAM), parse_constant=_no_constant), dict)
    except (ValueError, RecursionError) as error:
        if isinstance(error, LoadError):
            raise
        raise damaged(f"it is no JSON: {error}") from error
    if document.get("format") != "npexport":
        raise damaged("it is not of npexport")
    version = get(document, "version", int)
    if version > VERSION:
        raise LoadError("E502", f"the file is of version {version}, this npexport reads up to version {VERSION}")
    return document


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _checked_program(archive: NP2ArchiveReader, document: dict[str, Any], expected: Mapping[str, int] | None) -> ExportedProgram:
    _check_opset(get(document, "opset", dict), expected)
    arrays = _Arrays(archive, get(document, "arrays", list))
    try:
        program = Decoder(document, arrays.get).program()
        program.validate()
    except LoadError:
        raise
    except ExportError as error:
        raise damaged(error.message) from error
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError, MemoryError) as error:
        raise damaged(f"{type(error).__name__}: {error}") from error
    return program


def _check_opset(opset: dict[str, Any], expected: Mapping[str, int] | None) -> None:
    for name, version in opset.items():
        known = OPSET_VERSION.get(name)
        if known is None or expect(version, int) > known:
            raise LoadError("E505", f"the file needs version {version} of the operators {name!r}, this npexport has {known}")
    for name, version in (expected or {}).items():
        if opset.get(name) != version:
            raise LoadError("E505", f"the file declares version {opset.get(name)} of the operators {name!r}, version {version} is expected")


class _Arrays:
    """The arrays of an archive, each read once."""

    def __init__(self, archive: NP2ArchiveReader, rows: list[Any]) -> None:
        self.archive = archive
        self.rows = rows
        self.read: dict[int, np.ndarray[Any, Any]] = {}

    def get(self, number: int) -> np.ndarray[Any, Any]:
        """The array of a number. Raises ``LoadError`` where its entry is not of the size that its shape says."""
        if not 0 <= number < len(self.rows):
            raise damaged(f"there is no array {number}")
        if number not in self.read:
            self.read[number] = self._read(number)
        return self.read[number]

    def _read(self, number: int) -> np.ndarray[Any, Any]:
        descr, shape, order = items(self.rows[number], 3)
        dtype = dtype_from(descr)
        sizes = [expect(size, int) for size in expect(shape, list)]
        name = f"arrays/{number}"
        count = math.prod(sizes)
        if (
            order not in ("C", "F")
            or min(sizes, default=0) < 0
            or len(sizes) > _MAX_DIMENSIONS
            or count * dtype.itemsize != self.archive.size(name)
        ):
            raise damaged(f"array {number} is {dtype}{sizes} and has {self.archive.size(name)} bytes")
        data = bytearray(self.archive.read_bytes(name))
        flat = np.frombuffer(data, dtype, count) if count and dtype.itemsize else np.zeros(count if dtype.itemsize else 0, dtype)
        return flat.reshape(sizes, order=order)
