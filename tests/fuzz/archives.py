"""Archives changed at random and on purpose: whatever is read is refused with a code, or is a program that runs as one.

``python -m tests.fuzz.archives [SECONDS] [SEED]`` goes on and prints what it saw. Laws of every case:

1. ``load`` raises ``LoadError``, or gives a program; within seconds and without memory to speak of.
2. A program that was loaded prints without control characters, is saved and loaded again as itself, and has a ``module()``.
3. Calls of it raise what programs raise: no error of the compiler's, no ``InternalError``.
4. Nothing that stands in the archive is run: no text of it is source, no file is opened, nothing is imported, no process is started.
"""

import dataclasses
import io
import json
import math
import random
import resource
import signal
import sys
import time
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np

from npexport import Dim, cond, export, load, save, scan, while_loop
from npexport import map as map_
from npexport.ir.pytree import register_dataclass
from npexport.ir.statics import ROWS
from npexport.symshapes.errors import InternalError, LoadError
from tests.support.archive_parts import entries_of, paths_of, sealed, set_at, zip_of
from tests.support.quiet import quiet

Point = namedtuple("Point", "x y")
LONGEST_CALL = 2.0  # seconds
MAX_SECONDS, MAX_MEGABYTES = 4.0, 300  # of one case; the first is twice what is promised, and held to in long runs alone
NEVER = (SyntaxError, NameError, InternalError, SystemError, AttributeError, AssertionError)


@register_dataclass
@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Stateful:
    def __init__(self):
        self.total = np.zeros(3)
        self.weights = np.arange(6.0).reshape(2, 3)

    def __call__(self, x):
        self.total += x.sum(axis=0)
        return x @ self.weights.T, self.total


def _strided(x):
    return np.lib.stride_tricks.as_strided(np.ascontiguousarray(x), (3, 2), (8, 8)), np.lib.stride_tricks.sliding_window_view(x, 2)


def _containers(d, p, *rest, scale=2.0, **options):
    made = OrderedDict(a=d["k"] * scale, b=Point(p.left, None))
    return made, deque([p.right], 3), defaultdict(list, {(1, None): rest[0]}), options["z"] + 1


def _selected(x):
    found = x[x > 0.5]
    return found * 2, found.sum(), len(found)


