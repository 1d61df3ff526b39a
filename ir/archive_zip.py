"""The container of a ``.np2`` file: a zip whose entries are stored, never compressed, with fixed
dates, so that equal contents are equal bytes.

The reader trusts nothing: it refuses compressed or encrypted entries, names that leave the archive,
names given twice, and sizes that add up to more than the file holds.
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import PurePosixPath
from typing import IO, Any, TypeAlias, TypeVar

from npexport.ir.atomic import AtomicFile, about, write_all
from npexport.symshapes.errors import LoadError, UserError
from npexport.symshapes.parameters import PATH, TEXT, FilePath, Kind, require

T = TypeVar("T")
File: TypeAlias = FilePath | IO[bytes]
_DATE = (1980, 1, 1, 0, 0, 0)


def _is_buffer(value: Any) -> bool:
    try:
        return bool(memoryview(value).contiguous)
    except (TypeError, ValueError):  # of NumPy's arrays some have none
        return False


_BUFFER = Kind(_is_buffer, "bytes or another buffer")
_ALIGN = Kind(lambda value: type(value) is int and 0 < value < 1 << 16, "a number of bytes from 1 to 65535")
_HEADER, _ZIP64, _FIELD = 30, 20, 4  # bytes of an entry's header before its name, of its sizes where they are large, of a field's head
_CHUNK = 1 << 20
_PADDING_ID = 0xD935  # the extra field that zip files are aligned with


def is_safe_name(name: str) -> bool:
    """Whether an entry's name stays inside the archive: relative, without ``..``, backslashes,
    drive letters and control characters.
    """
    parts = PurePosixPath(name).parts
    return (
        bool(parts)
        and not name.startswith("/")
        and ".." not in parts
        and name.isprintable()
        and not set(name) & set("\\:")
        and name == "/".join(parts)
    )


class Digest:
    """SHA-256 over names, sizes and contents of entries, in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, name: str, size: int, data: Iterable[Any]) -> None:
        """Take in an entry."""
        raw = name.encode()
        self._hash.update(len(raw).to_bytes(8, "little") + raw + size.to_bytes(8, "little"))
        for chunk in data:
            self._hash.update(chunk)

    @property
    def text(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


def _path(file: Any, method: str) -> str | None:
    """The path, ``None`` for a binary file object with such a method; ``UserError`` (E201) for
    anything else.
    """
    if PATH.fits(file):
        return os.fsdecode(file)
    if not hasattr(file, method) or isinstance(file, io.TextIOBase):
        raise UserError(
            "E201",
            f"a file is a path or a binary file object, not {type(file).__name__!r}",
            hint='Pass a path such as "program.np2", or a file opened in binary mode.',
        )
    return None


def utf8(name: str, text: str) -> bytes:
    """The text of an entry in bytes. Raises ``UserError`` (E242) for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        hint = 'Pass bytes: text.encode("utf-8", "surrogatepass").'
        raise UserError("E242", f"the text of {name!r} is not UTF-8: character {error.start} is a lone surrogate", hint=hint) from None


class _Zip(zipfile.ZipFile):
    """A zip file that only ``close`` completes: what an interrupt left is collected as it is."""

    def __del__(self) -> None:
        pass


class NP2ArchiveWriter:
    """Writes an archive: a context manager over a path or a binary file object.

    A path is written atomically, and otherwise as ``open(path, "wb")`` would
    (:mod:`npexport.ir.atomic`); after an error it is as before.

    Parameters
    ----------
    archive_path_or_buffer : str, os.PathLike or binary file object
        Where the archive goes.

    Examples
    --------
    >>> buffer = io.BytesIO()
    >>> with NP2ArchiveWriter(buffer) as archive:
    ...     archive.write_string("note.txt", "hello")
    >>> NP2ArchiveReader(buffer).read_string("note.txt")
    'hello'
    """

    def __init__(self, archive_path_or_buffer: File) -> None:
        path = _path(archive_path_or_buffer, "write")
        self._file: AtomicFile | None = None
        self._digest = Digest()
        self._target = archive_path_or_buffer
        if path is not None:
            self._file = AtomicFile(path)
            assert self._file.stream is not None
            self._stream: IO[bytes] = self._file.stream
        else:
            self._stream = io.BytesIO()
        self._zip = _Zip(self._stream, "w", zipfile.ZIP_STORED)

    def __enter__(self) -> NP2ArchiveWriter:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()

    def has_record(self, name: str) -> bool:
        """Whether an entry called ``name`` has been written."""
        require("name", name, TEXT)
        return name in self._zip.NameToInfo

    def count_prefix(self, prefix: str) -> int:
        """How many entries' names start with ``prefix``."""
        require("prefix", prefix, TEXT)
        return sum(name.startswith(prefix) for name in self._zip.namelist())

    def write_bytes(self, name: str, data: Any, *, align: int = 1) -> None:
        """Add an entry called ``name``; ``data`` is bytes or another contiguous buffer, which
        begins at a multiple of ``align`` bytes.

        Raises ``UserError`` for names that are taken or leave the archive.
        """
        require("data", data, _BUFFER)
        require("align", align, _ALIGN)
        if self.has_record(name) or not is_safe_name(name):
            raise UserError("E242", f"{name!r} cannot be the name of a new entry", hint="Use a relative path with / that is not taken.")
        info, large = zipfile.ZipInfo(name, _DATE), memoryview(data).nbytes >= 1 << 31
        begin = self._stream.tell() + _HEADER + len(name.encode()) + (_ZIP64 if large else 0)
        if begin % align:
            padding = (-begin - _FIELD) % align
            info.extra = struct.pack("<HH", _PADDING_ID, padding) + bytes(padding)
        with self._writing(), self._zip.open(info, "w", force_zip64=large) as entry:
            entry.write(data)
        self._digest.add(name, memoryview(data).nbytes, [data])

    def digest(self) -> str:
        """The digest of all entries so far."""
        return self._digest.text

    def _writing(self) -> AbstractContextManager[None]:
        return nullcontext() if self._file is None else about(self._file.path)

    def write_string(self, name: str, data: str) -> None:
        """Add an entry called ``name`` with ``data`` as UTF-8 text."""
        require("data", data, TEXT)
        self.write_bytes(name, utf8(name, data))

    def write_file(self, name: str, file_path: str) -> None:
        """Add a copy of the file at ``file_path`` as an entry called ``name``."""
        require("file_path", file_path, PATH)
        with open(file_path, "rb") as file:
            self.write_bytes(name, file.read())

    def write_folder(self, archive_dir: str, folder_dir: str) -> None:
        """Add copies of all files under ``folder_dir``, in the order of their names, as entries
        below ``archive_dir``.
        """
        for parameter, value in (("archive_dir", archive_dir), ("folder_dir", folder_dir)):
            require(parameter, value, PATH)
        archive_dir, folder_dir = os.fsdecode(archive_dir), os.fsdecode(folder_dir)
        for folder, folders, files in os.walk(folder_dir):
            folders.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                relative = os.path.relpath(path, folder_dir).replace(os.sep, "/")
                self.write_file(f"{archive_dir}/{relative}", path)

    def close(self) -> None:
        """Finish: only now the target changes."""
        try:
            with self._writing():
                self._zip.close()
            if self._file is None:
                assert isinstance(self._stream, io.BytesIO)
                write_all(self._target, self._stream.getbuffer())
            else:
                self._file.commit()
        except BaseException:
            self._abandon()
            raise
        self._file = None

    def _abandon(self) -> None:
        self._zip.fp = io.BytesIO()  # an entry that is still open ends in memory that nobody reads
        if self._file is not None:
            self._file.abandon()
            self._file = None


class NP2ArchiveReader:
    """Reads an archive: a context manager over a path or a seekable binary file object.

    Parameters
    ----------
    archive_path_or_buffer : str, os.PathLike or binary file object
        The archive.

    Raises
    ------
    LoadError
        It is not a sound archive.

    Examples
    --------
    >>> buffer = io.BytesIO()
    >>> with NP2ArchiveWriter(buffer) as archive:
    ...     archive.write_string("note.txt", "hello")
    >>> with NP2ArchiveReader(buffer) as archive:
    ...     archive.get_file_names(), archive.size("note.txt")
    (['note.txt'], 5)
    """

    def __init__(self, archive_path_or_buffer: File) -> None:
        path = _path(archive_path_or_buffer, "seek")
        self._owns = path is not None
        self._stream: Any = archive_path_or_buffer
        if path is not None:
            self._stream = open(path, "rb")  # noqa: SIM115 -- closed by close()
        try:
            self._infos = _guarded(self._open)
        except BaseException:
            self.close()
            raise

    def _open(self) -> dict[str, zipfile.ZipInfo]:
        self._stream.seek(0, os.SEEK_END)
        size = self._stream.tell()
        self._stream.seek(0)
        self._zip = _Zip(self._stream)
        infos: dict[str, zipfile.ZipInfo] = {}
        total = 0
        for info in self._zip.infolist():
            if not is_safe_name(info.filename) or info.filename in infos:
                raise LoadError("E501", f"the archive has an entry with the name {info.filename!r}")
            if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 or info.compress_size != info.file_size:
                raise LoadError("E501", f"the entry {info.filename!r} is compressed or encrypted, which archives of npexport never are")
            total += info.file_size
            infos[info.filename] = info
        if total > size:
            raise LoadError("E501", f"the entries claim {total} bytes, the file has {size}")
        return infos

    def __enter__(self) -> NP2ArchiveReader:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if the reader opened it."""
        if self._owns:
            self._stream.close()

    def get_file_names(self) -> list[str]:
        """The names of all entries."""
        return list(self._infos)

    def archive_version(self) -> int:
        """The version of the format that its programs are written in.

        Raises ``LoadError`` where there is no program.
        """
        entry = next((name for name in self._infos if name == PROGRAM or name.startswith(PROGRAMS)), None)
        if entry is None:
            raise LoadError("E501", "the archive holds no program, and so says no version", hint="Write one into it with package_np2.")
        document = _guarded(lambda: json.loads(self.read_string(entry)))
        version = document.get("version") if isinstance(document, dict) else None
        if type(version) is not int:
            raise LoadError("E501", "the program of the archive does not say its version")
        return version

    def size(self, name: str) -> int:
        """How many bytes the entry ``name`` has."""
        return self._info(name).file_size

    def read_bytes(self, name: str) -> bytes:
        """The entry ``name``. Raises ``LoadError`` where it is missing or damaged."""
        info = self._info(name)
        return _guarded(lambda: self._zip.read(info))

    def copied(self, name: str) -> bytearray:
        """The entry ``name`` in memory of its own."""
        return bytearray(self.read_bytes(name))

    def mapped(self) -> Callable[[str], memoryview]:
        """What gives an entry as the file has it, read when it is used.

        Raises ``UserError`` where the file cannot be mapped; for an entry that is missing or
        damaged, ``LoadError``.
        """
        try:
            data = memoryview(mmap.mmap(self._stream.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError, AttributeError) as error:
            raise UserError("E201", f"the archive cannot be mapped: {error}", hint="Pass the path of a file, or leave mmap out.") from None
        return lambda name: _guarded(lambda: self._stored(self._info(name), data))

    @staticmethod
    def _stored(info: zipfile.ZipInfo, data: memoryview) -> memoryview:
        """Where a stored entry lies: behind its own header, whose name and extra field have lengths
        of their own.
        """
        header = data[info.header_offset : info.header_offset + _HEADER]
        signature, name, extra = struct.unpack("<4s22xHH", header)
        begin = info.header_offset + _HEADER + name + extra
        if signature != b"PK\x03\x04" or begin + info.file_size > len(data):
            raise LoadError("E501", f"the entry {info.filename!r} does not lie in the file")
        return data[begin : begin + info.file_size]

    def digest(self) -> str:
        """The digest of all entries but that which holds it."""
        digest = Digest()
        for name, info in self._infos.items():
            if name != DIGEST:
                digest.add(name, info.file_size, self._chunks(info))
        return digest.text

    def _chunks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        with _guarded(lambda: self._zip.open(info)) as entry:
            while chunk := _guarded(lambda: entry.read(_CHUNK)):
                yield chunk

    def read_string(self, name: str) -> str:
        """The entry ``name``, which is UTF-8 text."""
        data = self.read_bytes(name)
        return _guarded(data.decode)

    def _info(self, name: str) -> zipfile.ZipInfo:
        require("name", name, TEXT)
        info = self._infos.get(name)
        if info is None:
            raise LoadError("E501", f"the archive has no entry {name!r}")
        return info


def _guarded(action: Callable[[], T]) -> T:
    """The action's result; whatever damage makes ``zipfile`` raise becomes a ``LoadError``."""
    try:
        return action()
    except LoadError:
        raise
    except (zipfile.BadZipFile, struct.error, EOFError, ValueError, NotImplementedError, OverflowError, RuntimeError, IndexError) as error:
        raise LoadError("E501", f"the file is not a sound archive: {error}") from error


def is_np2_package(file: File) -> bool:
    """Whether a file is an archive of npexport, by its container and the entries of its programs.

    Parameters
    ----------
    file : str, os.PathLike or binary file object
        Any file.

    Returns
    -------
    bool
        False for any other file, and where there is none; nothing is read but the list of entries.

    Examples
    --------
    >>> is_np2_package(io.BytesIO(b"a text"))
    False
    """
    try:
        with NP2ArchiveReader(file) as archive:
            return any(name == PROGRAM or name.startswith(PROGRAMS) for name in archive.get_file_names())
    except (LoadError, OSError):
        return False


PROGRAM, PROGRAMS, DIGEST = "program.json", "programs/", "digest"
