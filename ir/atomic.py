"""Files that are written completely or not at all, and otherwise as ``open(path, "wb")`` would
write them.

The bytes go to a temporary file beside the target, which replaces the target once everything is
written. Symbolic links are followed, an existing file keeps its mode and owner, a new one gets
those of the umask; a target that is not a regular file (a device, a pipe) is written to directly at
the end. The temporary file is locked while its process lives, so that the next writer of the same
target can recognise and remove what a killed process left.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from npexport.symshapes.parameters import FilePath

try:
    import fcntl
except ImportError:  # pragma: no cover -- Windows, where nobody can remove an open file
    fcntl = None  # type: ignore[assignment]

_ATTEMPTS = 100
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


class AtomicFile:
    """A binary file in the making: write to ``stream``, then ``commit`` or ``abandon``.

    Errors name the caller's path.
    """

    stream: IO[bytes] | None = None
    _temporary = ""

    def __init__(self, path: FilePath) -> None:
        self.path = os.fsdecode(path)
        self._special = False
        with about(self.path):
            if not self.path:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            self._target = os.path.realpath(self.path)
            there = _known(self.path)
            if there is not None and not stat.S_ISREG(there.st_mode):
                self._special, self.stream = True, tempfile.TemporaryFile()  # noqa: SIM115 (commit or abandon closes it)
                return
            folder, name = os.path.split(self._target)
            prefix = os.path.join(folder, f".npexport-{zlib.crc32(os.fsencode(name)):08x}-")
            _remove_stale(prefix)
            try:
                self._create(prefix)
                if there is not None:
                    self._adopt(there)
            except BaseException:
                self.abandon()
                raise

    def __del__(self) -> None:
        self.abandon()  # an interrupt came before its owner could

    def _create(self, prefix: str) -> None:
        for _ in range(_ATTEMPTS):
            self._temporary = f"{prefix}{os.urandom(8).hex()}.tmp"
            descriptor = os.open(self._temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            self.stream = open(descriptor, "wb")  # noqa: SIM115 (commit or abandon closes it)
            if _lock(self.stream.fileno()) and _is_at(self.stream.fileno(), self._temporary):
                return
            self.abandon()  # another writer took it for stale before it was locked
        raise OSError(errno.EAGAIN, "another process keeps removing the temporary file")

    def _adopt(self, there: os.stat_result) -> None:
        """Mode and owner of the file whose place this one takes."""
        descriptor = self.stream.fileno()  # type: ignore[union-attr]
        mine = os.fstat(descriptor)
        if hasattr(os, "fchown") and (mine.st_uid, mine.st_gid) != (there.st_uid, there.st_gid):
            with suppress(PermissionError):
                os.fchown(descriptor, there.st_uid, there.st_gid)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(there.st_mode))

    def write(self, data: bytes) -> None:
        """Write to the stream."""
        assert self.stream is not None
        with about(self.path):
            self.stream.write(data)

    def commit(self) -> None:
        """Move the file to its target. After an error the target is unchanged, and the temporary
        file is removed.
        """
        assert self.stream is not None
        try:
            with about(self.path):
                self.stream.flush()
                if self._special:
                    self.stream.seek(0)
                    with open(self.path, "wb") as target:
                        shutil.copyfileobj(self.stream, target)
                    return
                os.fsync(self.stream.fileno())
                if os.name == "nt":  # pragma: no cover
                    self.stream.close()
                os.replace(self._temporary, self._target)
                self._temporary = ""
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close and remove the temporary file. Does nothing after ``commit``."""
        stream, self.stream = self.stream, None
        temporary, self._temporary = self._temporary, ""
        try:
            if stream is not None:
                with suppress(OSError):  # a full disk: what is not written is not missed
                    stream.close()
        finally:
            if temporary:
                with suppress(FileNotFoundError):
                    os.unlink(temporary)


@contextmanager
def about(path: str) -> Iterator[None]:
    """Report errors of the system with this path, whichever file caused them."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from None


def write_all(file: Any, data: memoryview) -> None:
    """Write everything to a binary file object, including a raw one that takes less at a time.
    Raises ``OSError`` if it stops.
    """
    while len(data):
        count = file.write(data)
        if not isinstance(count, int):
            if count is None and not _is_raw(file):
                return  # writers that say nothing take all
            raise BlockingIOError(errno.EAGAIN, "the file object takes no bytes now")
        if count <= 0:
            raise OSError(errno.EIO, "the file object takes no more bytes")
        data = data[count:]


def _is_raw(file: Any) -> bool:
    return isinstance(file, io.RawIOBase)


def _known(path: str) -> os.stat_result | None:
    """What is known of an existing file, or ``None``. Raises ``OSError`` if ``open`` would."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        if path.endswith(_SEPARATORS):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)) from None
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return there


def _remove_stale(prefix: str) -> None:
    """Remove the temporary files of this prefix that no living process holds."""
    folder, start = os.path.split(prefix)
    with suppress(OSError):
        for name in [name for name in os.listdir(folder or os.curdir) if name.startswith(start) and name.endswith(".tmp")]:
            with suppress(OSError):
                _remove_if_stale(os.path.join(folder, name))


def _remove_if_stale(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if fcntl is None or _lock(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Whether this process holds the file now; always where the system knows no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
            return True
        raise
    return True


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def replace_file(path: FilePath, data: bytes) -> None:
    """Replace the contents of a file by these bytes. After an error the file is unchanged."""
    file = AtomicFile(path)
    try:
        file.write(data)
        file.commit()
    except BaseException:
        file.abandon()
        raise
