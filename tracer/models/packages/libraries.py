"""C functions of libraries whose meaning depends on how they are called: with a seed, with a time
zone, with a file.
"""

from __future__ import annotations

import datetime
import io
import pickle
import platform
from collections import deque
from typing import Any

from npexport.ir.op import registered
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_max
from npexport.symshapes.symint import SymBool, SymInt
from npexport.tracer.arrays.core import run_dependent_numbers
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.run_dependent_numbers import Identity, steady
from npexport.tracer.bytecode.host import PARSE_TIME
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.host_calls import run, run_on_numbers
from npexport.tracer.models.registry import DECLINED, models, receiver, rows
from npexport.tracer.models.specialization import plain

_SEED = "Give the generator a seed (random.Random(0)), or draw the numbers outside the exported function and pass them in."


@models("itertools", "count")
def count_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C makes a number of a truth in some cases and not in others."""
    given = [plain(value, "it is counted from") if type(value) is SymBool else value for value in args]
    return run(world, vm, fn, tuple(given), kwargs)


@models("collections", "deque", iterates="items")
@models("collections", "deque.__init__")
def deque_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A deque holds what it is given, the last items if it is bounded; its ``maxlen`` is a
    constant.
    """
    first = 1 if isinstance(fn, type) or getattr(fn, "__self__", None) is not None else 2
    length, named = plain((args[first:], {name: kwargs[name] for name in kwargs.keys() & {"maxlen"}}), "a deque can hold so many items")
    if fn is deque and args and type(args[0]) is FilledList and kwargs.keys() == named.keys():
        most = deque((), *length, **named).maxlen
        values = args[0].listed()
        made = values if most is None else values[sym_max(values.length - most, 0) :]
        made.kind, made.maxlen = deque, most
        return made
    return run(world, vm, fn, (*args[:first], *length), {**kwargs, **named})


