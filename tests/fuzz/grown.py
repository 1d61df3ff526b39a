"""Programs that are grown statement by statement on an example, and how they are held to eager execution: as exported, saved and loaded,
decomposed, call after call at other sizes and values, with the warnings of what is used."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.quiet import quiet


class Writer:
    """``source`` defines ``Program``, a class whose instances are called with ``arguments`` of ``sizes``, the first of which is the
    example; ``dims`` says how many axes each has.
    """

    draw: random.Random
    source: str
    sizes: tuple[tuple[int, ...], ...]

    def __init__(self, values: dict[str, Any], names: list[str]) -> None:
        self.values, self.names, self.lines = values, names, list[str]()
        self._made = 0

    def arguments(self, *sizes: int, salt: int = 0) -> tuple[Any, ...]:
        raise NotImplementedError

    def dims(self) -> Any:
        raise NotImplementedError

    def grow(self) -> None:
        raise NotImplementedError

    def grow_all(self, count: int) -> None:
        """Adds up to ``count`` statements."""
        with quiet():
            for _ in range(4 * count):
                if len(self.lines) < count:
                    self.grow()

    def fresh_name(self) -> str:
        self._made += 1
        return f"v{self._made}"

    def add(self, text: str, name: str | None) -> None:
        """Adds a statement that runs on the example; a few that do not are added within a handler."""
        line = text if name is None else f"{name} = {text}"
        before = copy.deepcopy(
            {key: value for key, value in self.values.items() if not callable(value) and key not in ("np", "__builtins__")}
        )
        try:
            exec(line, self.values)
            made = None if name is None else self.values[name]
            if isinstance(made, np.ndarray) and (made.dtype == object or made.size > 2000):
                raise ValueError("too large")
        except Exception:
            self.values.update(before)
            if name is None or self.draw.random() > 0.04:
                return
            line = f"try: {line}\n        except Exception as e: {name} = type(e).__name__, str(e)"
            self.values[name] = "raises"
        self.lines.append(line)
        if name is not None:
            self.names.append(name)


def difference(writer: Writer, seed: int, library: Mapping[str, Any] = MappingProxyType({})) -> tuple[str, str]:
    """What became of a program, which sees ``library``, and the report where it is not eager's."""
    draw, names = random.Random(seed), dict[str, Any](library, np=np)
    exec(writer.source, names)
    make = names["Program"]
    dynamic = tuple([None if rank is None else dict.fromkeys(range(rank), Dim.AUTO) for rank in writer.dims()])
    example = writer.arguments(*writer.sizes[0])
    try:
        with quiet():
            exported = export(make(), example, dynamic_shapes=dynamic if seed % 4 else None)
    except ExportError as refusal:
        return f"refused {refusal.code}", f"{writer.source}\n{refusal}" if refusal.code[1] == "9" else ""
    except Exception as error:
        wanted = outcome(make(), example)
        return "raises", "" if wanted[0] == f"{type(error).__name__}: {error.args!r}" else f"{writer.source}\n{error!r}\n{wanted[0]}"
    runs = {"exported": exported.module(), "loaded": reloaded(exported).module()}
    if seed % 4 == 1:
        with quiet():
            runs["decomposed"] = exported.run_decompositions().module()
    sizes = [writer.sizes[0], *draw.sample(writer.sizes, 5), writer.sizes[0]] if seed % 4 else [writer.sizes[0]] * 3
    calls = [writer.arguments(*size, draw.randrange(4)) for size in sizes]
    for form, run in runs.items():
        report = _differs(run, make(), calls, exact=form != "decomposed")
        if report:
            return "differs", f"{writer.source}\n{form}: {report}"
    return "same", ""


def _differs(run: Any, eager: Any, calls: list[tuple[Any, ...]], exact: bool) -> str:
    """The first call of several that has another outcome; of a decomposed program: that raises something else, or nothing."""
    for args in calls:
        try:
            found = outcome(run, args, warns=True)
        except InputMismatch:
            continue
        wanted = outcome(eager, args, warns=True)
        raises = [type(each[0]) is str and len(each) == 3 for each in (wanted, found)]
        same = raises[0] == raises[1] if not exact else wanted[:-1] == found[:-1] and set(found[-1]) <= set(wanted[-1])
        if not same:
            return f"{[np.shape(arg) for arg in args]}\neager: {wanted}\nours:  {found}"
        if raises[0]:
            break  # what is left behind is the business of others
    return ""
