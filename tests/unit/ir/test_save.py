"""``save`` behaves as ``open(path, "wb")`` would, but all or nothing; whatever ends it leaves nothing behind."""

import errno
import io
import os
import pickle
import random
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import npexport.runtime.nn  # noqa: F401 -- a file of npexport's own
from npexport import (
    NP2ArchiveReader,
    NP2ArchiveWriter,
    UserError,
    explain,
    export,
    is_np2_package,
    load,
    load_np2,
    package_np2,
    save,
)
from npexport.ir import archive_zip, atomic
from npexport.ir.atomic import write_all
from npexport.ir.sources import local, portable
from tests.support.weights import Weights, X

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and signals are POSIX's")


@pytest.fixture(scope="module")
def big():
    return export(Weights(1.0), (X,))


def value_in(path):
    return load(path).module()(X)[0]


def names(folder):
    return sorted(os.listdir(folder))


class Named:
    """A path of a class of its own."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


@pytest.mark.parametrize("form", [str, Path, Named, lambda path: Named(os.fsencode(path))], ids="str Path named named-bytes".split())
def test_paths_of_every_kind(tmp_path, monkeypatch, big, form):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"\xff.np2") if sys.platform == "linux" else "odd.np2"
    path = form(name)
    save(big, path)
    assert is_np2_package(path)
    for mapped in (False, True):
        loaded = load(path, mmap=mapped)
        assert loaded.module()(X)[0] == value_in(name)
    package_np2(path, exported_programs={"a": big})
    assert list(load_np2(path).exported_programs) == ["a"]
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "note.txt").write_text("here")
    with NP2ArchiveWriter(form("other.np2")) as archive:
        archive.write_file("copy", path)
        archive.write_folder("all", form("inner"))
    with NP2ArchiveReader(form("other.np2")) as archive:
        assert archive.read_bytes("copy") == Path(name).read_bytes()
        assert archive.read_string("all/note.txt") == "here"
    np.savez("weights.npz", **big.state_dict)
    loaded.load_state_dict(form("weights.npz"))
    assert loaded.to_python(form("text.py")) == (tmp_path / "text.py").read_text()
    assert loaded.to_html(form("page.html")) == (tmp_path / "page.html").read_text()
    assert explain(np.sin, (X,)).to_html(form("told.html")) == (tmp_path / "told.html").read_text()


def test_errors_of_paths_in_bytes_name_them(tmp_path, big):
    missing = Named(os.fsencode(tmp_path / "none" / "a.np2"))
    with pytest.raises(FileNotFoundError, match=r"none.a\.np2"):
        save(big, missing)
    with pytest.raises(FileNotFoundError, match=r"none.a\.np2"):
        load(missing)
    with pytest.raises(UserError, match="weights are read from"):
        big.load_state_dict(missing)
    with pytest.raises(UserError, match="not 'bytes'"):
        save(big, missing.path)  # perhaps what stands in an archive


@posix
def test_links_modes_and_the_umask(tmp_path, big):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "m.np2", tmp_path / "link.np2"
    link.symlink_to("real/m.np2")  # dangling at first
    previous = os.umask(0o027)
    try:
        save(big, link)
    finally:
        os.umask(previous)
    assert link.is_symlink() and stat.S_IMODE(target.stat().st_mode) == 0o640
    for mode in (0o600, 0o664, 0o755):
        target.chmod(mode)
        save(big, link)
        assert stat.S_IMODE(target.stat().st_mode) == mode
    assert link.is_symlink() and names(tmp_path / "real") == ["m.np2"] and value_in(link) == 2


@posix
def test_devices_and_pipes_are_written_to(tmp_path, big):
    save(big, tmp_path / "there.np2")
    wanted, pipe = (tmp_path / "there.np2").read_bytes(), tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        found = []
        reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))  # noqa: B023 (joined below)
        reader.start()
        save(big, path)
        reader.join()
        assert found == [wanted]
    assert stat.S_ISFIFO(pipe.stat().st_mode) and names(tmp_path) == ["link", "pipe", "there.np2"]
    save(big, "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(IsADirectoryError) as caught:
        save(big, tmp_path)
    assert caught.value.filename == str(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, pytest.raises(OSError) as caught:  # noqa: PT011 (its path is what matters)
        server.bind(str(tmp_path / "socket"))
        save(big, tmp_path / "socket")
    assert caught.value.filename == str(tmp_path / "socket") and stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)


def test_messages_name_the_path_that_was_given(tmp_path, big):
    for path in (tmp_path / "no" / "x.np2", tmp_path / ("x" * 300)):
        with pytest.raises(OSError) as caught:
            save(big, path)
        assert caught.value.filename == str(path) and ".tmp" not in str(caught.value) and caught.value.__cause__ is None


FULL = """
import resource, signal, sys
from npexport import export, save
from tests.support.weights import Weights, X
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
try:
    save(export(Weights(2.0), (X,)), sys.argv[1])
