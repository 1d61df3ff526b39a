"""All programs of the test corpora by chapter: each a name, the program, its arguments and its ``dynamic_shapes``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport import Dim
from tests.support import textbook_containers, textbook_exits, textbook_loops, textbook_nested, textbook_searches, textbook_simulations  # noqa: F401  declare more
from tests.support.dynamic_programs import data, spec_of
from tests.support.language import CHAPTERS, PROGRAMS, inputs
from tests.support.layers import LAYERS, f32, seeded
from tests.support.programs import linear_algebra, networks, requirements, shapes, stencils
from tests.support.programs.shapes import shapes_at

SIZES = {"a": 4, "b": 3, "c": 5}


class Case(NamedTuple):
    name: str
    program: Callable[..., Any]
    args: tuple[Any, ...]
    spec: Any = None


def language(chapter):
    return [Case(row.id, row.values[0], inputs(0)) for row in PROGRAMS if row.id.startswith(f"{chapter}-")]


def numeric(module):
    return [Case(f"{number}-{f.__name__}", f, args) for number, (f, args) in enumerate(module.rows(np.random.default_rng(1)))]


def dynamic(rows):
    return [
        Case(str(number), f, tuple(data(shapes_at(text, SIZES), 1)), spec_of(text, lambda axis: Dim.AUTO))
        for number, (f, text) in enumerate(rows)
    ]


def layers():
    return [Case(name, seeded(make), (f32(*shape),)) for name, (make, shape) in LAYERS.items()]


def textbook():
    return [Case(name, f, calls[0]) for name, (f, calls) in textbook_loops.PROGRAMS.items()]


def containers():
    return [Case(f.__name__, f, textbook_containers.arguments(f)) for f in textbook_containers.PROGRAMS]


BY_CHAPTER: dict[str, Callable[[], list[Case]]] = {
    **{f"language-{chapter}": lambda chapter=chapter: language(chapter) for chapter in CHAPTERS},
    **{module.__name__.rpartition(".")[2]: lambda module=module: numeric(module) for module in (stencils, linear_algebra, networks)},
    **{f"sizes-{name}": lambda rows=rows: dynamic(rows) for name, rows in {**shapes.FAMILIES, **requirements.FAMILIES}.items()},
    "layers": layers,
    "textbook": textbook,
    "containers": containers,
}
