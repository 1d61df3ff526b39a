"""What of SciPy, scikit-image and statsmodels is exported as it is, measured.

``python -m tests.conformance.packages.library_coverage`` measures every call of `library_calls.txt` and writes
``docs/library-coverage.md`` anew; with names of packages, the rows of these.

A call is exported twice, with the sizes of its arrays fixed and dynamic (``Dim.AUTO``), and its results are compared to the bit with
those of eager execution, at other data and other sizes.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import pkgutil
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from npexport import Dim, ExportError, export
from tests.conformance.packages.library_data import DATA, names
from tests.support.outcomes import shown
from tests.support.paths import DOCS

SECONDS = 20
"""How long an export may take, with its calls."""
DRAWS = range(4)
"""Seeds of the data that a program is called with."""
MOST = 300
"""How much of a message stands on the page."""
PAGE = DOCS / "library-coverage.md"
EXPORTED = "exported"
DISTRIBUTIONS = {"scipy": "scipy", "skimage": "scikit-image", "statsmodels": "statsmodels"}


class Call(NamedTuple):
    package: str
    data: str
    text: str


class Late(BaseException):
    """The time is up; no handler of a library's takes it."""


def calls() -> Iterator[Call]:
    package = data = ""
    for line in Path(__file__).with_name("library_calls.txt").read_text(encoding="utf-8").splitlines():
        if header := re.fullmatch(r"\[([\w.]+): (.+)\]", line):
            package, data = header.groups()
        elif line and not line.startswith("#"):
            yield Call(package, data, line)


class _Names(dict[str, Any]):
    """The names of a call's text: those of `library_data`, of the builtins, or of the package, whose modules are imported."""

    def __init__(self, call: Call) -> None:
        super().__init__(names())
        module = importlib.import_module(call.package)
        for name in re.findall(r"(?<![\w.'])([a-zA-Z]\w*)", call.text):
            if name not in self and (hasattr(module, name) or _is_module(module, name)):
                self[name] = _whole(module, call.text, name)


def _is_module(package: Any, name: str) -> bool:
    return hasattr(package, "__path__") and any(found.name == name for found in pkgutil.iter_modules(package.__path__))


def _whole(package: Any, text: str, name: str) -> Any:
    """The attribute, after the modules that the text names below it were imported (``tsa.stattools.acf``)."""
    for path in re.findall(rf"\b{name}[\w.]*", text):
        found = package.__name__
        for part in path.split("."):
            found += f".{part}"
            with contextlib.suppress(ModuleNotFoundError):
                importlib.import_module(found)
    return getattr(package, name)


def program(call: Call) -> Callable[..., Any]:
    """The function of the arrays that a user would export."""
    parameters = ", ".join("ab"[: len(DATA[call.data].arguments(0, 3))])
    function: Callable[..., Any] = eval(f"lambda {parameters}: {call.text}", _Names(call))
    return function


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)  # again and again, if something takes it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _given(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What a call of copies gives, or the error that it raises."""
    try:
        return shown(function(*copy.deepcopy(args)))
    except ExportError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _reason(error: ExportError) -> str:
    where = error.location
    place = "" if where is None else f" ({'/'.join(Path(where.file).parts[-2:])}:{where.line}: `{where.source.strip()}`)"
    text = re.sub(r"\S*/site-packages/", "", " ".join(error.message.split()))
    return f"{error.code}: {text if len(text) <= MOST else text[:MOST] + '…'}{place}"


def verdict(call: Call, *, dynamic: bool) -> str:
    """``exported``, or why not. Raises ``AssertionError`` where an exported program gives something else than eager execution."""
    data, function = DATA[call.data], program(call)
    args = data.arguments(0, data.example)
    shapes = tuple({axis: Dim.AUTO for axis in range(x.ndim) if x.shape[axis] > 3 or call.data == "point"} for x in args)
    sizes = (data.example, *data.others) if dynamic else (data.example,)
    try:
        with _in_time():
            eager = [_given(function, data.arguments(seed, size)) for size in sizes for seed in DRAWS]
            module = export(function, args, dynamic_shapes=shapes if dynamic else None).module()
            ours = [_given(module, data.arguments(seed, size)) for size in sizes for seed in DRAWS]
    except ExportError as error:
        return _reason(error)
    except Late:
        return f"not in {SECONDS} seconds"
    assert ours == eager, next(f"{call.text}: {one} is not {other}" for one, other in zip(ours, eager, strict=True) if one != other)
    return EXPORTED