@models("_random", "Random.__new__", "Random.seed")
def seeded(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A generator with the program's own seed is known: its draws are part of the program."""
    args, kwargs = plain((args, kwargs), "it is the seed of a generator of random numbers")
    _, given = receiver(fn, args)
    seed = next(iter((*given, *kwargs.values())), None)
    if seed is None:
        raise Unsupported("E107", "random.Random() without a seed draws other numbers in every run", hint=_SEED)
    if type(seed) is Identity or not (isinstance(seed, (str, bytes, bytearray)) or steady(seed)):
        run_dependent_numbers.refuse("the seed of a generator of random numbers")
    return run(world, vm, fn, args, kwargs)


_ZONE = "Give the time zone: datetime.timezone.utc, or zoneinfo.ZoneInfo of a name."


def _zone_refused(name: str) -> Unsupported:
    return Unsupported("E108", f"`datetime.{name}` depends on the time zone of the machine", hint=_ZONE)


@models("datetime", "datetime.fromtimestamp", "date.fromtimestamp")
def from_timestamp(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    if len(args) + len(kwargs) < 2 or None in (*args, *kwargs.values()):
        raise _zone_refused(fn.__name__)
    return run_on_numbers(world, vm, fn, args, kwargs)


@models("datetime", "datetime.timestamp", "datetime.astimezone")
def in_zone(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    moment, rest = receiver(fn, args)
    target = next(iter((*rest, *kwargs.values())), None)
    if isinstance(moment, datetime.datetime) and (moment.tzinfo is None or (fn.__name__ == "astimezone" and target is None)):
        raise _zone_refused(fn.__name__)
    return run(world, vm, fn, args, kwargs)


@models("datetime", "datetime.strptime")
def parse_time(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls Python code, which it imports the first time."""
    import _strptime

    owner = fn.__self__ if isinstance(getattr(fn, "__self__", None), type) else datetime.datetime
    return Invoke(getattr(_strptime, PARSE_TIME), (owner, *args), kwargs)


@models("time", "gmtime", "strftime", "asctime")
def formatted_time(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Formats a given time; only the clock knows the present one."""
    if len(args) < (2 if fn.__name__ == "strftime" else 1):
        raise Unsupported("E106", f"`time.{fn.__name__}` reads the clock")
    return run(world, vm, fn, args, kwargs)


@models("_locale", "setlocale")
def set_locale(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The language of dates is a fact of the export; changing it is an effect."""
    if len(args) < 2 or args[1] is None:
        return fn(*args, **kwargs)
    raise Unsupported("E108", "`locale.setlocale` changes the environment of the process")


_OF_FILES = (
    "__enter__ __exit__ __iter__ __next__ close fileno flush isatty peek read read1 readable readall readinto readinto1 readline readlines "
    "seek seekable tell truncate writable write writelines"
).split()


@models("_io", "_IOBase.*", "_TextIOBase.*", "_BufferedIOBase.*")
@models("_io", *[f"{cls}.{name}" for cls in ("TextIOWrapper", "BufferedReader", "FileIO") for name in _OF_FILES])
def of_files(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Methods of files in memory, of what is written in Python and behaves as a file, and of files
    that the program has opened for reading.
    """
    file = receiver(fn, args)[0]
    if isinstance(file, io.IOBase) and (not isinstance(file, _OF_THE_SYSTEM) or world.is_local(file)):
        return run(world, vm, fn, args, kwargs)
    raise Unsupported("E105", f"`{fn.__qualname__}` reads or writes outside the program")


_OF_THE_SYSTEM = (io.FileIO, io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)


_PICKLING: dict[str, Any] = {name: getattr(pickle, f"_{name}") for name in ("dump", "dumps", "load", "loads")}


@models("_pickle", *_PICKLING)
def pickling(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The same in Python, which sees the program's objects as the program does."""
    return Invoke(_PICKLING[fn.__name__], args, kwargs)


_TRANSFORMS = ("scipy.fft._duccfft.pyduccfft", "scipy.fft._pocketfft.pypocketfft")  # of newer and older versions


def transform(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A transform of ``scipy.fftpack``, by those of ``scipy.fft``."""
    from npexport.tracer.models.polyfills import scipy_transforms  # imports SciPy

    if fn.__name__ == "c2c" and len(args) > 4 and args[4] is not None and len(args[1]) > 1:
        hint = "Use scipy.fft.fftn(x, shape, axes), without overwrite_x=True."
        raise Unsupported("E101", "a transform of complex numbers over several axes rounds otherwise in place", hint=hint)
    return Invoke(getattr(scipy_transforms, fn.__name__), args, kwargs)


for _module in _TRANSFORMS:
    rows(_module, "prev_good_size", pure=True, model=run)
    rows(_module, "dct dst c2c r2c c2r r2r_fftpack", pure=True, model=transform)


@models(_TRANSFORMS[0], "good_size", pure=True)
@models(_TRANSFORMS[1], "good_size", pure=True)
def good_size(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """What ``scipy.fft.next_fast_len`` asks: of a size a number that the program computes."""
    given = {"real": False, **dict(zip(("target", "real"), args, strict=False)), **kwargs}
    target, real = given.get("target"), given["real"]
    if type(target) is not SymInt or type(real) is not bool or known(target >= 0) is not True:
        return run(world, vm, fn, args, kwargs)
    return world.recorder.node(registered("scipy.next_fast_len"), (target, real)).meta["val"]


@models("scipy.optimize._zeros", "_bisect", "_ridder", "_brentq", "_brenth")
def root(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A root finder, which calls the user's function."""
    if platform.machine() not in ("x86_64", "AMD64"):  # elsewhere compilers join products and sums
        return DECLINED
    from npexport.tracer.models.polyfills import scipy_roots  # imports SciPy

    return Invoke(scipy_roots.found, (getattr(scipy_roots, fn.__name__[1:]), *args), kwargs)


@models("scipy.signal._upfirdn_apply", "_output_len", pure=True, asks=False)
def output_len(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """How long what ``scipy.signal.upfirdn`` gives is."""
    len_h, in_len, up, down = args
    return ((in_len - 1) * up + len_h - 1) // down + 1