def _sized(x, y):
    return np.concatenate([x, y[: x.shape[0] // 2 + 1]]).reshape(-1, 1), x.shape[0] * 2


def _listed(x):
    """Lists whose length sizes and data say, of tuples and lists."""
    halves, total = [], x.sum()
    while total > 0.5:
        halves.append(total)
        total = total / 2
    return [(i, [v, v > 2]) for i, v in enumerate(x)], halves


def _written(x, y):
    x[1:] += y
    return x[::2], x.T


def _statics(x, pair):
    shared = [x * 2, Decimal("1.5")]
    return {date(2024, 1, 2): shared, (1, None): shared, "r": range(3), "f": Fraction(1, 3)}, pair, timedelta(days=1)


NAMES = np.array(["a", "bb", "c" * 60], np.dtypes.StringDType())


def _texts(x, y):
    """Texts of any length as constants, and sizes that only data decide, of which others are made."""
    found, counts = np.unique(y), np.bincount(y, minlength=3)
    return NAMES[:1], np.strings.add(NAMES, "x"), np.strings.str_len(NAMES), np.repeat(found, 2), counts[1:], np.nonzero(x > 0.5)


class Raising:
    """Writes to its state and to its input before it raises what only the data decide."""

    def __init__(self):
        self.calls = np.zeros(3)

    def __call__(self, x):
        self.calls[0] += 1
        x[0] = 7
        found = np.linalg.inv(x[:4].reshape(2, 2))
        self.calls[1] += found[0, 0]
        self.calls = self.calls + 1
        return found, int(x.sum()), self.calls


def _branches(x, y):
    """A branch on data that holds a branch, writes, and draws on what stands outside it."""
    if x.sum() > 3:
        x[0] = y.max() if y[0] > 0 else -1.0
    return cond(y[0] > 1, lambda a, b: (a + y, {"b": b}), lambda a, b: (a * 2, {"b": -b}), (x, y)), x


def _loops(x):
    """Loops in loops: counted, ended by data, and left by `break`."""

    def body(i, a):
        return i + 1, while_loop(lambda b: b.sum() < 40, lambda b: (b + i + 1,), (a,))[0]

    n, a = while_loop(lambda i, a: (i < 3) & (a[0] < 90), body, (np.int64(0), x))
    best = np.float64(0)
    for k in range(len(x)):
        if x[k] > 100:
            break
        best = best + x[k] * k
    return n, a, best


def _scanned(x, w):
    total, ys = scan(lambda c, r: (c * 0.5 + r, {"y": (c @ w, r.max())}), np.zeros(x.shape[1]), x)
    return total, ys, map_(lambda r, v: cond(r[0] > 1, lambda a: a + v, lambda a: a - v, (r,)), x, w)


def programs():
    """Name -> (program, arguments of a call that is right)."""
    x, n = np.arange(6.0), Dim("n", min=2, max=40)
    table = {
        "strided": (_strided, (x,), {}, None),
        "containers": (_containers, ({"k": x}, Pair(x, x + 1), x), {"z": x}, None),
        "selected": (_selected, (x,), {}, {"x": {0: Dim("m")}}),
        "sized": (_sized, (x, np.ones(27)), {}, {"x": {0: n}, "y": {0: Dim("m", min=22, max=99)}}),
        "state": (Stateful(), (np.ones((4, 3)),), {}, {"x": {0: Dim("m")}}),
        "statics": (_statics, (x, [x]), {}, None),
        "raising": (Raising(), (np.arange(1.0, 7.0),), {}, None),
        "branches": (_branches, (x, x[::-1] + 1), {}, {"x": {0: n}, "y": {0: n}}),
        "loops": (_loops, (x,), {}, {"x": {0: n}}),
        "scanned": (_scanned, (np.ones((4, 3)), np.arange(3.0)), {}, {"x": {0: n}, "w": None}),
        "listed": (_listed, (x,), {}, {"x": {0: n}}),
        "texts": (_texts, (x, np.arange(4)), {}, {"x": {0: n}, "y": {0: Dim("m")}}),
        "written": (_written, (np.ones((3, 3)), np.ones(3)), {}, None),
    }
    made = {}
    for name, (function, args, kwargs, shapes) in table.items():
        made[name] = (export(function, args, kwargs, dynamic_shapes=shapes), args, kwargs)
    return made


# --- what is done to archives

INJECTIONS = [
    # texts that want to be source, names that are none, what terminals obey, surrogates
    "x) or boom('npexport') or (x", "__import__('os').system('false')", "x\n    boom()\n", "None", "def", "__debug__", "ﬁ", "ª", "__call__",
    "__class__", "__dict__", "\x1b[2J\x1b]0;t\x07", "a\nb", "\u202e", "\ud800", "\ud83d\ude00", "", " ", "0", "x" * 5000,
    # texts that mean something elsewhere
    "s0", "u0", "v0", "c0", "self", "output", "..", "/etc/passwd", "<python>/os.py", "np.add", "np.as_strided", "sym.size", "os.system",
    "nn.relu", "scipy.expit", "<f8", "|O", "<U99999999", "<M8[ns]", "i" + "1" * 5000, "C", "int_oo",
    # expressions
    "s0 + s1", "(s0+s1+1)**20", "1 << 99999", "2**99999", "s0//0", "s0 % (s0 - s0)", "float('nan')", "(" * 300 + "s0" + ")" * 300,
    "-" * 2000 + "s0", "f0 + 1", "+".join(f"s0**{k}" for k in range(2, 60)), "*".join(["(s0+u0+3)"] * 30), "max(s0, s1) // min(s0, 3) >= 2",
    "min(" * 30 + "s0" + "".join(f", max(s1, 7 - s0) + {k})" for k in range(30)) + " >= max(s0, 2*s1 - 5)",
    "s0 >= 1000", "s0 == u0", "u0 <= 3", "s0 == s1", "s0 < 0", "0 > 1",
]  # fmt: skip
NUMBERS = [-1, 0, 1, 2, 3, 7, 64, 10**6, 10**12, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 1.5, -0.0, 1e308, True, False, None]
TAGS = ["tuple", "list", "dict", "slice", "dtype", "scalar", "float", "complex", "bytes", "text", "opaque", "sym", "node", "array", "entry"]
TAGS += list(ROWS)


def anything(rng, depth=0):
    """A random value of a document."""
    kind = rng.randrange(8 if depth < 3 else 4)
    if kind < 2:
        return rng.choice(INJECTIONS)
    if kind < 4:
        return rng.choice(NUMBERS)
    if kind == 4:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 5:
        return {rng.choice(TAGS): anything(rng, depth + 1)}
    if kind == 6:
        return {rng.choice(INJECTIONS): anything(rng, depth + 1)}
    return {"tuple": [anything(rng, depth + 1) for _ in range(rng.randrange(3))]}


def _at(document, path):
    for key in path:
        document = document[key]
    return document


def change_document(rng, document):
    """Change a document in one place: another value, another one of the same kind, one of another place, gone, twice."""
    places = [path for path in paths_of(document) if path]
    kinds = {}
    for path in places:
        kinds.setdefault(type(_at(document, path)).__name__, []).append(path)
    places = kinds[rng.choice(sorted(kinds))]
    path = rng.choice(places)
    parent, value = _at(document, path[:-1]), _at(document, path)
    action = rng.randrange(6)
    if action == 0:
        set_at(*path, value=anything(rng))(document)
    elif action == 1:
        same = {str: INJECTIONS, int: NUMBERS, float: NUMBERS}.get(type(value))
        set_at(*path, value=rng.choice(same) if same else anything(rng))(document)
    elif action == 2:
        set_at(*path, value=json.loads(json.dumps(_at(document, rng.choice(places)))))(document)
    elif action == 3 and isinstance(parent, list):
        parent.pop(path[-1])
    elif action == 4 and isinstance(parent, list):
        parent.insert(path[-1], json.loads(json.dumps(value)))
    elif isinstance(parent, dict):
        parent[rng.choice([*INJECTIONS, *parent])] = parent.pop(path[-1])


def rename_everywhere(rng, document):
    """Put another text in place of one, wherever that stands: names that hang together stay together."""
    texts = sorted({_at(document, path) for path in paths_of(document) if isinstance(_at(document, path), str)})
    old, new = rng.choice(texts), rng.choice(INJECTIONS)

    def renamed(value):
        if isinstance(value, dict):
            return {new if key == old else key: renamed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return new if value == old else value

    return renamed(document)


def change_bytes(rng, data):
    """Bytes changed, cut out, put in or left out at the end."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(len(data))
        action = rng.randrange(4)
        if action == 0:
            data[place] = rng.randrange(256)
        elif action == 1:
            del data[place : place + rng.randrange(1, 40)]
        elif action == 2:
            data[place:place] = rng.randbytes(rng.randrange(1, 40))
        else:
            data[place] ^= 1 << rng.randrange(8)
        if not data:
            break
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data)


def change_entries(rng, entries):
    """Entries that are missing, more, renamed, or have each other's content."""
    entries = dict(entries)
    name = rng.choice(list(entries))
    action = rng.randrange(4)
    if action == 0:
        del entries[name]
    elif action == 1:
        entries[rng.choice(["../x", "/x", "a\\b", "arrays/99", "extra/\x1b", "x" * 300, "arrays/0/"])] = rng.randbytes(rng.randrange(50))
    elif action == 2:
        entries[name] = entries[rng.choice(list(entries))]
    else:
        entries[name] = change_bytes(rng, entries[name] or b"x")
    return entries


def changed(rng, data):
    """The archive changed somehow; mostly with a digest that is right, as an enemy would."""
    kind = rng.choice(("document",) * 10 + ("names",) * 3 + ("bytes", "entries", "zip"))
    entries = entries_of(data)
    if kind == "bytes":
        return kind, change_bytes(rng, data)
    if kind == "entries":
        return kind, (sealed if rng.random() < 0.7 else zip_of)(change_entries(rng, entries))
    if kind == "zip":
        directory = bytearray(data)
        place = rng.randrange(directory.rindex(b"PK\x01\x02"), len(directory))
        directory[place] = rng.randrange(256)
        return kind, bytes(directory)
    document = json.loads(entries["program.json"])
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if kind == "document":
            change_document(rng, document)
        else:
            document = rename_everywhere(rng, document)
    return kind, sealed(entries | {"program.json": json.dumps(document)})


# --- what is seen


class Alarm:
    """Raises on whatever the reading of an archive must never do."""

    events = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "socket.connect", "os.remove", "os.rename", "ctypes.dlopen")
    armed = False

    def __call__(self, event, args):
        if Alarm.armed and event in Alarm.events:
            raise SystemError(f"the archive made npexport do {event} {args}")


sys.addaudithook(Alarm())


def judge(data, args, kwargs, most=math.inf):
    """What became of an archive: the name of the outcome. Raises ``AssertionError`` where a law does not hold, or ``load`` takes more than
    ``most`` seconds.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    Alarm.armed = True
    try:
        try:
            program = load(io.BytesIO(data))
        except LoadError as error:
            assert str(error).replace("\n", "").replace("\t", "").isprintable(), "the error has control characters"
            _require_little(before)
            return "refused"
        finally:
            seconds = time.process_time() - start
            assert seconds < most, f"load took {seconds:.1f} s"
        text = str(program)
        assert text.replace("\n", "").replace("\t", "").isprintable(), "the program prints control characters"
        again = io.BytesIO()
        save(program, again)
        assert str(load(io.BytesIO(again.getvalue()))) == text, "the program is saved as another"
        run = program.module()
        _require_little(before)
        outcome = _called(run, args, kwargs)
        if outcome != f"ran, {Endless.__name__}":  # in which a list may grow meanwhile
            _require_little(before)
        return outcome
    finally:
        Alarm.armed = False


def _require_little(before):
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MAX_MEGABYTES, f"it took {grown:.0f} MB"


class Endless(Exception):
    """A loop whose condition was changed need not end: an honest program's need not, either."""


def _endless(*_):
    raise Endless


def _called(run, args, kwargs):
    before = signal.signal(signal.SIGALRM, _endless)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_CALL)
    try:
        run(*args, **kwargs)
    except NEVER as error:
        raise AssertionError(f"the call raised {type(error).__name__}: {error}") from error
    except Exception as error:
        return f"ran, {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return "ran"


def one(seed, made, most=math.inf):
    """One case, as ``judge`` sees it. Returns its kind and outcome; raises ``AssertionError`` with the seed."""
    rng = random.Random(seed)
    name = rng.choice(sorted(made))
    data, args, kwargs = made[name]
    kind, hostile = changed(rng, data)
    fresh = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        with quiet():
            return f"{kind}: {judge(hostile, fresh, kwargs, most)}"
    except Exception as error:
        raise AssertionError(f"seed {seed}, {name}, {kind}: {type(error).__name__}: {error}") from error


def archives():
    """Name -> (bytes, args, kwargs) of the programs."""
    made = {}
    for name, (program, args, kwargs) in programs().items():
        buffer = io.BytesIO()
        save(program, buffer)
        made[name] = (buffer.getvalue(), args, kwargs)
    return made


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    made, seen, end = archives(), Counter(), time.monotonic() + seconds
    failures = 0
    while time.monotonic() < end:
        try:
            seen[one(seed, made, MAX_SECONDS)] += 1
        except AssertionError as error:
            failures += 1
            print(error, flush=True)
        seed += 1
    print(f"{sum(seen.values())} cases, {failures} failures; {dict(seen.most_common())}")


if __name__ == "__main__":
    main()
