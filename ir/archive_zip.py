"""The container of a ``.np2`` file: a zip whose entries are stored, never compressed, with fixed dates, so that equal contents are equal
bytes.

The reader trusts nothing: it refuses compressed or encrypted entries, names that leave the archive, names given twice, and sizes that add
up
to more than the file holds.
"""

from __future__ import annotations

import io
import os
import secrets
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO, Any, TypeAlias, TypeVar

from npexport.symshapes.errors import LoadError, UserError

T = TypeVar("T")
File: TypeAlias = str | os.PathLike[str] | IO[bytes]
_DATE = (1980, 1, 1, 0, 0, 0)


def is_safe_name(name: str) -> bool:
    """Whether an entry's name stays inside the archive: relative, without ``..``, backslashes, drive letters and control characters."""
    parts = PurePosixPath(name).parts
    return (
        bool(parts)
        and not name.startswith("/")
        and ".." not in parts
        and name.isprintable()
        and not set(name) & set("\\:")
        and name == "/".join(parts)
    )


def _check_file(file: Any, method: str) -> None:
    if not isinstance(file, (str, os.PathLike)) and (not hasattr(file, method) or isinstance(file, io.TextIOBase)):
        raise UserError("E201", f"a file is a path or a binary file object, not {type(file).__name__!r}")


class NP2ArchiveWriter:
    """Writes an archive: a context manager over a path or a binary file object.

    A path is written atomically: the bytes go to a temporary file beside it, which takes its place when all is written; after an error it
    is as before.

    >>> buffer = io.BytesIO()
    >>> with NP2ArchiveWriter(buffer) as archive:
    ...     archive.write_string("note.txt", "hello")
    >>> NP2ArchiveReader(buffer).read_string("note.txt")
    'hello'
    """

    def __init__(self, archive_path_or_buffer: File) -> None:
        _check_file(archive_path_or_buffer, "write")
        self._target = archive_path_or_buffer
        self._temporary = ""
        if isinstance(archive_path_or_buffer, (str, os.PathLike)):
            self._temporary = f"{os.fspath(archive_path_or_buffer)}.{secrets.token_hex(8)}.tmp"
            self._stream: IO[bytes] = open(self._temporary, "xb")  # noqa: SIM115 -- closed by close()
        else:
            self._stream = io.BytesIO()
        self._zip = zipfile.ZipFile(self._stream, "w", zipfile.ZIP_STORED)

    def __enter__(self) -> NP2ArchiveWriter:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()

    def has_record(self, name: str) -> bool:
        """Whether an entry of this name has been written."""
        return name in self._zip.namelist()

    def count_prefix(self, prefix: str) -> int:
        """How many entries' names start with ``prefix``."""
        return sum(name.startswith(prefix) for name in self._zip.namelist())

    def write_bytes(self, name: str, data: Any) -> None:
        """Add an entry; ``data`` is bytes or another contiguous buffer.

        Raises ``UserError`` for names that are taken or leave the archive.
        """
        if not is_safe_name(name) or self.has_record(name):
            raise UserError("E242", f"{name!r} cannot be the name of a new entry", hint="Use a relative path with / that is not taken.")
        with self._zip.open(zipfile.ZipInfo(name, _DATE), "w", force_zip64=memoryview(data).nbytes >= 1 << 31) as entry:
            entry.write(data)

    def write_string(self, name: str, data: str) -> None:
        """Add an entry of UTF-8 text."""
        self.write_bytes(name, data.encode())

    def write_file(self, name: str, file_path: str) -> None:
        """Add a copy of a file."""
        with open(file_path, "rb") as file:
            self.write_bytes(name, file.read())

    def write_folder(self, archive_dir: str, folder_dir: str) -> None:
        """Add copies of all files under a folder, in the order of their names."""
        for folder, folders, files in os.walk(folder_dir):
            folders.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                relative = os.path.relpath(path, folder_dir).replace(os.sep, "/")
                self.write_file(f"{archive_dir}/{relative}", path)

    def close(self) -> None:
        """Finish: only now the target changes."""
        try:
            self._zip.close()
            if not isinstance(self._target, (str, os.PathLike)):
                assert isinstance(self._stream, io.BytesIO)
                self._target.write(self._stream.getbuffer())
                return
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
            os.replace(self._temporary, self._target)
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        with suppress(OSError, ValueError):  # the error that is under way says what is wrong
            self._zip.close()
        self._stream.close()
        if self._temporary and os.path.exists(self._temporary):
            os.unlink(self._temporary)


class NP2ArchiveReader:
    """Reads an archive: a context manager over a path or a seekable binary file object.

    Raises ``LoadError`` for what is no sound archive.
    """

    def __init__(self, archive_path_or_buffer: File) -> None:
        _check_file(archive_path_or_buffer, "seek")
        self._owns = isinstance(archive_path_or_buffer, (str, os.PathLike))
        self._stream: Any = archive_path_or_buffer
        if isinstance(archive_path_or_buffer, (str, os.PathLike)):
            self._stream = open(archive_path_or_buffer, "rb")  # noqa: SIM115 -- closed by close()
        try:
            self._infos = _guarded(self._open)
        except BaseException:
            self.close()
            raise

    def _open(self) -> dict[str, zipfile.ZipInfo]:
        self._stream.seek(0, os.SEEK_END)
        size = self._stream.tell()
        self._stream.seek(0)
        self._zip = zipfile.ZipFile(self._stream)
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

    def size(self, name: str) -> int:
        """How many bytes an entry has."""
        return self._info(name).file_size

    def read_bytes(self, name: str) -> bytes:
        """An entry. Raises ``LoadError`` where it is missing or damaged."""
        info = self._info(name)
        return _guarded(lambda: self._zip.read(info))

    def read_string(self, name: str) -> str:
        """An entry of UTF-8 text."""
        data = self.read_bytes(name)
        return _guarded(data.decode)

    def _info(self, name: str) -> zipfile.ZipInfo:
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
        raise LoadError("E501", f"the file is no sound archive: {error}") from error


def is_np2_package(file: File) -> bool:
    """Whether a file is an archive of npexport, by its container and the entry that every one has."""
    try:
        with NP2ArchiveReader(file) as archive:
            return PROGRAM in archive.get_file_names()
    except LoadError:
        return False


PROGRAM = "program.json"
