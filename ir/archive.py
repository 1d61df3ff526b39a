"""Programs as files: ``.np2``, a zip of one JSON document and raw arrays.

Loading executes nothing: no pickle, no ``eval``, no import of what a file names. A program that was
saved, loaded and saved again is the same bytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir.archive_decode import Decoder
from npexport.ir.archive_encode import VERSION, Collected, Encoder, array_bytes, dtype_json
from npexport.ir.archive_limits import MAX_BITS
from npexport.ir.archive_rows import dtype_from
from npexport.ir.archive_texts import unpacked
from npexport.ir.archive_upgrades import upgraded
from npexport.ir.archive_values import damaged, expect, get, items
from npexport.ir.archive_zip import DIGEST, PROGRAM, PROGRAMS, File, NP2ArchiveReader, NP2ArchiveWriter, utf8
from npexport.ir.layout_copies import laid, order_of
from npexport.ir.meta import TEXTS
from npexport.ir.op import REGISTRY
from npexport.ir.opset import homed, opset_of
from npexport.ir.program import ExportedProgram
from npexport.ir.running import runtime
from npexport.ir.verifier import require_valid
from npexport.symshapes.effort import limited
from npexport.symshapes.errors import ExportError, LoadError, UserError, briefly
from npexport.symshapes.parameters import FLAG, MAPPING, takes

_MAX_DIMENSIONS = 64
EXTRA = "extra/"
_DIGESTED = 2  # the first version whose files have a digest
_WORK = 100_000
"""The work on expressions that every document may cause, plus one unit for each eight of its bytes;
programs cause one for each twenty.
"""
_ALIGNMENT = 64  # bytes: where arrays begin in the file, so that they can be mapped and read by vector instructions


@briefly
@takes(extra_files=MAPPING.optional, opset_version=MAPPING.optional)
def save(
    ep: ExportedProgram,
    f: File,
    *,
    extra_files: Mapping[str, str | bytes] | None = None,
    opset_version: Mapping[str, int] | None = None,
) -> None:
    """Write a program to a file, atomically where that is a path.

    Parameters
    ----------
    ep : ExportedProgram
        The program to be saved.
    f : str, os.PathLike or binary file object
        Where it goes; ``.np2`` is the usual suffix. The file is a zip of JSON and raw arrays.
    extra_files : dict of str to str or bytes, optional
        Further contents to keep beside the program, by name.
    opset_version : dict of str to int, optional
        The versions of the operators' namespaces that the file declares; this version of the
        package writes its own only.

    Raises
    ------
    UserError
        The program holds what no file can hold (E242) or arrays that do not fit (E241), another
        ``opset_version`` is asked for, or ``extra_files`` are not texts or bytes by name (E201).
    InternalError
        An edit broke a law of the program (E902).
    OSError
        The file cannot be written; one that was there before is left as it was.

    Examples
    --------
    >>> import io, numpy as np, npexport
    >>> buffer = io.BytesIO()
    >>> npexport.save(npexport.export(np.sin, (np.zeros(2),)), buffer)
    >>> npexport.load(buffer).module()(np.zeros(2))
    array([0., 0.])
    """
    write_archive(f, {PROGRAM: ep}, extra_files, opset_version)


def write_archive(
    f: File,
    programs: Mapping[str, ExportedProgram],
    extra_files: Mapping[str, str | bytes] | None,
    opset_version: Mapping[str, int] | None,
) -> None:
    """Write programs, by the names of their entries; an array that several hold is one entry."""
    for name, data in (extra_files or {}).items():
        if not isinstance(name, str) or not isinstance(data, (str, bytes)):
            hint = 'Pass text or bytes by name: {"notes.txt": "of sines"}.'
            raise UserError("E201", f"extra_files holds {name!r}: {data!r:.60}", hint=hint)
    shared = Collected()
    documents = {entry: _encoded(ep, shared, opset_version) for entry, ep in programs.items()}
    with NP2ArchiveWriter(f) as archive:
        for entry, text in documents.items():
            archive.write_bytes(entry, text.encode())
        for number, array in enumerate(shared.arrays):
            archive.write_bytes(f"arrays/{number}", array_bytes(array), align=_ALIGNMENT)
        for name, data in (extra_files or {}).items():
            archive.write_bytes(EXTRA + name, utf8(name, data) if isinstance(data, str) else data)
        archive.write_string(DIGEST, archive.digest())


def _encoded(ep: Any, shared: Collected, opset_version: Mapping[str, int] | None) -> str:
    if not isinstance(ep, ExportedProgram):
        raise UserError("E201", f"save takes an ExportedProgram, not {type(ep).__name__!r}", hint="Pass what export returned.")
    if getattr(ep.report, "failures", ()):
        hint = "Rewrite what its report names, until report.success is true."
        raise UserError("E204", "a draft that took the example's side is not saved: nobody who loads it would be warned", hint=hint)
    require_valid(ep)
    opset = opset_of(ep.graph) | ep.opset_version
    for name, version in (opset_version or {}).items():
        if opset.get(name) != version:
            raise UserError(
                "E242", f"opset {name!r} can be written as version {opset.get(name)}, not {version}", hint="Leave opset_version out."
            )
    shared.begin()
    document = Encoder(shared).program(ep, opset)
    document["arrays"] = [[dtype_json(array.dtype), list(array.shape), order_of(array)] for array in shared.arrays]
    return _escaped(json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _escaped(text: str) -> str:
    """JSON with its lone surrogates, of which UTF-8 has none, written as escapes."""
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


@briefly
@takes(extra_files=MAPPING.optional, expected_opset_version=MAPPING.optional, mmap=FLAG)
def load(
    f: File,
    *,
    extra_files: dict[str, Any] | None = None,
    expected_opset_version: Mapping[str, int] | None = None,
    mmap: bool = False,
) -> ExportedProgram:
    """Read a program from a file that ``save`` wrote. Nothing in the file is executed.

    Parameters
    ----------
    f : str, os.PathLike or binary file object
        The file; a file object must be seekable.
    extra_files : dict, optional
        Its values are replaced by what was saved under its keys, as text where it is UTF-8.
    expected_opset_version : dict of str to int, optional
        Refuse a file that declares other versions of the operators' namespaces.
    mmap : bool, default False
        Map the arrays from the file, which must be a path: they are read when they are used, and
        take no memory of their own. The file must stay as it is while the program lives, and its
        digest, for which all would have to be read, is not checked.

    Returns
    -------
    ExportedProgram
        The program as it was saved.

    Raises
    ------
    LoadError
        The file is damaged, foreign, too new, or made to do harm.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import io, numpy as np, npexport
    >>> buffer = io.BytesIO()
    >>> program = npexport.export(np.sin, (np.zeros(2),))
    >>> npexport.save(program, buffer, extra_files={"note": "of sines"})
    >>> found = {"note": ""}
    >>> str(npexport.load(buffer, extra_files=found)) == str(program), found
    (True, {'note': 'of sines'})
    """
    with NP2ArchiveReader(f) as archive:
        if PROGRAM not in archive.get_file_names() and any(entry.startswith(PROGRAMS) for entry in archive.get_file_names()):
            raise LoadError(
                "E501",
                "the archive is a package of several programs",
                hint="Read it with npexport.load_np2; on the command line, `npexport info` names them, and `--program NAME` takes one.",
            )
        arrays = Arrays(archive, mmap)
        program = read_program(archive, PROGRAM, arrays, expected_opset_version)
        for name in extra_files if extra_files is not None else ():
            extra_files[name] = extra_file(archive, name)  # type: ignore[index]
    return program


def read_program(archive: NP2ArchiveReader, entry: str, arrays: Arrays, expected: Mapping[str, int] | None) -> ExportedProgram:
    """The program of an entry. Raises ``LoadError``."""
    document = _document(archive, entry, arrays.mapped)
    with limited(_WORK + archive.size(entry) // 8):
        return _checked_program(document, arrays, expected)


def extra_file(archive: NP2ArchiveReader, name: str) -> str | bytes:
    """An extra file, as text where it is UTF-8.

    Raises ``LoadError`` where there is none of this name.
    """
    data = _extra(archive, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _extra(archive: NP2ArchiveReader, name: str) -> bytes:
    there = [entry.removeprefix(EXTRA) for entry in archive.get_file_names() if entry.startswith(EXTRA)]
    if name not in there:
        hint = f"Its extra files are: {', '.join(map(repr, there))}." if there else "It was saved without extra_files."
        raise LoadError("E501", f"the archive has no extra file {name!r}", hint=hint)
    return archive.read_bytes(EXTRA + name)


def _document(archive: NP2ArchiveReader, entry: str, mapped: bool) -> dict[str, Any]:
    try:
        text = archive.read_string(entry)
        document = expect(json.loads(text, parse_constant=_no_constant, parse_int=_integer, object_pairs_hook=_object), dict)
    except (ValueError, RecursionError) as error:
        if isinstance(error, LoadError):
            raise
        raise damaged(f"it is not JSON: {error}") from error
    if document.get("format") != "npexport":
        raise damaged("it is not of npexport")
    version = get(document, "version", int)
    if version > VERSION:
        raise LoadError("E502", f"the file is of version {version}, this npexport reads up to version {VERSION}")
    if version < 1:
        raise damaged(f"there is no version {version}")
    if version >= _DIGESTED and not mapped and archive.read_string(DIGEST) != archive.digest():
        raise LoadError("E501", "the archive is damaged: its entries are not those that were saved")
    return upgraded(document, version, VERSION)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values of one key readers would take different ones."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_BITS // 3:
        raise ValueError("an integer is too large")
    return int(text)


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _checked_program(document: dict[str, Any], arrays: Arrays, expected: Mapping[str, int] | None) -> ExportedProgram:
    operators = expect(document.get("operators", {}), dict)
    _check_operators(operators)
    _check_opset(get(document, "opset", dict), expected)
    rows = get(document, "arrays", list)
    try:
        program = Decoder(document, lambda number: arrays.get(rows, number)).program()
        program.validate()
        runtime()[1](program)  # what is accepted can be run
        str(program)
    except LoadError:
        raise
    except ExportError as error:
        raise damaged(error.message) from error
    except Exception as error:  # whatever a document made npexport do: it is not a program that npexport has saved
        raise damaged(f"{type(error).__name__}: {error}") from error
    undeclared = opset_of(program.graph).keys() - program.opset_version.keys()
    if undeclared:
        raise damaged(f"it does not say which version of the operators {sorted(undeclared)} it needs")
    unnamed = {f"{op.namespace}.{op.name}" for op in homed(program.graph)} - operators.keys()
    if unnamed:
        raise damaged(f"it does not say what the operators {sorted(unnamed)} take")
    return program


def _laid(values: np.ndarray[Any, Any], strides: list[int], number: int) -> np.ndarray[Any, Any]:
    try:
        return laid(values, strides)
    except (ValueError, OverflowError):
        raise damaged(f"the strides {strides} of array {number} do not fit its shape {list(values.shape)}") from None


def _check_operators(operators: dict[str, Any]) -> None:
    """Hold what the file says of the operators of users to those that are declared here.

    Raises ``LoadError`` (E503, E510).
    """
    import npexport.ir.ops  # noqa: F401 -- registers the operators

    for name, row in operators.items():
        schema, home = (expect(text, str) for text in items(row, 2))
        op = REGISTRY.get(name)
        if op is None or not op.home:
            there = f"which {home!r:.80} declares and which is not known here"
            module = all(map(str.isidentifier, home.split("."))) and home != "__main__"
            hint = f"Import it before loading: import {home}; on the command line, --import {home} does."
            hint = hint if module else "Run the code that declares it before loading."
            raise LoadError("E503", f"the program calls the operator {name!r:.80}, {there}", hint=hint)
        if op.schema != schema:
            what = f"the program was saved with the operator {schema:.400}, `{op.home}` declares {op.schema}"
            raise LoadError("E510", what)


def _check_opset(opset: dict[str, Any], expected: Mapping[str, int] | None) -> None:
    import npexport.ir.ops  # noqa: F401 -- registers the operators

    for name, version in opset.items():
        known = REGISTRY.version(name)
        if expect(version, int) < 1:
            raise damaged(f"there is no version {version} of operators")
        if known is None or version > known:
            raise LoadError("E505", f"the file needs version {version} of the operators {name!r}, this npexport has {known}")
    for name, version in (expected or {}).items():
        if opset.get(name) != version:
            raise LoadError("E505", f"the file declares version {opset.get(name)} of the operators {name!r}, version {version} is expected")


class Arrays:
    """The arrays of an archive, each read once; ``mapped``: they are mapped from the file when they
    are used.
    """

    def __init__(self, archive: NP2ArchiveReader, mapped: bool = False) -> None:
        self.archive = archive
        self.mapped = mapped
        self._data = archive.mapped() if mapped else archive.copied
        self._read: dict[int, tuple[Any, np.ndarray[Any, Any]]] = {}

    def get(self, rows: list[Any], number: int) -> np.ndarray[Any, Any]:
        """The array of a number.

        Raises ``LoadError`` where its entry is not of the size that its shape says.
        """
        if not 0 <= number < len(rows):
            raise damaged(f"there is no array {number}")
        row, array = self._read.get(number, (None, None))
        if array is None or row != rows[number]:
            array = self._array(rows[number], number)
            self._read[number] = rows[number], array
        return array

    def _array(self, row: Any, number: int) -> np.ndarray[Any, Any]:
        descr, shape, order = items(row, 3)
        dtype = dtype_from(descr)
        sizes = [expect(size, int) for size in expect(shape, list)]
        name = f"arrays/{number}"
        count = math.prod(sizes)
        if (
            not (order in ("C", "F") or (type(order) is list and len(order) == len(sizes)))
            or min(sizes, default=0) < 0
            or len(sizes) > _MAX_DIMENSIONS
            or (count * dtype.itemsize != self.archive.size(name) and dtype != TEXTS)
        ):
            raise damaged(f"array {number} is {dtype}{sizes} and has {self.archive.size(name)} bytes")
        if dtype == TEXTS:
            return unpacked(self._data(name), count).reshape(sizes)
        if not count or not dtype.itemsize:
            return np.zeros(count if dtype.itemsize else 0, dtype).reshape(sizes, order="F" if order == "F" else "C")
        values = np.frombuffer(self._data(name), dtype, count).reshape(sizes, order="F" if order == "F" else "C")
        return values if type(order) is str else _laid(values, [expect(stride, int) for stride in order], number)
