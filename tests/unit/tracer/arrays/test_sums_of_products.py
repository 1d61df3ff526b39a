"""``np.einsum`` of axes that have one label, and of operands that it casts itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from tests.support.outcomes import outcome


def shown(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("term", ["iji->j", "iij->ij", "iij->j", "jii->ij", "...ii->...", "ii...->i..."])
@pytest.mark.parametrize("example", [(3, 3, 3), (1, 2, 3), (2, 1, 1), (1, 1, 1), (2, 2, 1)])
def test_a_diagonal_is_of_axes_of_one_size(term: str, example: tuple[int, ...]) -> None:
    """Beside other operands an axis of one element is stretched, within one operand it is not."""

    terms, _, result = term.partition("->")

    def program(x: Any) -> Any:
        return shown(lambda: np.einsum(f"{terms},->{result}", x, 2.0))

    run = export(program, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO},)).module()
    compared = 0
    for shape in [example, *np.ndindex(4, 4, 4)]:
        x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
        try:
            found = outcome(run, (x,))
        except InputMismatch:
            continue
        assert found == outcome(program, (x,)), shape
        compared += 1
    assert compared > 1


@pytest.mark.parametrize("options", [{"dtype": "f8"}, {"dtype": "f4"}, {"dtype": "i8"}, {"dtype": "c8"}, {}])
@pytest.mark.parametrize("casting", ["unsafe", "same_kind", "safe", "no"])
@pytest.mark.parametrize("terms", ["ij,jk->", "ij,jk->ki", "ij,jk", "ij,jk->j"])
def test_operands_are_cast_where_numpy_casts_them(terms: str, casting: str, options: dict[str, Any]) -> None:
    """NumPy adds up what it casts in another order than what is cast already."""

    def program(x: Any, y: Any) -> Any:
        try:
            return np.einsum(terms, x, y, casting=casting, **options)
        except TypeError as error:
            return str(error)

    for seed in range(4):
        draw = np.random.default_rng(seed)
        args = np.asfortranarray(draw.standard_normal((3, 2))), draw.integers(-9, 9, (2, 3))
        assert outcome(export(program, args).module(), args) == outcome(program, args)
