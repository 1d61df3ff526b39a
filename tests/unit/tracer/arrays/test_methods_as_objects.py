"""Methods of arrays that are not called: their names, types and texts are those of NumPy's own methods."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

NAMES = {"np": np, "types": types, "operator": operator}
TEXTS = (
    "x.sum.__name__, x.sum.__qualname__, x.sum.__doc__, x.argmax.__text_signature__, x.sum.__module__",
    "[f.__name__ for f in (x.mean, x.conj, x.round, x.__copy__, x.tobytes, x.resize, x.setflags, x.dump, x.reshape)]",
    "{f.__name__: f() for f in (x.sum, x.mean, x.max)}",
    "type(x.sum).__name__, x.sum.__class__ is type(x.min), type(x.__len__).__name__, x.__len__.__name__, x.__len__()",
    "isinstance(x.sum, types.MethodType), isinstance(x.sum, (int, types.BuiltinMethodType)), callable(x.sum)",
    "hasattr(x.sum, '__func__'), hasattr(x.sum, '__code__'), hasattr(x.sum, '__self__'), x.sum.__self__ is x",
    "x.sum.__func__",
    "x.sum().item.__qualname__, x.sum().__add__.__qualname__, x.sum().__add__(3), x.sum.__call__()",
    "x.sum == x.sum, x.sum is x.sum, len(x).bit_length.__name__",
    "operator.length_hint(iter(x)), operator.length_hint(x), operator.length_hint(iter(x), 5), iter(x).__length_hint__()",
    "operator.length_hint(x.sum(), 5), operator.length_hint(iter(x), 'a')",
)


@pytest.mark.parametrize("text", TEXTS)
def test_they_are_numpys(text: str) -> None:
    source = f"def program(x):\n try: return x + 1, ({text})\n except (AttributeError, TypeError) as error: return str(error)"
    program = function_of(source, NAMES)
    x = np.array([1.0, 0.0])
    assert outcome(export(program, (x,)).module(), (x,)) == outcome(program, (x,))


@pytest.mark.parametrize(
    "text", ["repr(x.sum)", "str(x.sum)[:9]", "f'{np.zeros(2).sum}'[:9]", "object.__repr__(x)[:9]", "object.__repr__(x[0])"]
)
def test_texts_that_tell_addresses_are_refused(text: str) -> None:
    with pytest.raises(Unsupported) as found:
        export(function_of(f"def program(x): return x, {text}", NAMES), (np.ones(2),))
    assert found.value.code == "E109"


def test_what_an_iterator_has_left_is_a_size() -> None:
    def program(x: Any) -> Any:
        rows = iter(x)
        first = next(rows)
        hinted = operator.length_hint(x, len(x) + 7)
        return first, operator.length_hint(rows), operator.length_hint(iter(x)), operator.length_hint(x), hinted

    run = export(program, (np.ones(3),), dynamic_shapes={"x": {0: Dim("n", min=1)}}).module()
    for size in (1, 2, 5):
        assert outcome(run, (np.ones(size),)) == outcome(program, (np.ones(size),))


def test_arrays_are_begun_again_in_vain() -> None:
    def program(x: Any) -> Any:
        return x.__init__(), x.sum().__init__(1, shape=2), x * 2

    assert outcome(export(program, (np.ones(3),)).module(), (np.arange(3.0),)) == outcome(program, (np.arange(3.0),))
