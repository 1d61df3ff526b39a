"""Methods of arrays and scalars take the arguments that NumPy's take, in every form, and raise what NumPy raises of all others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.images import image
from tests.support.method_forms import METHODS, RECEIVERS, arrays, forms
from tests.support.shards import shard

ALLOWED = {"E101", "E103", "E104", "E115", "E123", "E122", "E126", "E120", "E112", "E114"}


def called(function: Any, *arguments: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "gives", image(function(*arguments))
        except ExportError:
            raise
        except Exception as problem:
            return "raises", type(problem), str(problem)


def difference(receiver: str, method: str, arguments: str) -> str | None:
    """What an exported call does otherwise than NumPy's; the empty text where it is refused."""
    source = f"lambda a, i: (lambda x: (x.{method}({arguments}), x))({receiver})"
    function = eval(source, {"np": np})
    expected = called(function, *arrays())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = export(function, arrays()).module()
    except ExportError as refusal:
        return "" if refusal.code in ALLOWED else f"{source}: {refusal}"
    except Exception as problem:
        found: Any = "raises", type(problem), str(problem)
    else:
        found = called(module, *arrays())
    return None if found == expected else f"{source}:\n    eager    {expected}\n    exported {found}"


@pytest.mark.parametrize("method", shard(METHODS, 3))
def test_every_form(method: str) -> None:
    taken = list(dict.fromkeys(forms(method)))
    receivers = list(RECEIVERS.values())
    calls = [(receiver, text) for place, text in enumerate(taken) for receiver in (receivers[place % 5], receivers[5 + place % 4])]
    found = [difference(receiver, method, text) for receiver, text in calls]
    assert "\n".join(filter(None, found)) == ""
    assert None in found


def main() -> None:
    """All methods of all receivers in all forms."""
    counts: dict[str, int] = {}
    for method in METHODS:
        for text in dict.fromkeys(forms(method)):
            for receiver in RECEIVERS.values():
                try:
                    found = difference(receiver, method, text)
                except Exception as problem:
                    found = f"{receiver}.{method}({text}): {problem!r}"
                counts["same" if found is None else "refused" if not found else "different"] = (
                    counts.get("same" if found is None else "refused" if not found else "different", 0) + 1
                )
                if found:
                    print(found)
    print(counts)


if __name__ == "__main__":
    main()


def as_arrays(x):
    return (
        x.__array__() is x,
        x.__array__("f8") is x,
        x.__array__("f4"),
        x[0].__array__(),
        x.__array__(copy=True) is x,
        x.T.__array__(copy=True),
    )


def test_arrays_that_the_program_asks_for_themselves():
    run = export(as_arrays, (np.ones((2, 3)),)).module()
    x = np.arange(6.0).reshape(2, 3)
    for mine, theirs in zip(run(x), as_arrays(x), strict=True):
        assert type(mine) is type(theirs)
        np.testing.assert_array_equal(mine, theirs)
        assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None) and getattr(mine, "strides", None) == getattr(
            theirs, "strides", None
        )
    with pytest.raises(ValueError, match="avoid copy"):
        export(lambda x: x.__array__("f4", copy=False), (x,))


def test_one_array_is_one_array_to_numpy_when_it_is_asked():
    def program(x):
        total = np.array(2.0)
        try:
            np.cumsum(total, axis=0, out=total)  # with two arrays NumPy 2.4 crashes
        except ValueError:
            return x
        return x + total

    x = np.ones(3)
    np.testing.assert_array_equal(export(program, (x,)).module()(x), program(x))
