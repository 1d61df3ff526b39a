"""What exported programs have of NumPy, measured: ``python -m tests.conformance.numpy.coverage`` prints the figures,
with ``--page`` the page ``docs/numpy-coverage.md``, with words the rows of these names.

Every name is called by eager NumPy with the first sample arguments that it takes, exported with them, and its results are compared.
"""

from __future__ import annotations

import contextlib
import copy
import io
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport import ExportError, export
from npexport.ir.op import REGISTRY
from tests.conformance.numpy.coverage_samples import ATTRIBUTES, CALLS, CANDIDATES, CHANGED, EFFECTS, UFUNC_CANDIDATES, WRITING
from tests.support.numpy_names import CLASSES, METHODS, MODULES, SINCE, UNTIL, Name, names
from tests.support.odd_dtypes import table


class Finding(NamedTuple):
    """What became of a name: ``status`` is a way of being captured, a code, or ``not called``; ``arrays``: whether it took one."""

    name: str
    status: str
    arrays: bool


WAYS = ("operator", "modelled", "traced through")


class _Late(BaseException):
    pass


def _arrays(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_arrays, value))
    return isinstance(value, np.ndarray)


def _lifted(value: Any, found: list[Any]) -> Any:
    """The value with arrays replaced by their places among ``found``."""
    if (isinstance(value, np.ndarray) and not value.dtype.hasobject) or isinstance(value, np.random.Generator):
        found.append(value)
        return _Place(len(found) - 1)
    if type(value) in (tuple, list):
        return type(value)(_lifted(item, found) for item in value)
    return value


class _Place(int):
    pass


def _filled(value: Any, arrays: Any) -> Any:
    if type(value) is _Place:
        return arrays[int(value)]
    if type(value) in (tuple, list):
        return type(value)([_filled(item, arrays) for item in value])
    return value


_SERIES = np.polynomial.Polynomial.__mro__[1]


def _plain(value: Any) -> Any:
    """Iterators as lists; what no program gives back as its parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.random.BitGenerator):
        value = np.random.Generator(value)
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return value.uniform(size=2)
    if isinstance(value, (np.poly1d, _SERIES)):
        return value.coef.copy()  # the memory of an argument, or none, as its data say
    if type(value) is type(np.zeros(1).flags):
        return value.c_contiguous, value.f_contiguous, value.writeable
    if hasattr(value, "__next__") or type(value) in (np.ndindex, np.flatiter, np.broadcast):
        return list(value)
    return value


def _same(ours: Any, eager: Any) -> bool:
    try:
        np.testing.assert_equal(ours, eager)
    except AssertionError:
        return False
    return True


def _left(values: list[Any]) -> list[Any]:
    return [repr(value.bit_generator.state) if isinstance(value, np.random.Generator) else value for value in values]


def _quietly(call: Callable[[], Any]) -> Any:
    def late(*_: Any) -> None:
        raise _Late

    signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return call()
    finally:
        signal.alarm(0)


def measured(call: Callable[..., Any], args: tuple[Any, ...], *, eagerly: bool = True) -> str | None:
    """``captured``, a code, or ``None`` where eager NumPy does not take the call. Raises ``AssertionError`` for other results."""
    found: list[Any] = []
    places = _lifted(args, found)

    def program(*arrays: Any) -> Any:
        return _plain(call(*_filled(places, arrays)))

    copies = copy.deepcopy(found)
    eager = None
    if eagerly:
        try:
            eager = _quietly(lambda: program(*copies))
        except Exception:
            return None
        if eager is NotImplemented:
            return None
    try:
        exported = _quietly(lambda: export(program, tuple(copy.deepcopy(found))))
    except ExportError as error:
        return error.code
    except _Late:
        return "E901"
    except Exception as error:
        assert not eagerly, f"export raises {error!r}"
        return None
    if not eagerly:
        return "captured"
    given = copy.deepcopy(found)
    ours = _quietly(lambda: exported.module()(*given))
    assert _same(ours, eager) and _same(_left(given), _left(copies)), f"{ours!r} is not {eager!r}"
    return "captured"


def _way(value: Any) -> str:
    from npexport.tracer.models.arrays.numpy_api import find

    if REGISTRY.modelling(value) is not None:
        return "operator"
    try:
        return "traced through" if find(value) is None else "modelled"
    except Exception:
        return "modelled"


def _function(name: Name) -> Finding:
    key = str(name)
    eagerly = key not in EFFECTS
    calls = [EFFECTS[key]] if not eagerly else CALLS.get(key) or CALLS.get(name.name) or CANDIDATES
    for args in calls:
        status = measured(name.value, args, eagerly=eagerly)
        if status is not None:
            return Finding(key, _way(name.value) if status == "captured" else status, _arrays(args))
    return Finding(key, "not called", False)


def _ufunc(name: Name) -> Iterator[Finding]:
    for method in ("", *METHODS):
        call = getattr(name.value, method or "__call__")
        shown = f"{name}.{method}" if method else str(name)
        for args in UFUNC_CANDIDATES[method]:
            status = measured(call, args)
            if status is not None:
                yield Finding(shown, "operator" if status == "captured" else status, True)
                break


def _attribute(name: Name) -> Iterator[Finding]:
    for args in ATTRIBUTES.get(name.name, [()]):
        args = (np.random.default_rng(3), *args) if name.space.endswith("Generator") else args
        status = measured(_access(name), args, eagerly=name.name not in WRITING)
        if status is not None:
            yield Finding(str(name), "modelled" if status == "captured" else status, True)
            return
    yield Finding(str(name), "not called", True)


def _access(name: Name) -> Callable[..., Any]:
    on_generator = name.space.endswith("Generator")

    def of_generator(rng: Any, *args: Any) -> Any:
        found = getattr(rng, name.value)
        result = found(*args) if callable(found) else found
        return [each.random(2) for each in result] if name.name == "spawn" else args if name.name in CHANGED else result

    def access(x: Any, *args: Any) -> Any:
        found = getattr(x, name.value)
        result = found(*args) if callable(found) else found
        return x if name.name in CHANGED else result

    return of_generator if on_generator else access


def findings(chosen: Callable[[Name], bool] = lambda name: True) -> Iterator[Finding]:
    """What became of every chosen name."""
    for name in filter(chosen, names()):
        if name.kind == "ufunc":
            yield from _ufunc(name)
        elif name.kind == "attribute":
            yield from _attribute(name)
        else:
            yield _function(name)


def captured(finding: Finding) -> bool:
    """Whether programs may call it."""
    return finding.status in WAYS


def _share(found: list[Finding]) -> str:
    taking = [each for each in found if each.arrays]
    good = sum(map(captured, taking))
    return f"{len(found)} | {len(taking)} | {good} | {100 * good / max(len(taking), 1):.1f} %"


def _space(name: str) -> str:
    """The longest of the namespaces that the name begins with."""
    spaces = (*MODULES, *CLASSES)
    return max((space for space in spaces if name.startswith(f"{space}.")), key=len)


LEFT_OUT = ("numpy.ma", "numpy.random")
"""Refused as a whole: masked arrays, and the functions of the global random state."""


def figures(found: list[Finding]) -> str:
    """The table of how many names there are, take arrays, and are captured."""
    spaces = dict.fromkeys(_space(each.name) for each in found)
    rows = {space: [each for each in found if _space(each.name) == space] for space in spaces}
    counted = [each for each in found if _space(each.name) not in LEFT_OUT]
    without = [each for each in counted if not _space(each.name).startswith("numpy.polynomial")]
    lines = ["| namespace | names | take arrays | captured | share |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| `{space}` | {_share(each)} |" for space, each in rows.items()]
    lines.append(f"| all but {' and '.join(f'`{space}`' for space in LEFT_OUT)} | {_share(counted)} |")
    lines.append(f"| the same without `numpy.polynomial` | {_share(without)} |")
    lines.append(f"| all, with what is refused as a whole | {_share(found)} |")
    return "\n".join(lines)


_HEAD = """# What of NumPy is captured

