"""Methods of NumPy's scalars: of known ones with data among the arguments, of the wrong kind of object, and with ``out=``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export

KNOWN = {
    "clip": lambda s, y: s.clip(y),
    "clip_between": lambda s, y: s.clip(y[0], y[1]),
    "clip_to_an_array": lambda s, y: s.clip(0, np.asarray(y[1])),
    "clip_by_name": lambda s, y: s.clip(max=y[1], min=0),
    "take": lambda s, y: s.take(y.astype(int) * 0),
    "choose": lambda s, y: s.astype(np.int64).choose([y, y + 1, y, y]),
    "compress": lambda s, y: s.compress(y[:1] > 0),
    "max": lambda s, y: s.max(initial=y[0]),
    "sum": lambda s, y: s.sum(where=y[0] > 0),
    "mean": lambda s, y: s.mean(where=y[0] > 0),
    "round": lambda s, y: s.round(out=np.asarray(y[1]).astype(s.dtype)),
    "fill": lambda s, y: s.fill(y[0]),
    "add": lambda s, y: s.__add__(y),
    "of_the_class": lambda s, y: np.float64.__add__(y[0], s),
    "of_generic": lambda s, y: np.generic.clip(y[0], s, y[1]),
    "searchsorted": lambda s, y: s.searchsorted(y),
    "dot": lambda s, y: s.dot(y),
    "where_does_not_fit": lambda s, y: s.sum(where=y > 0),
    "decimals_of_data": lambda s, y: s.round(y[0]),
    "unbound_of_arrays": lambda s, y: np.ndarray.view(y[0]),
    "unbound_sum_of_arrays": lambda s, y: np.ndarray.sum(y[0]),
    "unbound_add_of_arrays": lambda s, y: np.ndarray.__add__(y[0], 1),
    "unbound_of_scalars": lambda s, y: np.generic.sum(y),
}
DATA = ([3.0, 5.0], [-1.0, 0.0], [7.0, 8.0], [2.5, 2.5])


def _outcome(f: Any, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return repr(f(*args))
        except ExportError:
            raise
        except Exception as error:
            return type(error), str(error)


@pytest.mark.parametrize("scalar", [np.float64(2.5), np.float32(-0.0), np.int64(2)], ids=repr)
@pytest.mark.parametrize("name", KNOWN)
def test_known_scalars_take_arguments_that_are_data(name: str, scalar: Any) -> None:
    def f(y: Any) -> Any:
        return KNOWN[name](scalar, y)

    eager = [_outcome(f, np.array(data)) for data in DATA]
    found = _outcome(lambda: export(f, (np.array(DATA[0]),)))
    if type(found) is tuple:  # raised for the example
        assert found == eager[0]
        return
    module = export(f, (np.array(DATA[0]),)).module()
    assert [_outcome(module, np.array(data)) for data in DATA] == eager


OUT: dict[str, Any] = {
    **{
        name: lambda s, out, name=name: getattr(s, name)(out=out)
        for name in ("sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "argmax", "argmin", "round")
    },
    **{f"np.{name}": lambda s, out, name=name: getattr(np, name)(s, out=out) for name in ("sum", "max", "any", "mean", "argmin", "round")},
    "clip": lambda s, out: s.clip(0, 1, out=out),
    "np.clip": lambda s, out: np.clip(s, 0, 1, out=out),
    "take": lambda s, out: s.take(0, out=out),
    "cumsum": lambda s, out: s.cumsum(out=out.reshape(1)),
    "np.median": lambda s, out: np.median(s, out=out),
    "np.nansum": lambda s, out: np.nansum(s, out=out),
    "np.add": lambda s, out: np.add(s, 1, out=out),
    "np.add.reduce": lambda s, out: np.add.reduce(s, axis=None, out=out),
}


@pytest.mark.parametrize("dtype", ["f8", "i8", "?"])
@pytest.mark.parametrize("name", OUT)
def test_what_methods_of_scalars_give_with_out_is_a_scalar(name: str, dtype: str) -> None:
    def f(x: Any) -> Any:
        out = np.zeros((), dtype)
        return OUT[name](x[1], out), out

    x = np.array([3, 1]).astype(dtype)
    eager = _outcome(f, x)
    try:
        found = export(f, (x,)).module()(x)
    except ExportError as refusal:
        assert refusal.code in ("E101", "E104", "E103")
        assert dtype != "f8" or type(eager) is tuple, refusal
    except Exception as error:
        assert (type(error), str(error)) == eager
    else:
        assert repr(found) == eager


def test_a_quantile_of_truths_is_refused() -> None:
    with pytest.raises(ExportError, match="E101"):
        export(lambda x: np.quantile(x, 0), (np.ones(3, bool),))