except OSError as error:
    print(error.errno, error.filename)
"""
FOR_EVER = """
import sys
import threading
from npexport import export, save
from tests.support.weights import Weights, X
programs = [export(Weights(float(value)), (X,)) for value in (1, 2)]
print("ready", flush=True)
while True:
    for program in programs:
        save(program, sys.argv[1])
"""


def started(text, path, **options):
    return subprocess.Popen([sys.executable, "-c", text, str(path)], stdout=subprocess.PIPE, text=True, cwd=os.getcwd(), **options)


@posix
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, big):
    path = tmp_path / "m.np2"
    save(big, path)
    output = started(FULL, path).communicate()[0].split()
    assert output == [str(errno.EFBIG), str(path)]
    assert names(tmp_path) == ["m.np2"] and value_in(path) == 2


@pytest.mark.slow
@posix
def test_a_killed_process_leaves_a_whole_file_and_the_next_save_cleans_up(tmp_path, big):
    path = tmp_path / "m.np2"
    save(big, path)
    for delay in (0.0, 0.003, 0.006, 0.01, 0.02):
        process = started(FOR_EVER, path)
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert value_in(path) in (2, 3)
    (tmp_path / "mine.tmp").write_bytes(b"")
    save(big, path)
    assert names(tmp_path) == ["m.np2", "mine.tmp"]


@posix
def test_writers_do_not_take_each_other_for_dead(tmp_path):
    path = tmp_path / "m.np2"
    writers = [started(FOR_EVER, path, stderr=subprocess.PIPE) for _ in range(2)]
    assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 2
    while not path.exists():
        time.sleep(0.01)
    time.sleep(0.3)
    alive = [writer.poll() is None for writer in writers]
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    assert alive == [True, True] and value_in(path) in (2, 3)


class Interrupting:
    """Raises ``KeyboardInterrupt`` at the n-th call of a function of the system."""

    def __init__(self, real, count):
        self.real, self.left = real, count

    def __call__(self, *args, **kwargs):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.real(*args, **kwargs)


@pytest.mark.parametrize("function", ["fsync", "replace", "fstat", "stat", "fdopen", "fchmod"])
@pytest.mark.parametrize("count", [1, 2])
def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, big, monkeypatch, function, count):
    if not hasattr(os, function):
        pytest.skip(f"os.{function} is not of this system")
    path = tmp_path / "m.np2"
    save(big, path)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        interrupting = Interrupting(getattr(os, function), count)
        patched.setattr(os, function, interrupting)
        try:
            save(export(Weights(5.0), (X,)), path)
        except KeyboardInterrupt:
            pass
        interrupted = interrupting.left <= 0
    assert names(tmp_path) == ["m.np2"]
    assert (path.read_bytes() == before) == interrupted


@pytest.mark.parametrize("function", ["open", "fsync", "replace", "fchmod"])
def test_a_folder_or_disk_that_takes_nothing_leaves_the_old_file_and_nothing_else(tmp_path, big, monkeypatch, function):
    path = tmp_path / "m.np2"
    save(big, path)
    before = path.read_bytes()
    for number in (errno.EROFS, errno.EACCES, errno.ENOSPC):

        def failing(*args, number=number, **kwargs):
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patched, pytest.raises(OSError, match=os.strerror(number)) as caught:
            patched.setattr(os, function, failing, raising=False)
            save(big, path)
        assert caught.value.filename == str(path)
        assert names(tmp_path) == ["m.np2"] and path.read_bytes() == before


# zipfile's own handle of an entry closes itself as it is collected, and complains where it was half made. What arrives while one or
# an archive is collected is told so by CPython, and raised by nobody.
half_made = pytest.mark.filterwarnings("ignore:Exception ignored .*_Zip:pytest.PytestUnraisableExceptionWarning")


@posix
@half_made
def test_interrupts_at_any_moment_leave_the_old_file_and_nothing_else(tmp_path, big):
    path, rng, interrupted = tmp_path / "m.np2", random.Random(0), 0
    save(big, path)
    start = time.perf_counter()
    save(big, path)
    longest = time.perf_counter() - start
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(20):
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, longest))
                save(big, path)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert names(tmp_path) == ["m.np2"]
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted and value_in(path) == 2


def save_interrupted_at(lines, program, path):
    """Whether an interrupt after so many lines of the modules that write files ended the saving."""
    writers = {zipfile.__file__, archive_zip.__file__, atomic.__file__}
    left = lines

    def traced(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename not in writers or "__del__" in (frame.f_code.co_name, frame.f_back.f_code.co_name):
            return None  # Python ignores what is raised as objects are collected
        left -= event == "line"
        if left == 0:
            raise KeyboardInterrupt
        return traced

    previous = sys.gettrace()
    sys.settrace(traced)
    try:
        save(program, path)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(previous)
    return False


@half_made
def test_interrupts_at_each_line_leave_the_old_file_and_nothing_else(tmp_path):
    path, program, lines = tmp_path / "m.np2", export(np.negative, (X,)), 1
    save(program, path)
    before = path.read_bytes()
    while save_interrupted_at(lines, program, path):
        assert names(tmp_path) == ["m.np2"] and path.read_bytes() == before
        lines += 1 if lines < 60 else 11
    assert lines > 200


def test_errors_while_the_entries_are_written(tmp_path, big, monkeypatch):
    path = tmp_path / "m.np2"
    save(big, path)
    before = path.read_bytes()
    for error in (KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device"), MemoryError()):

        def failing(self, data, error=error):
            raise error

        with monkeypatch.context() as patched, pytest.raises(type(error)) as caught:
            patched.setattr(zipfile._ZipWriteFile, "write", failing)
            save(big, path)
        assert names(tmp_path) == ["m.np2"] and path.read_bytes() == before
        assert getattr(caught.value, "filename", str(path)) == str(path)


class Reluctant(io.RawIOBase):
    """A raw file object that takes a few bytes at a time, and at some time no more."""

    def __init__(self, most=10**9):
        self.data = bytearray()
        self.most = most

    def writable(self):
        return True

    def write(self, data):
        taken = bytes(data[: min(7000, self.most - len(self.data))])
        self.data += taken
        return len(taken)


def test_short_writes_are_continued(big):
    whole, raw = io.BytesIO(), Reluctant()
    save(big, whole)
    save(big, raw)
    assert bytes(raw.data) == whole.getvalue()
    with pytest.raises(OSError):
        save(big, Reluctant(10_000))

    class Busy(Reluctant):
        def write(self, data):
            return None

    with pytest.raises(BlockingIOError):
        write_all(Busy(), memoryview(b"x"))


def test_arrays_are_aligned_and_the_bytes_are_the_same_every_time(big, tmp_path):
    save(big, tmp_path / "a")
    save(export(Weights(1.0), (X,)), tmp_path / "b")
    data = (tmp_path / "a").read_bytes()
    assert data == (tmp_path / "b").read_bytes()
    arrays = [info for info in zipfile.ZipFile(io.BytesIO(data)).infolist() if info.filename.startswith("arrays/")]
    assert arrays
    for info in arrays:
        name, extra = (int.from_bytes(data[info.header_offset + at : info.header_offset + at + 2], "little") for at in (26, 28))
        assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_no_path_of_this_machine_is_written(tmp_path, monkeypatch):
    (tmp_path / "project" / "package").mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("")
    (tmp_path / "project" / "package" / "program.py").write_text("import numpy as np\n\ndef f(x):\n    return np.pad(x, 1)\n")
    monkeypatch.syspath_prepend(tmp_path / "project")
    from package.program import f

    buffer = io.BytesIO()
    save(export(f, (X,)), buffer)
    text = zipfile.ZipFile(io.BytesIO(buffer.getvalue())).read("program.json").decode()
    assert (
        '"package/program.py"' in text and str(tmp_path) not in text and sys.prefix not in text and os.path.dirname(np.__file__) not in text
    )
    again = io.BytesIO()
    save(load(io.BytesIO(buffer.getvalue())), again)
    assert again.getvalue() == buffer.getvalue()


def test_paths_of_sources():
    for file in (np.__file__, os.__file__, io.__file__, sys.modules["npexport.runtime.nn"].__file__):
        assert not os.path.isabs(portable(file))
        assert local(portable(file)) in (file, portable(file))
    assert portable(np.__file__) == "<numpy>/__init__.py" and local("<numpy>/__init__.py") == np.__file__
    folder, name = os.path.split(os.path.abspath(__file__))
    assert portable(os.path.join(folder, "..", os.path.basename(folder), name)) == portable(__file__)  # python ../ir/test_save.py
    assert portable(pytest.__file__) == "pytest/__init__.py"
    assert portable(__file__) == "tests/unit/ir/test_save.py" and portable("<string>") == "<string>"
    assert local("/etc/passwd") == "passwd" and local("C:\\secret\\x.py") == "x.py" and local("<python>/../x") == "<python>/../x"


def test_versions_of_all_operators_are_written():
    special = pytest.importorskip("scipy.special")
    program = export(lambda x: special.expit(x), (X,))
    buffer = io.BytesIO()
    save(program, buffer)
    assert program.opset_version["scipy"] == 1 and load(io.BytesIO(buffer.getvalue())).opset_version["scipy"] == 1


@pytest.mark.parametrize("what", ["program", "module"])
def test_pickles_are_opened_in_a_fresh_process(tmp_path, big, what):
    (tmp_path / "pickle").write_bytes(pickle.dumps(big if what == "program" else big.module()))
    text = "import pickle, sys\nthing = pickle.load(open(sys.argv[1], 'rb'))\nimport numpy as np\n"
    text += "print((thing.module() if hasattr(thing, 'module') else thing)(np.ones(3)))"
    found = subprocess.run([sys.executable, "-c", text, str(tmp_path / "pickle")], capture_output=True, text=True, check=False)
    assert found.stdout == "[2. 2. 2.]\n", found.stderr


def test_an_input_may_be_named_as_the_last_node_is(tmp_path):
    x = np.arange(3.0)
    save(export(lambda output, output_1: output + output_1 * 2, (x, x)), tmp_path / "program.np2")
    np.testing.assert_array_equal(load(tmp_path / "program.np2").module()(output=x, output_1=x), x * 3)


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
@pytest.mark.parametrize("order", ["=", ">"])
def test_bytes_of_a_longdouble_that_mean_nothing_are_not_saved(dtype, order):
    found = []
    for seed in range(2):
        noise = [np.random.default_rng(seed).normal(size=6) for _ in range(50)]
        del noise  # whose memory constants lie in
        held, scale = np.sqrt(np.arange(3).astype(dtype)).astype(np.dtype(dtype).newbyteorder(order)), dtype(1) / 7
        program = export(lambda x: (x * held, x * scale, held[0]), (held,))  # noqa: B023
        file = io.BytesIO()
        save(program, file)
        found.append((file.getvalue(), program.module()(held)[0].tolist()))
    assert found[0] == found[1]
    assert not npexport.diff(load(io.BytesIO(found[0][0])), program)