Measured: every public name of NumPy is called with sample arguments, exported with them, and its results are compared. Write this
page anew with `python -m tests.conformance.numpy.coverage --page > docs/numpy-coverage.md`; without `--page` the command prints the
figures.

A name is an *operator* (`ops.np`), *modelled* (it becomes other operators, or what the tracer knows), *traced through* (NumPy's own
Python is interpreted), or refused with the [code](errors/README.md) that is shown. What is known while tracing (constants, shapes)
is computed by NumPy itself, whatever stands here. Methods of ufuncs are rows of their own where NumPy takes them. Functions of
`numpy.ma` that give or take masked arrays, a subclass with a meaning of its own, are refused. Functions of `numpy.random` draw from
hidden state (E107); methods of `numpy.random.Generator` are captured. Results of `numpy.polynomial` without their trailing zeros are
as long as the data say; roots are captured of complex coefficients, since the data say whether those of real ones are real (E104).
In `numpy.strings` the data decide how wide some results are (E114): `center` and its kin are captured where the width is at least that
of the dtype. The functions of `numpy.lib.scimath` are captured of complex operands; of real ones the data say whether results are
complex (E103). Series, flags and generators, which no program gives back, are looked at by their parts and by what they draw.

The aim is 95 % of what takes arrays. It is reached where `numpy.ma` (masked arrays) and the functions of `numpy.random` (the legacy global
state) are **not** counted: both are refused as a whole. With them it is **not** reached: the last row says how much is captured then.
"""


_OF_DTYPES = """## Dates, times, texts and records

Calls of functions with such arrays (`x`; `i` holds integers) of dynamic sizes are captured as NumPy makes them, with its errors where
it has no such function, but for these:

| call | of | |
| --- | --- | --- |
"""


def _note(name: str) -> str:
    since, until = SINCE.get(name), UNTIL.get(name)
    return f"since NumPy {since}" if since else f"until NumPy {until[0]}" if until else ""


def page(found: list[Finding]) -> str:
    """The page ``docs/numpy-coverage.md``."""
    found = [*found, *[Finding(name, status, True) for name, (_, status) in UNTIL.items()]]
    parts = [_HEAD, figures(found), "", _OF_DTYPES + "\n".join(table()), ""]
    for space in dict.fromkeys(_space(each.name) for each in found):
        parts.append(f"## {space}\n\n| name | | |\n| --- | --- | --- |")
        own = sorted({each.name: each for each in found if _space(each.name) == space}.values())
        parts += [f"| `{each.name}` | {each.status} | {_note(each.name)} |".replace("|  |", "| |") for each in own]
        parts.append("")
    return "\n".join(parts)


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    found = list(findings(lambda name: not words or str(name) in words))
    if "--page" in sys.argv:
        print(page(found), end="")
    elif words:
        print("\n".join(f"{each.name:48} {each.status}{'' if each.arrays else ' (no arrays)'}" for each in found))
    else:
        print("\n".join(f"{each.name:48} {each.status}" for each in found if each.arrays and not captured(each)))
        print(figures(found))


if __name__ == "__main__":
    main()
