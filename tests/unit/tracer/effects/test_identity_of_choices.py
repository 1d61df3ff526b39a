"""Whether what data choose is one object with something else: the exported program gives what it
gives eagerly, or is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome

EXPRESSIONS = """
[t[i] is t[k] for t in [[[1.0, 2], [1.0, 2], [3.0, 4]]] for i in range(3)]
[t[k] is t[j] for t in [[[1], [2], [3]]]]
[t[k] is t[j] for t in [[a, a, [5]] for a in [[4]]]]
[t[k] is u[j] for t, u in [([a, b, [5]], [b, a, [6]]) for a, b in [([4], [7])]]]
[(t[k] is q, q in t) for t in [[[1], [2], [3]]] for q in t]
(lambda t: [t[k] is t[i] for i in range(3)])([[1], [2, 3], []])
(lambda t: [t[k] is t[i] for i in range(3)])([{"a": 1}, {"a": 1}, {"a": 2}])
[t[k] is t[i] for t in [["a", "b", None]] for i in range(3)]
[t[k] is t[i] for t in [[1, 2, 3]] for i in range(3)]
[(x[0] > 0) is np.True_, (x > 5).any() is np.False_, bool(x[0] > 0) is True, (x[0] > 0) is True]
[x[0] is None, x[0] is np.nan, x[0] is x, float(x[0]) is np.nan, x[0] is not True]
[v is v for v in (x[0], float(x[0]), x.sum())]
[(2 if y[0] > k else 3) is int(v) for v in ("2", "3", "300")]
[(2 if y[0] > 1 else 3) is (2 if y[1] > 1 else 4)]
[(2 if y[0] > 1 else x[0]) is None, (2 if y[0] > 1 else x[0]) is x]
[float(v) is v for v in (float(x[0]),)]
[+v is v for v in (float(x[0]),)]
[t is u for t in [(1, x[0])] for u in [t, (2, x[0]), (1, x[0], 3), (1.5, x[0]), None, [1]]]
[t in u for t in [(1, 2), (x[0], k)] for u in [[(x[0], k)], [(1, 2)], [(x[0], k, 1)]]]
[(t if x[0] > 0 else u) in (t, u) for t, u in [((1, 2), (3, 4))]]
""".strip().split("\n")
REFUSED = """
max(x) is x[0]
[max(t) is t[0] for t in [x.tolist()]]
[t[k] is t[0] for t in [x.tolist()]]
[t[k] is t[0] for t in [[1.5, 2.5, 3.5]]]
[sorted(t)[0] is t[0] for t in [[x[0], x[1]]]]
(2 if x[0] > 0 else x[1]) is int("2")
[(2 if x[0] > 0 else x[1]) is (2 if x[1] > 0 else x[0])]
(2.5 if x[0] > 0 else 3.5) is (2.5 if x[1] > 0 else 4.5)
[abs(v) is v for v in (float(x[0]),)]
(lambda a: int(x[0]) is a)(int("1000"))
[(t if x[0] > 0 else u) is t for t, u in [((1, 2), (3, 4))]]
[(t if x[0] > 0 else u) is t for t, u in [((1, x), (3, x))]]
[(t if x[0] > 0 else u) is t for t, u in [((1, 2), tuple([1, 2]))]]
[[t, u][k % 2] is t for t, u in [((1, 2), (3, 4))]]
[max([t, u], key=lambda each: x[each[0]]) is t for t, u in [((1, 2), (0, 4))]]
[sorted(t)[0] is t[0] for t in [[(x[i], i) for i in range(3)]]]
[(t if x[0] > 0 else (x,)) is t for t in [(x,)]]
[(t if x[0] > 0 else None) is t for t in [(1, 2)]]
[t is v for t in [((1, 2), 3)] for v in [t if x[0] > 0 else ((1, 2), 4)]]
""".strip().split("\n")


def program_of(expression: str) -> Any:
    return eval(f"lambda x, y: [{expression} for k, j in [(int(y[0]) % 3, int(y[1]) % 3)]]", {"np": np})


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("least", [None, 3])
def test_identity_is_that_of_eager_execution(expression: str, least: int | None) -> None:
    program, spec = program_of(expression), least and {0: Dim("n", min=least)}
    module = export(program, (np.arange(3.0), np.array([1, 2])), dynamic_shapes=spec and (spec, None)).module()
    for first in range(3):
        for second in range(3):
            for x in (np.array([1.0, 2.0, 3.0]), np.array([-1.0, 2.0, 9.0])):
                arguments = (x, np.array([first, second]))
                assert outcome(module, arguments) == outcome(program, arguments)


@pytest.mark.parametrize("expression", REFUSED)
def test_what_data_decide_is_refused(expression: str) -> None:
    with pytest.raises(ExportError, match="whether two (numbers|integers|tuples) are one object"):
        export(program_of(expression), (np.arange(3.0), np.array([1, 2])))


@pytest.mark.parametrize("program", [lambda x: x.shape[0] is x.shape[0], lambda x: len(x) is len(x), lambda x: [n is n for n in x.shape]])
def test_a_size_is_a_new_object_each_time_it_is_read_unless_it_is_small(program: Any) -> None:
    with pytest.raises(ExportError, match="whether two integers are one object"):
        export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    small = export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n", max=256)},)).module()
    for size in (0, 1, 256):
        assert small(np.ones(size)) == program(np.ones(size))
