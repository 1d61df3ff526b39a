"""The forms that one program can take: as exported, saved and loaded, copied, after all passes."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

from npexport import load, save
from npexport.ir.passes import common_subexpressions, dead_code, fold_constants


def archived(program: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    save(program, file, **options)
    return file.getvalue()


def reloaded(program: Any) -> Any:
    return load(io.BytesIO(archived(program)))


def passed(program: Any) -> Any:
    for change in (common_subexpressions, fold_constants, dead_code):
        change(program)
    program.validate()
    return program


FORMS: dict[str, Callable[[Any], Any]] = {"program": lambda p: p, "loaded": reloaded, "copied": copy.deepcopy, "passes": passed}
