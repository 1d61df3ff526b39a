"""C callables that are refused with a code of their own, and what to write instead.

A row of the table is (module, names, why); ``*`` stands for every name of the module that no other
row lists. Names of methods are ``Type.method``. Python functions of the modules in ``PYTHON`` may
be listed, too, if the refusal of what they call would be less helpful.
"""

from __future__ import annotations

from npexport.symshapes.errors import Unsupported
from npexport.tracer.models.registry import Refusal, rows


def error(shown: str, refusal: Refusal) -> Unsupported:
    """The error for a refused callable, by the name that the user knows."""
    return Unsupported(refusal.code, f"`{shown}` {refusal.what}", hint=refusal.hint)


_IO = Refusal("E105", "reads or writes outside the program")
_READ = _IO._replace(reads=True)
_CLOCK = Refusal("E106", "reads the clock", reads=True)
_RANDOM = Refusal("E107", "draws random numbers from state that is not an argument of the program")
_SEED = Refusal(
    "E107",
    "sets the state of a generator that all programs share",
    "Make r = np.random.RandomState(0) in the program, which draws the same numbers (r.rand(3)), or better np.random.default_rng(0).",
)
_ENVIRONMENT = Refusal("E108", "reads or changes the environment of the process")
_ASKS = _ENVIRONMENT._replace(reads=True)
_IDENTITY = Refusal("E109", "depends on the addresses of objects in memory")
_THREAD = Refusal("E110", "starts or synchronises threads or processes")
_LOOP = Refusal("E110", "belongs to an event loop", "Drive the coroutine in the program itself, or await it outside.")
_FRAMES = Refusal("E111", "looks at or changes the Python interpreter itself")
_WRITE = Refusal("E112", "changes an object that other programs share")

_MACHINE_CODE = Refusal(
    "E105", "calls machine code through ctypes", "Call the library outside the program and pass the result in.", reads=True
)