def rows() -> dict[tuple[str, str], tuple[str, str, str]]:
    """Of each package and call of the page: what became of it with fixed sizes, with dynamic ones, and why."""
    found, package = {}, ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package = line.removeprefix("## ").strip("`")
        elif package and (row := re.fullmatch(r"\| `(.*?)` \| (\S*) \| (\S*) \| (.*) \|", line)):
            found[package, row[1].replace("\\|", "|")] = (row[2], row[3], row[4])
    return found


def _row(call: Call) -> tuple[str, str, str]:
    fixed = verdict(call, dynamic=False)
    both = (fixed, verdict(call, dynamic=True)) if DATA[call.data].others and fixed == EXPORTED else (fixed,)
    words = [_word(each) for each in both]
    reason = next((each for each in both if each != EXPORTED), "")
    return words[0], words[1] if len(words) > 1 else "", reason.replace("|", "\\|").replace("\n", " ")


def _word(each: str) -> str:
    return "yes" if each == EXPORTED else "late" if each.startswith("not in") else each[:4]


HEAD = """# What of SciPy, scikit-image and statsmodels is exported

Measured: {count} calls of their functions, as people write them, exported as they are, with arrays of fixed sizes and with dynamic
sizes (`Dim.AUTO`). Results are those of eager execution to the bit, at other data and at other sizes. Write this page anew with
`python -m tests.conformance.packages.library_coverage` ({versions}); with names of packages, their rows.

A call of which E101 is the reason ends in compiled code that has no model. *late* is what was not exported within {seconds} seconds.
Calls whose arrays have one size only have no column for dynamic sizes; what is refused with fixed sizes is not tried with others.
The line that is named is the library's.
"""


def page(found: dict[tuple[str, str], tuple[str, str, str]]) -> str:
    """The page of these rows."""
    order: dict[str, list[Call]] = {}
    for call in calls():
        order.setdefault(call.package, []).append(call)
    versions = ", ".join(f"{name} {version(name)}" for name in DISTRIBUTIONS.values())
    lines = [HEAD.format(count=sum(map(len, order.values())), versions=versions, seconds=SECONDS)]
    lines += ["| package | calls | exported | of E101 | of other reasons | dynamic sizes tried | exported |", "| --- |" + " --- |" * 6]
    for package, group in order.items():
        told = [found[package, call.text] for call in group]
        fixed, other = [row[0] for row in told], [row[1] for row in told if row[1]]
        refused = sum(word not in ("yes", "E101") for word in fixed)
        counts = (len(told), fixed.count("yes"), fixed.count("E101"), refused, len(other), other.count("yes"))
        lines.append(f"| `{package}` | " + " | ".join(map(str, counts)) + " |")
    for package, group in order.items():
        lines += ["", f"## `{package}`", "", "| call | fixed sizes | dynamic sizes | why not |", "| --- | --- | --- | --- |"]
        for call in group:
            fixed_sizes, sizes, why = found[package, call.text]
            lines.append(f"| `{call.text.replace('|', chr(92) + '|')}` | {fixed_sizes} | {sizes} | {why} |")
    return "\n".join(lines) + "\n"


def main(packages: list[str]) -> None:
    found = rows() if PAGE.exists() else {}
    for call in calls():
        if not packages or call.package in packages:
            try:
                found[call.package, call.text] = _row(call)
            except Exception as error:
                found[call.package, call.text] = ("WRONG", "", f"{type(error).__name__}: {error}"[:300].replace("\n", " "))
            print(call.package, call.text, *found[call.package, call.text], sep=" | ", file=sys.stderr, flush=True)
    for call in calls():
        found.setdefault((call.package, call.text), ("", "", "not measured"))
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(sys.argv[1:])
