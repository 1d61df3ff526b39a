"""What operators of users take from a program is what they take from eager calls: converted alike, refused with the same words."""

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, custom_op, export, new_size
from tests.support.outcomes import outcome

KINDS: tuple[Any, ...] = (
    np.ndarray, int, float, bool, str, np.dtype, list[int], list[np.ndarray], list[float], list[bool], list[str], tuple[int, ...],
    tuple[int, float], int | None, np.ndarray | None, list[np.ndarray] | None,
)  # fmt: skip
VALUES = (
    "3", "True", "2.5", "np.int64(3)", "np.float32(2.5)", "np.True_", "None", "'f4'", "np.array(3)", "[1, 2]", "(1, 2.5)", "[]", "x.T",
    "[np.arange(2), x]", "[x, 3.0]", "x[0, 0]", "int(x[0, 0])", "float(x[0, 0])", "bool(x[0, 0] > 0)", "len(x)", "len(x) / 2", "len(x) > 1",
    "x.dtype", "np.float32", "x.astype(int).sum()", "x.any()", "[len(x), 2]", "(len(x) > 1, 2.0)", "range(3)", "1j", "{}", "x.shape",
    "[bool(x[0, 0] > 1), True]", "np.array([1, 'a'], object)", "[np.array([1, 'a'], object)]", "np.array(['a'])", "['a', str(x.sum())]",
    "str(x[0, 0])", "[r for r in x]", "[float(r.sum()) for r in x]", "[r for r in x if r[0] > 1]", "x if x[0, 0] > 0 else None",
    "True if x[0, 0] > 3 else False", "np.zeros(2, [('a', 'f4')])", "np.random.default_rng(0)", "(x > 1).sum()", "f'{len(x)}'",
)  # fmt: skip

REFUSED = {
    "np.array([1, 'a'], object)",
    "[np.array([1, 'a'], object)]",
    "['a', str(x.sum())]",
    "str(x[0, 0])",
    "[r for r in x if r[0] > 1]",
}
"""What no graph holds."""


def text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tolist()}"
    return f"{type(value).__name__}({', '.join(map(text, value))})" if isinstance(value, (list, tuple)) else repr(value)


def operator_taking(kind: Any) -> Any:
    def told(x, given):
        return np.frombuffer(text(given).encode(), np.uint8).copy()

    told.__annotations__ = {"x": np.ndarray, "given": kind, "return": np.ndarray}
    op = custom_op("taking::told")(told)
    op.register_fake(lambda x, given: np.empty(new_size(), np.uint8))
    return op


def program_of(kind: Any, value: str) -> Any:
    names: dict[str, Any] = {"np": np, "op": operator_taking(kind)}
    exec(f"def program(x):\n    try: return op(x, {value})\n    except TypeError as error: return str(error)", names)
    return names["program"]


@pytest.mark.parametrize("value", VALUES)
def test_arguments_are_converted_and_refused_as_eagerly(value):
    x, compared = np.arange(6.0).reshape(2, 3) + 1, 0
    for kind in KINDS:
        program = program_of(kind, value)
        for shapes in (None, ({0: Dim.AUTO},)):
            try:
                run = export(program, (x,), dynamic_shapes=shapes).module()
            except ExportError as refusal:
                assert refusal.code[1] != "9", (kind, shapes, refusal)  # noqa: PT017
                continue
            assert outcome(run, (x,)) == outcome(program, (x,)), (kind, shapes)
            compared += 1
    assert bool(compared) is (value not in REFUSED)