_LISTED = (
    "listdir scandir readlink stat lstat access ScandirIterator.__next__ ScandirIterator.__enter__ ScandirIterator.__exit__ "
    "ScandirIterator.close DirEntry.is_dir DirEntry.is_file DirEntry.is_symlink DirEntry.is_junction DirEntry.stat DirEntry.inode"
)
_ROWS: tuple[tuple[str, str, Refusal], ...] = (
    ("builtins", "input", _IO),
    ("builtins", "open", _READ),
    ("builtins", "breakpoint", Refusal("E105", "stops in a debugger", "Remove the breakpoint before exporting.")),
    ("_io", "*", _IO),
    ("io", "*", _IO),
    ("posix", "*", _IO),
    ("nt", "*", _IO),
    ("_io", "open text_encoding", _READ),
    ("io", "open text_encoding", _READ),
    ("posix", _LISTED, _READ),
    ("nt", _LISTED, _READ),
    ("posix", "getcwd getpid getppid getuid geteuid getlogin uname cpu_count", _ASKS),
    ("nt", "getcwd getpid getlogin cpu_count", _ASKS),
    ("posix", "putenv unsetenv umask chdir", _ENVIRONMENT),
    ("nt", "putenv unsetenv chdir", _ENVIRONMENT),
    ("posix", "urandom getrandom", _RANDOM._replace(reads=True)),
    ("nt", "urandom", _RANDOM._replace(reads=True)),
    ("_socket", "*", _IO),
    ("_socket", "gethostname", _ENVIRONMENT),
    ("platform", "node", _ENVIRONMENT),
    ("tempfile", "NamedTemporaryFile TemporaryFile mkstemp mkdtemp gettempdir", _IO),
    ("subprocess", "Popen.__init__", _IO),
    ("numpy.lib.npyio", "DataSource.__init__", _READ),
    ("numpy._core._multiarray_umath", "_load_from_filelike", _READ),
    ("numpy._core.memmap", "memmap.__new__", _READ._replace(hint="Open the file outside the exported function and pass the array in.")),
    ("zipfile", "ZipFile.__init__", _READ),
    ("tarfile", "TarFile.__init__", _IO),
    ("gzip", "GzipFile.__init__", _IO),
    ("bz2", "BZ2File.__init__", _IO),
    ("lzma", "LZMAFile.__init__", _IO),
    ("shelve", "Shelf.__init__", _IO),
    ("urllib.request", "urlopen", _IO),
    ("http.client", "HTTPConnection.__init__", _IO),
    ("select", "*", _IO),
    ("_posixsubprocess", "*", _IO),
    ("_ssl", "*", _IO),
    ("_sqlite3", "*", _IO),
    ("mmap", "*", _IO),
    ("fcntl", "*", _IO),
    ("termios", "*", _IO),
    ("syslog", "*", _IO),
    ("resource", "*", _ENVIRONMENT),
    ("pwd", "*", _ASKS),
    ("grp", "*", _ASKS),
    ("_ctypes", "*", _MACHINE_CODE),
    ("_csv", "register_dialect unregister_dialect field_size_limit", _WRITE),
    ("_pickle", "*", Refusal("E105", "pickles objects", "Pickle outside the exported function.")),
    ("marshal", "*", Refusal("E105", "marshals objects", "Do it outside the exported function.")),
    ("time", "*", _CLOCK),
    ("datetime", "datetime.now datetime.today datetime.utcnow date.today", _CLOCK),
    ("numpy", "show_runtime", _ASKS),
    ("numpy.random", "*", _RANDOM),
    ("numpy.random", "seed", _SEED),
    ("numpy.random.mtrand", "*", _RANDOM),
    ("numpy.random._generator", "*", _RANDOM),
    ("numpy.random.bit_generator", "*", _RANDOM),
    ("_uuid", "*", _RANDOM),
    ("_locale", "*", _ENVIRONMENT),
    ("_thread", "*", _THREAD),
    ("multiprocessing.pool", "Pool.__init__ Pool.apply_async Pool.map_async Pool.starmap_async", _THREAD),
    ("concurrent.futures.process", "ProcessPoolExecutor.__init__", _THREAD),
    ("asyncio.runners", "run", _LOOP),
    ("weakref", "finalize.__init__", Refusal("E125", "registers a finalizer")),
    ("_multiprocessing", "*", _THREAD),
    ("_posixshmem", "*", _THREAD),
    ("_queue", "*", _THREAD),
    ("_asyncio", "*", _LOOP),
    ("_signal", "*", _THREAD),
    ("faulthandler", "*", _FRAMES),
    ("gc", "isenabled", Refusal("E108", "asks for a switch that npexport turns itself", "Ask before the function is exported.")),
    ("gc", "*", Refusal("E109", "depends on which objects are alive")),
    ("sys", "*", _FRAMES),
    ("sys", "getrefcount", _IDENTITY),
    ("sys.monitoring", "*", _FRAMES),
    ("_tracemalloc", "*", _FRAMES),
    ("_imp", "*", _FRAMES),
    ("atexit", "*", _WRITE),
    (
        "functools",
        "partial.__setstate__",
        Refusal("E112", "changes a function in place", "Make a new functools.partial."),
    ),
    ("_abc", "_reset_caches _reset_registry", _WRITE),
    ("_codecs", "register register_error unregister", _WRITE),
    ("_warnings", "warn_explicit", Refusal("E105", "writes a warning of another place", "Use warnings.warn.")),
)

for _module, _names, _refusal in _ROWS:
    rows(_module, _names, refused=_refusal, asks=False if (_module, _names) == ("_thread", "*") else None)
PYTHON = (
    "multiprocessing.pool", "concurrent.futures.process", "asyncio.runners", "weakref", "platform", "tempfile",
    "subprocess", "zipfile", "tarfile", "gzip", "bz2", "lzma", "shelve", "urllib.request", "http.client",
    "numpy", "numpy._core.memmap",
)  # fmt: skip
"""Modules of which Python functions are listed."""
