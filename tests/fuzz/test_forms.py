"""Calls of NumPy's functions in random forms of arguments, of fixed seeds, and calls that once came out otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.fuzz.forms import run
from tests.support.outcomes import outcome
from tests.support.shards import shard

pytestmark = pytest.mark.fuzz


def test_calls_of_fixed_seeds_are_eager_in_every_form() -> None:
    found = [run(seed) for seed in shard(range(8000, 8450), 6)]
    assert sum(each["equal"] for each in found) > len(found) / 2


X, Y, I = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3) / 4, np.array([2, 0, 1])
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    *[(lambda x, o: np.argmax(x, 0, out=o), (X, np.zeros(3, dtype))) for dtype in ("?", "u1", "i8", "f4", "c8", "m8[s]")],
    *[(lambda x, o: np.nanargmin(x, 0, out=o), (X, np.zeros(3, dtype))) for dtype in ("u1", ">i8", "f8", "U3")],
    *[(lambda i, x, o: np.choose(i % 2, x, out=o), (I, X, np.zeros(3, dtype))) for dtype in ("?", "i1", "u8", "f4", "M8[D]")],
    *[(lambda x, o: np.median(x, axis=0, out=o), (X, np.zeros(3, dtype))) for dtype in ("m8[s]", "U3", "f8")],
    (lambda x, y: np.add(x, y, signature=None), (X, Y)),
    (lambda x, y: np.fmin.outer(x, y, signature=None), (X, Y)),
    (lambda x, y: np.matmul(x, y.T, sig=None), (X, Y)),
    (lambda x, y: np.exp(x, y, out=y, dtype="f4", signature="f->f"), (X, Y)),
    (lambda x, y: np.polysub(x, y), (X, Y)),
    (lambda x, y: np.polyadd(x, y[:1]), (X, Y)),
    (lambda x: x.to_device("cpu", stream=0), (X,)),
    (lambda t: np.strings.rindex(t, "b", start=2.5), (np.array(["ab", "b"]),)),
    (lambda t, o: np.is_busday(t, out=(o,)), (np.zeros(3, "M8[D]"), np.zeros(3, bool))),
]


@pytest.mark.parametrize(("call", "given"), CALLS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_what_once_came_out_otherwise(call: Any, given: tuple[Any, ...], dynamic: bool) -> None:
    shapes = tuple(dict.fromkeys(range(array.ndim), Dim.AUTO) for array in given) if dynamic else None

    def exported(*args: Any) -> Any:
        return export(call, args, dynamic_shapes=shapes).module()(*args)

    assert outcome(exported, given) == outcome(call, given)


def test_what_reads_numbers_in_the_texts_of_out_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)) as eager:  # NumPy before 2.5 casts to no texts
        np.take(X, I, out=np.zeros(3, "U3"))
    refusal = TypeError if eager.type is TypeError else Unsupported
    with pytest.raises(refusal, match=r"Cannot cast array data|reads numbers in the texts of out="):
        export(lambda x, i, o: np.take(x, i, out=o), (X, I, np.zeros(3, "U3")))


MANY = np.random.default_rng(0).normal(size=(2, 20000))
SUMS: list[Any] = [
    lambda x, o: np.sum(x, 1, out=o), lambda x, o: x.mean(1, out=o), lambda x, o: np.std(x, 1, out=o),
    lambda x, o: np.add.reduce(x, 1, out=o), lambda x, o: np.einsum("ij->i", x, out=o), lambda x, o: np.nansum(x, 1, out=o),
    lambda x, o: np.prod(x, 1, out=o),
    lambda x, o: np.max(x, 1, out=o), lambda x, o: np.median(x, 1, out=o), lambda x, o: np.vecdot(x, x, out=o),
]  # fmt: skip


@pytest.mark.parametrize("call", SUMS)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_sums_that_numpy_adds_in_parts_because_of_out_are_its_own_or_refused(call: Any, swapped: bool, many: bool) -> None:
    def program(x: Any) -> Any:
        records = np.zeros(2, np.dtype([("tag", "i1"), ("sum", "f8")]))
        out = np.zeros(2, ">f8") if swapped else records["sum"]
        call(x, out)
        return out.copy()

    given = MANY if many else MANY[:, :9].copy()
    try:
        run = export(program, (given,)).module()
    except Unsupported as refusal:
        assert refusal.code == "E101"
        assert many or "passes through" in str(refusal)
        return
    np.testing.assert_array_equal(run(given), program(given))
